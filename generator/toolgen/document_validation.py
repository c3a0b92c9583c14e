"""Validation of documents against JSON Schemas.

A meta-schema describes each kind of source file. Each violation becomes a finding at its location.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import RawText, did_you_mean, escape_text, quote_name
from toolgen.load import Document, Pointer
from toolgen.load.loading import load_single_file
from toolgen.load.sources import json_type, pointer_steps
from toolgen.resources import shipped_folder

SOURCE_KINDS = ("declaration", "provider", "format", "config")
"""The kinds of source files, as `toolgen schema` names them."""


@cache
def meta_schema(kind: str) -> Mapping[str, Any]:
    """Return the JSON Schema of a kind of source file. It is shared, and must not be changed.

    Raises:
        KeyError: There is no such kind.
        ValueError: The shipped file is not valid, which is a defect of toolgen.
    """
    if kind not in SOURCE_KINDS:
        raise KeyError(kind)
    findings = Findings()
    document = load_single_file(shipped_folder("schemas") / "meta" / f"{kind}.yaml", findings)
    if document is None or not isinstance(document.value, dict):
        raise ValueError(f"{kind}.yaml: {[f.message for f in findings] or 'not a mapping'}")
    return document.value


MAX_FINDINGS = 50
"""The maximum number of findings for one document. Further ones are rarely useful."""

MAX_ERRORS = 1_000
"""The maximum number of errors that are read from the library. Several may become one finding."""


def validate_document(
    document: Document,
    meta: Mapping[str, Any],
    findings: Findings,
    *,
    code: str = "invalid-value",
    hints: Mapping[str, str] | None = None,
) -> bool:
    """Validate a document against a JSON Schema (2020-12), and report errors, at most fifty findings.

    Unknown keys, missing keys and wrong types have their own codes. `code` is that of all other errors; its message has
    the single placeholder `problem`. `hints` are for unknown keys that have a meaning elsewhere. References outside the
    meta-schema and the published drafts are never followed.
    """
    # This registry has the published drafts and downloads nothing, unlike the default one of the library.
    validator = Draft202012Validator(dict(meta), registry=REGISTRY)
    reporter = _Reporter(document, validator, findings, code, hints or {})
    errors = list(islice(validator.iter_errors(document.value), MAX_ERRORS))
    # A value of the wrong type often violates other rules as well, but only its type is worth reporting.
    mistyped = {tuple(e.absolute_path) for e in errors if e.validator == "type"}
    for error in errors:
        if error.validator != "type" and tuple(error.absolute_path) in mistyped:
            continue
        reporter.report(error)
        if reporter.count >= MAX_FINDINGS:
            break
    reporter.finish()
    return reporter.count == 0


@dataclass(slots=True)
class _Reporter:
    """Reports the errors of one document. `unexplained` are objects whose keys were rejected, but are declared."""

    document: Document
    validator: Draft202012Validator
    findings: Findings
    code: str
    hints: Mapping[str, str]
    count: int = 0
    reported: set[tuple[Span, str, str]] = field(default_factory=set)
    unexplained: list[Pointer] = field(default_factory=list)

    def report(self, error: ValidationError) -> None:
        """Add the findings of an error. If there are branches, add those of the best branch."""
        pointer: Pointer = tuple(error.absolute_path)
        keyword = str(error.validator)
        if error.validator in ("anyOf", "oneOf") and error.context:
            self._report_branches(error, pointer)
        elif keyword in ("additionalProperties", "unevaluatedProperties"):
            self._report_unknown(error, pointer)
        elif keyword == "required":
            for name in as_string_list(error.validator_value):
                if name not in as_string_list(error.instance):
                    self._add("missing-key", self.document.key_span(*pointer), str(name), key=name)
        elif keyword == "type":
            expected = as_string_list(error.validator_value)
            self._report_mismatch(expected, error.instance, self._location(error, pointer))
        else:
            self._report_other(error, pointer, keyword)

    def finish(self) -> None:
        """Report keys that were rejected for a reason that no other finding explains."""
        for pointer in self.unexplained if self.count == 0 else ():
            self._report_problem(self.document.key_span(*pointer), "these keys cannot be combined")

    def _report_branches(self, error: ValidationError, pointer: Pointer) -> None:
        """Report a value that fits no branch of a union: the wrong type, or the errors of the nearest branch."""
        types = _root_types(error)
        if types:
            self._report_mismatch(types, error.instance, self.document.span(*pointer))
            return
        for inner in min(_by_branch(error), key=_misfit):
            self.report(inner)

    def _report_unknown(self, error: ValidationError, pointer: Pointer) -> None:
        """Report each undeclared key, with the declared one that was probably meant."""
        declared = _declared_keys(error.schema, self.validator)
        unknown = _unknown_keys(error, declared)
        if not unknown:
            self.unexplained.append(pointer)
        for name in unknown:
            unused = (key for key in declared if key not in as_string_list(error.instance))
            hint = (None if pointer else self.hints.get(name)) or did_you_mean(name, unused)
            span = self.document.key_span(*pointer, name)
            self._add("unknown-key", span, name, hint=hint, key=name)

    def _report_mismatch(self, names: Iterable[str], value: object, span: Span) -> None:
        expected = " or ".join(names)
        actual = json_type(value)
        hint = wrong_type_hint(expected, value)
        self._add("wrong-type", span, expected, hint=hint, expected=RawText(expected), found=RawText(actual))

    def _report_other(self, error: ValidationError, pointer: Pointer, keyword: str) -> None:
        """Report an error that has no code of its own, with a hint if the schema offers one."""
        span = self._location(error, pointer)
        if keyword == "enum":
            values: list[object] = list(error.validator_value)  # type: ignore[arg-type]
            value = error.instance
            hint = did_you_mean(value, as_string_list(values)) if isinstance(value, str) else None
            self._report_problem(span, f"{_shown(value)} is not one of {_listed(values)}", hint)
        elif keyword == "pattern" and isinstance(error.schema, Mapping) and "description" in error.schema:
            rule = str(error.schema["description"])
            self._report_problem(span, f"{_shown(error.instance)} is not allowed here", rule[:1].lower() + rule[1:])
        else:
            self._report_problem(span, _sentence(keyword, error))

    def _location(self, error: ValidationError, pointer: Pointer) -> Span:
        """Return the location of the value, or of the key if the error is about its name."""
        name = error.instance
        if "propertyNames" in error.absolute_schema_path and isinstance(name, str):
            location = self.document.keys.get((*pointer, name))
            if location:
                return self.document.key_span(*pointer, name)
        return self.document.span(*pointer)

    def _report_problem(self, span: Span, sentence: str, hint: str | None = None) -> None:
        self._add(self.code, span, sentence, hint=hint, problem=RawText(sentence))

    def _add(self, code: str, span: Span, subject: str, *, hint: str | None = None, **values: object) -> None:
        """Add a finding about a subject once, because several branches or references may report the same."""
        if (span, code, subject) in self.reported or self.count >= MAX_FINDINGS:
            return
        self.reported.add((span, code, subject))
        self.count += 1
        self.findings.add(code, span, hint=hint, related=(), **values)


_SENTENCES = {
    "minLength": "the string is shorter than {0} character{2}",
    "maxLength": "the string is longer than {0} character{2}",
    "minItems": "the list has fewer than {0} item{2}",
    "maxItems": "the list has more than {0} item{2}",
    "uniqueItems": "the list contains an item twice",
    "minProperties": "there are fewer than {0} key{2}",
    "maxProperties": "there are more than {0} key{2}",
    "minimum": "{1} is less than {0}",
    "maximum": "{1} is greater than {0}",
    "exclusiveMinimum": "{1} is not greater than {0}",
    "exclusiveMaximum": "{1} is not less than {0}",
    "multipleOf": "{1} is not a multiple of {0}",
    "pattern": "{1} does not match the pattern {0}",
    "const": "{1} is not {0}",
    "oneOf": "the value matches more than one of the allowed forms",
    "dependentRequired": "a key requires another one that is missing",
    "not": "this is not allowed here",
}


def _sentence(keyword: str, error: ValidationError) -> str:
    """Describe an error without a schema or a long value."""
    form = _SENTENCES.get(keyword)
    if form is None:
        return f"the value violates the rule {quote_name(keyword)}"
    limit = error.validator_value
    return form.format(_shown(limit), _shown(error.instance), "" if limit == 1 else "s")


def _shown(value: object) -> str:
    """Return a scalar in quotes; for any other value, its type."""
    if isinstance(value, str):
        return quote_name(value)
    if isinstance(value, list | dict):
        return json_type(value)
    return escape_text(json.dumps(value))


def _listed(values: Iterable[object]) -> str:
    """Return the first values. A number beside the string with the same text, as in a year, is left out."""
    shown = [_shown(value) for value in values]
    distinct = [each for each in shown if quote_name(each) not in shown]
    return ", ".join(distinct[:12] + ["…"] * (len(distinct) > 12))


def wrong_type_hint(expected: str, value: object, key: object = None) -> str | None:
    """Return a hint for a value of the wrong type under a key, if the fix is obvious."""
    if value is None:
        return "give it a value, or remove it"
    if key == "required" and isinstance(value, bool):
        return "list the names of required properties next to `properties`: `required: [name]`"
    if expected == "object or boolean" and value in _TYPE_NAMES:
        return f"write a schema: `{{type: {value}}}`"
    if "string" in expected and isinstance(value, bool | int | float):
        return "put it in quotes"
    return None


_TYPE_NAMES = ("array", "boolean", "integer", "number", "object", "string")


def _root_types(error: ValidationError) -> list[str]:
    """Return the types of the branches, if every branch rejects the value because of its type."""
    types: dict[str, None] = {}
    for branch in _by_branch(error):
        refused = [e for e in branch if e.validator == "type" and not e.relative_path]
        if not refused:
            return []
        types.update(dict.fromkeys(as_string_list(refused[0].validator_value)))
    return list(types)


def _by_branch(error: ValidationError) -> list[list[ValidationError]]:
    """Return the errors of each branch that has any."""
    branches: defaultdict[str | int, list[ValidationError]] = defaultdict(list)
    for inner in error.context or ():
        branches[inner.relative_schema_path[0]].append(inner)
    return list(branches.values())


def _misfit(branch: list[ValidationError]) -> tuple[bool, bool, int]:
    """Return the sort key by which the branch that fits best is the first.

    That is one with the right type, then one with the right tags (a constant or an enum value, directly or in a key),
    then the one with the fewest errors.
    """
    wrong_type = any(e.validator == "type" and not e.relative_path for e in branch)
    wrong_tag = any(e.validator in ("const", "enum") and len(e.relative_path) <= 1 for e in branch)
    return wrong_type, wrong_tag, len(branch)


_SUBSCHEMAS = ("if", "then", "else")
_LISTS = ("allOf", "anyOf", "oneOf")


def _declared_keys(schema: object, validator: Draft202012Validator) -> list[str]:
    """Return the properties in a schema and in the schemas that it is composed of, each once."""
    keys: dict[str, None] = {}
    _gather_keys(schema, validator, keys, set())
    return list(keys)


def _gather_keys(schema: object, validator: Draft202012Validator, keys: dict[str, None], visited_ids: set[int]) -> None:
    """Add the properties in a schema, and in those that it is composed of, to the keys."""
    if not isinstance(schema, Mapping) or id(schema) in visited_ids:
        return
    visited_ids.add(id(schema))
    keys.update(dict.fromkeys(schema.get("properties", ())))
    parts: list[object] = [schema[k] for k in _SUBSCHEMAS if k in schema]
    for keyword in _LISTS:
        parts += schema.get(keyword, ())
    parts += schema.get("dependentSchemas", {}).values()
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        parts.append(_target(validator.schema, reference))
    for part in parts:
        _gather_keys(part, validator, keys, visited_ids)


def _target(root: object, reference: str) -> object:
    """Return the target of a local reference; None if it is an anchor or cannot be resolved."""
    value = root
    for name in pointer_steps(reference[1:]):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if reference == "#" or reference.startswith("#/") else None


def _unknown_keys(error: ValidationError, declared: Iterable[str]) -> list[str]:
    """Return the keys of an object that an `additionalProperties` or `unevaluatedProperties` error is about."""
    schema: Mapping[str, Any] = error.schema if isinstance(error.schema, Mapping) else {}
    if error.validator == "additionalProperties":
        declared = schema.get("properties", ())
    names = frozenset(declared)
    patterns = [re.compile(p) for p in schema.get("patternProperties", ())]
    return [
        key for key in as_string_list(error.instance) if key not in names and not any(p.search(key) for p in patterns)
    ]


def as_string_list(value: object) -> list[str]:
    """Return a string, the strings of a list, or the keys of an object."""
    if isinstance(value, str):
        return [value]
    return [w for w in value if isinstance(w, str)] if isinstance(value, list | dict) else []
