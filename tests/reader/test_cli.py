"""The command line, and the server as a process over stdio."""

import asyncio
import base64
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import psutil
import pytest
from anyio.from_thread import start_blocking_portal

import chrome_tab_mcp_server as server
from chrome_tab.bridge import pairing, protocol
from tests.conftest import Run, WriteToml
from tests.support.fake_extension import PAGE, connected, free_port, raw_request, wait_for_port
from tests.support.fake_models import (
    CLOUD_MODELS,
    FakeCloudOllama,
    FakeOpenAIServer,
    Reply,
    Request,
    answer,
    delta,
    events,
)
from tests.support.fake_osascript import FakeOsascript
from tests.support.stdio_server import SERVER, started
from tests.support.terminal import COLUMNS, in_terminal

MODEL = ["--ollama-url", "http://127.0.0.1:9", "--model", "fake-model"]
SECRET = "sk-very-secret"


# --- Once and exit ---


def test_version_and_the_folder_that_chrome_loads_need_no_settings(run: Run) -> None:
    assert run("--version") == (0, f"chrome-tab-reader {server.__version__}\n", "")
    assert run("--extension-path") == (0, f"{SERVER.parent / 'extension'}\n", "")


@pytest.mark.parametrize(
    ("arguments", "opening"),
    [
        ([], "OLLAMA_BASE_URL must be provided"),
        (["--model", "m"], "OLLAMA_BASE_URL must be provided"),
        (["--ollama-url", "http://localhost:1"], "OLLAMA_MODEL must be provided"),
        (["--analyze", "x", "--ollama-url", "http://localhost:1"], "OLLAMA_MODEL must be provided"),
        (["--serve"], "OLLAMA_BASE_URL must be provided"),
    ],
)
def test_a_missing_setting_is_one_line_on_stderr_before_an_example_and_exit_2(
    arguments: list[str], opening: str, run: Run
) -> None:
    status, out, err = run(*arguments)

    assert (status, out) == (2, "")
    assert err.startswith(opening)
    sentences, example = err.splitlines()
    assert "`uv run chrome_tab_mcp_server.py --setup`" in sentences
    assert example.startswith("Example: `uv run chrome_tab_mcp_server.py ")


@pytest.mark.parametrize(
    ("arguments", "opening"),
    [
        (["--serve", "--transport", "http"], "--serve serves only the side panel."),
        (["--open"], "--open works only with --transport http or sse."),
    ],
)
def test_flags_without_effect_on_what_is_served_are_refused(arguments: list[str], opening: str, run: Run) -> None:
    status, out, err = run(*MODEL, *arguments)

    assert (status, out) == (2, "")
    assert err.startswith(opening)


def test_an_invalid_setting_is_a_sentence_and_exit_2(run: Run) -> None:
    status, out, err = run(*MODEL, "--port", "http", "--api-key", f"{SECRET}\n{SECRET}")

    assert (status, out) == (2, "")
    assert "--port (CHROME_TAB_PORT) must " in err
    assert "--api-key (OLLAMA_API_KEY) must " in err
    assert SECRET not in err


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--modl", "x"], "Unknown argument '--modl'. Did you mean --model? --help lists all arguments."),
        (["--modl=x"], "Unknown argument '--modl'. Did you mean --model? --help lists all arguments."),
        (["--vers"], "Unknown argument '--vers'. Did you mean --version? --help lists all arguments."),
        (["page.html"], "Unknown argument 'page.html'. --help lists all arguments."),
        (["--pair", "--doctor"], "Argument --doctor: not allowed with argument --pair. --help lists all arguments."),
        (
            ["--doctor", "--history", "list"],
            "Argument --history: not allowed with argument --doctor. --help lists all arguments.",
        ),
        (["--port"], "Argument --port: expected one argument. --help lists all arguments."),
        (["--analyze", "--tab", "x"], "Argument --tab: must be an integer; got 'x'. --help lists all arguments."),
    ],
)
def test_a_mistyped_argument_is_one_line_with_the_closest_match(arguments: list[str], line: str, run: Run) -> None:
    assert run(*arguments) == (2, "", f"{line}\n")


def test_help_lists_every_flag_with_its_variable_in_groups(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    status, out, _ = run("--help")

    assert status == 0
    text = " ".join(out.split())
    for name in server.Settings.model_fields:
        if variable := server.environment_name(name):
            assert f"--{name.replace('_', '-')}" in text
            assert f"[{variable}" in text
    for choices in (
        "auto|applescript|extension",
        ": auto, Google Chrome, Google Chrome Beta, ",
        "default|kapture",
        "add|remove",
    ):
        assert choices in text
    assert [line for line in out.splitlines() if line.startswith("usage")] == [
        "usage: uv run chrome_tab_mcp_server.py [ACTION] [SETTING ...]"
    ]
    groups = [line for line in out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert groups == ["Actions (one, then exit):", "Model:", "Browser:", "Serving:", "Files:"]
    assert out.partition(groups[0])[2].split()[0] == "--setup"
    # A command stays on one line, to be copied.
    assert [line for line in out.splitlines() if len(line) > COLUMNS and not line.startswith("Example: ")] == []


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
async def test_a_bare_start_explains_itself_in_a_terminal() -> None:
    command = [sys.executable, str(SERVER), *MODEL, "--port", str(free_port())]
    async with in_terminal(command, os.environ) as terminal:
        await terminal.sees("--setup")
        await terminal.sees("Ctrl+C ends it.")
        terminal.process.send_signal(signal.SIGINT)
        assert await terminal.status() == 130

    assert "Warning" not in terminal.shown
    assert "Traceback" not in terminal.shown
    assert terminal.width <= COLUMNS


def decoded(connection_string: str) -> Any:
    body = connection_string.removeprefix("vf://")
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))


def test_pair_prints_a_string_that_contains_address_and_key(run: Run) -> None:
    status, out, err = run("--pair", "--port", "4567")

    assert status == 0
    (line,) = out.splitlines()
    assert line.startswith("vf://")
    assert "=" not in line
    assert decoded(line) == {"v": 1, "s": "ws://127.0.0.1:4567", "k": pairing.pairing_key()}
    assert pairing.pairing_key() not in err
    assert "Connect" in err
    assert run("--pair", "--port", "4567")[1] == out


def test_the_format_matches_the_example_in_the_sources() -> None:
    example = "vf://eyJ2IjoxLCJzIjoid3M6Ly9sb2NhbGhvc3Q6MzQ1NiIsImsiOiJkZXYtMTIzLXRlc3QifQ"

    ours = pairing.connection_string(3456, "dev-123-test")

    assert decoded(example) == {"v": 1, "s": "ws://localhost:3456", "k": "dev-123-test"}
    assert decoded(ours) == decoded(example) | {"s": "ws://127.0.0.1:3456"}
    assert list(decoded(ours)) == list(decoded(example))


@pytest.mark.e2e
@pytest.mark.posix
def test_output_that_cannot_be_written_has_no_traceback() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    full = os.open("/dev/full", os.O_WRONLY) if Path("/dev/full").exists() else os.dup(writing)  # a Mac has none
    commands = [
        subprocess.Popen([sys.executable, SERVER, "--pair"], stdout=out, stderr=subprocess.PIPE, text=True)
        for out in (writing, full)
    ]
    os.close(writing)
    os.close(full)

    for command in commands:
        complaint = command.communicate(timeout=60)[1]
        assert (command.returncode, "Traceback" in complaint) == (1, False)


@pytest.mark.posix
def test_server_whose_pipes_were_closed_before_its_start_ends_without_a_traceback() -> None:
    shell = f'exec "{sys.executable}" "{SERVER}" --ollama-url http://127.0.0.1:9 --model m <&- >&-'

    ended = subprocess.run(["sh", "-c", shell], stderr=subprocess.PIPE, text=True, timeout=60, check=False)

    assert (ended.returncode, ended.stderr) == (0, "")


def test_pair_with_a_key_that_cannot_be_saved_is_a_sentence_and_exit_1(run: Run, config_home: Path) -> None:
    (config_home / "key").mkdir(parents=True)

    status, out, err = run("--pair")

    assert (status, out) == (1, "")
    assert "cannot be read or created" in err
    assert "[PERMISSION_DENIED]" in err


@contextlib.contextmanager
def in_a_thread(fake: FakeOpenAIServer) -> Generator[FakeOpenAIServer]:
    """A fake model server with its own event loop, because `main` runs one here."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(fake):
        yield fake


def test_doctor_exits_0_when_every_layer_works_and_1_when_one_does_not(run: Run, osascript: FakeOsascript) -> None:
    with in_a_thread(FakeOpenAIServer()) as fake:
        arguments = ["--doctor", "--source", "applescript", "--ollama-url", fake.url]
        healthy = run(*arguments, "--model", "fake-model")
        wrong_model = run(*arguments, "--model", "other")
        others = ("--fallback-model", "fake-model", "--fallback-model", "spare", "--vision-model", "eyes")
        wrong_others = run(*arguments, "--model", "fake-model", *others)
        osascript.fails("off", 12)
        no_permission = run(*arguments, "--model", "fake-model")

    assert (healthy[0], wrong_model[0], no_permission[0]) == (0, 1, 1)
    assert "FIX" not in healthy[1]
    assert "model      FIX" in wrong_model[1]
    assert wrong_others[0] == 1
    states = [line[:15].split() for line in wrong_others[1].splitlines()[-3:]]
    assert states == [["fallback", "ok"], ["fallback", "FIX"], ["vision", "FIX"]]
    assert "permission FIX Google Chrome does not let AppleScript read pages." in no_permission[1]


def test_doctor_runs_without_model_settings_and_reports_what_is_missing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "EXTENSION_WAIT_S", 0.1)
    status, out, err = run("--doctor", "--source", "extension", "--port", str(free_port()))

    assert (status, err) == (1, "waiting for the extension\n")
    assert "bridge     ok" in out
    assert "extension  FIX" in out
    assert "model      FIX OLLAMA_BASE_URL must be provided" in out


def test_analyze_prints_only_the_answer_on_stdout(run: Run, osascript: FakeOsascript) -> None:
    osascript.shows("prices", about='{"url": "https://shop.test/", "title": "[red]Shop[/red]"}')
    with in_a_thread(FakeOpenAIServer(answer("3 EUR \u4e2d \U0001f600 \ud800."))) as fake:
        status, out, err = run(
            "--analyze",
            "What does it cost?",
            "--source",
            "applescript",
            "--ollama-url",
            fake.url,
            "--model",
            "fake-model",
        )

    assert status == 0
    assert out == "3 EUR \u4e2d \U0001f600 \ufffd.\n"
    read = "[red]Shop[/red] (https://shop.test/) (read 6 of 6 characters in 1 chunk, fake-model, "
    assert err.splitlines()[-1].startswith(read)
    assert fake.chats[0].instruction == "What does it cost?"


def test_the_users_own_cloud_model_gets_a_warning_and_an_answer(run: Run, osascript: FakeOsascript) -> None:
    osascript.shows("prices")
    with in_a_thread(FakeCloudOllama(answer("3 EUR."))) as fake:
        arguments = ["--analyze", "x", "--source", "applescript", "--ollama-url", fake.url, "--model"]
        cloud = run(*arguments, CLOUD_MODELS[0])
        local = run(*arguments, "fake-model", "--fallback-model", CLOUD_MODELS[0])
        doctor = run("--doctor", *arguments[2:], CLOUD_MODELS[0])

    assert (cloud[0], cloud[1], local[0]) == (0, "3 EUR.\n", 0)
    assert cloud[2].startswith(f"Warning: --model {CLOUD_MODELS[0]} runs on a cloud service")
    assert f"{CLOUD_MODELS[0]} on ollama.com: leaves this computer" in cloud[2]
    assert local[2].startswith(f"Warning: --fallback-model {CLOUD_MODELS[0]} ")
    assert "it runs on ollama.com: page text leaves this computer" in doctor[1]


@pytest.mark.parametrize(
    ("own", "warned"),
    [
        ({"model": "big-cloud"}, ["--model big-cloud "]),
        ({"vision_model": "eye:cloud"}, ["--vision-model eye:cloud "]),
        ({"fallback_model": ["far-cloud"]}, ["--fallback-model far-cloud "]),
        ({"fallback_model": ["far-cloud"], "allow_cloud": True}, []),
        ({"sites": {"page.test": {"model": "big-cloud"}}}, ['[sites."page.test"] model big-cloud ']),
        ({"ollama_url": "http://gpu-box:11434"}, ["--ollama-url gpu-box "]),
        ({"ollama_url": "http://localhost:11434", "fallback_model": ["cloudy"], "vision_model": "eye"}, []),
    ],
)
def test_each_remote_model_named_by_the_user_gets_a_warning_at_start(own: dict[str, Any], warned: list[str]) -> None:
    settings = server.load_settings(
        {"ollama_url": "http://127.0.0.1:11434", "model": "fake-model"} | own, need_model=True
    )
    warnings = server.cloud_warnings(settings)

    assert [warning.startswith(f"Warning: {where}") for warning, where in zip(warnings, warned, strict=True)] == [
        True for _ in warned
    ]


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
async def test_analyze_shows_the_answer_in_a_terminal_while_the_model_writes_it(osascript: FakeOsascript) -> None:
    assert osascript
    writing = events(delta("<think>It must be 4.</think>"), delta("It costs"), delta(" 3\x1b\x07 EUR"), hangs=True)
    async with FakeOpenAIServer(writing) as fake:
        arguments = ["--analyze", "x", "--source", "applescript", "--ollama-url", fake.url, "--model", "fake-model"]
        async with in_terminal([sys.executable, str(SERVER), *arguments], os.environ) as terminal:
            await terminal.sees("It costs 3 EUR")
            terminal.process.send_signal(signal.SIGINT)
            assert await terminal.status() == 130

    assert terminal.shown.endswith(" ".join(f"It costs 3 EUR{INCOMPLETE}".split()))
    assert "Traceback" not in terminal.shown


def streamed(*texts: str) -> Reply:
    return events(*map(delta, texts), delta(finish_reason="stop"), "[DONE]")


INCOMPLETE = "\n\n[The answer above is incomplete.]\n"
AGAIN = "\n\n[The answer above was discarded and started again:]\n\n"


@pytest.mark.parametrize(
    ("replies", "shown"),
    [
        # A stream that broke off and starts again continues where it was; a different answer is marked as such.
        ([events(delta("It co"), breaks_off=True), streamed("It ", "costs 3.")], "It costs 3.\n"),
        ([events(delta("It co"), breaks_off=True), streamed("Three.")], f"It co{AGAIN}Three.\n"),
        ([streamed("I think so.", "</think>", "It costs 3.")], f"I think so{AGAIN}It costs 3.\n"),
        ([answer("It costs 3.")], "It costs 3.\n"),
        ([events(delta("It co"), delta("sts"), breaks_off=True)], f"It costs{INCOMPLETE}"),
        # Links that are not on the page are broken before they are shown.
        (
            [streamed("See [it](https://ev", "il.test/x)! Or ht", "tps://evil.te", "st/y, <img src=", "x> now.")],
            "See [it] (https ://evil.test/x)! Or https ://evil.test/y, <img src=x> now.\n\n"
            "Note: links or tags deactivated because they are not on the page: 2.\n",
        ),
    ],
)
def test_a_terminal_shows_the_answer_once_with_other_text_marked_and_a_pipe_gets_only_the_answer(
    replies: list[Reply], shown: str, run: Run, osascript: FakeOsascript, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert osascript
    monkeypatch.setattr(server, "RETRY_DELAY_S", 0.0)
    monkeypatch.setattr(server, "SHOW_INTERVAL_S", 0.0)  # show each piece
    for is_terminal in (True, False):
        monkeypatch.setattr(sys.stdout, "isatty", lambda is_terminal=is_terminal: is_terminal)
        with in_a_thread(FakeOpenAIServer(*replies)) as fake:
            status, out, _ = run("--analyze", "x", "--source", "applescript", "--ollama-url", fake.url, "--model", "m")

        assert out == (shown if is_terminal else "" if INCOMPLETE in shown else shown.rpartition(AGAIN)[2])
        assert status == (INCOMPLETE in shown)


def test_for_a_page_in_chunks_analyze_shows_only_the_combined_answer(run: Run, osascript: FakeOsascript) -> None:
    osascript.shows("\n\n".join(f"Paragraph {number} of the page. {'x' * 150}" for number in range(60)))

    def script(request: Request) -> Reply:
        return streamed("Al", "together.") if "[Answer 1]" in request.prompt else streamed("About", " a part.")

    with in_a_thread(FakeOpenAIServer(script=script)) as fake:
        arguments = ["--source", "applescript", "--ollama-url", fake.url, "--model", "m", "--context-length", "1500"]
        status, out, err = run("--analyze", "x", *arguments)

    assert (status, out) == (0, "Altogether.\n")
    assert "m is reading chunk 2 of " in err


def test_analyze_without_a_prompt_asks_for_the_general_analysis(run: Run, osascript: FakeOsascript) -> None:
    assert osascript
    with in_a_thread(FakeOpenAIServer()) as fake:
        status, out, _ = run("--source", "applescript", "--ollama-url", fake.url, "--model", "fake-model", "--analyze")

    assert (status, out) == (0, "An answer.\n")
    assert fake.chats[0].instruction == server.DEFAULT_SYSTEM_PROMPT


def test_analyze_reports_next_to_a_json_answer_what_that_leaves_open(
    run: Run, osascript: FakeOsascript, write_toml: WriteToml
) -> None:
    write_toml('[sites."page.test"]\nschema = { type = "object" }')
    about = {"url": "https://page.test/", "title": "A page", "notes": [{"code": "feed"}]}
    osascript.shows("It costs 17 euros.", about=json.dumps(about))
    with in_a_thread(FakeOpenAIServer(answer('{"price": 18}'))) as fake:
        arguments = ["--source", "applescript", "--ollama-url", fake.url, "--model", "fake-model"]
        status, out, err = run("--analyze", "x", *arguments)

    assert (status, out) == (0, '{"price": 18}\n')
    said = " ".join(err.split())
    assert "(read 18 of 18 characters" in said
    assert 'not: "$.price")' in said
    assert server.PAGE_NOTES["feed"] in said


def test_analyze_reads_between_start_and_end(run: Run, osascript: FakeOsascript) -> None:
    osascript.plays("""if [ "$1" = -ss ]; then echo '{{"1"}, {"7"}, {{"7"}}, {{"u"}}, {{"t"}}}'; exit 0; fi""")
    with in_a_thread(FakeOpenAIServer()) as fake:
        arguments = ["--source", "applescript", "--ollama-url", fake.url, "--model", "fake-model"]
        between = run("--analyze", "x", "--start", "from here", "--end", "to there", *arguments)
        of_a_tab = run("--analyze", "x", "--tab", "7", *arguments)
        of_none = run("--analyze", "x", "--tab", "8", *arguments)

    assert between[:2] == (0, "An answer.\n")
    assert osascript.calls()[0].arguments == ["from here", "to there"]
    assert of_a_tab[:2] == (0, "An answer.\n")
    assert of_none[:2] == (1, "")
    assert ("[TAB_NOT_FOUND]" in of_none[2], '7 "t"' in of_none[2]) == (True, True)


class FakeSourceWithSilentBrowser(server.AppleScriptSource):
    """A source of tabs with a browser that does not answer."""

    async def tabs(self) -> list[dict[str, Any]]:
        return [{"id": 7, "title": "Shop", "url": "https://shop.test/"}, {"note": "Work does not answer"}]


async def test_the_error_for_a_tab_that_is_not_open_lists_tabs_only() -> None:
    settings = server.load_settings({}, need_model=False)

    error = await server.no_such_tab(server.ChromeTabs(settings, FakeSourceWithSilentBrowser(settings)), 8)

    assert (error.code, '7 "Shop"' in error.message, "Work" in error.message) == ("TAB_NOT_FOUND", True, False)


@pytest.mark.parametrize("flag", [["--start", "a"], ["--end", "a"], ["--tab", "0"]])
def test_start_end_and_tab_are_rejected_without_analyze(flag: list[str], run: Run) -> None:
    status, out, err = run(*flag, *MODEL)

    assert (status, out) == (2, "")
    assert f"{flag[0]} works only with --analyze" in err


@pytest.mark.parametrize("flag", [["--yes"], ["--clients", "cursor"], ["--at-login"]])
def test_options_of_setup_are_rejected_without_it(flag: list[str], run: Run) -> None:
    status, out, err = run(*flag, *MODEL)

    assert (status, out) == (2, "")
    assert f"{flag[0]} works only with --setup" in err


async def first_command(port: int) -> dict[str, Any]:
    """Connect as the extension when something listens, answer one command, and return it."""
    await wait_for_port(port)
    async with connected(port, pairing.pairing_key()) as extension:
        command = await extension.receive()
        await extension.reply(command, PAGE)
        return command


def test_analyze_waits_for_the_extension_and_prints_no_log_line_before_the_answer(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    port = free_port()
    arguments = ["--analyze", "What?", "--tab", "1", "--source", "extension", "--port", str(port)]
    with in_a_thread(FakeOpenAIServer()) as fake, start_blocking_portal() as portal:
        answering = portal.start_task_soon(first_command, port)
        status, out, err = run(*arguments, "--ollama-url", fake.url, "--model", "fake-model")

    assert answering.result()["tab_id"] == 1
    assert (status, out, caplog.messages) == (0, "An answer.\n", [])
    *steps, receipt = err.splitlines()
    assert steps == [
        "reading the tab",
        "waiting for the extension",
        "checking the context window of fake-model",
        "fake-model is reading the page",
        "",
        server.EVIDENCE_HEADING,
        '[1] "An answer.": no support found',
        "",
    ]
    assert receipt.startswith("A page (https://page.test/) (read 8 of 8 characters in 1 chunk, fake-model, ")


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
async def test_pair_on_a_terminal_waits_and_reports_that_the_extension_is_connected() -> None:
    port = free_port()
    here, there = os.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(SERVER), "--pair", "--port", str(port)), stdout=there, stderr=asyncio.subprocess.PIPE
    )
    try:
        await wait_for_port(port)
        async with connected(port, pairing.pairing_key()):
            _, err = await asyncio.wait_for(process.communicate(), 60)
        line = os.read(here, 10_000).decode().strip()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        os.close(here)
        os.close(there)

    assert process.returncode == 0
    assert decoded(line)["s"] == f"ws://127.0.0.1:{port}"
    assert err.decode().splitlines()[-2:] == [
        "Waiting for the extension, at most 10 minutes. Ctrl+C ends this; the line stays valid.",
        "The extension is connected, version 1.0.0.",
    ]


def test_without_its_libraries_the_file_says_how_to_start_it() -> None:
    done = subprocess.run([sys.executable, "-I", "-S", SERVER], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "uv run" in done.stderr


@pytest.mark.posix
def test_ctrl_c_while_libraries_load_prints_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "anyio.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(SERVER), "--version"],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
    )

    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_analyze_that_fails_is_a_sentence_with_its_code_and_exit_1(run: Run, osascript: FakeOsascript) -> None:
    osascript.fails("off", 12)

    status, out, err = run("--analyze", "x", "--source", "applescript", *MODEL)

    assert (status, out) == (1, "")
    assert "View > Developer > Allow JavaScript from Apple Events" in err
    assert "[PERMISSION_DENIED]" in err
    assert "Traceback" not in err


def test_analyze_tells_the_user_what_an_agent_would_ask_them_for(
    run: Run, osascript: FakeOsascript, write_toml: WriteToml
) -> None:
    osascript.shows("text", about='{"url": "https://page.test/", "title": "x"}')
    write_toml('[sites."page.test"]\ndeny = true')

    status, _, err = run("--analyze", "x", "--source", "applescript", *MODEL)

    assert (status, "[HOST_BLOCKED]" in err, "user" in err) == (1, True, False)


# --- As a process over stdio ---


async def is_free(port: int) -> bool:
    try:
        await raw_request(port, "GET / HTTP/1.1\r\n\r\n")
    except ConnectionRefusedError:
        return True
    return False


def no_debug_lines(stderr: str) -> list[str]:
    """Return stderr without asyncio's remarks about a slow machine in -X dev."""
    return [line for line in stderr.splitlines() if not line.startswith("asyncio: Executing ")]


@pytest.mark.e2e
async def test_a_session_works_and_ends_with_stdin_without_output_on_stderr() -> None:
    port = free_port()
    program = ["-X", "dev", "-W", "error", str(SERVER)]
    arguments = [*MODEL, "--api-key", SECRET, "--source", "extension", "--port", str(port)]
    async with started(*arguments, program=program) as process:
        about = await process.initialize()
        listed, line = await process.request("tools/list")
        await wait_for_port(port)
        key = pairing.pairing_key()
        async with connected(port, key) as extension:
            reading = asyncio.create_task(process.call("read_chrome_tab"))
            await extension.reply(await extension.receive(), PAGE)
            assert (await reading)["content"][0]["text"] == "the page"
            process.close_stdin()
            status, stderr = await process.ended()
            assert await extension.close_code() == 1012

    assert about["serverInfo"]["version"] == server.__version__
    assert [tool["name"] for tool in listed["tools"]] == [
        "process_chrome_tab",
        "read_chrome_tab",
        "chrome_tab_status",
        "look_at_chrome_tab",
    ]
    assert len(line) < 3_200
    assert len(json.dumps(listed, separators=(",", ":"))) < 3_200
    assert status == 0
    assert no_debug_lines(stderr) == ["chrome_tab: extension connected", "chrome_tab: extension disconnected"]
    assert await is_free(port)


@pytest.mark.e2e
async def test_a_signal_quietly_ends_the_server_and_what_it_started(osascript: FakeOsascript) -> None:
    osascript.plays('exec 3>"$here/alive"; sleep 60 & : >"$here/started"; wait')
    alive, running = (read_pipe(osascript.folder / name) for name in ("alive", "started"))
    async with started(*MODEL, "--source", "applescript", "--browser", "Vivaldi") as process:
        await process.initialize()
        call = {"name": "read_chrome_tab", "arguments": {}}
        process.send({"id": 99, "method": "tools/call", "params": call})
        await asyncio.wait_for(running, 60)

        process.process.terminate()

        await asyncio.wait_for(alive, 50)
        status, stderr = await process.ended(99)
    assert status == 128 + signal.SIGTERM
    assert stderr == ""
    (made,) = osascript.calls()
    assert not has_been_left(made.script)


# As when Ctrl+C reaches both the server and its parent, which then ends the server.
TOLD_AGAIN = f"""
import os, signal, sys
sys.path.insert(0, {str(SERVER.parent)!r})
import chrome_tab_mcp_server as server
from chrome_tab import app
status = app.main(sys.argv[1:])
os.kill(os.getpid(), signal.SIGTERM)
sys.exit(status)
"""


@pytest.mark.e2e
async def test_a_signal_after_the_server_has_stopped_changes_nothing() -> None:
    arguments = [*MODEL, "--transport", "http", "--port", str(free_port())]
    async with started(*arguments, program=["-c", TOLD_AGAIN]) as process:
        assert process.process.stderr
        await asyncio.wait_for(process.process.stderr.readuntil(b"MCP is served"), 60)
        process.process.send_signal(signal.SIGINT)
        status, stderr = await process.ended()
    assert status == 0
    assert "Traceback" not in stderr


def read_pipe(path: Path) -> asyncio.Task[bytes]:
    """Return a task that ends when the last writer of a new pipe is gone."""
    os.mkfifo(path)
    return asyncio.create_task(asyncio.to_thread(path.read_bytes))


def has_been_left(path: Path) -> bool:
    return path.exists()


@pytest.mark.e2e
async def test_a_client_that_disconnects_in_mid_call_ends_osascript_too(osascript: FakeOsascript) -> None:
    osascript.plays('exec 3>"$here/alive"; sleep 60 & : >"$here/started"; wait')
    alive, running = (read_pipe(osascript.folder / name) for name in ("alive", "started"))
    async with started(*MODEL, "--source", "applescript") as process:
        await process.initialize()
        process.send({"id": 99, "method": "tools/call", "params": {"name": "read_chrome_tab", "arguments": {}}})
        await asyncio.wait_for(running, 60)

        process.close_stdin()

        await asyncio.wait_for(alive, 50)
        assert process.process.stderr
        assert await process.process.stderr.read() == b""
        assert await process.process.wait() == 0


DEFECT = f"""
import gc, sys
gc.disable()
sys.path.insert(0, {str(SERVER.parent)!r})
import chrome_tab_mcp_server as server
from chrome_tab import app

async def read(*_, **__):
    raise RuntimeError("text of the page")

server.AppleScriptSource.read = read
sys.exit(app.main(sys.argv[1:]))
"""


@pytest.mark.e2e
async def test_initialize_needs_neither_port_nor_model_and_a_bug_leaks_nothing(osascript: FakeOsascript) -> None:
    assert osascript
    foreigner = await asyncio.start_server(lambda _reader, writer: writer.close(), "127.0.0.1", 0)
    port = foreigner.sockets[0].getsockname()[1]
    arguments = [*MODEL, "--fallback-model", CLOUD_MODELS[0], "--api-key", SECRET, "--port", str(port)]
    async with started(*arguments, program=["-c", DEFECT]) as process:
        assert (await process.initialize())["serverInfo"]["name"] == "chrome-tab-reader"
        failed = await process.call("read_chrome_tab")
        refused = await process.call("process_chrome_tab", prompt="text of the prompt")
        shown = await process.call("chrome_tab_status")
        process.close_stdin()
        status, stderr = await process.ended()
    foreigner.close()

    assert failed["structuredContent"]["error"]["code"] == "EXECUTION_ERROR"
    assert "text of the page" not in json.dumps(failed)
    assert refused["structuredContent"]["error"]["code"] == "INVALID_ARGUMENT"
    assert f"bridge     FIX Port {port} is in use by {psutil.Process().name()}" in shown["content"][0]["text"]
    assert "model      FIX The model server at http://127.0.0.1:9 cannot be reached" in shown["content"][0]["text"]
    assert status == 0
    warning, failure = stderr.splitlines()
    assert warning.startswith(f"Warning: --fallback-model {CLOUD_MODELS[0]} ")
    assert failure.startswith("chrome_tab: read_chrome_tab failed: RuntimeError at <string>:")
