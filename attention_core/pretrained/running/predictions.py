"""Model predictions: the next token (decoders), masked tokens (encoders with an LM head), or a class."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.inputs.spans import REPLACEMENT
from attention_core.pretrained.inputs.vocabulary_text import has_name, vocabulary_text
from attention_core.pretrained.models.tokenizers.special_tokens import special_ids

CANDIDATES = 10
"""Number of tokens listed for each predicted position."""


@dataclass(frozen=True)
class Candidate:
    """One candidate token for the predicted position."""

    id: int
    text: str
    probability: float
    logit: float
    written: str | None = None
    """What to append to the text, or to put in place of the mask, to get this token; null where no text gives it."""


@dataclass(frozen=True)
class Prediction:
    """Candidates for one position, most probable first."""

    kind: Literal["next_token", "masked_token", "class"]
    index: int
    """The token that the prediction is made at: the last one, or the masked one."""
    candidates: list[Candidate]
    read_from: list[int] = field(default_factory=list)
    """Of a class, the learned tokens that it is read from; empty if the classifier reads patches."""


def log_probabilities(logits: Float[Tensor, "n V"]) -> Float[Tensor, "n V"]:
    """``ln softmax(logits)`` in float32."""
    logits = logits.float()
    return logits - logits.logsumexp(dim=-1, keepdim=True)


def predictions(
    logits: Float[Tensor, "n V"] | None,
    indices: list[int],
    kind: Literal["next_token", "masked_token", "class"],
    tokenizer: Any,
    before: int | None = None,
    read_from: Sequence[int] = (),
) -> list[Prediction]:
    """The most probable tokens at each position; ``before`` is the token preceding the next one.

    ``read_from``: of a class, the learned tokens that it is read from.
    """
    if logits is None:
        return []
    probabilities = log_probabilities(logits).exp()
    logits = logits.float()
    best = logits.topk(min(CANDIDATES, logits.shape[-1]), dim=-1)
    return [
        Prediction(
            kind,
            index,
            [
                Candidate(
                    int(id_),
                    vocabulary_text(tokenizer, int(id_)),
                    float(probabilities[row, id_]),
                    float(logit),
                    None if kind == "class" else _written(tokenizer, int(id_), before),
                )
                for logit, id_ in zip(best.values[row], best.indices[row], strict=True)
            ],
            list(read_from),
        )
        for row, index in enumerate(indices)
    ]


def _written(tokenizer: Any, token_id: int, before: int | None) -> str | None:
    """The token as text, with the space that separates it from the previous one, if any.

    None for a special token ([SEP], </s>) and for a part of a character: their text has other tokens.
    """
    if token_id in special_ids(tokenizer) or not has_name(tokenizer, token_id):
        return None

    def decode(*ids: int) -> str:
        return str(tokenizer.decode(list(ids), clean_up_tokenization_spaces=False))

    first = "" if before is None else decode(before)
    text = decode(token_id) if before is None else decode(before, token_id)
    is_behind = text.startswith(first) and REPLACEMENT not in text[len(first) :]
    return text[len(first) :] or None if is_behind else None
