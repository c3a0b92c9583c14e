"""A local server that replays responses over real connections, and records the requests."""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.budgets import budget


@dataclass(frozen=True)
class Reply:
    """The response to the next request: pieces that are sent one by one, with chunked encoding.

    `cut` means that the connection is closed after them, as if the response continued.
    """

    pieces: Iterable[bytes]
    kind: str = "application/json"
    status: int = 200
    cut: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sent:
    """A request that was received."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


class Loopback(ThreadingHTTPServer):
    """Responds to each request with the next of `replies`, and adds it to `heard`. `departures` counts closed connections."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies: deque[Reply] = deque()
        self.heard: deque[Sent] = deque()
        self.departures = threading.Semaphore(0)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def reply_to(self, sent: Sent) -> Reply:
        """Return the response to a request: the next of `replies`."""
        return self.replies.popleft() if self.replies else Reply([b"nothing to replay"], status=500)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection, and count it."""
        super().shutdown_request(request)
        self.departures.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect. Anything else is an error of ours."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def close(self) -> None:
        """Stop the server."""
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Loopback

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        sent = Sent(self.command, self.path, headers, json.loads(body))
        self.server.heard.append(sent)
        reply = self.server.reply_to(sent)
        self.send_response(reply.status)
        self.send_header("content-type", reply.kind)
        self.send_header("transfer-encoding", "chunked")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        for piece in reply.pieces:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        if reply.cut:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing, because the requests are in `heard`."""


_AWKWARD = re.compile(rb"(?<=[\xc2-\xf4])|(?<=\n)(?=\r?\n)|(?<=\r)|(?<=da)(?=ta:)|(?<=[:,]\")")


def torn(content: bytes) -> list[bytes]:
    """Split at points that are difficult for readers: inside characters, line ends, names of fields and strings.

    With a small budget, long content is split at some of these points, evenly spread.
    """
    pieces = [piece for piece in _AWKWARD.split(content) if piece]
    size = 1 + len(pieces) // budget(40, 10**9)
    return [b"".join(pieces[i : i + size]) for i in range(0, len(pieces), size)]
