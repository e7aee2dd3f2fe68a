"""The relations between the words of a batch, and in which of them a head's strongest word is the right one."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.atlas.corpus.document import arcs
from attention_core.atlas.texts.batches import Batch
from attention_core.atlas.texts.windows import Window
from attention_core.pretrained.recording.word_attention import WordTokens, strongest_other_word, tokens_of_words


@dataclass(frozen=True, eq=False)
class WordReading:
    """The words of a batch, and the relations between them."""

    tokens: WordTokens
    """Of each word, (B, 1, …): the same for all heads."""
    relations: tuple[str, ...]
    """Of each arc, without subtype."""
    windows: Int[Tensor, " arcs"]
    dependents: Int[Tensor, " arcs"]
    """Words are numbered within their window."""
    heads: Int[Tensor, " arcs"]

    @property
    def offsets(self) -> Int[np.ndarray, " arcs"]:
        """From the dependent to its head, in words."""
        return (self.heads - self.dependents).cpu().numpy()

    def found(self, weights: Float[Tensor, "B H N N"]) -> Bool[np.ndarray, "arcs 2 H"]:
        """For both directions, whether the strongest other word is the right one."""
        best = strongest_other_word(self.tokens.weights(weights))
        sides = ((self.dependents, self.heads), (self.heads, self.dependents))
        hits = [best[self.windows, :, reader] == right[:, None] for reader, right in sides]
        return torch.stack(hits, dim=1).cpu().numpy()


def word_tokens(window: Window) -> Bool[np.ndarray, "N words"]:
    """Which tokens of a window belong to which of its words."""
    tokens = window.tokens
    spans = [(word.start - window.start, word.end - window.start) for word in window.words or ()]
    return tokens_of_words(tokens.starts, tokens.ends, tokens.special, spans)


def word_reading(batch: Batch, device: torch.device) -> WordReading | None:
    """The words and relations of a batch; None if it has no relation between two words of one window."""
    if all(not window.words for window in batch.windows):
        return None
    owned = [word_tokens(window) for window in batch.windows]
    arcs = [
        (row, *arc)
        for row, window in enumerate(batch.windows)
        for arc in _arcs_within(window, np.asarray(owned[row].any(axis=0)))
    ]
    if not arcs:
        return None
    table = np.zeros((*batch.real.shape, max(each.shape[1] for each in owned)), dtype=np.float32)
    for row, each in enumerate(owned):
        table[row, : each.shape[0], : each.shape[1]] = each
    windows, dependents, heads = (
        torch.tensor([arc[axis] for arc in arcs], dtype=torch.long, device=device) for axis in (0, 1, 2)
    )
    return WordReading(
        tokens=WordTokens.of(torch.from_numpy(table).to(device)[:, None]),
        relations=tuple(arc[3] for arc in arcs),
        windows=windows,
        dependents=dependents,
        heads=heads,
    )


def _arcs_within(window: Window, has_token: Bool[np.ndarray, " words"]) -> list[tuple[int, int, str]]:
    """Dependent, head and relation, for two words of this window that have tokens."""
    found = []
    for dependent, head, relation in arcs(window.words or ()):
        other = head - window.first_word
        if other != dependent and 0 <= other < len(has_token) and has_token[dependent] and has_token[other]:
            found.append((dependent, other, relation))
    return found
