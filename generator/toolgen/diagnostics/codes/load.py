"""Codes of the load stage: which files are read and where they stand; and what stands in them, as encoding, YAML and JSON."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

ROWS: tuple[Code, ...] = (
    Code(
        "no-schemas",
        "error",
        "the schemas folder {path} {problem}",
        "name the folder that holds tools/",
        "Every command reads one folder of declarations. Without it there is nothing to compile, and an empty "
        "result would delete what an earlier build wrote.",
    ),
    Code(
        "no-tools",
        "error",
        "there is no tool declaration under {path}",
        "add a .yaml or .json file for each tool there",
        "A build without tools is nearly always a wrong folder. Going on would replace the generated package "
        "by an empty one.",
    ),
    Code(
        "not-a-file",
        "error",
        "{path} is {kind}, not {wanted}",
        "move it away, or rename it so that toolgen does not read it",
        "Reading a pipe or a device may wait forever or give different bytes each time. Sources are regular "
        "files in regular folders, so that a build depends on nothing else.",
    ),
    Code(
        "linked-source",
        "error",
        "{path} is a link that {problem}",
        "put a copy there, or link to a file inside the schemas folder",
        "A link out of the folder would let a declaration from elsewhere show a private file in the output, and "
        "would build differently on another machine. Links to folders can run in circles, so they are not followed.",
    ),
    Code(
        "unreadable-source",
        "error",
        "{path} cannot be read: {reason}",
        "check that it exists and that you may read it",
        "Leaving out a source that cannot be read would delete its tool from the output without a word.",
    ),
    Code(
        "unportable-path",
        "error",
        "the file name {path} holds characters that cannot be shown",
        "rename it with letters, digits, - and _",
        "The lock file and the messages name every source. A name with control characters or in a broken "
        "encoding cannot be written there and is different on another system.",
    ),
    Code(
        "misplaced-source",
        "warning",
        "{path} is ignored: declarations do not belong in this place",
        "tools live under tools/, shared types under types/, profiles in providers/, fields in format/",
        "Only known folders are read, so a declaration beside them has no effect. That is seldom meant.",
    ),
    Code(
        "second-configuration",
        "error",
        "there is a second configuration, {path}",
        "keep one of them",
        "Two configurations could contradict each other, and which one wins would be a matter of their names.",
    ),
    Code(
        "source-too-large",
        "error",
        "{path} is larger than {limit} bytes",
        "split it, or shorten what it lists",
        "A declaration is read by people and sent to a model with every request. The budget keeps a stray dump "
        "from eating the memory of the machine that builds.",
    ),
    Code(
        "too-many-sources",
        "error",
        "{path} holds more than {limit} {what}",
        "build a smaller folder",
        "The budget keeps a wrong folder, such as a home directory, from being read for minutes.",
    ),
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
