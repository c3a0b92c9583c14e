"""Python names for any text. There is one function for each kind of name, and all printed names come from them."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection, Iterable

from toolgen.resolve.identifiers import DEVICES, ascii_words, class_name

MAX_FIELD = 60

_MODEL_ATTRIBUTES = frozenset(
    [
        "construct",
        "copy",
        "dict",
        "from_orm",
        "json",
        "parse_file",
        "parse_obj",
        "parse_raw",
        "schema",
        "schema_json",
        "update_forward_refs",
        "validate",
        "model_computed_fields",
        "model_config",
        "model_construct",
        "model_copy",
        "model_dump",
        "model_dump_json",
        "model_extra",
        "model_fields",
        "model_fields_set",
        "model_json_schema",
        "model_parametrized_name",
        "model_post_init",
        "model_rebuild",
        "model_validate",
        "model_validate_json",
        "model_validate_strings",
        "mro",
        "register",
    ]
)
"""Names that a field would hide in `BaseModel` or its metaclass. A test compares them with the installed pydantic."""

_ANNOTATION_WORDS = frozenset(["bool", "bytes", "dict", "float", "int", "list", "str", "tuple"])
"""Built-in names that annotations use. A field with such a name would hide the built-in."""

_PACKAGE_WORDS = frozenset(
    [
        "annotations",
        "definitions",
        "dispatch",
        "dispatch_all",
        "dispatch_sync",
        "handlers",
        "parse_arguments",
        "parse_call",
        "protocols",
    ]
)
"""Names of `generated.tools` that a module of the same name would replace when it is imported."""


class PythonName(str):
    """Return the name of a field: an ASCII identifier in lower case at the start that hides nothing of pydantic."""

    __slots__ = ()


class ClassName(str):
    """Return the name of a class: an ASCII identifier that starts with a capital letter."""

    __slots__ = ()


class ModuleName(str):
    """Return the name of a module below `generated.tools`: lower-case, and valid on every file system."""

    __slots__ = ()


def field_names(wires: Iterable[str]) -> dict[str, PythonName]:
    """Return distinct names for the properties of one object.

    A property that is a valid name keeps it, whatever the order. The others are written in the style of PEP 8, with a
    number if the name is already used.
    """
    order = list(dict.fromkeys(wires))
    names = {wire: PythonName(wire) for wire in order if _field_name(wire) == wire}
    taken = set(names.values())
    for wire in order:
        if wire not in names:
            names[wire] = _distinct(_field_name(wire), taken)
            taken.add(names[wire])
    return {wire: names[wire] for wire in order}


_WORD_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!s(?![a-z]))[a-z])")
"""The beginnings of words in `accountSid`, `HTTPServer` and `userIDs`."""


def _snake(text: str) -> str:
    """Return an ASCII text in snake case."""
    return _WORD_BREAK.sub("_", text).lower()


def _field_name(wire: str) -> str:
    plain = wire if wire.isascii() and wire.isidentifier() else "_".join(ascii_words(wire))
    name = _snake(plain)[:MAX_FIELD].strip("_")
    if not name:
        return "field"
    if name[0].isdigit():
        name = f"field_{name}"
    if name.startswith(("model_dump", "model_validate")):  # pydantic protects these prefixes
        return f"field_{name}"
    hidden = name in _MODEL_ATTRIBUTES or name in _ANNOTATION_WORDS
    return f"{name}_" if hidden or keyword.iskeyword(name) else name


def _distinct(name: str, taken: Iterable[str]) -> PythonName:
    """Return the name, or the name with the first number that makes it unique."""
    found, n = name, 1
    while found in taken:
        n += 1
        found = f"{name.rstrip('_')}_{n}"
    return PythonName(found)


def type_name(*texts: str, taken: Iterable[str] = ()) -> ClassName:
    """Return a class name made of texts that differs from the given ones."""
    name = class_name(*texts)
    found, n = name, 1
    while found in taken:
        n += 1
        found = f"{name}{n}"
    return ClassName(found)


GENERIC = frozenset(["extra", "item", "value"])
"""Steps that mean nothing without the step before them. Steps that end in a number do not either."""


def nested_class_name(stem: str, steps: tuple[str, ...], taken: Collection[str]) -> ClassName:
    """Return a class name for a schema inside another: `stem` and the last step, with more steps if it is already used.

    A step that starts with the stem is used without it.
    """
    for start in range(len(steps) - 1, -1, -1):
        if start and (steps[start] in GENERIC or steps[start][-1:].isdigit()):
            continue
        name = class_name(*steps[start:])
        name = ClassName(name if name.startswith(stem) else class_name(stem, *steps[start:]))
        if name not in taken:
            return name
    return type_name(stem, *steps, taken=taken)


_PLURALS = (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("s", ""))


def singularize(text: str) -> str | None:
    """Return the singular of a plural that ends in s, or None."""
    if len(text) < 4 or text.lower().endswith(("ss", "us", "is", "news", "series", "species")):
        return None
    for ending, instead in _PLURALS:
        if text.endswith(ending):
            return text.removesuffix(ending) + instead
    return None


def tool_class_name(tool: str) -> ClassName:
    """Return the start of the names of a tool's classes. It differs for tools that differ in letters and digits."""
    name = class_name(tool.replace("-", "_"))
    return ClassName("Tool" if name == "N" else f"Tool{name[1:]}" if _digit_first(tool) else name)


def _digit_first(tool: str) -> bool:
    return tool.lstrip("_-")[:1].isdigit()


_KEPT = DEVICES | _PACKAGE_WORDS | {"conftest", "sitecustomize", "usercustomize"}
"""Names that no tool's module may have, because pytest and Python import modules with the last three anywhere."""


def module_name(tool: str) -> ModuleName:
    """Return the name of a tool's module.

    Only case, dashes and underscores are changed, so tools with distinct names have distinct modules.
    """
    name = _snake(tool.replace("-", "_")).strip("_") or "_"
    if name[0].isdigit():
        name = f"_{name}"
    if keyword.iskeyword(name) or keyword.iskeyword(name.capitalize()) or name in _KEPT:
        name = f"{name}_"
    return ModuleName(name)
