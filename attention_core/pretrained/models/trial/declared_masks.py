"""What layers may see, and must see, by a model's kind and by the windows of its configuration."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor
from transformers import PreTrainedConfig

from attention_core.reach.allowed import causal, windowed

Kind = Literal["causal", "all"]


@dataclass(frozen=True)
class DeclaredMasks:
    """Masks (N, N) for each layer of a model that reads N tokens, True where a query may see a key."""

    config: PreTrainedConfig
    kind: Kind
    count: int

    @property
    def whole(self) -> Tensor:
        """Without windows."""
        return causal(self.count) if self.kind == "causal" else torch.ones(self.count, self.count, dtype=torch.bool)

    def may(self, layers: int) -> list[Tensor]:
        """What each layer may see: of layers of an unknown kind, everything that the model's kind allows."""
        whole = self.whole
        return [whole & each for each in self._windows(layers, whole, otherwise=whole)]

    def must(self, layers: int) -> list[Tensor]:
        """What each layer must see: of layers of an unknown kind, each position itself."""
        whole = self.whole
        own = torch.eye(self.count, dtype=torch.bool)
        return [whole & each for each in self._windows(layers, self._least(whole), otherwise=own)]

    def _least(self, whole: Tensor) -> Tensor:
        """What a layer of full attention sees at least: with one window for all, that."""
        if getattr(self.config, "layer_types", None) is None and self._window is not None:
            return whole & windowed(self.count, self._window)
        return whole

    @property
    def _window(self) -> int | None:
        """The one window of the configuration; None where each layer has a configuration of its own."""
        window = None if self.config.is_heterogeneous else getattr(self.config, "sliding_window", None)
        return window if isinstance(window, int) and window > 0 else None

    def _windows(self, layers: int, full: Tensor, *, otherwise: Tensor) -> list[Tensor]:
        """A mask for each layer by ``layer_types``; of other kinds than attention, ``otherwise``."""
        kinds: Sequence[str] = getattr(self.config, "layer_types", None) or ["full_attention"] * layers
        if len(kinds) != layers or self.config.is_heterogeneous:
            return [otherwise] * max(1, layers)
        masks = {"full_attention": full}
        if self._window is not None and self.kind == "causal":
            masks["sliding_attention"] = windowed(self.count, self._window)
        return [masks.get(each, otherwise) for each in kinds]
