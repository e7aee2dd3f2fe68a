"""Opening atlases: whole, damaged, of another version, in folders with odd names, from many threads."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from atlas_folders import FakeAtlas, write_atlas

from attention_core.atlas.reading.atlas import ABOUT, FILES, Atlas, AtlasError, HeadPlace, open_atlas
from attention_core.atlas.reading.heads import read_heads
from attention_core.atlas.reading.portrait import read_portrait
from attention_core.pretrained.errors import SelectionError

SMALL = FakeAtlas(layers=1, heads=2, windows=2, sampled=2)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_atlas(tmp_path, SMALL)


def about(folder: Path, **changes: Any) -> None:
    path = folder / ABOUT
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_facts_are_those_of_the_file(folder: Path, atlas: Atlas) -> None:
    facts = atlas.facts
    assert (facts.id, facts.model, facts.kind) == (folder.name, "sentence-transformers/all-MiniLM-L6-v2", "encoder")
    assert (facts.corpus, facts.documents, facts.tokens, facts.windows) == ("probe", 12, 120, 12)
    assert (facts.window_tokens, facts.max_tokens, facts.seed, facts.sampled_queries) == (128, None, 0, 40)
    assert facts.nbytes == sum(path.stat().st_size for path in folder.iterdir())
    assert [(part.name, part.layers, part.heads, part.causal) for part in facts.parts] == [("encoder", 6, 12, False)]
    assert atlas.stress == 0.125
    assert len(atlas.places) == 72
    assert atlas.places[13] == HeadPlace("encoder", 1, 1)


def test_another_version_is_refused_with_a_sentence(small: Path) -> None:
    about(small, format=3)
    with pytest.raises(AtlasError, match=r"has format 3; this version of the observatory reads format 2\. Scan"):
        open_atlas(small)


def test_an_atlas_of_the_first_format_is_still_read(small: Path) -> None:
    about(small, format=1)
    assert open_atlas(small).facts.windows == 2


@pytest.mark.parametrize(
    "changes",
    [{"format": "1"}, {"model": None}, {"model": {}}, {"tokens": "many"}, {"measures": 3}, {"settings": {}}],
    ids=lambda changes: next(iter(changes)),
)
def test_a_file_that_says_something_else_is_damaged(small: Path, changes: dict[str, Any]) -> None:
    about(small, **changes)
    with pytest.raises(AtlasError, match=r"damaged: atlas\.json cannot be read"):
        open_atlas(small)


@pytest.mark.parametrize("content", [b"", b"[1]", b"\xff\xfe", b"{" * 10_000])
def test_a_file_that_is_no_json_object_is_damaged(small: Path, content: bytes) -> None:
    (small / ABOUT).write_bytes(content)
    with pytest.raises(AtlasError, match=r"damaged: atlas\.json"):
        open_atlas(small)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(small: Path, name: str) -> None:
    (small / name).unlink()
    with pytest.raises(AtlasError, match=rf"damaged: {name} cannot be read"):
        open_atlas(small)


@pytest.mark.parametrize("name", [name for name in FILES if name != "vectors.parquet"])
def test_a_broken_file_is_named_when_it_is_read(small: Path, name: str) -> None:
    (small / name).write_bytes((small / name).read_bytes()[:-30])
    atlas = open_atlas(small)
    with pytest.raises(AtlasError, match=rf"damaged: {name} cannot be read"):
        read_portrait(atlas, None, 0, 1)


def test_a_column_that_is_missing_is_damage(small: Path) -> None:
    about(small, measures=["entropy", "sharpness"])
    with pytest.raises(AtlasError, match=r"damaged: heads\.parquet"):
        read_heads(open_atlas(small))


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    odd = tmp_path / "it's [a] *folder* ?"
    folder = write_atlas(odd, SMALL)
    shutil.copytree(folder, odd / "it's a folder")
    assert len(read_heads(open_atlas(folder)).part) == 2


@pytest.mark.full
def test_heads_are_read_from_many_threads(atlas: Atlas) -> None:
    with ThreadPoolExecutor(8) as executor:
        found = list(executor.map(lambda head: read_portrait(atlas, None, 3, head).values, list(range(12)) * 2))
    assert found[:12] == found[12:]
    assert len({values["entropy"] for values in found}) == 12


def test_heads_that_are_not_there_are_refused(atlas: Atlas) -> None:
    for part, layer, head, field in [("decoder", 0, 0, "part"), (None, 6, 0, "layer"), (None, 0, 12, "head")]:
        with pytest.raises(SelectionError) as refused:
            read_portrait(atlas, part, layer, head)
        assert refused.value.field == field
