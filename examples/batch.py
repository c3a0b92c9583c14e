"""Answer a file of questions, several at a time. A second run continues with those that have no answer yet.

    LLM_MODEL=... LLM_API_KEY=... python -m examples.batch examples/questions.jsonl answers.jsonl --parallel 4

A line of the first file is `{"id": "...", "question": "..."}`. Each answer is written to the second file as soon as it arrives.
The exit code is 1 if a question has no answer; run the same command to try it again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from examples.connection import session
from examples.workshop import Workshop
from generated.models import Request, UserMessage, dump
from generated.running import Deny, RunResult, arun
from generated.sessions import AsyncSession, SessionError

MAX_TOKENS = 2000


def answered_ids(path: Path) -> set[str]:
    """Return the ids that have an answer. Remove a last line that a crash has cut off."""
    if not path.exists():
        return set()
    with path.open("r+b") as file:
        lines = file.readlines()
        if lines and not lines[-1].endswith(b"\n"):
            file.truncate(sum(map(len, lines[:-1])))
            lines.pop()
    return {json.loads(line)["id"] for line in lines}


async def answer(model: AsyncSession, question: str) -> RunResult:
    """Ask one question, with tools. Nobody is there to allow high-risk calls, so they do not run."""
    request = Request([UserMessage(question)], max_output_tokens=MAX_TOKENS)
    return await arun(model, request, Workshop(), review=lambda call, arguments: Deny("Nobody is here to allow it."))


async def work(model: AsyncSession, questions: Iterator[dict[str, Any]], out: TextIO, totals: dict[str, int]) -> None:
    """Answer one question after the other. All workers take from the same questions."""
    for question in questions:
        try:
            result = await answer(model, question["question"])
        except Exception as error:  # noqa: BLE001 - the client has already retried; the other questions continue
            totals["failed"] += 1
            reason = error if isinstance(error, SessionError) else type(error).__name__
            print(f"{question['id']}: {reason}", file=sys.stderr)
            continue
        line = {"id": question["id"], "answer": result.text, "stoppedBy": result.stopped_by}
        out.write(json.dumps({**line, "usage": dump(result.usage)}, ensure_ascii=False) + "\n")
        out.flush()
        totals["answered"] += 1
        if result.usage is not None:
            totals["input tokens"] += result.usage.input_tokens
            totals["output tokens"] += result.usage.output_tokens


async def main(questions: Path, answers: Path, parallel: int) -> int:
    """Answer the remaining questions, and print the totals."""
    done, totals = answered_ids(answers), dict.fromkeys(["answered", "failed", "input tokens", "output tokens"], 0)
    with questions.open(encoding="utf-8") as file, answers.open("a", encoding="utf-8") as out:
        remaining = (read for read in map(json.loads, file) if read["id"] not in done)
        async with session() as model, asyncio.TaskGroup() as group:
            for _ in range(parallel):
                group.create_task(work(model, remaining, out, totals))
    print(", ".join(f"{count} {name}" for name, count in totals.items()))
    return 1 if totals["failed"] else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("answers", type=Path)
    parser.add_argument("--parallel", type=int, default=4, help="how many questions to ask at a time (default: 4)")
    chosen = parser.parse_args()
    if not chosen.questions.is_file():
        parser.error(f"there is no file {chosen.questions}")
    sys.exit(asyncio.run(main(chosen.questions, chosen.answers, chosen.parallel)))
