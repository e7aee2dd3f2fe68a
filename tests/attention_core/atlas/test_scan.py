"""A scan as a whole: equal bytes however it is done, resuming, cancelling."""

import copy
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import torch
from small_corpora import plain_documents, tree_documents, write_corpus
from tokenizers.normalizers import NFKC

from attention_core.atlas.corpus.document import Document
from attention_core.atlas.reading.atlas import ONE_HEAD, open_atlas
from attention_core.atlas.reading.search import SampledCell, search
from attention_core.atlas.scan import ScanJob, computing_on, scan
from attention_core.atlas.settings import ScanSettings, atlas_id
from attention_core.atlas.writing.schemas import SCHEMAS
from attention_core.pretrained.errors import Cancelled, ReadsImagesError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel

SETTINGS = ScanSettings(window_tokens=16, sampled_queries=40, seed=3)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of an atlas."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpora") / "mixed"
    return write_corpus(folder, [*plain_documents(), *tree_documents(2)], shards=4)


@pytest.fixture(scope="module")
def atlas(corpus: Path, mini: LoadedModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The result of an uninterrupted scan."""
    out = tmp_path_factory.mktemp("atlases") / "whole"
    calls: list[tuple[int, int, int, int]] = []
    result = scan(mini, corpus, out, SETTINGS, lambda *progress: calls.append(progress))
    assert sorted({call[:2] for call in calls}) == [(done, 4) for done in range(5)]
    tokens = [call[2] for call in calls]
    assert tokens == sorted(tokens)
    assert tokens[0] == 0
    assert tokens[-1] == result.tokens == result.scanned_tokens
    assert {call[3] for call in calls} == {result.tokens}
    assert len(calls) > 10  # also within shards
    return out


def test_an_atlas_has_every_file_with_its_columns(atlas: Path, mini: LoadedModel, corpus: Path) -> None:
    assert set(contents(atlas)) == {"atlas.json", *(f"{name}.parquet" for name in SCHEMAS)}
    for name, schema in SCHEMAS.items():
        assert pq.read_schema(atlas / f"{name}.parquet").equals(schema)
    about = json.loads((atlas / "atlas.json").read_text())
    corpus_hash = json.loads((corpus / "corpus.json").read_text())["hash"]
    assert about["id"] == atlas_id(mini.fingerprint, corpus_hash, SETTINGS)
    assert about["documents"] == 12
    assert about["model"]["revision"] is None  # its files are no snapshot of the hub
    assert about["sampled_queries"] == 40


def test_what_the_mask_forces_is_no_example(atlas: Path, mini: LoadedModel) -> None:
    """A decoder's first token attends to itself alone, at 1.000 in every head."""
    examples = pq.read_table(atlas / "examples.parquet").to_pylist()
    assert {each["kind"] for each in examples} == {"strongest", "decile"}
    assert {(each["layer"], each["head"]) for each in examples} == {divmod(at, 6) for at in range(36)}
    assert [min(each["query"] for each in examples if each["without_sinks"] is aside) for aside in (False, True)] == [
        1,
        2,
    ]
    assert not [each for each in examples if each["without_sinks"] and each["key"] == 0]
    assert min(pq.read_table(atlas / "vectors.parquet", columns=["query"])["query"].to_pylist()) == 1


@pytest.mark.full
def test_another_scan_gives_the_same_bytes(atlas: Path, corpus: Path, mini: LoadedModel, tmp_path: Path) -> None:
    scan(mini, corpus, tmp_path / "again", SETTINGS)
    assert contents(tmp_path / "again") == contents(atlas)


@pytest.mark.full
def test_layers_with_heads_of_other_sizes(corpus: Path, models: Catalog, tmp_path: Path) -> None:
    """Gemma 4: every head's vectors are searched at their own size, and no one size is given for all."""
    scan(models.load("gemma4-shared"), corpus, tmp_path / "atlas", SETTINGS)
    atlas = open_atlas(tmp_path / "atlas")
    (part,) = atlas.facts.parts
    assert (part.kv_heads, part.head_dim) == (1, None)
    for layer, size in enumerate([8, 8, 16, 8, 8, 16]):
        cells = atlas.rows("vectors", ("window", "query", "q"), ONE_HEAD, part=part.name, layer=layer, head=1)
        assert {len(vector) for _, _, vector in cells} == {size}
        window, query, _ = cells[0]
        assert len(search(atlas, None, layer, 1, SampledCell(window, query)).found) == 20


@pytest.mark.gate
def test_a_cancelled_scan_goes_on_where_it_was(atlas: Path, corpus: Path, mini: LoadedModel, tmp_path: Path) -> None:
    out = tmp_path / "cancelled"
    done: list[int] = []
    with pytest.raises(Cancelled):
        scan(
            mini,
            corpus,
            out,
            SETTINGS,
            lambda shards, _all, _tokens, _planned: done.append(shards),
            lambda: max(done, default=0) > 1,
        )
    assert not (out / "atlas.json").exists()
    finished = {path: path.stat().st_mtime_ns for path in (out / "parts").glob("*.npz")}
    assert len(finished) == 2
    calls: list[tuple[int, int, int, int]] = []
    result = scan(mini, corpus, out, SETTINGS, lambda *progress: calls.append(progress))
    assert 0 < result.scanned_tokens < result.tokens
    assert calls[0] == (2, 4, result.tokens - result.scanned_tokens, result.tokens)
    assert calls[-1] == (4, 4, result.tokens, result.tokens)
    assert contents(out) == contents(atlas)


def test_a_finished_atlas_is_not_made_again(atlas: Path, corpus: Path, mini: LoadedModel) -> None:
    before = contents(atlas)
    result = scan(mini, corpus, atlas, SETTINGS, lambda *_: pytest.fail("scanned again"))
    assert result.scanned_tokens == 0
    assert result.tokens == json.loads(before["atlas.json"])["tokens"]
    assert contents(atlas) == before


@pytest.mark.full
def test_parts_of_other_settings_are_not_used(atlas: Path, corpus: Path, mini: LoadedModel, tmp_path: Path) -> None:
    other = ScanJob(mini, corpus, tmp_path, ScanSettings(window_tokens=12, seed=3), lambda: None, threads=1)
    for shard in other.plan().shards:
        other.part(shard).write_bytes(b"of another scan")
    scan(mini, corpus, tmp_path, SETTINGS)
    assert contents(tmp_path) == contents(atlas)


@pytest.mark.full
def test_a_limit_ends_a_scan_within_a_shard(atlas: Path, corpus: Path, mini: LoadedModel, tmp_path: Path) -> None:
    """As a corpus that ends there is scanned, and one that fits is scanned whole."""
    every = open_atlas(atlas).facts.tokens
    for limit in (1, 60, every - 1, every):
        result = scan(mini, corpus, tmp_path / str(limit), replace(SETTINGS, max_tokens=limit))
        assert (limit - 16 < result.tokens <= limit) or result.windows == 1
        assert result.tokens == result.scanned_tokens
    whole = contents(tmp_path / str(every))
    assert {name: data for name, data in contents(atlas).items() if name != "atlas.json"}.items() <= whole.items()
    first = write_corpus(tmp_path / "first", plain_documents()[:1])
    length = scan(mini, first, tmp_path / "alone", SETTINGS).tokens
    scan(mini, corpus, tmp_path / "begun", replace(SETTINGS, max_tokens=length))
    alone, begun = contents(tmp_path / "alone"), contents(tmp_path / "begun")
    assert {name for name in alone if alone[name] != begun[name]} == {"atlas.json"}


SCRIPT = """
import sys
from pathlib import Path
from attention_core.atlas.scan import scan
from attention_core.atlas.settings import ScanSettings
from attention_core.pretrained.models.catalog import Catalog
loaded = Catalog(device="cpu").load("observatory-gpt2-mini")
seen = -1
def wait(done, shards, tokens, planned):
    global seen
    if done > seen:
        print(done, flush=True)
        seen = done
    if done == 2:
        sys.stdin.readline()
scan(loaded, Path(sys.argv[1]), Path(sys.argv[2]), ScanSettings(window_tokens=16, sampled_queries=40, seed=3), wait)
"""


@pytest.mark.full
def test_a_killed_process_loses_at_most_a_shard(
    atlas: Path, corpus: Path, mini: LoadedModel, tmp_path: Path, root: Path
) -> None:
    out = tmp_path / "killed"
    command = [sys.executable, "-c", SCRIPT, str(corpus), str(out)]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert [process.stdout.readline().strip() for _ in range(3)] == ["0", "1", "2"]
        os.kill(process.pid, signal.SIGKILL)
    assert len(list((out / "parts").glob("*.npz"))) == 2
    scan(mini, corpus, out, SETTINGS)
    assert contents(out) == contents(atlas)


def test_what_does_not_fit_any_window_is_counted(mini: LoadedModel, tmp_path: Path) -> None:
    rare = "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}"  # 18 letters, once it is normalised
    tokenizer: Any = copy.deepcopy(mini.tokenizer)
    tokenizer.backend_tokenizer.normalizer = NFKC()
    corpus = write_corpus(tmp_path / "rare", [Document("a", f"go {rare} on"), Document("b", rare)], shards=2)
    scan(replace(mini, tokenizer=tokenizer, revision="0123abcd"), corpus, tmp_path / "atlas", SETTINGS)
    about = json.loads((tmp_path / "atlas" / "atlas.json").read_text())
    assert (about["left_out_characters"], about["documents"], about["tokens"]) == (2, 1, 2)
    assert about["model"]["revision"] == "0123abcd"
    assert open_atlas(tmp_path / "atlas").facts.left_out_characters == 2


def test_models_that_take_images_are_refused(corpus: Path, models: Catalog, tmp_path: Path) -> None:
    with pytest.raises(ReadsImagesError, match="tiny-vit takes images"):
        scan(models.load("tiny-vit"), corpus, tmp_path)


@pytest.mark.full
def test_bytes_do_not_depend_on_the_number_of_threads(corpus: Path, mini: LoadedModel, tmp_path: Path) -> None:
    """Of the one who asks for a scan, that is; what a scan itself computes on is its own affair."""
    before = torch.get_num_threads()
    for count in (1, 2):
        with computing_on(count):
            scan(mini, corpus, tmp_path / str(count), SETTINGS)
            assert torch.get_num_threads() == count
    assert torch.get_num_threads() == before
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
