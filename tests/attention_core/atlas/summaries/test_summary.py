"""Merging summaries: in any order, in any groups, the same bytes."""

from pathlib import Path

import numpy as np
import pytest
from small_corpora import plain_documents, tree_documents, write_corpus

from attention_core.atlas.folding.scanned_model import ScannedModel
from attention_core.atlas.scan import scan_shard
from attention_core.atlas.settings import ScanSettings
from attention_core.atlas.summaries.exact_sums import FRACTION_BITS, added, as_float, two_limbs
from attention_core.atlas.summaries.pair_counts import PairCounts
from attention_core.atlas.summaries.strongest import LENGTH, StrongestLists
from attention_core.atlas.summaries.summary import Summary
from attention_core.atlas.texts.plan import make_plan
from attention_core.atlas.texts.shard_windows import ShardWindows
from attention_core.pretrained.models.loading import LoadedModel


@pytest.fixture(scope="module")
def parts(mini: LoadedModel, tmp_path_factory: pytest.TempPathFactory) -> list[Summary]:
    """The summaries of six shards."""
    corpus = write_corpus(
        tmp_path_factory.mktemp("corpora") / "six", [*plain_documents(), *tree_documents(2)], shards=6
    )
    model = ScannedModel(mini)
    texts = ShardWindows(model.tokeniser, corpus, 16)
    plan = make_plan(texts, 6, ScanSettings(sampled_queries=30))
    return [scan_shard(model, texts, plan, shard) for shard in plan.shards]


def saved(summary: Summary, folder: Path) -> bytes:
    path = folder / "one.npz"
    summary.save(path)
    return path.read_bytes()


def merged_somehow(parts: list[Summary], generator: np.random.Generator) -> Summary:
    """Merge two of them at random until one is left."""
    left = list(parts)
    while len(left) > 1:
        first, second = (left.pop(generator.integers(len(left))) for _ in range(2))
        left.append(first.merged(second))
    return left[0]


def test_any_order_and_any_groups_give_the_same_bytes(parts: list[Summary], tmp_path: Path) -> None:
    heads = len(parts[0].offset_weights)
    empty = Summary.empty(heads, 16)
    expected = saved(merged_somehow(parts, np.random.default_rng(0)), tmp_path)
    assert expected != saved(merged_somehow(parts[1:], np.random.default_rng(0)), tmp_path)
    for seed in range(1, 12):
        generator = np.random.default_rng(seed)
        assert saved(merged_somehow([*parts, empty], generator), tmp_path) == expected


def test_what_is_saved_is_loaded(parts: list[Summary], tmp_path: Path) -> None:
    path = tmp_path / "one.npz"
    parts[0].save(path)
    assert saved(Summary.load(path), tmp_path) == saved(parts[0], tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["one.npz"]  # nothing half written


def test_a_merged_summary_is_that_of_all_windows(parts: list[Summary]) -> None:
    whole = merged_somehow(parts, np.random.default_rng(0))
    assert whole.totals.tolist() == np.sum([part.totals for part in parts], axis=0).tolist()
    assert np.allclose(as_float(whole.sums), np.sum([as_float(part.sums) for part in parts], axis=0))
    assert whole.relations.arcs.sum() == sum(part.relations.arcs.sum() for part in parts)
    assert len(whole.sampled.windows) == 30
    assert np.all(np.diff(whole.sampled.windows * 1000 + whole.sampled.queries) > 0)


def test_sums_do_not_overflow() -> None:
    """10¹⁰ queries with a value of 10⁹ each, added up 40 times over by doubling."""
    one = two_limbs(np.array([10**9 << FRACTION_BITS, -1]))
    total, expected = one, 10**9
    for _ in range(33):
        total, expected = added(total, total), expected * 2
    assert int(total[0, 0]) << 32 | int(total[0, 1]) == expected << FRACTION_BITS
    assert int(total[1, 0]) * 2**32 + int(total[1, 1]) == -(2**33)
    assert as_float(total)[0] == expected


def test_pair_counts_against_a_dictionary() -> None:
    generator = np.random.default_rng(0)
    tables, expected = [], {}
    for _ in range(5):
        keys = np.unique(generator.integers(0, 60, 25))
        counts, weights = generator.integers(1, 9, (2, len(keys)))
        tables.append(PairCounts(keys, counts, weights))
        for key, count, weight in zip(keys.tolist(), counts.tolist(), weights.tolist(), strict=True):
            before = expected.get(key, (0, 0))
            expected[key] = (before[0] + count, before[1] + weight)
    total = PairCounts.empty().merged(*tables)
    assert total.keys.tolist() == sorted(expected)
    found = list(zip(total.counts.tolist(), total.weights.tolist(), strict=True))
    assert found == [expected[key] for key in sorted(expected)]
    assert PairCounts.empty().merged(PairCounts.empty()).keys.size == 0


def test_strongest_lists_hold_one_query_of_a_window() -> None:
    windows = np.repeat(np.arange(30), 4)
    queries = np.tile(np.arange(4), 30)
    weights = np.full((2, 1, 120), 0.5, dtype=np.float32)
    weights[0, 0, [9, 10, 50]] = 0.75, 0.75, 0.875
    weights[1] = 0.0
    keys = np.broadcast_to(queries[::-1], (2, 1, 120)).copy()
    lists = StrongestLists.of_windows(weights, keys, windows, queries)
    assert lists.windows[0, 0].tolist() == [12, 2, 0, 1, *range(3, 12), *range(13, 20)]
    assert lists.queries[0, 0, :3].tolist() == [2, 1, 0]
    assert lists.keys[0, 0, :3].tolist() == [1, 2, 3]
    assert lists.windows[1, 0].tolist() == [-1] * LENGTH
