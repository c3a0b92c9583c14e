"""Checks as Python text: the conditions and functions of a generated module that check the keywords of a schema."""

from toolgen.render.checks.functions import CheckFunction, CheckFunctionCollector

__all__ = ["CheckFunction", "CheckFunctionCollector"]
