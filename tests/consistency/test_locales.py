"""The extension's texts for users are in `_locales`, complete in each language."""

import re
from pathlib import Path

import pytest

import chrome_tab_mcp_server as server
from tests.support.ui_texts import messages as texts

EXTENSION = Path(server.__file__).parent / "extension"
LOCALES = ["de", "es", "fr", "ja", "zh_CN"]
PAGES = sorted((EXTENSION / "ui").rglob("*.html"))


def places(text: str) -> list[str]:
    """Return the placeholders in a text."""
    return sorted(re.findall(r"\$\d", text))


def test_there_are_six_languages() -> None:
    found = sorted(path.parent.name for path in EXTENSION.glob("_locales/*/messages.json"))

    assert found == sorted(["en", *LOCALES])


@pytest.mark.parametrize("locale", LOCALES)
def test_each_language_has_every_text_with_the_same_placeholders(locale: str) -> None:
    english, others = texts("en"), texts(locale)

    assert others.keys() == english.keys()
    assert {key: places(text) for key, text in others.items()} == {key: places(text) for key, text in english.items()}
    assert all(text.strip() for text in others.values())
    # A text that is the same in both languages is a name, or a word of both.
    assert sum(others[key] == text for key, text in english.items()) < len(english) / 10
    assert others["language"] == locale.replace("_", "-")


def test_no_line_of_a_french_text_begins_with_punctuation() -> None:
    assert not [text for text in texts("fr").values() if re.search(r" [:;?!»]|« ", text)]


def test_every_text_that_is_used_exists_and_every_text_is_used() -> None:
    html = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    scripts = "".join(
        path.read_text(encoding="utf-8") for path in EXTENSION.rglob("*.js") if "vendor" not in path.parts
    )
    asked = {
        *re.findall(r'data-message(?:-label|-title|-placeholder)?="(\w+)"', html),
        *re.findall(r'phrase\(\s*"(\w+)"', scripts),
        *re.findall(r"__MSG_(\w+)__", (EXTENSION / "manifest.json").read_text(encoding="utf-8")),
    }
    known = texts("en").keys()

    assert len(asked) > 100
    assert asked <= known
    # Where a name is chosen before it is looked up, in the code or in the table of commands.
    table = (EXTENSION / "shared" / "commands.json").read_text(encoding="utf-8")
    assert known - asked <= {*re.findall(r'"(\w+)"', scripts + table)}
    assert {*re.findall(r'"(?:hint|about|group)": "([a-z]+[A-Z]\w+)"', table)} <= known


# Names, and terms of the protocol.
UNTRANSLATED = {"Chrome Tab Reader", "Ollama", "dataLayer", "uv", "vf://..."}


@pytest.mark.parametrize("path", PAGES, ids=[path.name for path in PAGES])
def test_page_contains_no_hard_coded_text(path: Path) -> None:
    html = re.sub(r"(?s)<!--.*?-->|<(code|pre)\b.*?</\1\s*>", "", path.read_text(encoding="utf-8"))
    words = [text.strip() for text in re.findall(r">([^<]+)<", html)]
    words += re.findall(r' (?:aria-label|title|placeholder)="([^"]+)"', html)

    assert {text for text in words if re.search(r"\w", text)} <= UNTRANSLATED


@pytest.mark.parametrize("locale", ["en", *LOCALES])
def test_store_and_browser_use_the_localized_texts_of_the_manifest(locale: str) -> None:
    assert len(texts(locale)["name"]) <= 75
    assert len(texts(locale)["description"]) <= 132
