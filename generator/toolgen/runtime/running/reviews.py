"""What a review says of a call: let it run, refuse it, or run it with other arguments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import BaseModel

from ..models import ToolCall

__all__ = ["Allow", "Deny", "Edit", "Review"]


@dataclass(frozen=True, slots=True)
class Allow:
    """The call runs as it is."""


@dataclass(frozen=True, slots=True)
class Deny:
    """The call does not run; the model is told the reason, as it is."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """The call runs with these arguments: a model of the tool's class, or an object, which is checked as a call's is."""

    arguments: BaseModel | Mapping[str, Any]


Review: TypeAlias = Callable[[ToolCall, BaseModel], Allow | Deny | Edit | Awaitable[Allow | Deny | Edit]]
"""Looks at a call and its arguments before a high-risk tool runs; waits for a person, if need be."""
