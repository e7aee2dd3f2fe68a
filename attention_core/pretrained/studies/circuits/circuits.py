"""QK and OV circuits of a decoder's head on its vocabulary, from the weights alone (Elhage et al. 2021).

With ``E`` the embeddings as the head's norm passes them on (each as if it were alone in the stream) and ``U`` the
output matrix behind the last norm:

- QK circuit, tokens × tokens: ``(E W_Q + b_Q)(E W_K + b_K)ᵀ · scale``, each row minus its mean, which softmax ignores.
  Row t says which tokens t would attend to, positions aside. Under RoPE this is the score at a distance of 0.
- OV circuit, tokens × tokens: ``E W_V W_O U``, each row minus its mean. Row t says which next tokens are raised when
  the head attends to t; biases, which are written whatever it attends to, are left out.
- Copying score: ``Σλ / Σ|λ|`` over the eigenvalues of the OV circuit (before means are subtracted), 1 if every token
  raises itself and its like. The d × d matrix ``W_O U E W_V`` has the same non-zero eigenvalues.

Nothing of size V × V is ever made: rows are made one at a time, pairs among PAIR_TOKENS tokens.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.pretrained.errors import SelectionError
from attention_core.pretrained.inputs.spans import REPLACEMENT
from attention_core.pretrained.inputs.tokens import decode
from attention_core.pretrained.inputs.vocabulary_text import spelt
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.selection import check_between, check_index
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.studies.circuits.circuit_treatment import Norm, treatment
from attention_core.pretrained.studies.circuits.circuit_weights import Decoder, LayerWeights, decoder_of
from attention_core.refusal import Sentence

MAX_TOKENS_LISTED = 50
PAIR_TOKENS = 4_096
"""Pairs are searched among this many tokens, those with the lowest ids: in vocabularies made by merging, the most
frequent ones."""
PAIR_ROWS = 512


@dataclass(frozen=True)
class CircuitToken:
    """A token of the vocabulary and its number in a row of a circuit."""

    id: int
    text: str
    score: float


@dataclass(frozen=True)
class CircuitRow:
    """One token's row of a circuit: its extremes, and the token itself."""

    highest: list[CircuitToken]
    """Highest first."""
    lowest: list[CircuitToken]
    """Lowest first."""
    own: float
    """The number of the token itself."""
    own_rank: int
    """How many tokens have a higher one."""


@dataclass(frozen=True)
class CircuitPair:
    """Two tokens, and their number in a circuit."""

    id: int
    """The token that attends (QK), or that is attended to (OV): the row."""
    text: str
    other_id: int
    """The token that it attends to (QK), or that is raised (OV): the column."""
    other_text: str
    score: float


@dataclass(frozen=True, eq=False)
class HeadCircuits:
    """The circuits of one head."""

    layer: int
    head: int
    key_head: int
    """The key/value head that it uses."""
    vocabulary: int
    """How many tokens the tokenizer knows; all of them are rows and columns."""
    pair_tokens: int
    """Pairs are searched among this many tokens, those with the lowest ids."""
    token_id: int | None
    """The token whose rows these are; null if none was asked for."""
    token_text: str | None
    attends_to: CircuitRow | None
    """Its row of the QK circuit, in units of scaled scores."""
    writes: CircuitRow | None
    """Its row of the OV circuit, in logits before the scale of the last norm."""
    attention_pairs: list[CircuitPair]
    """The largest numbers of the QK circuit."""
    writing_pairs: list[CircuitPair]
    """The largest numbers of the OV circuit."""
    copying_score: float
    """Sum of the OV circuit's eigenvalues over the sum of their magnitudes: 1 copies, −1 suppresses; 0 if all are 0."""
    eigenvalues: Float[np.ndarray, "eigenvalues 2"]
    """Real and imaginary parts, largest magnitude first; all others of the OV circuit are 0."""
    norm: Norm
    """LayerNorm removes means, RMSNorm does not."""
    rotary: bool
    """Whether the model has RoPE; then scores are those at a distance of 0."""

    @property
    def treatment(self) -> list[Sentence]:
        """How norms, positions and biases are treated, and what the numbers do not show."""
        return treatment(self.norm, rotary=self.rotary)

    @property
    def nbytes(self) -> int:
        """Approximate memory held, in bytes."""
        rows = [row for row in (self.attends_to, self.writes) if row is not None]
        tokens = sum(len(row.highest) + len(row.lowest) for row in rows)
        pairs = len(self.attention_pairs) + len(self.writing_pairs)
        return self.eigenvalues.nbytes + 200 * (tokens + 2 * pairs + 8)


def head_circuits(
    loaded: LoadedModel,
    layer: int,
    head: int,
    *,
    token: str | None = None,
    limit: int = 10,
    cancelled: Callable[[], bool] | None = None,
) -> HeadCircuits:
    """The circuits of one head; ``token`` is a text of exactly one token (" cat"), ``limit`` how many are listed.

    Raises NoCircuitsError for a model that is no decoder of a supported kind, SelectionError for a layer or head that
    it lacks and for a text of several tokens.
    """
    decoder = decoder_of(loaded)
    check_index("layer", layer, decoder.layers)
    check_index("head", head, loaded.parts[0].heads)
    check_between("limit", limit, 1, MAX_TOKENS_LISTED)
    chosen = None if token is None else token_id(loaded, token)
    check = stopping(cancelled, "computation")
    with torch.inference_mode():
        weights = decoder.layer(layer)
        circuits = _Circuits(decoder, weights, head, check)
        values = circuits.eigenvalues()
        total = float(values.abs().sum())
        return HeadCircuits(
            layer=layer,
            head=head,
            key_head=weights.key_heads[head],
            vocabulary=len(decoder.ids),
            pair_tokens=len(circuits.frequent),
            token_id=chosen,
            token_text=None if chosen is None else token_text(loaded, chosen),
            attends_to=None if chosen is None else circuits.attention_row(chosen, limit),
            writes=None if chosen is None else circuits.writing_row(chosen, limit),
            attention_pairs=circuits.attention_pairs(limit),
            writing_pairs=circuits.writing_pairs(limit),
            copying_score=float(values.real.sum()) / total if total > 0 else 0.0,
            eigenvalues=torch.view_as_real(values).cpu().numpy(),
            norm="layer_norm" if decoder.centred else "rms_norm",
            rotary=decoder.rotary,
        )


def token_text(loaded: LoadedModel, token_id: int) -> str:
    """The token as text with its spaces; as the vocabulary writes it where that is no whole character."""
    text = decode(loaded.tokenizer, token_id)
    return text if text and REPLACEMENT not in text else spelt(loaded.tokenizer, token_id)


def token_id(loaded: LoadedModel, text: str, field: str = "token") -> int:
    """The id of a text that is exactly one token. Raises SelectionError for any other, with its tokens."""
    tokenizer: Any = loaded.tokenizer
    with loaded.tokenizer_lock:
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    if len(ids) == 1:
        return int(ids[0])
    pieces = ", ".join(f"“{token_text(loaded, each)}”" for each in ids[:8]) + (", …" if len(ids) > 8 else "")
    raise SelectionError(
        "{token} is not one token of this vocabulary but {count}: {pieces}. Most words begin with a space.",
        repr(text),
        len(ids),
        pieces or "–",
        field=field,
        limit=1,
    )


@dataclass(frozen=True, eq=False)
class _Circuits:
    """One head of one decoder; V tokens, width D, head size d."""

    decoder: Decoder
    weights: LayerWeights
    head: int
    check: Callable[[], None]

    @property
    def frequent(self) -> Int[Tensor, " P"]:
        """The tokens among which pairs are searched."""
        return self.decoder.ids[:PAIR_TOKENS]

    def _read(self, weight: Float[Tensor, "D d"], ids: Int[Tensor, " n"] | None = None) -> Float[Tensor, "n d"]:
        """What a projection makes of the embeddings of these tokens, its bias aside."""
        parts = []
        for _, rows in self.decoder.normalised(self.weights.epsilon, ids):
            self.check()
            parts.append(rows @ weight)
        return torch.cat(parts)

    def _queries(self, ids: Int[Tensor, " n"]) -> Float[Tensor, "n d"]:
        return (self._read(self.weights.query[self.head], ids) + self.weights.query_bias[self.head]) * (
            self.weights.scale
        )

    def _written(self, ids: Int[Tensor, " n"]) -> Float[Tensor, "n D"]:
        return self._read(self.weights.value[self.head], ids) @ self.weights.output[self.head]

    def attention_row(self, token_id: int, limit: int) -> CircuitRow:
        """A row of the QK circuit. The key's bias adds the same to all keys, so the row's mean removes it."""
        query = self._queries(torch.tensor([token_id], device=self.decoder.ids.device))
        return self._row(token_id, self._read(self.weights.key[self.head]) @ query[0], limit)

    def writing_row(self, token_id: int, limit: int) -> CircuitRow:
        """A row of the OV circuit."""
        written = self._written(torch.tensor([token_id], device=self.decoder.ids.device))
        return self._row(token_id, self.decoder.logits(written)[0], limit)

    def attention_pairs(self, limit: int) -> list[CircuitPair]:
        """The largest numbers of the QK circuit."""
        queries, keys = self._queries(self.frequent), self._read(self.weights.key[self.head])
        mean, among = keys.mean(dim=0), keys[: len(self.frequent)]
        return self._pairs(lambda rows: queries[rows] @ (among - mean).T, limit)

    def writing_pairs(self, limit: int) -> list[CircuitPair]:
        """The largest numbers of the OV circuit."""
        written = self._written(self.frequent)
        mean = torch.stack([part.float().sum(dim=0) for part in self._unembeddings()]).sum(dim=0)
        among = self.decoder.unembedding[self.frequent].float() - mean / len(self.decoder.ids)
        behind = among * self.decoder.final_gain
        return self._pairs(lambda rows: written[rows] @ behind.T, limit)

    def eigenvalues(self) -> torch.Tensor:
        """Those of the OV circuit that are not 0 for want of rank, largest magnitude first; in float64."""
        out = self.weights.output[self.head] * self.decoder.final_gain
        size = out.shape[0]
        total = out.new_zeros((size, size), dtype=torch.float64)
        for rows, embeddings in self.decoder.normalised(self.weights.epsilon):
            self.check()
            values = embeddings @ self.weights.value[self.head]
            outputs = out @ self.decoder.unembedding[self.decoder.ids[rows]].float().T
            total += outputs.double() @ values.double()
        eigenvalues = torch.linalg.eigvals(total.cpu())
        return eigenvalues[eigenvalues.abs().argsort(descending=True, stable=True)]

    def _unembeddings(self) -> list[Tensor]:
        return [self.decoder.unembedding[ids] for ids in self.decoder.ids.split(PAIR_TOKENS)]

    def _row(self, token_id: int, numbers: Float[Tensor, " V"], limit: int) -> CircuitRow:
        numbers = numbers - numbers.mean()
        own = float(numbers[self.decoder.ids == token_id])
        limit = min(limit, len(numbers))
        return CircuitRow(
            highest=self._listed(numbers.topk(limit)),
            lowest=self._listed(numbers.topk(limit, largest=False)),
            own=own,
            own_rank=int((numbers > own).sum()),
        )

    def _listed(self, found: torch.return_types.topk) -> list[CircuitToken]:
        ids = self.decoder.ids[found.indices].tolist()
        loaded = self.decoder.loaded
        return [
            CircuitToken(id_, token_text(loaded, id_), score)
            for id_, score in zip(ids, found.values.tolist(), strict=True)
        ]

    def _pairs(self, rows_of: Callable[[slice], Float[Tensor, "r P"]], limit: int) -> list[CircuitPair]:
        count = len(self.frequent)
        scores, places = torch.empty(0, device=self.frequent.device), self.frequent[:0]
        for start in range(0, count, PAIR_ROWS):
            self.check()
            found = rows_of(slice(start, start + PAIR_ROWS)).flatten()
            best = found.topk(min(limit, len(found)))
            scores = torch.cat([scores, best.values])
            places = torch.cat([places, best.indices + start * count])
        best = scores.topk(min(limit, len(scores)))
        loaded = self.decoder.loaded
        pairs = []
        for score, place in zip(best.values.tolist(), places[best.indices].tolist(), strict=True):
            id_, other = int(self.frequent[place // count]), int(self.frequent[place % count])
            pairs.append(CircuitPair(id_, token_text(loaded, id_), other, token_text(loaded, other), score))
        return pairs
