"""Bodies of Gemini as its API gives and takes them with `enum-encoding=int`, and results that came apart."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.generated import Package

DECLARATION = {"name": "f", "parameters": {"type": 6, "properties": {"a": {"type": 1}, "type": {"type": 3}}}}
BODY: dict[str, Any] = {
    "contents": [
        {"role": 1, "parts": [{"text": "Find it."}]},
        {"role": 2, "parts": [{"functionCall": {"name": "f", "args": {"type": 6, "mode": 1}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"type": 2}}}]},
    ],
    "tools": [{"functionDeclarations": [DECLARATION]}],
    "toolConfig": {"functionCallingConfig": {"mode": 2}},
}
RESPONSE: dict[str, Any] = {
    "candidates": [{"content": {"role": 2, "parts": [{"text": "Here."}]}, "finishReason": 1}],
    "usageMetadata": {"promptTokenCount": 9, "promptTokensDetails": [{"modality": 2, "tokenCount": 4}]},
}


@pytest.mark.parametrize("provider", ["gemini", "vertex"])
def test_enums_that_are_numbers_are_read_as_words_and_stay_numbers(sample: Package, models: Any, provider: str) -> None:
    module = sample.provider(provider)
    request = module.from_request(BODY, "m")
    assert [message.role for message in request.messages] == ["user", "assistant", "tool"]
    assert request.tool_choice == "required"
    assert request.tools[0].parameters["properties"] == {"a": {"type": "string"}, "type": {"type": "integer"}}
    assert request.messages[1].content[0].call.arguments == {"type": 6, "mode": 1}
    assert module.to_request(models.load(models.Request, models.dump(request))) == BODY
    elsewhere = sample.provider("anthropic").to_request(request, on_loss=lambda loss: None)
    assert elsewhere["tools"][0]["input_schema"]["type"] == "object"
    request.tool_choice = "none"
    assert module.to_request(request)["toolConfig"] == {"functionCallingConfig": {"mode": 3}}


@pytest.mark.parametrize("provider", ["gemini", "vertex"])
def test_responses_with_numbers(sample: Package, provider: str) -> None:
    module = sample.provider(provider)
    completion = module.from_response(RESPONSE)
    assert (completion.finish_reason, completion.stop_reason) == ("stop", "STOP")
    assert completion.usage.input_image_tokens == 4
    assert module.to_response(completion) == RESPONSE
    stream = module.Stream()
    first = {"candidates": [{"content": {"role": 2, "parts": [{"text": "He"}]}}]}
    last = {**RESPONSE, "candidates": [{"content": {"role": 2, "parts": [{"text": "re."}]}, "finishReason": 1}]}
    for chunk in (first, last):
        stream.feed(chunk)
    assert stream.finish()[-1].completion == completion


@pytest.mark.parametrize(
    ("provider", "number", "word", "reason"),
    [
        ("gemini", 7, "BLOCKLIST", "content_filter"),
        ("vertex", 7, "PROHIBITED_CONTENT", "content_filter"),
        ("gemini", 10, "MALFORMED_FUNCTION_CALL", "error"),
        ("gemini", 999, "999", "other"),
    ],
)
def test_reasons_by_number(sample: Package, provider: str, number: int, word: str, reason: str) -> None:
    module = sample.provider(provider)
    body = {"candidates": [{"content": {"role": "model", "parts": [{"text": "x"}]}, "finishReason": number}]}
    completion = module.from_response(body)
    assert (completion.stop_reason, completion.finish_reason) == (word, reason)
    assert module.to_response(completion) == body


@pytest.mark.parametrize("places", [[["candidates", 9, "finishReason"]], [["x"]], [[]], "x", [[0, None]]])
def test_a_member_of_that_name_is_harmless(sample: Package, places: Any) -> None:
    module = sample.provider("gemini")
    body = {"candidates": [{"content": {"role": "model", "parts": [{"text": "x"}]}, "finishReason": "STOP"}]}
    written = module.to_response(module.from_response({**body, "$numbers": places}))
    assert {key: value for key, value in written.items() if key != "$numbers"} == body


def test_results_that_came_apart_stay_apart(sample: Package) -> None:
    module = sample.provider("gemini")
    calls = [{"functionCall": {"name": name, "args": {}}} for name in ("f", "g")]
    results = [{"functionResponse": {"name": name, "response": {"output": name}}} for name in ("f", "g")]
    body = {
        "contents": [
            {"role": "user", "parts": [{"text": "Both."}]},
            {"role": "model", "parts": calls},
            {"role": "user", "parts": results[:1]},
            {"role": "user", "parts": [results[1], {"text": "Go on."}]},
        ]
    }
    assert module.to_request(module.from_request(body)) == body
