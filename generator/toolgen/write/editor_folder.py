"""`SCHEMAS/.editor`, the folder of the JSON Schemas that editors read. toolgen writes it, and git ignores it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from toolgen.diagnostics import Findings, Span
from toolgen.diagnostics.finding import RawText
from toolgen.write import disk
from toolgen.write.output_path import display_path, os_error_reason

EDITOR_FOLDER = ".editor"
"""The name of the folder, in SCHEMAS."""

CONFIG_SCHEMA, DECLARATION_SCHEMA = "config.json", "declaration.json"
"""The names of the files in it: the schema of toolgen.yaml, and that of declarations."""


def has_editor_folder(schemas: Path, texts: Iterable[str]) -> bool:
    """Return whether a project has the folder, or would have it if git did not ignore it: a source names its files."""
    if (schemas / EDITOR_FOLDER).is_dir():
        return True
    names = [f"{EDITOR_FOLDER}/{name}" for name in (CONFIG_SCHEMA, DECLARATION_SCHEMA)]
    return any(name in text for text in texts for name in names)


def write_editor_folder(schemas: Path, files: Mapping[str, str], findings: Findings) -> bool:
    """Write the files that are missing or different, each through a temporary file. Return whether any was written.

    No link is followed. If the system refuses, there is a finding, and the other files are not written.
    """
    folder = schemas / EDITOR_FOLDER
    written = False
    try:
        info = disk.inspect_path(str(folder))
        if info is None:
            disk.make_folder(str(folder))
        elif not stat.S_ISDIR(info.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
        for name, text in files.items():
            if not _has_text(folder / name, text):
                _replace(folder / name, text)
                written = True
    except OSError as error:
        span = Span(display_path(folder.as_posix()))
        findings.add("editor-schemas-failed", span, reason=RawText(os_error_reason(error)))
    return written


def _has_text(file: Path, text: str) -> bool:
    info = disk.inspect_path(str(file))
    return info is not None and stat.S_ISREG(info.st_mode) and disk.read_file(str(file)) == text.encode()


def _replace(file: Path, text: str) -> None:
    """Replace a file at once, so that an editor never reads half of it."""
    temporary = file.with_name(f".{file.name}.new")
    temporary.unlink(missing_ok=True)  # a build was killed
    disk.write_file(str(temporary), text.encode())
    try:
        disk.rename(str(temporary), str(file))
    except OSError:
        temporary.unlink()
        raise
