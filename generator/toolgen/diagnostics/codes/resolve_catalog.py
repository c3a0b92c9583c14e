"""Codes of the resolve stage about what sources say of one another: names, the format, profiles."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

_NAMES: tuple[Code, ...] = (
    Code(
        "tool-duplicate",
        "error",
        "the tool name {name} is declared in {first} already",
        "Rename one of the two.",
        "A call carries a name and nothing else to find its tool by. Two tools with one name cannot be told apart.",
        example=Example(
            """\
name: find
---
name: find
""",
            """\
name: find
---
name: find_all
""",
        ),
    ),
    Code(
        "tool-names-collide",
        "error",
        "the tool names {name} and {other} (in {first}) give the same generated names",
        "Rename one of the two by more than case, dashes and underscores.",
        "Each tool becomes a module and classes. Names that differ in case, dashes or underscores alone would share "
        "a file on some disks, or a class, and one tool would vanish after the other.",
        example=Example(
            """\
name: find_user
---
name: findUser
""",
            """\
name: find_user
---
name: find_users
""",
        ),
    ),
    Code(
        "alias-collides",
        "error",
        "the alias {alias} is a name or an alias of the tool {other} (in {first}) already",
        "Remove the alias from one of the two.",
        "An alias stands for one tool. Shared with another one it would leave open which of the two is meant.",
        example=Example(
            """\
name: find
aliases: [search]
---
name: search
""",
            """\
name: find
aliases: [seek]
---
name: search
""",
        ),
    ),
    Code(
        "wire-names-collide",
        "error",
        "the tools {name} and {other} (in {first}) both have the name {wire} for {provider}",
        "Give one of the two another name under `providers`.",
        "A provider answers with the name it was given. Two tools of one name on a wire cannot be told apart, and a "
        "call of the one would run the other.",
        example=Example(
            """\
name: find
providers: {anthropic: {name: search}}
---
name: search
""",
            """\
name: find
---
name: search
""",
        ),
    ),
    Code(
        "wire-name-illegal",
        "error",
        "{provider} does not accept the tool name {wire}",
        "Choose a name that the provider accepts; letters, digits, underscores and dashes are accepted by all.",
        "A name that the provider refuses fails at the first request, far from the declaration.",
        example=Example(
            """\
name: find
providers: {anthropic: {name: users.find}}
""",
            """\
name: find
providers: {anthropic: {name: users_find}}
""",
        ),
    ),
    Code(
        "provider-misspelled",
        "warning",
        "there is no provider {name}, but one named {near}",
        "Correct the name, or leave it out.",
        "What a declaration says of a provider that does not exist changes nothing, and is most often another one with "
        "a typo.",
        example=Example(
            """\
name: find
unsupported: [antropic]
""",
            """\
name: find
unsupported: [anthropic]
""",
        ),
    ),
    Code(
        "type-names-collide",
        "error",
        "two shared schemas would become the class {name}: this one and one in {first}",
        "Rename one of the files or definitions by more than case, dashes and underscores.",
        "Shared schemas become classes of one module. Classes whose names fall together would replace each other.",
    ),
)

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
        fix="Correct the name after `extends`, or add the profile to SCHEMAS/providers.",
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
        fix="Correct the name; the hint lists those that there are.",
    ),
    Code(
        "tool-unknown",
        "error",
        "there is no tool {name}",
        "see the names in SCHEMAS/tools",
        "The name is the one that the declaration states.",
    ),
)

ROWS: tuple[Code, ...] = (*_NAMES, *_FORMAT, *_PROFILES)
