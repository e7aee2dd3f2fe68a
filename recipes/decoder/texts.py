"""Tokenised corpus with training, validation and test splits."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import torch
from jaxtyping import Int
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from recipes.decoder.lines import Lines
from recipes.decoder.names import plain_sentences
from recipes.decoder.recipe import Recipe

TEXTS = ("tinyshakespeare.txt", "wikitext-2-valid.txt")
END_OF_TEXT = "<|endoftext|>"
"""As in GPT-2 the one special token; its id is 0."""


@dataclass(frozen=True)
class Split:
    """One text in three consecutive parts, cut at line ends."""

    name: str
    training: str
    choosing: str
    held_out: str


@dataclass(frozen=True, eq=False)
class Corpus:
    """All texts as token ids, in the same order in each list."""

    names: tuple[str, ...]
    training: tuple[Int[Tensor, " _"], ...]
    choosing: tuple[Int[Tensor, " _"], ...]
    held_out: tuple[Int[Tensor, " _"], ...]
    sentences: Lines | None = None
    """Sentences with an indirect object for the training, if any."""
    choosing_sentences: Lines | None = None


def read_splits(folder: Path, recipe: Recipe, names: Sequence[str] = TEXTS) -> list[Split]:
    """Read the texts; FileNotFoundError names a missing one."""
    return [split(name, (folder / name).read_text(encoding="utf-8"), recipe) for name in names]


def split(name: str, text: str, recipe: Recipe) -> Split:
    """Split off the last shares of a text, each cut moved back to a line end."""
    held_out = _line_start(text, 1 - recipe.held_out)
    choosing = _line_start(text, 1 - recipe.held_out - recipe.choosing)
    return Split(name, text[:choosing], text[choosing:held_out], text[held_out:])


def train_tokenizer(splits: Sequence[Split], recipe: Recipe) -> PreTrainedTokenizerFast:
    """Byte-level BPE as GPT-2's (Radford et al. 2019), trained on the training parts and sentences; deterministic."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=recipe.vocabulary,
        special_tokens=[END_OF_TEXT],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    lines = (line for part in splits for line in part.training.splitlines(True))
    tokenizer.train_from_iterator(chain(lines, plain_sentences(recipe.spelt_sentences)), trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=END_OF_TEXT,
        eos_token=END_OF_TEXT,
        unk_token=END_OF_TEXT,
        model_max_length=recipe.context,
        clean_up_tokenization_spaces=False,
    )


def encode(splits: Sequence[Split], tokenizer: PreTrainedTokenizerFast) -> Corpus:
    """Every part as token ids, without special tokens."""

    def ids(text: str) -> Int[Tensor, " tokens"]:
        return torch.tensor(tokenizer.backend_tokenizer.encode(text, add_special_tokens=False).ids)

    return Corpus(
        names=tuple(part.name for part in splits),
        training=tuple(ids(part.training) for part in splits),
        choosing=tuple(ids(part.choosing) for part in splits),
        held_out=tuple(ids(part.held_out) for part in splits),
    )


def _line_start(text: str, share: float) -> int:
    """Start of the line that contains the character after this share of the text."""
    return text.rfind("\n", 0, round(len(text) * share)) + 1
