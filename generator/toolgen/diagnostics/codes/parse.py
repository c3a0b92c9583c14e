"""Codes of the parse stage."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

ROWS: tuple[Code, ...] = (
    Code(
        "unknown-key",
        "error",
        "there is no key {key} here",
        "remove it",
        "A key that nobody reads does nothing, and is most often another key with a typo. "
        "`toolgen schema` prints the keys that each kind of file may have.",
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
        "the key {key} is missing",
        "add it",
        "Without this key the declaration cannot be compiled, and no value could be guessed for it.",
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
        "The value has another JSON type than this key takes. Unquoted words and numbers in YAML are a common "
        "cause: `on` is text, `1` is a number.",
        fix="Give a value of the type that is named, or quote what is text.",
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
        "The value has the right type and is still not one that this key takes. `toolgen schema` prints the "
        "rule for each key.",
        fix="The message says what the key takes.",
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
        "there is no finding code {name}",
        "name a code that `toolgen explain` knows",
        "A level for a code that does not exist changes nothing, so a typo would leave a rule as it was.",
    ),
    Code(
        "part-needs",
        "error",
        "the part {part} needs the part {needed}, which `parts` leaves out",
        "add the part that is named, or leave the other one out",
        "Sessions send requests through the converters of their provider, and running needs the tools that it runs.",
    ),
    Code(
        "framework-needs",
        "error",
        "the framework {framework} needs the {what} {needed}, which is left out",
        "Add it, or leave out the framework.",
        "Tools of a framework run their calls by the same code as everything else, which is in the part `running`; a server of MCP "
        "also has the converters of the provider `mcp`.",
    ),
    Code(
        "name-illegal",
        "error",
        "the name {name} is not allowed: a name has 1 to 64 of the characters a-z, A-Z, 0-9, _ and -",
        "Choose a name such as get_weather; another spelling for one provider goes under `providers`.",
        "Providers accept only these characters in a tool's name, and it becomes a Python module. A name that one "
        "of them refuses would fail at the first request, far from the declaration.",
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
        "the alias {alias} is not allowed: an alias has 1 to 64 of the characters a-z, A-Z, 0-9, _ and -",
        "Spell the alias with these characters only.",
        "An alias is another name that a model may write in plain text. It follows the rules of names, so that it "
        "can be found there without guessing where it ends.",
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
