"""The intermediate format: the shipped types, and the optional fields that a project adds to them."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.load import Document
from toolgen.resolve.catalog import Format, FormatField, FormatType

FILES = ("tool", "content", "message", "request", "completion", "agent", "report")
"""The order of the shipped files, which is the order of the generated classes."""


def python_name(name: str) -> str:
    """The Python spelling of a camelCase name of the format."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: "_" + m[1].lower(), name)


def link_format(documents: Iterable[Document], findings: Findings) -> Format:
    """Merge the documents of the format, the shipped ones before the project's own. A later one may add optional fields to a type, and new types.

    References name a type by the last step of their pointer, in whichever file it stands.
    """
    ordered = sorted(documents, key=_rank)
    schemas: dict[str, dict[str, Any]] = {}
    for document in ordered:
        for name, schema in document.value.get("$defs", {}).items():
            if name not in schemas:
                schemas[name] = {**schema}
            else:
                _extend(schemas[name], schema, name, document, findings)
    for document in ordered:
        _check_references(document, schemas, findings)
    for document in ordered:
        for name, schema in document.value.get("$defs", {}).items():
            for key in schema.get("properties", {}):
                if keyword.iskeyword(python_name(key)):
                    findings.add("format-field-name", document.key_span("$defs", name, "properties", key), field=key)
    linked = {name: _linked(schema) for name, schema in schemas.items()}
    return Format({name: _type(name, schema) for name, schema in linked.items()}, {"$defs": linked})


def _rank(document: Document) -> int:
    stem = document.source.rsplit("/", 1)[-1].split(".")[0]
    return FILES.index(stem) if stem in FILES else len(FILES)


def _extend(
    into: dict[str, Any],
    schema: Mapping[str, Any],
    name: str,
    document: Document,
    findings: Findings,
) -> None:
    if schema == into:
        return
    known = into.get("properties", {})
    added = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key in added:
            findings.add(
                "format-field-required",
                document.span("$defs", name, "required"),
                field=key,
                type=name,
            )
    for key in added.keys() & known.keys():
        if added[key] != known[key]:
            findings.add(
                "format-field-known",
                document.key_span("$defs", name, "properties", key),
                field=key,
                type=name,
            )
    tagged = [key for key in known if "const" in known[key]]
    plain = {key: value for key, value in known.items() if key not in tagged}
    into["properties"] = {
        **plain,
        **{k: v for k, v in added.items() if k not in known},
        **{k: known[k] for k in tagged},
    }


def _check_references(document: Document, schemas: Mapping[str, Any], findings: Findings) -> None:
    for pointer in document.values:
        if pointer and pointer[-1] == "$ref":
            value: Any = document.value
            for step in pointer:
                value = value[step]
            if isinstance(value, str) and value.rsplit("/", 1)[-1] not in schemas:
                findings.add("format-type-unknown", document.span(*pointer), type=value.rsplit("/", 1)[-1])


def _linked(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            k: f"#/$defs/{v.rsplit('/', 1)[-1]}" if k == "$ref" and isinstance(v, str) else _linked(v)
            for k, v in value.items()
        }
    return [_linked(v) for v in value] if isinstance(value, list) else value


def _type(name: str, schema: Mapping[str, Any]) -> FormatType:
    required = set(schema.get("required", ()))
    fields = tuple(
        FormatField(key, python_name(key), value, key in required)
        for key, value in schema.get("properties", {}).items()
    )
    union = tuple(b["$ref"].rsplit("/", 1)[-1] for b in schema.get("anyOf", ()) if "$ref" in b)
    return FormatType(name, schema.get("description", ""), fields, union, schema)
