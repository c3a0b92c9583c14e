"""`compare`: what a build would change in the output folder, read only, as data and as a diff."""

from __future__ import annotations

from dataclasses import dataclass

from toolgen.diagnostics import Findings
from toolgen.write.building import package
from toolgen.write.changes import Changes, Paths, changes
from toolgen.write.diff import file_diff
from toolgen.write.lockfile import LOCK, Stamp
from toolgen.write.place import Output, locate, report, shown
from toolgen.write.state import Files, State, read_state


@dataclass(frozen=True, slots=True)
class Drift:
    """How the output folder differs from what a build would write. Paths are in the package, each sorted.

    `edited` are generated files whose bytes are not those recorded; each is in `changed` or `extra`, too.
    `extra` are stale files of ours. `foreign` are files that toolgen did not write and that Python or a type checker
    would import from the package (`*.py`, `*.pyi` outside of dot folders); other ones are no drift. `crlf` differ in their
    line ends alone, as version control may leave them, and are no drift. `version` is a sentence if another
    version of toolgen made the output, and `trouble` why its lock file cannot be used. `diff` is the unified diff, printable and the same on every run.
    """

    missing: Paths = ()
    changed: Paths = ()
    extra: Paths = ()
    foreign: Paths = ()
    edited: Paths = ()
    crlf: Paths = ()
    version: str | None = None
    trouble: str | None = None
    diff: str = ""

    @property
    def any(self) -> bool:
        """Whether a check fails: something a build would change, or that it would not have written."""
        return self.stale or bool(self.foreign)

    @property
    def stale(self) -> bool:
        """Whether a build would change something."""
        return bool(self.missing or self.changed or self.extra or self.version or self.trouble)

    def lines(self, name: str) -> list[str]:
        """One sentence for each kind of drift and file, with `name` as the output folder."""
        said = [f"{shown(name)}: {self.version}"] if self.version else []
        if self.trouble:
            said.append(f"{shown(f'{name}/{LOCK}')}: cannot be used: {self.trouble}")
        hand = set(self.edited)
        said += [f"{shown(f'{name}/{path}')}: missing" for path in self.missing]
        said += [f"{shown(f'{name}/{p}')}: {'edited by hand' if p in hand else 'out of date'}" for p in self.changed]
        said += [f"{shown(f'{name}/{path}')}: extra, no source makes it" for path in self.extra]
        said += [
            f"{shown(f'{name}/{path}')}: not written by toolgen, and Python would import it" for path in self.foreign
        ]
        if self.crlf:
            files = "file has" if len(self.crlf) == 1 else "files have"
            said.append(f"{shown(name)}: {len(self.crlf)} {files} CRLF line ends, and no other difference")
        return said


def compare(files: Files, output: Output, stamp: Stamp, findings: Findings) -> Drift:
    """Compare the output folder with the package that a build would write; writes nothing and takes no lock.

    A place that a build refuses, and what cannot be read, are errors among the findings.

    Raises:
        ValueError: `files` has a path that leads out of the package: a defect of the plan.
    """
    wanted = package(files, stamp)
    place = locate(output, findings)
    if place is None:
        return Drift()
    try:
        state = read_state(place.path, wanted)
    except OSError as error:
        report(error, place, place.span, findings, doing="read")
        return Drift()
    plan = changes(wanted, state)
    extra = tuple(sorted(set(plan.deleted) - set(plan.blocked)))
    foreign = tuple(sorted(set(filter(_importable, plan.foreign)) - set(plan.blocked)))
    changed = tuple(sorted({*plan.changed, *(set(plan.blocked) & set(wanted))}))
    return Drift(
        missing=plan.created,
        changed=changed,
        extra=extra,
        foreign=foreign,
        edited=plan.edited,
        crlf=tuple(path for path in plan.unchanged if state.standing(path, wanted[path]) == "crlf"),
        version=_version(state, stamp),
        trouble=state.trouble,
        diff=_diff(wanted, output.name, state, plan, (*plan.created, *changed, *extra, *foreign)),
    )


def _importable(path: str) -> bool:
    return path.endswith((".py", ".pyi")) and not any(part.startswith(".") for part in path.split("/"))


def _version(state: State, stamp: Stamp) -> str | None:
    if state.lock is None or state.lock.version == stamp.version:
        return None
    return f"made by toolgen version {shown(state.lock.version)[:40]}, and this is version {stamp.version}"


def _diff(wanted: Files, name: str, state: State, plan: Changes, paths: Paths) -> str:
    ours = {*plan.changed, *plan.deleted}
    parts = []
    for path in sorted(paths):
        title = f"{shown(name)}/{shown(path)}"
        there = path in state.tree.leaves
        if there and path not in ours:
            parts.append(f"Only on disk: {title} (not written by toolgen)\n")
            continue
        data = state.content.get(path) if there else b""
        if data is None:
            parts.append(f"Differs: {title} (on disk it is a link or too large to compare)\n")
        else:
            parts.append(file_diff(title, data, wanted.get(path)))
    return "".join(parts)
