"""YAML becomes trees with positions: plain JSON data, by the rules of `scalars` for what is not quoted.

- A key is always text and keeps its spelling: `no:`, `1:`, `012:` and `null:` are the keys "no", "1", "012", "null".
- Duplicate keys, merge keys, keys that are lists or mappings or nothing at all, and tags other than those of the core
  schema are refused.
- Aliases are expanded under the budgets; a finding about an expanded value points to where it was written.
- A text that begins with a brace is tried as JSON first: JSON's pairs of surrogate escapes are no YAML.
"""

from __future__ import annotations

from toolgen.diagnostics import Findings
from toolgen.diagnostics.finding import Verbatim
from toolgen.load.json_reader import read_json
from toolgen.load.report import Report, Unreadable
from toolgen.load.scalars import Plain, resolved
from toolgen.load.sources import Pointer
from toolgen.load.tree import Json, Tree, has_surrogate
from toolgen.load.yaml_events import Node, documents

_CORE = "tag:yaml.org,2002:"
_TEXT_TAGS = frozenset({"!", f"{_CORE}str"})
_SCALAR_TAGS: dict[str, tuple[type, ...]] = {
    f"{_CORE}null": (type(None),),
    f"{_CORE}bool": (bool,),
    f"{_CORE}int": (int,),
    f"{_CORE}float": (float, int),
}
_COLLECTION_TAGS = {"sequence": f"{_CORE}seq", "mapping": f"{_CORE}map"}


def read_yaml(text: str, report: Report) -> list[Tree]:
    """Return the tree of each document of a YAML text, none where there is no document.

    Raises:
        Unreadable: it is no YAML, or beyond a budget; the finding is made.
    """
    exact = _parsed_json(text) if text.lstrip().startswith("{") else None
    if exact is not None:
        return [exact]
    trees = []
    for root in documents(text, report):
        tree = Tree(blank=root.plain and root.text == "")
        tree.value = _Builder(tree, report).value(root, ())
        trees.append(tree)
    return trees


def is_json(text: str) -> bool:
    """Whether the text is JSON without a fault, which has no comments and may be no YAML."""
    return _parsed_json(text) is not None


def _parsed_json(text: str) -> Tree | None:
    """The tree, where the text is JSON without a fault; else YAML's reader says what is wrong."""
    report = Report("", Findings())
    try:
        tree = read_json(text, report)
    except Unreadable:
        return None
    return None if report.count else tree


class _Builder:
    def __init__(self, tree: Tree, report: Report) -> None:
        self._tree = tree
        self._report = report

    def value(self, node: Node, pointer: Pointer) -> Json:
        self._tree.values[pointer] = node.place
        if node.kind == "scalar":
            return self._scalar(node)
        if node.tag not in (None, "!", _COLLECTION_TAGS[node.kind]):
            self._wrong_tag(node)
        if node.kind == "sequence":
            return [self.value(item, (*pointer, i)) for i, item in enumerate(node.items)]
        return self._mapping(node, pointer)

    def _mapping(self, node: Node, pointer: Pointer) -> Json:
        found: dict[str, Json] = {}
        for key, value in zip(node.items[::2], node.items[1::2], strict=True):
            name = self._key(key)
            if name is None:
                continue
            here = (*pointer, name)
            if name in found:
                first = ((self._tree.keys[here], "first here"),)
                self._report.fault("duplicate-key", key.place, key=name, related=first)
                continue
            self._tree.keys[here] = key.place
            found[name] = self.value(value, here)
        return found

    def _key(self, node: Node) -> str | None:
        if node.alias or node.kind != "scalar":
            kind = "an alias" if node.alias else f"a {node.kind}"
            self._report.fault("key-not-text", node.place, kind=Verbatim(kind))
            return None
        if node.tag not in (None, *_TEXT_TAGS):
            self._wrong_tag(node)
        if node.plain and node.text == "":
            self._report.fault("key-not-text", node.place, kind=Verbatim("nothing"))
            return None
        if node.plain and node.text == "<<":
            self._report.fault("merge-key", node.place)
            return None
        return self._text(node)

    def _scalar(self, node: Node) -> Plain:
        if node.plain:
            return resolved(node.text, node.place, self._report)
        if node.tag is None or node.tag in _TEXT_TAGS:
            return self._text(node)
        wanted = _SCALAR_TAGS.get(node.tag)
        if wanted is None:
            self._wrong_tag(node)
            return None
        before = self._report.count
        value = resolved(node.text, node.place, self._report)
        if self._report.count > before:
            return None
        if type(value) not in wanted:
            self._wrong_tag(node)
            return None
        return value

    def _text(self, node: Node) -> str:
        if has_surrogate(node.text):
            self._report.fault("lone-surrogate", node.place)
        return node.text

    def _wrong_tag(self, node: Node) -> None:
        tag = node.tag or ""
        known = tag in _TEXT_TAGS or tag in _SCALAR_TAGS or tag in _COLLECTION_TAGS.values()
        problem = Verbatim("does not fit this value" if known else "is not supported")
        shown = tag.replace(_CORE, "!!")
        self._report.fault("yaml-tag", node.place, tag=shown, problem=problem)
