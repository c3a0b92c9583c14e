"""The core types of the agent SDK alone: an app that has them moves to any provider without a rewrite."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.providers import laws
from tests.support.generated import Package
from tests.support.repository import recordings

PROVIDER = "agent_sdk"
PIXEL = "iVBORw0KGgo="

TOOLS: list[Any] = [
    {
        "name": "read_file",
        "description": "Read a file.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
    {
        "name": "search",
        "description": "Search.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "required": ["query"],
            "additionalProperties": False,
        },
        "strict": True,
    },
]

HISTORY: list[Any] = [
    {"role": "system", "content": "Be brief.", "cache": True},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "What are these?"},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
            {"type": "document", "source": {"data": "JVBERi0xLjQK", "media_type": "application/pdf"}},
        ],
    },
    {
        "role": "assistant",
        "content": "Let me look.",
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "read_file", "arguments": '{"path":"/a"}'},
                "provider_meta": {"gemini": {"thoughtSignature": "c2ln"}},
            },
            {"id": "call_2", "type": "function", "function": {"name": "search", "arguments": '{"query":"b"}'}},
        ],
    },
    {
        "role": "tool",
        "tool_call_id": "call_1",
        "tool_name": "read_file",
        "content": "line 1",
        "trimmed": True,
        "output_ref": {"id": "out_1", "byte_size": 9, "line_count": 2},
    },
    {"role": "tool", "tool_call_id": "call_2", "tool_name": "search", "content": "no index", "is_error": True},
]
"""An agent's history as the specification has it."""


def moved(sample: Package, models: Any, target: str, losses: list[Any]) -> Any:
    """The request that another provider gets of the app's own messages, tools and choice."""
    module = sample.provider(PROVIDER)
    request = models.Request(
        module.from_messages(copy.deepcopy(HISTORY)),
        model="m",
        tools=module.from_tools(copy.deepcopy(TOOLS)),
        tool_choice=module.from_tool_choice("search"),
        max_output_tokens=99,
    )
    return sample.provider(target).to_request(request, on_loss=losses.append)


def test_an_app_moves_to_chat_completions(sample: Package, models: Any) -> None:
    losses: list[Any] = []
    body = moved(sample, models, "openai_chat", losses)
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "tool", "tool"]
    assert body["messages"][1]["content"][1]["image_url"]["url"] == f"data:image/png;base64,{PIXEL}"
    assert body["messages"][1]["content"][2]["file"]["file_data"] == "data:application/pdf;base64,JVBERi0xLjQK"
    assert body["messages"][2]["tool_calls"][0] == {
        "id": "call_1",
        "type": "function",
        "function": {"name": "read_file", "arguments": '{"path":"/a"}'},
    }
    assert body["messages"][3] == {"role": "tool", "tool_call_id": "call_1", "content": "line 1"}
    assert body["messages"][4]["content"] == '{"error":"no index"}'
    assert body["tool_choice"] == {"type": "function", "function": {"name": "search"}}
    assert [tool["function"].get("strict") for tool in body["tools"]] == [None, True]
    assert [loss for loss in losses if loss.severity != "note"] == []


def test_an_app_moves_to_anthropic(sample: Package, models: Any) -> None:
    losses: list[Any] = []
    body = moved(sample, models, "anthropic", losses)
    assert body["system"] == [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    kinds = [block["type"] for block in body["messages"][0]["content"]]
    assert kinds == ["text", "image", "document"]
    assert [block["type"] for block in body["messages"][1]["content"]] == ["text", "tool_use", "tool_use"]
    results = body["messages"][2]["content"]
    assert [(block["tool_use_id"], block["content"], block.get("is_error")) for block in results] == [
        ("call_1", "line 1", None),
        ("call_2", "no index", True),
    ]
    assert body["tool_choice"]["name"] == "search"
    assert [loss for loss in losses if loss.severity != "note"] == []


def test_an_app_moves_to_gemini_with_the_signature_of_its_call(sample: Package, models: Any) -> None:
    losses: list[Any] = []
    body = moved(sample, models, "gemini", losses)
    parts = body["contents"][1]["parts"]
    assert parts[1]["functionCall"]["args"] == {"path": "/a"}
    assert parts[1]["thoughtSignature"] == "c2ln"
    assert "thoughtSignature" not in parts[2]
    responses = [part["functionResponse"]["response"] for part in body["contents"][2]["parts"]]
    assert responses == [{"output": "line 1"}, {"error": "no index"}]
    assert [loss for loss in losses if loss.severity != "note"] == []


RESPONSES: dict[str, Any] = {
    "openai_chat": {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 7,
        "model": "gpt",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "Hm.",
                    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}],
                },
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {
            "prompt_tokens": 9,
            "completion_tokens": 4,
            "total_tokens": 13,
            "prompt_tokens_details": {"cached_tokens": 5},
        },
    },
    "anthropic": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [
            {"type": "thinking", "thinking": "I must look.", "signature": "c2ln"},
            {"type": "text", "text": "Hm."},
            {"type": "tool_use", "id": "c", "name": "search", "input": {}},
            {"type": "text", "text": "Wait."},
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 4,
            "cache_read_input_tokens": 5,
            "cache_creation_input_tokens": 1,
            "output_tokens": 4,
        },
    },
    "gemini": {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [
                        {"text": "Hm."},
                        {"functionCall": {"name": "search", "args": {}}, "thoughtSignature": "c2ln"},
                    ],
                },
                "finishReason": "STOP",
            }
        ],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4, "totalTokenCount": 13},
        "modelVersion": "gem",
        "responseId": "r",
    },
}


@pytest.mark.parametrize("source", RESPONSES)
def test_what_a_provider_returns_is_an_invocations_completion(sample: Package, source: str) -> None:
    completion = sample.provider(source).from_response(copy.deepcopy(RESPONSES[source]))
    response = sample.provider(PROVIDER).to_response(completion, on_loss=lambda loss: None)
    call = completion.message.content[-1 if source != "anthropic" else 2].call
    wire = {"id": call.id, "type": "function", "function": {"name": "search", "arguments": "{}"}}
    first: dict[str, Any] = {"role": "assistant", "content": "Hm.", "tool_calls": [wire]}
    messages = [first]
    usage = {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13}
    match source:
        case "openai_chat":
            usage = {"model": "gpt", **usage, "input_cached_tokens": 5}
        case "anthropic":
            usage = {"model": "claude", "input_tokens": 10, "output_tokens": 4, "total_tokens": 14}
            usage |= {"input_cached_tokens": 5, "input_cache_creation_tokens": 1}
            first |= {"reasoning": "I must look.", "provider_meta": {"anthropic": {"signature": "c2ln"}}}
            messages = [first, {"role": "assistant", "content": "Wait."}]
        case "gemini":
            usage = {"model": "gem", **usage}
            state = wire.pop("provider_meta", None) or call.metadata
            first["tool_calls"] = [{**wire, "provider_meta": state}]
    assert laws.exact(response["messages"]) == laws.exact(messages)
    assert laws.exact(response["usage"]) == laws.exact(usage)
    assert response["stop_reason"] == {"openai_chat": "tool_calls", "anthropic": "tool_use", "gemini": "STOP"}[source]


@pytest.mark.parametrize("source", RESPONSES)
def test_a_response_kept_in_the_apps_history_goes_back_to_its_provider(
    sample: Package, models: Any, source: str
) -> None:
    """With the state that the provider needs of a call, and of what was thought."""
    module = sample.provider(PROVIDER)
    completion = sample.provider(source).from_response(copy.deepcopy(RESPONSES[source]))
    calls = laws.calls_of(sample, completion)
    messages = module.to_response(completion, on_loss=lambda loss: None)["messages"]
    results = [{"role": "tool", "tool_call_id": c.id, "tool_name": c.name, "content": "found"} for c in calls]
    history = module.from_messages([{"role": "user", "content": "Go."}, *messages, *results])
    body = laws.write(sample, source, models.Request(history, model="m", max_output_tokens=9))
    text = laws.exact(body)
    assert source == "openai_chat" or '"c2ln"' in text
    assert text.count("found") == 1
    assert all(c.id in text for c in calls if source != "gemini")


def test_a_tool_that_is_called_like_a_choice_cannot_be_forced(sample: Package, models: Any) -> None:
    module = sample.provider(PROVIDER)
    for word in ("auto", "none", "required"):
        losses: list[Any] = []
        with pytest.raises(models.ConversionError, match="has another meaning for this name"):
            module.to_tool_choice(models.NamedToolChoice(word))
        assert (
            module.to_tool_choice(models.NamedToolChoice(word), on_loss=losses.append, on_unsupported="weaken") is None
        )
        assert [(loss.what, loss.severity) for loss in losses] == [("toolChoice", "behaviour")]
        assert module.from_tool_choice(word) == word
    assert module.from_tool_choice("place_order") == models.NamedToolChoice("place_order")


def test_a_trimmed_result_is_expanded_from_its_reference(sample: Package) -> None:
    messages = sample.provider(PROVIDER).from_messages(copy.deepcopy(HISTORY))
    result = messages[3].results[0]
    assert (result.trimmed, result.output_ref.id, result.output_ref.byte_size) == (True, "out_1", 9)
    whole = sample.module("messages").expand(result, lambda key: f"all of {key}")
    wire = sample.provider(PROVIDER).to_tool_result(whole)
    assert (wire["content"], wire["trimmed"]) == ("all of out_1", False)


def test_state_of_providers_rides_along_and_a_value_of_the_apps_own_stays(sample: Package, models: Any) -> None:
    module, losses = sample.provider(PROVIDER), []
    state = {"gemini": {"thoughtSignature": "s"}, "anthropic": {"a": 1}}
    call = models.ToolCall("c", "t", {}, metadata=copy.deepcopy(state))
    wire = module.to_tool_call(call, on_loss=losses.append)
    assert wire["provider_meta"] == state
    assert losses == []
    occupied = models.ToolCall("c", "t", {}, metadata={**state, PROVIDER: {"provider_meta": "mine"}})
    assert module.to_tool_call(occupied, on_loss=losses.append)["provider_meta"] == "mine"
    assert [loss.path for loss in losses] == ["metadata.gemini.thoughtSignature", "metadata.anthropic.a"]
    for reserved in ("declaration", "unknown"):
        odd = {
            "id": "c",
            "type": "function",
            "function": {"name": "t", "arguments": "{}"},
            "provider_meta": {reserved: {"x": 1}},
        }
        messages = module.from_messages([{"role": "assistant", "content": None, "tool_calls": [odd]}])
        assert messages[0].content[0].call.metadata == {PROVIDER: {"provider_meta": {reserved: {"x": 1}}}}


def test_an_edited_image_does_not_keep_the_type_of_the_old_one(sample: Package) -> None:
    module = sample.provider(PROVIDER)
    image = {"url": f"data:image/png;base64,{PIXEL}", "media_type": "image/png"}
    part = {"type": "image_url", "image_url": image}
    message = module.from_messages([{"role": "user", "content": [part]}])[0]
    message.content[0].media_type = "image/gif"
    assert module.to_messages([message])[0]["content"][0]["image_url"] == {"url": f"data:image/gif;base64,{PIXEL}"}


def test_what_the_specification_cannot_say_is_reported(sample: Package, models: Any) -> None:
    module, losses = sample.provider(PROVIDER), []
    user = models.UserMessage(
        [
            models.AudioPart(data="AA==", media_type="audio/wav"),
            models.ImagePart(url="ftp://example.com/a.png"),
            models.ImagePart(url="https://example.com/a.avif", media_type="image/avif", detail="original"),
            models.DocumentPart(url="https://example.com/a.pdf"),
            models.DocumentPart(data="AA==", media_type="text/plain"),
        ]
    )
    call = models.ToolCallPart(models.ToolCall("c", "t", {}))
    assistant = models.AssistantMessage(
        [models.TextPart("a"), models.ImagePart(data="AA==", media_type="image/png"), call, models.TextPart("b")]
    )
    result = models.ToolResult("c", "t", "data", {"a": 1}, True)
    wire = module.to_messages([user, assistant, models.ToolMessage([result])], on_loss=losses.append)
    assert wire[0]["content"] == [
        {"type": "text", "text": "[audio]"},
        {"type": "text", "text": "[image: ftp://example.com/a.png]"},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.avif"}},
        {"type": "text", "text": "[document: https://example.com/a.pdf]"},
        {"type": "text", "text": "[document]"},
    ]
    assert wire[1]["content"] == "ab"
    assert (wire[2]["content"], wire[2]["is_error"]) == ('{"a":1}', True)
    assert sorted((loss.path, loss.action) for loss in losses) == [
        ("[0].content[0]", "described"),
        ("[0].content[1]", "described"),
        ("[0].content[2].detail", "dropped"),
        ("[0].content[2].mediaType", "dropped"),
        ("[0].content[3]", "described"),
        ("[0].content[4]", "described"),
        ("[1].content", "rewritten"),
        ("[1].content[1]", "dropped"),
        ("[1].content[3]", "moved"),
        ("[2].results[0].isError", "rewritten"),
        ("[2].results[0].kind", "rewritten"),
        ("[2].results[0].value", "rewritten"),
    ]


def test_a_response_names_its_model_among_the_counts(sample: Package, models: Any) -> None:
    module = sample.provider(PROVIDER)
    assistant = models.AssistantMessage("x")
    for completion, usage, paths in (
        (models.Completion(assistant, "stop", model="m"), None, ["model"]),
        (models.Completion(assistant, "stop", usage=models.Usage(1, 2, 3)), "", ["model"]),
        (
            models.Completion(assistant, "stop", "i", "m", usage=models.Usage(1, 2, 3, reasoning_tokens=1)),
            "m",
            ["id", "usage.reasoningTokens"],
        ),
    ):
        losses: list[Any] = []
        wire = module.to_response(completion, on_loss=losses.append)
        assert wire.get("usage", {}).get("model") == usage
        assert sorted(loss.path for loss in losses) == paths
        assert wire["stop_reason"] == "end_turn"


def test_a_result_without_the_name_of_its_tool_is_refused(sample: Package, models: Any) -> None:
    wire = copy.deepcopy(HISTORY[3])
    del wire["tool_name"]
    with pytest.raises(models.ConversionError, match="tool_name"):
        sample.provider(PROVIDER).from_messages([wire])


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        (3, "messages: must be an array, found a number"),
        ([{"role": "assistant", "content": 3}], "messages[0].content: must be a string, found a number"),
    ],
)
def test_a_fault_in_the_messages_of_a_response_names_its_place(
    sample: Package, models: Any, messages: Any, problem: str
) -> None:
    with pytest.raises(models.ConversionError) as refused:
        sample.provider(PROVIDER).from_response({"messages": messages})
    assert str(refused.value) == problem


def test_there_are_responses_of_several_messages(sample: Package) -> None:
    """Or the laws would not show them."""
    sizes = [len(r["response"]["messages"]) for r in recordings(PROVIDER) if r["response"]]
    assert max(sizes) >= 4
    assert min(sizes) == 0
