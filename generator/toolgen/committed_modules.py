"""Update the generated modules of the runtime: `python -m toolgen.committed_modules [--check]`.

They are `models.py`, `shipped_providers.py` and the classes of the shipped profiles, and depend on `schemas/format`,
`schemas/providers`, `templates` and the code of `plan` and `render`. They may all be missing or out of date: whatever a
step needs is written before it runs. `--check` writes nothing, but prints the modules that are out of date, and exits
with 1 if there are any. A fault of a shipped profile is a finding, and nothing is written.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from toolgen.diagnostics import Findings
from toolgen.diagnostics.formatters import format_as_text
from toolgen.load import Sources
from toolgen.load.loading import load_shipped
from toolgen.load.sources import SHIPPED
from toolgen.parse import parse
from toolgen.render.package import models_text
from toolgen.render.wires import providers_text, runtime_wire_files
from toolgen.resolve import Catalog
from toolgen.resolve.profiles import check_shipped_profiles, profile_name_of_file
from toolgen.resolve.resolution import resolve_catalog
from toolgen.resources import GENERATED, runtime_folder, shipped_folder


def main() -> None:
    """Write the modules. With `--check`, print those that are out of date, and exit with 1 if there are any."""
    if "--check" in sys.argv:
        names = find_stale_modules()
        sys.exit(f"out of date: {', '.join(names)}; run `make build`" if names else 0)
    catalog = shipped_catalog()
    imported = _imported_modules(catalog)
    _write(imported)
    files = runtime_wire_files(catalog)
    _write(files)
    for path in _find_left_over({*imported, *files}):
        path.unlink()


def find_stale_modules() -> list[str]:
    """Return the paths of the modules that are out of date, missing or left over."""
    catalog = shipped_catalog()
    files = {**_imported_modules(catalog), **runtime_wire_files(catalog)}
    folder = runtime_folder()
    return [*_changed(files), *(path.relative_to(folder).as_posix() for path in _find_left_over(files))]


def _imported_modules(catalog: Catalog) -> dict[str, str]:
    """Return the modules that the converters of APIs import, by path. The classes of providers need the converters."""
    return {"models.py": models_text(catalog.format), "shipped_providers.py": providers_text(catalog.profiles)}


def shipped_catalog() -> Catalog:
    """Return the shipped profiles and format, without any tools."""
    findings = Findings()
    folder = shipped_folder("schemas")
    providers, formats = (load_shipped(kind, folder, findings) for kind in ("providers", "format"))
    sources = Sources(SHIPPED, providers=providers, formats=formats)
    names = tuple(sorted(map(profile_name_of_file, providers)))
    check_shipped_profiles(providers, findings)
    parsed = parse(sources, findings) if not findings.has_errors else None
    catalog = resolve_catalog(parsed, names, findings) if parsed is not None else None
    if catalog is None or findings.has_errors:
        raise SystemExit(format_as_text(findings, findings.texts).rstrip())
    return catalog


def _changed(files: Mapping[str, str]) -> list[str]:
    """Return the paths of the modules whose text is not on disk."""
    folder = runtime_folder()
    return [path for path, text in files.items() if _read(folder / path) != text]


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


def _write(files: Mapping[str, str]) -> None:
    """Write the modules that are out of date, so that the next step can import them."""
    for path in _changed(files):
        target = runtime_folder() / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(files[path], encoding="utf-8")
    importlib.invalidate_caches()


def _find_left_over(files: Iterable[str]) -> list[Path]:
    """Return the generated modules of profiles that no longer exist."""
    current = {runtime_folder() / path for path in files}
    every = sorted(runtime_folder().rglob("*.py"))
    return [path for path in every if path not in current and path.read_text(encoding="utf-8").startswith(GENERATED)]


if __name__ == "__main__":
    main()
