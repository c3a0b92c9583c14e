"""Parse: documents become what they declare, each checked against the schema of its kind in `schemas/meta`."""

from toolgen.parse.config import Config
from toolgen.parse.declarations import Declaration
from toolgen.parse.parsing import Parsed, parse

__all__ = ["Config", "Declaration", "Parsed", "parse"]
