"""Examples of codes about the form of declarations."""

from __future__ import annotations

from collections.abc import Mapping

from toolgen.diagnostics.examples.example import Example

EXAMPLES: Mapping[str, Example] = {
    "unknown-key": Example(
        """\
name: find
parameter: {type: object}
""",
        """\
name: find
parameters: {type: object}
""",
    ),
    "missing-key": Example(
        """\
description: Find a user.
""",
        """\
name: find
description: Find a user.
""",
    ),
    "wrong-type": Example(
        """\
name: find
description: 5
""",
        """\
name: find
description: "5"
""",
    ),
    "invalid-value": Example(
        """\
name: find
risk: none
""",
        """\
name: find
risk: low
""",
    ),
    "name-illegal": Example(
        """\
name: users.find
""",
        """\
name: users_find
providers:
  mcp: {name: users.find}
""",
    ),
    "alias-illegal": Example(
        """\
name: find
aliases: [find user]
""",
        """\
name: find
aliases: [find_user]
""",
    ),
}
