"""The training command, from texts to a model that the catalog loads."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoTokenizer, GPT2LMHeadModel

from attention_core.pretrained.models.catalog import Catalog
from recipes.decoder.__main__ import NAME, main
from recipes.decoder.measures import measure_heads, perplexities
from recipes.decoder.ngrams import bigram_nll, unigram_nll
from recipes.decoder.perplexity import negative_log_likelihood, perplexity
from recipes.decoder.recipe import Recipe
from recipes.decoder.texts import Corpus, Split
from recipes.decoder.training import CHECKPOINT, Training

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def made(texts: Path, tiny: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the command has trained and written its model."""
    folder = tmp_path_factory.mktemp("training")
    assert main([str(texts), str(folder)], tiny) == 0
    return folder


def test_the_model_is_the_best_step_in_float16(made: Path, tiny: Recipe, corpus: Corpus) -> None:
    folder = made / NAME
    written = {path.name for path in folder.iterdir()}
    assert {"README.md", "config.json", "loss.svg", "model.safetensors", "tokenizer.json"} <= written
    tensors = load_file(folder / "model.safetensors")
    best = Training(tiny, corpus, made, torch.device("cpu")).best
    assert set(tensors) == set(best)
    for name, tensor in tensors.items():
        assert torch.equal(tensor, best[name].half()), name
    model = GPT2LMHeadModel.from_pretrained(folder, local_files_only=True, dtype=torch.float32)
    assert torch.equal(model.lm_head.weight, best["lm_head.weight"].half().float())
    assert (model.config.n_layer, model.config.n_head, model.config.activation_function) == (2, 2, "gelu_new")
    assert AutoTokenizer.from_pretrained(folder, local_files_only=True).model_max_length == tiny.context


def test_the_catalog_loads_it_in_float32(made: Path) -> None:
    loaded = Catalog(models_dir=made, hub_models=(), device="cpu").load(NAME)
    entry = loaded.entry
    assert (entry.architecture, entry.kind, entry.layers, entry.heads) == ("GPT2LMHeadModel", "decoder", 2, 2)
    assert {parameter.dtype for parameter in loaded.model.parameters()} == {torch.float32}


def test_the_card_says_what_was_measured(made: Path, tiny: Recipe, splits: list[Split], corpus: Corpus) -> None:
    card = (made / NAME / "README.md").read_text(encoding="utf-8")
    assert re.search(r"[{}]|nan|None", card) is None
    for one in perplexities(made / NAME, corpus, tiny):
        assert f"| {one.name} | {one.tokens:,} | **{one.model:.1f}** | {one.bigram:.1f} | {one.unigram:.1f} |" in card
    heads = measure_heads(made / NAME, splits)
    for scores in (heads.previous_token, heads.induction, heads.first_token):
        assert scores.shape == (2, 2)
        layer, head = divmod(int(scores.argmax()), 2)
        assert f"| {layer}.{head} ({scores.max():.2f})," in card


def test_perplexities_together_are_those_of_all_tokens(made: Path, tiny: Recipe, corpus: Corpus) -> None:
    *each, together = perplexities(made / NAME, corpus, tiny)
    ids = corpus.held_out
    count = sum(len(one) for one in ids)
    assert [one.tokens for one in each] == [len(one) for one in ids]
    assert (together.name, together.tokens) == ("together", count)
    model = GPT2LMHeadModel.from_pretrained(made / NAME, local_files_only=True, dtype=torch.float32)
    for name, of in [
        ("model", lambda one: negative_log_likelihood(model, one, context=tiny.context)[0]),
        ("bigram", lambda one: bigram_nll(corpus.training, one, tiny.vocabulary)),
        ("unigram", lambda one: unigram_nll(corpus.training, one, tiny.vocabulary)),
    ]:
        found = [of(one) for one in ids]
        assert [getattr(one, name) for one in each] == pytest.approx(
            [perplexity(total, len(one)) for total, one in zip(found, ids, strict=True)]
        )
        assert getattr(together, name) == pytest.approx(perplexity(sum(found), count))


def test_the_picture_of_the_loss_is_whole(made: Path) -> None:
    picture = ElementTree.parse(made / NAME / "loss.svg").getroot()  # noqa: S314 - our own file
    lines = picture.findall("{http://www.w3.org/2000/svg}polyline")
    assert [len(line.attrib["points"].split()) for line in lines] == [4, 4]  # evaluated four times
    for line in lines:
        heights = [float(point.split(",")[1]) for point in line.attrib["points"].split()]
        assert all(0 <= height <= 300 for height in heights)
        assert heights[-1] > heights[0]  # further down the page: less loss


def test_a_finished_training_is_not_done_again(
    made: Path, texts: Path, tiny: Recipe, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (made / NAME / "model.safetensors").read_bytes()
    assert main([str(texts), str(made)], tiny) == 0
    assert "going on after step 7" in capsys.readouterr().out
    assert (made / NAME / "model.safetensors").read_bytes() == before


def test_progress_is_told(texts: Path, tiny: Recipe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(texts), str(tmp_path)], tiny)
    lines = re.findall(
        r"^step (\d)/7  loss \d\.\d{3}  choosing \d\.\d{3} \(best .*to go$", capsys.readouterr().out, re.M
    )
    assert lines == ["2", "4", "6", "7"]


def test_a_missing_text_is_named(tmp_path: Path, tiny: Recipe, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path), str(tmp_path / "out")], tiny) == 1
    assert re.search(r"cannot begin: .*tinyshakespeare\.txt", capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


def test_another_recipes_folder_is_refused(made: Path, texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shutil.copytree(made, made.parent / "copied", ignore=lambda *_: [NAME])
    assert main([str(texts), str(folder)], Recipe()) == 1
    assert "holds a training of another recipe" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == [CHECKPOINT]


def test_the_command_itself() -> None:
    """And that the application needs none of it."""
    environment = os.environ | {"COLUMNS": "200"}
    command = [sys.executable, "-m", "recipes.decoder", "--help"]
    shown = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout
    assert "tinyshakespeare.txt and wikitext-2-valid.txt" in " ".join(shown.split())
    code = "import sys, server.app; sys.exit(any(name.split('.')[0] == 'recipes' for name in sys.modules))"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
