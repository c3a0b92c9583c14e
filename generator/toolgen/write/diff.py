"""The unified diff of one file: on disk, and as built. Printable whatever stands on disk."""

from __future__ import annotations

import difflib

from toolgen.write.state import lf

MOST_LINES = 3_000
"""Lines of a differing stretch that are matched with each other; the cost grows with their product."""

_CONTEXT = 3


def file_diff(title: str, data: bytes, wanted: str | None) -> str:
    """The diff from `data` to `wanted`; None for either a missing file is an empty side. Ends with a newline.

    Line ends are compared only where they are mixed: a file that has CRLF throughout is read as if it had LF.
    """
    crlf = data.count(b"\r\n") == data.count(b"\n")
    before = _lines((lf(data) if crlf else data).decode(errors="backslashreplace"))
    after = _lines(wanted or "")
    if max(len(before), len(after)) > MOST_LINES:
        hunks = _one_hunk(before, after)
    else:
        hunks = list(difflib.unified_diff(before, after, n=_CONTEXT, lineterm=""))[2:]
    if not hunks:
        how = "Only on disk" if wanted is None else "Differs" if data else "Missing"
        return f"{how}: {title}{'' if data else ' (empty)'}\n"
    return "".join(f"{line}\n" for line in (f"--- {title} (on disk)", f"+++ {title} (as built)", *hunks))


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    last = lines.pop()
    if last:
        lines.append(f"{last}\n\\ No newline at end of file")
    return [_printable(line) for line in lines]


def _printable(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() or c in "\t\n" else c.encode("unicode_escape").decode("ascii") for c in line)


def _one_hunk(before: list[str], after: list[str]) -> list[str]:
    """A diff in linear time: all between the first and the last differing line is one hunk."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    gone, come = before[start : len(before) - end], after[start : len(after) - end]
    if not gone and not come:
        return []
    lead = before[max(0, start - _CONTEXT) : start]
    trail = before[len(before) - end :][:_CONTEXT]
    first = start - len(lead) + 1
    header = f"@@ -{first},{len(lead + gone + trail)} +{first},{len(lead + come + trail)} @@"
    shared = [f" {line}" for line in lead], [f" {line}" for line in trail]
    return [
        header,
        *shared[0],
        *(f"-{line}" for line in gone),
        *(f"+{line}" for line in come),
        *shared[1],
    ]
