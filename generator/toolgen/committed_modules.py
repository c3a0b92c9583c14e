"""Update the generated modules that are committed in this package: `python -m toolgen.committed_modules [--check]`.

They are `runtime/models.py` and `wires`, and depend on `schemas/format`, `schemas/providers`, `templates` and the code
of `plan` and `render`. `--check` writes nothing, but prints the modules that are out of date, and exits with 1 if there
are any.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toolgen.diagnostics import Findings
from toolgen.load import Sources
from toolgen.load.loading import load_shipped
from toolgen.load.sources import SHIPPED
from toolgen.parse import parse
from toolgen.plan.provider import plan_provider
from toolgen.render.package import format_class_names, models_text, profile_ancestors, render_wire_module
from toolgen.render.shipped import MODELS, digest, wire_class_inputs
from toolgen.resolve.profiles import profile_name_of_file
from toolgen.resolve.resolution import resolve_catalog
from toolgen.resources import runtime_folder, shipped_folder, wires_folder


def _files() -> Iterator[tuple[Path, str]]:
    """Yield the generated files with their texts."""
    findings = Findings()
    folder = shipped_folder("schemas")
    providers, formats = (load_shipped(kind, folder, findings) for kind in ("providers", "format"))
    sources = Sources(SHIPPED, providers=providers, formats=formats)
    names = tuple(sorted(map(profile_name_of_file, providers)))
    parsed = parse(sources, findings)
    catalog = resolve_catalog(parsed, names, findings) if parsed is not None else None
    if catalog is None or findings.has_errors:
        raise SystemExit("\n".join(f"{finding.code}: {finding.message}" for finding in findings))
    yield runtime_folder() / "models.py", models_text(catalog.format)
    exported = format_class_names(catalog.format)
    digests: dict[str, Any] = {MODELS: digest(catalog.format.schema)}
    plans = {profile.name: plan_provider(profile, catalog) for profile in catalog.profiles}
    for line in profile_ancestors(catalog.profiles):
        name = line[0].name
        plan, *ancestors = (plans[profile.name] for profile in line)
        yield wires_folder() / f"{name}.py", render_wire_module(plan, ancestors, exported)
        digests[name] = digest(*wire_class_inputs(line, catalog.format))
    yield wires_folder() / "digests.json", json.dumps(digests, indent=2) + "\n"


def stale_files() -> list[str]:
    """Return the names of the files that are out of date, missing or left over."""
    found = dict(_files())
    stale = [path for path, text in found.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    return [path.name for path in (*stale, *_left_over(found))]


def _left_over(found: Mapping[Path, str]) -> list[Path]:
    """Return the classes of profiles that no longer exist."""
    return [path for path in sorted(wires_folder().glob("[a-z]*.py")) if path not in found]


def main() -> None:
    """Write the files. With `--check`, print those that are out of date, and exit with 1 if there are any."""
    if "--check" in sys.argv:
        names = stale_files()
        sys.exit(f"out of date: {', '.join(names)}; run `make build`" if names else 0)
    found = dict(_files())
    for path, text in found.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in _left_over(found):
        path.unlink()


if __name__ == "__main__":
    main()
