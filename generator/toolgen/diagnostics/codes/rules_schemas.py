"""Codes of rules about schemas."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

ROWS: tuple[Code, ...] = (
    Code(
        "array-without-items",
        "error",
        "the array {name} does not declare its items",
        "declare them, for example `items: {type: string}`",
        "Some providers reject an array without items, and with it the whole request; others cannot use strict mode. "
        "The model has to guess whether to send strings, numbers or objects.",
        example=Example(
            """\
name: send
parameters:
  type: object
  properties:
    to: {type: array, description: Addresses.}
""",
            """\
name: send
parameters:
  type: object
  properties:
    to: {type: array, items: {type: string}, description: Addresses.}
""",
        ),
    ),
    Code(
        "enum-of-mixed-types",
        "note",
        "the enum of {name} mixes several types: {types}",
        "use values of one type, or make each type a branch of a union",
        "Some providers accept only strings in an enum. Values of one type can be sent as strings and decoded again, "
        'but `1` and `"1"` would become the same string.',
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    level: {enum: [1, 2, all]}
""",
            """\
name: find
parameters:
  type: object
  properties:
    level: {type: string, enum: ["1", "2", all]}
""",
        ),
    ),
    Code(
        "enum-without-type",
        "note",
        "the enum of {name} has no type; its values are of type {type}",
        None,
        "In strict mode, providers need a type for every value, and some reject a schema without one. They do not all "
        "infer it from the values.",
        fix="Add the type that the message names.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    state: {enum: [open, closed]}
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
        "object-without-properties",
        "note",
        "the object {name} does not declare its properties",
        "declare `properties`, or the type of its values: `additionalProperties: {type: string}`",
        "The model has to guess what to send. In strict mode, providers reject an object without properties or force "
        "it to be empty, so the tool is sent without strict mode.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    filter: {type: object}
""",
            """\
name: find
parameters:
  type: object
  properties:
    filter:
      type: object
      properties:
        state: {type: string, enum: [open, closed]}
""",
        ),
    ),
    Code(
        "parameter-optional-and-null",
        "note",
        "the parameter {parameter} is optional and also accepts null",
        "require it, or do not allow null; if absent and null mean the same, add `default: null`",
        "Two ways to omit a value confuse the model, and the handler has to deal with both. Where a provider requires "
        "every property, toolgen sends an optional one as null and removes it again. It cannot tell that null from a "
        "meaningful one.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    owner: {type: [string, "null"]}
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
        "root-composition",
        "warning",
        "the parameters of {tool} use {keyword} at the top level",
        "declare one object with optional properties, and state the rule in the description; or wrap the union in a "
        "property with `unions: wrapped` in the dialect of your own profile",
        "The arguments are always one object, and several providers reject a composition at the root of a schema. "
        "toolgen leaves it out for them. It still checks the arguments, but the model does not know the rule.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties: {id: {type: string}, email: {type: string}}
  anyOf: [{required: [id]}, {required: [email]}]
""",
            """\
name: find
description: Find a user, by id or by email; give at least one of them.
parameters:
  type: object
  properties: {id: {type: string}, email: {type: string}}
""",
        ),
    ),
    Code(
        "schema-too-large",
        "warning",
        "the parameters of {tool} have {count} {what}, but {provider} accepts {most} in strict mode ({evidence})",
        "move a part into another tool, flatten the schema, or do not require strict mode: `strict: auto`",
        "A provider compiles the schema for strict mode, and rejects a request if a schema is too large or too deep. "
        "Models also make most of their mistakes in deep structures.",
    ),
    Code(
        "union-of-one",
        "note",
        "{keyword} of {name} has only one branch",
        "replace it with the branch",
        "A union with one branch means the same as the branch alone, and several providers cannot enforce unions.",
        example=Example(
            """\
name: find
parameters:
  type: object
  properties:
    id: {anyOf: [{type: string}]}
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
)
