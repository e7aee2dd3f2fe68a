"""The fold against the library's eager attention, one query after another."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import torch
from naive_atlas import NaiveHead, naive_heads
from small_corpora import plain_documents, repeated_words, write_corpus

from attention_core.atlas.corpus.shards import read_shard
from attention_core.atlas.folding.scanned_model import ScannedModel
from attention_core.atlas.measures import PER_QUERY
from attention_core.atlas.scan import scan_shard
from attention_core.atlas.settings import ScanSettings
from attention_core.atlas.summaries.exact_sums import FRACTION_BITS, as_float
from attention_core.atlas.summaries.histograms import bin_edges
from attention_core.atlas.summaries.summary import Summary
from attention_core.atlas.texts.plan import Plan, make_plan
from attention_core.atlas.texts.shard_windows import ShardWindows
from attention_core.atlas.texts.windows import Window, cut_windows
from attention_core.attend import entropy
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.recording.recorder import record

UNIT = 2.0**-FRACTION_BITS
WINDOW_TOKENS = 24
MODELS = (
    *("tiny-bert", "observatory-gpt2-mini", "sentence-transformers/all-MiniLM-L6-v2"),
    *("tiny-llama", "tiny-mistral", "tiny-modernbert", "tiny-t5", "tiny-bart", "tiny-gpt-neox"),
    *("gemma2", "gpt_oss", "gemma4-shared"),
)
pytestmark = pytest.mark.sampled(4)
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


class Scanned:
    """A small corpus folded by the scan, and measured naively."""

    def __init__(self, models: Catalog, name: str, folder: Path) -> None:
        loaded = models.load(name)
        corpus = write_corpus(folder / name.replace("/", "-"), plain_documents())
        self.model = ScannedModel(loaded)
        settings = ScanSettings(window_tokens=WINDOW_TOKENS, seed=5, sampled_queries=50)
        texts = ShardWindows(self.model.tokeniser, corpus, WINDOW_TOKENS)
        self.plan: Plan = make_plan(texts, 1, settings)
        self.windows: list[Window] = cut_windows(self.model.tokeniser, read_shard(corpus, 0), 0, WINDOW_TOKENS)
        self.summary: Summary = scan_shard(self.model, texts, self.plan, self.plan.shards[0])
        self.naive = naive_heads(loaded, self.windows)

    def heads(self) -> list[NaiveHead]:
        return [self.naive[key] for key in sorted(self.naive)]


@pytest.fixture(scope="module", params=MODELS)
def scanned(request: pytest.FixtureRequest, models: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Scanned:
    return Scanned(models, request.param, tmp_path_factory.mktemp("corpora"))


def test_means_of_every_measure(scanned: Scanned) -> None:
    assert scanned.summary.totals.tolist()[1:] == [len(scanned.windows), sum(len(w.tokens) for w in scanned.windows)]
    assert len({len(window.tokens) for window in scanned.windows}) > 3  # so that some batch is padded
    sums = as_float(scanned.summary.sums)
    for head, one in enumerate(scanned.heads()):
        for at, name in enumerate(PER_QUERY):
            if name == "norm_weighted":
                continue
            assert scanned.summary.queries[at] == len(one.values[name]), name
            assert np.isclose(sums[at, head] / len(one.values[name]), np.mean(one.values[name]), **CLOSE), name


def test_histograms_count_every_query_in_its_bin(scanned: Scanned) -> None:
    for at, name in enumerate(PER_QUERY):
        edges = bin_edges(name, WINDOW_TOKENS)
        for head, one in enumerate(scanned.heads()):
            found = scanned.summary.histograms[at, head]
            assert found.sum() == scanned.summary.queries[at]
            if name == "norm_weighted":
                continue
            values = np.array(one.values[name])
            # A value at an edge may be rounded to either side: count what is surely below each edge.
            surely, perhaps = ((values[:, None] < edges + off).sum(axis=0) for off in (-2e-5, 2e-5))
            below = np.concatenate([[0], np.cumsum(found)])
            assert np.all(below[1:-1] >= surely[1:-1]), name
            assert np.all(below[1:-1] <= perhaps[1:-1]), name


def test_offsets(scanned: Scanned) -> None:
    span = range(1 - WINDOW_TOKENS, WINDOW_TOKENS)
    for head, one in enumerate(scanned.heads()):
        weights = scanned.summary.offset_weights[head] * UNIT
        assert np.allclose(weights, [one.offset_weights[offset] for offset in span], rtol=1e-5, atol=1e-4)
        found = scanned.summary.offset_strongest[head]
        assert found.sum() == len(one.strongest)
        assert np.abs(found - [one.offset_strongest[offset] for offset in span]).sum() <= 2 * _ties(one)


def _ties(one: NaiveHead) -> int:
    """Queries whose two largest weights differ by no more than rounding."""
    return sum(len(row) > 1 and np.ptp(np.sort(row)[-2:]) < 1e-6 for row in one.rows.values())


def test_strongest_examples(scanned: Scanned) -> None:
    lists = scanned.summary.strongest
    for head, one in enumerate(scanned.heads()):
        for variant, found in enumerate((one.strongest, one.without_sinks)):
            best: dict[int, float] = {}
            for weight, window, query, _ in found:
                if (window, query) in one.forced[variant]:
                    continue
                best[window] = max(best.get(window, 0.0), weight)
            expected = sorted(best.values(), reverse=True)[:20]
            count = int((lists.windows[variant, head] >= 0).sum())
            assert np.allclose(lists.weights[variant, head][:count], expected, **CLOSE)
            at = {(window, query): (weight, key) for weight, window, query, key in found}
            for place in range(count):
                window, query = int(lists.windows[variant, head, place]), int(lists.queries[variant, head, place])
                assert np.isclose(at[window, query][0], lists.weights[variant, head, place], **CLOSE)
                assert (window, query) not in one.forced[variant]
                row = one.rows[window, query]
                assert row[lists.keys[variant, head, place]] >= at[window, query][0] - 1e-5


def test_pairs_of_tokens(scanned: Scanned) -> None:
    number = {token: at for at, token in enumerate(scanned.plan.frequent)}
    ids = {window.id: [number.get(token, 255) for token in window.tokens.ids.tolist()] for window in scanned.windows}
    pairs = scanned.summary.token_pairs
    assert len(pairs.keys) == len(np.unique(pairs.keys))
    for head, one in enumerate(scanned.heads()):
        for variant, found in enumerate((one.strongest, one.without_sinks)):
            inside = pairs.keys >> 16 == head * 2 + variant
            expected = Counter((ids[window][query] << 8) | ids[window][key] for _, window, query, key in found)
            mine = dict(zip((pairs.keys[inside] & 0xFFFF).tolist(), pairs.counts[inside].tolist(), strict=True))
            assert sum(mine.values()) == len(found)
            assert sum(abs(mine.get(key, 0) - expected[key]) for key in {*mine, *expected}) <= 2 * _ties(one)
            assert np.isclose(pairs.weights[inside].sum() * UNIT, sum(each[0] for each in found), rtol=1e-5)


@pytest.mark.full
def test_sampled_queries_and_divergences(scanned: Scanned) -> None:
    sampled = scanned.summary.sampled
    chosen = set(zip(sampled.windows.tolist(), sampled.queries.tolist(), strict=True))
    planned = scanned.plan.sample
    assert chosen == set(zip(planned.windows.tolist(), planned.queries.tolist(), strict=True))
    assert len(chosen) == 50
    heads = scanned.heads()
    for at, place in enumerate(zip(sampled.windows.tolist(), sampled.queries.tolist(), strict=True)):
        for head, one in enumerate(heads):
            row = one.rows[place]
            assert [key < 0 for key in sampled.keys[at, :, head].tolist()] == [place in each for each in one.forced]
            if place in one.forced[0]:
                continue
            assert np.isclose(sampled.weights[at, 0, head], row.max(), **CLOSE)
            assert row[sampled.keys[at, 0, head]] >= row.max() - 1e-5
    found = scanned.summary.divergences * UNIT
    for at, (first, second) in enumerate(combinations(range(len(heads)), 2)):
        if at % 97 and len(heads) > 12:
            continue
        expected = 0.0
        for place in chosen:
            rows = (heads[head].rows[place] for head in (first, second))
            # What a learned sink takes is one more outcome.
            a, b = (torch.from_numpy(np.append(row, max(1 - row.sum(), 0.0))) for row in rows)
            expected += float(entropy((a + b) / 2) - (entropy(a) + entropy(b)) / 2)
        assert np.isclose(found[at] / len(chosen), expected / len(chosen), rtol=1e-4, atol=1e-5)


@pytest.mark.full("sentence-transformers/all-MiniLM-L6-v2")
def test_vectors_of_sampled_queries(scanned: Scanned) -> None:
    """Those of one window alone, in a pass with the recorder; Gemma 4's layers have heads of two sizes."""
    sampled, heads = scanned.summary.sampled, scanned.model.heads
    windows = {window.id: window for window in scanned.windows}
    for at in range(0, 50, 7):
        ids = torch.from_numpy(windows[int(sampled.windows[at])].tokens.ids)[None]
        with torch.inference_mode(), record() as recording:
            scanned.model.body(input_ids=ids)
        query = int(sampled.queries[at])
        for layer, each in enumerate(recording.layers):
            attention = each.attention
            groups = attention.num_heads // attention.keys.shape[1]
            outputs = attention.attend()[0]
            for head in range(heads):
                place = layer * heads + head
                key = int(sampled.keys[at, 0, place])
                if key < 0:
                    continue
                for name, expected in (
                    ("q", attention.queries[0, head, query]),
                    ("k", attention.keys[0, head // groups, key]),
                    ("output", outputs[0, head, query]),
                ):
                    np.testing.assert_allclose(sampled.vectors(name, place)[at], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.full
def test_known_heads_of_the_small_decoder_stand_out(models: Catalog, tmp_path: Path) -> None:
    """On random words said twice: two heads attend to the token before, two to what followed the last occurrence."""
    corpus = write_corpus(tmp_path / "repeated", repeated_words(60))
    model = ScannedModel(models.load("observatory-gpt2-mini"))
    texts = ShardWindows(model.tokeniser, corpus, 128)
    plan = make_plan(texts, 1, ScanSettings())
    summary = scan_shard(model, texts, plan, plan.shards[0])
    means = as_float(summary.sums) / summary.queries[:, None]
    previous, induction = (means[PER_QUERY.index(name)].reshape(6, 6) for name in ("previous_token", "induction"))
    assert previous[0, :2].min() > 0.9
    assert set(np.argsort(-previous[0])[:2].tolist()) == {0, 1}
    best = [tuple(map(int, np.unravel_index(at, (6, 6)))) for at in np.argsort(-induction, axis=None)[:2]]
    assert set(best) == {(1, 0), (1, 1)}
    assert induction[1, :2].min() > 2 * np.median(induction)
