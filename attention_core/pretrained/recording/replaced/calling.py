"""How a replaced module calls our attention."""

from collections.abc import Callable
from typing import Any, ClassVar

from jaxtyping import Float
from torch import Tensor, nn

from attention_core.pretrained.recording.recorder import observatory_attention


class Replaced:
    """Base of all replacements: a subclass of this and of the library's class, made in ``swapping``."""

    library: type[nn.Module]
    """The class that is replaced."""
    own_mask: ClassVar[bool] = False
    """Whether the model needs the mask of the library's eager attention, of which it reads more than what is hidden."""
    correct: ClassVar[Callable[..., Any] | None] = None
    """A forward hook (before, with keywords) for the library's own in comparisons, where it is known to be wrong."""


def head_outputs(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, **options: Any
) -> Float[Tensor, "B H Q V"]:
    """Our attention's, in the order of most of the library's own code; ``options`` as of ``observatory_attention``."""
    output, _ = observatory_attention(module, query.to(value), key.to(value), value, **options)
    return output.transpose(1, 2)


def projected(module: nn.Module, states: Float[Tensor, "B N M"], *parts: nn.Module) -> list[Float[Tensor, "B H N D"]]:
    """Queries, keys and values of a module that stores its heads as BERT's does."""
    split = (*states.shape[:-1], -1, module.attention_head_size)
    return [part(states).view(split).transpose(1, 2) for part in parts]


def joined(module: nn.Module, query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Float[Tensor, "B Q HV"]:
    """The same with the outputs of all heads beside each other, as W_O takes them."""
    return head_outputs(module, query, key, value, **options).transpose(1, 2).flatten(2)
