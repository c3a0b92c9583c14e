"""The version of the runtime, the interfaces that it serves, and the check of a package that imports it.

An interface is what generated packages use of the runtime: names, parameters, fields. Its number grows with each change
(`tests/package/test_interface.py` insists), so it also tells two commits of one version apart.
"""

from __future__ import annotations

__all__ = ["INTERFACE", "OLDEST_INTERFACE", "__version__", "check_interface"]

__version__ = "0.1.0"

INTERFACE = 1
"""The newest interface that this runtime serves. toolgen of the same version generates packages for it."""

OLDEST_INTERFACE = 1
"""The oldest interface that this runtime still serves."""


def check_interface(needed: int, package: str) -> None:
    """Check that this runtime serves the interface that a package was built for.

    Raises:
        ImportError: It is too old, or no longer serves that interface. The message says what to install or rebuild.
    """
    problem = f"{package} was built for interface {needed} of toolgen-runtime"
    if needed > INTERFACE:
        raise ImportError(
            f"{problem}, but {__version__}, which is installed, has only interface {INTERFACE}: run `pip install "
            "--upgrade toolgen-runtime`, or install it from the same git commit as the toolgen that built the package",
            name="toolgen_runtime",
        )
    if needed < OLDEST_INTERFACE:
        raise ImportError(
            f"{problem}, which {__version__}, the installed version, no longer has: install a toolgen of this version, "
            "and rebuild the package with `toolgen build`",
            name="toolgen_runtime",
        )
