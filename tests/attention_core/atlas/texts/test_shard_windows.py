"""Windows of shards: the same whether they stayed in memory or are cut again, and kept only within the bound."""

from dataclasses import astuple
from pathlib import Path

import pytest
from small_corpora import plain_documents, write_corpus

from attention_core.atlas.corpus.shards import shard_path
from attention_core.atlas.texts.shard_windows import ShardWindows
from attention_core.atlas.texts.tokeniser import Tokeniser
from attention_core.atlas.texts.windows import Window
from attention_core.pretrained.models.loading import LoadedModel


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus", plain_documents(), shards=3)


def facts(windows: list[Window]) -> list[tuple[object, ...]]:
    return [(window.id, window.text, *(column.tolist() for column in astuple(window.tokens))) for window in windows]


def test_windows_of_documents_are_the_same_from_memory_and_cut_again(corpus: Path, mini: LoadedModel) -> None:
    kept, again = (ShardWindows(Tokeniser(mini), corpus, 12, kept_tokens=most) for most in (10_000, 0))
    shard = kept.cut(1, 2)
    assert {window.document for window in shard.windows} == {2, 3}
    assert facts(again.cut(1, 2).windows) == facts(shard.windows)
    shard_path(corpus, 0).rename(corpus / "moved")
    assert facts(kept.windows(1, 2, [3])) == facts([window for window in shard.windows if window.document == 3])
    assert facts(again.windows(1, 2, [3])) == facts(kept.windows(1, 2, [3]))


def test_only_shards_that_fit_the_bound_stay_in_memory(corpus: Path, mini: LoadedModel) -> None:
    tokens = ShardWindows(Tokeniser(mini), corpus, 12).cut(0, 0).tokens
    texts = ShardWindows(Tokeniser(mini), corpus, 12, kept_tokens=tokens)
    for index in (0, 1, 2):
        texts.cut(index, 2 * index)
    for index in (0, 1, 2):
        shard_path(corpus, index).unlink()
    assert texts.cut(0, 0).tokens == tokens
    for index in (1, 2):
        with pytest.raises(OSError, match="shard"):
            texts.cut(index, 2 * index)
