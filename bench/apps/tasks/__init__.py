"""The tasks of each program: what an agent does, and what the program itself then holds."""

from bench.apps.tasks import gradio, jupyterlab, node_red, streamlit, tiddlywiki

TASKS = [*jupyterlab.TASKS, *node_red.TASKS, *tiddlywiki.TASKS, *gradio.TASKS, *streamlit.TASKS]
