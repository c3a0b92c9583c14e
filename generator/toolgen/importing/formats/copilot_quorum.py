"""copilot-quorum: a ToolSpec (tools and aliases), its definitions, or the output of `to_json_schema`.

A definition lists parameters with a `param_type`; the output of `to_json_schema` has a JSON Schema in `input_schema`.
Tools and parameters are a list, or a map by name. An alias is in the `aliases` of its tool, or maps to its name in the
`aliases` of the ToolSpec. Members without a key in declarations become the patch for `copilot_quorum`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from toolgen.importing.formats import Format
from toolgen.importing.reader import ImportedTool, ImportReader, JsonObject, is_definition
from toolgen.load import Pointer

_KNOWN = frozenset(["name", "description", "input_schema", "parameters", "aliases", "risk", "risk_level"])
_PARAMETER = frozenset(["name", "description", "param_type", "required"])

_TYPES: Mapping[str, Mapping[str, str]] = {
    "string": {"type": "string"},
    "path": {"type": "string", "format": "path"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
}


def read(reader: ImportReader) -> Iterator[ImportedTool]:
    """Read the definitions, with the aliases that refer to them."""
    definitions = list(_definitions(reader))
    aliases_by_tool = _aliases_by_tool(reader, {each.name for each in definitions})
    for at, key, entry in definitions:
        name = reader.name(at, {"name": key, **entry} if key else entry)
        aliases, locations = _aliases(reader, at, entry)
        for alias in aliases_by_tool.get(name or "", ()):
            if alias not in aliases:
                locations["aliases", len(aliases)] = ("aliases", alias)
                aliases.append(alias)
        parameters, parameter_locations = _parameters(reader, at, entry)
        tool = ImportedTool(
            at,
            name or "",
            ("copilot_quorum",),
            description=reader.text(at, entry, "description"),
            parameters=parameters,
            risk=_risk(reader, at, entry),
            aliases=tuple(aliases) or None,
            patch=reader.unknown_members(at, entry, _KNOWN),
            locations={**parameter_locations, **locations},
        )
        if name is not None:
            yield tool


class _Definition(NamedTuple):
    """A definition of a tool or a parameter: its location, its name (empty if it has none), and its members.

    The name may be the key of a map.
    """

    at: Pointer
    name: str
    entry: Any


def _definitions(reader: ImportReader) -> Iterator[_Definition]:
    """Yield the tools of the file, which are an object by name or a list. What is no tool is reported."""
    value = reader.document.value
    tools = value.get("tools") if isinstance(value, dict) else None
    if not isinstance(tools, dict):
        for at, entry in reader.read_entries("tools", is_definition):
            name = entry.get("name")
            yield _Definition(at, name if isinstance(name, str) else "", entry)
        return
    for key, entry in tools.items():
        if isinstance(entry, dict):
            yield _Definition(("tools", key), str(entry.get("name", key)), entry)
        else:
            reader.report_wrong_type(("tools", key), entry, "a tool")


def _aliases_by_tool(reader: ImportReader, names: set[str]) -> dict[str, list[str]]:
    """Return the aliases of a ToolSpec, by tool. An alias of a tool that is not in the file is reported as dropped."""
    value = reader.document.value
    if not isinstance(value, dict) or is_definition(value):
        return {}
    aliases: dict[str, list[str]] = {}
    for alias, name in (reader.object((), value, "aliases") or {}).items():
        if not isinstance(name, str):
            reader.report_wrong_type(("aliases", alias), name, "a string: the tool's name")
        elif name in names:
            aliases.setdefault(name, []).append(alias)
        else:
            reader.report_at_key("import-dropped", ("aliases", alias), key=alias)
    return aliases


def _aliases(reader: ImportReader, at: Pointer, entry: JsonObject) -> tuple[list[str], dict[Pointer, Pointer]]:
    """Return the aliases in a tool, and their locations."""
    value = entry.get("aliases")
    if value is None:
        return [], {}
    if not isinstance(value, list) or any(not isinstance(alias, str) for alias in value):
        reader.report_wrong_type((*at, "aliases"), value, "a list of names")
        return [], {}
    return list(value), {("aliases", i): (*at, "aliases", i) for i in range(len(value))}


def _risk(reader: ImportReader, at: Pointer, entry: JsonObject) -> Literal["low", "high"] | None:
    """Return the risk, which may be written in upper or lower case."""
    key = "risk_level" if entry.get("risk_level") is not None else "risk"
    level = reader.text(at, entry, key)
    if level is None:
        return None
    if level.lower() == "low":
        return "low"
    if level.lower() != "high":
        reader.report_wrong_type((*at, key), level, "Low or High")
    return "high"


def _parameters(
    reader: ImportReader, at: Pointer, entry: JsonObject
) -> tuple[Mapping[str, Any] | None, dict[Pointer, Pointer]]:
    """Return the schema of the arguments, and the locations of its parts."""
    if entry.get("input_schema") is not None:
        reader.report_dropped(at, entry, ["parameters"])
        return reader.parameters(at, entry, "input_schema", required=True), {("parameters",): (*at, "input_schema")}
    listed = entry.get("parameters")
    if listed is None:
        return reader.parameters(at, entry, "input_schema", required=True), {}
    if isinstance(listed, dict):
        parameters = [_Definition((*at, "parameters", key), str(key), each) for key, each in listed.items()]
    elif isinstance(listed, list):
        parameters = [_Definition((*at, "parameters", i), "", each) for i, each in enumerate(listed)]
    else:
        reader.report_wrong_type((*at, "parameters"), listed, "a list of parameters")
        return None, {}
    properties: dict[str, Any] = {}
    required: list[str] = []
    moved: dict[Pointer, Pointer] = {("parameters",): (*at, "parameters")}
    for parameter in parameters:
        name = _add_parameter(reader, parameter, properties, moved)
        if name is not None and reader.flag(parameter.at, parameter.entry, "required"):
            moved["parameters", "required", len(required)] = parameter.at
            required.append(name)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return {**schema, "required": required} if required else schema, moved


def _add_parameter(
    reader: ImportReader, parameter: _Definition, properties: dict[str, Any], moved: dict[Pointer, Pointer]
) -> str | None:
    """Add a parameter to the properties, and its locations. Return its name, or None with a finding."""
    at, key, entry = parameter
    if not isinstance(entry, dict):
        reader.report_wrong_type(at, entry, "a parameter")
        return None
    name = entry.get("name", key)
    if not isinstance(name, str) or not name:
        where, value = ((*at, "name"), name) if "name" in entry else (at, entry)
        reader.report_wrong_type(where, value, "a string: the parameter's name")
        return None
    if name in properties:
        reader.report_wrong_type((*at, "name"), name, "a name that no earlier parameter has")
        return None
    kind = entry.get("param_type")
    if not isinstance(kind, str) or kind not in _TYPES:
        reader.report_wrong_type((*at, "param_type"), kind, f"one of {', '.join(_TYPES)}")
        return None
    reader.report_dropped(at, entry, [key for key in entry if key not in _PARAMETER])
    description = reader.text(at, entry, "description")
    properties[name] = dict(_TYPES[kind])
    if description is not None:
        properties[name]["description"] = description
    pointer = ("parameters", "properties", name)
    moved |= {pointer: at, (*pointer, "type"): (*at, "param_type"), (*pointer, "format"): (*at, "param_type")}
    return name


FORMATS = {"copilot_quorum": Format("a ToolSpec, or an array of its definitions or of what to_json_schema gives", read)}
