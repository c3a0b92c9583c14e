"""Items of OpenAI's Responses, and responses of them."""

from __future__ import annotations

from typing import Any

from tests.support.repository import table

PROVIDER = "openai_responses"

CITED = {"type": "url_citation", "start_index": 0, "end_index": 3, "title": "T", "url": "https://e.com"}
REASONING = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "First, "}, {"type": "summary_text", "text": "the time."}],
    "encrypted_content": "Z0FBQUFB+/w==",
}
MORE = {"id": "rs_2", "type": "reasoning", "summary": [], "encrypted_content": None, "status": None}
CALL = {
    "id": "fc_1",
    "type": "function_call",
    "call_id": "call_1",
    "name": "now",
    "arguments": '{ "a": 1 }',
    "status": "completed",
    "namespace": "clock",
}
SAID = {
    "id": "msg_1",
    "type": "message",
    "status": "completed",
    "role": "assistant",
    "phase": "commentary",
    "content": [
        {"type": "output_text", "text": "Let me ", "annotations": [CITED], "logprobs": []},
        {"type": "output_text", "text": "see.", "annotations": []},
        {"type": "refusal", "refusal": "Not that."},
    ],
}
SEARCH = {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q"}}
CUSTOM = {"id": "ctc_1", "type": "custom_tool_call", "call_id": "call_9", "name": "shell", "input": "ls"}
OUTPUT = [REASONING, SEARCH, MORE, SAID, CALL]


def response(*items: Any, **members: Any) -> Any:
    return {**table(PROVIDER)["response"], "output": list(items), **members}
