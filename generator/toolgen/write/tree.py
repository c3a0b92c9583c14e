"""What stands in a folder: its leaves, links not followed, and which of them are litter of tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from toolgen.write import disk

Kind = Literal["file", "link", "folder", "other"]

_LITTER = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
_CACHE = "__pycache__"


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder's content, by path relative to it, with forward slashes.

    `leaves` holds everything but folders with content; a leaf of kind `folder` is empty. `folders` holds every
    folder, the empty ones too, parents first.
    """

    leaves: Mapping[str, Kind] = field(default_factory=dict[str, Kind])
    folders: tuple[str, ...] = ()


def scan(root: str) -> Tree:
    """Read the tree under `root`. A link to a folder is a leaf."""
    leaves: dict[str, Kind] = {}
    folders: list[str] = []
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        found = disk.entries(f"{root}/{folder}" if folder else root)
        if folder:
            folders.append(folder)
            if not found:
                leaves[folder] = "folder"
        for entry in found:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_symlink():
                leaves[path] = "link"
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            else:
                leaves[path] = "file" if entry.is_file(follow_symlinks=False) else "other"
    return Tree(dict(sorted(leaves.items())), tuple(sorted(folders)))


def is_litter(path: str) -> bool:
    """Whether Python or a file manager made this file and will make it again."""
    *folders, name = path.split("/")
    return name in _LITTER or name == _CACHE or (_CACHE in folders and ".pyc" in name)


def home(path: str) -> str:
    """The folder that litter belongs to: the nearest one that is no cache itself."""
    parts = path.split("/")[:-1]
    return "/".join(parts[: parts.index(_CACHE)] if _CACHE in parts else parts)


def parents(path: str) -> list[str]:
    """The folders that contain `path`, outermost first, without the root."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]
