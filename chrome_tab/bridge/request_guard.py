"""Which HTTP requests and WebSockets the port accepts, and how their errors are reported."""

from __future__ import annotations

import asyncio
import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import mcp_types

import chrome_tab_mcp_server as server
from chrome_tab.bridge.port import HTTP_SENTENCES, PAGE_HEADERS, extension_origin, http_failure

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.responses import JSONResponse
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from chrome_tab.bridge.roles import HttpSide


class RequestGuard:
    """ASGI middleware of the port: checks each request before it is handled, and reports errors as JSON."""

    def __init__(self, app: ASGIApp, port: int, http: HttpSide | None) -> None:
        self._app, self._port, self._http = app, port, http

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on allowed requests; close the connection without a response if another site's page may have sent it."""
        from starlette.datastructures import Headers

        headers, connection, http = Headers(scope=scope), scope["state"]["connection"], self._http
        shows_key = http is not None and http.shows_key(headers)
        if not shows_key and self._may_be_foreign_page(scope, headers):
            connection.drop()
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        ended = scope["state"]["ended"] = asyncio.Event()
        try:
            path = scope["path"]
            inner = {**scope, "path": "/message/"} if path == "/message" else scope
            refusal = self._refusal(scope, headers)
            if shows_key:
                connection.admit()
            elif http and http.is_open and path in http.mcp_paths and not refusal:
                receive = admitting(connection, receive)
            await (refusal or self._app)(inner, receive, JsonErrors(send, path))
        finally:
            ended.set()

    def _may_be_foreign_page(self, scope: Scope, headers: Headers) -> bool:
        """Return whether another site's page may have sent this; such a page must not learn that the port is open."""
        origins = headers.getlist("origin")
        if not self._is_addressed_here(headers) or len(origins) > 1:
            return True
        if origins and re.fullmatch(extension_origin(), origins[0]):
            return False
        is_elsewhere = headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}
        return is_elsewhere or not self._is_same_origin(scope, headers)

    def _is_addressed_here(self, headers: Headers) -> bool:
        """Return whether there is exactly one Host header, with our address; this rules out DNS rebinding."""
        return headers.getlist("host") in ([f"{server.HOST}:{self._port}"], [f"localhost:{self._port}"])

    def _is_same_origin(self, scope: Scope, headers: Headers) -> bool:
        """Return whether a request has no Origin, or (HTTP only) the test app's."""
        has_pages = self._http and scope["type"] == "http"
        return headers.getlist("origin") in ([], *([[f"http://{headers.get('host')}"]] if has_pages else []))

    def _refusal(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        """Build the response to a rejected request; return None for an allowed one."""
        http = self._http
        if not self._is_addressed_here(headers) or not self._is_same_origin(scope, headers):
            return http_failure(
                403, f"Host or Origin is not allowed. Send requests to http://{server.HOST}:{self._port} directly."
            )
        if http and not http.is_public(scope["path"]) and not http.admits(headers):
            return http_failure(
                401,
                "The bearer key is missing or wrong. Run the server with --pair --http to see it, and send it as "
                "Authorization: Bearer KEY.",
            )
        return None


def admitting(connection: Any, receive: Receive) -> Receive:
    """Wrap `receive` to admit a connection without a key once its complete request has arrived."""

    async def receive_part() -> Message:
        message = await receive()
        if not message.get("more_body"):
            connection.admit()
        return message

    return receive_part


class JsonErrors:
    """An ASGI `send` that reports errors as one sentence in JSON, and adds the security headers."""

    def __init__(self, send: Send, path: str) -> None:
        self._send = send
        self._path = path
        self._replaced = False
        self._held: Message | None = None

    async def __call__(self, message: Message) -> None:
        """Send one message of a response."""
        from starlette.datastructures import MutableHeaders

        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(PAGE_HEADERS)
            status = message["status"]
            # The library responds to an unknown session_id with 404, although it is an invalid argument.
            status = 400 if status == HTTPStatus.NOT_FOUND and self._path == "/message" else status
            self._replaced = status >= HTTPStatus.BAD_REQUEST and "json" not in headers.get("content-type", "")
            if self._replaced:
                failure = http_failure(status, HTTP_SENTENCES.get(status, "The request failed."))
                allowed = {"allow": headers["allow"]} if "allow" in headers else {}
                failure.headers.update(PAGE_HEADERS | allowed)
                await self._send({**message, "status": status, "headers": failure.raw_headers})
                await self._send({"type": "http.response.body", "body": bytes(failure.body)})
                return
            if status == HTTPStatus.BAD_REQUEST:
                self._held = message
                return
        elif held := self._held:
            self._held = None
            message["body"] = in_one_sentence(message["body"])
            MutableHeaders(scope=held)["content-length"] = str(len(message["body"]))
            await self._send(held)
        if not self._replaced:
            await self._send(message)


def in_one_sentence(body: bytes) -> bytes:
    """Replace an error of several lines: mcp quotes pydantic's report on its own classes. Return others unchanged."""
    if b"\\n" not in body:
        return body
    sentence = "The body is not a JSON-RPC message. Correct it, then send it again."
    error = mcp_types.ErrorData(code=mcp_types.INVALID_REQUEST, message=sentence)
    return mcp_types.JSONRPCError(jsonrpc="2.0", id=None, error=error).model_dump_json(exclude_unset=True).encode()
