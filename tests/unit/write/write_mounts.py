"""Builds on file systems that are mounted for the purpose: run as a program, in a mount namespace of its own.

The first argument names the case; the outcome is JSON on stdout.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from write_project import ONE, TWO, Project, snapshot
from write_scenes import AFTER, BEFORE, add_foreign

BIG = {f"big{i}.py": f"x = '{'x' * 3000}{i}'\n" for i in range(12)}


def mount(*arguments: object) -> None:
    subprocess.run(["mount", *map(str, arguments)], check=True, capture_output=True)


def outcome_of(project: Project, done: object) -> dict[str, Any]:
    findings = list(project.findings)
    return {
        "done": done is not None,
        "codes": project.codes,
        "messages": [f.message for f in findings],
        "hints": [f.hint for f in findings],
        "places": [f.span.path for f in findings],
        "litter": bool(project.litter()),
    }


def full(folder: Path) -> list[dict[str, Any]]:
    """A disk with room for more and more of the new tree."""
    outcomes = []
    for pages in range(18, 50):
        where = folder / str(pages)
        where.mkdir()
        mount("-t", "tmpfs", "-o", f"size={pages * 4096}", "none", where)
        project = Project(where / "project")
        if project.build(ONE) is None:
            raise SystemExit("no room for the beginning")
        old = snapshot(project.out)
        outcome = outcome_of(project, project.build({**TWO, **BIG}))
        outcomes.append({**outcome, "same": snapshot(project.out) == old})
    return outcomes


def read_only(folder: Path) -> list[dict[str, Any]]:
    mount("-t", "tmpfs", "none", folder)
    project = Project(folder / "project")
    project.build(ONE)
    old = snapshot(project.out)
    mount("-o", "remount,ro", folder)
    outcomes = [outcome_of(project, project.build(TWO))]
    outcomes.append({**outcome_of(project, project.build(TWO, project.root / "a" / "b")), "new": True})
    drift = project.check(ONE)
    outcomes.append({**outcome_of(project, None), "drift": drift.fails_check, "check": True})
    return [{**a, "same": snapshot(project.out) == old} for a in outcomes]


def mount_point(folder: Path) -> list[dict[str, Any]]:
    project = Project(folder / "project")
    project.out.mkdir()
    mount("-t", "tmpfs", "none", project.out)
    (project.out / "notes.txt").write_text("mine")
    old = snapshot(project.out)
    at = outcome_of(project, project.build(ONE))
    below = outcome_of(project, project.build(ONE, project.out / "package"))
    output = snapshot(project.out)
    own_files = {path: text for path, text in output.items() if not path.startswith("package/")}
    return [{**at, "same": own_files == old}, {**below, "below": "package/models.py" in output}]


def mount_below(folder: Path) -> list[dict[str, Any]]:
    """A foreign mount point in the output."""
    project = Project(folder / "project")
    project.build(ONE)
    (project.out / "cache").mkdir()
    mount("-t", "tmpfs", "none", project.out / "cache")
    (project.out / "cache" / "x").write_text("mine")
    old = snapshot(project.out)
    outcome = outcome_of(project, project.build(TWO))
    return [{**outcome, "same": snapshot(project.out) == old}]


def layers(folder: Path) -> list[dict[str, Any]]:
    """An output in a lower layer, as in a container made from an image."""
    mount("-t", "tmpfs", "none", folder)
    for name in ("lower", "upper", "work", "merged"):
        (folder / name).mkdir()
    image = Project(folder / "lower" / "project")
    image.build(BEFORE)
    add_foreign(image.out)
    options = ",".join(f"{k}dir={folder / k}" for k in ("lower", "upper", "work"))
    mount("-t", "overlay", "overlay", "-o", options, folder / "merged")
    project = Project(folder / "merged" / "project")
    old = snapshot(project.out)
    same = outcome_of(project, project.build(BEFORE))
    outcome = outcome_of(project, project.build(AFTER))
    return [{**same, "same": True}, {**outcome, "same": snapshot(project.out) == old}]


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](Path(sys.argv[2]))))
