"""A scripted fake of Anthropic's API on loopback: it makes Claude Code call our tool, then repeats the tool's answer.

There is no model in it. It requests the tool until Claude Code has it, calls it with the user's line, and repeats its
answer.
"""

import http.server
import json
import uuid
from collections.abc import Iterator
from typing import Any

TOOL = "mcp__chrome-tab-reader__process_chrome_tab"


class ScriptedApi(http.server.ThreadingHTTPServer):
    """The server, and the question that the user asks."""

    def __init__(self, question: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.question = question


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers every request for a message according to the script."""

    server: ScriptedApi  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        """Answer Claude Code's requests at its start."""
        self._send("application/json", b"{}")

    def do_POST(self) -> None:
        """Answer a request for a message."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.partition("?")[0] != "/v1/messages":
            self._send("application/json", b'{"input_tokens": 1}')
            return
        message = {"id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant", "model": request["model"]}
        message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
        block = self._next(request)
        kind = "tool_use" if block["type"] == "tool_use" else "end_turn"
        if not request.get("stream"):
            self._send("application/json", json.dumps({**message, "content": [block], "stop_reason": kind}).encode())
            return
        events = "".join(
            f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
            for event in streamed({**message, "content": []}, block, kind)
        )
        self._send("text/event-stream", events.encode())

    def _next(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return what Claude does next."""
        results = [part for part in parts_of(request["messages"]) if part.get("type") == "tool_result"]
        names = [tool["name"] for tool in request.get("tools", [])]
        if results and (texts := texts_of(results[-1])) and "process_chrome_tab" not in texts and TOOL in names:
            return {"type": "text", "text": texts.split("\n\n(read ")[0]}
        if TOOL in names:
            return tool_use(TOOL, {"system_prompt": self.server.question})
        if "ToolSearch" in names:
            return tool_use("ToolSearch", {"query": f"select:{TOOL}"})
        return {"type": "text", "text": "ok"}

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the inherited name
        """Log nothing."""


def tool_use(name: str, arguments: dict[str, str]) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:24]}", "name": name, "input": arguments}


def parts_of(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the content blocks of all messages that have a list of them."""
    for message in messages:
        if isinstance(message["content"], list):
            yield from message["content"]


def texts_of(result: dict[str, Any]) -> str:
    """Return the text of a tool's result."""
    content = result.get("content") or ""
    return content if isinstance(content, str) else "\n\n".join(part.get("text", "") for part in content)


def streamed(message: dict[str, Any], block: dict[str, Any], stop_reason: str) -> Iterator[dict[str, Any]]:
    """Yield the events of one message with one block."""
    if block["type"] == "text":
        empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield {"type": "message_start", "message": message}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    end = {"stop_reason": stop_reason, "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}
