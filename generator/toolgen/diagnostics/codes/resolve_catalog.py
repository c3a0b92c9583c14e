"""Codes of the resolve stage about names, the format and profiles, which concern several sources."""

from __future__ import annotations

from toolgen.diagnostics.codes.code import Code, Example

_NAMES: tuple[Code, ...] = (
    Code(
        "tool-duplicate",
        "error",
        "the tool name {name} is already used in {first}",
        "rename one of the two",
        "A call identifies its tool by name alone, so two tools with the same name cannot be told apart.",
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
        "rename one of the two; change more than case, dashes and underscores",
        "Each tool becomes a module and classes. Names that differ only in case, dashes or underscores would share a "
        "file on some disks, or a class, so one tool would replace the other.",
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
        "the alias {alias} is already a name or alias of the tool {other} (in {first})",
        "remove the alias from one of the two",
        "An alias must belong to one tool. Otherwise a call could mean either.",
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
        "the tools {name} and {other} (in {first}) have the same name {wire} for {provider}",
        "give one of them another name under `providers`",
        "The provider's model calls a tool by the name that the request states. With two tools of the same name, a "
        "call could run the wrong one.",
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
        "choose a name that the provider accepts; every provider accepts letters, digits, underscores and dashes",
        "The provider would reject the name at the first request.",
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
        "unknown provider {name}; did you mean {near}?",
        "correct the name, or remove it",
        "Settings for an unknown provider have no effect. Most often the name is misspelled.",
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
        "provider-name-unknown",
        "warning",
        "unknown provider {name}",
        "correct the name, remove it, or describe the provider in `schemas/providers`",
        "Settings for an unknown provider have no effect: `unsupported` with a wrong name does not keep a tool away from "
        "any provider.",
        example=Example(
            """\
name: find
unsupported: [skynet]
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
        "two shared schemas would both become the class {name}: this one and one in {first}",
        "rename one of the files or definitions; change more than case, dashes and underscores",
        "Shared schemas become classes of one module. One of two classes with the same name would replace the other.",
    ),
)

_FORMAT: tuple[Code, ...] = (
    Code(
        "format-field-required",
        "error",
        "{field} cannot be required: {type} is a type of the built-in format",
        "remove it from `required`; a project can only add optional fields",
        "Existing code and stored conversations have no value for the new field.",
    ),
    Code(
        "format-field-name",
        "error",
        "a field cannot be called {field}, because that is a Python keyword",
        "rename the field",
        "Fields become attributes of Python classes.",
    ),
    Code(
        "format-field-known",
        "error",
        "{type} already has a field {field} with another schema",
        "rename the new field",
        "Converters and stored conversations rely on the built-in fields. A project can add fields, but not change "
        "them.",
    ),
    Code(
        "format-type-unknown",
        "error",
        "the format has no type {type}",
        "refer to a type under `$defs` in a file of `format/`",
        "Types of the format refer to each other by name.",
    ),
)

_PROFILES: tuple[Code, ...] = (
    Code(
        "profile-cycle",
        "error",
        "the profile {name} extends itself, directly or through others",
        "remove `extends` from one of the profiles in the cycle",
        "A profile states only what differs from the one that it extends, so one profile in the chain has to be "
        "complete.",
    ),
    Code(
        "profile-name",
        "error",
        "a provider cannot be called {name}",
        "name the file with lower-case letters, digits and underscores",
        "The file name becomes the name of the generated module and the value of `--provider`.",
    ),
    Code(
        "profile-dialect",
        "error",
        "the profile uses the dialect {name}, which it does not have",
        "use one of its own dialects, define this one under `dialects`, or remove `uses`",
        "`uses` names the dialect for schemas that are not strict. A profile defines its own dialects: most have only "
        "`open`, and those with two keys for schemas also have `openapi`.",
    ),
    Code(
        "profile-pattern",
        "error",
        "the regular expression {pattern} does not compile: {reason}",
        "use the syntax of Python's `re`",
        "A profile uses regular expressions for the ids, names and patterns that a provider accepts. The generated "
        "module compiles them when it is imported.",
    ),
    Code(
        "runtime-format",
        "error",
        "this project adds fields to the format, so it cannot use the installed runtime",
        "set `runtime: copied`, or remove the files in SCHEMAS/format",
        "With `runtime: installed`, all packages share the classes and converters of the distribution "
        "toolgen-runtime, which know only the built-in fields. Additional fields need classes and converters of their "
        "own, so the runtime has to be copied into the package.",
    ),
    Code(
        "profile-unknown",
        "error",
        "unknown profile {name} in `extends`",
        None,
        "A profile extends a built-in one, or another one in SCHEMAS/providers.",
        fix="Correct the name in `extends`, or add the profile to SCHEMAS/providers.",
    ),
    Code(
        "profile-unused",
        "warning",
        "the profile {name} has no effect, because {name} is not among the providers of this package",
        "add it to `providers` in toolgen.yaml, or extend it in another profile",
        "A file in SCHEMAS/providers describes a provider, or changes facts about one. The package has modules only for "
        "the providers that toolgen.yaml lists, by default four.",
    ),
    Code(
        "profile-shape",
        "error",
        "the profile does not fit the format: {reason}",
        "see `toolgen schema provider` and `toolgen schema format`",
        "A mapping assigns keys of the wire to fields of the format. Every required field needs a key, because "
        "nothing else could provide its value. The mappings of a union need tags that tell them apart.",
    ),
    Code(
        "provider-unknown",
        "error",
        "unknown provider {name}",
        None,
        "A provider is a built-in profile or a file in SCHEMAS/providers.",
        fix="Correct the name. The hint lists the known providers.",
    ),
    Code(
        "tool-unknown",
        "error",
        "unknown tool {name}",
        "use a name from the declarations in SCHEMAS/tools",
        "Tools are identified by the `name` of their declaration.",
    ),
)

ROWS: tuple[Code, ...] = (*_NAMES, *_FORMAT, *_PROFILES)
