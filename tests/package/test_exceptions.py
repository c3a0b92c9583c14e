"""Exceptions of the runtime go to other processes and come back whole: by pickle, and by copies."""

from __future__ import annotations

import copy
import importlib
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

from tests.support.generated import Package


def arguments(package: Package, name: str) -> tuple[Any, ...]:
    """What an exception is made of; most take one text."""
    error = package.module("models").ApiError("server", "oops", True, {"openrouter": {"status": 502, "body": {}}})
    fault = package.module("runtime.tools.argument_errors").Fault("/a", "a string", "null")
    return {
        "ConversionError": ("messages[0].content", "must be a string, found null"),
        "BareApiError": ("", {"error": {"code": 502}}),
        "SessionError": ("openrouter", 502, error),
        "ArgumentsError": ("get_weather", [fault], 3),
    }.get(name, ("it is so",))


def classes(package: Package) -> list[type[BaseException]]:
    """The exceptions that modules of the runtime define."""
    found: list[type[BaseException]] = []
    for path in package.files:
        if not path.startswith("runtime/"):
            continue
        module = package.module(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, BaseException) and value.__module__ == module.__name__:
                found.append(value)
    return found


WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"pickle {i}": lambda e, i=i: pickle.loads(pickle.dumps(e, i)) for i in range(2, pickle.HIGHEST_PROTOCOL + 1)},
}


@pytest.mark.parametrize("way", WAYS)
def test_every_exception_is_the_same_after_a_copy(package: Package, way: str) -> None:
    found = classes(package)
    assert {"ConversionError", "BareApiError", "SessionError", "ArgumentsError", "ConversionLoss", "ToolError"} <= {
        one.__name__ for one in found
    }
    for one in found:
        made = one(*arguments(package, one.__name__))
        made.add_note("seen here")
        again = WAYS[way](made)
        assert (type(again), str(again), repr(again)) == (one, str(made), repr(made))
        assert vars(again) == vars(made)


def test_an_exception_of_a_worker_arrives() -> None:
    with ProcessPoolExecutor(1) as pool, pytest.raises(ValueError) as raised:
        pool.submit(_work).result()
    assert type(raised.value).__name__ == "ConversionError"


def _work() -> None:
    importlib.import_module("generated.providers.openai_chat").from_response(7)
