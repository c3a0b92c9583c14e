"""Codes of `toolgen import openapi`."""

from __future__ import annotations

from toolgen.diagnostics.rows.row import Code

_DOCUMENTS = (
    Code(
        "import-no-openapi",
        "error",
        "this is no OpenAPI document: there is no key 'openapi'",
        "give an OpenAPI document of version 3, or name the format that the file has",
        "A document says which version of OpenAPI it is written in; without that its schemas could mean two things.",
    ),
    Code(
        "import-swagger",
        "error",
        "this document is of Swagger 2.0, which is not read",
        "convert it to OpenAPI 3, for example with the Swagger converter",
        "Bodies, forms and types are said otherwise in version 2. Converters translate them, and an import after that "
        "shows what came of it.",
    ),
    Code(
        "import-openapi-version",
        "error",
        "the version {version} of OpenAPI is not read",
        "write 3.0, 3.1 or 3.2, as text",
        "Versions differ in what their schemas mean.",
    ),
    Code(
        "import-reference",
        "error",
        "the reference {ref} leads nowhere",
        "correct it, or add what it refers to",
        "What a reference stands for would be missing from the tool.",
    ),
    Code(
        "import-reference-outside",
        "error",
        "the reference {ref} leads out of the document, and nothing else is opened",
        "bundle the document and what it refers to into one file first",
        "An import reads one file, so that it gives the same everywhere and fetches nothing from anywhere.",
    ),
)

_OPERATIONS = (
    Code(
        "import-path-part",
        "error",
        "the path {path} has a part {name}, and no parameter that fills it",
        "add the parameter, with 'in: path'",
        "Without it the request cannot be made.",
    ),
    Code(
        "import-parameter-twice",
        "error",
        "there are two parameters named {name} in the {place}",
        "take one of the two out",
        "A request has one value for a name at a place.",
    ),
    Code(
        "import-parameter-place",
        "error",
        "the parameter {name} does not say where it goes",
        "write 'in: query', or path, header, cookie or querystring",
        "A request is put together from parts, and each parameter belongs to one of them.",
    ),
    Code(
        "import-header-ignored",
        "note",
        "the header {name} is no argument; who makes the request writes it",
        None,
        "OpenAPI tells to ignore parameters for Accept, Authorization and Content-Type: media types and security "
        "schemes say them. A model has no business with credentials.",
        mend="Nothing needs mending: the import says what it did.",
    ),
    Code(
        "import-grouped",
        "note",
        "two arguments of this operation have one name; all stand under the place that they go to",
        None,
        "Parameters and the members of a body stand side by side where their names differ. Else they are grouped as "
        "path, query, header, cookie and body, all of them, so that nobody has to guess which were renamed.",
        mend="Rename one of the two in the document, where the arguments shall stand side by side.",
    ),
    Code(
        "import-media",
        "note",
        "the body is declared as {media}; {count} other representations are left out",
        None,
        "A tool has one schema. JSON goes before forms, and forms before text and bytes.",
        mend="Nothing needs mending: the import says what it did.",
    ),
    Code(
        "import-keyword",
        "note",
        "the keyword {keyword} is left out of {count} schemas, of which this is the first",
        None,
        "OpenAPI has keywords that JSON Schema has not, and that say nothing of a value (`xml`, `discriminator`, all that "
        "begin with `x-`). In version 3.0 nothing counts beside a reference. Examples stay where they fit their schema "
        "and can be judged without another one.",
        mend="Nothing needs mending: the import says what it did.",
    ),
    Code(
        "import-webhooks",
        "note",
        "webhooks are no tools, and are passed over",
        None,
        "They are requests that the other side makes.",
        mend="Nothing needs mending: the import says what it did.",
    ),
)

ROWS: tuple[Code, ...] = (*_DOCUMENTS, *_OPERATIONS)
