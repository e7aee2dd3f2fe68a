"""Token embeddings: look up each id's row of the embedding table, and its nearest neighbours.

``vectors = table[ids]``: (1, n) → (1, n, d). The cosine of their rows says how close two tokens are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention_core.pretrained.errors import ModelUnavailableError, SelectionError
from attention_core.pretrained.inputs.tokens import Token, tokenise
from attention_core.pretrained.inputs.vocabulary_text import has_name, spelt
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.models.tokenizers.special_tokens import special_ids
from attention_core.qk_norm import l2_norm
from attention_core.refusal import InvalidValueError

CELLS_AT_ONCE = 2**22
"""Cosines computed at a time, so that memory is bounded for a vocabulary of 250,000 and for long texts."""


@dataclass(frozen=True)
class Neighbour:
    """Another row of the table."""

    id: int
    token: str
    """As the vocabulary spells it."""
    text: str
    cosine: float


@dataclass(frozen=True, eq=False)
class EmbeddingLookup:
    """The embedding of each token of a text."""

    tokens: list[Token]
    ids_shape: tuple[int, int]
    """[1, n]: the input."""
    vectors_shape: tuple[int, int, int]
    """[1, n, d]: the output."""
    table_shape: tuple[int, int]
    """[vocabulary, d]"""
    vectors: Float[np.ndarray, "tokens d"]
    norms: Float[np.ndarray, "tokens"]
    distinct: Int[np.ndarray, "tokens"]
    """Number of different values in each vector."""
    similarity: Float[np.ndarray, "tokens tokens"]
    """Cosines between the tokens' vectors."""
    neighbours: list[list[Neighbour]]
    """For each token the rows of highest cosine except its own, nearest first."""


def look_up(
    loaded: LoadedModel,
    text: str | None = None,
    *,
    ids: Sequence[int] | None = None,
    neighbours: int = 8,
    max_tokens: int | None = None,
) -> EmbeddingLookup:
    """Look up the tokens of a text, or given ids.

    Raises the errors of ``tokenise`` for the text, SelectionError for an id outside the table, ModelUnavailableError
    for a model without such a table (an image model), ValueError unless exactly one of text and ids is given.
    """
    module = loaded.model.get_input_embeddings()
    if not isinstance(module, nn.Embedding):
        raise ModelUnavailableError("{id} has no token embedding table.", loaded.entry.id)
    table = module.weight
    if (text is None) == (ids is None):
        raise InvalidValueError("{name} must be given, or {other}, and not both", "text", "ids")
    tokens = tokenise(loaded, text, None, max_tokens)[1] if text is not None else _bare_tokens(loaded, ids or (), table)
    input_ids = torch.tensor([[token.id for token in tokens]], device=table.device)
    with torch.inference_mode():
        vectors = module(input_ids)
        unit = l2_norm(vectors[0].float())
        near = nearest(table, input_ids[0], neighbours)
        return EmbeddingLookup(
            tokens=tokens,
            ids_shape=(1, len(tokens)),
            vectors_shape=(1, len(tokens), table.shape[1]),
            table_shape=(table.shape[0], table.shape[1]),
            vectors=vectors[0].float().cpu().numpy(),
            norms=vectors[0].float().norm(dim=-1).cpu().numpy(),
            distinct=np.array([len(np.unique(row)) for row in vectors[0].float().cpu().numpy()]),
            similarity=(unit @ unit.T).cpu().numpy(),
            neighbours=_named(loaded, near),
        )


def nearest(
    table: Float[Tensor, "V D"], ids: Int[Tensor, " n"], count: int
) -> tuple[Float[Tensor, "n k"], Int[Tensor, "n k"]]:
    """Cosines and ids of the ``count`` nearest rows to each of these rows, excluding themselves (k ≤ V − 1)."""
    if count < 0:
        raise InvalidValueError("{name} must not be negative, not {given}", "count", count)
    wanted = min(count, table.shape[0] - 1)
    rows = l2_norm(table[ids].float())
    cosines = torch.empty(len(ids), 0, device=table.device)
    places_kept = torch.empty(len(ids), 0, dtype=torch.int64, device=table.device)
    at_once = max(1, CELLS_AT_ONCE // max(1, len(ids)))
    for start in range(0, table.shape[0], at_once):
        block = l2_norm(table[start : start + at_once].float())
        scores = rows @ block.T
        places = torch.arange(start, start + len(block), device=table.device).expand(len(ids), -1)
        scores.masked_fill_(places == ids.unsqueeze(-1), float("-inf"))
        scores, places = torch.cat((cosines, scores), dim=-1), torch.cat((places_kept, places), dim=-1)
        cosines, order = scores.topk(min(wanted, scores.shape[-1]), dim=-1)
        places_kept = places.gather(-1, order)
    return cosines, places_kept


def _bare_tokens(loaded: LoadedModel, ids: Sequence[int], table: Tensor) -> list[Token]:
    """Tokens given as ids, without a text."""
    for index, token_id in enumerate(ids):
        if not 0 <= token_id < table.shape[0]:
            limit = table.shape[0] - 1
            raise SelectionError(
                "{name} must be {least} to {most}, not {given}.",
                "ids",
                0,
                limit,
                token_id,
                field=f"ids.{index}",
                limit=limit,
            )
    special = special_ids(loaded.tokenizer)
    return [
        Token(index, token_id, *_names(loaded, token_id), None, None, token_id in special, 0)
        for index, token_id in enumerate(ids)
    ]


def _named(loaded: LoadedModel, near: tuple[Tensor, Tensor]) -> list[list[Neighbour]]:
    result = []
    for cosines, ids in zip(near[0].tolist(), near[1].tolist(), strict=True):
        names = [_names(loaded, token_id) for token_id in ids]
        result.append(
            [
                Neighbour(token_id, token, text, cosine)
                for token_id, cosine, (text, token) in zip(ids, cosines, names, strict=True)
            ]
        )
    return result


def _names(loaded: LoadedModel, token_id: int) -> tuple[str, str]:
    """The token decoded, and as the vocabulary spells it. Tables may be longer than vocabularies."""
    token = spelt(loaded.tokenizer, token_id)
    if not has_name(loaded.tokenizer, token_id):
        return token, ""
    text = loaded.tokenizer.decode([token_id], clean_up_tokenization_spaces=False)
    return text or token, token
