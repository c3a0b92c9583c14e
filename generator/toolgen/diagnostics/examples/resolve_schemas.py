"""Examples of codes about schemas and values."""

from __future__ import annotations

from collections.abc import Mapping

from toolgen.diagnostics.examples.example import Example

EXAMPLES: Mapping[str, Example] = {
    "type-unknown": Example(
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
    "enum-empty": Example(
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
    "value-contradicts": Example(
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
    "default-null": Example(
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
    "example-invalid": Example(
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
    "bounds-contradict": Example(
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
    "bounds-without-integer": Example(
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
    "bound-invalid": Example(
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
    "required-unknown": Example(
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
    "required-forbidden": Example(
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
    "pattern-unusable": Example(
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
    "parameters-not-object": Example(
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
    "dialect-unknown": Example(
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
    "schema-invalid": Example(
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
}
