"""Checks as Python text: conditions and functions of a generated module for the keywords of a schema."""

from toolgen.render.checks.functions import CheckFunction, Checks

__all__ = ["CheckFunction", "Checks"]
