"""The plan of a scan: frequent tokens, and a sample that does not depend on the shards."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from small_corpora import plain_documents, write_corpus

from attention_core.atlas.settings import ScanSettings
from attention_core.atlas.texts.plan import Plan, make_plan
from attention_core.atlas.texts.sampling import query_hash
from attention_core.atlas.texts.shard_windows import ShardWindows
from attention_core.atlas.texts.tokeniser import Tokeniser
from attention_core.atlas.texts.windows import cut_windows
from attention_core.pretrained.models.loading import LoadedModel


def plan_of(loaded: LoadedModel, folder: Path, shards: int, seed: int = 0) -> Plan:
    corpus = write_corpus(folder / f"in-{shards}-{seed}", plain_documents(), shards=shards)
    return make_plan(ShardWindows(Tokeniser(loaded), corpus, 16), shards, ScanSettings(sampled_queries=20, seed=seed))


def places(plan: Plan) -> list[tuple[int, int]]:
    return list(zip(plan.sample.windows.tolist(), plan.sample.queries.tolist(), strict=True))


def test_frequent_tokens_and_the_sample_against_a_count(mini: LoadedModel, tmp_path: Path) -> None:
    plan = plan_of(mini, tmp_path, 3)
    windows = cut_windows(Tokeniser(mini), plain_documents(), 0, 16)
    counts = Counter(token for window in windows for token in window.tokens.ids.tolist())
    assert list(plan.frequent) == sorted(counts, key=lambda token: (-counts[token], token))
    assert [shard.first_document for shard in plan.shards] == [0, 2, 4]
    assert plan.tokens == sum(counts.values())
    every = [(window.id, query) for window in windows for query in range(len(window.tokens))]
    hashes = query_hash(np.array([each[0] for each in every]), np.array([each[1] for each in every]), 0)
    assert len(set(hashes.tolist())) == len(every)
    assert places(plan) == [every[at] for at in np.argsort(hashes)[:20]]


def test_the_sample_depends_on_the_seed_and_not_on_the_shards(mini: LoadedModel, tmp_path: Path) -> None:
    assert places(plan_of(mini, tmp_path, 3)) == places(plan_of(mini, tmp_path, 1))
    assert places(plan_of(mini, tmp_path, 6, seed=1)) != places(plan_of(mini, tmp_path, 6))


@pytest.mark.parametrize("shards", [1, 3])
def test_a_limit_takes_the_windows_that_fit(shards: int, mini: LoadedModel, tmp_path: Path) -> None:
    """Also of a corpus that is one shard, such as a file that is one document."""
    corpus = write_corpus(tmp_path / "corpus", plain_documents(), shards=shards)
    texts = ShardWindows(Tokeniser(mini), corpus, 16)
    lengths = [len(window.tokens) for window in cut_windows(Tokeniser(mini), plain_documents(), 0, 16)]
    for limit in (1, *range(lengths[0], sum(lengths) + 2)):
        plan = make_plan(texts, shards, ScanSettings(sampled_queries=20, max_tokens=limit))
        fitting = max(n for n in range(1, len(lengths) + 1) if n == 1 or sum(lengths[:n]) <= limit)
        assert sum(shard.windows for shard in plan.shards) == fitting
        assert plan.tokens == sum(lengths[:fitting])
        assert all(shard.windows > 0 for shard in plan.shards)


def test_hashes_are_uniform() -> None:
    hashes = query_hash(np.repeat(np.arange(200) << 20, 50), np.tile(np.arange(50), 200), 9)
    share = hashes.astype(np.float64) / 2.0**64
    counts, _ = np.histogram(share, bins=20, range=(0, 1))
    assert abs(counts - 500).max() < 100  # 4.6 standard deviations
    assert abs(np.corrcoef(share[:-1], share[1:])[0, 1]) < 0.04


def test_a_plan_is_saved_and_loaded(mini: LoadedModel, tmp_path: Path) -> None:
    plan = plan_of(mini, tmp_path, 2)
    plan.save(tmp_path / "plan.json")
    loaded = Plan.load(tmp_path / "plan.json")
    assert (loaded.window_tokens, loaded.shards, loaded.frequent) == (plan.window_tokens, plan.shards, plan.frequent)
    assert places(loaded) == places(plan)
    assert loaded.sample.hashes.tolist() == plan.sample.hashes.tolist()
