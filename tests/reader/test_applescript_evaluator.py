"""The evaluator rejects what it does not know, so that no script passes for the wrong reason."""

import contextlib

import pytest

from tests.support.applescript_evaluator import FakeChrome, Finished, ScriptSyntaxError, Surroundings, osascript

ASKING = """on run argv
	set program to "1"
	with timeout of 20 seconds
		tell application "Google Chrome"
			set reply to execute active tab of front window javascript program
		end tell
	end timeout
	return "done"
end run
"""


def result_of(expression: str, *arguments: str) -> Finished:
    script = f"property E : 7\non run argv\n\treturn {expression}\nend run\n"
    return osascript(script, list(arguments), Surroundings(FakeChrome(), {"SET": "1"}, delimiters="|"))


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ('"a" & "b"', "ab"),
        ('"say \\"a\\\\b\\""', 'say "a\\b"'),
        ("count of argv", "3"),
        ("item 2 of argv", "\u00c9"),
        ("length of item 1 of argv", "2"),
        ("(id of item 1 of argv) as text", "111|128512"),
        ("(id of item 2 of argv) as text", "201"),
        ('"" & (system attribute "SET")', "1"),
        ('"" & (system attribute "UNSET")', ""),
        ('do shell script "echo $SET; echo \\"a\\"" without altering line endings', "1\na\n"),
    ],
)
def test_expression_evaluates_as_in_applescript(expression: str, shown: str) -> None:
    assert result_of(expression, "o\U0001f600", "\u00c9", "x") == Finished(0, f"{shown}\n", "")


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ('item 1 of argv is "ABC"', True),
        ('item 1 of argv is not "abc"', False),
        ('item 1 of argv starts with "AB"', True),
        ("class of argv is list", True),
        ("class of item 1 of argv is not list", True),
        ("(count of argv) is 1", True),
        ("count of argv is 1 and not (count of argv is 1)", False),
        ('item 1 of argv is in {"b", "ABC"}', True),
        ('argv is in {"b", "abc"}', True),
        ('{"b", item 1 of argv} is in {"abc", "b"}', False),
        ('application "Google Chrome" is running or item 9 of argv is "x"', True),
    ],
)
def test_condition_evaluates_as_in_applescript(condition: str, holds: bool) -> None:  # noqa: FBT001  # a column of the table
    script = f'on run argv\n\tif {condition} then\n\t\treturn "yes"\n\tend if\n\treturn "no"\nend run\n'

    assert osascript(script, ["abc"], Surroundings(FakeChrome())).stdout == ("yes\n" if holds else "no\n")


@pytest.mark.parametrize(
    ("expression", "number"),
    [("item 2 of argv", -1728), ("count of item 1 of argv", -1700), ('argv & "a"', -1700), ("id of argv", -1700)],
)
def test_invalid_expression_is_an_applescript_error(expression: str, number: int) -> None:
    finished = result_of(expression, "abc")

    assert finished.status == 1
    assert finished.stderr.endswith(f"({number})\n")


def test_script_that_controls_the_browser_is_accepted() -> None:
    assert osascript(ASKING, [], Surroundings(FakeChrome())) == Finished(0, "done\n", "")


@pytest.mark.parametrize(
    ("what", "replacement"),
    [
        ("on run argv", "on run"),
        ('set program to "1"', "set program to other"),
        ('set program to "1"', 'set tab to "1"'),
        ('set program to "1"', 'set program to "1'),
        ('set program to "1"', 'set program to "\\n"'),
        ('set program to "1"', 'set program to do shell script "true"'),
        ('set program to "1"', "set program to do shell script argv without altering line endings"),
        ("set reply to execute", 'set reply to do shell script "true" without altering line endings'),
        ('set program to "1"', "repeat 2 times"),
        ('set program to "1"', "delay 1"),
        ('set program to "1"', "set program to unknown(1)"),
        ('set program to "1"', 'error "a"'),
        ('set program to "1"', "beep"),
        ('set program to "1"', "try"),
        ('set program to "1"', 'set program to "1" \u00ac'),
        ("with timeout of 20 seconds\n", ""),
        ("with timeout of 20 seconds", "with timeout of seconds"),
        ("javascript program", 'javascript "1"'),
        ("end tell", 'log "a"\n\t\tend tell'),
        ("end tell", "end"),
        ("end timeout", "end tell"),
        ("end run", "end walk"),
        ("end run", ""),
    ],
)
def test_script_outside_the_known_language_is_rejected(what: str, replacement: str) -> None:
    assert what in ASKING

    with pytest.raises(ScriptSyntaxError):
        osascript(ASKING.replace(what, replacement), [], Surroundings(FakeChrome()))


@pytest.mark.parametrize(
    ("line", "browsers"),
    [
        ("execute active tab of front window javascript program", {"Google Chrome", "Arc"}),
        ("do JavaScript program in current tab of front window", {"Safari"}),
        ("mode of front window", {"Google Chrome"}),
        ("title of active tab of windows", {"Google Chrome", "Arc"}),
        ("name of current tab of windows", {"Safari"}),
        ("URL of tabs of windows", {"Google Chrome", "Arc", "Safari"}),
        ("id of tabs of windows", {"Google Chrome", "Arc"}),
        ("loading of tabs of windows", set[str]()),
    ],
)
def test_browser_is_addressed_only_in_terms_of_its_own_dictionary(line: str, browsers: set[str]) -> None:
    understood: set[str] = set()
    for name in ("Google Chrome", "Arc", "Safari"):
        reported = "execute active tab of front window javascript program"
        script = ASKING.replace(reported, line).replace("Google Chrome", name)
        with contextlib.suppress(ScriptSyntaxError):
            osascript(script, [], Surroundings(FakeChrome(name=name)))
            understood.add(name)

    assert understood == browsers


def test_source_form_quotes_texts_and_nests_lists() -> None:
    script = 'on run argv\n\treturn {item 1 of argv, {2, "b"}}\nend run\n'

    finished = osascript(script, ['a"\\{\n'], Surroundings(FakeChrome()), as_source=True)

    assert finished.stdout == '{"a\\"\\\\{\n", {2, "b"}}\n'


def test_handler_or_property_defined_twice_is_rejected() -> None:
    for line in ("property a : 1\n", 'on a(b)\n\treturn "x"\nend a\n'):
        assert osascript(line + ASKING, [], Surroundings(FakeChrome())).status == 0
        with pytest.raises(ScriptSyntaxError):
            osascript(line + line + ASKING, [], Surroundings(FakeChrome()))


def test_tell_starts_a_browser_that_is_not_running() -> None:
    chrome = FakeChrome(running=False)

    osascript(ASKING, [], Surroundings(chrome))

    assert chrome.launched
