"""The root: an object, whatever the source says there, for no provider takes another one."""

from __future__ import annotations

from typing import Any

from .combining import both, kinds_of
from .describing import sentence
from .engine import Run
from .records import NEVER
from .words import ANNOTATIONS, IDENTITY

__all__ = ["WRAPPER", "one_object"]

WRAPPER = "value"
"""The property that a union stands under where an author wants it so."""

_UNIONS = ("anyOf", "oneOf")


def one_object(run: Run, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a tool's parameters as one object, with nothing at its root that the dialect refuses there."""
    source = schema
    refused = set(run.dialect.root.get("without", ()))
    if not run.dialect.plain:
        refused |= {"$ref", "allOf", "anyOf", "oneOf"}
    if "$ref" in schema and ("$ref" in refused or "type" not in schema):
        definitions: dict[str, Any] = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
        found, _ = run.resolved(schema, ())
        schema = {**(found if type(found) is dict else {}), **definitions}
        run.made(schema, ())
    sentences: list[str] = []
    if "allOf" in refused and "allOf" in schema:
        schema, _ = run.combined(schema, (), ())
        run.note((), "allOf", "rewritten", "what it says is said by the root itself")
    for keyword in _UNIONS:
        if keyword in refused and type(schema.get(keyword)) is list:
            branches = _objects(run, schema[keyword])
            if run.dialect.unions == "wrapped" and len(branches) > 1 and run.dialect.takes("anyOf"):
                return _wrapped(run, schema, keyword, branches)
            schema = _merged(run, schema, keyword, branches, sentences)
    for keyword in ("enum", "const", "not", "if", "then", "else"):
        if keyword in refused and keyword in schema:
            text = sentence(keyword, schema[keyword])
            sentences.append(text)
            action: Any = "described" if text and run.says(()) else "dropped"
            run.note((), keyword, action, f"{keyword} is not taken at the root", checked="parse_arguments")
            schema = {key: value for key, value in schema.items() if key != keyword}
    composed = not run.dialect.plain and any(keyword in source for keyword in ("$ref", "allOf", *_UNIONS))
    if (composed or run.dialect.root.get("type") == "object") and kinds_of(schema) != ("object",):
        schema = {"type": "object", **{key: value for key, value in schema.items() if key != "type"}}
    texts = [text for text in sentences if text]
    if texts and run.says(()):
        words = schema.get("description")
        schema = {**schema, "description": " ".join([words, *texts] if type(words) is str and words else texts)}
    return run.made(schema, ())


def _objects(run: Run, branches: list[Any]) -> list[dict[str, Any]]:
    """The branches that may be objects, each as one schema."""
    found: list[dict[str, Any]] = []
    for branch in branches:
        inner, _ = run.resolved(branch, ())
        if type(inner) is dict:
            inner, _ = run.combined(inner, (), ())
        if type(inner) is dict and inner is not NEVER and ("object" in kinds_of(inner) or not kinds_of(inner)):
            found.append(inner)
    return found


def _wrapped(run: Run, schema: dict[str, Any], keyword: str, branches: list[dict[str, Any]]) -> dict[str, Any]:
    """An object with one property that holds the union; each branch has the rules that stand beside it."""
    reason = f"{keyword} is not taken at the root: its branches stand under the property {WRAPPER}"
    run.note((), keyword, "rewritten", reason)
    run.wrapped = True
    kept = ANNOTATIONS | IDENTITY
    outer = {key: value for key, value in schema.items() if key != keyword and key not in kept}
    lost: list[str] = []
    inner = []
    for i, branch in enumerate(branches):
        joined = {**both(branch, outer, lost), "type": "object"}
        inner.append(run.made(joined, run.way_of(branch, (keyword, i))))
    for word in dict.fromkeys(lost):
        run.note((), word, "dropped", "two rules of one keyword hold at once", checked="parse_arguments")
    root = {key: value for key, value in schema.items() if key in kept}
    union = run.made({keyword: inner}, ())
    root |= {"type": "object", "properties": {WRAPPER: union}, "required": [WRAPPER], "additionalProperties": False}
    return run.made(root, ())


def _merged(
    run: Run, schema: dict[str, Any], keyword: str, branches: list[dict[str, Any]], sentences: list[str]
) -> dict[str, Any]:
    """One object for a union of objects: what every branch requires is required, and a sentence says the rest."""
    outer = {key: value for key, value in schema.items() if key != keyword}
    needs = [[str(name) for name in branch.get("required", ())] for branch in branches]
    if any(needs):
        sentences.append(_needs(needs))
    action: Any = "described" if any(needs) and run.says(()) else "dropped"
    run.note(
        (),
        keyword,
        action,
        f"{keyword} is not taken at the root: its branches are one object",
        checked="parse_arguments",
    )
    found = dict(outer)
    properties: dict[str, list[Any]] = {}
    for branch in branches:
        for name, value in _properties(branch).items():
            if not any(value == other for other in properties.setdefault(name, [])):
                properties[name].append(value)
    if properties:
        merged = {name: values[0] if len(values) == 1 else _either(values) for name, values in properties.items()}
        lost: list[str] = []
        found = both({"properties": {}, **found}, {"properties": merged}, lost)
    common = [name for name in (needs[0] if needs else []) if all(name in names for names in needs)]
    if common:
        found["required"] = list(dict.fromkeys([*found.get("required", ()), *common]))
    closed = branches and all(branch.get("additionalProperties") is False for branch in branches)
    if closed and "additionalProperties" not in found:
        found["additionalProperties"] = False
    if "description" not in found:
        words = [branch["description"] for branch in branches if type(branch.get("description")) is str]
        if len(words) == 1 and not set(found) & (ANNOTATIONS - {"$comment"}):
            found["description"] = words[0]
    return run.made(found, ())


def _properties(branch: dict[str, Any]) -> dict[str, Any]:
    value = branch.get("properties")
    return value if type(value) is dict else {}


def _either(values: list[Any]) -> dict[str, Any]:
    """A property that is one thing in one branch and another in the next: its values together, where they are listed."""
    listed = [[v["const"]] if "const" in v else v.get("enum") for v in values if type(v) is dict]
    words = ANNOTATIONS | {"const", "enum", "type"}
    kinds = {str(v.get("type")) for v in values if type(v) is dict}
    alike = len(listed) == len(values) and all(type(v) is list for v in listed) and len(kinds) == 1
    if not alike or not all(v.keys() <= words for v in values):
        return {"anyOf": values}
    joined: list[Any] = []
    for found in listed:
        joined += [value for value in found or () if value not in joined]
    return {
        **{key: value for key, value in values[0].items() if key not in ("const", "enum", "default")},
        "enum": joined,
    }


def _needs(needs: list[list[str]]) -> str:
    """A sentence on which properties go together."""
    texts = list(dict.fromkeys(" and ".join(names) if names else "none of them" for names in needs))
    return f"Needs {', or '.join(texts)}."
