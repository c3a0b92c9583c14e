"""Codes of the resolve stage about words in schemas that say nothing."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

ROWS: tuple[Code, ...] = (
    Code(
        "keyword-null",
        "error",
        "the keyword {keyword} has no value",
        "put the text in quotes: in `{{…}}`, a comma ends the value and starts the next key",
        "JSON Schema has no such keyword. Nearly always, a comma or a line end has split a text: `{description: The "
        "number, as on the bill}` has two keys, `description` and `as on the bill`.",
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
        "unknown JSON Schema keyword {keyword}",
        "correct or remove it; prefix your own keywords with `x-`",
        "A keyword that JSON Schema does not define has no effect: it rejects no value, and providers ignore it. Most "
        "often it is misspelled or comes from another format.",
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
        "unknown format {format}",
        "use a format that JSON Schema defines, or describe the form of the string in the description",
        "Providers, models and the argument checks ignore an unknown format. toolgen knows the formats of JSON Schema "
        "and of OpenAPI's registry, and `path`.",
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
        "`parameters` and `result` are schemas: they need `type: object`, with the properties under `properties`. A "
        "property directly in the schema has no effect.",
        fix="Move the properties under `properties`, and add `type: object`.",
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
        "required lists {name}, which is not declared under `properties`",
        "add the property, or remove it from `required`",
        "The model would have to send a value without a type or description, and the generated class would accept any "
        "value. Most often the name is misspelled.",
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
