"""How well a decoder tells indirect objects, on sentences of kinds that its training left out."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

import torch
from jaxtyping import Float
from tokenizers import Tokenizer
from torch import Tensor
from transformers import GPT2LMHeadModel

from recipes.decoder.names import HELD_OUT_ACTS, HELD_OUT_NAMES, HELD_OUT_OPENINGS, Grammar, Sentence
from recipes.decoder.sentences import encode_sentences, name_id

SENTENCES = 1000
"""Sentences of each kind."""

KINDS: Mapping[str, Grammar] = {
    "as in the training": Grammar(third=0),
    "other pairs of names": Grammar(third=0, held_out_pairs=True),
    "other sentences": Grammar(third=0, openings=HELD_OUT_OPENINGS, acts=HELD_OUT_ACTS),
    "other names": Grammar(third=0, names=HELD_OUT_NAMES),
    "other names and sentences": Grammar(third=0, names=HELD_OUT_NAMES, openings=HELD_OUT_OPENINGS, acts=HELD_OUT_ACTS),
    "the answer is named once more": Grammar(third=0, held_out_pairs=True, again=True),
}
"""Of which one of the two gives."""

THIRD_GIVES = Grammar(third=1, held_out_pairs=True, openings=HELD_OUT_OPENINGS, acts=HELD_OUT_ACTS)


@dataclass(frozen=True)
class Told:
    """Of one kind of sentence, with d the logit of the answer less that of the giver."""

    right: float
    """Share with d > 0; 0.5 is chance."""
    difference: float
    """Mean of d."""
    likeliest: float
    """Share in which the answer is the likeliest of all tokens."""


@dataclass(frozen=True)
class Undecided:
    """Where a third person gives, and nothing tells which of the two names follows."""

    first: float
    """Share with the first name ahead of the second."""
    difference: float
    """Mean of the first name's logit less the second's."""
    giver_last: float
    """Share with the giver's name behind both."""


def measure_names(folder: Path, count: int = SENTENCES) -> tuple[dict[str, Told], Undecided]:
    """Measure the saved weights, read as float32, on seeded sentences of each kind, none after an end of text."""
    model = GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32, local_files_only=True).eval()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    told = {}
    for kind, grammar in KINDS.items():
        sentences = _draw(grammar, count)
        logits = last_logits(model, tokenizer, sentences)
        answer, giver = (
            _of(tokenizer, logits, [getattr(sentence, name) for sentence in sentences]) for name in ("answer", "giver")
        )
        difference = answer - giver
        told[kind] = Told(_share(difference > 0), float(difference.mean()), _share(answer == logits.amax(dim=1)))
    sentences = _draw(THIRD_GIVES, count)
    logits = last_logits(model, tokenizer, sentences)
    first, second = (_of(tokenizer, logits, [sentence.names[place] for sentence in sentences]) for place in (0, 1))
    giver = _of(tokenizer, logits, [sentence.giver for sentence in sentences])
    difference = first - second
    return told, Undecided(
        _share(difference > 0), float(difference.mean()), _share(giver < torch.minimum(first, second))
    )


def last_logits(model: GPT2LMHeadModel, tokenizer: Tokenizer, sentences: list[Sentence]) -> Float[Tensor, "N V"]:
    """The logits that follow each sentence."""
    lines = encode_sentences(sentences, tokenizer, marks=[False] * len(sentences))
    logits = []
    with torch.inference_mode():
        for places in torch.arange(len(sentences)).split(100):
            some = lines.rows(places)
            hidden = model.transformer(some.tokens).last_hidden_state
            logits.append(model.lm_head(hidden[torch.arange(len(places)), some.lengths - 1]))
    return torch.cat(logits)


def _draw(grammar: Grammar, count: int) -> list[Sentence]:
    return list(islice(grammar.sentences(Random("measured")), count))  # noqa: S311 - seeded


def _of(tokenizer: Tokenizer, logits: Float[Tensor, "N V"], names: list[str]) -> Float[Tensor, " N"]:
    ids = torch.tensor([name_id(tokenizer, name) for name in names])
    return logits.gather(1, ids[:, None])[:, 0]


def _share(true: Tensor) -> float:
    return float(true.float().mean())
