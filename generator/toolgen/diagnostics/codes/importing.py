"""Codes of `toolgen import`, of an import that follows another one, and of OpenAPI."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code

_SHAPES = (
    Code(
        "import-shape",
        "error",
        "{name} is {found}, but must be {wanted}",
        None,
        "The file has another form than the one that was named, or a tool in it is broken. A value is never guessed.",
        fix="Ask for the definitions again, or correct the value at this place.",
    ),
    Code(
        "import-no-list",
        "error",
        "there is no list of tools here, and no key {key} that holds one",
        None,
        "An import reads the forms that providers and servers themselves write.",
        fix="Name the format that the file is in, or take the object that holds the list out of what surrounds it.",
    ),
    Code(
        "import-error-answer",
        "error",
        "this is an error response; it holds no tools",
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
        "remove one of the two from the file",
        "A call carries a name and nothing else to find its tool by, and which of the two is meant only their author "
        "knows.",
    ),
    Code(
        "import-nothing",
        "error",
        "there is no tool to import in {path}",
        None,
        "Either the list is empty, or all the tools in it are ones that a provider runs itself.",
        fix="Name a file that has tools of the app's own.",
    ),
    Code(
        "import-not-found",
        "error",
        "{option} {value} matches no tool",
        "compare it with the names in the source; quote a pattern, so that the shell does not expand it: --only 'pets*'",
        "What is asked for by name or tag has to be there: a slip of the pen would import nothing, silently.",
    ),
    Code(
        "import-left-out",
        "warning",
        "{tool} was left out: {reason} [{fault}]",
        "fix it at the source, and import again",
        "`--skip-faulty` imports the tools without a fault, and names the others with the first fault of each. What they "
        "alone refer to is left out with them.",
    ),
    Code(
        "import-no-mcp",
        "error",
        "querying a running server needs the package mcp, which is not installed",
        "python -m pip install 'toolgen[mcp]'",
        "toolgen itself needs no client of the Model Context Protocol. The official one is an extra.",
    ),
    Code(
        "import-server",
        "error",
        "the server did not list its tools: {reason}",
        "start the server by hand and look at what it prints",
        "The server is started, or called, initialized and asked for its tools, all within a limit of time (`--timeout`).",
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
        fix="Nothing needs fixing: the import says what it did.",
    ),
    Code(
        "import-repaired",
        "note",
        "repaired: {what}",
        None,
        "Generators of schemas make the same few mistakes. Where it is plain what is meant, the import writes it as JSON "
        "Schema has it, and lists each place. What a schema accepts stays.",
        fix="Nothing needs fixing here; report it to the author of the source.",
    ),
    Code(
        "import-collision",
        "note",
        "the name {name} becomes {legal}, because it collides with {other}; it is {kept}",
        None,
        "Each tool becomes a module and classes. Names that differ in case, dashes or underscores alone would share a "
        "file on some disks, or a class. The wire that the tool came from goes on using the name it has there.",
        fix="Nothing needs fixing: the import says what it did.",
    ),
    Code(
        "import-unwrapped",
        "note",
        "the result's schema is that of the value under {key}",
        None,
        "On this wire a result is an object, so a value of another type stands inside one. The declaration has the schema "
        "of the value; the wire goes on having the object.",
        fix="Nothing needs fixing: the import says what it did.",
    ),
    Code(
        "import-root-type",
        "note",
        "the schema of the arguments has no type; it becomes an object",
        None,
        "Arguments are sent as one object. A schema that does not say so is refused by some providers.",
        fix="Nothing needs fixing: the import says what it did.",
    ),
    Code(
        "import-no-parameters",
        "note",
        "{key} holds no schema; the tool is declared without parameters",
        None,
        "A tool without a schema takes any object of arguments.",
        fix="Nothing needs fixing; state the parameters in the declaration where the tool has some.",
    ),
    Code(
        "import-dialect",
        "note",
        "{key} is written in the OpenAPI subset of protocol buffers; it is read as JSON Schema",
        None,
        "Types in capitals, `nullable` and numbers in quotes say in that subset what JSON Schema says otherwise. The "
        "meaning is the same; the order of properties that it may name is that of the properties themselves.",
        fix="Nothing needs fixing: the import says what it did.",
    ),
    Code(
        "import-empty",
        "note",
        "{key} is empty and is left out",
        None,
        "A declaration leaves out what says nothing.",
        fix="Nothing needs fixing: the import says what it did.",
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
        "{key} has no effect here and is left out",
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
        "{file} exists already and differs from what this import would write",
        "compare the two; to import it again, move the file away",
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


_AGAIN: tuple[Code, ...] = (
    Code(
        "import-new",
        "note",
        "{key} is new at the source",
        None,
        "The last import of this source did not have it, so it is a declaration that nobody has read yet.",
        fix="Read the new declaration before it is committed.",
    ),
    Code(
        "import-source-changed",
        "note",
        "{pointer} of {key} was {kind} at the source",
        None,
        "What the source says now is compared with what it said at the last import.",
        fix="Read the difference of the file before it is committed.",
    ),
    Code(
        "import-kept",
        "warning",
        "{pointer} of {key} changed both here and at the source, where it is {theirs} now; your version stays",
        "copy from the source what your version should have",
        "An import never undoes an edit. Where both sides changed different keys, both changes stand; where they changed "
        "the same one, the author decides. It is said once: from now on the source's new word counts as known.",
    ),
    Code(
        "import-gone",
        "warning",
        "{key} no longer exists at the source; {file} stays as it is",
        "delete the file if nobody needs it any more",
        "An import deletes nothing: stored conversations may hold calls of the tool, and handlers stand after it.",
    ),
    Code(
        "import-taken-away",
        "note",
        "{key} changed at the source; it is not written again, because {file} was deleted",
        None,
        "What an author removed is not wanted, and an import does not bring it back.",
        fix="To restore it, remove its entry from tools/import.lock and import again.",
    ),
    Code(
        "import-made-again",
        "note",
        "{file} was deleted and is written again, because something refers to it",
        None,
        "A declaration that refers to a type that is not there could not be built.",
        fix="Remove what refers to it if the type is to stay deleted.",
    ),
    Code(
        "import-rewritten",
        "warning",
        "{file} is rewritten as a whole; its comments are lost",
        "review the diff in version control",
        "The lines of keys that changed are replaced, and all others stay, comments among them. Where a change does not "
        "fall on whole lines, as in a mapping in braces, the file is written as a first import writes it.",
    ),
    Code(
        "import-record",
        "error",
        "the record of earlier imports cannot be read: {reason}",
        "restore tools/import.lock from version control; without it, imports do not know what an author changed",
        "The record says what each declaration was when it was imported. It is written by imports alone.",
    ),
)


_DOCUMENTS = (
    Code(
        "import-no-openapi",
        "error",
        "this is not an OpenAPI document: there is no key 'openapi'",
        "give an OpenAPI document of version 3, or name the format that the file has",
        "A document says which version of OpenAPI it is written in; without that its schemas could mean two things.",
    ),
    Code(
        "import-swagger",
        "error",
        "this is a Swagger 2.0 document, which is not supported",
        "convert it to OpenAPI 3, for example with the Swagger converter",
        "Bodies, forms and types are said otherwise in version 2. Converters translate them, and an import after that "
        "shows what came of it.",
    ),
    Code(
        "import-openapi-version",
        "error",
        "OpenAPI {version} is not supported",
        "write 3.0, 3.1 or 3.2, as text",
        "Versions differ in what their schemas mean.",
    ),
    Code(
        "import-reference",
        "error",
        "the reference {ref} points to nothing",
        "correct it, or add its target",
        "What a reference stands for would be missing from the tool.",
    ),
    Code(
        "import-reference-outside",
        "error",
        "the reference {ref} points outside the document, and no other file is opened",
        "bundle the document and what it refers to into one file first",
        "An import reads one file, so that it gives the same everywhere and fetches nothing from anywhere.",
    ),
)

_OPERATIONS = (
    Code(
        "import-path-part",
        "error",
        "the path {path} contains {name}, but no path parameter has that name",
        "add the parameter, with 'in: path'",
        "Without it the request cannot be made.",
    ),
    Code(
        "import-parameter-twice",
        "error",
        "two parameters in the {place} are named {name}",
        "remove one of the two",
        "A request has one value for a name at a place.",
    ),
    Code(
        "import-parameter-place",
        "error",
        "the parameter {name} does not say where it belongs",
        "write 'in: query', or path, header, cookie or querystring",
        "A request is put together from parts, and each parameter belongs to one of them.",
    ),
    Code(
        "import-header-ignored",
        "note",
        "the header {name} is not an argument; the code that makes the request sets it",
        None,
        "OpenAPI tells to ignore parameters for Accept, Authorization and Content-Type: media types and security "
        "schemes say them. A model has no business with credentials.",
        fix="Nothing needs fixing: the import says what it did.",
    ),
    Code(
        "import-grouped",
        "note",
        "two parameters of this operation share a name; the arguments are grouped by where they go",
        None,
        "Parameters and the members of a body stand side by side where their names differ. Else they are grouped as "
        "path, query, header, cookie and body, all of them, so that nobody has to guess which were renamed.",
        fix="To have them side by side, rename one of the two in the document.",
    ),
    Code(
        "import-media",
        "note",
        "the body is declared as {media}; {count} other representations are left out",
        None,
        "A tool has one schema. JSON goes before forms, and forms before text and bytes.",
        fix="Nothing needs fixing: the import says what it did.",
    ),
    Code(
        "import-keyword",
        "note",
        "the keyword {keyword} is left out of {count} schemas, of which this is the first",
        None,
        "OpenAPI has keywords that JSON Schema has not, and that say nothing of a value (`xml`, `discriminator`, all that "
        "begin with `x-`). In version 3.0 nothing counts beside a reference. Examples stay where they fit their schema "
        "and can be judged without another one.",
        fix="Nothing needs fixing: the import says what it did.",
    ),
    Code(
        "import-webhooks",
        "note",
        "webhooks are not tools and are skipped",
        None,
        "They are requests that the other side makes.",
        fix="Nothing needs fixing: the import says what it did.",
    ),
)

_OPENAPI: tuple[Code, ...] = (*_DOCUMENTS, *_OPERATIONS)

ROWS: tuple[Code, ...] = (*_SHAPES, *_CHANGES, *_FILES, *_AGAIN, *_OPENAPI)
