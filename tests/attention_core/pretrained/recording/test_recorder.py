"""The recorder: unmaterialised masks, distance biases, threads, and refusals."""

import threading
from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from transformers import BertConfig, BertModel
from transformers.masking_utils import causal_mask_function, sdpa_mask

from attention_core.pretrained.errors import Cancelled, UnsupportedAttentionError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.bias_rules import DenseBias, RelativeBias, relative_bias
from attention_core.pretrained.recording.recorder import IMPLEMENTATION, record
from attention_core.pretrained.recording.unwritten_mask import UnwrittenMask, observatory_mask
from attention_core.pretrained.recording.windows import stage_window


def masks(padding: Tensor | None) -> tuple[Tensor, Tensor]:
    """Ours and transformers' own, for 5 queries behind 2 cached keys, in a batch of 2."""
    sizes = {"batch_size": 2, "q_length": 5, "kv_length": 7, "q_offset": 2}
    rule = {"mask_function": causal_mask_function, "attention_mask": padding}
    ours = observatory_mask(**sizes, **rule)
    assert isinstance(ours, UnwrittenMask)
    return ours, sdpa_mask(**sizes, **rule, allow_is_causal_skip=False)


PADDING = torch.tensor([[1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1]]).bool()


@pytest.mark.parametrize("padding", [None, PADDING])
@pytest.mark.parametrize(
    "operation",
    [
        lambda mask: mask[:, :, 1:4, 2:],
        lambda mask: ~mask,
        lambda mask: mask.float(),
        lambda mask: torch.where(mask, 0.0, -1.0),
        lambda mask: mask.expand(2, 3, 5, 7),
    ],
)
def test_any_operation_sees_the_mask_written_out(padding: Tensor | None, operation: Callable[[Tensor], Tensor]) -> None:
    ours, theirs = masks(padding)
    assert ours.shape == theirs.shape
    assert torch.equal(operation(ours), operation(theirs))


def test_windows_of_the_mask(minilm: LoadedModel) -> None:
    ours, theirs = masks(PADDING)
    assert isinstance(ours, UnwrittenMask)
    assert torch.equal(ours.rule.window(slice(1, 4), slice(3, 6)), theirs[:, :, 1:4, 3:6])
    spans = [(block.rows, block.cols, block.fully_visible) for block in ours.rule.blocks]
    assert spans == [(slice(0, 5), slice(0, 7), False)]


def test_no_mask_where_everything_may_be_read() -> None:
    everything = torch.ones(1, 6).bool()
    mask = observatory_mask(
        1, 6, 6, mask_function=causal_mask_function, attention_mask=everything, allow_is_bidirectional_skip=True
    )
    assert mask is None


def test_a_bias_by_distance_is_kept_as_its_diagonals() -> None:
    by_distance = torch.randn(1, 3, 11, generator=torch.Generator().manual_seed(0))
    written = torch.stack([by_distance[..., 4 - i : 11 - i] for i in range(5)], dim=-2)
    rule = relative_bias(written)
    assert isinstance(rule, RelativeBias)
    assert torch.equal(rule.by_distance, by_distance)
    assert torch.equal(rule.window(slice(1, 4), slice(2, 7)), written[:, :, 1:4, 2:7])


def test_other_biases() -> None:
    assert relative_bias(torch.zeros(1, 2, 3, 3)) is None
    irregular = torch.randn(1, 2, 3, 4, generator=torch.Generator().manual_seed(0))
    rule = relative_bias(irregular)
    assert isinstance(rule, DenseBias)
    assert torch.equal(rule.window(slice(1, 3), slice(0, 2)), irregular[:, :, 1:3, :2])


def test_a_models_own_additive_mask_counts_as_a_mask_with_a_bias() -> None:
    """A 4-D mask with finite values beside the lowest number, as custom masks come."""
    config = BertConfig(vocab_size=50, hidden_size=12, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8)
    model = BertModel._from_config(config, attn_implementation=IMPLEMENTATION).eval()
    mask = torch.zeros(1, 1, 4, 4)
    mask[..., 3] = torch.finfo(torch.float32).min
    mask[..., 0] = 2.0
    ids = torch.tensor([[1, 2, 3, 4]])
    with torch.inference_mode():
        with record() as recording:
            ours = model(ids, attention_mask=mask).last_hidden_state
        model.set_attn_implementation("eager")
        theirs = model(ids, attention_mask=mask).last_hidden_state
        weights = stage_window(recording.layers[0], 0, "weights", slice(0, 4), slice(0, 4))
    torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=0)
    assert weights[:, 3].tolist() == [0.0] * 4


@pytest.mark.full
def test_threads_never_mix_their_records(minilm: LoadedModel) -> None:
    lengths = [3, 5, 7, 11, 13, 17, 19, 23]
    texts = [torch.randint(1000, 20000, (1, n), generator=torch.Generator().manual_seed(n)) for n in lengths]

    def last_weights(ids: Tensor) -> Tensor:
        everything = slice(0, ids.shape[1])
        with torch.inference_mode():
            with record() as recording:
                minilm.model(ids)
            assert len(recording.layers) == 6
            return stage_window(recording.layers[5], 11, "weights", everything, everything)

    alone = [last_weights(ids) for ids in texts]
    together: dict[int, Tensor] = {}
    barrier = threading.Barrier(len(texts))

    def work(index: int) -> None:
        barrier.wait()
        for _ in range(3):
            together[index] = last_weights(texts[index])

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for index, expected in enumerate(alone):
        torch.testing.assert_close(together[index], expected, atol=1e-6, rtol=0)


def test_a_pass_can_be_stopped_between_blocks(minilm: LoadedModel) -> None:
    calls = []

    def stop_at_the_third() -> None:
        calls.append(None)
        if len(calls) == 3:
            raise Cancelled("enough")

    ids = torch.randint(1000, 20000, (1, 130))
    with pytest.raises(Cancelled, match="enough"), torch.inference_mode(), record(stop_at_the_third):
        minilm.model(ids)
    with torch.inference_mode(), record() as recording:
        minilm.model(ids)
    assert len(recording.layers) == 6


def test_dropout_is_refused() -> None:
    config = BertConfig(vocab_size=50, hidden_size=12, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8)
    model = BertModel._from_config(config, attn_implementation=IMPLEMENTATION).train()
    with pytest.raises(UnsupportedAttentionError, match="dropout is on"), record():
        model(torch.tensor([[1, 2, 3]]))
