"""Parse: documents become declarations as written, checked against the schemas in `schemas/meta`."""

from toolgen.parse.meta import meta
from toolgen.parse.validation import conforms

__all__ = ["conforms", "meta"]
