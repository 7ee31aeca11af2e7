"""Compare the list's accessible names, and Chromium's own, with expected ones.

Alone: python -m bench.accessible_names FOLDER [--missing 20]. FOLDER has WPT's `accname/name/*.html`: elements with
`data-expectedlabel`. Both sides name the same elements of the same pages.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from bench.accessibility import EXTENSION, SIZE
from tests.support.browser import IsolatedWorld, launch_chromium

NAME_ALL = """() => {
  const roots = [document];
  const found = [];
  for (const root of roots) {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      if (element.hasAttribute("data-expectedlabel")) found.push(element);
    }
  }
  globalThis.expecting = found;
  return found.map((element) => ({
    ours: accessibleNames.accessibleNameOf(element, roles.isNamedByContent(roles.roleOf(element))),
    expected: element.getAttribute("data-expectedlabel"),
    test: element.getAttribute("data-testname") ?? element.outerHTML.slice(0, 100),
  }));
}"""


def names_of(page: Page) -> list[dict[str, str]]:
    """Return for each marked element the expected name, ours, and Chromium's (`theirs`), each on one line."""
    session: Any = page.context.new_cdp_session(page)
    world = IsolatedWorld(page)
    groups = json.loads((EXTENSION / "page" / "files.json").read_text(encoding="utf-8"))
    for path in [*groups["interaction"], *groups["elementList"]]:
        world.evaluate((EXTENSION / path).read_text(encoding="utf-8"))
    names = world.evaluate(f"({NAME_ALL})()")
    for index, name in enumerate(names):
        given = {"expression": f"expecting[{index}]", "contextId": world.context}
        found = session.send("Runtime.evaluate", given)["result"]["objectId"]
        (node,) = session.send("Accessibility.getPartialAXTree", {"objectId": found, "fetchRelatives": False})["nodes"]
        name["theirs"] = node.get("name", {}).get("value") or ""
    return [{key: " ".join(text.replace("\xa0", " ").split()) for key, text in name.items()} for name in names]


def main() -> None:
    """Print the agreement for each page and in total."""
    parser = argparse.ArgumentParser(prog="python -m bench.accessible_names", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--missing", type=int, default=0, help="differences to print of each page")
    given = parser.parse_args()
    total = [0, 0, 0]
    with launch_chromium() as browser:
        for path in sorted(given.folder.rglob("*.html")):
            page = browser.new_page(viewport=SIZE)
            page.goto(path.resolve().as_uri())
            names = names_of(page)
            page.close()
            if not names:
                continue
            ours, theirs = (sum(name[side] == name["expected"] for name in names) for side in ("ours", "theirs"))
            print(f"{path.stem}: ours {ours}, Chromium {theirs} of {len(names)}", flush=True)
            for name in [name for name in names if name["ours"] != name["expected"]][: given.missing]:
                print(f"    {name}")
            total = [total[0] + ours, total[1] + theirs, total[2] + len(names)]
    print(f"all: ours {total[0]}, Chromium {total[1]} of {total[2]}")


if __name__ == "__main__":
    main()
