"""The batch: answers as lines, many at once, and again where it was stopped."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.examples.responses import REFUSED, reply
from tests.support.loopback import Loopback, Reply
from tests.support.repository import ROOT

pytestmark = pytest.mark.slow

Example = Callable[..., subprocess.CompletedProcess[str]]


def questions(path: Path, count: int) -> str:
    lines = [json.dumps({"id": f"q{i}", "question": f"Question {i}?"}) for i in range(count)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return str(path)


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_answers_are_lines_with_what_they_took(example: Example, upstream: Loopback, tmp_path: Path) -> None:
    look, write = ("get_weather", {"city": "Oslo"}), ("write_file", {"path": "a", "content": "b"})
    upstream.replies.extend([reply("anthropic", look, write), reply("anthropic", "Å: 4 °")])
    asked, answers = questions(tmp_path / "questions", 1), tmp_path / "answers"
    done = example("batch", asked, str(answers))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "1 answered, 0 failed, 20 input tokens, 10 output tokens\n"
    (line,) = lines(answers)
    usage = {"inputTokens": 20, "outputTokens": 10, "totalTokens": 30}
    assert line == {"id": "q0", "answer": "Å: 4 °", "stoppedBy": "end", "usage": usage}
    sent = str(upstream.heard[1].body["messages"])
    assert "4.0" in sent
    assert "Nobody is here to allow it." in sent


def test_what_has_no_answer_is_tried_again_and_nothing_else(
    example: Example, upstream: Loopback, tmp_path: Path
) -> None:
    asked, answers = questions(tmp_path / "questions", 3), tmp_path / "answers"
    upstream.replies.extend([reply("anthropic", "One."), REFUSED, reply("anthropic", "Three.")])
    done = example("batch", asked, str(answers), "--parallel", "1")
    assert (done.returncode, done.stderr) == (1, "q1: anthropic: invalid_request (status 400): no such model\n")
    assert done.stdout.startswith("2 answered, 1 failed, ")
    with answers.open("a") as file:  # as a crash in the middle of a line leaves it
        file.write('{"id": "q1", "ans')

    upstream.replies.append(reply("anthropic", "Two."))
    done = example("batch", asked, str(answers), "--parallel", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert [(line["id"], line["answer"]) for line in lines(answers)] == [
        ("q0", "One."),
        ("q2", "Three."),
        ("q1", "Two."),
    ]
    assert len(upstream.heard) == 4

    assert example("batch", asked, str(answers)).stdout == "0 answered, 0 failed, 0 input tokens, 0 output tokens\n"
    assert len(upstream.heard) == 4


def test_as_many_as_it_is_told_are_asked_at_once(example: Example, upstream: Loopback, tmp_path: Path) -> None:
    together, lock = threading.Barrier(3), threading.Lock()
    open_now, most = 0, 0

    def waiting(later: Reply) -> Iterator[bytes]:
        nonlocal open_now, most
        with lock:
            open_now += 1
            most = max(most, open_now)
        together.wait(60)
        with lock:
            open_now -= 1
        yield from later.pieces

    upstream.replies.extend(Reply(waiting(reply("anthropic", f"{i}."))) for i in range(9))
    asked, answers = questions(tmp_path / "questions", 9), tmp_path / "answers"
    done = example("batch", asked, str(answers), "--parallel", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(line["id"] for line in lines(answers)) == [f"q{i}" for i in range(9)]
    assert most == 3


def test_the_sample_questions_can_be_asked(example: Example, upstream: Loopback, tmp_path: Path) -> None:
    sample = ROOT / "examples" / "questions.jsonl"
    upstream.replies.extend(reply("anthropic", "Hm.") for _ in lines(sample))
    assert example("batch", str(sample), str(tmp_path / "answers")).returncode == 0
    assert {line["id"] for line in lines(tmp_path / "answers")} == {line["id"] for line in lines(sample)}


def test_questions_that_reach_nobody_are_told_and_left(
    example: Example, environment: dict[str, str], nowhere: str, tmp_path: Path
) -> None:
    asked, answers = questions(tmp_path / "questions", 3), tmp_path / "answers"
    environment["LLM_BASE_URL"] = nowhere
    done = example("batch", asked, str(answers), "--parallel", "3")
    assert sorted(done.stderr.splitlines()) == [f"q{i}: APIConnectionError" for i in range(3)]
    assert (done.returncode, lines(answers)) == (1, [])
    assert done.stdout.startswith("0 answered, 3 failed, ")


def test_a_file_that_is_not_there_is_named(example: Example, tmp_path: Path) -> None:
    done = example("batch", str(tmp_path / "none"), str(tmp_path / "answers"))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(f"there is no file {tmp_path / 'none'}")


@pytest.mark.parametrize(
    ("name", "value"),
    [("LLM_INTERFACE", "morse"), ("LLM_API_KEY", None), ("LLM_MODEL", None), ("LLM_INTERFACE", "genai")],
)
def test_settings_that_make_no_session_end_in_a_line(
    example: Example, environment: dict[str, str], tmp_path: Path, name: str, value: str | None
) -> None:
    environment.pop(name)
    environment |= {} if value is None else {name: value}
    done = example("batch", questions(tmp_path / "questions", 1), str(tmp_path / "answers"))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "LLM_" in done.stderr
