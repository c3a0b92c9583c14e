from __future__ import annotations

import time
from typing import Any

import pytest

from tests.support.sources import faults, linked, tool


def _with(ref: str, **more: Any) -> dict[str, Any]:
    return {
        "tools/a/probe.yaml": tool({"type": "object", "properties": {"p": {"$ref": ref}}, **more}),
        "types/place.yaml": {
            "type": "object",
            "properties": {"here": {"$ref": "#"}, "next": {"$ref": "#/$defs/a~1b%25"}},
            "$defs": {"a/b%": {"type": "string"}, "named": {"$anchor": "spot", "type": "integer"}},
        },
    }


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        ("../../types/place.yaml", "Place"),
        ("../../types/place.yaml#", "Place"),
        ("../../types/%70lace.yaml", "Place"),
        ("../../types/./place.yaml#/$defs/a~1b%25", "PlaceAB"),
        ("../../types/place.yaml#spot", "PlaceNamed"),
        ("../../types/place.yaml#/properties/next", "PlaceNext"),
    ],
)
def test_reaches_types_by_relative_path(ref: str, name: str) -> None:
    (probe,), types = linked(_with(ref))

    assert probe.parameters is not None
    assert probe.parameters["properties"]["p"] == {"$ref": f"#/$defs/{name}"}
    assert name in probe.shared
    assert name in {t.name for t in types}


@pytest.mark.parametrize(
    ("ref", "code"),
    [
        ("https://example.com/x.json", "reference-remote"),
        ("file:///etc/passwd", "reference-remote"),
        ("FILE:../x", "reference-remote"),
        ("urn:x", "reference-remote"),
        ("//host/share", "reference-remote"),
        ("C:/x.yaml", "reference-remote"),
        ("http://[", "reference-remote"),
        ("place.yaml?x=1", "reference-remote"),
        ("/etc/passwd", "reference-outside"),
        ("%2Fetc%2Fpasswd", "reference-outside"),
        ("~/x.yaml", "reference-outside"),
        ("..\\..\\x.yaml", "reference-outside"),
        ("../../../schemas/types/place.yaml", "reference-outside"),
        ("..%2f..%2f..%2fx", "reference-outside"),
        ("../../types/none.yaml", "reference-dangling"),
        ("../../types/place.yaml#/$defs/none", "reference-dangling"),
        ("../../types/place.yaml#none", "reference-dangling"),
        ("#/$defs/none", "reference-dangling"),
        ("#/properties/p/-", "reference-dangling"),
        ("#/type", "reference-no-schema"),
    ],
)
def test_refuses_what_leads_out_or_nowhere(ref: str, code: str) -> None:
    findings = faults(_with(ref))

    assert [f.code for f in findings] == [code]


def test_a_fault_is_at_the_reference() -> None:
    source = "name: a\nparameters:\n  properties:\n    p: {$ref: 'http://x/'}\n"

    (finding,) = faults({"tools/a.yaml": source})

    assert (finding.span.path, finding.span.line, finding.span.column) == ("schemas/tools/a.yaml", 4, 15)


def test_data_and_a_property_called_ref_are_no_references() -> None:
    schema = {
        "type": "object",
        "properties": {"$ref": {"type": "string"}, "p": {"default": {"$ref": "http://x"}}},
        "examples": [{"$ref": "http://x"}],
        "const": {"$ref": "http://x"},
        "enum": [{"$ref": "http://x"}],
    }

    (probe,), _ = linked(
        {"tools/a.yaml": tool({"properties": {"q": {"enum": [{"$ref": "x"}]}, **schema["properties"]}})}
    )

    assert probe.parameters is not None
    assert probe.parameters["properties"]["$ref"] == {"type": "string"}
    assert probe.parameters["properties"]["p"] == {"default": {"$ref": "http://x"}}


@pytest.mark.parametrize(
    "definitions",
    [
        {"a": {"$ref": "#/$defs/a"}},
        {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
        {"a": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/a"}]}},
        {"a": {"allOf": [{"not": {"$ref": "#/$defs/a"}}]}},
    ],
)
def test_circles_that_never_descend_are_errors(definitions: dict[str, Any]) -> None:
    findings = faults(_with("#/$defs/a", **{"$defs": definitions}))

    assert [f.code for f in findings] == ["reference-circle"]


def test_recursive_structures_link() -> None:
    node = {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/node"}, "top": {"$ref": "#"}},
    }

    (probe,), _ = linked(_with("#/$defs/node", **{"$defs": {"node": node}}))

    assert probe.parameters is not None
    assert probe.parameters["$defs"]["node"] == node


def test_embedded_identifiers_are_found_without_opening_anything() -> None:
    definitions = {"x": {"$id": "https://example.com/x", "type": "string", "$anchor": "y"}}

    for ref in ("https://example.com/x", "https://example.com/x#y"):
        (probe,), _ = linked(_with(ref, **{"$defs": definitions}))
        assert probe.parameters is not None
        assert probe.parameters["properties"]["p"] == {"$ref": "#/$defs/x"}
        assert probe.parameters["$defs"]["x"] == {"type": "string"}


@pytest.mark.parametrize("each", [1, 2])
def test_chains_and_shared_references_take_linear_time(each: int) -> None:
    count = 2000 if each == 1 else 200
    chain = {f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}] * each} for i in range(count)}
    chain[f"d{count}"] = {"type": "string"}
    start = time.monotonic()

    linked(_with("#/$defs/d0", **{"$defs": chain}))

    assert time.monotonic() - start < 8
