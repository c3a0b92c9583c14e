"""What an API says when it refuses a request: its status and body, the id of the request, and how long to wait."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any

from ..errors import BareApiError
from ..json_text import JSONError, loads
from ..models import ApiError

__all__ = ["SessionError", "refusal_of", "request_id", "resolve_attribute", "retry_after"]

_ANSWERED = 200
"""The status of an error that came as an answer."""


class SessionError(Exception):
    """An API rejected a request.

    `error` says why, and whether a retry may help; the message only states its kind. The client's own exception is left
    out, because servers repeat parts of API keys in it.
    """

    def __init__(
        self,
        provider: str,
        status: int,
        error: ApiError,
        *,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        """Take the provider, the HTTP status and what `from_error` made of the body.

        `error.message` is the API's own text. `request_id` is what its support asks for, `retry_after` the seconds that it
        wants one to wait; None where it says nothing.
        """
        super().__init__(f"{provider}: {error.kind} (status {status})")
        self.provider = provider
        self.status = status
        self.error = error
        self.request_id = request_id
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[Any, ...]:
        """Say how a copy is made, for the text that exceptions keep is made of the three."""
        return type(self), (self.provider, self.status, self.error), self.__dict__


def refusal_of(raised: BaseException, status: str, body: str) -> tuple[int, Any] | None:
    """The status and the body of what an API refused; None for an exception that is not a refusal.

    A client's exception holds them at these places. With the status of an answer, or none, it needs a body: that is an
    error in place of an answer, or at the head of a stream.
    """
    if isinstance(raised, BareApiError):
        return _ANSWERED, raised.body
    found, said = resolve_attribute(raised, status), resolve_attribute(raised, body)
    if isinstance(said, str):
        with suppress(JSONError):
            said = loads(said)
    if type(found) is int and found >= 400:
        return found, said
    told = isinstance(said, Mapping) or (isinstance(said, str) and type(found) is int)
    return (_ANSWERED, said) if said and told else None


def resolve_attribute(value: Any, way: str) -> Any:
    """What a way of attributes and keys, with dots between them, leads to; None where it ends early."""
    for step in way.split("."):
        value = value.get(step) if isinstance(value, Mapping) else getattr(value, step, None)
    return value


_REQUEST_IDS = ("x-request-id", "request-id", "x-amzn-requestid", "apim-request-id", "x-goog-request-id", "cf-ray")
"""Headers in which providers and their hosts name a request."""


def request_id(headers: Any) -> str | None:
    """What the headers of an answer call the request.

    Args:
        headers: A mapping of header names, in any case, to values. Other objects are ignored.
    """
    said = _lowered(headers)
    return next((said[name] for name in _REQUEST_IDS if name in said), None)


def retry_after(headers: Any, body: Any) -> float | None:
    """Seconds to wait before the next request; None where an answer does not say.

    `retry-after-ms` and `retry-after` are headers (RFC 9110, 10.2.3: seconds or a date), `retryDelay` stands in the error
    details of Google's APIs (google.rpc.RetryInfo).

    Args:
        headers: A mapping of header names, in any case, to values. Other objects are ignored.
        body: The body of the response.
    """
    said = _lowered(headers)
    seconds = _number(said.get("retry-after-ms"), 0.001)
    if seconds is None:
        seconds = _number(said.get("retry-after"), 1)
    if seconds is None and "retry-after" in said:
        with suppress(ValueError, TypeError, OverflowError):
            seconds = parsedate_to_datetime(said["retry-after"]).timestamp() - time.time()
    if seconds is None:
        seconds = _delay(body)
    return None if seconds is None else max(0.0, seconds)


def _lowered(headers: Any) -> dict[str, str]:
    """Headers by their names in small letters."""
    try:
        return {str(name).lower(): str(value) for name, value in headers.items()}
    except (AttributeError, TypeError, ValueError):
        return {}


def _number(text: str | None, unit: float) -> float | None:
    return float(text) * unit if text is not None and re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text.strip()) else None


def _delay(body: Any) -> float | None:
    details = resolve_attribute(body, "error.details")
    for detail in details if isinstance(details, list) else ():
        said = detail.get("retryDelay") if isinstance(detail, Mapping) else None
        if isinstance(said, str) and said.endswith("s"):
            return _number(said[:-1], 1)
    return None
