"""Say in the terms of OpenAI's clients what went wrong: the body of an error, and where in the client's request it is."""

from __future__ import annotations

import math
import re
from typing import Any

from fastapi.responses import JSONResponse

from generated.errors import ConversionError
from generated.models import ApiError, Loss, Request, ToolCallPart

NO_RESPONSE = ApiError("server", "The provider did not respond, or not completely.", True)
KEYS = {
    "maxOutputTokens": "max_completion_tokens",
    "outputFormat": "response_format",
    "outputFormat.schema": "response_format.json_schema.schema",
    "parallelToolCalls": "parallel_tool_calls",
    "reasoning": "reasoning_effort",
    "reasoning.effort": "reasoning_effort",
    "toolChoice": "tool_choice",
    "topP": "top_p",
}
"""The client's keys for fields of a request that have another name."""


def error_body(status: int, error: ApiError, param: str | None = None) -> dict[str, Any]:
    """Make an error as OpenAI's clients expect it: `type` says whose fault it is, `code` which error."""
    fault = "invalid_request_error" if status < 500 else "server_error"
    # Servers repeat parts of the gateway's key.
    message = "The provider rejects the gateway's key." if error.kind == "authentication" else error.message
    return {"error": {"message": message, "type": fault, "code": error.kind, "param": param}}


def failure(status: int, error: ApiError, retry_after: float | None = None) -> JSONResponse:
    """Respond with an error of the provider."""
    headers = {} if retry_after is None else {"retry-after": str(math.ceil(retry_after))}
    return JSONResponse(error_body(status, error), status, headers)


def refusal(error: ConversionError) -> JSONResponse:
    """Respond to a request that cannot be sent."""
    return JSONResponse(error_body(400, ApiError("invalid_request", str(error), False), error.path or None), 400)


def explain(path: str, loss: Loss, body: dict[str, Any], request: Request) -> ConversionError:
    """Return why a request cannot be sent, with the path and the words of the client that made it."""
    reason = f"{loss.what}: {loss.reason}" if " " in loss.what else loss.reason
    return ConversionError(client_path(path, body, request), reason)


def client_path(path: str, body: dict[str, Any], request: Request) -> str:
    """Return where a value of a request is in the body that it was read from."""
    path = re.sub(r"(^|\.)metadata\.openai_chat\b\.?", r"\1", path).removesuffix(".")
    if message := re.match(r"messages\[(\d+)\]\.?(.*)", path):
        return message_path(int(message[1]), message[2], body["messages"], request)
    if path.startswith("tools["):
        return re.sub(r"\]\.(name|description|strict|parameters)", r"].function.\1", path, count=1)
    field = next((field for field in sorted(KEYS, reverse=True) if re.match(rf"{field}\b", path)), "")
    key = "max_tokens" if field == "maxOutputTokens" and "max_tokens" in body else KEYS.get(field, "")
    return key + path[len(field) :]


def message_path(index: int, rest: str, messages: list[Any], request: Request) -> str:
    """Return where a value of a message is. A request has results that follow each other in one message."""
    positions: list[int] = []  # of the first of the client's messages, for each one of the request
    roles = [message.get("role") for message in messages]
    for i, role in enumerate(roles):
        if role != "tool" or i == 0 or roles[i - 1] != "tool":
            positions.append(i)
    position = positions[index]
    if result := re.match(r"results\[(\d+)\]\.?(.*)", rest):
        position += int(result[1])
        rest = re.sub(r"^(kind|value|isError)\b.*", "content", result[2])
    elif part := re.match(r"content\[(\d+)\](.*)", rest):
        rest = part_path(int(part[1]), part[2], messages[position], request.messages[index])
    return f"messages[{position}]" + (f".{rest}" if rest else "")


def part_path(index: int, rest: str, wire: dict[str, Any], message: Any) -> str:
    """Return where a part of a message is. `wire` is the client's message, which has calls beside the content."""
    parts = message.content
    if isinstance(parts[index], ToolCallPart):
        calls = sum(isinstance(part, ToolCallPart) for part in parts[:index])
        return f"tool_calls[{calls}]" + re.sub(r"^\.call\.(name|arguments)", r".function.\1", rest).replace(".call", "")
    return f"content[{index}]" if isinstance(wire.get("content"), list) else "content"
