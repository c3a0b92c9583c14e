"""Codes of the load stage: the files that are read, their locations, and their encoding, YAML and JSON."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

ROWS: tuple[Code, ...] = (
    Code(
        "no-schemas",
        "error",
        "the schemas folder {path} {problem}",
        "pass the folder that contains tools/",
        "Every command reads one folder of declarations. If toolgen went on without it, an empty result would delete "
        "the output of an earlier build.",
    ),
    Code(
        "no-tools",
        "error",
        "found no tool declarations under {path}",
        "add a .yaml or .json file for each tool",
        "A build without tools is nearly always a build of the wrong folder. If toolgen went on, an empty package "
        "would replace the generated one.",
    ),
    Code(
        "not-a-file",
        "error",
        "{path} is {kind}, not {wanted}",
        "move it away, or rename it so that toolgen does not read it",
        "Reading a pipe or a device may block forever or give different bytes each time. Sources are regular files in "
        "regular folders, so that a build depends on nothing else.",
    ),
    Code(
        "linked-source",
        "error",
        "{path} is a link that {problem}",
        "replace the link with a copy, or link to a file inside the schemas folder",
        "Through a link that leaves the folder, an untrusted declaration could copy a private file into the output, "
        "and the build would differ on another machine. toolgen does not follow links to folders, because they can "
        "form cycles.",
    ),
    Code(
        "unreadable-source",
        "error",
        "{path} cannot be read: {reason}",
        "check that the file exists and that you have permission to read it",
        "If toolgen skipped a source that it cannot read, it would silently delete the tool from the output.",
    ),
    Code(
        "unportable-path",
        "error",
        "the file name {path} contains characters that cannot be displayed",
        "rename the file; use letters, digits, - and _",
        "The lock file and the messages name every source. A name with control characters or in a broken encoding "
        "cannot be written there, and differs between systems.",
    ),
    Code(
        "misplaced-source",
        "warning",
        "{path} is ignored: declarations do not belong in this folder",
        "put tools into tools/, shared types into types/, profiles into providers/ and format fields into format/",
        "toolgen reads only these folders, so a declaration elsewhere has no effect.",
    ),
    Code(
        "second-configuration",
        "error",
        "found a second configuration, {path}",
        "keep only one of them",
        "Two configurations could contradict each other, and nothing says which one wins.",
    ),
    Code(
        "source-too-large",
        "error",
        "{path} is larger than {limit} bytes",
        "split it, or shorten its lists",
        "People read declarations, and every request sends them to a model. The limit also keeps a file that got "
        "there by accident from using up the memory of the machine.",
    ),
    Code(
        "too-many-sources",
        "error",
        "{path} contains more than {limit} {what}",
        "build a smaller folder",
        "The limit keeps toolgen from reading a wrong folder, such as a home directory, for minutes.",
    ),
    Code(
        "foreign-encoding",
        "error",
        "the file is {encoding}; sources must be UTF-8",
        "save the file as UTF-8",
        "With one encoding, every editor, diff and machine sees the same text. The byte order mark at the start of "
        "the file names another encoding.",
    ),
    Code(
        "broken-utf8",
        "error",
        "the bytes {bytes} are not UTF-8",
        "save the file as UTF-8",
        "If toolgen guessed the encoding, wrong characters could end up in a prompt. It reads only valid UTF-8.",
    ),
    Code(
        "control-character",
        "error",
        "the character {character} is not allowed in a source",
        "remove it, or write it as an escape in double quotes",
        "Control characters and rare line separators are invisible in an editor, and only some readers treat them as "
        "line ends. As an escape, the character is visible and means the same everywhere.",
    ),
    Code(
        "lone-surrogate",
        "error",
        "the text contains half of a surrogate pair",
        "write the complete character",
        "Half of a pair is not a character. It cannot be encoded as UTF-8, so no provider accepts it.",
    ),
    Code(
        "not-yaml",
        "error",
        "not valid YAML: {problem}",
        None,
        "The position is where the YAML reader gave up. The cause is often a line above: an unclosed quote or "
        "bracket, or a colon in unquoted text.",
        fix="Check this line and the lines above it. Put text that contains a colon, a bracket or a star in quotes.",
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
        "toolgen reads .json files strictly: one value, no comments, no trailing commas.",
        fix="Check this line. If you need comments or unquoted keys, rename the file to .yaml.",
    ),
    Code(
        "too-deep",
        "error",
        "values are nested more than {limit} deep",
        "move inner schemas to files under types/",
        "No provider accepts schemas that deep, and many readers fail on them.",
    ),
    Code(
        "too-many-values",
        "error",
        "the file contains more than {limit} values, counting expanded aliases",
        "split it, or use fewer aliases",
        "A few lines of aliases that refer to other aliases can expand to billions of values. The limit is far above "
        "any declaration that a person can review.",
    ),
    Code(
        "alias-cycle",
        "error",
        "the alias {name} refers to a value that contains it",
        "write a recursive schema with $ref",
        "A value that contains itself would never end when it is written as JSON, and providers get JSON.",
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
        "no anchor {name} is defined above this alias",
        "put text that starts with * in quotes",
        "An alias repeats the value of an anchor above it in the same document. Text that starts with a star needs "
        "quotes.",
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
        "share schemas with $ref",
        "YAML removed merge keys in version 1.2, and readers disagree on which value wins. In JSON Schema, $ref and "
        "allOf do the same.",
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
        "remove the tag; put text in quotes",
        "With tags, a file can make readers create objects. Sources are plain JSON data, so toolgen reads only the "
        "tags of YAML's core schema, on values that they describe.",
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
        "a key must be a string, not {kind}",
        "write the key as a plain or quoted string",
        "Keys of JSON objects are strings. An empty key is often a missing word in front of a colon.",
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
        "keep only one of them",
        "YAML readers disagree on which of the two counts, so the value of one key would be lost without a message.",
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
        "YAML readers disagree on the value of {text}",
        "put it in quotes if it is a string; otherwise write the number without leading zeros, underscores or a base "
        "prefix",
        "YAML 1.1 reads leading zeros as octal and ignores underscores; YAML 1.2 does not. The number could silently "
        "become another number, or a string.",
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
        "put it in quotes if it is a string",
        "JSON has no NaN and no infinity, and Python limits the digits of integers. Such a value would change or fail "
        "on its way to the provider.",
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
        "delete the file, or write a declaration into it; into toolgen.yaml, a setting",
        "A file that contains only comments is often a failed save. If toolgen skipped it, its tool would disappear "
        "from the output.",
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
        "remove the --- that starts it",
        "Each --- starts a document. An empty one is a declaration that was forgotten or lost.",
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
        "{path} contains {kind} at the top level, not {wanted}",
        "start with a key such as `name:`",
        "A source is an object with named keys. Anything else could be a truncated file.",
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
        "move it to a file of its own; only files in tools/ may contain several documents",
        "toolgen finds types, profiles, fields and the configuration by file name, so nothing could refer to a second "
        "document.",
    ),
)
