"""Codes of the resolve stage about schemas and the values in them."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

ROWS: tuple[Code, ...] = (
    Code(
        "dialect-unknown",
        "error",
        "$schema names {dialect}, which is not one of 2020-12, 2019-09, draft-07, draft-06 and draft-04",
        "Leave $schema out for 2020-12.",
        "Keywords change their meaning between the drafts of JSON Schema. A schema is read by the rules of the "
        "draft it names, so one that is not known cannot be read.",
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
        "The schema breaks the schema of schemas. Providers refuse such tools or, worse, ignore the keyword.",
        fix="The message says what the keyword takes; the place is that of its value.",
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
        "there is no type named {type}",
        "The types are array, boolean, integer, null, number, object and string (format: path for a file path).",
        "A type that JSON Schema does not know describes no value. Most often it is the type's name in another "
        "language, such as float for number.",
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
        "enum lists no values, so no value is valid",
        "List the values, or leave enum out.",
        "An empty enum refuses every value. A model that is forced to fill it can only fail.",
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
        "Change the value, or the schema beside it.",
        "An enum or const that the schema refuses tells the model to send what is then rejected. "
        "The value is judged by the whole schema it stands in.",
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
        "Change the value, or the schema beside it.",
        "A default or an example with a value that the schema refuses misleads a model. A default of the right type "
        "that is out of bounds reaches handlers as it is; one of another type is left out of the model, so an absent "
        "value reads as None. JSON Schema lets all of them stand, and so do schemas that others wrote.",
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
        "State fewer values, or a smaller schema.",
        "Values of a declaration are checked at every build. A schema that needs hundreds of thousands of steps for "
        "its own values is none that a person has reviewed, and would make every build slow.",
    ),
    Code(
        "default-null",
        "warning",
        "the default is null, which its own schema does not accept",
        "Leave the default out, or allow null.",
        "Schema writers put null where a value may be left out. An absent value reads as None here with or without "
        "it; a model that sends the null is refused, as the schema says.",
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
        "the example does not satisfy `parameters`: {reason}",
        "Change the example, or the parameters.",
        "Examples are shown to the model and to people. One that is refused teaches the wrong call.",
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
        "Swap the bounds.",
        "Bounds that leave no room refuse every value; most often the two were swapped.",
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
        "Widen the bounds, or let the type be number.",
        "Bounds that leave no room refuse every value; a model that is forced to fill it can only fail.",
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
        "Lengths and counts are whole numbers from zero on, and a step is greater than zero. Anything else has no "
        "meaning to a checker.",
        fix="The message says what the keyword takes.",
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
        "required lists {name}, which this closed object does not have",
        "Add the property, or leave it out of `required`.",
        "The object allows no properties but its own and demands one that it does not have: no value satisfies both.",
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
        "Leave the property out of `required`, or give it a schema.",
        "A property of the schema false may never be there, and this one must be: no value satisfies both.",
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
        "the pattern {pattern} does not compile in the engine that runs it: {reason}",
        "Rewrite it without look-around and back references.",
        "Patterns run in a linear-time engine (Rust's regex syntax), so that no argument a model writes can stall "
        "the application. Look-around and back references do not exist there.",
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
        "Wrap the value in a property of an object.",
        "Every provider sends a tool's arguments as one object, by name. A tool for another value needs a property "
        "that holds it.",
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
