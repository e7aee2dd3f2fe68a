"""The study of indirect objects in docs/patching.md: every figure there, and the card's, computed."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, GPT2LMHeadModel

from attention_core.pretrained.models import sources
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import Analysis, AnalysisRequest, analyse
from attention_core.pretrained.studies.patching.experiment import Question
from attention_core.pretrained.studies.patching.patches import What
from attention_core.pretrained.studies.patching.patching import patching
from attention_core.pretrained.studies.patching.paths import Via, path_patching
from recipes.decoder.name_measures import measure_names

NAMES = "observatory-gpt2-names"
FOLDER = Path(sources.__file__).parent / "shipped" / NAMES
CLEAN = "When Mary and John went to the store, John gave a drink to"
CORRUPT = CLEAN.replace("John gave", "Mary gave")
QUESTION = Question(clean=CLEAN, corrupt=CORRUPT)
MARY, JOHN, AGAIN, LAST = 1, 3, 9, 13
Head = tuple[int, int]


@pytest.fixture(scope="module")
def names() -> LoadedModel:
    return Catalog(hub_models=(), device="cpu").load(NAMES)


@pytest.fixture(scope="module")
def told(root: Path) -> str:
    """The section of the document."""
    text = (root / "docs" / "patching.md").read_text(encoding="utf-8")
    return " ".join(text.split("## Indirect objects")[1].split("##")[0].split())


def strong(effects: np.ndarray, least: float = 0.1) -> dict[Head, str]:
    places = zip(*np.nonzero(effects.round(2) >= least), strict=True)
    return {(int(layer), int(head)): f"{effects[layer, head]:.2f}" for layer, head in places}


def by_head(loaded: LoadedModel, what: What) -> np.ndarray:
    return np.asarray(patching(loaded, QUESTION, what=what).effects)


def test_the_runs_are_far_apart(names: LoadedModel, told: str) -> None:
    found = patching(names, QUESTION)
    assert (found.answer.text, found.against.text, found.position) == (" Mary", " John", LAST)
    assert f"the clean run is {found.clean.difference:.1f} logits for *Mary*" in told
    assert f"the corrupt one {-found.corrupt.difference:.1f} for *John*" in told
    assert f"It gives *Mary* {found.clean.candidates[0].probability:.2f};" in told
    # And by the library alone.
    model = GPT2LMHeadModel.from_pretrained(FOLDER, local_files_only=True, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(FOLDER, local_files_only=True)
    mary, john = (tokenizer(name)["input_ids"][0] for name in (" Mary", " John"))
    with torch.inference_mode():
        for text, run in ((CLEAN, found.clean), (CORRUPT, found.corrupt)):
            logits = model(torch.tensor([tokenizer(text)["input_ids"]])).logits[0, -1]
            assert float(logits[mary] - logits[john]) == pytest.approx(run.difference, abs=1e-3)


@pytest.mark.full
def test_which_heads_by_what(names: LoadedModel, told: str) -> None:
    outputs = strong(by_head(names, "output"))
    assert outputs == {
        (0, 5): "0.41",
        (2, 2): "0.18",
        (0, 0): "0.17",
        (1, 3): "0.14",
        **dict.fromkeys([(3, 3), (3, 4), (2, 3)], "0.11"),
    }
    assert (
        "Seven of 24 heads have an effect of 0.1 or more: layer 0, head 5 with 0.41, layer 2, head 2 with 0.18" in told
    )
    assert "layer 0, head 0 with 0.17, layer 1, head 3 with 0.14, and three with 0.11" in told
    assert strong(by_head(names, "queries")) == {(0, 5): "0.41", (3, 3): "0.11", (3, 4): "0.12"}
    assert "Queries matter for layer 0, head 5 (0.41) and for heads 3 and 4 of layer 3 (0.11, 0.12)" in told
    assert strong(by_head(names, "values")) == {(0, 0): "0.17", (1, 3): "0.16", (2, 2): "0.21"}
    assert "layer 0, head 0 (0.17), layer 1, head 3 (0.16) and layer 2, head 2 (0.21)" in told


def test_where_they_attend(names: LoadedModel, told: str) -> None:
    clean, corrupt = (analyse(names, AnalysisRequest(text=text), max_tokens=512) for text in (CLEAN, CORRUPT))

    def weight(analysis: Analysis, layer: int, head: int, query: int, key: int) -> str:
        weights = analysis.window(
            "decoder", layer, head, "weights", rows=None, cols=None, max_size=None, max_cells=10**6
        )
        return f"{weights[query, key]:.2f}"

    repeated, mover = weight(clean, 0, 5, AGAIN, JOHN), weight(clean, 3, 4, LAST, MARY)
    assert f"Layer 0, head 5 attends from the second *John* to the first with {repeated}" in told
    seen = weight(clean, 0, 0, LAST, AGAIN), weight(clean, 1, 3, LAST, AGAIN)
    assert "layer 0, head 0 attends to the second *John* with {}, layer 1, head 3 with {}".format(*seen) in told
    other = weight(corrupt, 3, 4, LAST, JOHN)
    assert (
        f"Layer 3, head 4 attends from there to *Mary* with {mover}, in the corrupt run to *John* with {other}" in told
    )


@pytest.mark.full
def test_where_the_difference_is_and_by_which_path(names: LoadedModel, told: str) -> None:
    streams = np.asarray(patching(names, QUESTION, what="residual", by="position").effects)
    assert "({:.2f}, {:.2f}, {:.2f})".format(*streams[:3, AGAIN]) in told
    assert streams[3, AGAIN] == pytest.approx(0, abs=0.005)
    assert streams[3, LAST] == pytest.approx(1, abs=0.005)

    def paths(via: Via) -> np.ndarray:
        return np.asarray(path_patching(names, QUESTION, fixed="receiver", layer=1, head=3, via=via).effects)

    values = paths("values")
    assert np.unravel_index(values.argmax(), values.shape) == (0, 5)
    assert f"most comes from layer 0, head 5 ({values[0, 5]:.2f})" in told
    assert max(np.abs(paths(via)).max() for via in ("queries", "keys")) < 0.005


@pytest.mark.full
@pytest.mark.parametrize(
    ("count", "within"), [(200, (9.0, 1.0)), pytest.param(1000, (0.21, 0.02), marks=pytest.mark.full)]
)
def test_the_card_says_what_is_measured(told: str, count: int, within: tuple[float, float]) -> None:
    """On some of its sentences nearly, on all of them exactly."""
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    measured, undecided = measure_names(FOLDER, count)
    rows = re.findall(r"^\| ([^|]+) \| ([\d.]+)% \| ([\d.]+) \| ([\d.]+)% \|$", card, re.MULTILINE)
    assert [kind for kind, *_ in rows] == list(measured)
    for kind, right, difference, likeliest in rows:
        found = measured[kind]
        assert (100 * found.right, 100 * found.likeliest) == pytest.approx(
            (float(right), float(likeliest)), abs=within[0]
        )
        assert found.difference == pytest.approx(float(difference), abs=within[1])
    assert measured["other pairs of names"].right > 0.95
    if count == 1000:
        assert f"the giver's name is behind both in {undecided.giver_last:.0%}" in card
        again = measured["the answer is named once more"].right
        assert f"right in {again:.0%} of 1,000 sentences: chance" in told
