"""Word-level model folders with any context length, for tests of long texts."""

from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

WORDS = [f"w{number}" for number in range(200)]


def write_gpt2(folder: Path, *, layers: int, heads: int, tokens: int) -> None:
    """A GPT-2 with random weights and a tokenizer for which every word of `WORDS` is one token."""
    torch.manual_seed(0)
    size = len(WORDS) + 1
    config = transformers.GPT2Config(
        vocab_size=size,
        n_layer=layers,
        n_head=heads,
        n_embd=8 * heads,
        n_positions=tokens,
        initializer_range=0.3,
        bos_token_id=0,
        eos_token_id=0,
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    write_tokenizer(folder)


def write_llama(folder: Path, *, tokens: int) -> None:
    """A small Llama with RoPE, for so many tokens."""
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(WORDS) + 1,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        intermediate_size=16,
        max_position_embeddings=tokens,
        initializer_range=0.5,
        bos_token_id=0,
        eos_token_id=0,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    write_tokenizer(folder)


def write_tokenizer(folder: Path) -> None:
    vocabulary = {word: index for index, word in enumerate(["<s>", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<s>"))  # noqa: S106 - a token of text
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    names = {"bos_token": "<s>", "eos_token": "<s>", "unk_token": "<s>"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)


def text_of(tokens: int) -> str:
    """So many words, none the same as the one before it."""
    return " ".join(WORDS[(index * 7 + index // 13) % len(WORDS)] for index in range(tokens))
