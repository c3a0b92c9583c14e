"""What `send` of a session gave: a text or a completion, and nothing else."""

from __future__ import annotations

import inspect
from typing import Any

from ...models import Completion

__all__ = ["awaited_answer", "checked_answer"]


def checked_answer(session: object, answer: Any) -> Completion | str:
    """What a session's `send` returned.

    Raises:
        TypeError: it is neither a text nor a completion.
    """
    if isinstance(answer, str | Completion):
        return answer
    said = f"{type(session).__name__}.send must return a text or a Completion, not {type(answer).__name__}"
    if inspect.iscoroutine(answer):
        answer.close()
        said += ": a session whose send is async is an AsyncSession"
    raise TypeError(said)


async def awaited_answer(session: object, answer: Any) -> Completion | str:
    """What a session's `send` returned, once it is there.

    Raises:
        TypeError: it is neither a text nor a completion, or not to be waited for.
    """
    if not inspect.isawaitable(answer):
        raise TypeError(f"{type(session).__name__}.send must be async: it returned {type(answer).__name__}")
    return checked_answer(session, await answer)
