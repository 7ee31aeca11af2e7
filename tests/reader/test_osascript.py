"""Reading by AppleScript, driven through the tools; `osascript` is a fake that plays what a test sets up."""

import asyncio
import json
import os
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import anyio
import pytest
from fastmcp import Client
from fastmcp.client.client import CallToolResult

import chrome_tab_mcp_server as server
from chrome_tab import app
from tests.conftest import WriteToml
from tests.support.fake_osascript import FakeOsascript, installed
from tests.support.tool_client import error_of, receipt_of, text_of

Read = Callable[..., Coroutine[Any, Any, CallToolResult]]

WAIT_S = 50


@pytest.fixture
def read() -> Read:
    """Call `read_chrome_tab` of a server with these settings."""

    async def call(settings: dict[str, Any] | None = None, **arguments: Any) -> CallToolResult:
        flags = {"source": "applescript"} | (settings or {})
        async with Client(app.create_server(server.load_settings(flags, need_model=False))) as client:
            return await client.call_tool("read_chrome_tab", arguments, raise_on_error=False)

    return call


def chrome() -> server.AppleScriptSource:
    """Return the source that reads Google Chrome, whichever browser is in front."""
    return server.AppleScriptSource(server.load_settings({"browser": "Google Chrome"}, need_model=False))


# --- How it is called ---


@pytest.mark.parametrize(
    ("keywords", "arguments"),
    [
        ({}, ["--no-filter"]),
        ({"start": "a", "end": "b"}, ["a", "b"]),
        ({"start": "a"}, ["a", "--to-end"]),
        ({"end": "b"}, ["--from-start", "b"]),
    ],
)
@pytest.mark.parametrize("clipboard", [False, True])
async def test_the_arguments_follow_the_documented_matrix_and_nothing_else(
    keywords: dict[str, str], arguments: list[str], clipboard: object, osascript: FakeOsascript, read: Read
) -> None:
    assert text_of(await read({"clipboard": clipboard}, **keywords)) == "the page"

    (call,) = osascript.calls()
    assert call.arguments == arguments
    assert call.script == server.SCRIPT
    assert call.clipboard == ("1" if clipboard else "0")


async def test_an_inherited_clipboard_setting_does_not_reach_the_script(
    osascript: FakeOsascript, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROME_TAB_CLIPBOARD", "1")

    await read({"clipboard": False})

    assert [call.clipboard for call in osascript.calls()] == ["0"]


async def test_status_reads_the_tab_but_leaves_the_clipboard_alone(osascript: FakeOsascript) -> None:
    settings = server.load_settings({"source": "applescript", "clipboard": True}, need_model=False)
    async with Client(app.create_server(settings)) as client:
        shown = text_of(await client.call_tool("chrome_tab_status", {}))

    assert "permission ok  AppleScript reads the active tab (8 characters)" in shown
    assert [call.clipboard for call in osascript.calls()] == ["0"]


HOSTILE_KEYWORDS = [
    'say "hi"',
    "it's",
    "`touch pwned`",
    "$(touch pwned)",
    "a; touch pwned",
    "a && touch pwned",
    "one\ntwo",
    "back\\slash",
    "a\u2028b\u2029c",
    "\U0001f600 \u00e9 \u4e2d",
    "%s %n",
    "- dash",
    "\u2013 dash",
    "*",
]


@pytest.mark.parametrize("keyword", HOSTILE_KEYWORDS)
async def test_a_keyword_reaches_the_script_unchanged_and_never_a_shell(
    keyword: str, osascript: FakeOsascript, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(osascript.folder)

    assert text_of(await read(start=keyword, end=keyword)) == "the page"

    assert [call.arguments for call in osascript.calls()] == [[keyword, keyword]]
    assert not (osascript.folder / "pwned").exists()


REFUSED_KEYWORDS = ["", " ", "\n", "--to-end", "--from-start", "--no-filter", "-e", "-l", "a\0b", "\ud800", "x" * 1001]


@pytest.mark.parametrize("name", ["start", "end"])
@pytest.mark.parametrize("keyword", REFUSED_KEYWORDS)
async def test_an_impossible_keyword_is_rejected_before_anything_runs(
    name: str, keyword: str, osascript: FakeOsascript, read: Read
) -> None:
    code, message = error_of(await read(**{name: keyword}))

    assert code == "INVALID_ARGUMENT"
    assert name in message
    assert osascript.calls() == []
    assert text_of(await read(**{name: "word"})) == "the page"
    assert len(osascript.calls()) == 1


# --- What comes back ---

TEXTS = [
    "one line",
    "  indented\n\n\ttab",
    "ends with a line break\n",
    "\u00e9 \u4e2d\u6587 \U0001f468\u200d\U0001f469\u200d\U0001f467 \u2028 \u0301",
    "\r\n carriage \r",
    "chrome_tab_page {}",
]


@pytest.mark.parametrize("text", TEXTS)
async def test_the_text_is_exactly_the_output_of_osascript_without_its_last_line_break(
    text: str, osascript: FakeOsascript, read: Read
) -> None:
    osascript.shows(text)

    assert text_of(await read()) == text


async def test_ten_megabytes_are_returned_completely(osascript: FakeOsascript) -> None:
    line = 'line \u4e2d\u6587 \U0001f600 with "quotes", `ticks` and EOFDATA\n'
    text = line * (10_000_000 // len(line.encode()) + 1)
    osascript.shows(text)

    page = await chrome().read(server.ReadOptions())

    assert len(text.encode()) >= 10_000_000
    assert page.text == text


async def test_bytes_that_are_not_utf8_become_replacement_characters(osascript: FakeOsascript, read: Read) -> None:
    osascript.shows(b"caf\xe9 open")

    assert text_of(await read()) == "caf\ufffd open"


@pytest.mark.parametrize("text", ["", "\n", " \n\t "])
async def test_success_without_text_is_an_empty_page(text: str, osascript: FakeOsascript, read: Read) -> None:
    osascript.shows(text)

    assert error_of(await read())[0] == "EMPTY_PAGE"
    osascript.says()
    assert error_of(await read())[0] == "EMPTY_PAGE"
    osascript.shows("text")
    assert text_of(await read()) == "text"


ABOUT = [
    ('{"url": "https://a.test/?q=1#x", "title": "T"}', "https://a.test/?q=1#x", "T"),
    (r'{"url": "https://a.test/", "title": "\u4e2d \ud83d\ude00 } {"}', "https://a.test/", "\u4e2d \U0001f600 } {"),
    (
        r'{"url": "https://a.test/", "title": "chrome_tab_page {\"url\": \"x\"}"}',
        "https://a.test/",
        'chrome_tab_page {"url": "x"}',
    ),
    (r'{"url": "https://a.test/", "title": "\ud800"}', "https://a.test/", "\ufffd"),
    ('{"url": 5, "title": ["T"]}', "", ""),
    ('{"url": "https://a.test/"', "", ""),
    ("{" * 5_000 + "}" * 5_000, "", ""),
    ("null", "", ""),
    ("", "", ""),
]


@pytest.mark.parametrize(("about", "url", "title"), ABOUT)
async def test_the_receipt_has_the_address_and_title_if_the_script_logged_them(
    about: str, url: str, title: str, osascript: FakeOsascript, read: Read
) -> None:
    osascript.shows("text", about=about)

    result = await read()

    assert text_of(result) == "text"
    expected = {
        "url": url,
        "title": title,
        "source": "applescript",
        "browser": "Google Chrome",
        "page_characters": 4,
        "next_offset": None,
        "content": {},
    }
    assert receipt_of(result) == expected


@pytest.mark.parametrize(
    ("reported", "removed"), [("3", {"repeated_lines_removed": 3}), ("0", {}), ("null", {}), ('"3"', {}), ("[3]", {})]
)
async def test_the_receipt_states_how_many_repeated_lines_were_removed(
    reported: str, removed: dict[str, int], osascript: FakeOsascript, read: Read
) -> None:
    osascript.shows("text", about=f'{{"url": "https://a.test/", "title": "T", "repeated": {reported}}}')

    receipt = receipt_of(await read())

    assert {key: value for key, value in receipt.items() if key.startswith("repeated")} == removed


# --- Errors, by number ---

# number, code, a localized text of macOS, what the sentence must name
NUMBERS = [
    (12, "PERMISSION_DENIED", "L\u2019ex\u00e9cution de JavaScript est d\u00e9sactiv\u00e9e.", "View > Developer > Allow JavaScript from Apple Events"),
    (8, "PERMISSION_DENIED", "JavaScript von Apple Events ist aus.", "Developer > Allow JavaScript from Apple Events"),
    (-1743, "PERMISSION_DENIED", "Nicht berechtigt, Apple-Events an \u201eGoogle Chrome\u201c zu senden.", "System Settings > Privacy & Security > Automation"),
    (-600, "NO_BROWSER", "\u5e94\u7528\u7a0b\u5e8f\u6ca1\u6709\u8fd0\u884c\u3002", "Google Chrome"),
    (-609, "NO_BROWSER", "La connexion n\u2019est pas valide.", "Google Chrome"),
    (-1719, "NO_BROWSER", "\u201ewindow 1\u201c kann nicht gelesen werden. Ung\u00fcltiger Index.", "Google Chrome"),
    (-1728, "NO_BROWSER", "\u65e0\u6cd5\u83b7\u5f97 every window\u3002", "--browser"),
    (-2740, "NO_BROWSER", "Erreur de syntaxe.", "--browser"),
    (-2741, "NO_BROWSER", "Syntaxfehler.", "--browser"),
    (-1712, "COMMAND_TIMEOUT", "AppleEvent \u8d85\u65f6\u3002", "tab"),
]  # fmt: skip


@pytest.mark.parametrize("row", NUMBERS, ids=lambda row: str(row[0]))
async def test_each_number_has_its_code_and_a_sentence_with_the_next_step_in_every_language(
    row: tuple[int, str, str, str], osascript: FakeOsascript, read: Read
) -> None:
    number, code, text, advice = row
    osascript.fails(f"Google Chrome: {text}", number)

    found, message = error_of(await read())

    assert found == code
    assert advice in message
    assert text not in message


def test_every_number_of_the_table_is_tested_here() -> None:
    listed = {number for sentences in server.APPLE_EVENT_ERRORS.values() for number in sentences}
    assert {number for number, *_ in NUMBERS} == listed


async def test_the_sentence_names_the_browser_that_was_asked(osascript: FakeOsascript, read: Read) -> None:
    osascript.fails("Vivaldi got an error.", -600)

    assert error_of(await read({"browser": "Vivaldi"}))[1].startswith("Vivaldi is not running.")


@pytest.mark.parametrize(
    ("number", "code"),
    [(9001, "EMPTY_PAGE"), (9002, "KEYWORD_NOT_FOUND"), (9003, "UNREADABLE_PAGE"), (9004, "INVALID_ARGUMENT")],
)
@pytest.mark.parametrize("sentence", ["What happened. Do this.", 'Near: "execution error: x (12)", "(-600)".'])
async def test_the_scripts_own_errors_carry_the_scripts_own_sentence(
    number: int, code: str, sentence: str, osascript: FakeOsascript, read: Read
) -> None:
    osascript.fails(sentence, number)

    assert error_of(await read(start="word")) == (code, sentence)


@pytest.mark.parametrize(
    ("stderr", "shown"),
    [
        ("chrome_tab.scpt:1:2: execution error: Odd thing. (-4321)\n", "Odd thing. (-4321)"),
        ("chrome_tab.scpt: no number at all\n", "no number at all"),
        ("a number (12) in the middle\n", "a number (12) in the middle"),
        ("", "no message"),
        ("\x1b[31mred\x07 (5)\n" + "x" * 5_000, "red"),
    ],
)
async def test_an_unknown_failure_shows_the_output_of_osascript_and_where_to_look(
    stderr: str, shown: str, osascript: FakeOsascript, read: Read
) -> None:
    osascript.says(stderr=stderr, status=1)

    code, message = error_of(await read())

    assert code == "EXECUTION_ERROR"
    assert shown in message
    assert "--doctor" in message
    assert message.isprintable()
    assert len(message) < 500


async def test_what_a_client_sends_to_the_server_does_not_reach_osascript(osascript: FakeOsascript, read: Read) -> None:
    osascript.plays('cat >"$here/heard"')
    ours, theirs = os.pipe()
    os.write(theirs, b"a request")
    os.close(theirs)
    kept = os.dup(0)
    os.dup2(ours, 0)
    try:
        assert text_of(await read()) == "the page"
        unread = os.read(0, 100)
    finally:
        os.dup2(kept, 0)
        os.close(kept)
        os.close(ours)

    assert (osascript.folder / "heard").read_bytes() == b""
    assert unread == b"a request"


async def test_a_failure_with_text_on_stdout_is_still_a_failure(osascript: FakeOsascript, read: Read) -> None:
    osascript.says(stdout=b"half a page\n", stderr="execution error: off (12)", status=1)

    assert error_of(await read())[0] == "PERMISSION_DENIED"


async def test_without_osascript_the_sentence_names_the_extension(
    read: Read, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as context:
        context.setenv("PATH", str(tmp_path))
        code, message = error_of(await read())

    assert code == "NO_BROWSER"
    assert "--source extension" in message
    installed(tmp_path / "fake", monkeypatch)
    assert text_of(await read()) == "the page"


async def test_without_the_script_next_to_the_server_the_sentence_names_it(
    osascript: FakeOsascript, read: Read, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(server, "SCRIPT", tmp_path / "chrome_tab.scpt")

    code, message = error_of(await read())

    assert code == "EXECUTION_ERROR"
    assert "chrome_tab.scpt" in message
    assert osascript.calls() == []


async def test_the_server_answers_the_next_call_after_a_failure(osascript: FakeOsascript) -> None:
    settings = server.load_settings({"source": "applescript"}, need_model=False)
    async with Client(app.create_server(settings)) as client:
        for number in (12, -600, 9002, 77):
            osascript.fails("no", number)
            assert (await client.call_tool("read_chrome_tab", {}, raise_on_error=False)).is_error
        osascript.shows("text again")
        assert text_of(await client.call_tool("read_chrome_tab", {})) == "text again"


# --- Time ---

# Both open two pipes: the first shows that they run, the second ends when the last of them is gone.
HANG = 'exec 3>"$here/alive"; sleep 60 & : >"$here/started"; wait'
LEAVE_A_CHILD = 'exec 3>"$here/alive"; sleep 60 & : >"$here/started"; exit 0'


class Watch:
    """Makes osascript hang, and detects when it has started a child and when both have ended."""

    def __init__(self, osascript: FakeOsascript, shell: str) -> None:
        osascript.plays(shell)
        self.alive = self._read(osascript.folder / "alive")
        self.started = self._read(osascript.folder / "started")

    def _read(self, pipe: Path) -> asyncio.Task[bytes]:
        os.mkfifo(pipe)
        return asyncio.create_task(asyncio.to_thread(pipe.read_bytes))


@pytest.mark.parametrize("shell", [HANG, LEAVE_A_CHILD], ids=["it hangs", "only its child hangs"])
async def test_an_osascript_that_hangs_is_killed_with_its_child(
    shell: str, osascript: FakeOsascript, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "OSASCRIPT_TIMEOUT_S", 0.1)
    watch = Watch(osascript, shell)
    start = asyncio.create_subprocess_exec

    async def start_wholly(*arguments: Any, **options: Any) -> asyncio.subprocess.Process:
        process = await start(*arguments, **options)
        await asyncio.wait_for(watch.started, WAIT_S)
        return process

    # The timeout starts when the child is there, however busy the machine is.
    monkeypatch.setattr(asyncio, "create_subprocess_exec", start_wholly)
    code, message = error_of(await read())

    assert code == "COMMAND_TIMEOUT"
    assert "0.1 s" in message
    await asyncio.wait_for(watch.alive, WAIT_S)


async def test_a_cancelled_read_ends_osascript_and_its_child(osascript: FakeOsascript) -> None:
    watch = Watch(osascript, HANG)
    reading = asyncio.create_task(chrome().read(server.ReadOptions()))
    await asyncio.wait_for(watch.started, WAIT_S)
    assert not watch.alive.done()

    reading.cancel()

    with pytest.raises(asyncio.CancelledError):
        await reading
    await asyncio.wait_for(watch.alive, WAIT_S)


@pytest.mark.parametrize("by", ["task", "scope"])
@pytest.mark.parametrize("moment", ["it starts", "it runs"])
async def test_a_cancelled_read_returns_only_after_osascript_and_its_child_have_ended(
    by: str, moment: str, osascript: FakeOsascript, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch(osascript, HANG)
    start = asyncio.create_subprocess_exec
    made: list[asyncio.subprocess.Process] = []
    # Every wait in a cancelled scope ends at once; a task is cancelled once.
    scope = anyio.CancelScope()

    async def start_slowly(*arguments: Any, **options: Any) -> asyncio.subprocess.Process:
        made.append(await start(*arguments, **options))
        if moment == "it starts":
            cancel()
            await watch.started
        return made[0]

    async def read_in_scope() -> None:
        with scope:
            await chrome().read(server.ReadOptions())

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start_slowly)
    reading = asyncio.create_task(read_in_scope())
    cancel = scope.cancel if by == "scope" else reading.cancel
    if moment == "it runs":
        watch.started.add_done_callback(lambda _: cancel())
    await asyncio.wait({reading})

    assert reading.cancelled() or scope.cancelled_caught
    assert [process.returncode for process in made] == [-signal.SIGKILL]
    await asyncio.wait_for(watch.alive, WAIT_S)


# --- Other browsers ---


async def test_another_browser_is_read_by_a_private_copy_of_the_script_that_names_it(
    osascript: FakeOsascript, read: Read
) -> None:
    osascript.plays('cp "$1" "$here/copy"; ls -ld "$1" "$(dirname "$1")" | cut -c1-10 >"$here/modes"')

    assert text_of(await read({"browser": "Brave Browser"})) == "the page"

    (call,) = osascript.calls()
    original = server.SCRIPT.read_text(encoding="ascii")
    copy = (osascript.folder / "copy").read_text(encoding="ascii")
    assert copy == original.replace('"Google Chrome"', '"Brave Browser"')
    assert '"Google Chrome"' in original
    assert call.script != server.SCRIPT
    assert call.script.name == server.SCRIPT.name
    assert sorted((osascript.folder / "modes").read_text().split()) == ["-rw-------", "drwx------"]
    assert not call.script.parent.exists()


async def test_the_private_copy_is_also_removed_after_a_failure(osascript: FakeOsascript, read: Read) -> None:
    osascript.fails("off", 12)

    assert error_of(await read({"browser": "Vivaldi"}))[0] == "PERMISSION_DENIED"

    (call,) = osascript.calls()
    assert call.script != server.SCRIPT
    assert not call.script.parent.exists()


# --- Denied hosts ---

SECRET = "account 1234567"


@pytest.fixture
def denies_bank(write_toml: WriteToml) -> None:
    write_toml('[sites."*.bank.test"]\ndeny = true')


@pytest.mark.usefixtures("denies_bank")
async def test_a_denied_host_is_blocked_and_none_of_its_text_leaks(
    osascript: FakeOsascript, read: Read, capfd: pytest.CaptureFixture[str]
) -> None:
    osascript.shows(SECRET, about='{"url": "https://my.bank.test/a?token=9", "title": "Account"}')

    result = await read({"clipboard": True}, start="account")

    code, message = error_of(result)
    assert code == "HOST_BLOCKED"
    assert "my.bank.test" in message
    assert SECRET not in str(result)
    assert "token" not in str(result)
    assert SECRET not in "".join(capfd.readouterr())
    assert {call.clipboard for call in osascript.calls()} == {"0"}


@pytest.mark.usefixtures("denies_bank")
async def test_a_missing_keyword_on_a_denied_host_reveals_no_line_of_it(osascript: FakeOsascript, read: Read) -> None:
    about = '{"url": "https://my.bank.test/", "title": "Account"}'
    osascript.shows(SECRET, about=about)
    osascript.plays(
        f'[ "$2" = --no-filter ] || {{ echo "x:1:2: execution error: Closest: {SECRET} (9002)" >&2; exit 1; }}'
    )

    result = await read(start="balance")

    assert error_of(result)[0] == "HOST_BLOCKED"
    assert SECRET not in str(result)
    osascript.shows(SECRET, about=about.replace("bank", "shop"))
    assert error_of(await read(start="balance")) == ("KEYWORD_NOT_FOUND", f"Closest: {SECRET}")


@pytest.mark.usefixtures("denies_bank")
@pytest.mark.parametrize("about", ["", '{"title": "T"}', '{"url": "https://[my.bank.test", "title": ""}'])
async def test_a_page_without_a_known_host_is_blocked_while_any_host_is_denied(
    about: str, osascript: FakeOsascript, read: Read
) -> None:
    osascript.shows(SECRET, about=about)

    result = await read()

    assert error_of(result)[0] == "HOST_BLOCKED"
    assert SECRET not in str(result)


@pytest.mark.usefixtures("denies_bank")
async def test_other_hosts_are_read_and_copied_as_usual(osascript: FakeOsascript, read: Read) -> None:
    osascript.shows("news", about='{"url": "https://news.test/", "title": "N"}')

    assert text_of(await read({"clipboard": True}, start="a")) == "news"

    assert [(call.clipboard, call.arguments) for call in osascript.calls()] == [
        ("0", ["--no-filter"]),
        ("1", ["a", "--to-end"]),
    ]


# --- Main content ---

MAIN = {"content": "main"}
REPORT = {"path": "whole", "left_out": 5, "note": "a keyword stands only outside of the main content"}


async def test_main_content_is_requested_and_its_report_reaches_receipt_and_reader(
    osascript: FakeOsascript, read: Read
) -> None:
    osascript.shows("the story", about=json.dumps({"url": "https://page.test/", "title": "A page", "content": REPORT}))

    main = await read(content="main")
    osascript.shows("a tenth", about=json.dumps({"content": {"path": "blocks", "left_out": 63}}))
    little = await read(content="main")
    osascript.shows("the page")
    whole = await read()

    assert [call.content for call in osascript.calls()] == ["main", "main", "all"]
    assert (len(little.content), len(whole.content)) == (2, 1)
    assert receipt_of(main)["content"] == REPORT
    assert [getattr(block, "text", "") for block in main.content] == ["the story", f"[{REPORT['note']}]"]
    assert (receipt_of(whole)["content"], text_of(whole)) == ({}, "the page")


async def test_main_content_without_the_extensions_folder_reads_the_whole_page_and_says_so(
    osascript: FakeOsascript, read: Read, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    osascript.shows("the page")
    with_folder = await read(content="main")
    monkeypatch.setattr(server, "EXTENSION", tmp_path / "extension")

    result = await read(content="main")

    (text, note), (only,) = ([getattr(block, "text", "") for block in each.content] for each in (result, with_folder))
    assert (text, only) == ("the page", "the page")
    assert "the folder extension" in note


async def test_configuration_chooses_the_content_and_the_call_overrides_it(
    osascript: FakeOsascript, read: Read, write_toml: WriteToml
) -> None:
    write_toml('content = "main"\n[sites."*.test"]\ncontent = "main"\n[sites."page.test"]\ncontent = "all"')

    for url, asked in (("https://page.test/", {}), ("https://other.example/", {}), ("https://page.test/", MAIN)):
        osascript.shows("the page", about=json.dumps({"url": url, "title": ""}))
        await read(**asked)

    # Each reading is the second one: the first one only gets the address.
    assert [call.content for call in osascript.calls()][1::2] == ["all", "main", "main"]


async def test_an_unknown_content_is_rejected_with_the_valid_ones(
    osascript: FakeOsascript, read: Read, write_toml: WriteToml
) -> None:
    code, message = error_of(await read(content="half"))
    assert (code, osascript.calls()) == ("INVALID_ARGUMENT", [])
    assert "content" in message

    write_toml('[sites."page.test"]\ncontent = "half"')
    with pytest.raises(ValueError, match=r"page.test.*content.* must be"):
        await read()
