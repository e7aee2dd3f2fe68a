"""Which known models have biases in their query, key and value projections, from the library's own classes.

Each architecture is built from its default configuration with one layer, on the meta device: modules without data, so
nothing is allocated, initialised or loaded. Then its first attention is inspected for projections with a bias.
"""

from dataclasses import dataclass
from typing import Any

import torch
import transformers
from torch import nn

from attention_core.refusal import InvalidValueError, check_choice

ARCHITECTURES = (
    "albert",
    "bart",
    "bert",
    "bloom",
    "distilbert",
    "falcon",
    "gemma",
    "gpt2",
    "gpt_neo",
    "gpt_neox",
    "gptj",
    "gpt_oss",
    "llama",
    "marian",
    "mistral",
    "modernbert",
    "nanochat",
    "olmo2",
    "opt",
    "phi",
    "qwen2",
    "qwen3",
    "roberta",
    "t5",
    "vit",
    "whisper",
)
"""transformers' names of the architectures."""

PROJECTIONS = {
    "query": ("q_proj", "query", "q_lin", "q"),
    "key": ("k_proj", "key", "k_lin", "k"),
    "value": ("v_proj", "value", "v_lin", "v"),
    "fused": ("c_attn", "query_key_value", "Wqkv"),
    "output": ("o_proj", "out_proj", "out_lin", "c_proj", "dense", "Wo", "o"),
}
"""Names of the projections in these architectures; ``fused`` computes query, key and value at once."""

DEPTHS = ("num_hidden_layers", "num_layers", "n_layers", "n_layer", "encoder_layers", "decoder_layers")
"""Names of the number of layers in configurations."""


@dataclass(frozen=True)
class ProjectionBiases:
    """The biases of the first attention layer of one architecture."""

    architecture: str
    library_class: str
    query: bool
    key: bool
    value: bool
    output: bool
    fused: bool
    """One matrix makes query, key and value."""
    source: str
    """The class that was inspected, and the library's version."""


def known_biases() -> list[ProjectionBiases]:
    """One row for ``torch.nn.MultiheadAttention`` and one for each of ARCHITECTURES, all with their defaults."""
    return [_torchs_own(), *(biases_of(architecture) for architecture in ARCHITECTURES)]


def biases_of(architecture: str) -> ProjectionBiases:
    """Build the architecture and inspect it. Raises ValueError if the name or a projection is not found."""
    check_choice("architecture", architecture, ARCHITECTURES)
    with torch.device("meta"):
        model = transformers.AutoModel.from_config(_shallow(architecture))
    attention, projections = _first_attention(model)
    fused = projections.get("fused")
    has_bias = {
        role: getattr(projections[role] if fused is None else fused, "bias", None) is not None
        for role in ("query", "key", "value")
    }
    return ProjectionBiases(
        architecture=architecture,
        library_class=type(attention).__name__,
        **has_bias,
        output=_output_bias(model, projections),
        fused=fused is not None,
        source=f"transformers {transformers.__version__}, {type(model).__name__}, default configuration",
    )


def _shallow(architecture: str) -> Any:
    """The default configuration with a single layer."""
    config = transformers.AutoConfig.for_model(architecture)
    config.dtype = None  # another dtype would be torch's default for the whole process while the model is built
    for name in DEPTHS:
        if hasattr(config, name):
            setattr(config, name, 1)
    if architecture == "gpt_neo":  # two fields for the number of layers
        config.attention_types, config.attention_layers = [[["global"], 1]], ["global"]
    if getattr(config, "layer_types", None):
        config.layer_types = config.layer_types[:1]
    return config


def _first_attention(model: nn.Module) -> tuple[nn.Module, dict[str, nn.Module]]:
    """The first module with the projections as direct children."""
    for module in model.modules():
        children = dict(module.named_children())
        roles = {
            role: children[name]
            for role, names in PROJECTIONS.items()
            for name in names
            if children.get(name) is not None
        }
        if "fused" in roles or {"query", "key", "value"} <= roles.keys():
            return module, roles
    raise InvalidValueError("architecture must have projections of a known name; {name} has none", type(model).__name__)


def _output_bias(model: nn.Module, projections: dict[str, nn.Module]) -> bool:
    """BERT keeps its output projection in a sibling module, ``attention.output.dense``."""
    if "output" in projections:
        return getattr(projections["output"], "bias", None) is not None
    sibling = next(module for name, module in model.named_modules() if name.endswith("attention.output.dense"))
    return getattr(sibling, "bias", None) is not None


def _torchs_own() -> ProjectionBiases:
    module = nn.MultiheadAttention(8, 2, device="meta")
    fused = module.in_proj_bias is not None
    return ProjectionBiases(
        architecture="torch",
        library_class="MultiheadAttention",
        query=fused,
        key=fused,
        value=fused,
        output=module.out_proj.bias is not None,
        fused=module.in_proj_weight is not None,
        source=f"torch {torch.__version__}, nn.MultiheadAttention, default arguments",
    )
