"""Codes of the resolve stage about schemas and the values in them."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

ROWS: tuple[Code, ...] = (
    Code(
        "dialect-unknown",
        "error",
        "$schema names {dialect}, which is not one of 2020-12, 2019-09, draft-07, draft-06 and draft-04",
        "remove $schema to use 2020-12",
        "Keywords have different meanings in different drafts of JSON Schema, so toolgen cannot read a schema of an "
        "unknown draft.",
        example=Example(
            """\
name: find
parameters:
  $schema: http://json-schema.org/draft-03/schema#
  type: object
""",
            """\
name: find
parameters:
  type: object
""",
        ),
    ),
    Code(
        "schema-invalid",
        "error",
        "{keyword} is not valid JSON Schema: {reason}",
        None,
        "The schema violates the metaschema of JSON Schema. Providers reject such tools or, worse, ignore the keyword.",
        fix="The message says what the keyword accepts. The finding points to its value.",
        example=Example(
            """\
name: find
parameters:
  type: object
  required: id
  properties: {id: {type: string}}
""",
            """\
name: find
parameters:
  type: object
  required: [id]
  properties: {id: {type: string}}
""",
        ),
    ),
    Code(
        "type-unknown",
        "error",
        "unknown type {type}",
        "use array, boolean, integer, null, number, object or string (with `format: path` for a file path)",
        "JSON Schema does not define this type. Most often it is the name of the type in another language, such as "
        "float for number.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    most: {type: float}
""",
            """\
name: find
parameters:
  type: object
  properties:
    most: {type: number}
""",
        ),
    ),
    Code(
        "enum-empty",
        "error",
        "enum is empty, so no value is valid",
        "list the values, or remove enum",
        "An empty enum rejects every value, so a model cannot send a valid call.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    state: {type: string, enum: []}
""",
            """\
name: find
parameters:
  type: object
  properties:
    state: {type: string, enum: [open, closed]}
""",
        ),
    ),
    Code(
        "value-contradicts",
        "error",
        "{keyword} is {value}, which its own schema does not accept: {reason}",
        "change the value, or the schema around it",
        "An enum or const that its own schema rejects tells the model to send a value that is then rejected. toolgen "
        "checks the value against the whole schema around it.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    most: {type: integer, enum: [10, twenty]}
""",
            """\
name: find
parameters:
  type: object
  properties:
    most: {type: integer, enum: [10, 20]}
""",
        ),
    ),
    Code(
        "value-unfit",
        "warning",
        "{keyword} is {value}, which its own schema does not accept: {reason}",
        "change the value, or the schema around it",
        "A default or example that its own schema rejects misleads the model. A default of the right type reaches "
        "handlers even if it is out of bounds. A default of another type is left out of the generated class, so an "
        "absent value reads as None. JSON Schema permits both, and published schemas contain them, so this is only a "
        "warning.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    most: {type: integer, default: ten}
""",
            """\
name: find
parameters:
  type: object
  properties:
    most: {type: integer, default: 10}
""",
        ),
    ),
    Code(
        "values-too-many",
        "error",
        "{keyword} takes too long to check against its schema",
        "use fewer values or a smaller schema",
        "Every build checks these values. A schema that needs hundreds of thousands of steps to check its own values "
        "would slow down every build, and nobody can review it.",
    ),
    Code(
        "default-in-itself",
        "warning",
        "the default is left out of the generated class, because an object in it may have the same default again",
        "remove the default; an absent value then reads as None",
        "The type of the parameter refers to itself, and its default contains objects of this type. Filling in their "
        "defaults might never end, so an absent value reads as None, whatever the model reads in the schema.",
        example=Example(
            """\
name: add
parameters:
  $defs:
    Node: {type: object, properties: {next: {$ref: "#/$defs/Node", default: {}}}}
  properties: {node: {$ref: "#/$defs/Node"}}
""",
            """\
name: add
parameters:
  $defs:
    Node: {type: object, properties: {next: {$ref: "#/$defs/Node"}}}
  properties: {node: {$ref: "#/$defs/Node"}}
""",
        ),
    ),
    Code(
        "default-null",
        "warning",
        "the default is null, which its own schema does not accept",
        "remove the default, or allow null",
        "Authors often write a null default for a value that is optional. An absent value reads as None in any case, "
        "but if a model sends null, the schema rejects it.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    owner: {type: string, default: null}
""",
            """\
name: find
parameters:
  type: object
  properties:
    owner: {type: string}
""",
        ),
    ),
    Code(
        "example-invalid",
        "error",
        "the example does not match `parameters`: {reason}",
        "change the example or the parameters",
        "The model and people see the examples. An invalid one teaches the wrong call.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    id: {type: integer}
examples: [{id: five}]
""",
            """\
name: find
parameters:
  type: object
  properties:
    id: {type: integer}
examples: [{id: 5}]
""",
        ),
    ),
    Code(
        "bounds-contradict",
        "error",
        "{lower} is above {upper}, so no value is valid",
        "swap the bounds",
        "No value can satisfy both bounds. Most often they were swapped.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    most: {type: integer, minimum: 10, maximum: 1}
""",
            """\
name: find
parameters:
  type: object
  properties:
    most: {type: integer, minimum: 1, maximum: 10}
""",
        ),
    ),
    Code(
        "bounds-without-integer",
        "error",
        "no integer lies between {lower} and {upper}",
        "widen the bounds, or use the type number",
        "No integer can satisfy both bounds, so a model cannot send a valid call.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    most: {type: integer, minimum: 0.2, maximum: 0.8}
""",
            """\
name: find
parameters:
  type: object
  properties:
    most: {type: number, minimum: 0.2, maximum: 0.8}
""",
        ),
    ),
    Code(
        "bound-invalid",
        "error",
        "{keyword} is {value}, but must be {wanted}",
        None,
        "Lengths and counts are whole numbers from zero, and `multipleOf` is greater than zero. Other values have no "
        "meaning.",
        fix="Use a value that the message names.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    id: {type: string, minLength: -1}
""",
            """\
name: find
parameters:
  type: object
  properties:
    id: {type: string, minLength: 1}
""",
        ),
    ),
    Code(
        "required-unknown",
        "error",
        "required lists {name}, which is not a property of this closed object",
        "add the property, or remove it from `required`",
        "The object requires a property that it does not allow, so no value is valid.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties: {id: {type: string}}
  required: [name]
  additionalProperties: false
""",
            """\
name: find
parameters:
  type: object
  properties: {id: {type: string}}
  required: [id]
  additionalProperties: false
""",
        ),
    ),
    Code(
        "required-forbidden",
        "error",
        "required lists {name}, whose schema is false",
        "remove the property from `required`, or give it a schema",
        "A property with the schema false must be absent, but this one is required, so no value is valid.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties: {id: false}
  required: [id]
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
    Code(
        "pattern-unusable",
        "error",
        "the pattern {pattern} is not valid: {reason}",
        "fix the pattern; look-around and backreferences are not supported",
        "Patterns run in a linear-time engine with the syntax of Rust's regex, so that no argument from a model can "
        "stall the app. The engine does not support look-around and backreferences.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    id: {type: string, pattern: "^(?!x)"}
""",
            """\
name: find
parameters:
  type: object
  properties:
    id: {type: string, pattern: "^[^x]"}
""",
        ),
    ),
    Code(
        "parameters-not-object",
        "error",
        "parameters has the type {type}, but must be an object",
        "wrap the value in a property of an object",
        "Every provider sends the arguments of a tool as one object of named values.",
        example=Example(
            """\
name: find
parameters: {type: string}
""",
            """\
name: find
parameters:
  type: object
  properties: {id: {type: string}}
""",
        ),
    ),
)
