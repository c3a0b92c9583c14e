"""Settings and results of runs."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypedDict

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
from .handlers import (
    OtherHandler,
    Review,
    Verdict,
    callable_names,
    check_functions,
    check_review,
    check_timeout,
    relax_tool_choice,
)

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

__all__ = [
    "RunResult",
    "RunSettings",
    "StoppedBy",
    "add_output_format",
    "check_other_handlers_and_review",
    "check_settings",
    "correction_message",
    "parse_output",
    "total_usage",
]


StoppedBy: TypeAlias = Literal["end", "limit", "length", "content_filter", "error", "cancelled", "held", "stop"]

_COUNTS = tuple(field.name for field in fields(Usage) if field.name != "metadata")
"""The token counts of a usage."""

_MAX_FAULTS = 20
"""Maximum number of faults that a correction lists."""

_VALUE = "value"
"""The only property of the object that contains an output that is not an object."""


@dataclass(slots=True)
class RunResult:
    """The result of a run.

    Attributes:
        completion: The last response.
        messages: The whole conversation: the messages of the request, and all that were added.
        turns: The number of turns: responses whose calls were run, and those with which the provider paused.
        stopped_by: Why the run ended. `end`: the model made no more calls. `limit`: no turns are left, and the calls of
            `completion` were not run, or the provider has paused once more. `length`, `content_filter`, `error`: the response ended early. `held`: the calls
            in `pending` wait for a verdict or a result. `stop`: the setting `stop` ended it. `cancelled`: the setting
            `cancelled` ended it.
        usage: The tokens of all responses together; None if no response states them.
        pending: The calls that wait for a verdict or a result.
        output: The value that `output=Model` asked for; None if the response did not match it.
        error: The API's error, if it ended a stream with one, or stated one in a response.
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
        """The text of the last response."""
        return text_of(self.completion.message)


def total_usage(usages: Sequence[Usage]) -> Usage | None:
    """Add up token counts. A count that no response has is None, and so is the total without any usage."""
    if not usages:
        return None
    totals: dict[str, Any] = {}
    for name in _COUNTS:
        values = [getattr(usage, name) for usage in usages]
        counts = [value for value in values if type(value) is int]
        totals[name] = sum(counts) if counts else None
    return Usage(**totals)


class RunSettings(TypedDict, total=False):
    """The settings of a run. All of them are optional. Each function may be async: what it returns is awaited."""

    max_tool_turns: int
    """Maximum number of turns; default: 10."""
    at_limit: Literal["stop", "answer"]
    """What to do at this limit: "stop" (default), or "answer" with one more request, where no tools can be called."""
    review: Review | None
    """Decides on each high-risk call before it runs. `allow_all` allows all calls."""
    verdicts: Mapping[str, Verdict]
    """Verdicts on calls of the history without a result, by call id."""
    results: Sequence[ToolResult]
    """Results of such calls that the app obtained elsewhere."""
    others: Mapping[str, OtherHandler]
    """Functions of a `ToolCall` for undeclared tools, by name. They are high-risk unless `low_risk` lists them."""
    low_risk: Collection[str]
    """Names of tools in `others` whose calls run concurrently and without review."""
    prepare: Callable[[Request], Request | Awaitable[Request]] | None
    """Called with each request before it is sent. Returns the request to send."""
    on_answer: Callable[[Completion], object] | None
    """Called with each response before its calls run."""
    stop: Callable[[Usage | None, int], bool | Awaitable[bool]] | None
    """Called after each turn with the usage so far and the number of turns. Returns whether to end the run."""
    around: Around | None
    """Called instead of each handler: `around(call, arguments, proceed)`. `await proceed(arguments)` runs the handler."""
    output: type[Any] | None
    """A pydantic model for the last response. `RunResult.output` is its instance."""
    max_parallel: int
    """Maximum number of low-risk calls that run at once; default: 8."""
    timeout: float | None
    """Time limit of each handler, in seconds."""
    on_error: OnError | None
    """Called with each exception that a handler or review raises."""
    on_result: OnResult | None
    """Called with each result as soon as it is available."""
    on_message: Callable[[Message], object] | None
    """Called with each message that is added to the conversation, so that nothing is lost if sending fails."""
    on_loss: OnLoss | None
    """Called with each loss of a request before it is sent, and of the arguments of a call before it runs. That of the
    session is called with them too, and a function that is both only once."""
    cancelled: Callable[[], bool | Awaitable[bool]] | None
    """Called between steps. Returns whether to end the run."""


def check_settings(settings: Mapping[str, object]) -> None:
    """Check that all settings exist, because a misspelled one could silently disable a review, and have valid values.

    Raises:
        TypeError: Some settings are unknown; the message lists them with similar names. Or the timeout is not a number,
            or a function is something else.
        ValueError: The timeout is NaN, or `at_limit` is unknown.
    """
    names = list(RunSettings.__annotations__)
    unknown: list[str] = []
    for name in settings:
        if name not in names:
            near = get_close_matches(name[:64], names, n=3, cutoff=0.5)
            unknown.append(f"{name} (did you mean {' or '.join(near)}?)" if near else name)
    if unknown:
        raise TypeError(f"unknown setting {', '.join(unknown)}; the settings of a run are {', '.join(names)}")
    check_timeout(settings.get("timeout"))
    check_functions(settings)
    if settings.get("at_limit") not in (None, "stop", "answer"):
        raise ValueError('at_limit must be "stop" or "answer"')


def check_other_handlers_and_review(
    request: Request, declared: Collection[str], low_risk: Collection[str], settings: RunSettings
) -> None:
    """Check that all tools of a run are declared or handled, and that calls of high-risk tools are reviewed.

    Raises:
        TypeError: Some tools are not handled. The message lists them.
    """
    others = settings.get("others", {})
    # the requests after the first one may call more tools, so these are checked
    names = callable_names(replace(request, tool_choice=relax_tool_choice(request.tool_choice)))
    unknown = [name for name in names if name not in declared and name not in others]
    if unknown:
        raise TypeError(
            f"the request offers tools that are neither declared nor handled: {', '.join(unknown)}; pass "
            "others={name: function of a ToolCall}"
        )
    all_low_risk = {*low_risk, *settings.get("low_risk", ())}
    check_review(names, all_low_risk, settings.get("review"), settings.get("verdicts"))


class _SchemaOfOutput(NamedTuple):
    """The JSON Schema of an output, and whether the value is the property `value` of an object, which APIs require."""

    schema: dict[str, Any]
    is_wrapped: bool


def _output_schema(adapter: TypeAdapter[Any]) -> _SchemaOfOutput:
    """Return the JSON Schema of a type."""
    schema = adapter.json_schema()
    shared = {"$defs": schema.pop("$defs")} if "$defs" in schema else {}
    root = shared.get("$defs", {}).get(schema.get("$ref", "").rpartition("/")[2], schema)
    if root.get("type") == "object":
        return _SchemaOfOutput({**root, **shared}, is_wrapped=False)
    wrapper = {
        "type": "object",
        "properties": {_VALUE: schema},
        "required": [_VALUE],
        "additionalProperties": False,
        **shared,
    }
    return _SchemaOfOutput(wrapper, is_wrapped=True)


def add_output_format(request: Request, output: type[Any], *, in_text: bool, has_schemas: bool) -> Request:
    """Request a response that matches a type: by the API's output format, and also by a prompt if `in_text` is set.

    If the API has no output schemas, its output format is JSON.
    """
    from pydantic import TypeAdapter

    schema = _output_schema(TypeAdapter(output)).schema
    if request.output_format is None:
        output_schema = OutputSchema(schema, name=getattr(output, "__name__", None))
        request = replace(request, output_format=output_schema if has_schemas else "json")
    if not in_text:
        return request
    instruction = f"Answer with one JSON value and nothing else. It must fit this JSON Schema:\n{json.dumps(schema)}"
    return replace(request, messages=[SystemMessage(instruction), *request.messages])


def parse_output(output: type[Any], message: AssistantMessage) -> Any:
    """Parse the text of a response as a value of the type. A fence around the JSON is removed.

    Raises:
        ValidationError: The value does not match the type.
    """
    from pydantic import TypeAdapter

    text = text_of(message).strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        text = text[text.index("\n") + 1 : -3]
    adapter = TypeAdapter(output)
    if text.startswith("{") and _output_schema(adapter).is_wrapped:
        text = _unwrap(text)
    return adapter.validate_json(text)


def _unwrap(text: str) -> str:
    """Return the JSON text of the property `value`. Text that is anything but an object with it is unchanged."""
    try:
        wrapper = json.loads(text)
    except ValueError:
        return text
    if not isinstance(wrapper, dict) or wrapper.keys() != {_VALUE}:
        return text
    return json.dumps(wrapper[_VALUE])


def correction_message(error: ValidationError) -> UserMessage:
    """Return the message about a response that does not match its schema, with locations and reasons, but no values."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)[:_MAX_FAULTS]
    lines = [f"/{'/'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults]
    return UserMessage("The answer does not match the schema. Answer again, with JSON only.\n" + "\n".join(lines))
