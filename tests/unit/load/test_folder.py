"""Which files are read, in which order, and what is shipped with toolgen."""

from __future__ import annotations

import hashlib
import os
import socket
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from toolgen.diagnostics import Findings
from toolgen.load import limits, load
from toolgen.load.folder import Folder
from toolgen.load.loading import Budget, load_file

from .projects import TOOL, brief, loaded, project


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The project's folder is the working directory."""
    monkeypatch.chdir(tmp_path)


def test_sources_are_sorted_whatever_the_disk_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["tools/b.yaml", "tools/a/z.yml", "tools/B.JSON", "tools/a.yaml", "tools/a-b.yaml"]
    files = dict.fromkeys(names, '{"name": "x"}')
    sources, findings = loaded(tmp_path, files)
    assert findings == []
    assert [d.source for d in sources.tools] == sorted(names)
    scandir = os.scandir

    class Reversed:
        def __init__(self, path: Path) -> None:
            self.entries = sorted(scandir(path), key=lambda e: e.name, reverse=True)

        def __enter__(self) -> list[os.DirEntry[str]]:
            return self.entries

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(os, "scandir", Reversed)
    assert asdict(load(Path("schemas"), Findings())) == asdict(sources)


def test_paths_texts_and_digests(tmp_path: Path) -> None:
    files = {"tools/n/x.yaml": TOOL, "types/t.json": "{}", "toolgen.yml": "strict: auto\n"}
    sources, findings = loaded(tmp_path, files)
    assert findings == []
    assert sources.name == "schemas"
    assert sources.tools[0].path == "schemas/tools/n/x.yaml"
    assert sources.tools[0].source == "tools/n/x.yaml"
    assert sources.texts["schemas/types/t.json"] == "{}"
    assert sources.config is not None
    assert sources.digests == {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sorted(files.items())}


@pytest.mark.parametrize(
    ("where", "argument", "path"),
    [
        ("p", "schemas", "schemas/tools/x.yaml"),
        ("p", "./schemas", "schemas/tools/x.yaml"),
        ("p", "schemas/", "schemas/tools/x.yaml"),
        ("p", "../p/schemas", "../p/schemas/tools/x.yaml"),
        (".", "p/schemas", "p/schemas/tools/x.yaml"),
        ("p/schemas", ".", "tools/x.yaml"),
        ("p/schemas/tools", "..", "../tools/x.yaml"),
    ],
)
def test_paths_are_those_that_lead_to_the_files_from_here(
    where: str, argument: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path / "p", {"tools/x.yaml": TOOL})
    monkeypatch.chdir(tmp_path / where)
    sources = load(Path(argument), Findings())
    assert sources.tools[0].path == path
    assert Path(path).is_file()
    assert not sources.tools[0].is_shipped


def test_shipped_schemas_come_first(tmp_path: Path) -> None:
    builtin = tmp_path / "shipped"
    for name in ("providers/b.yaml", "providers/a.yaml", "format/f.yaml", "tools/no.yaml"):
        (builtin / name).parent.mkdir(parents=True, exist_ok=True)
        (builtin / name).write_text("shipped: true\n")
    project(tmp_path, {"tools/x.yaml": TOOL, "providers/a.yaml": "own: true\n"})
    findings = Findings()
    sources = load(Path("schemas"), findings, builtin=builtin)
    assert list(findings) == []
    assert [(d.path, d.source) for d in sources.providers] == [
        ("<toolgen>/providers/a.yaml", "providers/a.yaml"),
        ("<toolgen>/providers/b.yaml", "providers/b.yaml"),
        ("schemas/providers/a.yaml", "providers/a.yaml"),
    ]
    assert [d.path for d in sources.formats] == ["<toolgen>/format/f.yaml"]
    assert sorted(sources.digests) == ["providers/a.yaml", "tools/x.yaml"]
    assert "<toolgen>/format/f.yaml" in sources.texts


def test_the_checkout_itself_is_read_once(tmp_path: Path) -> None:
    schemas = project(tmp_path, {"tools/x.yaml": TOOL, "providers/a.yaml": "own: true\n"})
    sources = load(Path("schemas"), Findings(), builtin=schemas / ".." / "schemas")
    assert [(d.path, d.is_shipped) for d in sources.providers] == [("<toolgen>/providers/a.yaml", True)]


def test_a_link_inside_is_read(tmp_path: Path) -> None:
    schemas = project(tmp_path, {"tools/x.yaml": TOOL})
    (schemas / "tools" / "y.yaml").symlink_to("x.yaml")
    findings = Findings()
    assert [d.source for d in load(Path("schemas"), findings).tools] == ["tools/x.yaml", "tools/y.yaml"]
    assert list(findings) == []


def test_special_files_are_refused_without_opening_them(tmp_path: Path) -> None:
    schemas = project(tmp_path, {"tools/x.yaml": TOOL})
    os.mkfifo(schemas / "tools" / "p.yaml")
    os.mkfifo(schemas / "toolgen.yaml")
    os.mkfifo(schemas / "tools" / "other")
    here = os.getcwd()
    os.chdir(schemas)  # a socket's path has a hundred bytes at most
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("tools/s.json")
    os.chdir(here)
    findings = Findings()
    load(Path("schemas"), findings)
    assert [(f.span.path, f.code) for f in findings] == [
        ("schemas/toolgen.yaml", "not-a-file"),
        ("schemas/tools/p.yaml", "not-a-file"),
        ("schemas/tools/s.json", "not-a-file"),
    ]


def test_a_file_replaced_by_a_pipe_does_not_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, {"tools/x.yaml": TOOL})
    opened = os.open

    def late(path: Path, flags: int) -> int:
        Path(path).unlink()
        os.mkfifo(path)
        return opened(path, flags)

    monkeypatch.setattr(os, "open", late)
    findings = Findings()
    load(Path("schemas"), findings)
    assert [f.code for f in findings] == ["not-a-file"]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, {"tools/x.yaml": TOOL})

    def denied(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    findings = Findings()
    load(Path("schemas"), findings)
    assert brief(list(findings)) == ["schemas/tools/x.yaml:1:1: unreadable-source"]
    assert "Permission denied" in next(iter(findings)).message


def test_a_folder_that_cannot_be_listed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, {"tools/x.yaml": TOOL})

    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", denied)
    findings = Findings()
    load(Path("schemas"), findings)
    assert brief(list(findings)) == [
        "schemas:1:1: unreadable-source",
        "schemas/tools:1:1: unreadable-source",
    ]


def test_a_file_for_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "schemas").write_text("x")
    findings = Findings()
    load(Path("schemas"), findings)
    assert brief(list(findings)) == ["schemas:1:1: no-schemas"]


@pytest.mark.parametrize(
    ("name", "limit", "counted"),
    [("FILES", 2, "sources"), ("ENTRIES", 3, "entries")],
)
def test_budgets_of_the_folder(
    name: str, limit: int, counted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, name, limit)
    _, findings = loaded(tmp_path, {f"tools/{i}.yaml": TOOL for i in range(6)})
    assert brief(findings) == ["schemas:1:1: too-many-sources"]
    assert counted in findings[0].message


@pytest.mark.parametrize(("name", "limit"), [("bytes", 3), ("values", 1)])
def test_budgets_of_all_files(name: str, limit: int, tmp_path: Path) -> None:
    schemas = project(tmp_path, {"tools/x.yaml": TOOL})
    findings = Findings()
    folder = Folder(schemas, "schemas", findings)
    source = folder.list_sources("tools", recursive=True)[0]
    assert load_file(folder, source, "tool", findings, Budget("schemas", **{name: limit})).documents == ()
    assert [f.code for f in findings] == ["too-many-sources"]
    assert name in next(iter(findings)).message


def test_a_thousand_tools_load_quickly(tmp_path: Path) -> None:
    text = "name: t\ndescription: d\nparameters:\n  type: object\n  properties:\n" + "".join(
        f"    p{i}: {{type: string, description: text}}\n" for i in range(5)
    )
    project(tmp_path, {f"tools/t{i}.yaml": text for i in range(1000)})
    start = time.perf_counter()
    assert len(load(Path("schemas"), Findings()).tools) == 1000
    assert time.perf_counter() - start < 4
