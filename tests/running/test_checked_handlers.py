"""Handlers are looked at once: what was seen counts for their class, or for an object with attributes of its own."""

from __future__ import annotations

import copy
import functools
import gc
import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tests.running.calls import call
from tests.support.every_row import over
from tests.support.generated import Package
from tests.support.runnable_project import Handlers

METHODS = ("read_file", "grep", "write_file", "run_command")


class Plain:
    """Holds functions as attributes."""


def single(args: Any) -> Any:
    return "one"


def with_default(args: Any, more: Any = None) -> Any:
    return "default"


def with_keyword(args: Any, *, more: Any = None) -> Any:
    return "keyword"


def of_any(*args: Any) -> Any:
    return "any"


def of_all(*args: Any, **more: Any) -> Any:
    return "all"


def by_position(args: Any, /) -> Any:
    return "position"


def none() -> Any: ...


def two(first: Any, second: Any) -> Any: ...


def keyword_alone(*, args: Any) -> Any: ...


def keyword_needed(args: Any, *, more: Any) -> Any: ...


def one_of_two_keywords(args: Any, *, more: Any, less: Any = None) -> Any: ...


def keywords(**more: Any) -> Any: ...


@functools.wraps(two)
def wrapping(args: Any) -> Any: ...


@functools.wraps(single)
def wrapped(*args: Any) -> Any:
    return "wrapped"


def signed(*args: Any) -> Any: ...


signed.__signature__ = inspect.signature(none)  # type: ignore[attr-defined]


class Instance:
    def __call__(self, args: Any) -> Any:
        return "called"


class Bound:
    def single(self, args: Any) -> Any:
        return "bound"

    def none(self) -> Any: ...

    def two(self, first: Any, second: Any) -> Any: ...

    def of_any(*args: Any) -> Any:
        return "any"

    @classmethod
    def of_class(cls, args: Any) -> Any:
        return "class"

    @staticmethod
    def of_none(args: Any) -> Any:
        return "static"


FUNCTIONS: list[Callable[..., Any]] = [
    *(single, with_default, with_keyword, of_any, of_all, by_position, none, two, keyword_alone, keyword_needed),
    *(one_of_two_keywords, keywords, wrapping, wrapped, signed, Instance(), Instance, len, print),
    *(
        Bound().single,
        Bound().none,
        Bound().two,
        Bound().of_any,
        Bound().of_class,
        Bound.of_class,
        Bound.of_none,
        Bound.single,
    ),
    *(
        functools.partial(two, 1),
        functools.partial(two),
        lambda args: "lambda",
        lambda: None,
        staticmethod(single),
    ),
]


def takes_one(function: Any) -> bool:
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    return True


@over("function", FUNCTIONS)
@pytest.mark.parametrize("kind", [Plain, SimpleNamespace])
def test_what_can_be_called_with_one_argument_is_taken(runnable: Package, function: Any, kind: Any) -> None:
    handlers = kind()
    for name in METHODS:
        setattr(handlers, name, single)
    handlers.grep = function
    if takes_one(function):
        runnable.module("tools").check_handlers(handlers)
    else:
        with pytest.raises(TypeError, match=r"with one argument: grep$"):
            runnable.module("tools").check_handlers(handlers)


@pytest.mark.parametrize("kind", [Plain, SimpleNamespace])
def test_a_method_that_is_gone_is_named_at_the_next_dispatch(runnable: Package, kind: Any) -> None:
    tools, handlers = runnable.module("tools"), kind()
    for name in METHODS:
        setattr(handlers, name, single)
    tool_call = call(runnable, "read_file", {"path": "a"})
    for _ in range(2):
        assert tools.dispatch_sync(tool_call, handlers).value == "one"
    del handlers.grep, handlers.write_file
    with pytest.raises(TypeError, match="has no method grep, write_file"):
        tools.dispatch_sync(tool_call, handlers)
    handlers.grep = handlers.write_file = single
    assert tools.dispatch_sync(tool_call, handlers).value == "one"


def test_what_was_seen_of_one_object_says_nothing_of_another(runnable: Package) -> None:
    tools = runnable.module("tools")
    tool_call = call(runnable, "read_file", {"path": "a"})
    for n in range(50):
        handlers = Plain()
        for name in METHODS:
            setattr(handlers, name, single if n % 2 else none)
        if n % 2:
            assert tools.dispatch_sync(tool_call, handlers).value == "one"
        else:
            with pytest.raises(TypeError, match="with one argument: grep, read_file, run_command, write_file"):
                tools.dispatch_sync(tool_call, handlers)
        del handlers


def test_an_attribute_serves_before_the_method_of_its_class(runnable: Package) -> None:
    tools, handlers = runnable.module("tools"), Handlers()
    tool_call = call(runnable, "read_file", {"path": "a"})
    assert tools.dispatch_sync(tool_call, handlers).value == "text"
    handlers.read_file = single  # type: ignore[method-assign]  # on purpose: an app may do so
    assert tools.dispatch_sync(tool_call, handlers).value == "one"


@pytest.mark.usefixtures("small_heap")
def test_nothing_keeps_handlers_alive(runnable: Package) -> None:
    tools, gone = runnable.module("tools"), list[str]()

    class Watched(Plain):
        def __del__(self) -> None:
            gone.append("handlers")

    handlers = Watched()
    for name in METHODS:
        setattr(handlers, name, single)
    assert tools.dispatch_sync(call(runnable, "read_file", {"path": "a"}), handlers).value == "one"
    del handlers
    gc.collect()
    assert gone == ["handlers"]


def test_a_class_serves_two_packages_in_turn(runnable: Package, sample: Package) -> None:
    tool_call = call(runnable, "read_file", {"path": "a"})
    for _ in range(3):
        assert runnable.module("tools").dispatch_sync(tool_call, Handlers()).value == "text"
        with pytest.raises(TypeError, match="has no method"):
            sample.module("tools").check_handlers(Handlers())


@pytest.mark.parametrize("extra", [1, [1], {"deeper": [1]}])
def test_arguments_of_a_call_stay_the_call_s_own(runnable: Package, extra: Any) -> None:
    def change(args: Any) -> Any:
        if isinstance(args.extra, dict):
            args.extra["deeper"].append(2)
        elif isinstance(args.extra, list):
            args.extra.append(2)
        args.extra = args.pattern = None
        args.__pydantic_extra__["more"] = 1
        return []

    arguments = {"pattern": "a", "extra": extra}
    before = copy.deepcopy(arguments)
    result = runnable.module("tools").dispatch_sync(call(runnable, "grep", arguments), Handlers(grep=change))
    assert (result.kind, result.value) == ("data", [])
    assert arguments == before
