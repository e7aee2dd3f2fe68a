"""Assert in a test or in a training loop that a model sees what it may, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from .allowed import causal, document_lengths, packed, restarting_positions
from .measure import Reach, reach
from .replacement import other_text
from .running import Runner
from .verdict import Verdict, judge

Allowed = str | Tensor | Sequence[Tensor]
"""``"causal"``, ``"packed"``, ``"all"``, or masks."""


OTHER_TEXTS = 2
"""In which a pair must not be used either, to count as never used."""


def assert_reach(
    model: Callable[..., Any],
    tokens: Sequence[int] | Tensor,
    allowed: Allowed = "causal",
    *,
    documents: Sequence[int] | None = None,
    inputs: Mapping[str, Any] | None = None,
    unused: bool = True,
    **options: Any,
) -> Reach:
    """Raise AssertionError with a sentence if a token reaches a position that it must not, or fails to reach one.

    ``model`` is a module or a callable from ids (rows, N) to states or logits, ``tokens`` N ids. ``allowed`` is
    ``"causal"``, ``"packed"``, ``"all"``, a boolean mask (queries, keys), True where one layer may see, or one such
    mask for each layer. For ``"packed"``, ``documents`` are the lengths of the documents in ``tokens``; without them
    they are read off ``inputs["position_ids"]``, which restart at each document. If ``inputs`` is not given and the
    model takes ``position_ids``, it is called with such. Where ``inputs["attention_mask"]`` (1, N) is 0 is padding,
    which must reach nothing and is not asked about itself.

    ``unused=False`` permits what is allowed and never used, such as in a model with windows. Further options are those
    of ``reach``. Returns what was measured. Raises ValueError for wrong arguments.
    """
    arguments = dict(inputs or {})
    count = len(tokens) if not isinstance(tokens, Tensor) or tokens.shape[0] != 1 else tokens.shape[1]
    if isinstance(allowed, str) and allowed == "packed":
        documents = _documents(count, documents, arguments)
        if inputs is None and "position_ids" in Runner(model).parameters():
            arguments["position_ids"] = restarting_positions(documents)
    elif documents is not None:
        raise ValueError(f"documents are for allowed='packed', not for {allowed!r}")
    mask = _mask(allowed, count, documents)
    measured = reach(model, tokens, inputs=arguments, **options)
    verdict = judge_padded(measured, mask, arguments.get("attention_mask"))
    if not unused:
        verdict = replace(verdict, unused=())
    verdict = used_in_no_text(verdict, model, tokens, inputs=arguments, **options)
    if not verdict.is_as_allowed:
        raise AssertionError(" ".join(verdict.sentences))
    return measured


def used_in_no_text(
    verdict: Verdict, model: Callable[..., Any], tokens: Sequence[int] | Tensor, **options: Any
) -> Verdict:
    """The verdict without pairs that are used in other texts.

    A sharp softmax may leave a key so little that it changes no bit; that depends on the text, a mask does not.
    """
    sequence = torch.as_tensor(tokens)
    sequence = sequence[0] if sequence.dim() == (3 if sequence.is_floating_point() else 2) else sequence
    module = model if isinstance(model, nn.Module) else None
    chosen = options.pop("keys", None)
    for turn in range(OTHER_TEXTS):
        if not verdict.unused or sequence.is_floating_point():
            break
        keys = sorted({key for _, key in verdict.unused}) if chosen is None else list(chosen)
        text = other_text(sequence, turn, vocabulary=options.get("vocabulary"), model=module)
        reached = reach(model, text, keys=keys, **options).reached[-1]
        left = [(query, key) for query, key in verdict.unused if not bool(reached[query, keys.index(key)])]
        verdict = replace(verdict, unused=tuple(left))
    return verdict


def judge_padded(found: Reach, mask: Tensor | Sequence[Tensor], attention_mask: Tensor | None) -> Verdict:
    """What leaks and what is shut, where positions with 0 in a mask (1, N) are padding."""
    if attention_mask is None or attention_mask.dim() != 2 or bool(attention_mask.bool().all()):
        return judge(found, mask)
    real = attention_mask[0].bool().cpu()
    masks = [mask] if isinstance(mask, Tensor) else list(mask)
    return judge(found, [each & real for each in masks], queries=real.nonzero().flatten().tolist())


def _documents(count: int, documents: Sequence[int] | None, inputs: Mapping[str, Any]) -> list[int]:
    if documents is None:
        if inputs.get("position_ids") is None:
            raise ValueError("documents: allowed='packed' needs their lengths, or inputs['position_ids'] that restart")
        documents = document_lengths(torch.as_tensor(inputs["position_ids"]))
    if sum(documents) != count:
        raise ValueError(f"documents: {list(documents)} are {sum(documents)} tokens, and {count} were given")
    return list(documents)


def _mask(allowed: Allowed, count: int, documents: Sequence[int] | None) -> Tensor | Sequence[Tensor]:
    if not isinstance(allowed, str):
        return allowed
    if documents is not None:
        return packed(documents)
    if allowed == "causal":
        return causal(count)
    if allowed == "all":
        return torch.ones(count, count, dtype=torch.bool)
    raise ValueError(f"allowed must be 'causal', 'packed', 'all' or a mask, not {allowed!r}")
