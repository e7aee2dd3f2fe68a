"""The windows of the shards of a corpus; those of a small corpus are cut once and stay in memory."""

from dataclasses import dataclass
from pathlib import Path

from attention_core.atlas.corpus.shards import read_shard
from attention_core.atlas.texts.tokeniser import Tokeniser
from attention_core.atlas.texts.windows import Window, cut_windows

KEPT_TOKENS = 2**18
"""Tokens whose windows stay in memory, at most: some 10 MB without words, some 100 MB with them."""


@dataclass(frozen=True, eq=False)
class CutShard:
    """One shard of a corpus, cut into windows."""

    documents: int
    """Documents of the shard, also those without a window."""
    windows: list[Window]
    left_out: int
    """Characters that alone have more tokens than a window; nothing else of the texts is lost."""

    @property
    def tokens(self) -> int:
        """Tokens of all windows, special ones included."""
        return sum(len(window.tokens) for window in self.windows)


class ShardWindows:
    """Cuts shards into windows. The first that are asked for are kept, as long as they have few tokens together."""

    def __init__(self, tokeniser: Tokeniser, corpus: Path, window_tokens: int, kept_tokens: int = KEPT_TOKENS) -> None:
        self.tokeniser = tokeniser
        self.corpus = corpus
        self.window_tokens = window_tokens
        self._room = kept_tokens
        self._kept: dict[int, CutShard] = {}

    def cut(self, index: int, first_document: int) -> CutShard:
        """The windows of a shard; ``first_document`` is the ordinal in the corpus of its first document."""
        if index in self._kept:
            return self._kept[index]
        documents, lost = read_shard(self.corpus, index), list[str]()
        windows = cut_windows(self.tokeniser, documents, first_document, self.window_tokens, lost.append)
        shard = CutShard(len(documents), windows, sum(map(len, lost)))
        if shard.tokens <= self._room:
            self._kept[index] = shard
        self._room -= shard.tokens
        return shard

    def windows(self, index: int, first_document: int, documents: list[int]) -> list[Window]:
        """The windows of a few documents of a shard, by their ordinals in the corpus."""
        if index in self._kept:
            wanted = set(documents)
            return [window for window in self._kept[index].windows if window.document in wanted]
        texts = read_shard(self.corpus, index)
        return [
            window
            for document in documents
            for window in cut_windows(self.tokeniser, [texts[document - first_document]], document, self.window_tokens)
        ]
