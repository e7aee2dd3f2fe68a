"""Sentences with an indirect object as token ids, and their loss."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from random import Random

import torch
from jaxtyping import Float
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional
from transformers import GPT2LMHeadModel

from recipes.decoder.lines import Lines
from recipes.decoder.names import HELD_OUT_NAMES, Grammar, Sentence
from recipes.decoder.recipe import Recipe
from recipes.decoder.rows import END_OF_TEXT_ID, step_seed
from recipes.decoder.texts import Corpus

CHOOSING_SENTENCES = 300


def with_sentences(corpus: Corpus, tokenizer: Tokenizer, recipe: Recipe) -> Corpus:
    """The texts, and sentences to learn and to choose the best step from."""
    training = draw_lines(tokenizer, recipe, recipe.sentence_pool, "training")
    return replace(
        corpus,
        sentences=training,
        choosing_sentences=draw_lines(tokenizer, recipe, CHOOSING_SENTENCES, "choosing"),
    )


def draw_lines(tokenizer: Tokenizer, recipe: Recipe, count: int, purpose: str) -> Lines:
    """Sentences of the training's grammar, some of them after the end-of-text token."""
    random = Random(f"{recipe.seed} {purpose}")  # noqa: S311 - seeded
    drawn = list(islice(Grammar(other_words=whole_words(tokenizer)).sentences(random), count))
    return encode_sentences(drawn, tokenizer, marks=[random.random() < recipe.marked for _ in drawn])


def encode_sentences(sentences: Sequence[Sentence], tokenizer: Tokenizer, *, marks: Sequence[bool]) -> Lines:
    """Token ids, where ``marks`` is true after the end-of-text token. Every answer must be one token."""
    encoded = [tokenizer.encode(each.text, add_special_tokens=False).ids for each in sentences]
    ids = [[END_OF_TEXT_ID] * mark + each for each, mark in zip(encoded, marks, strict=True)]
    tokens = torch.full((len(ids), max(map(len, ids))), END_OF_TEXT_ID)
    for row, each in zip(tokens, ids, strict=True):
        row[: len(each)] = torch.tensor(each)
    answers = torch.tensor([name_id(tokenizer, each.answer) for each in sentences])
    return Lines(tokens, torch.tensor([len(each) for each in ids]), answers)


def name_id(tokenizer: Tokenizer, name: str) -> int:
    """The token of a name after a space. Raises ValueError if it is not one token."""
    token_id = tokenizer.token_to_id(f"Ġ{name}")
    if token_id is None:
        raise ValueError(f"the tokenizer has no single token for the name {name!r}")
    return int(token_id)


def whole_words(tokenizer: Tokenizer) -> tuple[str, ...]:
    """All tokens of three or more letters that begin with a space, but no held-out name."""
    words = (token[1:] for token in tokenizer.get_vocab() if token.startswith("Ġ"))
    return tuple(
        sorted(
            word for word in words if len(word) > 2 and word.isascii() and word.isalpha() and word not in HELD_OUT_NAMES
        )
    )


def sentences_of_step(lines: Lines, recipe: Recipe, step: int) -> Lines:
    """The sentences of a step, determined by seed and step alone."""
    generator = torch.Generator().manual_seed(step_seed(recipe, step))
    return lines.rows(torch.randint(len(lines.lengths), (recipe.sentences,), generator=generator))


def answers_loss(model: GPT2LMHeadModel, lines: Lines) -> Float[Tensor, ""]:
    """Sum of −ln p of the names that should follow; no other token takes part."""
    device = model.device
    hidden = model.transformer(lines.tokens.to(device)).last_hidden_state
    last = hidden[torch.arange(len(lines.lengths), device=device), lines.lengths.to(device) - 1]
    return functional.cross_entropy(model.lm_head(last).float(), lines.answers.to(device), reduction="sum")
