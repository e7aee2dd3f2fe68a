"""Gradient × attention: attribute one output to weights (Serrano & Smith 2019; Barkan et al. 2021, Grad-SAM).

The share of every weight w is ``w · ∂output / ∂w``: how much the output would fall, to first order, if the weight went
to 0 and everything else stayed the same. The gradient follows the weight's effect through all later layers.

The output is one of:

- ``logit``: of one token at one position (decoders: the next token; with a masked-token head: the masked token), or of
  a classifier's class; minus that of another one, if given as a contrast;
- ``embedding``: for models without such a head, the length of the text's embedding (the mean of its last hidden
  states), as ``e · ê`` with ê = e / ‖e‖ held fixed. (The cosine of e with itself has the gradient 0.)
- ``component``: one component of the last hidden state at one position.

All weights and their gradients are held at once, layers × heads × queries × keys, so texts must be short.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.attend import softmax_in_place, softmax_with_sink
from attention_core.blockwise.attention import BlockwiseAttention
from attention_core.pretrained.errors import ModelUnavailableError, SelectionError, WindowTooLargeError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body, hidden_state
from attention_core.pretrained.recording.parts import PartRecord, split_into_parts
from attention_core.pretrained.recording.recorder import Change, LayerRecord, record
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.running.rerun import prepare

MAX_CELLS = 2**24
"""Weights of all heads together: 341 tokens for 12 layers of 12 heads."""

Target = Literal["logit", "embedding", "component"]


@dataclass(frozen=True, eq=False)
class PartAttribution:
    """The attribution of one part of the model."""

    name: str
    shares: Float[np.ndarray, "layers heads queries keys"]
    """Weight × gradient."""

    @property
    def heads(self) -> Float[np.ndarray, "layers heads"]:
        """The sum over all weights of a head."""
        return self.shares.sum(axis=(-1, -2))


@dataclass(frozen=True, eq=False)
class Attribution:
    """The attribution of one output."""

    target: Target
    position: int | None
    token_id: int | None
    against_id: int | None
    """The token whose logit is subtracted."""
    component: int | None
    output: float
    """The number whose gradient was taken."""
    parts: list[PartAttribution]

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return sum(part.shares.nbytes for part in self.parts)


@dataclass(frozen=True, eq=False, kw_only=True)
class DifferentiableAttention(BlockwiseAttention):
    """Differentiable dense attention; its weights are stored in ``kept``."""

    kept: list[Float[Tensor, "B H Q K"]] = field(default_factory=list)

    def attend(
        self, on_block: Callable[[], None] | None = None
    ) -> tuple[Float[Tensor, "B H Q V"], Float[Tensor, "B H Q 2"]]:
        """See BlockwiseAttention. Head edits are applied in the same order."""
        if on_block is not None:
            on_block()
        rows, cols = slice(0, self.num_queries), slice(0, self.num_keys)
        scores = self.masked_scores(rows, cols)
        sink = self.sink_scores(rows)
        weights = self._drop_weights(softmax_with_sink(scores, sink), rows, cols, 0.0)
        _, log_sum_exp = softmax_in_place(scores.detach().clone(), self.precision, sink)
        if not weights.requires_grad:  # the first layer: nothing before it has a gradient
            weights.requires_grad_()
        self.kept.append(weights)
        batch, heads, queries, keys = weights.shape
        stacked = weights.reshape(batch, self.values.shape[1], -1, keys)
        head_outputs = (stacked.to(self.values.dtype) @ self.values).view(batch, heads, queries, -1)
        for head, edit in self.edits.items():
            edit.replace_output(head_outputs[:, head])
        return head_outputs, log_sum_exp


def attribution(
    loaded: LoadedModel,
    analysis: Analysis,
    *,
    target: Target | None = None,
    position: int | None = None,
    token: int | None = None,
    against: int | None = None,
    component: int | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Attribution:
    """The share of every weight in one output.

    The default output is the logit of the most probable token, at the last position (decoders) or the first masked one,
    or of a classifier's most probable class; for models without a head it is the embedding. ``against`` is a token, or
    class, whose logit is subtracted. ``component`` without a position is that of the first token.

    Raises WindowTooLargeError for more than MAX_CELLS weights, SelectionError for a position, token or component that
    does not exist, ModelUnavailableError for a target that this model does not have.
    """
    _check_size(analysis)
    predicts = reads_logits(loaded, analysis)
    target = target or ("component" if component is not None else "logit" if predicts else "embedding")
    if target == "logit" and not predicts:
        raise ModelUnavailableError("{id} predicts no tokens: ask for its embedding or a component.", loaded.entry.id)
    if target != "logit" and loaded.entry.kind == "encoder_decoder":
        raise ModelUnavailableError("{id} is an encoder–decoder model: ask for a logit.", loaded.entry.id)
    rerun = prepare(loaded, analysis)
    check = stopping(cancelled, "attribution")
    with torch.enable_grad(), record(check, _differentiable(rerun.change)) as recording:
        if target == "logit":
            position = _position(loaded, analysis, position, len(rerun.tokens))
            logits = loaded.model(**rerun.inputs, **_no_cache(loaded)).logits[0].float()
            token, against, output = _of_logits(logits if position is None else logits[position], token, against)
        else:
            hidden = hidden_state(body(loaded.model)(**rerun.inputs, **_no_cache(loaded)))[0].float()
            position, component, output = _of_hidden(hidden, target, position, component)
            token = against = None
    check()
    parts = split_into_parts(loaded.model, loaded.entry.kind, recording.layers)
    shares = _by_part(parts, output)
    return Attribution(target, position, token, against, component, float(output.detach()), shares)


def num_weights(analysis: Analysis) -> int:
    """Total number of weights of all heads of all parts."""
    return sum(part.layers * part.heads * part.query_tokens * part.key_tokens for part in analysis.parts)


def reads_logits(loaded: LoadedModel, analysis: Analysis) -> bool:
    """Whether the model has a head with logits: over tokens, or over classes."""
    if loaded.class_names is not None:
        return len(analysis.predictions) > 0
    return loaded.model.get_output_embeddings() is not None


def _differentiable(change: Change | None) -> Change:
    """Replace each attention by the differentiable one, after any edits."""

    def replaced(module: nn.Module, attention: BlockwiseAttention) -> BlockwiseAttention:
        changed = attention if change is None else change(module, attention)
        return DifferentiableAttention(
            **{each.name: getattr(changed, each.name) for each in fields(BlockwiseAttention)}
        )

    return replaced


def _position(loaded: LoadedModel, analysis: Analysis, position: int | None, count: int) -> int | None:
    """None for a class, which belongs to the whole image or text."""
    if loaded.class_names is not None:
        return None
    if position is not None:
        return check_index("position", position, count)
    if loaded.model.can_generate():
        return count - 1
    masked = [token.index for token in analysis.tokens if token.id == loaded.tokenizer.mask_token_id]
    if not masked:
        raise SelectionError("position must be given: no token is masked", field="position")
    return masked[0]


def _of_logits(
    logits: Float[Tensor, " V"], token: int | None, against: int | None
) -> tuple[int, int | None, Float[Tensor, ""]]:
    """Resolved token and counter-token, and the output value."""
    token = int(logits.argmax()) if token is None else check_index("token", token, len(logits))
    if against is None:
        return token, None, logits[token]
    return token, against, logits[token] - logits[check_index("against", against, len(logits))]


def _of_hidden(
    hidden: Float[Tensor, "N D"], target: Target, position: int | None, component: int | None
) -> tuple[int | None, int | None, Float[Tensor, ""]]:
    """Resolved position and component, and the output value."""
    if target == "embedding":
        embedding = hidden.mean(dim=0)
        return None, None, embedding @ (embedding / embedding.norm()).detach()
    if component is None:
        raise SelectionError("{name} must be given", "component", field="component")
    place = 0 if position is None else check_index("position", position, len(hidden))
    return place, component, hidden[place, check_index("component", component, hidden.shape[-1])]


def _by_part(parts: Sequence[PartRecord], output: Float[Tensor, ""]) -> list[PartAttribution]:
    """Weight × gradient of every recorded weight; 0 where the output does not depend on it."""
    weights = [_weights(layer) for part in parts for layer in part.layers]
    gradients = torch.autograd.grad(output, weights, allow_unused=True)
    shares = iter(
        torch.zeros_like(weight[0]) if gradient is None else (weight * gradient)[0].detach()
        for weight, gradient in zip(weights, gradients, strict=True)
    )
    return [
        PartAttribution(part.name, torch.stack([next(shares) for _ in part.layers]).float().cpu().numpy())
        for part in parts
    ]


def _weights(layer: LayerRecord) -> Float[Tensor, "B H Q K"]:
    if not isinstance(layer.attention, DifferentiableAttention):
        raise TypeError(f"a differentiable attention was asked for, not {type(layer.attention).__name__}")
    return layer.attention.kept[0]


def _no_cache(loaded: LoadedModel) -> dict[str, Any]:
    return {"use_cache": False} if loaded.model.can_generate() else {}


def _check_size(analysis: Analysis) -> None:
    cells = num_weights(analysis)
    if cells > MAX_CELLS:
        raise WindowTooLargeError(
            "gradients of {cells} weights are more than {limit}: use a shorter text",
            cells,
            field="analysis_id",
            limit=MAX_CELLS,
        )
