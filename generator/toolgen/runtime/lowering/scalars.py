"""Values that a schema lists: `enum` and `const`, as texts where a dialect has texts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..json_texts.text import compact, same
from .describing import sentence
from .records import Table, Way
from .words import kind_of

if TYPE_CHECKING:
    from .engine import Run

__all__ = ["lower_values", "texts_of"]


def lower_values(
    run: Run, said: dict[str, Any], way: Way, kinds: tuple[str, ...], out: dict[str, Any], sentences: list[str]
) -> tuple[Table | None, bool]:
    """Lower the values that a schema lists, and say whether there is one.

    Where they go as texts, the type of the wire's schema is that of texts.
    """
    listed = said.get("enum")
    if "const" in said:
        values = [said["const"]]
        if type(listed) is list and not any(same(item, said["const"]) for item in listed):
            return None, False
    elif type(listed) is list:
        values = listed
    else:
        return None, True
    values = [value for value in values if not kinds or _is_of(value, kinds)]
    if not values:
        return None, False
    mixed = len(kinds) > 1 and not run.dialect.takes("anyOf")
    if run.dialect.enum != "any" and (mixed or not all(_goes_as_it_is(value, run.dialect.enum) for value in values)):
        run.note(way, "const" if "const" in said else "enum", "rewritten", "its values go as texts")
        texts = texts_of(values)
        out["type"] = "string"
        _put(run, texts, way, out, sentences)
        return {"texts": values, "said": texts}, True
    if "const" in said and run.dialect.takes("const"):
        out["const"] = said["const"]
        return None, True
    if "const" in said:
        run.note(way, "const", "rewritten", "a list of one value stands for it")
    _put(run, values, way, out, sentences)
    return None, True


def _put(run: Run, values: list[Any], way: Way, out: dict[str, Any], sentences: list[str]) -> None:
    if run.dialect.takes("enum"):
        out["enum"] = values
        if run.dialect.enum == "texts" and run.dialect.takes_format("string", "enum") and run.dialect.formats:
            out["format"] = "enum"
        return
    text = sentence("enum", values)
    if text and run.says(way):
        sentences.append(text)
    action = "described" if text and run.says(way) else "dropped"
    run.note(way, "enum", action, run.reason("enum"), checked="parse_arguments")


def _is_of(value: Any, kinds: tuple[str, ...]) -> bool:
    kind = kind_of(value)
    return kind in kinds or (kind == "integer" and "number" in kinds)


def _goes_as_it_is(value: Any, rule: str) -> bool:
    if rule == "scalars":
        return type(value) not in (dict, list)
    return type(value) is str or (rule == "numbers" and type(value) in (int, float))


def texts_of(values: list[Any]) -> list[str]:
    """One text for each value, no two alike."""
    found: list[str] = []
    taken = {value for value in values if type(value) is str}
    for value in values:
        if type(value) is str:
            found.append(value)
            continue
        text = compact(value)
        if text in taken:
            text = f"{text} ({kind_of(value)})"
        while text in taken:
            text += "_"
        taken.add(text)
        found.append(text)
    return found
