"""The arguments of an operation: one object with its parameters and the members of its body.

If two of them have the same name, or there is a parameter `body` beside a body that is not a plain object, all
arguments are grouped by where they go: `path`, `query`, `header`, `cookie`, `body`. Otherwise parameters and members
are side by side, and a body that is not a plain object is the argument `body`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

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


def _are_distinct(arguments: list[Argument]) -> bool:
    return len({argument.name for argument in arguments}) == len(arguments)


def _laid_out(arguments: list[Argument], operation: Operation, body: Body | None) -> Arguments:
    """Return the schema of an object that has the arguments as its properties."""
    schema: dict[str, Any] = {"type": "object"}
    # The body whose members are among the arguments.
    spread_body = body if body is not None and body.members is not None else None
    if any(argument.name == argument.destination == "body" for argument in arguments):
        spread_body = None
    if spread_body is not None and spread_body.description:
        schema["description"] = spread_body.description
    schema["properties"] = {argument.name: argument.schema for argument in arguments}
    required = [argument.name for argument in arguments if argument.required]
    if required:
        schema["required"] = required
    if spread_body is not None and spread_body.closed:
        schema["additionalProperties"] = False
    moved: dict[Pointer, Pointer] = {("parameters",): operation.at}
    for argument in arguments:
        moved["parameters", "properties", argument.name] = argument.at
        for member in argument.members:
            moved["parameters", "properties", argument.name, "properties", member.name] = member.at
    destinations = {argument.name: argument.destination for argument in arguments}
    return Arguments(schema, moved, destinations, body.media if body else None)


def _grouped(arguments: list[Argument], operation: Operation) -> list[Argument]:
    """Return an argument for each destination, which has the arguments that go there as its members."""
    members_by_destination: dict[str, list[Argument]] = {}
    for argument in arguments:
        members_by_destination.setdefault(argument.destination, []).append(argument)
    groups = []
    for destination, members in members_by_destination.items():
        required = [member.name for member in members if member.required]
        schema: dict[str, Any] = {"type": "object", "properties": {m.name: m.schema for m in members}}
        if required:
            schema["required"] = required
        at = (*operation.at, "parameters")
        groups.append(Argument(destination, destination, schema, at, bool(required), tuple(members)))
    return groups


def _argument(parameter: Parameter, schemas: SchemaConverter) -> Argument:
    """Convert a parameter to an argument, with the keys beside its schema."""
    at, entry = parameter.at, parameter.entry
    where: Pointer = (*at, "schema")
    has_schema = "schema" in entry
    content = entry.get("content")
    media = choose_media_type(content) if not has_schema and isinstance(content, dict) else None
    if media is not None and isinstance(content, dict):
        where = (*at, "content", media, "schema")
        has_schema = isinstance(content[media], dict) and "schema" in content[media]
    schema = schemas.convert(where, _REQUEST) if has_schema else {}
    reader = schemas.resolver.reader
    if not isinstance(schema, dict | bool):
        reader.report_wrong_type(where, schema, "a schema")
        schema = {}
    text = reader.text(at, entry, "description")
    if isinstance(schema, dict):
        examples = _examples(entry, schema)
        schema = dict(schema)
        if text:
            schema["description"] = text
        if entry.get("deprecated") is True:
            schema["deprecated"] = True
        schema |= examples
    return Argument(parameter.name, parameter.location, schema, where, parameter.required)


def _examples(entry: dict[str, Any], schema: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the valid examples beside a schema that has none of its own."""
    if "examples" in schema:
        return {}
    named = entry.get("examples")
    examples = []
    if isinstance(named, dict):
        examples = [each["value"] for each in named.values() if isinstance(each, dict) and "value" in each]
    if "example" in entry:
        examples.append(entry["example"])
    valid = valid_examples(examples, schema) if examples else []
    return {"examples": valid} if valid else {}


def _body(operation: Operation, schemas: SchemaConverter) -> Body | None:
    """Return the body of a request; None if there is none, or it cannot be read (which is reported)."""
    if "requestBody" not in operation.entry:
        return None
    reader = schemas.resolver.reader
    body = schemas.resolver.object_at((*operation.at, "requestBody"), "an object: the body of a request")
    if body is None:
        return None
    at, entry = body
    content = reader.object(at, entry, "content") or {}
    media = choose_media_type(content)
    if media is None:
        return None
    if len(content) > 1:
        reader.report_at_key("import-media", (*at, "content", media), media=media, count=len(content) - 1)
    media_type = schemas.resolver.object_at((*at, "content", media), "an object: the media type of a body")
    if media_type is None:
        return None
    where = (*media_type.at, "schema")
    has_schema = "schema" in media_type.entry
    required = entry.get("required") is True
    schema = schemas.convert(where, _REQUEST) if has_schema else {}
    text = reader.text(at, entry, "description")
    plain_object = _plain_object(where, required, schemas) if isinstance(schema, dict) and has_schema else None
    if plain_object is not None:
        description = text or plain_object.description
        return Body(where, media, schema, required, plain_object.members, description, plain_object.closed)
    if isinstance(schema, dict) and text and "description" not in schema:
        schema = {**schema, "description": text}
    return Body(where, media, schema, required, None, None)


class _PlainObject(NamedTuple):
    """The members of an object that can be arguments, its description, and whether it admits no other members."""

    members: tuple[Argument, ...]
    description: str | None
    closed: bool


def _plain_object(at: Pointer, required: bool, schemas: SchemaConverter) -> _PlainObject | None:
    """Return a body that is a plain object, or an `allOf` of plain objects; None for any other body."""
    context = SchemaContext("request", hidden=schemas.visible.hidden_properties(at, "request"))
    parts = _parts(at, context, schemas, set())
    if parts is None:
        return None
    properties: dict[str, _LocatedSchema] = {}
    required_names: set[str] = set()
    description: str | None = None
    for where, schema in parts:
        if not description and isinstance(schema.get("description"), str):
            description = schema["description"]
        required_names.update(name for name in schema.get("required", ()) if isinstance(name, str))
        for name, inner in schema.get("properties", {}).items():
            if name in properties:
                return None
            properties[name] = _LocatedSchema((*where, "properties", name), inner)
    if not properties or required_names - properties.keys() or (required_names and not required):
        return None
    additional = [schema.get("additionalProperties", True) for _, schema in parts]
    if any(value is not True for value in additional) and additional != [False]:
        return None
    members = (
        Argument(name, "body", each.schema, each.at, name in required_names) for name, each in properties.items()
    )
    return _PlainObject(tuple(members), description, closed=additional == [False])


class _LocatedSchema(NamedTuple):
    """A converted schema, and its location in the document."""

    at: Pointer
    schema: Any


def _parts(
    at: Pointer, context: SchemaContext, schemas: SchemaConverter, visited: set[Pointer]
) -> list[_LocatedSchema] | None:
    """Return the plain objects that compose a schema; None if there is anything else, or one of them twice."""
    raw = schemas.resolver.value_at(at)
    if at in visited or not isinstance(raw, dict):
        return None
    visited.add(at)
    schema = schemas.convert(at, context)
    if set(schema) <= {"$ref", "description"} and "$ref" in schema:
        target = schemas.resolver.find_target(str(raw["$ref"]))
        return None if target is None else _parts(target, context, schemas, visited)
    if "allOf" not in schema:
        is_plain = set(schema) <= _FLAT and schema.get("type", "object") == "object"
        is_sound = isinstance(schema.get("properties", {}), dict) and isinstance(schema.get("required", []), list)
        return [_LocatedSchema(at, schema)] if is_plain and is_sound else None
    if not set(schema) <= _FLAT | {"allOf"} or not isinstance(schema["allOf"], list):
        return None
    parts = []
    if schema.keys() & {"properties", "required", "additionalProperties"}:
        parts.append(_LocatedSchema(at, {key: value for key, value in schema.items() if key != "allOf"}))
    for i in range(len(schema["allOf"])):
        inner = _parts((*at, "allOf", i), context, schemas, visited)
        if inner is None:
            return None
        parts += inner
    return parts
