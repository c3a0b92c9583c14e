"""The batch: answers as lines, many at once, and again where it was stopped."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.examples.responses import REFUSED, ended, reply
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
    ("answers", "reason"),
    [(".", "cannot write the file"), ("none/answers", "cannot write the file"), ("questions", "a file of their own")],
)
def test_answers_that_cannot_be_written_are_refused(
    example: Example, upstream: Loopback, tmp_path: Path, answers: str, reason: str
) -> None:
    asked = questions(tmp_path / "questions", 1)
    done = example("batch", asked, str(tmp_path / answers))
    assert done.returncode == 2
    assert reason in done.stderr.splitlines()[-1]
    assert (len(upstream.heard), lines(Path(asked))) == (0, [{"id": "q0", "question": "Question 0?"}])


def test_a_line_that_is_no_question_is_reported_and_the_others_are_answered(
    example: Example, upstream: Loopback, tmp_path: Path
) -> None:
    asked, answers = tmp_path / "questions", tmp_path / "answers"
    written = [
        b'\xef\xbb\xbf{"id": "a", "question": "One?"}\r',
        b"",
        b'{"id": "b", "question',
        b" \t",
        b'{"id": "c"}',
        b'["d", "Four?"]',
        b'{"id": "e", "question": "F\xfcnf?"}',
        b"[" * 100_000,
        b'{"id": "a", "question": "Again?"}',
        b'{"id": true, "question": "Yes?"}',
        b'{"id": 7, "question": "Last?"}',
    ]
    asked.write_bytes(b"\n".join(written))
    upstream.replies.extend(reply("anthropic", "Yes.") for _ in range(2))
    done = example("batch", str(asked), str(answers), "--parallel", "2")
    wrong = 'not {"id": "...", "question": "..."}'
    assert done.stderr.splitlines() == [
        *(f"line {number}: {wrong}" for number in (3, 5, 6, 7, 8)),
        "line 9: a second question with the id a",
        f"line 10: {wrong}",
    ]
    assert (done.returncode, done.stdout.split(", ")[:2]) == (1, ["2 answered", "7 failed"])
    assert sorted((line["id"], line["answer"]) for line in lines(answers) if line["id"] != 7) == [("a", "Yes.")]
    assert [line["id"] for line in lines(answers)].count(7) == 1
    assert example("batch", str(asked), str(answers)).stdout.startswith("0 answered, 7 failed, ")
    assert len(upstream.heard) == 2


@pytest.mark.parametrize(
    ("replies", "stopped_by"),
    [
        ([ended("Half of", "max_tokens")], "length"),
        ([ended("I must not", "refusal")], "content_filter"),
        ([reply("anthropic", ("get_weather", {"city": "Oslo"}), name=f"call{i}") for i in range(20)], "limit"),
    ],
)
def test_an_answer_that_is_not_complete_is_none(
    example: Example, upstream: Loopback, tmp_path: Path, replies: list[Reply], stopped_by: str
) -> None:
    asked, answers = questions(tmp_path / "questions", 1), tmp_path / "answers"
    upstream.replies.extend(replies)
    done = example("batch", asked, str(answers))
    assert (done.returncode, done.stderr) == (1, f"q0: no complete answer, stopped by {stopped_by}\n")
    assert done.stdout.startswith("0 answered, 1 failed, ")
    assert done.stdout.split(", ")[2] != "0 input tokens"
    assert lines(answers) == []
    upstream.replies.clear()
    upstream.replies.append(reply("anthropic", "All of it."))
    assert example("batch", asked, str(answers)).returncode == 0
    assert [line["answer"] for line in lines(answers)] == ["All of it."]


def test_half_of_a_surrogate_pair_spoils_no_answer(example: Example, upstream: Loopback, tmp_path: Path) -> None:
    asked, answers = tmp_path / "questions", tmp_path / "answers"
    asked.write_text('{"id": "\\ud800", "question": "One?"}\n{"id": "b", "question": "Two?"}\n', "utf-8")
    upstream.replies.extend(reply("anthropic", "Yes.") for _ in range(2))
    for _ in range(2):
        assert example("batch", str(asked), str(answers)).returncode == 0
    assert sorted(line["id"] for line in lines(answers)) == ["b", "\ud800"]
    assert len(upstream.heard) == 2


@pytest.mark.parametrize("parallel", ["0", "-1", "two"])
def test_a_number_that_asks_nothing_is_refused(example: Example, tmp_path: Path, parallel: str) -> None:
    done = example("batch", questions(tmp_path / "questions", 1), str(tmp_path / "answers"), "--parallel", parallel)
    assert (done.returncode, "--parallel" in done.stderr.splitlines()[-1]) == (2, True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"LLM_INTERFACE": "morse"}, "unsupported LLM_INTERFACE; supported are anthropic, "),
        ({"LLM_API_KEY": None, "LLM_BASE_URL": None}, "LLM_API_KEY must not be empty: anthropic requires an API key"),
        ({"LLM_MODEL": None}, "LLM_MODEL is not set; "),
        ({"LLM_INTERFACE": "genai"}, "LLM_BASE_URL is not supported by this LLM_INTERFACE; "),
        ({"LLM_INTERFACE": "ollama"}, "LLM_API_KEY must be empty: ollama does not use API keys"),
        *(
            ({name: " "}, f"{name} is empty; set it to a value, or unset it")
            for name in ("LLM_INTERFACE", "LLM_MODEL", "LLM_API_KEY", "LLM_BASE_URL")
        ),
    ],
)
def test_settings_that_make_no_session_end_in_a_line(
    example: Example, environment: dict[str, str], tmp_path: Path, changes: dict[str, str | None], message: str
) -> None:
    for name, value in changes.items():
        environment.pop(name)
        environment |= {} if value is None else {name: value}
    done = example("batch", questions(tmp_path / "questions", 1), str(tmp_path / "answers"))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith(message)


def test_a_server_of_your_own_needs_no_key(
    example: Example, environment: dict[str, str], upstream: Loopback, tmp_path: Path
) -> None:
    del environment["LLM_API_KEY"]
    upstream.replies.append(reply("anthropic", "Yes."))
    done = example("batch", questions(tmp_path / "questions", 1), str(tmp_path / "answers"))
    assert (done.returncode, done.stderr) == (0, "")
