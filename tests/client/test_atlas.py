"""Scanning from Python, against the real server."""

import io
import zipfile
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

from attention_observatory import Atlas, Observatory, ObservatoryError

pytestmark = pytest.mark.full

MINI = "observatory-gpt2-mini"
TEXT = "The cat sat on the mat because it was tired.\n\nA dog saw the cat, and the cat saw a dog.\n"


@pytest.fixture(scope="module")
def observatory(server_url: str) -> Observatory:
    return Observatory(server_url)


@pytest.fixture(scope="module")
def scanned(observatory: Observatory, tmp_path_factory: pytest.TempPathFactory) -> tuple[Atlas, list[dict[str, Any]]]:
    path = tmp_path_factory.mktemp("corpus") / "cats.txt"
    path.write_text(TEXT)
    states: list[dict[str, Any]] = []
    return observatory.scan(MINI, path, progress=states.append, window_tokens=16), states


@pytest.fixture
def atlas(scanned: tuple[Atlas, list[dict[str, Any]]]) -> Atlas:
    return scanned[0]


def test_a_scan_tells_how_far_it_has_come(scanned: tuple[Atlas, list[dict[str, Any]]]) -> None:
    atlas, states = scanned
    assert {state["id"] for state in states} == {atlas.id}
    assert [states[-1][name] for name in ("state", "shards", "shards_done")] == ["finished", 1, 1]
    assert atlas.facts["tokens"] == states[-1]["tokens"] > 20
    assert repr(atlas) == f"Atlas('{atlas.id}': {MINI}, cats.txt, {atlas.facts['tokens']} tokens)"


def test_an_atlas_that_is_there_is_found_again(observatory: Observatory, atlas: Atlas) -> None:
    assert observatory.atlas(atlas.id).facts == atlas.facts
    assert atlas.id in {each.id for each in observatory.atlases()}
    with pytest.raises(ObservatoryError) as unknown:
        observatory.atlas("0" * 16)
    assert (unknown.value.code, unknown.value.status) == ("unknown_atlas", 404)


def test_heads_and_each_portrait_agree(atlas: Atlas) -> None:
    heads = atlas.heads()
    at = list(zip(heads["layer"], heads["head"], strict=True)).index((2, 5))
    portrait = atlas.portrait(2, 5)
    assert {name: values[at] for name, values in heads["values"].items()} == portrait["values"]
    assert len(heads["head"]) == 36
    assert portrait["examples"]
    assert atlas.relations() == []
    assert {each["moved"] for each in atlas.comparison(atlas)["heads"]} == {0}


def test_a_cell_of_an_analysis_is_found_in_the_corpus(observatory: Observatory, atlas: Atlas) -> None:
    analysis = observatory.analyse("The cat sat on the mat because it was tired.", MINI)
    found = atlas.search(0, 0, 3, analysis=analysis.id, key=2, by="query", limit=3)
    assert found["found"][0]["similarity"] == pytest.approx(1, abs=1e-4)  # the same token at the same position
    assert (found["found"][0]["query"], len(found["found"])) == (3, 3)
    with pytest.raises(ObservatoryError, match="either a window of the atlas or an analysis"):
        atlas.search(0, 0, 3)


def test_figures_and_the_folder(atlas: Atlas, tmp_path: Path) -> None:
    assert isinstance(atlas.figure(x="entropy", y="layer"), go.Figure)
    assert atlas.figure(1, 2, draw="histogram", measure="entropy").layout.title.text == "Entropy · layer 1 · head 2"
    saved = atlas.save(tmp_path / "atlas.zip")
    with zipfile.ZipFile(io.BytesIO(saved.read_bytes())) as archive:
        assert f"{atlas.id}/atlas.json" in archive.namelist()


def test_a_scan_that_is_refused_says_why(observatory: Observatory, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text(" ")
    with pytest.raises(ObservatoryError) as refused:
        observatory.scan(MINI, empty)
    assert refused.value.code == "corpus_invalid"
    with pytest.raises(ObservatoryError, match="no such corpus"):
        observatory.scan(MINI, "nowhere")
