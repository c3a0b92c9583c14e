"""Change one thing in a module, run the tests that are about it, and list the changes that no test saw.

`make mutants` changes the writer, the loader, what the laws are about, lowering, plan and the APIs, a few times a
module, always the same few (`--seed` says which), in a copy of the repository. A change that survives is not always a missing test, for some change
nothing that counts; one that was caught before and is not any more is a test that got weaker: `--compare FILE` lists
those. A changed writer may write anywhere, so the tests run where only the copy can be written, as root on Linux.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.repository import ROOT

AREAS: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "write": (["generator/toolgen/write/[a-z]*.py"], ["tests/unit/write"]),
    "load": (["generator/toolgen/load/[a-z]*.py"], ["tests/unit/load", "tests/safety/test_sources.py"]),
    "laws": (
        [
            *(f"runtime/toolgen_runtime/conversion/{name}.py" for name in ("extras", "wire", "reader", "writer")),
            "runtime/toolgen_runtime/json_text.py",
        ],
        [
            "tests/unit/runtime",
            "tests/apis/gemini",
            "tests/providers/test_laws.py",
            "tests/providers/test_recorded_responses.py",
        ],
    ),
    "lowering": (
        ["runtime/toolgen_runtime/lowering/[a-z]*.py"],
        [
            "tests/unit/runtime/lowering",
            "tests/providers/test_lowering.py",
            "tests/corpus/test_lowering.py",
            "tests/exact/test_arguments.py",
        ],
    ),
    "plan": (
        ["generator/toolgen/plan/[a-z]*.py"],
        [
            "tests/unit/plan",
            "tests/unit/render",
            "tests/providers/test_snapshots.py",
            "tests/package/test_tool_modules.py",
            "tests/package/test_generated.py",
            "tests/exact",
        ],
    ),
    "apis": (
        ["runtime/toolgen_runtime/apis/*/[a-v]*.py"],
        [
            "tests/apis",
            "tests/running/test_copilot_sessions.py",
            *(
                f"tests/providers/test_{name}.py"
                for name in ("laws", "recorded_responses", "streams", "results", "losses", "history", "rejected")
            ),
        ],
    ),
}
"""The modules that are changed, and the tests that must see it. Where a test file moves, its place changes here."""

FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
WRITABLE = r"""
mount --make-rprivate / && mount --bind "$0" "$0" && mount -o remount,bind,ro / && \
    mount -t tmpfs tmpfs "$0/tmp" && ulimit -v 8000000 && ulimit -t "$1" && shift && cd "$0/repository" && exec "$@"
"""


@dataclass(frozen=True)
class Mutant:
    """One change: the text between two offsets of a module (in bytes, as `ast` counts) is another."""

    module: str
    line: int
    kind: str
    start: int
    end: int
    old: str
    new: str

    def applied(self, text: bytes) -> bytes:
        """Return the module's text with the change."""
        return text[: self.start] + self.new.encode() + text[self.end :]

    @property
    def key(self) -> str:
        """What tells the change from others, in tables of two runs."""
        return f"{self.module}:{self.line} {self.kind}: {self.old!r} -> {self.new!r}"


class Changes(ast.NodeVisitor):
    """All changes of one module. Annotations, docstrings and f-strings stay as they are."""

    def __init__(self, module: str, text: bytes) -> None:
        self.module, self.text, self.found = module, text, list[Mutant]()
        lines = text.splitlines(keepends=True)
        self.starts = [sum(map(len, lines[:i])) for i in range(len(lines))]
        self.visit(ast.parse(text))

    def add(self, kind: str, node: ast.expr | ast.stmt, new: str, *, before: bool = False) -> None:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        end = start if before else self.starts[node.end_lineno - 1] + node.end_col_offset
        old = "" if before else self.text[start:end].decode()
        self.found.append(Mutant(self.module, node.lineno, kind, start, end, old, new))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None: ...

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1:
            flipped = ast.Compare(node.left, [FLIPPED[type(node.ops[0])]()], node.comparators)
            self.add("comparison", node, f"({ast.unparse(flipped)})")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
        self.add("and or", node, f"({ast.unparse(other)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.add("constant", node, repr(not value))
        elif isinstance(value, int):
            self.add("constant", node, f"({value + 1})")
        elif isinstance(value, str | bytes):
            more = value + (b"x" if isinstance(value, bytes) else "x")  # type: ignore[operator]
            self.add("constant", node, repr(more if value else b"x" if isinstance(value, bytes) else "x"))

    def visit_If(self, node: ast.If) -> None:
        for always in ("True", "False"):
            self.add("condition", node.test, always)
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            if not isinstance(node.value, ast.Yield | ast.YieldFrom):
                self.add("statement", node, "pass")
            self.generic_visit(node)

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.AugAssign | ast.Raise | ast.Continue | ast.Break | ast.Delete):
            self.add("statement", node, "pass")
        super().visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if not all(isinstance(target, ast.Name) for target in node.targets):  # without the name nothing would run
            self.add("statement", node, "pass")
        self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        first = node.body[1 if ast.get_docstring(node) is not None and len(node.body) > 1 else 0]
        if not isinstance(first, ast.Return | ast.Expr | ast.If) and first.lineno != node.lineno:
            self.add("return early", first, "return\n" + " " * first.col_offset, before=True)
        for part in node.body:
            self.visit(part)


def mutants(root: Path, module: str, count: int, seed: int) -> list[Mutant]:
    """Choose changes of a module: of each kind in turn."""
    found = Changes(module, (root / module).read_bytes()).found
    chance = random.Random(f"{seed}:{module}")
    kinds = {kind: [m for m in found if m.kind == kind] for kind in sorted({m.kind for m in found})}
    chance.shuffle(order := list(kinds))
    for same in kinds.values():
        chance.shuffle(same)
    turns = (kinds[kind].pop() for _ in found for kind in order if kinds[kind])
    return [mutant for mutant, _ in zip(turns, range(count), strict=False)]


def copied(folder: Path) -> Path:
    """Copy what git knows of the repository."""
    root = folder / "repository"
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    for name in filter(None, map(os.fsdecode, names)):
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, root / name)
    return root


def run_tests(folder: Path, tests: Sequence[str], seconds: float = 3600) -> str:
    """Run tests in the copy until one fails or has used up its seconds of computing, and return what failed, or nothing."""
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-x", "-rfE", "--tb=no", "--hypothesis-seed=0", *tests]
    (folder / "tmp").mkdir(exist_ok=True)
    try:
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", WRITABLE, folder, str(round(seconds)), *command],
            env={
                **os.environ,
                "PYTHONDONTWRITEBYTECODE": "",
                "TMPDIR": str(folder / "tmp"),
                "PYTEST_DEBUG_TEMPROOT": str(folder / "tmp"),
            },
            capture_output=True,
            text=True,
            timeout=10 * seconds,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return "time"
    finally:
        shutil.rmtree(folder / "repository" / ".hypothesis", ignore_errors=True)  # what failed is not tried first
    if done.returncode <= 0:
        return "time" if done.returncode else ""
    named = re.search(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return named[1] if named else " ".join((done.stdout + done.stderr).strip().splitlines()[-1:])


def failing(folder: Path, tests: Sequence[str], seconds: float) -> str:
    """Return the test that fails, and fails again: one that fails once may have been too slow for its own clock."""
    failed = run_tests(folder, tests, seconds)
    if "::" in failed and not run_tests(folder, [failed], seconds):
        failed = run_tests(folder, tests, seconds)
    return failed


def runs(count: int, seed: int, areas: Sequence[str], known: Collection[str]) -> Iterator[Mapping[str, Any]]:
    """Run the changes of some areas, one after the other, but those that are known."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as made:
        folder = Path(made)
        root = copied(folder)
        later = time.time()
        for area in areas:
            patterns, tests = AREAS[area]
            modules = sorted(p.relative_to(root).as_posix() for pattern in patterns for p in root.glob(pattern))
            chosen = [m for module in modules for m in mutants(root, module, count, seed) if m.key not in known]
            if not chosen:
                continue
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            if reason := run_tests(folder, tests):
                sys.exit(f"{area}: the tests fail without a change: {reason}")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(f"{area}: {len(chosen)} changes, {seconds:.0f} s of computing for each that nothing sees", flush=True)
            for mutant in chosen:
                file = root / mutant.module
                text = file.read_bytes()
                file.write_bytes(mutant.applied(text))
                later += 2  # a compiled module is taken for its source if the size and the second are the same
                os.utime(file, (later, later))
                failed = failing(folder, tests, 30 + 2 * seconds)
                file.write_bytes(text)
                later += 2
                os.utime(file, (later, later))
                yield {"mutant": mutant.key, "outcome": "killed" if failed else "survived", "by": failed}


def table(file: Path | None) -> dict[str, Mapping[str, Any]]:
    """Read a table, by what was changed."""
    rows = json.loads(file.read_text("utf-8")) if file is not None and file.exists() else []
    return {row["mutant"]: row for row in rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2, help="changes a module")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--areas", nargs="+", choices=list(AREAS), default=list(AREAS))
    parser.add_argument("--out", type=Path, help="the table, as JSON; what it has already is not run again")
    parser.add_argument("--compare", type=Path, help="the table of an earlier run")
    given = parser.parse_args()
    rows = table(given.out)
    for row in runs(given.count, given.seed, given.areas, rows.keys()):
        rows[row["mutant"]] = row
        print(f"{row['outcome']:9} {row['mutant']}", flush=True)
        if given.out is not None:
            given.out.write_text(json.dumps(list(rows.values()), indent=1) + "\n", "utf-8")
    survivors = {name for name, row in rows.items() if row["outcome"] == "survived"}
    print(f"{len(rows) - len(survivors)} of {len(rows)} were seen")
    lost = [name for name, row in table(given.compare).items() if row["outcome"] == "killed" and name in survivors]
    for name in lost:
        print(f"seen before, and not now: {name}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
