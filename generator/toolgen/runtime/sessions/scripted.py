"""Sessions that give answers from a list, for tests of an app: nothing is sent, and what would have been is kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from ..models import AssistantMessage, Completion, Request, ToolCall, ToolCallPart
from .base import AsyncSession, Session, ToolMode
from .text_protocol import as_request

__all__ = ["Answer", "AsyncScriptedSession", "ScriptedSession"]

Answer: TypeAlias = str | Sequence[ToolCall] | Completion | Exception
"""A text, calls, a whole answer, or what is raised instead."""


class _Script:
    """The answers that are left, and the requests that have been made."""

    def __init__(self, answers: Iterable[Answer]) -> None:
        self.left = list(answers)
        self.requests: list[Request] = []

    def next(self, request: Request | str) -> Completion:
        """Keep a request, and give the next answer.

        Raises:
            LookupError: there is none left.
            Exception: the script has one here.
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
    """A session with a list of answers, one for each request: texts, lists of calls, completions, exceptions to raise.

    `requests` are those that were made, each with its messages as they were then.
    """

    tool_mode = ToolMode.NATIVE

    def __init__(self, answers: Iterable[Answer], model: str | None = None) -> None:
        """Take the answers, and the model of requests that name none."""
        self._script = _Script(answers)
        self.model = model

    @property
    def requests(self) -> list[Request]:
        """The requests so far."""
        return self._script.requests

    def send(self, request: Request | str) -> Completion:
        """Give the next answer.

        Raises:
            LookupError: there is none left.
        """
        return self._script.next(request)


class AsyncScriptedSession(AsyncSession):
    """The same for async code."""

    tool_mode = ToolMode.NATIVE

    def __init__(self, answers: Iterable[Answer], model: str | None = None) -> None:
        """Take the answers, and the model of requests that name none."""
        self._script = _Script(answers)
        self.model = model

    @property
    def requests(self) -> list[Request]:
        """The requests so far."""
        return self._script.requests

    async def send(self, request: Request | str) -> Completion:
        """Give the next answer.

        Raises:
            LookupError: there is none left.
        """
        return self._script.next(request)
