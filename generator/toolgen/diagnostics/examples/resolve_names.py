"""Examples of codes about names."""

from __future__ import annotations

from collections.abc import Mapping

from toolgen.diagnostics.examples.example import Example

EXAMPLES: Mapping[str, Example] = {
    "tool-duplicate": Example(
        """\
name: find
---
name: find
""",
        """\
name: find
---
name: find_all
""",
    ),
    "tool-names-collide": Example(
        """\
name: find_user
---
name: findUser
""",
        """\
name: find_user
---
name: find_users
""",
    ),
    "alias-collides": Example(
        """\
name: find
aliases: [search]
---
name: search
""",
        """\
name: find
aliases: [seek]
---
name: search
""",
    ),
    "wire-names-collide": Example(
        """\
name: find
providers: {anthropic: {name: search}}
---
name: search
""",
        """\
name: find
---
name: search
""",
    ),
    "wire-name-illegal": Example(
        """\
name: find
providers: {anthropic: {name: users.find}}
""",
        """\
name: find
providers: {anthropic: {name: users_find}}
""",
    ),
    "provider-misspelled": Example(
        """\
name: find
unsupported: [antropic]
""",
        """\
name: find
unsupported: [anthropic]
""",
    ),
}
