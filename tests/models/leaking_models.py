"""Tiny decoders with one fault each, of kinds that have been published, and the same without."""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

WIDTH, VOCABULARY, TOKENS = 16, 40, 12
Mask = Callable[[int], Tensor]


def causal(count: int) -> Tensor:
    return torch.ones(count, count, dtype=torch.bool).tril()


class Attention(nn.Module):
    """Two heads under a mask of its own; ``fused`` through torch's kernel."""

    def __init__(self, mask: Mask | None = causal, *, fused: bool = False) -> None:
        super().__init__()
        self.mask, self.fused = mask, fused
        self.into, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor, hidden: Tensor | None = None) -> Tensor:
        rows, count, _ = x.shape
        q, k, v = self.into(x).view(rows, count, 3, 2, WIDTH // 2).permute(2, 0, 3, 1, 4)
        allowed = torch.ones(count, count, dtype=torch.bool) if self.mask is None else self.mask(count)
        if hidden is not None:
            allowed = allowed & (hidden | torch.eye(count, dtype=torch.bool))
        if self.fused:
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        else:
            scores = (q @ k.mT / math.sqrt(WIDTH / 2)).masked_fill(~allowed, -torch.inf)
            mixed = scores.softmax(-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(rows, count, WIDTH))


class Mixing(nn.Module):
    """Any function of (rows, N, d) and a projection."""

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function, self.out = function, nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.function(x))


class Convolution(nn.Module):
    """Of width 3 along time, ``left`` of them before a token."""

    def __init__(self, left: int) -> None:
        super().__init__()
        self.left, self.kernel = left, nn.Conv1d(WIDTH, WIDTH, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.kernel(F.pad(x.mT, (self.left, 2 - self.left))).mT


class OtherAxis(nn.Module):
    """A convolution along features: its channels are the positions."""

    def __init__(self) -> None:
        super().__init__()
        self.kernel = nn.Conv1d(TOKENS, TOKENS, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.kernel(x)


class Recurrent(nn.Module):
    """A GRU."""

    def __init__(self, *, both: bool) -> None:
        super().__init__()
        self.cell = nn.GRU(WIDTH, WIDTH // (1 + both), batch_first=True, bidirectional=both)

    def forward(self, x: Tensor) -> Tensor:
        return self.cell(x)[0]


class ExpertsChoose(nn.Module):
    """Each of two experts takes the half of all tokens that suits it best; ``flat`` over the whole batch."""

    def __init__(self, *, flat: bool = False) -> None:
        super().__init__()
        self.flat, self.router = flat, nn.Linear(WIDTH, 2)
        self.experts = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        rows = x.reshape(1, -1, WIDTH) if self.flat else x
        scores = self.router(rows)
        mixed = torch.zeros_like(rows)
        for index, expert in enumerate(self.experts):
            chosen = scores[..., index].topk(rows.shape[1] // 2, dim=1).indices[..., None].expand(-1, -1, WIDTH)
            mixed = mixed.scatter_add(1, chosen, expert(rows.gather(1, chosen)))
        return mixed.view_as(x)


class TokensChoose(nn.Module):
    """Each token takes the better of two experts: no fault."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(WIDTH, 2)
        self.experts = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        flat = x.reshape(-1, WIDTH)
        chosen = self.router(flat).argmax(-1)
        mixed = torch.zeros_like(flat)
        for index, expert in enumerate(self.experts):
            of = (chosen == index).nonzero()[:, 0]
            mixed[of] = expert(flat[of])
        return mixed.view_as(x)


class TimeMixing(nn.Module):
    """A linear layer over positions, as in MLP-Mixer, that nothing keeps triangular."""

    def __init__(self) -> None:
        super().__init__()
        self.mix = nn.Linear(TOKENS, TOKENS)

    def forward(self, x: Tensor) -> Tensor:
        return self.mix(x.mT).mT


def shifted(x: Tensor, by: int) -> Tensor:
    """Of each position, its neighbour's vector: by 1 the one before, by −1 the one after."""
    return F.pad(x, (0, 0, by, 0))[:, : x.shape[1]] if by > 0 else F.pad(x, (0, 0, 0, -by))[:, -by:]


def over_time(x: Tensor) -> Tensor:
    return (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-5)


def over_everything(x: Tensor) -> Tensor:
    """Batch norm with this batch's statistics: of all rows and positions."""
    return F.batch_norm(x.mT, None, None, training=True).mT


def rounded(x: Tensor) -> Tensor:
    """To whole numbers of a step that the largest number of all positions sets, as in dynamic quantisation."""
    step = x.abs().amax((1, 2), keepdim=True) / 7
    return (x / step).round() * step


def normalised_by_all(x: Tensor) -> Tensor:
    """Linear attention whose denominator sums over all keys, also later ones."""
    keys = F.elu(x) + 1
    summed = (keys[..., None] * x[..., None, :]).cumsum(1)
    return torch.einsum("bnd,bnde->bne", keys, summed) / (keys * keys.sum(1, keepdim=True)).sum(-1, keepdim=True)


def spectral(x: Tensor) -> Tensor:
    """The real part of a Fourier transform along time, as in FNet."""
    return torch.fft.fft(x, dim=1).real


class Block(nn.Module):
    """x + mixing(x), then x + perceptron(x)."""

    def __init__(self, mixing: nn.Module) -> None:
        super().__init__()
        self.norm, self.mixing = nn.LayerNorm(WIDTH), mixing
        self.perceptron = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 32), nn.GELU(), nn.Linear(32, WIDTH))

    def forward(self, x: Tensor, hidden: Tensor | None = None) -> Tensor:
        given: Any = (hidden,) if isinstance(self.mixing, Attention) else ()
        x = x + self.mixing(self.norm(x), *given)
        return x + self.perceptron(x)


class Decoder(nn.Module):
    """Three blocks; what is around them may have a fault, too."""

    def __init__(
        self,
        *mixings: nn.Module,
        enters: Callable[[Tensor], Tensor] | None = None,
        leaves: Callable[[Tensor], Tensor] | None = None,
        pads: bool = True,
    ) -> None:
        super().__init__()
        self.enters, self.leaves, self.pads = enters, leaves, pads
        self.embedding, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(2 * TOKENS, WIDTH)
        self.blocks = nn.ModuleList(Block(each) for each in mixings)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, ids: Tensor, attention_mask: Tensor | None = None, position_ids: Tensor | None = None) -> Tensor:
        places = torch.arange(ids.shape[1])[None] if position_ids is None else position_ids
        x = self.embedding(ids) + self.places(places)
        x = x if self.enters is None else x + self.enters(x)
        hidden = attention_mask[:, None, None].bool() if attention_mask is not None and self.pads else None
        for block in self.blocks:
            x = block(x, hidden)
        return self.head(x if self.leaves is None else x + self.leaves(x))


def faulty(make: Callable[[], nn.Module], at: int = 1, right: Callable[[], nn.Module] = Attention) -> Decoder:
    """A decoder whose block ``at`` has this mixing, the others a right one; the same numbers every time."""
    with torch.random.fork_rng():
        torch.manual_seed(5)
        return Decoder(*(make() if index == at else right() for index in range(3)))


def around(**faults: Any) -> Decoder:
    """A decoder of right blocks with a fault around them."""
    with torch.random.fork_rng():
        torch.manual_seed(5)
        return Decoder(*(Attention() for _ in range(3)), **faults)
