"""Compare what `page_elements` lists of a page with Chromium's accessibility tree of the same page.

Alone: python -m bench.accessibility URL... [--missing 5]. The page functions run without the extension, so cross-site
frames and closed shadow roots are not compared. For each page: the share of the interactive nodes that the list
contains (recall), and how many of the listed ones agree in role, name and state.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Error, Page, ViewportSize

from tests.support.browser import IsolatedWorld, launch_chromium

EXTENSION = Path(__file__).resolve().parent.parent / "extension"
SIZE: ViewportSize = {"width": 1280, "height": 800}
LOAD_MS, REST_MS, MAX_REST_MS = 30_000, 1_000, 20_000
# Of a page that navigates while it is compared.
TRIES = 3

# Chromium's internal roles that users act on, and our list's words for them.
ROLES: dict[str, set[str]] = {
    "button": {"button", "summary"},
    "checkbox": {"checkbox"},
    "ColorWell": {"color"},
    "combobox": {"combobox", "select", "textbox"},
    "Date": {"date", "month", "week"},
    "DateTime": {"datetime", "month", "week"},
    "DisclosureTriangle": {"summary"},
    "gridcell": {"gridcell"},
    "InputTime": {"time"},
    "link": {"link"},
    "listbox": {"listbox", "select"},
    "ListBox": {"listbox", "select"},
    "menuitem": {"menuitem"},
    "menuitemcheckbox": {"menuitemcheckbox"},
    "menuitemradio": {"menuitemradio"},
    "option": {"option"},
    "radio": {"radio"},
    "row": {"row"},
    "searchbox": {"searchbox"},
    "slider": {"slider"},
    "spinbutton": {"spinbutton", "number"},
    "switch": {"switch"},
    "tab": {"tab"},
    "textbox": {"textbox", "password"},
    "treeitem": {"treeitem"},
}
# These count only if they can take the focus.
WHERE_FOCUSABLE = {"gridcell", "listbox", "option", "row"}
# Properties of the tree and our list's words for them.
STATES = {
    "checked": {"true": "on", "mixed": "mixed", "false": "off"},
    "disabled": {"true": "disabled"},
    "expanded": {"true": "expanded", "false": "collapsed"},
    "pressed": {"true": "pressed"},
    "required": {"true": "required"},
    "selected": {"true": "selected"},
}
# Glyphs of icon fonts; our list leaves them out.
GLYPHS = re.compile("[\ue000-\uf8ff]")
LINE = re.compile(r'^(?P<role>[\w-]+)(?: "(?P<name>[^"]*)")?(?P<state>.*?)(?:  (?P<selector>\S.*))?$')
PATTERN = re.compile(r' like "(?P<pattern>.+)"$')
COUNTED = re.compile(r'^\d+ more (?P<role>\w+?)(?:es|s) within "(?P<selector>.+)"$')

FIND_ALL = """(selectors, holders) => {
  globalThis.counted = holders.map((selector) => new search.Search(selector).find()[0]);
  globalThis.listedAt = new Map();
  selectors.forEach((selector, index) => {
    for (const element of new search.Search(selector).find()) {
      if (!listedAt.has(element)) listedAt.set(element, index);
    }
  });
  return null;
}"""
# The browser's own parts of a field belong to the field; options are in the line of their list.
PLACE = """function () {
  let element = this.nodeType === Node.ELEMENT_NODE ? this : this.parentElement;
  if (element.matches("option")) return null;
  const holders = [];
  for (; element; element = element.getRootNode().host) {
    if (listedAt.has(element)) return { line: listedAt.get(element), holders };
    holders.push(...counted.keys().filter((place) => counted[place]?.contains(element)));
  }
  return { line: null, holders };
}"""

# A canvas's fallback content has no position of its own to act on: a cell is in the line of its row.
CANVAS_ROW = """function () {
  const row = this.closest?.("canvas :is(tr, [role=row])");
  return row ? [...row.children].map((cell) => cell.textContent.trim()).join(" | ") : "";
}"""


@dataclass
class Agreement:
    """The comparison of a page; selectors by place count siblings (`nth-of-type`)."""

    nodes: int = 0
    listed: int = 0
    selectors: int = 0
    by_place: int = 0
    right: Counter[str] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def add(self, what: str, *, is_right: bool, note: str) -> None:
        """Count a comparison, and record differences."""
        self.compared[what] += 1
        self.right[what] += is_right
        if not is_right:
            self.notes.append(f"{what}: {note}")

    def include(self, other: "Agreement") -> None:
        """Add the comparison of another page, without its notes."""
        self.nodes += other.nodes
        self.listed += other.listed
        self.selectors += other.selectors
        self.by_place += other.by_place
        self.right += other.right
        self.compared += other.compared

    def summary(self) -> str:
        """Return the shares as one line."""
        shares = [f"recall {self.listed} of {self.nodes}"]
        shares += [f"{what} {self.right[what]} of {self.compared[what]}" for what in ("role", "name", "state")]
        shares.append(f"selectors by place {self.by_place} of {self.selectors}")
        return ", ".join(shares)


class Tab:
    """A page with the list's files loaded."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._session: Any = page.context.new_cdp_session(page)
        self._world = IsolatedWorld(page)
        groups = json.loads((EXTENSION / "page" / "files.json").read_text(encoding="utf-8"))
        for path in [*groups["interaction"], *groups["elementList"]]:
            self._world.evaluate((EXTENSION / path).read_text(encoding="utf-8"))

    def lines(self) -> Iterator[str]:
        """Return the lines of the whole list, one page after another."""
        offset: int | None = 0
        while offset is not None:
            request = {"find": "", "within": "", "offset": offset, "framed": {}}
            result = self._world.evaluate(f"chromeTabReader.list({json.dumps(request)})")
            yield from result["text"].splitlines()[:-1]
            offset = result.get("next_offset")

    def compare(self) -> Agreement:
        """Compare the list with the tree; a Playwright `Error` means that the page has navigated."""
        lines = list(self.lines())
        named = [line for line in lines if (found := LINE.match(line)) and found["selector"]]
        patterns = [found["pattern"] for line in lines if (found := PATTERN.search(line))]
        selectors = [re.sub(r"^.*?  ", "", line) for line in named] + patterns
        counted = [found for line in lines if (found := COUNTED.match(line))]
        rows = {found["name"] for line in lines if (found := LINE.match(line)) and found["role"] == "row"}
        holders = [found["selector"] for found in counted]
        self._world.evaluate(f"({FIND_ALL})({json.dumps(selectors)}, {json.dumps(holders)})")
        by_place = [line for line in named if "nth-of-type" in line]
        agreement = Agreement(selectors=len(named), by_place=len(by_place))
        agreement.notes += [f"by place: {line!r}" for line in by_place]
        for node in self._session.send("Accessibility.getFullAXTree")["nodes"]:
            if not is_interactive(node):
                continue
            place = self._ask(node["backendDOMNodeId"], PLACE)
            if place is None:  # not compared, or gone
                continue
            agreement.nodes += 1
            line = place["line"]
            is_listed = line is not None or any(
                counted[holder]["role"] in ROLES[node["role"]["value"]] for holder in place["holders"]
            )
            if not is_listed and self._ask(node["backendDOMNodeId"], CANVAS_ROW) not in rows:
                agreement.notes.append(f"missing: {node['role']['value']} {node.get('name', {}).get('value')!r}")
                continue
            agreement.listed += 1
            if line is not None and line < len(named):
                compare_node(agreement, node, named[line])
        # After a navigation every node would be gone.
        self._world.evaluate("0")
        return agreement

    def _ask(self, node: int, function: str) -> Any:
        """Call a function of the page on a node; return None if it is gone."""
        try:
            given = {"backendNodeId": node, "executionContextId": self._world.context}
            resolved = self._session.send("DOM.resolveNode", given)
        except Error:
            return None
        called = {"objectId": resolved["object"]["objectId"], "functionDeclaration": function, "returnByValue": True}
        return self._session.send("Runtime.callFunctionOn", called)["result"].get("value")


def properties_of(node: dict[str, Any]) -> dict[str, str]:
    """Return the properties of a node as text."""
    found = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in found.items()}


def is_interactive(node: dict[str, Any]) -> bool:
    """Return whether a user can act on a node."""
    if node["ignored"] or "backendDOMNodeId" not in node:
        return False
    role = node["role"]["value"]
    return role in ROLES and (role not in WHERE_FOCUSABLE or properties_of(node).get("focusable") == "true")


def compare_node(agreement: Agreement, node: dict[str, Any], line: str) -> None:
    """Compare role, name and state of a node with those of its line."""
    found = LINE.match(line)
    assert found
    role = node["role"]["value"]
    name = GLYPHS.sub("", node.get("name", {}).get("value") or "")
    name = " ".join(name.replace('"', "'").split())
    agreement.add("role", is_right=found["role"] in ROLES[role], note=f"{role} {name!r} is {line!r}")
    ours = found["name"] or ""
    is_same = ours == name or (ours.endswith("...") and name.startswith(ours[:-3]))
    agreement.add("name", is_right=is_same, note=f"{role} {name!r} is {line!r}")
    words = set(re.sub(r'"[^"]*"|\{.*\}', "", found["state"]).split())
    properties = properties_of(node)
    for state, values in STATES.items():
        # The line of a native list names its options instead.
        if state == "expanded" and found["role"] == "select":
            continue
        word = values.get(properties.get(state, ""))
        if word is not None:
            agreement.add("state", is_right=word in words, note=f"{role} {name!r} is {word}: {line!r}")


def compare_page(page: Page, rest: int) -> Agreement:
    """Compare a page at rest, once more if it navigates in the meantime."""
    for _ in range(TRIES - 1):
        try:
            return Tab(page).compare()
        except Error:
            page.wait_for_load_state()
            settle(page, rest)
    return Tab(page).compare()


def load(page: Page, url: str, rest: int) -> None:
    """Open a page and wait until it is at rest."""
    page.goto(url, timeout=LOAD_MS)
    settle(page, rest)


def settle(page: Page, rest: int) -> None:
    """Wait until the text of a page has not changed for this many milliseconds."""
    waited, before = 0, ""
    while waited < MAX_REST_MS:
        page.wait_for_timeout(rest)
        waited += rest
        now = text_of(page)
        if now and now == before:
            return
        before = now


def text_of(page: Page) -> str:
    """Return the text of a page; empty while it navigates."""
    try:
        text: str = page.evaluate("document.body?.innerText ?? ''")
    except Error:
        return ""
    return text


def main() -> None:
    """Compare the pages named in the arguments."""
    parser = argparse.ArgumentParser(prog="python -m bench.accessibility", description=__doc__)
    parser.add_argument("urls", nargs="+", metavar="URL")
    parser.add_argument("--missing", type=int, default=5, help="differences to print of each page")
    parser.add_argument("--rest", type=int, default=REST_MS, help="milliseconds without change before a look")
    given = parser.parse_args()
    total = Agreement()
    with launch_chromium() as browser:
        for url in given.urls:
            page = browser.new_page(viewport=SIZE)
            load(page, url, given.rest)
            agreement = compare_page(page, given.rest)
            page.close()
            print(f"{url}: {agreement.summary()}", flush=True)
            for note in agreement.notes[: given.missing]:
                print(f"    {note}")
            total.include(agreement)
    print(f"all: {total.summary()}")


if __name__ == "__main__":
    main()
