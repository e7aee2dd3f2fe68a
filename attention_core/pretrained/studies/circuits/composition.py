"""How strongly heads of a decoder read what heads of earlier layers write (Elhage et al. 2021, composition scores).

With ``QK = W_Q W_Kᵀ`` and ``OV = W_V W_O`` of width × width, for a head 1 and a head 2 of a later layer:

- Q-composition ``‖OV₁ QK₂‖ / (‖OV₁‖ ‖QK₂‖)``: what head 1 writes enters the queries of head 2;
- K-composition ``‖OV₁ QK₂ᵀ‖ / (‖OV₁‖ ‖QK₂‖)``: it enters the keys;
- V-composition ``‖OV₁ OV₂‖ / (‖OV₁‖ ‖OV₂‖)``: it enters the values.

Norms are Frobenius norms. Gains are folded in and means removed; biases, positions, RoPE's rotation, the scale of norms
and what feed-forward layers do in between are left out. Matrices of rank d keep their norm when a factor ``A`` is
replaced by R of ``A = Q R``, so nothing of size width × width is made for a pair.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.pretrained.errors import NoCircuitsError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.selection import check_between
from attention_core.pretrained.running.cancellation import stopping
from attention_core.pretrained.studies.circuits.circuit_weights import Decoder, LayerWeights, decoder_of

Composing = Literal["query", "key", "value"]
COMPOSING: tuple[Composing, ...] = ("query", "key", "value")
MAX_LISTED = 200
MAX_MULTIPLICATIONS = 10**13
"""About two minutes on two cores."""
RANDOM_PAIRS = 24


@dataclass(frozen=True)
class ComposedPair:
    """A head that writes, and a head of a later layer that reads it."""

    by: Composing
    """Whether it enters the queries, the keys or the values."""
    layer: int
    head: int
    """The head that writes."""
    reading_layer: int
    reading_head: int
    score: float


@dataclass(frozen=True, eq=False)
class Composition:
    """Composition scores of all pairs of heads of different layers; head h of layer l has the index l × heads + h."""

    layers: int
    heads: int
    query: Float[np.ndarray, "writing reading"]
    """Q-composition; 0 where the head that reads is not in a later layer, likewise below."""
    key: Float[np.ndarray, "writing reading"]
    value: Float[np.ndarray, "writing reading"]
    random_mean: float
    """Mean score of random matrices of the same shapes (independent normal numbers): compare each score with it."""
    random_deviation: float
    """Their standard deviation."""
    strongest: list[ComposedPair]
    """The largest scores of each kind."""
    copying: Float[np.ndarray, "layers heads"]
    """The copying score of each head."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return 3 * self.query.nbytes + self.copying.nbytes + 100 * len(self.strongest)


def composition(loaded: LoadedModel, *, limit: int = 20, cancelled: Callable[[], bool] | None = None) -> Composition:
    """Scores of all pairs, and the ``limit`` largest of each kind.

    Raises NoCircuitsError for a model that is no decoder of a supported kind, or too large for MAX_MULTIPLICATIONS.
    """
    decoder = decoder_of(loaded)
    check_between("limit", limit, 1, MAX_LISTED)
    layers, heads, width = decoder.layers, loaded.parts[0].heads, decoder.table.shape[1]
    with torch.inference_mode():
        folded = decoder.layer(0)
        size = folded.query.shape[-1]
        _check_size(loaded, layers, heads * size, width, len(decoder.ids))
        check = stopping(cancelled, "computation")
        scores, copying = _all_scores(decoder, heads, check)
        random = _random_scores(width, size)
    arrays = {by: values.cpu().numpy() for by, values in scores.items()}
    return Composition(
        layers=layers,
        heads=heads,
        **arrays,
        random_mean=float(random.mean()),
        random_deviation=float(random.std()),
        strongest=[pair for by in COMPOSING for pair in _strongest(by, arrays[by], heads, limit)],
        copying=copying.cpu().numpy(),
    )


def _check_size(loaded: LoadedModel, layers: int, inner: int, width: int, vocabulary: int) -> None:
    work = 3 * layers * (layers - 1) // 2 * inner * inner * width + vocabulary * width * width
    if work > MAX_MULTIPLICATIONS:
        raise NoCircuitsError(
            "The composition scores of {id} take {given} multiplications; at most {limit} are computed here.",
            loaded.entry.id,
            f"{work:.0e}",
            limit=MAX_MULTIPLICATIONS,
        )


def _all_scores(
    decoder: Decoder, heads: int, check: Callable[[], None]
) -> tuple[dict[Composing, Float[Tensor, "writing reading"]], Float[Tensor, "L H"]]:
    between = _between_embeddings(decoder, check)
    total = decoder.layers * heads
    scores = {by: between.new_zeros((total, total), dtype=torch.float32) for by in COMPOSING}
    copying: list[Tensor] = []
    written: list[Tensor] = []
    for layer in range(decoder.layers):
        weights = decoder.layer(layer)
        reading = _reading(weights)
        columns = slice(layer * heads, (layer + 1) * heads)
        for earlier, writing in enumerate(written):
            check()
            rows = slice(earlier * heads, (earlier + 1) * heads)
            for by in COMPOSING:
                scores[by][rows, columns] = _ratios(writing, reading[by])
        written.append(_triangle(weights.value) @ weights.output)
        copying.append(_copying(weights, between))
    return scores, torch.stack(copying)


def _reading(weights: LayerWeights) -> dict[Composing, Float[Tensor, "H D d"]]:
    """For each way to read: a matrix with the norm of QK (or OV) and the same column space."""
    return {
        "query": weights.query @ _triangle(weights.key).mT,
        "key": weights.key @ _triangle(weights.query).mT,
        "value": weights.value @ _triangle(weights.output.mT).mT,
    }


def _triangle(matrix: Float[Tensor, "... D d"]) -> Float[Tensor, "... k d"]:
    """R of ``A = Q R``: ``‖A X‖ = ‖R X‖`` for every X."""
    return torch.linalg.qr(matrix, mode="r").R


def _ratios(writing: Float[Tensor, "H k D"], reading: Float[Tensor, "G D m"]) -> Float[Tensor, "H G"]:
    """``‖A B‖ / (‖A‖ ‖B‖)`` for each A and each B."""
    products = writing.flatten(0, 1) @ reading.transpose(0, 1).flatten(1)
    blocks = products.unflatten(0, writing.shape[:2]).unflatten(-1, (reading.shape[0], reading.shape[2]))
    norms = blocks.square().sum(dim=(1, 3)).sqrt()
    bounds = writing.flatten(1).norm(dim=1)[:, None] * reading.flatten(1).norm(dim=1)
    return torch.where(bounds > 0, norms / bounds, 0.0)


def _random_scores(width: int, size: int) -> Float[Tensor, " n"]:
    """Scores of random pairs, from a fixed seed."""
    generator = torch.Generator().manual_seed(0)

    def product() -> tuple[Tensor, Tensor]:
        first, second = (torch.randn((width, size), generator=generator) for _ in range(2))
        return first, second

    ratios = []
    for _ in range(RANDOM_PAIRS):
        (value, output), (query, key) = product(), product()
        ratios.append(_ratios((_triangle(value) @ output.T)[None], (query @ _triangle(key).mT)[None])[0, 0])
    return torch.stack(ratios)


def _between_embeddings(decoder: Decoder, check: Callable[[], None]) -> Float[Tensor, "D D"]:
    """``g Uᵀ Ê``: from what is written to what the embeddings of the raised tokens are; the same for all heads."""
    epsilon = decoder.layer(0).epsilon
    width = decoder.table.shape[1]
    total = torch.zeros((width, width), dtype=torch.float64, device=decoder.table.device)
    for rows, embeddings in decoder.normalised(epsilon):
        check()
        total += (decoder.unembedding[decoder.ids[rows]].float().T @ embeddings).double()
    return decoder.final_gain.double()[:, None] * total


def _copying(weights: LayerWeights, between: Float[Tensor, "D D"]) -> Float[Tensor, " H"]:
    """``Σλ / Σ|λ|`` of the OV circuit of each head, see ``circuits``."""
    values = torch.linalg.eigvals((weights.output.double() @ between @ weights.value.double()).cpu())
    total = values.abs().sum(dim=-1)
    return torch.where(total > 0, values.real.sum(dim=-1) / total, 0.0).float()


def _strongest(by: Composing, scores: np.ndarray, heads: int, limit: int) -> list[ComposedPair]:
    order = np.argsort(-scores, axis=None, kind="stable")[:limit]
    places = [(int(row), int(col)) for row, col in zip(*np.unravel_index(order, scores.shape), strict=True)]
    return [
        ComposedPair(by, *divmod(row, heads), *divmod(col, heads), float(scores[row, col]))
        for row, col in places
        if scores[row, col] > 0
    ]
