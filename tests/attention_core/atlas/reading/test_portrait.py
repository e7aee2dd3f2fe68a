"""The portrait of a head holds the rows of that head, whole and in order (against the files, read as a whole)."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from attention_core.atlas.measures import MEASURES, PER_QUERY
from attention_core.atlas.reading.atlas import Atlas
from attention_core.atlas.reading.heads import read_heads, read_relations
from attention_core.atlas.reading.portrait import Portrait, read_portrait

LAYER, HEAD = 2, 5


@pytest.fixture
def portrait(atlas: Atlas) -> Portrait:
    return read_portrait(atlas, None, LAYER, HEAD)


def of_head(folder: Path, name: str) -> list[dict[str, Any]]:
    rows = pq.read_table(folder / f"{name}.parquet").to_pylist()
    return [row for row in rows if (row["part"], row["layer"], row["head"]) == ("encoder", LAYER, HEAD)]


def test_values_are_the_row_of_the_head(folder: Path, portrait: Portrait) -> None:
    row = of_head(folder, "heads")[0]
    assert portrait.values == {name: row[name] for name in MEASURES}
    assert (portrait.part, portrait.layer, portrait.head, portrait.sampled) == ("encoder", LAYER, HEAD, 40)


def test_histograms_have_an_edge_more_than_bins(folder: Path, portrait: Portrait) -> None:
    assert list(portrait.histograms) == list(PER_QUERY)
    rows = [row for row in of_head(folder, "histograms") if row["measure"] == "induction"]
    found = portrait.histograms["induction"]
    assert found.counts == [row["count"] for row in rows]
    assert found.edges == [row["low"] for row in rows] + [rows[-1]["high"]]
    assert found.mean == portrait.values["induction"]


def test_offsets_are_in_order(folder: Path, portrait: Portrait) -> None:
    assert [each.offset for each in portrait.offsets] == list(range(-64, 65))
    assert [each.strongest for each in portrait.offsets] == [row["strongest"] for row in of_head(folder, "offsets")]


def test_pairs_and_examples_are_all_there(folder: Path, portrait: Portrait) -> None:
    pairs = of_head(folder, "token_pairs")
    assert sorted(each.weight or 0 for each in portrait.pairs) == sorted(row["weight"] for row in pairs)
    assert [each.count for each in portrait.pairs[:5]] == [30, 29, 28, 27, 26]
    examples = of_head(folder, "examples")
    assert len(portrait.examples) == len(examples) == 240
    assert {(each.decile, each.rank, each.window, each.weight) for each in portrait.examples} == {
        (row["decile"], row["rank"], row["window"], row["weight"]) for row in examples
    }
    assert [(each.kind, each.rank) for each in portrait.examples[:3]] == [("strongest", rank) for rank in range(3)]


def test_every_example_has_its_window(portrait: Portrait) -> None:
    assert {str(each.window) for each in portrait.examples} == set(portrait.windows)
    window = portrait.windows[str(portrait.examples[0].window)]
    assert window.document == f"d{portrait.examples[0].window >> 20}"
    texts = [window.text[token["start"] : token["end"]] for token in window.tokens if not token["special"]]
    assert texts == window.text.split()
    assert [token["text"] for token in window.tokens][:2] == ["[CLS]", "the"]


def test_neighbours_are_the_nearest_on_either_side(folder: Path, portrait: Portrait) -> None:
    rows = pq.read_table(folder / "divergences.parquet").to_pylist()
    distances = []
    for row in rows:
        ends = [(row[f"layer_{side}"], row[f"head_{side}"]) for side in "ab"]
        if (LAYER, HEAD) in ends:
            ends.remove((LAYER, HEAD))
            distances.append((row["divergence"], *ends[0]))
    assert len(distances) == 71
    assert [(each.divergence, each.layer, each.head) for each in portrait.neighbours] == sorted(distances)[:10]


def test_relations_are_those_of_the_head(folder: Path, portrait: Portrait) -> None:
    rows = {(row["relation"], row["direction"]): row for row in of_head(folder, "relations")}
    assert [each.count for each in portrait.relations] == [40, 40, 30, 30]
    for each in portrait.relations:
        row = rows[each.relation, each.direction]
        assert (each.accuracy, each.baseline_offset) == (row["accuracy"], row["baseline_offset"])


def test_all_heads_at_once_agree_with_each_portrait(atlas: Atlas, portrait: Portrait) -> None:
    heads = read_heads(atlas)
    at = LAYER * 12 + HEAD
    assert (heads.part[at], heads.layer[at], heads.head[at]) == ("encoder", LAYER, HEAD)
    assert {name: values[at] for name, values in heads.values.items()} == portrait.values
    assert heads.values["duplicate_token"][1] is None
    assert (len(heads.map.x), heads.map.cluster[:5], heads.map.stress) == (72, [0, 1, 2, 3, 0], 0.125)
    accuracy = {(each.relation, each.direction): each.accuracy[at] for each in heads.relations}
    assert accuracy == {(each.relation, each.direction): each.accuracy for each in portrait.relations}


def test_the_best_head_of_a_relation_is_the_one_with_the_highest_accuracy(folder: Path, atlas: Atlas) -> None:
    rows = pq.read_table(folder / "relations.parquet").to_pylist()
    for each in read_relations(atlas):
        own = [row for row in rows if (row["relation"], row["direction"]) == (each.relation, each.direction)]
        best = max(own, key=lambda row: row["accuracy"])
        assert each.best is not None
        assert (each.best.layer, each.best.head, each.best.accuracy) == (best["layer"], best["head"], best["accuracy"])
