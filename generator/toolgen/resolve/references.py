"""Resolution of each `$ref` of the sources, and the check for circular references that never descend into a value.

No file is opened: a reference resolves to a loaded document, or it is refused.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar
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


class SchemaResource(NamedTuple):
    """A schema with an `$id`, and its address; or a root schema, whose address is empty."""

    address: str
    location: SchemaLocation


class DuplicateIdentifier(NamedTuple):
    """An address that two schemas have."""

    address: str
    first: SchemaLocation
    second: SchemaLocation


@dataclass(slots=True)
class SchemaIds:
    """The `$id`s and anchors inside one root schema, by address, and the addresses of those with an `$id` by pointer."""

    addresses: dict[str, SchemaLocation] = field(default_factory=dict)
    bases: dict[Pointer, str] = field(default_factory=dict)
    duplicates: list[DuplicateIdentifier] = field(default_factory=list)

    def record_name(self, address: str, location: SchemaLocation) -> None:
        """Record the name of a schema."""
        first = self.addresses.setdefault(address, location)
        if first != location:
            self.duplicates.append(DuplicateIdentifier(address, first, location))

    def resource_of(self, location: SchemaLocation, root: SchemaLocation) -> SchemaResource:
        """Return the resource that a schema belongs to."""
        for end in range(len(location.pointer), len(root.pointer) - 1, -1):
            address = self.bases.get(location.pointer[:end])
            if address is not None:
                return SchemaResource(address, SchemaLocation(root.document, location.pointer[:end]))
        return SchemaResource("", root)


@dataclass(slots=True)
class ReferenceResolver:
    """Resolves references between the documents of a registry."""

    registry: SchemaRegistry
    ids_by_root: dict[SchemaLocation, SchemaIds] = field(default_factory=dict)

    def target(self, location: SchemaLocation, ref: str) -> SchemaLocation:
        """Return the location that `ref` refers to from the schema at `location`.

        Raises:
            UnresolvableReferenceError: it refers to something outside the sources, or to nothing.
        """
        root = self.registry.root(location)
        identifiers = self._identifiers(root)
        address, resource = identifiers.resource_of(location, root)
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
        """Return the location that a path refers to, relative to the document of a location.

        Raises:
            UnresolvableReferenceError: it is not a path inside SCHEMAS, or there is no schema.
        """
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
        """Return the location of an anchor or a pointer, the fragment of `ref`, inside a resource.

        Raises:
            UnresolvableReferenceError: there is no schema.
        """
        pointer = unquote(fragment)
        if pointer and not pointer.startswith("/"):
            root = self.registry.root(resource)
            identifiers = self._identifiers(root)
            anchor = f"{identifiers.resource_of(resource, root).address}#{pointer}"
            if anchor not in identifiers.addresses:
                raise UnresolvableReferenceError("reference-dangling", ref)
            return identifiers.addresses[anchor]
        try:
            steps, value = follow_pointer(self.registry.value(resource), pointer)
        except LookupError:
            raise UnresolvableReferenceError("reference-dangling", ref) from None
        if not is_schema(value):
            raise UnresolvableReferenceError("reference-no-schema", ref)
        return SchemaLocation(resource.document, resource.pointer + steps)

    def _identifiers(self, root: SchemaLocation) -> SchemaIds:
        """Return the identifiers inside a root schema, which are collected once."""
        if root not in self.ids_by_root:
            self.ids_by_root[root] = _collect_identifiers(root, self.registry)
        return self.ids_by_root[root]


def _joined(base: str, ref: str) -> str:
    """Return an address relative to a base; the address alone if the base is not a URL or the two cannot be joined."""
    try:
        return urljoin(base, ref) if ":" in base else ref
    except ValueError:
        return ref


def _collect_identifiers(root: SchemaLocation, registry: SchemaRegistry) -> SchemaIds:
    """Return the identifiers inside a root schema. A relative `$id` is joined with that of the resource around it."""
    identifiers = SchemaIds()
    for pointer, schema in _walked(registry, root):
        if not isinstance(schema, dict):
            continue
        here = SchemaLocation(root.document, pointer)
        own = schema.get("$id")
        base = identifiers.resource_of(here, root).address
        if isinstance(own, str) and own.startswith("#"):
            identifiers.record_name(f"{base}{own}", here)
        elif isinstance(own, str) and own:
            identifiers.bases[pointer] = base = _joined(base, own).partition("#")[0]
            identifiers.record_name(base, here)
        anchor: Any = schema.get("$anchor")
        if isinstance(anchor, str):
            identifiers.record_name(f"{base}#{anchor}", here)
    return identifiers


def reachable(starts: Iterable[T], following: Callable[[T], Iterable[T]]) -> set[T]:
    """Return the starts and everything that they lead to, directly or not."""
    waiting = list(starts)
    reached = set(waiting)
    while waiting:
        further = [each for each in following(waiting.pop()) if each not in reached]
        reached.update(further)
        waiting += further
    return reached


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
        references = (
            SchemaLocation(location.document, pointer)
            for pointer, schema in _walked(self.registry, location)
            if isinstance(schema, dict) and "$ref" in schema
        )
        return [self.targets[reference] for reference in references if reference in self.targets]


def resolve_references(registry: SchemaRegistry, findings: Findings) -> ReferenceGraph:
    """Resolve every reference. Report those that cannot be resolved or are circular."""
    resolver = ReferenceResolver(registry)
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
            target = _resolve_reference(here, schema, resolver, findings) if isinstance(schema, dict) else None
            if target is not None:
                targets[here] = target
                queue.append(target)
    for identifiers in resolver.ids_by_root.values():
        for duplicate in identifiers.duplicates:
            line = registry.span(duplicate.first).line
            span = registry.span(duplicate.second)
            findings.add("identifier-duplicate", span, identifier=duplicate.address, line=line)
    graph = ReferenceGraph(registry, targets, tuple(roots))
    _report_circles(graph, findings)
    return graph


def _resolve_reference(
    location: SchemaLocation, schema: Mapping[str, Any], resolver: ReferenceResolver, findings: Findings
) -> SchemaLocation | None:
    """Return the target of a schema's reference; None if it has none, or, with a finding, if that cannot be resolved.

    Dynamic references are reported too.
    """
    for keyword in _DYNAMIC:
        if keyword in schema:
            findings.add("reference-dynamic", resolver.registry.key_span(location, keyword), keyword=keyword)
    ref = schema.get("$ref")
    if not isinstance(ref, str):
        return None
    try:
        return resolver.target(location, ref)
    except UnresolvableReferenceError as error:
        findings.add(error.code, resolver.registry.span(location, "$ref"), ref=error.ref)
        return None


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
        stack = [(start, _steps(graph, start))]
        while stack:
            location, steps = stack[-1]
            for reference, target in steps:
                if target in open_locations:
                    value = graph.registry.value(reference)
                    findings.add("reference-circle", graph.registry.span(reference, "$ref"), ref=value["$ref"])
                elif target not in done:
                    open_locations.add(target)
                    stack.append((target, _steps(graph, target)))
                    break
            else:
                open_locations.discard(location)
                done.add(location)
                stack.pop()


class _Step(NamedTuple):
    """A reference, and the schema that it refers to."""

    reference: SchemaLocation
    target: SchemaLocation


def _steps(graph: ReferenceGraph, location: SchemaLocation) -> Iterator[_Step]:
    """Yield the references that apply to the same value as the schema at a location."""
    for pointer, schema in walk_same_instance_schemas(graph.registry.value(location), location.pointer):
        here = SchemaLocation(location.document, pointer)
        if isinstance(schema, dict) and here in graph.targets:
            yield _Step(here, graph.targets[here])
