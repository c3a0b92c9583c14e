"""The result of an operation: what its answers of success hold as JSON."""

from __future__ import annotations

import re
from typing import Any

from toolgen.importing.openapi.media import chosen, is_json
from toolgen.importing.openapi.operations import Operation
from toolgen.importing.openapi.schemas import Here, Schemas
from toolgen.load import Pointer

_SUCCESS = re.compile(r"2([0-9][0-9]|XX)", re.IGNORECASE)
_ANSWER = Here("answer")


def result(operation: Operation, schemas: Schemas) -> tuple[Any, dict[Pointer, Pointer]]:
    """The schema of the result and the places of its parts; None where no answer of success holds JSON.

    Where answers differ, the result is one of them. The answer for all other codes counts where there is none of
    success.
    """
    found: list[tuple[Any, Pointer]] = []
    answers = schemas.resolver.reader.object(operation.at, operation.entry, "responses") or {}
    for code in sorted(c for c in answers if _SUCCESS.fullmatch(c)) or [c for c in answers if c == "default"]:
        at = _schema_of((*operation.at, "responses", code), schemas)
        if at is None:
            continue
        schema = schemas.lower(at, _ANSWER)
        if not isinstance(schema, dict | bool):
            schemas.resolver.reader.wrong(at, schema, "a schema")
        elif schema not in [known for known, _ in found]:
            found.append((schema, at))
    if len(found) > 1:
        moved: dict[Pointer, Pointer] = {("result", "anyOf", i): at for i, (_, at) in enumerate(found)}
        return {"anyOf": [schema for schema, _ in found]}, {("result",): operation.at, **moved}
    return (found[0][0], {("result",): found[0][1]}) if found else (None, {})


def _schema_of(at: Pointer, schemas: Schemas) -> Pointer | None:
    """The place of the schema that an answer holds as JSON."""
    found = schemas.resolver.object(at, "an object: an answer")
    if found is None:
        return None
    at, answer = found
    content = schemas.resolver.reader.object(at, answer, "content") or {}
    media = chosen(content)
    if media is None or not is_json(media):
        return None
    inner = schemas.resolver.object((*at, "content", media), "an object: the media type of an answer")
    return (*inner[0], "schema") if inner is not None and "schema" in inner[1] else None
