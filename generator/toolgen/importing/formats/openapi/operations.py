"""The operations of a document, with the parameters that they share with their path, and their results as JSON.

If there are several media types, JSON comes before forms, and forms before text and bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from toolgen.importing.formats.openapi.references import Resolver
from toolgen.importing.formats.openapi.schemas import SchemaContext, SchemaConverter
from toolgen.load import Pointer

_ORDER = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"application/json",
        r"[^/]+/([^/]+\+)?json",
        r"multipart/form-data",
        r"application/x-www-form-urlencoded",
        r"\*/\*|application/\*",
        r".*",
    )
)


def choose_media_type(content: Mapping[str, Any]) -> str | None:
    """Return the media type whose schema is used, the first among equals; None if there is none."""
    return min(content, key=_rank, default=None)


def is_json_media_type(media: str) -> bool:
    """Return whether values of a media type are JSON."""
    return _rank(media) in (0, 1, 4)


def _rank(media: str) -> int:
    plain = media.partition(";")[0].strip()
    return next(i for i, pattern in enumerate(_ORDER) if pattern.fullmatch(plain))


_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
SAFE_METHODS = frozenset(["get", "head", "options", "trace", "query"])
"""Methods that are safe, which means that they change nothing (RFC 9110, 9.2.1, and the one for queries)."""

_IGNORED_HEADERS = frozenset(["accept", "authorization", "content-type"])
_HOLE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter, and where it goes in a request."""

    at: Pointer
    name: str
    location: str
    entry: dict[str, Any] = field(repr=False)

    @property
    def required(self) -> bool:
        """Return whether a request must have the parameter. All parts of a path are required."""
        return self.location == "path" or self.entry.get("required") is True

    @property
    def serialization(self) -> dict[str, Any]:
        """Return how the value is serialized in a request, where it is not OpenAPI's default."""
        style = self.entry.get("style")
        usual = "form" if self.location in ("query", "cookie") else "simple"
        style = style if isinstance(style, str) else usual
        serialization: dict[str, Any] = {} if style == usual else {"style": style}
        explode = self.entry.get("explode")
        if isinstance(explode, bool) and explode != (style == "form"):
            serialization["explode"] = explode
        if self.entry.get("allowReserved") is True:
            serialization["allowReserved"] = True
        content = self.entry.get("content")
        media = choose_media_type(content) if isinstance(content, dict) else None
        if media is not None:
            serialization["media"] = media
        return serialization


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: its method as in HTTP, its path, and its parameters in the order of the document."""

    at: Pointer
    method: str
    path: str
    entry: dict[str, Any] = field(repr=False)
    path_item: dict[str, Any] = field(repr=False)
    """The entry of the path: its operations, and what applies to all of them."""
    parameters: tuple[Parameter, ...] = field(repr=False)


def read_operations(resolver: Resolver) -> Iterator[Operation]:
    """Read the operations under `paths`, in the order of the document."""
    reader = resolver.reader
    paths = reader.object((), reader.document.value, "paths")
    for path in paths or {}:
        if path.startswith("x-"):
            continue
        path_item = resolver.object_at(("paths", path), "an object: the operations of a path")
        if path_item is None:
            continue
        at, item = path_item
        shared = _parameters(resolver, at, item)
        for where, method in _methods(at, item):
            # OpenAPI has no reference in place of an operation, but documents in several files do.
            target = resolver.object_at(where, "an object: an operation")
            if target is not None:
                own = _parameters(resolver, *target)
                parameters = tuple({**shared, **own}.values())
                operation = Operation(target.at, method, path, target.entry, item, parameters)
                _check_path(resolver, operation)
                yield operation


def _methods(at: Pointer, item: dict[str, Any]) -> Iterator[tuple[Pointer, str]]:
    """Yield the location and the method of each operation of a path, also of methods that OpenAPI does not list."""
    for key, entry in item.items():
        if key in _METHODS:
            yield (*at, key), key.upper()
        elif key == "additionalOperations" and isinstance(entry, dict):
            yield from (((*at, key, method), method) for method in entry)


def _parameters(resolver: Resolver, at: Pointer, entry: dict[str, Any]) -> dict[tuple[str, str], Parameter]:
    """Return the parameters in a list, by kind and name. Headers that OpenAPI ignores are left out."""
    reader = resolver.reader
    listed = entry.get("parameters")
    if listed is not None and not isinstance(listed, list):
        reader.report_wrong_type((*at, "parameters"), listed, "a list of parameters")
    parameters: dict[tuple[str, str], Parameter] = {}
    for i in range(len(listed) if isinstance(listed, list) else 0):
        resolved = resolver.object_at((*at, "parameters", i), "an object: a parameter")
        parameter = None if resolved is None else _parameter(resolver, *resolved)
        if parameter is None:
            continue
        key = (parameter.location, parameter.name)
        if key in parameters:
            where = (*at, "parameters", i)
            reader.report_at_key("import-parameter-twice", where, name=parameter.name, place=parameter.location)
        parameters[key] = parameter
    return parameters


def _parameter(resolver: Resolver, at: Pointer, entry: dict[str, Any]) -> Parameter | None:
    """Return a parameter; None, with a finding, if it is left out."""
    reader = resolver.reader
    name, location = entry.get("name"), entry.get("in")
    if not isinstance(name, str):
        reader.report_wrong_type((*at, "name"), name, "a string: the name of a parameter")
    elif location == "header" and name.lower() in _IGNORED_HEADERS:
        reader.report_at_key("import-header-ignored", (*at, "name"), name=name)
    elif location not in ("path", "query", "header", "cookie", "querystring"):
        where = (*at, "in") if "in" in entry else at
        reader.findings.add("import-parameter-place", reader.document.span(*where), name=name)
    else:
        return Parameter(at, name, str(location), entry)
    return None


def _check_path(resolver: Resolver, operation: Operation) -> None:
    """Report the parts of a path that no parameter fills, because a request could not be made."""
    filled = {parameter.name for parameter in operation.parameters if parameter.location == "path"}
    for name in dict.fromkeys(_HOLE.findall(operation.path)):
        if name not in filled:
            span = resolver.reader.document.key_span(*operation.at)
            resolver.reader.findings.add("import-path-part", span, name=name, path=operation.path)


_SUCCESS = re.compile(r"2([0-9][0-9]|XX)", re.IGNORECASE)
_RESPONSE = SchemaContext("response")


class ResultSchema(NamedTuple):
    """The schema of a result, and the locations of its parts; None and no locations if no response is JSON."""

    schema: Any
    moved: dict[Pointer, Pointer]


def result_schema(operation: Operation, schemas: SchemaConverter) -> ResultSchema:
    """Return the schema of the result of an operation.

    If the schemas of the successful responses differ, the result is any of them. The `default` response counts if there
    is no successful one.
    """
    candidates: list[tuple[Any, Pointer]] = []
    responses = schemas.resolver.reader.object(operation.at, operation.entry, "responses") or {}
    successful = sorted(code for code in responses if _SUCCESS.fullmatch(code))
    for code in successful or [code for code in responses if code == "default"]:
        at = _schema_location((*operation.at, "responses", code), schemas)
        if at is None:
            continue
        schema = schemas.convert(at, _RESPONSE)
        if not isinstance(schema, dict | bool):
            schemas.resolver.reader.report_wrong_type(at, schema, "a schema")
        elif schema not in [each for each, _ in candidates]:
            candidates.append((schema, at))
    if not candidates:
        return ResultSchema(None, {})
    if len(candidates) == 1:
        schema, at = candidates[0]
        return ResultSchema(schema, {("result",): at})
    moved: dict[Pointer, Pointer] = {("result", "anyOf", i): at for i, (_, at) in enumerate(candidates)}
    return ResultSchema({"anyOf": [schema for schema, _ in candidates]}, {("result",): operation.at, **moved})


def _schema_location(at: Pointer, schemas: SchemaConverter) -> Pointer | None:
    """Return the location of the schema of a response; None if that is not JSON, or has no schema."""
    response = schemas.resolver.object_at(at, "an object: a response")
    if response is None:
        return None
    content = schemas.resolver.reader.object(response.at, response.entry, "content") or {}
    media = choose_media_type(content)
    if media is None or not is_json_media_type(media):
        return None
    where = (*response.at, "content", media)
    media_type = schemas.resolver.object_at(where, "an object: the media type of a response")
    if media_type is None or "schema" not in media_type.entry:
        return None
    return (*media_type.at, "schema")
