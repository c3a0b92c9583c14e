"""The operations of a document, each with the parameters that it takes from its path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from toolgen.importing.openapi.resolving import Resolver
from toolgen.load import Pointer

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
SAFE = frozenset(["get", "head", "options", "trace", "query"])
"""Methods that change nothing (RFC 9110, 9.2.1, and the one for queries)."""

_IGNORED_HEADERS = frozenset(["accept", "authorization", "content-type"])
_HOLE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: where it goes in a request, and what was said of it."""

    at: Pointer
    name: str
    place: str
    entry: dict[str, Any] = field(repr=False)

    @property
    def required(self) -> bool:
        """Whether a request has to have it; a path always has all of its parts."""
        return self.place == "path" or self.entry.get("required") is True


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: its method in the letters of HTTP, its path, and its parameters in the order of the document."""

    at: Pointer
    method: str
    path: str
    entry: dict[str, Any] = field(repr=False)
    parameters: tuple[Parameter, ...] = field(repr=False)


def operations(resolver: Resolver) -> Iterator[Operation]:
    """Read the operations under `paths`, in the order of the document."""
    reader = resolver.reader
    paths = reader.object((), reader.document.value, "paths")
    for path in paths or {}:
        if path.startswith("x-"):
            continue
        found = resolver.object(("paths", path), "an object: the operations of a path")
        if found is None:
            continue
        at, item = found
        shared = _parameters(resolver, at, item)
        for where, method, entry in _methods(at, item):
            if isinstance(entry, dict):
                own = _parameters(resolver, where, entry)
                merged = tuple({**shared, **own}.values())
                operation = Operation(where, method, path, entry, merged)
                _check_path(resolver, operation)
                yield operation
            else:
                reader.wrong(where, entry, "an object: an operation")


def _methods(at: Pointer, item: dict[str, Any]) -> Iterator[tuple[Pointer, str, Any]]:
    for key, entry in item.items():
        if key in _METHODS:
            yield (*at, key), key.upper(), entry
        elif key == "additionalOperations" and isinstance(entry, dict):
            yield from (((*at, key, method), method, inner) for method, inner in entry.items())


def _parameters(resolver: Resolver, at: Pointer, entry: dict[str, Any]) -> dict[tuple[str, str], Parameter]:
    """The parameters in a list, by place and name. Those that OpenAPI tells to ignore are left out."""
    reader = resolver.reader
    listed = entry.get("parameters")
    if listed is not None and not isinstance(listed, list):
        reader.wrong((*at, "parameters"), listed, "a list of parameters")
    found: dict[tuple[str, str], Parameter] = {}
    for i in range(len(listed) if isinstance(listed, list) else 0):
        resolved = resolver.object((*at, "parameters", i), "an object: a parameter")
        parameter = None if resolved is None else _parameter(resolver, *resolved)
        if parameter is None:
            continue
        key = (parameter.place, parameter.name)
        if key in found:
            holes = {"name": parameter.name, "place": parameter.place}
            reader.changed("import-parameter-twice", (*at, "parameters", i), **holes)
        found[key] = parameter
    return found


def _parameter(resolver: Resolver, at: Pointer, entry: dict[str, Any]) -> Parameter | None:
    reader = resolver.reader
    name, place = entry.get("name"), entry.get("in")
    if not isinstance(name, str):
        reader.wrong((*at, "name") if "name" in entry else at, name, "text: the name of a parameter")
    elif place == "header" and name.lower() in _IGNORED_HEADERS:
        reader.changed("import-header-ignored", (*at, "name"), name=name)
    elif place not in ("path", "query", "header", "cookie", "querystring"):
        where = (*at, "in") if "in" in entry else at
        reader.findings.add("import-parameter-place", reader.document.span(*where), name=name)
    else:
        return Parameter(at, name, str(place), entry)
    return None


def _check_path(resolver: Resolver, operation: Operation) -> None:
    """Report the parts of a path that no parameter fills: a request could not be made."""
    filled = {parameter.name for parameter in operation.parameters if parameter.place == "path"}
    for name in dict.fromkeys(_HOLE.findall(operation.path)):
        if name not in filled:
            span = resolver.reader.document.key_span(*operation.at)
            resolver.reader.findings.add("import-path-part", span, name=name, path=operation.path)
