"""JavaScript in the page: only where the user allows it, and what it returns."""

import asyncio

import pytest

from tests.extension.conftest import DrivenTab, SharedTab, reloaded_tab_at

reloaded = reloaded_tab_at("/blank")


@pytest.fixture
async def tab(reloaded: DrivenTab) -> DrivenTab:
    await reloaded.allow_evaluate()
    return reloaded


@pytest.fixture
async def new_tab(driven: DrivenTab) -> DrivenTab:
    await driven.allow_evaluate()
    return driven


@pytest.fixture(scope="module")
async def allowed(shared_tab: SharedTab) -> DrivenTab:
    """One tab for all tests of this file that leave nothing behind."""
    tab = await shared_tab("/blank")
    await tab.allow_evaluate()
    return tab


async def value(tab: DrivenTab, code: str) -> object:
    return (await tab.do("evaluate", code=code))["value"]


async def test_code_runs_only_while_the_switch_of_the_tab_is_on(driven: DrivenTab) -> None:
    code, message = await driven.refused("evaluate", code="document.title = 'Changed'")
    assert code == "EVALUATE_NOT_ALLOWED"
    assert "popup" in message
    assert await driven.page.title() == "Blank"

    await driven.allow_evaluate()

    assert await value(driven, "document.title = 'Changed'") == "Changed"
    assert await driven.page.title() == "Changed"


async def test_code_runs_only_on_the_origin_where_it_was_allowed(new_tab: DrivenTab) -> None:
    await new_tab.do("navigate", url=new_tab.site.url("/one").replace("127.0.0.1", "localhost"))
    assert (await new_tab.refused("evaluate", code="1"))[0] == "EVALUATE_NOT_ALLOWED"

    await new_tab.do("navigate", url=new_tab.site.url("/one"))

    assert await value(new_tab, "1") == 1


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("1 + 1", 2),
        ("'text'", "text"),
        ("null", None),
        ("undefined", None),
        ("0 / 0", "[NaN]"),
        ("2n ** 40n", "[BigInt 1099511627776]"),
        ("{ a: 1 }", {"a": 1}),
        ("[1, [2]]", [1, [2]]),
        ("return 5", 5),
        ("const answer = await Promise.resolve(7); return answer", 7),
        ("await Promise.resolve(8)", 8),
        ("Promise.resolve(new Map([['k', 1]]))", [["k", 1]]),
        ("const ring = {}; ring.self = ring; ring", {"self": "[Circular]"}),
        ("document.body", "[Element body]"),
        ("(function named() {})", "[Function named]"),
        ("Symbol('s')", "[Symbol s]"),
        ("'\\ud800'", "\ufffd"),
        ("{ a: await Promise.resolve(9) }", {"a": 9}),
        ("{ const a = 1; a }", 1),
    ],
)
async def test_values_are_returned_as_json(allowed: DrivenTab, code: str, expected: object) -> None:
    assert await value(allowed, code) == expected


async def test_names_declared_once_exist_in_the_next_call_and_may_be_redeclared(allowed: DrivenTab) -> None:
    await value(allowed, "const kept = 1")
    assert await value(allowed, "kept") == 1
    await value(allowed, "const kept = 2")
    assert await value(allowed, "kept") == 2


async def test_code_has_access_to_the_pages_own_globals(tab: DrivenTab) -> None:
    await tab.show("<script>window.own = { count: 3 }</script>")

    assert await value(tab, "own.count") == 3


@pytest.mark.parametrize(
    ("code", "what", "place"),
    [
        ("missing.member", "ReferenceError: missing ", "line 1, column 1"),
        ("\n  missing.member", "ReferenceError: missing ", "line 2, column 3"),
        ("{ a: ", "SyntaxError: ", "line 1, column 6"),
        ("const given = 1; missing; return given", "ReferenceError: missing ", "line 1, column 18"),
        ("Promise.reject(new TypeError('no'))", "TypeError: no", "line 1, column 16"),
        ("throw 'a text'", "a text", "line 1, column 1"),
    ],
)
async def test_code_that_throws_is_an_error_with_its_location(
    allowed: DrivenTab, code: str, what: str, place: str
) -> None:
    error, message = await allowed.refused("evaluate", code=code)

    assert error == "EXECUTION_ERROR"
    assert what in message
    assert place in message
    assert await value(allowed, "1") == 1


FAKE_SYNTAX_ERRORS = [
    "{ a: [pay(), document.querySelector('[')] }",
    "{ a: pay(), b: JSON.parse('{') }",
    "{ a: pay(), b: eval('return 1') }",
    "pay(); eval('return 1')",
    "pay(); throw new SyntaxError('Illegal return statement')",
    "pay(); await 1; throw new SyntaxError('Illegal return statement')",
    "pay(); throw { stack: '', name: 'SyntaxError', message: 'Illegal return statement' }",
    "Error.stackTraceLimit = 0; pay(); throw new SyntaxError('Illegal return statement')",
    "pay(); throw new (frames[0].SyntaxError)('Illegal return statement')",
]


async def test_code_that_throws_a_fake_syntax_error_has_run_once(tab: DrivenTab, subtests: pytest.Subtests) -> None:
    await tab.show("<iframe></iframe><script>let paid = 0; function pay() { return ++paid; }</script>")
    for code in FAKE_SYNTAX_ERRORS:
        with subtests.test(code):
            await tab.page.evaluate("paid = 0")
            assert (await tab.refused("evaluate", code=code))[0] == "EXECUTION_ERROR"

            assert await value(tab, "paid") == 1
            assert await value(tab, "{ a: pay() }") == {"a": 2}
            assert await value(tab, "return pay()") == 3


@pytest.mark.parametrize(
    "code",
    [
        "for (;;);",
        "await 1; for (;;);",
        "new Promise(() => {})",
    ],
)
async def test_endless_code_is_stopped_and_the_page_goes_on(allowed: DrivenTab, code: str) -> None:
    error, message = await allowed.refused("evaluate", code=code, timeout=200)

    assert error == "COMMAND_TIMEOUT"
    assert "0.2 s" in message
    assert await allowed.page.evaluate("new Promise((go) => setTimeout(() => go('the timer of the page ran')))")
    assert await value(allowed, "1 + 1") == 2


@pytest.mark.parametrize("milliseconds", [0, 25_001, 1.5, "500"])
async def test_invalid_timeout_is_rejected(allowed: DrivenTab, milliseconds: object) -> None:
    error, message = await allowed.refused("evaluate", code="1", timeout=milliseconds)

    assert error == "INVALID_ARGUMENT"
    assert "25000" in message


@pytest.mark.parametrize("code", ["", "  ", None, 5, "x" * 100_001])
async def test_invalid_code_is_rejected(allowed: DrivenTab, code: object) -> None:
    error, message = await allowed.refused("evaluate", code=code)

    assert error == "INVALID_ARGUMENT"
    assert "code must be" in message


async def test_large_values_are_cut_and_marked_as_cut(allowed: DrivenTab) -> None:
    large = await allowed.do("evaluate", code="new Array(10_000).fill(0)")

    assert large["value"] == [0] * 5_000
    assert any("5000 entries" in note for note in large["notes"])
    assert "notes" not in await allowed.do("evaluate", code="new Array(5_000).fill(0)")

    text = await allowed.do("evaluate", code="'x'.repeat(1e6)")
    assert text["value"] == "x" * 100_000 + "... [900000 more characters]"
    assert text["notes"] == ["1 text was cut to 100000 characters."]
    assert "notes" not in await allowed.do("evaluate", code="'x'.repeat(100_000)")


async def test_dialogs_are_answered_and_reported(allowed: DrivenTab) -> None:
    asked = await allowed.do("evaluate", code="alert('look'); [confirm('sure?'), prompt('name?')]")

    assert asked["value"] == [False, None]
    assert asked["dialogs"] == [
        {"type": "alert", "message": "look", "answer": "accepted"},
        {"type": "confirm", "message": "sure?", "answer": "dismissed"},
        {"type": "prompt", "message": "name?", "answer": "dismissed"},
    ]
    assert "dialogs" not in await allowed.do("evaluate", code="1")


async def test_dialog_that_was_already_open_is_answered_by_the_next_command(allowed: DrivenTab) -> None:
    async with asyncio.timeout(60):
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        allowed.page.once("dialog", lambda _dialog: opened.set_result(None))
        await allowed.page.evaluate("void setTimeout(() => alert('in the way'), 0)")
        await opened

    assert (await allowed.do("evaluate", code="1"))["dialogs"] == [
        {"type": "alert", "message": "in the way", "answer": "accepted"}
    ]


async def test_error_includes_dialogs_too(allowed: DrivenTab) -> None:
    _, message = await allowed.refused("evaluate", code="confirm('sure?'); throw new Error('no')")

    assert 'confirm "sure?" was dismissed' in message


async def test_page_that_the_code_navigates_to_is_waited_for(tab: DrivenTab) -> None:
    assert (await tab.do("evaluate", code=f"location.href = {tab.site.url('/two')!r}"))["title"] == "Two"


async def test_page_that_replaces_its_clock_is_driven_correctly(tab: DrivenTab) -> None:
    await tab.show("<script>window.setTimeout = () => 0</script>")

    assert await value(tab, "1") == 1


async def test_switch_turns_off_when_the_tab_is_detached(new_tab: DrivenTab) -> None:
    assert await value(new_tab, "1") == 1

    for action in ("detach", "attach"):
        await new_tab.user_does(action)
        await new_tab.received(f"tab_{action}ed")

    assert (await new_tab.refused("evaluate", code="1"))[0] == "EVALUATE_NOT_ALLOWED"
