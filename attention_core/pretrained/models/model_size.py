"""Count the memory of a model before it is allocated: built on torch's device without memory, from its configuration.

What a file holds says little of it: tables that the file lacks are allocated all the same, in the size that the
configuration gives, numbers of 8 bits become floats, and weights that are tied are stored once or twice.
"""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch
from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_buffer_registration_hook,
    register_module_parameter_registration_hook,
)
from transformers import PreTrainedConfig, PreTrainedModel, initialization

TIED = 4
"""A weight may be registered so often before it is tied to another."""
MOST_TENSORS = 500_000
"""Of one model. The largest that are published have a fifth of it."""


class _FarTooLargeError(Exception):
    """Building has gone so far that the model cannot fit any more."""


def bytes_when_built(
    model_class: type[PreTrainedModel],
    config: PreTrainedConfig,
    attention: str | dict[str, str],
    dtype: torch.dtype,
    most: int,
) -> int:
    """Memory of parameters and buffers with floating-point numbers of this type; more than ``most`` if far beyond it.

    Only one thread may build a model at a time (see ``weight_loading``).
    """
    with ExitStack() as stack:
        for context in (torch.device("meta"), initialization.meta_device_safe_creation_ops()):
            stack.enter_context(context)
        stack.enter_context(initialization.no_init_weights())
        stack.enter_context(_bounded(dtype, TIED * most))
        try:
            model = model_class._from_config(config, attn_implementation=attention, dtype=torch.float32)
        except _FarTooLargeError:
            return TIED * most + 1
    model.tie_weights()  # which is left out where weights are not initialised
    return sum(nbytes(tensor, dtype) for tensor in (*model.parameters(), *model.buffers()))


def nbytes(tensor: Tensor, dtype: torch.dtype) -> int:
    """Memory of a tensor once it is stored in this type, if it holds floating-point numbers."""
    return tensor.numel() * (dtype if tensor.is_floating_point() else tensor.dtype).itemsize


@contextmanager
def _bounded(dtype: torch.dtype, most: int) -> Iterator[None]:
    """Raise _FarTooLargeError when modules that this thread builds have more bytes than this, or too many tensors."""
    thread = threading.get_ident()
    counted = [0, 0]

    def count(_: nn.Module, __: str, tensor: Tensor | None) -> None:
        if tensor is not None and threading.get_ident() == thread:
            counted[0] += nbytes(tensor, dtype)
            counted[1] += 1
            if counted[0] > most or counted[1] > MOST_TENSORS:
                raise _FarTooLargeError

    hooks = [register_module_parameter_registration_hook(count), register_module_buffer_registration_hook(count)]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
