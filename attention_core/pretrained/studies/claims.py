"""Published findings about heads of known models, measured on the model itself.

A claim holds if the measured value is within its tolerance of the published one, or at least as large. Conventions
differ between papers (which texts, with or without special tokens), so each claim states its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.inputs.words import WordChoice, word_tokens
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parity import body
from attention_core.pretrained.recording.recorder import record
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.studies.induction import head_scores
from attention_core.refusal import Sentence

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
GPT2 = "openai-community/gpt2"
BERT = "google-bert/bert-base-uncased"
CAT = "The cat sat on the mat because it was tired."


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
class Claim:
    """A published finding, and how it is measured."""

    id: str
    model: str
    measure: TokenWeight | HeadScore | SeparatorShare
    published: float
    tolerance: float | None
    """None: at least the published value."""
    convention: Sentence
    source: Sentence

    def holds(self, measured: float) -> bool:
        """Whether this measurement supports the claim."""
        if self.tolerance is None:
            return measured >= self.published
        return abs(measured - self.published) <= self.tolerance


EAGER = Sentence("One weight of the library's own eager attention, special tokens included.")
REPEATED = Sentence("Random tokens, repeated once, after the model's first token; not the texts of the source.")
OWN_SOURCE = Sentence("Measured on the published weights with transformers 5.23")
INDUCTION_SOURCE = Sentence("A public notebook on GPT-2 small's induction scores (second-hand)")

CLAIMS: tuple[Claim, ...] = (
    Claim("minilm-it-cat", MINILM, TokenWeight(CAT, 5, 11, "it", "cat"), 0.71, 0.01, EAGER, OWN_SOURCE),
    Claim("minilm-it-cat-3-1", MINILM, TokenWeight(CAT, 3, 1, "it", "cat"), 0.49, 0.01, EAGER, OWN_SOURCE),
    Claim("minilm-previous", MINILM, TokenWeight(CAT, 0, 2, "it", "because"), 1.0, 0.01, EAGER, OWN_SOURCE),
    *(
        Claim(
            f"gpt2-induction-{layer}-{head}",
            GPT2,
            HeadScore("induction", layer, head),
            published,
            0.1,
            REPEATED,
            INDUCTION_SOURCE,
        )
        for layer, head, published in ((5, 5, 0.932), (6, 9, 0.913), (7, 10, 0.910), (5, 1, 0.908), (7, 2, 0.833))
    ),
    *(
        Claim(
            f"gpt2-previous-{layer}-{head}",
            GPT2,
            HeadScore("previous_token_random", layer, head),
            0.5,
            None,
            Sentence(
                "{repeated} The source lists the head without a number; here it must put half of its weight there.",
                REPEATED,
            ),
            Sentence("Wang et al. (2022), previous-token heads of the IOI circuit"),
        )
        for layer, head in ((2, 2), (4, 11))
    ),
    Claim(
        "bert-separator",
        BERT,
        SeparatorShare(CAT, "It had walked all day.", 5, 9),
        0.5,
        None,
        Sentence(
            "Mean over all heads and tokens of layers 5 to 9, counted from 0; a pair of sentences instead of Wikipedia."
        ),
        Sentence("Clark et al. (2019), section 3.2: over half of the attention of layers 6–10 (second-hand)"),
    ),
)


def claims_about(model_id: str) -> list[Claim]:
    """The claims measured on this model."""
    return [claim for claim in CLAIMS if claim.model == model_id]


@dataclass(frozen=True)
class Measurements:
    """Measured values on one model, by claim id."""

    values: dict[str, float]

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return 64 * max(len(self.values), 1)


def measure(loaded: LoadedModel, claims: Sequence[Claim], cancelled: Callable[[], bool] | None = None) -> Measurements:
    """Measure these claims on this model. Raises SelectionError for a missing head."""
    check = stopping(cancelled, "measurement")
    scores: dict[str, np.ndarray] = {}
    if any(isinstance(claim.measure, HeadScore) for claim in claims):
        scores = head_scores(loaded, cancelled=cancelled).parts[0].scores
    values = {}
    for claim in claims:
        asked = claim.measure
        if isinstance(asked, HeadScore):
            _check_head(scores[asked.score].shape, asked.layer, asked.head)
            values[claim.id] = float(scores[asked.score][asked.layer, asked.head])
        elif isinstance(asked, TokenWeight):
            values[claim.id] = _token_weight(loaded, asked, check)
        else:
            values[claim.id] = _separator_share(loaded, asked, check)
    return Measurements(values)


def _token_weight(loaded: LoadedModel, asked: TokenWeight, check: Callable[[], None]) -> float:
    inputs, tokens = tokenise(loaded, asked.text)
    reader, read = (word_tokens(WordChoice(asked.text, word), tokens)[0] for word in (asked.reader, asked.read))
    with torch.inference_mode(), record(check) as recording:
        body(loaded.model)(**inputs)
        _check_head((len(recording.layers), recording.layers[0].attention.num_heads), asked.layer, asked.head)
        layer = recording.layers[asked.layer]
        window = layer.attention.weights(slice(reader, reader + 1), slice(read, read + 1), layer.log_sum_exp)
    return float(window[0, asked.head, 0, 0])


def _separator_share(loaded: LoadedModel, asked: SeparatorShare, check: Callable[[], None]) -> float:
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


def _check_head(size: tuple[int, ...], layer: int, head: int) -> None:
    if layer >= size[0] or head >= size[1]:
        raise SelectionError("model has no head {head} in layer {layer}", head, layer, field="model")
