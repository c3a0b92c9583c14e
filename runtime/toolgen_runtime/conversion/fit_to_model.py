"""What the model of a request needs otherwise than its API in general: the request is fitted before it is written.

The facts of the model (`conversion/model_facts.py`) come before what the request says and before spellings that were kept,
and each change is a loss that names the model and the fact.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from ..models import (
    AllowedToolChoice,
    AssistantMessage,
    ContentPart,
    Message,
    OpaquePart,
    OutputSchema,
    Reasoning,
    ReasoningPart,
    RefusalPart,
    Request,
    SystemMessage,
    TextPart,
    ToolMessage,
    ToolResult,
    UserMessage,
)
from ..paths import ROOT, Path
from ..serialization import to_camel_case
from .extras import ABSENT, NO_EXTRAS, Extras, extra_at, without_extra_at
from .model_facts import NO_FACTS, ModelFacts, ReasoningFacts
from .objects import DEFAULTS_OF_FIELDS
from .request_tools import has_tools_for_provider, requires_call
from .wire import ProviderWire
from .writer import Action, Severity, Writer, describe_as_text

__all__ = [
    "TOKENS_OF_EFFORTS",
    "accepts_output_schema",
    "fit_body_to_model",
    "fit_request_to_model",
    "is_reasoning",
    "report_for_model",
]

_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""The efforts, from the lowest."""

TOKENS_OF_EFFORTS: Mapping[str, int] = {
    "minimal": 1024,
    "low": 2048,
    "medium": 8192,
    "high": 16384,
    "xhigh": 24576,
    "max": 32768,
}
"""The number of reasoning tokens that stands for an effort where a model has only one of the two."""

_FIELDS = {to_camel_case(field.name): field.name for field in fields(Request)}
"""The attributes of a request by the names of the format."""

_DEFAULTS = {**DEFAULTS_OF_FIELDS, "temperature": 1, "topP": 1}
"""The values of parameters that mean the same as none."""


def report_for_model(
    writer: Writer, at: Path, what: str, action: Action, reason: str, fact: str, severity: Severity = "note"
) -> None:
    """Report a change that a fact of the request's model makes necessary.

    Raises:
        ConversionError: The severity is `behaviour`, and `on_unsupported` is "error".
    """
    writer.report_loss(at, what, action, f"{writer.model_facts.model} {reason} (fact {fact} of the model)", severity)


def fit_request_to_model(request: Request, writer: Writer) -> Request:
    """Return a request that its model accepts, as far as the facts of the model are known.

    Raises:
        ConversionError: It requires something that the model cannot do, and `on_unsupported` is "error".
    """
    facts = writer.model_facts
    if facts is NO_FACTS:
        return request
    request = _fit_reasoning(request, facts.reasoning, writer)
    refused: dict[str, Any] = {_FIELDS[name]: None for name in _refused_parameters(request, facts, writer)}
    request = replace(request, **refused) if refused else request
    for fit in (_fit_tools, _fit_choice, _fit_parallel_calls, _fit_output, _fit_limits, _fit_messages):
        request = fit(request, facts, writer)
    return request


def is_reasoning(request: Request, facts: ModelFacts, extras: Extras = NO_EXTRAS) -> bool:
    """Return whether the model reasons for a request: because it says so, or by the model's default.

    `extras` are what was kept of a body.
    """
    reasoning = request.reasoning
    if facts.reasoning.thinking == "none":
        return False
    if reasoning is not None and reasoning.effort is not None and not _is_effort_without_thinking(reasoning, facts):
        return reasoning.effort != "none"
    if reasoning is not None and reasoning.budget_tokens is not None:
        return reasoning.budget_tokens > 0
    for path, values in facts.reasoning.switches.items():
        value = extra_at(extras, *path.split("."))
        if value is not ABSENT:
            return value in values
    return facts.reasoning.default not in (None, "none")


def _is_effort_without_thinking(reasoning: Reasoning, facts: ModelFacts) -> bool:
    """Return whether an effort says how much to write, but does not switch thinking on, which has a form of its own."""
    return facts.reasoning.thinking in ("enabled", "any") and reasoning.effort != "none"


# Reasoning.


def _fit_reasoning(request: Request, facts: ReasoningFacts, writer: Writer) -> Request:
    """Return a request whose reasoning settings are of a form that the model has."""
    at, reasoning = (ROOT, "reasoning"), request.reasoning
    if reasoning is not None:
        fitted = _fit_effort(reasoning, facts, at, writer)
        fitted = _fit_budget(fitted, facts, at, writer)
        if fitted != reasoning:
            is_empty = fitted.effort is None and fitted.budget_tokens is None
            request = replace(request, reasoning=None if is_empty else fitted)
    if facts.beside_tools in ("none", "stated_none") and has_tools_for_provider(request.tools, writer.wire):
        request = _fit_effort_beside_tools(request, facts.beside_tools, at, writer)
    return request


def _fit_effort_beside_tools(request: Request, beside_tools: str, at: Path, writer: Writer) -> Request:
    """Return a request with tools whose effort is `none`, because the model's API rejects any other one beside them."""
    effort = request.reasoning.effort if request.reasoning is not None else None
    reason, fact = "takes tools only beside the effort none", "reasoning.beside_tools"
    if effort == "none" or (effort is None and beside_tools == "none"):
        return request
    if effort is None:
        report_for_model(writer, at, "effort", "defaulted", reason, fact)
    else:
        report_for_model(writer, (at, "effort"), "effort", "rewritten", reason, fact, "warning")
    return replace(request, reasoning=replace(request.reasoning or Reasoning(), effort="none"))


def _fit_effort(reasoning: Reasoning, facts: ReasoningFacts, at: Path, writer: Writer) -> Reasoning:
    """Return settings with an effort that the model has: the nearest one, or a number of tokens in its place."""
    effort, here, fact = reasoning.effort, (at, "effort"), "reasoning.efforts"
    if effort is None or facts.efforts is None or effort in facts.efforts or effort not in _EFFORTS:
        return reasoning
    if facts.efforts:
        nearest = _nearest_effort(effort, facts.efforts)
        severity: Severity = "warning" if effort == "none" else "note"
        reason = f"has no effort {effort}, and the nearest one is {nearest}"
        report_for_model(writer, here, "effort", "rewritten", reason, fact, severity)
        return replace(reasoning, effort=nearest)
    if facts.budget and reasoning.budget_tokens is None:
        tokens = TOKENS_OF_EFFORTS.get(effort, 0)
        report_for_model(
            writer, here, "effort", "rewritten", f"takes a number of tokens in place of efforts: {tokens}", fact
        )
        return replace(reasoning, effort=None, budget_tokens=tokens)
    severity = "note" if reasoning.budget_tokens is not None or effort == "none" else "warning"
    report_for_model(writer, here, "effort", "dropped", "takes no effort", fact, severity)
    return replace(reasoning, effort=None)


def _nearest_effort(effort: str, efforts: Sequence[str]) -> str:
    """Return the nearest of some efforts; of two that are as near, the higher one."""
    rank = _rank(effort)
    return min(efforts, key=lambda name: (abs(_rank(name) - rank), -_rank(name)))


def _rank(effort: str) -> int:
    """Return the place of an effort among all. One that only some host has, such as `default`, is in the middle."""
    return _EFFORTS.index(effort if effort in _EFFORTS else "medium")


def _fit_budget(reasoning: Reasoning, facts: ReasoningFacts, at: Path, writer: Writer) -> Reasoning:
    """Return settings with a number of tokens that the model takes, or with an effort in its place."""
    tokens, here, fact = reasoning.budget_tokens, (at, "budgetTokens"), "reasoning.budget"
    if tokens is None or facts.budget is None:
        return reasoning
    if facts.budget is not False:
        fitted = _tokens_in_range(tokens, facts.budget)
        if fitted != tokens:
            report_for_model(
                writer, here, "budgetTokens", "rewritten", f"takes {fitted} instead of {tokens}", fact, "warning"
            )
        return replace(reasoning, budget_tokens=fitted)
    efforts = facts.efforts or ()
    if reasoning.effort is None and efforts:
        effort = _nearest_effort(_effort_of_tokens(tokens), efforts)
        reason = f"takes an effort in place of a number of tokens: {effort}"
        report_for_model(writer, here, "budgetTokens", "rewritten", reason, fact)
        return Reasoning(effort, None, reasoning.metadata)
    severity: Severity = "note" if reasoning.effort is not None or tokens == 0 else "warning"
    report_for_model(writer, here, "budgetTokens", "dropped", "takes no number of tokens", fact, severity)
    return replace(reasoning, budget_tokens=None)


def _tokens_in_range(tokens: int, limits: Mapping[str, Any]) -> int:
    """Return the nearest number of tokens that is allowed. 0, which means no reasoning, may be apart from the others."""
    if tokens == 0 and limits.get("off"):
        return 0
    least: int = limits.get("least", tokens)
    most: int = limits.get("most", max(tokens, least))
    return min(max(tokens, least), most)


def _effort_of_tokens(tokens: int) -> str:
    """Return the lowest effort that stands for at least this number of tokens."""
    if tokens <= 0:
        return "none"
    return next((effort for effort, most in TOKENS_OF_EFFORTS.items() if tokens <= most), "max")


# Parameters.


def _refused_parameters(request: Request, facts: ModelFacts, writer: Writer) -> list[str]:
    """Return the names of parameters that the model refuses, and report them. Names of keys on the wire are left out."""
    refused: list[str] = []
    for name, fact, accepted in _rules_about(request, facts, writer):
        if name in _FIELDS and name not in refused and _is_refused(getattr(request, _FIELDS[name]), accepted):
            refused.append(name)
            _report_refused(name, getattr(request, _FIELDS[name]), accepted, fact, writer)
    for group in facts.exclusive:
        stated = [name for name in group if name not in refused and getattr(request, _FIELDS[name]) is not None]
        for name in stated[1:]:
            refused.append(name)
            reason = f"refuses {name} beside {stated[0]}"
            report_for_model(writer, (ROOT, name), name, "dropped", reason, "exclusive", "warning")
    return refused


def _rules_about(request: Request, facts: ModelFacts, writer: Writer) -> Iterable[tuple[str, str, Any]]:
    """Yield parameters with the name of the fact about them, and what is accepted of them for this request."""
    for name, accepted in facts.parameters.items():
        yield name, f"parameters.{name}", accepted
    if facts.while_reasoning and is_reasoning(request, facts, writer.peek_extras(request.metadata)):
        for name, accepted in facts.while_reasoning.items():
            yield name, f"while_reasoning.{name}", accepted


def _is_refused(value: Any, accepted: Any) -> bool:
    """Return whether a value is not accepted. `accepted` is a list of values, or false for no value."""
    if value is None or value is ABSENT or accepted is True or type(accepted) is str:
        return False
    return accepted is False or value not in accepted


def _report_refused(name: str, value: Any, accepted: Any, fact: str, writer: Writer) -> None:
    """Report a parameter that the model refuses. Single calls are a demand; other parameters change how it writes."""
    severity: Severity = "behaviour" if name == "parallelToolCalls" else "warning"
    if name in _DEFAULTS and _DEFAULTS[name] == value:
        severity = "note"
    reason = f"refuses {name}" if accepted is False else f"accepts only {accepted} for {name}"
    report_for_model(writer, (ROOT, name), name, "dropped", reason, fact, severity)


def fit_body_to_model(body: dict[str, Any], request: Request, writer: Writer) -> dict[str, Any]:
    """Return a body without the keys that the model refuses. Some have another name for this model.

    These are keys without a field, which were kept or belong to a patch.
    """
    facts = writer.model_facts
    if facts is NO_FACTS:
        return body
    for name, fact, accepted in _rules_about(request, facts, writer):
        path = tuple(name.split("."))
        value = extra_at(body, *path)
        if name in _FIELDS or value is ABSENT:
            continue
        at: Path = ((ROOT, "metadata"), writer.wire.name)
        if type(accepted) is str:
            body = _with_renamed_key(body, name, accepted)
            report_for_model(writer, at, name, "rewritten", f"takes {accepted} in place of {name}", fact)
        elif type(value) is list and type(accepted) is list and name in body:
            items = [item for item in value if item in accepted]
            if items != value:
                body = {**body, name: items} if items else without_extra_at(body, *path)
                reason = f"accepts only {', '.join(map(str, accepted))} in {name}"
                report_for_model(writer, at, name, "rewritten" if items else "dropped", reason, fact, "warning")
        elif _is_refused(value, accepted):
            body = without_extra_at(body, *path)
            report_for_model(writer, at, name, "dropped", f"refuses {name}", fact, "warning")
    return body


def _with_renamed_key(body: dict[str, Any], name: str, new_name: str) -> dict[str, Any]:
    """Return a body in which a key has another name, unless that one has a value too."""
    if new_name in body:
        return {key: value for key, value in body.items() if key != name}
    return {new_name if key == name else key: value for key, value in body.items()}


# Tools, output and limits.


def _fit_tools(request: Request, facts: ModelFacts, writer: Writer) -> Request:
    """Return a request without tools, and without settings about them, if the model cannot call any."""
    if facts.tools is not False or not has_tools_for_provider(request.tools, writer.wire):
        return request
    report_for_model(writer, (ROOT, "tools"), "tools", "dropped", "cannot call tools", "tools", "behaviour")
    return replace(request, tools=None, tool_choice=None, parallel_tool_calls=None)


def _fit_choice(request: Request, facts: ModelFacts, writer: Writer) -> Request:
    """Return a request that leaves the choice to a model that cannot be forced to call."""
    choice = request.tool_choice
    is_reasoning_only = facts.forced_choice == "unless_reasoning"
    if (
        not requires_call(choice)
        or facts.forced_choice in (None, True)
        or (is_reasoning_only and not is_reasoning(request, facts, writer.peek_extras(request.metadata)))
    ):
        return request
    reason = "cannot be forced to call a tool" + (" while it reasons" if is_reasoning_only else "")
    report_for_model(writer, (ROOT, "toolChoice"), "toolChoice", "dropped", reason, "forced_choice", "behaviour")
    return replace(request, tool_choice=replace(choice, mode="auto") if type(choice) is AllowedToolChoice else "auto")


def _fit_parallel_calls(request: Request, facts: ModelFacts, writer: Writer) -> Request:
    """Return a request without the setting for parallel calls if the model makes one call at a time anyway."""
    if facts.parallel_calls is not False or request.parallel_tool_calls is None:
        return request
    reason = "makes one call at a time"
    report_for_model(
        writer, (ROOT, "parallelToolCalls"), "parallelToolCalls", "dropped", reason, "parallel_calls", "note"
    )
    return replace(request, parallel_tool_calls=None)


def _fit_output(request: Request, facts: ModelFacts, writer: Writer) -> Request:
    """Return a request with an output format that the model has, also beside tools."""
    output, at = request.output_format, (ROOT, "outputFormat")
    if output is None or output == "text" or not facts.output:
        return request
    severity: Severity = "behaviour" if type(output) is OutputSchema and output.strict else "warning"
    if rejects_output_beside_tools(request, facts, writer.wire):
        reason = "has no output format beside tools"
        report_for_model(writer, at, "outputFormat", "dropped", reason, "output.beside_tools", severity)
        return replace(request, output_format=None)
    kind = "schema" if type(output) is OutputSchema else "json"
    if facts.output.get(kind) is not False:
        return request
    if kind == "schema" and facts.output.get("json") is not False:
        reason = "has JSON output, but without a schema"
        report_for_model(writer, at, "outputFormat", "narrowed", reason, "output.schema", severity)
        return replace(request, output_format="json")
    report_for_model(writer, at, "outputFormat", "dropped", "writes text only", f"output.{kind}", severity)
    return replace(request, output_format=None)


def rejects_output_beside_tools(request: Request, facts: ModelFacts, wire: ProviderWire) -> bool:
    """Return whether the model takes no output format in a request with these tools."""
    return facts.output.get("beside_tools") is False and has_tools_for_provider(request.tools, wire)


def accepts_output_schema(request: Request, wire: ProviderWire) -> bool:
    """Return whether the model of a request takes an output schema in it, as far as the facts of the model say."""
    facts = wire.model_facts(request.model)
    return facts.output.get("schema") is not False and not rejects_output_beside_tools(request, facts, wire)


def _fit_limits(request: Request, facts: ModelFacts, writer: Writer) -> Request:
    """Return a request whose number of output tokens is one that the model takes."""
    most, tokens = facts.limits.get("output"), request.max_output_tokens
    if most is None or tokens is None or tokens <= most:
        return request
    reason = f"writes at most {most:,} tokens"
    report_for_model(
        writer, (ROOT, "maxOutputTokens"), "maxOutputTokens", "rewritten", reason, "limits.output", "warning"
    )
    return replace(request, max_output_tokens=most)


# Messages.


def _fit_messages(request: Request, facts: ModelFacts, writer: Writer) -> Request:
    """Return a request whose messages the model accepts: media that it takes, and no answer that it shall continue."""
    messages = request.messages
    is_continued = facts.prefill in (None, True) or (
        facts.prefill == "unless_reasoning" and not is_reasoning(request, facts, writer.peek_extras(request.metadata))
    )
    if not is_continued:
        messages = _without_prefill(messages, facts, writer)
    if facts.system is False:
        messages = [_as_user_message(message, i, writer) for i, message in enumerate(messages)]
    kinds = facts.media.get("input")
    if kinds is not None:
        messages = [_with_media(message, i, kinds, writer) for i, message in enumerate(messages)]
    kinds = facts.media.get("results", kinds)
    if kinds is not None:
        messages = _with_media_after_results(messages, kinds, writer)
    return request if messages is request.messages else replace(request, messages=messages)


def _without_prefill(messages: list[Message], facts: ModelFacts, writer: Writer) -> list[Message]:
    """Return messages that do not end with an answer. System messages at the end count if they stay there."""
    while_reasoning = "" if facts.prefill is False else " while it reasons"
    reason = f"does not continue an answer{while_reasoning}: the conversation must end with the user"
    end = len(messages)
    system: list[Message] = []
    while end and (_is_prefill(messages[end - 1]) or _is_moved(messages[end - 1], facts)):
        end -= 1
        if type(messages[end]) is SystemMessage:
            system.insert(0, messages[end])
        else:
            at = ((ROOT, "messages"), end)
            report_for_model(writer, at, "the last message", "dropped", reason, "prefill", "behaviour")
    return messages if end + len(system) == len(messages) else [*messages[:end], *system]


def _is_moved(message: Message, facts: ModelFacts) -> bool:
    """Return whether a message is a system message that is moved before the others."""
    return type(message) is SystemMessage and not facts.inline_system and facts.system is not False


def _as_user_message(message: Message, index: int, writer: Writer) -> Message:
    """Return a system message as one of the user, and others as they are."""
    if type(message) is not SystemMessage:
        return message
    at = ((ROOT, "messages"), index)
    report_for_model(writer, at, "a system message", "rewritten", "takes no system message", "system", "warning")
    return UserMessage(message.content, message.name)


def _with_media_after_results(messages: list[Message], kinds: Collection[str], writer: Writer) -> list[Message]:
    """Return messages in which media that results cannot have follow the results of their turn in a user message.

    A user message that follows anyway gets them. A result keeps the description of what was moved.
    """
    arranged: list[Message] = []
    moved: list[ContentPart] = []
    for i, message in enumerate(messages):
        if moved and type(message) is UserMessage:
            content = message.content
            further = [TextPart(content)] if isinstance(content, str) else content
            message, moved = replace(message, content=[*moved, *further]), []
        elif moved and type(message) is not ToolMessage:
            arranged.append(UserMessage(moved))
            moved = []
        if type(message) is ToolMessage:
            at = (((ROOT, "messages"), i), "results")
            results = [
                _without_media(result, (at, j), kinds, moved, writer) for j, result in enumerate(message.results)
            ]
            message = message if results == message.results else replace(message, results=results)
        arranged.append(message)
    if moved:
        arranged.append(UserMessage(moved))
    return arranged if any(new is not old for new, old in zip(arranged, messages, strict=False)) else messages


def _without_media(
    result: ToolResult, at: Path, kinds: Collection[str], moved: list[ContentPart], writer: Writer
) -> ToolResult:
    """Return a result in which media that it cannot have are described. They are added to `moved`."""
    if result.kind != "multimodal" or type(result.value) is not list:
        return result
    value: list[ContentPart] = []
    for i, part in enumerate(result.value):
        if type(part) in (TextPart, OpaquePart) or part.type in kinds:
            value.append(part)
            continue
        here, what = ((at, "value"), i), type(part).__name__
        media = writer.model_facts.media
        if part.type not in media.get("input", (part.type,)):
            report_for_model(writer, here, what, "described", "does not take it", "media.input", "warning")
        elif media.get("after_results") is False:
            report_for_model(writer, here, what, "described", "does not take it", "media.after_results", "warning")
        else:
            reason = "takes it after the results of the turn"
            report_for_model(writer, here, what, "moved", reason, "media.results")
            moved.append(part)
        value.append(TextPart(describe_as_text(part)))
    if value == result.value:
        return result
    if any(type(part) is not TextPart for part in value):
        return replace(result, value=value)
    text = "\n".join(part.text for part in value if type(part) is TextPart)
    return replace(result, kind="error" if result.is_error else "text", value=text, is_error=None)


def _is_prefill(message: Message) -> bool:
    """Return whether a message at the end is an answer or the begin of one. One with opaque parts paused its turn."""
    if type(message) is not AssistantMessage:
        return False
    content = message.content
    return bool(content) and (type(content) is str or all(type(part) in _ANSWER_PARTS for part in content or ()))


_ANSWER_PARTS = (TextPart, ReasoningPart, RefusalPart)


def _with_media(message: Message, index: int, kinds: Collection[str], writer: Writer) -> Message:
    """Return a message in which media that the model does not take are described."""
    if type(message) is not UserMessage or isinstance(message.content, str):
        return message
    at = (((ROOT, "messages"), index), "content")
    reason = f"{writer.model_facts.model} does not take it (fact media.input of the model)"
    content: list[ContentPart] = []
    for i, part in enumerate(message.content):
        is_taken = type(part) in (TextPart, OpaquePart) or part.type in kinds
        content.append(part if is_taken else writer.describe_part(part, (at, i), reason))
    return message if content == message.content else replace(message, content=content)
