"""The Model Context Protocol: one or several responses to `tools/list`, from a file or a running server.

https://modelcontextprotocol.io/specification/2025-11-25/server/tools specifies a tool. Members without a key in
declarations (`icons`, `execution`, `_meta` and others) become the patch for `mcp`. Requests to a server use the
official package.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import shlex
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import RawText
from toolgen.importing.formats import Format
from toolgen.importing.masking import Secrets
from toolgen.importing.reader import ImportedTool, ImportReader, JsonObject, is_definition
from toolgen.load import Document, Pointer
from toolgen.load.loading import parse_json_document
from toolgen_runtime.apis.mcp.fields import WRAPPER_KEY, is_wrapper_schema, unwrap_result_schema

_KNOWN = frozenset(["name", "title", "description", "inputSchema", "outputSchema", "annotations"])


def read(reader: ImportReader) -> Iterator[ImportedTool]:
    """Read the tools of a tools/list response. If it has more pages than the file, that is a warning."""
    _check_complete(reader)
    for at, entry in reader.read_entries("tools", is_definition):
        name = reader.name(at, entry)
        result, pointer = _result(reader, at, entry)
        tool = ImportedTool(
            at,
            name or "",
            ("mcp",),
            description=reader.text(at, entry, "description"),
            parameters=reader.parameters(at, entry, "inputSchema", required=True),
            result=result,
            display_name=_title(reader, at, entry),
            annotations=reader.object(at, entry, "annotations"),
            patch=reader.unknown_members(at, entry, _KNOWN),
            locations={
                ("parameters",): (*at, "inputSchema"),
                ("result",): pointer,
                ("display_name",): (*at, "title"),
            },
        )
        if name is not None:
            yield tool


def _result(reader: ImportReader, at: Pointer, entry: JsonObject) -> tuple[Mapping[str, Any] | bool | None, Pointer]:
    """Return the schema of a tool's return value, and its location. A schema wrapped in an object is unwrapped."""
    schema, pointer = reader.object(at, entry, "outputSchema"), (*at, "outputSchema")
    if schema is None:
        return None, pointer
    if is_wrapper_schema(schema):
        reader.report_at_key("import-unwrapped", pointer, key=WRAPPER_KEY)
        pointer = (*pointer, "properties", WRAPPER_KEY)
    return unwrap_result_schema(schema), pointer


def _title(reader: ImportReader, at: Pointer, entry: JsonObject) -> str | None:
    title = reader.text(at, entry, "title")
    if title == "":
        reader.report_at_key("import-empty", (*at, "title"), key="title")
    return title or None


def _check_complete(reader: ImportReader) -> None:
    """Report a cursor in the last page: the server has tools that are not in the file."""
    at: Pointer = ()
    page: Any = reader.document.value
    if isinstance(page, list) and page:
        at, page = (len(page) - 1,), page[-1]
    if isinstance(page, dict) and isinstance(page.get("result"), dict):
        at, page = (*at, "result"), page["result"]
    if isinstance(page, dict) and isinstance(page.get("tools"), list) and page.get("nextCursor") is not None:
        reader.report_at_key("import-more-pages", (*at, "nextCursor"))


def describe_source(document: Document) -> dict[str, str]:
    """Return the name of the server if a server was asked. Later imports recognize the source by it."""
    info = document.value.get("serverInfo") if isinstance(document.value, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return {"title": name} if isinstance(name, str) and name.strip() else {}


FORMATS = {"mcp": Format("a tools/list response, or the array of tools in it", read, describe_source)}


_PAGES = 1_000
"""The maximum number of pages, because a faulty server may never end the list."""


def list_server_tools(
    findings: Findings, secrets: Secrets, *, command: str | None, url: str | None, seconds: float
) -> Document | None:
    """Return a server's response to tools/list, all pages; None, with a finding, if it fails.

    `command` starts a server that communicates over standard input and output, without a shell, in the environment of
    this process. `url` is that of a server over HTTP. The server has `seconds` for everything. Findings show none of
    the `secrets`, and no query of the URL.
    """
    shown = secrets.mask(re.sub("//[^/]*@", "//", url.partition("?")[0]) if url else command or "")
    hint = "check the address, and that the server is running" if url else None
    logging.disable()  # the client logs tracebacks of errors that are findings here
    try:
        import mcp
    except ImportError:
        findings.add("import-no-mcp", Span(shown))
        return None
    try:
        tools: list[Any] = []
        transport: Any = _without_tools(_transport(command, url), tools)
        client = mcp.Client(transport)
        listing = asyncio.run(asyncio.wait_for(list_all_tools(client), seconds))
    except TimeoutError:
        limit = f"{seconds:g} second{'' if seconds == 1 else 's'}"
        findings.add("import-server", Span(shown), hint=hint, reason=RawText(f"no response within {limit}"))
        return None
    except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001 - the server and its client may raise anything
        findings.add("import-server", Span(shown), hint=hint, reason=RawText(secrets.mask(_reason(error))[:300]))
        return None
    finally:
        logging.disable(logging.NOTSET)
    response = {**listing, "tools": tools}
    return parse_json_document(json.dumps(response, ensure_ascii=False, indent=1), shown, findings)


def _transport(command: str | None, url: str | None) -> Any:
    """Return the connection to a server, which is not open yet.

    Raises:
        ValueError: The command is empty, or a quotation in it has no end.
    """
    if url:
        from mcp.client.streamable_http import streamable_http_client

        return streamable_http_client(url)
    from mcp.client.stdio import StdioServerParameters, stdio_client

    words = shlex.split(command or "")
    if not words:
        raise ValueError("the command is empty")
    # By default the client passes only a few variables, and a server without its keys lists no tools.
    return stdio_client(StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ)))


@asynccontextmanager
async def _without_tools(transport: Any, tools: list[Any]) -> AsyncIterator[tuple[_ToolCollector, Any]]:
    """Open a connection whose pages have no tools. They are added to `tools` as the server sent them."""
    async with transport as (received, sent):
        yield _ToolCollector(received, tools), sent


class _ToolCollector:
    """A stream of received messages that takes the tools out of each page of a list.

    The client refuses a whole list for one odd schema, and an import reports or repairs each.
    """

    def __init__(self, received: Any, tools: list[Any]) -> None:
        self._received = received
        self._tools = tools

    def __aiter__(self) -> _ToolCollector:
        return self

    async def __anext__(self) -> Any:
        return self._collect(await self._received.__anext__())

    async def receive(self) -> Any:
        """Receive one message."""
        return self._collect(await self._received.receive())

    async def __aenter__(self) -> _ToolCollector:
        await self._received.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        return await self._received.__aexit__(*error)

    def __getattr__(self, name: str) -> Any:
        """Return another member of the stream, such as `aclose`."""
        return getattr(self._received, name)

    def _collect(self, item: Any) -> Any:
        page = getattr(getattr(item, "message", None), "result", None)
        if isinstance(page, dict) and isinstance(page.get("tools"), list):
            self._tools += page["tools"]
            page["tools"] = []
        return item


async def list_all_tools(client: Any) -> dict[str, Any]:
    """Ask for all pages, and return them as one response.

    Raises:
        ValueError: The list never ends, because a cursor is repeated.
    """
    async with client:
        tools: list[Any] = []
        cursor: str | None = None
        cursors: set[str] = set()
        for _ in range(_PAGES):
            page = await client.list_tools(cursor=cursor)
            tools += [tool.model_dump(by_alias=True, exclude_unset=True, mode="json") for tool in page.tools]
            cursor = page.next_cursor
            if not cursor:
                break
            if cursor in cursors:
                raise ValueError("the server sent a cursor twice, so its list never ends")
            cursors.add(cursor)
        name = getattr(client.server_info, "name", None)
        more = {"nextCursor": cursor} if cursor else {}
        return {"serverInfo": {"name": name}, "tools": tools, **more}


def _reason(error: BaseException) -> str:
    """Return the message of the innermost error."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = f"{error.strerror}: {error.filename}" if isinstance(error, OSError) and error.filename else str(error)
    return " ".join(text.split()) or type(error).__name__
