"""Output of text and findings for any stream: with or without colors, ASCII only, a closed pipe, a full disk."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # importing `typing` would double the time of a build that has nothing to do
if TYPE_CHECKING:
    from typing import TextIO

    from toolgen.diagnostics import Findings

_CONTROLS = {code: f"\\u{code:04x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"}

_STYLES = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "place": "1",
    "hint": "36",
    "added": "32",
    "removed": "31",
    "hunk": "36",
}
"""The SGR parameters (ECMA-48) for each role of a piece of text."""

_COLOR_CODES = frozenset([*_STYLES.values(), "0"])

_wanted = "auto"
"""The value of `--color`."""


def set_color_mode(mode: str) -> None:
    """Set the use of colors for the rest of the process: `always`, `never`, or `auto`."""
    global _wanted
    _wanted = mode


def has_colors(stream: TextIO | None) -> bool:
    """Return whether a stream gets colors: by `--color`, then NO_COLOR, FORCE_COLOR, and whether it is a screen."""
    if _wanted != "auto":
        return _wanted == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_screen(stream)


def is_screen(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal that can do more than print line after line."""
    return stream is not None and not stream.closed and stream.isatty() and os.environ.get("TERM") != "dumb"


def clear_screen(stream: TextIO | None) -> None:
    """Clear the screen if the stream has one."""
    if stream is not None and is_screen(stream):
        stream.write("\x1b[H\x1b[2J")


def paint(role: str, text: str) -> str:
    """Return text in the color of a role. `write_output` removes the color if the stream has no colors."""
    return f"\x1b[{_STYLES[role]}m{text}\x1b[0m"


def paint_diff(diff: str) -> str:
    """Return a unified diff in color."""
    roles = {"+++": "place", "---": "place", "+": "added", "-": "removed", "@": "hunk"}
    lines = []
    for line in diff.splitlines(keepends=True):
        text = line.rstrip("\n")
        role = roles.get(text[:3]) or roles.get(text[:1])
        lines.append(paint(role, text) + line[len(text) :] if role is not None else line)
    return "".join(lines)


def escape_controls(text: str, *, colors: bool) -> str:
    """Return text with terminal controls escaped, except for our own colors, which are dropped unless `colors`."""
    before, *sequences = text.split("\x1b[")
    parts = [before.translate(_CONTROLS)]
    for part in sequences:
        code, end, after = part.partition("m")
        if end and code in _COLOR_CODES:
            parts.append((f"\x1b[{code}m" if colors else "") + after.translate(_CONTROLS))
        else:
            parts.append(f"\x1b[{part}".translate(_CONTROLS))
    return "".join(parts)


def write_output(text: str, stream: TextIO | None = None, *, painted: bool = False) -> None:
    """Write `text` to a stream (stdout if None) and flush it.

    Characters that the stream's encoding lacks become escapes, and so do all terminal controls except the colors of a
    `painted` text. Once the reader has closed the stream, this and all later output is dropped, and the command keeps
    its own exit code.

    Raises:
        SystemExit: with 2, if the stream cannot be written for another reason, such as a full disk.
    """
    stream = sys.stdout if stream is None else stream
    # Python sets the standard streams to None, or they are closed, if a program is started without them.
    if stream is None or stream.closed:
        return
    encoding = stream.encoding or "utf-8"
    shown = escape_controls(text, colors=has_colors(stream)) if painted else text.translate(_CONTROLS)
    safe = shown.encode(encoding, "backslashreplace").decode(encoding)
    try:
        stream.write(safe)
        stream.flush()
    except BrokenPipeError:
        silence(stream)
    except OSError as error:
        silence(stream)
        if stream is not sys.stderr:
            write_output(f"toolgen: cannot write the output: {error.strerror}\n", sys.stderr)
        raise SystemExit(2) from None


def silence(stream: TextIO) -> None:
    """Redirect a stream to the null device, so that neither its next write nor the interpreter's last flush fails."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)


def print_all_findings(findings: Findings, *, quote: bool) -> None:
    """Print all findings to stderr, because they are the result of the command.

    With `quote`, each has an excerpt and its hint, because the user does not have the source; otherwise it is one line.
    """
    from toolgen.diagnostics.formatters import format_as_text, headline

    if quote:
        write_output(format_as_text(findings, findings.texts, len(findings), paint), sys.stderr, painted=True)
        return
    for finding in findings:
        write_output(f"{headline(finding, paint)}\n", sys.stderr, painted=True)
