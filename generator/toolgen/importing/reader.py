"""What readers of formats share: members of the right type or a finding, and no member lost without a word.

A reader gives tools before they are named and checked, and schemas that tools share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText
from toolgen.load import Document, Pointer
from toolgen.load.sources import Json, json_kind

Moved = Mapping[Pointer, Pointer]
"""Places in the file by pointers of what is made of it; the longest pointer that begins another one counts."""


@dataclass(frozen=True, slots=True)
class ImportedTool:
    """A definition, read but not yet named for toolgen. What it leaves out is None.

    `sources` are the providers whose wires know the tool by `name`, which it keeps there. `patch` holds the members
    that a declaration has no key for, as a merge patch on the entry of `sources[0]`. `moved` gives the places of what
    does not stand below `at`, the place of the whole definition, under its own name. `origin` is what the record of
    the import tells of where the tool came from. `tags` are the groups that its source puts it into, `beside` places
    outside of `at` that are about it too.
    """

    at: Pointer
    name: str
    sources: tuple[str, ...]
    description: str | None = None
    parameters: Mapping[str, Any] | None = field(default=None, repr=False)
    result: Mapping[str, Any] | bool | None = field(default=None, repr=False)
    strict: bool | None = None
    risk: Literal["low", "high"] | None = None
    aliases: tuple[str, ...] | None = None
    display_name: str | None = None
    deprecated: bool | None = None
    annotations: Mapping[str, Any] | None = field(default=None, repr=False)
    patch: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    moved: Moved = field(default_factory=dict[Pointer, Pointer], repr=False)
    origin: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    tags: tuple[str, ...] = ()
    beside: tuple[Pointer, ...] = ()

    def place(self, key: str) -> Pointer:
        """Where in the file a key of the declaration came from."""
        return self.moved.get((key,), (*self.at, key))


@dataclass(frozen=True, slots=True)
class ImportedType:
    """A schema that tools share: `key` is what its source calls it, `stem` the name of the file that it becomes."""

    key: str
    stem: str
    at: Pointer
    schema: Any = field(repr=False)


Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ImportReader:
    """A file and the findings about it. A wrong shape is reported where it is met, and the rest is read."""

    document: Document
    findings: Findings
    title: str
    """What a file of the format holds."""
    stems: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names of the files of types, by what the source calls the types, as a former import gave them."""

    def report_wrong_type(self, at: Pointer, value: Json, expected: str) -> None:
        """Report a value of the wrong shape; `expected` says what it has to be."""
        self.findings.add(
            "import-shape",
            self.document.span(*at),
            name=at[-1] if at and isinstance(at[-1], str) else RawText("this"),
            found=RawText(json_kind(value)),
            wanted=RawText(expected),
        )

    def report_change(self, code: str, at: Pointer, **holes: object) -> None:
        """Report a change at the key that holds a value."""
        self.findings.add(code, self.document.key_span(*at), hint=None, related=(), **holes)

    def entries(self, key: str, is_tool: Callable[[Entry], bool]) -> Iterator[tuple[Pointer, Entry]]:
        """The tools of the file: of a list, of an object with `key`, of a JSON-RPC answer, or of a list of those.

        An object that is a tool itself is the only one. What is not one of these is reported.
        """
        yield from self._entries((), self.document.value, key, is_tool, pages=True)

    def _entries(
        self, at: Pointer, value: Any, key: str, is_tool: Callable[[Entry], bool], *, pages: bool
    ) -> Iterator[tuple[Pointer, Entry]]:
        if isinstance(value, list):
            for i, item in enumerate(value):
                if pages and _is_page(item, key) and not is_tool(item):
                    yield from self._entries((*at, i), item, key, is_tool, pages=False)
                elif isinstance(item, dict):
                    yield (*at, i), item
                else:
                    self.report_wrong_type((*at, i), item, "a tool")
        elif not isinstance(value, dict):
            self.report_wrong_type(at, value, "a list of tools")
        elif is_tool(value):
            yield at, value
        elif isinstance(value.get("result"), dict):
            yield from self._entries((*at, "result"), value["result"], key, is_tool, pages=False)
        elif isinstance(value.get(key), list):
            yield from self._entries((*at, key), value[key], key, is_tool, pages=False)
        elif "error" in value:
            self.report_change("import-error-answer", (*at, "error"))
        elif key in value:
            self.report_wrong_type((*at, key), value[key], "a list of tools")
        else:
            self.findings.add("import-no-list", self.document.span(*at), hint=f"pass {self.title}", key=key)

    def report_skipped(self, at: Pointer, entry: Entry) -> None:
        """Report a tool that is not one of the application's own."""
        kind = entry.get("type")
        if not isinstance(kind, str):
            self.report_wrong_type((*at, "type"), kind, "a string: the type of the tool")
            return
        inner = entry.get(kind)
        name = entry.get("name", inner.get("name") if isinstance(inner, dict) else None)
        self.report_change("import-skipped", (*at, "type"), tool=name if isinstance(name, str) else kind, type=kind)

    def name(self, at: Pointer, entry: Entry) -> str | None:
        """The tool's name; None, with a finding, where it is not a string."""
        if "name" not in entry:
            self.findings.add("import-nameless", self.document.span(*at))
            return None
        if not isinstance(entry["name"], str):
            self.report_wrong_type((*at, "name"), entry["name"], "a string: the tool's name")
            return None
        return entry["name"]

    def text(self, at: Pointer, entry: Entry, key: str) -> str | None:
        """A text that may be left out, or be null."""
        value = entry.get(key)
        if value is None or isinstance(value, str):
            return value
        self.report_wrong_type((*at, key), value, "text")
        return None

    def object(self, at: Pointer, entry: Entry, key: str) -> Entry | None:
        """An object that may be left out, or be null."""
        value = entry.get(key)
        if value is None or isinstance(value, dict):
            return value
        self.report_wrong_type((*at, key), value, "an object")
        return None

    def flag(self, at: Pointer, entry: Entry, key: str) -> bool | None:
        """A boolean that may be left out, or be null."""
        value = entry.get(key)
        if value is None or isinstance(value, bool):
            return value
        self.report_wrong_type((*at, key), value, "a boolean")
        return None

    def parameters(self, at: Pointer, entry: Entry, key: str, *, required: bool) -> Entry | None:
        """The schema of the arguments. One that is null, or is missing although it is demanded, is said to be none."""
        value = entry.get(key)
        if value is None:
            if required or key in entry:
                self.report_change("import-no-parameters", (*at, key) if key in entry else at, key=key)
            return None
        if not isinstance(value, dict):
            self.report_wrong_type((*at, key), value, "an object: a JSON Schema")
            return None
        if "type" in value:
            return value
        self.report_change("import-root-type", (*at, key))
        return {"type": "object", **value}

    def unknown_members(self, at: Pointer, entry: Entry, known: frozenset[str]) -> dict[str, Any]:
        """The members that are not known, as a merge patch can hold them: null there means to leave a member out."""
        unknown = {key: value for key, value in entry.items() if key not in known}
        kept: dict[str, Any] = self._without_nulls(at, unknown)
        return kept

    def report_dropped(self, at: Pointer, entry: Entry, keys: Iterable[str]) -> None:
        """Report members that have no place in a declaration, neither of their own nor in a patch."""
        for key in keys:
            if entry.get(key) is not None:
                self.report_change("import-dropped", (*at, key), key=key)

    def _without_nulls(self, at: Pointer, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        kept = {}
        for key, item in value.items():
            if item is None:
                self.report_change("import-null", (*at, key), key=key)
            else:
                kept[key] = self._without_nulls((*at, key), item)
        return kept


def is_definition(entry: Entry) -> bool:
    """Whether an object is a tool with a name, and no file that lists some."""
    return "name" in entry and "tools" not in entry


def _is_page(value: object, key: str) -> bool:
    """Whether a value is an answer with a list of tools in it."""
    if not isinstance(value, dict):
        return False
    inner = value.get("result")
    return isinstance(value.get(key), list) or (isinstance(inner, dict) and isinstance(inner.get(key), list))
