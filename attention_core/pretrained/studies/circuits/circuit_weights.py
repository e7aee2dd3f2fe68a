"""The weights of a decoder's heads as circuits read them: norms folded in, one matrix a head.

A block reads ``n(x) = x̂ ⊙ g + b``, where x̂ is the stream without its mean and divided by its standard deviation
(LayerNorm), or divided by its root mean square (RMSNorm). The gain g and the bias b are folded into the projections
behind the norm: ``W ← g ⊙ W``, ``b_W ← b W + b_W``. What a head writes loses its mean where every later norm removes it
(LayerNorm). This changes no output of the model.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention_core.pretrained.errors import NoCircuitsError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.output_projections import as_projection
from attention_core.pretrained.studies.outputs.block_layouts import Layout, layout_of
from attention_core.pretrained.studies.outputs.readers import reader_of

ROTARY = {"GPTNeoXForCausalLM", "LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM"}
SUPPORTED = {"GPT2LMHeadModel", *ROTARY}
"""Architectures whose scores are bilinear in what a head reads, at a distance of 0; by transformers' class name."""
ROWS = 4_096
"""Rows of the embedding table that are worked on at once."""


@dataclass(frozen=True, eq=False)
class LayerWeights:
    """All heads of one layer, in float32; width D, head size d. KV heads are repeated for the queries that use them."""

    query: Float[Tensor, "heads D d"]
    key: Float[Tensor, "heads D d"]
    value: Float[Tensor, "heads D d"]
    output: Float[Tensor, "heads d D"]
    query_bias: Float[Tensor, "heads d"]
    key_bias: Float[Tensor, "heads d"]
    scale: float
    """Scores are ``q · k × scale``."""
    epsilon: float
    """Of the norm before the attention."""
    key_heads: tuple[int, ...]
    """For each head its KV head."""


@dataclass(frozen=True, eq=False)
class Decoder:
    """What is needed of a decoder to work out its circuits."""

    loaded: LoadedModel
    layout: Layout
    ids: Int[Tensor, " V"]
    """The ids that the tokenizer knows."""
    table: Float[Tensor, "rows D"]
    """Token embeddings, in the model's own precision; likewise ``unembedding``."""
    unembedding: Float[Tensor, "rows D"]
    final_gain: Float[Tensor, " D"]
    centred: bool
    """Whether the norms remove the mean: LayerNorm, not RMSNorm."""

    @property
    def layers(self) -> int:
        """The number of layers."""
        return len(self._blocks)

    @property
    def rotary(self) -> bool:
        """Whether positions rotate queries and keys."""
        return type(self.loaded.model).__name__ in ROTARY

    @property
    def _blocks(self) -> nn.ModuleList:
        blocks = body(self.loaded.model).get_submodule(self.layout.blocks)
        assert isinstance(blocks, nn.ModuleList)  # noqa: S101 - by its layout
        return blocks

    def layer(self, layer: int) -> LayerWeights:
        """The weights of one layer."""
        block = self._blocks[layer]
        attention = block.get_submodule(self.layout.attention)
        norm = block.get_submodule(self.layout.norms[0])
        gain = norm.get_parameter("weight").float()
        shift = norm.get_parameter("bias").float() if getattr(norm, "bias", None) is not None else 0 * gain
        output = as_projection(block.get_submodule(self.layout.projections[0])).weight.float()
        heads = self.loaded.parts[0].heads
        projections = _projections(attention, heads, output.shape[0] // heads)
        folded = {name: (gain[:, None] * weight, shift @ weight + bias) for name, (weight, bias) in projections.items()}
        query = folded["query"][0]
        key_heads = tuple(head * len(folded["key"][0]) // heads for head in range(heads))
        shared = list(key_heads)
        return LayerWeights(
            query=query,
            key=folded["key"][0][shared],
            value=folded["value"][0][shared],
            output=self.written(output).unflatten(0, (heads, -1)),
            query_bias=folded["query"][1],
            key_bias=folded["key"][1][shared],
            scale=float(attention.scaling),  # type: ignore[arg-type]
            epsilon=_epsilon(norm),
            key_heads=key_heads,
        )

    def written(self, vectors: Float[Tensor, "... D"]) -> Float[Tensor, "... D"]:
        """Without the mean, if later norms remove it."""
        return vectors - vectors.mean(dim=-1, keepdim=True) if self.centred else vectors

    def normalised(
        self, epsilon: float, ids: Int[Tensor, " n"] | None = None
    ) -> Iterator[tuple[slice, Float[Tensor, "n D"]]]:
        """x̂ of the embeddings of these tokens (by default all), a block of rows after the other, in float32."""
        ids = self.ids if ids is None else ids
        for start in range(0, len(ids), ROWS):
            rows = slice(start, min(start + ROWS, len(ids)))
            vectors = self.written(self.table[ids[rows]].float())
            yield rows, vectors * (vectors.square().mean(dim=-1, keepdim=True) + epsilon).rsqrt()

    def logits(self, vectors: Float[Tensor, "n D"], ids: Int[Tensor, " m"] | None = None) -> Float[Tensor, "n m"]:
        """What these vectors add to the logits of these tokens (by default all), the last norm's scale left out."""
        ids = self.ids if ids is None else ids
        folded = vectors * self.final_gain
        parts = [folded @ self.unembedding[chosen].float().T for chosen in ids.split(ROWS)]
        return torch.cat(parts, dim=-1)


def decoder_of(loaded: LoadedModel) -> Decoder:
    """The parts of a decoder. Raises NoCircuitsError for any other model, or one whose scores are not bilinear."""
    name = type(loaded.model).__name__
    if loaded.entry.kind != "decoder" or loaded.entry.reads != "text":
        raise NoCircuitsError(
            "Circuits are worked out for decoders, whose heads write into the logits of the next token; {id} is none.",
            loaded.entry.id,
        )
    if name not in SUPPORTED:
        names = ", ".join(sorted(each.split("For")[0].removesuffix("LMHeadModel") for each in SUPPORTED))
        raise NoCircuitsError(
            "Circuits are available for decoders of these kinds: {names}; {id} is of another kind.",
            names,
            loaded.entry.id,
        )
    model, reader = loaded.model, reader_of(loaded)
    assert reader is not None  # noqa: S101 - by SUPPORTED
    table = model.get_input_embeddings().get_parameter("weight")
    known = sorted({each for each in loaded.tokenizer.get_vocab().values() if each < len(table)})
    return Decoder(
        loaded=loaded,
        layout=layout_of(loaded),
        ids=torch.tensor(known, device=table.device),
        table=table,
        unembedding=reader.unembedding.get_parameter("weight"),
        final_gain=reader.norm.get_parameter("weight").float(),
        centred=isinstance(reader.norm, nn.LayerNorm),
    )


def _projections(
    attention: nn.Module, heads: int, size: int
) -> dict[str, tuple[Float[Tensor, "h D d"], Float[Tensor, "h d"]]]:
    """Query, key and value of each of their heads, as ``x @ weight + bias``."""
    modules = dict(attention.named_children())
    if "c_attn" in modules:  # GPT-2: all queries, then all keys, then all values
        parts = _parts(modules["c_attn"], (3, heads, size), (0, 1))
    elif "query_key_value" in modules:  # GPT-NeoX: query, key and value of one head after the other
        parts = _parts(modules["query_key_value"], (heads, 3, size), (1, 0))
    else:
        return {
            name: tuple(each[0] for each in _parts(modules[f"{name[0]}_proj"], (1, -1, size), (0, 1)))  # type: ignore[misc]
            for name in ("query", "key", "value")
        }
    return {name: (parts[0][index], parts[1][index]) for index, name in enumerate(("query", "key", "value"))}


def _parts(
    module: nn.Module, shape: tuple[int, int, int], axes: tuple[int, int]
) -> tuple[Float[Tensor, "parts h D d"], Float[Tensor, "parts h d"]]:
    """A projection's columns arranged as parts × heads × head size; ``axes`` says where parts and heads are."""
    projection = as_projection(module)
    weight = projection.weight.float()
    bias = weight.new_zeros(weight.shape[1]) if projection.bias is None else projection.bias.float()
    columns = weight.unflatten(1, shape).permute(1 + axes[0], 1 + axes[1], 0, 3)
    return columns, bias.unflatten(0, shape).permute(*axes, 2)


def _epsilon(norm: nn.Module) -> float:
    return float(norm.eps if isinstance(norm, nn.LayerNorm) else norm.variance_epsilon)  # type: ignore[arg-type]
