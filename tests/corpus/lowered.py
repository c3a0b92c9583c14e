"""Every tool of a collection, lowered for every provider and mode, held against what the provider's documentation says.

    python -m tests.corpus.lowered COLLECTION [--source NAME]

Values that the source admits are encoded: the lowered schema takes them and they come back equal, or a loss said that it
cannot be so. Values that the lowered schema takes are decoded without an exception.
"""

from __future__ import annotations

import argparse
import collections
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from tests.corpus.everything import SOURCES, declarations
from tests.support.dialects import CHECKERS
from tests.support.repository import profile
from tests.support.schema_references import dangling, required_without_property
from tests.support.schema_values import is_valid, valid_values
from toolgen_runtime.apis.gemini.fields import from_openapi
from toolgen_runtime.conversion.encoding import Encoding
from toolgen_runtime.json_values import same_json
from toolgen_runtime.lowering.coercion import coercions
from toolgen_runtime.lowering.dialects import Dialect
from toolgen_runtime.lowering.lower import lower

DIALECTS = {(name, mode): Dialect(profile(name)["dialects"][mode]) for name, mode in CHECKERS}
"""The dialects of all profiles that a checker knows."""


def faults(schema: dict[str, Any], name: str, mode: str, seed: int) -> Iterator[str]:
    """What is wrong with a schema as a provider gets it. One that is refused is not sent, and not judged."""
    lowering = lower(schema, DIALECTS[name, mode])
    if lowering.unsupported_changes:
        return
    yield from CHECKERS[name, mode](lowering.schema)
    wire = from_openapi(lowering.schema) if mode == "openapi" else lowering.schema
    if not dangling(schema):
        yield from (f"leads nowhere: {reference}" for reference in dangling(lowering.schema))
    if not any(required_without_property(schema)):
        yield from (f"required, and no property: {name}" for name in required_without_property(lowering.schema))
    judge = Draft202012Validator(wire)
    narrowed = any(
        r.action == "narrowed" and (r.blocks_strict or r.what != "additional properties") for r in lowering.changes
    )
    lenient = coercions(schema)
    for value in valid_values(schema, seed):
        if lenient is not None and not same_json(Encoding(lenient).decode(value), value):
            yield f"read otherwise than it is meant: {value!r:.200}"
        spelled = Encoding(lowering.encoding_table).encode(value) if lowering.encoding_table else value
        if not narrowed and not is_valid(judge, spelled):
            error = next(iter(judge.iter_errors(spelled)), None)
            yield f"not admitted: {spelled!r:.200}: {error and error.message:.200}"
        if (
            not same_json(
                Encoding(lowering.encoding_table).decode(spelled) if lowering.encoding_table else spelled, value
            )
            and not narrowed
        ):
            yield f"comes back otherwise: {value!r:.200} -> {spelled!r:.200}"
    for value in valid_values(wire, seed + 1, tries=3):
        if lowering.encoding_table:
            Encoding(lowering.encoding_table).decode(value)


def main() -> int:
    """Judge all; 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--source", choices=SOURCES)
    parser.add_argument("--every", type=int, default=1, help="take one of so many")
    options = parser.parse_args()
    wrong: collections.Counter[str] = collections.Counter()
    judged = 0
    for n, (file, (identifier, declared)) in enumerate(declarations(options.collection).items()):
        schema = declared["parameters"]
        if (
            n % options.every
            or not isinstance(schema, dict)
            or (options.source and not file.startswith(options.source))
        ):
            continue
        if next(Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema), None):
            continue
        judged += 1
        for name, mode in CHECKERS:
            for fault in faults(schema, name, mode, n):
                wrong[f"{name} {mode}"] += 1
                if wrong[f"{name} {mode}"] <= 5:
                    print(f"{identifier} ({file}): {name} {mode}: {fault}", flush=True)
    print(f"{judged} tools, {sum(wrong.values())} faults: {dict(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
