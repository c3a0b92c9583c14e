"""Examples of codes about references."""

from __future__ import annotations

from collections.abc import Mapping

from toolgen.diagnostics.examples.example import Example

EXAMPLES: Mapping[str, Example] = {
    "reference-remote": Example(
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
    "reference-outside": Example(
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
    "reference-dangling": Example(
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
    "reference-circle": Example(
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
    "reference-dynamic": Example(
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
    "identifier-duplicate": Example(
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
}
