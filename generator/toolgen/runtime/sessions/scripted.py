"""Sessions that return prepared responses, for tests of an app. They send nothing, and record the requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from ..models import AssistantMessage, Completion, Request, ToolCall, ToolCallPart
from .base import AsyncSession, Session, ToolMode
from .text_protocol import as_request

__all__ = ["Answer", "AsyncScriptedSession", "ScriptedSession"]

Answer: TypeAlias = str | Sequence[ToolCall] | Completion | Exception
"""A text, a list of calls, a completion, or an exception to raise."""


class _Script:
    """The answers that are left, and the requests that have been made."""

    def __init__(self, answers: Iterable[Answer]) -> None:
        self.left = list(answers)
        self.requests: list[Request] = []

    def next(self, request: Request | str) -> Completion:
        """Keep a request, and give the next answer.

        Raises:
            LookupError: The script has no response left.
            Exception: The script contains an exception here.
        """
        whole = as_request(request)
        self.requests.append(replace(whole, messages=list(whole.messages)))
        if not self.left:
            raise LookupError(f"the script has no response for request {len(self.requests)}")
        answer = self.left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Completion):
            return answer
        if isinstance(answer, str):
            return Completion(AssistantMessage(answer), "stop")
        return Completion(AssistantMessage([ToolCallPart(call) for call in answer]), "tool_calls")


class ScriptedSession(Session):
    """A session that returns prepared responses, for tests. It sends nothing.

    Each response is a text, a list of calls, a completion, or an exception to raise. `requests` has the requests so
    far, each with a copy of its messages at that time.
    """

    tool_mode = ToolMode.NATIVE

    def __init__(self, answers: Iterable[Answer], model: str | None = None) -> None:
        """Set the responses, and the model of requests that do not name one."""
        self._script = _Script(answers)
        self.model = model

    @property
    def requests(self) -> list[Request]:
        """The requests so far."""
        return self._script.requests

    def send(self, request: Request | str) -> Completion:
        """Return the next response.

        Raises:
            LookupError: The script has no response left.
        """
        return self._script.next(request)


class AsyncScriptedSession(AsyncSession):
    """A session that returns prepared responses, for tests of async code. It sends nothing."""

    tool_mode = ToolMode.NATIVE

    def __init__(self, answers: Iterable[Answer], model: str | None = None) -> None:
        """Set the responses, and the model of requests that do not name one."""
        self._script = _Script(answers)
        self.model = model

    @property
    def requests(self) -> list[Request]:
        """The requests so far."""
        return self._script.requests

    async def send(self, request: Request | str) -> Completion:
        """Return the next response.

        Raises:
            LookupError: The script has no response left.
        """
        return self._script.next(request)
