"""The same atlas from Ray: a worker by itself, and a real cluster of two."""

import io
from pathlib import Path

import numpy as np
import pytest
from small_corpora import plain_documents, tree_documents, write_corpus

from attention_core.atlas.folding.scanned_model import ScannedModel
from attention_core.atlas.model_source import ModelSource
from attention_core.atlas.ray_engine import ShardScanner, scan_on_ray
from attention_core.atlas.scan import ScanJob, computing_on, scan, scan_shard
from attention_core.atlas.settings import ScanSettings
from attention_core.pretrained.models.loading import LoadedModel

SOURCE = ModelSource("observatory-gpt2-mini", device="cpu")
SETTINGS = ScanSettings(window_tokens=16, sampled_queries=30)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpora") / "mixed"
    return write_corpus(folder, [*plain_documents(), *tree_documents(2)], shards=6)


@pytest.mark.full
def test_a_worker_gives_the_summaries_of_its_shards(corpus: Path, mini: LoadedModel, tmp_path: Path) -> None:
    job = ScanJob(mini, corpus, tmp_path, SETTINGS, lambda: None, threads=1)
    plan = job.plan()
    found = ShardScanner(SOURCE, corpus, job.plan_file, threads=1)({"place": np.array([3, 1])})
    assert found["place"].tolist() == [3, 1]
    for place, summary in zip((3, 1), found["summary"], strict=True):
        expected = io.BytesIO()
        with computing_on(1):
            scan_shard(ScannedModel(mini), job.texts, plan, plan.shards[place]).write(expected)
        assert summary == expected.getvalue()


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of Ray's own sockets and processes
def test_a_cluster_of_two_workers_writes_the_same_bytes(corpus: Path, mini: LoadedModel, tmp_path: Path) -> None:
    scan(mini, corpus, tmp_path / "local", SETTINGS)
    calls: list[tuple[int, int]] = []
    result = scan_on_ray(
        SOURCE, corpus, tmp_path / "ray", SETTINGS, lambda done, shards, *_: calls.append((done, shards)), workers=2
    )
    assert calls == [(done, 6) for done in range(7)]
    assert result.scanned_tokens == result.tokens
    files = sorted(path.name for path in (tmp_path / "local").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "ray").iterdir())
    for name in files:
        assert (tmp_path / "ray" / name).read_bytes() == (tmp_path / "local" / name).read_bytes(), name
