"""The tasks of each program: what an agent does, and what the program itself must contain afterwards."""

from bench.apps.tasks import gradio, jupyterlab, mlflow, node_red, streamlit, tiddlywiki, wagtail

TASKS = [
    *(task for program in (jupyterlab, node_red, tiddlywiki, wagtail) for task in program.TASKS),
    *(task for program in (gradio, streamlit, mlflow) for task in program.TASKS),
]
