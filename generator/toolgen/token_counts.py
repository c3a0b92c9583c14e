"""Counts of tokens, if tiktoken is installed with its vocabulary. Nothing is downloaded, and no number is guessed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

ENCODING = "o200k_base"
"""The vocabulary for counting. The counts are estimates, because providers have other vocabularies."""


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A function that counts tokens, and its name for messages."""

    name: str
    count: Callable[[str], int]


def installed_tokenizer() -> Tokenizer | str:
    """Return the installed tokenizer, or why there is none. A missing vocabulary is not downloaded."""
    if importlib.util.find_spec("tiktoken") is None:
        return "tiktoken is not installed"
    loading: Any = importlib.import_module("tiktoken.load")
    fetch, loading.read_file = loading.read_file, _not_stored  # tiktoken downloads with it
    try:
        encoding = importlib.import_module("tiktoken").get_encoding(ENCODING)
    except FileNotFoundError:
        return f"the vocabulary {ENCODING} of tiktoken is not on this machine"
    except ValueError:
        return f"this tiktoken does not know the vocabulary {ENCODING}"
    finally:
        loading.read_file = fetch
    return Tokenizer(f"tiktoken {ENCODING}", lambda text: len(encoding.encode(text, disallowed_special=())))


def _not_stored(address: str) -> NoReturn:
    """Replace the download of a vocabulary, because commands that count tokens open no connections."""
    raise FileNotFoundError(address)
