"""Plan of a provider's module: its mappings, unions and tables, ready to print."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass, field, replace
from inspect import get_annotations, isfunction
from types import CodeType
from typing import Any

from toolgen.load import Pointer
from toolgen.plan.mapping_plans import ObjectMapping, UnionPlan
from toolgen.plan.names import natural_key
from toolgen.plan.object_mappings import (
    MappingError,
    find_function,
    plan_mapping,
    plan_union,
    require_known,
    shared_functions,
)
from toolgen.plan.token_usage import plan_usage
from toolgen.resolve import Catalog, Profile
from toolgen.resources import exported_by_runtime, modules_by_exported_name


@dataclass(frozen=True, slots=True)
class ProviderPlan:
    """What is printed for a provider. `capabilities` are those of the wire besides tools, calls and results.

    `wire_facts` are the arguments of `WireFacts`, `class_attributes` the attributes that the class of the API declares.
    """

    name: str
    class_name: str
    wire_facts: Mapping[str, Any]
    class_attributes: tuple[ClassAttribute, ...]
    facts: Mapping[str, Any]
    mappings: Mapping[str, ObjectMapping]
    unions: Mapping[str, UnionPlan]
    renames: Mapping[str, str]
    refused: tuple[str, ...]
    tool_names: tuple[str, ...]
    capabilities: frozenset[str]
    depth: int

    @property
    def has_strict_flag(self) -> bool:
        """Return whether a request has a strict flag for each tool, which determines how values are encoded."""
        keys = [key for mapping in self.mappings.values() if mapping.type == "ToolDefinition" for key in mapping.keys]
        return bool(self.facts["dialects"].get("strict")) and any("strict" in key.variables for key in keys)

    @property
    def exports(self) -> tuple[str, ...]:
        """Return the public names of the provider's module in the order of import sorters."""
        own = {"FINGERPRINT", "TOOLS", "WIRE", "ToolName", "tools", *self.public_functions}
        own |= {"Stream", "aiter_events", "iter_events"} if "stream" in self.capabilities else set()
        own |= {"StreamWriter"} if "writer" in self.capabilities else set()
        return tuple(sorted(own, key=natural_key))

    @property
    def public_functions(self) -> tuple[str, ...]:
        """Return the public functions of the provider's converter."""
        methods = dir(import_converter_class(str(self.facts["converter"])))
        return tuple(
            name
            for name, capability in PUBLIC.items()
            if (not capability or capability in self.capabilities) and name in methods
        )

    @property
    def bindings(self) -> list[tuple[str, ...]]:
        """Return the public functions of the provider's converter, those of both directions in pairs."""
        names = self.public_functions
        pairs = [(name, f"from_{name.removeprefix('to_')}") for name in names if name.startswith("to_")]
        paired = {to: (to, back) for to, back in pairs if back in names}
        backs = {back for _, back in paired.values()}
        return [paired.get(name, (name,)) for name in names if name not in backs]


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
    "from_response": "response",
    "to_response": "response",
    "from_tool_calls": "",
    "from_error": "errors",
    "to_agent_event": "agent_events",
    "from_agent_event": "agent_events",
    "parse_text": "",
}
"""The public functions that converters may have, and the capability of the wire that each needs."""


def plan_provider(profile: Profile, catalog: Catalog) -> ProviderPlan:
    """Plan the module of a provider.

    Raises:
        MappingError: a mapping or union of the profile is invalid.
    """
    try:
        return _plan(profile, catalog)
    except MappingError as error:
        raise MappingError(error.pointer, error.reason, profile.name, error.unknown, error.known) from error


def _plan(profile: Profile, catalog: Catalog) -> ProviderPlan:
    facts = profile.facts
    stated = {pointer for document in profile.documents if not document.is_shipped for pointer in document.values}
    kind = import_converter_class(str(facts["converter"]))

    mappings = {n: plan_mapping(n, s, catalog.format, stated, kind) for n, s in facts.get("mappings", {}).items()}
    unions = {n: plan_union(n, u, facts, mappings, catalog.format) for n, u in facts.get("unions", {}).items()}
    capabilities = _capabilities(facts, mappings)
    tables = _tables(facts, mappings)
    usage = plan_usage(facts["usage"], catalog.format, stated) if facts.get("usage") else {}
    fields = _class_facts(facts, mappings, tables, usage)
    objects = {*mappings, *unions}
    _check_complete(kind, fields, capabilities, objects, facts)
    _check_methods(kind, mappings, objects, stated)
    tools = [t for t in catalog.tools if profile.name not in t.unsupported]
    patches = {t.name: t.providers.get(profile.name, {}) for t in tools}
    return ProviderPlan(
        name=profile.name,
        class_name=wire_class_name(profile.name),
        wire_facts=_wire_facts(profile.name, facts),
        class_attributes=fields,
        facts=facts,
        mappings=mappings,
        unions=unions,
        renames={name: str(patch["name"]) for name, patch in patches.items() if "name" in patch},
        refused=tuple(t.name for t in catalog.tools if profile.name in t.unsupported),
        tool_names=tuple(t.name for t in tools),
        capabilities=capabilities,
        depth=catalog.config.recursion_depth,
    )


def wire_class_name(provider: str) -> str:
    """Return the name of a provider's class."""
    return "".join(part.capitalize() for part in provider.split("_"))


def _wire_facts(name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `WireFacts`."""
    found: dict[str, Any] = {"name": name, "title": facts["title"]}
    found |= {"names": facts["names"]["pattern"], "name_length": facts["names"]["length"]}
    found |= {"unique_names": True} if facts["names"].get("unique") else {}
    found["dialects"] = _without_notes(facts["dialects"])
    if "ids" in facts:
        ids = facts["ids"]
        found |= {"ids": ids["pattern"], "id_length": ids["length"], "id_prefix": ids["prefix"]}
    if "session" in facts:
        # The module of a package's sessions has the interfaces, because it finds the provider's module by them.
        session = {key: value for key, value in facts["session"].items() if key != "interfaces"}
        if "client" in session and "sdk" in facts:
            session["client"] = {**session["client"], "package": facts["sdk"]["package"]}
        found["session"] = session
    if "rejects" in facts:
        found["rejects"] = tuple(tuple(key_path.split(".")) for key_path in facts["rejects"])
    if "declared" in facts:
        found["declared"] = facts["declared"]
    return found


def import_converter_class(name: str) -> Any:
    """Return the class of an API.

    Raises:
        MappingError: there is no class of this name.
    """
    found = exported_by_runtime(name)
    if found is None:
        raise MappingError(("converter",), f"there is no {name}", unknown=name, known=modules_by_exported_name())
    return found


@dataclass(frozen=True, slots=True)
class ClassAttribute:
    """An attribute of a provider's class: a value, a call with values, or a reference to a name.

    `call` is called with `arguments` and `keywords`; without it the attribute is `arguments[0]` itself, or the name
    `reference`. `annotation` is the type that the class of the API declares.
    """

    name: str
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)
    call: str = ""
    reference: str = ""
    annotation: str = ""

    @property
    def value(self) -> Any:
        """Return the value of an attribute that is neither a call nor a reference; else None."""
        return None if self.call or self.reference else self.arguments[0]


def _class_facts(
    facts: Mapping[str, Any],
    mappings: Mapping[str, ObjectMapping],
    tables: Mapping[str, Any],
    usage: Mapping[str, Any],
) -> tuple[ClassAttribute, ...]:
    """Return the attributes that the class of the API declares and that the profile has facts for, and the tables.

    Raises:
        MappingError: a table has the name of an attribute that the class has already.
    """
    sdk = facts.get("sdk", {})
    values: dict[str, Any] = {
        "TOOL_CHOICES": facts.get("tool_choice"),
        "FINISH_REASONS": facts.get("finish_reasons"),
        "ERRORS": facts.get("errors"),
        "DEFAULTS": facts.get("defaults"),
        "EFFORTS": facts.get("efforts"),
        "BODY_PATHS": facts.get("body_paths"),
        "SDK_MEMBERS": sdk.get("members"),
        "SIGNED_MODELS": facts.get("signed_models"),
        "UNFLAGGED_MODELS": facts.get("unflagged_models"),
        "SYSTEM_ROLES": _roles(mappings.get("system_message")),
        "USER_ROLES": _roles(mappings.get("user_message")),
    }
    if "output_format" in facts:
        formats = facts["output_format"]
        schema = None
        if "schema" in formats:
            name = formats["schema"]
            require_known(name, mappings, ("output_format", "schema"), f"there is no mapping {name}")
            schema = mappings[name].tag[0][1]
        values["OUTPUT_FORMATS"] = {"text": formats["text"], "json": formats["json"], "schema": schema}
    found = [ClassAttribute(name, (value,)) for name, value in values.items() if value is not None]
    if "accepts" in sdk:
        found.append(ClassAttribute("SDK_KEYWORDS", (sdk["accepts"],), call="frozenset"))
    if "bytes" in sdk:
        found.append(ClassAttribute("SDK_BYTES", (sdk["bytes"]["keys"], sdk["bytes"]["free"]), call="Base64Keys"))
    if usage:
        found.append(ClassAttribute("USAGE", (usage,), call="UsageTable"))
    if "spelling" in facts:
        spelling = tuple(facts["spelling"][key] for key in ("free", "maps", "upper", "numbers"))
        found.append(ClassAttribute("KEY_NORMALIZATION", spelling, call="KeyNormalization"))
    if "reasoning" in facts:
        keys = facts["reasoning"]
        others = {key: keys[key] for key in ("details", "default_key", "needed") if key in keys}
        found.append(ClassAttribute("REASONING", (keys["keys"],), others, call="ReasoningKeys"))
    kind = import_converter_class(str(facts["converter"]))
    annotations = declared_attributes(kind)
    found = [replace(fact, annotation=annotations[fact.name]) for fact in found if fact.name in annotations]
    stated = {fact.name for fact in found}
    for name, table in tables.items():
        if hasattr(kind, name) and name not in annotations:
            raise MappingError(("mappings",), f"a table collides with {name} of {kind.__name__}")
        if name not in stated:
            annotation = f"ClassVar[{'list[str]' if isinstance(table, list) else 'dict[str, Any]'}]"
            found.append(ClassAttribute(name, (table,), annotation=annotations.get(name, annotation)))
    for name, key in _SDK_FUNCTIONS.items():
        if key in sdk:
            found.append(ClassAttribute(name, reference=f"staticmethod({sdk[key]})"))
    return tuple(found)


_SDK_FUNCTIONS = {"client_data": "plain", "sdk_call": "call"}
"""The attributes of a converter that are functions of the section `sdk`, and their keys there."""

CAPABILITY_HOOKS: Mapping[str, tuple[str, ...]] = {
    "messages": ("read_messages", "write_messages"),
    "request": ("read_request", "write_request"),
    "response": ("read_response", "write_response"),
}
"""The methods that the class of a wire needs for each capability."""


def _check_complete(
    kind: Any,
    fields: Collection[ClassAttribute],
    capabilities: Collection[str],
    objects: Collection[str],
    facts: Mapping[str, Any],
) -> None:
    """Check that a profile has everything that the class of its API requires.

    Raises:
        MappingError: a fact, a mapping or a default is missing.
    """
    given = {fact.name for fact in fields}
    for name in sorted(declared_attributes(kind).keys() & _used_by(kind)):
        if name in given or hasattr(kind, name):
            continue
        if name.isupper():
            raise MappingError((), f"needs {name.lower()}")
        if name in _SDK_FUNCTIONS:
            raise MappingError(("sdk",), f"needs the function `{_SDK_FUNCTIONS[name]}` under `sdk`")
        if name.split("_", 1)[1] not in objects:
            raise MappingError(("mappings",), f"needs a mapping or a union {name.split('_', 1)[1]}")
    for key in kind.DEFAULT_KEYS:
        if key not in facts.get("defaults", {}):
            raise MappingError(("defaults",), f"needs the default {key}")
    for capability, hooks in CAPABILITY_HOOKS.items():
        missing = [hook for hook in hooks if not hasattr(kind, hook) and hook.split("_", 1)[1] not in objects]
        if capability in capabilities and missing:
            raise MappingError(("converter",), f"has the capability {capability}, but {kind.__name__} does not")


def _check_methods(
    kind: Any,
    mappings: Mapping[str, ObjectMapping],
    objects: Collection[str],
    stated: Container[Pointer],
) -> None:
    """Check what reads and writes keys: an object of the profile, a method of the class of its API, or a shared function.

    The functions of `stated` keys have to take what the key gives them.

    Raises:
        MappingError: there is no such object, and no such method, or a function does not fit its key.
    """
    instance = kind.__new__(kind)
    used: list[tuple[tuple[str, ...], str, Collection[str]]] = []
    for pointer, key in (
        (("mappings", n, *key.pointer), key) for n, mapping in mappings.items() for key in mapping.keys
    ):
        names = [name.removeprefix("self.") for name in (key.reads, key.writes)]
        if key.reads.startswith("self."):
            used += [(pointer, name, objects if key.kind == "text_or" else ()) for name in names]
        if pointer in stated and (key.kind in ("call", "beside") or len(key.variables) > 1):
            functions = (find_function(instance, name) for name in names)
            reason = key.signature_fault(*functions)
            if reason:
                raise MappingError(pointer, reason)
    owners = (kind, shared_functions())
    own = {name.split("_", 1)[1] for owner in owners for name in dir(owner) if name.startswith(("read_", "write_"))}
    for pointer, method, others in used:
        name = method.split("_", 1)[1]
        if name not in others and not hasattr(kind, method):
            reason = f"there is no mapping or union {name}, and no {method} of {kind.__name__}"
            raise MappingError(pointer, reason, unknown=name, known=[*others, *own])


def _used_by(kind: Any) -> set[str]:
    """Return the attributes that the methods of an API's class use, its own and those inherited from other APIs."""
    functions = [getattr(kind, name) for name in dir(kind)]
    codes = [f.__code__ for f in functions if isfunction(f) and ".apis." in f.__module__]
    found: set[str] = set()
    while codes:
        code = codes.pop()
        found |= set(code.co_names)
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return found


def _roles(mapping: ObjectMapping | None) -> tuple[str, ...] | None:
    """Return the values of the tag `role`; the one that is written comes first."""
    if mapping is None:
        return None
    return (str(dict(mapping.tag).get("role", "")), *mapping.tag_also.get("role", ()))


def declared_attributes(kind: Any) -> dict[str, str]:
    """Return the attributes that a class and its bases declare, with their annotations."""
    return {
        name: str(annotation) for base in reversed(kind.__mro__) for name, annotation in get_annotations(base).items()
    }


NEEDS: Mapping[str, tuple[str, ...]] = {
    "request": ("tool_choice", "finish_reasons"),
    "stream": ("finish_reasons",),
    "ids": ("ids",),
}
"""The sections that a profile must have for each capability."""


def _capabilities(facts: Mapping[str, Any], mappings: Mapping[str, ObjectMapping]) -> frozenset[str]:
    """Return the capabilities of the wire, which follow from the sections and mappings of its profile."""
    types = {mapping.type for mapping in mappings.values()}
    found = {
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
    for capability, sections in NEEDS.items():
        for section in sections:
            if found[capability] and section not in facts:
                raise MappingError((), f"needs {section}, because the wire has the capability {capability}")
    return frozenset(capability for capability, there in found.items() if there)


def _tables(facts: Mapping[str, Any], mappings: Mapping[str, ObjectMapping]) -> Mapping[str, Any]:
    """Return the tables that the profile gives to readers and writers of fields, by the name of their attribute.

    Raises:
        MappingError: a key refers to a table that the profile does not have, or two tables have the same name.
    """
    found: dict[str, Any] = {}
    for name, mapping in mappings.items():
        for key in (key for key in mapping.keys if key.table):
            section = key.table_spec
            if isinstance(section, str) and section not in facts:
                reason = f"refers to {section}, which is not in the profile"
                raise MappingError(("mappings", name, *key.pointer), reason, unknown=section, known=facts)
            table = _without_notes(facts[section]) if isinstance(section, str) else section
            if found.setdefault(key.table, table) != table:
                raise MappingError(
                    ("mappings", name, *key.pointer), f"its table collides with another one, {key.table}"
                )
    return found


def _without_notes(value: Any) -> Any:
    """Return a table without its dates and evidence."""
    if isinstance(value, Mapping):
        return {k: _without_notes(v) for k, v in value.items() if k not in ("date", "evidence") and v is not None}
    return value
