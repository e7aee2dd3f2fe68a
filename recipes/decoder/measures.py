"""Evaluation of the finished model, as reported in the model card."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from transformers import GPT2LMHeadModel

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.studies.circuits.induction import head_scores
from recipes.decoder.ngrams import bigram_nll, unigram_nll
from recipes.decoder.perplexity import negative_log_likelihood, perplexity
from recipes.decoder.recipe import Recipe
from recipes.decoder.rows import END_OF_TEXT_ID
from recipes.decoder.texts import Corpus, Split

SINK_TOKENS = 256
"""Largest number of tokens of each held-out text for measuring the weight on the first token."""


@dataclass(frozen=True)
class Perplexities:
    """Perplexities on one held-out text, or on all together."""

    name: str
    tokens: int
    model: float
    bigram: float
    unigram: float


@dataclass(frozen=True, eq=False)
class HeadMeasures:
    """Head scores, each (layers, heads)."""

    previous_token: Float[np.ndarray, "L H"]
    induction: Float[np.ndarray, "L H"]
    first_token: Float[np.ndarray, "L H"]
    """Weight on the first token, averaged over the queries of held-out text."""


def perplexities(folder: Path, corpus: Corpus, recipe: Recipe) -> list[Perplexities]:
    """Perplexities on each held-out text and on all together, with the saved weights."""
    model = GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
    sums: list[tuple[Any, ...]] = []
    for ids in corpus.held_out:
        model_sum, tokens = negative_log_likelihood(model, ids, context=recipe.context)
        baselines = [baseline(corpus.training, ids, recipe.vocabulary) for baseline in (bigram_nll, unigram_nll)]
        sums.append((tokens, model_sum, *baselines))
    sums.append(tuple(sum(column) for column in zip(*sums, strict=True)))
    return [
        Perplexities(name, tokens, *(perplexity(total, tokens) for total in totals))
        for name, (tokens, *totals) in zip((*corpus.names, "together"), sums, strict=True)
    ]


def measure_heads(folder: Path, splits: Sequence[Split], *, sequences: int = 8) -> HeadMeasures:
    """Measure heads as the application does: loaded by its catalog, on the CPU."""
    loaded = Catalog(models_dir=folder, hub_models=(), device="cpu").load(folder.name)
    scores = head_scores(loaded, sequences=sequences).parts[0].scores
    requests = [AnalysisRequest(text=_beginning(loaded, part.held_out)) for part in splits]
    first = [analyse(loaded, request, max_tokens=SINK_TOKENS).parts[0].metrics["first_token"] for request in requests]
    return HeadMeasures(scores["previous_token_random"], scores["induction"], np.mean(first, axis=0))


def copied_share(folder: Path, *, period: int = 50, sequences: int = 8) -> float:
    """Top-1 accuracy on the second occurrence of ``period`` distinct random tokens.

    The first token of the repetition is excluded: nothing predicts where the repetition begins.
    """
    model = GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32, local_files_only=True).eval()
    period = min(period, (model.config.n_positions - 1) // 2)
    rows = []
    for seed in range(sequences):
        generator = torch.Generator().manual_seed(seed)
        piece = 1 + torch.randperm(model.config.vocab_size - 1, generator=generator)[:period]
        rows.append(torch.cat([torch.tensor([END_OF_TEXT_ID]), piece, piece]))
    tokens = torch.stack(rows)
    with torch.inference_mode():
        likeliest = model(tokens).logits.argmax(dim=-1)
    return float((likeliest[:, period + 1 : -1] == tokens[:, period + 2 :]).float().mean())


def _beginning(loaded: LoadedModel, text: str) -> str:
    """Whole words from the beginning of a text, at most SINK_TOKENS tokens and no more than the model accepts."""
    limit = min(SINK_TOKENS, loaded.entry.max_tokens or SINK_TOKENS)
    encoding = loaded.tokenizer.backend_tokenizer.encode(text, add_special_tokens=False)
    return text if len(encoding.ids) <= limit else text[: encoding.offsets[limit][0]].rsplit(maxsplit=1)[0]
