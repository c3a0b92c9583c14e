"""Counting tokens, where tiktoken is installed with its vocabulary: nothing is fetched, and no number is guessed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

__all__ = ["Tokenizer", "installed_tokenizer"]

ENCODING = "o200k_base"
"""The vocabulary that tokens are counted with. Providers have others: the number is an estimate."""


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A way to count tokens, and its name as messages have it."""

    name: str
    count: Callable[[str], int]


def installed_tokenizer() -> Tokenizer | str:
    """The installed tokenizer, or why there is none. A vocabulary that is not stored here is not fetched."""
    if importlib.util.find_spec("tiktoken") is None:
        return "tiktoken is not installed"
    loading: Any = importlib.import_module("tiktoken.load")
    fetch, loading.read_file = loading.read_file, _not_stored
    try:
        encoding = importlib.import_module("tiktoken").get_encoding(ENCODING)
    except FileNotFoundError:
        return f"the vocabulary {ENCODING} of tiktoken is not on this machine"
    finally:
        loading.read_file = fetch
    return Tokenizer(f"tiktoken {ENCODING}", lambda text: len(encoding.encode(text, disallowed_special=())))


def _not_stored(address: str) -> NoReturn:
    """Stand in for what fetches a vocabulary: no command of this kind opens a connection."""
    raise FileNotFoundError(address)
