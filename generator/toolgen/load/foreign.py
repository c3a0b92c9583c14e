"""One file that is no source of a project, as a document with positions: what `toolgen import` reads."""

from __future__ import annotations

import stat
from pathlib import Path

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.load.files import Budget, regular_bytes
from toolgen.load.folder import kind_of_file
from toolgen.load.json_reader import read_json
from toolgen.load.report import Report, Unreadable
from toolgen.load.sources import Document
from toolgen.load.text import decoded
from toolgen.load.yaml_reader import read_yaml

_YAML = (".yaml", ".yml")


def load_foreign(file: Path, findings: Findings) -> Document | None:
    """Read a file under the budgets of a source: YAML by its extension, JSON otherwise.

    None, with findings, for a fault in it. A link is followed, since the path is the user's own; what is no regular
    file is never waited for. The document's path is the one that was given, with forward slashes.
    """
    path = file.as_posix()
    report = Report(path, findings)
    try:
        text = decoded(regular_bytes(_resolved(file, report), Budget(path), report), report)
        findings.texts[path] = text
        trees = read_yaml(text, report) if file.suffix.lower() in _YAML else [read_json(text, report)]
        if not trees or trees[0].blank:
            report.fatal("empty-source", path=path)
        if len(trees) > 1:
            report.fault("second-document", trees[1].values[()], path=path)
    except Unreadable:
        return None
    if report.count:
        return None
    return Document(path, path, 0, trees[0].value, trees[0].values, trees[0].keys)


def read_back(text: str, path: str, findings: Findings) -> object:
    """What a YAML text of one document says, as a build will read it; None, with findings, where it cannot."""
    report = Report(path, findings)
    try:
        trees = read_yaml(decoded(text.encode(), report), report)
    except Unreadable:
        return None
    return trees[0].value if len(trees) == 1 and not report.count else None


def _resolved(file: Path, report: Report) -> Path:
    try:
        path = file.resolve(strict=True)
        mode = path.stat().st_mode
    except (OSError, RuntimeError, ValueError) as error:
        # A loop of links is a RuntimeError before Python 3.13, a NUL in the path a ValueError.
        reason = (error.strerror if isinstance(error, OSError) else None) or "the path leads nowhere"
        report.fatal("unreadable-source", path=report.path, reason=Verbatim(reason))
    if not stat.S_ISREG(mode):
        kind, wanted = Verbatim(kind_of_file(mode)), Verbatim("a regular file")
        report.fatal(
            "not-a-file", hint="name the file that holds the tools", path=report.path, kind=kind, wanted=wanted
        )
    return path
