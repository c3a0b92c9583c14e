"""Write: text becomes files, wholly or not at all. The only stage that changes the output folder."""

from toolgen.write.building import apply
from toolgen.write.changes import Changes, Files
from toolgen.write.drift import Drift, compare
from toolgen.write.lockfile import LOCK, Lock, LockError, Stamp, read_lock
from toolgen.write.place import Output

__all__ = [
    "LOCK",
    "Changes",
    "Drift",
    "Files",
    "Lock",
    "LockError",
    "Output",
    "Stamp",
    "apply",
    "compare",
    "read_lock",
]
