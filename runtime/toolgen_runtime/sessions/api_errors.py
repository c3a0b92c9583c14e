"""API errors of official clients: status, body, request id, and the time to wait before a retry."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from ..errors import BareApiError
from ..json_text import JSONError, loads
from ..models import ApiError, Message, Usage

__all__ = [
    "ErrorResponse",
    "SessionError",
    "read_error_response",
    "request_id",
    "resolve_attribute",
    "retry_after",
]

_SUCCESS = 200
"""The status for an error in a successful response."""


class SessionError(Exception):
    """An API rejected a request.

    `error` has the reason, and whether a retry may help. The message has the API's own text, unless it is about
    authentication: there, servers repeat parts of API keys, for which the client's own exception is not chained either. If a run raises it, `messages` is the conversation up to
    then, from which a later run can continue, and `usage` what its responses used.
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
        """Set the provider, the HTTP status and the result of `from_error`.

        `error.message` is the API's own text. `request_id` is the id that the provider's support asks for, and
        `retry_after` the time to wait in seconds; None if the API does not state them.
        """
        text = "" if error.kind == "authentication" else f": {error.message}"
        super().__init__(f"{provider}: {error.kind} (status {status}){text}")
        self.provider = provider
        self.status = status
        self.error = error
        self.request_id = request_id
        self.retry_after = retry_after
        self.messages: list[Message] = []
        self.usage: Usage | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to copy this exception: `BaseException` would pass the message to `__init__`."""
        return type(self), (self.provider, self.status, self.error), self.__dict__


class ErrorResponse(NamedTuple):
    """What an API returned instead of a response: the HTTP status, and the body as far as the client has it."""

    status: int
    body: Any


def read_error_response(raised: BaseException, status_path: str, body_path: str) -> ErrorResponse | None:
    """Return the error response of the API that a client's exception is about. None for any other exception.

    `status_path` and `body_path` are attribute paths in the exception. If the status is missing or that of a success, a
    body is required: such an error came instead of a response, or at the start of a stream.
    """
    if isinstance(raised, BareApiError):
        return ErrorResponse(_SUCCESS, raised.body)
    status, body = resolve_attribute(raised, status_path), resolve_attribute(raised, body_path)
    if isinstance(body, str):
        with suppress(JSONError):
            body = loads(body)
    if type(status) is int and status >= 400:
        return ErrorResponse(status, body)
    return ErrorResponse(_SUCCESS, body) if body and isinstance(body, Mapping | str) else None


def resolve_attribute(value: Any, attribute_path: str) -> Any:
    """Return the value at an attribute path, whose steps are attributes or keys. None if it does not exist."""
    for step in attribute_path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else getattr(value, step, None)
    return value


_REQUEST_IDS = ("x-request-id", "request-id", "x-amzn-requestid", "apim-request-id", "x-goog-request-id", "cf-ray")
"""Headers with the id of a request, from providers and their hosts."""


def request_id(headers: Any) -> str | None:
    """Return the id of a request from the headers of its response.

    Args:
        headers: A mapping of header names, in any case, to values. Other objects are ignored.
    """
    lowered = _by_lower_case_name(headers)
    return next((lowered[name] for name in _REQUEST_IDS if name in lowered), None)


def retry_after(headers: Any, body: Any) -> float | None:
    """Return the seconds to wait before the next request. None if the response does not state them.

    `retry-after-ms` and `retry-after` are headers (RFC 9110, 10.2.3: seconds or a date). `retryDelay` is part of the
    error details of Google's APIs (google.rpc.RetryInfo).

    Args:
        headers: A mapping of header names, in any case, to values. Other objects are ignored.
        body: The body of the response.
    """
    lowered = _by_lower_case_name(headers)
    seconds = _seconds(lowered.get("retry-after-ms"), unit=0.001)
    if seconds is None:
        seconds = _seconds(lowered.get("retry-after"))
    if seconds is None and "retry-after" in lowered:
        with suppress(ValueError, TypeError, OverflowError):
            seconds = parsedate_to_datetime(lowered["retry-after"]).timestamp() - time.time()
    if seconds is None:
        seconds = _google_retry_delay(body)
    return None if seconds is None else max(0.0, seconds)


def _by_lower_case_name(headers: Any) -> dict[str, str]:
    """Return headers by their names in lower case; empty for anything that is not a mapping."""
    try:
        return {str(name).lower(): str(value) for name, value in headers.items()}
    except (AttributeError, TypeError, ValueError):
        return {}


def _seconds(text: str | None, unit: float = 1) -> float | None:
    """Return a number in seconds, which a text states in a unit of so many seconds. None if it is not a number."""
    if text is None or not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text.strip()):
        return None
    return float(text) * unit


def _google_retry_delay(body: Any) -> float | None:
    """Return the seconds of the first `retryDelay` in the details of an error, such as `"34.07s"`. None without one."""
    details = resolve_attribute(body, "error.details")
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, Mapping) else None
        if isinstance(delay, str) and delay.endswith("s"):
            return _seconds(delay[:-1])
    return None
