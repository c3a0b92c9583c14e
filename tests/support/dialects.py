"""The rules of each provider's documentation for tool schemas, written by hand and not taken from the profiles.

Each checker yields what the provider would refuse, or would silently ignore.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from jsonschema import Draft7Validator, Draft202012Validator

from tests.support.repository import hosts_of, profile

Schema = dict[str, Any]
Faults = Iterator[str]

NAMED = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
SINGLE = ("items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else")

OPENAI_STRICT = frozenset(
    "$ref $defs type title description default properties required additionalProperties items enum const anyOf pattern"
    " format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems".split()
)
OPENAI_FORMATS = frozenset("date-time time date duration email hostname ipv4 ipv6 uuid".split())
AZURE_STRICT = frozenset(
    "$ref $defs type title description default properties required additionalProperties items enum const anyOf".split()
)
CLAUDE_STRICT = frozenset(
    "type properties required items enum const anyOf allOf $ref $defs description title minItems format"
    " additionalProperties".split()
)
CLAUDE_FORMATS = frozenset("date-time time date duration email hostname uri ipv4 ipv6 uuid".split())
GEMINI_JSON = frozenset(
    "$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf"
    " oneOf properties additionalProperties required propertyOrdering default minLength maxLength pattern uniqueItems".split()
)
GEMINI_OPENAPI = frozenset(
    "type format title description nullable default example enum items minItems maxItems properties required"
    " propertyOrdering minProperties maxProperties minLength maxLength pattern minimum maximum anyOf"
    " additionalProperties".split()
)
GEMINI_FORMATS = {
    "NUMBER": {"float", "double"},
    "INTEGER": {"int32", "int64"},
    "STRING": {"email", "byte", "date", "date-time", "password", "enum"},
}
COHERE = frozenset(
    "type title description default properties required additionalProperties items enum const anyOf pattern format"
    " $ref $defs uniqueItems".split()
)
XAI = frozenset(
    "$ref $defs type title description default examples properties required additionalProperties patternProperties items"
    " prefixItems enum const anyOf oneOf allOf not if then else pattern format minLength maxLength minimum maximum"
    " exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems minProperties maxProperties".split()
)
DRAFT_07 = frozenset(
    "$id $schema $ref $comment $defs definitions title description default examples readOnly writeOnly type enum const"
    " multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern items additionalItems"
    " maxItems minItems uniqueItems contains maxProperties minProperties required properties patternProperties"
    " additionalProperties dependencies propertyNames format contentMediaType contentEncoding if then else allOf anyOf"
    " oneOf not".split()
)
META = Draft202012Validator(Draft202012Validator.META_SCHEMA)
META_07 = Draft7Validator(Draft7Validator.META_SCHEMA)
VLLM = frozenset(
    "$ref $defs type title description default examples deprecated readOnly writeOnly properties required items prefixItems"
    " additionalProperties enum const anyOf pattern format minLength maxLength minimum maximum exclusiveMinimum"
    " exclusiveMaximum multipleOf minItems maxItems minProperties maxProperties".split()
)
VLLM_FORMATS = frozenset(
    "date-time time date duration email hostname ipv4 ipv6 uuid uri int32 int64 float double".split()
)
OLLAMA_ROOT = frozenset(["type", "$defs", "items", "required", "properties"])
OLLAMA = frozenset(["type", "anyOf", "items", "description", "enum", "properties", "required"])


def walk(schema: Any, at: str = "", depth: int = 0) -> Iterator[tuple[str, Any, int]]:
    """Yield every schema inside a schema, with its path and the number of schemas around it (one for a definition)."""
    yield at, schema, depth
    if not isinstance(schema, dict):
        return
    for keyword in NAMED:
        inner = schema.get(keyword)
        for name, value in inner.items() if isinstance(inner, dict) else ():
            yield from walk(value, f"{at}/{keyword}/{name}", 1 if keyword == "$defs" else depth + 1)
    for keyword in LISTS:
        inner = schema.get(keyword)
        for i, value in enumerate(inner if isinstance(inner, list) else ()):
            yield from walk(value, f"{at}/{keyword}/{i}", depth + 1)
    for keyword in SINGLE:
        if isinstance(schema.get(keyword), dict | bool):
            yield from walk(schema[keyword], f"{at}/{keyword}", depth + 1)


def keywords(schema: Schema, allowed: frozenset[str]) -> Faults:
    """Yield the keywords that are not in a list, at any depth."""
    for at, inner, _ in walk(schema):
        if isinstance(inner, dict):
            yield from (f"{at}: {keyword}" for keyword in inner if keyword not in allowed)


def root_is_an_object(schema: Schema, *without: str) -> Faults:
    """Yield an error if the root has another type, or keywords that are refused there."""
    if schema.get("type") != "object":
        yield f"root: type {schema.get('type')}"
    yield from (f"root: {keyword}" for keyword in without if keyword in schema)


def references(schema: Schema, *, alone: bool = False, circles: bool = True) -> Faults:
    """Yield the references that cannot be resolved, have other keywords beside them, or are circular."""
    leads: dict[str, set[str]] = {}
    for at, inner, _ in walk(schema):
        if not isinstance(inner, dict) or "$ref" not in inner:
            continue
        reference = inner["$ref"]
        name = reference.removeprefix("#/$defs/")
        if reference != "#" and name not in schema.get("$defs", {}):
            yield f"{at}: $ref to nowhere, {reference}"
        if alone and len(inner) > 1:
            yield f"{at}: $ref with {sorted(inner)}"
        inside = at.split("/")[2] if at.startswith("/$defs/") else "#"
        leads.setdefault(inside, set()).add("#" if reference == "#" else name)
    if not circles:
        for start in leads:
            reached, waiting = set(), [start]
            while waiting:
                reached_next = leads.get(waiting.pop(), set()) - reached
                reached |= reached_next
                waiting += reached_next
            if start in reached:
                yield f"{start}: a circle"


def required_circles(schema: Schema) -> Faults:
    """Yield the definitions whose values have to contain another value of the same definition, or a list of them."""
    optional = {
        f"{at}/properties/{name}"
        for at, inner, _ in walk(schema)
        for name in (inner.get("properties", {}) if isinstance(inner, dict) else ())
        if name not in inner.get("required", ())
    }
    leads: dict[str, set[str]] = {}
    for at, inner, _ in walk(schema):
        if (
            isinstance(inner, dict)
            and "$ref" in inner
            and not any(f"{at}/".startswith(f"{path}/") for path in optional)
        ):
            inside = "/".join(at.split("/")[:3]) if at.startswith("/$defs/") else ""
            leads.setdefault(inside, set()).add(inner["$ref"].removeprefix("#"))
    for start in leads:
        reached = [start]
        for place in reached:
            reached += [further for further in leads.get(place, set()) if further not in reached[1:]]
        if start in reached[1:]:
            yield f"{start}: a circle of required properties"


def closed(schema: Schema, *, all_required: bool) -> Faults:
    """Yield the objects that are open, are empty below the root, or have optional properties."""
    for at, inner, _ in walk(schema):
        if not isinstance(inner, dict) or not ("object" in types(inner) or "properties" in inner):
            continue
        if inner.get("additionalProperties") is not False:
            yield f"{at}: not closed"
        properties = inner.get("properties") or {}
        if at and not properties:
            yield f"{at}: an object that can only be empty"
        if all_required and set(inner.get("required", ())) != set(properties):
            yield f"{at}: required {inner.get('required')}"
        yield from (f"{at}: required {name}" for name in inner.get("required", ()) if name not in properties)


def typed(schema: Schema) -> Faults:
    """Yield the schemas without a type, and lists of several types besides null."""
    for at, inner, _ in walk(schema):
        if at.endswith("/additionalProperties") and isinstance(inner, bool):
            continue
        if not isinstance(inner, dict):
            yield f"{at}: {inner}"
        elif not inner.keys() & {"type", "anyOf", "$ref", "enum", "const"}:
            yield f"{at}: no type"
        elif isinstance(inner.get("type"), list) and len(set(inner["type"]) - {"null"}) > 1:
            yield f"{at}: {inner['type']}"


def arrays_have_items(schema: Schema) -> Faults:
    """Yield the arrays without `items`."""
    for at, inner, _ in walk(schema):
        if isinstance(inner, dict) and ("array" in types(inner) or "prefixItems" in inner) and "items" not in inner:
            yield f"{at}: no items"


def values(schema: Schema, *kinds: type) -> Faults:
    """Yield empty enums, and enum values of other kinds."""
    for at, inner, _ in walk(schema):
        if not isinstance(inner, dict):
            continue
        if "enum" in inner and not inner["enum"]:
            yield f"{at}: an empty enum"
        for value in [*inner.get("enum", ()), *([inner["const"]] if "const" in inner else ())]:
            if type(value) not in kinds:
                yield f"{at}: {value!r}"


def formats(schema: Schema, allowed: frozenset[str]) -> Faults:
    """Yield the formats that are not in a list."""
    for at, inner, _ in walk(schema):
        if isinstance(inner, dict) and "format" in inner and inner["format"] not in allowed:
            yield f"{at}: format {inner['format']}"


def property_names(schema: Schema, pattern: str) -> Faults:
    """Yield the properties whose name is refused."""
    for at, inner, _ in walk(schema):
        if isinstance(inner, dict) and isinstance(inner.get("properties"), dict):
            yield from (f"{at}: a name, {n!r}" for n in inner["properties"] if not re.fullmatch(pattern, n))


def types(schema: Schema) -> set[str]:
    """Return the types in a schema, in lowercase."""
    named = schema.get("type", [])
    return {str(kind).lower() for kind in (named if isinstance(named, list) else [named])}


def sizes(schema: Schema, properties: int, depth: int) -> Faults:
    """Yield an error if there are more properties, or deeper ones, than the limits."""
    counts = [
        len(inner["properties"]) for _, inner, _ in walk(schema) if isinstance(inner, dict) and "properties" in inner
    ]
    deep = max(level for _, _, level in walk(schema))
    if sum(counts) > properties or deep > depth:
        yield f"{sum(counts)} properties, {deep} deep"


def patterns(schema: Schema, *, lookaround: bool = True) -> Faults:
    """Yield the regular expressions that Python does not compile, or that look around where this is refused."""
    for at, inner, _ in walk(schema):
        named = inner.get("patternProperties", {}) if isinstance(inner, dict) else {}
        listed = [*([inner["pattern"]] if isinstance(inner, dict) and "pattern" in inner else ()), *named]
        for pattern in listed:
            if not lookaround and re.search(r"\(\?<?[=!]", pattern):
                yield f"{at}: looks around, {pattern}"
            try:
                re.compile(pattern)
            except re.error as error:
                yield f"{at}: {pattern}: {error}"


def refused_by_openai(schema: Schema) -> Faults:
    """Yield what fails the whole request at OpenAI's API, strict or not."""
    yield from (
        f"{at}: propertyNames" for at, inner, _ in walk(schema) if isinstance(inner, dict) and "propertyNames" in inner
    )
    yield from arrays_have_items(schema)
    yield from patterns(schema, lookaround=False)
    yield from _faults_of_json_schema(json.dumps(schema))


@cache
def _faults_of_json_schema(text: str) -> list[str]:
    """Return what JSON Schema itself has against a schema; many providers are sent the same one."""
    return [f"{error.json_path}: {error.message}" for error in META.iter_errors(json.loads(text))]


def openai_open(schema: Schema) -> Faults:
    yield from root_is_an_object(schema, "oneOf", "anyOf", "allOf", "enum", "const", "not")
    yield from refused_by_openai(schema)


def copilot(schema: Schema) -> Faults:
    yield from openai_open(schema)
    yield from property_names(schema, r"[A-Za-z0-9_.-]{1,64}")
    if "properties" not in schema:
        yield "root: no properties"


def groq(schema: Schema) -> Faults:
    yield from openai_open(schema)
    for at, inner, _ in walk(schema):
        if isinstance(inner, dict) and "required" in inner and "properties" not in inner:
            yield f"{at}: required without properties"


def vllm(schema: Schema) -> Faults:
    """Check what both engines of vLLM enforce alike, and what does not depend on the root of a schema."""
    yield from root_is_an_object(schema, "anyOf")
    yield from keywords(schema, VLLM)
    yield from formats(schema, VLLM_FORMATS)
    yield from references(schema)
    yield from arrays_have_items(schema)
    for at, inner, _ in walk(schema):
        if not isinstance(inner, dict):
            continue
        if inner.get("$ref") == "#":
            yield f"{at}: a reference to the root"
        pattern = inner.get("pattern", "^$")
        if not (pattern.startswith("^") and pattern.endswith("$")) or re.search(r"\(\?[^:]|\\[bBkpP1-9]", pattern):
            yield f"{at}: pattern {pattern}"
        yield from (
            f"{at}: required {name}" for name in inner.get("required", ()) if name not in inner.get("properties", {})
        )
        if "object" in types(inner) and "additionalProperties" not in inner and "properties" not in inner and at:
            yield f"{at}: an object that does not say that it is open"


def mistral(schema: Schema) -> Faults:
    yield from root_is_an_object(schema)
    for at, inner, _ in walk(schema):
        if isinstance(inner, dict):
            yield from (f"{at}: {keyword}" for keyword in ("$id", "$schema") if keyword in inner)


def openai_strict(schema: Schema) -> Faults:
    yield from openai_open(schema)
    yield from keywords(schema, OPENAI_STRICT)
    yield from formats(schema, OPENAI_FORMATS)
    yield from references(schema, alone=True)
    yield from closed(schema, all_required=True)
    yield from typed(schema)
    yield from arrays_have_items(schema)
    yield from values(schema, str, int, float, bool, type(None))
    yield from sizes(schema, 5000, 10)


def azure_strict(schema: Schema) -> Faults:
    yield from openai_strict(schema)
    yield from keywords(schema, AZURE_STRICT)
    yield from sizes(schema, 100, 5)


def deepseek_strict(schema: Schema) -> Faults:
    yield from openai_strict(schema)
    yield from keywords(schema, OPENAI_STRICT - {"minItems", "maxItems"} | {"$def"})
    yield from formats(schema, frozenset(["email", "hostname", "ipv4", "ipv6", "uuid"]))
    for at, inner, _ in walk(schema):
        if isinstance(inner, dict) and isinstance(inner.get("type"), list) and types(inner) & {"object", "array"}:
            yield f"{at}: {inner['type']}"


def claude_open(schema: Schema) -> Faults:
    yield from root_is_an_object(schema, "oneOf", "anyOf", "allOf")


def anthropic_open(schema: Schema) -> Faults:
    yield from claude_open(schema)
    yield from property_names(schema, r"[A-Za-z0-9_.-]{1,64}")


def claude_strict(schema: Schema) -> Faults:
    yield from claude_open(schema)
    yield from keywords(schema, CLAUDE_STRICT)
    yield from formats(schema, CLAUDE_FORMATS)
    yield from references(schema, alone=False, circles=False)
    yield from closed(schema, all_required=False)
    yield from typed(schema)
    yield from values(schema, str, int, float, bool, type(None))
    for at, inner, _ in walk(schema):
        if isinstance(inner, dict) and isinstance(inner.get("type"), list):
            yield f"{at}: a list of types"
        if isinstance(inner, dict) and inner.get("minItems", 0) > 1:
            yield f"{at}: minItems {inner['minItems']}"


def anthropic_strict(schema: Schema) -> Faults:
    yield from claude_strict(schema)
    yield from property_names(schema, r"[A-Za-z0-9_.-]{1,64}")


def gemini_json(schema: Schema) -> Faults:
    yield from keywords(schema, GEMINI_JSON)
    yield from references(schema)
    yield from required_circles(schema)
    yield from values(schema, str, int, float)
    for at, inner, _ in walk(schema):
        if isinstance(inner, dict) and "$ref" in inner and any(not keyword.startswith("$") for keyword in inner):
            yield f"{at}: $ref with {sorted(inner)}"


def gemini_openapi(schema: Schema) -> Faults:
    yield from keywords(schema, GEMINI_OPENAPI)
    yield from values(schema, str)
    yield from property_names(schema, r"[a-zA-Z_][a-zA-Z0-9_]{0,63}")
    for at, inner, _ in walk(schema):
        if at.endswith("/additionalProperties") and isinstance(inner, bool):
            continue
        if not isinstance(inner, dict):
            yield f"{at}: {inner}"
            continue
        kind = inner.get("type")
        if kind is not None and kind not in ("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"):
            yield f"{at}: type {kind}"
        if kind is None and "anyOf" not in inner:
            yield f"{at}: no type"
        if "format" in inner and inner["format"] not in GEMINI_FORMATS.get(str(kind), ()):
            yield f"{at}: format {inner['format']} of {kind}"
        if inner.get("format") == "enum" and not inner.get("enum"):
            yield f"{at}: format enum without values"
        if kind == "ARRAY" and "items" not in inner:
            yield f"{at}: no items"


def cohere_open(schema: Schema) -> Faults:
    yield from root_is_an_object(schema)
    yield from keywords(schema, COHERE)
    yield from formats(schema, frozenset(["date-time", "uuid", "date", "time"]))
    yield from references(schema)
    for at, inner, _ in walk(schema):
        if isinstance(inner, dict) and isinstance(inner.get("properties"), dict):
            yield from (f"{at}: required {n}" for n in inner.get("required", ()) if n not in inner["properties"])
            for name, sub in inner["properties"].items():
                while isinstance(sub, dict) and "$ref" in sub:
                    sub = schema["$defs"][sub["$ref"].removeprefix("#/$defs/")] if sub["$ref"] != "#" else schema
                if not isinstance(sub, dict) or sub.keys().isdisjoint(("type", "anyOf")):
                    yield f"{at}: the property {name} has no type"


def cohere_strict(schema: Schema) -> Faults:
    yield from cohere_open(schema)
    yield from keywords(schema, COHERE - {"uniqueItems"})
    if schema.get("properties") and not schema.get("required"):
        yield "optional parameters alone"
    for at, inner, _ in walk(schema):
        if isinstance(inner, dict) and re.search(r"\^|\$|\(\?", str(inner.get("pattern", ""))):
            yield f"{at}: pattern {inner['pattern']}"


def xai(schema: Schema) -> Faults:
    yield from root_is_an_object(schema)
    yield from keywords(schema, XAI)
    yield from references(schema, circles=False)
    for at, inner, _ in walk(schema):
        properties = inner.get("properties") if isinstance(inner, dict) else None
        if isinstance(properties, dict) and any(isinstance(inner_schema, bool) for inner_schema in properties.values()):
            yield f"{at}: a property that is a boolean"
        if isinstance(inner, dict) and (inner.get("enum") == [] or inner.get("anyOf") == []):
            yield f"{at}: empty"


PARAM = {
    "string": ({"type", "description", "enum"}, {"type", "description"}, str),
    "number": ({"type", "description", "enum"}, {"type", "description"}, (int, float)),
    "integer": ({"type", "description", "enum"}, {"type", "description"}, (int, float)),
    "boolean": ({"type", "description"}, {"type", "description"}, ()),
    "array": ({"type", "description", "items"}, {"type", "description", "items"}, ()),
    "object": ({"type", "description", "properties", "required"}, {"type", "description", "properties"}, ()),
}
"""Kagami's ToolParam by type: the allowed keywords, the required ones, and the types of its enum values."""


def kagami(schema: Schema) -> Faults:
    """Check ToolParam. The root object has no description in the document's own example."""
    yield from root_is_an_object(schema)
    waiting: list[tuple[str, Any]] = [("", {"description": "", **schema})]
    while waiting:
        at, inner = waiting.pop()
        kind = inner.get("type") if isinstance(inner, dict) else None
        if not isinstance(kind, str) or kind not in PARAM:
            yield f"{at}: {inner}"
            continue
        may, must, listed = PARAM[kind]
        yield from (f"{at}: {keyword}" for keyword in inner.keys() - may)
        yield from (f"{at}: no {keyword}" for keyword in must - inner.keys())
        if not isinstance(inner["description"], str):
            yield f"{at}: description"
        for value in inner.get("enum", ()):
            if isinstance(value, bool) or not isinstance(value, listed):
                yield f"{at}: {value!r}"
        waiting += [(f"{at}/{name}", inner_schema) for name, inner_schema in (inner.get("properties") or {}).items()]
        waiting += [(f"{at}/items", inner["items"])] if "items" in inner else []


def as_text(schema: Schema) -> Faults:
    """Accept any schema, because it is sent as text."""
    yield from ()


def object_at_the_root(schema: Schema) -> Faults:
    yield from root_is_an_object(schema)


def ollama(schema: Schema) -> Faults:
    yield from root_is_an_object(schema)
    yield from (f"root: {keyword}" for keyword in schema if keyword not in OLLAMA_ROOT)
    waiting = [(f"/{name}", inner) for name, inner in schema.get("properties", {}).items()]
    while waiting:
        at, inner = waiting.pop()
        if not isinstance(inner, dict):
            yield f"{at}: {inner}"
            continue
        yield from (f"{at}: {keyword}" for keyword in inner if keyword not in OLLAMA)
        waiting += [(f"{at}/{name}", inner_schema) for name, inner_schema in inner.get("properties", {}).items()]
        waiting += [(f"{at}/{i}", branch) for i, branch in enumerate(inner.get("anyOf", ()))]
    if '"$ref": "#' in repr(schema).replace("'", '"'):
        yield "a reference"


def draft_07(schema: Schema) -> Faults:
    """Check an object of draft-07. Unknown keywords have no effect there, except for `$defs` through pointers."""
    yield from root_is_an_object(schema)
    yield from keywords(schema, DRAFT_07)
    yield from references(schema, alone=True)
    yield from (f"{error.json_path}: {error.message}" for error in META_07.iter_errors(schema))


CHECKERS: dict[tuple[str, str], Callable[[Schema], Faults]] = {
    **{(name, "open"): openai_open for name in ("openai_chat", "openai_responses", "azure")},
    **{(name, "strict"): openai_strict for name in ("openai_chat", "openai_responses")},
    ("azure", "strict"): azure_strict,
    ("deepseek", "strict"): deepseek_strict,
    ("anthropic", "open"): anthropic_open,
    ("anthropic", "strict"): anthropic_strict,
    ("bedrock", "open"): anthropic_open,
    ("bedrock", "strict"): anthropic_strict,
    ("gemini", "open"): gemini_json,
    ("vertex", "open"): gemini_json,
    ("gemini", "openapi"): gemini_openapi,
    ("cohere", "open"): cohere_open,
    ("cohere", "strict"): cohere_strict,
    ("xai", "open"): xai,
    ("mistral", "open"): mistral,
    ("mcp", "open"): object_at_the_root,
    ("prompt", "open"): as_text,
    ("modular_prompt", "open"): object_at_the_root,
    ("copilot", "open"): copilot,
    ("groq", "open"): groq,
    ("vllm", "open"): vllm,
    ("vllm", "strict"): vllm,
    ("copilot_quorum", "open"): openai_open,
    ("ollama", "open"): ollama,
    ("kagami", "open"): kagami,
    ("agent_sdk", "open"): draft_07,
    ("agent_sdk", "strict"): openai_strict,
    ("openai_compatible", "open"): openai_open,
    ("openai_compatible", "strict"): openai_strict,
}
"""The checkers by provider and mode. A host that is not listed has those of the profile that it extends."""
for host in hosts_of("openai_compatible"):
    for mode in profile(host)["dialects"]:
        CHECKERS.setdefault((host, mode), CHECKERS["openai_compatible", mode])
