"""The tasks of `bench.apps.tasks` as an agent with playwright-mcp does them."""

from collections.abc import Awaitable, Callable

from bench.apps.peer_agent import PeerAgent
from bench.apps.peer_tasks import gradio, jupyterlab, mlflow, node_red, streamlit, tiddlywiki, wagtail
from bench.apps.programs import Site

PEER_TASKS: dict[str, Callable[[PeerAgent, Site, str], Awaitable[str]]] = {
    "A1": jupyterlab.calculate,
    "A2": jupyterlab.write,
    "A3": node_red.say_hello,
    "A4": node_red.find_version,
    "A5": tiddlywiki.write_recipe,
    "A6": tiddlywiki.change_looks,
    "B1": wagtail.publish_news,
    "B2": wagtail.add_editor,
    "B3": gradio.book,
    "B4": streamlit.count_and_save,
    "B5": mlflow.tag_best_run,
}
