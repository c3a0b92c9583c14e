"""Budgets of reading: what a person can review is far below, what hurts a machine is above."""

from __future__ import annotations

FILE_BYTES = 4 * 1024 * 1024
"""Bytes of one source."""

TOTAL_BYTES = 32 * 1024 * 1024
"""Bytes of all sources together."""

FILES = 10_000
"""Sources in one SCHEMAS."""

ENTRIES = 100_000
"""Names of any kind that are looked at in one SCHEMAS: a wrong folder is noticed before minutes pass."""

FOLDERS_DEEP = 16
"""Folders inside of folders under `tools` and `types`."""

DEPTH = 64
"""Values inside of values, aliases expanded. Readers of the tree may recurse."""

VALUES = 200_000
"""Keys and values of one file, aliases expanded."""

TOTAL_VALUES = 1_000_000
"""Values of all sources together: with their places they take some hundred bytes each."""

DIGITS = 4_300
"""Digits of an integer: what Python reads and prints by default, whatever this process was set to."""

FAULTS_PER_FILE = 50
"""Findings after which the rest of a file is not read: it is another kind of file."""
