"""The classes of the format are what the standard library makes of their text, though it makes most of it late."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pydantic
import pytest

from toolgen.render.package import models_text
from toolgen.resolve.catalog import Format, FormatField, FormatType
from toolgen_runtime import models
from toolgen_runtime.lazy_dataclass import replace
from toolgen_runtime.models import AssistantMessage, InvalidCall, TextPart, ToolCall, ToolCallPart

CLASSES = sorted(name for name in models.__all__ if hasattr(getattr(models, name), "__dataclass_fields__"))
GENERATOR = Path(models.__file__).parents[2]


def as_checkers_see(source: str, module: types.ModuleType) -> None:
    """Run a module with the standard library's decorator, and with no `__init__` but those that it makes."""
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            node.body = [item for item in node.body if not isinstance(item, ast.If)]
        elif isinstance(node, ast.If):
            assert ast.unparse(node.test) == "TYPE_CHECKING"
            node.test = ast.Constant(True)
    exec(compile(ast.fix_missing_locations(tree), module.__name__, "exec"), module.__dict__)


@pytest.fixture(scope="module")
def standard() -> Any:
    module = types.ModuleType("toolgen_runtime.standard_models")
    module.__package__ = models.__package__
    sys.modules[module.__name__] = module
    as_checkers_see(Path(models.__file__).read_text("utf-8"), module)
    yield module
    del sys.modules[module.__name__]


def told(field: dataclasses.Field[Any]) -> tuple[Any, ...]:
    return tuple(getattr(field, name) for name in dataclasses.Field.__slots__)


def test_there_are_classes() -> None:
    assert len(CLASSES) > 40
    assert "ToolCall" in CLASSES


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_is_what_the_standard_library_makes_of_its_text(standard: Any, name: str) -> None:
    ours, theirs = getattr(models, name), getattr(standard, name)
    assert dataclasses.is_dataclass(ours)
    assert list(map(told, dataclasses.fields(ours))) == list(map(told, dataclasses.fields(theirs)))
    assert repr(ours.__dataclass_params__) == repr(theirs.__dataclass_params__)
    assert inspect.signature(ours) == inspect.signature(theirs)
    assert ours.__init__.__annotations__ == theirs.__init__.__annotations__
    for member in (
        "__slots__",
        "__match_args__",
        "__hash__",
        "__doc__",
        "__annotations__",
        "__qualname__",
        "__bases__",
    ):
        assert getattr(ours, member) == getattr(theirs, member), member
    assert sorted(vars(theirs).keys() - vars(ours).keys()) == []


@pytest.mark.parametrize("name", CLASSES)
def test_values_are_alike(standard: Any, name: str) -> None:
    ours, theirs = getattr(models, name), getattr(standard, name)
    required = [f.name for f in dataclasses.fields(ours) if f.default is dataclasses.MISSING]
    mine, other = (kind(*required) for kind in (ours, theirs))
    named = ours(**{name: name for name in required})
    assert repr(mine) == repr(other)
    assert (dataclasses.asdict(mine), dataclasses.astuple(mine)) == (
        dataclasses.asdict(other),
        dataclasses.astuple(other),
    )
    assert mine == named
    assert mine != other
    for field in dataclasses.fields(ours):
        changed = replace(mine, **{field.name: 0.5})
        assert changed != mine
        assert getattr(changed, field.name) == 0.5
        assert changed == dataclasses.replace(mine, **{field.name: 0.5})
    for made in (copy.copy(mine), copy.deepcopy(mine), pickle.loads(pickle.dumps(mine))):
        assert made == mine
        assert made is not mine
    with pytest.raises(TypeError, match="unhashable"):
        hash(mine)
    with pytest.raises(AttributeError):
        mine.another = 1
    with pytest.raises(TypeError):
        ours(*required, another=1)


def call() -> ToolCall:
    return ToolCall("a", "t", {"x": [1]}, InvalidCall("{", "malformed"))


def test_a_copy_is_as_deep_as_was_asked() -> None:
    one = call()
    assert copy.copy(one).arguments is one.arguments
    assert copy.deepcopy(one).arguments is not one.arguments
    assert pickle.loads(pickle.dumps(one)) == one
    assert dataclasses.asdict(one)["invalid"] == {"text": "{", "reason": "malformed"}


def test_a_value_that_holds_itself_has_a_text() -> None:
    one = call()
    one.metadata = {"self": one}
    assert repr(one).endswith("metadata={'self': ...})")


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


WITHOUT = """
import sys
from toolgen_runtime.models import InvalidCall, ToolCall
from toolgen_runtime.lazy_dataclass import replace
one = ToolCall("a", "t", {})
assert replace(one, name="u") == ToolCall("a", "u", {}) != one
assert "dataclasses" not in sys.modules
print(one)
assert "dataclasses" in sys.modules
assert type(vars(ToolCall)["__dataclass_fields__"]) is dict
assert type(vars(InvalidCall)["__dataclass_fields__"]) is not dict
"""


def test_dataclasses_are_imported_by_who_asks_for_one() -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT], cwd=GENERATOR, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "ToolCall(id='a', name='t', arguments={}, invalid=None, metadata=None)\n"


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
    made: dict[str, Any] = {"__name__": models.__name__, "__package__": models.__package__}
    exec(compile(text, "own_models", "exec"), made)
    own, bare = made["Own"]("a", 1), made["Bare"]()
    assert repr(own) == "Own(self='a', x=1)"
    assert replace(own, x=2) == made["Own"](self="a", x=2)
    assert (repr(bare), bare == made["Bare"](), dataclasses.fields(bare)) == ("Bare()", True, ())
