"""Patterns in the engine that runs them: the linear-time one of pydantic (Rust's regex syntax)."""

from __future__ import annotations

from functools import lru_cache

from pydantic_core import SchemaError, SchemaValidator, ValidationError, core_schema


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> SchemaValidator | str:
    """The matcher of a pattern, or why there is none."""
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return next((line[7:] for line in lines if line.startswith("error: ")), lines[-1])


def matches(pattern: str, text: str) -> bool:
    """Whether a text matches; an unusable pattern, which has its own finding, matches all."""
    matcher = compiled(pattern)
    if isinstance(matcher, str):
        return True
    try:
        matcher.validate_python(text)
    except ValidationError:
        return False
    return True
