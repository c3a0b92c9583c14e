"""Puts rows of a collection of declarations into the form in which an MCP server lists its tools.

    python -m tests.support.tools_list COLLECTION SOURCE > FILE

COLLECTION has a JSON object a line: `source` (repository and path), `name`, `description`, `parameters`, `result`.
SOURCE is a repository. The same collection gives the same bytes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def tools_list(rows: Iterable[Mapping[str, Any]], source: str) -> dict[str, Any]:
    """The tools of a repository, as the response to a request `tools/list`."""
    return {"jsonrpc": "2.0", "id": 1, "result": {"tools": [_tool(row) for row in rows if _is_from(row, source)]}}


def _is_from(row: Mapping[str, Any], source: str) -> bool:
    return row["source"].split(":")[0] == source


def _tool(row: Mapping[str, Any]) -> dict[str, Any]:
    tool = {"name": row["name"], "description": row["description"], "inputSchema": row["parameters"]}
    return tool if row["result"] is None else {**tool, "outputSchema": row["result"]}


def main() -> None:
    """Print the response."""
    collection, source = sys.argv[1:]
    rows = map(json.loads, Path(collection).read_text("utf-8").splitlines())
    print(json.dumps(tools_list(rows, source), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
