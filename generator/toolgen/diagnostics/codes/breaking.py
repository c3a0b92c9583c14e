"""Codes of changes between two versions of a project, with their effects on handlers, the model and conversations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from toolgen.diagnostics.codes.code import Code

Audience = Literal["handlers", "model", "conversations"]

AUDIENCES: tuple[Audience, ...] = ("handlers", "model", "conversations")


class _Row(NamedTuple):
    """A change: its effect on each audience (see `CHANGES`), its message, and why it matters."""

    verdict: str
    message: str
    why: str


_T = "{tool}: "
_W = "{tool} {where}: "

_TABLE: Mapping[str, _Row] = {
    "tool-added": _Row(
        "BN-",
        _T + "the tool is new",
        "The class Handlers has a new method. An app has to implement it before it type-checks.",
    ),
    "tool-removed": _Row(
        "BBB",
        _T + "the tool was removed",
        "Calls of the tool, including stored ones that still wait, get an error, and its classes can no longer be "
        "imported.",
    ),
    "tool-renamed": _Row(
        "BBB",
        _T + "the tool was renamed from {before}",
        "No tool has the old name now. Keep it as an alias, so that calls from text, from providers and from storage "
        "still run.",
    ),
    "alias-added": _Row("---", _T + "the alias {after} is new", "A call with this name runs the tool from now on."),
    "alias-removed": _Row(
        "-BB", _T + "the alias {before} was removed", "No tool has this name now, so calls with it fail."
    ),
    "alias-moved": _Row(
        "-BB",
        _T + "the alias {after} belonged to {before} before",
        "An old call with this name would run another tool.",
    ),
    "tool-moved": _Row("---", _T + "the declaration moved here from {before}", "The generated package stays the same."),
    "description-changed": _Row(
        "-N-", _W + "the description changed", "The model reads a new text and may call the tool differently."
    ),
    "display-name-changed": _Row(
        "N--", _T + "the display name changed", "User interfaces show another name for the tool."
    ),
    "deprecated-set": _Row(
        "NN-", _T + "the tool is now deprecated", "A run no longer offers the tool unless the app asks for it."
    ),
    "deprecated-unset": _Row("-N-", _T + "the tool is no longer deprecated", "A run offers the tool again by default."),
    "risk-raised": _Row("N--", _T + "the risk is now high", "Calls of the tool are reviewed and run one at a time."),
    "risk-lowered": _Row(
        "B-B",
        _T + "the risk is now low",
        "Calls run concurrently and without review, and so do calls that still wait. The handler has to be safe for "
        "that.",
    ),
    "hint-relaxed": _Row(
        "-B-",
        _T + "the annotation {where} promises less harm than before",
        "A client may no longer ask the user before it calls the tool.",
    ),
    "annotations-changed": _Row("-N-", _T + "the annotations changed", "MCP clients see different hints than before."),
    "examples-changed": _Row("-N-", _T + "the examples changed", "The model may see different examples."),
    "provider-added": _Row("-N-", "the provider {after} is new", "The package has an additional module."),
    "provider-removed": _Row(
        "BBB",
        "the provider {before} was removed",
        "Its module can no longer be imported, and nothing can read stored bodies of its wire.",
    ),
    "unsupported-added": _Row(
        "BB-",
        _T + "{after} no longer gets the tool",
        "The provider's ToolName loses a value, and its model cannot call the tool.",
    ),
    "unsupported-removed": _Row(
        "-N-", _T + "{before} now gets the tool", "The provider's model can now call the tool."
    ),
    "wire-name-changed": _Row(
        "-BB",
        _T + "the name for {where} was {before}",
        "Stored bodies of that wire contain the old name, which no tool has any more.",
    ),
    "wire-description-changed": _Row(
        "-N-",
        _T + "the description for {where} changed",
        "The provider's model reads a new text and may call the tool differently.",
    ),
    "provider-patch-changed": _Row(
        "-N-", _T + "the patch for {where} changed", "The provider gets a different payload."
    ),
    "strict-lost": _Row(
        "-B-",
        _T + "{where} no longer enforces the schema",
        "The model may send calls that do not fit the schema.",
    ),
    "strict-gained": _Row(
        "-N-", _T + "{where} now enforces the schema", "The model can no longer send calls that do not fit the schema."
    ),
    "portability-worse": _Row(
        "-B-",
        _T + "{where} now loses {after}",
        "The provider's model no longer sees a rule of the schema, or sees it only as text in a description.",
    ),
    "portability-better": _Row(
        "-N-", _T + "{where} no longer loses {before}", "The provider's model sees more of the schema than before."
    ),
    "payload-changed": _Row(
        "-N-",
        "the payload of {where} changed: {after}",
        "A prompt cache starts with the tools, so everything after the first difference has to be cached again.",
    ),
    "parameter-added": _Row("-N-", _W + "the optional parameter is new", "Calls may have one more argument."),
    "required-parameter-added": _Row(
        "-BB",
        _W + "the required parameter is new",
        "Calls without it fail, including stored calls that still wait. Make the parameter optional, or give it a "
        "default in the handler.",
    ),
    "parameter-removed": _Row(
        "B??",
        _W + "the parameter was removed",
        "The attribute no longer exists. A closed object rejects calls that still have it.",
    ),
    "parameter-renamed": _Row(
        "BBB",
        _W + "the parameter was renamed from {before}",
        "The attribute has a new name, and the value of a call with the old name is not used.",
    ),
    "parameter-became-optional": _Row(
        "BN-", _W + "the parameter is now optional", "The handler may get None where it always got a value."
    ),
    "parameter-became-required": _Row(
        "-BB", _W + "the parameter is now required", "Calls without the parameter are now rejected."
    ),
    "type-widened": _Row(
        "BN-", _W + "the type was {before} and is now {after}", "The handler gets values that were not possible before."
    ),
    "type-narrowed": _Row(
        "-BB", _W + "the type was {before} and is now {after}", "Calls that were valid before are rejected."
    ),
    "type-changed": _Row(
        "BBB",
        _W + "the type was {before} and is now {after}",
        "Calls that were valid before are rejected, and the handler gets values that were not possible before.",
    ),
    "enum-value-added": _Row(
        "BN-",
        _W + "values were added: {after}",
        "A match statement over the values in a handler is no longer exhaustive.",
    ),
    "enum-value-removed": _Row(
        "NBB", _W + "values were removed: {before}", "Calls with one of these values are rejected."
    ),
    "enum-set": _Row("-BB", _W + "only the listed values are allowed now", "Calls with any other value are rejected."),
    "enum-unset": _Row(
        "BN-", _W + "any value is allowed now", "The handler gets values that were not possible before."
    ),
    "enum-reordered": _Row(
        "-N-", _W + "the order of the values changed", "The payload changes, so prompt caches no longer match."
    ),
    "const-changed": _Row(
        "BBB", _W + "the constant was {before} and is now {after}", "Calls with the old constant are rejected."
    ),
    "null-admitted": _Row("BN-", _W + "null is allowed now", "The handler may get None where it always got a value."),
    "null-refused": _Row(
        "-BB", _W + "null is no longer allowed", "Calls with null are rejected, unless the parameter is optional."
    ),
    "default-added": _Row(
        "NNN", _W + "the default {after} is new", "A call without the parameter now means this value."
    ),
    "default-removed": _Row(
        "BNN", _W + "the default {before} was removed", "The handler may get None where it got the default."
    ),
    "default-changed": _Row(
        "NNN",
        _W + "the default was {before} and is now {after}",
        "A call without the parameter now means another value.",
    ),
    "bound-tightened": _Row(
        "-BB", _W + "the bound was {before} and is now {after}", "Calls with values outside the new bound are rejected."
    ),
    "bound-loosened": _Row(
        "NN-",
        _W + "the bound was {before} and is now {after}",
        "The handler gets values that were not possible before. No type shows the change.",
    ),
    "pattern-set": _Row(
        "-BB", _W + "the pattern {after} is new", "Strings that do not match the pattern are rejected."
    ),
    "pattern-unset": _Row(
        "NN-", _W + "the pattern {before} was removed", "The handler gets strings that the pattern rejected before."
    ),
    "pattern-changed": _Row(
        "-??",
        _W + "the pattern was {before} and is now {after}",
        "toolgen does not compare patterns as languages. It looks for a string that tells the two apart.",
    ),
    "format-changed": _Row(
        "BN?", _W + "the format was {before} and is now {after}", "The Python type of the attribute may change."
    ),
    "object-closed": _Row(
        "-BB", _W + "additional properties are no longer allowed", "Calls with additional properties are rejected."
    ),
    "object-opened": _Row(
        "NN-",
        _W + "additional properties are allowed now",
        "Arguments may have properties that the schema does not declare.",
    ),
    "branch-added": _Row(
        "BN-", _W + "a new alternative was added", "The handler gets values that were not possible before."
    ),
    "branch-removed": _Row("NBB", _W + "an alternative was removed", "Calls that use this alternative are rejected."),
    "condition-changed": _Row(
        "-??",
        _W + "the condition changed",
        "toolgen looks for a value that was valid before and is now rejected.",
    ),
    "result-set": _Row(
        "BNN", _T + "the result has a schema now", "The value that a handler returns is checked against the new schema."
    ),
    "result-unset": _Row(
        "BN-",
        _T + "the result no longer has a schema",
        "The class of the result no longer exists, and results are no longer checked.",
    ),
    "result-narrowed": _Row(
        "BNB",
        _T + "the result accepts fewer values than before",
        "A value that a handler returns, or a stored one, may no longer fit.",
    ),
    "result-widened": _Row(
        "-N-",
        _T + "the result accepts more values than before",
        "Code that reads results may find values that were not possible before.",
    ),
    "result-changed": _Row(
        "BNB",
        _T + "the schema of the result changed",
        "A value that a handler returns, or a stored one, may no longer fit.",
    ),
    "composition-rewritten": _Row(
        "-N-",
        _T + "the schema was rewritten and admits the same values",
        "The payload changes, but the values that it admits do not.",
    ),
    "branches-overlap": _Row(
        "-??",
        _W + "some values now fit two alternatives of oneOf",
        "oneOf rejects a value that fits more than one of its alternatives.",
    ),
    "spelling-changed": _Row(
        "-NB",
        _T + "{where} now encodes the same values differently",
        "Stored bodies of that wire contain the old encoding, but are decoded by the new one.",
    ),
    "limit-changed": _Row(
        "-N-",
        "{where} was {before} and is now {after}",
        "The tools that are offered, or the warnings about them, may change.",
    ),
    "wire-default-changed": _Row(
        "-N-",
        "the default {where} was {before} and is now {after}",
        "A request that does not set the value sends another one.",
    ),
    "profile-changed": _Row(
        "-NN", "the profile's {where} changed", "What the provider is sent, and how its responses are read, may change."
    ),
    "format-field-added": _Row(
        "---",
        "the format has a new field {where}",
        "The field is optional, so stored values and existing code keep working.",
    ),
    "format-field-removed": _Row(
        "B-N",
        "the format's field {where} was removed",
        "Code that reads the field fails. In stored values it is kept in the metadata, like any unknown key.",
    ),
    "format-field-changed": _Row(
        "B-B",
        "the schema of the format's field {where} changed",
        "Stored values that have the field may no longer load.",
    ),
    "public-name-removed": _Row(
        "B--",
        "{where} was removed from the package",
        "Code that imports the name fails. Look for its replacement in the package.",
    ),
    "out-moved": _Row("B--", "the package was written to {before} before", "The package has a new import path."),
    "edition-changed": _Row(
        "NN-", "the edition was {before} and is now {after}", "Names and payloads may change with the edition."
    ),
    "cannot-tell": _Row(
        "???",
        _W + "cannot tell whether this change rejects calls that were valid before",
        "toolgen found neither a proof that all old calls stay valid nor a value that breaks. Use --replay to check "
        "your own conversations.",
    ),
    "against-unreadable": _Row(
        "???",
        "the old version cannot be read, because of {where}: {before}",
        "The old version has an error that this release of toolgen rejects, so nothing can be compared. For a link, a "
        "submodule or a Git LFS pointer in a revision it is a warning, and the other sources are compared.",
    ),
}


def _level(code: str, verdict: str) -> Literal["note", "warning", "error"]:
    if code in ("tool-added", "cannot-tell"):
        return "warning"
    return "error" if "B" in verdict or code == "against-unreadable" else "note"


CHANGES: Mapping[str, Mapping[Audience, str]] = {
    code: dict(zip(AUDIENCES, row.verdict, strict=True)) for code, row in _TABLE.items()
}
"""The effect of a change on each audience: `B` breaks it, `N` is noticed, `-` none, `?` depends on the values."""

_OTHERS = (
    Code(
        "revision-unreadable",
        "error",
        "{problem}",
        None,
        "toolgen reads the old version from git's objects. It does not check out or fetch anything.",
        "Follow the hint, or compare with a folder instead: `--against-dir DIR`.",
    ),
    Code(
        "against-absent",
        "warning",
        "{revision} has no sources in {folder}, so nothing was compared",
        "if the folder has a new name, compare with a copy of the old one: --against-dir DIR",
        "A new project has no older version, so that no change breaks anything. A renamed folder looks the same.",
    ),
    Code(
        "accepted-unused",
        "note",
        "the accepted change {change} does not match any change",
        "remove the entry, or run `toolgen breaking --prune`",
        "An entry without a matching change has no effect and makes the file harder to review.",
    ),
    Code(
        "accepted-illegal",
        "error",
        "{path} is not a valid list of accepted changes: {problem}",
        "give each entry a `change`, the id that `toolgen breaking --format json` prints, and a `reason`",
        "Accepted changes are reviewed together with the change itself, so each entry states which change and why.",
    ),
)

_ADVICES = {
    "against-unreadable": "Compare with the right folder, or with a version that this release can build.",
    "cannot-tell": "Check stored conversations with --replay. If all of their calls fit, the change is probably harmless.",
}


def _advice(verdict: str) -> str:
    if {"B", "?"} & set(verdict):
        return "Keep the old behaviour beside the new one, or accept the change in accepted.yaml with a reason."
    return "The change breaks nothing, so nothing needs to be fixed. Check that it is what you want."


_CHANGED = (
    Code(code, _level(code, row.verdict), row.message, None, row.why, _ADVICES.get(code) or _advice(row.verdict))
    for code, row in _TABLE.items()
)

ROWS: tuple[Code, ...] = tuple(sorted((*_CHANGED, *_OTHERS), key=lambda row: row.id))
