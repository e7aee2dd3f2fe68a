"""Direct logit attribution: what each head writes into a token's logit (Elhage et al. 2021; Wang et al. 2022, §3.1).

The last norm with its scale held fixed and the output matrix are linear, and the final residual stream is the sum of
what embedding, heads, biases and feed-forward layers write. So the logit is a sum too: every term has its share, and
the shares add up, with the constant of norm and output matrix, to the model's logit. Effects through later layers are
counted in the shares of those layers.

Where what heads write is normed before it is added (Gemma 2 and 3, OLMo 2 and 3), that norm's scale is held fixed as
well, so shares are exact for this run but do not say how the scale would change without a head. Where logits are capped
(Gemma 2), shares are of the logit before the cap: ``cap · tanh(logit / cap)`` keeps the order, but is no sum.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.inputs.vocabulary_text import vocabulary_text
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.selection import check_index
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.studies.outputs.fixed_norms import FixedNorm
from attention_core.pretrained.studies.outputs.readers import Reader
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
    """The model's own, before its cap; ``total`` apart from rounding."""
    cap: float | None
    """The model's logits are ``cap · tanh(logit / cap)``, and come no further from 0; null for most models."""
    norms_written: bool
    """Whether what heads and feed-forward layers write is normed before it is added: that scale is held fixed, too."""

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
        logits = residual.reader.uncapped(residual.stream[-1:])[0]
        token = int(logits.argmax()) if token is None else check_index("token", token, len(logits))
        against = None if against is None else check_index("against", against, len(logits))
        direction, output_bias = _unembedding_of(residual.reader, token, against)
        last = FixedNorm.of(residual.reader.norm, residual.stream[-1:].double())
        through_norm = last.towards(direction)[0]
        shares = {
            "heads": _per_head(residual, through_norm, analysis.parts[0].heads),
            "attention_bias": _of_biases(residual, through_norm),
            "feed_forward": residual.feed_forward.double() @ through_norm,
        }
        embedding = float(residual.stream[0].double() @ through_norm)
        constant = float((last.shift() * direction).sum()) + output_bias
        return DirectEffect(
            position=position,
            token_id=token,
            token_text=vocabulary_text(loaded.tokenizer, token),
            against_id=against,
            against_text=None if against is None else vocabulary_text(loaded.tokenizer, against),
            **{name: values.float().cpu().numpy() for name, values in shares.items()},
            embedding=embedding,
            constant=constant,
            total=embedding + constant + sum(float(values.sum()) for values in shares.values()),
            logit=float(logits[token]) - (0.0 if against is None else float(logits[against])),
            cap=residual.reader.cap,
            norms_written=residual.is_written_normed,
        )


def _unembedding_of(reader: Reader, token: int, against: int | None) -> tuple[Float[Tensor, " D"], float]:
    """Column of W_U and its bias, minus those of ``against``, times the logits' factor; in float64."""
    weight = reader.unembedding.get_parameter("weight").detach()
    direction, bias = weight[token].double(), 0.0
    if reader.unembedding.bias is not None:
        bias = float(reader.unembedding.get_parameter("bias")[token])
    if against is not None:
        direction = direction - weight[against].double()
        if reader.unembedding.bias is not None:
            bias -= float(reader.unembedding.get_parameter("bias")[against])
    return reader.scale * direction, reader.scale * bias


def _per_head(residual: ResidualStream, through_norm: Float[Tensor, " D"], num_heads: int) -> Float[Tensor, "L H"]:
    shares = [
        output.double() * (projection.weight.double() @ written.towards(through_norm)[0])
        for output, projection, written in zip(
            residual.head_outputs, residual.projections, residual.written, strict=True
        )
    ]
    return torch.stack(shares).unflatten(-1, (num_heads, -1)).sum(dim=-1)


def _of_biases(residual: ResidualStream, through_norm: Float[Tensor, " D"]) -> Float[Tensor, " L"]:
    """Of the biases of W_O and of the norm of what heads write."""
    shares = []
    for projection, written in zip(residual.projections, residual.written, strict=True):
        bias = through_norm.new_zeros(()) if projection.bias is None else projection.bias.double()
        shares.append((bias * written.towards(through_norm)[0] + written.shift() * through_norm).sum())
    return torch.stack(shares)
