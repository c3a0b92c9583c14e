"""Every Python type has one JSON, or is refused by name."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import ipaddress
import math
import pathlib
import uuid
from collections import deque
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, RootModel, SecretStr, field_serializer

from tests.support.generated import Package


class Colour(enum.Enum):
    RED = "red"
    PAIR = (1, 2)


class Number(enum.IntEnum):
    ONE = 1


class Point(NamedTuple):
    x: int
    y: float


@dataclasses.dataclass
class Place:
    name: str
    at: datetime.date


class Said(BaseModel):
    ok: bool = True
    note: str | None = None
    inner: list[Said] = []
    at: float = Field(default=1.5, serialization_alias="where")


class Own(BaseModel):
    value: int = 1

    @field_serializer("value")
    def _value(self, value: int) -> str:
        return f"#{value}"


class Many(RootModel[list[int]]):
    pass


class Hidden(BaseModel):
    key: SecretStr = SecretStr("top")


TABLE: list[tuple[Any, Any]] = [
    (None, None),
    (True, True),
    (2**80, 2**80),
    (1.5, 1.5),
    (math.nan, "NaN"),
    (math.inf, "Infinity"),
    (-math.inf, "-Infinity"),
    ("\ud83d\ude00", "\U0001f600"),
    ("a\ud800b", "a\ufffdb"),
    (Colour.RED, "red"),
    (Colour.PAIR, [1, 2]),
    (Number.ONE, 1),
    (b"\xff\xfe", "//4="),
    (bytearray(b"a"), "YQ=="),
    (memoryview(b"a"), "YQ=="),
    (datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.UTC), "2026-01-02T03:04:00Z"),
    (datetime.date(2026, 1, 2), "2026-01-02"),
    (datetime.time(3, 4), "03:04:00"),
    (datetime.timedelta(days=1, seconds=5), "P1DT5S"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (decimal.Decimal("1.50"), "1.50"),
    (pathlib.PurePosixPath("a/b"), "a/b"),
    (ipaddress.ip_address("10.0.0.1"), "10.0.0.1"),
    ((1, [2]), [1, [2]]),
    (deque([1, 2]), [1, 2]),
    (range(3), [0, 1, 2]),
    ({3, 1, 2}, [1, 2, 3]),
    (frozenset({"b", "a"}), ["a", "b"]),
    (Point(1, 2.5), [1, 2.5]),
    (MappingProxyType({"a": math.nan}), {"a": "NaN"}),
    ({1: "a", None: "b", False: "c", 1.5: "d"}, {"1": "a", "null": "b", "false": "c", "1.5": "d"}),
    ({Colour.RED: 1, uuid.UUID(int=1): 2}, {"red": 1, "00000000-0000-0000-0000-000000000001": 2}),
    (Place("here", datetime.date(2026, 1, 2)), {"name": "here", "at": "2026-01-02"}),
    (Said(), {"ok": True, "inner": [], "where": 1.5}),
    (
        Said(note=None, inner=[Said(ok=False)]),
        {"ok": True, "note": None, "inner": [{"ok": False, "inner": [], "where": 1.5}], "where": 1.5},
    ),
    (Own(value=2), {"value": "#2"}),
    (Many([1, 2]), [1, 2]),
    (Hidden(), {"key": "**********"}),
    ({"$ref": "#/x", "$defs": {}}, {"$ref": "#/x", "$defs": {}}),
]


@pytest.mark.parametrize(
    ("value", "expected"), TABLE, ids=[type(v).__name__ + str(i) for i, (v, _) in enumerate(TABLE)]
)
def test_a_value_has_one_json(runnable: Package, value: Any, expected: Any) -> None:
    value_as_json = runnable.module("runtime.running.results").to_json_value(value)
    assert value_as_json == expected
    assert type(value_as_json) is type(expected)


def loop() -> Any:
    circular: list[Any] = []
    circular.append(circular)
    return circular


REFUSED = [object(), print, int, ValueError("x"), {(1, 2): 1}, {1: 1, "1": 2}, loop()]


@pytest.mark.parametrize("value", REFUSED, ids=lambda value: type(value).__name__)
def test_what_has_no_json_is_refused(runnable: Package, value: Any) -> None:
    module = runnable.module("runtime.running.results")
    with pytest.raises(module.NotJSONError):
        module.to_json_value({"a": [value]})


def test_a_type_of_the_format_is_dumped(runnable: Package) -> None:
    models = runnable.module("models")
    value_as_json = runnable.module("runtime.running.results").to_json_value(
        {"part": models.ImagePart(data="aa", media_type="image/png")}
    )
    assert value_as_json == {"part": {"data": "aa", "mediaType": "image/png", "type": "image"}}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.slow
@given(value=JSON)
def test_plain_json_stays_as_it_is(runnable: Package, value: Any) -> None:
    assert runnable.module("runtime.running.results").to_json_value(value) == value
