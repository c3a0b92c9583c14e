"""Links: every reference of the sources with what it leads to, and no circle that judges one value for ever."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolgen.diagnostics import Findings
from toolgen.resolve.keywords import in_place, walk
from toolgen.resolve.places import Library, Place
from toolgen.resolve.references import References, RefusedError

_DYNAMIC = ("$dynamicRef", "$recursiveRef")


@dataclass(frozen=True, slots=True)
class Links:
    """Where each reference leads. The key is the place of the schema that holds it."""

    library: Library = field(repr=False)
    targets: dict[Place, Place] = field(repr=False)
    roots: tuple[Place, ...] = field(repr=False)
    """Schemas that have to be sound: the roots of documents, and what references find outside of those."""

    def from_place(self, place: Place) -> list[Place]:
        """The targets of all references at a place and inside it, in the order of the source."""
        found = []
        for pointer, schema in walk(self.library.value(place), place.pointer):
            if isinstance(schema, dict) and "$ref" in schema:
                target = self.targets.get(Place(place.document, pointer))
                if target is not None:
                    found.append(target)
        return found


def linked(library: Library, findings: Findings) -> Links:
    """Follow every reference; report those that lead nowhere or in circles."""
    references = References(library)
    targets: dict[Place, Place] = {}
    walked: set[Place] = set()
    roots: list[Place] = []
    queue = list(library.roots())
    for start in queue:
        if start in walked:
            continue
        roots.append(start)
        for pointer, schema in walk(library.value(start), start.pointer):
            here = Place(start.document, pointer)
            if here in walked:
                continue
            walked.add(here)
            if not isinstance(schema, dict):
                continue
            for keyword in _DYNAMIC:
                if keyword in schema:
                    findings.add("reference-dynamic", library.key_span(here, keyword), keyword=keyword)
            ref = schema.get("$ref")
            if isinstance(ref, str):
                try:
                    targets[here] = references.target(here, ref)
                except RefusedError as refused:
                    findings.add(refused.code, library.span(here, "$ref"), ref=refused.ref)
                else:
                    queue.append(targets[here])
    for identifiers in references.known.values():
        for identifier, first, second in identifiers.twice:
            line = library.span(first).line
            findings.add("identifier-duplicate", library.span(second), identifier=identifier, line=line)
    links = Links(library, targets, tuple(roots))
    _report_circles(links, findings)
    return links


def _report_circles(links: Links, findings: Findings) -> None:
    """Report each circle of references that never descends into the value, at a reference of the circle."""
    done: set[Place] = set()
    for start in dict.fromkeys(links.targets.values()):
        if start in done:
            continue
        open_places = {start}
        stack = [(start, iter(_steps(links, start)))]
        while stack:
            place, steps = stack[-1]
            for reference, target in steps:
                if target in open_places:
                    value = links.library.value(reference)
                    findings.add("reference-circle", links.library.span(reference, "$ref"), ref=value["$ref"])
                elif target not in done:
                    open_places.add(target)
                    stack.append((target, iter(_steps(links, target))))
                    break
            else:
                open_places.discard(place)
                done.add(place)
                stack.pop()


def _steps(links: Links, place: Place) -> list[tuple[Place, Place]]:
    """The references that judge the same value as the schema at a place, and where they lead."""
    found = []
    for pointer, schema in in_place(links.library.value(place), place.pointer):
        here = Place(place.document, pointer)
        if isinstance(schema, dict) and here in links.targets:
            found.append((here, links.targets[here]))
    return found
