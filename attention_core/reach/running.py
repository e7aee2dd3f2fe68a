"""Call a model on rows of tokens, at once or in cached steps."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn

from .states import Shape, evaluating


@dataclass(frozen=True, eq=False)
class Runner:
    """A model or callable, and what it is called with beside the tokens."""

    model: Callable[..., Any]
    inputs: Mapping[str, Any] = field(default_factory=dict)
    """Tensors with one row are repeated for each copy."""
    argument: str | None = None
    """The name under which tokens are given; unless named, that of transformers, else the first."""
    chunk: int | None = None
    """Tokens per step with a KV cache; None for all at once."""

    @property
    def module(self) -> nn.Module | None:
        """The model, unless it is another callable."""
        return self.model if isinstance(self.model, nn.Module) else None

    def spans(self, count: int) -> tuple[tuple[int, int], ...]:
        """First and end of each cached step; empty for one pass."""
        if self.chunk is None:
            return ()
        return tuple((start, min(count, start + self.chunk)) for start in range(0, count, self.chunk))

    def outputs(self, tokens: Tensor, shape: Shape) -> Iterator[Any]:
        """Run on (rows, N) ids or (rows, N, d) vectors; what each step returns."""
        with evaluating(self.module):
            arguments = {name: _repeated(value, len(tokens)) for name, value in self.inputs.items()}
            if not shape.spans:
                yield self._call(tokens, arguments | self._without_cache())
                return
            if hasattr(self.model, "new_caches"):
                caches = self.model.new_caches(len(tokens))
                for start, stop in shape.spans:
                    yield self._call(tokens[:, start:stop], arguments | {"caches": caches})
                return
            if "past_key_values" not in self.parameters():
                raise ValueError("chunk: the model takes no past_key_values, so it cannot be run in cached steps")
            cache = None
            for start, stop in shape.spans:
                part = {name: _until(name, value, start, stop, tokens.shape[1]) for name, value in arguments.items()}
                output = self._call(tokens[:, start:stop], part | {"past_key_values": cache, "use_cache": True})
                cache = _cache_of(output)
                yield output

    def _call(self, tokens: Tensor, given: Mapping[str, Any]) -> Any:
        name = self.argument or self._own_name(vectors=tokens.is_floating_point())
        return self.model(tokens, **given) if name is None else self.model(**{name: tokens}, **given)

    def _own_name(self, *, vectors: bool) -> str | None:
        name = "inputs_embeds" if vectors else "input_ids"
        return name if name in self.parameters() else None

    def _without_cache(self) -> dict[str, Any]:
        return {"use_cache": False} if "use_cache" in self.parameters() and "use_cache" not in self.inputs else {}

    def parameters(self) -> set[str]:
        """Names that the model takes."""
        called = self.module.forward if self.module is not None else self.model
        try:
            return set(inspect.signature(called).parameters)
        except (TypeError, ValueError):
            return set()


def _repeated(value: Any, rows: int) -> Any:
    if isinstance(value, Tensor) and value.dim() > 0 and value.shape[0] == 1:
        return value.expand(rows, *value.shape[1:]).contiguous()
    return value


def _until(name: str, value: Any, start: int, stop: int, count: int) -> Any:
    """What a step is given of an input of all N positions: masks so far, of others its own part."""
    if not isinstance(value, Tensor) or value.dim() < 2 or value.shape[-1] != count:
        return value
    if "mask" not in name:
        return value[..., start:stop]
    return value[..., start:stop, :stop] if value.dim() > 2 and value.shape[-2] == count else value[..., :stop]


def _cache_of(output: Any) -> Any:
    cache = getattr(output, "past_key_values", None)
    if cache is None:
        cache = getattr(output, "cache_params", None)
    if cache is None:
        raise ValueError("chunk: the model returns no past_key_values, so it cannot be run in cached steps")
    return cache
