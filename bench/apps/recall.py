"""Each program's pages as `page_elements` lists them, compared with Chromium's accessibility tree."""

from collections.abc import Sequence

from playwright.sync_api import Page

from bench.accessibility import REST_MS, SIZE, Agreement, compare_page, load
from bench.apps.programs import Site
from bench.apps.tasks.jupyterlab import path as jupyterlab_path
from tests.support.browser import launch_chromium

# The pages to compare, as paths; the fragments of some programs choose a page.
PATHS: dict[str, Sequence[str]] = {
    "node-red": ("",),
    "tiddlywiki": ("", "#%24%3A%2FControlPanel"),
    "wagtail": ("admin/", "admin/pages/3/", "admin/pages/add/home/homepage/3/", "admin/users/"),
    "gradio": ("",),
    "streamlit": ("", "take_trip"),
    "mlflow": ("", "#/experiments", "#/experiments/1/runs?workflowType=machine_learning"),
}


def paths_of(site: Site, program: str, name: str) -> Sequence[str]:
    """Return the paths of a program; JupyterLab also shows the notebook that the tasks have written."""
    if program != "jupyterlab":
        return PATHS[program]
    start = jupyterlab_path(site)
    return start, start.replace("lab?", f"lab/tree/{name}.ipynb?")


def compare(site: Site, program: str, name: str) -> Agreement:
    """Compare all pages of a program; the notes name the page of each difference."""
    total = Agreement()
    with launch_chromium() as browser:
        page = browser.new_page(viewport=SIZE)
        for path in paths_of(site, program, name):
            # A fragment alone would load nothing.
            page.goto("about:blank")
            load(page, site.address + path, REST_MS)
            if page.locator("input[type=password]").count() and program == "wagtail":
                sign_in(page)
            agreement = compare_page(page, REST_MS)
            total.include(agreement)
            total.notes += [f"/{path.partition('?')[0]}: {note}" for note in agreement.notes]
    return total


def sign_in(page: Page) -> None:
    page.fill("input[name=username]", "admin")
    page.fill("input[name=password]", "pw-admin-1")
    page.keyboard.press("Enter")
    page.wait_for_load_state("networkidle")
