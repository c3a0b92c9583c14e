"""Recordings by what they are: responses in one piece, streams, errors in place of either."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.repository import CONVERSING, OWN_CODE, recordings
from tests.support.wires import WIRES


def unstreamed(provider: str) -> list[Any]:
    """The recordings of a provider with a response in one piece."""
    return [r for r in recordings(provider) if r["response"] is not None and r["status"] < 400]


def refused(provider: str) -> list[Any]:
    """The recordings of a provider with an error in place of a response."""
    return [r for r in recordings(provider) if r["response"] is not None and r["status"] >= 400]


def streamed(provider: str) -> list[Any]:
    """The recordings of a provider with a stream that has no error in it."""
    return [r for r in _streams(provider) if "stream_error" not in r["tags"]]


def failed(provider: str) -> list[Any]:
    """The recordings of a provider with a stream that has an error in it."""
    return [r for r in _streams(provider) if "stream_error" in r["tags"]]


def _streams(provider: str) -> list[Any]:
    return [r for r in recordings(provider) if r["events"] is not None and r["status"] < 400]


def history(provider: str) -> list[Any]:
    """The recordings with earlier turns that the API took, whose calls all have results."""
    return [
        r
        for r in recordings(provider)
        if r["status"] < 400
        and {"multi_turn", "tool_result"} & set(r["tags"])
        and WIRES[provider].order_faults(r["request"]) == []
    ]


def params(key: str, choose: Any, providers: list[str] = CONVERSING) -> list[Any]:
    """One member of the recordings that are chosen, as parameters of a test."""
    return [pytest.param(p, r[key], id=f"{p}-{r['id']}") for p in providers for r in choose(p)]


STREAMS = params("events", streamed, OWN_CODE)
