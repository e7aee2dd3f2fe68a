"""The shipped decoder: intact, found offline, with the heads its card claims."""

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoTokenizer, GPT2LMHeadModel

from attention_core.pretrained.models import sources
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import AnalysisRequest, analyse
from attention_core.pretrained.studies.circuits.induction import head_scores

DECODER = "observatory-gpt2-mini"
OTHER = "observatory-gpt2-names"
"""What it tells is in studies/patching/test_indirect_objects.py."""
FOLDER = Path(sources.__file__).parent / "shipped" / DECODER
TEXT = "The ship was built in 1901 , and the captain of the ship was the first who said that the ship was too large ."
SHAPE = (6, 6)


@pytest.fixture(scope="module")
def decoder() -> LoadedModel:
    """As the application has it, with nothing but what is in the repository."""
    return Catalog(hub_models=(), device="cpu").load(DECODER)


def test_it_is_listed_beside_minilm_and_needs_no_hub() -> None:
    entries = Catalog(hub_models=(), device="cpu").entries()
    assert [entry.id for entry in entries] == ["sentence-transformers/all-MiniLM-L6-v2", DECODER, OTHER]
    entry = entries[1]
    assert (entry.available, entry.reason, entry.source, entry.reads) == (True, None, "package", "text")
    assert (entry.architecture, entry.kind, entry.positions) == ("GPT2LMHeadModel", "decoder", "learned")
    assert (entry.layers, entry.heads, entry.head_dim, entry.max_tokens) == (*SHAPE, 32, 512)


@pytest.mark.parametrize("name", [DECODER, OTHER])
def test_the_files_are_those_that_were_published(name: str) -> None:
    folder = FOLDER.parent / name
    (packaged,) = [one for one in sources.PACKAGED_MODELS if one.id == name]
    assert hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest() == packaged.sha256
    tensors = load_file(folder / "model.safetensors")
    assert {tensor.dtype for tensor in tensors.values()} == {torch.float16}
    count = sum(tensor.numel() for tensor in tensors.values())
    assert 3_000_000 <= count <= 10_000_000
    assert f"{count / 1e6:.2f} million parameters" in (folder / "README.md").read_text(encoding="utf-8")
    assert {path.suffix for path in folder.iterdir()} == {".json", ".md", ".safetensors", ".svg"}


def test_it_is_in_memory_in_float32(decoder: LoadedModel) -> None:
    tensors = load_file(FOLDER / "model.safetensors")
    loaded = decoder.model.state_dict()
    for name, tensor in tensors.items():
        assert loaded[name].dtype == torch.float32
        assert torch.equal(loaded[name], tensor.float()), name


def test_the_tokenizer_gives_every_text_back(decoder: LoadedModel) -> None:
    plain = AutoTokenizer.from_pretrained(FOLDER, local_files_only=True)
    assert len(plain) == 4096 == decoder.model.config.vocab_size
    for text in (TEXT, "猫は\t🙂 — naïve\r\n\n = Title = \n", "<unk> @-@ ROMEO:\nO, speak again"):
        ids = plain(text)["input_ids"]
        assert plain.decode(ids) == text
        assert decoder.tokenizer(text)["input_ids"] == ids
    assert len(plain(TEXT)["input_ids"]) < 40


def test_what_is_shown_is_what_the_library_computes(decoder: LoadedModel) -> None:
    analysis = analyse(decoder, AnalysisRequest(text=TEXT, parity=True), max_tokens=512)
    assert analysis.parity is not None
    assert max(analysis.parity.weights, analysis.parity.last_hidden_state) <= 1e-5
    weights, last = eager(AutoTokenizer.from_pretrained(FOLDER, local_files_only=True)(TEXT)["input_ids"])
    part = analysis.parts[0]
    assert (part.layers, part.heads, part.causal) == (*SHAPE, True)
    for layer, head in np.ndindex(SHAPE):
        shown = analysis.window("decoder", layer, head, "weights", rows=None, cols=None, max_size=None, max_cells=10**6)
        np.testing.assert_allclose(shown, weights[layer, head], atol=1e-5)
    best = last.softmax(0).sort(descending=True)
    shown_best = analysis.predictions[0].candidates
    assert [candidate.id for candidate in shown_best] == best.indices[: len(shown_best)].tolist()
    np.testing.assert_allclose(
        [candidate.probability for candidate in shown_best], best.values[: len(shown_best)], atol=1e-5
    )


def eager(ids: list[int]) -> tuple[np.ndarray, torch.Tensor]:
    """Weights (layers, heads, queries, keys) and the last logits, from the library alone."""
    model = GPT2LMHeadModel.from_pretrained(
        FOLDER, local_files_only=True, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    with torch.inference_mode():
        output = model(torch.tensor([ids]), output_attentions=True)
    return torch.stack(output.attentions)[:, 0].numpy(), output.logits[0, -1]


def scores_by_loops(period: int, seed: int, *, marked: bool) -> dict[str, np.ndarray]:
    """Previous-token and induction scores as their definitions say, on tokens of this test's own."""
    half = np.random.default_rng(seed).choice(np.arange(1, 4096), size=period, replace=False).tolist()
    start = int(marked)
    weights, _ = eager([0] * start + half + half)
    queries = range(start + period, start + 2 * period)
    return {
        "previous": np.mean([weights[:, :, i, i - 1] for i in queries], axis=0),
        "induction": np.mean([weights[:, :, i, i - period + 1] for i in queries], axis=0),
    }


@pytest.mark.parametrize(("period", "marked"), [(20, True), (50, True), (50, False), (100, True)])
def test_it_has_previous_token_and_induction_heads(period: int, marked: bool) -> None:
    found = [scores_by_loops(period, seed, marked=marked) for seed in (11, 12, 13)]
    for name in ("previous", "induction"):
        assert np.mean([scores[name] for scores in found], axis=0).max() > 0.5, name


@pytest.mark.full
def test_the_application_finds_the_same_heads(decoder: LoadedModel) -> None:
    measured = head_scores(decoder, period=50, sequences=8).parts[0].scores
    for ours, name in (("previous_token_random", "previous"), ("induction", "induction")):
        found = np.mean([scores_by_loops(50, seed, marked=True)[name] for seed in range(8)], axis=0)
        assert measured[ours].shape == SHAPE
        assert measured[ours].max() > 0.5
        np.testing.assert_allclose(measured[ours], found, atol=0.06)  # other random tokens


@pytest.mark.full
def test_it_predicts_what_the_heads_find() -> None:
    """By a loop on tokens of this test's own: an induction head that nothing is made of would be an ornament."""
    right = []
    for seed in range(4):
        half = np.random.default_rng(seed).choice(np.arange(1, 4096), size=50, replace=False).tolist()
        for length in range(52, 101):  # after at least one token of the second copy
            if length % 7 == 0:
                _, last = eager([0, *(half + half)[: length - 1]])
                right.append(int(last.argmax()) == (half + half)[length - 1])
    (claimed,) = re.findall(r"(\d+)% are foretold as the likeliest", card())
    assert float(np.mean(right)) > 0.6
    assert float(np.mean(right)) == pytest.approx(int(claimed) / 100, abs=0.15)  # other tokens, and only 28 of them


def card() -> str:
    return (FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.mark.full
def test_the_card_names_the_heads_that_are_measured(decoder: LoadedModel) -> None:
    measured = head_scores(decoder, period=50, sequences=8).parts[0].scores
    for name, scores in (
        ("previous token", measured["previous_token_random"]),
        ("induction", measured["induction"]),
    ):
        (row,) = re.findall(rf"^\| {name}: .*$", card(), flags=re.MULTILINE)
        claimed = re.findall(r"(\d)\.(\d) \((\d\.\d\d)\)", row)
        assert len(claimed) == 3
        for layer, head, score in claimed:
            assert scores[int(layer), int(head)] == pytest.approx(float(score), abs=0.011)
        assert row.endswith(f"| {(scores > 0.5).sum()} |")


def test_the_card_claims_to_beat_the_baselines() -> None:
    rows = re.findall(r"^\| (\S+) \| [\d,]+ \| \*\*([\d.]+)\*\* \| ([\d.]+) \| ([\d.]+) \|$", card(), re.MULTILINE)
    assert [name for name, *_ in rows] == ["tinyshakespeare.txt", "wikitext-2-valid.txt", "together"]
    for _, model, bigram, unigram in rows:
        assert float(model) < float(bigram) < float(unigram)


def test_it_predicts_text_better_than_chance(decoder: LoadedModel) -> None:
    """What the card says of held-out text, on a sentence of this test's own."""
    ids = torch.tensor([[0, *decoder.tokenizer(TEXT)["input_ids"]]])
    with torch.inference_mode():
        logits = decoder.model(ids).logits[0, :-1]
    surprise = torch.nn.functional.cross_entropy(logits, ids[0, 1:])
    assert float(surprise.exp()) < 400  # of 4,096
