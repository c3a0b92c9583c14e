"""Codes of an import that follows another one of the same source."""

from __future__ import annotations

from toolgen.diagnostics.rows.row import Code

ROWS: tuple[Code, ...] = (
    Code(
        "import-new",
        "note",
        "{key} is new at the source",
        None,
        "The last import of this source did not have it, so it is a declaration that nobody has read yet.",
        mend="Read the new declaration before it is committed.",
    ),
    Code(
        "import-source-changed",
        "note",
        "{pointer} of {key} was {kind} at the source",
        None,
        "What the source says now is compared with what it said at the last import.",
        mend="Read the difference of the file before it is committed.",
    ),
    Code(
        "import-kept",
        "warning",
        "{pointer} of {key} was changed here and at the source, where it is {theirs} now; yours stays",
        "take over what is right of what the source says now",
        "An import never undoes an edit. Where both sides changed different keys, both changes stand; where they changed "
        "the same one, the author decides. It is said once: from now on the source's new word counts as known.",
    ),
    Code(
        "import-gone",
        "warning",
        "{key} is gone at the source; {file} stays as it is",
        "remove the file where nobody needs it any more",
        "An import deletes nothing: stored conversations may hold calls of the tool, and handlers stand behind it.",
    ),
    Code(
        "import-taken-away",
        "note",
        "{key} was changed at the source; it is not made again, for {file} was taken away",
        None,
        "What an author removed is not wanted, and an import does not bring it back.",
        mend="Remove its entry from tools/import.lock, and import again, to have it once more.",
    ),
    Code(
        "import-made-again",
        "note",
        "{file} was taken away and is made again, for something refers to it",
        None,
        "A declaration that refers to a type that is not there could not be built.",
        mend="Take out what refers to it, where the type shall stay away.",
    ),
    Code(
        "import-rewritten",
        "warning",
        "{file} is written anew as a whole; its comments are lost",
        "look at the difference in version control",
        "The lines of keys that changed are replaced, and all others stay, comments among them. Where a change does not "
        "fall on whole lines, as in a mapping in braces, the file is written as a first import writes it.",
    ),
    Code(
        "import-record",
        "error",
        "the record of former imports cannot be read: {reason}",
        "restore tools/import.lock from version control; without it, imports do not know what an author changed",
        "The record says what each declaration was when it was imported. It is written by imports alone.",
    ),
)
