"""`write_package`: updates the output folder to what the build wants, completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import RawText
from toolgen.write import disk
from toolgen.write.atomic_swap import AtomicSwap
from toolgen.write.changes import (
    Changes,
    Files,
    FolderTree,
    OutputState,
    files_to_carry,
    ignore_version,
    plan_changes,
    read_state,
)
from toolgen.write.lockfile import LOCK, Lock, digest, is_package_path, lock_text, parse_version
from toolgen.write.output_path import OutputPath, RequestedOutput, locate_output, os_error_reason, report_os_error

LISTED = 25
"""The limit of files in the way that are listed."""


def write_package(
    files: Files, output: RequestedOutput, lock: Lock, findings: Findings, *, force: bool = False
) -> Changes | None:
    """Write the package. Return None, with an error in the findings, if the former output is unchanged.

    `lock` has the facts for the lock file. `force` overwrites generated files that were edited by hand and a lock file that
    cannot be read. Files that toolgen did not write always stay. If nothing changes, nothing is written.

    Raises:
        ValueError: `files` has a path that leads out of the package, a defect of the plan.
    """
    wanted = package_with_lock(files, lock)
    output_path = locate_output(output, findings)
    if output_path is None:
        return None
    made_folders: list[str] = []
    plan: Changes | None = None
    try:
        make_parents(output_path.parent, made_folders)
        with disk.lock_folder(output_path.parent):
            plan = _locked_apply(wanted, output, output_path, lock, findings, force=force)
    except disk.LockedError:
        made_folders.clear()  # the other build may be using them
        findings.add("another-build", output_path.folder_span, folder=output.name)
    except OSError as error:
        report_os_error(error, output_path, output_path.folder_span, findings, action="written")
    finally:
        # This also runs after an interrupt.
        if plan is None:
            remove_parents(made_folders)
    return plan


def package_with_lock(files: Files, lock: Lock) -> dict[str, str]:
    """Return the files with the lock file, which lists pages with their digests.

    Raises:
        ValueError: a path is not valid for a generated file.
    """
    for path in files:
        if not is_package_path(path) or path == LOCK:
            raise ValueError(f"not a path of a generated file: {path!r}")
    if not lock.is_package:
        lock = replace(lock, files={path: digest(text.encode()) for path, text in files.items()})
    return dict(sorted({**files, LOCK: lock_text(lock)}.items()))


def is_from_newer_toolgen(state: OutputState, lock: Lock) -> bool:
    """Return whether a newer toolgen wrote the package. An older one would undo its changes."""
    return state.lock is not None and parse_version(state.lock.version) > parse_version(lock.version)


def report_newer(state: OutputState, lock: Lock, output_path: OutputPath, findings: Findings) -> None:
    """Report a package that a newer toolgen wrote."""
    version = state.lock.version if state.lock is not None else ""
    hint = output_path.hint_to_force("package-newer")
    findings.add("package-newer", output_path.file_span(LOCK), hint=hint, version=version, own=RawText(lock.version))


def _locked_apply(
    wanted: Files, output: RequestedOutput, output_path: OutputPath, lock: Lock, findings: Findings, *, force: bool
) -> Changes | None:
    """Apply the changes while the lock is held. Returns None, with an error, if something is in the way."""
    swap = AtomicSwap(output_path, output.paths_of_lock)
    swap.recover()
    state = read_state(output_path.path, wanted, output.paths_of_lock)
    newer = is_from_newer_toolgen(state, lock)
    if newer and not force:
        report_newer(state, lock, output_path, findings)
        return None
    if not force and state.lock is not None and state.lock.is_package != lock.is_package:
        _report_other_kind(state.lock, lock, output_path, findings)
        return None
    plan = plan_changes(wanted, state, output.find_edited)
    if not newer:
        plan = ignore_version(plan, state, wanted)
    if _report_obstacles(plan, state, output_path, findings, force=force):
        return None
    for path in plan.strays[:LISTED]:
        findings.add("stray-file", output_path.file_span(path), file=f"{output_path.name}/{path}")
    if not plan.has_changes:
        return plan
    written = {path: wanted[path] for path in (*plan.created, *plan.changed)}
    replace_output(swap, state.tree, files_to_carry(plan, state), written, output_path, findings)
    return plan


def _report_other_kind(former: Lock, lock: Lock, output_path: OutputPath, findings: Findings) -> None:
    """Report that the folder has pages and a package is to be written there, or the other way round."""
    kinds = (RawText("pages"), RawText("a package"))
    findings.add(
        "output-other-kind",
        output_path.folder_span,
        hint=output_path.hint_to_force("output-other-kind"),
        folder=output_path.name,
        found=kinds[former.is_package],
        wanted=kinds[lock.is_package],
    )


def replace_output(
    swap: AtomicSwap,
    tree: FolderTree,
    carried: Iterable[str],
    written: Files,
    output_path: OutputPath,
    findings: Findings,
) -> None:
    """Make a new tree of the kept files of the old one and the written files, and replace the old one with it.

    Raises:
        OSError: it failed; the old tree is unchanged.
    """
    try:
        swap.stage(tree, carried, written)
        swap.commit()
        error = _twice(swap.clean_up)
    except BaseException:
        # An interrupt must not leave litter either. If this fails, the next start does the same.
        _twice(swap.abandon)
        raise
    if error:
        findings.add("old-output-left", output_path.folder_span, reason=RawText(os_error_reason(error)))


def _twice(action: Callable[[], None]) -> OSError | None:
    """Call the action, and again if it fails: the second call often succeeds. Return its error, if any.

    The second call also finishes what an interrupt stopped; then the interrupt is raised again.
    """
    try:
        action()
    except OSError:
        pass
    except BaseException:
        with suppress(OSError):
            action()
        raise
    else:
        return None
    try:
        action()
    except OSError as error:
        return error
    return None


def _report_obstacles(
    plan: Changes, state: OutputState, output_path: OutputPath, findings: Findings, *, force: bool
) -> bool:
    """Report what stops a build: its lock file or files in the way. Return whether there is anything."""
    if state.trouble and not force:
        hint = output_path.hint_to_force("lock-unreadable")
        findings.add("lock-unreadable", output_path.file_span(LOCK), hint=hint, reason=RawText(state.trouble))
        return True
    stops = [("foreign-in-the-way", path) for path in plan.blocked]
    stops += [("edited-by-hand", path) for path in plan.edited if not force]
    report_in_the_way(stops, output_path, findings)
    return bool(stops)


def report_in_the_way(stops: Sequence[tuple[str, str]], output_path: OutputPath, findings: Findings) -> None:
    """Report the files that stop a command, by code and path: the first few, and the number of the others."""
    for code, path in stops[:LISTED]:
        findings.add(
            code, output_path.file_span(path), hint=output_path.hint_to_force(code), file=f"{output_path.name}/{path}"
        )
    if len(stops) > LISTED:
        findings.add("more-in-the-way", output_path.folder_span, count=len(stops) - LISTED)


def make_parents(folder: str, made_folders: list[str]) -> None:
    """Make a folder and its missing parents. Add each one that was made to `made_folders`."""
    missing = []
    while disk.inspect_path(folder) is None:
        missing.append(folder)
        folder = os.path.dirname(folder)
    for path in reversed(missing):
        try:
            disk.make_folder(path)
        except FileExistsError:
            # A concurrent build made it first.
            continue
        made_folders.append(path)


def remove_parents(made_folders: list[str]) -> None:
    """Remove the folders that were made, unless they are no longer empty."""
    for folder in reversed(made_folders):
        try:
            disk.remove_folder(folder)
        except OSError:
            # Somebody uses it now, or the disk refuses this too. An empty folder does no harm.
            return
