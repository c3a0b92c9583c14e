"""Examples of codes about lint."""

from __future__ import annotations

from collections.abc import Mapping

from toolgen.diagnostics.examples.example import Example

EXAMPLES: Mapping[str, Example] = {
    "tool-without-description": Example(
        """\
name: get_time
""",
        """\
name: get_time
description: The current time in a time zone.
""",
    ),
    "parameter-without-description": Example(
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
    "array-without-items": Example(
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
    "object-without-properties": Example(
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
    "enum-without-type": Example(
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
    "enum-of-mixed-types": Example(
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
    "parameter-optional-and-null": Example(
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
    "parameters-look-alike": Example(
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
    "parameter-name-refused": Example(
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
    "name-leading-digit": Example(
        """\
name: 2fa_send
""",
        """\
name: send_2fa
""",
    ),
    "name-python-word": Example(
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
    "root-composition": Example(
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
    "union-of-one": Example(
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
    "hidden-text": Example(
        r"""name: find
description: "Find a user.\u200B"
""",
        """\
name: find
description: Find a user.
""",
    ),
    "allow-unknown": Example(
        """\
name: find # toolgen: allow tool-without-descriptions
""",
        """\
name: find # toolgen: allow tool-without-description
""",
    ),
    "allow-unused": Example(
        """\
name: find
description: Find a user. # toolgen: allow tool-without-description
""",
        """\
name: find
description: Find a user.
""",
    ),
    "error-not-silenced": Example(
        """\
name: find
description: Find a user. # toolgen: allow duplicate-key
""",
        """\
name: find
description: Find a user.
""",
    ),
}
