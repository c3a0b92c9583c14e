"""Which names fall together once they are Python: the one comparison that collisions are judged by."""

from __future__ import annotations

import re
import unicodedata

_WORDS = re.compile(r"[A-Za-z0-9]+")

_TAKEN = frozenset(
    [
        "Annotated",
        "Any",
        "BaseModel",
        "ConfigDict",
        "Exact",
        "Field",
        "Final",
        "Integer",
        "Literal",
        "Mapping",
        "Number",
        "Omittable",
        "StrictBool",
        "StrictStr",
        "ToolDefinition",
        "TypeAdapter",
        "TypeAlias",
        "TypeVar",
        "Union",
        "Optional",
        "False",
        "None",
        "True",
    ]
)
"""Class-like names that a generated module uses itself."""


DEVICES = frozenset(
    ["aux", "clock$", "con", "conin$", "conout$", "nul", "prn"]
    + [f"{port}{n}" for port in ("com", "lpt") for n in range(10)]
)
"""Names that Windows keeps for devices, with any extension."""


def fold(name: str) -> str:
    """What is left of a name on a disk and in a language that overlook case, dashes and underscores."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def ascii_words(text: str) -> list[str]:
    """The words of a text in ASCII: accents are dropped, any other character becomes `u` and its number."""
    plain = "".join(
        c if c.isascii() else f" u{ord(c):x} "
        for c in unicodedata.normalize("NFKD", text)
        if not unicodedata.combining(c)
    )
    return _WORDS.findall(plain)


def class_name(*texts: str, limit: int = 80) -> str:
    """A class name in ASCII made of texts: each word begins with a capital and is else kept as it is."""
    words = [word for text in texts for word in ascii_words(text)]
    name = "".join(word[0].upper() + word[1:] for word in words)[:limit]
    if not name or name[0].isdigit():
        name = f"N{name}"
    return f"{name}Type" if name in _TAKEN else name
