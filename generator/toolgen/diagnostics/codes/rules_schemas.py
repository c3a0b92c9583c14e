"""Codes of rules about schemas."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

ROWS: tuple[Code, ...] = (
    Code(
        "array-without-items",
        "error",
        "the array {name} does not say what its items are",
        "state them, such as `items: {type: string}`",
        "Some providers refuse an array without items, and with it every tool of the request; others send it "
        "without strictness. A model is left to guess whether it is to list texts, numbers or objects.",
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
        "the enum of {name} has values of several types: {types}",
        "let the values be of one type, or make them branches of a union",
        "Some providers take texts in an enum and nothing else. Values of one type can be written as texts "
        'and read back; `1` beside `"1"` cannot be told apart after that.',
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
        "the enum of {name} does not state its type, which is {type}",
        None,
        "Providers that hold a model to a schema need a type for every value, and some refuse a schema "
        "without one. The values show it, but not every reader looks at them.",
        fix="State the type that the message names.",
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
        "the object {name} does not say what it holds",
        "state `properties`, or what its values are: `additionalProperties: {type: string}`",
        "A model fills in what it is told about. Where a provider holds it to the schema, an object of any "
        "form is refused or can only be empty, so the tool goes out without strictness.",
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
        "the parameter {parameter} may be left out and may be null",
        "require it, or do not allow null; where both mean the same, say so with `default: null`",
        "Two ways to say nothing are a guess for the model and two cases for the handler. Where a provider "
        "demands every property, what may be left out is sent as null and dropped again; with null as a value "
        "of its own the two cannot be told apart there.",
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
        "declare one object with optional properties, and state the rule in the description; or let providers have it under one "
        "property: `unions: wrapped` among the dialects of a profile of the project's own",
        "Arguments are one object everywhere, and several providers refuse a request with a composition at "
        "the root of a schema. What is left out for them is still checked after the model answered, but the "
        "model does not know of it.",
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
        "the parameters of {tool} have {count} {what}, and {provider} takes {most} where it is strict ({evidence})",
        "move a part to another tool, make it flatter, or do not demand strictness: `strict: auto`",
        "A provider that compiles a schema, so that a model cannot leave it, takes schemas up to some size and depth, and "
        "refuses the request beyond. Deep structures are also where models make most mistakes.",
    ),
    Code(
        "union-of-one",
        "note",
        "{keyword} of {name} has a single branch",
        "write that branch in its place",
        "A union with one branch says nothing that the branch does not say, and several providers treat every "
        "union as something they cannot hold a model to.",
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
