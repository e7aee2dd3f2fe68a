"""Direct logit attribution: what each head writes into a token's logit (Elhage et al. 2021; Wang et al. 2022, §3.1).

The last norm with its scale held fixed and the output matrix are linear, and the final residual stream is the sum of
what embedding, heads, biases and feed-forward layers write. So the logit is a sum too: every term has its share, and
the shares add up, with the constant of norm and output matrix, to the model's logit. Effects through later layers are
counted in the shares of those layers.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.block import epsilon_of, gain
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.studies.outputs.logit_lens import lens_logits
from attention_core.pretrained.studies.outputs.residual_stream import ResidualStream, residual_stream


@dataclass(frozen=True, eq=False)
class DirectEffect:
    """The contributions to one logit, or to the difference of two."""

    position: int
    token_id: int
    token_text: str
    against_id: int | None
    """The token whose logit is subtracted."""
    against_text: str | None
    heads: Float[np.ndarray, "layers heads"]
    attention_bias: Float[np.ndarray, "layers"]
    """Of the output projections' biases, which belong to no head."""
    feed_forward: Float[np.ndarray, "layers"]
    embedding: float
    constant: float
    """Share of the biases of the last norm and the output matrix."""
    total: float
    """The sum of all shares."""
    logit: float
    """The model's own; ``total`` apart from rounding."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.heads.nbytes + self.attention_bias.nbytes + self.feed_forward.nbytes + 200


def direct_effect(
    loaded: LoadedModel,
    analysis: Analysis,
    position: int,
    *,
    token: int | None = None,
    against: int | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> DirectEffect:
    """Contributions to the logit of ``token`` (by default the top one) at ``position``, minus that of ``against``.

    Raises the errors of ``residual_stream``, SelectionError for a token outside the vocabulary.
    """
    residual = residual_stream(loaded, analysis, position, stopping(cancelled, "direct effect"))
    with torch.inference_mode():
        logits = lens_logits(residual)[-1]
        token = int(logits.argmax()) if token is None else check_index("token", token, len(logits))
        against = None if against is None else check_index("against", against, len(logits))
        direction, output_bias = _unembedding_of(residual.unembedding, token, against)
        through_norm, norm_constant = _through_norm(residual.norm, residual.stream[-1].double(), direction)
        heads = _per_head(residual, through_norm, analysis.parts[0].heads)
        bias = [0.0 if each.bias is None else each.bias.double() @ through_norm for each in residual.projections]
        shares = {
            "heads": heads,
            "attention_bias": torch.tensor(bias, dtype=torch.float64),
            "feed_forward": residual.feed_forward.double() @ through_norm,
        }
        embedding = float(residual.stream[0].double() @ through_norm)
        constant = float(norm_constant + output_bias)
        return DirectEffect(
            position=position,
            token_id=token,
            token_text=loaded.tokenizer.decode([token]),
            against_id=against,
            against_text=None if against is None else loaded.tokenizer.decode([against]),
            **{name: values.float().cpu().numpy() for name, values in shares.items()},
            embedding=embedding,
            constant=constant,
            total=embedding + constant + sum(float(values.sum()) for values in shares.values()),
            logit=float(logits[token]) - (0.0 if against is None else float(logits[against])),
        )


def _unembedding_of(unembedding: nn.Module, token: int, against: int | None) -> tuple[Float[Tensor, " D"], float]:
    """Column of W_U and its bias, minus those of ``against``; in float64."""
    weight = unembedding.get_parameter("weight")
    bias = weight.new_zeros(len(weight)) if unembedding.bias is None else unembedding.get_parameter("bias")
    if against is None:
        return weight[token].double(), float(bias[token])
    return weight[token].double() - weight[against].double(), float(bias[token]) - float(bias[against])


def _through_norm(
    norm: nn.Module, final: Float[Tensor, " D"], direction: Float[Tensor, " D"]
) -> tuple[Float[Tensor, " D"], Float[Tensor, ""]]:
    """The vector v and constant c with ``norm(x) · direction = x · v + c``, for x = final and its scale held fixed.

    LayerNorm: ``(x − mean x) / σ · g + b``; RMSNorm: ``x / rms · g``.
    """
    gained = direction * gain(norm).double()
    if isinstance(norm, nn.LayerNorm):
        gained = (gained - gained.mean()) / (final.var(correction=0) + norm.eps).sqrt()
        bias = norm.get_parameter("bias").double() if norm.bias is not None else torch.zeros_like(direction)
        return gained, bias @ direction
    return gained / (final.square().mean() + (epsilon_of(norm) or 0.0)).sqrt(), direction.new_zeros(())


def _per_head(residual: ResidualStream, through_norm: Float[Tensor, " D"], num_heads: int) -> Float[Tensor, "L H"]:
    written = [
        output.double() * (projection.weight.double() @ through_norm)
        for output, projection in zip(residual.head_outputs, residual.projections, strict=True)
    ]
    return torch.stack(written).unflatten(-1, (num_heads, -1)).sum(dim=-1)
