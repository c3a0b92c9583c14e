"""Runs: what they can be told, and what they give."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from ..conversion.writer import OnLoss
from ..history import text_of
from ..models import (
    ApiError,
    AssistantMessage,
    Completion,
    Message,
    OutputSchema,
    Request,
    SystemMessage,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from .dispatcher import Around, OnError, OnResult
from .handlers import OtherHandler, Review, Verdict, callable_names, check_review, check_timeout, relax_tool_choice

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = [
    "RunResult",
    "RunSettings",
    "StoppedBy",
    "check_settings",
    "check_tools",
    "correction",
    "parse_output",
    "total_usage",
    "with_output",
]


StoppedBy: TypeAlias = Literal["end", "limit", "length", "content_filter", "error", "cancelled", "held", "stop"]

_COUNTS = tuple(field.name for field in fields(Usage) if field.name != "metadata")


@dataclass(slots=True)
class RunResult:
    """What a run came to.

    `messages` is the whole conversation: the request's, and all that came. `turns` counts the rounds of calls.
    `stopped_by`: `end` the model has no more to call; `limit` the turns are over, and the calls of `completion` did not run;
    `length`, `content_filter` and `error` the answer ended early; `held` the calls in `pending` wait for a verdict or a result;
    `stop` the hook of that name ended it; `cancelled`. `usage` is that of all answers together, None where none of them says what
    it used. `error` is what the API said where it ended a stream in its middle. `output` is what `output=Model` asked for, None where the answer did not fit it.
    """

    completion: Completion
    messages: list[Message]
    turns: int
    stopped_by: StoppedBy
    usage: Usage | None = None
    pending: list[ToolCall] = field(default_factory=list)
    output: Any = None
    error: ApiError | None = None

    @property
    def text(self) -> str:
        """What the model said last."""
        return text_of(self.completion.message)


def total_usage(used: Sequence[Usage]) -> Usage | None:
    """Add the counts up; one that no answer has is None, and so is the whole where no answer has any."""
    if not used:
        return None
    totals: dict[str, Any] = {}
    for name in _COUNTS:
        counts = [count for one in used if type(count := getattr(one, name)) is int]
        totals[name] = sum(counts) if counts else None
    return Usage(**totals)


class RunSettings(TypedDict, total=False):
    """What a run can be told."""

    max_tool_turns: int
    """Rounds of calls after which the run ends with the answer that it has; 10."""
    at_limit: Literal["stop", "answer"]
    """What happens then: nothing more, or one more request in which the model cannot call."""
    review: Review | None
    """Looks at high-risk calls before they run; `allow_all` lets all of them run."""
    verdicts: Mapping[str, Verdict]
    """What a review says of calls of the history that have no result, by their id."""
    results: Sequence[ToolResult]
    """Results of such calls that the app found itself."""
    others: Mapping[str, OtherHandler]
    """Functions of a `ToolCall` that serve tools which are not declared, by name; high-risk unless named in `low_risk`."""
    low_risk: Collection[str]
    """The names of those of them whose calls may run side by side and without a review."""
    prepare: Callable[[Request], Request | Awaitable[Request]] | None
    """Called before each request, and gives the one that is sent."""
    on_answer: Callable[[Completion], object] | None
    """Hears each answer before its calls run."""
    stop: Callable[[Usage | None, int], bool | Awaitable[bool]] | None
    """Asked after each turn, with what was used so far and the number of turns, whether the run shall end."""
    around: Around | None
    """Called instead of each handler: `around(call, arguments, proceed)`; `await proceed(arguments)` runs the handler."""
    output: type[Any] | None
    """A pydantic model that the last answer must fit; `RunResult.output` is it."""
    max_parallel: int
    """Low-risk calls that run at once; 8."""
    timeout: float | None
    """Seconds that a handler may take."""
    on_error: OnError | None
    """Hears what handlers and reviews raise."""
    on_result: OnResult | None
    """Hears each result as soon as there is one."""
    on_message: Callable[[Message], object] | None
    """Hears each message that is added to the conversation, so that it is known where sending fails, which is raised."""
    on_loss: OnLoss | None
    """Hears what the arguments of calls were taken for."""
    cancelled: Callable[[], bool] | None
    """Asked between steps whether the run shall end."""


def check_settings(settings: Mapping[str, object]) -> None:
    """Check that every word is a setting: one that is misspelled would switch a review off in silence.

    Raises:
        TypeError: some are none; all of them are named, with the nearest settings. Or the timeout is not a number.
        ValueError: the timeout is NaN.
    """
    known = list(RunSettings.__annotations__)
    faults = []
    for word in settings:
        if word not in known:
            near = get_close_matches(word[:64], known, n=3, cutoff=0.5)
            faults.append(f"{word} (did you mean {' or '.join(near)}?)" if near else word)
    if faults:
        raise TypeError(f"unknown setting {', '.join(faults)}; the settings of a run are {', '.join(known)}")
    check_timeout(settings.get("timeout"))


def check_tools(request: Request, declared: Collection[str], low_risk: Collection[str], settings: RunSettings) -> None:
    """Check that every tool which may be called in a run is declared or served, and that calls of high-risk ones are reviewed.

    Raises:
        TypeError: some are not; all of them are named.
    """
    others = settings.get("others", {})
    later = replace(request, tool_choice=relax_tool_choice(request.tool_choice))
    names = callable_names(later)
    unknown = [name for name in names if name not in declared and name not in others]
    if unknown:
        raise TypeError(
            f"the request offers tools that are neither declared nor handled: {', '.join(unknown)}; pass "
            "others={name: function of a ToolCall}"
        )
    check_review(names, {*low_risk, *settings.get("low_risk", ())}, settings.get("review"))


_FAULTS = 20
"""Faults that a correction lists."""


def with_output(request: Request, output: type[Any], *, in_text: bool) -> Request:
    """A request whose answer is to fit a type: by the API's own format, or `in_text` by an instruction."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(output).json_schema()
    if request.output_format is None:
        request = replace(request, output_format=OutputSchema(schema, name=getattr(output, "__name__", None)))
    if not in_text:
        return request
    said = f"Answer with one JSON value and nothing else. It must fit this JSON Schema:\n{json.dumps(schema)}"
    return replace(request, messages=[SystemMessage(said), *request.messages])


def parse_output(output: type[Any], message: AssistantMessage) -> Any:
    """The answer as a value of the type; a fence around its JSON is taken off.

    Raises:
        ValidationError: it does not fit.
    """
    from pydantic import TypeAdapter

    text = text_of(message).strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        text = text[text.index("\n") + 1 : -3]
    return TypeAdapter(output).validate_json(text)


def correction(error: ValidationError) -> UserMessage:
    """What the model is told of an answer that does not fit: where and why, without the values."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)[:_FAULTS]
    lines = [f"/{'/'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults]
    return UserMessage("The answer does not match the schema. Answer again, with JSON only." + "\n".join(lines))
