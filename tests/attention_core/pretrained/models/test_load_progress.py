"""Progress and cancellation of model loading."""

from pathlib import Path

import pytest

from attention_core.pretrained.errors import Cancelled
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.load_progress import LoadProgress, LoadState


def test_a_folder_goes_through_its_stages(models_dir: Path) -> None:
    progress = LoadProgress()
    assert progress.state == LoadState("waiting")
    seen = []

    def note() -> bool:
        seen.append(progress.state.stage)
        return False

    progress = LoadProgress(note)
    catalog = Catalog(models_dir=models_dir, device="cpu")
    loaded = catalog.load("tiny-gpt2", progress)
    assert seen == ["waiting", "checking", "reading"], "asked before each of checking, reading, trying"
    assert progress.state == LoadState("trying")
    assert catalog.loaded_ids() == {"tiny-gpt2"}
    assert catalog.load("tiny-gpt2", LoadProgress(lambda: True)) is loaded, "what is there needs no loading"


@pytest.mark.parametrize("stage", ["waiting", "checking", "reading"])
def test_it_stops_before_any_stage(models_dir: Path, stage: str) -> None:
    progress = LoadProgress(lambda: progress.state.stage == stage)
    catalog = Catalog(models_dir=models_dir, device="cpu")
    with pytest.raises(Cancelled, match="loading was cancelled"):
        catalog.load("tiny-gpt2", progress)
    assert catalog.loaded_ids() == frozenset()
    assert catalog.load("tiny-gpt2").entry.available, "another try is not hindered"
