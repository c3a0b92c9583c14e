"""Codes of the resolve stage about references, identifiers, and keywords that have no effect."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

ROWS: tuple[Code, ...] = (
    Code(
        "reference-remote",
        "error",
        "the $ref {ref} is a URL; a $ref can only point to files in the schemas folder",
        "copy the schema into the folder `types`, and refer to it by a relative path",
        "A build reads only the schemas folder. A reference to the network would make the output depend on something "
        "outside the repository, and would let a schema choose what toolgen opens.",
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
        "use a path relative to this file, such as ../types/place.yaml",
        "References stay inside the schemas folder, so that an untrusted declaration cannot copy a file of this "
        "machine into the output. Absolute paths, drive letters, backslashes and ~ are not allowed.",
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
        "check the path, which is relative to this file, and the part after the #; a reference that begins with # is inside "
        "its own schema, such as `#/$defs/place` of `parameters`",
        "toolgen does not guess what a broken reference means. The value could otherwise have any type.",
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
        "point it to a schema, which is an object or a boolean",
        "A schema is an object, true or false. A reference to a list, a number or a string most likely means the "
        "value around it.",
    ),
    Code(
        "identifier-duplicate",
        "error",
        "the schema {identifier} is defined twice, first on line {line}",
        "use two different names in `$id` or `$anchor`",
        "A reference finds its target by `$id` and `$anchor`. With two schemas of the same name, it could mean either.",
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
        "put a property, the items of an array or the values of a map between the two references",
        "A schema that refers to itself for the same value has no meaning: checking it would never end. A recursive "
        "structure is fine, because each step checks a smaller part of the value.",
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
        "use $ref with the definition that you mean",
        "A dynamic reference chooses its target while a value is checked. No provider supports this, and no type can "
        "express it.",
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
        "the keyword {keyword} has no value",
        "put the text in quotes: in `{…}`, a comma ends the value and starts the next key",
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
