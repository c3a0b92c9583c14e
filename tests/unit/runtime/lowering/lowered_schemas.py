"""Schemas lowered for each provider, and what tests ask of them."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator

from tests.support.dialects import CHECKERS
from tests.support.every_row import over
from tests.support.repository import profile
from toolgen_runtime.apis.gemini.fields import from_openapi
from toolgen_runtime.conversion.encoding import Encoding
from toolgen_runtime.lowering.dialects import Dialect
from toolgen_runtime.lowering.lower import lower
from toolgen_runtime.lowering.lowered_schema import LoweredSchema

DIALECTS = {(name, mode): Dialect(profile(name)["dialects"][mode]) for name, mode in CHECKERS}
STRICT, OPENAPI = ("openai_chat", "strict"), ("gemini", "openapi")
every_dialect = over("dialect", {"-".join(name): name for name in CHECKERS})

TEXT = {"type": "string"}
NODE = {"type": "object", "properties": {"v": TEXT, "next": {"$ref": "#/$defs/N"}}, "required": ["v"]}
"""What refers to itself, as the definition `N`."""


def of(inner: Any, *required: str, **more: Any) -> dict[str, Any]:
    """A closed object with one property, `a`."""
    return {
        "type": "object",
        "properties": {"a": inner},
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


def lowered(schema: Any, dialect: tuple[str, str], **more: Any) -> LoweredSchema:
    """A lowered schema, which the provider's documentation does not speak against."""
    lowering = lower(schema, Dialect({**DIALECTS[dialect].facts, **more}))
    if not more and not lowering.unsupported_changes:
        assert list(CHECKERS[dialect](lowering.schema)) == []
    return lowering


def sent(inner: Any, dialect: tuple[str, str], **more: Any) -> Any:
    """The property `a` of an object that requires it, as it is sent."""
    return lowered(of(inner, "a"), dialect, **more).schema["properties"]["a"]


def there_and_back(lowering: LoweredSchema, value: Any) -> tuple[Any, Any]:
    table = lowering.encoding_table
    spelled = value if table is None else Encoding(table).encode(value)
    return spelled, spelled if table is None else Encoding(table).decode(spelled)


def admits(lowering: LoweredSchema, value: Any, *, openapi: bool = False) -> bool:
    return bool(Draft202012Validator(from_openapi(lowering.schema) if openapi else lowering.schema).is_valid(value))
