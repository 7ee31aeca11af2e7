"""Settings: where they come from, what is rejected and how, and that secrets are never shown."""

import logging
from pathlib import Path
from typing import Any

import pytest

import chrome_tab_mcp_server as server
from chrome_tab import app
from chrome_tab_mcp_server import load_settings
from tests.conftest import WriteToml

URL = "http://localhost:11434"
SECRET = "sk-very-secret"
NAMES = {name: server.environment_name(name) for name in server.Settings.model_fields}


def load(*, need_model: bool = False, **flags: Any) -> server.Settings:
    return load_settings(flags, need_model=need_model)


def complaint(**flags: Any) -> str:
    with pytest.raises(ValueError, match=r".") as raised:
        load(**flags)
    return str(raised.value)


# --- Where a value comes from ---

# field: flag, environment, TOML, and the resulting values
SOURCES: dict[str, tuple[tuple[Any, Any], tuple[str, Any], tuple[str, Any]]] = {
    "model": (("by-flag", "by-flag"), ("by-env", "by-env"), ('"by-toml"', "by-toml")),
    "ollama_url": (
        ("http://flag:1", "http://flag:1"),
        ("http://env:2", "http://env:2"),
        ('"http://t:3"', "http://t:3"),
    ),
    "timeout": (("10", 10), ("20.5", 20.5), ("30", 30)),
    "port": (("2001", 2001), ("2002", 2002), ("2003", 2003)),
    "clipboard": ((False, False), ("1", True), ("true", True)),
    "fallback_model": ((["a", "b"], ["a", "b"]), (" c , d,", ["c", "d"]), ('["e"]', ["e"])),
    "upload_folder": ((["/", "."], ["/", "."]), (" .. , /,", ["..", "/"]), ('["~"]', ["~"])),
    "source": (("extension", "extension"), ("applescript", "applescript"), ('"auto"', "auto")),
    "tool_names": (("kapture", "kapture"), ("default", "default"), ('"kapture"', "kapture")),
    "browser": (("Chromium", "Chromium"), ("Vivaldi", "Vivaldi"), ('"Opera"', "Opera")),
}


@pytest.mark.parametrize("field", SOURCES)
def test_the_command_line_beats_the_environment_which_beats_the_file_which_beats_the_default(
    field: str, monkeypatch: pytest.MonkeyPatch, write_toml: WriteToml
) -> None:
    (flag, from_flag), (variable, from_environment), (toml, from_toml) = SOURCES[field]
    default = server.Settings.model_fields[field].default

    assert getattr(load(), field) == default
    write_toml(f"{field} = {toml}")
    assert getattr(load(), field) == from_toml
    monkeypatch.setenv(str(NAMES[field]), variable)
    assert getattr(load(), field) == from_environment
    assert getattr(load(**{field: flag}), field) == from_flag


@pytest.mark.parametrize("field", [name for name, variable in NAMES.items() if variable and name != "config"])
def test_an_empty_variable_counts_as_unset(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(str(NAMES[field]), "")

    assert getattr(load(), field) == server.Settings.model_fields[field].default


def test_an_empty_variable_does_not_override_the_file(monkeypatch: pytest.MonkeyPatch, write_toml: WriteToml) -> None:
    write_toml('model = "from-file"')
    monkeypatch.setenv("OLLAMA_MODEL", "")
    monkeypatch.setenv("CHROME_TAB_CONFIG", "")

    assert load().model == "from-file"


def test_variables_of_other_programs_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    without = load()
    for name in NAMES:
        monkeypatch.setenv(name.upper(), '{"a.example": {"deny": true}}' if name == "sites" else "7777")

    assert load() == without
    monkeypatch.setenv("CHROME_TAB_PORT", "7777")
    assert load().port == 7777


@pytest.mark.parametrize(("word", "value"), [("1", True), ("true", True), ("ON", True), ("0", False), ("no", False)])
def test_a_switch_in_the_environment_accepts_the_usual_words(
    word: str, *, value: bool, monkeypatch: pytest.MonkeyPatch, write_toml: WriteToml
) -> None:
    write_toml(f"clipboard = {str(not value).lower()}")
    monkeypatch.setenv("CHROME_TAB_CLIPBOARD", word)

    assert load().clipboard is value


# --- The table of the contract ---

# flag, variable, default, as the contract lists them
TABLE = [
    ("--ollama-url", "OLLAMA_BASE_URL", None),
    ("--model", "OLLAMA_MODEL", None),
    ("--fallback-model", "CHROME_TAB_FALLBACK_MODELS", []),
    ("--upload-folder", "CHROME_TAB_UPLOAD_FOLDERS", []),
    ("--api-key", "OLLAMA_API_KEY", None),
    ("--timeout", "CHROME_TAB_TIMEOUT_S", 300),
    ("--max-seconds", "CHROME_TAB_MAX_SECONDS", 900),
    ("--context-length", "CHROME_TAB_CONTEXT_LENGTH", None),
    ("--source", "CHROME_TAB_SOURCE", "auto"),
    ("--browser", "CHROME_TAB_BROWSER", "auto"),
    ("--clipboard", "CHROME_TAB_CLIPBOARD", False),
    ("--no-clipboard", "CHROME_TAB_CLIPBOARD", False),
    ("--transport", "CHROME_TAB_TRANSPORT", "stdio"),
    ("--port", "CHROME_TAB_PORT", 61822),
    ("--tool-names", "CHROME_TAB_TOOL_NAMES", "default"),
    ("--config", "CHROME_TAB_CONFIG", None),
]


@pytest.mark.parametrize(("flag", "variable", "default"), TABLE)
def test_each_setting_of_the_contract_has_its_flag_variable_and_default(
    flag: str, variable: str, default: object
) -> None:
    actions = server.argument_parser(app.PROGRAM)._option_string_actions

    field = actions[flag].dest
    assert NAMES[field] == variable
    assert getattr(load(), field) == default


# --- What is required ---


@pytest.mark.parametrize(
    ("given", "opening", "flag"),
    [
        ({}, "OLLAMA_BASE_URL must be provided", "--ollama-url"),
        ({"model": "m"}, "OLLAMA_BASE_URL must be provided", "--ollama-url"),
        ({"ollama_url": URL}, "OLLAMA_MODEL must be provided", "--model"),
        ({"ollama_url": URL, "model": " "}, "OLLAMA_MODEL must be provided", "--model"),
    ],
)
def test_a_missing_required_setting_is_a_sentence_with_how_to_set_it_and_an_example(
    given: dict[str, Any], opening: str, flag: str
) -> None:
    sentence = complaint(need_model=True, **given)

    assert sentence.startswith(opening)
    assert flag in sentence
    assert "Example: `uv run chrome_tab_mcp_server.py --ollama-url http://localhost:11434 --model qwen3" in sentence
    assert load(**given)
    assert load(need_model=True, ollama_url=URL, model="m")


def test_all_missing_settings_are_named_at_once() -> None:
    sentence = complaint(need_model=True)

    assert sentence.startswith("OLLAMA_BASE_URL must be provided: ")
    assert " OLLAMA_MODEL must be provided: " in sentence
    assert sentence.count("Example: ") == 1


# --- The model server's address ---


@pytest.mark.parametrize(
    "root", ["http://localhost:11434", "https://models.example", "http://[::1]:8080", "http://h/a"]
)
@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/"])
def test_the_address_may_end_in_a_slash_or_v1(root: str, ending: str) -> None:
    assert load(ollama_url=f" {root}{ending} ").ollama_url == root


# --- Invalid values ---

SENSELESS = [
    ("ollama_url", "localhost:11434"),
    ("ollama_url", "ftp://localhost"),
    ("ollama_url", "http://"),
    ("ollama_url", "http://localhost:99999"),
    ("ollama_url", "http://localhost:0"),
    ("ollama_url", "http://[::1"),
    ("ollama_url", "http://local\thost"),
    ("ollama_url", "http://localhost?a=b"),
    ("ollama_url", "http://localhost#a"),
    ("ollama_url", "http://name:word@localhost"),
    ("model", "x" * 501),
    ("fallback_model", [""]),
    ("upload_folder", [""]),
    ("upload_folder", [".", "/nope"]),
    ("api_key", "line\nbreak"),
    ("api_key", "kl\u00fc"),
    ("timeout", "0"),
    ("timeout", "-1"),
    ("timeout", "nan"),
    ("timeout", "inf"),
    ("timeout", "86400.1"),
    ("timeout", "soon"),
    ("context_length", "0"),
    ("context_length", "511"),
    ("context_length", "100000001"),
    ("context_length", "-4096"),
    ("context_length", "4k"),
    ("parallel", "0"),
    ("parallel", "65"),
    ("source", "safari"),
    ("browser", 'Chrome" to quit'),
    ("clipboard", "perhaps"),
    ("transport", "carrier pigeon"),
    ("port", "0"),
    ("port", "1023"),
    ("port", "65536"),
    ("port", "http"),
    ("tool_names", "mine"),
]


@pytest.mark.parametrize(("field", "value"), SENSELESS)
def test_an_invalid_value_is_a_sentence_that_names_flag_and_variable(
    field: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = f"--{field.replace('_', '-')} ({NAMES[field]}) must "

    assert complaint(**{field: value}).startswith(start)
    if isinstance(value, str):
        monkeypatch.setenv(str(NAMES[field]), value)
        assert complaint().startswith(start)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("timeout", 86_400),
        ("context_length", 512),
        ("context_length", 100_000_000),
        ("parallel", 1),
        ("parallel", 64),
        ("port", 1024),
        ("port", 65_535),
    ],
)
def test_the_limits_themselves_are_accepted(field: str, value: int) -> None:
    assert getattr(load_settings({field: str(value)}, need_model=False), field) == value


def test_several_invalid_values_are_all_reported_in_our_wording() -> None:
    sentence = complaint(port="x", timeout="y")

    assert "Input should" not in sentence

    assert "--port (CHROME_TAB_PORT)" in sentence
    assert "--timeout (CHROME_TAB_TIMEOUT_S)" in sentence


# --- Secrets ---


def test_the_key_is_in_no_message_no_repr_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    settings = load(api_key=SECRET)
    sentence = complaint(api_key=f"{SECRET}\n{SECRET}")

    assert settings.api_key == SECRET
    assert sentence.startswith("--api-key (OLLAMA_API_KEY) must ")
    for shown in (repr(settings), str(settings), sentence, caplog.text):
        assert SECRET not in shown


def test_a_password_in_the_address_is_rejected_and_not_repeated() -> None:
    sentence = complaint(ollama_url=f"http://me:{SECRET}@localhost:1")

    assert "--ollama-url" in sentence
    assert SECRET not in sentence


# --- The configuration file ---


@pytest.mark.parametrize(
    ("key", "advice"), [("modle", "Did you mean model?"), ("OLLAMA_MODEL", "Did you mean model?"), ("x", "Remove it.")]
)
def test_an_unknown_key_in_the_file_is_named(key: str, advice: str, write_toml: WriteToml) -> None:
    path = write_toml(f'{key} = "m"')

    assert complaint() == f"The configuration file {path} has an unknown key {key!r}. {advice}"
    write_toml('model = "m"')
    assert load().model == "m"


TOO_DEEP = "model = " + "[" * 5_000 + "]" * 5_000


@pytest.mark.parametrize(
    "text", ["model = ", "model = 'a\nb'", "[sites", "\x00", TOO_DEEP, TOO_DEEP[:5_000], "port = " + "9" * 5_000]
)
def test_a_malformed_file_is_a_sentence_with_its_path(text: str, write_toml: WriteToml) -> None:
    path = write_toml(text)

    assert complaint().startswith(f"The configuration file {path} cannot be read: ")


def test_a_file_that_is_not_utf8_is_a_sentence_with_its_path(config_home: Path) -> None:
    path = config_home / "config.toml"
    config_home.mkdir()
    path.write_bytes(b"model = '\xff'")

    assert complaint() == f"The configuration file {path} cannot be read: it is not UTF-8. Save it as UTF-8."


def test_a_file_with_a_byte_order_mark_is_read(write_toml: WriteToml) -> None:
    write_toml('\ufeffmodel = "m"')

    assert load().model == "m"


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ('[extract.price]\nprompt = "What does it cost?"', "extract.price.schema is missing."),
        ("model = 5", "model must be text; got 5."),
        ('port = "http"', "port must be an integer; got 'http'."),
        ("parallel = true", "parallel must be a number; got true."),
        ("context_length = 5", "context_length must be at least 512; got 5."),
        ('fallback_model = ["a", 5]', "fallback_model.1 must be text; got 5."),
        ('source = "safari"', "source must be 'auto', 'applescript' or 'extension'; got 'safari'."),
        ("sites = 5", "sites must be a table; got 5."),
        ('[sites."a.example"]\ndeny = "perhaps"', "sites.\"a.example\".deny must be true or false; got 'perhaps'."),
        ("sites.deny = true", "sites.deny must be a table; got true."),
        (
            '[sites."a.example"]\nalow = true',
            'sites."a.example".alow is not a known key; the known keys are deny, ask, tools, system_prompt, start, end, content, model, '
            "schema.",
        ),
        ('[sites."a.example"]\nstart = "--to-end"', "sites.\"a.example\".start looks like an option; got '--to-end'."),
        ('[sites."a.example"]\n\n# why\nmodel = ""', "sites.\"a.example\".model must not be empty; got ''."),
        (
            'tools = ["click", "clik"]',
            "tools.1 must be the name of a tool, such as click, back, scroll; got 'clik'.",
        ),
        (
            '[sites."a.example"]\ntools = ["getTabs"]',
            'sites."a.example".tools.0 must be the name of a tool, such as browser_get_tabs, list_tabs, getDataLayer; '
            "got 'getTabs'.",
        ),
        (
            '[sites."a.example"]\nschema = { type = "text" }',
            "sites.\"a.example\".schema must be a JSON Schema: 'text' is not valid under any of the given schemas at "
            "$.type; got {'type': 'text'}.",
        ),
        (
            '[extract.price]\nprompt = "What does it cost?"\nschema = {}\n[sites."a.example"]\nschema = "prize"',
            'sites."a.example".schema must be a JSON Schema or the name of an extraction: article, product, recipe, event, '
            "contact, profile, price; got 'prize'.",
        ),
        (
            '[extract.price]\nprompt = "What does it cost?"\nschema = { "$ref" = "other.json" }',
            "extract.price.schema must be a JSON Schema: it refers to 'other.json', which it does not contain (put it in "
            "$defs); got {'$ref': 'other.json'}.",
        ),
    ],
)
def test_a_wrong_value_in_the_file_names_the_file_and_the_key_as_spelled_there(
    text: str, reported: str, write_toml: WriteToml
) -> None:
    path = write_toml(text)

    assert complaint() == f"In the configuration file {path}, {reported}"


def test_a_wrong_value_is_attributed_to_its_source(write_toml: WriteToml, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_toml("port = 80")

    assert complaint().startswith(f"In the configuration file {path}, port ")
    monkeypatch.setenv("CHROME_TAB_PORT", "81")
    assert complaint() == "--port (CHROME_TAB_PORT) must be at least 1,024; got '81'."
    assert complaint(port="82") == "--port (CHROME_TAB_PORT) must be at least 1,024; got '82'."


def test_a_file_that_is_named_explicitly_must_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.toml"

    assert complaint(config=str(path)) == f"The configuration file {path} does not exist."
    monkeypatch.setenv("CHROME_TAB_CONFIG", str(path))
    assert complaint() == f"The configuration file {path} does not exist."
    path.write_text('model = "m"', encoding="utf-8")
    assert load().model == "m"


def test_a_directory_instead_of_a_file_is_a_sentence(tmp_path: Path) -> None:
    assert complaint(config=str(tmp_path)).startswith(f"The configuration file {tmp_path} cannot be read: ")


def test_the_flag_for_the_file_overrides_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("flag", "variable"):
        (tmp_path / name).write_text(f'model = "{name}"', encoding="utf-8")
    monkeypatch.setenv("CHROME_TAB_CONFIG", str(tmp_path / "variable"))

    assert load().model == "variable"
    assert load(config=str(tmp_path / "flag")).model == "flag"


def test_a_tilde_in_the_file_name_is_the_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "mine.toml").write_text('model = "m"', encoding="utf-8")

    assert load(config="~/mine.toml").model == "m"


# --- Denied hosts ---

DENIED = [
    ("bank.example", "https://bank.example/"),
    ("bank.example", "https://BANK.example:8443/a?b#c"),
    ("bank.example", "https://bank.example./"),
    ("bank.example", "https://someone:word@bank.example/"),
    ("BANK.Example.", "http://bank.example"),
    ("*.bank.example", "https://my.bank.example"),
    ("*.bank.example", "https://a.b.bank.example"),
    ("*.bank.example", "https://bank.example"),
    ("*", "https://anything.example"),
    ("*", "file:///home/me/a.html"),
    ("10.0.0.*", "http://10.0.0.7:8080/"),
    ("::1", "http://[::1]:3000/"),
    ("bank.example", ""),
    ("bank.example", "https://[bank.example"),
    ("bank.example", "https:///path"),
]
ALLOWED = [
    ("bank.example", "https://bank.example.evil.test/"),
    ("bank.example", "https://notbank.example/"),
    ("bank.example", "https://bank.example@other.test/"),
    ("bank.example", "https://my.bank.example/"),
    ("*.bank.example", "https://notbank.example/"),
    ("*.bank.example", "https://other.test/?u=my.bank.example"),
    ("bank.example", "file:///home/me/bank.example"),
]


@pytest.mark.parametrize(("rule", "url"), DENIED)
def test_a_rule_denies_its_hosts(rule: str, url: str, write_toml: WriteToml) -> None:
    write_toml(f'[sites."{rule}"]\ndeny = true')

    assert load().site(url).deny


@pytest.mark.parametrize(("rule", "url"), ALLOWED)
def test_a_rule_does_not_affect_other_hosts(rule: str, url: str, write_toml: WriteToml) -> None:
    write_toml(f'[sites."{rule}"]\ndeny = true')

    assert not load().site(url).deny


def test_only_a_denying_rule_denies_and_denied_beats_allowed(write_toml: WriteToml) -> None:
    write_toml('[sites."a.example"]\n[sites."*.b.example"]\ndeny = true\n[sites."www.b.example"]\ndeny = false')

    assert not load().site("https://a.example").deny
    assert load().site("https://www.b.example").deny
    write_toml("")
    assert not load().site("").deny


@pytest.mark.parametrize(
    ("rule", "host"),
    [
        ("http://localhost:18090", "localhost"),
        ("localhost:18090", "localhost"),
        ("https://Bank.Example/", "bank.example"),
        ("*://*.bank.example/*", "*.bank.example"),
        ("http://[::1]:3000/", "::1"),
        ("[::1]", "::1"),
        ("http://10.0.0.1:80", "10.0.0.1"),
        ("https://b\u00fccher.example/", "xn--bcher-kva.example"),
    ],
)
def test_a_scheme_and_a_port_around_a_rules_host_are_removed(rule: str, host: str, write_toml: WriteToml) -> None:
    write_toml(f'[sites."{rule}"]\ndeny = true')

    assert load().denied_hosts == [host]


@pytest.mark.parametrize(
    "rule",
    [
        *[
            "localhost/x",
            "https://a.example/b/*",
            "a.example?b",
            "http://name@a.example",
            "ftp://a.example",
            "file:///x",
        ],
        *["", "http://", "a b", "a..b", "[sites", "[ab].example", "localhost:", "localhost:x", "cafe:beef"],
    ],
)
def test_an_ambiguous_rule_is_rejected_with_file_and_key(rule: str, write_toml: WriteToml) -> None:
    path = write_toml(f'[sites."{rule}"]\ndeny = true')

    assert complaint().startswith(f'In the configuration file {path}, sites."{rule}" must be a host ')


def test_a_denying_rule_is_not_overridden_by_another_spelling_of_its_host(write_toml: WriteToml) -> None:
    write_toml('[sites."localhost:1"]\ndeny = true\n[sites.localhost]\ndeny = false')

    assert load().site("http://localhost:2/").deny


def test_a_name_is_more_specific_than_a_pattern_and_a_long_pattern_than_a_short_one(write_toml: WriteToml) -> None:
    for host, model in (("a.b.example", "name"), ("c.b.example", "long"), ("d.example", "short")):
        write_toml(
            '[sites."a.b.example"]\nmodel = "name"\n[sites."https://*.b.example/"]\nmodel = "long"\nask = true\n'
            '[sites."*.example"]\nmodel = "short"'
        )
        site = load().site(f"https://{host}/x")
        assert (site.model, site.ask) == (model, model != "short")
