"""The JSON Schema Test Suite, lowered for every provider: what the source admits has a spelling that the wire's schema admits.

Each schema stands under a property, once as it is and once with names that some providers refuse, beside a property
whose name they refuse.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.support.budgets import budget
from tests.support.dialects import CHECKERS
from tests.support.every_row import over
from tests.support.schema_references import dangling
from tests.support.schema_suite import ROWS
from tests.support.schema_values import is_valid
from tests.unit.runtime.lowering.lowered_schemas import DIALECTS
from toolgen_runtime.apis.gemini.fields import from_openapi
from toolgen_runtime.conversion.encoding import Encoding
from toolgen_runtime.lowering import engine
from toolgen_runtime.lowering.lower import lower

_BY_PLACE = ('"$id"', '"$dynamic', "draft-07")
"""Schemas that mean something else at another place, or in another dialect, are not among them."""


def _renamed(value: Any) -> Any:
    """With another name for `foo`, as a property and as a value."""
    return json.loads(json.dumps(value).replace('"foo"', '"foo bar!"').replace("/foo", "/foo bar!"))


def _at_home(schema: Any) -> Any:
    """With references that lead to the place under the property `value`."""
    text = json.dumps(schema)
    return json.loads(re.sub(r'"\$ref": "#(/[^"]*)?"', lambda m: f'"$ref": "#/properties/value{m[1] or ""}"', text))


def _sources() -> Iterator[tuple[dict[str, Any], list[Any]]]:
    for row in ROWS:
        text = json.dumps(row["schema"])
        if any(word in text for word in _BY_PLACE):
            continue
        for change in (lambda value: value, _renamed) if _renamed(row) != row else (lambda value: value,):
            inner = _at_home(change(row["schema"]))
            if isinstance(inner, dict):
                inner.pop("$schema", None)
            source = {
                "type": "object",
                "properties": {"value": inner, "odd name!": {"type": "string"}},
                "required": ["value"],
            }
            judge = Draft202012Validator(source)
            values = [{"value": change(test["data"])} for test in row["tests"]]
            yield source, [value for value in values if is_valid(judge, value)]


SOURCES = list(_sources())
"""Each dialect has a third of them, unless the budget is large; each of them is lowered for a dozen dialects."""


def refused(dialect: tuple[str, str], first: int = 0, step: int = 1) -> list[str]:
    """What the source admits and the lowered schema refuses, where no loss says so; and references that lead nowhere."""
    faults: list[str] = []
    for source, values in SOURCES[first::step]:
        lowering = lower(source, DIALECTS[dialect])
        if lowering.unsupported_changes:
            continue
        if not dangling(source):
            faults += [f"{reference} leads nowhere: {lowering.schema}" for reference in dangling(lowering.schema)]
        if any(
            r.action == "narrowed" and (r.blocks_strict or r.what != "additional properties") for r in lowering.changes
        ):
            continue
        judge = Draft202012Validator(from_openapi(lowering.schema) if dialect[1] == "openapi" else lowering.schema)
        for value in values:
            spelled = Encoding(lowering.encoding_table).encode(value) if lowering.encoding_table else value
            if not is_valid(judge, spelled):
                faults.append(f"{spelled} is refused: {source['properties']['value']} became {lowering.schema}")
    return faults


@over("dialect", {"-".join(name): name for name in CHECKERS})
def test_what_the_source_admits_is_admitted(dialect: tuple[str, str]) -> None:
    assert len(SOURCES) > 400
    step = budget(3, 1)
    assert refused(dialect, [*CHECKERS].index(dialect) % step, step) == []


def test_rules_that_look_at_respelled_values_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_may_change_values", lambda run, spelling: False)
    assert refused(("anthropic", "open")) != []
