"""Resolve stage: declarations become one frozen catalog with resolved references."""

from toolgen.resolve.catalog import (
    Catalog,
    Format,
    FormatField,
    FormatType,
    Profile,
    Tool,
)

__all__ = ["Catalog", "Format", "FormatField", "FormatType", "Profile", "Tool"]
