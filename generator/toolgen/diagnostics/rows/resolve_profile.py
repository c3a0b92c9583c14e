"""Codes about provider profiles."""

from __future__ import annotations

from toolgen.diagnostics.rows.row import Code

ROWS: tuple[Code, ...] = (
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
        "profile-unknown",
        "error",
        "there is no profile {name} to extend",
        None,
        "A profile extends a shipped one, or another in SCHEMAS/providers.",
        mend="Correct the name after `extends`, or add the profile to SCHEMAS/providers.",
    ),
    Code(
        "profile-template",
        "error",
        "the profile {name} has no template, and extends none that has one",
        "extend a provider of the same form",
        "Templates come from toolgen itself, so that nothing in a project is ever run as a template. A new provider "
        "in a project states what differs from a shipped one.",
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
