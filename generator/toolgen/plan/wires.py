"""Plan of the wire of each provider: its mappings, unions and tables, ready to print.

A profile maps each object of a wire once, key by key. Its plan becomes two methods (`render/wires.py`), one for each
direction, so the two cannot disagree. A field of the type without a key is reported when it is written.

First come the plans as data, then the plan of a provider, its mappings, its unions, the attributes of its class, and what
its API requires of a profile.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import get_annotations, signature
from typing import Any, Literal, NamedTuple

from toolgen.load import Document, Pointer
from toolgen.plan.names import natural_key
from toolgen.resolve import Catalog, Format, FormatField, FormatType, Profile
from toolgen.resources import exported_by_runtime, modules_by_exported_name


class MappingError(ValueError):
    """A mapping that does not fit the format, at `pointer` of a profile.

    If the fault is an `unknown` name, `candidates` are the names that exist.
    """

    def __init__(
        self, pointer: Pointer, reason: str, profile: str = "", unknown: str = "", candidates: Iterable[str] = ()
    ) -> None:
        super().__init__(reason)
        self.profile = profile
        self.pointer = pointer
        self.reason = reason
        self.unknown = unknown
        self.candidates = tuple(candidates)


def require_known(name: str, names: Iterable[str], pointer: Pointer, reason: str) -> None:
    """Check that a name is one of several.

    Raises:
        MappingError: it is not, for this reason.
    """
    if name not in names:
        raise MappingError(pointer, reason, unknown=name, candidates=names)


# The plans.


@dataclass(frozen=True, slots=True)
class WireObjectPlan:
    """An object of a mapping. `variable` holds it, and `parent` the object around it, which has it at `key`.

    The variable of the outermost object is `wire`; its parent and its key are empty.
    """

    variable: str
    parent: str
    key: str
    required: bool


@dataclass(frozen=True, slots=True)
class MappedField:
    """A field that a key carries: its name in the format, its attribute in Python, and the variable that holds it."""

    name: str
    attribute: str
    variable: str


KeyKind = Literal["plain", "named", "call", "text_or", "beside"]

Keeping = Literal["rule", "own", "nothing"]
"""Who keeps the extras of a key: the rule of extras, the functions of the key, or nobody."""


@dataclass(frozen=True, slots=True)
class KeyMapping:
    """A key of the wire and the fields that it carries.

    `holder` is the variable of the object that has the key, and `key_path` leads to the key from the outermost object. A
    plain key has the value of its only field, whose type is `python_type`; an empty one is any type. `is_demanded` is
    whether the wire requires a field that is optional in the format.

    All other kinds have a pair: `reader` and `writer` are its functions, as a method of the class calls them. For
    `text_or` they convert an item of a list. A key of the kind `beside` shares its fields with the keys `beside` it: its
    functions read the whole object, and return what is added to it. `given` are fields of other keys that the functions
    need, and `given_variables` hold them while reading.

    `table` is the attribute with the last argument of the functions, or with the names of a key of the kind `named`.
    `table_source` is the table itself, or the section of the profile that has it.
    """

    kind: KeyKind
    key: str
    holder: str
    key_path: tuple[str, ...]
    fields: tuple[MappedField, ...]
    required: bool
    is_demanded: bool
    python_type: str
    reader: str
    writer: str
    given: tuple[MappedField, ...]
    given_variables: tuple[str, ...]
    table: str
    table_source: Any
    keeping: Keeping
    beside: tuple[str, ...]

    @property
    def all_keys(self) -> list[str]:
        """Return the key, and those beside it."""
        return [self.key, *self.beside]

    @property
    def variables(self) -> list[str]:
        """Return the variables that hold the fields."""
        return [mapped.variable for mapped in self.fields]

    @property
    def pair(self) -> str:
        """Return the name that the reader and the writer share; empty if the key has no pair."""
        return self.reader.removeprefix("self.").removeprefix("read_")

    @property
    def pointer(self) -> tuple[str, ...]:
        """Return where the key is in its mapping."""
        return tuple(step for key in self.key_path for step in ("keys", key))


@dataclass(frozen=True, slots=True)
class ObjectMapping:
    """A mapping of an object of the wire to a type of the format.

    `variable` holds the value that is written. `objects` are the outermost object and those inside it. `tag` has the keys
    that identify the object, and `tag_also` further values of them that are read. `untagged` is the tag that may be
    missing, or empty.

    `mapped` are the attributes that have a key or are not lost without one, and `lost` is the severity of losing others, if
    it is not the usual one. `elsewhere` are the keys that the reader does not read: tags, and those that the class of the
    API reads. `arguments` are those of the constructor of the type. `outside` are the variables of strings that the caller
    of the reader has to pass.
    """

    name: str
    type: str
    description: str
    variable: str
    objects: tuple[WireObjectPlan, ...]
    keys: tuple[KeyMapping, ...]
    tag: Mapping[str, str | bool]
    tag_also: Mapping[str, tuple[str, ...]]
    untagged: str
    mapped: tuple[str, ...]
    lost: Mapping[str, str]
    elsewhere: tuple[str, ...]
    arguments: tuple[str, ...]
    outside: tuple[str, ...]

    @property
    def keys_in_reading_order(self) -> tuple[KeyMapping, ...]:
        """Return the keys in reading order; tools first: they determine how calls of the history are decoded.

        A key whose functions need the fields of other keys comes after those.
        """
        waiting = sorted(self.keys, key=lambda key: not self.has_offered_tools(key))
        ordered: list[KeyMapping] = []
        while waiting:
            unread = {variable for key in waiting for variable in key.variables}
            ready = next((key for key in waiting if unread.isdisjoint(key.given_variables)), waiting[0])
            waiting.remove(ready)
            ordered.append(ready)
        return tuple(ordered)

    def has_offered_tools(self, key: KeyMapping) -> bool:
        """Return whether a key has the tools of a request."""
        return self.type == "Request" and key.variables[0] == "tools"

    def keys_of(self, holder: WireObjectPlan) -> tuple[KeyMapping, ...]:
        """Return the keys of one of the objects."""
        return tuple(key for key in self.keys if key.holder == holder.variable)

    def objects_in(self, holder: WireObjectPlan) -> tuple[WireObjectPlan, ...]:
        """Return the objects directly inside one of the objects."""
        return tuple(inner for inner in self.objects if inner.parent == holder.variable)


@dataclass(frozen=True, slots=True)
class MemberPlan:
    """A member of a union: the mapping, and the value of the tag on its objects, if the union has a tag.

    If it `may_lack_tag`, objects without the tag have this mapping too. `needs` are keys that must also be present.
    """

    value: str | None
    may_lack_tag: bool
    mapping: str
    type: str
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnionPlan:
    """Objects of several mappings, distinguished by a tag or by the function `by`. Others stay opaque.

    A union of a single mapping needs neither.
    """

    name: str
    types: tuple[str, ...]
    tag: str
    by: str
    members: tuple[MemberPlan, ...]


@dataclass(frozen=True, slots=True)
class ConstructedValue:
    """A value of a class attribute that a call makes, of a class or a built-in function."""

    function: str
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RuntimeFunction:
    """A function of the runtime that is an attribute of a class."""

    name: str


@dataclass(frozen=True, slots=True)
class ClassAttribute:
    """An attribute of a provider's class. `value` is JSON, unless it is a call or a function.

    `annotation` is the type that the class of the API declares. That of a function is not repeated.
    """

    name: str
    value: Any | ConstructedValue | RuntimeFunction
    annotation: str = ""


@dataclass(frozen=True, slots=True)
class ProviderPlan:
    """What is printed for a provider. `capabilities` are those of the wire besides tools, calls and results.

    `wire_facts` are the arguments of `WireFacts`, and `class_attributes` the attributes that the class of the API declares.
    `tool_names` are the tools that it is offered, and `depth` is how often a schema may recur. `own_models` are the entries
    about models that the project adds.
    """

    name: str
    class_name: str
    facts: Mapping[str, Any]
    wire_facts: Mapping[str, Any]
    class_attributes: tuple[ClassAttribute, ...]
    mappings: Mapping[str, ObjectMapping]
    unions: Mapping[str, UnionPlan]
    capabilities: frozenset[str]
    tool_names: tuple[str, ...]
    depth: int
    own_models: tuple[Mapping[str, Any], ...] = ()

    @property
    def has_strict_flag(self) -> bool:
        """Return whether a request has a strict flag for each tool, which determines how values are encoded."""
        keys = [key for mapping in self.mappings.values() if mapping.type == "ToolDefinition" for key in mapping.keys]
        return bool(self.facts["dialects"].get("strict")) and any("strict" in key.variables for key in keys)

    @property
    def public_functions(self) -> tuple[str, ...]:
        """Return the public functions of the provider's converter."""
        api = import_converter_class(str(self.facts["converter"]))
        return tuple(
            name
            for name, capability in PUBLIC.items()
            if (not capability or capability in self.capabilities) and hasattr(api, name)
        )

    @property
    def exports(self) -> tuple[str, ...]:
        """Return the public names of the provider's module in the order of import sorters."""
        names = {"FINGERPRINT", "TOOLS", "WIRE", "ToolName", "tools", *self.public_functions}
        if "stream" in self.capabilities:
            names |= {"Stream", "aiter_events", "iter_events"}
        if "writer" in self.capabilities:
            names.add("StreamWriter")
        return tuple(sorted(names, key=natural_key))

    @property
    def bindings(self) -> list[list[str]]:
        """Return the public functions of the provider's converter, those of both directions in pairs."""
        by_subject: dict[str, list[str]] = {}
        for name in self.public_functions:
            by_subject.setdefault(name.partition("_")[2], []).append(name)
        return [*by_subject.values()]


PUBLIC: Mapping[str, str] = {
    "to_tools": "",
    "from_tools": "",
    "to_tool_choice": "choice",
    "from_tool_choice": "choice",
    "to_tool_call": "",
    "from_tool_call": "",
    "to_tool_result": "",
    "from_tool_result": "",
    "to_messages": "messages",
    "from_messages": "messages",
    "to_request": "request",
    "from_request": "request",
    "to_sdk": "sdk",
    "to_response": "response",
    "from_response": "response",
    "from_tool_calls": "",
    "from_error": "errors",
    "to_agent_event": "agent_events",
    "from_agent_event": "agent_events",
    "parse_text": "",
}
"""The public functions that converters may have, and the capability of the wire that each needs."""


# The plan of a provider.


def plan_provider(profile: Profile, catalog: Catalog) -> ProviderPlan:
    """Plan the module of a provider.

    Raises:
        MappingError: a mapping or union of the profile is invalid.
    """
    try:
        return _plan_provider(profile, catalog)
    except MappingError as error:
        raise MappingError(error.pointer, error.reason, profile.name, error.unknown, error.candidates) from error


def _plan_provider(profile: Profile, catalog: Catalog) -> ProviderPlan:
    """Plan the module of a provider, with errors that do not name the profile yet."""
    facts, format = profile.facts, catalog.format
    stated = {pointer for document in profile.documents if not document.is_shipped for pointer in document.values}
    api = import_converter_class(str(facts["converter"]))
    mappings = {
        name: plan_mapping(name, mapping, format, stated, api) for name, mapping in facts.get("mappings", {}).items()
    }
    unions = {name: plan_union(name, union, facts, mappings, format) for name, union in facts.get("unions", {}).items()}
    capabilities = _capabilities(facts, mappings)
    usage = plan_usage(facts["usage"], format, stated) if facts.get("usage") else {}
    attributes = _class_attributes(api, facts, mappings, usage)
    objects = {*mappings, *unions}
    _check_requirements(api, facts, {*objects, *(attribute.name for attribute in attributes)}, capabilities)
    check_pairs(api, mappings, objects, stated)
    return ProviderPlan(
        name=profile.name,
        class_name=wire_class_name(profile.name),
        facts=facts,
        wire_facts=_wire_facts(profile.name, facts)
        | ({"extras": section_about_extras(facts)} if ("extras",) in stated else {})
        | _model_entries("models", model_entries(profile.documents, shipped=True)),
        class_attributes=attributes,
        mappings=mappings,
        unions=unions,
        capabilities=capabilities,
        tool_names=tuple(tool.name for tool in catalog.tools if profile.name not in tool.unsupported),
        depth=catalog.config.recursion_depth,
        own_models=tuple(model_entries(profile.documents, shipped=False)),
    )


def model_entries(documents: Iterable[Document], *, shipped: bool) -> list[dict[str, Any]]:
    """Return the entries about models of shipped documents, or of those of the project, without date and evidence.

    Classes have the shipped ones. Those of a project need no class: the provider's module has them.
    """
    entries = (e for d in documents if d.is_shipped is shipped for e in d.value.get("models") or ())
    return [{key: value for key, value in entry.items() if key not in ("date", "evidence")} for entry in entries]


def _model_entries(name: str, entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the entries under a name, or nothing without any."""
    return {name: entries} if entries else {}


def import_converter_class(name: str) -> Any:
    """Return the class of an API.

    Raises:
        MappingError: there is no class of this name.
    """
    converter_class = exported_by_runtime(name)
    if converter_class is None:
        raise MappingError(("converter",), f"there is no {name}", unknown=name, candidates=modules_by_exported_name())
    return converter_class


def api_of(facts: Mapping[str, Any]) -> str:
    """Return the name of the API that a provider speaks: the folder of its converter in the runtime."""
    module = modules_by_exported_name().get(str(facts["converter"]), "")
    return module.removeprefix("apis.").split(".")[0]


def section_about_extras(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the section `extras` of a profile, with the keys of objects that are read, and of what is only spelled.

    Tags, ids, names, arguments and schemas have extras of their own, and their fields have all that they say.
    """
    objects, spelled, schemas = {"choices", "message"}, set(), set()
    waiting = list(facts.get("mappings", {}).values())
    while waiting:
        holder = waiting.pop() or {}
        spelled.update(holder.get("tag", ()))
        for key, mapping in (holder.get("keys") or {}).items():
            if isinstance(mapping, Mapping) and "keys" in mapping:
                objects.add(key)
                waiting.append(mapping)
            elif isinstance(mapping, Mapping):
                fields = set(mapping.get("fields") or [mapping.get("field")])
                if fields <= _ALL_SAID:
                    spelled.add(key)
                if fields <= _SCHEMAS:
                    schemas.add(key)
    sets = {"objects": sorted(objects), "spelled": sorted(spelled), "schemas": sorted(schemas)}
    section = {**facts.get("extras", {}), **sets}
    return {key: value for key, value in section.items() if value}


_ALL_SAID = {"arguments", "id", "invalid", "name", "toolCallId"}
_SCHEMAS = {"parameters", "result", "schema"}


def wire_class_name(provider: str) -> str:
    """Return the name of a provider's class."""
    return "".join(part.capitalize() for part in provider.split("_"))


def _wire_facts(name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `WireFacts`."""
    names = facts["names"]
    arguments: dict[str, Any] = {"name": name, "title": facts["title"], "api": api_of(facts)}
    arguments |= {"names": names["pattern"], "name_length": names["length"]}
    if names.get("unique"):
        arguments["unique_names"] = True
    arguments["dialects"] = _without_notes(facts["dialects"])
    if "ids" in facts:
        ids = facts["ids"]
        arguments |= {"ids": ids["pattern"], "id_length": ids["length"], "id_prefix": ids["prefix"]}
    if "session" in facts:
        # The module of a package's sessions has the interfaces, because it finds the provider's module by them.
        session = {key: value for key, value in facts["session"].items() if key != "interfaces"}
        if "client" in session and "sdk" in facts:
            session["client"] = {**session["client"], "package": facts["sdk"]["package"]}
        arguments["session"] = session
    if "rejects" in facts:
        arguments["rejects"] = tuple(tuple(key_path.split(".")) for key_path in facts["rejects"])
    for section in ("declared", "shares"):
        if section in facts:
            arguments[section] = facts[section]
    if "typed_output" in facts:
        arguments["typed_output"] = _without_notes(facts["typed_output"])
    return arguments


SECTIONS_NEEDED: Mapping[str, tuple[str, ...]] = {
    "request": ("tool_choice", "finish_reasons"),
    "stream": ("finish_reasons",),
    "ids": ("ids",),
}
"""The sections that a profile must have for each capability."""


def _capabilities(facts: Mapping[str, Any], mappings: Mapping[str, ObjectMapping]) -> frozenset[str]:
    """Return the capabilities of the wire, which follow from the sections and mappings of its profile.

    Raises:
        MappingError: a section is missing.
    """
    types = {mapping.type for mapping in mappings.values()}
    is_capable = {
        "messages": not types.isdisjoint(("Request", "UserMessage")),
        "request": "Request" in types,
        "response": "finish_reasons" in facts,
        "choice": "tool_choice" in facts,
        "stream": "stream" in facts,
        "writer": "writes" in facts.get("stream", {}),
        "ids": any(mapping.type == "ToolCall" and "id" not in mapping.outside for mapping in mappings.values()),
        "sdk": "sdk" in facts and ("call" in facts["sdk"] or "Request" in types),
        "errors": "errors" in facts,
        "agent_events": "agent_events" in facts,
    }
    capabilities = frozenset(name for name in is_capable if is_capable[name])
    for capability, sections in SECTIONS_NEEDED.items():
        for section in sections:
            if capability in capabilities and section not in facts:
                raise MappingError((), f"needs {section}, because the wire has the capability {capability}")
    return capabilities


# Mappings.

PYTHON_TYPES: Mapping[str, str] = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "object": "dict",
    "array": "list",
}
"""By JSON type of a field: the Python type that its value is checked for when it is read."""

OUTSIDE_THE_RULE = frozenset(["messages", "object_arguments", "result_call", "tool_name"])
"""Pairs of functions of names, ids, arguments and containers that never have extras."""

EXTRAS_PARAMETERS = frozenset(["extra", "extras"])
"""The parameters by which a function that writes a key takes extras. A function that has neither follows the rule."""

LOCAL_NAMES = frozenset(["wire", "at", "reader", "writer", "source", "target"])
"""Local names of the printed methods; a field with one of these names gets an underscore."""


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
    type_name = str(mapping["type"])
    require_known(type_name, format.types, ("mappings", name, "type"), f"the format has no type {type_name}")
    return _MappingPlanner(name, mapping, format.types[type_name], stated, api).plan()


class _PlannedObject(NamedTuple):
    """An object, those inside it, and the keys of all of them."""

    objects: list[WireObjectPlan]
    keys: list[KeyMapping]


class _KeyFunctions(NamedTuple):
    """The functions that read and write a key, methods with `self.`; both are empty for a key without them."""

    reader: str
    writer: str


class _MappingPlanner:
    """Plans a mapping to one type of the format."""

    def __init__(
        self, name: str, mapping: Mapping[str, Any], type: FormatType, stated: Container[Pointer], api: Any
    ) -> None:
        self.name = name
        self.mapping = mapping
        self.type = type
        self.stated = stated
        self.api = api
        self.fields = {field.name: field for field in type.fields}
        self.variables = {*LOCAL_NAMES, *(field.python for field in type.fields)}

    def plan(self) -> ObjectMapping:
        """Return the plan of the mapping.

        Raises:
            MappingError: an entry does not fit the format; the pointer leads to it.
        """
        tag = self.mapping.get("tag", {})
        self._check_names(tag)
        objects, keys = self._plan_object(WireObjectPlan("wire", "", "", True), (), self.mapping["keys"])
        read = {variable for key in keys for variable in key.variables}
        outside = self._outside()
        without_key = self._fields_without_key({*read, *outside.values()})
        mapped = [field for field in self._data_fields() if field not in without_key and field.name != "metadata"]
        severities = self.mapping.get("lost", {})
        return ObjectMapping(
            name=self.name,
            type=self.type.name,
            description=str(self.mapping["description"]),
            variable=re.findall("[A-Z][a-z]*", self.type.name)[-1].lower(),
            objects=tuple(objects),
            keys=tuple(_given_what_is_read(key, read) for key in keys),
            tag=tag,
            tag_also={key: tuple(values) for key, values in self.mapping.get("also", {}).items()},
            untagged=str(self.mapping.get("untagged", "")),
            mapped=tuple(field.python for field in mapped),
            lost={field.python: str(severities[field.name]) for field in without_key if field.name in severities},
            elsewhere=(*tag, *self.mapping.get("aside", ())),
            arguments=self._arguments({*read, *outside.values()}),
            outside=tuple(outside.values()),
        )

    def _check_names(self, tag: Collection[str]) -> None:
        """Check the fields and tags that the sections beside the keys name."""
        for section in ("ignored", "lost"):
            for name in self.mapping.get(section, ()):
                self._field(name, section, name)
        for section in ("also", "untagged"):
            names = self.mapping.get(section) or ()
            for name in [names] if isinstance(names, str) else names:
                require_known(name, tag, ("mappings", self.name, section), f"the mapping has no tag {name}")

    def _outside(self) -> dict[str, str]:
        """Return the variables of the fields that are outside the object, by field."""
        variables: dict[str, str] = {}
        for name in self.mapping.get("outside", {}):
            field = self._field(name, "outside", name)
            if field is None or field.schema.get("type") != "string":
                reason = f"{self.type.name}.{name} is not a string in the format"
                raise MappingError(("mappings", self.name, "outside"), reason)
            variables[name] = _mapped(field).variable
        return variables

    def _fields_without_key(self, variables: Container[str]) -> list[FormatField]:
        """Return the fields that are lost when a value is written: none of these variables holds them.

        Raises:
            MappingError: one of them is required.
        """
        ignored = {*self.mapping.get("ignored", {}), "metadata"}
        fields = [
            field
            for field in self._data_fields()
            if _mapped(field).variable not in variables and field.name not in ignored
        ]
        required = next((field for field in fields if field.required), None)
        if required is not None:
            raise MappingError(("mappings", self.name, "keys"), f"no key maps to {self.type.name}.{required.name}")
        return fields

    def _arguments(self, variables: Container[str]) -> tuple[str, ...]:
        """Return the arguments of the type's constructor: by position up to the first omitted field, then by name."""
        arguments: list[str] = []
        is_by_name = False
        for mapped in map(_mapped, self.type.fields):
            if mapped.variable not in variables:
                is_by_name = True
            elif is_by_name:
                arguments.append(f"{mapped.attribute}={mapped.variable}")
            else:
                arguments.append(mapped.variable)
        return tuple(arguments)

    def _data_fields(self) -> Iterator[FormatField]:
        """Yield the fields, without those that are constant for the type."""
        return (field for field in self.type.fields if "const" not in field.schema)

    def _plan_object(
        self, held: WireObjectPlan, key_path: tuple[str, ...], entries: Mapping[str, Any]
    ) -> _PlannedObject:
        """Plan an object by the entries of its keys. It is required if one of its keys or inner objects is.

        An inner object is left out if the format has no field of its keys.
        """
        keys: list[KeyMapping] = []
        inner_objects: list[WireObjectPlan] = []
        for key, entry in entries.items():
            inner_path = (*key_path, key)
            spec: Mapping[str, Any] = {"field": entry} if isinstance(entry, str) else entry
            if "keys" in spec:
                inner = WireObjectPlan(self._new_variable(key), held.variable, key, False)
                planned_object = self._plan_object(inner, inner_path, spec["keys"])
                if planned_object.keys:
                    inner_objects += planned_object.objects
                    keys += planned_object.keys
            else:
                planned_key = self._plan_key(held.variable, inner_path, spec)
                if planned_key is not None:
                    keys.append(planned_key)
        required = held.required or any(key.required for key in keys) or any(inner.required for inner in inner_objects)
        return _PlannedObject([replace(held, required=required), *inner_objects], keys)

    def _new_variable(self, key: str) -> str:
        """Return a variable for the object under a key that no field and no other object uses."""
        name = variable_name(key)
        while name in self.variables or keyword.iskeyword(name):
            name += "_"
        self.variables.add(name)
        return name

    def _plan_key(self, holder: str, key_path: tuple[str, ...], spec: Mapping[str, Any]) -> KeyMapping | None:
        """Plan a key; None if the format lacks one of its fields."""
        key = key_path[-1]
        names = spec.get("fields") or ([spec["field"]] if "field" in spec else [])
        if not names:
            raise MappingError(("mappings", self.name, "keys"), f"the key {key} maps to no field")
        pointer = tuple(step for name in key_path for step in ("keys", name))
        fields = self._fields(names, pointer)
        given = tuple(map(_mapped, self._fields(spec.get("given", ()), pointer)))
        if len(fields) < len(names):
            return None
        kind = _kind_of_key(spec)
        functions = self._functions(spec)
        table_source = spec.get("names" if kind == "named" else "with")
        required = bool(spec.get("required", fields[0].required))
        return KeyMapping(
            kind=kind,
            key=key,
            holder=holder,
            key_path=key_path,
            fields=tuple(map(_mapped, fields)),
            required=required,
            is_demanded=required and kind == "plain" and not fields[0].required,
            python_type=PYTHON_TYPES.get(str(fields[0].schema.get("type", "")), ""),
            reader=functions.reader,
            writer=functions.writer,
            given=given,
            given_variables=tuple(field.variable for field in given),
            table=self._table_name(key, table_source),
            table_source=table_source,
            keeping=self._keeping(functions.writer) if kind in ("call", "beside") else "nothing",
            beside=tuple(spec.get("beside") or ()),
        )

    def _table_name(self, key: str, source: Any) -> str:
        """Return the attribute with the table of a key: a section of the profile, or the table itself. Empty without one."""
        if source is None:
            return ""
        return table_name(source) if isinstance(source, str) else table_name(self.name, key)

    def _fields(self, names: Iterable[str], pointer: Pointer) -> list[FormatField]:
        """Return the fields of these names, without those that the format no longer has."""
        fields = (self._field(name, *pointer) for name in names)
        return [field for field in fields if field is not None]

    def _field(self, name: str, *subpointer: str | int) -> FormatField | None:
        """Return a field, or None if a built-in profile names one that the format no longer has."""
        pointer = ("mappings", self.name, *map(str, subpointer))
        if pointer in self.stated:
            require_known(name, self.fields, pointer, f"{self.type.name} has no field {name}")
        return self.fields.get(name)

    def _functions(self, spec: Mapping[str, Any]) -> _KeyFunctions:
        """Return the functions that read and write a key."""
        if "as" in spec:
            pair = spec["as"]
            is_method = hasattr(self.api, f"read_{pair}") or find_function(None, f"read_{pair}") is None
        elif "text_or" in spec:
            pair, is_method = spec["text_or"], True
        else:
            return _KeyFunctions("", "")
        prefix = "self." if is_method else ""
        return _KeyFunctions(f"{prefix}read_{pair}", f"{prefix}write_{pair}")

    def _keeping(self, writer: str) -> Keeping:
        """Return who keeps the extras of a key that this function writes."""
        name = writer.removeprefix("self.")
        if name.removeprefix("write_") in OUTSIDE_THE_RULE:
            return "nothing"
        write = find_function(self.api, name)
        takes_extras = write is not None and not EXTRAS_PARAMETERS.isdisjoint(signature(write).parameters)
        return "own" if takes_extras else "rule"


def _mapped(field: FormatField) -> MappedField:
    """Return a field with the variable that holds it in the printed methods."""
    return MappedField(field.name, field.python, f"{field.python}_" if field.python in LOCAL_NAMES else field.python)


def _kind_of_key(spec: Mapping[str, Any]) -> KeyKind:
    """Return the kind of a key by the entry of the profile."""
    if "beside" in spec:
        return "beside"
    if "as" in spec:
        return "call"
    if "text_or" in spec:
        return "text_or"
    return "named" if "names" in spec else "plain"


def _given_what_is_read(key: KeyMapping, read: Container[str]) -> KeyMapping:
    """Return a key that is given only fields of other keys. A pair that follows the rule gets None for any other field."""
    if key.keeping == "rule":
        return replace(key, given_variables=tuple(name if name in read else "None" for name in key.given_variables))
    return replace(key, given_variables=tuple(name for name in key.given_variables if name in read))


def variable_name(text: str) -> str:
    """Return a variable name for any text: ASCII letters, digits and underscores, without a leading digit."""
    name = re.sub(r"[^a-z0-9_]", "_", re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", text).lower())
    return name if name[:1].isalpha() else f"k_{name}"


def table_name(*names: str) -> str:
    """Return the name of a class attribute with a table: of a section of the profile, or of a mapping and a key."""
    return "_".join(variable_name(name).upper() for name in names)


def find_function(api: Any, name: str) -> Callable[..., Any] | None:
    """Return a function that reads or writes keys: a method of the class of the API, or a shared one. None without one."""
    functions = (getattr(owner, name, None) for owner in (api, shared_functions()))
    return next((function for function in functions if function is not None), None)


def shared_functions() -> Any:
    """Return the module of the runtime with functions that read and write keys of several APIs."""
    from toolgen_runtime.conversion import fields  # late: it needs the format, which this compiler generates

    return fields


# Unions.


def plan_union(
    name: str, union: Mapping[str, Any], facts: Mapping[str, Any], mappings: Mapping[str, ObjectMapping], format: Format
) -> UnionPlan:
    """Plan a union of mappings of the profile that has these facts.

    Raises:
        MappingError: a type or a mapping is unknown, or the mappings cannot be distinguished.
    """
    if not ("by" in union or "tag" in union or len(union["mappings"]) == 1):
        raise MappingError(("unions", name), "needs a tag, or a function that tells its mappings apart")
    for type_name in union["types"]:
        require_known(type_name, format.types, ("unions", name, "types"), f"the format has no type {type_name}")
    for mapping_name in _members_of(union):
        require_known(mapping_name, mappings, ("unions", name, "mappings"), f"there is no mapping {mapping_name}")
    by, tag = str(union.get("by", "")), str(union.get("tag", ""))
    if by:
        members = [
            MemberPlan(str(value), False, mapping_name, mappings[mapping_name].type, ())
            for value, mapping_name in union["mappings"].items()
        ]
    else:
        members = [
            _tagged_member(name, tag, mappings[mapping_name], facts["mappings"][mapping_name].get("needs", ()))
            for mapping_name in _members_of(union)
        ]
    return UnionPlan(name, tuple(union["types"]), tag, by, tuple(members))


def _members_of(union: Mapping[str, Any]) -> Sequence[str]:
    """Return the names of the mappings, which a union that distinguishes them by a function has by value."""
    members = union["mappings"]
    return [*members.values()] if isinstance(members, Mapping) else members


def _tagged_member(union: str, tag: str, mapping: ObjectMapping, needs: Iterable[str]) -> MemberPlan:
    """Plan a member of a union that distinguishes its members by a tag, or has only one."""
    if tag and tag not in mapping.tag:
        raise MappingError(("mappings", mapping.name, "tag"), f"needs the tag {tag}, as part of {union}", unknown=tag)
    value = str(mapping.tag[tag]) if tag else None
    return MemberPlan(value, bool(tag) and tag == mapping.untagged, mapping.name, mapping.type, tuple(needs))


# The attributes of a provider's class.


def declared_attributes(api: Any) -> dict[str, str]:
    """Return the attributes that a class and its bases declare, with their annotations."""
    return {
        name: str(annotation) for base in reversed(api.__mro__) for name, annotation in get_annotations(base).items()
    }


SDK_FUNCTIONS: Mapping[str, str] = {"client_data": "plain", "sdk_call": "call"}
"""The attributes of a converter that are functions of the section `sdk`, and their keys there."""


def _class_attributes(
    api: Any, facts: Mapping[str, Any], mappings: Mapping[str, ObjectMapping], usage: Mapping[str, Any]
) -> tuple[ClassAttribute, ...]:
    """Return the attributes that the class of the API declares and that the profile has facts for, and the tables.

    Raises:
        MappingError: a table has the name of an attribute that the class has already.
    """
    annotations = declared_attributes(api)
    attributes = {
        name: ClassAttribute(name, value, annotations[name])
        for name, value in _values_of_facts(facts, mappings, usage).items()
        if value is not None and name in annotations
    }
    for name, table in _tables(facts, mappings).items():
        if hasattr(api, name) and name not in annotations:
            raise MappingError(("mappings",), f"a table collides with {name} of {api.__name__}")
        annotation = "ClassVar[list[str]]" if isinstance(table, list) else "ClassVar[dict[str, Any]]"
        attributes.setdefault(name, ClassAttribute(name, table, annotations.get(name, annotation)))
    sdk = facts.get("sdk", {})
    functions = [ClassAttribute(name, RuntimeFunction(sdk[key])) for name, key in SDK_FUNCTIONS.items() if key in sdk]
    return (*attributes.values(), *functions)


def _values_of_facts(
    facts: Mapping[str, Any], mappings: Mapping[str, ObjectMapping], usage: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the facts of a profile by the attributes that have them. None, or no value, if the profile has no such fact."""
    sdk = facts.get("sdk", {})
    values: dict[str, Any] = {
        "TOOL_CHOICES": facts.get("tool_choice"),
        "FINISH_REASONS": facts.get("finish_reasons"),
        "ERRORS": facts.get("errors"),
        "DEFAULTS": facts.get("defaults"),
        "EFFORTS": facts.get("efforts"),
        "BODY_PATHS": facts.get("body_paths"),
        "SDK_MEMBERS": sdk.get("members"),
        "SYSTEM_ROLES": _roles(mappings.get("system_message")),
        "USER_ROLES": _roles(mappings.get("user_message")),
    }
    if "output_format" in facts:
        values["OUTPUT_FORMATS"] = _output_formats(facts["output_format"], mappings)
    if "accepts" in sdk:
        values["SDK_KEYWORDS"] = ConstructedValue("frozenset", (sdk["accepts"],))
    if "bytes" in sdk:
        values["SDK_BYTES"] = ConstructedValue("Base64Keys", (sdk["bytes"]["keys"], sdk["bytes"]["free"]))
    if usage:
        values["USAGE"] = ConstructedValue("UsageTable", (usage,))
    if "spelling" in facts:
        spelling = tuple(facts["spelling"][key] for key in ("free", "maps", "upper", "numbers"))
        values["KEY_NORMALIZATION"] = ConstructedValue("KeyNormalization", spelling)
    if "reasoning" in facts:
        keys = facts["reasoning"]
        keywords = {key: keys[key] for key in ("details", "default_key", "needed") if key in keys}
        values["REASONING"] = ConstructedValue("ReasoningKeys", (keys["keys"],), keywords)
    return values


def _roles(mapping: ObjectMapping | None) -> tuple[str, ...] | None:
    """Return the values of the tag `role`; the one that is written comes first."""
    if mapping is None:
        return None
    return (str(mapping.tag.get("role", "")), *mapping.tag_also.get("role", ()))


def _output_formats(formats: Mapping[str, Any], mappings: Mapping[str, ObjectMapping]) -> dict[str, Any]:
    """Return the values of the wire for the formats `text` and `json`, and the type of those with a schema, if any.

    Raises:
        MappingError: there is no mapping of formats with a schema.
    """
    schema_type = None
    if "schema" in formats:
        name = formats["schema"]
        require_known(name, mappings, ("output_format", "schema"), f"there is no mapping {name}")
        schema_type = next(iter(mappings[name].tag.values()), None)
    return {"text": formats["text"], "json": formats["json"], "schema": schema_type}


def _tables(facts: Mapping[str, Any], mappings: Mapping[str, ObjectMapping]) -> Mapping[str, Any]:
    """Return the tables that the profile gives to readers and writers of fields, by the name of their attribute.

    Raises:
        MappingError: a key refers to a table that the profile does not have, or two tables have the same name.
    """
    tables: dict[str, Any] = {}
    for name, mapping in mappings.items():
        for key in (key for key in mapping.keys if key.table):
            pointer = ("mappings", name, *key.pointer)
            table = key.table_source
            if isinstance(table, str):
                require_known(table, facts, pointer, f"refers to {table}, which is not in the profile")
                table = _without_notes(facts[table])
            if tables.setdefault(key.table, table) != table:
                raise MappingError(pointer, f"its table collides with another one, {key.table}")
    return tables


def _without_notes(value: Any) -> Any:
    """Return a table without its dates and evidence."""
    if isinstance(value, Mapping):
        return {
            key: _without_notes(member)
            for key, member in value.items()
            if key not in ("date", "evidence") and member is not None
        }
    return value


TOTAL = "totalTokens"
"""The count that is the sum of input and output, if there is no path to it."""


def plan_usage(table: Mapping[str, Any], format: Format, stated: Container[Pointer] = ()) -> dict[str, Any]:
    """Return the rows, of the table that says where an API has counts of tokens, whose fields the format has.

    `stated` has the pointers of what the project's own documents say of the profile.

    Raises:
        MappingError: a field is unknown, a required field has no path, or a row contradicts itself.
    """
    counts = {field.name: field for field in format.types["Usage"].fields if field.name != "metadata"}
    for name in table:
        if ("usage", name) in stated:
            require_known(name, counts, ("usage", name), f"Usage has no field {name}")
    rows = {name: row for name, row in table.items() if name in counts}
    for name, count in counts.items():
        if count.required and "path" not in rows.get(name, {}) and (name != TOTAL or name in rows):
            raise MappingError(("usage",), f"no number is part of {name}")
    for name, row in rows.items():
        if row and "path" not in row:
            raise MappingError(("usage", name), "needs a path")
        if row.get("by_total") and not (name == "outputTokens" and row.get("plus") and TOTAL in rows):
            raise MappingError(("usage", name), "by_total is for the counts of outputTokens, where there is a total")
    return rows


# What the class of an API requires of a profile.

CAPABILITY_HOOKS: Mapping[str, tuple[str, ...]] = {
    "messages": ("read_messages", "write_messages"),
    "request": ("read_request", "write_request"),
    "response": ("read_response", "write_response"),
}
"""The methods that the class of a wire needs for each capability."""


def _check_requirements(
    api: Any, facts: Mapping[str, Any], provided: Container[str], capabilities: Container[str]
) -> None:
    """Check that a profile has everything that the class of its API requires.

    `provided` are the names of the objects and attributes that it has.

    Raises:
        MappingError: a fact, a mapping or a default is missing.
    """
    for name in sorted(required_attributes(api)):
        if name.isupper():
            if name not in provided:
                raise MappingError((), f"needs {name.lower()}")
        elif name in SDK_FUNCTIONS:
            if name not in provided:
                raise MappingError(("sdk",), f"needs the function `{SDK_FUNCTIONS[name]}` under `sdk`")
        elif name.split("_", 1)[1] not in provided:
            raise MappingError(("mappings",), f"needs a mapping or a union {name.split('_', 1)[1]}")
    for key in api.DEFAULT_KEYS:
        if key not in facts.get("defaults", {}):
            raise MappingError(("defaults",), f"needs the default {key}")
    for capability, hooks in CAPABILITY_HOOKS.items():
        is_capable = all(hasattr(api, hook) or hook.split("_", 1)[1] in provided for hook in hooks)
        if capability in capabilities and not is_capable:
            raise MappingError(("converter",), f"has the capability {capability}, but {api.__name__} does not")


def required_attributes(api: Any) -> set[str]:
    """Return the attributes that the class of an API needs from a profile: those that it declares without a value.

    Bases outside of `apis` declare what only some APIs have.
    """
    classes = (base for base in api.__mro__ if ".apis." in base.__module__)
    return {name for base in classes for name in get_annotations(base) if not hasattr(api, name)}


def check_pairs(
    api: Any, mappings: Mapping[str, ObjectMapping], objects: Collection[str], stated: Container[Pointer]
) -> None:
    """Check what reads and writes keys: an object of the profile, a method of the class of its API, or a shared function.

    The functions of `stated` keys have to take what the key gives them.

    Raises:
        MappingError: there is no such object, and no such method, or a function does not fit its key.
    """
    for mapping in mappings.values():
        for key in mapping.keys:
            pointer = ("mappings", mapping.name, *key.pointer)
            if key.reader.startswith("self."):
                _require_methods(api, key, objects if key.kind == "text_or" else (), pointer)
            if pointer in stated and (key.kind in ("call", "beside") or len(key.fields) > 1):
                fault = _signature_fault(api, key)
                if fault:
                    raise MappingError(pointer, fault)


def _require_methods(api: Any, key: KeyMapping, objects: Collection[str], pointer: tuple[str, ...]) -> None:
    """Check that the class of an API has the methods of a key, unless one of these objects of the profile has them.

    Raises:
        MappingError: it does not.
    """
    for method in (f"read_{key.pair}", f"write_{key.pair}"):
        if key.pair not in objects and not hasattr(api, method):
            reason = f"there is no mapping or union {key.pair}, and no {method} of {api.__name__}"
            functions = (name for owner in (api, shared_functions()) for name in dir(owner))
            pairs = {name.split("_", 1)[1] for name in functions if name.startswith(("read_", "write_"))}
            raise MappingError(pointer, reason, unknown=key.pair, candidates=[*objects, *pairs])


def _signature_fault(api: Any, key: KeyMapping) -> str:
    """Return why the functions of a key cannot take what the key gives them; empty if they can, or do not exist."""
    if not key.pair:
        return "`fields` and `beside` need `as`"
    instance = api.__new__(api)  # so that signatures of methods lack `self`
    reader, writer = (find_function(instance, f"{verb}_{key.pair}") for verb in ("read", "write"))
    if reader is None:
        return ""
    # A reader of several keys is given their object, and states so; the value of one key may be anything.
    takes_object = next(iter(get_annotations(reader).values())) == "dict[str, Any]"
    if takes_object and key.kind != "beside":
        return f"{key.pair} reads the whole object, and needs `beside`"
    if key.kind == "beside" and not takes_object:
        return f"{key.pair} reads one key, without `beside`"
    table = [key.table] if key.table else []
    fields = [field.name for field in key.fields]
    extras = ["extras"] if key.keeping == "own" else []
    try:
        signature(reader).bind("value", "at", "reader", *key.given_variables, *table)
        if writer is not None:
            signature(writer).bind(*fields, *extras, "at", "writer", *key.given, *table)
    except TypeError:
        return f"{key.pair} needs other fields, or others in `given` and `with`"
    return ""
