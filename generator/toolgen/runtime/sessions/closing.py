"""Closing official clients: each is a context manager somewhere on the way to its call, or has a `close`."""

from __future__ import annotations

from typing import Any

from .failures import reached

__all__ = ["aclose_client", "close_client"]


def close_client(client: Any, way: str) -> None:
    """Close a client for code that is not async; `way` leads to its call."""
    if (leave := _found(client, way, "__exit__")) is not None:
        leave(None, None, None)
    elif callable(close := getattr(client, "close", None)):
        close()


async def aclose_client(client: Any, way: str) -> None:
    """Close a client for async code; one that has no such part is closed as `close_client` does."""
    if (leave := _found(client, way, "__aexit__")) is not None:
        await leave(None, None, None)
    else:
        close_client(client, way)


def _found(client: Any, way: str, name: str) -> Any:
    """The method of this name of the client, or of the first thing on the way that has one."""
    steps = way.split(".")
    for end in range(len(steps)):
        one = reached(client, ".".join(steps[:end])) if end else client
        if callable(method := getattr(one, name, None)):
            return method
    return None
