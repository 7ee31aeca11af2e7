"""The cost of reading a PDF of 100 pages compared with pdf.js alone in the same tab: `measure_pdf`.

Alone: python -m bench.pdf.
"""

import asyncio
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from bench.bridge import started
from bench.lines import Line
from bench.web import Reply, listening
from demo.browser import browser_with_extension, pair
from demo.server import SERVER, connection_string, server_environment
from tests.support.pdf import pdf

ROUNDS = 9
PAGES, LINES = 100, 45
LINE = "The river rose by two metres in one night, and the people of house {} in street {} moved upstairs."
LIMIT = 2
# The browser's viewer shows the file meanwhile, as it does for a user who asks about it.
VIEWER_S = 1.5

# In the service worker: pdf.js in the tab at this address, from the file's bytes to the text of the last page, in ms.
LIBRARY_ALONE_MS = """async (url) => {
  const [{ id: tabId }] = await chrome.tabs.query({ url });
  const execute = (script) => chrome.scripting.executeScript({ target: { tabId }, ...script });
  await execute({ files: ["vendor/pdfjs.js"] });
  const [{ result }] = await execute({
    func: async () => {
      const data = new Uint8Array(await (await fetch(location.href, { cache: "force-cache" })).arrayBuffer());
      const begun = performance.now();
      const { promise } = chromeTabPdfjs.getDocument({ data, disableFontFace: true, useWasm: false, verbosity: 0 });
      const file = await promise;
      for (let number = 1; number <= file.numPages; number++) await (await file.getPage(number)).getTextContent();
      return performance.now() - begun;
    },
  });
  return result;
}"""


async def measure_pdf() -> list[Line]:
    """Time `read_chrome_tab` from call to answer, each time with another file, compared with the library's own time."""
    file = pdf([[LINE.format(number, page) for number in range(LINES)] for page in range(PAGES)])

    def site(_request: BaseHTTPRequestHandler) -> Reply:
        return 200, "application/pdf", file

    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        address = stack.enter_context(listening(site))
        settings = {"OLLAMA_BASE_URL": address, "OLLAMA_MODEL": "none", "CHROME_TAB_SOURCE": "extension"}
        environment = server_environment(folder, settings)
        client = await stack.enter_async_context(started(folder, environment, "uv", "run", "--quiet", str(SERVER)))
        browser = await stack.enter_async_context(browser_with_extension(folder / "profile"))
        await pair(browser, await connection_string(environment))
        page = browser.pages[0]
        await page.bring_to_front()
        (worker,) = browser.service_workers
        ours: list[float] = []
        alone: list[float] = []
        for number in range(1 + ROUNDS):
            await page.goto(f"{address}/alone{number}.pdf")
            await asyncio.sleep(VIEWER_S)
            alone.append(await worker.evaluate(LIBRARY_ALONE_MS, page.url))
            await page.goto(f"{address}/ours{number}.pdf")
            await asyncio.sleep(VIEWER_S)
            begun = time.perf_counter()
            answer = await client.request("tools/call", name="read_chrome_tab", arguments={"start": f"[Page {PAGES}]"})
            ours.append((time.perf_counter() - begun) * 1000)
            assert LINE.format(LINES - 1, PAGES - 1) in str(answer), answer
    what = f"first read of a PDF of {PAGES} pages"
    return [(what, statistics.median(ours[1:]), "pdf.js alone", statistics.median(alone[1:]), "ms", LIMIT)]


if __name__ == "__main__":
    for line in asyncio.run(measure_pdf()):
        print(*line, f"ratio {line[1] / line[3]:.2f}")
