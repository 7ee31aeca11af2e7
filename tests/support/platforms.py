"""Modules that run as if on another platform."""

import sys
import types

import pytest


def pretend(monkeypatch: pytest.MonkeyPatch, platform: str, *modules: types.ModuleType) -> None:
    """Make these modules, and nothing else, see this platform: Python itself would break."""
    for module in modules:
        monkeypatch.setattr(module, "sys", types.SimpleNamespace(**{**vars(sys), "platform": platform}))
