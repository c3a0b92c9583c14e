"""Codes of the resolve stage about words in schemas that say nothing."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

ROWS: tuple[Code, ...] = (
    Code(
        "keyword-null",
        "error",
        "{keyword} is a keyword without a value",
        "Put the text around it in quotes: in `{{…}}` a comma ends a value, and what follows is another key.",
        "JSON Schema has no such keyword, and it has no value. Nearly always a comma or a line end has cut a text in two: "
        "`{description: The number, as on the bill}` describes a key `as on the bill`.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    id: {type: string, description: The number, as on the bill}
""",
            """\
name: find
parameters:
  type: object
  properties:
    id: {type: string, description: "The number, as on the bill"}
""",
        ),
    ),
    Code(
        "keyword-unknown",
        "warning",
        "JSON Schema has no keyword {keyword}",
        "Correct or remove it; keywords of your own begin with `x-`.",
        "A keyword that JSON Schema does not have says nothing: no value is refused for it, and no provider heeds it. Most "
        "often it is another one with a typo, or a word of another format.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    id: {type: string, minLenght: 3}
""",
            """\
name: find
parameters:
  type: object
  properties:
    id: {type: string, minLength: 3}
""",
        ),
    ),
    Code(
        "format-unknown",
        "warning",
        "the format {format} is not one that JSON Schema defines",
        "Name a format of JSON Schema, or say in the description how the text looks.",
        "A format that nobody knows is passed over: by providers, by models, and when arguments are checked. "
        "Formats of JSON Schema and of OpenAPI's registry are known, and `path`.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    at: {type: string, format: datetime}
""",
            """\
name: find
parameters:
  type: object
  properties:
    at: {type: string, format: date-time}
""",
        ),
    ),
    Code(
        "parameters-bare",
        "error",
        "{key} has {names} where a schema is expected",
        None,
        "`parameters` and `result` are schemas: they say `type: object`, and list the properties under `properties`. A property "
        "that stands in their place says nothing.",
        fix="Put the properties under `properties`, and say `type: object` beside it.",
        example=Example(
            """\
name: find
parameters:
  id: {type: string}
""",
            """\
name: find
parameters:
  type: object
  properties:
    id: {type: string}
""",
        ),
    ),
    Code(
        "required-undeclared",
        "warning",
        "required lists {name}, which is not among the properties",
        "Add the property, or leave it out of `required`.",
        "A model has to give a value of which nothing is said: no type, no description. The typed model takes anything there. "
        "Most often the name is misspelled.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties: {id: {type: string}}
  required: [idd]
""",
            """\
name: find
parameters:
  type: object
  properties: {id: {type: string}}
  required: [id]
""",
        ),
    ),
)
