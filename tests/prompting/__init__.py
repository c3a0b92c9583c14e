"""What the tests of prompting share: tools with other names, and the modules of a generated package."""

from __future__ import annotations

from typing import Any

from tests.support.generated import Package

NAMES = {"get_weather": ["weather", "getWeather"], "run_command": ["bash"], "now": []}
"""The tools, and their aliases."""


def definitions(package: Package) -> list[Any]:
    """The tools as an app would have them."""
    make = package.module("models").ToolDefinition
    return [
        make(
            name,
            f"What {name} does.",
            {"type": "object"},
            metadata={"declaration": {"$declared": {"aliases": aliases}}},
        )
        for name, aliases in NAMES.items()
    ]


def read(package: Package, text: str, *untrusted: str, turn: int = 0) -> Any:
    """What `read_response_text` makes of a text."""
    return package.module("runtime.prompting.text_parser").read_response_text(
        text, definitions(package), untrusted, turn
    )


def calls(package: Package, text: str, *untrusted: str) -> list[Any]:
    """The calls in a text."""
    tool_calls: list[Any] = package.module("messages").tool_calls_of(read(package, text, *untrusted))
    return tool_calls


def names(package: Package, text: str) -> list[str]:
    """The names of the tools that a text calls."""
    return [call.name for call in calls(package, text)]


def followed(package: Package, pieces: list[str], *untrusted: str) -> tuple[list[Any], Any]:
    """The events of a text that comes in pieces, and the message in the end."""
    reader = package.module("runtime.prompting.stream_parser").ResponseReader(definitions(package), untrusted)
    events = [event for piece in pieces for event in reader.feed(piece)] + reader.finish()
    return events, reader.message()
