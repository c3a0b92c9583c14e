"""Codes of the parse stage."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

ROWS: tuple[Code, ...] = (
    Code(
        "unknown-key",
        "error",
        "unknown key {key}",
        "remove the key",
        "toolgen would ignore the key, which is most often a misspelling of another one. `toolgen schema` prints the "
        "keys that each kind of file may have.",
        example=Example(
            """\
name: find
parameter: {type: object}
""",
            """\
name: find
parameters: {type: object}
""",
        ),
    ),
    Code(
        "missing-key",
        "error",
        "missing key {key}",
        "add the key",
        "Without this key, toolgen cannot compile the declaration, and it does not guess a value.",
        example=Example(
            """\
description: Find a user.
""",
            """\
name: find
description: Find a user.
""",
        ),
    ),
    Code(
        "wrong-type",
        "error",
        "expected {expected}, found {found}",
        None,
        "The value has the wrong JSON type for this key. A common cause is YAML without quotes: `on` is a string, `1` "
        "is a number.",
        fix="Use a value of the expected type, or put a string in quotes.",
        example=Example(
            """\
name: find
description: 5
""",
            """\
name: find
description: "5"
""",
        ),
    ),
    Code(
        "invalid-value",
        "error",
        "{problem}",
        None,
        "The value has the right type, but this key does not allow it. `toolgen schema` prints the rules for each key.",
        fix="Use a value that the message names.",
        example=Example(
            """\
name: find
risk: none
""",
            """\
name: find
risk: low
""",
        ),
    ),
    Code(
        "unknown-code",
        "error",
        "unknown finding code {name}",
        "use a code that `toolgen explain` lists",
        "A level for an unknown code has no effect, so a misspelling would leave the rule unchanged.",
    ),
    Code(
        "part-needs",
        "error",
        "the part {part} needs the part {needed}, which is missing from `parts`",
        "add the missing part, or remove the one that needs it",
        "Sessions send requests through the converter of their provider, and running needs the tools that it runs.",
    ),
    Code(
        "framework-needs",
        "error",
        "the framework {framework} needs the {what} {needed}, which is not enabled",
        "enable it, or remove the framework",
        "The tools for a framework run their calls with the code of the part `running`. An MCP server also needs the "
        "converter of the provider `mcp`.",
    ),
    Code(
        "name-illegal",
        "error",
        "the name {name} is not valid: use 1 to 64 of the characters a-z, A-Z, 0-9, _ and -",
        "choose a name such as get_weather; to use another name for one provider, set it under `providers`",
        "Providers accept only these characters in the name of a tool, and the name becomes a Python module. An "
        "invalid name would only fail at the first request.",
        example=Example(
            """\
name: users.find
""",
            """\
name: users_find
providers:
  mcp: {name: users.find}
""",
        ),
    ),
    Code(
        "alias-illegal",
        "error",
        "the alias {alias} is not valid: use 1 to 64 of the characters a-z, A-Z, 0-9, _ and -",
        "use only these characters",
        "A model may use an alias instead of the name when it writes a call as text. The rules for names make clear "
        "where an alias ends.",
        example=Example(
            """\
name: find
aliases: [find user]
""",
            """\
name: find
aliases: [find_user]
""",
        ),
    ),
)
