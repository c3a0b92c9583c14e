"""The base of format readers, which checks types and reports every member that is lost.

A reader yields tools before they are named and checked, and schemas that tools share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText
from toolgen.importing.formats import SCHEMA_KEYS, TOOL_KEYS
from toolgen.load import Document, Pointer
from toolgen.load.sources import Json, describe_json_type

T = TypeVar("T")

LocationMap = Mapping[Pointer, Pointer]
"""Locations in the imported file, by pointers of the declaration. The longest pointer that is a prefix counts."""


@dataclass(frozen=True, slots=True)
class ImportedTool:
    """A definition that was read but has no name for toolgen yet. A field is None if the definition does not have it.

    `providers` are the providers for which the tool keeps its `name`. `patch` has the members without a key in
    declarations, as a merge patch for the entry of `providers[0]`. `pointer` is the location of the whole definition, and
    `locations` has the locations of values that are not below `pointer` under their own name. `origin` goes to the
    import record. `tags` are the groups of the tool in its source, and `other_locations` are locations outside
    `pointer` that belong to the tool too.
    """

    pointer: Pointer
    name: str
    providers: tuple[str, ...]
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
    locations: LocationMap = field(default_factory=dict[Pointer, Pointer], repr=False)
    origin: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    tags: tuple[str, ...] = ()
    other_locations: tuple[Pointer, ...] = ()

    def name_location(self) -> Pointer:
        """Return the location of the tool's name in the imported file."""
        return self.locations.get(("name",), (*self.pointer, "name"))


@dataclass(frozen=True, slots=True)
class ImportedType:
    """A schema that tools share. `key` is its name in the source, `stem` the name of its file without the extension."""

    key: str
    stem: str
    at: Pointer
    schema: Any = field(repr=False)


JsonObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ImportReader:
    """A file, and the findings about it. A value of the wrong type is reported, and the rest is read."""

    document: Document
    findings: Findings
    title: str
    """A phrase for a file of the format."""
    type_stems: Mapping[str, str] = field(default_factory=dict[str, str])
    """File names of types, by their keys in the source, as earlier imports chose them."""

    def report_wrong_type(self, at: Pointer, value: Json, expected: str) -> None:
        """Report a value of the wrong type. `expected` is a phrase for the expected one."""
        is_missing = value is None and at not in self.document.values
        self.findings.add(
            "import-shape",
            self.document.span(*at),
            name=at[-1] if at and isinstance(at[-1], str) else RawText("this"),
            found=RawText("missing" if is_missing else describe_json_type(value)),
            wanted=RawText(expected),
        )

    def report_at_key(self, code: str, at: Pointer, **values: object) -> None:
        """Report a change at the key of a value."""
        self.findings.add(code, self.document.key_span(*at), hint=None, related=(), **values)

    def read_entries(self, key: str, is_tool: Callable[[JsonObject], bool]) -> Iterator[tuple[Pointer, JsonObject]]:
        """Yield the tools of a file: a list, an object with `key`, a JSON-RPC response, or a list of these.

        An object that is a tool itself, with the schema of its arguments, is the only one. Anything else is reported.
        """
        yield from self._entries((), self.document.value, key, is_tool, pages=True)

    def _entries(
        self, at: Pointer, value: Any, key: str, is_tool: Callable[[JsonObject], bool], *, pages: bool
    ) -> Iterator[tuple[Pointer, JsonObject]]:
        """Yield the tools in a value. With `pages`, the items of a list may be responses, whose tools are read too."""
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
        elif is_tool(value) and (at or _is_function(value)):
            yield at, value
        elif isinstance(value.get("result"), dict):
            yield from self._entries((*at, "result"), value["result"], key, is_tool, pages=False)
        elif isinstance(value.get(key), list):
            yield from self._entries((*at, key), value[key], key, is_tool, pages=False)
        else:
            self._report_no_tools(at, value, key)

    def _report_no_tools(self, at: Pointer, value: JsonObject, key: str) -> None:
        """Report why an object has no list of tools under `key`: an error, a value of another type, or another format."""
        tool_key = _tool_key(value)
        if "error" in value:
            self.report_at_key("import-error-answer", (*at, "error"))
        elif key in value:
            self.report_wrong_type((*at, key), value[key], "a list of tools")
        elif tool_key is not None:
            self._report_other_format(at, tool_key, TOOL_KEYS[tool_key])
        else:
            self.findings.add("import-no-list", self.document.span(*at), hint=f"pass {self.title}", key=key)

    def report_skipped(self, at: Pointer, entry: JsonObject) -> None:
        """Report a tool that the application does not run itself."""
        kind = entry.get("type")
        if not isinstance(kind, str):
            self.report_wrong_type((*at, "type"), kind, "a string: the type of the tool")
            return
        inner = entry.get(kind)
        name = entry.get("name", inner.get("name") if isinstance(inner, dict) else None)
        self.report_at_key("import-skipped", (*at, "type"), tool=name if isinstance(name, str) else kind, type=kind)

    def name(self, at: Pointer, entry: JsonObject) -> str | None:
        """Return the tool's name; None, with a finding, if it is not a string."""
        if "name" not in entry:
            tool_key = _tool_key(entry)
            if tool_key is None:
                self.findings.add("import-nameless", self.document.span(*at))
            else:
                self._report_other_format(at, tool_key, TOOL_KEYS[tool_key])
            return None
        if not isinstance(entry["name"], str):
            self.report_wrong_type((*at, "name"), entry["name"], "a string: the tool's name")
            return None
        return entry["name"]

    def text(self, at: Pointer, entry: JsonObject, key: str) -> str | None:
        """Return a text; None if it is missing or null."""
        return self._value(at, entry, key, str, "text")

    def object(self, at: Pointer, entry: JsonObject, key: str) -> JsonObject | None:
        """Return an object; None if it is missing or null."""
        return self._value(at, entry, key, dict, "an object")

    def flag(self, at: Pointer, entry: JsonObject, key: str) -> bool | None:
        """Return a boolean; None if it is missing or null."""
        return self._value(at, entry, key, bool, "a boolean")

    def _value(self, at: Pointer, entry: JsonObject, key: str, kind: type[T], expected: str) -> T | None:
        """Return a member of this kind; None if it is absent, null or, with a finding, of another kind."""
        value = entry.get(key)
        if value is None or isinstance(value, kind):
            return value
        self.report_wrong_type((*at, key), value, expected)
        return None

    def parameters(self, at: Pointer, entry: JsonObject, key: str, *, required: bool) -> JsonObject | None:
        """Return the schema of the arguments, or None.

        A schema that is null, or missing but required, is reported, and so is one under the key of another format.
        """
        value = entry.get(key)
        if value is None:
            schema_key = next((each for each in SCHEMA_KEYS if isinstance(entry.get(each), dict)), None)
            if schema_key is not None:
                self._report_other_format(at, schema_key, SCHEMA_KEYS[schema_key])
            elif "name" not in entry and _tool_key(entry) is not None:
                return None  # reported with the name
            elif required or key in entry:
                self.report_at_key("import-no-parameters", (*at, key) if key in entry else at, key=key)
            return None
        if not isinstance(value, dict):
            self.report_wrong_type((*at, key), value, "an object: a JSON Schema")
            return None
        if value.get("type") is not None:
            return value
        self.report_at_key("import-root-type", (*at, key))
        return {**value, "type": "object"} if "type" in value else {"type": "object", **value}

    def _report_other_format(self, at: Pointer, key: str, format: str) -> None:
        hint = f"import the file with `toolgen import {format}`"
        self.findings.add("import-other-format", self.document.key_span(*at, key), hint=hint, key=key)

    def unknown_members(self, at: Pointer, entry: JsonObject, known_keys: frozenset[str]) -> dict[str, Any]:
        """Return the unknown members, without nulls: in a merge patch, null would remove a member."""
        members: dict[str, Any] = self._without_nulls(at, {k: v for k, v in entry.items() if k not in known_keys})
        return members

    def report_dropped(self, at: Pointer, entry: JsonObject, keys: Iterable[str]) -> None:
        """Report members that neither a declaration nor a patch can contain."""
        for key in keys:
            if entry.get(key) is not None:
                self.report_at_key("import-dropped", (*at, key), key=key)

    def _without_nulls(self, at: Pointer, value: Any) -> Any:
        """Return a value without the members of objects that are null, which are reported."""
        if not isinstance(value, dict):
            return value
        members = {}
        for key, item in value.items():
            if item is None:
                self.report_at_key("import-null", (*at, key), key=key)
            else:
                members[key] = self._without_nulls((*at, key), item)
        return members


def is_definition(entry: JsonObject) -> bool:
    """Return whether an object is a tool with a name, and not a file with a list of tools."""
    return "name" in entry and "tools" not in entry


def _is_function(entry: JsonObject) -> bool:
    """Return whether an object has more of a tool than a name, which many kinds of files have."""
    return not entry.keys().isdisjoint((*SCHEMA_KEYS, *TOOL_KEYS)) or entry.get("type") == "function"


def _tool_key(entry: JsonObject) -> str | None:
    """Return the key under which an entry without a name has a tool in another format."""
    return next((key for key in TOOL_KEYS if isinstance(entry.get(key), dict | list)), None)


def _is_page(value: object, key: str) -> bool:
    """Return whether a value is a response with tools."""
    if not isinstance(value, dict):
        return False
    inner = value.get("result")
    return value.get(key) is not None or (isinstance(inner, dict) and isinstance(inner.get(key), list))
