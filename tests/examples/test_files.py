"""What holds for all examples: they are short, they are told of, and the notebook runs from its first cell to its last."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from examples.workshop import Workshop
from generated.models import ToolCall
from generated.tools import DEFINITIONS, Handlers, check_handlers, dispatch_sync
from tests.support.repository import ROOT

FOLDER = ROOT / "examples"
FILES = sorted(path for path in FOLDER.iterdir() if path.is_file() and path.name != "README.md")
NOTEBOOK = FOLDER / "tour.ipynb"


def cells() -> list[Any]:
    all_cells: list[Any] = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    return all_cells


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_readme_tells_of_each_example(path: Path) -> None:
    assert path.name == "__init__.py" or f"[{path.name}]({path.name})" in (FOLDER / "README.md").read_text("utf-8")


def test_the_readme_tells_of_files_that_are_there() -> None:
    text = (FOLDER / "README.md").read_text("utf-8")
    linked = [part.split(")")[0] for part in text.split("](")[1:]]
    assert len(linked) > len(FILES) - 2
    assert [name for name in linked if not (FOLDER / name).exists()] == []


def test_the_notebook_keeps_no_output() -> None:
    code = [cell for cell in cells() if cell["cell_type"] == "code"]
    assert len(code) == 5
    assert [(cell["outputs"], cell["execution_count"]) for cell in code] == [([], None)] * 5
    assert len({cell["id"] for cell in cells()}) == len(cells())


PROGRAM = """
import json, sys
space = {"__name__": "__main__"}
for cell in json.load(sys.stdin)["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), space)
space["folder"].cleanup()
"""


@pytest.mark.slow
def test_the_notebook_runs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        cwd=tmp_path,
        input=NOTEBOOK.read_text("utf-8"),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].partition(": ")[0].endswith("/tides")
    assert [line.split()[0] for line in lines if line.startswith(("openai", "anthropic", "note"))] == [
        "openai_chat",
        "anthropic",
        "note",
    ]
    assert "'value': 'Bergen is the only harbour here.'" in done.stdout
    assert lines[-1] == "end 2"


CALLS: dict[str, tuple[dict[str, Any], str, Any]] = {
    "create_order": (
        {
            "customer_id": "c",
            "items": [{"sku": "a", "quantity": 2}],
            "ship_to": {"lines": ["x"], "city": "y", "country": "NO"},
        },
        "data",
        {"order_id": "o_1", "total": 25.0},
    ),
    "find-free-slots": (
        {"attendees": ["a"], "window": {"from": "2030-01-01T09:00:00Z", "to": "2030-01-01T10:00:00Z"}},
        "data",
        [{"start": "2030-01-01T09:00:00Z", "end": "2030-01-01T09:30:00Z"}],
    ),
    "get_weather": ({"city": "Lagos"}, "data", {"place": "Lagos", "temperature": 31.0}),
    "list_time_zones": ({}, "data", ["Africa/Lagos", "America/Lima", "Europe/Oslo"]),
    "read_file": ({"path": "notes.txt", "start_line": 2, "end_line": 2}, "text", "Call Ada.\n"),
    "run_query": ({"sql": "select 1"}, "error", "There is no database here. Use search_documents."),
    "search_documents": (
        {"query": {"field": "text", "equals": "paint"}},
        "data",
        [{"id": "notes.txt", "title": "notes.txt", "score": 1.0}],
    ),
    "send_message": ({"empfänger": ["a@b.c"], "本文": "x"}, "text", "Sent to 1."),
    "set_preferences": (
        {"language": None, "quiet_hours": {"start": 1, "end": 2}},
        "data",
        {"language": None, "quiet_hours": {"start": 1, "end": 2}},
    ),
    "write_file": ({"path": "a", "content": "xyz"}, "data", {"characters": 3}),
}


def test_every_declared_tool_is_tried() -> None:
    assert set(CALLS) == set(DEFINITIONS)


@pytest.mark.parametrize("name", CALLS)
def test_a_handler_gives_what_its_tool_declares(name: str) -> None:
    handlers: Handlers = Workshop()
    check_handlers(handlers)
    arguments, kind, value = CALLS[name]
    result = dispatch_sync(ToolCall("call_a", name, arguments), handlers)
    assert (result.kind, result.value) == (kind, value)


@pytest.mark.parametrize(
    ("window", "message"),
    [
        (("tomorrow", "later"), "such as 2024-05-06T07:08:09Z"),
        (("2030-01-01T09:00:00", "2030-01-01T10:00:00Z"), "such as 2024-05-06T07:08:09Z"),
        (("9999-12-31T23:59:00Z", "9999-12-31T23:59:00Z"), "The meeting is too long."),
    ],
)
def test_a_window_that_does_not_fit_is_an_error(window: tuple[str, str], message: str) -> None:
    arguments = {"attendees": ["a"], "window": dict(zip(("from", "to"), window, strict=True))}
    result = dispatch_sync(ToolCall("call_a", "find-free-slots", arguments), Workshop())
    assert (result.kind, message in result.value) == ("error", True)
