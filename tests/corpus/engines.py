"""Strict schemas in a real decoding engine, `llguidance`: each compiles, and what a model can write under it is read.

    python -m tests.corpus.engines COLLECTION [--every N]

A schema in strict mode becomes a grammar, and a model cannot write anything else. Texts are sampled under the grammar. Each
is decoded to arguments that the declaration admits, unless a change of lowering says that the schema admits more.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

from tests.corpus.everything import declarations
from tests.corpus.lowered import DIALECTS
from tests.support.schema_references import dangling
from tests.support.schema_values import is_valid
from toolgen_runtime.conversion.encoding import Encoding
from toolgen_runtime.json_text import JSONError, loads
from toolgen_runtime.lowering.coercion import coercions
from toolgen_runtime.lowering.lower import lower

STRICT = sorted(dialect for dialect in DIALECTS if dialect[1] == "strict")
"""The providers with a strict mode."""

END = 256
LONGEST = 3_000
"""Bytes of a sampled text; the sample of a schema that goes on is given up."""


class _Bytes:
    """A vocabulary of single bytes, and an end."""

    eos_token_id = END
    bos_token_id = None
    tokens = (*(bytes([byte]) for byte in range(256)), b"<end>")
    special_token_ids = (END,)

    def __call__(self, text: str | bytes) -> list[int]:
        return list(text.encode() if isinstance(text, str) else text)


TOKENIZER = LLTokenizer(TokenizerWrapper(_Bytes()))


def grammar_of(schema: dict[str, Any]) -> str:
    """Compile a schema. A `ValueError` has the engine's words for what it does not understand."""
    grammar = LLMatcher.grammar_from_json_schema(json.dumps(schema), {"whitespace_flexible": False})
    is_error, messages = LLMatcher.validate_grammar_with_warnings(grammar, TOKENIZER)
    if is_error:
        raise ValueError("; ".join(messages))
    return grammar


def sample(grammar: str, choices: random.Random) -> str | None:
    """Write a text under a grammar, byte by byte; None if it becomes too long."""
    matcher = LLMatcher(TOKENIZER, grammar)
    text = bytearray()
    while not matcher.is_stopped():
        mask = matcher.compute_bitmask()
        allowed = [byte for byte in (*range(32, 127), END) if mask[byte // 8] >> byte % 8 & 1]
        if not allowed or len(text) > LONGEST:
            return None
        if text[-1:].isdigit():  # no exponent: a number out of range is an invalid call for every schema
            allowed = [byte for byte in allowed if byte not in b"eE"] or allowed
        ends = [byte for byte in allowed if byte in b'"}],' or byte == END]
        byte = choices.choice(ends if ends and choices.random() < 0.3 else allowed)
        matcher.consume_token(byte)
        if byte != END:
            text.append(byte)
    return text.decode()


def faults(schema: dict[str, Any], provider: str, mode: str, seed: int, samples: int = 3) -> Iterator[str]:
    """Yield what is wrong with a schema as a provider enforces it. One that the provider cannot express is not sent."""
    lowered = lower(schema, DIALECTS[provider, mode])
    if lowered.unsupported_changes:
        return
    try:
        grammar = grammar_of(lowered.schema)
    except ValueError as error:
        yield f"does not compile: {error}"
        return
    admits_more = any(change.action in ("described", "dropped", "rewritten", "moved") for change in lowered.changes)
    validator = Draft202012Validator(schema)
    choices = random.Random(seed)
    for _ in range(samples):
        text = sample(grammar, choices)
        if text is None:
            continue
        try:
            value = loads(text)
        except JSONError as error:
            if str(error) != "a duplicate key":  # the engine allows it where an object is open; the call is invalid
                yield f"not read: {text:.200}: {error}"
            continue
        arguments = Encoding(lowered.encoding_table).decode(value) if lowered.encoding_table else value
        table = coercions(schema)
        if table is not None:
            arguments = Encoding(table).decode(arguments)
        if not admits_more and not is_valid(validator, arguments):
            error = next(iter(validator.iter_errors(arguments)), None)
            yield f"refused without a loss: {text:.200}: {error and error.message:.200}"


def main() -> int:
    """Judge a collection, and return 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--every", type=int, default=1, help="take one of so many")
    options = parser.parse_args()
    wrong: collections.Counter[str] = collections.Counter()
    judged = 0
    for number, (file, (identifier, declared)) in enumerate(declarations(options.collection).items()):
        schema = declared["parameters"]
        if number % options.every or not isinstance(schema, dict) or dangling(schema):
            continue
        if next(Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema), None):
            continue
        judged += 1
        for provider, mode in STRICT:
            for fault in faults(schema, provider, mode, number):
                wrong[provider] += 1
                if wrong[provider] <= 5:
                    print(f"{identifier} ({file}): {provider}: {fault}", flush=True)
    print(f"{judged} tools, {sum(wrong.values())} faults: {dict(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
