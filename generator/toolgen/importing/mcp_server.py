"""Asking a running server of the Model Context Protocol for its tools, through the official package."""

from __future__ import annotations

import asyncio
import json
import logging
import shlex
from typing import Any

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import RawText
from toolgen.load import Document
from toolgen.load.loading import document_of

__all__ = ["ask_server"]

_PAGES = 1_000
"""Pages of a list: a server that goes on forever is stopped."""


def ask_server(findings: Findings, *, command: str | None, url: str | None, seconds: float) -> Document | None:
    """The answer of a server to tools/list, all of its pages; None, with a finding, where there is none.

    `command` starts a server that talks over its standard input and output; no shell reads it. `url` is that of a server
    over HTTP. It has `seconds` in all.
    """
    shown = command or url or ""
    logging.disable()  # the client writes tracebacks of what becomes a finding here
    try:
        import mcp
    except ImportError:
        findings.add("import-no-mcp", Span(shown))
        return None
    try:
        words = shlex.split(command or "")
        if not url and not words:
            raise ValueError("the command is empty")
        server = url or mcp.StdioServerParameters(command=words[0], args=words[1:])
        answer = asyncio.run(asyncio.wait_for(_asked(mcp.Client(server)), seconds))
    except TimeoutError:
        findings.add("import-server", Span(shown), reason=RawText(f"no response within {seconds:g} seconds"))
        return None
    except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001 - whatever a foreign program and its client do
        findings.add("import-server", Span(shown), reason=RawText(_reason(error)))
        return None
    finally:
        logging.disable(logging.NOTSET)
    return document_of(json.dumps(answer, ensure_ascii=False), shown, findings)


async def _asked(client: Any) -> dict[str, Any]:
    async with client:
        tools: list[Any] = []
        cursor: str | None = None
        for _ in range(_PAGES):
            page = await client.list_tools(cursor=cursor)
            tools += [tool.model_dump(by_alias=True, exclude_unset=True, mode="json") for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                break
        name = getattr(client.server_info, "name", None)
        more = {"nextCursor": cursor} if cursor is not None else {}
        return {"serverInfo": {"name": name}, "tools": tools, **more}


def _reason(error: BaseException) -> str:
    """What went wrong, in the words of the innermost error."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    words = " ".join(str(error).split())[:300]
    return words or type(error).__name__
