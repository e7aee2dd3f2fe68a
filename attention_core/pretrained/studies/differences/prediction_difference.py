"""The difference between the predictions of two analyses, over their whole distributions."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from attention_core.pretrained.inputs.vocabulary_text import vocabulary_text
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.models.preprocessing.image_rules import NoTokenizer
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.predictions import Candidate, Prediction

MOST_CHANGED = 10
"""Tokens listed because their probability changed most, besides the candidates of either analysis."""


@dataclass(frozen=True)
class CandidateChange:
    """One token's probability in both analyses; null where it is not known or the model has no such token."""

    id: int | None
    """In the vocabulary of the first; null where that has no such token, or between two models that are not loaded."""
    text: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class PredictionChange:
    """One predicted position in both, its candidates sorted by change."""

    kind: str
    """next_token, masked_token or class."""
    index: int
    other_index: int
    """The token in the other analysis that the prediction is made at."""
    candidates: list[CandidateChange]
    divergence: float | None
    """``Σ p ln(p / q)``, p before and q after, over the whole vocabulary, in nats; null between two vocabularies."""
    total_variation: float | None
    """``½ Σ |p − q|``: the probability that has moved, from 0 to 1; null between two vocabularies."""


@dataclass(frozen=True)
class PredictionDifference:
    """Every prediction that both analyses make."""

    predictions: list[PredictionChange]

    @property
    def nbytes(self) -> int:
        """Approximate memory held, in bytes."""
        return 200 * sum(1 + len(each.candidates) for each in self.predictions)


@dataclass(frozen=True, eq=False)
class _Side:
    """One analysis's prediction, and its whole distribution where it is known."""

    listed: list[Candidate]
    logs: Float[np.ndarray, " V"] | None
    loaded: LoadedModel | None

    def probability(self, token_id: int) -> float | None:
        if self.logs is not None and token_id < len(self.logs):
            return float(np.exp(np.float64(self.logs[token_id])))
        return next((each.probability for each in self.listed if each.id == token_id), None)

    def id_of(self, text: str) -> int | None:
        """The one token that reads so; None if there is none, or several."""
        found = {each.id for each in self.listed if each.text == text}
        if not found and self.loaded is not None and not isinstance(self.loaded.answers, NoTokenizer):
            with self.loaded.tokenizer_lock:
                ids = self.loaded.tokenizer.encode(text, add_special_tokens=False)
            found = set(ids) if len(ids) == 1 and self.loaded.tokenizer.decode(ids) == text else set()
        return found.pop() if len(found) == 1 else None


def prediction_difference(
    first: Analysis, second: Analysis, models: tuple[LoadedModel, LoadedModel] | None = None
) -> PredictionDifference:
    """Compare the predictions of two analyses, each with that of the same kind and the same rank in the text.

    Listed are the candidates of either and, given the ``models``, the tokens whose probability changed most. Within one
    vocabulary tokens are the same by id; tokens of two models are the same if each model has one token of that text.
    """
    kinds = [each.kind for each in first.predictions]
    matching = [row for row, each in enumerate(second.predictions) if each.kind in kinds]
    changes = []
    for row, other in zip(range(len(first.predictions)), matching, strict=False):
        before, after = first.predictions[row], second.predictions[other]
        if before.kind != after.kind:
            continue
        sides = (
            _Side(before.candidates, _row(first, row), models[0] if models else None),
            _Side(after.candidates, _row(second, other), models[1] if models else None),
        )
        is_same = first.model.id == second.model.id
        changes.append(_same_vocabulary(before, after, *sides) if is_same else _by_text(before, after, *sides))
    return PredictionDifference(changes)


def _row(analysis: Analysis, row: int) -> Float[np.ndarray, " V"] | None:
    return None if analysis.log_probabilities is None else analysis.log_probabilities[row]


def _same_vocabulary(before: Prediction, after: Prediction, one: _Side, other: _Side) -> PredictionChange:
    texts = {each.id: each.text for each in (*before.candidates, *after.candidates)}
    divergence = variation = None
    if one.logs is not None and other.logs is not None:
        first, second = one.logs.astype(np.float64), other.logs.astype(np.float64)
        p, q = np.exp(first), np.exp(second)
        divergence = max(0.0, float((p * (first - second)).sum()))
        variation = float(np.abs(p - q).sum() / 2)
        if one.loaded is not None:
            for id_ in np.argsort(-np.abs(p - q), kind="stable")[:MOST_CHANGED]:
                texts.setdefault(int(id_), vocabulary_text(one.loaded.answers, int(id_)))
    pairs = (CandidateChange(id_, text, one.probability(id_), other.probability(id_)) for id_, text in texts.items())
    return _change(before, after, pairs, divergence, variation)


def _by_text(before: Prediction, after: Prediction, one: _Side, other: _Side) -> PredictionChange:
    pairs = []
    for text in dict.fromkeys(each.text for each in (*before.candidates, *after.candidates)):
        ids = one.id_of(text), other.id_of(text)
        probabilities = [
            None if id_ is None else side.probability(id_) for side, id_ in zip((one, other), ids, strict=True)
        ]
        pairs.append(CandidateChange(ids[0] if one.loaded else None, text, *probabilities))
    return _change(before, after, pairs, None, None)


def _change(
    before: Prediction,
    after: Prediction,
    pairs: Iterable[CandidateChange],
    divergence: float | None,
    variation: float | None,
) -> PredictionChange:
    candidates = sorted(pairs, key=lambda pair: -abs((pair.after or 0.0) - (pair.before or 0.0)))
    return PredictionChange(before.kind, before.index, after.index, candidates, divergence, variation)
