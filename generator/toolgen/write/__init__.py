"""Write stage: files are written all at once or not at all. It is the only stage that changes the output folder."""

from toolgen.write.changes import Changes
from toolgen.write.drift import Drift, find_drift
from toolgen.write.lockfile import LOCK, Lock, LockError, read_lock
from toolgen.write.output_path import RequestedOutput
from toolgen.write.package_writer import write_package

__all__ = [
    "LOCK",
    "Changes",
    "Drift",
    "Lock",
    "LockError",
    "RequestedOutput",
    "find_drift",
    "read_lock",
    "write_package",
]
