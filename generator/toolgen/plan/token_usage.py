"""The table of a profile that says where its API has counts of tokens, checked against the format."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from toolgen.load import Pointer
from toolgen.plan.object_mappings import MappingError, require_known
from toolgen.resolve import Format


def plan_usage(table: Mapping[str, Any], format: Format, stated: Container[Pointer] = ()) -> dict[str, Any]:
    """Return the rows of the fields that the format has.

    `stated` has the pointers of what the project's own documents say of the profile.

    Raises:
        MappingError: a field is unknown, a required field has no path, or a row contradicts itself.
    """
    fields = {field.name: field for field in format.types["Usage"].fields if field.name != "metadata"}
    for name in table:
        if ("usage", name) in stated:
            require_known(name, fields, ("usage", name), f"Usage has no field {name}")
    rows = {name: row for name, row in table.items() if name in fields}
    for name in [name for name, field in fields.items() if field.required and name != TOTAL] + [*rows]:
        row = rows.get(name, {})
        if fields[name].required and "path" not in row:
            raise MappingError(("usage",), f"no number is part of {name}")
        if row and "path" not in row:
            raise MappingError(("usage", name), "needs a path")
        if row.get("by_total") and not (name == "outputTokens" and row.get("plus") and TOTAL in rows):
            raise MappingError(("usage", name), "by_total is for the counts of outputTokens, where there is a total")
    return rows


TOTAL = "totalTokens"
"""The field that is the sum of input and output, if there is no path to it."""
