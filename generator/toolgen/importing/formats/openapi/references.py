"""References inside an OpenAPI document. No other document is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from toolgen.importing.reader import ImportReader
from toolgen.load import Pointer
from toolgen.load.sources import follow_pointer, pointer_text, value_at


class LocatedObject(NamedTuple):
    """An object of the document, and its location there."""

    at: Pointer
    entry: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves the references of a document. One that cannot be resolved is reported at its location."""

    reader: ImportReader

    def object_at(self, at: Pointer, expected: str) -> LocatedObject | None:
        """Follow references to an object. Return its location and value; None, with a finding, if there is none."""
        visited = {at}
        while True:
            value = self.value_at(at)
            if not isinstance(value, dict):
                self.reader.report_wrong_type(at, value, expected)
                return None
            if "$ref" not in value:
                return LocatedObject(at, value)
            target = self.resolve((*at, "$ref"), value["$ref"])
            if target is None:
                return None
            if target in visited:
                self.reader.findings.add("import-reference", self.reader.document.span(*at, "$ref"), ref=value["$ref"])
                return None
            visited.add(target)
            at = target

    def value_at(self, at: Pointer) -> Any:
        """Return the value at a location that exists."""
        return value_at(self.reader.document.value, at)

    def resolve(self, at: Pointer, ref: Any) -> Pointer | None:
        """Return the target of a reference. None, with a finding at the reference, if it cannot be resolved."""
        span = self.reader.document.span(*at)
        if not isinstance(ref, str):
            self.reader.report_wrong_type(at, ref, "a string: a reference")
            return None
        if not ref.startswith("#"):
            self.reader.findings.add("import-reference-outside", span, ref=ref)
            return None
        target = self.find_target(ref)
        if target is None:
            self.reader.findings.add("import-reference", span, ref=ref)
        return target

    def find_target(self, ref: str) -> Pointer | None:
        """Return the target of a reference inside the document, or None."""
        if not ref.startswith("#/"):
            return None
        try:
            return follow_pointer(self.reader.document.value, unquote(ref[1:]))[0]
        except LookupError:
            return None


def pointer_fragment(pointer: Pointer) -> str:
    """Return a pointer as the fragment of a reference. The root has no fragment."""
    return quote(pointer_text(pointer), safe="/~$")
