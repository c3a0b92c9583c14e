"""What a session needs of a provider's module whose client holds the conversation, and of the streams in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal, Protocol

from ...models import (
    ApiError,
    Completion,
    OpaquePart,
    StreamEvent,
    ToolCall,
    ToolDefinition,
    ToolResult,
)
from ..conversion.writer import OnLoss

__all__ = ["HostedProvider", "HostedStream"]


class HostedStream(Protocol):
    """Events joined into one answer."""

    @property
    def ended(self) -> bool:
        """Whether the answer is whole."""
        ...

    def feed(self, event: Any) -> list[StreamEvent]:
        """Take an event."""
        ...

    def settle(self) -> None:
        """Take the calls that wait, if any do, for all that will."""
        ...

    def finish(self, error: BaseException | None = None) -> list[StreamEvent]:
        """End the answer."""
        ...

    def result(self) -> Completion:
        """The answer."""
        ...


class StreamClass(Protocol):
    """The class of the streams."""

    def __call__(
        self, turn: int = 0, *, tools: Iterable[ToolDefinition | OpaquePart] = (), own: Collection[str] | None = None
    ) -> HostedStream:
        """Begin an answer; `own` are the names of the tools that the app answers for."""
        ...


class HostedProvider(Protocol):
    """The module."""

    @property
    def Stream(self) -> StreamClass:
        """The class of its streams."""
        ...

    def to_tools(
        self,
        definitions: Sequence[ToolDefinition | OpaquePart],
        *,
        on_loss: OnLoss | None = None,
        on_unsupported: Literal["error", "weaken"] = "error",
    ) -> list[Any]:
        """Write tools."""
        ...

    def to_tool_result(
        self,
        result: ToolResult,
        *,
        calls: Iterable[ToolCall] = (),
        on_loss: OnLoss | None = None,
        on_unsupported: Literal["error", "weaken"] = "error",
    ) -> dict[str, Any]:
        """Write a result as the params of an answer."""
        ...

    def from_error(self, status: int, body: Any) -> ApiError:
        """Read an error."""
        ...
