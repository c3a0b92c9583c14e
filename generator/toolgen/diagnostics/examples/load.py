"""Examples of codes about the texts of sources."""

from __future__ import annotations

from collections.abc import Mapping

from toolgen.diagnostics.examples.example import Example

EXAMPLES: Mapping[str, Example] = {
    "not-yaml": Example(
        """\
name: find
description: "Find a user.
""",
        """\
name: find
description: "Find a user."
""",
    ),
    "duplicate-key": Example(
        """\
name: find
description: Find a user.
description: Find users.
""",
        """\
name: find
description: Find users.
""",
    ),
    "merge-key": Example(
        """\
name: find
parameters:
  type: object
  properties:
    a: &text {type: string}
    b: {<<: *text, maxLength: 5}
""",
        """\
name: find
parameters:
  type: object
  properties:
    a: {$ref: "#/$defs/text"}
    b: {$ref: "#/$defs/text", maxLength: 5}
  $defs: {text: {type: string}}
""",
    ),
    "yaml-tag": Example(
        """\
name: !!python/name:os.system find
""",
        """\
name: find
""",
    ),
    "ambiguous-number": Example(
        """\
name: find
parameters:
  type: object
  properties:
    code: {type: string, default: 007}
""",
        """\
name: find
parameters:
  type: object
  properties:
    code: {type: string, default: "007"}
""",
    ),
    "number-out-of-range": Example(
        """\
name: find
parameters:
  type: object
  properties:
    most: {type: number, default: .inf}
""",
        """\
name: find
parameters:
  type: object
  properties:
    most: {type: number, default: 1000}
""",
    ),
    "unknown-alias": Example(
        """\
name: find
description: *important
""",
        """\
name: find
description: "*important"
""",
    ),
    "key-not-text": Example(
        """\
name: find
parameters:
  type: object
  properties:
    ? [id]
    : {type: string}
""",
        """\
name: find
parameters:
  type: object
  properties:
    id: {type: string}
""",
    ),
    "not-a-mapping": Example(
        """\
- name: find
""",
        """\
name: find
""",
    ),
    "empty-document": Example(
        """\
name: find
---
---
name: seek
""",
        """\
name: find
---
name: seek
""",
    ),
    "alias-cycle": Example(
        """\
name: find
parameters: &all
  type: object
  properties: {part: *all}
""",
        """\
name: find
parameters:
  type: object
  properties: {part: {$ref: "#"}}
""",
    ),
    "empty-source": Example(
        """\
# to be written
""",
        """\
name: find
""",
    ),
}
