"""One generated package for the tests of Gemini."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from tests.apis.gemini.package import build


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """The modules of a package with one tool."""
    name = "gemini_under_test"
    yield build(tmp_path_factory.mktemp("generated"), name, {})
    for module in [m for m in sys.modules if m.split(".")[0] == name]:
        del sys.modules[module]
