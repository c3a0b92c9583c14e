"""Stands in for the format's types in a package that holds tools only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as it is declared to providers."""

    name: str
    description: str | None = None
    parameters: Mapping[str, Any] | None = None
    strict: bool | None = None
    result: Mapping[str, Any] | bool | None = None
    metadata: Mapping[str, Any] | None = None
