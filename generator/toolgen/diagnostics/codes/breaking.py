"""Codes of changes between two states of a project: what each breaks, for handlers, the model and stored conversations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from toolgen.diagnostics.codes.code import Code

Audience = Literal["handlers", "model", "conversations"]

AUDIENCES: tuple[Audience, ...] = ("handlers", "model", "conversations")


class _Row(NamedTuple):
    """A change: what it does to each audience (`B` breaks, `N` is noticed, `-` nothing), and what is said of it."""

    verdict: str
    message: str
    why: str


_T = "{tool}: "
_W = "{tool} {where}: "

_TABLE: Mapping[str, _Row] = {
    "tool-added": _Row(
        "BN-", _T + "the tool is new", "Handlers gains a method, which an app has to have before it type-checks."
    ),
    "tool-removed": _Row(
        "BBB",
        _T + "the tool is gone",
        "A model that calls it and a stored call that waits get an error; its classes cannot be imported.",
    ),
    "tool-renamed": _Row(
        "BBB",
        _T + "the tool was called {before}",
        "The old name answers no call. Keep it as an alias: then calls in text, native and stored still run.",
    ),
    "alias-added": _Row("---", _T + "the alias {after} is new", "A call by that name runs the tool from now on."),
    "alias-removed": _Row("-BB", _T + "the alias {before} is gone", "A call by that name is unknown from now on."),
    "alias-moved": _Row(
        "-BB", _T + "the alias {after} was one of {before}", "An old call by that name would run another tool."
    ),
    "tool-moved": _Row("---", _T + "the declaration was in {before}", "The package does not change by it."),
    "description-changed": _Row(
        "-N-", _W + "the description changed", "The model reads another text, and may call otherwise."
    ),
    "display-name-changed": _Row(
        "N--", _T + "the display name changed", "People see another name for the tool in user interfaces."
    ),
    "deprecated-set": _Row("NN-", _T + "the tool is deprecated", "A run offers it no longer unless it is asked for."),
    "deprecated-unset": _Row(
        "-N-", _T + "the tool is deprecated no longer", "A run offers the tool again without being asked for it."
    ),
    "risk-raised": _Row("N--", _T + "the risk is high now", "Calls are reviewed, and run one by one."),
    "risk-lowered": _Row(
        "B-B",
        _T + "the risk is low now",
        "Calls run side by side and without a review; handlers must bear that, and so must calls that wait.",
    ),
    "hint-relaxed": _Row(
        "-B-",
        _T + "the annotation {where} promises less harm than before",
        "A client may skip a question that it asked before.",
    ),
    "annotations-changed": _Row(
        "-N-", _T + "the annotations changed", "Clients of MCP see other hints than they saw before."
    ),
    "examples-changed": _Row("-N-", _T + "the examples changed", "The model may be shown other examples than before."),
    "provider-added": _Row("-N-", "the provider {after} is new", "The package has a module more."),
    "provider-removed": _Row(
        "BBB",
        "the provider {before} is gone",
        "Its module cannot be imported, and stored bodies of its wire cannot be read.",
    ),
    "unsupported-added": _Row(
        "BB-",
        _T + "{after} does not get the tool any more",
        "The provider's ToolName shrinks, and its model cannot call the tool.",
    ),
    "unsupported-removed": _Row(
        "-N-", _T + "{before} gets the tool now", "Its model may call the tool, which it could not before."
    ),
    "wire-name-changed": _Row(
        "-BB",
        _T + "the name on {where} was {before}",
        "Stored bodies of that wire have the old name, which no tool answers.",
    ),
    "wire-description-changed": _Row(
        "-N-", _T + "the description on {where} changed", "That model reads another text, and may call otherwise."
    ),
    "provider-patch-changed": _Row(
        "-N-", _T + "what is patched for {where} changed", "That provider gets another payload than it got before."
    ),
    "strict-lost": _Row(
        "-B-",
        _T + "{where} does not hold the model to the schema any more",
        "Calls may come that do not fit the schema.",
    ),
    "strict-gained": _Row(
        "-N-", _T + "{where} holds the model to the schema now", "Calls that do not fit the schema come no more."
    ),
    "portability-worse": _Row(
        "-B-",
        _T + "{where} loses {after} now",
        "The provider's model is not told a rule, or is told it in words alone.",
    ),
    "portability-better": _Row(
        "-N-", _T + "{where} loses {before} no more", "The provider's model is told more than it was before."
    ),
    "payload-changed": _Row(
        "-N-",
        "the payload of {where} changed: {after}",
        "Prompt caches begin with the tools: what follows the first difference is read anew.",
    ),
    "parameter-added": _Row("-N-", _W + "the optional parameter is new", "A call may have one value more."),
    "required-parameter-added": _Row(
        "-BB",
        _W + "the required parameter is new",
        "A call without it is refused, and so is one that waits. Make it optional, or give it a default in the handler.",
    ),
    "parameter-removed": _Row(
        "B??", _W + "the parameter is gone", "The attribute is gone; a closed object refuses calls that have it."
    ),
    "parameter-renamed": _Row(
        "BBB",
        _W + "the parameter was called {before}",
        "The attribute has another name, and a call with the old one does not say what was meant.",
    ),
    "parameter-became-optional": _Row(
        "BN-", _W + "the parameter is optional now", "A handler may get None where it got a value before."
    ),
    "parameter-became-required": _Row("-BB", _W + "the parameter is required now", "A call without it is refused."),
    "type-widened": _Row(
        "BN-", _W + "the type was {before} and is {after}", "A handler gets values that its code excluded."
    ),
    "type-narrowed": _Row(
        "-BB", _W + "the type was {before} and is {after}", "Calls that fitted before are refused from now on."
    ),
    "type-changed": _Row(
        "BBB",
        _W + "the type was {before} and is {after}",
        "Calls that fitted are refused, and handlers get values that their code excluded.",
    ),
    "enum-value-added": _Row("BN-", _W + "values were added: {after}", "A handler's match is no longer exhaustive."),
    "enum-value-removed": _Row(
        "NBB", _W + "values were removed: {before}", "Calls with one of these values are refused from now on."
    ),
    "enum-set": _Row(
        "-BB", _W + "only listed values are taken now", "Calls with any other value are refused from now on."
    ),
    "enum-unset": _Row("BN-", _W + "any value is taken now", "A handler gets values that its code excluded."),
    "enum-reordered": _Row(
        "-N-", _W + "the values stand in another order", "The payload changes, and with it what prompt caches hold."
    ),
    "const-changed": _Row(
        "BBB", _W + "the constant was {before} and is {after}", "Calls with the old constant are refused from now on."
    ),
    "null-admitted": _Row("BN-", _W + "null is taken now", "A handler may get None where it got a value before."),
    "null-refused": _Row(
        "-BB", _W + "null is refused now", "Calls with null are refused, but where the parameter is optional."
    ),
    "default-added": _Row("NNN", _W + "the default {after} is new", "A call without the value means this one."),
    "default-removed": _Row(
        "BNN", _W + "the default {before} is gone", "A handler may get None where it got a value before."
    ),
    "default-changed": _Row(
        "NNN", _W + "the default was {before} and is {after}", "A call without the value means another one."
    ),
    "bound-tightened": _Row(
        "-BB", _W + "the bound was {before} and is {after}", "Calls beyond the bound are refused from now on."
    ),
    "bound-loosened": _Row(
        "NN-", _W + "the bound was {before} and is {after}", "Values come that did not come before; no type says so."
    ),
    "pattern-set": _Row("-BB", _W + "the pattern {after} is new", "Texts that do not match are refused."),
    "pattern-unset": _Row("NN-", _W + "the pattern {before} is gone", "Texts come that the pattern kept out before."),
    "pattern-changed": _Row(
        "-??",
        _W + "the pattern was {before} and is {after}",
        "Patterns are not compared as languages: a text decides, where one is found.",
    ),
    "format-changed": _Row("BN?", _W + "the format was {before} and is {after}", "The Python type may be another one."),
    "object-closed": _Row("-BB", _W + "further properties are refused now", "Calls that have some are refused."),
    "object-opened": _Row("NN-", _W + "further properties are taken now", "Arguments may have more than is declared."),
    "branch-added": _Row("BN-", _W + "an alternative is new", "A handler gets values that its code excluded."),
    "branch-removed": _Row("NBB", _W + "an alternative is gone", "Calls that chose it are refused."),
    "condition-changed": _Row(
        "-??",
        _W + "the condition changed",
        "Whether calls are refused that fitted is decided by values, where one is found.",
    ),
    "result-set": _Row(
        "BNN", _T + "the result has a schema now", "What handlers return is checked against it from now on."
    ),
    "result-unset": _Row(
        "BN-", _T + "the result has no schema any more", "The class of the result is gone, and nothing is checked."
    ),
    "result-narrowed": _Row(
        "BNB", _T + "the result takes less than before", "A value that a handler returns, or a stored one, may not fit."
    ),
    "result-widened": _Row(
        "-N-",
        _T + "the result takes more than before",
        "Readers of results may meet values that they did not meet before.",
    ),
    "result-changed": _Row(
        "BNB", _T + "the result is another one", "A value that a handler returns, or a stored one, may not fit."
    ),
    "composition-rewritten": _Row(
        "-N-",
        _T + "the parameters say the same values in other words",
        "The payload differs, and what it admits does not.",
    ),
    "branches-overlap": _Row(
        "-??",
        _W + "values fit two alternatives of oneOf now",
        "oneOf refuses a value that fits more than one of its alternatives.",
    ),
    "spelling-changed": _Row(
        "-NB",
        _T + "{where} spells the same values otherwise",
        "Stored bodies of that wire have the old spelling, and are read by the new one.",
    ),
    "limit-changed": _Row("-N-", "{where} was {before} and is {after}", "What is offered or warned of may be another."),
    "wire-default-changed": _Row(
        "-N-", "the default {where} was {before} and is {after}", "Requests that state no value send another one."
    ),
    "profile-changed": _Row(
        "-NN", "the fact {where} changed", "What the provider is sent, and how its answers are read, may differ."
    ),
    "format-field-added": _Row(
        "---", "the format has a new field, {where}", "It is optional, so that stored values and code go on as before."
    ),
    "format-field-removed": _Row(
        "B-N",
        "the field {where} of the format is gone",
        "Code that reads it fails; in stored values it is kept in the metadata, as unknown.",
    ),
    "format-field-changed": _Row(
        "B-B", "the schema of the format's field {where} changed", "Stored values that have it may not load any more."
    ),
    "public-name-removed": _Row(
        "B--",
        "{where} is gone from the package",
        "Code that imports it fails. Another name may have been made of the sources.",
    ),
    "out-moved": _Row("B--", "the package was written to {before}", "Its import path is another one."),
    "edition-changed": _Row("NN-", "the edition was {before} and is {after}", "Names and payloads may change with it."),
    "cannot-tell": _Row(
        "???",
        _W + "whether this refuses calls that fitted cannot be told",
        "There is no proof that it refuses none, and no value that shows it. --replay asks your own conversations.",
    ),
    "against-unreadable": _Row(
        "???",
        "{where} could not be read as it was: {before}",
        "The old side has a fault that this release refuses; it is compared no further.",
    ),
}


def _level(code: str, verdict: str) -> Literal["note", "warning", "error"]:
    if code in ("tool-added", "cannot-tell", "against-unreadable"):
        return "warning"
    return "error" if "B" in verdict else "note"


CHANGES: Mapping[str, Mapping[Audience, str]] = {
    code: dict(zip(AUDIENCES, row.verdict, strict=True)) for code, row in _TABLE.items()
}
"""What a change does to each audience: `B` breaks it, `N` is noticed, `-` nothing, `?` as values decide."""

_OTHERS = (
    Code(
        "revision-unreadable",
        "error",
        "{problem}",
        None,
        "The old side of the comparison is read out of git's objects; nothing is checked out or fetched.",
        "Do what the hint says, or compare with a folder: `--against-dir DIR`.",
    ),
    Code(
        "accepted-unused",
        "note",
        "the accepted change {change} is not among the changes",
        "remove the entry, or run `toolgen breaking --prune`",
        "An entry that matches nothing hides nothing, and makes the file hard to review.",
    ),
    Code(
        "accepted-illegal",
        "error",
        "{path} is not a list of accepted changes: {problem}",
        "each entry has `change`, the id that `toolgen breaking --format json` prints, and `reason`",
        "What is accepted is reviewed with the change itself, so each entry says which change and why.",
    ),
    Code(
        "replay-refused",
        "error",
        "{tool} {where}: {count} stored calls do not fit",
        "keep what they have in the schema, or migrate the conversations",
        "The calls of stored conversations were held to the new schemas; their content is not shown.",
    ),
    Code(
        "replay-respelled",
        "note",
        "{tool}: {count} stored calls are read through {what}",
        "keep the alias, or the way in which the value is read, as long as they are stored",
        "A call may name a tool by an alias, or have a value in other words that can only mean one thing; it still runs.",
    ),
    Code(
        "replay-unread",
        "warning",
        "{count} stored values cannot be read",
        "name the format that they are in with --provider; without it they are what `dump` of the package gave",
        "What cannot be read is held against nothing, so nothing is known of its calls.",
    ),
    Code(
        "replay-unknown",
        "error",
        "{tool}: {count} stored calls name a tool that is not there",
        "keep the name as an alias",
        "The calls of stored conversations were looked up among the new tools.",
    ),
)

ROWS: tuple[Code, ...] = tuple(
    sorted(
        (
            *(
                Code(
                    code,
                    _level(code, row.verdict),
                    row.message,
                    None,
                    row.why,
                    "Keep the old meaning beside the new one, or accept the change in accepted.yaml with a reason.",
                )
                for code, row in _TABLE.items()
            ),
            *_OTHERS,
        ),
        key=lambda row: row.id,
    )
)
