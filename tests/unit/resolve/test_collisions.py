from __future__ import annotations

import pytest

from tests.support.sources import faults, linked


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        ({"name": "a"}, {"name": "a"}, "tool-duplicate"),
        ({"name": "get_a"}, {"name": "getA"}, "tool-names-collide"),
        ({"name": "get_a"}, {"name": "get-a"}, "tool-names-collide"),
        ({"name": "_"}, {"name": "-"}, "tool-names-collide"),
        ({"name": "a"}, {"name": "b", "aliases": ["a"]}, "alias-collides"),
        ({"name": "a", "aliases": ["b"]}, {"name": "b"}, "alias-collides"),
        ({"name": "a", "aliases": ["c"]}, {"name": "b", "aliases": ["c"]}, "alias-collides"),
    ],
)
def test_two_tools_that_fall_together_are_both_named(first: dict, second: dict, code: str) -> None:
    (finding,) = faults({"tools/one.yaml": first, "tools/two.yaml": second})

    assert finding.code == code
    places = {finding.span.path} | {r.span.path for r in finding.related}
    assert places == {"schemas/tools/one.yaml", "schemas/tools/two.yaml"}


def test_types_that_fall_together_are_both_named() -> None:
    findings = faults({"tools/a.yaml": {"name": "a"}, "types/x/t.yaml": {}, "types/y/T.yaml": {}})

    assert [f.code for f in findings] == ["type-names-collide"]


@pytest.mark.parametrize("name", ["a\n", "", "a b", "ä", "../x", "a" * 65, 3, None])
def test_illegal_names_and_aliases(name: object) -> None:
    assert [f.code for f in faults({"tools/a.yaml": {"name": name}})] == ["name-illegal"]
    assert [f.code for f in faults({"tools/a.yaml": {"name": "a", "aliases": [name]}})] == ["alias-illegal"]


def test_defaults_of_a_declaration() -> None:
    (tool,), types = linked({"tools/a.yaml": {"name": "a"}})

    assert (tool.strict, tool.risk, tool.parameters, tool.aliases, types) == (
        "auto",
        "high",
        None,
        (),
        (),
    )
