"""Where a value stands: a chain that costs nothing until it is spelled."""

from __future__ import annotations

from typing import Any, TypeAlias

__all__ = ["ROOT", "Path", "format_path"]

Path: TypeAlias = tuple[Any, ...]
"""`()` for the value itself, else `(path of the holder, key or position)`."""

ROOT: Path = ()


def format_path(at: Path) -> str:
    """Spell a path as `messages[0].content[1]`; the value itself is the empty text."""
    steps: list[str | int] = []
    while at:
        at, step = at
        steps.append(step)
    text = ""
    for step in reversed(steps):
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
