"""Codes of rules about names, texts and payloads, and of what a project does not want to hear."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

ROWS: tuple[Code, ...] = (
    Code(
        "allow-unknown",
        "warning",
        "there is no finding code {name} to allow",
        "name a code that `toolgen explain` knows",
        "A comment that allows a code which does not exist changes nothing, and is most often another code "
        "with a typo.",
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
        "nothing here reports {name}, so there is nothing to allow",
        "remove the comment",
        "A comment that allows what is not found has outlived its reason, or stands in the wrong line: after "
        "the key that is meant, in the line above it, or above everything else for the whole file.",
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
        ("shorten descriptions, move what is rarely needed to another tool, or raise the budget in toolgen.yaml"),
        "Tools are sent with every request of a conversation and are paid for each time. A budget makes "
        "growth something that is decided. Bytes are those of compact JSON in UTF-8; tokens are an estimate, "
        "for each model has its own vocabulary.",
    ),
    Code(
        "description-too-long",
        "warning",
        "the description of {tool} has {count} {unit}, and {provider} takes {most} ({evidence})",
        None,
        "A provider that checks the length refuses the whole request, so every tool is lost. Nothing is cut "
        "on the way, for only the author knows which words can go. Lengths are counted as the provider counts "
        "them.",
        fix="Shorten it, or give that provider a shorter one: `providers: {name: {description: …}}`. `limits` of "
        "toolgen.yaml states another limit, or with null that there is none.",
    ),
    Code(
        "error-not-silenced",
        "warning",
        "{name} is an error of build, which cannot be silenced",
        "remove this, and fix the error where it is found",
        "A build that went on after an error would write code that does not say what the declaration means. "
        "Levels and comments are for the findings of rules, for warnings and for notes.",
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
        "this text holds an invisible character, {character}",
        "remove it, or write what is meant with characters that show",
        "What a reviewer does not see a model reads: invisible characters can carry instructions past a "
        "review, and marks of direction let text look like another one. They come with text that was copied "
        "from elsewhere.",
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
        "the name {tool} begins with a digit",
        "begin it with a word, such as a verb",
        "Not every provider takes such a name, and no Python function can have it: converters and generated "
        "code use another one.",
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
        "choose another name, or accept that it is called `name_` in Python",
        "Generated modules and attributes cannot be called so and have an underscore after the name. On the "
        "wire the name stays as it is.",
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
        "the name {tool} is not allowed by {providers}, which get another name for it",
        (
            "choose a name of letters, digits and underscores that begins with a letter, or state the wire's name "
            "under `providers`"
        ),
        "Converters rename one to one and back, so calls find their tool. But logs, dashboards and prompts "
        "that speak of the tool by name then disagree with what the model sees.",
    ),
    Code(
        "parameter-name-refused",
        "warning",
        "the parameter {parameter} has a name that {providers} refuse",
        "use letters, digits and underscores, begin with a letter, and keep to 64 characters",
        "Names of parameters go out as they are, for handlers rely on them. A provider that refuses one of "
        "them refuses the whole request.",
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
        "say in a sentence what it holds",
        "A model fills in what it understands. A name alone leaves units, formats and defaults to guesswork.",
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
        "Models spell names as they have seen them elsewhere and mix up those that look alike. In generated "
        "code one of the two needs a number.",
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
        "the tool {tool} goes to {providers} with changes: {changes}",
        None,
        "A provider is sent what it takes. What it has no word for is left out or said otherwise, so the model is told "
        "less there; arguments are still checked against the whole schema after it answered.",
        fix="Say it in other words of the schema, or in a description; `unsupported` keeps the tool from a provider. "
        "`toolgen show TOOL` prints the payload and every change with its place.",
    ),
    Code(
        "tokens-not-counted",
        "warning",
        "the budget is in tokens, but they cannot be counted: {reason}",
        "install tiktoken with its vocabulary next to toolgen, or state the budget in bytes",
        "A budget that is not held against anything looks as if it was kept. toolgen brings no tokenizer, "
        "fetches none, and guesses no numbers.",
    ),
    Code(
        "too-many-tools",
        "warning",
        "{provider} gets {count} tools, and takes {most} ({evidence})",
        (
            "keep some from it with `unsupported`, or offer some at a time with `tools(*names)`; `limits` of "
            "toolgen.yaml states another limit"
        ),
        "A request with more tools than a provider takes is refused. Models also choose worse among many "
        "tools than among few.",
    ),
    Code(
        "tool-without-description",
        "note",
        "the tool {tool} has no description",
        "say in a sentence what it does and when to use it",
        "The description is what a model chooses a tool by.",
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
