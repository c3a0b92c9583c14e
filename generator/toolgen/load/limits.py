"""Budgets for reading sources: far above what a person can review, and below what overloads a machine."""

from __future__ import annotations

FILE_BYTES = 4 * 1024 * 1024
"""Bytes of one source."""

TOTAL_BYTES = 32 * 1024 * 1024
"""Bytes of all sources together."""

FILES = 10_000
"""Sources in one SCHEMAS."""

ENTRIES = 100_000
"""Directory entries of any kind that are examined in one SCHEMAS. A wrong folder is noticed before minutes pass."""

FOLDERS_DEEP = 16
"""Depth of nested folders under `tools` and `types`."""

DEPTH = 64
"""Depth of nested values, with aliases expanded. It is safe to walk the tree recursively."""

VALUES = 200_000
"""Keys and values of one file, with aliases expanded."""

TOTAL_VALUES = 1_000_000
"""Values of all sources together. With its location, each takes a few hundred bytes."""

DIGITS = 4_300
"""Digits of an integer: Python's default limit, whatever this process is set to."""

FAULTS_PER_FILE = 50
"""Findings after which the rest of a file is skipped: it is probably not a source."""
