"""Schemas of shared types are written once in a module, and each tool refers to the one that it has."""

from __future__ import annotations

import json
from typing import Any

from toolgen.render.literals import laid_out_literal
from toolgen.render.shared_schemas import SharedSchemas

COUNTRY = {"type": "string", "pattern": "^[A-Z]{2}$"}
OTHER = {"type": "string", "description": "Matches ^[A-Z]{2}$"}


def tool(country: Any, own: Any = True) -> dict[str, Any]:
    return {"function": {"parameters": {"properties": {"a": {}}, "$defs": {"Country": country, "Own": own}}}}


def test_a_schema_as_it_is_declared_is_that_of_the_package() -> None:
    shared = SharedSchemas({"Country": COUNTRY})
    text = laid_out_literal(shared.refer([tool(COUNTRY)], {"Country"}))
    assert shared.uses_declared
    assert shared.schemas == {}
    assert eval(text, {"SCHEMAS": {"Country": COUNTRY}}) == [tool(COUNTRY)]


def test_other_forms_have_keys_of_their_own() -> None:
    shared = SharedSchemas({"Country": COUNTRY})
    tools = [tool(OTHER), tool(COUNTRY), tool({"type": "string"}), tool(OTHER)]
    text = laid_out_literal(shared.refer(tools, {"Country"}))
    assert shared.schemas == {"Country": OTHER, "Country 2": {"type": "string"}}
    names = {"SCHEMAS": {"Country": COUNTRY}, "_TYPES": shared.schemas}
    assert eval(text, names) == tools


def test_what_json_tells_apart_is_not_the_same_schema() -> None:
    shared = SharedSchemas({"Country": {"const": 1}})
    forms = [{"const": True}, {"const": 1.0}, {"const": 1}]
    shared.refer([tool(form) for form in forms], {"Country"})
    assert json.dumps(shared.schemas) == json.dumps({"Country": {"const": True}, "Country 2": {"const": 1.0}})
    assert shared.uses_declared


def test_definitions_of_a_tool_itself_stay_where_they_are() -> None:
    shared = SharedSchemas({"Country": COUNTRY})
    assert shared.refer(tool(COUNTRY, OTHER), ())["function"]["parameters"]["$defs"] == {
        "Country": COUNTRY,
        "Own": OTHER,
    }
    assert not shared.uses_declared
