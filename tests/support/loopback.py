"""A server on this machine that replays answers over real connections, and keeps what it was sent."""

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


@dataclass(frozen=True)
class Reply:
    """What the next request gets: pieces that are sent one by one, in chunked coding.

    `cut`: after them the connection is closed, as if the answer went on.
    """

    pieces: Iterable[bytes]
    kind: str = "application/json"
    status: int = 200
    cut: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sent:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


class Loopback(ThreadingHTTPServer):
    """Answers each request with the next of `replies`, and puts it into `heard`; `left` counts connections that ended."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies: deque[Reply] = deque()
        self.heard: deque[Sent] = deque()
        self.left = threading.Semaphore(0)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def reply_to(self, sent: Sent) -> Reply:
        """The answer to a request: the next of `replies`."""
        return self.replies.popleft() if self.replies else Reply([b"nothing to replay"], status=500)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection, and count it."""
        super().shutdown_request(request)
        self.left.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client may hang up; anything else is a fault of ours."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def close(self) -> None:
        """End the server."""
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
        """Say nothing: what matters is in `heard`."""


_AWKWARD = re.compile(rb"(?<=[\xc2-\xf4])|(?<=\n)(?=\r?\n)|(?<=\r)|(?<=da)(?=ta:)|(?<=[:,]\")")


def torn(content: bytes) -> list[bytes]:
    """Pieces that end where readers stumble: inside characters, ends of lines, names of fields and texts."""
    return [piece for piece in _AWKWARD.split(content) if piece]
