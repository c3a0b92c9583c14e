"""Runs that tell what happens while it happens."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ...models import AgentEvent, StreamEvent
from .blocking import Blocking
from .rounds import Rounds
from .run_results import RunResult

__all__: list[str] = []
"""The names are those of `runtime.loop`, which exports them."""


class RunStream:
    """A run that tells what happens; `result` is there once it has been read to its end, or left."""

    def __init__(self, rounds: Rounds) -> None:
        """Take the rounds; nothing happens before they are read."""
        self._rounds = rounds

    @property
    def result(self) -> RunResult | None:
        """What the run came to; None before its end."""
        return self._rounds.result

    def __iter__(self) -> Iterator[StreamEvent | AgentEvent]:
        """Carry the run out."""
        events = self._rounds.events()

        async def step() -> StreamEvent | AgentEvent | None:
            return await anext(events, None)

        async def left() -> None:
            await events.aclose()

        with Blocking() as loop:
            try:
                while (event := loop.run(step())) is not None:
                    yield event
            finally:
                loop.run(left())


class AsyncRunStream:
    """The same for async code."""

    def __init__(self, rounds: Rounds) -> None:
        """Take the rounds; nothing happens before they are read."""
        self._rounds = rounds
        self._events = rounds.events()

    @property
    def result(self) -> RunResult | None:
        """What the run came to; None before its end."""
        return self._rounds.result

    def __aiter__(self) -> AsyncIterator[StreamEvent | AgentEvent]:
        """Carry the run out."""
        return self._events

    async def aclose(self) -> None:
        """End a run that is left early: what runs is cancelled. `async with contextlib.aclosing(run)` calls it."""
        await self._events.aclose()
