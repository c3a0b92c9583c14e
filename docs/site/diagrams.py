"""Diagrams of the stages and of the neutral format, as SVG that follows the reader's colours. They are made of the code.

    python docs/site/diagrams.py

writes them into docs/images; a test holds them to what they are made of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import yaml

from toolgen import pipeline

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs/images"

STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1b1f24; }
  .name { font-weight: 600; }
  .soft { fill: #57606a; font-size: 12px; }
  rect { fill: #f6f8fa; stroke: #8c959f; }
  path { fill: none; stroke: #0a58ca; stroke-width: 1.3; }
  #arrow path { fill: #0a58ca; stroke: none; }
  .back { fill: #ffffff; stroke: none; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .soft { fill: #9da7b3; } rect { fill: #161b22; stroke: #6e7681; }
    path { stroke: #6cb6ff; } #arrow path { fill: #6cb6ff; } .back { fill: #0d1117; }
  }
"""

LINE, LETTER, BOLD = 19, 6.5, 8.2
"""Pixels of a line, and of a letter of the two kinds, as wide as fonts have them."""


@dataclass
class Box:
    """A box with a title and lines below it, and where it stands."""

    title: str
    lines: list[str] = field(default_factory=list)
    to: list[str] = field(default_factory=list)
    x: float = 0
    y: float = 0

    @property
    def width(self) -> float:
        """Wide enough for its lines."""
        return round(max(BOLD * len(self.title), *(LETTER * len(text) for text in self.lines)) + 24)

    @property
    def height(self) -> float:
        """High enough for its lines."""
        return LINE * (1 + len(self.lines)) + 14

    def svg(self) -> Iterator[str]:
        """Its shapes."""
        yield f'<rect x="{self.x:g}" y="{self.y:g}" width="{self.width:g}" height="{self.height:g}" rx="6"/>'
        for number, text in enumerate((self.title, *self.lines)):
            kind = "soft" if number else "name"
            y = self.y + LINE * (number + 1)
            yield f'<text class="{kind}" x="{self.x + 12:g}" y="{y:g}">{escape(text)}</text>'


def document(title: str, boxes: Mapping[str, Box]) -> str:
    """An SVG with boxes, and an arrow from each to those that it leads to."""
    shapes = []
    for box in boxes.values():
        for name in box.to:
            other = boxes[name]
            if other.x == box.x:
                x = box.x + 40
                shapes.append(f'<path d="M{x:g},{box.y + box.height:g} V{other.y - 2:g}" marker-end="url(#arrow)"/>')
            elif other.x > box.x:
                start = (box.x + box.width, box.y + LINE / 2 + 4)
                end = (other.x - 3, other.y + LINE / 2 + 4)
                bend = (start[0] + end[0]) / 2
                shapes.append(
                    f'<path d="M{start[0]:g},{start[1]:g} C{bend:g},{start[1]:g} {bend:g},{end[1]:g} '
                    f'{end[0]:g},{end[1]:g}" marker-end="url(#arrow)"/>'
                )
    shapes += [line for box in boxes.values() for line in box.svg()]
    width = max(box.x + box.width for box in boxes.values()) + 12
    height = max(box.y + box.height for box in boxes.values()) + 12
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" aria-label="{escape(title)}">\n<title>{escape(title)}</title>\n<style>{STYLE}</style>\n'
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z"/></marker></defs>\n'
        f'<rect class="back" width="{width:g}" height="{height:g}"/>\n' + "\n".join(shapes) + "\n</svg>\n"
    )


def stages() -> str:
    """The stages of a build, as the module says them that runs them: what each gets, what it gives, and what that is."""
    found = re.findall(r"^(\w+) +(\S+) -> (.+?) {2,}(.+)$", pipeline.__doc__ or "", re.MULTILINE)
    boxes = {name: Box(name, [f"{given} → {made}", about]) for name, given, made, about in found}
    names = [*boxes]
    y = 12.0
    for number, box in enumerate(boxes.values()):
        box.x, box.y = 12, y
        y += box.height + 24
        box.to = names[number + 1 : number + 2]
    return document("The stages of a build", boxes)


SHOWN = ("completion", "content", "message", "request", "tool")
"""The files of the format that are drawn; the others are reports, and events of one app."""

LEFT_OUT = ("type", "role", "metadata", "cache")
"""Fields that many classes have, and that lead nowhere."""

ROOTS = ("Request", "Completion", "StreamEvent")


def neutral_format() -> str:
    """The classes of the neutral format that refer to others, and what each of their fields leads to."""
    definitions: dict[str, Any] = {}
    for name in SHOWN:
        definitions |= yaml.safe_load((ROOT / f"schemas/format/{name}.yaml").read_text("utf-8"))["$defs"]
    unions = {part: name for name in definitions for part, _ in parts(name, definitions) if part}
    boxes: dict[str, Box] = {}
    waiting = [*ROOTS]
    while waiting:
        name = waiting.pop(0)
        if name in boxes:
            continue
        box = boxes[name] = Box(name)
        lines: dict[str, list[str]] = {}
        for part, schema in parts(name, definitions):
            fields = [key for key in schema.get("properties", {}) if key not in LEFT_OUT]
            lines.setdefault(re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", ", ".join(fields)), []).append(part)
            targets = [unions.get(each, each) for each in references(schema) if each not in ("Metadata", "OpaquePart")]
            box.to += [each for each in targets if each in definitions and each not in (name, *box.to)]
        for shown, names in lines.items():
            box.lines += wrapped(f"{', '.join(names)}: {shown}" if names != [""] else shown)
        waiting += box.to
    place(boxes)
    return document("The neutral format", boxes)


def parts(name: str, definitions: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """A class itself, without a name, or the alternatives of a union."""
    schema = definitions[name]
    branches = [ref for branch in schema.get("oneOf", schema.get("anyOf", ())) for ref in references(branch)]
    if not branches:
        yield "", schema
    for branch in branches:
        yield branch, definitions[branch]


def references(schema: Any) -> Iterator[str]:
    """The names of what a schema refers to."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield str(schema["$ref"]).rpartition("/")[2]
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def wrapped(text: str, most: int = 34) -> list[str]:
    """A text on lines of a box."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + len(word) >= most:
            lines.append("  ")
        lines[-1] += f"{' ' if lines[-1].strip() else ''}{word}"
    return lines


def place(boxes: Mapping[str, Box]) -> None:
    """Put each box to the right of all that lead to it, those of one column below each other."""
    depth = dict.fromkeys(boxes, 0)
    for _ in boxes:
        for name, box in boxes.items():
            for other in box.to:
                if not leads_to(boxes, other, name):
                    depth[other] = max(depth[other], depth[name] + 1)
    x = 12.0
    for column in range(max(depth.values()) + 1):
        there = [box for name, box in boxes.items() if depth[name] == column]
        y = 12.0
        for box in there:
            box.x, box.y = x, y
            y += box.height + 18
        x += max(box.width for box in there) + 44


def leads_to(boxes: Mapping[str, Box], name: str, target: str) -> bool:
    """Whether a box leads to another one, over any others."""
    seen, waiting = set[str](), [name]
    while waiting:
        each = waiting.pop()
        if each == target:
            return True
        if each not in seen:
            seen.add(each)
            waiting += boxes[each].to
    return False


DIAGRAMS = {"stages.svg": stages, "format.svg": neutral_format}
"""What makes each of them, by file."""


if __name__ == "__main__":
    for name, make in DIAGRAMS.items():
        (IMAGES / name).write_text(make(), "utf-8")
