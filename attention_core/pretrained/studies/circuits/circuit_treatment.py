"""How circuits treat norms, positions and biases, and what they do not show, in words."""

from typing import Literal

from attention_core.refusal import Sentence

Norm = Literal["layer_norm", "rms_norm"]

LAYER_NORM = Sentence(
    "LayerNorm: gain and bias are folded into the weights, means are removed, and each embedding is divided by its own "
    "standard deviation, as if the stream held nothing else. The scale of the last norm is left out: it multiplies a "
    "whole row by one positive number."
)
RMS_NORM = Sentence(
    "RMSNorm: its gain is folded into the weights, and each embedding is divided by its own root mean square, as if "
    "the stream held nothing else. The scale of the last norm is left out: it multiplies a whole row by one positive "
    "number."
)
ROPE = Sentence("RoPE: the scores are those at a distance of 0, where nothing is rotated; they change with distance.")
NO_POSITIONS = Sentence("Position embeddings are left out; what a head attends to by position alone does not appear.")
BIASES = Sentence(
    "Biases count in the scores. They are left out of what is written, since they are written whatever the head "
    "attends to. Each row is shown minus its mean, which softmax ignores."
)
LATER_LAYERS = Sentence(
    "In all layers but the first, a head reads what earlier layers wrote as well, above all the first feed-forward "
    "layer. Circuits on embeddings alone do not show that."
)


def treatment(norm: Norm, *, rotary: bool) -> list[Sentence]:
    """What to know about circuits of a decoder with this norm; ``rotary``: with RoPE."""
    return [
        LAYER_NORM if norm == "layer_norm" else RMS_NORM,
        ROPE if rotary else NO_POSITIONS,
        BIASES,
        LATER_LAYERS,
    ]
