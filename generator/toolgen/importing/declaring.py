"""Imported tools and types as documents that a build could have read, each value at its place in the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.importing.tool import ImportedTool, ImportedType, Moved
from toolgen.load import Document, Pointer
from toolgen.load.report import Place
from toolgen.plan.names import module_name

_STRICT = {True: "always", False: "never"}


def declared(name: str, tool: ImportedTool, document: Document) -> Document:
    """The declaration of a tool under a legal name, with the keys in the order that declarations have them.

    Its source is the file that it is going to be, its path and places are those of the file it came from.
    """
    providers: dict[str, dict[str, Any]] = {tool.sources[0]: dict(tool.patch)} if tool.patch else {}
    if name != tool.name and tool.name:
        for source in tool.sources:
            providers[source] = {"name": tool.name, **providers.get(source, {})}
    value = {
        "name": name,
        "description": tool.description,
        "parameters": tool.parameters,
        "result": tool.result,
        "strict": None if tool.strict is None else _STRICT[tool.strict],
        "risk": tool.risk,
        "aliases": None if tool.aliases is None else list(tool.aliases),
        "display_name": tool.display_name,
        "deprecated": tool.deprecated,
        "annotations": tool.annotations,
        "providers": providers or None,
    }
    # As a declaration that stands in no file of its own: nothing else can refer to it.
    kept = {key: item for key, item in value.items() if item is not None}
    return _document(f"tools/{module_name(name)}.yaml", 1, kept, {(): tool.at, **tool.moved}, document)


def declared_type(type: ImportedType, document: Document) -> Document:
    """The file of a shared schema, with the places of the file it came from."""
    return _document(f"types/{type.stem}.yaml", 0, type.schema, {(): type.at}, document)


def _document(source: str, index: int, value: Any, moved: Moved, document: Document) -> Document:
    return Document(
        path=document.path,
        source=source,
        index=index,
        value=value,
        values=_Moved(document.values, moved),
        keys=_Moved(document.keys, moved),
    )


@dataclass(frozen=True, slots=True)
class _Moved(Mapping[Pointer, Place]):
    """Places of a file under the pointers of a declaration. Nothing is copied: a file may hold thousands of tools."""

    places: Mapping[Pointer, Place] = field(repr=False)
    moved: Moved

    def __getitem__(self, pointer: Pointer) -> Place:
        end = next(end for end in range(len(pointer), -1, -1) if pointer[:end] in self.moved)
        return self.places[self.moved[pointer[:end]] + pointer[end:]]

    def __iter__(self) -> Iterator[Pointer]:
        raise NotImplementedError("places are looked up, never listed")

    def __len__(self) -> int:
        return len(self.places)
