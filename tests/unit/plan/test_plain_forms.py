"""The plain forms of codecs, held against the codecs: what passes a test is read and written as it is."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest

from tests.support.generated import Package
from toolgen.plan.mapping_plans import PLAIN_FORMS, TESTS, WITHOUT_EXTRAS, FieldFastPath
from toolgen.resources import modules_by_exported_name

VALUES: list[Any] = [
    None, True, False, 0, -1, 1.5, math.nan, "", " ", "call_0", "now", "a b", "ü", "x" * 300, "{}", [], [1], {}, {"a": 1},
    {"a": {"b": [None, "c"]}}, {"a": math.inf}, {"a": {1, 2}}, {"a": b"x"}, {1: 2}, {"type": "ephemeral"},
]  # fmt: skip
FORMS = [name for name, form in PLAIN_FORMS.items() if form.reads and form.written == "{0}"]
PROVIDER = "anthropic"


def function(sample: Package, name: str) -> Any:
    """A reader or writer of a field, from the module of the runtime that exports it."""
    return getattr(sample.module(f"runtime.{modules_by_exported_name()[name]}"), name)


def _names(module: Any) -> dict[str, Any]:
    return {"is_strict_json": module.is_strict_json}


@pytest.mark.parametrize("codec", FORMS)
def test_what_is_plain_on_the_wire_is_read_as_it_is(sample: Package, codec: str) -> None:
    read, wire = function(sample, f"read_{codec}"), sample.provider(PROVIDER).WIRE
    plain = []
    for value in VALUES:
        readers = [sample.module("runtime.conversion.reader").Reader(wire) for _ in range(2)]
        for reader in readers:
            reader.used.add("used")
        test = PLAIN_FORMS[codec].reads
        table = ["now"] if "{table}" in test else None
        if eval(test.format("value", table="table"), {"value": value, "reader": readers[0], "table": table}):
            plain.append(value)
            result = read(copy.deepcopy(value), (), readers[1], *([table] if table else []))
            found, *others = result if type(result) is tuple else (result,)
            if codec not in WITHOUT_EXTRAS:
                assert others.pop() is sample.module("runtime.conversion.extras").ABSENT
            assert (found, set(others)) == (value, {None} if others else set())
            assert (readers[0].used, readers[0].position) == (readers[1].used, readers[1].position)
    assert plain
    assert len(plain) < len(VALUES)


@pytest.mark.parametrize("codec", FORMS)
def test_what_is_plain_in_the_format_is_written_as_it_is(sample: Package, codec: str) -> None:
    wire, expression = sample.provider(PROVIDER).WIRE, WITHOUT_EXTRAS.get(codec)
    write = None if expression else function(sample, f"write_{codec}")
    kept = [] if codec in WITHOUT_EXTRAS else [sample.module("runtime.conversion.extras").ABSENT]
    plain = []
    text = "{0}" if "{1}" not in PLAIN_FORMS[codec].writes else None
    for value in (v for v in VALUES if text is None or type(v) is str):
        writer = sample.module("runtime.conversion.writer").Writer(wire, None, "error")
        writer.names["now"] = "now"
        names = {
            **_names(sample.module("runtime.json_values")),
            "value": value,
            "nothing": None,
            "writer": writer,
        }
        if eval(PLAIN_FORMS[codec].writes.format("value", "nothing"), names):
            plain.append(value)
            others = () if text else (None,)
            table = [["now"]] if "{table}" in PLAIN_FORMS[codec].reads else []
            if write is None:
                assert eval(str(expression).format("value", at="((), 'x')"), names) == value
            else:
                assert write(value, *others, *kept, ((), "x"), writer, *table) == value
    assert plain
    assert len(plain) < len(VALUES)


@pytest.mark.parametrize("codec", [name for name, form in PLAIN_FORMS.items() if form.written == "text"])
def test_arguments_that_are_plain_are_written_as_the_same_text(sample: Package, codec: str) -> None:
    write, wire = function(sample, f"write_{codec}"), sample.provider(PROVIDER).WIRE
    absent, test = sample.module("runtime.conversion.extras").ABSENT, PLAIN_FORMS[codec].writes
    plain = []
    for value in (*(v for v in VALUES if type(v) is dict), {"a": "\ud800"}):
        names = {
            "value": value,
            "nothing": None,
            "dump_strict_or_none": sample.module("runtime.json_text").dump_strict_or_none,
        }
        writer = sample.module("runtime.conversion.writer").Writer(wire, None, "error")
        if eval(test.format("value", "nothing"), names):
            plain.append(value)
            assert write(value, None, absent, ((), "x"), writer) == names["text"]
            assert not writer.losses
        elif names["text"] is None:
            with pytest.raises(sample.module("runtime.errors").ConversionError):
                write(value, None, absent, ((), "x"), writer)
    assert {"a": 1} in plain
    assert {"a": {1, 2}} not in plain


def test_what_is_too_deep_to_be_read_again_is_not_plain(sample: Package) -> None:
    module, text = sample.module("runtime.json_values"), sample.module("runtime.json_text")
    value: Any = {}
    for _ in range(module.MAX_DEPTH - 1):
        value = {"a": value}
    assert module.is_strict_json(value)
    assert text.dump_strict_or_none(value) is not None
    assert not module.is_strict_json({"a": value})
    assert text.dump_strict_or_none({"a": value}) is None


@pytest.mark.parametrize("codec", [name for name, form in PLAIN_FORMS.items() if form == FieldFastPath()])
def test_a_key_that_plain_objects_lack_stands_for_none(sample: Package, codec: str) -> None:
    absent = sample.module("runtime.conversion.extras").ABSENT
    assert function(sample, f"read_{codec}")(absent, (), None) == (None, absent)
    assert function(sample, f"write_{codec}")(None, absent, (), None) is absent


def test_the_tests_of_json_types_tell_them_apart() -> None:
    kinds = {"string": "a", "integer": 1, "number": 1.5, "boolean": True, "object": {}, "array": []}
    for kind, test in TESTS.items():
        passed = {name for name, value in kinds.items() if eval(test.format("value"), {"value": value})}
        assert passed == {kind} | ({"integer"} if kind == "number" else set())


def _outcome(write: Any, value: Any, wire: Any, sample: Package) -> Any:
    """What a value becomes, or its error, and the losses."""
    writer = sample.module("runtime.conversion.writer").Writer(wire, lambda loss: None, "error")
    writer.names["now"] = "now"
    try:
        written = write(value, ((), "x"), writer)
    except sample.module("runtime.errors").ConversionError as error:
        written = str(error)
    return repr(written), writer.losses


@pytest.mark.parametrize(
    "provider", ["bedrock", "gemini", "mistral", "openai_chat", "openai_compatible", "openai_responses", "vertex"]
)
def test_results_and_texts_that_are_plain_are_written_as_by_the_general_path(sample: Package, provider: str) -> None:
    models, converter = sample.module("runtime.models"), sample.provider(provider).to_messages.__self__
    general: dict[str, Any] = {"elsewhere": {}}  # nothing to report, but not plain
    values = [*VALUES, {"a": {"$ref": "b"}}, {"output": "a"}, {"error": "a"}, {"__type": "a"}, float, "\u00a0"]
    for value in values:
        for kind in ("text", "data", "error", "x"):
            for name, call, failed in (("now", "call_0", None), ("", "a b", None), ("then", "call_0", True)):
                plain = models.ToolResult(call, name, kind, value, failed)
                other = models.ToolResult(call, name, kind, value, failed, metadata=general)
                write = converter.write_tool_result
                assert _outcome(write, plain, converter.wire, sample) == _outcome(write, other, converter.wire, sample)
        for kind in (models.UserMessage, models.AssistantMessage):
            plain, other = [kind("x"), kind(value)], [kind("x"), kind(value, metadata=general)]
            if type(value) is str:
                assert _messages(converter, plain) == _messages(converter, other)


def _messages(converter: Any, messages: list[Any]) -> Any:
    losses: list[Any] = []
    return converter.to_messages(messages, on_loss=losses.append), losses
