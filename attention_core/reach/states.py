"""Find the layers of any module by running it, and take their states while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

EMBEDDINGS, OUTPUT = "embeddings", "output"
Take = Callable[[str, Tensor], None]
"""Told whose state it is and the state, (rows, positions, features)."""


@dataclass(frozen=True)
class Shape:
    """What a pass is given."""

    rows: int
    positions: int
    """Of the states: queries."""
    spans: tuple[tuple[int, int], ...] = ()
    """Of cached steps, first and end; empty for one pass over all."""

    @property
    def sizes(self) -> set[int]:
        """Numbers of positions that a state may have."""
        return {stop - start for start, stop in self.spans} or {self.positions}


@dataclass(frozen=True, eq=False)
class Layers:
    """Modules whose outputs are states, in the order in which they run."""

    names: tuple[str, ...]
    modules: tuple[nn.Module, ...]


def as_states(value: Any, shape: Shape) -> Tensor | None:
    """(rows, positions, features) of a module's output, or of the first part of it that has both axes; else None.

    The axes may stand as (rows, positions, …), (positions, rows, …), (streams, rows, positions, features), (rows,
    features, positions) or (rows · positions, features).
    """
    if isinstance(value, Tensor):
        return _tensor_states(value, shape)
    if isinstance(value, Mapping):
        ranked = [value[name] for name in ("logits", "last_hidden_state") if value.get(name) is not None]
        parts: Sequence[Any] = [*ranked, *value.values()]
    elif isinstance(value, (tuple, list)):
        parts = value
    else:
        parts = [each for name in ("logits", "outputs") if (each := getattr(value, name, None)) is not None]
    return next((states for each in parts if (states := as_states(each, shape)) is not None), None)


def _tensor_states(value: Tensor, shape: Shape) -> Tensor | None:
    if value.dim() < 2 or not value.is_floating_point():
        return None
    return next(
        (
            states
            for size in sorted(shape.sizes, reverse=True)
            if (states := _sized(value, shape.rows, size)) is not None
        ),
        None,
    )


def _sized(value: Tensor, rows: int, size: int) -> Tensor | None:
    """(rows, size, features) of a tensor with axes of these lengths."""
    if value.shape[0] == rows and value.shape[1] == size:
        return value.reshape(rows, size, -1)
    if value.dim() > 2 and value.shape[0] == size and value.shape[1] == rows:
        return value.transpose(0, 1).reshape(rows, size, -1)
    if value.dim() == 4 and value.shape[1:3] == (rows, size):  # several streams, stacked
        return value.movedim(0, -1).reshape(rows, size, -1)
    if value.dim() == 3 and value.shape[0] == rows and value.shape[2] == size:
        return value.transpose(1, 2)
    if value.dim() == 2 and value.shape[0] == rows * size:
        return value.reshape(rows, size, -1)
    return None


def find_layers(model: nn.Module, run: Callable[[], object], shape: Shape, given: str | Sequence[str] | None) -> Layers:
    """The model's layers: ``given`` (the name of a list of modules, or names of modules), else found by ``run``.

    Found are the elements of the longest ModuleList or Sequential whose outputs have a position axis (of lists that
    run in turn, the elements of all), else the model's own parts. Raises ValueError where ``given`` names nothing that
    runs so.
    """
    modules = dict(model.named_modules())
    order = _running(modules, run, shape)
    if given is not None:
        return _given_layers(modules, order, given)
    lists = _lists(modules, order)
    if lists:
        return _layers(modules, _chosen(lists, order))
    qualified, own = _parts(modules, order, "")
    while len(own) == 1 and _parts(modules, order, own[0])[1]:  # into a model that has one part alone
        qualified, own = _parts(modules, order, own[0])
    return _layers(modules, sorted(own or qualified, key=order.index))


def _parts(modules: Mapping[str, nn.Module], order: list[str], parent: str) -> tuple[list[str], list[str]]:
    """The children of a module whose output has a position axis; of these, those that are not torch's."""
    children = [f"{parent}.{name}".lstrip(".") for name, _ in modules[parent].named_children()]
    qualified = [name for name in children if name in order]
    return qualified, [name for name in qualified if not _is_plain(modules[name])]


def _given_layers(modules: Mapping[str, nn.Module], order: list[str], given: str | Sequence[str]) -> Layers:
    names = [given] if isinstance(given, str) else list(given)
    if isinstance(given, str) and isinstance(modules.get(given), (nn.ModuleList, nn.Sequential)):
        names = [f"{given}.{name}" for name, _ in modules[given].named_children()]
    wrong = [name for name in names if name not in order]
    if wrong or not names:
        raise ValueError(f"layers: {given!r} names no module whose output has a position axis")
    return _layers(modules, sorted(names, key=order.index))


def _running(modules: Mapping[str, nn.Module], run: Callable[[], object], shape: Shape) -> list[str]:
    """Names of modules whose output has a position axis, in the order in which they end first."""
    order: list[str] = []
    with ExitStack() as stack:
        for name, module in modules.items():

            def note(_module: nn.Module, _inputs: Any, output: Any, name: str = name) -> None:
                if name not in order and as_states(output, shape) is not None:
                    order.append(name)

            if name:
                stack.callback(module.register_forward_hook(note).remove)
        run()
    return order


def _lists(modules: Mapping[str, nn.Module], order: list[str]) -> dict[str, list[str]]:
    """Names of qualifying elements by list; only lists that stand in no element of another."""
    found: dict[str, list[str]] = {}
    lists: tuple[type[nn.Module], ...] = (nn.ModuleList, nn.ModuleDict)
    for kinds, least in ((lists, 1), ((nn.Sequential,), 2), (lists, 0)):
        for name, module in modules.items():
            if not isinstance(module, kinds):
                continue
            elements = [f"{name}.{child}".lstrip(".") for child, _ in module.named_children()]
            running = [each for each in elements if each in order]
            blocks = [each for each in running if not _is_plain(modules[each])]
            if running and len(blocks) >= least and not any(name.startswith(f"{one}.") for one in found):
                found[name] = running
        if found:
            return found
    return found


def _is_plain(module: nn.Module) -> bool:
    """Whether it is a part that torch has, such as a projection, and no layer of a model."""
    name = type(module).__name__
    return type(module).__module__.startswith("torch.nn") and not ("Transformer" in name or name == "Sequential")


def _chosen(lists: Mapping[str, list[str]], order: list[str]) -> list[str]:
    longest = max(lists.values(), key=len)
    first, last = order.index(longest[0]), order.index(longest[-1])
    chosen = set(longest)
    for elements in lists.values():
        places = [order.index(each) for each in elements]
        if len(elements) > 1 and any(first < place < last for place in places):
            chosen.update(elements)
    return sorted(chosen, key=order.index)


def _layers(modules: Mapping[str, nn.Module], names: Sequence[str]) -> Layers:
    return Layers(tuple(names), tuple(modules[name] for name in names))


@contextmanager
def taken(layers: Layers, shape: Shape, take: Take) -> Iterator[None]:
    """Hand over what enters the first layer, and what each layer returns, in passes within."""
    with ExitStack() as stack:
        for index, (name, module) in enumerate(zip(layers.names, layers.modules, strict=True)):

            def before(_module: nn.Module, args: Any, kwargs: Any) -> None:
                if (states := as_states([*args, *kwargs.values()], shape)) is not None:
                    take(EMBEDDINGS, states)

            def after(_module: nn.Module, _args: Any, output: Any, name: str = name) -> None:
                if (states := as_states(output, shape)) is not None:
                    take(name, states)

            if index == 0:
                stack.callback(module.register_forward_pre_hook(before, with_kwargs=True).remove)
            stack.callback(module.register_forward_hook(after).remove)
        yield


@contextmanager
def begun(model: nn.Module | None) -> Iterator[None]:
    """Small random numbers in place of matrices that are 0 as a whole, such as projections before the first step.

    Behind such a matrix nothing would reach anything, whatever the model's masks do.
    """
    swapped = []
    if model is not None:
        generator = torch.Generator().manual_seed(0)
        for parameter in model.parameters():
            if parameter.dim() > 1 and parameter.is_floating_point() and not bool(parameter.any()):
                swapped.append((parameter, parameter.data))
                parameter.data = (0.1 * torch.randn(parameter.shape, generator=generator)).to(parameter)
    try:
        yield
    finally:
        for parameter, data in swapped:
            parameter.data = data


@contextmanager
def evaluating(model: nn.Module | None) -> Iterator[None]:
    """Evaluation mode, no gradients, the same random numbers every time; everything is as before afterwards."""
    modes = [] if model is None else [(module, module.training) for module in model.modules()]
    devices = sorted({each.device.index or 0 for each in model.parameters() if each.is_cuda}) if model else []
    if model is not None:
        model.eval()
    try:
        # Out of inference mode, in which the products of attention are not seen.
        with torch.inference_mode(False), torch.no_grad(), torch.random.fork_rng(devices):
            torch.default_generator.manual_seed(0)
            for device in devices:
                with torch.cuda.device(device):
                    torch.cuda.manual_seed(0)
            yield
    finally:
        for module, mode in modes:
            module.training = mode
