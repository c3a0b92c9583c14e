"""The runtime of GitHub Copilot: JSON-RPC with `Content-Length` framing over TCP, protocol 3, as the official client speaks it.

The order of the events is that of runtime 1.0.102; but that one refuses calls of tools that nobody offers by itself.
"""

from __future__ import annotations

import contextlib
import json
import socket
import socketserver
import threading
import uuid
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from copilot import CopilotClient, RuntimeConnection

from tests.running.hosts import Call, Says, Script


class Runtime(socketserver.ThreadingTCPServer):
    """Plays a script. `heard` are the calls of clients, method and params; `refuses` are methods that get an error."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.script = script
        self.heard: list[tuple[str, dict[str, Any]]] = []
        self.refuses: dict[str, dict[str, Any]] = {}
        self.departures = threading.Semaphore(0)
        self.address = f"127.0.0.1:{self.server_address[1]}"
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def calls(self, method: str) -> list[dict[str, Any]]:
        """The params of all calls of a method."""
        return [params for name, params in self.heard if name == method]

    def close(self) -> None:
        """End the server."""
        self.shutdown()
        self._thread.join()
        self.server_close()


@asynccontextmanager
async def opened(address: str, **settings: Any) -> AsyncIterator[Any]:
    """A live session of the official client, on a connection of its own."""
    client = CopilotClient(connection=RuntimeConnection.for_uri(address))
    try:
        async with await client.create_session(**settings) as session:
            yield session
    finally:
        with contextlib.suppress(ExceptionGroup):
            await client.stop()


@asynccontextmanager
async def side_by_side(address: str, *names: str) -> AsyncIterator[list[Any]]:
    """Several live sessions of one client, by their ids."""
    client = CopilotClient(connection=RuntimeConnection.for_uri(address))
    try:
        yield [await client.create_session(session_id=name) for name in names]
    finally:
        await client.stop()


class _Connection(socketserver.StreamRequestHandler):
    server: Runtime

    def setup(self) -> None:
        super().setup()
        self.talks: dict[str, _Talk] = {}

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError, ValueError):
            while header := self.rfile.readline():
                self.rfile.readline()
                self.heard(json.loads(self.rfile.read(int(header.split(b":")[1]))))

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            super().finish()
        self.server.departures.release()

    def heard(self, message: dict[str, Any]) -> None:
        method, params = message["method"], message["params"]
        self.server.heard.append((method, params))
        if method in self.server.refuses:
            self.write({"id": message["id"], "error": self.server.refuses[method]})
            after = None
        else:
            result, after = self.result_of(method, params)
            self.write({"id": message["id"], "result": result})
        if method == "session.tools.listPendingRequests":
            self.talks[params["sessionId"]].tried()
        elif after is not None:
            after()

    def result_of(self, method: str, params: dict[str, Any]) -> tuple[Any, Any]:
        """The result of a call, and what happens then."""
        name = params.get("sessionId", "")
        if method == "connect":
            return {"ok": True, "protocolVersion": 3, "version": "1"}, None
        if method == "session.create":
            self.talks[name] = _Talk(self, name)
            return {"sessionId": name}, None
        talk = self.talks[name]
        if method == "session.send":
            identifier = uuid.uuid4().hex
            return {"messageId": identifier}, lambda: talk.user_says(identifier, params)
        if method == "session.tools.handlePendingToolCall":
            waited = params["requestId"] in talk.waiting
            return {"success": waited}, lambda: talk.given_result(params) if waited else None
        if method == "session.abort":
            return {"success": True}, talk.aborted
        if method == "session.tools.listPendingRequests":
            return {"items": []}, None
        if method in ("session.detach", "session.tools.set", "session.model.switchTo"):
            return {"success": True}, None
        raise AssertionError(f"nobody told this runtime of {method}")

    def write(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.wfile.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))


class _Talk:
    """A session: what the model says next, and the requests that wait."""

    def __init__(self, connection: _Connection, name: str) -> None:
        script = connection.server.script
        self.connection, self.name = connection, name
        self.says = deque(script(name) if callable(script) else script)
        self.waiting: dict[str, str] = {}
        self.held: deque[Call] = deque()
        self.thinks: Says | None = None
        self.tries = 0
        self.turn = ""

    def event(self, kind: str, **data: Any) -> None:
        event = {
            "id": str(uuid.uuid4()),
            "timestamp": "2026-01-01T00:00:00Z",
            "parentId": None,
            "type": kind,
            "data": data,
        }
        self.raw(event)

    def raw(self, event: dict[str, Any]) -> None:
        self.connection.write({"method": "session.event", "params": {"sessionId": self.name, "event": event}})

    def user_says(self, identifier: str, params: dict[str, Any]) -> None:
        """The user says something; while the agent works it hears of it with the next request to the model."""
        self.event("user.message", content=params["prompt"], messageId=identifier)
        if params.get("mode") != "immediate":
            self.turn = identifier
            self.goes_on()

    def given_result(self, params: dict[str, Any]) -> None:
        identifier = self.waiting.pop(params["requestId"])
        self.event("external_tool.completed", requestId=params["requestId"])
        self.event("tool.execution_complete", toolCallId=identifier, success=True)
        if self.held:
            self.asks(*self.held.popleft())
        elif not self.waiting:
            self.event("assistant.turn_end", turnId="0")
            self.goes_on()

    def aborted(self) -> None:
        waited = list(self.waiting)
        self.waiting.clear()
        self.held.clear()
        self.event("abort", reason="user_initiated")
        for request in waited:
            self.event("external_tool.completed", requestId=request)
        self.event("assistant.turn_end", turnId="0")
        self.event("session.idle", mode="interactive", aborted=True)

    def goes_on(self) -> None:
        """The model says what it says next."""
        says = self.says.popleft()
        if says.tries:
            self.thinks, self.tries = says, says.tries
        else:
            self.speaks(says)

    def tried(self) -> None:
        """The connection is tried."""
        self.tries -= 1
        if self.thinks is not None and self.tries <= 0:
            says, self.thinks = self.thinks, None
            self.speaks(says)

    def speaks(self, says: Says) -> None:
        """The model says something."""
        identifier = uuid.uuid4().hex
        self.event("assistant.turn_start", turnId="0")
        for event in says.before:
            self.raw({"id": str(uuid.uuid4()), "timestamp": "2026-01-01T00:00:00Z", "parentId": None, **event})
        for start in range(0, len(says.text), 7):
            self.event("assistant.message_delta", messageId=identifier, deltaContent=says.text[start : start + 7])
            if says.ends == "cut":
                self.connection.connection.shutdown(socket.SHUT_RDWR)
                return
        if says.ends == "error" and says.error is not None:
            self.event("session.error", **says.error)
            return
        calls = [*says.calls, *says.run_here]
        requests = [{"toolCallId": i, "name": name, "arguments": arguments} for i, name, arguments in calls]
        word = "tool_calls" if requests else "stop"
        self.event("assistant.usage", model="m", inputTokens=1, outputTokens=1, finishReason=word)
        message = {"messageId": identifier, "content": says.text, "model": "m", "outputTokens": 1}
        listed = {"toolRequests": requests} if requests else {}
        self.event("assistant.message", **message, **listed, originatingMessageId=self.turn)
        self.runs(says)

    def asks(self, identifier: str, name: str, arguments: Any) -> None:
        """The agent asks the app for a tool."""
        request = f"request-{identifier}"
        self.waiting[request] = identifier
        data = {"requestId": request, "sessionId": self.name, "toolCallId": identifier, "toolName": name}
        self.event("external_tool.requested", **data, arguments=arguments)

    def runs(self, says: Says) -> None:
        """The calls of a message: each begins, some run here, the others wait for the app."""
        run_here = deque(says.run_here)
        for identifier, name, arguments in says.calls:
            self.event("tool.execution_start", toolCallId=identifier, toolName=name, arguments=arguments)
            if run_here:
                own, tool, values = run_here.popleft()
                self.event("tool.execution_start", toolCallId=own, toolName=tool, arguments=values)
                self.event("tool.execution_complete", toolCallId=own, success=True)
            if identifier in says.refused:
                self.event("tool.execution_complete", toolCallId=identifier, success=False)
                continue
            if says.serially and self.waiting:
                self.held.append((identifier, name, arguments))
            else:
                self.asks(identifier, name, arguments)
        if self.waiting or says.ends == "nothing":
            return
        if says.ends == "idle" and not says.calls and not says.run_here:
            self.event("assistant.turn_end", turnId="0")
            self.event("session.idle")
        else:
            self.goes_on()
