"""What a claim about heads measures: a weight, a head's score, a share on separators, how often a partner is found."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.inputs.words import WordChoice, word_tokens
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.recording.specificity import others_mean
from attention_core.pretrained.studies.claims.relations import Relation


@dataclass(frozen=True)
class TokenWeight:
    """The weight with which one word attends to another, in one head."""

    text: str
    layer: int
    head: int
    reader: str
    read: str


@dataclass(frozen=True)
class HeadScore:
    """One of ``induction.HEAD_SCORES`` of one head, on random tokens repeated once."""

    score: str
    layer: int
    head: int


@dataclass(frozen=True)
class SeparatorShare:
    """The mean weight on separator tokens, over all queries and heads of some layers."""

    text: str
    text_pair: str
    first_layer: int
    last_layer: int


@dataclass(frozen=True)
class HeadRelation:
    """How often a head finds a word's grammatical partner in ``relations.MEASURED_ON``."""

    relation: Relation
    layer: int
    head: int


Measure = TokenWeight | HeadScore | SeparatorShare | HeadRelation


def token_weight(loaded: LoadedModel, asked: TokenWeight, check: Callable[[], None]) -> tuple[float, float]:
    """The weight, and what the other queries give the same word on average (``specificity``).

    Raises SelectionError for a missing word or head.
    """
    loaded.check_carried()
    inputs, tokens = tokenise(loaded, asked.text)
    reader, read = (word_tokens(WordChoice(asked.text, word), tokens)[0] for word in (asked.reader, asked.read))
    with torch.inference_mode(), record(check) as recording:
        body(loaded.model)(**inputs)
        _check_head((len(recording.layers), recording.layers[0].attention.num_heads), asked.layer, asked.head)
        layer = recording.layers[asked.layer]
        whole = slice(0, len(tokens))
        weights = layer.attention.weights(whole, whole, layer.log_sum_exp)[0, asked.head]
        allowed = layer.attention.allowed(whole, whole)[0, asked.head]
    return float(weights[reader, read]), others_mean(weights, allowed, reader, read)


def separator_share(loaded: LoadedModel, asked: SeparatorShare, check: Callable[[], None]) -> float:
    """Raises SelectionError for a missing layer."""
    loaded.check_carried()
    inputs, tokens = tokenise(loaded, asked.text, asked.text_pair)
    separators = [token.index for token in tokens if token.id == loaded.tokenizer.sep_token_id]
    with torch.inference_mode(), record(check) as recording:
        body(loaded.model)(**inputs)
        _check_head((len(recording.layers), 1), asked.last_layer, 0)
        shares = [
            layer.attention.weights(slice(0, len(tokens)), slice(0, len(tokens)), layer.log_sum_exp)[
                0, :, :, separators
            ]
            .sum(dim=-1)
            .mean()
            for layer in recording.layers[asked.first_layer : asked.last_layer + 1]
        ]
        return float(torch.stack(shares).mean())


def of_head(values: Float[np.ndarray, "layers heads"], asked: HeadScore | HeadRelation) -> float:
    """One head's of a score of every head. Raises SelectionError for a missing head."""
    _check_head(values.shape, asked.layer, asked.head)
    return float(values[asked.layer, asked.head])


def _check_head(size: tuple[int, ...], layer: int, head: int) -> None:
    if layer >= size[0] or head >= size[1]:
        raise SelectionError("model has no head {head} in layer {layer}", head, layer, field="model")
