"""Types as Python text. Those that need no thought are printed here; the model generator makes all others in one call."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from toolgen.render.literals import python_string
from toolgen.render.templates import TypeExpression
from toolgen.resolve.schema_locations import PREFIX

_SCALARS = {"boolean": "StrictBool", "integer": "Integer", "number": "Number", "string": "StrictStr"}


def type_expressions(type_schemas: Sequence[Any]) -> list[TypeExpression]:
    """Return the Python type of each type schema. Classes that type schemas refer to are printed by name."""
    keys = [json.dumps(type_schema, sort_keys=True) for type_schema in type_schemas]
    distinct = dict(zip(keys, type_schemas, strict=True))
    plain = {key: plain_type_expression(type_schema) for key, type_schema in distinct.items()}
    expressions = {key: expression for key, expression in plain.items() if expression is not None}
    complex_keys = [key for key in distinct if key not in expressions]
    if complex_keys:
        from toolgen.render.model_code import generated_type_expressions  # slow: it imports the model generator

        expressions |= zip(
            complex_keys, generated_type_expressions([distinct[key] for key in complex_keys]), strict=True
        )
    return [expressions[key] for key in keys]


def plain_type_expression(type_schema: Any) -> TypeExpression | None:
    """Return the type of any value, of a class, of a scalar, of one of some texts, or of a list of one of these.

    None for all other type schemas.
    """
    match type_schema:
        case {"$ref": name} if len(type_schema) == 1:
            return _named(name.removeprefix(PREFIX))
        case {"type": "array", "items": items} if len(type_schema) == 2:
            item = plain_type_expression(items)
            return None if item is None else TypeExpression(f"list[{item.text}]", item.names | {"list"})
        case {"type": "string", "enum": [_, *_] as values} if len(type_schema) == 2:
            return TypeExpression(f"Literal[{', '.join(map(python_string, values))}]", frozenset(["Literal"]))
        case {"type": kind} if len(type_schema) == 1 and kind in _SCALARS:
            return _named(_SCALARS[kind])
    return _named("Any") if type_schema == {} else None


def _named(name: str) -> TypeExpression:
    return TypeExpression(name, frozenset([name]))
