"""What a `$ref` leads to. Nothing is opened: a reference finds a loaded document, or it is refused."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from toolgen.load import Pointer
from toolgen.resolve.keywords import is_schema, walk
from toolgen.resolve.places import Library, MissingError, Place, child


class RefusedError(Exception):
    """A reference that cannot be followed: the code of the finding, and the reference."""

    def __init__(self, code: str, ref: str) -> None:
        super().__init__(code)
        self.code = code
        self.ref = ref


@dataclass(slots=True)
class Identifiers:
    """The `$id`s and anchors inside one root schema, by address."""

    addresses: dict[str, Place]
    bases: dict[Pointer, str]
    twice: list[tuple[str, Place, Place]] = field(default_factory=list)
    """Names that two schemas have, with the first and the second one."""

    def name(self, address: str, place: Place) -> None:
        """Note what a schema is called."""
        first = self.addresses.setdefault(address, place)
        if first != place:
            self.twice.append((address, first, place))

    def base(self, place: Place, root: Place) -> tuple[str, Place]:
        """The address and the place of the resource that a schema belongs to."""
        for end in range(len(place.pointer), len(root.pointer) - 1, -1):
            address = self.bases.get(place.pointer[:end])
            if address is not None:
                return address, Place(root.document, place.pointer[:end])
        return "", root


@dataclass(slots=True)
class References:
    """Follows references between the documents of a library."""

    library: Library
    known: dict[Place, Identifiers] = field(default_factory=dict)

    def target(self, place: Place, ref: str) -> Place:
        """The place that `ref` leads to from the schema at `place`.

        Raises:
            RefusedError: it leads out of the sources, or nowhere.
        """
        root = self.library.root(place)
        identifiers = self._identifiers(root)
        address, resource = identifiers.base(place, root)
        if ref.startswith("#") and not address:
            return self._inside(resource, ref[1:], ref)
        absolute = _joined(address, ref)
        for spelling in (absolute, ref):
            if spelling in identifiers.addresses:
                return identifiers.addresses[spelling]
            base, fragment = _split(spelling)
            if base in identifiers.addresses:
                return self._inside(identifiers.addresses[base], fragment, ref)
        if ref.startswith("#"):
            return self._inside(resource, ref[1:], ref)
        return self._in_file(place, ref)

    def _in_file(self, place: Place, ref: str) -> Place:
        # The parser of addresses drops line ends and blanks without a word.
        if not ref.isprintable() or ref != ref.strip():
            raise RefusedError("reference-dangling", ref)
        try:
            parts = urlsplit(ref)
        except ValueError:
            raise RefusedError("reference-remote", ref) from None
        if parts.scheme or parts.netloc or parts.query or ref.startswith("//"):
            raise RefusedError("reference-remote", ref)
        path = unquote(parts.path)
        if path.startswith(("/", "~")) or "\\" in path or ":" in path or "\0" in path:
            raise RefusedError("reference-outside", ref)
        source = posixpath.normpath(posixpath.join(posixpath.dirname(place.document[0]), path))
        if source == ".." or source.startswith(("../", "/")):
            raise RefusedError("reference-outside", ref)
        document = (source, 0)
        if document not in self.library.documents or path.endswith("/"):
            raise RefusedError("reference-dangling", ref)
        target = self._inside(Place(document, ()), parts.fragment, ref)
        if document in self.library.tools and self.library.root(target).pointer == ():
            raise RefusedError("reference-no-schema", ref)
        return target

    def _inside(self, resource: Place, fragment: str, ref: str) -> Place:
        pointer = unquote(fragment)
        if pointer and not pointer.startswith("/"):
            anchors = self._identifiers(self.library.root(resource))
            base, _ = anchors.base(resource, self.library.root(resource))
            found = anchors.addresses.get(f"{base}#{pointer}")
            if found is None:
                raise RefusedError("reference-dangling", ref)
            return found
        steps: list[str | int] = list(resource.pointer)
        try:
            value = self.library.value(resource)
            for raw in pointer.split("/")[1:]:
                step = raw.replace("~1", "/").replace("~0", "~")
                value = child(value, step)
                steps.append(int(step) if step.isdigit() and not _keyed(self, resource, steps) else step)
        except MissingError:
            raise RefusedError("reference-dangling", ref) from None
        if not is_schema(value):
            raise RefusedError("reference-no-schema", ref)
        return Place(resource.document, tuple(steps))

    def _identifiers(self, root: Place) -> Identifiers:
        if root not in self.known:
            self.known[root] = _collected(root, self.library)
        return self.known[root]


def _joined(base: str, ref: str) -> str:
    """An address relative to a base that is one itself; the address alone where the two are no addresses."""
    try:
        return urljoin(base, ref) if ":" in base else ref
    except ValueError:
        return ref


def _split(address: str) -> tuple[str, str]:
    """An address without its fragment, and the fragment."""
    base, _, fragment = address.partition("#")
    return base, fragment


def _keyed(references: References, resource: Place, steps: list[str | int]) -> bool:
    return isinstance(references.library.value(Place(resource.document, tuple(steps))), dict)


def _collected(root: Place, library: Library) -> Identifiers:
    found = Identifiers({}, {})
    for pointer, schema in walk(library.value(root), root.pointer):
        if not isinstance(schema, dict):
            continue
        here = Place(root.document, pointer)
        own = schema.get("$id")
        base, _ = found.base(here, root)
        if isinstance(own, str) and own.startswith("#"):
            found.name(f"{base}{own}", here)
        elif isinstance(own, str) and own:
            address = _split(_joined(base, own))[0]
            found.bases[pointer] = base = address
            found.name(address, here)
        anchor: Any = schema.get("$anchor")
        if isinstance(anchor, str):
            found.name(f"{base}#{anchor}", here)
    return found
