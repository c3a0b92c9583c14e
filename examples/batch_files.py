"""The files of the batch: questions, and answers from which a later run knows what remains. Both have one JSON object in a line."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeGuard

Id = str | int


def answered_ids(path: Path) -> set[Id]:
    """Return the ids that have a complete answer. Remove a last line that a crash has cut off."""
    if not path.exists():
        return set()
    with path.open("r+b") as file:
        lines = file.readlines()
        if lines and not lines[-1].endswith(b"\n"):
            file.truncate(sum(map(len, lines[:-1])))
    return {line["id"] for _, line in objects_in(path) if line.get("stoppedBy") == "end" and is_id(line.get("id"))}


def questions_in(path: Path, answered: set[Id], totals: Counter[str]) -> Iterator[tuple[Id, str]]:
    """Yield id and text of each question that has no answer yet. Report a line that has no question."""
    seen = set[Id]()
    for number, line in objects_in(path):
        id, question = line.get("id"), line.get("question")
        if not is_id(id) or not isinstance(question, str):
            report_failure(f"line {number}", 'not {"id": "...", "question": "..."}', totals)
        elif id in seen:
            report_failure(f"line {number}", f"a second question with the id {id}", totals)
        else:
            seen.add(id)
            if id not in answered:
                yield id, question


def objects_in(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number of each line with its object, which is empty if the line has none. Skip blank lines."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line.decode("utf-8-sig"))
            except (ValueError, RecursionError):
                value = None
            yield number, value if isinstance(value, dict) else {}


def is_id(value: object) -> TypeGuard[Id]:
    """Return whether a value can be the id of a question."""
    return isinstance(value, Id) and not isinstance(value, bool)


def report_failure(where: str, reason: object, totals: Counter[str]) -> None:
    """Report and count a question without an answer."""
    totals["failed"] += 1
    print(f"{where}: {reason}", file=sys.stderr)
