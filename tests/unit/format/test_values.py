"""The neutral format as an app has it: both spellings, what is refused, what is kept."""

from __future__ import annotations

from typing import Any

import pytest

CALL = {"id": "a", "name": "t", "arguments": {}}
RESULT = {"toolCallId": "a", "name": "t", "kind": "text", "value": "x"}


def test_both_spellings_are_read_and_the_json_one_is_written(models: Any) -> None:
    snake = {"tool_call_id": "a", "name": "t", "kind": "text", "value": "x"}
    assert models.load(models.ToolResult, snake) == models.load(models.ToolResult, RESULT)
    assert models.dump(models.load(models.ToolResult, snake)) == RESULT


def test_a_class_of_the_app_is_written_as_the_one_it_is_derived_from(models: Any) -> None:
    question = type(
        "Question", (models.UserMessage,), {"__module__": "sys"}
    )  # a module without the names of the format
    assert models.dump(question("Hi")) == models.dump(models.UserMessage("Hi"))


def test_both_spellings_at_once_are_refused(models: Any) -> None:
    with pytest.raises(models.ConversionError, match="tool"):
        models.load(models.ToolResult, RESULT | {"tool_call_id": "a"})


def test_a_call_is_flat(models: Any) -> None:
    assert set(models.dump(models.load(models.ToolCall, CALL))) == {"id", "name", "arguments"}
    full = CALL | {"invalid": {"text": "{", "reason": "malformed"}, "metadata": {"gemini": {"thoughtSignature": "s"}}}
    assert models.dump(models.load(models.ToolCall, full)) == full
    with pytest.raises(models.ConversionError, match="name"):
        models.load(models.ToolCall, {"id": "a", "type": "function", "function": {"name": "t", "arguments": "{}"}})


@pytest.mark.parametrize("field", ["id", "name", "arguments"])
def test_a_call_needs_id_name_and_arguments(models: Any, field: str) -> None:
    with pytest.raises(models.ConversionError, match=field):
        models.load(models.ToolCall, {k: v for k, v in CALL.items() if k != field})


@pytest.mark.parametrize("field", ["toolCallId", "name", "kind", "value"])
def test_a_result_needs_all_four(models: Any, field: str) -> None:
    with pytest.raises(models.ConversionError, match=field):
        models.load(models.ToolResult, {k: v for k, v in RESULT.items() if k != field})


def test_another_kind_is_refused_with_the_four_that_there_are(models: Any) -> None:
    with pytest.raises(models.ConversionError) as caught:
        models.load(models.ToolResult, RESULT | {"kind": "json"})
    assert all(kind in str(caught.value) for kind in ("text", "data", "error", "multimodal"))


@pytest.mark.parametrize("kind", ["text", "error"])
def test_text_and_errors_are_strings(models: Any, kind: str) -> None:
    with pytest.raises(models.ConversionError, match="value"):
        models.load(models.ToolResult, RESULT | {"kind": kind, "value": 5})


@pytest.mark.parametrize("value", [None, 0, False, [], {}, "s", [1, {"a": None}], 1.0])
def test_data_is_any_json_and_stays_as_it_is(models: Any, value: Any) -> None:
    result = models.load(models.ToolResult, RESULT | {"kind": "data", "value": value})
    assert result.value == value
    assert type(result.value) is type(value)
    dumped = models.dump(result)["value"]
    assert dumped == value
    assert type(dumped) is type(value)


def test_a_string_as_data_has_quotes_on_the_wire(sample: Any, models: Any) -> None:
    module = sample.provider("openai_chat")
    assert module.to_tool_result(models.ToolResult("a", "t", "data", "hi"))["content"] == '"hi"'
    assert module.to_tool_result(models.ToolResult("a", "t", "text", "hi"))["content"] == "hi"


def test_the_nested_form_of_a_definition_gets_a_hint(models: Any) -> None:
    with pytest.raises(models.ConversionError, match="at the top level"):
        models.load(models.ToolDefinition, {"type": "function", "function": {"name": "t"}})


def test_a_bare_name_is_no_choice(models: Any) -> None:
    with pytest.raises(models.ConversionError, match=r"\{name: get_weather\}"):
        models.load(models.ToolChoice, "get_weather")
    with pytest.raises(models.ConversionError) as caught:
        models.load(models.ToolChoice, "no tool's name")
    assert "no tool's name" not in str(caught.value)


def test_calls_beside_the_content_become_parts_behind_it(models: Any) -> None:
    message = models.load(models.Message, {"role": "assistant", "content": "x", "toolCalls": [CALL]})
    assert [type(part).__name__ for part in message.content] == ["TextPart", "ToolCallPart"]
    message = models.load(models.Message, {"role": "assistant", "content": None, "toolCalls": [CALL]})
    assert [type(part).__name__ for part in message.content] == ["ToolCallPart"]
    message = models.load(models.Message, {"role": "assistant", "content": "x"})
    assert models.dump(message) == {"role": "assistant", "content": "x"}


def test_a_message_with_a_result_of_its_own_becomes_a_list_of_one(models: Any) -> None:
    message = models.load(models.Message, {"role": "tool", "toolCallId": "c1", "name": "f", "content": "x"})
    assert message.results == [models.ToolResult("c1", "f", "text", "x")]


def test_a_message_with_a_result_needs_the_tools_name(models: Any) -> None:
    with pytest.raises(models.ConversionError, match="name"):
        models.load(models.Message, {"role": "tool", "toolCallId": "c1", "content": "x"})


def test_a_response_of_a_message_is_data(models: Any) -> None:
    message = models.load(models.Message, {"role": "tool", "toolCallId": "c1", "name": "f", "response": {"a": [1]}})
    assert message.results == [models.ToolResult("c1", "f", "data", {"a": [1]})]


def test_parts_of_a_result_are_told_apart(models: Any) -> None:
    parts = [{"type": "text", "text": "see"}, {"type": "image", "data": "AA==", "mediaType": "image/png"}]
    result = models.load(models.ToolResult, RESULT | {"kind": "multimodal", "value": parts})
    assert [type(part).__name__ for part in result.value] == ["TextPart", "ImagePart"]
    assert models.dump(result)["value"] == parts
    with pytest.raises(models.ConversionError, match=r"value\[0\].type"):
        models.load(models.ToolResult, RESULT | {"kind": "multimodal", "value": [{"type": "hologram"}]})


def test_another_role_is_refused(models: Any) -> None:
    with pytest.raises(models.ConversionError, match="role"):
        models.load(models.Message, {"role": "robot", "content": "x"})


def test_the_developers_messages_are_the_systems(sample: Any, models: Any) -> None:
    module, wire = sample.provider("openai_chat"), [{"role": "developer", "content": "x"}]
    (message,) = module.from_messages(wire)
    assert message == models.SystemMessage("x", metadata={"openai_chat": {"role": "developer"}})
    assert module.to_messages([message]) == wire


@pytest.mark.parametrize("role", ["system", "user", "assistant", "tool"])
def test_the_role_says_which_message_it_is(models: Any, role: str) -> None:
    data = {"role": role} | ({"results": [RESULT]} if role == "tool" else {"content": "x"})
    message = models.load(models.Message, data)
    assert type(message).__name__ == f"{role.title()}Message"
    assert models.dump(message) == data


def test_unknown_keys_are_kept_and_written_flat_again(models: Any) -> None:
    data = {"role": "user", "content": "x", "futureField": 1}
    message = models.load(models.Message, data)
    assert message.metadata == {"unknown": {"futureField": 1}}
    assert models.dump(message) == data


def test_unknown_keys_join_those_that_were_kept_before(models: Any) -> None:
    data = {"type": "text", "text": "a", "metadata": {"unknown": {"old": 1}, "gemini": {"x": 1}}, "new": None}
    part = models.load(models.TextPart, data)
    assert part.metadata == {"unknown": {"old": 1, "new": None}, "gemini": {"x": 1}}
    assert models.dump(part) == {"type": "text", "text": "a", "metadata": {"gemini": {"x": 1}}, "old": 1, "new": None}
    odd = {"type": "text", "text": "a", "metadata": {"unknown": 5}}
    assert models.dump(models.load(models.TextPart, odd)) == odd


def test_a_reference_to_an_output_survives(models: Any) -> None:
    data = RESULT | {"outputRef": {"id": "o", "byteSize": 9, "lineCount": 2}, "trimmed": True}
    assert models.dump(models.load(models.ToolResult, data)) == data


def test_a_text_part_is_type_and_text(models: Any) -> None:
    assert models.dump(models.TextPart("x")) == {"type": "text", "text": "x"}


def test_the_text_of_a_part_is_not_called_value(models: Any) -> None:
    with pytest.raises(models.ConversionError, match="`text`"):
        models.load(models.ContentPart, {"type": "text", "value": "x"})


def test_the_nested_form_of_an_image_gets_a_hint(models: Any) -> None:
    with pytest.raises(models.ConversionError, match="at the top level"):
        models.load(models.ContentPart, {"type": "image", "image_url": {"url": "https://e.com/a.png"}})


def test_arguments_of_the_wire_are_an_object(sample: Any) -> None:
    module = sample.provider("openai_chat")
    for text, arguments in (('{"a":1}', {"a": 1}), ("", {}), ("{}", {})):
        call = {"id": "a", "type": "function", "function": {"name": "t", "arguments": text}}
        (message,) = module.from_messages([{"role": "assistant", "content": None, "tool_calls": [call]}])
        assert message.content[0].call.arguments == arguments
        assert message.content[0].call.invalid is None


def test_what_a_request_does_not_say_is_not_on_the_wire(sample: Any, models: Any) -> None:
    body = sample.provider("openai_chat").to_request(models.Request([models.UserMessage("x")], model="m"))
    assert body == {"model": "m", "messages": [{"role": "user", "content": "x"}]}


def test_a_definition_on_the_wire(sample: Any, models: Any) -> None:
    to_tools = sample.provider("openai_chat").to_tools
    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    full = models.ToolDefinition("t", "Does it.", schema, strict=True)
    wire = {"name": "t", "description": "Does it.", "parameters": schema, "strict": True}
    assert to_tools([full]) == [{"type": "function", "function": wire}]
    assert to_tools([models.ToolDefinition("t")]) == [{"type": "function", "function": {"name": "t"}}]


@pytest.mark.parametrize("text", ['{"role": "user", "content": "Hi"}', b"[]"])
def test_load_of_json_text_says_how_to_read_it(models: Any, text: str | bytes) -> None:
    with pytest.raises(models.ConversionError, match=r"found .*; read JSON text with json\.loads first$"):
        models.load(models.Message, text)


@pytest.mark.parametrize("kind", ["Message", "Nope", None, 5, list, tuple, tuple[int, ...], object, len, [dict]])
def test_a_type_that_is_none_of_the_format_is_named(models: Any, kind: Any) -> None:
    with pytest.raises(TypeError, match=r"^expected a type of the format, such as Message, found "):
        models.load(kind, {"role": "user", "content": "Hi"})


def test_values_inside_a_dict_are_dumped(models: Any) -> None:
    text = models.TextPart("x")
    data = {"a": [1, {"b": None}]}
    assert models.dump({"parts": [text], "by": {"name": (text, 5)}, **data}) == {
        "parts": [{"type": "text", "text": "x"}],
        "by": {"name": [{"type": "text", "text": "x"}, 5]},
        **data,
    }
    assert models.dump([{"part": text}]) == [{"part": {"type": "text", "text": "x"}}]
    result = models.ToolResult("c", "now", "data", data)
    assert models.dump(result)["value"] is data
