"""Induction, duplicate-token and previous-token scores of heads, on repeated random tokens.

In ``a b c … a b c …`` with random tokens only the repetition is predictable, so what a head attends to in the second
half shows what it does (Olsson et al. 2022; the same sequences and offsets as TransformerLens' head detector). With a
period of P tokens, for each query i of the second half:

- induction: weight on key i − (P − 1), the token that came after this one last time;
- duplicate token: weight on key i − P, this token's last occurrence;
- previous token: weight on key i − 1.

The tokens of a half are all different, so that every last occurrence is the only one. The sequence begins with the
model's first token (<s>, [CLS], <|endoftext|>) if it has one, and for encoders ends with the last ([SEP], </s>).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention_core.blockwise.row_blocks import ROWS_PER_BLOCK
from attention_core.pretrained.errors import ModelUnavailableError, SelectionError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.models.tokenizers.special_tokens import special_ids
from attention_core.pretrained.models.tokenizers.start_token import start_token
from attention_core.pretrained.recording.metrics import MetricInfo
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.parts import split_into_parts
from attention_core.pretrained.recording.recorder import LayerRecord, record
from attention_core.pretrained.recording.selection import check_between
from attention_core.pretrained.running.cancellation import stopping

MAX_PERIOD = 256
MAX_SEQUENCES = 8
DEFAULT_PERIOD = 50
DEFAULT_SEQUENCES = 4

HEAD_SCORES: dict[str, MetricInfo] = {
    "induction": MetricInfo(
        "Induction",
        "Weight on the token that followed this token's last occurrence, averaged over the second "
        "half of repeated random tokens.",
        "Olsson et al. (2022), prefix matching",
        "share",
        self_attention_only=True,
    ),
    "duplicate_token": MetricInfo(
        "Duplicate token",
        "Weight on this token's last occurrence, averaged over the second half of repeated random tokens.",
        "Wang et al. (2022), section 3",
        "share",
        self_attention_only=True,
    ),
    "previous_token_random": MetricInfo(
        "Previous token (random text)",
        "Weight on the previous token, averaged over the second half of repeated random tokens.",
        "Olsson et al. (2022); Wang et al. (2022), section 3",
        "share",
        self_attention_only=True,
    ),
}
"""Every score by name, in the order in which it is shown."""


@dataclass(frozen=True, eq=False)
class PartScores:
    """The scores of one part's self-attention."""

    name: str
    scores: dict[str, Float[np.ndarray, "layers heads"]]
    """By name: a row for each layer, a column for each head."""


@dataclass(frozen=True, eq=False)
class HeadScores:
    """The scores of one model; deterministic in period, sequences and seed."""

    period: int
    """Different random tokens before they are repeated."""
    sequences: int
    seed: int
    parts: list[PartScores]

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return sum(values.nbytes for part in self.parts for values in part.scores.values())


def head_scores(
    loaded: LoadedModel,
    *,
    period: int | None = None,
    sequences: int = DEFAULT_SEQUENCES,
    seed: int = 0,
    max_tokens: int | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> HeadScores:
    """Mean scores over ``sequences`` random sequences, a forward pass each; by default the longest period up to 50.

    ``max_tokens`` is the operator's limit, in addition to the model's own. ``cancelled`` is called between steps.
    Raises SelectionError if two periods do not fit, ModelUnavailableError for a model without tokens.
    """
    loaded.check_carried()
    ids = _ordinary_ids(loaded)
    start, end = _frame(loaded)
    longest = _longest_period(loaded, len(ids), len(start) + len(end), max_tokens)
    period = min(DEFAULT_PERIOD, longest) if period is None else period
    if not 2 <= period <= longest:
        raise SelectionError(
            "period must be from 2 to {limit} here, not {period}", period, field="period", limit=longest
        )
    check_between("sequences", sequences, 1, MAX_SEQUENCES)
    check = stopping(cancelled, "measurement")
    generator = torch.Generator().manual_seed(seed)
    totals: dict[str, dict[str, Tensor]] = {}
    for _ in range(sequences):
        half = ids[torch.randperm(len(ids), generator=generator)[:period]]
        for name, offset, layers in _passes(loaded, torch.cat([half, half]), start, end, check):
            found = _scores(layers, first=offset + period, period=period)
            kept = totals.setdefault(name, {score: torch.zeros_like(values) for score, values in found.items()})
            for score, values in found.items():
                kept[score] += values / sequences
    parts = [
        PartScores(name, {score: values.float().cpu().numpy() for score, values in scores.items()})
        for name, scores in totals.items()
    ]
    return HeadScores(period, sequences, seed, parts)


def _passes(
    loaded: LoadedModel,
    repeated: Int[Tensor, " tokens"],
    start: list[int],
    end: list[int],
    check: Callable[[], None],
) -> list[tuple[str, int, list[LayerRecord]]]:
    """One forward pass: the name, start of the repeated tokens, and layers of each self-attending part."""
    tokens = [*start, *repeated.tolist(), *end]
    inputs = {"input_ids": torch.tensor([tokens], device=loaded.device)}
    if loaded.entry.kind == "encoder_decoder":
        first = start_token(loaded.model, loaded.tokenizer)
        inputs["decoder_input_ids"] = torch.tensor([[first, *repeated.tolist()]], device=loaded.device)
    with torch.inference_mode(), record(check) as recording:
        body(loaded.model)(**inputs)
    parts = split_into_parts(loaded.model, loaded.entry.kind, recording.layers)
    return [
        (part.name, 1 if part.query_side == "target" else len(start), part.layers)
        for part in parts
        if part.query_side == part.key_side
    ]


def _scores(layers: list[LayerRecord], *, first: int, period: int) -> dict[str, Float[Tensor, "L H"]]:
    """Mean weight at each offset, over the ``period`` queries from ``first`` on."""
    offsets = {"induction": period - 1, "duplicate_token": period, "previous_token_random": 1}
    with torch.inference_mode():
        return {
            name: torch.stack([_mean_at(layer, slice(first, first + period), offset) for layer in layers])
            for name, offset in offsets.items()
        }


def _mean_at(layer: LayerRecord, rows: slice, offset: int) -> Float[Tensor, " H"]:
    """Mean weight of key i − offset over these queries i, from windows along that diagonal."""
    total = torch.zeros(layer.attention.num_heads, dtype=torch.float64, device=layer.log_sum_exp.device)
    for start in range(rows.start, rows.stop, ROWS_PER_BLOCK):
        band = slice(start, min(start + ROWS_PER_BLOCK, rows.stop))
        keys = slice(band.start - offset, band.stop - offset)
        window = layer.attention.weights(band, keys, layer.log_sum_exp)[0]
        total += window.diagonal(dim1=-2, dim2=-1).sum(dim=-1)
    return total / (rows.stop - rows.start)


def _ordinary_ids(loaded: LoadedModel) -> Int[Tensor, " ids"]:
    """Every id of the vocabulary that is not a special token."""
    table = loaded.model.get_input_embeddings()
    if not isinstance(table, nn.Embedding):
        raise ModelUnavailableError("{id} takes no tokens that could be repeated.", loaded.entry.id)
    special = special_ids(loaded.tokenizer)
    known = sorted(set(loaded.tokenizer.get_vocab().values()) - special)
    return torch.tensor([token_id for token_id in known if token_id < table.num_embeddings])


def _frame(loaded: LoadedModel) -> tuple[list[int], list[int]]:
    """The special tokens before and after the sequence."""
    tokenizer = loaded.tokenizer

    def first_known(*ids: int | None) -> list[int]:
        return [token_id for token_id in ids if token_id is not None][:1]

    if loaded.entry.kind == "decoder":
        return first_known(tokenizer.bos_token_id), []
    if loaded.entry.kind == "encoder_decoder" and loaded.entry.positions == "relative_bias":  # T5 has no first token
        return [], first_known(tokenizer.eos_token_id)
    start = first_known(tokenizer.cls_token_id, tokenizer.bos_token_id)
    return start, first_known(tokenizer.sep_token_id, tokenizer.eos_token_id)


def _longest_period(loaded: LoadedModel, vocabulary: int, frame: int, max_tokens: int | None) -> int:
    limits = [limit for limit in (loaded.entry.max_tokens, max_tokens) if limit is not None]
    fitting = min((limit - max(frame, 1)) // 2 for limit in limits) if limits else MAX_PERIOD
    longest = min(MAX_PERIOD, vocabulary, fitting)
    if longest < 2:
        raise ModelUnavailableError("{id} is too small for two halves of random tokens.", loaded.entry.id)
    return longest
