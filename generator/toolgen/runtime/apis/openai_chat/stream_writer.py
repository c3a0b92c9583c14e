"""Events as chunks of Chat Completions."""

from __future__ import annotations

from typing import Any

from ...models import Completion, ToolCallDelta
from ...paths import ROOT
from ...streams import BaseStreamWriter

__all__ = ["ChatStreamWriter"]


class ChatStreamWriter(BaseStreamWriter):
    """Writes `chat.completion.chunk` objects; usage comes last, in a chunk without choices."""

    def _chunk(self, delta: dict[str, Any], **more: Any) -> dict[str, Any]:
        chunk: dict[str, Any] = {"object": "chat.completion.chunk"}
        if self.id is not None:
            chunk["id"] = self.id
        if self.created is not None:
            chunk["created"] = self.created
        chunk["choices"] = [{"index": 0, "delta": delta, "finish_reason": None, **more}]
        return chunk

    def _text(self, text: str) -> list[dict[str, Any]]:
        return [self._chunk({"content": text})]

    def _call(self, event: ToolCallDelta) -> list[dict[str, Any]]:
        call = self.sent(event.index)
        piece: dict[str, Any] = {"index": event.index}
        function: dict[str, Any] = {}
        if event.id is not None and event.name is not None:
            piece |= {"id": self.writer.call_id(event.id), "type": "function"}
            function["name"] = self.writer.tool_name(event.name, ROOT)
            call.named = True
        if event.arguments_delta is not None or call.named:
            function["arguments"] = event.arguments_delta or ""
            call.arguments += event.arguments_delta or ""
        if not function:
            return []
        return [self._chunk({"tool_calls": [{**piece, "function": function}]})]

    def _error(self, message: str) -> list[dict[str, Any]]:
        return [{"error": {"message": message}}]

    def _completed(self, body: dict[str, Any], completion: Completion) -> list[dict[str, Any]]:
        top = {key: value for key, value in body.items() if key not in ("choices", "object", "usage")}
        chunks: list[dict[str, Any]] = []
        choices = body.get("choices") or []
        for i, choice in enumerate(choices):
            message = choice.get("message", {})
            delta = self._rest(message) if i == 0 else _whole(message)
            rest = {key: value for key, value in choice.items() if key not in ("message", "index")}
            chunk = self._chunk(delta)
            chunk["choices"] = [{"index": choice.get("index", i), "delta": delta, **rest}]
            chunks.append({**top, **{k: v for k, v in chunk.items() if k not in top}})
        if "usage" in body or not chunks:
            last = {k: v for k, v in self._chunk({}).items() if k not in top and k != "choices"}
            chunks.append(
                {
                    **top,
                    **last,
                    "choices": [],
                    **({"usage": body["usage"]} if "usage" in body else {}),
                }
            )
        return chunks

    def _rest(self, message: dict[str, Any]) -> dict[str, Any]:
        """What of the message was not sent yet."""
        delta = {key: value for key, value in message.items() if key not in ("content", "tool_calls")}
        content = message.get("content")
        sent = "".join(self.text)
        if type(content) is str:
            if content[len(sent) :] or not content:
                delta["content"] = content[len(sent) :]
        elif type(content) is list:
            unsent = [
                part for part in content if not (type(part) is dict and part.get("text") and part["text"] in sent)
            ]
            if unsent:
                delta["content"] = unsent
        pieces: list[dict[str, Any]] = []
        position = 0
        for entry in message.get("tool_calls") or []:
            function = entry.get("function")
            if type(function) is not dict:
                pieces.append({"index": len(message["tool_calls"]) + len(pieces), **entry})
                continue
            call = self.sent(position)
            rest: dict[str, Any] = {k: v for k, v in entry.items() if not (call.named and k in ("id", "type"))}
            text = str(function.get("arguments", ""))
            rest["function"] = {k: v for k, v in function.items() if not (call.named and k == "name")}
            rest["function"]["arguments"] = text[len(call.arguments) :] if text.startswith(call.arguments) else ""
            if rest.keys() != {"function"} or rest["function"].keys() != {"arguments"} or rest["function"]["arguments"]:
                pieces.append({"index": position, **rest})
            position += 1
        if pieces:
            delta["tool_calls"] = pieces
        return delta


def _whole(message: dict[str, Any]) -> dict[str, Any]:
    calls = message.get("tool_calls")
    if not calls:
        return message
    return {**message, "tool_calls": [{"index": i, **call} for i, call in enumerate(calls)]}
