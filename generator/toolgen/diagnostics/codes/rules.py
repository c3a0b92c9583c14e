"""Codes of rules about names, texts, payloads and suppressions."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

ROWS: tuple[Code, ...] = (
    Code(
        "allow-unknown",
        "warning",
        "unknown finding code {name} in a suppression",
        "use a code that `toolgen explain` lists",
        "A suppression with an unknown code has no effect. Most often the code is misspelled.",
        example=Example(
            """\
name: find # toolgen: allow tool-without-descriptions
""",
            """\
name: find # toolgen: allow tool-without-description
""",
        ),
    ),
    Code(
        "allow-unused",
        "note",
        "unused suppression: {name} is not reported here",
        "remove the comment",
        "The reason for the comment is gone, or it is in the wrong line. A suppression belongs after the key, in the "
        "line above it, or at the top of the file for the whole file.",
        example=Example(
            """\
name: find
description: Find a user. # toolgen: allow tool-without-description
""",
            """\
name: find
description: Find a user.
""",
        ),
    ),
    Code(
        "budget-exceeded",
        "warning",
        "{what} {count} {unit} for {provider}, and the budget is {most}",
        ("shorten descriptions, split off rarely used parts into another tool, or raise the budget in toolgen.yaml"),
        "Every request of a conversation sends the tools and pays for them. With a budget, growth is a decision. "
        "Bytes are those of compact JSON in UTF-8. Tokens are an estimate, because each model has its own vocabulary.",
    ),
    Code(
        "description-too-long",
        "warning",
        "the description of {tool} has {count} {unit}, but {provider} accepts {most} ({evidence})",
        None,
        "A provider that checks the length rejects the whole request with all its tools. toolgen does not shorten the "
        "text, because only the author knows which words can go. It counts the length as the provider does.",
        fix="Shorten the description, or set a shorter one for that provider: `providers: {name: {description: …}}`. "
        "Under `limits` in toolgen.yaml you can set another limit, or null for none.",
    ),
    Code(
        "level-without-effect",
        "warning",
        "`lint` does not set the level of {name}",
        "remove the level",
        "A level under `lint` applies to the findings of a build about the sources, and to lint rules. `toolgen breaking` "
        "has levels of its own, and the findings of other commands have fixed levels.",
    ),
    Code(
        "error-not-silenced",
        "warning",
        "{name} is an error that stops a build, so it cannot be silenced",
        "remove the suppression, and fix the error",
        "If a build ignored an error, it would write code that does not match the declaration. Only warnings, notes "
        "and findings of lint rules can be silenced.",
        example=Example(
            """\
name: find
description: Find a user. # toolgen: allow duplicate-key
""",
            """\
name: find
description: Find a user.
""",
        ),
    ),
    Code(
        "hidden-text",
        "warning",
        "the text contains an invisible character, {character}",
        "remove it, or replace it with visible characters",
        "A model reads what a reviewer cannot see. Invisible characters can smuggle instructions past a review, and "
        "direction marks can disguise text. They often come with text that was copied from elsewhere.",
        example=Example(
            r"""name: find
description: "Find a user.\u200B"
""",
            """\
name: find
description: Find a user.
""",
        ),
    ),
    Code(
        "name-leading-digit",
        "note",
        "the name {tool} starts with a digit",
        "start the name with a word, such as a verb",
        "Some providers reject such a name, and Python functions cannot have it. Converters and generated code use "
        "another name.",
        example=Example(
            """\
name: 2fa_send
""",
            """\
name: send_2fa
""",
        ),
    ),
    Code(
        "name-python-word",
        "note",
        "the {kind} {name} is a Python keyword",
        "choose another name, or accept that its name in Python differs",
        "Python cannot use a keyword as a name, so generated modules and attributes get an underscore after it. The "
        "name on the wire stays the same.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    from: {type: string, format: date}
""",
            """\
name: find
parameters:
  type: object
  properties:
    start: {type: string, format: date}
""",
        ),
    ),
    Code(
        "name-rewritten",
        "note",
        "the name {tool} is not accepted by {providers}, which get another one",
        (
            "choose a name of letters, digits and underscores that starts with a letter, or set the name for the "
            "provider under `providers`"
        ),
        "Converters translate the name in both directions, so calls find their tool. But logs, dashboards and prompts "
        "then use another name than the model sees.",
    ),
    Code(
        "parameter-name-refused",
        "warning",
        "the name of the parameter {parameter} is not accepted by {providers}",
        "use at most 64 letters, digits and underscores, and start with a letter",
        "Converters do not rename parameters, because handlers rely on the names. A provider that rejects one name "
        "rejects the whole request.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    full name: {type: string}
""",
            """\
name: find
parameters:
  type: object
  properties:
    full_name: {type: string}
""",
        ),
    ),
    Code(
        "parameter-without-description",
        "note",
        "the parameter {parameter} of {tool} has no description",
        "describe in a sentence what the parameter holds",
        "A model uses what it understands. With only a name, it has to guess units, formats and defaults.",
        example=Example(
            """\
name: get_time
description: The current time.
parameters:
  type: object
  properties:
    zone: {type: string}
""",
            """\
name: get_time
description: The current time.
parameters:
  type: object
  properties:
    zone: {type: string, description: "Name of the time zone, such as Europe/Oslo."}
""",
        ),
    ),
    Code(
        "parameters-look-alike",
        "note",
        "the parameters {parameter} and {other} differ only in case, dashes or underscores",
        "rename one of the two",
        "Models confuse names that look alike. In generated code, one of the two gets a number.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    userId: {type: string}
    user_id: {type: string}
""",
            """\
name: find
parameters:
  type: object
  properties:
    owner_id: {type: string}
    user_id: {type: string}
""",
        ),
    ),
    Code(
        "portability",
        "note",
        "the tool {tool} is changed for {providers}: {changes}",
        None,
        "toolgen sends a provider only what it supports. Other keywords are left out or rewritten, so the model sees "
        "less of the schema. The arguments that the model sends are still checked against the whole schema.",
        fix="Express the rule in another way, or in a description, or exclude the provider with `unsupported`. "
        "`toolgen show TOOL` prints the payload and the location of every change.",
    ),
    Code(
        "tokens-not-counted",
        "warning",
        "the budget is in tokens, but tokens cannot be counted: {reason}",
        "install tiktoken and its vocabulary, or state the budget in bytes",
        "A budget without a count would look as if it were met. toolgen does not include or download a tokenizer, and "
        "does not guess.",
    ),
    Code(
        "too-many-tools",
        "warning",
        "{provider} gets {count} tools, but accepts {most} ({evidence})",
        (
            "exclude some tools with `unsupported`, or offer fewer at a time with `tools(*names)`; to set another "
            "limit, use `limits` in toolgen.yaml"
        ),
        "The provider rejects a request with too many tools. Models also choose worse when there are many.",
    ),
    Code(
        "tool-without-description",
        "note",
        "the tool {tool} has no description",
        "describe in a sentence what the tool does and when to use it",
        "A model chooses a tool by its description.",
        example=Example(
            """\
name: get_time
""",
            """\
name: get_time
description: The current time in a time zone.
""",
        ),
    ),
)
