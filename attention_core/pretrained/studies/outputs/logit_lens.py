"""The logit lens: what a decoder would predict after each layer (nostalgebraist 2020).

The residual stream of one token after each layer is passed through the model's last norm and output matrix, as if no
layer followed. After the last layer these are the model's own logits.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.inputs.vocabulary_text import vocabulary_text
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.selection import check_between, check_index
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.running.predictions import Candidate
from attention_core.pretrained.studies.outputs.residual_stream import ResidualStream, residual_stream

MAX_CANDIDATES = 50


@dataclass(frozen=True)
class LensState:
    """The prediction from one state of the residual stream."""

    layer: int
    """The layer after which the prediction is made; −1 is the embedding, before the first."""
    candidates: list[Candidate]
    """Most probable first."""
    entropy: float
    """Entropy of all probabilities, in nats."""
    probability: float
    """Probability of the token that is followed."""
    rank: int
    """Number of tokens that are more probable."""


@dataclass(frozen=True)
class LogitLens:
    """One position's prediction after each layer."""

    position: int
    token_id: int
    """The token that is followed through the layers."""
    token_text: str
    states: list[LensState]
    """From the embedding to the last layer."""

    @property
    def nbytes(self) -> int:
        """Approximate memory held, in bytes."""
        return 200 * sum(1 + len(state.candidates) for state in self.states)


def logit_lens(
    loaded: LoadedModel,
    analysis: Analysis,
    position: int,
    *,
    k: int = 5,
    token: int | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> LogitLens:
    """The top ``k`` predictions after each layer, and the rank of ``token`` (by default the model's top one).

    Raises the errors of ``residual_stream``, SelectionError for k or token out of range.
    """
    check_between("k", k, 1, MAX_CANDIDATES)
    logits = lens_logits(residual_stream(loaded, analysis, position, stopping(cancelled, "logit lens")))
    followed = int(logits[-1].argmax()) if token is None else check_index("token", token, logits.shape[-1])
    log_probabilities = logits - logits.logsumexp(dim=-1, keepdim=True)
    probabilities = log_probabilities.exp()
    best = logits.topk(min(k, logits.shape[-1]), dim=-1)
    tokenizer = loaded.tokenizer
    states = [
        LensState(
            layer=row - 1,
            candidates=[
                Candidate(id_, vocabulary_text(tokenizer, id_), float(probabilities[row, id_]), logit)
                for logit, id_ in zip(best.values[row].tolist(), best.indices[row].tolist(), strict=True)
            ],
            entropy=float(torch.special.entr(probabilities[row]).sum()),
            probability=float(probabilities[row, followed]),
            rank=int((logits[row] > logits[row, followed]).sum()),
        )
        for row in range(len(logits))
    ]
    return LogitLens(position, followed, vocabulary_text(tokenizer, followed), states)


def lens_logits(residual: ResidualStream) -> Float[Tensor, "states vocabulary"]:
    """The model's logits of every state, in its own precision, then float32."""
    return residual.reader.logits(residual.stream)
