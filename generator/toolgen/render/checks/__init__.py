"""Checks as Python text: conditions and functions of a generated module for the keywords of a schema."""

from toolgen.render.checks.functions import CheckFunction, CheckFunctionCollector

__all__ = ["CheckFunction", "CheckFunctionCollector"]
