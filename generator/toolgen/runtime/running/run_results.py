"""What a run came to, and what its answers used together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias

from ...models import Completion, Message, Usage
from ..format.history import text_of

__all__ = ["StoppedBy", "total_usage"]
"""`RunResult` is exported by `runtime.loop`."""

StoppedBy: TypeAlias = Literal["end", "limit", "length", "content_filter", "error", "cancelled"]

_COUNTS = tuple(field.name for field in fields(Usage) if field.name != "metadata")


@dataclass(slots=True)
class RunResult:
    """What a run came to.

    `messages` is the whole conversation: the request's, and all that came. `turns` counts the rounds of calls.
    `stopped_by`: `end` the model has no more to call; `limit` the turns are over, and the calls of `completion` did not run;
    `length`, `content_filter` and `error` the answer ended early; `cancelled`. `usage` is that of all answers together, None
    where none of them says what it used.
    """

    completion: Completion
    messages: list[Message]
    turns: int
    stopped_by: StoppedBy
    usage: Usage | None = None

    @property
    def text(self) -> str:
        """What the model said last."""
        return text_of(self.completion.message)


def total_usage(used: Sequence[Usage]) -> Usage | None:
    """Add the counts up; one that no answer has is None, and so is the whole where no answer has any."""
    if not used:
        return None
    totals: dict[str, Any] = {}
    for name in _COUNTS:
        counts = [count for one in used if type(count := getattr(one, name)) is int]
        totals[name] = sum(counts) if counts else None
    return Usage(**totals)
