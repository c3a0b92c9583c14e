"""The classes of the format are dataclasses with slots, for the code of an app too."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import replace
from typing import Any

import pydantic
import pytest

from toolgen.render.package import models_text
from toolgen.resolve.catalog import Format, FormatField, FormatType
from toolgen_runtime import models
from toolgen_runtime.models import AssistantMessage, InvalidCall, TextPart, ToolCall, ToolCallPart

CLASSES = sorted(name for name in models.__all__ if hasattr(getattr(models, name), "__dataclass_fields__"))


@pytest.mark.parametrize("name", CLASSES)
def test_values_are_those_of_a_dataclass_with_slots(name: str) -> None:
    kind = getattr(models, name)
    fields = dataclasses.fields(kind)
    required = [field.name for field in fields if field.default is dataclasses.MISSING]
    value = kind(*required)
    assert value == kind(**{name: name for name in required})
    for field in fields:
        changed = dataclasses.replace(value, **{field.name: 0.5})
        assert changed != value
        assert getattr(changed, field.name) == 0.5
    for copied in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert copied == value
        assert copied is not value
    with pytest.raises(TypeError, match="unhashable"):
        hash(value)
    with pytest.raises(AttributeError):
        value.another = 1
    with pytest.raises(TypeError):
        kind(*required, another=1)


def call() -> ToolCall:
    return ToolCall("a", "t", {"x": [1]}, InvalidCall("{", "malformed"))


def test_a_copy_is_as_deep_as_was_asked() -> None:
    tool_call = call()
    assert copy.copy(tool_call).arguments is tool_call.arguments
    assert copy.deepcopy(tool_call).arguments is not tool_call.arguments
    assert pickle.loads(pickle.dumps(tool_call)) == tool_call
    assert dataclasses.asdict(tool_call)["invalid"] == {"text": "{", "reason": "malformed"}


def test_a_value_that_holds_itself_has_a_text() -> None:
    tool_call = call()
    tool_call.metadata = {"self": tool_call}
    assert repr(tool_call).endswith("metadata={'self': ...})")


def test_patterns_match_by_position_and_by_name() -> None:
    match AssistantMessage([ToolCallPart(call())]):
        case AssistantMessage([ToolCallPart(ToolCall(identifier, "t", invalid=InvalidCall(reason=reason)))]):
            assert (identifier, reason) == ("a", "malformed")
        case _:
            raise AssertionError


@dataclasses.dataclass(slots=True)
class TimedCall(ToolCall):
    at: float = 0.0


@dataclasses.dataclass(frozen=False)
class NamedPart(TextPart):
    label: str = dataclasses.field(default="", kw_only=True)


class Shouted(TextPart):
    def __init__(self, text: str) -> None:
        super().__init__(text.upper())

    def __repr__(self) -> str:
        return f"!{super().__repr__()}"


def test_an_app_derives_dataclasses() -> None:
    timed = TimedCall("a", "t", {}, at=1.5)
    assert [f.name for f in dataclasses.fields(timed)] == ["id", "name", "arguments", "invalid", "metadata", "at"]
    assert repr(timed) == "TimedCall(id='a', name='t', arguments={}, invalid=None, metadata=None, at=1.5)"
    assert replace(timed, name="u") == TimedCall("a", "u", {}, at=1.5)
    assert timed != ToolCall("a", "t", {})
    assert copy.deepcopy(timed) == timed == pickle.loads(pickle.dumps(timed))
    assert replace(NamedPart("x", label="y"), text="z") == NamedPart("z", label="y")


def test_an_app_derives_plain_classes() -> None:
    shouted = Shouted("x")
    assert (shouted.text, shouted.type) == ("X", "text")
    assert shouted == Shouted("X")
    assert shouted != TextPart("X")
    assert repr(shouted) == "!Shouted(text='X', cache=None, metadata=None, type='text')"
    shouted.more = 1  # type: ignore[attr-defined]


def test_pydantic_reads_them_in_an_apps_own_model() -> None:
    class Turn(pydantic.BaseModel):
        call: ToolCall
        message: AssistantMessage | None = None

    data = {"call": {"id": "a", "name": "t", "arguments": {}}, "message": {"content": [{"text": "x", "type": "text"}]}}
    turn = Turn.model_validate(data)
    assert turn.call == ToolCall("a", "t", {})
    assert turn.message == AssistantMessage([TextPart("x")])
    assert Turn.model_validate_json(turn.model_dump_json()) == turn
    with pytest.raises(pydantic.ValidationError, match="arguments"):
        Turn.model_validate({"call": {"id": "a", "name": "t"}})
    assert pydantic.TypeAdapter(ToolCall).validate_python(call()) == call()


def test_a_project_may_name_a_field_self_and_have_a_type_without_fields() -> None:
    fields = (FormatField("self", "self", {"type": "string"}, True), FormatField("x", "x", {"type": "integer"}, False))
    schemas: dict[str, Any] = {
        "Bare": {"type": "object", "properties": {}},
        "Own": {
            "type": "object",
            "properties": {"self": {"type": "string"}, "x": {"type": "integer"}},
            "required": ["self"],
        },
    }
    types_ = {
        "Bare": FormatType("Bare", "Nothing.", (), (), schemas["Bare"]),
        "Own": FormatType("Own", "Something.", fields, (), schemas["Own"]),
    }
    text = models_text(Format(types_, {"$defs": schemas}))
    namespace: dict[str, Any] = {"__name__": models.__name__, "__package__": models.__package__}
    exec(compile(text, "own_models", "exec"), namespace)
    own, bare = namespace["Own"]("a", 1), namespace["Bare"]()
    assert repr(own) == "Own(self='a', x=1)"
    assert replace(own, x=2) == namespace["Own"](self="a", x=2)
    assert (repr(bare), bare == namespace["Bare"](), dataclasses.fields(bare)) == ("Bare()", True, ())
