"""Where the parts of a block are in each architecture: its two norms, W_O and W_down, and the order of norms and sums.

Each layout is verified numerically: the sums that it promises are those of the library's own run.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from attention_core.block import Order
from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.loading import LoadedModel


@dataclass(frozen=True)
class Layout:
    """Submodule paths of the parts of a block, relative to the model without its head."""

    order: Order
    blocks: str
    norms: tuple[str, str]
    """Within a block: the norms of attention and feed-forward layer; in some parallel blocks, both read the same.

    In blocks that norm only what the two write, the two themselves: what reads the stream.
    """
    projections: tuple[str, str]
    """W_O and W_down."""
    embeddings: tuple[str, ...] = ()
    """Tables added to the token embedding: positions, segments."""
    embedding_norm: str | None = None
    written_norms: tuple[str, str] | None = None
    """Norms of what attention and feed-forward layer write, before it is added to the stream; only of "pre" blocks."""


BERT = Layout(
    "post",
    "encoder.layer",
    ("attention.output.LayerNorm", "output.LayerNorm"),
    ("attention.output.dense", "output.dense"),
    ("embeddings.position_embeddings", "embeddings.token_type_embeddings"),
    "embeddings.LayerNorm",
)
LLAMA = Layout("pre", "layers", ("input_layernorm", "post_attention_layernorm"), ("self_attn.o_proj", "mlp.down_proj"))
WRITTEN = ("post_attention_layernorm", "post_feedforward_layernorm")
GEMMA_2 = replace(LLAMA, norms=("input_layernorm", "pre_feedforward_layernorm"), written_norms=WRITTEN)
OLMO_2 = replace(LLAMA, norms=("self_attn", "mlp"), written_norms=WRITTEN)
GPT_J = Layout("parallel", "h", ("ln_1", "ln_1"), ("attn.out_proj", "mlp.fc_out"))
LAYOUTS: dict[str, Layout] = {
    "bert": BERT,
    "roberta": BERT,
    "distilbert": Layout(
        "post",
        "transformer.layer",
        ("sa_layer_norm", "output_layer_norm"),
        ("attention.out_lin", "ffn.lin2"),
        ("embeddings.position_embeddings",),
        "embeddings.LayerNorm",
    ),
    "modernbert": Layout(
        "pre", "layers", ("attn_norm", "mlp_norm"), ("attn.Wo", "mlp.Wo"), embedding_norm="embeddings.norm"
    ),
    "gpt2": Layout("pre", "h", ("ln_1", "ln_2"), ("attn.c_proj", "mlp.c_proj"), ("wpe",)),
    "gpt_neo": Layout("pre", "h", ("ln_1", "ln_2"), ("attn.attention.out_proj", "mlp.c_proj"), ("wpe",)),
    "gpt_neox": Layout(
        "parallel",
        "layers",
        ("input_layernorm", "post_attention_layernorm"),
        ("attention.dense", "mlp.dense_4h_to_h"),
    ),
    "gptj": GPT_J,
    "codegen": GPT_J,
    "phi": Layout("parallel", "layers", ("input_layernorm", "input_layernorm"), ("self_attn.dense", "mlp.fc2")),
    "falcon": Layout(
        "parallel", "h", ("input_layernorm", "input_layernorm"), ("self_attention.dense", "mlp.dense_4h_to_h")
    ),
    "bloom": Layout(
        "pre",
        "h",
        ("input_layernorm", "post_attention_layernorm"),
        ("self_attention.dense", "mlp.dense_4h_to_h"),
        embedding_norm="word_embeddings_layernorm",
    ),
    "mpt": Layout("pre", "blocks", ("norm_1", "norm_2"), ("attn.out_proj", "ffn.down_proj")),
    "opt": Layout(
        "pre",
        "decoder.layers",
        ("self_attn_layer_norm", "final_layer_norm"),
        ("self_attn.out_proj", "fc2"),
        ("decoder.embed_positions",),
    ),
    "vit": Layout("pre", "layers", ("layernorm_before", "layernorm_after"), ("attention.o_proj", "mlp.fc2")),
    "llama": LLAMA,
    "gemma": LLAMA,
    "gemma2": GEMMA_2,
    "gemma3_text": GEMMA_2,
    "olmo2": OLMO_2,
    "olmo3": OLMO_2,
    "mistral": LLAMA,
    "phi3": LLAMA,
    "qwen2": LLAMA,
    "qwen3": LLAMA,
}
"""By transformers' model type, as most models of the type are configured."""


def _of_neox(layout: Layout, config: Any) -> Layout | None:
    return layout if config.use_parallel_residual else replace(layout, order="pre")


def _of_falcon(layout: Layout, config: Any) -> Layout | None:
    if config.new_decoder_architecture:
        two = config.num_ln_in_parallel_attn in {None, 2}
        return replace(layout, norms=("ln_attn", "ln_mlp")) if two else layout
    if config.parallel_attn:
        return layout
    return replace(layout, order="pre", norms=("input_layernorm", "post_attention_layernorm"))


def _of_bloom(layout: Layout, config: Any) -> Layout | None:
    return None if config.apply_residual_connection_post_layernorm else layout


def _of_opt(layout: Layout, config: Any) -> Layout | None:
    if config.word_embed_proj_dim != config.hidden_size:
        return None
    return layout if config.do_layer_norm_before else replace(layout, order="post")


CONFIGURED: Mapping[str, Callable[[Layout, Any], Layout | None]] = {
    "gpt_neox": _of_neox,
    "falcon": _of_falcon,
    "bloom": _of_bloom,
    "opt": _of_opt,
}
"""Types whose blocks depend on the configuration; None of one whose blocks are put together otherwise."""


def layout_of(loaded: LoadedModel) -> Layout:
    """The layout of a model. Raises ModelUnavailableError for an architecture missing from LAYOUTS."""
    config = loaded.model.config
    layout = LAYOUTS.get(config.model_type)
    if loaded.entry.kind == "encoder_decoder":
        raise ModelUnavailableError(
            "{id} has two residual streams, an encoder’s and a decoder’s, and cross-attention carries parts of the one "
            "into the other: only models with one stream can be taken apart.",
            loaded.entry.id,
        )
    configured = CONFIGURED.get(config.model_type)
    if layout is not None and configured is not None:
        layout = configured(layout, config)
    if layout is None:
        names = ", ".join(LAYOUTS)
        raise ModelUnavailableError(
            "Blocks can be traced only in models of these types: {names}; {id} is of another type.",
            names,
            loaded.entry.id,
        )
    return layout
