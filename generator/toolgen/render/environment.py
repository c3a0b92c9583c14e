"""The Jinja environment that every template is rendered in."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from toolgen.render.literals import docstring, python_literal
from toolgen.resources import builtin


@cache
def environment() -> Environment:
    """Return the environment: shipped templates only, undefined names are errors, no autoescape (it is no HTML).

    Filters: `python` makes a literal of JSON data, `docstring(indent)` a docstring of text. A template prints
    nothing from a source but through them, or a name that the plan made.
    """
    env = Environment(
        loader=FileSystemLoader(str(builtin("templates"))),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - the output is Python; text enters it through the filters alone
    )
    env.filters["python"] = python_literal
    env.filters["docstring"] = docstring
    return env
