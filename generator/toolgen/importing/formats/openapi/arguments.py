"""The arguments of an operation: one object with its parameters and the members of its body.

If two of them have the same name, or there is a parameter `body` beside a body that is not a plain object, all
arguments are grouped by where they go: `path`, `query`, `header`, `cookie`, `body`. Otherwise parameters and members
are side by side, and a body that is not a plain object is the argument `body`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolgen.importing.formats.openapi.operations import Operation, Parameter, choose_media_type
from toolgen.importing.formats.openapi.schemas import SchemaContext, SchemaConverter, valid_examples
from toolgen.load import Pointer

_REQUEST = SchemaContext("request")
_FLAT = frozenset(["type", "properties", "required", "title", "description", "additionalProperties", "examples"])
"""Keywords of a body whose members can be arguments beside parameters."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A named value of a request: its schema, its location in the document, and where it goes."""

    name: str
    destination: str
    schema: Any = field(repr=False)
    at: Pointer
    required: bool
    members: tuple[Argument, ...] = ()
    """The arguments in a group."""


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a request: its schema, and its members if they can be arguments beside parameters."""

    at: Pointer
    media: str
    schema: Any = field(repr=False)
    required: bool
    members: tuple[Argument, ...] | None
    description: str | None
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Arguments:
    """The schema of all arguments, the locations of its parts, and where each argument goes in a request."""

    schema: dict[str, Any] = field(repr=False)
    moved: dict[Pointer, Pointer] = field(repr=False)
    destinations: dict[str, str]
    media: str | None


def read_arguments(operation: Operation, schemas: SchemaConverter) -> Arguments:
    """Return the arguments of an operation."""
    own = [_argument(parameter, schemas) for parameter in operation.parameters]
    body = _body(operation, schemas)
    if body is not None and body.members is not None and _are_distinct([*own, *body.members]):
        return _laid_out([*own, *body.members], operation, body)
    whole = [] if body is None else [Argument("body", "body", body.schema, body.at, body.required)]
    if _are_distinct([*own, *whole]):
        return _laid_out([*own, *whole], operation, body)
    schemas.resolver.reader.report_at_key("import-grouped", operation.at)
    return _laid_out([*_grouped(own, operation), *whole], operation, body)


def _are_distinct(found: list[Argument]) -> bool:
    return len({argument.name for argument in found}) == len(found)


def _laid_out(found: list[Argument], operation: Operation, body: Body | None) -> Arguments:
    schema: dict[str, Any] = {"type": "object"}
    is_flat = (
        body is not None and body.members is not None and not any(a.name == a.destination == "body" for a in found)
    )
    if body is not None and is_flat and body.description:
        schema["description"] = body.description
    schema["properties"] = {argument.name: argument.schema for argument in found}
    required = [argument.name for argument in found if argument.required]
    if required:
        schema["required"] = required
    if body is not None and is_flat and body.closed:
        schema["additionalProperties"] = False
    moved: dict[Pointer, Pointer] = {("parameters", "properties", argument.name): argument.at for argument in found}
    for group in found:
        for argument in group.members:
            moved[("parameters", "properties", group.name, "properties", argument.name)] = argument.at
    destinations = {argument.name: argument.destination for argument in found}
    return Arguments(schema, {("parameters",): operation.at, **moved}, destinations, body.media if body else None)


def _grouped(found: list[Argument], operation: Operation) -> list[Argument]:
    groups: dict[str, list[Argument]] = {}
    for argument in found:
        groups.setdefault(argument.destination, []).append(argument)
    grouped = []
    for destination, members in groups.items():
        required = [member.name for member in members if member.required]
        schema: dict[str, Any] = {"type": "object", "properties": {m.name: m.schema for m in members}}
        if required:
            schema["required"] = required
        at = (*operation.at, "parameters")
        grouped.append(Argument(destination, destination, schema, at, bool(required), tuple(members)))
    return grouped


def _argument(parameter: Parameter, schemas: SchemaConverter) -> Argument:
    """Convert a parameter to an argument, with the keys beside its schema."""
    at, entry = parameter.at, parameter.entry
    where = (*at, "schema")
    content = entry.get("content")
    media = choose_media_type(content) if "schema" not in entry and isinstance(content, dict) else None
    if media is not None and isinstance(content, dict):
        inner = content[media]
        where = (*at, "content", media, "schema")
        found = schemas.convert(where, _REQUEST) if isinstance(inner, dict) and "schema" in inner else {}
    else:
        found = schemas.convert(where, _REQUEST) if "schema" in entry else {}
    reader = schemas.resolver.reader
    if not isinstance(found, dict | bool):
        reader.report_wrong_type(where, found, "a schema")
        found = {}
    annotations: dict[str, Any] = {}
    text = reader.text(at, entry, "description")
    if text and isinstance(found, dict):
        annotations["description"] = text
    if entry.get("deprecated") is True:
        annotations["deprecated"] = True
    if isinstance(found, dict):
        found = {**found, **annotations, **_examples(entry, found)}
    return Argument(parameter.name, parameter.location, found, where, parameter.required)


def _examples(entry: dict[str, Any], schema: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the valid examples beside a schema that has none of its own."""
    named = entry.get("examples")
    given = (
        [e["value"] for e in named.values() if isinstance(e, dict) and "value" in e] if isinstance(named, dict) else []
    )
    given += [entry["example"]] if "example" in entry else []
    fit = valid_examples(given, schema) if given and "examples" not in schema else []
    return {"examples": fit} if fit else {}


def _body(operation: Operation, schemas: SchemaConverter) -> Body | None:
    if "requestBody" not in operation.entry:
        return None
    reader = schemas.resolver.reader
    found = schemas.resolver.object_at((*operation.at, "requestBody"), "an object: the body of a request")
    if found is None:
        return None
    at, entry = found
    content = reader.object(at, entry, "content") or {}
    media = choose_media_type(content)
    if media is None:
        return None
    if len(content) > 1:
        reader.report_at_key("import-media", (*at, "content", media), media=media, count=len(content) - 1)
    inner = schemas.resolver.object_at((*at, "content", media), "an object: the media type of a body")
    if inner is None:
        return None
    where = (*inner[0], "schema")
    required = entry.get("required") is True
    schema = schemas.convert(where, _REQUEST) if "schema" in inner[1] else {}
    text = reader.text(at, entry, "description")
    members = _members(where, required, schemas) if isinstance(schema, dict) and "schema" in inner[1] else None
    if members is None:
        if isinstance(schema, dict) and text and "description" not in schema:
            schema = {**schema, "description": text}
        return Body(where, media, schema, required, None, None)
    found_members, about, closed = members
    return Body(where, media, schema, required, found_members, text or about, closed)


def _members(
    at: Pointer, required: bool, schemas: SchemaConverter
) -> tuple[tuple[Argument, ...], str | None, bool] | None:
    """Return the members of a body that is a plain object, or an `allOf` of plain objects; None for any other body."""
    here = SchemaContext("request", hidden=schemas.visible.hidden_properties(at, "request"))
    parts = _parts(at, here, schemas, set())
    if parts is None:
        return None
    found: dict[str, Argument] = {}
    demanded: set[str] = set()
    about: str | None = None
    for where, schema in parts:
        about = about or (schema["description"] if isinstance(schema.get("description"), str) else None)
        demanded.update(name for name in schema.get("required", ()) if isinstance(name, str))
        for name, inner in schema.get("properties", {}).items():
            if name in found:
                return None
            found[name] = Argument(name, "body", inner, (*where, "properties", name), False)
    closed = [schema.get("additionalProperties", True) for _, schema in parts]
    if not found or demanded - found.keys() or (demanded and not required):
        return None
    if any(value is not True for value in closed) and (closed != [False]):
        return None
    members = tuple(Argument(a.name, a.destination, a.schema, a.at, a.name in demanded) for a in found.values())
    return members, about, closed == [False]


def _parts(
    at: Pointer, context: SchemaContext, schemas: SchemaConverter, seen: set[Pointer]
) -> list[tuple[Pointer, dict[str, Any]]] | None:
    """Return the plain objects that compose a schema; None if there is anything else, or one of them twice."""
    raw = schemas.resolver.value_at(at)
    if at in seen or not isinstance(raw, dict):
        return None
    seen.add(at)
    schema = schemas.convert(at, context)
    if set(schema) <= {"$ref", "description"} and "$ref" in schema:
        target = schemas.resolver.find_target(str(raw["$ref"]))
        return None if target is None else _parts(target, context, schemas, seen)
    if "allOf" not in schema:
        plain = set(schema) <= _FLAT and schema.get("type", "object") == "object"
        sound = isinstance(schema.get("properties", {}), dict) and isinstance(schema.get("required", []), list)
        return [(at, schema)] if plain and sound else None
    if not set(schema) <= _FLAT | {"allOf"} or not isinstance(schema["allOf"], list):
        return None
    rest = {key: value for key, value in schema.items() if key != "allOf"}
    parts = [(at, rest)] if rest.keys() & {"properties", "required", "additionalProperties"} else []
    for i in range(len(schema["allOf"])):
        inner = _parts((*at, "allOf", i), context, schemas, seen)
        if inner is None:
            return None
        parts += inner
    return parts
