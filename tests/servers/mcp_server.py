"""The MCP server of a generated package over standard input and output, for clients that start their servers.

python -m tests.servers.mcp_server FOLDER PACKAGE
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from mcp.server.stdio import stdio_server

from tests.support.generated import Package

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


class App:
    """Handlers for the tools of `tests/running/project.py`: a text, a picture, an object, and a failure."""

    def __init__(self, package: Package) -> None:
        self._models = package.module("models")

    def read_file(self, args: Any) -> str:
        return f"text of {args.path}"

    def grep(self, args: Any) -> list[Any]:
        return [self._models.TextPart(args.pattern), self._models.ImagePart(data=PIXEL, media_type="image/png")]

    def write_file(self, args: Any) -> dict[str, Any]:
        return {"bytes": len(args.text)}

    def run_command(self, args: Any) -> str:
        raise ValueError("no such command")


async def main(folder: Path, name: str) -> None:
    """Serve until the input ends."""
    package = Package({}, folder, name)
    server = package.module("frameworks.mcp").server("files", App(package))
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
