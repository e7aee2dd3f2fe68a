"""Reach against its oracles: powers of masks, gradients, naive runs; and what it leaves as it was."""

from collections import OrderedDict

import leaking_models as tiny
import pytest
import torch
from leaking_models import Attention, faulty
from torch import Tensor, nn

from attention_core.decoder import Decoder
from attention_core.decoder_config import DecoderConfig
from attention_core.reach.allowed import causal, reachable, windowed
from attention_core.reach.copies import changes
from attention_core.reach.measure import reach
from attention_core.reach.states import EMBEDDINGS, OUTPUT

IDS = [(7 * each + 3) % tiny.VOCABULARY for each in range(tiny.TOKENS)]


def random_mask(seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(tiny.TOKENS, tiny.TOKENS, generator=generator) < 0.12) | torch.eye(tiny.TOKENS).bool()


@pytest.mark.parametrize("seed", range(3))
def test_reach_of_masks_is_their_boolean_power(seed: int) -> None:
    mask = random_mask(seed)
    found = reach(faulty(lambda: Attention(lambda _: mask), right=lambda: Attention(lambda _: mask)), IDS)
    assert found.names == (EMBEDDINGS, "blocks.0", "blocks.1", "blocks.2", OUTPUT)
    power = torch.eye(tiny.TOKENS)
    for state in range(4):
        assert torch.equal(found.reached[state], power > 0), state
        power = mask.float() @ power
    assert torch.equal(found.reached[4], found.reached[3])
    assert found.exact
    assert found.unmoved == ()


@pytest.mark.parametrize("name", ["gpt2", "llama", "nanochat_2026"])
def test_reach_of_our_decoder_is_what_its_windows_allow(name: str) -> None:
    decoder = Decoder(getattr(DecoderConfig, name)(31, 16, 4, 4, max_length=16))
    with torch.no_grad():
        for parameter in decoder.parameters():
            if parameter.dim() == 2:
                parameter.normal_(generator=torch.Generator().manual_seed(1)).mul_(0.3)
    found = reach(decoder, [(5 * each + 2) % 31 for each in range(16)])
    windows = [decoder.config.window(layer) for layer in range(4)]
    masks = [causal(16) if window is None else windowed(16, window) for window in windows]
    assert torch.equal(found.reached[1:5], reachable(masks))
    for state, mask in enumerate(masks):
        weights = found.weights[state + 1]
        assert weights is not None
        assert torch.equal(weights > 0, mask), "what it attends to is the mask"


@pytest.mark.full
def test_gradients_are_zero_where_nothing_reaches() -> None:
    model = faulty(lambda: tiny.Convolution(1)).double().eval()
    found = reach(model, IDS)
    embedded = model.embedding(torch.tensor(IDS)[None]).detach().requires_grad_()
    x = embedded + model.places.weight[: tiny.TOKENS]
    for block in model.blocks:
        x = block(x)
    weight = torch.randn(tiny.WIDTH, dtype=torch.double, generator=torch.Generator().manual_seed(2))
    for query in range(tiny.TOKENS):
        (gradient,) = torch.autograd.grad((x[0, query] * weight).sum(), embedded, retain_graph=True)
        assert torch.equal(gradient[0].abs().amax(-1) > 0, found.reached[3, query])


def test_changes_are_those_of_naive_runs() -> None:
    model = faulty(Attention).eval()
    found = reach(model, IDS, keys=[3, 8], replacements=1, vocabulary=[IDS[0], 39])
    with torch.no_grad():
        whole = model(torch.tensor([IDS]))
        for column, key in enumerate([3, 8]):
            for other in (39, IDS[0]):  # the first candidate whose embedding differs
                changed = model(torch.tensor([[*IDS[:key], other, *IDS[key + 1 :]]]))
                change = (changed - whole).abs().amax(-1)[0]
                if torch.allclose(change, found.change[-1, :, column], atol=1e-5):
                    break
            else:
                pytest.fail("of neither replacement")
    assert found.keys == (3, 8)
    assert found.change.shape == (5, tiny.TOKENS, 2)


@pytest.mark.full
def test_batches_of_any_size_find_the_same() -> None:
    model = faulty(lambda: tiny.Recurrent(both=True))
    whole, small = reach(model, IDS), reach(model, IDS, budget=1)
    assert (whole.rows, small.rows) == (2 * tiny.TOKENS + 1, 2)
    assert torch.equal(whole.reached, small.reached)
    middle = reach(model, IDS, budget=whole.row_bytes * 8)
    assert middle.rows == 8


def test_everything_is_as_before_afterwards() -> None:
    model = faulty(Attention)
    model.train()
    model.blocks[1].eval()
    modes = [each.training for each in model.modules()]
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    reach(model, IDS)
    assert torch.equal(torch.rand(2), expected)
    assert [each.training for each in model.modules()] == modes
    assert not any(each._forward_hooks or each._forward_pre_hooks for each in model.modules())


def test_dropout_and_noise_reach_nothing() -> None:
    class Noisy(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return tiny.shifted(x, 1) + torch.randn(x.shape[1:])

    found = reach(faulty(lambda: nn.Sequential(nn.Dropout(0.5), Noisy())), IDS)
    assert torch.equal(found.reached[-1], causal(tiny.TOKENS))


def test_a_change_is_seen_in_the_precision_of_the_states() -> None:
    class Whisper(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return tiny.shifted(x, 1) + 1e-12 * x.roll(-1, 1)

    whispered = reach(faulty(Whisper).double(), IDS).reached[-1]
    assert bool(whispered.diagonal(1).all())
    assert torch.equal(reach(faulty(Whisper), IDS).reached[-1], causal(tiny.TOKENS)), "float32 rounds it away"
    smallest = torch.tensor([[[0.0, 5e-324], [1.0, -0.0]]], dtype=torch.double)
    assert (changes(smallest, torch.tensor([[[0.0, 0.0], [1.0, 0.0]]]).double()) > 0).tolist() == [[True, False]]


def test_a_replacement_that_changes_nothing_is_named() -> None:
    model = faulty(Attention)
    with torch.no_grad():
        model.embedding.weight[:] = model.embedding.weight[0]
    with pytest.raises(ValueError, match="tokens: nothing to replace position 0 by"):
        reach(model, IDS)
    assert reach(model.forward, IDS).unmoved == tuple(range(tiny.TOKENS))


@pytest.mark.full
def test_a_callable_a_list_of_states_and_vectors() -> None:
    model = faulty(lambda: tiny.Convolution(1)).eval()

    def states(ids: Tensor) -> list[Tensor]:
        x = model.embedding(ids)
        found = [x]
        for block in model.blocks:
            found.append(block(found[-1]))
        return found

    of_list, of_module = reach(states, IDS), reach(model, IDS)
    assert of_list.names == ("state 0", "state 1", "state 2", "state 3")
    assert torch.equal(of_list.reached, of_module.reached[:4])
    of_output = reach(model.forward, IDS)
    assert of_output.names == (OUTPUT,)
    assert torch.equal(of_output.reached[0], of_module.reached[4])
    vectors = torch.randn(tiny.TOKENS, tiny.WIDTH, generator=torch.Generator().manual_seed(0))
    band = windowed(tiny.TOKENS, 2)
    assert torch.equal(reach(model.blocks[1], vectors).reached[-1], band | band.T)


@pytest.mark.full
def test_layers_without_a_list_and_with_rows_second() -> None:
    class Named(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(tiny.VOCABULARY, tiny.WIDTH)
            self.first, self.second = tiny.Block(tiny.Convolution(2)), tiny.Block(tiny.Convolution(0))

        def forward(self, ids: Tensor) -> Tensor:
            return self.second(self.first(self.embedding(ids)))

    assert reach(Named(), IDS).names == (EMBEDDINGS, "first", "second", OUTPUT)
    assert reach(Named(), IDS, layers=["second"]).names == (EMBEDDINGS, "second", OUTPUT)
    parts = OrderedDict(embedding=nn.Embedding(40, 8), one=tiny.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True))
    assert reach(nn.Sequential(parts), IDS).names[-2:] == ("one", OUTPUT)

    class Convolutions(nn.Module):
        """Features before positions, in a Sequential of Sequentials."""

        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(tiny.VOCABULARY, 8)
            layers = (nn.Sequential(nn.ConstantPad1d((2, 0), 0.0), nn.Conv1d(8, 8, 3), nn.Tanh()) for _ in range(3))
            self.net = nn.Sequential(*layers)

        def forward(self, ids: Tensor) -> Tensor:
            return self.net(self.embedding(ids).mT).mT

    wide = reach(Convolutions(), IDS)
    assert wide.names == (EMBEDDINGS, "net.0", "net.1", "net.2", OUTPUT)
    assert torch.equal(wide.reached[1:4], reachable([windowed(tiny.TOKENS, 3)] * 3))

    class RowsSecond(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(tiny.VOCABULARY, 8)
            self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2, enable_nested_tensor=False)

        def forward(self, ids: Tensor) -> Tensor:
            mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
            return self.encoder(self.embedding(ids.T), mask=mask, is_causal=True).transpose(0, 1)

    found = reach(RowsSecond(), IDS)
    assert found.names == (EMBEDDINGS, "encoder.layers.0", "encoder.layers.1", OUTPUT)
    assert torch.equal(found.reached[1], causal(tiny.TOKENS))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"keys": [12]}, "keys must be different positions from 0 to 11"),
        ({"replacements": 0}, "replacements must be at least 1, not 0"),
        ({"layers": "bricks"}, "layers: 'bricks' names no module"),
        ({"vocabulary": [3]}, "tokens: nothing to replace position 0 by"),
        ({"chunk": 4, "inputs": {}}, "chunk: the model"),
    ],
)
def test_refusals(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        reach(faulty(Attention), IDS, **arguments)  # type: ignore[arg-type]


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(ValueError, match="tokens must be at least two ids"):
        reach(faulty(Attention), [3])
    with pytest.raises(ValueError, match="nothing that it returns has an axis of positions"):
        reach(lambda ids: ids.float().mean(1), IDS)


def test_progress_is_told_and_a_check_cancels() -> None:
    told: list[tuple[int, int]] = []
    reach(faulty(Attention), IDS, budget=1, report=lambda done, of: told.append((done, of)))
    assert told == [(done, 24) for done in range(25)]

    def check() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        reach(faulty(Attention), IDS, check=check)


def test_projections_that_are_still_0_hide_nothing() -> None:
    """As many models begin: nothing would leave attention, and no fault could be seen before the first step."""
    for make, expected in ((Attention, True), (lambda: tiny.Convolution(1), False)):
        model = faulty(make)
        for block in model.blocks:
            for layer in (block.perceptron[3], getattr(block.mixing, "out", model.head)):
                nn.init.zeros_(layer.weight)
        assert torch.equal(reach(model, IDS).reached[-1], causal(tiny.TOKENS)) == expected
        assert not model.head.weight.any() or expected
        assert not model.blocks[0].perceptron[3].weight.any()


@pytest.mark.full
def test_torchs_fused_layer_is_seen_to_attend() -> None:
    class Fused(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(tiny.VOCABULARY, 8)
            self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)

        def forward(self, ids: Tensor) -> Tensor:
            return self.encoder(self.embedding(ids))

    found = reach(Fused(), IDS)
    assert all(found.weights[state] is not None and bool(found.weights[state].all()) for state in (1, 2))  # type: ignore[union-attr]


def test_weights_are_seen_without_a_matrix_product_and_after_a_late_mask() -> None:
    class Late(nn.Module):
        def __init__(self, by: str) -> None:
            super().__init__()
            self.by, self.embedding = by, nn.Embedding(tiny.VOCABULARY, 8)

        def forward(self, ids: Tensor) -> Tensor:
            x = self.embedding(ids)
            allowed = causal(ids.shape[1])
            if self.by == "sum":
                weights = (x @ x.mT / 8).masked_fill(~allowed, -torch.inf).softmax(-1)
                return x + (weights[..., None] * x[:, None]).sum(2)
            return x + ((x @ x.mT / 8).softmax(-1) * allowed) @ x

    for by in ("sum", "product"):
        (weights,) = (each for each in reach(Late(by), IDS).weights if each is not None)
        assert torch.equal(weights > 0, causal(tiny.TOKENS)), by


def test_a_callers_inference_mode_hides_no_weights() -> None:
    model = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    vectors = torch.randn(5, 8, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        found = reach(model, vectors)
    assert any(each is not None and bool(each.all()) for each in found.weights)
