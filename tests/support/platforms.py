"""Modules that believe to run on another system."""

import sys
import types

import pytest


def pretend(monkeypatch: pytest.MonkeyPatch, platform: str, *modules: types.ModuleType) -> None:
    """Let these modules, and nothing else, believe that they run there: Python itself would go wrong."""
    for module in modules:
        monkeypatch.setattr(module, "sys", types.SimpleNamespace(**{**vars(sys), "platform": platform}))
