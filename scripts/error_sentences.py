"""Collect the sentences of each error code from the sources of the server and the extension, for `docs/errors.md`.

A part that is only known when the error occurs becomes a placeholder in angle brackets. It is named after its variable,
or by `PLACEHOLDERS`. Of a part that depends on a condition all alternatives are shown, without the empty one.
"""

import ast
import functools
import importlib
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import ModuleType

import chrome_tab_mcp_server as server
from chrome_tab.bridge.port import PORT_PROBLEMS
from chrome_tab.bridge.protocol import ERROR_CODES

ROOT = Path(__file__).resolve().parent.parent
EXTENSION = ROOT / "extension"

# What a variable or expression stands for, if its name does not say so; a code in front limits an entry to its errors.
PLACEHOLDERS = {
    "', '.join(map(str, self._roots))": "<folders>",
    "BUTTON_NAMES": "<mouse buttons>",
    "EMPTY_PAGE: end": "<keyword>",
    "EXECUTION_ERROR: advice": " <advice>",
    "EXECUTION_ERROR: name": "<element>",
    "EXECUTION_ERROR: what": "<function>",
    "EXTENSION_NOT_CONNECTED: last": "<last port>",
    "EXTENSION_NOT_CONNECTED: number": "<port>",
    "HOST_BLOCKED: url": "<host>",
    "INVALID_ARGUMENT: name": "<parameter>",
    "INVALID_ARGUMENT: what": "<step>",
    "INVALID_SELECTOR: text": "<selector>",
    "KEYWORD_NOT_FOUND: end": "<keyword>",
    "KEYWORD_NOT_FOUND: start": "<start keyword>",
    "KEYWORD_NOT_FOUND: where": "(on the page | in what is selected)",
    "MODEL_ERROR: text": "<answer>",
    "MODEL_ERROR: where": "<address>",
    "MODEL_NOT_FOUND: listed": "<models>",
    "UNREADABLE_PAGE: what": "<drawing or picture>",
    "VALUE_NOT_KEPT: advice": " <advice>",
    "VALUE_NOT_KEPT: listed": "<errors of the fields>",
    "VALUE_NOT_KEPT: others": "<selectors and values>",
    "adviceOn(selector, searched)": "<similar elements>",
    "all": "<number>",
    "asked": "<selector>",
    "browser.name": "<browser>",
    "changed": "<change>",
    "cover": "<element>",
    "decision": "(The user denied | The user has just denied)",
    "detail": ": <message>",
    "failures": "<number>",
    "faultOf(part)": "<what is wrong>",
    "held": "<value>",
    "holdsNow(held)": "(It holds <value> now. | It is empty now.)",
    "holdsNow(now)": "(It holds <value> now. | It is empty now.)",
    "known": "<browser>",
    "left_out(silent)": "<browsers> did not respond.",
    "named": "<tabs>",
    "near": "<keys>",
    "now": "<value>",
    "one_line(output_schema)": "<name>",
    "ordered": "<names>",
    "perSecond": "<limit>",
    "per_minute": "<limit>",
    "problem": "<what is wrong>",
    "quoted": "<key>",
    "reason.partition('. ')[0].rstrip('.')": "<message>",
    "role": "(start | end)",
    "server.one_line(name, 60)": "<name>",
    "server.start_command()": "<command>",
    "shown": "<tabs>",
    "silent": " <browsers> did not respond.",
    "stderr": "<message>",
    "strerror": "<reason>",
    "tempfile.gettempdir()": "<temporary folder>",
    "trouble": "<is covered, hidden, disabled or moving>",
}
MODULES = {"JSON", "protocol", "server", "str"}


def placeholder(expression: str, code: str) -> str:
    """Return the placeholder of an expression in either language, by its first variable: `quote(tab.title)` is "<title>"."""
    code_free = re.sub(r"'[^']*'|\"[^\"]*\"", "", expression)
    variables = [
        found[1] if not found[2] else found[1].rpartition(".")[0]
        for found in re.finditer(r"([A-Za-z_][\w.]*+)(\()?", code_free)
        if found[1] not in {"or", "if", "else"}
    ]
    owned = [name for name in variables if name and name.partition(".")[0] not in MODULES]
    name = owned[0].rpartition(".")[2].lstrip("_") if owned else expression
    for key in (f"{code}: {expression}", expression, f"{code}: {name}", name):
        if key in PLACEHOLDERS:
            return PLACEHOLDERS[key]
    if expression.startswith("len(") or ".length" in expression:
        return "<number>"
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).strip().lower()
    return f"<{re.sub(' m?s$', '', words)}>"


def alternatives(texts: list[str]) -> str:
    """Return the alternatives that are not empty."""
    given = [text for text in texts if text]
    return f"({' | '.join(given)})" if len(given) > 1 else "".join(given)


# --- Python ---


@dataclass
class PythonSentence:
    """The sentence of an error; `names` are the local variables that are texts."""

    module: ModuleType
    code: str
    names: Mapping[str, ast.expr]

    def text(self, node: ast.expr) -> str:
        """Return the text of an expression."""
        match node:
            case ast.FormattedValue(value=value):
                return self.text(value)
            case ast.JoinedStr(values=parts):
                return "".join(map(self.text, parts))
            case ast.BinOp(left=left, right=right) if is_text(node):
                return self.text(left) + self.text(right)
            case ast.IfExp(body=body, orelse=otherwise) if is_text(node):
                branches = [body, otherwise]
                while isinstance(branches[-1], ast.IfExp):
                    branches[-1:] = [branches[-1].body, branches[-1].orelse]
                return alternatives(list(map(self.text, branches)))
            case ast.Name(id=name) if name in self.names:
                rest = {key: value for key, value in self.names.items() if key != name}
                return PythonSentence(self.module, self.code, rest).text(self.names[name])
            case _:
                return self._value(node)

    def _value(self, node: ast.expr) -> str:
        """Return the value of a constant, else a placeholder."""
        expression = ast.unparse(node)
        if isinstance(node, ast.Constant):
            return str(node.value)
        if any(part.isupper() for part in expression.split(".")):
            value = functools.reduce(getattr, expression.split("."), self.module)
            return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)
        return placeholder(expression, self.code)


def is_text(node: ast.expr) -> bool:
    """Return whether an expression is written as a text."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, str)
        case ast.BinOp(left=left, right=right, op=ast.Add()) | ast.IfExp(body=left, orelse=right):
            return is_text(left) or is_text(right)
        case _:
            return isinstance(node, ast.JoinedStr)


def python_errors(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the code and the sentence of each error that a Python file raises."""
    module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)):
        names: dict[str, ast.expr] = {}
        for node in sorted(ast.walk(function), key=lambda node: getattr(node, "lineno", 0)):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if is_text(value):
                    names[name] = value
                case ast.Call(
                    func=ast.Name(id="ChromeTabError" | "RetryableError" | "PromptTooLongError")
                    | ast.Attribute(attr="ChromeTabError" | "__init__"),
                    args=[ast.Constant(value=str(code)), sentence, *_],
                ):
                    yield code, PythonSentence(module, code, dict(names)).text(sentence)
                case _:
                    pass


# --- JavaScript ---

JS_STRING = r'"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\'(?:[^\'\\]|\\.)*\''
JS_TEXT = rf"(?:(?:{JS_STRING})\s*\+?\s*)+"
# Functions of the extension for one code each.
JS_CODES = {"invalid": "INVALID_ARGUMENT", "failed": "EXECUTION_ERROR", "unreadable": "UNREADABLE_PAGE"}
JS_ERROR = re.compile(
    rf'(?:(?:(?:new (?:CommandError|PageError)|super)\(|\[)\s*"([A-Z_]+)",|(?<![#.\w])({"|".join(JS_CODES)})\()'
    rf"\s*({JS_TEXT}|\w+(?=[,)]))"
)
JS_CONSTANT = re.compile(rf"(export )?const (\w+) =\s*((?:[^;\"'`]|{JS_STRING})*);")
JS_PART = re.compile(r"\$\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")


def javascript_errors(path: Path, exported: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the code and the sentence of each error that a file of the extension throws."""
    source = path.read_text(encoding="utf-8")
    declared = [(each.start(), each[2], each[3].strip()) for each in JS_CONSTANT.finditer(source)]
    for found in JS_ERROR.finditer(source):
        code = found[1] or JS_CODES[found[2]]
        before = {name: value for start, name, value in declared if start < found.start()}
        yield code, JavascriptSentence(code, {**exported, **before}).text(found[3])


@dataclass
class JavascriptSentence:
    """The sentence of an error; `constants` are the expressions of those that its file can use."""

    code: str
    constants: Mapping[str, str]

    def text(self, expression: str) -> str:
        """Return the text of an expression, else a placeholder."""
        text = self.known(expression)
        return placeholder(expression, self.code) if text is None else text

    def known(self, expression: str) -> str | None:
        """Return the text of an expression that is a text, a number, a list of words, or a choice between texts."""
        if expression in self.constants:
            rest = {key: value for key, value in self.constants.items() if key != expression}
            return JavascriptSentence(self.code, rest).known(self.constants[expression])
        if re.fullmatch(JS_TEXT, expression):
            text = "".join(each[1:-1] for each in re.findall(JS_STRING, expression))
            return JS_PART.sub(lambda part: self.text(part[1]), text).replace('\\"', '"')
        number, _, divisor = expression.partition(" / ")
        if re.fullmatch(r"\d[\d_* ]*", product := self.constants.get(number, number)):
            return f"{math.prod(map(int, product.split('*'))) // int(divisor or 1)}"
        branches = re.findall(rf"(?:(?<!\?)[?:]|&&)\s*({JS_TEXT})", expression)
        conditions = re.findall(r"\s\?\s", expression)
        if branches and len(branches) == len(conditions) + 1:
            return alternatives([self.text(branch) for branch in branches])
        name, _, joined = expression.partition(".join")
        if joined and (items := re.fullmatch(r"\[((?:\"\w+\"(?:, )?)+)\]", self.constants.get(name, ""))):
            return items[1].replace('"', "")
        return None


def as_markdown(sentence: str) -> str:
    """Return a sentence as Markdown on one line."""
    return re.sub(r"(`[^`]*`)|([<*_\[\]])", lambda part: part[1] or f"\\{part[2]}", " ".join(sentence.split()))


def errors_page() -> str:
    """Return `docs/errors.md`: each code with its sentences."""
    found: dict[str, dict[str, None]] = {code: {} for code in ERROR_CODES}
    python = [ROOT / "chrome_tab_mcp_server.py", *sorted((ROOT / "chrome_tab").rglob("*.py"))]
    scripts = [path for path in sorted(EXTENSION.rglob("*.js")) if "vendor" not in path.parts]
    exported = {
        each[2]: each[3].strip()
        for path in scripts
        for each in JS_CONSTANT.finditer(path.read_text("utf-8"))
        if each[1]
    }
    for code, sentence in chain(
        *(python_errors(path) for path in python), *(javascript_errors(path, exported) for path in scripts)
    ):
        # A list of codes looks like a code with its sentence; a sentence of only a placeholder means nothing.
        if code in found and re.search(r"[a-z]{2}", re.sub(r"<[^<>]*>", "", sentence)):
            found[code][as_markdown(sentence)] = None
    templates = {**server.APPLE_EVENT_ERRORS, "EXTENSION_NOT_CONNECTED": PORT_PROBLEMS}
    for code, listed in templates.items():
        found[code] |= {as_markdown(re.sub(r"\{(\w+)\}", r"<\1>", sentence)): None for sentence in listed.values()}
    sections = (
        [
            f"## {code}",
            "",
            f"[What to do](troubleshooting.md#{code.lower()})",
            "",
            *(f"- {each}" for each in sentences),
            "",
        ]
        for code, sentences in found.items()
    )
    head = [
        "# Errors",
        "",
        "<!-- Written by `python -m scripts.reference`; a test compares. -->",
        "",
        "Every failure has a code and a sentence. This page lists the sentences of each code. A part in angle brackets, "
        "such as \\<tab id>, is filled in when the error occurs; one of (a | b) is chosen, and some parts can be missing.",
        "",
    ]
    return "\n".join([*head, *(line for section in sections for line in section)])
