"""What an API refused, as the client of it raised it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...models import ApiError
from ..json_texts.strict_json import JSONError, loads

__all__ = ["SessionError", "reached", "refusal_of"]


class SessionError(Exception):
    """An API refused a request. `error` says why, and whether to try again; the text names no more than the kind.

    The client's own exception is left out: servers repeat parts of keys in theirs.
    """

    def __init__(self, provider: str, status: int, error: ApiError) -> None:
        """Take the provider, the HTTP status and what `from_error` made of the body."""
        super().__init__(f"{provider}: {error.kind} (status {status})")
        self.provider = provider
        self.status = status
        self.error = error


def refusal_of(raised: BaseException, status: str, body: str) -> tuple[int, Any] | None:
    """The status and the body that a client's exception holds at these places; None for one that is no refusal."""
    found = reached(raised, status)
    if type(found) is not int or found < 400:
        return None
    said = reached(raised, body)
    if isinstance(said, str):
        try:
            said = loads(said)
        except JSONError:
            return found, said
    return found, said


def reached(value: Any, way: str) -> Any:
    """What a way of attributes and keys, with dots between them, leads to; None where it ends early."""
    for step in way.split("."):
        value = value.get(step) if isinstance(value, Mapping) else getattr(value, step, None)
    return value
