"""The definitions of tools by name, each read from its module when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...models import ToolDefinition

__all__ = ["Definitions"]


class Definitions(Mapping[str, "ToolDefinition"]):
    """A mapping from a tool's name to its definition that imports nothing until it is read."""

    def __init__(self, package: str, modules: Mapping[str, str]) -> None:
        """Take the package of the tools' modules, and the module of each tool."""
        self._package = package
        self._modules = modules

    def __getitem__(self, name: str) -> ToolDefinition:
        """Return the definition of a tool; an unknown name raises KeyError."""
        definition: ToolDefinition = import_module(f"{self._package}.{self._modules[name]}").DEFINITION
        return definition

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the tools, in their order."""
        return iter(self._modules)

    def __len__(self) -> int:
        """Return the number of tools."""
        return len(self._modules)
