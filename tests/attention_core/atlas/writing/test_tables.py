"""The files of an atlas against what a scan is known to find."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from naive_atlas import eager_weights
from small_corpora import plain_documents, tree_documents, write_corpus

from attention_core.atlas.corpus.document import Document
from attention_core.atlas.corpus.shards import read_shard
from attention_core.atlas.scan import scan
from attention_core.atlas.settings import ScanSettings
from attention_core.atlas.texts.tokeniser import Tokeniser
from attention_core.atlas.texts.windows import Window, cut_windows
from attention_core.pretrained.inputs.tokens import tokenise
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel

SETTINGS = ScanSettings(window_tokens=20, sampled_queries=60)
HEAD = {"part": "encoder", "layer": 2, "head": 5}


class Written:
    """The atlas of a small corpus, and the windows it was made from."""

    def __init__(self, loaded: LoadedModel, folder: Path) -> None:
        corpus = write_corpus(folder / "corpus", [*plain_documents(), *tree_documents()], shards=3)
        self.loaded = loaded
        self.out = folder / "atlas"
        scan(loaded, corpus, self.out, SETTINGS)
        documents = [document for shard in range(3) for document in read_shard(corpus, shard)]
        self.windows: list[Window] = cut_windows(Tokeniser(loaded), documents, 0, 20)

    def rows(self, name: str, **which: Any) -> list[dict[str, Any]]:
        rows = pq.read_table(self.out / f"{name}.parquet").to_pylist()
        return [row for row in rows if all(row[key] == value for key, value in which.items())]


@pytest.fixture(scope="module")
def written(minilm: LoadedModel, tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(minilm, tmp_path_factory.mktemp("written"))


def test_heads_are_sorted_and_have_means_of_all_queries(written: Written) -> None:
    rows = written.rows("heads")
    assert [(row["part"], row["layer"], row["head"]) for row in rows] == [
        ("encoder", layer, head) for layer in range(6) for head in range(12)
    ]
    weights = [eager_weights(written.loaded, window)[2, 5] for window in written.windows]
    own = np.concatenate([each.diagonal() for each in weights])
    assert np.isclose(rows[29]["same_token"], own.mean(), rtol=1e-5)
    assert rows[29]["tokens"] == len(own) == sum(len(window.tokens) for window in written.windows)


@pytest.mark.full
def test_norms_weighted_by_attention(written: Written) -> None:
    """Kobayashi et al. (2020): Σ_j w_ij ‖v_j W_O‖, with the values and the matrix of the library's own modules."""
    model: Any = written.loaded.model
    layer = model.base_model.encoder.layer[2].attention
    total = count = 0.0
    for window in written.windows:
        inputs: list[Any] = []
        handle = layer.self.register_forward_pre_hook(lambda _module, args, found=inputs: found.append(args[0]))
        weights = _weights_and(written.loaded, window)
        handle.remove()
        values = layer.self.value(inputs[0])[0, :, 5 * 32 : 6 * 32].double()
        written_by = values @ layer.output.dense.weight[:, 5 * 32 : 6 * 32].T.double()
        norms = np.linalg.norm(written_by.detach().numpy(), axis=1)
        total += float((weights[2, 5] @ norms).sum())
        count += len(norms)
    assert np.isclose(written.rows("heads", **HEAD)[0]["norm_weighted"], total / count, rtol=1e-5)


def _weights_and(loaded: LoadedModel, window: Window) -> np.ndarray:
    """The eager weights; also runs the model itself, whose hooks see its inputs."""
    import torch  # noqa: PLC0415

    with torch.inference_mode():
        loaded.model(input_ids=torch.tensor([window.tokens.ids.tolist()]))
    return eager_weights(loaded, window)


def test_histograms_offsets_and_positional_regularity(written: Written) -> None:
    count = written.rows("heads", **HEAD)[0]["tokens"]
    bins = written.rows("histograms", **HEAD, measure="entropy")
    assert sum(row["count"] for row in bins) == count
    assert [row["low"] for row in bins][1:] == [row["high"] for row in bins][:-1]
    offsets = written.rows("offsets", **HEAD)
    assert [row["offset"] for row in offsets] == list(range(-19, 20))
    assert np.isclose(sum(row["weight"] for row in offsets), 1.0, atol=1e-5)
    assert sum(row["strongest"] for row in offsets) == count
    regularity = written.rows("heads", **HEAD)[0]["positional_regularity"]
    assert regularity == max(row["strongest"] for row in offsets) / count


def test_every_example_is_the_cell_it_names(written: Written) -> None:
    windows = {window.id: eager_weights(written.loaded, window)[2, 5] for window in written.windows}
    mentioned = {row["window"]: row for row in written.rows("windows")}
    examples = written.rows("examples", **HEAD)
    assert {row["kind"] for row in examples} == {"strongest", "decile"}
    for row in examples:
        assert np.isclose(windows[row["window"]][row["query"], row["key"]], row["weight"], atol=1e-5)
        tokens = mentioned[row["window"]]["tokens"]
        if row["without_sinks"]:
            assert row["key"] > 0
            assert tokens[row["key"]]["text"] != "[SEP]"


def test_deciles_are_tenths_of_the_sample(written: Written) -> None:
    vectors = written.rows("vectors", **HEAD)
    assert len(vectors) == 60
    weights = sorted(row["weight"] for row in vectors)
    examples = written.rows("examples", **HEAD, kind="decile", without_sinks=False)
    for decile in range(10):
        found = sorted(row["weight"] for row in examples if row["decile"] == decile)
        assert found == weights[6 * decile : 6 * (decile + 1)]


def test_vectors_belong_to_their_cell(written: Written) -> None:
    """q · k is the score, so that weights of one query on two keys differ by it; and outputs are weighted values."""
    for row in written.rows("vectors", **HEAD)[:5]:
        assert len(row["q"]) == len(row["k"]) == len(row["output"]) == 32
        window = next(each for each in written.windows if each.id == row["window"])
        q, k, output = _vectors(written.loaded, window, row["query"], row["key"])
        assert np.allclose(row["q"], q, atol=1e-4)
        assert np.allclose(row["k"], k, atol=1e-4)
        assert np.allclose(row["output"], output, atol=1e-4)


def _vectors(loaded: LoadedModel, window: Window, query: int, key: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    import torch  # noqa: PLC0415

    from attention_core.pretrained.recording.recorder import record  # noqa: PLC0415

    with torch.inference_mode(), record() as recording:
        loaded.model(input_ids=torch.tensor([window.tokens.ids.tolist()]))
        attention = recording.layers[2].attention
        output = attention.attend()[0]
    return attention.queries[0, 5, query].numpy(), attention.keys[0, 5, key].numpy(), output[0, 5, query].numpy()


def test_pairs_are_ranked_and_named(written: Written) -> None:
    for kind in ("token", "upos"):
        rows = written.rows("token_pairs", **HEAD, kind=kind, without_sinks=True)
        assert [row["rank"] for row in rows] == list(range(len(rows)))
        counts = [row["count"] for row in rows]
        assert counts == sorted(counts, reverse=True)
    assert any(row["key"] == "[SEP]" for row in written.rows("token_pairs", kind="token", without_sinks=False))
    assert all(row["key"] != "[SEP]" for row in written.rows("token_pairs", kind="token", without_sinks=True))
    assert {"NOUN", "DET"} <= {row["query"] for row in written.rows("token_pairs", **HEAD, kind="upos")}


def test_windows_hold_their_text_and_tokens(written: Written) -> None:
    known = {window.id: window for window in written.windows}
    rows = written.rows("windows")
    assert [row["window"] for row in rows] == sorted({row["window"] for row in rows})
    for row in rows:
        window = known[row["window"]]
        assert (row["text"], row["start"], row["end"]) == (window.text, window.start, window.end)
        first, *_, last = row["tokens"]
        assert first == _special("[CLS]", 0)
        assert last == _special("[SEP]", len(row["text"]))


def _special(text: str, place: int) -> dict[str, Any]:
    return {"text": text, "token": text, "start": place, "end": place, "special": True, "word": None}


@pytest.mark.parametrize("name", ["observatory-gpt2-mini", "sentence-transformers/all-MiniLM-L6-v2"])
def test_windows_show_the_tokens_of_an_analysis(models: Catalog, tmp_path: Path, name: str) -> None:
    """Whatever the script: parts of one character keep their bytes, and words are those of the characters."""
    loaded = models.load(name)
    texts = ["当然而不然 🙂 so it is", "مرحبا بالعالم, שלום", "naïve 🙂🙂 cafés"]
    corpus = write_corpus(tmp_path / "scripts", [Document(str(at), text) for at, text in enumerate(texts)], shards=1)
    scan(loaded, corpus, tmp_path / "atlas", ScanSettings(window_tokens=64, sampled_queries=60))
    rows = {row["text"]: row["tokens"] for row in pq.read_table(tmp_path / "atlas" / "windows.parquet").to_pylist()}
    assert rows
    for text, tokens in rows.items():
        _, expected = tokenise(loaded, text)
        names = ("text", "token", "special", "word")
        assert [[token[each] for each in names] for token in tokens] == [
            [getattr(token, each) for each in names] for token in expected
        ]
        spans = [(token.start, token.end) for token in expected]
        for token, (start, end) in zip(tokens, spans, strict=True):
            assert start is None or (token["start"], token["end"]) == (start, end)
    if name == "observatory-gpt2-mini":
        alike = [token for token in rows[texts[0]] if token["text"] == "然"]
        assert len({token["token"] for token in alike}) > 1


def test_relations_and_divergences_have_a_row_for_each_head_and_pair(written: Written) -> None:
    relations = written.rows("relations", relation="det", direction="dependent_to_head")
    assert len(relations) == 72
    assert {(row["count"], row["baseline_offset"]) for row in relations} == {(3, 1)}
    assert {row["baseline_accuracy"] for row in relations} == {2 / 3}
    assert len(written.rows("divergences")) == 72 * 71 // 2


def test_a_row_group_holds_one_head(written: Written) -> None:
    for name in ("histograms", "offsets", "token_pairs", "examples", "vectors"):
        assert pq.ParquetFile(written.out / f"{name}.parquet").num_row_groups == 72
