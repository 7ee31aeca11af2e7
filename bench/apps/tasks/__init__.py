"""The tasks of each program: what an agent does, and what the program itself then holds."""

from bench.apps.tasks import gradio, streamlit

TASKS = [*gradio.TASKS, *streamlit.TASKS]
