"""Answer a file of questions, several at a time. A second run continues with those that have no answer yet.

    LLM_MODEL=... LLM_API_KEY=... python -m examples.batch examples/questions.jsonl answers.jsonl --parallel 4

A line of the first file is `{"id": "...", "question": "..."}`. Each answer is written to the second file as soon as it arrives.
A line that is not one, and a question without a complete answer, is reported, and the others are answered. The exit code
is then 1; run the same command to try again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from examples.batch_files import Id, answered_ids, questions_in, report_failure
from examples.connection import session
from examples.workshop import Workshop
from generated.models import Request, UserMessage, dump
from generated.running import Deny, RunResult, arun
from generated.sessions import AsyncSession, SessionError

MAX_TOKENS = 2000


async def answer(model: AsyncSession, question: str) -> RunResult:
    """Ask one question, with tools. Nobody is there to allow high-risk calls, so they do not run."""
    request = Request([UserMessage(question)], max_output_tokens=MAX_TOKENS)
    return await arun(model, request, Workshop(), review=lambda call, arguments: Deny("Nobody is here to allow it."))


async def work(model: AsyncSession, questions: Iterator[tuple[Id, str]], out: TextIO, totals: Counter[str]) -> None:
    """Answer one question after the other. All workers take from the same questions."""
    for id, question in questions:
        try:
            result = await answer(model, question)
        except Exception as error:  # noqa: BLE001 - the client has already retried; the other questions continue
            report_failure(str(id), error if isinstance(error, SessionError) else type(error).__name__, totals)
            continue
        if result.usage is not None:
            totals["input tokens"] += result.usage.input_tokens
            totals["output tokens"] += result.usage.output_tokens
        if result.stopped_by != "end":
            report_failure(str(id), f"no complete answer, stopped by {result.stopped_by}", totals)
            continue
        line = {"id": id, "answer": result.text, "stoppedBy": result.stopped_by, "usage": dump(result.usage)}
        out.write(json.dumps(line, ensure_ascii=False) + "\n")
        out.flush()
        totals["answered"] += 1


async def main(questions: Path, answers: Path, parallel: int) -> int:
    """Answer the remaining questions, and print the totals."""
    totals = Counter({"answered": 0, "failed": 0, "input tokens": 0, "output tokens": 0})
    remaining = questions_in(questions, answered_ids(answers), totals)
    with answers.open("a", encoding="utf-8", errors="backslashreplace") as out:  # half a surrogate pair, as JSON
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
    if chosen.answers.is_dir() or not chosen.answers.parent.is_dir():
        parser.error(f"cannot write the file {chosen.answers}")
    if chosen.answers.exists() and chosen.answers.samefile(chosen.questions):
        parser.error("the answers need a file of their own")
    if chosen.parallel < 1:
        parser.error("--parallel must be at least 1")
    sys.exit(asyncio.run(main(chosen.questions, chosen.answers, chosen.parallel)))
