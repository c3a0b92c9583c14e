"""A document against a meta-schema: each error at the place a person would look at."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from toolgen.diagnostics import Finding, Findings
from toolgen.diagnostics.codes import BY_STAGE
from toolgen.document_validation import MAX_FINDINGS, meta_schema, validate_document
from toolgen.load import load
from toolgen.parse.config import Config, parse_config

META: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "kind"],
    "properties": {
        "name": {"type": "string", "minLength": 2, "maxLength": 8, "pattern": "^[a-z]+$"},
        "kind": {"enum": ["alpha", "beta", 3, None]},
        "count": {"type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 2},
        "ratio": {"type": ["number", "null"], "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "mark": {"const": "x"},
        "list": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2, "uniqueItems": True},
        "map": {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "minProperties": 1, "maxProperties": 2},
        "inner": {"$ref": "#/$defs/inner"},
        "either": {"oneOf": [
            {"type": "object", "properties": {"type": {"const": "a"}, "size": {"type": "integer"}},
             "required": ["type", "size"], "additionalProperties": False},
            {"type": "object", "properties": {"type": {"const": "b"}, "text": {"type": "string"}},
             "required": ["type", "text"], "additionalProperties": False},
            {"type": "string"},
        ]},
        "words": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        "overlap": {"oneOf": [{"minimum": 1}, {"minimum": 2}]},
        "never": {"not": {"type": "string"}},
        "pair": {"type": "object", "dependentRequired": {"a": ["b"]}},
        "schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
    },
    "patternProperties": {"^x-": True},
    "$defs": {
        "base": {"properties": {"first": {"type": "string"}, "second": {"type": "string"}}},
        "inner": {"allOf": [{"$ref": "#/$defs/base"}], "properties": {"third": {"type": "string"}},
                  "unevaluatedProperties": False},
    },
}  # fmt: skip

GOOD = "name: ab\nkind: alpha\n"

CASES = [
    ("nam: ab\nkind: alpha\nname: ab\n", "1:1 unknown-key", "'nam'", None),
    (GOOD + "cuont: 1\n", "3:1 unknown-key", "'cuont'", "did you mean 'count'?"),
    (GOOD + "Count: 1\n", "3:1 unknown-key", "'Count'", "did you mean 'count'?"),
    (GOOD + "zzzzzz: 1\n", "3:1 unknown-key", "'zzzzzz'", "remove the key"),
    (GOOD + "inner:\n  frist: a\n", "4:3 unknown-key", "'frist'", "did you mean 'first'?"),
    (GOOD + "inner: {third: a, thrid: a}\n", "3:19 unknown-key", "'thrid'", None),
    ("name: ab\n", "1:1 missing-key", "'kind'", None),
    (GOOD + "either: {type: a}\n", "3:1 missing-key", "'size'", None),
    (GOOD + "either:\n  type: b\n  text: 1\n", "5:9 wrong-type", "expected string, found integer", None),
    (GOOD + "either: {type: a, size: 1, text: x}\n", "3:28 unknown-key", "'text'", None),
    (GOOD + "either: 1\n", "3:9 wrong-type", "expected object or string, found integer", None),
    (GOOD + "words: [a, 1]\n", "3:12 wrong-type", "expected string, found integer", None),
    (GOOD + "words: {}\n", "3:8 wrong-type", "expected string or array, found object", None),
    (GOOD + "overlap: 2\n", "3:10 invalid-value", "more than one", None),
    (GOOD + "never: a\n", "3:8 invalid-value", "not allowed", None),
    (GOOD + "pair: {a: 1}\n", "3:7 invalid-value", "requires another", None),
    (GOOD + "ratio: on\n", "3:8 wrong-type", "expected number or null, found string", None),
    (GOOD + "count: true\n", "3:8 wrong-type", "expected integer, found boolean", None),
    (GOOD + "count: 1.5\n", "3:8 wrong-type", "expected integer, found number", None),
    (GOOD + "count: ~\n", "3:8 wrong-type", "expected integer, found null", None),
    (GOOD + "list: {}\n", "3:7 wrong-type", "expected array, found object", None),
    (GOOD + "inner: []\n", None, "", None),
    ("name: ab\nkind: alpah\n", "2:7 invalid-value", "'alpah' is not one of 'alpha', 'beta', 3, null", "did you mean 'alpha'?"),
    ("name: a\nkind: alpha\n", "1:7 invalid-value", "shorter than 2", None),
    ("name: abcdefghijk\nkind: alpha\n", "1:7 invalid-value", "longer than 8", None),
    ("name: a1\nkind: alpha\n", "1:7 invalid-value", "'a1' does not match the pattern", None),
    (GOOD + "count: 0\n", "3:8 invalid-value", "0 is less than 1", None),
    (GOOD + "count: 10\n", "3:8 invalid-value", "10 is greater than 9", None),
    (GOOD + "count: 3\n", "3:8 invalid-value", "3 is not a multiple of 2", None),
    (GOOD + "ratio: 0\n", "3:8 invalid-value", "0 is not greater than 0", None),
    (GOOD + "ratio: 1\n", "3:8 invalid-value", "1 is not less than 1", None),
    (GOOD + "mark: y\n", "3:7 invalid-value", "'y' is not 'x'", None),
    (GOOD + "list: []\n", "3:7 invalid-value", "", None),
    (GOOD + "list: [a, b, c]\n", "3:7 invalid-value", "more than 2 items", None),
    (GOOD + "list: [a, a]\n", "3:7 invalid-value", "twice", None),
    (GOOD + "map: {}\n", "3:6 invalid-value", "", None),
    (GOOD + "map: {a: 1, B2: 1}\n", "3:13 invalid-value", "'B2' does not match", None),
    (GOOD + "map: {a: 1, b: 1, c: 1}\n", "3:6 invalid-value", "more than 2 keys", None),
    (GOOD + "schema: {type: thing}\n", "3:16 invalid-value", "'thing'", None),
    (GOOD + "x-own: {anything: 1}\n", None, "", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("list: []\n", "the list has fewer than 1 item"),
        ("list: [a, b, c]\n", "the list has more than 2 items"),
        ("map: {}\n", "there are fewer than 1 key"),
        ("year: '2025'\n", "'2025' is not one of '2026', 2027"),
    ],
)
def test_a_message_is_a_sentence(text: str, message: str, tmp_path: Path) -> None:
    """One is singular, and a number that may also be a string is named once."""
    years = {"enum": ["2026", 2026, 2027]}
    _, findings = checked(tmp_path, GOOD + text, {**META, "properties": {**META["properties"], "year": years}})
    assert [each.message for each in findings] == [message]


def checked(root: Path, text: str, schema: Mapping[str, Any] = META) -> tuple[bool, list[Finding]]:
    (root / "schemas" / "tools").mkdir(parents=True, exist_ok=True)
    (root / "schemas" / "tools" / "x.yaml").write_text(text)
    findings = Findings()
    (document,) = load(root / "schemas", findings).tools
    return validate_document(document, schema, findings), list(findings)


@pytest.mark.parametrize(("text", "place", "says", "hint"), CASES, ids=[c[0] for c in CASES])
def test_an_error_is_at_its_place(text: str, place: str | None, says: str, hint: str | None, tmp_path: Path) -> None:
    fine, findings = checked(tmp_path, text)
    assert fine == (place is None)
    assert [f"{f.span.line}:{f.span.column} {f.code}" for f in findings] == ([place] if place else [])
    for finding in findings:
        assert says in finding.message
        assert hint is None or finding.hint == hint


def test_several_errors_are_several_findings(tmp_path: Path) -> None:
    _, findings = checked(tmp_path, "name: 1\nkin: alpha\ncount: x\n")
    assert [(f.span.line, f.code) for f in findings] == [
        (1, "missing-key"),
        (1, "wrong-type"),
        (2, "unknown-key"),
        (3, "wrong-type"),
    ]


def test_a_document_has_at_most_some_dozens_of_findings(tmp_path: Path) -> None:
    many = GOOD + "".join(f"k{i}: 1\n" for i in range(500))
    assert len(checked(tmp_path, many)[1]) == MAX_FINDINGS
    items = GOOD + "words: [" + "1, " * 500 + "]\n"
    assert len(checked(tmp_path, items)[1]) == MAX_FINDINGS


def test_messages_hold_no_long_values_and_no_controls(tmp_path: Path) -> None:
    long = "x" * 900
    _, findings = checked(tmp_path, f'name: "{long}"\nkind: "{long}\\x1b"\n"{long}": 1\nmark: [{long}]\n')
    assert len(findings) >= 4
    assert all(len(f.message) < 300 and f.message.isprintable() for f in findings)
    assert all(f.hint is None or len(f.hint) < 300 for f in findings)


def test_the_code_of_other_errors_can_be_chosen(tmp_path: Path) -> None:
    findings = Findings()
    (tmp_path / "schemas" / "tools").mkdir(parents=True)
    (tmp_path / "schemas" / "tools" / "x.yaml").write_text("name: a\nkind: alpha\n")
    (document,) = load(tmp_path / "schemas", findings).tools
    assert not validate_document(document, META, findings, code="not-json")
    assert [f.code for f in findings] == ["not-json"]


@pytest.mark.parametrize("keyword", ["items", "not", "allOf"])
def test_the_deepest_document_that_loads_can_be_checked(keyword: str, tmp_path: Path) -> None:
    opened, closed = ('{"allOf": [', "]}") if keyword == "allOf" else (f'{{"{keyword}": ', "}")
    deep = 30 if keyword == "allOf" else 61
    nested = opened * deep + '{"type": 1}' + closed * deep
    assert not checked(tmp_path, GOOD + f"schema: {nested}\n")[0]


def test_an_unknown_schema_is_never_fetched(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="Unresolvable"):
        checked(tmp_path, GOOD, {"$ref": "http://127.0.0.1:9/schema.json"})


def test_the_meta_schema_of_the_configuration_is_a_schema() -> None:
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(dict(meta_schema("config")))
    assert meta_schema("config") is meta_schema("config")
    assert all(p.get("description") for p in meta_schema("config")["properties"].values())
    with pytest.raises(KeyError):
        meta_schema("../config")


def configured(root: Path, text: str | None) -> tuple[Config, list[Finding]]:
    (root / "schemas" / "tools").mkdir(parents=True)
    (root / "schemas" / "tools" / "x.yaml").write_text(GOOD)
    if text is not None:
        (root / "schemas" / "toolgen.yaml").write_text(text)
    findings = Findings()
    return parse_config(load(root / "schemas", findings), findings), list(findings)


def test_without_a_configuration_there_are_the_defaults(tmp_path: Path) -> None:
    config, findings = configured(tmp_path, None)
    assert findings == []
    assert config == Config()
    assert config.edition == "2026"
    properties = meta_schema("config")["properties"]
    for name in ("edition", "strict", "recursion_depth"):
        assert properties[name]["default"] == getattr(config, name)


def test_every_key_of_the_configuration_is_read(tmp_path: Path) -> None:
    text = """\
edition: 2026
out: lib/tools
providers: [gemini, anthropic]
strict: never
lint: {unknown-key: off, missing-key: warning}
budgets: {anthropic: {bytes: 20000}}
limits: {gemini: {tools: 64, strict_depth: null}}
defaults: {anthropic: {max_tokens: 1024}}
parts: [running, tools]
recursion_depth: 2
"""
    config, findings = configured(tmp_path, text)
    assert findings == []
    assert config == Config(
        edition="2026",
        out="lib/tools",
        providers=("gemini", "anthropic"),
        strict="never",
        lint={"unknown-key": "off", "missing-key": "warning"},
        budgets={"anthropic": {"bytes": 20000}},
        limits={"gemini": {"tools": 64, "strict_depth": None}},
        defaults={"anthropic": {"max_tokens": 1024}},
        parts=("tools", "running"),
        recursion_depth=2,
    )
    assert set(meta_schema("config")["properties"]) - {"$schema"} == set(Config.__dataclass_fields__)


def test_the_schema_of_a_configuration_means_nothing(tmp_path: Path) -> None:
    assert configured(tmp_path, "$schema: .editor/config.json\nstrict: never\n") == (Config(strict="never"), [])


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        ("provider: [gemini]\n", "1:1 unknown-key", "did you mean 'providers'?"),
        ("edition: 1999\n", "1:10 invalid-value", None),
        ("strict: sometimes\n", "1:9 invalid-value", None),
        ("parts: [tools, sessions]\n", "1:16 part-needs", "add the missing part, or remove the one that needs it"),
        ("parts: [converters, running]\n", "1:21 part-needs", "add the missing part, or remove the one that needs it"),
        ("parts: [tool]\n", "1:9 invalid-value", None),
        ("parts: []\n", "1:8 invalid-value", None),
        ("runtime: linked\n", "1:10 invalid-value", None),
        ("providers: gemini\n", "1:12 wrong-type", None),
        ("providers: [Gem ini]\n", "1:13 invalid-value", None),
        ("recursion_depth: 0\n", "1:18 invalid-value", None),
        ("lint:\n  missing-kye: off\n", "2:3 unknown-code", "did you mean 'missing-key'?"),
        ("lint:\n  missing-key: loud\n", "2:16 invalid-value", None),
        ("limits: {gemini: {tools: -1}}\n", "1:26 invalid-value", None),
    ],
)
def test_a_fault_in_the_configuration_is_a_finding(text: str, place: str, hint: str | None, tmp_path: Path) -> None:
    _, findings = configured(tmp_path, text)
    assert [f"{f.span.line}:{f.span.column} {f.code}" for f in findings] == [place]
    assert hint is None or findings[0].hint == hint


def test_every_code_of_the_stage_has_a_case() -> None:
    covered = {place.split()[1] for _, place, _, _ in CASES if place} | {
        "unknown-code",
        "part-needs",
        "framework-needs",
    }
    assert covered >= {row.id for row in BY_STAGE["parse"] if row.id in _OWN}


_OWN = {"unknown-key", "missing-key", "wrong-type", "invalid-value", "unknown-code", "part-needs", "framework-needs"}
