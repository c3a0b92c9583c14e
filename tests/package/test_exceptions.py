"""Exceptions of the runtime go to other processes and come back whole: by pickle, and by copies."""

from __future__ import annotations

import copy
import importlib
import pickle
import pkgutil
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

import toolgen_runtime
from toolgen_runtime.models import ApiError
from toolgen_runtime.tools.argument_errors import Fault


def arguments(name: str) -> tuple[Any, ...]:
    """What an exception is made of; most take one text."""
    error = ApiError("server", "oops", True, {"openrouter": {"status": 502, "body": {}}})
    fault = Fault("/a", "a string", "null")
    return {
        "ConversionError": ("messages[0].content", "must be a string, found null"),
        "BareApiError": ("", {"error": {"code": 502}}),
        "SessionError": ("openrouter", 502, error),
        "ArgumentsError": ("get_weather", [fault], 3),
    }.get(name, ("it is so",))


def classes() -> list[type[BaseException]]:
    """The exceptions that modules of the runtime define."""
    exceptions: list[type[BaseException]] = []
    for info in pkgutil.walk_packages(toolgen_runtime.__path__, "toolgen_runtime."):
        if info.name.startswith("toolgen_runtime.frameworks."):
            continue
        module = importlib.import_module(info.name)
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, BaseException) and value.__module__ == module.__name__:
                exceptions.append(value)
    return exceptions


WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"pickle {i}": lambda e, i=i: pickle.loads(pickle.dumps(e, i)) for i in range(2, pickle.HIGHEST_PROTOCOL + 1)},
}


@pytest.mark.parametrize("way", WAYS)
def test_every_exception_is_the_same_after_a_copy(way: str) -> None:
    exceptions = classes()
    assert {"ConversionError", "BareApiError", "SessionError", "ArgumentsError", "ConversionLoss", "ToolError"} <= {
        exception.__name__ for exception in exceptions
    }
    for exception in exceptions:
        error = exception(*arguments(exception.__name__))
        error.add_note("seen here")
        again = WAYS[way](error)
        assert (type(again), str(again), repr(again)) == (exception, str(error), repr(error))
        assert vars(again) == vars(error)


def test_an_exception_of_a_worker_arrives() -> None:
    with ProcessPoolExecutor(1) as pool, pytest.raises(ValueError) as raised:
        pool.submit(_work).result()
    assert type(raised.value).__name__ == "ConversionError"


def _work() -> None:
    importlib.import_module("generated.providers.openai_chat").from_response(7)
