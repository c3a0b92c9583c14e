"""Types as text: plain ones as the model generator prints them too, and without it."""

from __future__ import annotations

import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.support.generated import write_project
from toolgen.render.model_code import generated_type_expressions
from toolgen.render.type_expressions import plain_type_expression, type_expressions

TYPES: list[Any] = [
    {},
    {"$ref": "#/$defs/Address"},
    *({"type": kind} for kind in ("boolean", "integer", "number", "string")),
    *({"type": "string", "enum": texts} for texts in (["a"], ["b", "a"], ["a", "a"], [""], ['"\n\u202e'])),
]
LISTS = [{"type": "array", "items": item} for item in TYPES]
PLAIN = [*TYPES, *LISTS, *({"type": "array", "items": item} for item in LISTS)]
OTHERS: list[Any] = [
    {"type": "string", "enum": []},
    {"type": "string", "minLength": 1},
    {"type": "string", "format": "date"},
    {"type": "integer", "enum": [1]},
    {"type": "object", "additionalProperties": {"type": "string"}},
    {"anyOf": [{"type": "string"}, {"type": "null"}]},
    {"type": "array", "items": {"type": "string"}, "minItems": 1},
    {"type": "array", "items": {"type": "string", "minLength": 1}},
]


@pytest.mark.parametrize("type_schema", PLAIN, ids=str)
def test_a_plain_type_is_printed_as_the_model_generator_prints_it(type_schema: Any) -> None:
    assert plain_type_expression(type_schema) == generated_type_expressions([type_schema])[0]


@pytest.mark.parametrize("type_schema", OTHERS, ids=str)
def test_other_types_are_left_to_the_model_generator(type_schema: Any) -> None:
    assert plain_type_expression(type_schema) is None


def test_the_model_generator_is_called_once_for_all_types_and_each_is_made_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[list[Any]] = []
    monkeypatch.setattr(
        "toolgen.render.model_code.generated_type_expressions",
        lambda schemas: calls.append(schemas) or generated_type_expressions(schemas),
    )
    both = list(chain.from_iterable(zip(PLAIN, OTHERS * 5, strict=False)))
    assert type_expressions(both) == [
        plain_type_expression(each) or generated_type_expressions([each])[0] for each in both
    ]
    assert calls == [OTHERS]


@pytest.mark.slow
def test_a_build_of_plain_types_does_not_import_the_model_generator(tmp_path: Path) -> None:
    properties = {"city": {"type": "string"}, "unit": {"enum": ["celsius", "fahrenheit"]}}
    tool = {"name": "get_weather", "description": "The weather.", "parameters": {"properties": properties}}
    schemas = write_project(tmp_path, [tool])
    build = f"import sys; from toolgen.cli import main; sys.argv = ['toolgen', 'build', {str(schemas)!r}, '-q']"
    checked = "try: main()\nexcept SystemExit as end: assert not end.code\nassert 'datamodel_code_generator' not in sys.modules"
    done = subprocess.run(
        [sys.executable, "-c", f"{build}\n{checked}"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
