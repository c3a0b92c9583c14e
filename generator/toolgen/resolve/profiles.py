"""Profiles and the format, resolved for the project.

A profile has what it `extends` merged in, with the project's overrides on top and its own values for required settings.
The format has the shipped types, and the optional fields that a project adds to them.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText, did_you_mean_or_known
from toolgen.document_validation import meta_schema, validate_document
from toolgen.load import Document
from toolgen.load.sources import json_type, value_at
from toolgen.parse import ParsedProject
from toolgen.resolve.catalog import Format, FormatField, FormatType, Profile
from toolgen.resolve.identifiers import DEVICES
from toolgen_runtime.conversion.model_facts import merge_entries
from toolgen_runtime.json_values import apply_merge_patch


def profile_name_of_file(document: Document) -> str:
    """Return the name of the provider that a document describes."""
    return document.source.rsplit("/", 1)[-1].split(".", 1)[0]


def facts_of_model(profile: Profile, model: str) -> dict[str, Any]:
    """Return what differs for a model from the general facts of a provider. Empty if nothing is known of it."""
    return merge_entries(profile.facts.get("models", ()), model)


def merge_profile(base: Any, patch: Any) -> Any:
    """Apply a profile to the one that it extends: a merge patch. A mapping that it removes leaves the unions as well.

    Entries about models are added to those that it has.
    """
    facts = _with_all_models(base, patch, apply_merge_patch(base, patch))
    mappings, unions = (facts.get(key) if isinstance(facts, Mapping) else None for key in ("mappings", "unions"))
    stated = patch.get("mappings") if isinstance(patch, Mapping) else None
    if not (isinstance(mappings, Mapping) and isinstance(unions, Mapping) and isinstance(stated, Mapping)):
        return facts  # a profile of another shape has its own finding
    removed = {name for name, mapping in stated.items() if mapping is None}
    return {**facts, "unions": {name: _without_members(union, removed) for name, union in unions.items()}}


def with_models_of(facts: Mapping[str, Any], entries: Callable[[str], Iterable[Any]]) -> dict[str, Any]:
    """Return what a profile states, with the entries about models of those that `models_of` names before its own.

    `entries` returns the entries that a profile states itself, by its name.
    """
    stated = {key: value for key, value in facts.items() if key != "models_of"}
    shared = [entry for name in facts.get("models_of") or () for entry in entries(name)]
    return {**stated, "models": [*shared, *(facts.get("models") or ())]} if shared else stated


def _with_all_models(base: Any, patch: Any, facts: Any) -> Any:
    """Return merged facts with the entries about models of both: a list that a profile adds to."""
    inherited, stated = (each.get("models") if isinstance(each, Mapping) else None for each in (base, patch))
    if not isinstance(inherited, list) or not isinstance(stated, list):
        return facts
    return {**facts, "models": [*inherited, *stated]}


def _without_members(union: Any, removed: Collection[str]) -> Any:
    """Return a union without the mappings that are removed."""
    members = union.get("mappings") if isinstance(union, Mapping) else None
    if isinstance(members, list):
        return {**union, "mappings": [name for name in members if name not in removed]}
    if isinstance(members, Mapping):
        return {**union, "mappings": {value: name for value, name in members.items() if name not in removed}}
    return union


def resolve_profiles(
    documents: Iterable[Document], wanted: Iterable[str] | None, findings: Findings
) -> tuple[Profile, ...]:
    """Return the wanted profiles (all if None), each with what it extends merged in, by name.

    Documents with the same stem are applied in order as patches: the shipped profile, then the project's. Profiles of
    shipped documents alone are trusted; `check_shipped_profiles` checks them.
    """
    profiles = _merged_profiles(documents, wanted, findings)
    for profile in profiles:
        if not all(document.is_shipped for document in profile.documents):
            _validate(profile, findings)
    if findings.has_errors:
        return profiles
    return tuple(
        profile for profile in profiles if _check_dialect(profile, findings) and _check_patterns(profile, findings)
    )


def check_shipped_profiles(documents: Iterable[Document], findings: Findings) -> None:
    """Report what is wrong in the shipped profiles, before something is made from them."""
    for profile in _merged_profiles(documents, None, findings):
        _validate(profile, findings)


def _validate(profile: Profile, findings: Findings) -> None:
    validate_document(replace(profile.documents[-1], value=profile.facts), meta_schema("provider"), findings)


def _merged_profiles(
    documents: Iterable[Document], wanted: Iterable[str] | None, findings: Findings
) -> tuple[Profile, ...]:
    """Return the wanted profiles (all if None), each with what it extends merged in, before they are checked."""
    layers: dict[str, list[Document]] = {}
    for document in _with_shared_models(list(documents), findings):
        layers.setdefault(profile_name_of_file(document), []).append(document)
    for name, named_documents in layers.items():
        if not re.fullmatch("[a-z][a-z0-9_]{0,63}", name) or keyword.iskeyword(name) or name in DEVICES:
            findings.add("profile-name", named_documents[0].span(), name=name)
            return ()
    resolved = {name: _resolve_profile(name, layers, (), findings) for name in sorted(layers)}
    names = sorted(resolved) if wanted is None else [name for name in dict.fromkeys(wanted) if name in resolved]
    return tuple(profile for name in names if (profile := resolved[name]) is not None)


def _with_shared_models(documents: Sequence[Document], findings: Findings) -> Iterator[Document]:
    """Yield the documents of profiles, each with the entries about models that it shares.

    Reports unknown names. Tests check those of the shipped files.
    """
    shipped = {profile_name_of_file(document): document.value for document in documents if document.is_shipped}
    for document in documents:
        names = document.value.get("models_of")
        unknown = [name for name in names if name not in shipped] if isinstance(names, list) else []
        for name in unknown if not document.is_shipped else ():
            hint = did_you_mean_or_known(name, sorted(shipped), "providers")
            findings.add("profile-models-unknown", document.span("models_of", names.index(name)), hint=hint, name=name)
        known = {**document.value, "models_of": [name for name in names or () if name not in unknown]}
        yield replace(document, value=with_models_of(known, lambda name: shipped[name].get("models", ())))


def _check_dialect(profile: Profile, findings: Findings) -> bool:
    """Report a dialect that is chosen but not defined. Return whether the chosen one is defined."""
    dialects = profile.facts["dialects"]
    chosen = dialects.get("uses", "open")
    if chosen in dialects:
        return True
    document = _stating(profile, ("dialects", "uses"))
    findings.add("profile-dialect", document.span("dialects", "uses"), name=chosen)
    return False


def _stating(profile: Profile, pointer: tuple[str, ...]) -> Document:
    """Return the last document of a profile that states a fact."""
    return next((d for d in reversed(profile.documents) if pointer in d.values), profile.documents[-1])


def _check_patterns(profile: Profile, findings: Findings) -> bool:
    """Report regular expressions that do not compile. Return whether all compile."""
    before = len(findings)
    pointers: list[tuple[str, ...]] = [("ids", "pattern"), ("names", "pattern"), ("parameter_names", "pattern")]
    pointers += [
        ("dialects", mode, key) for mode in profile.facts.get("dialects", {}) for key in ("patterns", "properties")
    ]
    for pointer in pointers:
        value: Any = profile.facts
        for key in pointer:
            value = value.get(key) if isinstance(value, Mapping) else None
        if not isinstance(value, str):
            continue
        try:
            re.compile(value)
        except (re.error, RecursionError, OverflowError) as error:
            span = _stating(profile, pointer).span(*pointer)
            findings.add("profile-pattern", span, pattern=value, reason=RawText(str(error)))
    return len(findings) == before


def _resolve_profile(
    name: str, layers: Mapping[str, list[Document]], below: tuple[str, ...], findings: Findings
) -> Profile | None:
    """Return a profile with what it extends, or None with a finding. `below` are the profiles that extend it."""
    facts: Any = {}
    documents: list[Document] = []
    base: Profile | None = None
    for document in layers[name]:
        parent = document.value.get("extends")
        if isinstance(parent, str) and (parent != name or not documents):
            span = document.span("extends")
            if parent in below:
                findings.add("profile-cycle", span, name=parent)
                return None
            if parent not in layers:
                hint = did_you_mean_or_known(parent, sorted(layers), "providers")
                findings.add("profile-unknown", span, hint=hint, name=parent)
                return None
            base = _resolve_profile(parent, layers, (*below, name), findings)
            if base is None:
                return None
            facts = merge_profile(base.facts, facts)
            documents = [*base.documents, *documents]
        facts = merge_profile(facts, {k: v for k, v in document.value.items() if k != "extends"})
        documents.append(document)
    return Profile(name, facts, tuple(documents), base)


def check_configured_defaults(
    parsed: ParsedProject, resolved_profiles: Iterable[Profile], providers: Collection[str], findings: Findings
) -> None:
    """Report default values for unknown providers or names, and values that the wire does not accept.

    Providers that this run does not build are checked too. Faults of such a profile itself are
    reported when it is built.
    """
    sources, defaults = parsed.sources, parsed.config.defaults
    if sources.config is None or not defaults:
        return
    for name in defaults:
        if name not in providers:
            hint = did_you_mean_or_known(name, providers, "providers")
            findings.add("provider-unknown", sources.config.key_span("defaults", name), hint=hint, name=name)
    profiles = {profile.name: profile for profile in resolve_profiles(sources.providers, defaults, Findings())}
    profiles |= {profile.name: profile for profile in resolved_profiles}
    schemas = {name: _schema_of_overrides(_stated(profile.facts)) for name, profile in profiles.items()}
    validate_document(sources.config, {"properties": {"defaults": {"properties": schemas}}}, findings)


def collect_effective_defaults(facts: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Return the default values of a profile with the project's overrides. An integer stays one, even as `2.0`."""
    stated = _stated(facts)
    whole = {
        name: int(value) for name, value in overrides.items() if type(value) is float and type(stated.get(name)) is int
    }
    return {**stated, **overrides, **whole}


def _stated(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the default values of a profile; none if they are not an object, which has its own finding."""
    stated = facts.get("defaults")
    return stated if isinstance(stated, Mapping) else {}


def _schema_of_overrides(defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of the values that may override these defaults."""
    return {
        "properties": {name: _schema_of_override(value) for name, value in defaults.items()},
        "additionalProperties": False,
    }


def _schema_of_override(value: object) -> dict[str, Any]:
    """Return the schema for overriding a value: the same type, at least 1 for an integer, nonempty if the text is."""
    kind = json_type(value)
    if kind == "integer":
        return {"type": kind, "minimum": 1}
    return {"type": kind, "minLength": 1} if kind == "string" and value else {"type": kind}


FORMAT_FILE_ORDER = ("tool", "content", "message", "request", "completion", "agent", "report")
"""The order of the shipped files, which is the order of the generated classes."""


def camel_to_snake(name: str) -> str:
    """Convert a camelCase name of the format to its Python name."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: "_" + m[1].lower(), name)


def merge_neutral_format_documents(documents: Iterable[Document], findings: Findings) -> Format:
    """Merge the documents of the format, shipped ones first. Later ones may add types, and optional fields to a type.

    References name a type by the last segment of their pointer, in whichever file it is.
    """
    ordered = sorted(documents, key=_rank)
    schemas: dict[str, dict[str, Any]] = {}
    is_extended = False
    for document in ordered:
        for name, schema in document.value.get("$defs", {}).items():
            is_extended = is_extended or (not document.is_shipped and schemas.get(name) != schema)
            if name not in schemas:
                schemas[name] = {**schema}
            else:
                _extend(schemas[name], schema, name, document, findings)
    for document in ordered:
        _check_references(document, schemas, findings)
    for document in ordered:
        _check_field_names(document, findings)
    resolved = {name: _with_local_references(schema) for name, schema in schemas.items()}
    types = {name: _type(name, schema) for name, schema in resolved.items()}
    return Format(types, {"$defs": resolved}, is_extended)


def _check_field_names(document: Document, findings: Findings) -> None:
    """Report fields whose names are keywords of Python."""
    for name, schema in document.value.get("$defs", {}).items():
        for key in schema.get("properties", {}):
            if keyword.iskeyword(camel_to_snake(key)):
                findings.add("format-field-name", document.key_span("$defs", name, "properties", key), field=key)


def _rank(document: Document) -> int:
    """Return the position of a document among those of the format; the project's own documents come last."""
    stem = document.source.rsplit("/", 1)[-1].split(".")[0]
    return FORMAT_FILE_ORDER.index(stem) if stem in FORMAT_FILE_ORDER else len(FORMAT_FILE_ORDER)


def _extend(
    into: dict[str, Any],
    schema: Mapping[str, Any],
    name: str,
    document: Document,
    findings: Findings,
) -> None:
    """Add the fields of a further definition of a type to it, before its tags. Report fields that are not additions."""
    if schema == into:
        return
    existing = into.get("properties", {})
    added = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key in added:
            findings.add("format-field-required", document.span("$defs", name, "required"), field=key, type=name)
    for key in added.keys() & existing.keys():
        if added[key] != existing[key]:
            span = document.key_span("$defs", name, "properties", key)
            findings.add("format-field-known", span, field=key, type=name)
    tags = {key: value for key, value in existing.items() if "const" in value}
    into["properties"] = {
        **{key: value for key, value in existing.items() if key not in tags},
        **{key: value for key, value in added.items() if key not in existing},
        **tags,
    }


def _check_references(document: Document, schemas: Mapping[str, Any], findings: Findings) -> None:
    """Report references to types that no document of the format defines."""
    for pointer in document.values:
        if pointer and pointer[-1] == "$ref":
            value = value_at(document.value, pointer)
            if isinstance(value, str) and value.rsplit("/", 1)[-1] not in schemas:
                findings.add("format-type-unknown", document.span(*pointer), type=value.rsplit("/", 1)[-1])


def _with_local_references(value: Any) -> Any:
    """Return a part of the format whose references are those of one document."""
    if isinstance(value, list):
        return [_with_local_references(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    converted = {key: _with_local_references(member) for key, member in value.items()}
    if isinstance(value.get("$ref"), str):
        converted["$ref"] = f"#/$defs/{value['$ref'].rsplit('/', 1)[-1]}"
    return converted


def _type(name: str, schema: Mapping[str, Any]) -> FormatType:
    """Return a type of the format by its schema."""
    required = set(schema.get("required", ()))
    fields = tuple(
        FormatField(key, camel_to_snake(key), value, key in required)
        for key, value in schema.get("properties", {}).items()
    )
    union = tuple(b["$ref"].rsplit("/", 1)[-1] for b in schema.get("anyOf", ()) if "$ref" in b)
    return FormatType(name, schema.get("description", ""), fields, union, schema)
