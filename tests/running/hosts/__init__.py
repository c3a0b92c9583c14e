"""Runtimes of agents as their clients see them: servers on this machine that say what a script says.

A module of a provider has `Runtime(script)` (an address, what was heard, `close`) and `opened(address)`, an async context
manager that gives the official client's live session.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Call", "Says", "Script"]

Call = tuple[str, str, Any]
"""Id, name and arguments."""


@dataclass(frozen=True)
class Says:
    """What the model says in one message, and what the agent makes of it."""

    text: str = ""
    calls: Sequence[Call] = ()
    """Calls of the app's tools, asked for in this order."""
    run_here: Sequence[Call] = ()
    """Calls that the agent runs itself, between those."""
    refused: Sequence[str] = ()
    """Ids of calls that the user did not permit."""
    before: Sequence[dict[str, Any]] = ()
    """Events that come before the message."""
    ends: str = "idle"
    """What follows where nothing waits: `admits_everything`, `next` (another message), `error`, `nothing`; `cut` closes the connection
    in the middle of the text."""
    serially: bool = False
    """Whether each call is asked for only when the one before has a result."""
    tries: int = 0
    """How often the connection is tried before the model says it: it thinks for so long."""
    error: dict[str, Any] | None = None
    """Data of the error."""


Script = Callable[[str], Sequence[Says]] | Sequence[Says]
"""What the model says in turn; for each session its own where it is a function of the session's id."""
