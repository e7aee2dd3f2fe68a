"""Contextual embeddings: the same word in several texts, after each layer of a model.

A word's vector is the mean of its tokens' hidden states. In the table of token vectors it is the same in every text
(cosine 1); each layer mixes in what the word attends to, so the vectors diverge. All vectors of a model lie in a narrow
cone, so a cosine means little by itself; the baseline is that of two different words (Ethayarajh 2019).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attention_core.pretrained.errors import AnalysisError, ModelUnavailableError, SelectionError
from attention_core.pretrained.inputs.tokens import Token, tokenise
from attention_core.pretrained.inputs.words import WordChoice, word_tokens
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.recorder import LayerRecord, record
from attention_core.pretrained.running.cancellation import stopping
from attention_core.qk_norm import l2_norm

MIN_TEXTS, MAX_TEXTS = 2, 6
NEAREST = 3
"""Tokens listed for each word and state."""


@dataclass(frozen=True)
class NearToken:
    """A token of one of the texts."""

    text: int
    """Index of the text."""
    token: int
    cosine: float


@dataclass(frozen=True, eq=False)
class WordInContext:
    """The word in one of the texts."""

    tokens: list[Token]
    word_tokens: list[int]
    """Indices of the word's tokens."""
    norms: Float[np.ndarray, "states"]
    """Lengths of the word's vectors."""
    reads: Float[np.ndarray, "layers heads keys"]
    """Weights of the word as a query: the mean over its tokens."""
    nearest: list[list[NearToken]]
    """For each state the nearest other tokens of all texts, without special tokens, nearest first."""


@dataclass(frozen=True, eq=False)
class WordsInContext:
    """The word in several texts."""

    states: list[str]
    """``table`` (the rows of the token table), ``embeddings`` (with position, the input of the first layer), and
    ``layer_0`` …; the last is the model's output, after its last norm if it has one."""
    cosines: Float[np.ndarray, "states texts texts"]
    """Of the words' vectors."""
    baseline: Float[np.ndarray, "states"] | None
    """Mean cosine of two different tokens of two different texts, without the words and special tokens; null where
    there are none."""
    same_tokens: Bool[np.ndarray, "texts texts"]
    """Whether the word consists of the same tokens in both."""
    words: list[WordInContext]

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.cosines.nbytes + sum(word.reads.nbytes + 256 * len(word.tokens) for word in self.words)


@dataclass(frozen=True, eq=False)
class _Read:
    """One text's forward pass."""

    tokens: list[Token]
    chosen: list[int]
    states: Float[Tensor, "S N D"]
    layers: list[LayerRecord]


def words_in_context(
    loaded: LoadedModel,
    choices: Sequence[WordChoice],
    *,
    max_tokens: int | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> WordsInContext:
    """Run the model (of an encoder–decoder model, the encoder) on each text and compare the word's vectors.

    Raises SelectionError for a number of texts outside MIN_TEXTS … MAX_TEXTS or a word that does not occur, the errors
    of ``tokenise``, ModelUnavailableError for a model without a token embedding table. Fields begin with
    ``texts.<number>``.
    """
    if not MIN_TEXTS <= len(choices) <= MAX_TEXTS:
        raise SelectionError(
            "Give {least} to {most} texts to compare, not {given}.",
            MIN_TEXTS,
            MAX_TEXTS,
            len(choices),
            field="texts",
            limit=MAX_TEXTS,
        )
    loaded.check_carried()
    if not isinstance(loaded.model.get_input_embeddings(), nn.Embedding):
        raise ModelUnavailableError("{id} has no token embedding table.", loaded.entry.id)
    check = stopping(cancelled, "comparison")
    chosen = []
    for number, choice in enumerate(choices):
        try:
            inputs, tokens = tokenise(loaded, choice.text, max_tokens=max_tokens)
            chosen.append((inputs, tokens, word_tokens(choice, tokens)))
        except AnalysisError as error:
            if not isinstance(error, ModelUnavailableError):
                error.field = f"texts.{number}.{error.field}"
            raise
    with torch.inference_mode():
        return _compare([_read(loaded, *each, check) for each in chosen])


def context_key(loaded: LoadedModel, choices: Sequence[WordChoice]) -> str:
    """A cache key for the request and the model's weights."""
    asked: dict[str, Any] = {"texts": [asdict(choice) for choice in choices], "fingerprint": loaded.fingerprint}
    return json.dumps({**asked, "device": str(loaded.device), "dtype": str(loaded.dtype)}, sort_keys=True)


def _read(
    loaded: LoadedModel,
    inputs: Mapping[str, Tensor],
    tokens: list[Token],
    chosen: list[int],
    check: Callable[[], None],
) -> _Read:
    encoder_decoder = loaded.entry.kind == "encoder_decoder"
    reader: Any = loaded.model.get_encoder() if encoder_decoder else body(loaded.model)
    with record(check) as recording:
        hidden = reader(**inputs, output_hidden_states=True).hidden_states
    table = loaded.model.get_input_embeddings()(inputs["input_ids"])
    # Checked before stacking: states may be wider than the table (ELECTRA).
    states = [state[0].float() for state in (table, *hidden)]
    if states[0].shape != states[1].shape:
        raise ModelUnavailableError("{id} does not embed its tokens with its own table.", loaded.entry.id)
    return _Read(tokens, chosen, torch.stack(states), recording.layers)


def _compare(texts: list[_Read]) -> WordsInContext:
    vectors = torch.stack([text.states[:, text.chosen].mean(dim=1) for text in texts], dim=1)
    unit = l2_norm(vectors)
    baseline = _baseline(texts)
    ids = [[text.tokens[index].id for index in text.chosen] for text in texts]
    return WordsInContext(
        states=["table", "embeddings", *(f"layer_{layer}" for layer in range(len(vectors) - 2))],
        cosines=(unit @ unit.mT).cpu().numpy(),
        baseline=None if baseline is None else baseline.cpu().numpy(),
        same_tokens=np.array([[mine == yours for yours in ids] for mine in ids]),
        words=[
            WordInContext(
                tokens=text.tokens,
                word_tokens=text.chosen,
                norms=vectors[:, number].norm(dim=-1).cpu().numpy(),
                reads=np.stack([_reads(layer, text.chosen) for layer in text.layers]),
                nearest=_nearest(texts, number, unit[:, number]),
            )
            for number, text in enumerate(texts)
        ],
    )


def _reads(layer: LayerRecord, chosen: list[int]) -> np.ndarray:
    """(H, N): mean over the word's tokens."""
    rows, cols = slice(chosen[0], chosen[-1] + 1), slice(0, layer.attention.num_keys)
    weights = layer.attention.weights(rows, cols, layer.log_sum_exp)[0]
    return weights[:, [index - chosen[0] for index in chosen]].mean(dim=1).float().cpu().numpy()


def _baseline(texts: list[_Read]) -> Float[Tensor, " S"] | None:
    """Mean cosine over all pairs of different tokens from different texts."""
    others = [
        [token.index for token in text.tokens if not token.special and token.index not in text.chosen] for text in texts
    ]
    unit = [l2_norm(text.states[:, kept]) for text, kept in zip(texts, others, strict=True)]
    ids = [
        torch.tensor([text.tokens[index].id for index in kept], dtype=torch.int64)
        for text, kept in zip(texts, others, strict=True)
    ]
    total, count = torch.zeros(len(texts[0].states), device=texts[0].states.device), 0
    for first, second in combinations(range(len(texts)), 2):
        different = (ids[first][:, None] != ids[second]).to(total.device)
        total += ((unit[first] @ unit[second].mT) * different).sum(dim=(1, 2))
        count += int(different.sum())
    return total / count if count else None


def _nearest(texts: list[_Read], number: int, word: Float[Tensor, "S D"]) -> list[list[NearToken]]:
    places = [
        (each, token.index)
        for each, text in enumerate(texts)
        for token in text.tokens
        if not token.special and not (each == number and token.index in text.chosen)
    ]
    if not places:
        return [[] for _ in word]
    kept = [[index for each, index in places if each == here] for here in range(len(texts))]
    unit = torch.cat([l2_norm(text.states[:, mine]) for text, mine in zip(texts, kept, strict=True)], dim=1)
    best = (unit @ word.unsqueeze(-1)).squeeze(-1).topk(min(NEAREST, len(places)), dim=-1)
    return [
        [NearToken(places[place][0], places[place][1], cosine) for cosine, place in zip(cosines, ids, strict=True)]
        for cosines, ids in zip(best.values.tolist(), best.indices.tolist(), strict=True)
    ]
