"""Codes of the load stage about files: which are read, and where they stand."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code

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
)
