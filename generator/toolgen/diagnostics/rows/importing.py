"""Codes of `toolgen import`."""

from __future__ import annotations

from toolgen.diagnostics.rows.row import Code

_SHAPES = (
    Code(
        "import-shape",
        "error",
        "{name} is {found}, and has to be {wanted}",
        None,
        "The file has another form than the one that was named, or a tool in it is broken. A value is never guessed.",
        mend="Ask for the definitions again, or correct the value at this place.",
    ),
    Code(
        "import-no-list",
        "error",
        "there is no list of tools here, and no key {key} that holds one",
        None,
        "An import reads the forms that providers and servers themselves give and take.",
        mend="Name the format that the file is in, or take the object that holds the list out of what surrounds it.",
    ),
    Code(
        "import-error-answer",
        "error",
        "this answer is an error, and holds no tools",
        "ask the server again",
        "A server that cannot list its tools answers with an error instead of a result.",
    ),
    Code(
        "import-nameless",
        "error",
        "the tool has no name",
        "give it one",
        "A call finds its tool by the name.",
    ),
    Code(
        "import-duplicate",
        "error",
        "there are two tools named {name}",
        "take one of the two out of the file",
        "A call carries a name and nothing else to find its tool by, and which of the two is meant only their author "
        "knows.",
    ),
    Code(
        "import-nothing",
        "error",
        "there is no tool to import in {path}",
        None,
        "Either the list is empty, or all the tools in it are ones that a provider runs itself.",
        mend="Name a file that has tools of the app's own.",
    ),
)

_CHANGES = (
    Code(
        "import-renamed",
        "note",
        "the name {name} becomes {legal}; it is {kept}",
        None,
        "A declaration's name is 1 to 64 ASCII letters, digits, underscores and dashes, which every provider takes. "
        "The wire that the tool came from goes on using the name it has there.",
        mend="Nothing needs mending: the import says what it did.",
    ),
    Code(
        "import-collision",
        "note",
        "the name {name} becomes {legal}, for it falls together with {other}; it is {kept}",
        None,
        "Each tool becomes a module and classes. Names that differ in case, dashes or underscores alone would share a "
        "file on some disks, or a class. The wire that the tool came from goes on using the name it has there.",
        mend="Nothing needs mending: the import says what it did.",
    ),
    Code(
        "import-unwrapped",
        "note",
        "the schema of the result is that of the value under {key}",
        None,
        "On this wire a result is an object, so a value of another type stands inside one. The declaration has the schema "
        "of the value; the wire goes on having the object.",
        mend="Nothing needs mending: the import says what it did.",
    ),
    Code(
        "import-root-type",
        "note",
        "the schema of the arguments has no type; it becomes an object",
        None,
        "Arguments are sent as one object. A schema that does not say so is refused by some providers.",
        mend="Nothing needs mending: the import says what it did.",
    ),
    Code(
        "import-no-parameters",
        "note",
        "{key} holds no schema; the tool is declared without parameters",
        None,
        "A tool without a schema takes any object of arguments.",
        mend="Nothing needs mending; state the parameters in the declaration where the tool has some.",
    ),
    Code(
        "import-dialect",
        "note",
        "{key} is written in the OpenAPI subset of protocol buffers; it is read as JSON Schema",
        None,
        "Types in capitals, `nullable` and numbers in quotes say in that subset what JSON Schema says otherwise. The "
        "meaning is the same; the order of properties that it may name is that of the properties themselves.",
        mend="Nothing needs mending: the import says what it did.",
    ),
    Code(
        "import-empty",
        "note",
        "{key} is empty and is left out",
        None,
        "A declaration leaves out what says nothing.",
        mend="Nothing needs mending: the import says what it did.",
    ),
    Code(
        "import-null",
        "warning",
        "{key} is null and is left out",
        "write it into the declaration where null means something to your code",
        "Members that a declaration has no key for become a merge patch (RFC 7396), in which null takes a member away "
        "and cannot be given.",
    ),
    Code(
        "import-dropped",
        "warning",
        "{key} has no meaning at this place and is left out",
        "move it to where the API reads it, and import again",
        "A member that contradicts another one, or that a patch would take for something else, cannot be kept beside "
        "it. The API overlooks it or refuses it.",
    ),
    Code(
        "import-skipped",
        "warning",
        "the tool {tool} of the type {type} is skipped",
        "hand it to the provider in the request, beside the declared tools",
        "Tools that a provider runs or defines itself, and tools that take free text, have no schema of arguments to "
        "declare. In a conversation they are passed through as they are.",
    ),
    Code(
        "import-more-pages",
        "warning",
        "the list is not complete: the server has more tools after this page",
        "ask for the next page with this cursor; a file may hold an array of pages",
        "A server may answer tools/list in pages, and says by a cursor that there is another one.",
    ),
)

_FILES = (
    Code(
        "import-exists",
        "error",
        "{file} is there already, and is not what this import would write",
        "compare the two; to import anew, move the file away",
        "Declarations are edited after an import. Nothing that stands in the way is ever overwritten.",
    ),
    Code(
        "import-unreadable",
        "error",
        "the declaration of {tool} could not be read back: {reason}",
        "shorten the tool",
        "What is written is read first as a build will read it. A declaration beyond the budgets of a source, such as "
        "its size or its depth, would break the build.",
    ),
)

ROWS: tuple[Code, ...] = (*_SHAPES, *_CHANGES, *_FILES)
