"""Write a tiny random model that vLLM can serve: `tests/servers/vllm_server.py` runs this with vLLM's interpreter.

    python tiny_model.py FOLDER

It prints the number of the token with which a call begins. The other tokens are bytes. The vocabulary lacks what a
trained model does not write into the texts of a call: control characters, the word with which a call ends, and the
backslash, because random escapes are halves of surrogate pairs, with which vLLM fails.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

END = "<|end|>"
CALL = "<tool_call>"
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ message.role }}: {{ message.content or '' }}"
    "{% for call in message.tool_calls or [] %}{{ call.function | tojson }}{% endfor %} "
    "{% endfor %}assistant: "
)
LENGTH = 8192
"""The tokens of a conversation."""


def make_tokenizer() -> PreTrainedTokenizerFast:
    """Return a tokenizer of bytes."""
    printable = [chr(byte) for byte in range(33, 127) if byte != ord("\\")]
    beyond = sorted(set(pre_tokenizers.ByteLevel.alphabet()) - set(printable) - {"\\"})
    alphabet = printable + [symbol for symbol in beyond if decoders.ByteLevel().decode([symbol]) >= " "]
    tokenizer = Tokenizer(models.BPE(vocab={symbol: i for i, symbol in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(END, special=True)])
    tokenizer.add_tokens([CALL])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=END,
        eos_token=END,
        pad_token=END,
        chat_template=CHAT_TEMPLATE,
        model_max_length=LENGTH,
    )


def make_model(tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """Return a model with random weights."""
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=LENGTH,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=False,
    )
    return LlamaForCausalLM(config).to(torch.float32)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    tokenizer = make_tokenizer()
    tokenizer.save_pretrained(folder)
    make_model(tokenizer).save_pretrained(folder)
    print(tokenizer.convert_tokens_to_ids(CALL))
