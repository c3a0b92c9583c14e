"""Codes of the write stage, of tools that cannot be sent, and of the printers."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code

ROWS: tuple[Code, ...] = (
    Code(
        id="output-is-file",
        level="error",
        message="the output {folder} is a file",
        hint="choose another folder with --out, or move the file away",
        why="The generated package is a folder that a build replaces as a whole. toolgen did not write this file, so "
        "it does not touch it.",
    ),
    Code(
        id="output-is-link",
        level="error",
        message="the output {folder} is a symbolic link",
        hint="pass the target of the link with --out",
        why="A build replaces the output folder in one step. That would replace the link, not its target. If toolgen "
        "wrote through the link, it would change a folder that the command does not name.",
    ),
    Code(
        id="output-holds-sources",
        level="error",
        message="the output {folder} is, or contains, the sources",
        hint="choose an output folder next to the sources",
        why="Every build replaces the whole output folder, so an error could delete sources inside it.",
    ),
    Code(
        id="output-in-sources",
        level="error",
        message="the output {folder} is inside a folder of declarations",
        hint="choose an output folder next to the sources",
        why="toolgen reads everything in tools, types, providers and format as declarations, so the next build would "
        "read the output.",
    ),
    Code(
        id="output-name",
        level="error",
        message="the output {folder} cannot be imported, because its name is not a valid Python name",
        hint="use letters, digits and underscores, such as my_tools",
        why="The output is a package that is imported by the name of its folder: `from my_tools.tools import …`. A "
        "dash, a leading digit or a Python keyword would be a syntax error.",
    ),
    Code(
        id="output-hides-module",
        level="warning",
        message="the output {folder} hides the module `{name}`, which other code imports",
        hint="choose another folder with --out, or a folder inside a package",
        why="If an app runs in the folder that contains the output, Python finds the generated package where other code "
        "imports the module of the standard library, or pydantic.",
    ),
    Code(
        id="output-other-kind",
        level="error",
        message="{wanted} would replace {found} in {folder}",
        hint="choose another folder with --out, or replace the content with --force",
        why="`toolgen build` writes a package and `toolgen docs` writes pages. Each deletes files in its folder that it "
        "no longer writes, so one of them would delete what the other wrote.",
    ),
    Code(
        id="output-failed",
        level="error",
        message="the output could not be {doing}: {reason}",
        why="A file operation in the output folder or next to it failed. Common reasons are a full disk, a missing "
        "permission, or a read-only file system. Unless the message says otherwise, the old output is unchanged. A "
        "build also has to write to the folder that contains the output.",
        fix="Free some space or fix the permissions, and run the command again.",
    ),
    Code(
        id="another-build",
        level="error",
        message="another build is writing to {folder}",
        hint="wait until it has finished, and build again",
        why="Builds with outputs in the same folder lock that folder, so that an output is never a mixture of two "
        "versions. The system releases the lock when the process ends, even if it is killed.",
    ),
    Code(
        id="edited-by-hand",
        level="error",
        message="{file} is generated, but was edited by hand",
        hint="move your change into the sources, and delete the file, or overwrite it with --force",
        why="The content of the file differs from the digest in toolgen.lock, so a build would overwrite somebody's "
        "change. Changes belong in the declarations or the configuration. Conflict markers from a merge of two "
        "generated versions do not count as an edit: a build rewrites such files.",
    ),
    Code(
        id="foreign-in-the-way",
        level="error",
        message="{file} was not written by toolgen, but a generated file must go there",
        hint="move it away, or choose another output folder with --out",
        why="toolgen never changes or deletes a file that it did not write, not even with --force. toolgen.lock lists "
        "the files that it wrote.",
    ),
    Code(
        id="more-in-the-way",
        level="error",
        message="{count} more files were edited by hand or are in the way",
        why="toolgen lists only the first files one by one.",
        fix="Fix the listed files; the next build lists the others.",
    ),
    Code(
        id="lock-unreadable",
        level="error",
        message="the lock file cannot be used: {reason}",
        hint="restore it from version control, or build without it with --force",
        why="toolgen.lock records which files toolgen wrote, and their digests. Without it, toolgen cannot recognize "
        "edited or outdated files. Conflict markers are not an error, because a build resolves them. A build with "
        "--force writes a new lock file, but you have to delete the files of removed tools by hand.",
    ),
    Code(
        id="package-newer",
        level="error",
        message="the package was written by toolgen {version}, which is newer than this toolgen {own}",
        hint="install that version or a newer one, or use --force to go back to this one",
        why="An older toolgen would undo the fixes of a newer one in every file. Usually somebody on the team, or CI, "
        "has not upgraded yet.",
    ),
    Code(
        id="old-output-left",
        level="warning",
        message="the new output is in place, but the old one could not be removed: {reason}",
        hint="the next build tries again; you can also delete the folder by hand",
        why="A build moves the old output to a name that starts with .toolgen, and deletes it after the new one is in "
        "place. The remains do no harm.",
    ),
    Code(
        id="package-out-of-date",
        level="error",
        message="the package is not what a build would write: {problem}",
        hint="run `toolgen build` and commit the result; move a file away if toolgen did not write it",
        why="The package is committed with its sources, so that everybody runs what the declarations say. Somebody changed "
        "a source without building, or changed the package by hand.",
    ),
)

PRINTING: tuple[Code, ...] = (
    Code(
        "more-findings",
        "note",
        "and {count} more findings",
        "fix the findings above, and run the command again",
        "A run prints at most a hundred findings, the most severe first. Output as JSON has all findings.",
    ),
    Code(
        "tool-refused",
        "error",
        "{tool} cannot be sent to {provider} as declared: {what}, because {reason}",
        "use `strict: auto`, change the schema, or exclude the provider with `unsupported`",
        "The provider would reject the tool, or the whole request, while a tool choice may still name the tool. A "
        "build therefore fails unless the declaration excludes the provider.",
    ),
)
