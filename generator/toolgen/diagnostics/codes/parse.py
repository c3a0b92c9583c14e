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

REPLAY: tuple[Code, ...] = (
    Code(
        "replay-refused",
        "error",
        "{tool} {where}: stored calls that do not fit the new schema: {count}",
        "keep the old values valid in the schema, or migrate the conversations",
        "toolgen checked the calls of stored conversations against the new schemas. It does not show their content.",
    ),
    Code(
        "replay-respelled",
        "note",
        "{tool}: stored calls that are valid only through {what}: {count}",
        "keep the alias, or whatever makes the old values valid, as long as the conversations are stored",
        "A call may use an alias of a tool, or a value whose meaning is unambiguous in another form. It still runs.",
    ),
    Code(
        "replay-empty",
        "warning",
        "there is no stored call in this file, so nothing was checked",
        "name the format of the file with --provider; without it, toolgen expects what `dump` of the package writes",
        "A conversation without calls fits every schema. A file in another format looks the same.",
    ),
    Code(
        "replay-unread",
        "warning",
        "stored values that cannot be read: {count}",
        "name the format of the file with --provider; without it, toolgen expects what `dump` of the package writes",
        "toolgen cannot check the calls in a value that it cannot read.",
    ),
    Code(
        "replay-unknown",
        "error",
        "{tool}: stored calls of a tool that no longer exists: {count}",
        "keep the name as an alias",
        "toolgen looked up the calls of stored conversations among the new tools.",
    ),
)
"""The codes of stored conversations, which `toolgen breaking` parses with the new declarations."""
