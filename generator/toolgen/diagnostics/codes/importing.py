"""Codes of `toolgen import`, including repeated imports and OpenAPI."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code

_SHAPES = (
    Code(
        "import-shape",
        "error",
        "{name} is {found}, but must be {wanted}",
        None,
        "The file is in another format than the one you named, or a tool in it is broken. An import never guesses a "
        "value.",
        fix="Export the definitions again, or correct the value.",
    ),
    Code(
        "import-no-list",
        "error",
        "found no list of tools, and no key {key} that contains one",
        None,
        "An import reads the formats that providers and MCP servers write.",
        fix="Name the format of the file, or extract the object that contains the list.",
    ),
    Code(
        "import-error-answer",
        "error",
        "this is an error response and contains no tools",
        "send the request to the server again",
        "A server that cannot list its tools sends an error instead of a result.",
    ),
    Code(
        "import-nameless",
        "error",
        "the tool has no name",
        "give the tool a name",
        "A call finds its tool by name.",
    ),
    Code(
        "import-duplicate",
        "error",
        "two tools are named {name}",
        "remove one of them from the file",
        "A call identifies its tool by name alone. Only the author knows which of the two is meant.",
    ),
    Code(
        "import-nothing",
        "error",
        "found no tools to import in {path}",
        None,
        "The list is empty, or the provider itself runs all the tools in it.",
        fix="Name a file that contains tools of your own.",
    ),
    Code(
        "import-not-found",
        "error",
        "{option} {value} matches no tool",
        "check the names in the source; quote a pattern, so that the shell does not expand it: --only 'pets*'",
        "A misspelled name or tag would otherwise silently import nothing.",
    ),
    Code(
        "import-left-out",
        "warning",
        "{tool} was skipped: {reason} [{fault}]",
        "fix the tool at the source, and import again",
        "With `--skip-faulty`, an import skips tools with errors and reports the first error of each. It also skips "
        "the types that only these tools refer to.",
    ),
    Code(
        "import-no-mcp",
        "error",
        "listing the tools of a running server requires the package mcp, which is not installed",
        "run `python -m pip install 'toolgen[mcp]'`",
        "The official client of the Model Context Protocol is an optional dependency of toolgen.",
    ),
    Code(
        "import-server",
        "error",
        "the server did not list its tools: {reason}",
        "start the server by hand and read its output",
        "toolgen starts or calls the server, initializes it and asks for its tools, all within one time limit "
        "(`--timeout`).",
    ),
)

_CHANGES = (
    Code(
        "import-renamed",
        "note",
        "{name} is not a valid name and was changed to {legal}; the original name is {kept}",
        None,
        "The name of a declaration has 1 to 64 ASCII letters, digits, underscores and dashes, because every provider "
        "accepts these. The wire that the tool was imported from keeps using the original name.",
        fix="Nothing to fix: this note only reports what the import did.",
    ),
    Code(
        "import-repaired",
        "note",
        "repaired: {what}",
        None,
        "Generators of schemas make the same few mistakes. Where the meaning is clear, the import writes correct JSON "
        "Schema and lists each repair. A repair never changes which values a valid schema accepts.",
        fix="Nothing to fix here. You may want to report it to the author of the source.",
    ),
    Code(
        "import-collision",
        "note",
        "{name} was changed to {legal}, because it collides with {other}; the original name is {kept}",
        None,
        "Each tool becomes a module and classes. Names that differ only in case, dashes or underscores could share a "
        "file on some disks, or a class. The wire that the tool was imported from keeps using the original name.",
        fix="Nothing to fix: this note only reports what the import did.",
    ),
    Code(
        "import-unwrapped",
        "note",
        "the schema of the result is taken from the value under {key}",
        None,
        "On this wire a result has to be an object, so a value of another type is wrapped in one. The declaration has "
        "the schema of the value itself. The wire keeps using the wrapping object.",
        fix="Nothing to fix: this note only reports what the import did.",
    ),
    Code(
        "import-root-type",
        "note",
        "the schema of the arguments has no type; it was set to object",
        None,
        "Arguments are always one object, and some providers reject a schema that does not say so.",
        fix="Nothing to fix: this note only reports what the import did.",
    ),
    Code(
        "import-other-format",
        "error",
        "{key} has the schema of the arguments in another format than the one you named",
        None,
        "Without its schema the tool would accept any arguments, and the provider would get an unknown key.",
        fix="Name the format of the file.",
    ),
    Code(
        "import-no-parameters",
        "note",
        "{key} is not a schema; the tool is declared without parameters",
        None,
        "A tool without a schema accepts any object as its arguments.",
        fix="If the tool has parameters, declare them. Otherwise there is nothing to fix.",
    ),
    Code(
        "import-dialect",
        "note",
        "{key} uses the OpenAPI subset of protocol buffers; it was converted to JSON Schema",
        None,
        "The subset uses types in capitals, `nullable` and numbers in quotes. JSON Schema expresses the same in "
        "another way. If the subset names an order of properties, the import puts the properties into that order.",
        fix="Nothing to fix: this note only reports what the import did.",
    ),
    Code(
        "import-empty",
        "note",
        "{key} is empty and was left out",
        None,
        "An empty value has no effect in a declaration.",
        fix="Nothing to fix: this note only reports what the import did.",
    ),
    Code(
        "import-null",
        "warning",
        "{key} is null and was left out",
        "if null has a meaning for your code, add it to the declaration",
        "Keys that a declaration does not have become a JSON merge patch (RFC 7396). In a merge patch, null removes a "
        "key, so it cannot be given as a value.",
    ),
    Code(
        "import-dropped",
        "warning",
        "{key} has no effect here and was left out",
        "move it to where the API reads it, and import again",
        "The key contradicts another one, or has a special meaning in a merge patch, so it cannot be kept. The API "
        "ignores or rejects it.",
    ),
    Code(
        "import-skipped",
        "warning",
        "the tool {tool} of type {type} was skipped",
        "pass it to the provider in the request, together with the declared tools",
        "Tools that a provider defines or runs, and tools that take free text, have no schema of arguments to "
        "declare. In conversations, toolgen passes their calls through unchanged.",
    ),
    Code(
        "import-more-pages",
        "warning",
        "the list is incomplete: the server has more tools after this page",
        "request the next page with this cursor; a file may contain an array of pages",
        "A server may answer tools/list in pages. A cursor shows that there is another page.",
    ),
)

_FILES = (
    Code(
        "import-exists",
        "error",
        "{file} already exists and differs from what this import would write",
        "compare the two; to import the tool again, move the file away",
        "People edit declarations after an import, so an import never overwrites an existing file.",
    ),
    Code(
        "import-unreadable",
        "error",
        "the new declaration of {tool} cannot be read back: {reason}",
        "make the tool smaller",
        "An import reads each declaration back before it writes it, as a build would. A declaration that exceeds the "
        "limits of a source, such as its size or depth, would break the build.",
    ),
)


_AGAIN: tuple[Code, ...] = (
    Code(
        "import-new",
        "note",
        "{key} is new at the source",
        None,
        "The last import of this source did not have it, so nobody has reviewed the declaration yet.",
        fix="Review the new declaration before you commit it.",
    ),
    Code(
        "import-source-changed",
        "note",
        "{pointer} of {key} was {kind} at the source",
        None,
        "An import compares the source with its state at the last import.",
        fix="Review the diff of the file before you commit it.",
    ),
    Code(
        "import-kept",
        "warning",
        "{pointer} of {key} changed both here and at the source, where it is now {theirs}; your version was kept",
        "copy what you need from the source into your version",
        "An import never undoes an edit. If the two sides changed different keys, the import keeps both changes. If "
        "they changed the same key, you decide. An import reports the conflict only once.",
    ),
    Code(
        "import-gone",
        "warning",
        "{key} no longer exists at the source; {file} was left as it is",
        "delete the file if nothing needs it any more",
        "An import deletes nothing, because stored conversations may contain calls of the tool and your code may have "
        "a handler for it.",
    ),
    Code(
        "import-taken-away",
        "note",
        "{key} changed at the source, but was not written, because {file} was deleted",
        None,
        "An import does not bring back a declaration that you deleted.",
        fix="To restore it, remove its entry from tools/import.lock and import again.",
    ),
    Code(
        "import-made-again",
        "note",
        "{file} was deleted, but was written again, because another file refers to it",
        None,
        "A declaration that refers to a missing type cannot be built.",
        fix="To delete the type for good, remove what refers to it.",
    ),
    Code(
        "import-rewritten",
        "warning",
        "{file} was rewritten as a whole, and its comments are lost",
        "review the diff in version control",
        "An import replaces only the lines of keys that changed, and keeps all others, including comments. Where a "
        "change does not match whole lines, as in a mapping in braces, it rewrites the whole file.",
    ),
    Code(
        "import-record",
        "error",
        "the record of earlier imports cannot be read: {reason}",
        "restore tools/import.lock from version control; without it, an import cannot tell which changes are yours",
        "Imports record in this file what each declaration was when it was imported.",
    ),
)


_DOCUMENTS = (
    Code(
        "import-no-openapi",
        "error",
        "this is not an OpenAPI document: it has no key 'openapi'",
        "pass an OpenAPI 3 document, or name the format of the file",
        "The key states the version of OpenAPI, and the meaning of the schemas depends on it.",
    ),
    Code(
        "import-swagger",
        "error",
        "this is a Swagger 2.0 document, which is not supported",
        "convert it to OpenAPI 3, for example with the Swagger converter",
        "Version 2 describes bodies, forms and types differently. Convert the document first, then import the result.",
    ),
    Code(
        "import-openapi-version",
        "error",
        "OpenAPI {version} is not supported",
        "set the version to 3.0, 3.1 or 3.2, as a string",
        "The meaning of the schemas depends on the version.",
    ),
    Code(
        "import-reference",
        "error",
        "the reference {ref} cannot be resolved",
        "correct the reference, or add its target",
        "Without the target, a part of the tool would be missing.",
    ),
    Code(
        "import-reference-outside",
        "error",
        "the reference {ref} points outside the document; an import opens no other file",
        "bundle the document and everything that it refers to into one file first",
        "An import reads one file and never opens another file or URL, so its result is the same everywhere.",
    ),
)

_OPERATIONS = (
    Code(
        "import-path-part",
        "error",
        "the path {path} contains {name}, but no path parameter has that name",
        "add the parameter, with `in: path`",
        "The request cannot be built without it.",
    ),
    Code(
        "import-parameter-twice",
        "error",
        "two {place} parameters are named {name}",
        "remove one of them",
        "A request can have only one value for each name in a location.",
    ),
    Code(
        "import-parameter-place",
        "error",
        "the parameter {name} does not state its location",
        "add `in: query`, or path, header, cookie or querystring",
        "Each parameter belongs to one part of the request.",
    ),
    Code(
        "import-header-ignored",
        "note",
        "the header {name} is not an argument; the code that sends the request sets it",
        None,
        "OpenAPI says to ignore parameters named Accept, Authorization and Content-Type, because media types and "
        "security schemes describe them. A model should not see credentials.",
        fix="Nothing to fix: this note only reports what the import did.",
    ),
    Code(
        "import-grouped",
        "note",
        "two parameters of this operation have the same name; the arguments are grouped by location",
        None,
        "If all names differ, path parameters, query parameters and the members of the body become arguments side by "
        "side. Otherwise all of them are grouped under path, query, header, cookie and body, so that no argument has "
        "to be renamed.",
        fix="To get arguments without groups, rename one of the two in the document.",
    ),
    Code(
        "import-media",
        "note",
        "the body is declared as {media}; {count} other media types were left out",
        None,
        "A tool has one schema. An import prefers JSON to forms, and forms to text and bytes.",
        fix="Nothing to fix: this note only reports what the import did.",
    ),
    Code(
        "import-keyword",
        "note",
        "the keyword {keyword} was left out of {count} schemas; this is the first",
        None,
        "OpenAPI has keywords that JSON Schema does not have and that do not restrict a value, such as `xml`, "
        "`discriminator` and everything that starts with `x-`. In version 3.0, keywords next to a `$ref` have no "
        "effect. An import keeps an example if it fits its schema and can be checked on its own.",
        fix="Nothing to fix: this note only reports what the import did.",
    ),
    Code(
        "import-webhooks",
        "note",
        "webhooks are not tools and were skipped",
        None,
        "The other side sends these requests, so a model cannot call them.",
        fix="Nothing to fix: this note only reports what the import did.",
    ),
)

_OPENAPI: tuple[Code, ...] = (*_DOCUMENTS, *_OPERATIONS)

ROWS: tuple[Code, ...] = (*_SHAPES, *_CHANGES, *_FILES, *_AGAIN, *_OPENAPI)
