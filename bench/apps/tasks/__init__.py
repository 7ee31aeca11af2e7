"""The tasks of each program: what an agent does, and what the program itself then holds."""

from bench.apps.tasks import gradio, jupyterlab, streamlit

TASKS = [*jupyterlab.TASKS, *gradio.TASKS, *streamlit.TASKS]
