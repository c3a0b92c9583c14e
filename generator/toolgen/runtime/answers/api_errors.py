"""Errors that an API answers with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from ...models import ApiError

__all__ = ["api_error"]

Kind = Literal[
    "invalid_request",
    "authentication",
    "rate_limit",
    "context_length",
    "content_policy",
    "overloaded",
    "server",
    "unknown",
]

_STATUSES: dict[int, Kind] = {
    400: "invalid_request",
    401: "authentication",
    403: "authentication",
    404: "invalid_request",
    405: "invalid_request",
    408: "server",
    409: "server",
    413: "invalid_request",
    415: "invalid_request",
    422: "invalid_request",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",
}
_RETRYABLE = ("rate_limit", "overloaded", "server")


def api_error(provider: str, status: int, body: Any, table: Mapping[str, Any]) -> ApiError:
    """Classify an error by the words in its body, else by its status.

    `table` has `codes`: the ways to a word, `words`: what a word means, `phrases`: what a piece of the message means,
    `message`: the ways to the message, `final`: words that a second try does not help. Where the status is that of an answer,
    a code of the body that is a status goes before it.
    """
    codes = [found for way in table.get("codes", ()) if type(found := _at(body, way)) in (str, int)]
    if status < 400:
        status = next((int(code) for code in codes if re.fullmatch("[45][0-9][0-9]", str(code))), status)
    texts = [_at(body, way) for way in table.get("message", ())] + [body]
    message = next((text for text in texts if type(text) is str and text.strip()), f"HTTP status {status}")
    words: Mapping[str, Kind] = table.get("words", {})
    phrases: Mapping[str, Kind] = table.get("phrases", {})
    lowered = message.lower()
    kind = _first(words, [str(code) for code in codes])
    if kind in (None, "invalid_request", "server"):
        kind = _first(phrases, [phrase for phrase in phrases if phrase in lowered]) or kind
    if kind is None:
        kind = _STATUSES.get(status) or ("server" if status >= 500 else "unknown")
    final = any(str(code) in table.get("final", ()) for code in codes)
    state = {"status": status, "body": body}
    return ApiError(kind, message, kind in _RETRYABLE and not final, {provider: state})


def _first(table: Mapping[str, Kind], words: list[str]) -> Kind | None:
    for word in words:
        if word in table:
            return table[word]
    return None


def _at(body: Any, way: list[Any]) -> Any:
    for step in way:
        if type(step) is int:
            body = body[step] if type(body) is list and len(body) > step else None
        else:
            body = body.get(step) if type(body) is dict else None
    return body
