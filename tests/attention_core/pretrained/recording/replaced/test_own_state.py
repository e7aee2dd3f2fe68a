"""Modules that keep state: found by their code, and no pass sees another's."""

import copy
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor, nn

from attention_core.pretrained.recording.replaced.own_state import (
    Writes,
    separate_passes,
    state_of,
    take_turns,
    traces,
    writes_of,
)

ROPE = {"rope_theta": 1e4, "original_max_position_embeddings": 32}
KINDS: dict[str, dict[str, Any]] = {
    "longrope": {**ROPE, "rope_type": "longrope", "short_factor": [1.0, 1.1, 1.2, 1.3], "long_factor": [1, 2, 4, 8]},
    "dynamic": {**ROPE, "rope_type": "dynamic", "factor": 4.0},
}


class Plain(nn.Module):
    """Writes nothing but variables and entries of what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = 2.0

    def forward(self, x: Tensor) -> Tensor:
        y = x * self.scale
        y.kept = self.scale  # type: ignore[attr-defined]
        return y


class Assigns(Plain):
    """Keeps the length of its input."""

    def forward(self, x: Tensor) -> Tensor:
        self.length = len(x)
        return x * self.length


class Counts(Plain):
    """Adds to its own number."""

    def forward(self, x: Tensor) -> Tensor:
        self.scale += 1
        return x


class BySetattr(Plain):
    """Writes by name."""

    def forward(self, x: Tensor) -> Tensor:
        setattr(self, "length", len(x))  # noqa: B010
        return x


class InMethod(Plain):
    """Writes in a method that a method calls, in place of a buffer."""

    def forward(self, x: Tensor) -> Tensor:
        return self.first(x)

    def first(self, x: Tensor) -> Tensor:
        self.second(x)
        return x

    def second(self, x: Tensor) -> None:
        self.register_buffer("kept", torch.zeros(len(x)))
        self.kept.copy_(x)


def keeping(forward: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A decorator that writes, as the library's of rotations do."""

    def keep(self: Any, x: Tensor) -> None:
        self.length = len(x)

    @wraps(forward)
    def wrapper(self: Any, x: Tensor) -> Tensor:
        keep(self, x)
        return forward(self, x)

    return wrapper


class Decorated(Plain):
    """Writes in its decorator."""

    @torch.no_grad()
    @keeping
    def forward(self, x: Tensor) -> Tensor:
        return x


class IntoInside(Plain):
    """Writes into a module inside it."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = Plain()

    def forward(self, x: Tensor) -> Tensor:
        self.inner.scale = float(len(x))
        return self.inner(x)


class IntoConfig(Plain):
    """Notes in its configuration what labels it was given, as the library's classifiers do."""

    def forward(self, x: Tensor) -> Tensor:
        self.config.problem_type = "regression"
        return x


class Unreached(Plain):
    """Writes only in what ``forward`` does not call."""

    def forward(self, x: Tensor) -> Tensor:
        return x * self.scale

    def set_scale(self, scale: float) -> None:
        self.scale = scale


@pytest.mark.parametrize(
    ("library", "writes"),
    [
        (Plain, Writes()),
        (Unreached, Writes()),
        (IntoConfig, Writes()),
        (Assigns, Writes(itself=True)),
        (Counts, Writes(itself=True)),
        (BySetattr, Writes(itself=True)),
        (InMethod, Writes(itself=True, in_place=True)),
        (Decorated, Writes(itself=True)),
        (IntoInside, Writes(inside=True)),
        (nn.BatchNorm1d, Writes()),
    ],
)
def test_what_forward_writes_is_read_from_its_code(library: type[nn.Module], writes: Writes) -> None:
    assert writes_of(library) == writes


class Meeting(nn.Module):
    """Writes, waits until another call has written too, and reads."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))
        self.register_buffer("kept", torch.zeros(1))
        self.meet = threading.Barrier(2)

    def forward(self, x: Tensor) -> Tensor:
        self.length = len(x)
        self.kept.copy_(x.sum())
        self.meet.wait(timeout=10)
        return torch.tensor([self.length, float(self.kept)]) * self.weight


def both(module: nn.Module) -> list[list[float]]:
    """What a call with one number and one with three get, at a time."""
    found: list[list[float]] = [[], []]

    def call(at: int) -> None:
        with torch.no_grad():
            found[at] = module(torch.ones(1 + 2 * at)).tolist()

    threads = [threading.Thread(target=call, args=(at,)) for at in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_two_calls_at_a_time_get_their_own() -> None:
    plain: Any = Meeting()
    first, second = both(plain)
    assert first == second, "without it, one reads the other's"
    module: Any = Meeting()
    separate_passes(module)
    assert both(module) == [[1.0, 1.0], [3.0, 3.0]]
    assert not hasattr(module, "length")
    assert float(module.kept) == 0.0


def test_weights_hooks_and_copies_stay() -> None:
    module: Any = nn.Sequential(Assigns())
    separate_passes(module)
    seen = []
    module[0].register_forward_hook(lambda hooked, _args, _output: seen.append(hooked))
    module(torch.ones(2))
    assert seen == [module[0]]
    assert type(module[0]).__name__ == "Assigns"
    assert isinstance(module[0], Assigns)
    twin = copy.deepcopy(module)
    twin[0].scale = 5.0
    twin(torch.ones(3))
    assert not hasattr(twin[0], "length")


def test_a_trace_is_seen() -> None:
    module = nn.Sequential(Plain(), InMethod())
    before = state_of(module)
    module[0](torch.ones(2))
    assert traces(before, module) == []
    module(torch.ones(2))
    assert traces(before, module) == ["1.kept"]
    before = state_of(module)
    module[1].kept.add_(1)
    assert traces(before, module) == ["1.kept"]


def rotation(rope: dict[str, Any]) -> tuple[Any, Any]:
    """A tiny Llama with such a rotation, alone and as it is when loaded."""
    sizes = {"vocab_size": 384, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = transformers.LlamaConfig(**sizes, max_position_embeddings=32, rope_parameters=rope)
    with torch.random.fork_rng():
        torch.manual_seed(3)
        plain = transformers.LlamaForCausalLM(config).eval()
    apart = copy.deepcopy(plain)
    separate_passes(apart)
    return plain, apart


@pytest.mark.parametrize("name", KINDS)
def test_what_a_text_gets_does_not_depend_on_what_ran_before(name: str) -> None:
    """Dynamic NTK keeps the frequencies of the longest text until a short one comes."""
    alone = {length: states(copy.deepcopy(rotation(KINDS[name])[0]), length) for length in (12, 48, 96)}
    _, model = rotation(KINDS[name])
    before = state_of(model)
    for length in (12, 96, 48, 12):
        assert torch.equal(states(model, length), alone[length])
    assert traces(before, model) == []


def test_without_it_dynamic_ntk_keeps_the_longest() -> None:
    plain, _ = rotation(KINDS["dynamic"])
    first = states(plain, 48)
    states(plain, 96)
    assert not torch.equal(states(plain, 48), first)


def states(model: Any, length: int) -> Tensor:
    with torch.no_grad():
        found: Tensor = model.model(torch.arange(length)[None]).last_hidden_state
    return found


@pytest.mark.parametrize("name", ["Wav2Vec2Conformer", "Wav2Vec2Bert"])
def test_a_sound_leaves_no_trace(name: str) -> None:
    """Their rotation keeps its angles for the length of the last sound."""
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
    config = getattr(transformers, f"{name}Config")(
        **sizes, vocab_size=32, position_embeddings_type="rotary", feature_projection_input_dim=8, conv_dim=[8] * 7
    )
    model = getattr(transformers, f"{name}Model")(config).eval()
    separate_passes(model)
    before = state_of(model)
    for length in (1, 3, 1):
        inputs = torch.ones(1, 4000 * length) if name == "Wav2Vec2Conformer" else torch.ones(1, 9 * length, 8)
        with torch.no_grad():
            model(inputs)
    assert traces(before, model) == []


def test_what_leaves_a_trace_runs_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    model, _ = rotation(KINDS["dynamic"])
    inner: Any = type(model.model)
    forward = inner.forward
    running = []
    most = []

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        running.append(1)
        most.append(len(running))
        try:
            return forward(self, *args, **kwargs)
        finally:
            running.pop()

    monkeypatch.setattr(inner, "forward", counted)
    take_turns(model)
    ids = torch.ones((1, 8), dtype=torch.long)
    threads = [threading.Thread(target=lambda: [model.model(ids) for _ in range(10)]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 30
    assert max(most) == 1
