"""Calls of the tools that are run, and ways to dispatch them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.generated import Package

NAMES = {
    "r": ("read_file", {"path": "a"}),
    "g": ("grep", {"pattern": "a"}),
    "w": ("write_file", {"path": "a", "text": "b"}),
    "c": ("run_command", {"command": "a"}),
    "x": ("nothing", {}),
    "b": ("write_file", {}),
}


def calls(package: Package, letters: str) -> list[Any]:
    make = package.module("models").ToolCall
    return [make(f"c{i}", *NAMES[letter]) for i, letter in enumerate(letters)]


async def cancelled(work: Any, when: Callable[[], bool]) -> list[Any]:
    """Cancel a task once something has happened; the tasks that are left over then."""
    task = asyncio.ensure_future(work)
    while not when() and not task.done():
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]


def call(package: Package, name: str, arguments: Any = None, id: str = "c1", **more: Any) -> Any:
    return package.module("models").ToolCall(id, name, {} if arguments is None else arguments, **more)


def run(package: Package, tool_call: Any, handlers: Any, **settings: Any) -> Any:
    """The result by `dispatch` and by `dispatch_sync`, which are the same."""
    tools = package.module("tools")
    result = asyncio.run(tools.dispatch(tool_call, handlers, **settings))
    assert tools.dispatch_sync(tool_call, handlers, **settings) == result
    assert (result.tool_call_id, result.name) == (tool_call.id, tool_call.name)
    return result
