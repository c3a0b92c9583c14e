"""Choose recordings for the tests from a larger collection of the same form.

    python tests/traffic/choose.py COLLECTION openai_chat [FORMAT …]

COLLECTION is a folder with `<format>.jsonl`. The choice depends on nothing but the recordings: those that show most
that was not shown yet come first, where what a recording shows is its tags and the paths, types and short words of
its bodies. Chosen recordings are written in the order of their ids to `recorded/<format>.jsonl`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COUNT = 60
LARGEST = 24_000
ENOUGH = 3
"""A feature that was shown this often counts no more."""

FREE = {"arguments", "args", "input", "parameters", "input_schema", "schema", "properties", "response"}
"""Keys whose value is the user's or the model's: what is inside says nothing about the wire."""


def features(recording: dict[str, Any]) -> set[str]:
    """What a recording shows."""
    shown = {f"tag {tag}" for tag in recording["tags"]} | {f"provider {recording['provider']}"}
    for part in ("request", "response", "events"):
        shown |= {f"{part} {path}" for path in _paths(recording.get(part), "")}
    return shown


def _paths(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in FREE:
                yield f"{path}.{key}:{type(inner).__name__}"
            else:
                yield from _paths(inner, f"{path}.{key}")
    elif isinstance(value, list):
        yield f"{path}[]{min(len(value), 2)}"
        for inner in value:
            yield from _paths(inner, f"{path}[]")
    elif isinstance(value, str) and path.endswith((".type", ".role", "reason", ".object", ".mode")):
        yield f"{path}={value}"
    else:
        yield f"{path}:{type(value).__name__}"


def choose(recordings: list[dict[str, Any]], count: int = COUNT) -> list[dict[str, Any]]:
    """The recordings that show most between them, in the order of their ids."""
    candidates = {
        r["id"]: (r, features(r))
        for r in recordings
        if len(json.dumps(r)) <= LARGEST and ("rejected" not in r["tags"] or "not_about_body" in r["tags"])
    }
    counts: Counter[str] = Counter()
    chosen: list[dict[str, Any]] = []
    while candidates and len(chosen) < count:

        def worth(identifier: str) -> tuple[float, str]:
            gain = sum(1 / (1 + counts[f]) for f in candidates[identifier][1] if counts[f] < ENOUGH)
            return (-gain, identifier)

        best = min(candidates, key=worth)
        recording, shown = candidates.pop(best)
        counts.update(shown)
        chosen.append(recording)
    return sorted(chosen, key=lambda r: str(r["id"]))


def main(collection: Path, formats: list[str]) -> None:
    """Write a file for each format."""
    for name in formats:
        lines = (collection / f"{name}.jsonl").read_text("utf-8").splitlines()
        chosen = choose([json.loads(line) for line in lines])
        text = "".join(json.dumps(r, ensure_ascii=False, separators=(",", ":")) + "\n" for r in chosen)
        (Path(__file__).parent / "recorded" / f"{name}.jsonl").write_text(text, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
