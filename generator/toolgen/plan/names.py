"""Python names made from any text, with one function for each kind of name. Every printed name comes from one."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Collection, Container, Iterable
from functools import lru_cache
from itertools import pairwise

from toolgen.resolve.identifiers import DEVICES, class_name, distinct_name, identifier_words, is_readable_identifier

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
"""Names that a field would hide in `BaseModel` or its metaclass. A test compares this with the installed pydantic."""

_ANNOTATION_WORDS = frozenset(["bool", "bytes", "dict", "float", "int", "list", "str", "tuple"])
"""Built-in names that annotations use, and that a field of the same name would hide."""

_PACKAGE_WORDS = frozenset(
    [
        "annotations",
        "check_handlers",
        "definitions",
        "dispatch",
        "dispatch_all",
        "dispatch_sync",
        "dispatcher",
        "parse_arguments",
        "parse_call",
    ]
)
"""Names of `generated.tools` that a module of the same name would replace once it is imported."""


class FieldName(str):
    """The name of a field: an identifier that hides no name of pydantic, and does not begin with a capital."""

    __slots__ = ()


class ClassName(str):
    """The name of a class: an identifier that begins with a capital if its script has capitals."""

    __slots__ = ()


class ModuleName(str):
    """The name of a module below `generated.tools`: lower-case, and valid on every file system."""

    __slots__ = ()


def field_names(wires: Iterable[str]) -> dict[str, FieldName]:
    """Return distinct names for the properties of one object.

    A property whose own name is a valid field name keeps it, in any order. The others are written as PEP 8 demands, and
    get a number if their name is taken.
    """
    properties = list(dict.fromkeys(wires))
    names = {wire: FieldName(wire) for wire in properties if _field_name(wire) == wire}
    used = set(names.values())
    for wire in properties:
        if wire not in names:
            names[wire] = _distinct(_field_name(wire), used)
            used.add(names[wire])
    return {wire: names[wire] for wire in properties}


_WORD_BREAK = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!s(?![a-z]))[a-z])")
"""Matches the start of a word, as in `accountSid`, `HTTPServer` and `userIDs`."""


def _snake(text: str) -> str:
    """Return a text in snake case."""
    shapes = "".join(c if c.isascii() else "A" if c.isupper() else "a" for c in text)
    starts = [0, *(match.start() for match in _WORD_BREAK.finditer(shapes)), len(text)]
    return "_".join(text[start:end] for start, end in pairwise(starts)).lower()


def _field_name(wire: str) -> str:
    """Return the name of the field for a property, which may be that of another one too."""
    normal = unicodedata.normalize("NFKC", wire)
    plain = normal if is_readable_identifier(normal) else "_".join(identifier_words(normal))
    name = unicodedata.normalize("NFKC", _snake(plain)[:MAX_FIELD].strip("_"))
    if not name:
        return "field"
    if not name.isidentifier():
        name = f"field_{name}"
    if name.startswith(("model_dump", "model_validate")):  # pydantic protects these prefixes
        return f"field_{name}"
    hidden = name in _MODEL_ATTRIBUTES or name in _ANNOTATION_WORDS
    return f"{name}_" if hidden or keyword.iskeyword(name) else name


def _distinct(name: str, used: Container[str]) -> FieldName:
    """Return the name, or the name with the first number that makes it unique."""
    return FieldName(distinct_name(name, used, lambda n: f"{name.rstrip('_')}_{n}"))


def type_name(*texts: str, used: Container[str] = ()) -> ClassName:
    """Return a class name made of texts that differs from all used ones."""
    name = class_name(*texts, words_of=identifier_words)
    return ClassName(distinct_name(name, used, lambda n: f"{name}{n}"))


GENERIC = frozenset(["extra", "item", "value"])
"""Steps to the parts of any array or object, which say nothing about the content."""


def nested_class_name(stem: str, steps: tuple[str, ...], used: Collection[str]) -> ClassName:
    """Return an unused class name for a nested schema: `stem` and as few of the last steps to the schema as possible.

    The name has no second stem if the steps begin with it. It gets a number if even the name with all steps is used.
    """
    for start in reversed(range(len(steps))):
        if start > 0 and _needs_step_before(steps[start]):
            continue
        name_of_steps = class_name(*steps[start:], words_of=identifier_words)
        has_stem = name_of_steps.startswith(stem)
        name = name_of_steps if has_stem else class_name(stem, *steps[start:], words_of=identifier_words)
        if name not in used:
            return ClassName(name)
    return type_name(stem, *steps, used=used)


def _needs_step_before(step: str) -> bool:
    """Return whether a step is meaningless in a class name without the one before it, such as `item` or `item2`."""
    return step in GENERIC or step[-1:].isdigit()


@lru_cache(maxsize=8192)
def natural_key(name: str) -> tuple[int, list[tuple[int, str]]]:
    """Return the sort key of names where linters check the order: constants, classes, others; numbers by value."""
    # Every second part is a number, because the parts are split at numbers.
    parts = re.split(r"(\d+)", name)
    part_keys = [_number_key(part) if i % 2 else (0, part) for i, part in enumerate(parts)]
    if name.isupper() and len(name) > 1:
        return 0, part_keys
    return 1 if name[:1].isupper() else 2, part_keys


def import_key(name: str) -> tuple[int, list[tuple[int, str]], list[tuple[int, str]]]:
    """Return the sort key of a name in an import statement: as `natural_key`, but case counts only between equal names."""
    group, parts = natural_key(name)
    return group, natural_key(name.lower())[1], parts


def _number_key(digits: str) -> tuple[int, str]:
    """Return the sort key of a number in a name: one with a leading zero is a text, and before all others."""
    return (0, digits) if digits[0] == "0" else (int(digits), "")


_PLURALS = (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("s", ""))


def singularize(text: str) -> str | None:
    """Return the singular of a plural that ends in s; None for any other word."""
    if len(text) < 4 or text.lower().endswith(("ss", "us", "is", "news", "series", "species")):
        return None
    for ending, instead in _PLURALS:
        if text.endswith(ending):
            return text.removesuffix(ending) + instead
    return None


def tool_class_stem(tool: str) -> ClassName:
    """Return the prefix of a tool's class names. Valid tool names that differ in letters or digits differ here too."""
    name = class_name(tool.replace("-", "_"))
    if name == "N":
        return ClassName("Tool")
    starts_with_digit = tool.lstrip("_-")[:1].isdigit()
    return ClassName(f"Tool{name[1:]}" if starts_with_digit else name)


_RESERVED = DEVICES | _PACKAGE_WORDS | {"conftest", "sitecustomize", "usercustomize"}
"""Names that no module of a tool may have: pytest and Python run modules with the last three wherever they are."""


def module_name(tool: str) -> ModuleName:
    """Return the name of a tool's module.

    Only case, dashes and underscores change, so tools whose names differ in more have different modules.
    """
    name = _snake(tool.replace("-", "_")).strip("_") or "_"
    if name[0].isdigit():
        name = f"_{name}"
    if keyword.iskeyword(name) or keyword.iskeyword(name.capitalize()) or name in _RESERVED:
        name = f"{name}_"
    return ModuleName(name)
