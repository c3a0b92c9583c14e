"""Formats whose tools are flat definitions: a name, a description and a schema of the arguments, in an array.

The agent SDK's core types, the custom tools of Anthropic's Messages API and the tools of Kagami. Tools that Anthropic runs
or defines itself have a dated `type` and no schema: they are skipped with a warning. Kagami's type demands a description, so
an empty one is none. Members that a declaration has no key for (`cache_control`, any other) become the patch for the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from toolgen.importing.formats import Format
from toolgen.importing.reader import ImportedTool, Reader, is_definition


def _reader(
    wire: str, *further: str, schema: str = "parameters", demands_description: bool = False
) -> Callable[[Reader], Iterator[ImportedTool]]:
    """How definitions of a wire are read; `further` are the keys that they may have, `schema` the one of the arguments."""
    known = frozenset(["name", "description", schema, *further])

    def read(reader: Reader) -> Iterator[ImportedTool]:
        for at, entry in reader.entries("tools", is_definition):
            if "type" in known and entry.get("type") not in (None, "custom"):
                reader.skipped(at, entry)
                continue
            name = reader.name(at, entry)
            description = reader.text(at, entry, "description")
            tool = ImportedTool(
                at,
                name or "",
                (wire,),
                description=description or (None if demands_description else description),
                parameters=reader.parameters(at, entry, schema, demanded=True),
                strict=reader.flag(at, entry, "strict") if "strict" in known else None,
                patch=reader.rest(at, entry, known),
                moved={("parameters",): (*at, schema)},
            )
            if name is not None:
                yield tool

    return read


FORMATS = {
    "agent_sdk": Format(
        "an array of tool definitions, or an object with one under `tools`", _reader("agent_sdk", "strict")
    ),
    "anthropic": Format(
        "an array of tools, or a request body with one", _reader("anthropic", "type", "strict", schema="input_schema")
    ),
    "kagami": Format(
        "an array of tools, or a request of one turn with one", _reader("kagami", demands_description=True)
    ),
}
