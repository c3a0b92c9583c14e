"""The declared tools of a project as one object: their arguments and their definitions.

`tools/__init__.py` of a package creates one, and exports its methods.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from .arguments import unknown_tool
from .tool_entries import Definitions, ToolEntry

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ..conversion.writer import OnLoss
    from ..models import ToolCall

__all__ = ["ToolSet"]


class ToolSet:
    """The declared tools of a package.

    `entries` has the tools by name, `low_risk` those whose calls run concurrently, `display_names` the names for user
    interfaces, `deprecated` the tools that are deprecated, `aliases` the tool of each alias, and `timeouts` the time
    limits of handlers in seconds.
    """

    def __init__(
        self,
        package: str,
        entries: Mapping[str, ToolEntry],
        *,
        low_risk: Collection[str] = (),
        display_names: Mapping[str, str] | None = None,
        deprecated: Collection[str] = (),
        aliases: Mapping[str, str] | None = None,
        timeouts: Mapping[str, float] | None = None,
    ) -> None:
        self.entries = entries
        self.aliases = dict(aliases or {})
        self.timeouts = dict(timeouts or {})
        self.low_risk = frozenset(low_risk)
        self.display_names = dict(display_names or {})
        self.deprecated = frozenset(deprecated)
        self.definitions = Definitions(package, {name: entry.module for name, entry in entries.items()})

    def parse_arguments(self, name: str, value: str | bytes | Mapping[str, Any]) -> BaseModel:
        """Check the arguments of a tool, and return them as a model.

        Args:
            name: The name of the tool.
            value: The arguments: an object, or JSON text.

        Returns:
            An instance of the model of the tool's arguments.

        Raises:
            ArgumentsError: The tool does not exist, or the value does not fit it.
        """
        entry = self.entries.get(name)
        if entry is None:
            raise unknown_tool(name, self.entries)
        return entry.parsed(value)

    def parse_call(self, call: ToolCall, *, on_loss: OnLoss | None = None) -> BaseModel:
        """Check the arguments of a call, and return them as a model.

        A value that does not fit, but whose meaning is unambiguous, is converted: null for an absent optional value, or
        a string for a listed number. `on_loss` is called with a note for each.

        Args:
            call: The call.
            on_loss: Called with each `Loss`. Without it, all losses except notes are issued as Python warnings.

        Returns:
            An instance of the model of the tool's arguments.

        Raises:
            ArgumentsError: The call is invalid, the tool does not exist, or the arguments do not fit it.
        """
        from .call_arguments import parsed_call

        return parsed_call(self.entries, call, on_loss, self.aliases)
