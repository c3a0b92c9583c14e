"""What an API refused, as the client of it raised it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ...models import ApiError
from ..errors import BareApiError
from ..json_texts.strict_json import JSONError, loads

__all__ = ["SessionError", "reached", "refusal_of"]

_ANSWERED = 200
"""The status of an error that came as an answer."""


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

    def __reduce__(self) -> tuple[Any, ...]:
        """Say how a copy is made, for the text that exceptions keep is made of the three."""
        return type(self), (self.provider, self.status, self.error), self.__dict__


def refusal_of(raised: BaseException, status: str, body: str) -> tuple[int, Any] | None:
    """The status and the body of what an API refused; None for an exception that is no refusal.

    A client's exception holds them at these places. With the status of an answer, or none, it needs a body: that is an
    error in place of an answer, or at the head of a stream.
    """
    if isinstance(raised, BareApiError):
        return _ANSWERED, raised.body
    found, said = reached(raised, status), reached(raised, body)
    if isinstance(said, str):
        with suppress(JSONError):
            said = loads(said)
    if type(found) is int and found >= 400:
        return found, said
    told = isinstance(said, Mapping) or (isinstance(said, str) and type(found) is int)
    return (_ANSWERED, said) if said and told else None


def reached(value: Any, way: str) -> Any:
    """What a way of attributes and keys, with dots between them, leads to; None where it ends early."""
    for step in way.split("."):
        value = value.get(step) if isinstance(value, Mapping) else getattr(value, step, None)
    return value
