"""Codes of the resolve stage about references, identifiers, and words in schemas that say nothing."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

ROWS: tuple[Code, ...] = (
    Code(
        "reference-remote",
        "error",
        "the $ref {ref} is a URL; only files in the schemas folder can be referred to",
        "Copy the schema into the folder `types` and refer to it by a relative path.",
        "A build reads nothing but the schemas folder. A reference to the network or to another address would make "
        "the output depend on a place that the repository does not hold, and let a schema choose what is opened.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    place: {$ref: "https://example.com/place.json"}
""",
            """\
name: find
parameters:
  type: object
  properties:
    place: {$ref: "#/$defs/place"}
  $defs:
    place: {type: string}
""",
        ),
    ),
    Code(
        "reference-outside",
        "error",
        "the $ref {ref} points outside the schemas folder",
        "Use a path relative to this file, such as ../types/place.yaml.",
        "References stay in the schemas folder, so that a declaration from elsewhere cannot copy a file of this "
        "machine into the output. Absolute paths, drive letters, backslashes and home marks count as leaving it.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    place: {$ref: ../../place.yaml}
""",
            """\
name: find
parameters:
  type: object
  properties:
    place: {$ref: "#/$defs/place"}
  $defs:
    place: {type: string}
""",
        ),
    ),
    Code(
        "reference-dangling",
        "error",
        "the $ref {ref} cannot be resolved",
        "Check the path, which is relative to this file, and the part after the #.",
        "A reference without a target would become a value of any type. What was meant can only be guessed, so the "
        "build stops.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    place: {$ref: "#/$defs/place"}
""",
            """\
name: find
parameters:
  type: object
  properties:
    place: {$ref: "#/$defs/place"}
  $defs:
    place: {type: string}
""",
        ),
    ),
    Code(
        "reference-no-schema",
        "error",
        "the $ref {ref} points to a value that is not a schema",
        "Point it to a schema: an object or a boolean.",
        "A schema is an object, true or false. A reference to a list, a number or a text was most likely meant for "
        "the value around it.",
    ),
    Code(
        "identifier-duplicate",
        "error",
        "the schema {identifier} is defined twice, first in line {line}",
        "Give the two different names in `$id` or `$anchor`.",
        "A reference finds its target by `$id` and `$anchor`. Two schemas of one name leave open which is meant, and "
        "one of them would vanish.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    a: {$anchor: text, type: string}
    b: {$anchor: text, type: integer}
    c: {$ref: "#text"}
""",
            """\
name: find
parameters:
  type: object
  properties:
    a: {$anchor: text, type: string}
    b: {$ref: "#text"}
""",
        ),
    ),
    Code(
        "reference-circle",
        "error",
        "the $ref {ref} leads back to itself without going deeper into the value",
        "Let the recursion pass through a property, the items of an array, or the values of a map.",
        "A schema that refers to itself for one and the same value has no meaning: checking it would never end. "
        "Recursive structures are fine, as each round then judges a smaller part of the value.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    part: {$ref: "#/$defs/part"}
  $defs:
    part: {$ref: "#/$defs/part"}
""",
            """\
name: find
parameters:
  type: object
  properties:
    part: {$ref: "#/$defs/part"}
  $defs:
    part: {type: object, properties: {inner: {$ref: "#/$defs/part"}}}
""",
        ),
    ),
    Code(
        "reference-dynamic",
        "error",
        "{keyword} is not supported",
        "Use $ref to the definition that is meant.",
        "Dynamic references choose their target while a value is checked, by the way the checker came. No provider "
        "reads them, and no type can express them.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    part: {$dynamicRef: "#part"}
""",
            """\
name: find
parameters:
  type: object
  properties:
    part: {$ref: "#/$defs/part"}
  $defs:
    part: {type: string}
""",
        ),
    ),
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
