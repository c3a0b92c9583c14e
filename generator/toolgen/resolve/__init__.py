"""Resolve: declarations become one linked, frozen catalog."""

from toolgen.resolve.catalog import (
    Catalog,
    Format,
    FormatField,
    FormatType,
    Profile,
    SharedType,
    Tool,
)

__all__ = ["Catalog", "Format", "FormatField", "FormatType", "Profile", "SharedType", "Tool"]
