"""Every declaration of a collection, each under a legal name: all build and import, or are refused for a reason.

    python -m tests.corpus.everything COLLECTION [--python EXECUTABLE]… [--write]

COLLECTION is a folder of `<source>.jsonl` in the form of `declarations.jsonl`. What `toolgen build` refuses is held
against `refused.tsv` (id, code, line of the declaration's JSON, who else says that it is broken); `--write` writes that
table. With each interpreter and the oldest and newest pydantic, the rest is built to the same bytes and imported with
warnings as errors.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema import Draft202012Validator
from referencing.exceptions import Unresolvable

from tests.support.repository import ROOT

SOURCES = ("mcp", "openai", "anthropic", "bfcl", "toolbench", "openapi")
TABLE = Path(__file__).with_name("refused.tsv")
PYDANTIC = ("pydantic==2.12.0", "pydantic")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")

IMPORT_ALL = """
import importlib, pathlib, pkgutil, sys
import generated, generated.tools
for module in pkgutil.walk_packages(generated.__path__, "generated."):
    importlib.import_module(module.name)
names = list(generated.tools.DEFINITIONS)
for name in names:
    generated.tools.DEFINITIONS[name]
    try:
        generated.tools.parse_arguments(name, {})
    except generated.tools.ArgumentsError:
        pass
print(len(names))
"""


def declarations(collection: Path) -> dict[str, tuple[str, dict[str, Any]]]:
    """By file name: the id of each row, and its declaration under a name that is legal and its own."""
    rows: dict[str, tuple[str, dict[str, Any]]] = {}
    for source in SOURCES:
        for n, line in enumerate((collection / f"{source}.jsonl").read_text("utf-8").strip("\n").split("\n")):
            row = json.loads(line)
            name = re.sub(r"[^A-Za-z0-9_-]", "_", row["name"])[:40]
            declared = {"name": f"{name}_{source}{n}", "parameters": row["parameters"]}
            if row.get("description"):
                declared["description"] = row["description"]
            if row.get("result") is not None:
                declared["result"] = row["result"]
            rows[f"{source}{n}.json"] = row["id"], declared
    return rows


def refused_by_toolgen(project: Path) -> dict[str, tuple[str, int]]:
    """Build; by file name what is refused, with the code and line of its first error. Those files are removed.

    A run lists some dozens of findings, and a stage with errors is the last one, so that it takes several.
    """
    refused: dict[str, tuple[str, int]] = {}
    while True:
        done = toolgen(project, sys.executable, "generated")
        if done.returncode == 0:
            return refused
        errors = [f for f in json.JSONDecoder().raw_decode(done.stdout)[0] if f["level"] == "error"]
        if not errors:
            raise SystemExit(done.stderr[-300:])
        for finding in errors:
            refused.setdefault(Path(finding["path"]).name, (finding["code"], finding["line"]))
        for name in refused:
            (project / "schemas" / "tools" / name).unlink(missing_ok=True)


def toolgen(project: Path, python: str, out: str) -> subprocess.CompletedProcess[str]:
    """Run `toolgen build`."""
    command = [python, "-m", "toolgen", "build", "schemas", "--out", out, "--format", "json"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 2) or "Traceback" in done.stderr:
        raise SystemExit(done.stderr)
    return done


def witness(declared: dict[str, Any]) -> str:
    """Who else says that a declaration is broken: the name's pattern, or jsonschema by its own checks; empty for nobody."""
    if not NAME.fullmatch(declared["name"]):
        return "name"
    for schema in (declared["parameters"], declared.get("result", True)):
        try:
            jsonschema.validators.validator_for(schema, Draft202012Validator).check_schema(schema)
        except jsonschema.SchemaError:
            return "jsonschema: schema"
        for inner in subschemas(schema):
            values = [*inner.get("enum", ()), *([inner["default"]] if "default" in inner else ())]
            try:
                if not all(Draft202012Validator(schema).evolve(schema=inner).is_valid(value) for value in values):
                    return "jsonschema: value"
                if isinstance(inner.get("$ref"), str):
                    Draft202012Validator(schema).evolve(schema={"$ref": inner["$ref"]}).is_valid(None)
            except Unresolvable:
                return "jsonschema: reference"
    return ""


def subschemas(value: Any) -> Iterator[dict[str, Any]]:
    """All objects of a schema; those that are data are read as schemas, too, which their own keys then refuse."""
    if isinstance(value, dict):
        yield value
        for key, item in value.items():
            if key not in ("default", "enum", "const", "examples", "example"):
                yield from subschemas(item)
    elif isinstance(value, list):
        for item in value:
            yield from subschemas(item)


def environment(folder: Path, python: str, pydantic: str, *more: str) -> str:
    """The interpreter of a new environment."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    interpreter = str(folder / "bin" / "python")
    install = [interpreter, "-m", "pip", "install", "-q", "--disable-pip-version-check", pydantic, *more]
    subprocess.run(install, check=True)
    return interpreter


def held_on(python: str, project: Path, folder: Path) -> None:
    """Build with an interpreter to the same bytes, and import with the oldest and the newest pydantic."""
    builder = environment(folder / "builder", python, PYDANTIC[-1], str(ROOT))
    done = toolgen(project, builder, "again")
    if done.returncode:
        raise SystemExit(done.stdout)
    first, again = (
        {p.relative_to(project / out): p.read_bytes() for p in (project / out).rglob("*") if p.is_file()}
        for out in ("generated", "again")
    )
    different = sorted(str(p) for p in first.keys() | again.keys() if first.get(p) != again.get(p))
    if [p for p in different if "__pycache__" not in p]:
        raise SystemExit(f"{python}: other bytes in {different[:5]}")
    for n, pydantic in enumerate(PYDANTIC):
        user = environment(folder / f"user{n}", python, pydantic)
        shown = [user, "-c", "import platform, pydantic; print(platform.python_version(), pydantic.VERSION)"]
        versions = subprocess.run(shown, capture_output=True, text=True, check=True).stdout.split()
        done = subprocess.run(
            [user, "-B", "-W", "error", "-c", IMPORT_ALL], cwd=project, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"Python {versions[0]}, pydantic {versions[1]}:\n{done.stderr[-2000:]}")
        print(f"Python {versions[0]}, pydantic {versions[1]}: {done.stdout.strip()} tools imported", flush=True)


def main() -> int:
    """Build all; 1 where the table differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--python", action="append", default=[])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = declarations(options.collection)
    with tempfile.TemporaryDirectory() as temporary:
        project = Path(temporary) / "project"
        (project / "schemas" / "tools").mkdir(parents=True)
        for name, (_, declared) in rows.items():
            (project / "schemas" / "tools" / name).write_text(json.dumps(declared, indent=2), "utf-8")
        refused = refused_by_toolgen(project)
        table = "".join(
            f"{rows[name][0]}\t{code}\t{line}\t{witness(rows[name][1])}\n"
            for name, (code, line) in sorted(refused.items())
        )
        print(f"{len(rows)} declarations, {len(refused)} refused, {table.count(chr(9) + chr(10))} of them by us alone")
        if options.write:
            TABLE.write_text(table, "utf-8")
        elif table != TABLE.read_text("utf-8"):
            print(f"{TABLE.name} differs; --write writes it")
            return 1
        for n, python in enumerate(options.python):
            held_on(python, project, Path(temporary) / str(n))
    return 0


if __name__ == "__main__":
    sys.exit(main())
