"""Codes of the load stage about files: which are read, and where they stand."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code

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
)
