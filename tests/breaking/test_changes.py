"""What a change of a declaration is called, whom it breaks, and the value that shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.budgets import budget
from tests.support.generated import shipped_profiles
from toolgen.breaking.comparison import Comparison, compare_with
from toolgen.breaking.schema_comparison import combine_effects, compare_schemas
from toolgen.breaking.schema_inclusion import Inclusion
from toolgen.breaking.schema_samples import Samples
from toolgen.diagnostics import Findings
from toolgen.resolve.value_checks import ValueValidator

H, M, C = "handlers", "model", "conversations"


def tool(**more: Any) -> dict[str, Any]:
    return {"name": "find", "description": "Find something by its name.", **more}


def with_property(schema: Any, **more: Any) -> dict[str, Any]:
    return tool(parameters={"type": "object", "properties": {"a": schema}, **more})


def write(folder: Path, tools: Any, config: Any = None) -> Path:
    (folder / "tools").mkdir(parents=True)
    for i, declaration in enumerate(tools if isinstance(tools, list) else [tools]):
        (folder / "tools" / f"t{i}.json").write_text(json.dumps(declaration))
    (folder / "toolgen.yaml").write_text(json.dumps({"providers": ["openai_chat"], **(config or {})}))
    return folder


def compared(tmp_path: Path, before: Any, after: Any, config: Any = None) -> tuple[Comparison, Findings]:
    findings = Findings()
    old, new = write(tmp_path / "old", before), write(tmp_path / "new", after, config)
    with shipped_profiles("openai_chat"):
        comparison = compare_with(new, findings, None, old)
    assert comparison is not None, [finding.message for finding in findings]
    return comparison, findings


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
NULLABLE = {"type": ["string", "null"]}
CENTS = {"type": "number", "multipleOf": 0.01}
TAGGED = [
    {"type": "object", "properties": {"kind": {"const": kind}, "x": NUMBER}, "required": ["kind"]} for kind in "ab"
]

KINDS = {"type": "object", "properties": {"kind": {"enum": ["a", "b"]}, "x": NUMBER}, "required": ["kind"]}

CASES: list[tuple[str, Any, Any, tuple[str, ...], Any]] = [
    ("tool-added", tool(), [tool(), tool(name="other")], (H,), None),
    ("tool-removed", [tool(), tool(name="other")], tool(), (H, M, C), None),
    ("tool-renamed", tool(), tool(name="search"), (H, M, C), None),
    ("tool-renamed", tool(), tool(name="search", aliases=["find"]), (H,), None),
    ("alias-removed", tool(aliases=["get"]), tool(), (M, C), None),
    ("alias-added", tool(), tool(aliases=["get"]), (), None),
    (
        "alias-moved",
        [tool(aliases=["get"]), tool(name="other")],
        [tool(), tool(name="other", aliases=["get"])],
        (M, C),
        None,
    ),
    ("description-changed", tool(), tool(description="Find it."), (), None),
    ("display-name-changed", tool(), tool(display_name="Find"), (), None),
    ("deprecated-set", tool(), tool(deprecated=True), (), None),
    ("deprecated-unset", tool(deprecated=True), tool(), (), None),
    ("risk-lowered", tool(), tool(risk="low"), (H, C), None),
    ("risk-raised", tool(risk="low"), tool(), (H,), None),
    ("hint-relaxed", tool(), tool(annotations={"readOnlyHint": True}), (M,), None),
    ("annotations-changed", tool(), tool(annotations={"openWorldHint": True}), (), None),
    ("examples-changed", tool(), tool(examples=[{}]), (), None),
    ("unsupported-added", tool(), tool(unsupported=["openai_chat"]), (H, M), None),
    ("unsupported-removed", tool(unsupported=["openai_chat"]), tool(), (), None),
    ("wire-name-changed", tool(), tool(providers={"openai_chat": {"name": "other"}}), (M, C), None),
    ("wire-description-changed", tool(), tool(providers={"openai_chat": {"description": "Other."}}), (), None),
    ("payload-changed", tool(), tool(description="Find it."), (), None),
    ("provider-patch-changed", tool(), tool(providers={"openai_chat": {"x": 1}}), (), None),
    (
        "strict-lost",
        with_property(TEXT, required=["a"], additionalProperties=False),
        with_property(TEXT, required=["a"], additionalProperties=False) | {"strict": "never"},
        (M,),
        None,
    ),
    ("portability-worse", with_property(TEXT), with_property(TEXT, oneOf=[{"required": ["a"]}, {}]), (M,), None),
    ("portability-better", with_property(TEXT, oneOf=[{"required": ["a"]}, {}]), with_property(TEXT), (), None),
    (
        "parameter-added",
        with_property(TEXT),
        with_property(TEXT) | {"parameters": {"type": "object", "properties": {"a": TEXT, "b": NUMBER}}},
        (),
        None,
    ),
    ("required-parameter-added", tool(), with_property(TEXT, required=["a"]), (M, C), {}),
    ("parameter-removed", with_property(TEXT), tool(parameters={"type": "object", "properties": {}}), (H,), None),
    (
        "parameter-removed",
        with_property(TEXT, additionalProperties=False),
        tool(parameters={"type": "object", "properties": {}, "additionalProperties": False}),
        (H, M, C),
        {"a": "a"},
    ),
    (
        "parameter-renamed",
        with_property(TEXT),
        tool(parameters={"type": "object", "properties": {"b": TEXT}}),
        (H, M, C),
        None,
    ),
    ("parameter-became-optional", with_property(TEXT, required=["a"]), with_property(TEXT), (H,), None),
    ("parameter-became-required", with_property(TEXT), with_property(TEXT, required=["a"]), (M, C), {}),
    ("type-widened", with_property(NUMBER), with_property({"type": "number"}), (H,), None),
    ("type-narrowed", with_property({"type": "number"}), with_property(NUMBER), (M, C), 0.5),
    ("type-changed", with_property(TEXT), with_property(NUMBER), (H, M, C), "a"),
    (
        "class-changed",
        with_property(KINDS),
        with_property({"oneOf": TAGGED}),
        (H,),
        None,
    ),
    ("enum-value-added", with_property({"enum": ["x"]}), with_property({"enum": ["x", "y"]}), (H,), None),
    ("enum-value-removed", with_property({"enum": ["x", "y"]}), with_property({"enum": ["x"]}), (M, C), "y"),
    ("enum-reordered", with_property({"enum": ["x", "y"]}), with_property({"enum": ["y", "x"]}), (), None),
    ("enum-set", with_property(TEXT), with_property({"type": "string", "enum": ["x"]}), (M, C), "a"),
    ("enum-unset", with_property({"type": "string", "enum": ["x"]}), with_property(TEXT), (H,), None),
    ("const-changed", with_property({"const": 1}), with_property({"const": 2}), (H, M, C), 1),
    ("null-admitted", with_property(TEXT, required=["a"]), with_property(NULLABLE, required=["a"]), (H,), None),
    ("null-refused", with_property(NULLABLE, required=["a"]), with_property(TEXT, required=["a"]), (M, C), None),
    ("null-admitted", with_property(TEXT), with_property(NULLABLE), (), None),
    ("null-refused", with_property(NULLABLE), with_property(TEXT), (), None),
    ("default-added", with_property(TEXT), with_property(TEXT | {"default": "x"}), (), None),
    ("default-removed", with_property(TEXT | {"default": "x"}), with_property(TEXT), (H,), None),
    ("default-changed", with_property(TEXT | {"default": "x"}), with_property(TEXT | {"default": "y"}), (), None),
    ("bound-tightened", with_property(NUMBER), with_property(NUMBER | {"maximum": 5}), (M, C), 7),
    ("bound-loosened", with_property(NUMBER | {"maximum": 5}), with_property(NUMBER), (), None),
    ("bound-tightened", with_property(NUMBER), with_property(NUMBER | {"multipleOf": 5}), (M, C), 1),
    (
        "bound-loosened",
        with_property(CENTS | {"multipleOf": 0.3}),
        with_property(CENTS | {"multipleOf": 0.1}),
        (),
        None,
    ),
    ("bound-tightened", with_property(CENTS), with_property(CENTS | {"multipleOf": 0.03}), (M, C), 1),
    ("pattern-set", with_property(TEXT), with_property(TEXT | {"pattern": "^b"}), (M, C), "a"),
    ("pattern-unset", with_property(TEXT | {"pattern": "^b"}), with_property(TEXT), (), None),
    ("pattern-changed", with_property(TEXT | {"pattern": "^a"}), with_property(TEXT | {"pattern": "^ab"}), (M, C), "a"),
    (
        "cannot-tell",
        with_property(TEXT | {"pattern": r"^\p{Lu}z"}),
        with_property(TEXT | {"pattern": r"^\p{Lt}z"}),
        (),
        None,
    ),
    ("format-changed", with_property(TEXT), with_property(TEXT | {"format": "date"}), (H, C), "a"),
    ("object-closed", with_property(TEXT), with_property(TEXT, additionalProperties=False), (M, C), {"other": "a"}),
    ("object-opened", with_property(TEXT, additionalProperties=False), with_property(TEXT), (), None),
    ("branch-added", with_property({"oneOf": TAGGED[:1]}), with_property({"oneOf": TAGGED}), (H,), None),
    ("branch-removed", with_property({"oneOf": TAGGED}), with_property({"oneOf": TAGGED[:1]}), (M, C), {"kind": "b"}),
    ("condition-changed", with_property(NUMBER), with_property(NUMBER | {"not": {"const": 7}}), (M, C), 7),
    ("result-set", tool(), tool(result=TEXT), (H,), None),
    ("result-unset", tool(result=TEXT), tool(), (H,), None),
    ("result-narrowed", tool(result={"type": "number"}), tool(result=NUMBER), (H, C), 0.5),
    ("result-widened", tool(result=NUMBER), tool(result={"type": "number"}), (), None),
    ("result-changed", tool(result=TEXT), tool(result=NUMBER), (H, C), "a"),
]


K_IS_X = {"properties": {"k": {"const": "x"}}, "required": ["k"]}
RULED = {"type": "object", "properties": {"a": TEXT, "b": NUMBER, "k": {"enum": ["x", "y"]}, "z": TEXT}}
ALL = {"a": "a", "b": 0, "k": "x", "z": "a"}
NEEDS_A, NEEDS_B, NEEDS_BOTH = ({"required": names} for names in (["a"], ["b"], ["a", "b"]))
WHEN_X, WHEN_B = {"if": K_IS_X, "then": NEEDS_A}, {"if": NEEDS_B, "then": NEEDS_A}
CONDITIONS: dict[str, tuple[Any, Any, Any]] = {
    "a part": ({"allOf": [WHEN_X]}, {"allOf": [WHEN_X, WHEN_B]}, {"b": 0}),
    "a condition": ({}, {"allOf": [WHEN_X]}, {"k": "x"}),
    "then of a part": (
        {"allOf": [WHEN_X, WHEN_B]},
        {"allOf": [{"if": K_IS_X, "then": NEEDS_BOTH}, WHEN_B]},
        {"k": "x", "a": "a"},
    ),
    "then": (WHEN_X, {"if": K_IS_X, "then": NEEDS_BOTH}, {"k": "x", "a": "a"}),
    "else": ({"if": K_IS_X, "else": NEEDS_A}, {"if": K_IS_X, "else": NEEDS_BOTH}, {"a": "a"}),
    "a new else": (WHEN_X, WHEN_X | {"else": NEEDS_B}, {}),
    "then of then": (
        {"if": K_IS_X, "then": WHEN_B},
        {"if": K_IS_X, "then": {"if": NEEDS_B, "then": {"required": ["a", "z"]}}},
        {"k": "x", "b": 0, "a": "a"},
    ),
    "a value in then": (
        {"if": K_IS_X, "then": {"properties": {"a": {"enum": ["q", "r"]}}}},
        {"if": K_IS_X, "then": {"properties": {"a": {"enum": ["q"]}}}},
        {"k": "x", "a": "r"},
    ),
    "not": ({"not": {"required": ["y", "z"]}}, {"not": {"required": ["z"]}}, ALL),
    "a new not": ({}, {"not": {"required": ["z"]}}, ALL),
    "dependent names": (
        {"dependentRequired": {"a": ["b"]}},
        {"dependentRequired": {"a": ["b", "k"]}},
        {"a": "a", "b": 0},
    ),
    "a dependent schema": (
        {"dependentSchemas": {"a": NEEDS_B}},
        {"dependentSchemas": {"a": {"required": ["b", "k"]}}},
        {"a": "a", "b": 0},
    ),
    "the names": ({"propertyNames": {"maxLength": 9}}, {"propertyNames": {"maxLength": 4}}, {"other": "a"}),
    "a union of a part": (
        {"allOf": [{"anyOf": [NEEDS_A, NEEDS_B]}, {"anyOf": [{"required": ["k"]}, NEEDS_A]}]},
        {"allOf": [{"anyOf": [NEEDS_A, NEEDS_B]}, {"required": ["k"]}]},
        {"a": "a"},
    ),
}


@pytest.mark.parametrize("case", CONDITIONS)
def test_a_rule_that_depends_on_other_values_is_narrower_one_way_and_wider_the_other(tmp_path: Path, case: str) -> None:
    before, after, witness = CONDITIONS[case]
    old, new = tool(parameters=RULED | before), tool(parameters=RULED | after)
    comparison, _ = compared(tmp_path / "forth", old, new)
    assert "cannot-tell" not in {change.code for change in comparison.changes}
    assert witness in [change.witness for change in comparison.changes]
    back, _ = compared(tmp_path / "back", new, old)
    assert {change.code for change in back.changes} & {"cannot-tell"} == set()
    assert "model" not in {audience for change in back.changes for audience in change.audiences}


def test_a_definition_behind_a_map_is_compared(tmp_path: Path) -> None:
    of_entries = {"type": "object", "additionalProperties": {"oneOf": [{"$ref": "#/$defs/D"}, {"enum": [1.5]}]}}
    old = tool(parameters=of_entries | {"$defs": {"D": {"type": "object", "additionalProperties": False}}})
    new = tool(parameters=of_entries | {"$defs": {"D": {"type": "object", "required": ["c"]}}})
    comparison, _ = compared(tmp_path, old, new)
    assert {"required-parameter-added", "object-opened"} <= {change.code for change in comparison.changes}


def test_the_order_of_conditions_and_items_of_contains_are_decided(tmp_path: Path) -> None:
    old, new = (tool(parameters=RULED | {"allOf": parts}) for parts in ([WHEN_X, WHEN_B], [WHEN_B, WHEN_X]))
    comparison, _ = compared(tmp_path / "order", old, new)
    assert [change.code for change in comparison.changes if change.code != "payload-changed"] == [
        "composition-rewritten"
    ]
    narrow, wide = ({"type": "array", "contains": {"enum": values}} for values in (["x"], ["x", "y"]))
    comparison, _ = compared(tmp_path / "wider", with_property(narrow), with_property(wide))
    assert [change.code for change in comparison.changes if change.audiences] == []
    comparison, _ = compared(
        tmp_path / "most", with_property(wide | {"maxContains": 1}), with_property(narrow | {"maxContains": 2})
    )
    assert "model" in {audience for change in comparison.changes for audience in change.audiences}


@pytest.mark.parametrize(("code", "before", "after", "audiences", "witness"), CASES)
def test_a_change_has_a_name_and_says_whom_it_breaks(
    tmp_path: Path, code: str, before: Any, after: Any, audiences: tuple[str, ...], witness: Any
) -> None:
    comparison, findings = compared(tmp_path, before, after)
    (change,) = [change for change in comparison.changes if change.code == code]
    assert change.audiences == audiences
    if witness is not None:
        assert change.witness == witness
    level = next(finding.level for finding in findings if finding.code == code)
    if code in ("tool-added", "cannot-tell"):
        assert level == "warning"
    else:
        assert level == ("error" if audiences else "note")


def numbered(number: int, declaration: dict[str, Any]) -> dict[str, Any]:
    """A declaration with names of its own."""
    aliases = [f"{alias}_{number}" for alias in declaration.get("aliases", ())]
    patches = {
        provider: {**patch, "name": f"{patch.get('name', 'wire')}_{number}"}
        for provider, patch in declaration.get("providers", {}).items()
    }
    return {**declaration, "name": f"{declaration['name']}_{number}", "aliases": aliases, "providers": patches}


def test_nothing_is_changed_against_itself(tmp_path: Path) -> None:
    afters = [after if isinstance(after, list) else [after] for _, _, after, _, _ in CASES]
    tools = [numbered(number, tool) for number, after in enumerate(afters) for tool in after]
    comparison, findings = compared(tmp_path, tools, tools)
    assert (comparison.changes, len(findings)) == ((), 0)


SHORT = {"$defs": {"X": {"type": "string", "maxLength": 3}}}
OF_TEXTS = {"type": "object", "additionalProperties": TEXT}

SAME = [
    (TEXT, {"type": ["string"]}),
    ({"const": 1}, {"enum": [1]}),
    ({"anyOf": [TEXT, {"type": "null"}]}, {"type": ["string", "null"]}),
    ({"allOf": [TEXT]}, TEXT),
    (TEXT | {"description": "x"}, TEXT | {"description": "y"}),
    ({"type": "object"}, {"type": "object", "properties": {}}),
    ({"type": "object"}, {"type": "object", "additionalProperties": True}),
    ({"$ref": "#/$defs/A", "$defs": {"A": TEXT}}, {"$ref": "#/$defs/B", "$defs": {"B": TEXT}}),
    (SHORT | {"allOf": [{"$ref": "#/$defs/X"}]}, SHORT | {"$ref": "#/$defs/X"}),
    (SHORT | {"properties": {"a": {"allOf": [{"$ref": "#/$defs/X"}]}}}, {"properties": {"a": SHORT["$defs"]["X"]}}),
    (SHORT | {"anyOf": [{"$ref": "#/$defs/X"}, {"type": "null"}]}, {"type": ["null", "string"], "maxLength": 3}),
    (SHORT | {"$ref": "#/$defs/X", "maxLength": 5}, SHORT | {"$ref": "#/$defs/X"}),
    ({"oneOf": [TEXT, NUMBER]}, {"type": ["string", "integer"]}),
    ({"anyOf": [TEXT | {"minLength": 2}, NUMBER]}, {"type": ["integer", "string"], "minLength": 2}),
    ({"anyOf": [{"const": "x"}, {"const": "y"}]}, {"enum": ["x", "y"]}),
    ({"oneOf": [{"const": "x", "title": "X"}, {"type": "null"}]}, {"enum": ["x", None]}),
    ({"type": "boolean"}, {"enum": [True, False]}),
    ({"enum": [1, 2]}, {"enum": [1.0, 2.0]}),
    ({"anyOf": TAGGED}, {"oneOf": TAGGED[::-1]}),
    (TEXT, TEXT | {"minLength": 0}),
    (NUMBER, NUMBER | {"multipleOf": 1}),
    (NUMBER, NUMBER | {"multipleOf": 0.1}),
    ({"anyOf": [CENTS, {"type": "number", "multipleOf": 0.1}]}, CENTS),
    (NUMBER | {"minimum": 1}, NUMBER | {"exclusiveMinimum": 0}),
    ({"enum": ["x", "y"]}, {"enum": ["x", "y"], "minLength": 1}),
    ({"type": "array"}, {"type": "array", "minItems": 0, "minLength": 4}),
    ({"type": "object", "required": ["a"]}, {"type": "object", "required": ["a"], "minProperties": 1}),
    (
        {"allOf": [{"properties": {"a": TEXT}}, {"properties": {"b": TEXT}, "required": ["b"]}], "type": "object"},
        {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "required": ["b"]},
    ),
    ({"type": "object", "additionalProperties": TEXT}, OF_TEXTS | {"properties": {"k": TEXT}}),
]


DESCRIBED = TEXT | {"description": "x", "title": "X", "default": "d"}
OUTER = {"description": "x", "title": "X", "default": "d"}


@pytest.mark.parametrize("target", [TEXT, TEXT | {"description": "T", "default": "t"}], ids=["bare", "described"])
@pytest.mark.parametrize(
    "way", [{"$ref": "#/$defs/T"}, {"allOf": [{"$ref": "#/$defs/T"}]}, {"anyOf": [{"$ref": "#/$defs/T"}]}], ids=str
)
def test_words_beside_a_new_reference_are_those_of_the_property(target: Any, way: Any) -> None:
    def described(inner: Any) -> Any:
        return {"type": "object", "properties": {"a": inner}, "$defs": {"T": target}}

    inline, referring = described(DESCRIBED), described(way | OUTER)
    assert compare_schemas(inline, referring) == compare_schemas(referring, inline) == []
    assert (
        compare_schemas(described(target), described(way)) == compare_schemas(described(way), described(target)) == []
    )
    (changed,) = compare_schemas(inline, described(way | OUTER | {"description": "y"}))
    assert (changed.code, changed.pointer) == ("description-changed", ("properties", "a", "description"))
    assert (changed.before, changed.after) == ("x", "y")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"type": "number", "minimum": 1}, {"type": "number", "exclusiveMinimum": 0}),
        ({"oneOf": [NUMBER, {"type": "number"}]}, {"type": "number"}),
        ({"type": "object", "properties": {"a": TEXT}, "unevaluatedProperties": False}, {"type": "object"}),
        (SHORT | {"$ref": "#/$defs/X"}, {"$defs": {"X": TEXT}, "$ref": "#/$defs/X"}),
        (OF_TEXTS | {"patternProperties": {"^x": NUMBER}}, OF_TEXTS),
        ({"allOf": [OF_TEXTS, {"properties": {"a": NUMBER}}]}, OF_TEXTS | {"properties": {"a": NUMBER}}),
        ({"anyOf": [{"type": "object", "anyOf": [TEXT]}, {"type": "null"}]}, {"type": ["object", "null"]}),
        (TEXT, {"enum": ["x"]}),
    ],
)
def test_values_that_differ_are_never_proved_equal(before: Any, after: Any) -> None:
    assert combine_effects(compare_schemas(before, after)) is not None
    assert combine_effects(compare_schemas(after, before)) is not None


LIMITED = {"type": "string", "maxLength": 3, "description": "A text."}
INNER = {"type": "object", "properties": {"k": LIMITED}}


@pytest.mark.parametrize(
    "keywords",
    [
        {"properties": {"a": {"allOf": [INNER]}}},
        {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": INNER}},
        {"allOf": [{"properties": {"a": INNER}}]},
        {"properties": {"a": {"allOf": [{"$ref": "#/$defs/A"}]}}, "$defs": {"A": INNER}},
    ],
)
def test_a_schema_that_moves_without_a_change_of_values_is_not_less_portable(tmp_path: Path, keywords: Any) -> None:
    plain = tool(parameters={"type": "object", "properties": {"a": INNER}})
    moved = tool(parameters={"type": "object", **keywords})

    for name, before, after in (("there", plain, moved), ("back", moved, plain)):
        (tmp_path / name).mkdir()
        comparison, _ = compared(tmp_path / name, before, after)
        assert {change.code for change in comparison.changes} <= {"payload-changed", "composition-rewritten"}


def test_a_change_of_a_result_names_the_place_that_its_witness_is_of(tmp_path: Path) -> None:
    def with_results(**properties: Any) -> dict[str, Any]:
        return tool(result={"type": "object", "properties": properties})

    comparison, findings = compared(
        tmp_path, with_results(a=LIMITED, b=TEXT), with_results(a=TEXT, b={"type": "string", "maxLength": 0})
    )
    (change,) = (change for change in comparison.changes if change.code == "result-changed")
    assert (change.where, change.witness) == ("result /properties/b/maxLength", "a")
    assert "find result /properties/b/maxLength: the accepted values changed" in [f.message for f in findings]


def test_another_value_that_loses_the_same_rule_is_less_portable(tmp_path: Path) -> None:
    comparison, _ = compared(
        tmp_path,
        tool(parameters={"type": "object", "properties": {"a": LIMITED, "b": TEXT}}),
        tool(parameters={"type": "object", "properties": {"a": LIMITED, "b": LIMITED}}),
    )
    worse = [change.after for change in comparison.changes if change.code == "portability-worse"]
    assert set(worse) == {"maxLength at /properties/b"}


def worse_at(tmp_path: Path, before: Any, after: Any) -> set[str]:
    """What openai_chat loses of the second parameters, and did not of the first."""
    comparison, _ = compared(tmp_path, tool(parameters=before), tool(parameters=after))
    return {str(change.after) for change in comparison.changes if change.code == "portability-worse"}


ONE_LIMITED = {"type": "object", "properties": {"k": LIMITED}, "required": ["k"]}
INNER_AND_OUTER = {
    "Outer": {"type": "object", "properties": {"inner": {"$ref": "#/$defs/Inner"}}},
    "Inner": ONE_LIMITED,
}


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        pytest.param({"a": TEXT}, {"a": TEXT, "b": {"$ref": "#/$defs/Inner"}}, set(), id="a new parameter"),
        pytest.param({"a": TEXT}, {"a": TEXT, "b": {"$ref": "#/$defs/Outer"}}, set(), id="deep in a new parameter"),
        pytest.param(
            {"a": {"anyOf": [TEXT, NUMBER]}}, {"a": {"anyOf": [TEXT, {"$ref": "#/$defs/Inner"}]}}, set(), id="a branch"
        ),
        pytest.param(
            {"a": {"type": "object", "properties": {"k": TEXT}}},
            {"a": {"$ref": "#/$defs/Inner"}},
            {"maxLength at /$defs/Inner/properties/k"},
            id="a parameter that was there",
        ),
        pytest.param(
            {"a": {"type": "string", "minLength": 4}},
            {"a": {"type": "string", "not": {"maxLength": 3}}},
            set(),
            id="another spelling",
        ),
        pytest.param(
            {"a": {"anyOf": [TEXT, NUMBER]}},
            {"a": {"anyOf": [TEXT, LIMITED, NUMBER]}},
            set(),
            id="what another branch admits",
        ),
    ],
)
def test_a_wire_is_worse_for_values_that_were_there_alone(
    tmp_path: Path, before: Any, after: Any, lost: set[str]
) -> None:
    parameters = [
        {"type": "object", "properties": properties, "$defs": INNER_AND_OUTER} for properties in (before, after)
    ]
    del parameters[0]["$defs"]
    assert worse_at(tmp_path, *parameters) == lost


def with_result(**more: Any) -> dict[str, Any]:
    return tool(result={"type": "object", "properties": {"a": TEXT}, **more})


IDS = {"type": "object", "properties": {"id": NUMBER}}


@pytest.mark.parametrize(
    ("before", "after", "code", "audiences", "witness"),
    [
        (with_result(), with_result(required=["c"]), "result-narrowed", (H, C), {}),
        (with_property(TEXT), with_property(TEXT, required=["c"]), "required-parameter-added", (M, C), {}),
        (with_property(IDS), with_property(IDS | {"required": ["c"]}), "required-parameter-added", (M, C), {}),
        (with_property(TEXT), with_property(TEXT, allOf=[{"required": ["z"]}]), "required-parameter-added", (M, C), {}),
        (
            with_property(OF_TEXTS),
            with_property(OF_TEXTS | {"required": ["k"]}),
            "required-parameter-added",
            (M, C),
            {},
        ),
        (with_property(OF_TEXTS), with_property(OF_TEXTS | IDS), "type-changed", (H, M, C), "a"),
        (
            with_property({"type": "object", "patternProperties": {"^i": TEXT}}),
            with_property({"type": "object", "patternProperties": {"^i": TEXT}, "properties": {"id": NUMBER}}),
            "type-changed",
            (H, M, C),
            "a",
        ),
        (
            with_property(OF_TEXTS, required=["c"]),
            tool(parameters={"type": "object", "properties": {"a": OF_TEXTS, "c": TEXT}, "required": ["c"]}),
            "type-narrowed",
            (M, C),
            None,
        ),
        (with_property(OF_TEXTS | IDS), with_property(OF_TEXTS), "parameter-removed", (H, M, C), {"id": 0}),
        (
            with_property(IDS | {"unevaluatedProperties": False}),
            with_property({"type": "object", "properties": {}, "unevaluatedProperties": False}),
            "parameter-removed",
            (H, M, C),
            {"id": 0},
        ),
        (with_property(TEXT, additionalProperties=TEXT), tool(parameters=OF_TEXTS), "parameter-removed", (H,), None),
        (
            with_property({"allOf": [{"$ref": "#/$defs/X"}]}, **SHORT),
            with_property({"allOf": [{"$ref": "#/$defs/X"}]}, **{"$defs": {"X": TEXT | {"maxLength": 2}}}),
            "bound-tightened",
            (M, C),
            "abc",
        ),
        (
            with_property({"$ref": "#/$defs/X", "maxLength": 9}, **SHORT),
            with_property({"$ref": "#/$defs/X", "maxLength": 9}, **{"$defs": {"X": TEXT | {"maxLength": 2}}}),
            "bound-tightened",
            (M, C),
            "abc",
        ),
        (
            with_property({"$ref": "#/$defs/X", "default": "x"}, **SHORT),
            with_property({"$ref": "#/$defs/X"}, **SHORT),
            "default-removed",
            (H,),
            None,
        ),
    ],
)
def test_names_that_are_not_declared_and_schemas_behind_references_have_values_too(
    tmp_path: Path, before: Any, after: Any, code: str, audiences: tuple[str, ...], witness: Any
) -> None:
    comparison, _ = compared(tmp_path, before, after)
    (change,) = [change for change in comparison.changes if change.code == code]
    assert change.audiences == audiences
    if witness is not None:
        assert change.witness == witness


@pytest.mark.parametrize(("before", "after"), SAME)
def test_other_words_for_the_same_values_are_no_change_of_values(before: Any, after: Any) -> None:
    assert combine_effects(compare_schemas(before, after)) is None
    assert combine_effects(compare_schemas(after, before)) is None


def test_a_schema_that_extends_itself_and_one_that_a_condition_refers_to() -> None:
    def node(text: Any) -> Any:
        child = {"allOf": [{"$ref": "#/$defs/Node"}, {"minProperties": 1}]}
        inner = {"type": "object", "properties": {"text": text, "child": child}}
        return {"$ref": "#/$defs/Node", "$defs": {"Node": inner}}

    assert "type-changed" in {each.code for each in compare_schemas(node(NUMBER), node(TEXT))}
    unless = {"not": {"$ref": "#/$defs/X"}}
    changed = unless | {"$defs": {"X": TEXT | {"maxLength": 9}}}
    assert combine_effects(compare_schemas(unless | SHORT, changed)) == "narrower"


def test_recursive_schemas_are_compared_once() -> None:
    def node(value: Any) -> Any:
        inner = {"type": "object", "properties": {"value": value, "next": {"$ref": "#/$defs/Node"}}}
        return {"$ref": "#/$defs/Node", "$defs": {"Node": inner}}

    (difference,) = compare_schemas(node(NUMBER), node(TEXT))
    assert (difference.code, difference.pointer) == ("type-changed", ("$defs", "Node", "properties", "value", "type"))


def test_a_shared_type_is_one_change_however_many_tools_it_reaches(tmp_path: Path) -> None:
    def project(folder: Path, kind: str) -> Path:
        tools = [
            tool(name=name, parameters={"type": "object", "properties": {"at": {"$ref": "../types/place.json"}}})
            for name in ("one", "two", "three")
        ]
        write(folder, tools)
        (folder / "types").mkdir()
        place = {"type": "object", "properties": {"lat": {"type": kind}}}
        (folder / "types" / "place.json").write_text(json.dumps(place))
        return folder

    findings = Findings()
    with shipped_profiles("openai_chat"):
        comparison = compare_with(
            project(tmp_path / "new", "integer"), findings, None, project(tmp_path / "old", "number")
        )
    assert comparison is not None
    (change,) = [change for change in comparison.changes if change.code == "type-narrowed"]
    assert change.tools == ("one", "three", "two")
    assert change.span.path.endswith("types/place.json")


def test_levels_are_those_of_the_configuration(tmp_path: Path) -> None:
    before, after = with_property({"enum": ["x", "y"]}), with_property({"enum": ["x"]})
    levels = {"enum-value-removed": "warning", "payload-changed": "off"}
    _, findings = compared(tmp_path, before, after, {"breaking": levels})
    assert [(finding.code, finding.level) for finding in findings] == [("enum-value-removed", "warning")]
    _, findings = compared(tmp_path / "by", before, after, {"breaking": {"model": "note", "conversations": "warning"}})
    assert ("enum-value-removed", "warning") in [(finding.code, finding.level) for finding in findings]


def null_is_omitted(differences: Any) -> bool:
    """Whether null stands for the absence of a value, as the reader reads it, and is refused."""
    return any(each.code == "null-refused" and each.effect == "note" for each in differences)


@pytest.mark.parametrize("seed", range(budget(12, 40)))
def test_what_is_called_wider_refuses_nothing_and_what_is_called_narrower_has_a_witness(seed: int) -> None:
    """Random pairs of schemas, judged by the values of both sides."""
    import random

    from toolgen.breaking.schema_comparison import ABSENT
    from toolgen.resolve.value_checks import ValueValidator

    rng = random.Random(seed)

    def schema(depth: int = 2) -> Any:
        kind = rng.choice(["string", "integer", "number", "boolean", "object", "array", "enum", "null"])
        if kind == "enum":
            return {"enum": rng.sample(["a", "b", 1, 2, None, True], rng.randint(1, 4))}
        if kind == "object" and depth:
            names = rng.sample("abc", rng.randint(0, 3))
            schema_of_object = {"type": "object", "properties": {name: schema(depth - 1) for name in names}}
            schema_of_object["required"] = [name for name in names if rng.random() < 0.4]
            return schema_of_object | ({"additionalProperties": False} if rng.random() < 0.5 else {})
        if kind == "array" and depth:
            return {"type": "array", "items": schema(depth - 1)} | rng.choice([{}, {"minItems": 1}, {"maxItems": 2}])
        if kind in ("integer", "number"):
            return {"type": kind} | rng.choice([{}, {"minimum": 0}, {"maximum": 10}, {"multipleOf": 2}])
        if kind == "string":
            return {"type": "string"} | rng.choice([{}, {"minLength": 2}, {"maxLength": 3}])
        return {"type": kind if kind in ("boolean", "null") else ["string", "null"]}

    for _ in range(25):
        old = schema()
        new = schema() if rng.random() < 0.3 else json.loads(json.dumps(old))
        if new == old and isinstance(new.get("properties"), dict) and new["properties"]:
            name = rng.choice(list(new["properties"]))
            new["properties"][name] = schema(1)
        differences = compare_schemas(old, new)
        relation = combine_effects(differences)
        before, after = ValueValidator(old), ValueValidator(new)
        declared = set(old.get("properties", {}))
        lost = [
            value
            for value in Samples(old).of(old)
            if before.admits(value)
            and not after.admits(value)
            and not (isinstance(value, dict) and set(value) - declared)
            and not (null_is_omitted(differences) and "null" in json.dumps(value))
        ]
        if relation in (None, "wider"):
            assert lost == [], (old, new)
        for difference in differences:
            if (
                difference.witness is not ABSENT
                and difference.pointer[:1] != ("properties",)
                and len(difference.pointer) == 1
            ):
                assert before.admits(difference.witness)
                assert not after.admits(difference.witness)


@pytest.mark.parametrize(
    ("code", "before", "after", "audiences"),
    [
        ("limit-changed", {}, {"limits": {"openai_chat": {"tools": 200}}}, ()),
        ("limit-changed", {"budgets": {"openai_chat": {"bytes": 1}}}, {}, ()),
        ("limit-changed", {}, {"recursion_depth": 5}, ()),
        ("out-moved", {}, {"out": "app"}, (H,)),
    ],
)
def test_settings_that_changed(tmp_path: Path, code: str, before: Any, after: Any, audiences: Any) -> None:
    comparison, _ = between(tmp_path, write(tmp_path / "old", tool(), before), write(tmp_path / "new", tool(), after))
    assert [(change.code, change.audiences) for change in comparison.changes] == [(code, audiences)]


def between(tmp_path: Path, old: Path, new: Path, provider: str = "openai_chat") -> tuple[Comparison, Findings]:
    findings = Findings()
    with shipped_profiles(provider):
        comparison = compare_with(new, findings, None, old)
    assert comparison is not None, [finding.message for finding in findings]
    return comparison, findings


def test_a_default_of_a_wire(tmp_path: Path) -> None:
    config = {"providers": ["anthropic"]}
    old = write(tmp_path / "old", tool(), config)
    new = write(tmp_path / "new", tool(), {**config, "defaults": {"anthropic": {"max_tokens": 9}}})
    comparison, findings = between(tmp_path, old, new, "anthropic")
    assert [(c.code, c.where, c.after) for c in comparison.changes] == [
        ("wire-default-changed", "anthropic max_tokens", 9)
    ]
    assert [(f.span.path.rsplit("/", 1)[-1], f.level) for f in findings] == [("toolgen.yaml", "note")]


def test_a_fact_of_a_provider_and_another_spelling_of_the_same_values(tmp_path: Path) -> None:
    labels = {
        "type": "object",
        "properties": {"a": {"type": "object", "additionalProperties": TEXT}},
        "required": ["a"],
        "additionalProperties": False,
    }
    folders = [write(tmp_path / side, tool(parameters=labels)) for side in ("old", "new")]
    (folders[1] / "providers").mkdir()
    (folders[1] / "providers" / "openai_chat.yaml").write_text(
        "extends: openai_chat\ndialects: {strict: {maps: pairs}}\n"
    )
    comparison, findings = between(tmp_path, *folders)
    codes = {change.code: change for change in comparison.changes}
    assert {"profile-changed", "spelling-changed", "strict-gained", "payload-changed"} <= codes.keys()
    assert codes["spelling-changed"].audiences == (C,)
    assert codes["profile-changed"].where == "openai_chat dialects"
    places = {f.code: f.span.path.rsplit("/", 2)[-2:] for f in findings}
    assert places["profile-changed"] == ["providers", "openai_chat.yaml"]


@pytest.mark.slow
def test_fields_of_the_format(tmp_path: Path) -> None:
    def project(name: str, fields: Any) -> Path:
        folder = write(tmp_path / name, tool(), {"runtime": "copied"})
        if fields:
            (folder / "format").mkdir()
            (folder / "format" / "own.json").write_text(json.dumps({"$defs": {"ToolCall": {"properties": fields}}}))
        return folder

    shop = {"description": "The shop that a call is for."}
    as_text, as_integer = {"shop": {"type": "string", **shop}}, {"shop": {"type": "integer", **shop}}
    cases = (
        ({}, as_text, "format-field-added", ()),
        (as_text, {}, "format-field-removed", (H,)),
        (as_text, as_integer, "format-field-changed", (H, C)),
    )
    for i, (before, after, code, audiences) in enumerate(cases):
        comparison, _ = between(tmp_path, project(f"old{i}", before), project(f"new{i}", after))
        assert [(c.code, c.where, c.audiences) for c in comparison.changes] == [(code, "ToolCall.shop", audiences)]


def test_a_type_that_has_another_name_in_the_package(tmp_path: Path) -> None:
    def project(name: str, file: str) -> Path:
        folder = write(tmp_path / name, with_property({"$ref": f"../types/{file}.json"}))
        (folder / "types").mkdir()
        (folder / "types" / f"{file}.json").write_text(json.dumps({"type": "object", "properties": {"lat": NUMBER}}))
        return folder

    comparison, _ = between(tmp_path, project("old", "place"), project("new", "point"))
    names = [(c.where, c.audiences) for c in comparison.changes if c.code == "public-name-removed"]
    assert names == [("types.py Place", (H,))]
    gone, _ = compared(tmp_path / "gone", [tool(), tool(name="other")], tool())
    assert [change.code for change in gone.changes if change.code == "public-name-removed"] == []


def test_the_same_values_in_other_words(tmp_path: Path) -> None:
    comparison, _ = compared(tmp_path, with_property({"const": 1}), with_property({"enum": [1]}))
    assert [c.code for c in comparison.changes if c.code != "payload-changed"] == ["composition-rewritten"]
    same, _ = compared(
        tmp_path / "b",
        with_property(TEXT, required=["a"], title="A"),
        with_property(TEXT, required=["a"], title="B"),
    )
    assert "composition-rewritten" not in {c.code for c in same.changes}


PATTERNS = [{"type": "string", "pattern": "^q"}, {"type": "string", "pattern": "q$"}]
CASES_OF_LETTERS = [{"type": "string", "pattern": r"^\p{Lu}"}, {"type": "string", "pattern": r"\p{Lt}$"}]


@pytest.mark.parametrize(
    ("before", "after", "code", "witness"),
    [
        ({"oneOf": [TEXT, NUMBER]}, {"oneOf": [TEXT, NUMBER, {"type": "number"}]}, "branches-overlap", True),
        ({"oneOf": [TEXT, NUMBER]}, {"oneOf": [TEXT, NUMBER, {"type": "boolean"}]}, None, False),
        ({"anyOf": [NUMBER, {"type": "number"}]}, {"oneOf": [NUMBER, {"type": "number"}]}, "branches-overlap", True),
        ({"anyOf": TAGGED}, {"oneOf": TAGGED}, None, False),
        ({"anyOf": CASES_OF_LETTERS}, {"oneOf": CASES_OF_LETTERS}, "cannot-tell", False),
    ],
)
def test_alternatives_of_which_one_value_fits_two(
    tmp_path: Path, before: Any, after: Any, code: Any, witness: bool
) -> None:
    comparison, _ = compared(tmp_path, with_property(before), with_property(after))
    overlaps = [c for c in comparison.changes if c.code in ("branches-overlap", "cannot-tell")]
    assert [c.code for c in overlaps] == ([code] if code else [])
    if witness:
        assert (overlaps[0].audiences, isinstance(overlaps[0].witness, int)) == ((M, C), True)


NESTED = {"type": "object", "oneOf": [{"properties": {"x": TEXT}, "additionalProperties": False}, {"minProperties": 9}]}
NAMED = {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}, TEXT]}


def test_a_branch_is_the_same_if_it_refers_to_the_same_definition(tmp_path: Path) -> None:
    more = json.loads(json.dumps(NESTED).replace('"x"', '"y": {}, "x"'))
    before, after = (
        tool(parameters={"type": "object", "properties": {"a": NAMED}, "$defs": {"A": inner, "B": inner}})
        for inner in (NESTED, more)
    )
    comparison, _ = compared(tmp_path, before, after)
    assert not [c.code for c in comparison.changes if c.code in ("branch-removed", "branch-added", "cannot-tell")]


@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [
        (TEXT, NUMBER, ["type-changed"]),
        (TEXT, TEXT | {"enum": ["a", "b"]}, ["enum-set"]),
        ({"type": "object"}, {"type": "object", "properties": {"x": TEXT}}, ["parameter-added"]),
    ],
)
def test_properties_of_a_pattern_are_compared(tmp_path: Path, before: Any, after: Any, codes: list[str]) -> None:
    old, new = (with_property({"type": "object", "patternProperties": {"^x": inner}}) for inner in (before, after))
    comparison, _ = compared(tmp_path, old, new)
    assert [c.code for c in comparison.changes if c.code != "payload-changed"] == codes


def test_providers_that_come_and_go_and_a_file_that_moves(tmp_path: Path) -> None:
    old = write(tmp_path / "old", tool())
    new = write(tmp_path / "new", tool(), {"providers": ["openai_chat", "anthropic"]})
    (new / "tools" / "t0.json").rename(new / "tools" / "moved.json")
    with shipped_profiles("openai_chat", "anthropic"):
        forth = compare_with(new, Findings(), None, old)
        back = compare_with(old, Findings(), None, new)
    assert forth is not None
    assert back is not None
    assert {(c.code, c.audiences) for c in forth.changes} == {("provider-added", ()), ("tool-moved", ())}
    assert {(c.code, c.audiences) for c in back.changes} == {("provider-removed", (H, M, C)), ("tool-moved", ())}


ONE_EDITION = ("edition-changed",)
"""There is one edition so far, so that no two sources differ in it; `against-unreadable` is tested with revisions."""


def test_every_code_of_a_change_is_reported_by_a_test() -> None:
    from toolgen.diagnostics.codes import CHANGES

    text = "".join(file.read_text("utf-8") for file in Path(__file__).parent.glob("test_*.py"))
    untested = {code for code in CHANGES if f'"{code}"' not in text and f"[{code}]" not in text}
    assert untested <= set(ONE_EDITION)


def test_the_payload_report_has_bytes_tokens_and_what_a_prompt_cache_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolgen.token_counts import Tokenizer

    words = Tokenizer("words", lambda text: len(text.split(" ")))
    monkeypatch.setattr("toolgen.breaking.changes.installed_tokenizer", lambda: words)
    tools = [tool() | {"name": name} for name in ("first", "second", "third")]
    changed = [tools[0], tools[1] | {"description": "Some other words."}, tools[2]]
    _, findings = compared(tmp_path, tools, changed)
    (message,) = [finding.message for finding in findings if finding.code == "payload-changed"]
    pattern = (
        r"the payload of openai_chat changed: second \(\d+ bytes before, \d+ now \(\d+ and \d+ tokens of words\), "
        r"the first 5\d % of the old payload is unchanged\)"
    )
    assert re.fullmatch(pattern, message), message


@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [
        ({"type": "string"}, {"oneOf": [{"type": "string"}, {"type": "object"}]}, ["type-widened"]),
        ({"type": "string"}, {"anyOf": [{"type": "array"}, {"type": "string"}]}, ["type-widened"]),
        (
            {"type": "string"},
            {"anyOf": [{"type": "string", "minLength": 2}, {"type": "object"}]},
            ["bound-tightened", "branch-added"],
        ),
        ({"anyOf": [{"type": "string"}, {"type": "object"}]}, {"type": "string"}, ["type-narrowed"]),
        ({"type": "string"}, {"anyOf": [{"type": "string"}, {"type": "null"}]}, ["null-admitted"]),
        (
            {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"a": {"type": "string"}}}]},
            {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"a": {"type": "string"}, "b": {}}}]},
            [],
        ),
    ],
)
def test_a_schema_that_becomes_a_branch_is_compared_with_that_branch(
    tmp_path: Path, before: Any, after: Any, codes: list[str]
) -> None:
    old, new = (with_property(schema, required=["a"]) for schema in (before, after))
    comparison, _ = compared(tmp_path, old, new)
    assert sorted(c.code for c in comparison.changes if c.audiences and c.code != "strict-lost") == codes
    assert "cannot-tell" not in {c.code for c in comparison.changes}


TEXTS, NUMBERS = {"type": "array", "items": TEXT}, {"type": "array", "items": NUMBER}
HAS_C, HAS_T = ({"properties": {name: TEXT}, "required": [name]} for name in "ct")


@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [
        ([TEXTS, TEXT], [NUMBERS, TEXTS, TEXT], ["branch-added"]),
        ([TEXTS, NUMBERS, TEXT], [TEXTS, TEXT], ["branch-removed"]),
        ([TEXTS, NUMBERS, TEXT], [NUMBERS, TEXTS, TEXT], []),
        ([{}, HAS_C], [HAS_C, {}], []),
        ([*PATTERNS, NUMBER], [PATTERNS[1], NUMBER], ["branch-removed"]),
        ([*PATTERNS, NUMBER], [NUMBER, PATTERNS[1], PATTERNS[0] | {"minLength": 3}], ["bound-tightened"]),
    ],
)
def test_branches_of_one_type_are_told_apart(tmp_path: Path, before: Any, after: Any, codes: list[str]) -> None:
    comparison, _ = compared(tmp_path, with_property({"anyOf": before}), with_property({"anyOf": after}))
    assert [
        c.code for c in comparison.changes if c.audiences and c.code not in ("strict-lost", "portability-worse")
    ] == codes


LONG_A = {"properties": {"a": TEXT | {"minLength": 2}}, "required": ["a"]}
OF_A, OF_B, OF_C = ({"type": "object", **each} for each in (LONG_A, NEEDS_B, HAS_C))
WRAPPED = [{"allOf": [each]} for each in (OF_A, OF_B, OF_C)]
BASE = {"type": "object", "properties": {"name": TEXT}}
EXTENDED = [{"allOf": [BASE, tagged]} for tagged in TAGGED]
LOOSE_A = OF_A | {"properties": {"a": TEXT}}


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [
        ([OF_A, OF_B], WRAPPED[:2], []),
        ([OF_A, OF_B], WRAPPED, ["branch-added"]),
        ([OF_A, OF_B, OF_C], WRAPPED[:2], ["branch-removed"]),
        ([LOOSE_A, OF_B], WRAPPED[:2], ["bound-tightened"]),
        ([{"allOf": [LOOSE_A]}, OF_B], WRAPPED[:2], ["bound-tightened"]),
        ([OF_A, OF_B], [{"anyOf": [OF_A], "description": "A."}, OF_B, OF_C], ["branch-added"]),
        ([{"allOf": [BASE, TAGGED[0]]}, OF_A], [*EXTENDED, OF_A], ["branch-added"]),
        (EXTENDED, [{"allOf": [BASE, TAGGED[0], {"required": ["x"]}]}, EXTENDED[1]], ["parameter-became-required"]),
    ],
)
def test_a_branch_in_a_part_of_its_own_is_that_branch(keyword: str, before: Any, after: Any, codes: list[str]) -> None:
    differences = compare_schemas({keyword: before}, {keyword: after})
    assert [each.code for each in differences if each.effect != "note"] == codes


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_the_order_of_unions_that_apply_at_once_and_of_their_branches_is_no_change(keyword: str) -> None:
    def unions(*parts: list[Any]) -> Any:
        return {"type": "object", "allOf": [{keyword: part} for part in parts]}

    old = unions([LOOSE_A, OF_B], [OF_C, OF_B])
    assert compare_schemas(old, unions([OF_B, LOOSE_A], [OF_B, OF_C])) == []
    assert compare_schemas(old, unions([OF_B, OF_C], [OF_B, LOOSE_A])) == []
    edited = compare_schemas(old, unions([OF_B, OF_A], [OF_B, OF_C]))
    assert [each.code for each in edited] == ["bound-tightened"]
    fewer = compare_schemas(old, unions([LOOSE_A, NUMBER], [OF_B, OF_C]))
    assert combine_effects(fewer) in ("narrower", "other")
    assert not Inclusion(old, unions([LOOSE_A], [OF_B, OF_C])).proves(old, unions([LOOSE_A], [OF_B, OF_C]))


def _recursive(inner: Any) -> Any:
    """A schema like those of JSON Schema: many keys, each with the schema itself, in several parts."""
    node = {"$ref": "#/$defs/Node"}
    parts = [{"properties": {f"{name}{i}": node | {"title": name} for i in range(8)}} for name in "abc"]
    return {**node, "$defs": {"Node": {"type": ["object", "boolean"], "allOf": [*parts, {"properties": {"x": inner}}]}}}


def test_a_reference_that_becomes_a_branch_is_compared_once_however_often_it_refers_to_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged = []
    reason = ValueValidator.reason
    monkeypatch.setattr(ValueValidator, "reason", lambda *args: judged.append(None) or reason(*args))
    node = {"$ref": "#/$defs/Node"}
    old, new = _recursive(node), _recursive({"anyOf": [node, TEXT]})
    assert [(each.code, each.effect) for each in compare_schemas(old, new)] == [("branch-added", "wider")]
    assert [(each.code, each.effect) for each in compare_schemas(new, old)] == [("branch-removed", "narrower")]
    assert combine_effects(compare_schemas(old, _recursive(TEXT))) == "other"
    assert len(judged) < 4_000


def test_a_text_beside_many_branches_is_no_reason_to_try_values(monkeypatch: pytest.MonkeyPatch) -> None:
    def union(text: str) -> Any:
        return {
            "oneOf": [
                OF_A | {"properties": {"k": {"const": i}, "n": TEXT | {"title": text}}} | {"required": ["k"]}
                for i in range(60)
            ]
        }

    monkeypatch.setattr(Samples, "of", lambda *_: pytest.fail("values are tried"))
    assert {each.code for each in compare_schemas(union("a"), union("b"))} == {"description-changed"}


def test_a_union_admits_the_types_of_its_branches(tmp_path: Path) -> None:
    either = {"anyOf": [TEXT, {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}]}
    differences = compare_schemas(NUMBER, either)
    assert ("type-changed", "integer", ["object", "string"]) in [
        (each.code, each.before, each.after) for each in differences
    ]
    assert "null-admitted" not in {each.code for each in differences}


def test_a_value_that_fits_two_branches_has_what_stands_beside_them(tmp_path: Path) -> None:
    beside = {"type": "object", "properties": {"role": TEXT}, "required": ["role"]}
    optional = {"properties": HAS_T["properties"]}
    old, new = (with_property({**beside, "oneOf": [HAS_C, last]}) for last in (HAS_T, optional))
    comparison, _ = compared(tmp_path, old, new)
    (overlap,) = [c for c in comparison.changes if c.code == "branches-overlap"]
    assert overlap.witness == {"role": "a", "c": "a"}


def test_a_value_that_is_not_there_is_called_so(tmp_path: Path) -> None:
    number = {"type": "integer"}
    _, findings = compared(tmp_path, with_property(number), with_property({**number, "minimum": 1}))
    assert "find /properties/a/minimum: the bound was not set and is now 1" in [finding.message for finding in findings]


def test_the_folder_that_a_package_has_anyway_is_no_change(tmp_path: Path) -> None:
    comparison, _ = compared(tmp_path, tool(), tool(), {"out": "generated"})
    assert comparison.changes == ()


@pytest.mark.parametrize("keyword", ["enum", "not", "additionalProperties", "$defs"])
def test_one_and_true_are_different_values(keyword: str) -> None:
    def schema(value: Any) -> Any:
        listed = {"enum": [value, "a"]}
        return {
            "enum": listed,
            "not": {"not": listed},
            "additionalProperties": {"type": "object", "additionalProperties": listed},
            "$defs": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": listed}},
        }[keyword]

    assert compare_schemas(schema(1), schema(True))
    assert not compare_schemas(schema(1), schema(1))


def test_examples_are_samples_also_behind_a_reference() -> None:
    definition = {"type": "string", "pattern": "^ZZ[0-9]$", "examples": ["ZZ9"]}
    root = {"$ref": "#/$defs/A", "$defs": {"A": definition}}
    assert "ZZ9" in Samples(root).of(root)


NAMED_TEXT = {"$ref": "#/$defs/X"}
X_IS_TEXT = {"$defs": {"X": TEXT}}


def ids(tmp_path: Path, name: str, before: Any, after: Any, code: str) -> list[str]:
    """The ids of the changes with a code."""
    comparison, _ = compared(tmp_path / name, before, after)
    return [change.id for change in comparison.changes if change.code == code]


@pytest.mark.parametrize(
    ("code", "spellings"),
    [
        (
            "null-admitted",
            [
                (TEXT, NULLABLE),
                (TEXT, {"anyOf": [TEXT, {"type": "null"}]}),
                ({"type": ["string"]}, {"oneOf": [{"const": None}, TEXT]}),
            ],
        ),
        (
            "enum-value-removed",
            [
                ({"enum": ["x", "y"]}, {"enum": ["x"]}),
                ({"enum": ["y", "x"]}, {"const": "x"}),
                ({"anyOf": [{"const": "x"}, {"const": "y"}]}, {"enum": ["x"]}),
                ({"oneOf": [{"const": "x", "title": "X"}, {"const": "y"}]}, {"oneOf": [{"const": "x"}]}),
            ],
        ),
        (
            "parameter-added",
            [
                ({"type": "object"}, {"type": "object", "properties": {"k": {"const": 1}}}),
                ({"type": "object"}, {"type": "object", "properties": {"k": {"enum": [1.0], "title": "K"}}}),
            ],
        ),
    ],
)
def test_one_change_has_one_id_in_every_spelling(tmp_path: Path, code: str, spellings: list[tuple[Any, Any]]) -> None:
    codes_by_spelling = [
        ids(tmp_path, f"s{i}", with_property(before, required=["a"]), with_property(after, required=["a"]), code)
        for i, (before, after) in enumerate(spellings)
    ]
    assert len(codes_by_spelling[0]) == 1
    assert codes_by_spelling == [codes_by_spelling[0]] * len(codes_by_spelling)


def test_one_change_at_two_places_has_two_ids(tmp_path: Path) -> None:
    def of(first: Any, second: Any) -> dict[str, Any]:
        return tool(parameters={"type": "object", "properties": {"a": first, "b": second}, **X_IS_TEXT})

    limited = NAMED_TEXT | {"pattern": "^b"}
    old = of(NAMED_TEXT, NAMED_TEXT)
    (first,) = ids(tmp_path, "a", old, of(limited, NAMED_TEXT), "pattern-set")
    (second,) = ids(tmp_path, "b", old, of(NAMED_TEXT, limited), "pattern-set")
    both = ids(tmp_path, "both", old, of(limited, limited), "pattern-set")
    assert first != second
    assert sorted(both) == sorted([first, second])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"b": TEXT | {"maxLength": 9}}),
        ({}, {"b": {"type": "object", "properties": {"k": TEXT | {"pattern": "^a"}}}}),
        ({"x": {"not": {}}}, {}),
        ({"b": {"anyOf": [TEXT, {"not": {}}]}}, {"b": TEXT}),
        ({"b": TEXT}, {"b": TEXT | {"minLength": 0}}),
        ({"b": {"type": "object"}}, {"b": {"type": "object", "propertyNames": {}}}),
        ({"b": {"type": "object"}}, {"b": {"type": "object", "propertyNames": {"minLength": 0}}}),
        ({"b": {"type": "object"}}, {"b": {"type": "object", "patternProperties": {"": {}}}}),
        ({"b": {"type": "object"}}, {"b": {"type": "object", "patternProperties": {".*": True}}}),
    ],
)
def test_what_excludes_no_call_breaks_nobody(tmp_path: Path, before: Any, after: Any) -> None:
    old, new = (tool(parameters={"type": "object", "properties": {"a": TEXT, **more}}) for more in (before, after))
    comparison, _ = compared(tmp_path, old, new)
    breaking = [change.code for change in comparison.changes if change.audiences]
    assert [code for code in breaking if code != "public-name-removed"] == []


def test_a_hint_says_how_to_accept_a_change(tmp_path: Path) -> None:
    _, findings = compared(tmp_path, with_property(NUMBER), with_property(NUMBER | {"maximum": 5}))
    (hint,) = [finding.hint for finding in findings if finding.code == "bound-tightened"]
    assert re.fullmatch(
        r"breaks: model, conversations; witness: 7; to accept it: --accept [0-9a-f]{12} --reason TEXT", str(hint)
    )


CLOSED = {"type": "object", "properties": {"k": TEXT}, "required": ["k"], "additionalProperties": False}


@pytest.mark.parametrize(
    ("added", "at", "displaced"),
    [
        ({"added_a": "auto", "added_b": "auto"}, "added_a", "tool_18, tool_19"),
        ({"zone": "always", "added_a": "never"}, "zone", "tool_19"),
        ({"zone": "auto"}, None, None),
    ],
)
def test_tools_that_a_new_one_displaces_from_strict_mode_are_one_warning(
    tmp_path: Path, added: dict[str, str], at: str | None, displaced: str | None
) -> None:
    def tools(strict: dict[str, str]) -> list[dict[str, Any]]:
        return [tool(name=name, parameters=CLOSED, strict=mode) for name, mode in strict.items()]

    before = {f"tool_{i:02}": "auto" for i in range(20)}
    config = {"providers": ["anthropic"]}
    old, new = write(tmp_path / "old", tools(before), config), write(tmp_path / "new", tools(added | before), config)
    comparison, findings = between(tmp_path, old, new, "anthropic")
    lost = [change for change in comparison.changes if change.code == "strict-lost"]
    assert [change.tools for change in lost] == ([(at,)] if at else [])
    assert [(finding.level, finding.message) for finding in findings if finding.code == "strict-lost"] == (
        [("warning", f"{at}: anthropic, for {displaced}, no longer enforces the schema")] if at else []
    )


def test_a_tool_that_uses_more_of_the_limits_of_strict_mode_names_those_that_it_displaces(tmp_path: Path) -> None:
    def tools(optional: list[str]) -> list[dict[str, Any]]:
        wide = CLOSED | {"properties": {"k": TEXT} | dict.fromkeys(optional, TEXT)}
        return [
            tool(name=name, parameters=wide if name == "tool_0" else CLOSED | {"required": []})
            for name in map("tool_{}".format, range(10))
        ]

    config = {"providers": ["anthropic"]}
    old = write(tmp_path / "old", tools([f"p{i}" for i in range(15)]), config)
    new = write(tmp_path / "new", tools([f"p{i}" for i in range(17)]), config)
    _, findings = between(tmp_path, old, new, "anthropic")
    assert [(each.level, each.message) for each in findings if each.code == "strict-lost"] == [
        ("warning", "tool_0: anthropic, for tool_8, tool_9, no longer enforces the schema")
    ]


EITHER = [{"type": "object", "properties": {name: TEXT}, "required": [name]} for name in "kl"]


@pytest.mark.parametrize(
    ("before", "after", "code", "audiences"),
    [
        (TEXT, TEXT | {"format": "email"}, "format-changed", ()),
        (TEXT, TEXT | {"format": "date"}, "result-narrowed", (H, C)),
        ({"oneOf": EITHER}, {"anyOf": EITHER}, "result-widened", ()),
        ({"anyOf": EITHER}, {"oneOf": EITHER}, "result-narrowed", (H, C)),
        # no value is refused, but what a handler could return has the wrong Python type
        (TEXT | {"format": "date"}, TEXT, "format-changed", (H,)),
        ({"type": "number", "multipleOf": 1}, NUMBER, "result-changed", (H,)),
        (NUMBER, {"type": "number", "multipleOf": 1}, "result-widened", ()),
        (NUMBER | {"minimum": 1, "maximum": 3}, {"enum": [1, 2, 3]}, "result-changed", (H,)),
        ({"enum": [1, 2, 3]}, NUMBER | {"minimum": 1, "maximum": 3}, "result-widened", ()),
        (EITHER[0], {"anyOf": EITHER}, "result-widened", ()),
        ({"oneOf": TAGGED}, KINDS, "result-changed", (H,)),
        (KINDS, {"oneOf": TAGGED}, "result-changed", (H,)),
    ],
)
def test_a_result_that_gains_or_loses_values(
    tmp_path: Path, before: Any, after: Any, code: str, audiences: tuple[str, ...]
) -> None:
    comparison, _ = compared(tmp_path, tool(result=before), tool(result=after))
    others = ("payload-changed", "public-name-removed")
    assert [(each.code, each.audiences) for each in comparison.changes if each.code not in others] == [
        (code, audiences)
    ]


def test_a_new_optional_property_deep_in_a_union_excludes_nothing() -> None:
    def union(**properties: Any) -> dict[str, Any]:
        tagged = {"type": "object", "properties": {"kind": {"const": "a"}, **properties}, "required": ["kind"]}
        return {"anyOf": [{"oneOf": [tagged, TAGGED[1]]}, {"const": "x"}]}

    assert {each.effect for each in compare_schemas(union(), union(new=TEXT))} <= {"note", "wider"}
