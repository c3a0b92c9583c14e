"""Load stage: files become documents with locations. It is the only stage that reads sources from disk."""

from toolgen.load.loading import load
from toolgen.load.sources import Document, Pointer, Sources

__all__ = ["Document", "Pointer", "Sources", "load"]
