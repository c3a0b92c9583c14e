"""What this toolgen was installed from, so that a CI job, a hook or a colleague can install the same.

Installers record the address of a distribution that did not come from an index (PEP 610, `direct_url.json`).
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any
from urllib.parse import urlsplit

from toolgen import __version__

_SAFE = re.compile(r"[A-Za-z0-9._~:/@%+=&#\[\]-]+")
"""The addresses that neither a shell nor YAML reads in another way."""


def install_requirements() -> tuple[str, ...] | None:
    """Return what installers need to install this toolgen with its runtime on another machine.

    Nothing secret is in it: user names, passwords and queries of addresses are left out. None if one of the two came
    from a local folder or file, or if where it came from is not known.
    """
    requirements: list[str] = []
    for name in ("toolgen-runtime", "toolgen"):
        try:
            record = distribution(name).read_text("direct_url.json")
        except PackageNotFoundError:  # a checkout on the path of Python
            return None
        if record is not None:
            address = public_address(record)
            if address is None:
                return None
            requirements.append(f"{name} @ {address}")
        elif name == "toolgen":  # on an index, it requires its runtime by version
            requirements.append(f"{name}=={__version__}")
    return tuple(requirements)


def install_command() -> str:
    """Return, for a sentence, the command that installs this toolgen with its runtime again, even the same versions."""
    requirements = install_requirements()
    if requirements is None:
        return "`pip install --force-reinstall ./runtime .` in a checkout of toolgen"
    return f"`pip install --force-reinstall {shlex.join(requirements)}`"


def public_address(record: str) -> str | None:
    """Return the address in a text of `direct_url.json`, with commit or digest and without secrets; None if it is local."""
    try:
        facts: Mapping[str, Any] = json.loads(record)
        url = urlsplit(facts["url"])
        host = url.netloc.rpartition("@")[2]
        # The user of ssh is part of the address, such as `git`; that of https may be a token.
        user = f"{url.username}@" if url.username and url.scheme == "ssh" else ""
        address = f"{url.scheme}://{user}{host}{url.path}"
        fragments = [f"subdirectory={facts['subdirectory']}"] if "subdirectory" in facts else []
        if "vcs_info" in facts:
            address = f"{facts['vcs_info']['vcs']}+{address}@{facts['vcs_info']['commit_id']}"
        elif "archive_info" in facts:
            fragments += [f"{kind}={digest}" for kind, digest in facts["archive_info"].get("hashes", {}).items()]
    except (ValueError, TypeError, LookupError, AttributeError):
        return None  # not what an installer writes
    if fragments:
        address += "#" + "&".join(fragments)
    return address if host and url.scheme != "file" and _SAFE.fullmatch(address) else None
