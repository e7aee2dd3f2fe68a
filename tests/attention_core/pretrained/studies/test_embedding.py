"""Lookup against the model's own weights, neighbours against a search of the whole table at once."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch.testing import assert_close

from attention_core.pretrained.errors import EmptyTextError, ModelUnavailableError, SelectionError, TextTooLongError
from attention_core.pretrained.studies.embedding import look_up, nearest

TEXT = "The cat sat on the mat because it was tired."


def test_one_id_becomes_d_different_numbers(minilm) -> None:
    found = look_up(minilm, TEXT)
    count = len(found.tokens)
    assert (found.ids_shape, found.vectors_shape) == ((1, count), (1, count, 384))
    table = minilm.model.get_input_embeddings().weight.detach()
    assert found.table_shape == tuple(table.shape) == (30522, 384)
    expected = table[[token.id for token in found.tokens]]
    assert_close(torch.from_numpy(found.vectors), expected, rtol=0, atol=0)
    assert_close(torch.from_numpy(found.norms), expected.norm(dim=-1))
    assert (found.distinct > 300).all()
    assert_close(torch.from_numpy(found.similarity), F.cosine_similarity(expected[:, None], expected[None], dim=-1))
    words = [token.text for token in found.tokens]
    assert (found.vectors[words.index("the")] == found.vectors[words.index("the", words.index("the") + 1)]).all()


def test_neighbours_are_those_of_the_whole_table(minilm) -> None:
    found = look_up(minilm, "king", neighbours=5)
    table = F.normalize(minilm.model.get_input_embeddings().weight.detach(), dim=-1)
    for token, neighbours in zip(found.tokens, found.neighbours, strict=True):
        cosines = table @ table[token.id]
        cosines[token.id] = -2
        best = cosines.topk(5)
        assert [neighbour.id for neighbour in neighbours] == best.indices.tolist()
        assert [neighbour.cosine for neighbour in neighbours] == pytest.approx(best.values.tolist(), abs=1e-5)
    assert "kings" in {neighbour.text for neighbour in found.neighbours[1]}


def test_blocks_do_not_change_what_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    table = torch.randn(53, 7, generator=torch.Generator().manual_seed(0))
    ids = torch.tensor([0, 13, 52])
    whole = nearest(table, ids, 6)
    monkeypatch.setattr("attention_core.pretrained.studies.embedding.CELLS_AT_ONCE", 33)
    blocks = nearest(table, ids, 6)
    assert torch.equal(whole[1], blocks[1])
    assert_close(whole[0], blocks[0])
    looped = sorted(range(1, 53), key=lambda i: -float(F.cosine_similarity(table[0], table[i], dim=0)))[:6]
    assert whole[1][0].tolist() == looped


def test_there_are_no_more_neighbours_than_other_rows() -> None:
    table = torch.eye(3)
    cosines, ids = nearest(table, torch.tensor([1]), 10)
    assert sorted(ids[0].tolist()) == [0, 2]
    assert cosines.tolist() == [[0.0, 0.0]]
    assert nearest(table, torch.tensor([1]), 0)[1].shape == (1, 0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_tables_and_rows_of_zeros(dtype: torch.dtype) -> None:
    table = torch.tensor([[0.0, 0.0], [300.0, 0.0], [200.0, 200.0], [-1.0, 0.0]]).to(dtype)
    cosines, ids = nearest(table, torch.tensor([1]), 3)
    assert ids.tolist() == [[2, 0, 3]]
    assert_close(cosines, torch.tensor([[0.5**0.5, 0.0, -1.0]]))


def test_ids_in_place_of_a_text(catalog) -> None:
    loaded = catalog.load("tiny-gpt2")
    found = look_up(loaded, ids=[1, 5, 9])
    assert found.vectors_shape == (1, 3, 32)
    assert [token.id for token in found.tokens] == [1, 5, 9]
    assert (found.vectors == loaded.model.get_input_embeddings().weight.detach()[[1, 5, 9]].numpy()).all()
    assert [token.token for token in found.tokens] == loaded.tokenizer.convert_ids_to_tokens([1, 5, 9])


@pytest.mark.parametrize("name", ["tiny-llama", "tiny-t5", "tiny-bart", "tiny-roberta", "tiny-modernbert"])
def test_other_architectures(catalog, name: str) -> None:
    found = look_up(catalog.load(name), "A small model", neighbours=2)
    assert found.table_shape == (384, 32)
    assert all(len(neighbours) == 2 for neighbours in found.neighbours)
    assert np.isfinite(found.similarity).all()


def test_threads_agree(minilm) -> None:
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: look_up(minilm, TEXT, neighbours=3), range(3)))
    assert all(other.neighbours == found[0].neighbours for other in found)


def test_invalid_input_is_named(minilm, catalog) -> None:
    with pytest.raises(ValueError, match=r"^text must be given, or ids, and not both$"):
        look_up(minilm)
    with pytest.raises(ValueError, match=r"^text must be given, or ids, and not both$"):
        look_up(minilm, "a", ids=[1])
    with pytest.raises(SelectionError, match=r"^ids must be 0 to 30521, not 30522\.$") as raised:
        look_up(minilm, ids=[5, 30522])
    assert (raised.value.field, raised.value.limit) == ("ids.1", 30521)
    with pytest.raises(EmptyTextError):
        look_up(minilm, "  ")
    with pytest.raises(TextTooLongError):
        look_up(minilm, TEXT, max_tokens=3)
    with pytest.raises(ValueError, match=r"^count must not be negative, not -1$"):
        nearest(torch.eye(2), torch.tensor([0]), -1)


def test_a_model_of_pictures_has_no_table(minilm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm.model, "get_input_embeddings", lambda: torch.nn.Linear(2, 2))
    with pytest.raises(ModelUnavailableError, match="has no token embedding table"):
        look_up(minilm, "a")
