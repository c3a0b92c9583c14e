"""Vertex AI: Gemini, where arguments may be asked for in pieces."""

from __future__ import annotations

from typing import Any

from ...conversion.extras import ABSENT
from ...conversion.reader import Reader
from ...conversion.writer import Writer
from ...models import ToolChoice
from ...paths import Path
from .converter import GeminiConverter

__all__ = ["VertexConverter"]

_PIECES = "streamFunctionCallArguments"


class VertexConverter(GeminiConverter):
    """Vertex AI: Gemini, where arguments may be asked for in pieces."""

    def read_calling_config(self, value: Any, at: Path, reader: Reader) -> tuple[ToolChoice | None, bool | None, Any]:
        """Read how the tools are to be used; whether arguments come in pieces is no part of the choice, and is kept."""
        if type(value) is not dict or _PIECES not in value:
            choice, kept = self.read_tool_choice(value, at, reader)
            return choice, None, kept
        rest = {key: item for key, item in value.items() if key != _PIECES}
        choice, kept = self.read_tool_choice(rest or ABSENT, at, reader)
        return choice, None, {_PIECES: value[_PIECES], **(kept or {})}

    def write_calling_config(
        self, choice: ToolChoice | None, stream: bool | None, kept: Any, at: Path, writer: Writer
    ) -> Any:
        """Write how the tools are to be used, and ask for arguments in pieces where the answer may be streamed."""
        if stream is not None:
            writer.report_unsupported((at[0], "stream"), "stream")
        config = self.write_tool_choice(choice, kept, at, writer)
        pieces = kept.get(_PIECES) if type(kept) is dict else None
        if pieces is None or (stream is False and pieces is not True):
            return config
        if stream is False:
            writer.report_loss(
                at, "arguments in pieces", "rewritten", "note", "only the streaming method takes the request for them"
            )
            pieces = False
        return {**(config or {}), _PIECES: pieces}
