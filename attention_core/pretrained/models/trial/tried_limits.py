"""What a loaded model really takes, tried on it: the longest text, and whether it tells two texts apart.

Names in a configuration say how long a table of positions is, not where its positions begin or what else is added. So a
text of the length that follows from them is given to the model, up to its first attention: embeddings alone run. If
they fail, the longest text that does not is searched for.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from attention_core.pretrained.models.configuration import ModelFacts
from attention_core.pretrained.recording.model_run import run_model
from attention_core.pretrained.recording.recorder import AttentionCall, receive

WITH_TABLES = frozenset({"learned", "sinusoidal", "rope"})
"""Kinds of positions that may be looked up in a table; rotations of some older types are."""
MOST_NUMBERS = 2**23
"""Tokens × d_model; beyond that nothing is tried, and a text that fails is refused when it comes."""
MOST_TOKENS = 2**13
A_PAIR = ("a b c", "a b c")


class _ReachedAttentionError(Exception):
    """The embeddings have run."""


@dataclass
class _Until:
    """A receiver that lets so many attention calls return zeros and stops the pass at the next one."""

    calls: int

    def attend(self, call: AttentionCall) -> Float[Tensor, "B H Q V"]:
        if self.calls == 0:
            raise _ReachedAttentionError
        self.calls -= 1
        batch, heads, queries, _ = call.queries.shape
        return call.values.new_zeros(batch, heads, queries, call.values.shape[-1])


def tried_limits(model: PreTrainedModel, facts: ModelFacts, inputs: Mapping[str, Tensor]) -> ModelFacts:
    """The facts with limits that hold; ``inputs`` are a short text that the model takes, on the CPU."""
    if facts.positions not in WITH_TABLES or "input_ids" not in inputs or facts.weights_only:
        return facts

    def longest(name: str, most: int, calls: int) -> int:
        width = model.get_input_embeddings().weight.shape[-1]
        if most > MOST_TOKENS or most * width > MOST_NUMBERS:
            return most
        return _longest(
            lambda count: _runs(model, {**inputs, name: _stretched(inputs[name], count)}, calls),
            inputs[name].shape[-1],
            most,
        )

    facts = replace(facts, max_tokens=longest("input_ids", facts.max_tokens, 0))
    if facts.max_target_tokens is not None and "decoder_input_ids" in inputs:
        most = longest("decoder_input_ids", facts.max_target_tokens, facts.layers)
        facts = replace(facts, max_target_tokens=most)
    return facts


def takes_pairs(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> bool:
    """Whether the model knows the second kind of text that its tokenizer makes of a second text."""
    try:
        encoded = tokenizer(*A_PAIR)
    except Exception:  # noqa: BLE001 - a tokenizer for single texts says so when a pair comes
        return True
    kinds = encoded.get("token_type_ids")
    if kinds is None or "token_type_ids" not in inspect.signature(model.forward).parameters:
        return True
    ids, kinds = (torch.tensor([each], device=model.device) for each in (encoded["input_ids"], kinds))
    return _runs(model, {"input_ids": ids, "token_type_ids": kinds}, 0)


def _longest(runs: Callable[[int], bool], known: int, most: int) -> int:
    if most <= known or runs(most):
        return most
    while most - known > 1:
        middle = (known + most) // 2
        known, most = (middle, most) if runs(middle) else (known, middle)
    return known


def _stretched(ids: Tensor, count: int) -> Tensor:
    return ids.repeat(1, count // ids.shape[-1] + 1)[:, :count]


def _runs(model: PreTrainedModel, inputs: Mapping[str, Any], calls: int) -> bool:
    """Whether the pass gets as far as the attention call after so many."""
    try:
        with torch.inference_mode(), receive(_Until(calls)):
            run_model(model, inputs, [])
    except _ReachedAttentionError:
        return True
    except Exception:  # noqa: BLE001 - whatever the library raises on this length
        return False
    return True
