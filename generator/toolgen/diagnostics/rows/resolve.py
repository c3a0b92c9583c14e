"""Codes of the resolve stage."""

from __future__ import annotations

from toolgen.diagnostics.rows.row import Code

_REFERENCES: tuple[Code, ...] = (
    Code(
        "reference-remote",
        "error",
        "the $ref {ref} has a scheme, an authority or a query; only files below the schemas folder can be reached",
        "Copy the schema to the folder `types` and refer to it by a relative path.",
        "A build reads nothing but the schemas folder. A reference to the network or to another address would make "
        "the output depend on a place that the repository does not hold, and let a schema choose what is opened.",
    ),
    Code(
        "reference-outside",
        "error",
        "the $ref {ref} leads out of the schemas folder",
        "Refer by a path relative to this file, such as ../types/place.yaml.",
        "References stay in the schemas folder, so that a declaration from elsewhere cannot copy a file of this "
        "machine into the output. Absolute paths, drive letters, backslashes and home marks count as leaving it.",
    ),
    Code(
        "reference-dangling",
        "error",
        "the $ref {ref} leads to nothing",
        "Check the path, which is relative to this file, and the part behind the #.",
        "A reference without a target would become a value of any type. What was meant can only be guessed, so the "
        "build stops.",
    ),
    Code(
        "reference-no-schema",
        "error",
        "the $ref {ref} leads to a value that is no schema",
        "Let it lead to an object or a boolean.",
        "A schema is an object, true or false. A reference to a list, a number or a text was most likely meant for "
        "the value around it.",
    ),
    Code(
        "identifier-duplicate",
        "error",
        "the schema {identifier} is there twice, the first time in line {line}",
        "Give the two different names in `$id` or `$anchor`.",
        "A reference finds its target by `$id` and `$anchor`. Two schemas of one name leave open which is meant, and "
        "one of them would vanish.",
    ),
    Code(
        "reference-circle",
        "error",
        "the $ref {ref} leads back to itself without entering the value",
        "Let the circle pass through a property, the items of a list, or the values of a map.",
        "A schema that refers to itself for one and the same value has no meaning: checking it would never end. "
        "Recursive structures are fine, as each round then judges a smaller part of the value.",
    ),
    Code(
        "reference-dynamic",
        "error",
        "{keyword} is not supported",
        "Use $ref with the definition that is meant.",
        "Dynamic references choose their target while a value is checked, by the way the checker came. No provider "
        "reads them, and no type can express them.",
    ),
)

_SCHEMAS: tuple[Code, ...] = (
    Code(
        "dialect-unknown",
        "error",
        "$schema names {dialect}, which is none of 2020-12, 2019-09, draft-07, draft-06 and draft-04",
        "Leave $schema out for 2020-12.",
        "Keywords change their meaning between the drafts of JSON Schema. A schema is read by the rules of the "
        "draft it names, so one that is not known cannot be read.",
    ),
    Code(
        "schema-invalid",
        "error",
        "{keyword} is not sound JSON Schema: {reason}",
        None,
        "The schema breaks the schema of schemas. Providers refuse such tools or, worse, ignore the keyword.",
        mend="The message says what the keyword takes; the place is that of its value.",
    ),
    Code(
        "type-unknown",
        "error",
        "there is no type named {type}",
        "The types are array, boolean, integer, null, number, object and string (format: path for a file path).",
        "A type that JSON Schema does not know describes no value. Most often it is the type's name in another "
        "language, such as float for number.",
    ),
    Code(
        "enum-empty",
        "error",
        "enum lists no value, so nothing can be given",
        "List the values, or leave enum out.",
        "An empty enum refuses every value. A model that is forced to fill it can only fail.",
    ),
    Code(
        "value-contradicts",
        "error",
        "{keyword} has the value {value}, which its own schema refuses: {reason}",
        "Change the value, or the schema beside it.",
        "An enum, const, default or example that the schema refuses tells the model to send what is then rejected. "
        "The value is judged by the whole schema it stands in.",
    ),
    Code(
        "value-unfit",
        "warning",
        "{keyword} has the value {value}, which its own schema refuses: {reason}",
        "Change the value, or the schema beside it.",
        "A default or an example with a value that the schema refuses misleads a model, and a default that is of the "
        "right type but out of bounds reaches handlers as it is. JSON Schema lets both stand, and so do schemas "
        "that others wrote.",
    ),
    Code(
        "values-too-many",
        "error",
        "{keyword} takes too long to check against its schema",
        "State fewer values, or a smaller schema.",
        "Values of a declaration are checked at every build. A schema that needs hundreds of thousands of steps for "
        "its own values is none that a person has reviewed, and would make every build slow.",
    ),
    Code(
        "default-null",
        "warning",
        "the default is null, which its own schema refuses",
        "Leave the default out, or allow null.",
        "Schema writers put null where a value may be left out. An absent value reads as None here with or without "
        "it; a model that sends the null is refused, as the schema says.",
    ),
    Code(
        "example-invalid",
        "error",
        "the example is refused by `parameters`: {reason}",
        "Change the example, or the parameters.",
        "Examples are shown to the model and to people. One that is refused teaches the wrong call.",
    ),
    Code(
        "bounds-contradict",
        "error",
        "{lower} is above {upper}, so nothing can be given",
        "Swap the bounds.",
        "Bounds that leave no room refuse every value; most often the two were swapped.",
    ),
    Code(
        "bounds-without-integer",
        "error",
        "no integer lies between {lower} and {upper}",
        "Widen the bounds, or let the type be number.",
        "Bounds that leave no room refuse every value; a model that is forced to fill it can only fail.",
    ),
    Code(
        "bound-invalid",
        "error",
        "{keyword} is {value}, and has to be {wanted}",
        None,
        "Lengths and counts are whole numbers from zero on, and a step is greater than zero. Anything else has no "
        "meaning to a checker.",
        mend="The message says what the keyword takes.",
    ),
    Code(
        "required-unknown",
        "error",
        "required names {name}, which this closed object does not have",
        "Add the property, or leave it out of `required`.",
        "The object allows no properties but its own and demands one that it does not have: no value satisfies both.",
    ),
    Code(
        "required-forbidden",
        "error",
        "required names {name}, whose schema is false",
        "Leave the property out of `required`, or give it a schema.",
        "A property of the schema false may never be there, and this one must be: no value satisfies both.",
    ),
    Code(
        "pattern-unusable",
        "error",
        "the pattern {pattern} does not compile in the engine that runs it: {reason}",
        "Rewrite it without look-around and back references.",
        "Patterns run in a linear-time engine (Rust's regex syntax), so that no argument a model writes can stall "
        "the application. Look-around and back references do not exist there.",
    ),
    Code(
        "parameters-not-object",
        "error",
        "parameters has the type {type}, and has to be an object",
        "Wrap the value in a property of an object.",
        "Every provider sends a tool's arguments as one object, by name. A tool for another value needs a property "
        "that holds it.",
    ),
)

_NAMES: tuple[Code, ...] = (
    Code(
        "tool-duplicate",
        "error",
        "the tool name {name} is declared in {first} already",
        "Rename one of the two.",
        "A call carries a name and nothing else to find its tool by. Two tools with one name cannot be told apart.",
    ),
    Code(
        "tool-names-collide",
        "error",
        "the tool names {name} and {other} (in {first}) fall together in generated names",
        "Rename one of the two by more than case, dashes and underscores.",
        "Each tool becomes a module and classes. Names that differ in case, dashes or underscores alone would share "
        "a file on some disks, or a class, and one tool would vanish behind the other.",
    ),
    Code(
        "alias-collides",
        "error",
        "the alias {alias} is a name or an alias of the tool {other} (in {first}) already",
        "Drop the alias from one of the two.",
        "An alias stands for one tool. Shared with another one it would leave open which of the two is meant.",
    ),
    Code(
        "wire-names-collide",
        "error",
        "the tools {name} and {other} (in {first}) have the one name {wire} for {provider}",
        "Give one of the two another name under `providers`.",
        "A provider answers with the name it was given. Two tools of one name on a wire cannot be told apart, and a "
        "call of the one would run the other.",
    ),
    Code(
        "wire-name-illegal",
        "error",
        "{provider} takes no tool of the name {wire}",
        "Write it as the provider wants it, which for all of them is letters, digits, underscores and dashes.",
        "A name that the provider refuses fails at the first request, far from the declaration.",
    ),
    Code(
        "provider-misspelled",
        "warning",
        "there is no provider {name}, but one named {near}",
        "Correct the name, or leave it out.",
        "What a declaration says of a provider that does not exist changes nothing, and is most often another one with "
        "a slip of the pen.",
    ),
    Code(
        "type-names-collide",
        "error",
        "two shared schemas become the class {name}: this one and one in {first}",
        "Rename one of the files or definitions by more than case, dashes and underscores.",
        "Shared schemas become classes of one module. Classes whose names fall together would replace each other.",
    ),
)

_CATALOG: tuple[Code, ...] = (*_REFERENCES, *_SCHEMAS, *_NAMES)


_FORMAT: tuple[Code, ...] = (
    Code(
        "format-field-required",
        "error",
        "{field} may not be required: {type} is a type of the shipped format",
        "leave it out of `required`; a project adds optional fields only",
        "Code and stored conversations made before the field existed have no value for it.",
    ),
    Code(
        "format-field-name",
        "error",
        "a field cannot be called {field}, which is a word of Python",
        "give the field another name",
        "Fields are attributes of Python classes.",
    ),
    Code(
        "format-field-known",
        "error",
        "{type} has a field {field} already, with another schema",
        "give the new field another name",
        "Converters and stored conversations rely on the shipped fields; a project can only add to them.",
    ),
    Code(
        "format-type-unknown",
        "error",
        "the format has no type {type}",
        "refer to a type under `$defs` of a file in `format/`",
        "Types of the format refer to one another by name.",
    ),
)


_PROFILES: tuple[Code, ...] = (
    Code(
        "profile-cycle",
        "error",
        "the profile {name} extends itself in the end",
        "let one of the profiles in the circle stand alone",
        "A profile states what differs from another one; in a circle there is nothing to differ from.",
    ),
    Code(
        "profile-name",
        "error",
        "a provider cannot be called {name}",
        "name the file with lower-case letters, digits and underscores",
        "The file's name is the generated module's, and the word after `--provider`.",
    ),
    Code(
        "profile-dialect",
        "error",
        "the profile uses the dialect {name}, which it does not have",
        "choose one of its own, state this one under `dialects`, or leave `uses` out",
        "An open schema goes by the dialect that `uses` names. A wire has as many of them as its profile states: most have "
        "`open`, and only one with two keys for schemas has `openapi` beside it.",
    ),
    Code(
        "profile-pattern",
        "error",
        "the regular expression {pattern} does not compile: {reason}",
        "it is matched by Python's `re`",
        "A profile says by regular expressions what a provider takes as an id, as a name, and as a pattern. The "
        "generated module compiles them when it is imported.",
    ),
    Code(
        "runtime-format",
        "error",
        "the installed runtime has the shipped format, and this project has a format of its own",
        "say `runtime: copied`, or take the files of SCHEMAS/format away",
        "The classes of the format are part of the distribution toolgen-runtime, where all packages share them, and its "
        "converters know their fields. A format with more fields needs classes and converters of its own, which a package "
        "has only where the runtime is copied into it.",
    ),
    Code(
        "profile-unknown",
        "error",
        "there is no profile {name} to extend",
        None,
        "A profile extends a shipped one, or another in SCHEMAS/providers.",
        mend="Correct the name after `extends`, or add the profile to SCHEMAS/providers.",
    ),
    Code(
        "profile-shape",
        "error",
        "the profile does not fit the format: {reason}",
        "see `toolgen schema provider` and `toolgen schema format`",
        "A shape maps keys of the wire to fields of the format. Every required field needs a key, or nothing could "
        "be read from the wire; a union needs shapes that its tag can tell apart.",
    ),
    Code(
        "provider-unknown",
        "error",
        "there is no provider {name}",
        None,
        "A provider is a profile: a shipped one, or a file in SCHEMAS/providers.",
        mend="Correct the name; the hint lists those that there are.",
    ),
    Code(
        "tool-unknown",
        "error",
        "there is no tool {name}",
        "see the names in SCHEMAS/tools",
        "The name is the one that the declaration states.",
    ),
)

ROWS: tuple[Code, ...] = (*_CATALOG, *_FORMAT, *_PROFILES)
