"""What a run can be told, checked at its start: a word that is no setting, and a tool that nothing can run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import TypedDict

from ...models import Message, Request
from ..conversion.writer import OnLoss
from ..offering.callable_tools import callable_names, unforced
from .dispatching import OnError, OnResult
from .reviews import Review

__all__ = ["check_settings", "check_tools"]
"""`RunSettings` is exported by `runtime.loop`."""


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
        TypeError: some are none; all of them are named, with the nearest settings.
    """
    known = list(RunSettings.__annotations__)
    faults = []
    for word in settings:
        if word not in known:
            near = get_close_matches(word[:64], known, n=3, cutoff=0.5)
            faults.append(f"{word} (perhaps {' or '.join(near)})" if near else word)
    if faults:
        raise TypeError(f"a run has no setting {', '.join(faults)}; there are {', '.join(known)}")


def check_tools(request: Request, declared: Collection[str]) -> None:
    """Check that every tool which may be called in a run is a declared one, for handlers serve no other.

    Raises:
        TypeError: some are not; all of them are named.
    """
    later = replace(request, tool_choice=unforced(request.tool_choice))
    unknown = [name for name in callable_names(later) if name not in declared]
    if unknown:
        raise TypeError(f"handlers serve declared tools alone, and these that the request offers are none: {', '.join(unknown)}")
