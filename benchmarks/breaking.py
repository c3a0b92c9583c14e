"""`toolgen breaking` for a large API: 242 operations imported from one OpenAPI document, of which little changed.

  python benchmarks/breaking.py [--rounds N] [--document FILE]

The document is made here: operations that refer to types, which refer to each other, and nearly all to one type of an id. `--document` takes another one. Compared are the project as released and the same project with no change, with
one tool changed, and with the type changed that most tools use. Processor time, beside a build of the project.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from building import CONFIG, Command
from table import Result, limited, printed

Json = dict[str, Any]

OPERATIONS, TYPES = 242, 500
ONE_TOOL, SHARED_TYPE = 8.0, 25.0
"""The most seconds that a comparison may take if one tool changed, and if the type changed that nearly all use."""

KINDS: tuple[Json, ...] = (
    {"type": "string", "maxLength": 6000},
    {"type": ["integer", "null"], "minimum": 0, "maximum": 10_000},
    {"type": "boolean", "default": False},
    {"type": "array", "items": {"$ref": "#/components/schemas/Id"}, "maxItems": 100, "uniqueItems": True},
    {"type": "string", "enum": ["open", "closed", "archived"]},
    {"type": "object", "additionalProperties": {"type": "string"}},
    {"type": "string", "format": "date-time"},
)


def type_of(n: int) -> Json:
    """Return a type: properties of all kinds, of which some refer to other types, never in a circle."""
    properties: Json = {"id": {"$ref": "#/components/schemas/Id"}}
    for k in range(12):
        properties[f"field_{k}"] = {**KINDS[(n + k) % len(KINDS)], "description": f"Field {k} of type {n}."}
    for k, later in enumerate((3 * n + 1, 3 * n + 2)):
        if later < TYPES:
            properties[f"part_{k}"] = {"$ref": f"#/components/schemas/Type{later}"}
    return {"type": "object", "description": f"Type {n}.", "properties": properties, "required": ["id", "field_0"]}


def operation(n: int) -> Json:
    """Return an operation with two ids in its path, a body, and a result."""
    parameters: list[Json] = [
        {"name": name, "in": "path", "required": True, "schema": {"$ref": "#/components/schemas/Id"}}
        for name in ("owner_id", "item_id")
    ]
    parameters.append({"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 100}})

    def content(number: int) -> Json:
        return {"application/json": {"schema": {"$ref": f"#/components/schemas/Type{number % TYPES}"}}}

    return {
        "operationId": f"change_item_{n}",
        "summary": f"Change item {n} of an owner.",
        "parameters": parameters,
        "requestBody": {"required": True, "content": content(TYPES // 16 + n)},
        "responses": {"200": {"description": "The item.", "content": content(TYPES // 16 + n // 2)}},
    }


def document() -> Json:
    """Return the OpenAPI document."""
    schemas: Json = {"Id": {"type": "string", "pattern": "^[0-9]+$", "description": "An id."}}
    schemas |= {f"Type{n}": type_of(n) for n in range(TYPES)}
    paths = {f"/owners/{{owner_id}}/items_{n}/{{item_id}}": {"post": operation(n)} for n in range(OPERATIONS)}
    information = {"title": "Items", "version": "1"}
    return {"openapi": "3.1.0", "info": information, "paths": paths, "components": {"schemas": schemas}}


def most_used_type(tools: list[Path]) -> str:
    """Return the name of the type's file that most tools refer to."""
    uses = Counter(name for tool in tools for name in set(re.findall(r"types/(\w+\.yaml)", tool.read_text("utf-8"))))
    return str(uses.most_common(1)[0][0])


def results(file: Path | None, rounds: int) -> Iterator[Result | str]:
    """Yield the rows."""
    toolgen = (sys.executable, "-m", "toolgen")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        if file is None:
            file = folder / "openapi.json"
            file.write_text(json.dumps(document()), "utf-8")
        schemas = folder / "schemas"
        words = ("import", "openapi", str(file.resolve()), "--out", "schemas", "--skip-faulty")
        Command((*toolgen, *words), folder).run()
        (schemas / "toolgen.yaml").write_text(CONFIG, "utf-8")
        tools = sorted((schemas / "tools").rglob("*.yaml"))
        tool, shared = tools[20], schemas / "types" / most_used_type(tools)
        texts = {path: path.read_text("utf-8") for path in (tool, shared)}
        shutil.copytree(schemas, folder / "released")

        def restore() -> None:
            shutil.rmtree(folder / "generated", ignore_errors=True)
            shutil.rmtree(folder / "cache", ignore_errors=True)
            for path, text in texts.items():
                path.write_text(text, "utf-8")

        def one_tool() -> None:
            restore()
            tool.write_text(texts[tool].replace("description: ", "description: Now, ", 1), "utf-8")

        def shared_type() -> None:
            restore()
            shared.write_text(f"{texts[shared]}maxLength: 40\n", "utf-8")

        def compared(prepare: Callable[[], None]) -> Command:
            return Command((*toolgen, "breaking", "--against-dir", "released"), folder, prepare, (0, 1))

        build = Command((*toolgen, "build"), folder, restore, (0, 1))
        cases: dict[str, tuple[float | None, Command]] = {
            "nothing changed": (None, compared(restore)),
            "one tool changed": (ONE_TOOL, compared(one_tool)),
            "a type changed that most use": (SHARED_TYPE, compared(shared_type)),
        }
        seconds: dict[str, list[float]] = {name: [] for name in cases}
        builds = []
        for _ in range(rounds):
            builds.append(build.run().seconds)
            for case, (_, command) in cases.items():
                seconds[case].append(command.run().seconds)
        yield f"{len(tools)} tools and {len(list((schemas / 'types').iterdir()))} types"
        for case, (limit, _) in cases.items():
            yield Result(f"breaking, {case}", "a build", None, seconds[case], builds, "s")
            if limit is not None:
                yield limited(f"breaking, {case}", limit, seconds[case])


def main() -> int:
    """Print a row for each case. Return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--document", type=Path)
    options = parser.parse_args()
    return printed(results(options.document, options.rounds))


if __name__ == "__main__":
    sys.exit(main())
