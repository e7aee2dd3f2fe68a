"""LoRA adapters with random matrices, in folders as PEFT writes them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

CONFIG = {
    "peft_type": "LORA",
    "task_type": "CAUSAL_LM",
    "r": 4,
    "lora_alpha": 10,
    "bias": "none",
    "inference_mode": True,
}


def write_adapter(
    folder: Path,
    base: str,
    shapes: Mapping[str, tuple[int, int]],
    *,
    ranks: Mapping[str, int] | None = None,
    whole: Mapping[str, Tensor] | None = None,
    **settings: Any,
) -> dict[str, tuple[Tensor, Tensor]]:
    """Write an adapter of the modules with these (outputs, inputs); returns A and B of each.

    ``whole`` holds further weights by parameter. ``settings`` change what adapter_config.json says.
    """
    draws = torch.Generator().manual_seed(23)
    pairs = {}
    for module, (outputs, inputs) in shapes.items():
        rank = (ranks or {}).get(module, settings.get("r", CONFIG["r"]))
        pairs[module] = (
            torch.randn(rank, inputs, generator=draws) * 0.3,
            torch.randn(outputs, rank, generator=draws) * 0.3,
        )
    tensors = {
        f"base_model.model.{module}.lora_{side}.weight": matrix
        for module, pair in pairs.items()
        for side, matrix in zip("AB", pair, strict=True)
    }
    tensors |= {f"base_model.model.{name}": value for name, value in (whole or {}).items()}
    folder.mkdir(parents=True)
    save_file(tensors, folder / "adapter_model.safetensors", metadata={"format": "pt"})
    content = {**CONFIG, "base_model_name_or_path": base, "target_modules": sorted(shapes), **settings}
    (folder / "adapter_config.json").write_text(json.dumps(content))
    return pairs
