"""`find_drift`: what a build would change in the output folder, as data and as a diff, without writing.

A diff is printable, whatever is on the disk.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import escape_char
from toolgen.write.changes import (
    Changes,
    Files,
    OutputState,
    Paths,
    ignore_version,
    normalize_newlines,
    plan_changes,
    read_state,
)
from toolgen.write.lockfile import LOCK, Lock
from toolgen.write.output_path import RequestedOutput, display_path, locate_output, report_os_error
from toolgen.write.package_writer import is_from_newer_toolgen, package_with_lock, report_newer

MOST_LINES = 3_000
"""The limit of differing lines that are matched with each other. The cost is quadratic."""

_CONTEXT = 3


def file_diff(title: str, data: bytes, wanted: str | None) -> str:
    """Return the diff from `data` to `wanted`, ending with a newline. A missing file is empty data or None.

    Line ends are compared only if they are mixed: a file with CRLF throughout is read as if it had LF.
    """
    crlf = data.count(b"\r\n") == data.count(b"\n")
    before = _lines((normalize_newlines(data) if crlf else data).decode(errors="backslashreplace"))
    after = _lines(wanted or "")
    if max(len(before), len(after)) > MOST_LINES:
        hunks = _one_hunk(before, after)
    else:
        hunks = list(difflib.unified_diff(before, after, n=_CONTEXT, lineterm=""))[2:]
    if not hunks:
        if wanted is None:
            state = "Only on disk"
        else:
            state = "Differs" if data else "Missing"
        return f"{state}: {title}{'' if data else ' (empty)'}\n"
    return "".join(f"{line}\n" for line in (f"--- {title} (on disk)", f"+++ {title} (as built)", *hunks))


def _lines(text: str) -> list[str]:
    """Return the lines of a text for a diff. What a terminal might interpret is escaped."""
    lines = text.split("\n")
    last = lines.pop()
    if last:
        lines.append(f"{last}\n\\ No newline at end of file")
    return [
        line if line.isprintable() else "".join(c if c in "\t\n" else escape_char(c) for c in line) for line in lines
    ]


def _one_hunk(before: list[str], after: list[str]) -> list[str]:
    """Return a diff in linear time: one hunk from the first to the last differing line."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    removed, added = before[start : len(before) - end], after[start : len(after) - end]
    if not removed and not added:
        return []
    lead = before[max(0, start - _CONTEXT) : start]
    tail = before[len(before) - end :][:_CONTEXT]
    first = start - len(lead) + 1
    context = len(lead) + len(tail)
    return [
        f"@@ -{first},{context + len(removed)} +{first},{context + len(added)} @@",
        *(f" {line}" for line in lead),
        *(f"-{line}" for line in removed),
        *(f"+{line}" for line in added),
        *(f" {line}" for line in tail),
    ]


@dataclass(frozen=True, slots=True)
class Drift:
    """The differences between the output folder and what a build would write. Paths are in the package, sorted.

    `edited` are generated files that are known to be edited by hand; each is also in `changed` or `extra`.
    `extra` are stale files of toolgen. `unmanaged` are unmanaged files that Python or a type checker
    would import from the package (`*.py`, `*.pyi` outside dot folders); others are not drift. `strays` are those of them
    with the header of generated files. `blocked` are unmanaged files in the way of generated ones. `crlf` differ only in
    line ends, as version control may leave them, and are not drift. `version` is a sentence if an older
    toolgen made the output, which alone is not drift. `trouble` is why its lock file cannot be used. `diff` is the
    unified diff, printable and the same on every run.
    """

    missing: Paths = ()
    changed: Paths = ()
    extra: Paths = ()
    unmanaged: Paths = ()
    strays: Paths = ()
    blocked: Paths = ()
    edited: Paths = ()
    crlf: Paths = ()
    version: str | None = None
    trouble: str | None = None
    diff: str = ""
    files: Files = field(default_factory=dict[str, str], repr=False, compare=False)
    """The files that a build would write, including the lock file."""

    @property
    def fails_check(self) -> bool:
        """Return whether a check fails: a build would change something, or there are unmanaged files."""
        return self.is_out_of_date or bool(self.unmanaged)

    @property
    def is_out_of_date(self) -> bool:
        """Return whether a build would change something."""
        return bool(self.missing or self.changed or self.extra or self.trouble)

    @property
    def force_option(self) -> str:
        """Return ` --force` if a build refuses to replace what is there without it."""
        return " --force" if self.edited or self.trouble else ""

    @property
    def is_absent(self) -> bool:
        """Return whether none of the package's files exists, so that a diff would be the whole package."""
        return bool(self.files) and len(self.missing) == len(self.files)

    def problems(self, name: str) -> list[tuple[str, str]]:
        """Return each file that fails a check, with `name` as the output folder, and what is wrong with it.

        A package of which no file exists is a single entry, with its folder.
        """

        def located(paths: Iterable[str], problem: str) -> list[tuple[str, str]]:
            return [(f"{name}/{path}", problem) for path in paths]

        reasons = dict.fromkeys(self.edited, "edited by hand")
        reasons |= dict.fromkeys(self.blocked, "not written by toolgen, but a generated file must go there")
        unmanaged_problem = "not written by toolgen, but Python would import it"
        stray_problem = "generated, but neither from these sources nor by the build that wrote the lock file"
        return [
            *located([LOCK] if self.trouble else [], f"cannot be used: {self.trouble}"),
            *([(name, "missing")] if self.is_absent else located(self.missing, "missing")),
            *((f"{name}/{path}", reasons.get(path, "out of date")) for path in self.changed),
            *located(self.extra, "no longer generated from any source"),
            *(
                (f"{name}/{path}", stray_problem if path in self.strays else unmanaged_problem)
                for path in self.unmanaged
            ),
        ]

    def messages(self, name: str) -> list[str]:
        """Return one sentence for each kind of drift and file, with `name` as the output folder."""
        sentences = [f"{display_path(name)}: {self.version}"] if self.version else []
        sentences += [f"{display_path(path)}: {problem}" for path, problem in self.problems(name)]
        if self.crlf:
            files = "file has" if len(self.crlf) == 1 else "files have"
            sentences.append(f"{display_path(name)}: {len(self.crlf)} {files} CRLF line endings; nothing else differs")
        return sentences


def find_drift(files: Files, output: RequestedOutput, lock: Lock, findings: Findings) -> Drift:
    """Compare the output folder with the package that a build would write. Write nothing and take no lock.

    A location that a build refuses, unreadable files, and a package by a newer toolgen are errors in the findings.

    Raises:
        ValueError: `files` has a path that leads out of the package, a defect of the plan.
    """
    wanted = package_with_lock(files, lock)
    output_path = locate_output(output, findings)
    if output_path is None:
        return Drift()
    try:
        state = read_state(output_path.path, wanted, output.paths_of_lock)
    except OSError as error:
        report_os_error(error, output_path, output_path.folder_span, findings, action="read")
        return Drift()
    if is_from_newer_toolgen(state, lock):
        report_newer(state, lock, output_path, findings)
        return Drift()
    plan = ignore_version(plan_changes(wanted, state, output.find_edited), state, wanted)
    extra = tuple(sorted(set(plan.deleted) - set(plan.blocked)))
    unmanaged = tuple(sorted(set(filter(_is_importable, plan.unmanaged)) - set(plan.blocked)))
    changed = tuple(sorted({*plan.changed, *(set(plan.blocked) & set(wanted))}))
    return Drift(
        missing=plan.created,
        changed=changed,
        extra=extra,
        unmanaged=unmanaged,
        strays=plan.strays,
        blocked=plan.blocked,
        edited=plan.edited,
        crlf=tuple(path for path in plan.unchanged if state.file_status(path, wanted[path]) == "crlf"),
        version=_version(state, lock),
        trouble=state.trouble,
        diff=_diff(wanted, output.name, state, plan, (*plan.created, *changed, *extra, *unmanaged)),
        files=wanted,
    )


def _is_importable(path: str) -> bool:
    return path.endswith((".py", ".pyi")) and not any(part.startswith(".") for part in path.split("/"))


def _version(state: OutputState, lock: Lock) -> str | None:
    if state.lock is None or state.lock.version == lock.version:
        return None
    return f"written by toolgen {display_path(state.lock.version)[:40]}, but this is {lock.version}"


def _diff(wanted: Files, name: str, state: OutputState, plan: Changes, paths: Paths) -> str:
    """Return the differences of files on disk from those wanted, as a unified diff. Links and large files have one line."""
    managed = {*plan.changed, *plan.deleted}
    parts = []
    for path in sorted(paths):
        title = f"{display_path(name)}/{display_path(path)}"
        exists = path in state.tree.leaves
        if exists and path not in managed:
            parts.append(f"Only on disk: {title} (not written by toolgen)\n")
            continue
        data = state.content.get(path) if exists else b""
        if data is None:
            parts.append(f"Differs: {title} (on disk it is a link or too large to compare)\n")
        else:
            parts.append(file_diff(title, data, wanted.get(path)))
    return "".join(parts)
