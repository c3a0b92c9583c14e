"""The meta-schemas: what each kind of source file may say."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.load.report import Report, Unreadable
from toolgen.load.text import decoded
from toolgen.load.yaml_reader import read_yaml
from toolgen.resources import builtin

KINDS = ("declaration", "provider", "format", "config")
"""The kinds of source files, as `toolgen schema` names them."""


@cache
def meta(kind: str) -> Mapping[str, Any]:
    """Return the JSON Schema of a kind of source file. It is shared, and never changed.

    Raises:
        KeyError: there is no such kind.
        ValueError: the shipped file is broken, which is a defect of toolgen.
    """
    if kind not in KINDS:
        raise KeyError(kind)
    path = builtin("schemas") / "meta" / f"{kind}.yaml"
    findings = Findings()
    report = Report(path.name, findings)
    try:
        trees = read_yaml(decoded(path.read_bytes(), report), report)
    except Unreadable:
        trees = []
    value = trees[0].value if len(trees) == 1 else None
    if report.count or not isinstance(value, dict):
        raise ValueError(f"{path.name}: {[f.message for f in findings] or 'no single mapping'}")
    return value
