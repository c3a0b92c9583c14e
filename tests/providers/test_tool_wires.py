"""Wires that have tools, calls and results alone: the laws on what was sent over them, and the tables."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.providers import laws, single_laws
from tests.support.every_row import grouped
from tests.support.generated import Package
from tests.support.hostile import spoiled_everywhere
from tests.support.repository import CONVERSING, OWN_CODE, SINGLE, recordings, table
from tests.support.wires import TOOL_WIRES, WIRES

each_provider = pytest.mark.parametrize("provider", SINGLE)


def exchanges(keep: Callable[[Any], object]) -> Any:
    parameters = [pytest.param(p, r, id=f"{p}-{r['id']}") for p in SINGLE for r in recordings(p) if keep(r)]
    return grouped("provider, recording", parameters)


def is_done(recording: Any) -> bool:
    """Whether an exchange has no result, or one that is a result."""
    return "input_required" not in recording["tags"]


each_exchange = exchanges(is_done)
each_result = exchanges(lambda recording: recording["result"] is not None and is_done(recording))


@each_exchange
def test_what_was_sent_is_accepted_by_the_sdks_types(provider: str, recording: Any) -> None:
    wire = TOOL_WIRES[provider]
    known_to_one = "everything-declared" in recording["id"]  # `execution` is a key of one revision alone
    assert [fault for tool in recording["tools"] for fault in wire.tool_faults(tool)] == [] or known_to_one
    assert wire.call_faults(recording["call"]) == []
    if recording["result"] is not None:
        assert wire.result_faults(recording["result"]) == []


@each_exchange
def test_law_1_what_was_read_is_written_as_it_came(sample: Package, provider: str, recording: Any) -> None:
    single_laws.wire_comes_back(sample, provider, recording)


@each_exchange
def test_law_2_what_was_written_is_read_as_it_was(sample: Package, provider: str, recording: Any) -> None:
    single_laws.format_comes_back(sample, provider, recording)


@each_exchange
def test_law_4_what_is_written_is_accepted(sample: Package, provider: str, recording: Any) -> None:
    single_laws.types_are_legal(sample, provider, recording)


@each_exchange
def test_law_5_what_is_unknown_is_kept(sample: Package, provider: str, recording: Any) -> None:
    single_laws.unknown_is_kept(sample, provider, recording)


META_SCHEMA = Draft202012Validator(Draft202012Validator.META_SCHEMA)


@cache
def is_schema(text: str) -> bool:
    return bool(META_SCHEMA.is_valid(json.loads(text)))


def is_sound(tool: Any) -> bool:
    """Whether a tool's schema is one; some that were recorded have types that there are not."""
    return is_schema(laws.exact(getattr(tool, "parameters", None) or {}))


CONVERSATIONS = [pytest.param(source, target, id=f"{source}-{target}") for source in OWN_CODE for target in SINGLE]


@grouped("source, target", CONVERSATIONS)
def test_law_6_tools_calls_and_results_of_a_conversation_go_out(sample: Package, source: str, target: str) -> None:
    module, wire = sample.provider(target), TOOL_WIRES[target]
    options: dict[str, Any] = {"on_loss": lambda loss: None, "on_unsupported": "weaken"}
    done = 0
    for recording in recordings(source):
        request = laws.read(sample, source, recording["request"])
        for tool in module.to_tools([t for t in request.tools or [] if is_sound(t)], **options):
            assert wire.tool_faults(tool) == []
        for message in request.messages:
            for call in sample.module("messages").tool_calls_of(message):
                written = module.to_tool_call(call, **options)
                assert wire.call_faults(written) == []
                back = module.from_tool_call(written)
                assert laws.exact(back.arguments) == laws.exact(call.arguments)
                done += 1
            for result in getattr(message, "results", ()):
                assert wire.result_faults(module.to_tool_result(result, **options)) == []
                done += 1
    assert done >= 10


@each_result
def test_law_6_a_result_goes_on_to_every_conversation(sample: Package, provider: str, recording: Any) -> None:
    """Its texts and values are there, or a loss speaks of them; what the wire alone understands stays after."""
    result, _ = single_laws.make_result(sample, provider, recording)
    models = sample.module("models")
    for target in CONVERSING:
        losses: list[Any] = []
        call = models.ToolCallPart(models.ToolCall(single_laws.CALL, result.name, {}))
        history = [models.UserMessage("Go."), models.AssistantMessage([call]), models.ToolMessage([result])]
        body = laws.write(sample, target, models.Request(history, model="m"), losses)
        assert WIRES[target].order_faults(body) == []
        dumped = json.dumps(body, ensure_ascii=False).replace("\\", "")
        texts = [result.value] if isinstance(result.value, str) else []
        if result.kind == "multimodal":
            texts = [part.text for part in result.value if type(part) is models.TextPart]
            reported = [loss.path for loss in losses]
            media = [i for i, part in enumerate(result.value) if type(part) is not models.TextPart]
            for i in media:
                part = result.value[i]
                is_there = (part.url or part.data) in dumped
                assert is_there or any(path.startswith(f"messages[2].results[0].value[{i}]") for path in reported)
        assert [
            text for text in texts if json.dumps(text, ensure_ascii=False)[1:-1].replace("\\", "") not in dumped
        ] == []
        assert "example.org" not in dumped


RESULTS = [
    pytest.param(p, kind, row, id=f"{p}-{kind}-{i}")
    for p in SINGLE
    for kind, rows in table(p)["results"].items()
    for i, row in enumerate(rows)
]


HEAD = {"toolCallId": "call_a", "name": "now"}


def tool_result(provider: str, models: Any, kind: str, value: Any, is_error: bool | None = None, **more: Any) -> Any:
    """A result that knows of its call what this wire must be told."""
    metadata = {**table(provider).get("result_metadata", {}), **more.pop("metadata", {})} or None
    return models.ToolResult("call_a", "now", kind, value, is_error, metadata=metadata, **more)


@grouped("provider, kind, row", RESULTS)
def test_a_result_is_sent_and_read_as_the_table_says(
    sample: Package, models: Any, provider: str, kind: str, row: Any
) -> None:
    module, losses = sample.provider(provider), []
    result = tool_result(
        provider, models, kind, models.load(models.ToolResult, {**HEAD, "kind": kind, "value": row["value"]}).value
    )
    wire = module.to_tool_result(result, on_loss=losses.append)
    assert laws.exact(wire) == laws.exact(row["wire"])
    assert losses == []
    assert TOOL_WIRES[provider].result_faults(wire) == []
    back = module.from_tool_result(wire, "call_a", "now")
    if "read" in row:
        result.kind, result.value = row["read"]
    assert laws.exact(models.dump(back)) == laws.exact(models.dump(result))


@each_provider
def test_a_call_has_the_id_that_it_is_given_or_one_that_is_made(sample: Package, models: Any, provider: str) -> None:
    module, row = sample.provider(provider), table(provider)["call"]
    call = models.load(models.ToolCall, row["value"])
    assert module.to_tool_call(call) == row["wire"]
    assert single_laws.find_call_id_and_name(sample, provider, row["wire"]) == call
    without = {key: value for key, value in row["wire"].items() if value != call.id}
    calls_made = module.from_tool_calls([without] * 2, turn=3)
    assert [call_made.id for call_made in calls_made] == ["call_3_0", "call_3_1"]
    assert all("$synthetic" in json.dumps(call_made.metadata[provider]) for call_made in calls_made)
    assert module.from_tool_calls(without, turn=3) == calls_made[:1]
    assert [module.to_tool_call(call_made) for call_made in calls_made] == [without] * 2
    if without == row["wire"]:
        assert module.from_tool_call(without, " ").id == "call_0_0"
    for key in row["wire"].keys() - row.get("any", []):
        with pytest.raises(models.ConversionError, match=f"^{key}: "):
            module.from_tool_call({**row["wire"], key: 1})
        with pytest.raises(models.ConversionError, match=f"^{key}: "):
            module.from_tool_calls({**row["wire"], key: 1})


@each_provider
def test_a_failure_that_holds_more_than_a_text_says_so(sample: Package, models: Any, provider: str) -> None:
    module = sample.provider(provider)
    for kind, value in (
        ("data", {"a": 1}),
        ("data", [1]),
        ("multimodal", [models.TextPart("a"), models.TextPart("b")]),
    ):
        result = tool_result(provider, models, kind, value, True)
        back = module.from_tool_result(module.to_tool_result(result, on_loss=lambda loss: None), "call_a", "now")
        assert back == result or back.kind == "error"


@each_provider
def test_what_is_never_sent_is_no_loss(sample: Package, models: Any, provider: str) -> None:
    module, losses = sample.provider(provider), []
    plain = module.to_tool_result(tool_result(provider, models, "text", "x"))
    more = tool_result(provider, models, "text", "x", output_ref=models.OutputRef("o"), trimmed=True)
    assert module.to_tool_result(more, on_loss=losses.append) == plain
    assert losses == []


MEDIA = ["metadata.elsewhere.signature", "value[0].detail", "value[0].metadata.elsewhere.signature", "value[1]"]
"""What is told of a result with an image and a block, where images have a place."""


@each_provider
def test_state_of_others_stays_behind_and_is_reported(sample: Package, models: Any, provider: str) -> None:
    module, state = sample.provider(provider), {"elsewhere": {"signature": "s"}}
    image = models.ImagePart(data="AA==", media_type="image/png", detail="low", metadata=state)
    own = models.OpaquePart("elsewhere", {"signature": "s"})
    tool = models.ToolDefinition("t", parameters={"type": "object", "properties": {}}, metadata=state)
    values: list[tuple[Any, Any, list[str]]] = [
        (module.to_tools, [tool, own], ["[0].metadata.elsewhere.signature", "[1]"]),
        (module.to_tool_call, models.ToolCall("a", "t", {}, metadata=state), ["metadata.elsewhere.signature"]),
        (
            module.to_tool_result,
            tool_result(provider, models, "multimodal", [image, own], metadata=state),
            sorted(table(provider).get("told_of_media", MEDIA)),
        ),
    ]
    for write, value, paths in values:
        losses: list[Any] = []
        assert "signature" not in json.dumps(write(value, on_loss=losses.append))
        assert sorted(loss.path for loss in losses) == paths


@each_exchange
def test_hostile_values_are_read_or_refused_at_their_place(
    sample: Package, models: Any, provider: str, recording: Any
) -> None:
    """What was read goes out again as it came, if it was JSON, and a name that the wire would take."""
    module, name = (
        sample.provider(provider),
        single_laws.find_call_id_and_name(sample, provider, recording["call"]).name,
    )
    losses: list[Any] = []
    options: dict[str, Any] = {"on_loss": losses.append, "on_unsupported": "weaken"}
    readers = [
        ("tools", module.from_tools, module.to_tools),
        ("call", lambda value: single_laws.find_call_id_and_name(sample, provider, value), module.to_tool_call),
        ("result", lambda value: module.from_tool_result(value, "call_a", name), module.to_tool_result),
    ]
    for key, read, write in readers:
        for *_, value in spoiled_everywhere(recording[key]) if recording[key] is not None else ():
            losses.clear()
            try:
                value_read = read(copy.deepcopy(value))
                back = write(value_read, **options)
            except models.ConversionError:
                continue
            if any(loss.what == "a tool's name" for loss in losses):
                continue
            text = json.dumps(value, sort_keys=True)
            assert json.dumps(back, sort_keys=True) == text or "NaN" in text
