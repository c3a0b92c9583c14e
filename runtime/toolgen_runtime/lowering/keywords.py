"""Lowering of the keywords for single values: they are kept, replaced by others or by a sentence, or dropped."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..conversion.encoding import Encoding, Table
from ..json_text import dump_allowing_nan
from ..json_values import same_json
from .context import LoweringContext, Node, RefStack, inner_tables
from .dialects import Dialect
from .references import encode_as_unique_texts
from .schemas import (
    ANNOTATIONS,
    IDENTITY,
    SCHEMA_LISTS,
    SCHEMA_MAPS,
    SCHEMA_VALUES,
    STRUCTURE,
    VALIDATED,
    Pointer,
    declared_types,
    has_json_type,
    json_type,
    select_annotations,
)

__all__ = [
    "NodeLowering",
    "add_null",
    "add_sentences",
    "can_keep_schemas",
    "conditions_not_sent",
    "describe_needs",
    "describe_rule",
    "keep_rules",
    "lower_annotations",
    "lower_enum",
    "lower_untyped",
    "with_encoded_values",
]

_INCLUSIVE = {"exclusiveMinimum": ("minimum", 1), "exclusiveMaximum": ("maximum", -1)}
_WITH_SCHEMAS = frozenset([*SCHEMA_MAPS, *SCHEMA_LISTS, *SCHEMA_VALUES])
_DEPENDENT = {
    "then": ("if",),
    "else": ("if",),
    "minContains": ("contains",),
    "maxContains": ("contains",),
    "unevaluatedProperties": ("patternProperties", "if", "then", "else", "dependentSchemas", "oneOf", "anyOf", "$ref"),
    "unevaluatedItems": ("contains", "if", "then", "else", "oneOf", "anyOf", "$ref"),
}
"""Keywords that change or lose their meaning if one of these keywords next to them is not sent."""
_SENTENCES = {
    "minimum": "At least {}.",
    "maximum": "At most {}.",
    "exclusiveMinimum": "More than {}.",
    "exclusiveMaximum": "Less than {}.",
    "multipleOf": "A multiple of {}.",
    "minLength": "At least {} characters.",
    "maxLength": "At most {} characters.",
    "minItems": "At least {} items.",
    "maxItems": "At most {} items.",
    "minProperties": "At least {} properties.",
    "maxProperties": "At most {} properties.",
    "default": "Default: {}.",
    "const": "Always {}.",
}
_ONE = {
    "minLength": "At least 1 character.",
    "maxLength": "At most 1 character.",
    "minItems": "At least 1 item.",
    "maxItems": "At most 1 item.",
    "minProperties": "At least 1 property.",
    "maxProperties": "At most 1 property.",
}
_TEXTS = {"pattern": "Matches {}", "format": "Format: {}."}
_LONGEST = 200
"""Maximum number of characters of a value that a sentence quotes."""
_NULL = {"type": "null"}


@dataclass(slots=True)
class NodeLowering:
    """The lowering of one schema: the context, the schema, where it is, and the references that led to it.

    `kinds` are its types. `out` has what is written of it so far, and `sentences` what its description will say.
    """

    context: LoweringContext
    source: Mapping[str, Any]
    pointer: Pointer
    ref_stack: RefStack = ()
    kinds: tuple[str, ...] = ()
    out: dict[str, Any] = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)

    def leave_out(self, keyword: str, value: Any, reason: str) -> None:
        """Leave out a rule, and add a sentence about it if there is one."""
        text = describe_rule(keyword, value) if self.context.allows_description(self.pointer) else ""
        if text:
            self.sentences.append(text)
        elif keyword in ANNOTATIONS and (value is None or value == "" or value == []):
            return
        checked = "parse_arguments" if keyword in VALIDATED else ""
        self.context.record_change(self.pointer, keyword, "described" if text else "dropped", reason, checked=checked)


def _with_numeric_bounds(source: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema whose exclusive bounds are numbers. In draft 4, they are flags beside the bounds."""
    flags = [key for key in _INCLUSIVE if type(source.get(key)) is bool]
    found = dict(source) if flags else {}
    for key in flags:
        if found.pop(key) and _INCLUSIVE[key][0] in found:
            found[key] = found.pop(_INCLUSIVE[key][0])
    return found if flags else source


def keep_rules(lowering: NodeLowering, kind: str | None, *, values_encoded: bool = False) -> None:
    """Write every rule that no other function lowers, or a sentence about it. `kind` is the type on the wire.

    If values are encoded (`values_encoded`), rules with schemas for them are omitted.
    """
    context, out = lowering.context, lowering.out
    lowering.source = _with_numeric_bounds(lowering.source)
    for keyword, value in lowering.source.items():
        if keyword in STRUCTURE or keyword in out or keyword == "additionalItems":
            continue
        if keyword in IDENTITY:
            if keyword not in ("$defs", "definitions", "$schema") and context.dialect.supports(keyword):
                out[keyword] = value
        elif keyword not in _INCLUSIVE or not _makes_inclusive(lowering, keyword, kind):
            supported, reason = _supported_rule(context, keyword, value, kind, values_encoded)
            if reason:
                lowering.leave_out(keyword, value, reason)
            if supported is not None or not (reason or (keyword == "default" and context.dialect.closed)):
                out[keyword] = supported
    _leave_out_dependent(lowering)


def _supported_rule(
    context: LoweringContext, keyword: str, value: Any, kind: str | None, values_encoded: bool
) -> tuple[Any, str]:
    """Return what the dialect supports of a rule, and the reason if that is less than the rule: None for nothing."""
    dialect = context.dialect
    if keyword in dialect.most and type(value) is int and value > dialect.most[keyword]:
        most = dialect.most[keyword]
        return most, f"more than {most} is not supported by this provider"
    if not (can_keep_schemas(context, keyword) if keyword in _WITH_SCHEMAS else dialect.supports(keyword)):
        return None, context.unsupported_reason(keyword)
    if keyword in _WITH_SCHEMAS:
        found = None if values_encoded else context.copy_unlowered_rule(keyword, value)
        if found is None:
            return None, "its values are encoded, or it contains a circular reference or an unsupported keyword"
        return found, ""
    if keyword == "format" and not dialect.supports_format(kind, value):
        return None, f"this provider does not support this format for {kind or 'a value'}"
    if keyword == "pattern" and dialect.patterns is not None and not dialect.patterns.fullmatch(str(value)):
        return None, "this provider does not support this pattern"
    return value, ""


def can_keep_schemas(context: LoweringContext, keyword: str) -> bool:
    """Return whether a keyword that contains schemas can be kept unchanged."""
    return context.dialect.supports(keyword) and context.dialect.refs == "keep" and not context.dialect.closed


def conditions_not_sent(context: LoweringContext, source: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with the conditions that are not sent; `source` is the schema before its `allOf` was merged."""
    if not can_keep_schemas(context, "if") or context.dialect.says_open:
        return source
    keys = [key for key in ("if", "then", "else", "dependentSchemas", "dependencies") if key in schema]
    dropped = {key for key in keys if _supported_rule(context, key, schema[key], None, False)[0] is None}
    return {key: schema[key] for key in keys if key == "if" or key in dropped or "if" in dropped}


def _leave_out_dependent(lowering: NodeLowering) -> None:
    """Remove keywords that would reject more than the source does, because a keyword next to them was omitted."""
    source, out = lowering.source, lowering.out
    for keyword, others in _DEPENDENT.items():
        if keyword in out and any(other in source and other not in out for other in others):
            lowering.leave_out(keyword, out.pop(keyword), "it depends on a keyword that was left out")
    if "contains" in out and source.get("minContains") == 0 and "minContains" not in out:
        lowering.leave_out("contains", out.pop("contains"), lowering.context.unsupported_reason("minContains"))


def _makes_inclusive(lowering: NodeLowering, keyword: str, kind: str | None) -> bool:
    """Replace an unsupported exclusive bound on integers by an inclusive one, and return whether this was possible."""
    other, step = _INCLUSIVE[keyword]
    value, dialect = lowering.source[keyword], lowering.context.dialect
    if kind != "integer" or type(value) not in (int, float) or dialect.supports(keyword) or not dialect.supports(other):
        return False
    bound = math.floor(value) + 1 if step > 0 else math.ceil(value) - 1
    beside = lowering.source.get(other)
    if type(beside) is int or type(beside) is float:
        bound = max(bound, beside) if step > 0 else min(bound, beside)
    lowering.out[other] = bound
    lowering.context.record_change(lowering.pointer, keyword, "rewritten", f"{other} means the same for integers")
    return True


def lower_annotations(
    context: LoweringContext,
    source: Mapping[str, Any],
    pointer: Pointer,
    sentences: list[str],
    *,
    has_described_subschemas: bool = False,
) -> dict[str, Any]:
    """Return the description and other annotations that the dialect supports. Sentences are added to the description.

    If the schema surrounds others with descriptions of their own (`has_described_subschemas`), it does not need a description.
    """
    found: dict[str, Any] = {}
    keep_rules(NodeLowering(context, select_annotations(source), pointer, out=found, sentences=sentences), None)
    text = add_sentences(source.get("description"), sentences)
    demanded = context.dialect.complete and not has_described_subschemas
    if (text or demanded) and context.allows_description(pointer):
        found["description"] = text
    elif source.get("description"):
        context.record_dropped(pointer, "description", context.unsupported_reason("description"))
    if demanded and not text and pointer and "description" not in source:
        context.record_change(
            pointer, "description", "defaulted", "every property needs a description, so it has an empty one"
        )
    return found


def lower_untyped(context: LoweringContext, source: dict[str, Any], pointer: Pointer, sentences: list[str]) -> Node:
    """Lower a schema for values of any type."""
    if context.dialect.untyped != "refuse" and context.dialect.requires_type(pointer):
        context.record_change(pointer, "a value of any type", "rewritten", "it is sent as JSON text")
        if source.get("default") is not None and context.dialect.supports("default"):
            source = {**source, "default": dump_allowing_nan(source["default"])}
        all_sentences = [*sentences, "Any JSON value, as JSON text."]
        return {"type": "string", **lower_annotations(context, source, pointer, all_sentences)}, {"json": True}
    if context.dialect.untyped == "refuse":
        context.record_unsupported(pointer, "a value of any type", "every value needs a type")
    return lower_annotations(context, source, pointer, sentences), None


def lower_enum(lowering: NodeLowering) -> tuple[Table | None, bool]:
    """Lower the values of an enum or const. Return their encoding, and whether any value is possible.

    If the values are sent as strings, the lowered schema has the type string.
    """
    context, source, pointer, kinds, out = (
        lowering.context,
        lowering.source,
        lowering.pointer,
        lowering.kinds,
        lowering.out,
    )
    listed = source.get("enum")
    if "const" in source:
        values = [source["const"]]
        if type(listed) is list and not any(same_json(item, source["const"]) for item in listed):
            return None, False
    elif type(listed) is list:
        values = listed
    else:
        return None, True
    values = [value for value in values if not kinds or has_json_type(value, kinds)]
    if not values:
        return None, False
    if len(kinds) > 1 and context.dialect.types == "one" and len({json_type(value) for value in values}) == 1:
        out["type"] = json_type(values[0])
    mixed = len(kinds) > 1 and not context.dialect.supports("anyOf")
    if context.dialect.enum != "any" and (
        mixed or not all(_goes_as_it_is(value, context.dialect.enum) for value in values)
    ):
        context.record_change(
            pointer, "const" if "const" in source else "enum", "rewritten", "its values are sent as strings"
        )
        texts = encode_as_unique_texts(values)
        out["type"] = "string"
        _put(lowering, texts)
        return {"values": values, "texts": texts}, True
    if "const" in source and context.dialect.supports("const"):
        out["const"] = source["const"]
        return None, True
    if "const" in source:
        context.record_change(pointer, "const", "rewritten", "an enum with one value means the same")
    _put(lowering, values)
    return None, True


def _put(lowering: NodeLowering, values: list[Any]) -> None:
    context = lowering.context
    if context.dialect.supports("enum"):
        lowering.out["enum"] = values
        if (
            context.dialect.enum == "texts"
            and context.dialect.supports_format("string", "enum")
            and context.dialect.formats
        ):
            lowering.out["format"] = "enum"
        return
    text = describe_rule("enum", values)
    if text and context.allows_description(lowering.pointer):
        lowering.sentences.append(text)
    context.record_described(lowering.pointer, "enum", text, context.unsupported_reason("enum"))


def _goes_as_it_is(value: Any, rule: str) -> bool:
    if rule == "scalars":
        return type(value) not in (dict, list)
    return type(value) is str or (rule == "numbers" and type(value) in (int, float))


def describe_needs(needs: list[list[str]]) -> str:
    """Describe in a sentence which properties each branch of a union requires. Empty if none requires any."""
    texts = list(dict.fromkeys(" and ".join(names) if names else "none of them" for names in needs))
    return f"Needs {', or '.join(texts)}." if any(needs) else ""


def describe_rule(keyword: str, value: Any) -> str:
    """Describe a rule in a sentence. Empty if there is no sentence for it."""
    if keyword == "uniqueItems":
        return "No item twice." if value is True else ""
    if keyword in _TEXTS and type(value) is str and len(value) <= _LONGEST:
        return _TEXTS[keyword].format(value)
    if keyword == "enum" and type(value) is list:
        text = ", ".join(dump_allowing_nan(item) for item in value[:20])
        return f"One of: {text}." if len(value) <= 20 and len(text) <= _LONGEST else ""
    if keyword == "examples" and type(value) is list and value:
        text = dump_allowing_nan(value[0])
        return f"For example: {text}" if len(text) <= _LONGEST else ""
    if keyword == "dependentRequired" and type(value) is dict:
        pairs = [(name, others) for name, others in value.items() if type(others) is list and others]
        text = " ".join(f"With {name}, also {' and '.join(map(str, others))}." for name, others in pairs)
        return text if len(text) <= _LONGEST else ""
    if keyword in _SENTENCES:
        text = dump_allowing_nan(value)
        found = _ONE[keyword] if keyword in _ONE and text == "1" else _SENTENCES[keyword].format(text)
        return found if len(text) <= _LONGEST else ""
    return ""


def add_sentences(description: Any, sentences: list[str]) -> str:
    """Append sentences to a description."""
    base = description.rstrip() if type(description) is str else ""
    new = [text for text in dict.fromkeys(sentences) if text and text not in base]
    if not new:
        return base
    if base and base[-1] not in ".!?:":
        base += "."
    return f"{base} {' '.join(new)}".strip()


def add_null(out: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return a lowered schema that also admits null, in the form that the dialect uses."""
    if dialect.nullable == "flag":
        return {**out, "nullable": True}
    if dialect.nullable == "none":
        return out
    if out == {} or "null" in declared_types(out):
        return out
    if type(out.get("anyOf")) is list:
        branches = out["anyOf"] if _NULL in out["anyOf"] else [*out["anyOf"], dict(_NULL)]
        return {**out, "anyOf": branches}
    listed = "enum" in out or "const" in out
    takes_null = (dialect.enum in ("any", "scalars") or not listed) and out.keys().isdisjoint(("if", "not"))
    if dialect.nullable == "type_list" and takes_null and "$ref" not in out and ("type" in out or listed):
        wider = dict(out)
        if "type" in out:
            wider["type"] = [*declared_types(out), "null"]
        if "const" in wider:
            wider["enum"] = [wider.pop("const"), None]
        elif "enum" in wider and None not in wider["enum"]:
            wider["enum"] = [*wider["enum"], None]
        return wider
    if out.keys() <= ANNOTATIONS:
        return out
    core = {key: value for key, value in out.items() if key not in ANNOTATIONS}
    return {"anyOf": [core, dict(_NULL)], **select_annotations(out)}


def with_encoded_values(context: LoweringContext, source: dict[str, Any], encoding: Table | None) -> dict[str, Any]:
    """Encode the default and examples of a schema as its values are. If tables are not complete yet, do it later."""
    if encoding is None:
        return source
    encode = Encoding(encoding).encode if _is_complete(encoding) else partial(context.retained.encode_later, encoding)
    found = dict(source)
    if source.get("default") is not None and context.dialect.supports("default"):
        found["default"] = encode(source["default"])
    if type(source.get("examples")) is list and context.dialect.supports("examples"):
        found["examples"] = [encode(value) for value in source["examples"]]
    return found


def _is_complete(encoding: Table) -> bool:
    """Return whether a table contains no references, and no unions, whose shapes are not known yet."""
    return (
        "ref" not in encoding and "any" not in encoding and all(map(_is_complete, filter(None, inner_tables(encoding))))
    )
