"""Find a model's W_O, the matrix through which its heads write into the residual stream.

Every attention is followed by ``output = concat(head_outputs) W_O + b_O``; head h owns rows ``h·V … (h+1)·V`` of W_O.
The library's architectures use a handful of names (``PATHS``) for it. A name proves nothing, so each candidate is
observed during one forward pass: it is the output projection only if its input is exactly the head outputs.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D

PATHS: tuple[tuple[str, str], ...] = (
    ("o_proj", "Llama, Mistral, Qwen, Gemma, Phi, ViT"),
    ("c_proj", "GPT-2"),
    ("out_proj", "BART, OPT, Whisper, GPT-Neo, GPT-J"),
    ("out_lin", "DistilBERT"),
    ("dense", "GPT-NeoX, BLOOM, Falcon"),
    ("Wo", "ModernBERT"),
    ("o", "T5"),
    ("../output/dense", "BERT, RoBERTa, ELECTRA"),
)
"""Paths of W_O relative to the module that calls the attention, with examples; the first one found counts."""


@dataclass(frozen=True, eq=False)
class OutputProjection:
    """W_O of one layer, as ``output = head_outputs @ weight + bias``."""

    weight: Float[Tensor, "HV M"]
    bias: Float[Tensor, " M"] | None

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.weight.nbytes + (0 if self.bias is None else self.bias.nbytes)

    def of_head(self, head: int, value_size: int) -> Float[Tensor, "V M"]:
        """The rows of W_O that belong to one head."""
        return self.weight[head * value_size : (head + 1) * value_size]


@dataclass(eq=False)
class Watched:
    """The candidate projections of a model, and the input of each."""

    modules: Mapping[nn.Module, nn.Module]
    """By attention module, the candidate for W_O."""
    seen: dict[nn.Module, Tensor] = field(default_factory=dict)

    def confirmed(
        self, calls: Iterable[tuple[nn.Module | None, Float[Tensor, "B H Q V"]]]
    ) -> dict[nn.Module | None, OutputProjection]:
        """By attention module, the projections whose input was exactly its head outputs."""
        projections: dict[nn.Module | None, OutputProjection] = {}
        for attention, head_outputs in calls:
            module = None if attention is None else self.modules.get(attention)
            seen = None if module is None else self.seen.get(module)
            expected = head_outputs.transpose(1, 2).flatten(2)
            if module is None or seen is None or seen.shape[::2] != expected.shape[::2]:
                continue
            seen = seen[:, : expected.shape[1]]  # Longformer fills texts up
            if seen.shape != expected.shape:
                continue
            if torch.allclose(seen, expected.to(seen.dtype), rtol=1e-3, atol=1e-4):
                projections[attention] = as_projection(module)
        return projections


@contextmanager
def watch(model: nn.Module) -> Iterator[Watched]:
    """Record the inputs of a model's candidates during a forward pass; no other thread may use the model."""
    watched = Watched(candidates(model))

    def note(module: nn.Module, args: tuple[Any, ...]) -> None:
        watched.seen[module] = args[0]

    handles = [module.register_forward_pre_hook(note) for module in set(watched.modules.values())]
    try:
        yield watched
    finally:
        for handle in handles:
            handle.remove()


def candidates(model: nn.Module) -> dict[nn.Module, nn.Module]:
    """The linear map at one of PATHS, by the module that has it."""
    modules = dict(model.named_modules())
    projections = {}
    for name, module in modules.items():
        for path, _ in PATHS:
            projection = modules.get(_resolve(name, path))
            if isinstance(projection, nn.Linear | Conv1D):
                projections[module] = projection
                break
    return projections


def with_own_memory(model: nn.Module, found: Iterable[nn.Module | None]) -> dict[nn.Module | None, OutputProjection]:
    """W_O of these attention modules, moved out of the file that it may be a view of, also for the model itself.

    Records keep W_O when the model has gone, and a view of a mapped file keeps all of it.
    """
    modules = {attention: module for attention, module in candidates(model).items() if attention in set(found)}
    for parameter in {parameter for module in modules.values() for parameter in module.parameters()}:
        parameter.data = parameter.data.clone()
    return {attention: as_projection(module) for attention, module in modules.items()}


def as_projection(module: nn.Module) -> OutputProjection:
    """A linear map with its matrix oriented for ``x @ weight`` (as Conv1D stores it, Linear transposed)."""
    weight, bias = module.get_parameter("weight"), None if module.bias is None else module.get_parameter("bias")
    return OutputProjection(weight if isinstance(module, Conv1D) else weight.T, bias)


def value_norms(values: Float[Tensor, "K V"], head_weight: Float[Tensor, "V M"]) -> Float[Tensor, " K"]:
    """``‖f(x)‖ = ‖v W_O‖`` of each key (Kobayashi et al. 2020, eq. 5), v with its bias.

    With ``W_Oᵀ = Q R`` and Q's columns orthonormal, ``‖v W_O‖ = ‖v Rᵀ‖``: V × V numbers for each key instead of V × M.
    """
    weight = head_weight.to(torch.promote_types(head_weight.dtype, torch.float32))
    triangle = torch.linalg.qr(weight.T, mode="r").R
    return (values.to(weight.dtype) @ triangle.T).norm(dim=-1)


def _resolve(name: str, path: str) -> str:
    steps = name.split(".") if name else []
    for step in path.split("/"):
        if step == "..":
            steps = steps[:-1]
        else:
            steps.append(step)
    return ".".join(steps)
