"""What a handler may return, for type checkers."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeAlias, TypeVar

from ...models import ToolResult

__all__ = ["Returned"]

T = TypeVar("T")

Returned: TypeAlias = T | ToolResult | Awaitable[T | ToolResult]
"""A value of the declared result, or a result that the handler made itself; both also later."""
