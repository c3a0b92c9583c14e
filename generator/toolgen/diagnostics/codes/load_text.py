"""Codes of the load stage about what stands in files: encoding, YAML and JSON."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

ROWS: tuple[Code, ...] = (
    Code(
        "foreign-encoding",
        "error",
        "the file is {encoding}; sources are UTF-8",
        "save it as UTF-8",
        "One encoding means that every editor, diff and machine sees the same text. The mark at the start of "
        "the file says that it is another one.",
    ),
    Code(
        "broken-utf8",
        "error",
        "the bytes {bytes} are not UTF-8",
        "save the file as UTF-8",
        "Guessing an encoding would put wrong characters into a prompt. Only well-formed UTF-8 is read.",
    ),
    Code(
        "control-character",
        "error",
        "the character {character} may not stand in a source",
        "remove it, or write it as an escape in double quotes",
        "Control characters and the rarer line separators are invisible in an editor and end lines in some "
        "readers but not in others. Written as an escape they are seen and mean the same everywhere.",
    ),
    Code(
        "lone-surrogate",
        "error",
        "the text contains half of a surrogate pair",
        "write the whole character",
        "Half of a pair is not a character: it cannot be written as UTF-8, so no provider would take it.",
    ),
    Code(
        "not-yaml",
        "error",
        "not valid YAML: {problem}",
        None,
        "The text cannot be read as YAML. The place is where the reader gave up; the cause is often a line above: "
        "an open quote or bracket, or a colon in unquoted text.",
        fix="Look at this line and the lines above it; quote text that contains a colon, a bracket or a star.",
        example=Example(
            """\
name: find
description: "Find a user.
""",
            """\
name: find
description: "Find a user."
""",
        ),
    ),
    Code(
        "not-json",
        "error",
        "not valid JSON: {problem}",
        None,
        "Files ending in .json are read strictly: one value, no comments, no commas before a closing bracket.",
        fix="Look at this line; for comments and unquoted keys, name the file .yaml.",
    ),
    Code(
        "too-deep",
        "error",
        "values are nested more than {limit} deep",
        "move inner schemas to files under types/",
        "No provider takes a schema of such a depth, and readers of every kind fail on it.",
    ),
    Code(
        "too-many-values",
        "error",
        "the file holds more than {limit} values, aliases expanded",
        "split it, or use fewer aliases",
        "A few lines of aliases that refer to aliases can stand for billions of values. The budget is far above "
        "any declaration that a person can review.",
    ),
    Code(
        "alias-cycle",
        "error",
        "the alias {name} refers to a value that contains it",
        "write a recursive schema with $ref",
        "A value inside of itself has no end when it is written as JSON, and providers are sent JSON.",
        example=Example(
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
    ),
    Code(
        "unknown-alias",
        "error",
        "there is no anchor {name} before this alias",
        "quote text that begins with *",
        "An alias repeats the value of an anchor above it in the same document. Text that begins with a star needs quotes.",
        example=Example(
            """\
name: find
description: *important
""",
            """\
name: find
description: "*important"
""",
        ),
    ),
    Code(
        "merge-key",
        "error",
        "the merge key << is not supported",
        "share schemas by $ref",
        "Merge keys left YAML with version 1.2, and readers disagree on which value wins. $ref and allOf say "
        "the same in JSON Schema's own words.",
        example=Example(
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
    ),
    Code(
        "yaml-tag",
        "error",
        "the tag {tag} {problem}",
        "remove the tag; quote what is text",
        "Tags can make readers build objects. Sources are plain JSON data, so only the tags of YAML's core schema "
        "are read, and only on values they describe.",
        example=Example(
            """\
name: !!python/name:os.system find
""",
            """\
name: find
""",
        ),
    ),
    Code(
        "key-not-text",
        "error",
        "a key is text, not {kind}",
        "write the key as plain or quoted text",
        "JSON objects have text as keys and nothing else. An empty key is often a forgotten word before a colon.",
        example=Example(
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
    ),
    Code(
        "duplicate-key",
        "error",
        "duplicate key {key}",
        "keep one of them",
        "Readers take the first, the last, or both. One of two equal keys would vanish without a word, most often "
        "a property that somebody relied on.",
        example=Example(
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
    ),
    Code(
        "ambiguous-number",
        "error",
        "{text} is read as different values by different YAML readers",
        "quote it if it is text; else write the number without leading zeros, underscores or base prefix",
        "YAML 1.1 reads leading zeros as octal and drops underscores, YAML 1.2 does not. What looks like a number "
        "to a person would silently become another number, or text.",
        example=Example(
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
    ),
    Code(
        "number-out-of-range",
        "error",
        "the number {text} {problem}",
        "quote it if it is text",
        "JSON has no NaN and no infinity, and Python reads integers up to a limit of digits. A value beyond "
        "would change or fail on its way to the provider.",
        example=Example(
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
    ),
    Code(
        "empty-source",
        "error",
        "{path} is empty",
        "delete the file, or write a declaration in it",
        "A file with nothing but comments is often a save that failed. Skipping it would delete its tool from the output.",
        example=Example(
            """\
# to be written
""",
            """\
name: find
""",
        ),
    ),
    Code(
        "empty-document",
        "error",
        "document {number} of {path} is empty",
        "remove the --- that begins it",
        "Each --- begins a document. An empty one is a declaration that was forgotten or lost.",
        example=Example(
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
    ),
    Code(
        "not-a-mapping",
        "error",
        "{path} is {kind} at the top, not {wanted}",
        "begin with a key such as `name:`",
        "A source is one object of named fields; anything else cannot be told from a truncated file.",
        example=Example(
            """\
- name: find
""",
            """\
name: find
""",
        ),
    ),
    Code(
        "second-document",
        "error",
        "{path} contains a second document",
        "move it to a file of its own; only files of tools may contain several",
        "Types, profiles, fields and the configuration are found by file name, so a second document could "
        "not be reached. It is not dropped in silence.",
    ),
)
