"""Runs `chrome_tab.scpt` where there is no AppleScript, with a small and strict subset of the language.

Whatever is outside that subset is rejected, so that a script that passes uses only a part of AppleScript that is easy
to be sure of. Statements: `property`, `on`, `if`, `repeat ... times`, `with timeout`, `tell application`, `set`, `error
... number ...`, `log`, `delay`, `return`, a handler's call. A shell runs only commands that are written out. Inside
`tell` only `set`, `if` and `error` are allowed, with the terms of that browser's dictionary that DICTIONARIES lists,
and `tell` only inside a timeout. Stricter than AppleScript: every `end` names what it ends, every error has a number,
every variable is set before it is used.

`osascript` runs a script as the program of that name would; `FakeChrome` is the browser that it controls.
"""

import json
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn, Protocol, TypeAlias

# --- Values and errors ---


class Missing:
    """AppleScript's `missing value`."""


@dataclass(frozen=True)
class ClassName:
    """A class, as `class of x` returns it."""

    name: str


# str, int, bool, list of values, dict (a record), ClassName or Missing.
Value: TypeAlias = Any

CLASS_NAMES: dict[type, str] = {
    str: "text",
    int: "integer",
    float: "real",
    bool: "boolean",
    list: "list",
    dict: "record",
}


class ScriptSyntaxError(Exception):
    """The script is outside the supported subset of the language."""


class ScriptError(Exception):
    """An AppleScript error: a text and a number."""

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.message, self.number = message, number


# --- The world around a script ---


class World(Protocol):
    """Runs JavaScript in a page, and raises an exception named JavaScriptError when it throws."""

    def evaluate(self, program: str) -> Any: ...


@dataclass(frozen=True)
class Dictionary:
    """The terms of a browser that the script may use: properties by AppleScript name, with the field of the fakes."""

    window: dict[str, str]
    tab: dict[str, str]
    active: str = "active"
    javascript: str = "execute"


CHROMIUM = Dictionary({"id": "id", "mode": "mode"}, {"id": "id", "url": "url", "title": "title"})
DICTIONARIES = {
    "Safari": Dictionary({"id": "id"}, {"index": "index", "url": "url", "name": "title"}, "current", "do"),
    "Arc": Dictionary({"id": "id"}, CHROMIUM.tab),
}


@dataclass
class FakeTab:
    id: Any = "11"
    url: str = "http://page.test/"
    title: str = "Title"
    world: World | None = None
    index: int = 1


@dataclass
class FakeWindow:
    """A window; `active` counts from 1."""

    id: Any = "1"
    tabs: list[FakeTab] = field(default_factory=lambda: [FakeTab()])
    active: int = 1
    mode: str = "normal"


@dataclass
class FakeChrome:
    """A browser as Apple events see it, also another one by its `name`; `error` is raised instead of running
    JavaScript.

    `opened` are its windows, the front one first; without them it has `windows` windows, each with one tab in `world`.
    """

    world: World | None = None
    name: str = "Google Chrome"
    running: bool = True
    windows: int = 1
    error: ScriptError | None = None
    launched: bool = False
    programs: list[str] = field(default_factory=list[str])
    opened: list[FakeWindow] = field(default_factory=list[FakeWindow])

    def __post_init__(self) -> None:
        self.opened = self.opened or [FakeWindow(tabs=[FakeTab(world=self.world)]) for _ in range(self.windows)]
        for window in self.opened:
            for index, tab in enumerate(window.tabs, 1):
                tab.index = index

    def addressed(self) -> "FakeChrome":
        """Receive an event, which starts a browser that is not running."""
        self.launched = self.launched or not self.running
        return self

    def window(self, key: Value, *, by_id: bool) -> FakeWindow:
        """Return `window id KEY` or `window KEY`."""
        found = [w for index, w in enumerate(self.opened, 1) if key == (w.id if by_id else index)]
        if not found:
            raise ScriptError(f"{self.name} got an error: Can\u2019t get window {key}. Invalid index.", -1719)
        return found[0]

    def tab(self, window: FakeWindow, key: Value, *, by_id: bool) -> FakeTab:
        """Return `tab id KEY of` a window, or its `tab KEY`."""
        found = [tab for tab in window.tabs if key == (tab.id if by_id else tab.index)]
        if not found:
            raise ScriptError(f"{self.name} got an error: Can\u2019t get tab {key}. Invalid index.", -1719)
        return found[0]

    def execute(self, tab: FakeTab, program: str) -> Value:
        """Run JavaScript in a tab; Arc returns the result as JSON."""
        self.programs.append(program)
        if self.error is not None:
            raise self.error
        if tab.world is None:
            return Missing()
        try:
            value = tab.world.evaluate(program)
        except Exception as error:
            if type(error).__name__ != "JavaScriptError":
                raise
            return Missing()
        return json.dumps(value).replace("<", "\\u003C") if self.name == "Arc" else as_applescript(value)


def as_applescript(value: Any) -> Value:
    """Convert JSON as Chrome passes it to AppleScript: null is `missing value`, an array a list."""
    if value is None:
        return Missing()
    if isinstance(value, list):
        return [as_applescript(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value


@dataclass
class Surroundings:
    """What a script can access in addition to its own values."""

    chrome: FakeChrome
    environment: dict[str, str] = field(default_factory=dict[str, str])
    clipboard: str | None = None
    # Not the default: a script must not rely on it.
    delimiters: str = "<borrowed>"
    delay: Callable[[float], None] = time.sleep
    logged: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Finished:
    """The output of `osascript`."""

    status: int
    stdout: str
    stderr: str


def osascript(source: str, arguments: list[str], around: Surroundings, *, as_source: bool = False) -> Finished:
    """Run the script text as `osascript chrome_tab.scpt ARGUMENTS` would; `as_source` is its option -ss."""
    handlers = handlers_of(source)
    if "run" not in handlers:
        raise ScriptSyntaxError("no run handler")
    try:
        result = handlers["run"](around, [list(arguments)])
    except ScriptError as error:
        lines = [*around.logged, f"chrome_tab.scpt: execution error: {error.message} ({error.number})"]
        return Finished(1, "", "".join(f"{line}\n" for line in lines))
    shown = in_source_form(result) if as_source or isinstance(result, Missing) else as_text(result, around)
    return Finished(0, f"{shown}\n", "".join(f"{line}\n" for line in around.logged))


def in_source_form(value: Value) -> str:
    """Return a value as AppleScript would write it; line breaks in a text stay as they are."""
    if isinstance(value, list):
        return "{" + ", ".join(map(in_source_form, value)) + "}"  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return "missing value" if isinstance(value, Missing) else str(value)


@lru_cache(maxsize=1)
def handlers_of(source: str) -> "dict[str, Handler]":
    """Return the handlers of a script by name; cached, because tests run one script many times."""
    return Parser(source).script()


# --- Tokens ---

TOKEN = re.compile(
    r"""(?P<space>[ \t]+) | (?P<comment>--[^\n]*) | (?P<newline>\n)
      | (?P<text>"[^"\\]*+(?:\\["\\][^"\\]*+)*+") | (?P<real>\d+\.\d+) | (?P<number>-?\d+) | (?P<word>[A-Za-z_][A-Za-z0-9_]*('s)?)
      | (?P<sign>[&(),:{}])""",
    re.VERBOSE,
)
RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
        active and application as class clipboard considering contents count current delay delimiters div do does else end
        equal error every execute exit false first front from get given global id if ignoring in index integer is it
        item items its javascript length list local log me missing mod mode my name not number of on or property quote
        repeat result return running script scripts seconds set some starts system tab tabs tell text the then times title to
        transaction true try until url use using where while window windows with without
        """,
    )
)


class Token(NamedTuple):
    """A token of the script: its kind (a group of TOKEN, or `end of file`), its value, also in lower case, and its
    line.
    """

    kind: str
    value: str
    lowered: str
    line: int


def tokens_of(source: str) -> list[Token]:
    """Split a script into tokens; comments and spaces are dropped."""
    found: list[Token] = []
    position, line = 0, 1
    for match in TOKEN.finditer(source):
        if match.start() != position:
            break
        position, kind = match.end(), match.lastgroup
        if kind is not None and kind not in ("space", "comment"):
            value = match.group()
            found.append(Token(kind, value, value.lower(), line))
            if kind in ("newline", "text"):
                line += value.count("\n")
    if position < len(source):
        raise ScriptSyntaxError(f"line {line}: unexpected {source[position]!r}")
    return [*found, Token("newline", "\n", "\n", line), Token("end of file", "", "", line)]


# --- Grammar: each rule returns a function that executes what it has parsed ---


@dataclass
class Frame:
    """A handler that is being executed."""

    around: Surroundings
    names: dict[str, Value]


class Returned(Exception):  # noqa: N818  # no error: how `return` leaves its blocks
    """Carries the result of a handler to its caller."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


Expression: TypeAlias = Callable[[Frame], Value]
Statement: TypeAlias = Callable[[Frame], None]
Handler: TypeAlias = Callable[[Surroundings, list[Value]], Value]


@cache
def unescaped(literal: str) -> str:
    """Return the text between the quotes; cached, because each broken script has the same long text."""
    return re.sub(r"\\(.)", r"\1", literal[1:-1])


class Parser:
    """Parses one script. Names of variables and handlers ignore case, as in AppleScript."""

    def __init__(self, source: str) -> None:
        self._tokens = tokens_of(source)
        self._at = 0
        self._properties: dict[str, Value] = {}
        self._handlers: dict[str, Handler] = {}
        self._arity: dict[str, int] = {}
        self._calls: list[tuple[Token, int]] = []
        # A property is known everywhere in its script, also above its line.
        self._declared = {
            name.lowered for word, name in pairwise(self._tokens) if word.lowered == "property" and name.kind == "word"
        }
        self._known: set[str] = set()
        self._in_timeout = False
        self._told = ""

    # Tokens

    @property
    def _here(self) -> Token:
        return self._tokens[self._at]

    def _refuse(self, expected: str) -> NoReturn:
        raise ScriptSyntaxError(f"line {self._here.line}: expected {expected}, found {self._here.value!r}")

    def _sees(self, *words: str) -> bool:
        if self._here.lowered != words[0]:
            return False
        ahead = self._tokens[self._at : self._at + len(words)]
        return [token.lowered for token in ahead] == [*words]

    def _takes(self, *words: str) -> bool:
        if not self._sees(*words):
            return False
        self._at += len(words)
        return True

    def _needs(self, *words: str) -> None:
        if not self._takes(*words):
            self._refuse(" ".join(words))

    def _take(self, kind: str) -> str:
        if self._here.kind != kind:
            self._refuse(kind)
        self._at += 1
        return self._tokens[self._at - 1].value

    def _text(self) -> str:
        return unescaped(self._take("text"))

    def _new_name(self) -> str:
        name = self._take("word").lower()
        if name in RESERVED or name.endswith("'s"):
            self._at -= 1
            self._refuse("a name")
        return name

    def _name(self, known: set[str]) -> str:
        name = self._new_name()
        if name not in known:
            self._at -= 1
            self._refuse("a name that was set before")
        return name

    def _line_end(self) -> None:
        self._take("newline")
        while self._here.kind == "newline":
            self._at += 1

    # Script and handlers

    def script(self) -> dict[str, Handler]:
        """Parse all of it; return the handlers by name."""
        if self._here.kind == "newline":
            self._line_end()
        while self._here.kind != "end of file":
            if self._takes("property"):
                self._property()
            else:
                self._needs("on")
                self._handler()
        for token, count in self._calls:
            if self._arity.get(token.value.lower()) != count:
                raise ScriptSyntaxError(f"line {token.line}: no handler {token.value} with {count} parameters")
        return self._handlers

    def _property(self) -> None:
        name = self._new_name()
        self._needs(":")
        if name in self._properties:
            self._refuse(f"one property {name}")
        self._properties[name] = self._text() if self._here.kind == "text" else int(self._take("number"))
        self._line_end()

    def _handler(self) -> None:
        if self._takes("run"):
            name, parameters = "run", [self._new_name()]
        else:
            name, parameters = self._new_name(), self._parameters()
        if name in self._handlers:
            self._refuse(f"one handler {name}")
        self._line_end()
        self._known = self._declared | {*parameters}
        body = self._block()
        self._needs("end", name)
        self._line_end()
        self._arity[name] = len(parameters)

        def handler(around: Surroundings, values: list[Value]) -> Value:
            names = {**self._properties, **dict(zip(parameters, values, strict=True))}
            try:
                body(Frame(around, names))
            except Returned as result:
                return result.value
            return Missing()

        self._handlers[name] = handler

    def _parameters(self) -> list[str]:
        self._needs("(")
        if self._takes(")"):
            return []
        names = [self._new_name()]
        while self._takes(","):
            names.append(self._new_name())
        self._needs(")")
        return names

    # Statements

    def _block(self) -> Statement:
        statements: list[Statement] = []
        while not self._sees("end") and not self._sees("else"):
            statements.append(self._statement())

        def run_all(frame: Frame) -> None:
            for statement in statements:
                statement(frame)

        return run_all

    def _statement(self) -> Statement:
        if self._takes("if"):
            return self._if()
        if self._takes("repeat"):
            return self._repeat()
        if self._takes("with", "timeout", "of"):
            return self._timeout()
        if self._takes("tell", "application"):
            return self._tell()
        if self._told and not (self._sees("error") or (self._sees("set") and not self._sees("set", "the"))):
            self._refuse("set, if or error inside tell")
        statement = self._simple_statement()
        self._line_end()
        return statement

    def _if(self) -> Statement:
        branches: list[tuple[Expression, Statement]] = []
        condition = self._expression()
        self._needs("then")
        self._line_end()
        branches.append((condition, self._block()))
        while self._takes("else", "if"):
            condition = self._expression()
            self._needs("then")
            self._line_end()
            branches.append((condition, self._block()))
        if self._takes("else"):
            self._line_end()
            branches.append((lambda _: True, self._block()))
        self._needs("end", "if")
        self._line_end()

        def run_first(frame: Frame) -> None:
            for test, block in branches:
                if as_boolean(test(frame)):
                    return block(frame)
            return None

        return run_first

    def _repeat(self) -> Statement:
        count = int(self._take("number"))
        self._needs("times")
        self._line_end()
        block = self._block()
        self._needs("end", "repeat")
        self._line_end()

        def run_again(frame: Frame) -> None:
            for _ in range(count):
                block(frame)

        return run_again

    def _timeout(self) -> Statement:
        self._take("number")
        self._needs("seconds")
        self._line_end()
        if self._in_timeout:
            self._refuse("one timeout")
        self._in_timeout = True
        block = self._block()
        self._in_timeout = False
        self._needs("end", "timeout")
        self._line_end()
        return block

    def _tell(self) -> Statement:
        if not self._in_timeout or self._told:
            self._refuse("a timeout around one tell")
        self._told = self._text()
        self._line_end()
        block = self._block()
        self._told = ""
        self._needs("end", "tell")
        self._line_end()
        return block

    def _simple_statement(self) -> Statement:
        if self._takes("return"):
            return self._return()
        if self._takes("error"):
            return self._error()
        if self._takes("log"):
            value = self._expression()
            return lambda frame: frame.around.logged.append(as_text(value(frame), frame.around))
        if self._takes("delay"):
            seconds = float(self._take("real"))
            return lambda frame: frame.around.delay(seconds)
        if self._here.kind == "word" and self._tokens[self._at + 1].value == "(":
            return self._call_or_variable()
        self._needs("set")
        return self._set()

    def _set(self) -> Statement:
        if self._takes("the", "clipboard", "to"):
            value = self._expression()
            return lambda frame: setattr(frame.around, "clipboard", as_text(value(frame), frame.around))
        if self._takes("applescript's", "text", "item", "delimiters", "to"):
            value = self._expression()
            return lambda frame: setattr(frame.around, "delimiters", value(frame))
        name = self._new_name()
        self._needs("to")
        value = self._expression()
        if name in self._declared:
            self._refuse("a variable: properties stay as they are")
        self._known.add(name)
        return lambda frame: frame.names.update({name: value(frame)})

    def _return(self) -> Statement:
        value = self._expression()

        def leave(frame: Frame) -> None:
            raise Returned(value(frame))

        return leave

    def _error(self) -> Statement:
        message = self._expression()
        self._needs("number")
        number = self._name(self._declared)

        def fail(frame: Frame) -> None:
            raise ScriptError(as_text(message(frame), frame.around), frame.names[number])

        return fail

    # Expressions, from the lowest to the highest precedence

    def _expression(self) -> Expression:
        left = self._conjunction()
        while self._takes("or"):
            left = either(left, self._conjunction())
        return left

    def _conjunction(self) -> Expression:
        left = self._negation()
        while self._takes("and"):
            left = both(left, self._negation())
        return left

    def _negation(self) -> Expression:
        if self._takes("not"):
            operand = self._negation()
            return lambda frame: not as_boolean(operand(frame))
        return self._comparison()

    def _comparison(self) -> Expression:
        if self._takes("application"):
            name = self._text()
            self._needs("is", "running")
            return lambda frame: the_browser(frame.around, name).running
        left = self._coercion()
        if self._takes("starts", "with"):
            prefix = self._coercion()
            return lambda frame: folded(left(frame)).startswith(folded(prefix(frame)))
        if self._takes("is", "in"):
            self._needs("{")
            items = self._list()
            return lambda frame: is_in(left(frame), items(frame))
        if self._takes("is"):
            negative, right = self._takes("not"), self._coercion()
            return lambda frame: equal(left(frame), right(frame)) != negative
        return left

    def _coercion(self) -> Expression:
        value = self._concatenation()
        while self._takes("as"):
            value = self._as_text(value)
        return value

    def _list(self) -> Expression:
        parts = [self._expression()]
        while self._takes(","):
            parts.append(self._expression())
        self._needs("}")
        return lambda frame: [part(frame) for part in parts]

    def _as_text(self, value: Expression) -> Expression:
        if self._takes("integer"):
            return lambda frame: as_integer(value(frame))
        self._needs("text")
        return lambda frame: as_text(value(frame), frame.around)

    def _concatenation(self) -> Expression:
        parts = [self._operand()]
        while self._takes("&"):
            parts.append(self._operand())
        if len(parts) == 1:
            return parts[0]
        # A list or a number on the left would make a list: every part must be a text.
        return lambda frame: "".join(only_text(part(frame)) for part in parts)

    def _operand(self) -> Expression:
        if self._told and (event := self._event()):
            return event
        return self._literal() or self._part() or self._call_or_variable()

    def _literal(self) -> Expression | None:
        """A text, a number, a list, a class, or anything in parentheses."""
        if self._here.kind == "text":
            text = self._text()
            return lambda _: text
        if self._here.kind == "number":
            number = int(self._take("number"))
            return lambda _: number
        if self._takes("("):
            value = self._expression()
            self._needs(")")
            return value
        if self._takes("{"):
            return self._list()
        if self._sees("list") or self._sees("text"):
            kind = self._take("word").lower()
            return lambda _: ClassName(kind)
        return None

    def _part(self) -> Expression | None:
        """`item N of x`, a property of a value, a variable of the environment, or the text item delimiters."""
        if self._takes("applescript's", "text", "item", "delimiters"):
            return lambda frame: frame.around.delimiters
        if not self._told and self._takes("do", "shell", "script"):
            command = self._text()
            self._needs("without", "altering", "line", "endings")
            return lambda frame: printed_by(command, frame.around.environment)
        if self._takes("system", "attribute"):
            variable = self._text()
            return lambda frame: frame.around.environment.get(variable, "")
        if self._takes("item"):
            index = int(self._take("number"))
            self._needs("of")
            items = self._operand()
            return lambda frame: item(items(frame), index)
        for words, part in PARTS.items():
            if self._takes(*words):
                whole = self._operand()
                return lambda frame, part=part: part(whole(frame))
        return None

    def _call_or_variable(self) -> Expression:
        token = self._here
        if self._tokens[self._at + 1].value != "(":
            variable = self._name(self._known)
            return lambda frame: value_of(variable, frame)
        handler = self._new_name()
        self._needs("(")
        arguments: list[Expression] = []
        while not self._takes(")"):
            if arguments:
                self._needs(",")
            arguments.append(self._expression())
        self._calls.append((token, len(arguments)))
        return lambda frame: self._handlers[handler](frame.around, [value(frame) for value in arguments])

    # Statements for a browser

    def _event(self) -> Expression | None:
        """JavaScript in a tab, or a property of windows and tabs; None if neither comes next."""
        application = self._told
        words = DICTIONARIES.get(application, CHROMIUM)
        if words.javascript == "execute" and self._takes("execute"):
            tab = self._tab()
            self._needs("javascript")
            program = self._name(self._known)
            return lambda frame: run_in(tab(frame), value_of(program, frame), the_browser(frame.around, application))
        if words.javascript == "do" and self._takes("do", "javascript"):
            program = self._name(self._known)
            self._needs("in")
            tab = self._tab()
            return lambda frame: run_in(tab(frame), value_of(program, frame), the_browser(frame.around, application))
        here = self._here.value.lower()
        if here not in words.window | words.tab or self._tokens[self._at + 1].value != "of":
            return None
        self._at += 2
        is_of_windows = self._sees("window") or self._sees("windows") or self._sees("front")
        whose = self._windows() if is_of_windows else self._tab()
        known = words.window if is_of_windows else words.tab
        if here not in known:
            raise ScriptSyntaxError(f"{application} has no {here} of that")
        return lambda frame: property_of(whose(frame), known[here])

    def _tab(self) -> Expression:
        """One tab, or the active one of each window, or all tabs of each."""
        application = self._told
        if self._takes("tabs", "of", "windows"):
            return lambda frame: [window.tabs for window in the_browser(frame.around, application).addressed().opened]
        if self._takes(DICTIONARIES.get(application, CHROMIUM).active, "tab", "of"):
            windows = self._windows()
            return lambda frame: active_tab(windows(frame))
        self._needs("tab")
        by_id = self._takes("id")
        if by_id and application == "Safari":
            self._refuse("an index: tabs of Safari have no id")
        key = self._name(self._known)
        self._needs("of")
        window = self._windows()

        def tab(frame: Frame) -> Value:
            return the_browser(frame.around, application).tab(window(frame), value_of(key, frame), by_id=by_id)

        return tab

    def _windows(self) -> Expression:
        """One window, or all."""
        application = self._told
        if self._takes("windows"):
            return lambda frame: the_browser(frame.around, application).addressed().opened
        if self._takes("front", "window"):
            return lambda frame: the_browser(frame.around, application).addressed().window(1, by_id=False)
        self._needs("window")
        by_id = self._takes("id")
        key = self._name(self._known)
        return lambda frame: (
            the_browser(frame.around, application).addressed().window(value_of(key, frame), by_id=by_id)
        )


# --- Evaluation of expressions ---


def property_of(whose: Value, name: str) -> Value:
    """Return a property of a window or a tab, or of each in a list."""
    return [property_of(one, name) for one in whose] if isinstance(whose, list) else getattr(whose, name)


def active_tab(windows: Value) -> Value:
    if isinstance(windows, list):
        return [active_tab(window) for window in windows]  # pyright: ignore[reportUnknownVariableType]
    return windows.tabs[windows.active - 1]


def run_in(tab: FakeTab, program: Value, browser: FakeChrome) -> Value:
    return browser.execute(tab, only_text(program))


def value_of(name: str, frame: Frame) -> Value:
    if name not in frame.names:
        raise ScriptError(f"The variable {name} is not defined.", -2753)
    return frame.names[name]


def the_browser(around: Surroundings, name: str) -> FakeChrome:
    if name != around.chrome.name:
        raise ScriptError(f'Can\u2019t get application "{name}".', -1728)
    return around.chrome


def either(left: Expression, right: Expression) -> Expression:
    return lambda frame: as_boolean(left(frame)) or as_boolean(right(frame))


def both(left: Expression, right: Expression) -> Expression:
    return lambda frame: as_boolean(left(frame)) and as_boolean(right(frame))


def as_boolean(value: Value) -> bool:
    if not isinstance(value, bool):
        cannot_make(value, "boolean")
    return value


def as_text(value: Value, around: Surroundings) -> str:
    """Convert a list to its items, joined with the text item delimiters."""
    if isinstance(value, list):
        return around.delimiters.join(as_text(part, around) for part in value)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, bool) or not isinstance(value, str | int):
        cannot_make(value, "text")
    return str(value)


def as_integer(value: Value) -> int:
    if not isinstance(value, str) or not value.isdecimal():
        cannot_make(value, "integer")
    return int(value)


def only_text(value: Value) -> str:
    if not isinstance(value, str):
        cannot_make(value, "text")
    return value


def folded(value: Value) -> str:
    """Return a text in the form in which texts are compared: without case."""
    return only_text(value).casefold()


def equal(left: Value, right: Value) -> bool:
    if isinstance(left, str) and isinstance(right, str):
        return folded(left) == folded(right)
    return type(left) is type(right) and left == right


def is_in(value: Value, items: list[Value]) -> bool:
    """A list is searched for as a part of the other one; anything else as one of its items."""
    part: list[Value] = value if isinstance(value, list) else [value]
    places = range(len(items) - len(part) + 1)
    return any(all(map(equal, part, items[start : start + len(part)])) for start in places)


def printed_by(command: str, environment: dict[str, str]) -> str:
    """Return the output of a command; the shell has its own PATH."""
    variables = environment | {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}
    done = subprocess.run(["/bin/sh", "-c", command], env=variables, capture_output=True, timeout=20, check=False)
    if done.returncode != 0:
        raise ScriptError(done.stderr.decode(), done.returncode)
    return done.stdout.decode()


def item(items: Value, index: int) -> Value:
    if not isinstance(items, list) or not 1 <= index <= len(items):  # pyright: ignore[reportUnknownArgumentType]
        raise ScriptError(f"Can\u2019t get item {index}.", -1728)
    return items[index - 1]  # pyright: ignore[reportUnknownVariableType]


def class_of(value: Value) -> ClassName:
    return ClassName(next((name for kind, name in CLASS_NAMES.items() if type(value) is kind), "class"))


def count_of(value: Value) -> int:
    if not isinstance(value, list):
        cannot_make(value, "list")
    return len(value)  # pyright: ignore[reportUnknownArgumentType]


def id_of(value: Value) -> Value:
    """Return the code points of a text: a list of integers, or one integer for one character."""
    points = [ord(character) for character in only_text(value)]
    return points[0] if len(points) == 1 else points


def length_of(value: Value) -> int:
    return len(only_text(value))


PARTS: dict[tuple[str, str], Callable[[Value], Value]] = {
    ("class", "of"): class_of,
    ("count", "of"): count_of,
    ("id", "of"): id_of,
    ("length", "of"): length_of,
}


def cannot_make(value: Value, kind: str) -> NoReturn:
    raise ScriptError(f"Can\u2019t make a {class_of(value).name} into type {kind}.", -1700)
