"""Tools and the choice among them on a wire that holds both in one object, and wants it where the history has calls."""

from __future__ import annotations

from typing import Any

from ...models import ToolChoice
from ..conversion.residue import Residue, within
from ..conversion.writer import Writer
from ..messages.blocks import block_kind
from ..paths import ROOT

__all__ = ["has_tool_blocks", "settle_tools"]


def has_tool_blocks(messages: Any) -> bool:
    """Whether the wire's messages hold calls of the app's tools, or results."""
    return any(kind in ("call", "result") for kind, _ in _blocks(messages))


def _blocks(messages: Any) -> list[tuple[str | None, dict[str, Any]]]:
    blocks = [
        block
        for message in (messages if type(messages) is list else ())
        if type(message) is dict and type(message.get("content")) is list
        for block in message["content"]
        if type(block) is dict
    ]
    return [(block_kind(block), block) for block in blocks]


def settle_tools(wire: dict[str, Any], choice: ToolChoice | None, own: Residue, writer: Writer) -> None:
    """Settle what the API demands of `toolConfig`: no choice without tools, and tools where there are calls.

    That no tool may be called is said by leaving the tools out, which the API takes only where there were no calls.
    """
    config = wire.get("toolConfig")
    if type(config) is not dict:
        config = {}
    history = has_tool_blocks(wire.get("messages"))
    if choice == "none" and not history:
        if config.get("tools"):
            writer.lost((ROOT, "tools"), "tools", "dropped", "note", "no tool may be called, which is said so")
        wire.pop("toolConfig", None)
        return
    if config.get("tools"):
        return
    made = _stand_ins(wire) if history and "toolConfig" not in own.get("$absent", ()) else []
    if made:
        reason = "the API demands the tools of the history, of which only the names are known"
        writer.lost((ROOT, "tools"), "tools", "defaulted", "warning", reason)
        wire["toolConfig"] = {**config, "tools": made}
        return
    if choice is not None and "toolChoice" in config:
        if choice != "auto":
            writer.lost((ROOT, "toolChoice"), "toolChoice", "dropped", "behaviour", "there are no tools")
        config = {key: value for key, value in config.items() if key != "toolChoice"}
    if config.get("tools") == []:
        config = {key: value for key, value in config.items() if key != "tools"}
    if config:
        wire["toolConfig"] = config
    elif wire.get("toolConfig"):
        del wire["toolConfig"]


def _stand_ins(wire: dict[str, Any]) -> list[dict[str, Any]]:
    """Tools without parameters, by the names of the calls in the history."""
    calls = [within(block, "toolUse") for kind, block in _blocks(wire.get("messages")) if kind == "call"]
    names = dict.fromkeys(call["name"] for call in calls if type(call.get("name")) is str)
    schema = {"json": {"type": "object", "properties": {}}}
    return [{"toolSpec": {"name": name, "inputSchema": schema}} for name in names]
