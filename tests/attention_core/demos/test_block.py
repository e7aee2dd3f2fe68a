"""The block trace against torch's functions and the untraced decoder."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from attention_core.block import OF_ORDER, STEPS
from attention_core.decoder import Decoder
from attention_core.demos.block import block_walk
from attention_core.demos.decoder import DecoderChoice, Form

IDS = [0, 1, 2, 0, 3]


@pytest.mark.parametrize("form", ["modern", "llama", "gpt2", "nanochat_2025"])
@pytest.mark.parametrize("token", [0, 4])
def test_the_walk_is_what_the_decoder_does(form: Form, token: int) -> None:
    """Every station by torch's own functions, from the decoder's parameters."""
    choice = DecoderChoice(form=form, seed=5)
    walk = block_walk(choice, IDS, vocab_size=4, layer=1, token=token)
    decoder = Decoder(choice.config(4, len(IDS)), generator=torch.Generator().manual_seed(5)).eval()
    first, second = decoder.blocks
    with torch.no_grad():
        x = decoder.token_embedding(torch.tensor([IDS]))
        if decoder.position_embedding is not None:
            x = x + decoder.position_embedding.weight[: len(IDS)]
        if decoder.embedding_norm is not None:
            x = decoder.embedding_norm(x)
        streams = [x, first(x, torch.tensor([IDS]))]
        normed = second.get_submodule("attention_norm")(streams[1])
        written = second.get_submodule("attention")(normed, is_causal=True)
        after = streams[1] + written
        fed = second.get_submodule("feed_forward")(second.get_submodule("feed_forward_norm")(after))
        streams.append(after + fed)
        logits = decoder(torch.tensor([IDS]))[0, token]
    expected = {
        "inputs": streams[1],
        "attention_normed": normed,
        "attention_output": written,
        "after_attention": after,
        "feed_forward_output": fed,
        "outputs": streams[2],
    }
    at = {station.name: station.vector for station in walk.stations}
    assert tuple(at) == OF_ORDER["pre"]
    for name, tensor in expected.items():
        np.testing.assert_allclose(at[name], tensor[0, token], atol=1e-6)
    np.testing.assert_allclose(walk.stream_norms, [each[0, token].norm() for each in streams], rtol=1e-6)
    assert walk.attention_norms[1] == pytest.approx(float(written[0, token].norm()))
    assert walk.feed_forward_norms[1] == pytest.approx(float(fed[0, token].norm()))
    np.testing.assert_allclose(walk.weights.sum(axis=1), 1, atol=1e-6)
    assert (walk.weights[:, token + 1 :] == 0).all()
    chances = F.softmax(logits, dim=-1)
    assert [guess.id for guess in walk.guesses] == chances.argsort(descending=True).tolist()
    np.testing.assert_allclose(
        [guess.probability for guess in walk.guesses], chances.sort(descending=True).values, rtol=1e-5
    )
    assert [check.name for check in walk.checks] == ["embeddings", *(name for name, _, _ in STEPS["pre"])]
    assert all(check.holds for check in walk.checks)
    assert walk.embedding[-1].name == "embeddings"
    assert len(walk.embedding) == (3 if form in {"gpt2", "nanochat_2025"} else 2)  # positions, or a norm
    assert walk.nbytes > sum(vector.nbytes for vector in at.values())


def test_statistics_of_a_station() -> None:
    """(3, 4): length 5, mean 3.5, deviation ½."""
    choice = DecoderChoice()
    station = block_walk(choice, IDS, vocab_size=4, layer=0, token=0).stations[0]
    vector = station.vector.astype(np.float64)
    assert station.norm == pytest.approx(np.sqrt((vector**2).sum()))
    assert station.mean == pytest.approx(vector.sum() / 16)
    assert station.standard_deviation == pytest.approx(np.sqrt(((vector - vector.mean()) ** 2).sum() / 16))


@pytest.mark.parametrize(
    ("ids", "layer", "token", "message"),
    [
        ([], 0, 0, "ids must not be empty"),
        (IDS, 2, 0, "layer must be from 0 to 1, not 2"),
        (IDS, -1, 0, "layer must be from 0 to 1, not -1"),
        (IDS, 0, 5, "token must be from 0 to 4, not 5"),
    ],
)
def test_what_is_refused(ids: list[int], layer: int, token: int, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        block_walk(DecoderChoice(), ids, vocab_size=4, layer=layer, token=token)
