"""Choose by which tokens each token of a text is replaced, so that its embedding changes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import torch
from torch import Tensor, nn

TRIED = 64
"""Candidates for one replacement, until one has another embedding."""


def replaced_tokens(
    tokens: Tensor,
    keys: Sequence[int],
    count: int,
    *,
    vocabulary: Sequence[int] | None = None,
    model: nn.Module | None = None,
) -> list[tuple[int, Tensor]]:
    """(position, its replacement) for each of ``keys``, ``count`` times where there are so many.

    Ids (N,) are replaced by other ids of ``vocabulary``; unless given, by ids of the model's embedding that its
    configuration does not name as special, else by other ids of the text. Vectors (N, d) are replaced by their reverse
    with an offset. Raises ValueError where there is nothing to replace a token by.
    """
    if tokens.is_floating_point():
        return [(key, _other_vector(tokens[key], turn)) for turn in range(count) for key in keys]
    table = None if model is None else token_embedding(model)
    known = list(vocabulary) if vocabulary is not None else _vocabulary(tokens, table, special_ids(model))
    jobs = []
    for turn in range(count):
        for key in keys:
            other = _other_id(int(tokens[key]), known, turn, table)
            if other is not None:
                jobs.append((key, tokens.new_tensor(other)))
    missing = sorted(set(keys) - {key for key, _ in jobs})
    if missing:
        raise ValueError(
            f"tokens: nothing to replace position {missing[0]} by; give vocabulary, two or more ids that differ"
        )
    return jobs


def other_text(
    tokens: Tensor, turn: int, *, vocabulary: Sequence[int] | None = None, model: nn.Module | None = None
) -> Tensor:
    """The text with every token replaced, by the ``turn``-th choice for it."""
    text = tokens.clone()
    for key, other in replaced_tokens(tokens, range(len(tokens)), turn + 1, vocabulary=vocabulary, model=model):
        text[key] = other
    return text


def token_embedding(model: nn.Module) -> nn.Embedding | None:
    """The embedding of token ids: what transformers names so, else the one with most rows."""
    named = getattr(model, "get_input_embeddings", None)
    if callable(named):
        try:
            embedding = named()
        except (AttributeError, NotImplementedError):
            embedding = None
        if isinstance(embedding, nn.Embedding):
            return embedding
    tables = [module for module in model.modules() if isinstance(module, nn.Embedding)]
    likely = [each for name, each in model.named_modules() if isinstance(each, nn.Embedding) and "pos" not in name]
    return max(likely or tables, key=lambda each: each.num_embeddings, default=None)


def special_ids(model: nn.Module | None) -> set[int]:
    """Ids that the configuration names (``…_token_id``): a text with another number of them may be another kind."""
    to_dict = getattr(getattr(model, "config", None), "to_dict", dict)
    values: dict[str, object] = to_dict()
    ids: set[int] = set()
    for name, value in values.items():
        if name.endswith(("_token_id", "_token_index")):
            ids.update(each for each in (value if isinstance(value, list) else [value]) if isinstance(each, int))
    return ids


def _vocabulary(tokens: Tensor, table: nn.Embedding | None, special: Collection[int]) -> list[int]:
    if table is None:
        return sorted(set(tokens.tolist()))
    return [each for each in range(table.num_embeddings) if each not in special]


def _other_id(token: int, known: Sequence[int], turn: int, table: nn.Embedding | None) -> int | None:
    """The ``turn``-th other id whose embedding differs; ids are taken from all over the vocabulary, always the same."""
    seen = 0
    for other in _candidates(token, known):
        if _differs(token, other, table):
            if seen == turn:
                return other
            seen += 1
    return None


def _candidates(token: int, known: Sequence[int]) -> Iterator[int]:
    size = len(known)
    step = max(1, round(size * 0.382))  # the golden section spreads them
    seen: set[int] = set()
    for number in range(min(TRIED, 2 * size)):
        other = known[(token + 1 + number * step) % size]
        if other != token and other not in seen:
            seen.add(other)
            yield other


def _differs(token: int, other: int, table: nn.Embedding | None) -> bool:
    if table is None or table.weight.device.type == "meta" or token >= table.num_embeddings:
        return True
    return not torch.equal(table.weight[token], table.weight[other])


def _other_vector(vector: Tensor, turn: int) -> Tensor:
    scale = vector.abs().amax().clamp_min(1e-3)
    return vector.flip(0) + scale * (turn + 1) * torch.linspace(0.5, 1.5, len(vector)).to(vector)
