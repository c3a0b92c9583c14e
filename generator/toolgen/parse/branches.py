"""Which branch of an `anyOf` or `oneOf` a value was meant for."""

from __future__ import annotations

from collections import defaultdict

from jsonschema.exceptions import ValidationError

from toolgen.parse.keys import words


def root_types(error: ValidationError) -> list[str]:
    """Return the types that the branches take, where every branch refuses the value by its type alone."""
    types: dict[str, None] = {}
    for branch in _branches(error):
        refused = [e for e in branch if e.validator == "type" and not e.relative_path]
        if not refused:
            return []
        types.update(dict.fromkeys(words(refused[0].validator_value)))
    return list(types)


def best_branch(error: ValidationError) -> list[ValidationError]:
    """Return the errors of the branch that fits best.

    That is one whose type is right, then one whose marks (a constant or an enumerated word, directly or in a key)
    are right, then the one with the fewest errors, then the first.
    """
    return min(_branches(error), key=_misfit)


def _branches(error: ValidationError) -> list[list[ValidationError]]:
    found: defaultdict[str | int, list[ValidationError]] = defaultdict(list)
    for inner in error.context or ():
        found[inner.relative_schema_path[0]].append(inner)
    return list(found.values())


def _misfit(branch: list[ValidationError]) -> tuple[bool, bool, int]:
    wrong_type = any(e.validator == "type" and not e.relative_path for e in branch)
    wrong_mark = any(e.validator in ("const", "enum") and len(e.relative_path) <= 1 for e in branch)
    return wrong_type, wrong_mark, len(branch)
