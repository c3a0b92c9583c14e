"""What sources mean: the values and places that loading gives."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path

import pytest
import yaml

from tests.support.every_row import over

from .projects import loaded, single_value

SCALARS = [
    ("true", True), ("True", True), ("TRUE", True), ("false", False), ("FALSE", False),
    ("yes", "yes"), ("no", "no"), ("on", "on"), ("off", "off"), ("y", "y"), ("NO", "NO"), ("tRue", "tRue"),
    ("~", None), ("null", None), ("Null", None), ("NULL", None), ("", None), ("nULL", "nULL"),
    ("0", 0), ("-0", 0), ("12", 12), ("+12", 12), ("-12", -12), ("0o17", 15), ("0xfF", 255),
    ("9007199254740993", 9007199254740993), ("123456789012345678901234567890", 123456789012345678901234567890),
    ("0o8", "0o8"), ("0xg", "0xg"), ("1e3", 1000.0), ("1E+3", 1000.0), ("-1.5e-3", -0.0015), (".5", 0.5), ("1.", 1.0),
    ("1.10", 1.1), ("1.2.3", "1.2.3"), ("1e", "1e"), (".", "."), ("...x", "...x"), ("+", "+"), ("_1", "_1"),
    ("12:30:00", "12:30:00"), ("1:30", "1:30"), ("2024-01-01", "2024-01-01"),
    ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"), ("1,000", "1,000"), ("=", "="), (".infinity", ".infinity"),
    ("'012'", "012"), ('"true"', "true"), ("'~'", "~"), ('""', ""), ("!!str 12", "12"), ("!!str true", "true"),
    ("! 12", "12"), ("!!int 12", 12), ('!!int "12"', 12), ("!!float 1.5", 1.5), ("!!float 1", 1),
    ("!!bool true", True), ("!!null ~", None), ("!!map {a: 1}", {"a": 1}), ("!!seq [1]", [1]),
    ('"\\N\\L\\_\\x07\\u263A"', "\x85\u2028\xa0\x07☺"), ("☃ 😀", "☃ 😀"), ("|\n  a\n  b", "a\nb\n"), (">-\n  a\n  b", "a b"),
]  # fmt: skip


@over("scalar", {repr(scalar): scalar for scalar in SCALARS})
@pytest.mark.parametrize("parser", ["C", "Python"])
def test_scalars_mean_what_the_core_schema_says(
    scalar: tuple[str, object], parser: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, value = scalar
    if parser == "Python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    document, findings = single_value(tmp_path, f"v: {written}\n")
    assert findings == []
    assert isinstance(document, dict)
    assert document["v"] == value
    assert type(document["v"]) is type(value)


KEYS = [
    "yes",
    "no",
    "on",
    "off",
    "true",
    "null",
    "~",
    "1",
    "012",
    "1_000",
    "1e3",
    ".inf",
    "2024-01-01",
    "<<x",
    "=",
]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_keeps_its_spelling(key: str, tmp_path: Path) -> None:
    assert single_value(tmp_path, f"{key}: 1\n") == ({key: 1}, [])


def test_an_alias_stands_for_what_its_anchor_names(tmp_path: Path) -> None:
    text = "a: &text x\nb: &list [*text, 1]\nc: &map {d: *list}\ne: [*map, *text]\n"
    value = {"a": "x", "b": ["x", 1], "c": {"d": ["x", 1]}, "e": [{"d": ["x", 1]}, "x"]}
    assert single_value(tmp_path, text) == (value, [])


def test_a_collection_may_have_the_tag_of_its_own_kind(tmp_path: Path) -> None:
    assert single_value(tmp_path, "a: ! [1]\nb: ! {c: 1}\nd: !!seq []\ne: !!map {}\n") == (
        {"a": [1], "b": {"c": 1}, "d": [], "e": {}},
        [],
    )


def test_quoted_keys_may_be_anything(tmp_path: Path) -> None:
    assert single_value(tmp_path, '"": 1\n"<<": 2\n"a\\nb": 3\n') == ({"": 1, "<<": 2, "a\nb": 3}, [])


JSONS = [
    '{"a": [1, -0.5, 1e3, 1E-2, true, false, null, "x", {}, []]}',
    '{"a": "\\/\\b\\f\\n\\r\\t\\"\\\\\\u00e9", "\\ud83d\\ude00": 1}',
    '\n\t{ "a" :\t[ 1 ,\n2 ] }\n\n',
    '{"a": 9007199254740993, "b": 123456789012345678901234567890, "c": 0, "d": -1}',
    '{"": {"": ""}, "\\u0000": "\\u0007"}',
    '{"\U0001f600": "\u2028\ufeff"}',
    '{"null": null, "true": true, "1": 1, "<<": {}}',
]


@pytest.mark.parametrize("text", JSONS)
@pytest.mark.parametrize("extension", ["json", "JSON", "yaml"])
def test_json_is_read_exactly(text: str, extension: str, tmp_path: Path) -> None:
    if extension == "yaml" and "\u2028" in text:
        pytest.skip("a raw line separator ends a line for some readers of YAML")
    document, findings = single_value(tmp_path, text, f"tools/x.{extension}")
    assert findings == []
    assert json.dumps(document) == json.dumps(json.loads(text))


FORMS = [b"name: x\nd: |\n  a\n  b\ne: 'c\n\n  d'\n"]
FORMS += [FORMS[0].replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + FORMS[0]]


def test_byte_order_mark_and_line_ends_change_nothing(tmp_path: Path) -> None:
    sources_read = [asdict(loaded(tmp_path / str(i), {"tools/x.yaml": form})[0]) for i, form in enumerate(FORMS)]
    assert sources_read[0]["tools"][0]["value"] == {"name": "x", "d": "a\nb\n", "e": "c\nd"}
    assert sources_read[0] == sources_read[1] == sources_read[2]


def test_documents_are_counted(tmp_path: Path) -> None:
    text = "# first\n---\nname: a\n---\nname: b\n...\n---\n{name: c}\n"
    sources, findings = loaded(tmp_path, {"tools/x.yaml": text})
    assert findings == []
    assert [(d.index, d.value, d.span().line) for d in sources.tools] == [
        (0, {"name": "a"}, 3),
        (1, {"name": "b"}, 5),
        (2, {"name": "c"}, 8),
    ]


def test_a_type_may_be_a_boolean(tmp_path: Path) -> None:
    sources, findings = loaded(tmp_path, {"tools/x.yaml": "name: a", "types/any.yaml": "true"})
    assert findings == []
    assert sources.types[0].value is True


YAML = """\
name: x
parameters:
  properties:
    city: &c {type: string}
    to: *c
  required: [city,
    to]
"""
JSON = """\
{"name": "x",
 "parameters": {
  "properties": {
   "city": {"type": "string"},
   "to": {"type": "string"}},
  "required": ["city", "to"]}}
"""


def test_every_key_and_value_has_its_place(tmp_path: Path) -> None:
    sources, _ = loaded(tmp_path, {"tools/x.yaml": YAML, "tools/x.json": JSON})
    as_json, as_yaml = sources.tools
    assert as_json.value == as_yaml.value
    assert as_json.values.keys() == as_yaml.values.keys()
    assert as_json.keys.keys() == as_yaml.keys.keys()
    at = ("parameters", "properties", "city")
    assert (as_yaml.key_span(*at).line, as_yaml.key_span(*at).column) == (4, 5)
    assert (as_yaml.span(*at, "type").line, as_yaml.span(*at, "type").column) == (4, 21)
    assert as_yaml.values[()] == (1, 1, 7, 8)
    assert as_yaml.values[("parameters", "required", 1)] == (7, 5, 7, 7)
    assert as_yaml.values[("parameters", "properties", "to", "type")][0] == 4
    assert as_json.keys[at] == (4, 4, 4, 10)
    assert as_json.values[at] == (4, 12, 4, 30)
    assert as_json.values[()] == (1, 1, 6, 31)
    assert as_json.span("parameters", "nothing").line == 2


def test_both_parsers_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = YAML + "\n".join(f"k{i}: {w}" for i, (w, _) in enumerate(SCALARS)) + "\n"
    quick = loaded(tmp_path / "a", {"tools/x.yaml": text})
    monkeypatch.delattr(yaml, "CSafeLoader")
    slow = loaded(tmp_path / "b", {"tools/x.yaml": text})
    assert asdict(slow[0]) == asdict(quick[0])
    assert slow[1] == quick[1] == []


def test_numbers_are_finite_and_text_has_no_surrogates(tmp_path: Path) -> None:
    document, _ = single_value(tmp_path, '{"a": 1.7976931348623157e308, "b": 5e-324}', "tools/x.json")
    assert isinstance(document, dict)
    assert all(math.isfinite(v) for v in document.values())


def test_an_interpreter_with_a_low_digit_limit_refuses_instead_of_failing(tmp_path: Path) -> None:
    import sys

    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        _, findings = single_value(tmp_path, f"a: {'9' * 1000}\n")
    finally:
        sys.set_int_max_str_digits(before)
    assert [f.code for f in findings] == ["number-out-of-range"]
