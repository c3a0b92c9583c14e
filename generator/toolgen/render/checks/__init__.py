"""Checks as Python text: what the keywords of a schema demand, as conditions and functions of a generated module."""

from toolgen.render.checks.functions import CheckFunction, Checks

__all__ = ["CheckFunction", "Checks"]
