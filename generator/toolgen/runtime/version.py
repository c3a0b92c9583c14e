"""The version of toolgen and its runtime, and the check for packages that share an installed runtime."""

from __future__ import annotations

__all__ = ["__version__", "check_runtime_version"]

__version__ = "0.1.0"


def check_runtime_version(needed: str, package: str) -> None:
    """Check that a package was built for this minor version of the runtime. Patch releases change nothing that it uses.

    Raises:
        ImportError: The versions differ. The message states both, and how to fix it.
    """
    if __version__.split(".")[:2] != needed.split("."):
        raise ImportError(
            f"{package} was built for toolgen-runtime {needed}, but {__version__} is installed; run `pip install "
            f"'toolgen-runtime~={needed}.0'`, or rebuild the package with toolgen {__version__}",
            name="toolgen_runtime",
        )
