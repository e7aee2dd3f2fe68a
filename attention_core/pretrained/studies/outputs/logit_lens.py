"""The logit lens: what a decoder would predict after each layer (nostalgebraist 2020).

The residual stream of one token after each layer is passed through the model's last norm and output matrix, as if no
layer followed. After the last layer these are the model's own logits.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import ViTForImageClassification

from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.selection import check_between, check_index
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.running.predictions import Candidate
from attention_core.pretrained.studies.outputs.residual_stream import LAYOUTS, ResidualStream, residual_stream

MAX_CANDIDATES = 50
LAST_NORMS = {
    **dict.fromkeys(
        ("GPTJForCausalLM", "CodeGenForCausalLM", "GPTNeoForCausalLM", "FalconForCausalLM", "BloomForCausalLM"),
        "transformer.ln_f",
    ),
    "MptForCausalLM": "transformer.norm_f",
    "PhiForCausalLM": "model.final_layernorm",
    **dict.fromkeys(
        ("Phi3ForCausalLM", "Gemma2ForCausalLM", "Gemma3ForCausalLM", "Olmo2ForCausalLM", "Olmo3ForCausalLM"),
        "model.norm",
    ),
    "OPTForCausalLM": "model.decoder.final_layer_norm",
}
"""The norm before the output matrix in further decoders, by transformers' class name."""


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
                Candidate(id_, tokenizer.decode([id_]), float(probabilities[row, id_]), logit)
                for logit, id_ in zip(best.values[row].tolist(), best.indices[row].tolist(), strict=True)
            ],
            entropy=float(torch.special.entr(probabilities[row]).sum()),
            probability=float(probabilities[row, followed]),
            rank=int((logits[row] > logits[row, followed]).sum()),
        )
        for row in range(len(logits))
    ]
    return LogitLens(position, followed, tokenizer.decode([followed]), states)


def lens_logits(residual: ResidualStream) -> Float[Tensor, "states vocabulary"]:
    """``norm(stream) W_U + b`` of every state, in the model's own precision, then float32."""
    return read_out(residual.stream, residual.norm, residual.unembedding)


def read_out(
    states: Float[Tensor, "states D"], norm: nn.Module, unembedding: nn.Module
) -> Float[Tensor, "states vocabulary"]:
    """``norm(states) W_U + b``, in the model's own precision, then float32."""
    with torch.inference_mode():
        dtype = next(unembedding.parameters()).dtype
        logits: Tensor = unembedding(norm(states.to(dtype))).float()
        return logits


class Capped(nn.Module):
    """Logits that come no further from 0 than a cap, as Gemma 2 makes them: ``cap · tanh(logits / cap)``."""

    def __init__(self, unembedding: nn.Module, cap: float) -> None:
        super().__init__()
        self.unembedding, self.cap = unembedding, cap

    def forward(self, states: Float[Tensor, "states D"]) -> Float[Tensor, "states vocabulary"]:
        """The capped logits of these states, normed."""
        logits: Tensor = self.unembedding(states)
        return self.cap * torch.tanh(logits / self.cap)


def reader_of(loaded: LoadedModel) -> tuple[nn.Module, nn.Module] | None:
    """The last norm, and what makes logits of tokens or classes; None in other models."""
    name = type(loaded.model).__name__
    path = LAYOUTS[name].norm if name in LAYOUTS else LAST_NORMS.get(name)
    if path is not None:  # OPT has no last norm where each block ends with one
        norm = dict(loaded.model.named_modules()).get(path, nn.Identity())
        unembedding = loaded.model.get_output_embeddings()
        cap = getattr(loaded.model.config, "final_logit_softcapping", None)
        return norm, unembedding if cap is None else Capped(unembedding, float(cap))
    if isinstance(loaded.model, ViTForImageClassification):
        return loaded.model.vit.layernorm, loaded.model.classifier
    return None
