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
    """W_O and W_down; of a mixture of experts, which has many, the whole feed-forward layer."""
    embeddings: tuple[str, ...] = ()
    """Tables added to the token embedding: positions, segments."""
    embedding_norm: str | None = None
    written_norms: tuple[str, str] | None = None
    """Norms of what attention and feed-forward layer write, before it is added to the stream; only of "pre" blocks."""
    multiplier: str | None = None
    """The block's attribute with which what the two write is multiplied, before it is added."""
    has_experts: bool = False
    """Whether the feed-forward layer of some blocks is a mixture of experts."""
    last_norm: str | None = None
    """Before the matrix that makes logits of the stream; None where another layer is between the two."""

    @property
    def attention(self) -> str:
        """The module with W_O in it."""
        return self.projections[0].rpartition(".")[0]


BERT = Layout(
    "post",
    "encoder.layer",
    ("attention.output.LayerNorm", "output.LayerNorm"),
    ("attention.output.dense", "output.dense"),
    ("embeddings.position_embeddings", "embeddings.token_type_embeddings"),
    "embeddings.LayerNorm",
)
LLAMA = Layout(
    "pre",
    "layers",
    ("input_layernorm", "post_attention_layernorm"),
    ("self_attn.o_proj", "mlp.down_proj"),
    last_norm="norm",
)
WRITTEN = ("post_attention_layernorm", "post_feedforward_layernorm")
GEMMA_2 = replace(LLAMA, norms=("input_layernorm", "pre_feedforward_layernorm"), written_norms=WRITTEN)
OLMO_2 = replace(LLAMA, norms=("self_attn", "mlp"), written_norms=WRITTEN)
EXPERTS = replace(LLAMA, projections=("self_attn.o_proj", "mlp"), has_experts=True)
COHERE = replace(LLAMA, order="parallel", norms=("input_layernorm", "input_layernorm"))
GPT_J = Layout("parallel", "h", ("ln_1", "ln_1"), ("attn.out_proj", "mlp.fc_out"), last_norm="ln_f")
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
    "gpt2": Layout("pre", "h", ("ln_1", "ln_2"), ("attn.c_proj", "mlp.c_proj"), ("wpe",), last_norm="ln_f"),
    "gpt_neo": Layout(
        "pre", "h", ("ln_1", "ln_2"), ("attn.attention.out_proj", "mlp.c_proj"), ("wpe",), last_norm="ln_f"
    ),
    "gpt_neox": Layout(
        "parallel",
        "layers",
        ("input_layernorm", "post_attention_layernorm"),
        ("attention.dense", "mlp.dense_4h_to_h"),
        last_norm="final_layer_norm",
    ),
    "gptj": GPT_J,
    "codegen": GPT_J,
    "phi": Layout(
        "parallel",
        "layers",
        ("input_layernorm", "input_layernorm"),
        ("self_attn.dense", "mlp.fc2"),
        last_norm="final_layernorm",
    ),
    "falcon": Layout(
        "parallel",
        "h",
        ("input_layernorm", "input_layernorm"),
        ("self_attention.dense", "mlp.dense_4h_to_h"),
        last_norm="ln_f",
    ),
    "bloom": Layout(
        "pre",
        "h",
        ("input_layernorm", "post_attention_layernorm"),
        ("self_attention.dense", "mlp.dense_4h_to_h"),
        embedding_norm="word_embeddings_layernorm",
        last_norm="ln_f",
    ),
    "mpt": Layout("pre", "blocks", ("norm_1", "norm_2"), ("attn.out_proj", "ffn.down_proj"), last_norm="norm_f"),
    "opt": Layout(
        "pre",
        "decoder.layers",
        ("self_attn_layer_norm", "final_layer_norm"),
        ("self_attn.out_proj", "fc2"),
        ("decoder.embed_positions",),
        last_norm="decoder.final_layer_norm",
    ),
    "vit": Layout(
        "pre",
        "layers",
        ("layernorm_before", "layernorm_after"),
        ("attention.o_proj", "mlp.fc2"),
        last_norm="layernorm",
    ),
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
    "starcoder2": replace(LLAMA, projections=("self_attn.o_proj", "mlp.c_proj")),
    "stablelm": LLAMA,
    "granite": replace(LLAMA, multiplier="residual_multiplier"),
    "cohere": COHERE,
    "cohere2": COHERE,
    "mixtral": EXPERTS,
    "qwen2_moe": EXPERTS,
    "qwen3_moe": EXPERTS,
}
"""By transformers' model type, as most models of the type are configured."""


def _of_neox(layout: Layout, config: Any) -> Layout | None:
    return layout if config.use_parallel_residual else replace(layout, order="pre")


def _of_stablelm(layout: Layout, config: Any) -> Layout | None:
    return COHERE if config.use_parallel_residual else layout


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
    "stablelm": _of_stablelm,
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
