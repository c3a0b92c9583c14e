"""Lowering for a dialect that takes every keyword but a few: the schema is sent as it is, without these."""

from __future__ import annotations

from typing import Any

from .engine import DEPENDENT, UNIONS, LoweringContext, NodeLowering, with_plain_numbers, write_needed_items
from .schemas import (
    IDENTITY,
    VALIDATED,
    Pointer,
    declared_types,
    is_any_name,
    list_at,
    object_at,
    subschemas,
    with_subschemas,
    without_keywords,
)
from .sentences import add_sentences

__all__ = ["adapt_plain_schema"]

_CONDITIONS = {"not": {"not"}, "if": {"if", "then", "else"}, "contains": {"contains", "minContains", "maxContains"}}
"""Keywords whose schemas must not be widened, because the schema around them would reject more, and what goes with them."""
_IN_PLACE = frozenset([*UNIONS, "allOf", "$ref", "if", "then", "else", "contains", "dependentSchemas"])
"""Keywords that can say of an item, other than `prefixItems` and `items`, that it is evaluated."""


def adapt_plain_schema(context: LoweringContext, root: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without what the dialect refuses, and with what it needs. The source is returned if it fits.

    A rule that is left out is described or recorded, as in any other dialect.
    """
    if context.dialect.facts.keys().isdisjoint(("refused", "needs", "draft", "patterns", "regex")):
        return root
    adapted: dict[str, Any] = _PlainAdapter(context).adapt(root, ())
    return adapted


class _PlainAdapter:
    """Adapts the schemas of one lowering."""

    def __init__(self, context: LoweringContext) -> None:
        self._context = context
        self._dialect = context.dialect
        self._widened: dict[int, bool] = {}

    def adapt(self, schema: Any, pointer: Pointer) -> Any:
        """Return a schema with everything in it adapted."""
        if type(schema) is not dict:
            return schema
        self._context.count_schema()
        pointer = self._context.source_pointer_of(schema, pointer)
        source = _in_form_of(self._dialect.draft, schema) if self._dialect.draft else schema
        lowering = NodeLowering(self._context, source, pointer)
        left_out = self._left_out(source)
        for keyword, reason in left_out.items():
            if keyword in UNIONS:
                self._context.record_dropped(pointer, keyword, reason)
            elif keyword not in IDENTITY:
                lowering.leave_out(keyword, source[keyword], reason)
        sent = without_keywords(source, left_out)
        lowering.out = with_subschemas(sent, lambda inner, steps: self.adapt(inner, (*pointer, *steps)))
        if "$ref" in sent:
            lowering.out["$ref"] = self._reference(sent["$ref"])
        self._widen_one_of(lowering)
        self._add_needed(lowering)
        if any(lowering.sentences):
            lowering.out["description"] = add_sentences(source.get("description"), lowering.sentences)
        return lowering.out

    def _reference(self, value: Any) -> Any:
        """Return a reference without the root's own `$id`, if that is not sent."""
        identifier = self._context.references.root.get("$id")
        if type(value) is not str or type(identifier) is not str or self._dialect.supports("$id"):
            return value
        base = identifier.split("#")[0]
        return value.removeprefix(base) or "#" if base else value

    def _left_out(self, source: dict[str, Any]) -> dict[str, str]:
        """Return the keywords of a schema that are not sent, with the reasons."""
        supports, supports_pattern = self._dialect.supports, self._dialect.supports_pattern
        left_out = {key: f"{key} is not supported by this provider" for key in source if not supports(key)}
        if "pattern" in source and not supports_pattern(source["pattern"]):
            left_out["pattern"] = "this provider does not support this pattern"
        if not all(map(supports_pattern, object_at(source, "patternProperties"))):
            left_out["patternProperties"] = "this provider does not support these patterns"
            if source.get("additionalProperties", True) not in (True, {}):
                left_out["additionalProperties"] = "it would apply to the properties that patternProperties matches"
        reason = "a rule in it is not supported by this provider"
        for keyword, together in _CONDITIONS.items():
            if self._is_widened(source.get(keyword)):
                left_out |= dict.fromkeys(source.keys() & together, reason)
        if "anyOf" in source and any(map(self._is_widened, list_at(source, "oneOf"))):
            left_out["oneOf"] = reason
        for keyword, others in DEPENDENT.items():
            if keyword in source and not left_out.keys().isdisjoint(others):
                left_out.setdefault(keyword, "it depends on a keyword that was left out")
        return left_out

    def _is_widened(self, schema: Any) -> bool:
        """Return whether a rule is left out of a schema, or of what it refers to."""
        if type(schema) is not dict:
            return False
        if id(schema) not in self._widened:
            self._widened[id(schema)] = False  # of a schema that leads back to itself
            target = self._context.references.target_of(schema.get("$ref"))
            inner = (value for _, value in subschemas(schema))
            is_widened = self._lacks_rules(schema) or self._is_widened(target) or any(map(self._is_widened, inner))
            self._widened[id(schema)] = is_widened
        return self._widened[id(schema)]

    def _lacks_rules(self, schema: dict[str, Any]) -> bool:
        """Return whether a rule of the schema itself is left out."""
        if not all(map(self._dialect.supports_pattern, object_at(schema, "patternProperties"))):
            return True
        if "pattern" in schema and not self._dialect.supports_pattern(schema["pattern"]):
            return True
        refused = {keyword for keyword in schema.keys() & VALIDATED if not self._dialect.supports(keyword)}
        if "propertyNames" in refused and is_any_name(self._context.merged(schema["propertyNames"])):
            refused.remove("propertyNames")
        return bool(refused)

    def _widen_one_of(self, lowering: NodeLowering) -> None:
        """Replace `oneOf` with `anyOf` where a branch is widened, so that a value which fits two branches is not rejected."""
        out = lowering.out
        if "oneOf" in out and any(map(self._is_widened, list_at(lowering.source, "oneOf"))):
            lowering.out = {("anyOf" if keyword == "oneOf" else keyword): value for keyword, value in out.items()}
            reason = "anyOf replaces it, without the rule that only one branch may match"
            self._context.record_dropped(lowering.pointer, "oneOf", reason)

    def _add_needed(self, lowering: NodeLowering) -> None:
        """Add the keywords that a schema of its type must have."""
        out = lowering.out
        if "properties" in self._dialect.needs and "required" in out and "properties" not in out:
            out["properties"] = {}
        is_array = "array" in declared_types(out) or "prefixItems" in out
        if "items" not in self._dialect.needs or not is_array or "items" in out:
            return
        if "unevaluatedItems" in out and out.keys().isdisjoint(_IN_PLACE):
            out["items"] = out.pop("unevaluatedItems")
            reason = "items means the same here"
            self._context.record_change(lowering.pointer, "unevaluatedItems", "rewritten", reason)
            return
        if "unevaluatedItems" in out:
            reason = "every array needs items, behind which no item is unevaluated"
            lowering.leave_out("unevaluatedItems", out.pop("unevaluatedItems"), reason)
        write_needed_items(self._context, lowering.pointer, out)


def _in_form_of(draft: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with bounds and tuples in a form that a draft has. An empty tuple, which none has, is left out."""
    schema = with_plain_numbers(schema)
    if schema.get("prefixItems") == []:
        schema = without_keywords(schema, ("prefixItems",))
    tuple_items = schema.get("items")
    if type(tuple_items) is not list or (tuple_items and draft != "2020-12"):
        return schema
    newest: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "items":
            newest |= {"prefixItems": value} if value else {}
            newest["items"] = schema.get("additionalItems", {})
        elif keyword != "additionalItems":
            newest[keyword] = value
    return newest
