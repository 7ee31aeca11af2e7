"""What clients make of an answer: HTML by several Markdown renderers, read by a real browser."""

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import unquote

import cmarkgfm  # pyright: ignore[reportMissingTypeStubs]
import mistune
from cmarkgfm.cmark import Options  # pyright: ignore[reportMissingTypeStubs]
from markdown_it import MarkdownIt
from playwright.sync_api import Page

UNSAFE = Options.CMARK_OPT_UNSAFE
RENDERERS: dict[str, Callable[[str], Any]] = {
    "GitHub": functools.partial(
        cmarkgfm.github_flavored_markdown_to_html, options=UNSAFE | Options.CMARK_OPT_FOOTNOTES
    ),
    "cmark": functools.partial(
        cmarkgfm.markdown_to_html_with_extensions, options=UNSAFE, extensions=["autolink", "table", "strikethrough"]
    ),
    "markdown-it": MarkdownIt("gfm-like").render,
    "markdown-it without HTML": MarkdownIt("gfm-like", {"html": False}).render,
    "mistune": mistune.create_markdown(escape=False, plugins=["table", "url", "footnotes", "def_list", "abbr", "math"]),
}
# Every attribute of the parsed HTML that could load, link or run, with its absolute URL.
READ = r"""pages => pages.map(html => {
  const found = [];
  const walk = root => {
    for (const element of root.querySelectorAll("*")) {
      const tag = element.localName;
      if (tag === "template") walk(element.content);
      const css = tag === "style" && /[{@]/.test(element.textContent) && /url|import|\\/i.test(element.textContent);
      if (css || tag === "script" || element.httpEquiv || element.srcdoc) found.push([tag, "", "runs:"]);
      for (const { name, value } of element.attributes) {
        if (/^on/.test(name) || (name === "style" && /url|image|\\/i.test(value))) found.push([tag, name, "runs:"]);
        if (/^xmlns|^(alt|title|class|id|lang|content)$/.test(name)) continue;
        const parts = /srcset$/.test(name) ? value.split(/[\s,]+/) : [value];
        for (const part of parts) {
          if (URL.canParse(part, "http://client.invalid/"))
            found.push([tag, name, new URL(part, "http://client.invalid/").href]);
        }
      }
    }
  };
  walk(new DOMParser().parseFromString(`<!doctype html><body>${html}`, "text/html"));
  return found;
})"""
ACTING = re.compile(r"(?:https?|ftp|file|javascript|data|vbscript|mailto|tel|sms|xmpp|wss?|runs):(?!//client\.invalid)")


def acting(browser: Page, answers: Sequence[str], known: set[str]) -> list[list[str]]:
    """Return for each answer what would load, run, or lead to an address that is not `known`, in any renderer.

    Punctuation after a known address carries no data.
    """
    acting: list[list[str]] = [[] for _ in answers]
    for name, render in RENDERERS.items():
        for found, elements in zip(acting, browser.evaluate(READ, [render(text) for text in answers]), strict=True):
            found += [
                f"{name}: {tag} {attribute}={address}"
                for tag, attribute, address in elements
                if ACTING.match(address)
                and not ((tag, attribute) == ("a", "href") and re.sub(r"[^A-Za-z0-9]+$", "", unquote(address)) in known)
            ]
    return acting
