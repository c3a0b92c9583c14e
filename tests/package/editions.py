"""What an edition makes of fifty real declarations, as digests: these bytes stay, whatever release builds them.

    python -m tests.package.editions

writes them anew, before a release alone, or where a fault in soundness or safety moves them; the changelog then says which.
The runtime is no part: it follows the release.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.corpus.test_declarations import as_declaration
from tests.support.declarations import DECLARATIONS
from tests.support.generated import compiled
from tests.support.repository import PROFILES, ROOT
from toolgen.cli.upgrade import EDITIONS

FOLDER = Path(__file__).with_name("editions")
REFUSED = {line.split("\t")[0] for line in (ROOT / "tests/corpus/refused.tsv").read_text("utf-8").splitlines()}
RELEASE = ("messages.py", "errors.py", "running.py")
"""What depends on no declaration."""


def digests(edition: str) -> dict[str, str]:
    """SHA-256 of what is made of the declarations, by folder and, where a file is for one provider, by file."""
    parts: dict[str, Any] = {}
    for path, text in sorted(tree(edition).items()):
        if not path.startswith(RELEASE):
            part = path if path.startswith(("providers/", "sessions/")) else path.partition("/")[0]
            parts.setdefault(part, hashlib.sha256()).update(f"{path}\n{text}".encode())
    return {part: digest.hexdigest() for part, digest in parts.items()}


def tree(edition: str) -> Mapping[str, str]:
    """The package of the declarations for every provider, by path."""
    with tempfile.TemporaryDirectory() as folder:
        schemas = Path(folder) / "schemas"
        (schemas / "tools").mkdir(parents=True)
        (schemas / "toolgen.yaml").write_text(json.dumps({"edition": edition}), "utf-8")
        for position, row in enumerate(DECLARATIONS):
            if row["id"] not in REFUSED:
                tool = as_declaration(position, row)
                (schemas / "tools" / f"{tool['name']}.json").write_text(json.dumps(tool, indent=2), "utf-8")
        return compiled(schemas, PROFILES)


def written(edition: str) -> Path:
    """Where the digests of an edition are."""
    return FOLDER / f"{edition}.json"


def main() -> None:
    """Write the digests of every edition."""
    FOLDER.mkdir(exist_ok=True)
    for edition in EDITIONS:
        written(edition).write_text(json.dumps(digests(edition), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
