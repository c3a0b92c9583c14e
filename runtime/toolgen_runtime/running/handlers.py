"""Handlers and reviews: check the methods that run tools, select the tools of a request, and decide about calls."""

from __future__ import annotations

import inspect
import math
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from types import FunctionType, MethodType
from typing import Any, NamedTuple, TypeAlias, cast
from weakref import ref

from pydantic import BaseModel

from ..models import AllowedToolChoice, NamedToolChoice, OpaquePart, Request, ToolCall, ToolChoice, ToolDefinition
from ..tools.tool_entries import ToolEntry

__all__ = [
    "Allow",
    "Deny",
    "Edit",
    "Hold",
    "OtherHandler",
    "Review",
    "Verdict",
    "allow_all",
    "callable_names",
    "callable_tools",
    "check_functions",
    "check_handlers",
    "check_review",
    "combined",
    "relax_tool_choice",
]


@dataclass(frozen=True, slots=True)
class Allow:
    """Run the call as it is."""


@dataclass(frozen=True, slots=True)
class Deny:
    """Do not run the call. The model gets the reason, unchanged."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """Run the call with these arguments: an instance of the tool's model, or an object, which is validated."""

    arguments: BaseModel | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Hold:
    """Hold the call. The run ends without its result, and a later run, in any process, decides on it."""


Verdict: TypeAlias = Allow | Deny | Edit | Hold
"""The decision of a review about a call."""

Review: TypeAlias = Callable[[ToolCall, Any], Verdict | Awaitable[Verdict]]
"""Decides on a call before a high-risk tool runs. It may be async, for example to wait for a person.

The arguments are an instance of the tool's model. For a tool that is not declared, they are the call's own object.
"""

OtherHandler: TypeAlias = Callable[[ToolCall], object]
"""Handles a tool that is not declared. It gets the call, and returns what a handler returns. It may be async."""


def allow_all(call: ToolCall, arguments: object) -> Allow:
    """A review that allows every call. Use it to run high-risk tools without a review.

    Args:
        call: The call.
        arguments: The arguments of the call.

    Returns:
        Always `Allow()`.
    """
    return Allow()


def check_review(
    names: Iterable[str], low_risk: Collection[str], review: Review | None, verdicts: Mapping[str, Verdict] | None
) -> None:
    """Check that calls of high-risk tools are reviewed.

    Raises:
        TypeError: There is no review, but some tools are high-risk; the message lists them. Or the review is not a
            function, or a verdict is not one.
    """
    if verdicts is not None:
        _check_verdicts(verdicts)
    high_risk = [name for name in names if name not in low_risk]
    if review is not None and not callable(review):
        raise TypeError(f"review must be a function of a call and its arguments, not {type(review).__name__}")
    if review is None and high_risk:
        raise TypeError(
            f"these tools are high-risk, but no review is given: {', '.join(high_risk)}; pass review=... to decide on "
            "each call, or review=allow_all to allow all calls"
        )


def _check_verdicts(verdicts: object) -> None:
    """Check the verdicts that the app passes.

    Raises:
        TypeError: They are not a mapping to verdicts.
    """
    if not isinstance(verdicts, Mapping):
        raise TypeError(f"verdicts must be a mapping of call ids to verdicts, not {type(verdicts).__name__}")
    for verdict in verdicts.values():
        if not isinstance(verdict, Verdict):
            raise TypeError(f"a verdict must be Allow, Deny, Edit or Hold, not {type(verdict).__name__}")


def callable_tools(request: Request) -> list[ToolDefinition | OpaquePart]:
    """Return the tools that the response to a request may call. A list of names excludes the provider's own tools."""
    tools, choice = request.tools or [], request.tool_choice
    if choice == "none":
        return []
    if isinstance(choice, NamedToolChoice):
        names = [choice.name]
    elif isinstance(choice, AllowedToolChoice):
        names = choice.names
    else:
        return list(tools)
    return [tool for tool in tools if isinstance(tool, ToolDefinition) and tool.name in names]


def callable_names(request: Request) -> list[str]:
    """Return the names of the tools of the app that the response to a request may call."""
    return [tool.name for tool in callable_tools(request) if isinstance(tool, ToolDefinition)]


def relax_tool_choice(choice: ToolChoice | None) -> ToolChoice | None:
    """Return the tool choice for all requests after the first one: the same tools, but no forced call."""
    if isinstance(choice, AllowedToolChoice):
        return replace(choice, mode="auto") if choice.mode == "required" else choice
    return choice if choice in (None, "auto", "none") else "auto"


def check_timeout(timeout: object) -> None:
    """Check the time limit of a handler, in seconds.

    Raises:
        TypeError: The value is neither a number nor None.
        ValueError: The value is NaN.
    """
    if timeout is None:
        return
    if isinstance(timeout, bool) or not isinstance(timeout, int | float):
        raise TypeError(f"timeout must be a number of seconds or None, not {type(timeout).__name__}")
    if math.isnan(timeout):
        raise ValueError("timeout must be a number of seconds, not NaN")


_FUNCTION_SETTINGS = (
    "prepare",
    "on_answer",
    "stop",
    "around",
    "on_error",
    "on_result",
    "on_message",
    "on_loss",
    "on_hold",
    "cancelled",
)


def check_functions(settings: Mapping[str, Any]) -> None:
    """Check that settings that are functions can be called, and that `others` is a mapping of functions.

    Raises:
        TypeError: One of them is something else.
    """
    others = settings.get("others") or {}
    if not isinstance(others, Mapping):
        raise TypeError(f"others must be a mapping of names to functions, not {type(others).__name__}")
    functions = {name: settings[name] for name in _FUNCTION_SETTINGS if settings.get(name) is not None}
    functions |= {f"others[{name!r}]": function for name, function in others.items()}
    for name, function in functions.items():
        if not callable(function):
            raise TypeError(f"{name} must be a function, not {type(function).__name__}")


class _Checked(NamedTuple):
    """A successful check: of what, for which tools, and how many attributes of its own it had then."""

    subject: ref[object]
    entries: Mapping[str, ToolEntry]
    attribute_count: int


_CHECKED: dict[int, _Checked] = {}
"""Objects and classes that have all handlers, by identity."""


def check_handlers(entries: Mapping[str, ToolEntry], protocol: type, handlers: object) -> None:
    """Check that handlers have a method for each tool.

    Raises:
        TypeError: Methods are missing, or cannot be called with one argument. The message lists them.
    """
    cls = type(handlers)
    if _was_checked(cls, entries, 0) or _was_checked(handlers, entries, len(_own_attributes(handlers))):
        return
    names = [entry.module for entry in entries.values()]
    missing = [name for name in names if _is_missing(handlers, protocol, name)]
    uncallable = [name for name in names if name not in missing and not _takes_one_argument(getattr(handlers, name))]
    if missing or uncallable:
        problems = [f"has no method {', '.join(missing)}"] if missing else []
        if uncallable:
            problems.append(f"has methods that cannot be called with one argument: {', '.join(uncallable)}")
        raise TypeError(_describe_problem(handlers, " and ".join(problems)))
    attributes = _own_attributes(handlers)
    if all(hasattr(cls, name) and name not in attributes for name in names):
        _remember(cls, entries, 0)
    else:
        _remember(handlers, entries, len(attributes))


def _was_checked(subject: object, entries: Mapping[str, ToolEntry], attribute_count: int) -> bool:
    """Return whether this object or class passed the check for these tools, with as many attributes as it has now."""
    checked = _CHECKED.get(id(subject))
    return (
        checked is not None
        and checked.subject() is subject
        and checked.entries is entries
        and checked.attribute_count == attribute_count
    )


def _remember(subject: object, entries: Mapping[str, ToolEntry], attribute_count: int) -> None:
    """Note that an object or class passed the check."""
    identity = id(subject)
    with suppress(TypeError):  # objects without weak references are checked each time
        reference = ref(subject, lambda reference: _CHECKED.pop(identity, None))
        _CHECKED[identity] = _Checked(reference, entries, attribute_count)


def _own_attributes(handlers: object) -> Mapping[str, object]:
    """Return the attributes of an object that its class does not have."""
    return vars(handlers) if hasattr(handlers, "__dict__") else {}


def _describe_problem(handlers: object, problem: str) -> str:
    """Describe what is wrong with handlers. A class has functions where an instance has methods."""
    if isinstance(handlers, type):
        name = handlers.__name__
        return f"handlers must be an instance, {name}(), not the class {name}, which {problem}"
    return f"{type(handlers).__name__} {problem}"


def _is_missing(handlers: object, protocol: type, name: str) -> bool:
    """Return whether handlers have no method, or only the one without code that they inherit from the protocol."""
    method = getattr(handlers, name, None)
    return method is None or getattr(method, "__func__", None) is vars(protocol).get(name)


def _takes_one_argument(method: object) -> bool:
    """Return whether a value can be called with one argument, as far as its signature tells."""
    if not callable(method):
        return False
    function = getattr(method, "__func__", method)
    if type(function) is FunctionType and not function.__dict__:  # its code object says everything
        code = function.__code__
        argument_count = 2 if isinstance(method, MethodType) else 1
        required_count = code.co_argcount - len(function.__defaults__ or ())
        is_variadic = bool(code.co_flags & inspect.CO_VARARGS)
        fits = required_count <= argument_count and (is_variadic or argument_count <= code.co_argcount)
        return fits and code.co_kwonlyargcount <= len(function.__kwdefaults__ or ())
    try:
        inspect.signature(method).bind(None)
    except TypeError:
        return False
    except ValueError:  # nothing is known about functions written in C
        return True
    return True


def combined(*sources: object) -> Any:
    """Combine several objects with handlers into one. A tool is handled by the first object that has its method.

    Args:
        *sources: Objects with handlers.

    Returns:
        An object with the handlers of all of them.
    """
    return _Combined(sources)


class _Combined:
    """Looks up a method in several objects, in order."""

    def __init__(self, sources: tuple[object, ...]) -> None:
        self._sources = sources

    def __getattr__(self, name: str) -> Callable[..., object]:
        for source in self._sources:
            method = getattr(source, name, None)
            if method is not None:
                return cast("Callable[..., object]", method)
        raise AttributeError(name)
