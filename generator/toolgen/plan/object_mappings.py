"""Mappings and unions, planned from a profile: objects on the wire and the types of the format that they become.

A profile maps each object once, key by key. Its plan becomes two methods (`render/converters`), one for each direction,
so the two cannot disagree. A field of the type without a key is reported when it is written.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from inspect import signature
from typing import Any

from toolgen.load import Pointer
from toolgen.plan.mapping_plans import (
    OUTSIDE_THE_RULE,
    Keeping,
    KeyMapping,
    Kind,
    MemberPlan,
    ObjectMapping,
    UnionPlan,
    WireObjectPlan,
)
from toolgen.resolve import Format, FormatField, FormatType

PYTHON_TYPES: Mapping[str, str] = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "object": "dict",
    "array": "list",
}
"""By JSON type of a field: the Python type that its value is checked for when it is read."""

EXTRAS_PARAMETERS = frozenset(["extra", "extras"])
"""The parameters by which a function that writes a key takes extras. A function that has neither follows the rule."""

TAKEN = {"wire", "at", "reader", "writer", "source", "target"}
"""Local names of the printed methods; a field with one of these names gets an underscore."""


def shared_functions() -> Any:
    """Return the module of the runtime with functions that read and write keys of several APIs."""
    from toolgen_runtime.conversion import fields  # late: it needs the format, which this compiler generates

    return fields


def find_function(api: Any, name: str) -> Callable[..., Any] | None:
    """Return a function that reads or writes keys: a method of the class of the API, or a shared one. None without one."""
    functions = (getattr(owner, name, None) for owner in (api, shared_functions()))
    return next((function for function in functions if function is not None), None)


class MappingError(ValueError):
    """A mapping that does not fit the format, at `pointer` of a profile. Of an `unknown` name, `known` has the others."""

    def __init__(
        self, pointer: tuple[str, ...], reason: str, profile: str = "", unknown: str = "", known: Iterable[str] = ()
    ) -> None:
        super().__init__(reason)
        self.profile = profile
        self.pointer = pointer
        self.reason = reason
        self.unknown = unknown
        self.known = tuple(known)


def require_known(name: str, known: Iterable[str], pointer: tuple[str, ...], reason: str) -> None:
    """Check that something is known.

    Raises:
        MappingError: it is not, for this reason.
    """
    if name not in known:
        raise MappingError(pointer, reason, unknown=name, known=known)


def plan_mapping(
    name: str,
    mapping: Mapping[str, Any],
    format: Format,
    stated: Container[Pointer] = (),
    api: Any = None,
) -> ObjectMapping:
    """Plan a mapping. `stated` has the pointers of what the project's own documents say of the profile.

    `api` is the class of the API. Its methods read and write keys, and so do the shared functions.

    A key whose optional field is not in the format is left to the extras, so that a field removed from
    `schemas/format` disappears from every converter. A project removes none, so what it names has to be there.

    Raises:
        MappingError: the type or a field is unknown, or no key maps to one of its required fields.
    """
    kind = str(mapping["type"])
    require_known(kind, format.types, ("mappings", name, "type"), f"the format has no type {kind}")
    return _Planner(name, mapping, format.types[kind], stated, api).plan()


def plan_union(
    name: str, union: Mapping[str, Any], facts: Mapping[str, Any], mappings: Mapping[str, ObjectMapping], format: Format
) -> UnionPlan:
    """Plan a union of mappings of the profile that has these facts.

    Raises:
        MappingError: a type or a mapping is unknown, or the mappings cannot be distinguished.
    """
    if not ("by" in union or "tag" in union or len(union["mappings"]) == 1):
        raise MappingError(("unions", name), "needs a tag, or a function that tells its mappings apart")
    for kind in union["types"]:
        require_known(kind, format.types, ("unions", name, "types"), f"the format has no type {kind}")
    members = []
    by, tag = str(union.get("by", "")), str(union.get("tag", ""))
    values = {mapping: str(value) for value, mapping in union["mappings"].items()} if by else {}
    for mapping_name in values or union["mappings"]:
        require_known(mapping_name, mappings, ("unions", name, "mappings"), f"there is no mapping {mapping_name}")
        mapping = mappings[mapping_name]
        if by:
            members.append(MemberPlan(values[mapping_name], False, mapping_name, mapping.type, ()))
            continue
        value = next((str(value) for key, value in mapping.tag if key == tag), None)
        if value is None and tag:
            raise MappingError(
                ("mappings", mapping_name, "tag"), f"needs the tag {tag}, as part of {name}", unknown=tag
            )
        needs = tuple(facts["mappings"][mapping_name].get("needs", ()))
        members.append(MemberPlan(value, bool(tag) and tag == mapping.untagged, mapping_name, mapping.type, needs))
    return UnionPlan(name, tuple(union["types"]), tag, by, tuple(members))


def variable_name(text: str) -> str:
    """Return a variable name for any text: ASCII letters, digits and underscores, without a leading digit."""
    name = re.sub(r"[^a-z0-9_]", "_", re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", text).lower())
    return name if name[:1].isalpha() else f"k_{name}"


def table_name(*names: str) -> str:
    """Return the name of a class attribute with a table: of a section of the profile, or of a mapping and a key."""
    return "_".join(variable_name(name).upper() for name in names)


def _with_carried_fields(key: KeyMapping, carried: Container[str]) -> KeyMapping:
    """Return a key that is given only fields of other keys. A pair that follows the rule gets None for any other field."""
    if key.keeping == "rule":
        return replace(key, given=tuple(name if name in carried else "None" for name in key.given))
    return replace(key, given=tuple(name for name in key.given if name in carried))


class _Planner:
    def __init__(
        self,
        name: str,
        mapping: Mapping[str, Any],
        kind: FormatType,
        stated: Container[Pointer],
        api: Any,
    ) -> None:
        self.api = api
        self.stated = stated
        self.name = name
        self.mapping = mapping
        self.kind = kind
        self.fields = {f.name: f for f in kind.fields}
        self.objects: list[WireObjectPlan] = []
        self.keys: list[KeyMapping] = []
        self.key_paths: dict[str, tuple[str, ...]] = {}

    def plan(self) -> ObjectMapping:
        tag = dict(self.mapping.get("tag", {}))
        for section in ("ignored", "lost"):
            for name in self.mapping.get(section, ()):
                self._field(name, section, name)
        for section in ("also", "untagged"):
            named = self.mapping.get(section) or ()
            for name in [named] if isinstance(named, str) else named:
                require_known(name, tag, ("mappings", self.name, section), f"the mapping has no tag {name}")
        self._object("wire", "", "", self.mapping["keys"])
        carried = {f for k in self.keys for f in k.variables}
        outside = self._outside()
        ignored = set(self.mapping.get("ignored", {})) | outside.keys() | {"metadata"}
        missing = [f for f in self._data_fields() if self._variable(f) not in carried and f.name not in ignored]
        for field in missing:
            if field.required:
                raise MappingError(("mappings", self.name, "keys"), f"no key maps to {self.kind.name}.{field.name}")
        words = re.findall("[A-Z][a-z]*", self.kind.name)
        return ObjectMapping(
            name=self.name,
            type=self.kind.name,
            description=str(self.mapping["description"]),
            variable=words[-1].lower(),
            objects=tuple(self.objects),
            keys=tuple(_with_carried_fields(key, carried) for key in self.keys),
            tag=tuple((k, v) for k, v in tag.items()),
            tag_also={k: tuple(v) for k, v in self.mapping.get("also", {}).items()},
            untagged=str(self.mapping.get("untagged", "")),
            mapped=tuple(f.python for f in self._data_fields() if f not in missing and f.name != "metadata"),
            lost=self._severities(missing),
            elsewhere=(*tag, *self.mapping.get("aside", ())),
            arguments=self._arguments(carried | set(outside.values())),
            outside=tuple(outside.values()),
        )

    def _outside(self) -> dict[str, str]:
        """Return the variables of the fields that are outside the object, by field."""
        found = {}
        for name in self.mapping.get("outside", {}):
            field = self._field(name, "outside", name)
            if field is None or field.schema.get("type") != "string":
                reason = f"{self.kind.name}.{name} is not a string in the format"
                raise MappingError(("mappings", self.name, "outside"), reason)
            found[str(name)] = self._variable(field)
        return found

    def _arguments(self, carried: set[str]) -> tuple[str, ...]:
        """Return the arguments of the type's constructor: by position up to the first omitted field, then by name."""
        found: list[str] = []
        gap = False
        for field in self.kind.fields:
            variable = self._variable(field)
            if variable in carried:
                found.append(f"{field.python}={variable}" if gap else variable)
            else:
                gap = True
        return tuple(found)

    def _severities(self, missing: Iterable[FormatField]) -> dict[str, str]:
        """Return the severity of losing a field, by its name in Python, if the profile states it."""
        stated = self.mapping.get("lost", {})
        return {field.python: str(stated[field.name]) for field in missing if field.name in stated}

    def _data_fields(self) -> Iterator[FormatField]:
        return (f for f in self.kind.fields if "const" not in f.schema)

    def _variable(self, field: FormatField) -> str:
        return f"{field.python}_" if field.python in TAKEN else field.python

    def _object(
        self,
        variable: str,
        parent: str,
        key: str,
        keys: Mapping[str, Any],
    ) -> None:
        self.key_paths[variable] = (*self.key_paths[parent], key) if parent else ()
        index = len(self.objects)
        self.objects.append(WireObjectPlan(variable, parent, key, self.key_paths[variable], True))
        any_required = False
        for inner_key, entry in keys.items():
            spec: Mapping[str, Any] = {"field": entry} if isinstance(entry, str) else entry
            if "keys" in spec:
                inner = self._inner_variable(inner_key)
                before, held = len(self.keys), len(self.objects)
                self._object(inner, variable, inner_key, spec["keys"])
                if len(self.keys) == before:
                    del self.objects[held:]
                    continue
                any_required = any_required or self.objects[held].required
                continue
            planned = self._key(variable, inner_key, spec)
            if planned is None:
                continue
            self.keys.append(planned)
            any_required = any_required or planned.required
        self.objects[index] = replace(self.objects[index], required=any_required or variable == "wire")

    def _inner_variable(self, key: str) -> str:
        """Return a variable for the object under a key that no field and no other object uses."""
        name = variable_name(key)
        while (
            name in TAKEN
            or name in self.key_paths
            or keyword.iskeyword(name)
            or name in {f.python for f in self.kind.fields}
        ):
            name += "_"
        return name

    def _field(self, name: str, *subpointer: str) -> FormatField | None:
        """Return a field, or None if a built-in profile names one that the format no longer has."""
        pointer = ("mappings", self.name, *subpointer)
        if pointer in self.stated:
            require_known(name, self.fields, pointer, f"{self.kind.name} has no field {name}")
        return self.fields.get(name)

    def _keeping(self, reads: str, writes: str) -> Keeping:
        if reads.removeprefix("self.").removeprefix("read_") in OUTSIDE_THE_RULE:
            return "nothing"
        write = find_function(self.api, writes.removeprefix("self."))
        return "own" if write is not None and not EXTRAS_PARAMETERS.isdisjoint(signature(write).parameters) else "rule"

    def _key(self, holder: str, key: str, spec: Mapping[str, Any]) -> KeyMapping | None:
        names = spec["fields"] if "fields" in spec else [spec["field"]] if "field" in spec else []
        if not names:
            raise MappingError(("mappings", self.name, "keys"), f"the key {key} maps to no field")
        subpointer = [step for name in (*self.key_paths[holder], key) for step in ("keys", name)]
        format_fields = [self._field(name, *subpointer) for name in names]
        given = [field for name in spec.get("given", ()) if (field := self._field(name, *subpointer)) is not None]
        there = [field for field in format_fields if field is not None]
        if len(there) < len(format_fields):
            return None
        first = there[0]
        kind: Kind = "plain"
        reads = writes = table = ""
        if "as" in spec:
            kind, reads, writes = "call", f"read_{spec['as']}", f"write_{spec['as']}"
            if hasattr(self.api, reads) or find_function(None, reads) is None:
                reads, writes = f"self.{reads}", f"self.{writes}"
        elif "text_or" in spec:
            kind, reads, writes = "text_or", f"self.read_{spec['text_or']}", f"self.write_{spec['text_or']}"
        elif "names" in spec:
            kind = "named"
        if "beside" in spec:
            kind = "beside"
        values = spec.get("names" if kind == "named" else "with")
        if values is not None:
            table = table_name(*([values] if isinstance(values, str) else [self.name, key]))
        required = bool(spec.get("required", first.required))
        return KeyMapping(
            kind=kind,
            key=key,
            holder=holder,
            key_path=(*self.key_paths[holder], key),
            field=first.name,
            variables=tuple(self._variable(f) for f in there),
            attributes=tuple(f.python for f in there),
            required=required,
            demanded=required and kind == "plain" and not first.required,
            python_type=PYTHON_TYPES.get(str(first.schema.get("type", "")), ""),
            reads=reads,
            writes=writes,
            given=tuple(map(self._variable, given)),
            given_attributes=tuple(f.python for f in given),
            table=table,
            table_spec=values,
            keeping=self._keeping(reads, writes) if kind in ("call", "beside") else "nothing",
            beside=tuple(spec.get("beside") or ()),
        )
