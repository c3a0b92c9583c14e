"""The environments of the libraries that toolgen is compared with, below `build/bench/`, one for each library.

They are made when they are needed, from the registry, at the versions below. `openai` is the one of the dev group.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

ENVIRONMENTS = Path(__file__).resolve().parents[2] / "build" / "bench"

REQUIREMENTS = {
    "litellm": ("litellm[proxy]==1.108.7",),
    "langchain": ("langchain==1.5.2", "langchain-openai==1.7.4", f"openai=={version('openai')}"),
    "pydantic-ai": ("pydantic-ai-slim[openai]==2.68.0", f"openai=={version('openai')}"),
    "openai-agents": ("openai-agents==0.24.0", f"openai=={version('openai')}"),
}


class NotInstalled(Exception):
    """A library cannot be installed. The message is a sentence that says why."""


def interpreter(name: str) -> Path:
    """Return the Python interpreter of a library's environment, which is made first if it is missing or of other versions.

    Raises:
        NotInstalled: The registry does not have the library, or cannot be reached.
    """
    folder, requirements = ENVIRONMENTS / name, "\n".join(REQUIREMENTS[name])
    stamp, python = folder / "requirements.txt", folder / "bin" / "python"
    if not stamp.exists() or stamp.read_text("utf-8") != requirements:
        print(f"{name} is installed below build/bench; this takes minutes", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        run(name, sys.executable, "-m", "venv", str(folder))
        run(name, str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *REQUIREMENTS[name])
        stamp.write_text(requirements, "utf-8")
    return python


def run(name: str, *words: str) -> None:
    """Run a step of an installation.

    Raises:
        NotInstalled: The step fails.
    """
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise NotInstalled(f"{name} is skipped, because it cannot be installed: {(errors or ['no reason given'])[-1]}")


def installed(names: list[str]) -> tuple[dict[str, Path], list[str]]:
    """Return the interpreters of the libraries that can be installed, and a sentence for each of the others."""
    interpreters, sentences = {}, []
    for name in names:
        try:
            interpreters[name] = interpreter(name)
        except NotInstalled as error:
            sentences.append(str(error))
    return interpreters, sentences
