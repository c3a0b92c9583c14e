"""Resolution of each `$ref` of the sources, and the check for circular references that never descend into a value.

No file is opened: a reference resolves to a loaded document, or it is refused.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import unquote, urljoin, urlsplit

from toolgen.diagnostics import Findings
from toolgen.load import Pointer
from toolgen.load.sources import follow_pointer
from toolgen.resolve.schema_locations import (
    SchemaLocation,
    SchemaRegistry,
    is_schema,
    walk_same_instance_schemas,
    walk_schemas,
)

T = TypeVar("T")


class UnresolvableReferenceError(Exception):
    """A reference that cannot be resolved: the code of the finding, and the reference."""

    def __init__(self, code: str, ref: str) -> None:
        super().__init__(code)
        self.code = code
        self.ref = ref


@dataclass(slots=True)
class SchemaIds:
    """The `$id`s and anchors inside one root schema, by address."""

    addresses: dict[str, SchemaLocation]
    bases: dict[Pointer, str]
    duplicates: list[tuple[str, SchemaLocation, SchemaLocation]] = field(default_factory=list)
    """Names that two schemas have, with the first and the second location."""

    def record_name(self, address: str, location: SchemaLocation) -> None:
        """Record the name of a schema."""
        first = self.addresses.setdefault(address, location)
        if first != location:
            self.duplicates.append((address, first, location))

    def base(self, location: SchemaLocation, root: SchemaLocation) -> tuple[str, SchemaLocation]:
        """Return the address and the location of the resource that a schema belongs to."""
        for end in range(len(location.pointer), len(root.pointer) - 1, -1):
            address = self.bases.get(location.pointer[:end])
            if address is not None:
                return address, SchemaLocation(root.document, location.pointer[:end])
        return "", root


@dataclass(slots=True)
class ReferenceResolver:
    """Resolves references between the documents of a registry."""

    registry: SchemaRegistry
    known: dict[SchemaLocation, SchemaIds] = field(default_factory=dict)

    def target(self, location: SchemaLocation, ref: str) -> SchemaLocation:
        """Return the location that `ref` refers to from the schema at `location`.

        Raises:
            UnresolvableReferenceError: it refers to something outside the sources, or to nothing.
        """
        root = self.registry.root(location)
        identifiers = self._identifiers(root)
        address, resource = identifiers.base(location, root)
        if ref.startswith("#") and not address:
            return self._inside(resource, ref[1:], ref)
        absolute = _joined(address, ref)
        for spelling in (absolute, ref):
            if spelling in identifiers.addresses:
                return identifiers.addresses[spelling]
            base, _, fragment = spelling.partition("#")
            if base in identifiers.addresses:
                return self._inside(identifiers.addresses[base], fragment, ref)
        if ref.startswith("#"):
            return self._inside(resource, ref[1:], ref)
        return self._in_file(location, ref)

    def _in_file(self, location: SchemaLocation, ref: str) -> SchemaLocation:
        # The URL parser silently drops line ends and blanks.
        if not ref.isprintable() or ref != ref.strip():
            raise UnresolvableReferenceError("reference-dangling", ref)
        try:
            parts = urlsplit(ref)
        except ValueError:
            raise UnresolvableReferenceError("reference-remote", ref) from None
        if parts.scheme or parts.netloc or parts.query or ref.startswith("//"):
            raise UnresolvableReferenceError("reference-remote", ref)
        path = unquote(parts.path)
        if path.startswith(("/", "~")) or "\\" in path or ":" in path or "\0" in path:
            raise UnresolvableReferenceError("reference-outside", ref)
        source = posixpath.normpath(posixpath.join(posixpath.dirname(location.document[0]), path))
        if source == ".." or source.startswith(("../", "/")):
            raise UnresolvableReferenceError("reference-outside", ref)
        document = (source, 0)
        if document not in self.registry.documents or path.endswith("/"):
            raise UnresolvableReferenceError("reference-dangling", ref)
        target = self._inside(SchemaLocation(document, ()), parts.fragment, ref)
        if document in self.registry.tools and self.registry.root(target).pointer == ():
            raise UnresolvableReferenceError("reference-no-schema", ref)
        return target

    def _inside(self, resource: SchemaLocation, fragment: str, ref: str) -> SchemaLocation:
        pointer = unquote(fragment)
        if pointer and not pointer.startswith("/"):
            anchors = self._identifiers(self.registry.root(resource))
            base, _ = anchors.base(resource, self.registry.root(resource))
            found = anchors.addresses.get(f"{base}#{pointer}")
            if found is None:
                raise UnresolvableReferenceError("reference-dangling", ref)
            return found
        try:
            steps, value = follow_pointer(self.registry.value(resource), pointer)
        except LookupError:
            raise UnresolvableReferenceError("reference-dangling", ref) from None
        if not is_schema(value):
            raise UnresolvableReferenceError("reference-no-schema", ref)
        return SchemaLocation(resource.document, resource.pointer + steps)

    def _identifiers(self, root: SchemaLocation) -> SchemaIds:
        if root not in self.known:
            self.known[root] = _collected(root, self.registry)
        return self.known[root]


def _joined(base: str, ref: str) -> str:
    """Return an address relative to a base; the address alone if the base is not a URL or the two cannot be joined."""
    try:
        return urljoin(base, ref) if ":" in base else ref
    except ValueError:
        return ref


def _collected(root: SchemaLocation, registry: SchemaRegistry) -> SchemaIds:
    found = SchemaIds({}, {})
    for pointer, schema in _walked(registry, root):
        if not isinstance(schema, dict):
            continue
        here = SchemaLocation(root.document, pointer)
        own = schema.get("$id")
        base, _ = found.base(here, root)
        if isinstance(own, str) and own.startswith("#"):
            found.record_name(f"{base}{own}", here)
        elif isinstance(own, str) and own:
            found.bases[pointer] = base = _joined(base, own).partition("#")[0]
            found.record_name(base, here)
        anchor: Any = schema.get("$anchor")
        if isinstance(anchor, str):
            found.record_name(f"{base}#{anchor}", here)
    return found


def reachable(starts: Iterable[T], following: Callable[[T], Iterable[T]]) -> set[T]:
    """Return the starts and everything that they lead to, directly or not."""
    waiting = list(starts)
    found = set(waiting)
    while waiting:
        further = [each for each in following(waiting.pop()) if each not in found]
        found.update(further)
        waiting += further
    return found


_DYNAMIC = ("$dynamicRef", "$recursiveRef")


@dataclass(frozen=True, slots=True)
class ReferenceGraph:
    """The target of each reference. The key is the location of the schema that contains it."""

    registry: SchemaRegistry = field(repr=False)
    targets: dict[SchemaLocation, SchemaLocation] = field(repr=False)
    roots: tuple[SchemaLocation, ...] = field(repr=False)
    """Schemas that must be valid: the roots of documents, and targets of references outside those."""

    def targets_below(self, location: SchemaLocation) -> list[SchemaLocation]:
        """Return the targets of all references at a location and inside it, in the order of the source."""
        found = []
        for pointer, schema in _walked(self.registry, location):
            if isinstance(schema, dict) and "$ref" in schema:
                target = self.targets.get(SchemaLocation(location.document, pointer))
                if target is not None:
                    found.append(target)
        return found


def resolve_references(registry: SchemaRegistry, findings: Findings) -> ReferenceGraph:
    """Resolve every reference. Report those that cannot be resolved or are circular."""
    references = ReferenceResolver(registry)
    targets: dict[SchemaLocation, SchemaLocation] = {}
    walked: set[SchemaLocation] = set()
    roots: list[SchemaLocation] = []
    queue = list(registry.roots())
    for start in queue:
        if start in walked:
            continue
        roots.append(start)
        for pointer, schema in _walked(registry, start):
            here = SchemaLocation(start.document, pointer)
            if here in walked:
                continue
            walked.add(here)
            if not isinstance(schema, dict):
                continue
            for keyword in _DYNAMIC:
                if keyword in schema:
                    findings.add("reference-dynamic", registry.key_span(here, keyword), keyword=keyword)
            ref = schema.get("$ref")
            if isinstance(ref, str):
                try:
                    targets[here] = references.target(here, ref)
                except UnresolvableReferenceError as refused:
                    findings.add(refused.code, registry.span(here, "$ref"), ref=refused.ref)
                else:
                    queue.append(targets[here])
    for identifiers in references.known.values():
        for identifier, first, second in identifiers.duplicates:
            line = registry.span(first).line
            findings.add("identifier-duplicate", registry.span(second), identifier=identifier, line=line)
    graph = ReferenceGraph(registry, targets, tuple(roots))
    _report_circles(graph, findings)
    return graph


def _walked(registry: SchemaRegistry, location: SchemaLocation) -> Iterator[tuple[Pointer, Any]]:
    """Yield the schema at a location and every schema inside it, in the order of the source."""
    return walk_schemas(registry.value(location), location.pointer)


def _report_circles(graph: ReferenceGraph, findings: Findings) -> None:
    """Report each circle of references that never descends into the value, at a reference of the circle."""
    done: set[SchemaLocation] = set()
    for start in dict.fromkeys(graph.targets.values()):
        if start in done:
            continue
        open_locations = {start}
        stack = [(start, iter(_steps(graph, start)))]
        while stack:
            location, steps = stack[-1]
            for reference, target in steps:
                if target in open_locations:
                    value = graph.registry.value(reference)
                    findings.add("reference-circle", graph.registry.span(reference, "$ref"), ref=value["$ref"])
                elif target not in done:
                    open_locations.add(target)
                    stack.append((target, iter(_steps(graph, target))))
                    break
            else:
                open_locations.discard(location)
                done.add(location)
                stack.pop()


def _steps(graph: ReferenceGraph, location: SchemaLocation) -> list[tuple[SchemaLocation, SchemaLocation]]:
    """Return the references that apply to the same value as the schema at a location, with their targets."""
    found = []
    for pointer, schema in walk_same_instance_schemas(graph.registry.value(location), location.pointer):
        here = SchemaLocation(location.document, pointer)
        if isinstance(schema, dict) and here in graph.targets:
            found.append((here, graph.targets[here]))
    return found
