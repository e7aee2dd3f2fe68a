"""Relations against an independent count from eager attention, word by word."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from naive_atlas import eager_weights
from small_corpora import tree_documents, write_corpus

from attention_core.atlas.folding.scanned_model import ScannedModel
from attention_core.atlas.scan import scan_shard
from attention_core.atlas.settings import ScanSettings
from attention_core.atlas.summaries.relation_counts import FARTHEST, best_offset
from attention_core.atlas.texts.plan import make_plan
from attention_core.atlas.texts.shard_windows import ShardWindows
from attention_core.atlas.texts.windows import Window, cut_windows
from attention_core.pretrained.models.catalog import Catalog

NAMES = ("sentence-transformers/all-MiniLM-L6-v2", "observatory-gpt2-mini", "tiny-llama")


def arcs_of(window: Window) -> list[tuple[int, int, str]]:
    """Dependent, head and relation, from the sentence's own words."""
    found = []
    for index, word in enumerate(window.words or ()):
        if word.head is not None and word.head >= 0 and word.relation is not None:
            found.append((index, word.head, word.relation.split(":")[0]))
        if word.antecedent is not None:
            found.append((index, word.antecedent, "antecedent"))
    return found


def strongest_word(words: list[list[int]], weights: np.ndarray, reader: int) -> int | None:
    """The word that a word's tokens attend to most, other than itself; None if they attend to no other."""
    best, largest = None, 0.0
    for other, tokens in enumerate(words):
        if other == reader:
            continue
        weight = sum(float(weights[query, key]) for query in words[reader] for key in tokens) / len(words[reader])
        if weight > largest:
            best, largest = other, weight
    return best


@pytest.mark.parametrize("name", NAMES)
def test_relations_against_an_independent_count(models: Catalog, name: str, tmp_path: Path) -> None:
    loaded = models.load(name)
    documents = tree_documents()
    corpus = write_corpus(tmp_path / "trees", documents)
    model = ScannedModel(loaded)
    texts = ShardWindows(model.tokeniser, corpus, 64)
    plan = make_plan(texts, 1, ScanSettings())
    counts = scan_shard(model, texts, plan, plan.shards[0]).relations
    arcs: Counter[str] = Counter()
    found: Counter[tuple[str, int, int]] = Counter()
    offsets: Counter[tuple[str, int, int]] = Counter()
    for window in cut_windows(model.tokeniser, documents, 0, 64):
        weights = eager_weights(loaded, window)
        weights = weights.reshape(-1, *weights.shape[2:])
        words = [
            [
                at
                for at in range(len(window.tokens))
                if not window.tokens.special[at]
                and window.tokens.starts[at] < word.end
                and word.start < window.tokens.ends[at]
            ]
            for word in window.words or ()
        ]
        for dependent, head, relation in arcs_of(window):
            arcs[relation] += 1
            for direction, (reader, right) in enumerate(((dependent, head), (head, dependent))):
                offsets[relation, direction, right - reader] += 1
                for number, each in enumerate(weights):
                    found[relation, direction, number] += strongest_word(words, each, reader) == right
    assert counts.names.tolist() == sorted(arcs)
    assert counts.arcs.tolist() == [arcs[relation] for relation in sorted(arcs)]
    assert {"nsubj", "det", "antecedent"} <= set(arcs)
    for at, relation in enumerate(sorted(arcs)):
        for direction in range(2):
            expected = [found[relation, direction, number] for number in range(counts.found.shape[2])]
            assert counts.found[at, direction].tolist() == expected, (relation, direction)
            by_offset = [offsets[relation, direction, each] for each in range(-FARTHEST, FARTHEST + 1)]
            assert counts.offsets[at, direction].tolist() == by_offset


def test_the_best_offset_is_the_most_frequent_and_of_several_the_nearest() -> None:
    histogram = np.zeros(2 * FARTHEST + 1, dtype=np.int64)
    histogram[[FARTHEST - 2, FARTHEST + 1, FARTHEST + 5]] = 4, 4, 3
    assert best_offset(histogram) == (1, 4)
    histogram[FARTHEST - 1] = 4
    assert best_offset(histogram) == (-1, 4)
    histogram[-1] = 9  # everything beyond, at no one offset
    assert best_offset(histogram) == (-1, 4)
