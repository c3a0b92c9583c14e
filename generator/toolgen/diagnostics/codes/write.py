"""Codes of the write stage, of tools that cannot be sent, and of the printers."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code

ROWS: tuple[Code, ...] = (
    Code(
        id="output-is-file",
        level="error",
        message="the output {folder} is a file",
        hint="name a folder with --out, or move the file away",
        why="The generated package is a folder that a build replaces as a whole. A file of that name was not "
        "written by toolgen, so it is left alone.",
    ),
    Code(
        id="output-is-link",
        level="error",
        message="the output {folder} is a symbolic link",
        hint="pass the folder that the link points to with --out",
        why="A build replaces the output folder in one step, which would replace the link and leave its target "
        "as it was. Writing through the link would change a place that the command does not name.",
    ),
    Code(
        id="output-holds-sources",
        level="error",
        message="the output {folder} is, or contains, the sources",
        hint="choose an output folder beside the sources",
        why="The output folder is replaced as a whole by every build. With the sources inside it, one fault "
        "could take the sources with it.",
    ),
    Code(
        id="output-in-sources",
        level="error",
        message="the output {folder} lies in a folder that declarations are read from",
        hint="choose an output folder beside the sources",
        why="What lies in tools, types, providers or format is read as a declaration. Output there would be "
        "input of the next build.",
    ),
    Code(
        id="output-name",
        level="error",
        message="the output {folder} cannot be imported: its name is not a valid Python name",
        hint="name it with letters, digits and underscores, such as my_tools",
        why="The output is a package, and is imported by the name of its folder: `from my_tools.tools import …`. A dash, a "
        "digit in front or a word of Python is a syntax error there.",
    ),
    Code(
        id="output-failed",
        level="error",
        message="the output could not be {doing}: {reason}",
        why="The system refused a file operation in the output folder or beside it: a full disk, a missing "
        "permission, a read-only or broken file system. Unless the message says otherwise, the former output "
        "is there as it was; a build needs to write to the folder that contains the output, too.",
        fix="Make room, or give the permission, and run the command again.",
    ),
    Code(
        id="another-build",
        level="error",
        message="another build is writing beside {folder}",
        hint="wait until it has finished, then build again",
        why="Builds with outputs in the same folder hold a lock on that folder, so that the output is always "
        "one version and never a mixture. The system drops the lock when its holder ends, even by a kill.",
    ),
    Code(
        id="edited-by-hand",
        level="error",
        message="{file} is generated, but was edited by hand",
        hint="delete the file, or pass --force to overwrite it; keep what you need in the sources",
        why="The file's bytes are not those that toolgen.lock records, so a build would destroy somebody's "
        "change. Changes to generated files belong in the declarations or the configuration. What a merge of two "
        "generated versions left behind is no edit: a build writes such files again by itself.",
    ),
    Code(
        id="foreign-in-the-way",
        level="error",
        message="{file} was not written by toolgen and is where a generated file must go",
        hint="move it away, or choose another output folder with --out",
        why="toolgen never changes or deletes what it did not write, not even with --force. toolgen.lock "
        "lists what it wrote.",
    ),
    Code(
        id="more-in-the-way",
        level="error",
        message="{count} more files are edited by hand or in the way",
        why="Only the first files are listed one by one.",
        fix="Fix those that are listed; the next build lists the others.",
    ),
    Code(
        id="lock-unreadable",
        level="error",
        message="the lock file cannot be used: {reason}",
        hint="restore it from version control, or pass --force to build without it",
        why="toolgen.lock says which files toolgen wrote and with which bytes; without it, hand-edited and "
        "stale files cannot be told apart. Marks of a merge conflict are no such fault: a build resolves them. A build "
        "with --force writes a new lock; files of tools that no longer exist must then be deleted by hand.",
    ),
    Code(
        id="package-newer",
        level="error",
        message="toolgen {version} wrote the package, and this is the older toolgen {own}",
        hint="install that version or a newer one; `toolgen build --force` goes back to this one",
        why="An older toolgen would take back what a newer one has put right, in every file that it writes. Usually somebody on "
        "the team, or CI, has not upgraded yet.",
    ),
    Code(
        id="old-output-left",
        level="warning",
        message="the new output is in place, but the old one could not be removed: {reason}",
        hint="the next build tries again; the folder may be deleted by hand",
        why="The former output is set aside under a name that begins with .toolgen and is removed after the "
        "new one has taken its place. What is left of it does no harm.",
    ),
)

PRINTING: tuple[Code, ...] = (
    Code(
        "more-findings",
        "note",
        "and {count} more findings",
        "fix those shown, and run the command again",
        "A run prints its gravest findings, a hundred of them. As JSON a last object of this code says how many more "
        "there are.",
    ),
    Code(
        "tool-refused",
        "error",
        "{tool} cannot be sent to {provider} as declared: {what}, because {reason}",
        "say `strict: auto`, change the schema, or leave the provider out with `unsupported`",
        "A tool that a provider refuses would be missing there, or take the whole request down, while a choice may still "
        "name it. So it is an error while building, unless the declaration leaves the provider out.",
    ),
)
