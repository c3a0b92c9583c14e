"""The table of marks in `docs/extras.md` is complete: each mark of the runtime has a row, and each row a mark."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.support.repository import ROOT

RUNTIME = ROOT / "runtime" / "toolgen_runtime"
TABLE = (ROOT / "docs" / "extras.md").read_text("utf-8").partition("## Marks")[2]

KEYWORDS = frozenset(
    "$anchor $comment $def $defs $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema $vocabulary".split()
)
"""Keywords of JSON Schema, and of the dialect of a provider."""

PLACEHOLDERS = frozenset(["$mode", "$name"])
"""What stands for a mode and a name in the patterns of tool choices. `$name` is a mark too."""


def texts() -> Iterator[str]:
    """The texts of the runtime that begin with `$`, without those of `lowering`, which knows only schemas."""
    for path in RUNTIME.rglob("*.py"):
        if "lowering" not in path.parts:
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value[:1] == "$":
                    yield node.value


def test_the_table_has_every_mark_and_no_other() -> None:
    marks = {text for text in texts() if text.strip("$") or text == "$"} - KEYWORDS - PLACEHOLDERS | {"$name"}
    rows = re.findall(r"^\| `(\$\w*)` \|", TABLE, re.MULTILINE)
    assert len(rows) > 10
    assert rows == sorted(marks)
