"""Public functions of a package say what their arguments are, and what they return."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from tests.support.generated import Package
from tests.support.repository import PROFILES

FUNCTIONS = (
    *("tools", "to_tools", "from_tools", "to_tool_choice", "from_tool_choice", "to_tool_call", "to_tool_result"),
    *("to_messages", "from_messages", "to_request", "from_request", "to_sdk", "from_response", "to_response"),
    *("from_tool_calls", "from_error", "iter_events", "aiter_events"),
)

MODULES = {
    "models": ("dump", "load"),
    "messages": ("has_tool_calls", "is_tool_result", "text_of", "tool_calls_of", "validate", "repair", "expand"),
    "tools": ("parse_call", "dispatch", "dispatch_sync", "dispatch_all"),
    "running": ("run", "run_stream", "arun", "arun_stream", "allow_all", "combined"),
    "sessions": ("connect", "connect_async"),
}

METHODS = ("send", "pieces", "complete", "stream", "send_with_tools", "send_tool_results")
"""Public methods of both kinds of session."""


def undocumented(function: Any) -> list[str]:
    """The parameters of a function that its docstring does not describe."""
    text = inspect.getdoc(function) or ""
    described = text.partition("Args:")[2]
    return [
        str(parameter).split(":")[0].split("=")[0].strip()
        for parameter in inspect.signature(function).parameters.values()
        if parameter.name not in ("self", "cls") and f"{parameter.name}:" not in described
    ]


def says_what_it_returns(function: Any) -> bool:
    """Whether the docstring of a function describes its result, where it has one."""
    text = inspect.getdoc(function) or ""
    returns = inspect.signature(function).return_annotation
    return returns in (None, "None") or any(f"\n{section}:\n" in text for section in ("Returns", "Yields"))


def functions(sample: Package) -> Iterator[tuple[str, Any]]:
    """All public functions. Those that only pass their arguments on, with narrower types, are documented where they pass them."""
    for module, names in MODULES.items():
        for name in names:
            yield f"{module}.{name}", getattr(sample.module(module), name)
    yield "tools.parse_arguments", sample.module("tools").TOOL_SET.parse_arguments
    for kind in ("Session", "AsyncSession"):
        for name in METHODS:
            yield f"running.{kind}.{name}", getattr(getattr(sample.module("running"), kind), name)
    for provider in PROFILES:
        module = sample.provider(provider)
        for name in FUNCTIONS:
            if hasattr(module, name):
                yield f"{provider}.{name}", getattr(module._converter if name == "tools" else module, name)
        for method in ("feed", "finish", "partial_arguments"):
            if hasattr(module, "Stream") and hasattr(module.Stream, method):
                yield f"{provider}.Stream.{method}", getattr(module.Stream, method)
        if hasattr(module, "StreamWriter"):
            yield f"{provider}.StreamWriter.write", module.StreamWriter.write


def test_a_function_without_a_description_is_found() -> None:
    def bare(choice: str) -> None:
        """Do something."""

    def counting(choice: str) -> int:
        """Count something.

        Args:
            choice: What to count.
        """
        return len(choice)

    assert undocumented(bare) == ["choice"]
    assert says_what_it_returns(bare)
    assert (undocumented(counting), says_what_it_returns(counting)) == ([], False)


def test_public_functions_describe_their_arguments_and_results(sample: Package) -> None:
    checked = dict(functions(sample))
    assert len(checked) > 300
    assert {name: missing for name, function in checked.items() if (missing := undocumented(function))} == {}
    assert [name for name, function in checked.items() if not says_what_it_returns(function)] == []


def test_to_response_says_that_it_returns_an_object_except_for_text(sample: Package) -> None:
    modules = {name: sample.provider(name) for name in PROFILES if hasattr(sample.provider(name), "to_response")}
    annotations = {
        name: str(inspect.signature(module.to_response).return_annotation) for name, module in modules.items()
    }
    assert {name for name, annotation in annotations.items() if annotation != "dict[str, Any]"} == {"prompt"}
