"""Two atlases head by head: against the definition, written out with lists."""

import statistics
from pathlib import Path

import pytest
from atlas_folders import FakeAtlas, write_atlas

from attention_core.atlas.reading.atlas import Atlas, open_atlas
from attention_core.atlas.reading.comparison import OtherHeadsError, compare
from attention_core.atlas.reading.heads import read_heads


@pytest.fixture
def other(tmp_path: Path) -> Atlas:
    return open_atlas(write_atlas(tmp_path, FakeAtlas(id="b" * 16, seed=5)))


def test_how_far_a_head_moved_is_in_standard_deviations(atlas: Atlas, other: Atlas) -> None:
    mine, its = read_heads(atlas).values, read_heads(other).values
    found = compare(atlas, other)
    deviations = {
        name: statistics.pstdev([each for each in mine[name] + its[name] if each is not None]) for name in mine
    }
    for head in found.heads:
        at = head.layer * 12 + head.head
        squares = []
        for name, (before, after) in head.changes.items():
            assert (before, after) == (mine[name][at], its[name][at])
            if before is not None and after is not None:
                squares.append(((after - before) / deviations[name]) ** 2)
        assert head.moved == pytest.approx((sum(squares) / len(squares)) ** 0.5)
    assert len(found.heads) == 72
    assert [head.moved for head in found.heads] == sorted((head.moved for head in found.heads), reverse=True)


def test_an_atlas_does_not_differ_from_itself(atlas: Atlas) -> None:
    assert {head.moved for head in compare(atlas, atlas).heads} == {0.0}


def test_other_heads_are_refused(atlas: Atlas, tmp_path: Path) -> None:
    small = open_atlas(write_atlas(tmp_path, FakeAtlas(layers=2, heads=4, windows=1, sampled=1)))
    with pytest.raises(OtherHeadsError, match=r"6 × 12 \(encoder\) in one, 2 × 4 \(encoder\) in the other"):
        compare(atlas, small)
