"""A class with a method for each tool, as somebody would begin to write it."""

from __future__ import annotations

from collections.abc import Sequence

import ruff_api

from toolgen.plan.tools import plan_tools
from toolgen.render.templates import environment
from toolgen.resolve import Tool

__all__ = ["handler_stub"]


def handler_stub(tools: Sequence[Tool], package: str, name: str) -> str:
    """Write the class. `package` is the generated package as it is imported, `name` that of the class."""
    plan = plan_tools(tools, ())
    text = environment().get_template("stub.py.jinja").render(tools=plan.tools, package=package, name=name)
    return ruff_api.format_string("stub.py", ruff_api.isort_string("stub.py", text))
