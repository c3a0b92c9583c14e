"""Runs: what they can be told, and what they give."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias, TypedDict

from ..conversion.writer import OnLoss
from ..history import text_of
from ..models import Completion, Message, Request, Usage
from .dispatcher import OnError, OnResult
from .handlers import Review, callable_names, check_timeout, relax_tool_choice

__all__ = [
    "RunResult",
    "RunSettings",
    "StoppedBy",
    "check_settings",
    "check_tools",
    "total_usage",
]


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


class RunSettings(TypedDict, total=False):
    """What a run can be told."""

    max_tool_turns: int
    """Rounds of calls after which the run ends with the answer that it has; 10."""
    review: Review | None
    """Looks at high-risk calls before they run."""
    max_parallel: int
    """Low-risk calls that run at once; 8."""
    timeout: float | None
    """Seconds that a handler may take."""
    on_error: OnError | None
    """Hears what handlers and reviews raise."""
    on_result: OnResult | None
    """Hears each result as soon as there is one."""
    on_message: Callable[[Message], object] | None
    """Hears each message that is added to the conversation, so that it is known where sending fails, which is raised."""
    on_loss: OnLoss | None
    """Hears what the arguments of calls were taken for."""
    cancelled: Callable[[], bool] | None
    """Asked between steps whether the run shall end."""


def check_settings(settings: Mapping[str, object]) -> None:
    """Check that every word is a setting: one that is misspelled would switch a review off in silence.

    Raises:
        TypeError: some are none; all of them are named, with the nearest settings. Or the timeout is not a number.
        ValueError: the timeout is NaN.
    """
    known = list(RunSettings.__annotations__)
    faults = []
    for word in settings:
        if word not in known:
            near = get_close_matches(word[:64], known, n=3, cutoff=0.5)
            faults.append(f"{word} (perhaps {' or '.join(near)})" if near else word)
    if faults:
        raise TypeError(f"a run has no setting {', '.join(faults)}; there are {', '.join(known)}")
    check_timeout(settings.get("timeout"))


def check_tools(request: Request, declared: Collection[str]) -> None:
    """Check that every tool which may be called in a run is a declared one, for handlers serve no other.

    Raises:
        TypeError: some are not; all of them are named.
    """
    later = replace(request, tool_choice=relax_tool_choice(request.tool_choice))
    unknown = [name for name in callable_names(later) if name not in declared]
    if unknown:
        raise TypeError(
            f"handlers serve declared tools alone, and these that the request offers are none: {', '.join(unknown)}"
        )


"""The names are those of `runtime.loop`, which exports them."""
