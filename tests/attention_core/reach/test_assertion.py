"""The helper for other people's tests: silent where a model is right, one sentence where it is not."""

import leaking_models as tiny
import pytest
import torch
from leaking_models import Attention, around, faulty
from torch import Tensor, nn

from attention_core.reach.allowed import causal, document_lengths, packed, restarting_positions, windowed
from attention_core.reach.assertion import assert_reach
from attention_core.reach.running import Runner

IDS = [(7 * each + 3) % tiny.VOCABULARY for each in range(tiny.TOKENS)]


def test_it_is_silent_where_all_is_as_allowed() -> None:
    found = assert_reach(faulty(Attention), IDS)
    assert torch.equal(found.reached[-1], causal(tiny.TOKENS))
    assert_reach(faulty(Attention), torch.tensor([IDS]), "causal")
    assert_reach(faulty(Attention), IDS, torch.ones(12, 12).tril().bool())
    masks = [windowed(12, 3), causal(12), windowed(12, 2)]
    layers = iter(masks)

    def next_one() -> Attention:
        return Attention(right(next(layers)))

    assert_reach(faulty(next_one, right=next_one), IDS, masks)


def right(mask: Tensor) -> tiny.Mask:
    return lambda _: mask


@pytest.mark.parametrize(
    ("model", "allowed", "sentence"),
    [
        (
            faulty(lambda: tiny.Convolution(1)),
            "causal",
            "Position 0 is reached by position 1 from layer 1 on, not through attention. "
            "So are 10 further pairs that are not allowed.",
        ),
        (
            around(leaves=lambda x: x.mean(1, keepdim=True)),
            "causal",
            "Position 0 is reached by position 1 in the output, not through attention. "
            "So are 65 further pairs that are not allowed.",
        ),
        (
            faulty(Attention),
            "all",
            "Position 0 is not reached by position 1, which is allowed. 65 more allowed pairs are not reached.",
        ),
    ],
)
def test_it_says_what_is_wrong(model: tiny.Decoder, allowed: str, sentence: str) -> None:
    with pytest.raises(AssertionError) as raised:
        assert_reach(model, IDS, allowed)
    assert str(raised.value) == sentence


def test_what_is_never_used_may_be_permitted() -> None:
    narrow = faulty(lambda: Attention(lambda n: windowed(n, 2)), right=lambda: Attention(lambda n: windowed(n, 2)))
    with pytest.raises(AssertionError, match=r"^Position 4 is not reached by position 0, which is allowed\."):
        assert_reach(narrow, IDS)
    assert_reach(narrow, IDS, unused=False)
    assert_reach(narrow, IDS, windowed(12, 2))


def test_documents_are_lengths_or_restarting_positions() -> None:
    def of_documents() -> Attention:
        return Attention(lambda _: packed([5, 7]))

    model = faulty(of_documents, right=of_documents)
    assert_reach(model, IDS, "packed", documents=[5, 7])
    assert_reach(model, IDS, "packed", inputs={"position_ids": restarting_positions([5, 7])})
    with pytest.raises(
        AssertionError, match=r"^Position 5 is reached by position 4 from layer 0 on, through attention\."
    ):
        assert_reach(faulty(Attention), IDS, "packed", documents=[5, 7])
    with pytest.raises(ValueError, match="documents: allowed='packed' needs their lengths"):
        assert_reach(model, IDS, "packed")
    with pytest.raises(ValueError, match=r"documents: \[5, 6\] are 11 tokens, and 12 were given"):
        assert_reach(model, IDS, "packed", documents=[5, 6])
    with pytest.raises(ValueError, match="documents are for allowed='packed'"):
        assert_reach(model, IDS, documents=[5, 7])
    assert document_lengths(restarting_positions([1, 4, 2])) == [1, 4, 2]


def test_padding_must_reach_nothing() -> None:
    inputs = {"attention_mask": (torch.arange(12) >= 4).long()[None]}
    assert_reach(around(), IDS, inputs=inputs)
    with pytest.raises(AssertionError, match="Position 4 is reached by position 3 from layer 0 on, through attention"):
        assert_reach(around(pads=False), IDS, inputs=inputs)


def test_wrong_masks_are_refused() -> None:
    with pytest.raises(ValueError, match="allowed must be 'causal', 'packed', 'all' or a mask, not 'causel'"):
        assert_reach(faulty(Attention), IDS, "causel")
    with pytest.raises(ValueError, match=r"allowed must be boolean masks of 12 queries .* torch.bool \(11, 11\)"):
        assert_reach(faulty(Attention), IDS, causal(11))
    with pytest.raises(ValueError, match="allowed: 2 masks for 3 layers"):
        assert_reach(faulty(Attention), IDS, [causal(12)] * 2)


def test_a_model_in_training_is_measured_without_dropout_and_left_in_training() -> None:
    model = faulty(lambda: torch.nn.Sequential(Attention(), torch.nn.Dropout(0.3)))
    model.train()
    assert_reach(model, IDS)
    assert model.training
    assert Runner(model).parameters() == {"ids", "attention_mask", "position_ids"}


def test_what_a_sharp_softmax_rounds_away_in_one_text_is_no_shut_mask() -> None:
    class Sharp(nn.Module):
        """Adds what stands at the first position unless its own token is divisible by 5: a weight of e^−200."""

        def forward(self, ids: Tensor) -> Tensor:
            states = ids[..., None].float()
            scores = torch.where(states % 5 == 0, -200.0, 0.0) * torch.ones(ids.shape[1])
            return states + scores.exp().tril() @ states

    text = [3, 10, 17, 24]
    with pytest.raises(AssertionError, match="Position 1 is not reached by position 0"):
        assert_reach(Sharp(), text, vocabulary=[5, 10, 15, 20])
    assert_reach(Sharp(), text, vocabulary=range(40))
