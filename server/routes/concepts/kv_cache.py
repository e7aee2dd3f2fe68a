"""The KV cache: its bytes for any configuration or a known model, and decoding with it step by step."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from attention_core.demos.kv_cache import Decoding, DecodingStep, decode
from attention_core.head_sizes import kv_head_of_query_heads
from attention_core.kv_cache import PRESETS, KVCachePreset, KVCacheSize, find_preset
from attention_core.precision import Precision
from attention_core.refusal import InvalidValueError, Sentence
from attention_core.rope import Pairing, Rope
from ...answers.drawings import curves, heat, stages
from ...answers.from_core import AnswerOf, FromCore
from ...requests.bodies import BodyRoute
from ...requests.bounded import RequestModel, Seed, UpToTokens, check_cells, check_tokens
from ...web.errors import ApiError
from ...web.matrices import Matrix
from ...web.openapi.schema_rules import ABSENT, GIVEN, UpTo, either
from ..dependencies import SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/kv_cache", tags=["kv_cache"], route_class=BodyRoute)

MAX_STEPS = 256

Layers = Annotated[int, Field(ge=1, le=10_000)]
Heads = Annotated[int, Field(ge=1, le=4_096)]
HeadDim = Annotated[int, Field(ge=1, le=16_384)]
Batch = Annotated[int, Field(ge=1, le=1_000_000)]
SeqLen = Annotated[int, Field(ge=1, le=1_000_000_000)]
BytesPerValue = Annotated[int, Field(ge=1, le=16)]
Width = Annotated[int, Field(ge=1, le=512)]
FewHeads = Annotated[int, Field(ge=1, le=64)]
UpToSquare = UpTo("max_concept_cells", factor=2, power=2)
"""Tokens of all steps together: the answer has weights with and without the cache."""
Chunk = Annotated[int, Field(ge=1, le=4_096), UpToTokens, UpToSquare]


class KVCacheRequest(RequestModel):
    """A configuration, or the name of a published model."""

    model_config = ConfigDict(
        json_schema_extra=either(
            {"preset": GIVEN, "layers": ABSENT, "kv_heads": ABSENT, "head_dim": ABSENT, "heads": ABSENT},
            {"preset": ABSENT, "layers": GIVEN, "kv_heads": GIVEN, "head_dim": GIVEN},
        )
    )

    preset: Annotated[str, Field(max_length=64, json_schema_extra={"enum": list(PRESETS)})] | None = Field(
        None, description="One of GET /api/kv_cache/presets.", examples=["gpt2"]
    )
    layers: Layers | None = Field(None, description="Must be left out with a preset, like the next three.")
    kv_heads: Heads | None = Field(None, description="Key/value heads.")
    head_dim: HeadDim | None = None
    heads: Heads | None = Field(None, description="Query heads, for the comparison with MHA; kv_heads unless given.")
    batch: Batch = 1
    seq_len: SeqLen = 1
    bytes_per_value: BytesPerValue = Field(2, description="4: float32; 2: float16, bfloat16; 1: 8-bit.")

    def configuration(self) -> KVCachePreset:
        """The requested sizes. Refuses sizes given twice, or not at all."""
        sizes = ("layers", "kv_heads", "head_dim")
        present = [name for name in (*sizes, "heads") if getattr(self, name) is not None]
        if self.preset is not None:
            if present:
                raise InvalidValueError("{given} must be left out where a preset is given", present[0])
            return find_preset(self.preset)
        if self.layers is None or self.kv_heads is None or self.head_dim is None:
            missing = next(name for name in sizes if getattr(self, name) is None)
            raise ApiError(422, "invalid_request", "{field} must be given where no preset is.", field=missing)
        heads = self.kv_heads if self.heads is None else self.heads
        if heads % self.kv_heads:
            raise InvalidValueError(
                "kv_heads must divide heads ({heads}), which {kv_heads} does not", heads, self.kv_heads
            )
        return KVCachePreset("", self.layers, heads, self.kv_heads, self.head_dim, self.seq_len, "")


class SizeAnswer(FromCore):
    """Bytes, exact."""

    kv_heads: int
    bytes_per_token: int = Field(description="Of one token of one sequence, all layers.")
    bytes_per_layer: int = Field(description="Of all tokens of the batch in one layer.")
    bytes_total: int
    times_smaller_than_mha: float


class KVCacheAnswer(SizeAnswer):
    """As configured, and with a key/value head for each query head (MHA) or one for all (MQA)."""

    preset: str | None
    title: str | None
    source: str | None = Field(description="Of the preset's sizes.")
    layers: int
    heads: int
    head_dim: int
    batch: int
    seq_len: int
    bytes_per_value: int
    numbers_per_token_and_layer: int = Field(description="2 · kv_heads · head_dim: keys and values.")
    mha: SizeAnswer
    mqa: SizeAnswer
    kv_head_of_query_head: list[int] = Field(description="[heads]")


class PresetAnswer(AnswerOf[KVCachePreset]):
    """A published model."""

    preset: str
    bytes_per_token: int = Field(description="In half precision (2 bytes).")


class PresetsAnswer(BaseModel):
    """All published models."""

    presets: list[PresetAnswer]


@router.get("/presets")
def get_kv_cache_presets() -> PresetsAnswer:
    """Models whose cache size can be requested by name, with the sources of their sizes."""
    return PresetsAnswer(
        presets=[
            PresetAnswer.of(model, _bytes(model, model.kv_heads, 1, 1, 2), preset=name)
            for name, model in PRESETS.items()
        ]
    )


@router.post("")
def post_kv_cache(request: KVCacheRequest) -> KVCacheAnswer:
    """`2 · layers · kv_heads · head_dim · bytes_per_value` a token, times the tokens of the batch."""
    model = request.configuration()
    size = _size(request, model, model.kv_heads)
    return KVCacheAnswer.of(
        size,
        model,
        request,
        title=model.title or None,
        source=model.source or None,
        numbers_per_token_and_layer=2 * model.kv_heads * model.head_dim,
        mha=_size(request, model, model.heads),
        mqa=_size(request, model, 1),
        kv_head_of_query_head=list(kv_head_of_query_heads(model.heads, model.kv_heads)),
    )


def _size(request: KVCacheRequest, model: KVCachePreset, kv_heads: int) -> SizeAnswer:
    size = _bytes(model, kv_heads, request.batch, request.seq_len, request.bytes_per_value)
    return SizeAnswer.of(size, times_smaller_than_mha=model.heads / kv_heads)


def _bytes(model: KVCachePreset, kv_heads: int, batch: int, seq_len: int, bytes_per_value: int) -> KVCacheSize:
    return KVCacheSize(model.layers, kv_heads, model.head_dim, batch, seq_len, bytes_per_value)


class StepsRequest(RequestModel):
    """Random tokens, processed in steps by a random attention module."""

    model_config = ConfigDict(json_schema_extra=either({"prefill": {"minimum": 1}}, {"chunks": {"minItems": 1}}))

    prefill: Annotated[int, Field(ge=0, le=4_096), UpToTokens, UpToSquare] = Field(
        3, description="Tokens of the first step; 0: no such step."
    )
    chunks: Annotated[list[Chunk], Field(max_length=MAX_STEPS)] = Field(
        [1, 1, 2], description="Tokens of each further step."
    )
    d_model: Width = 16
    num_heads: FewHeads = 4
    num_kv_heads: FewHeads | None = Field(None, description="num_heads unless given.")
    rope: Pairing | None = Field(None, description="Rotate queries and keys by their positions, in this pairing.")
    max_length: Annotated[int, Field(ge=1, le=8_192)] | None = Field(
        None, description="Tokens that the cache has room for; as many as there are unless given."
    )
    precision: Precision = "float32"
    seed: Seed = 0


class CacheStepAnswer(AnswerOf[DecodingStep]):
    """One step. Rows are the new tokens, columns all tokens so far."""

    output: Matrix


class StepsAnswer(AnswerOf[Decoding]):
    """All steps, and the full pass without a cache."""

    steps: list[CacheStepAnswer]
    uncached_output: Matrix


@router.post("/steps")
def post_kv_cache_steps(request: StepsRequest, settings: SettingsDep) -> StepsAnswer:
    """Prefill, single tokens and chunks, each with the mask it needs, compared with a pass without a cache."""
    chunks = [request.prefill] * (request.prefill > 0) + request.chunks
    total = sum(chunks)
    check_tokens(settings, "chunks", total)
    check_cells(settings, "chunks", 2, request.num_heads, total, total)
    decoded = decode(
        chunks,
        d_model=request.d_model,
        num_heads=request.num_heads,
        num_kv_heads=request.num_kv_heads,
        rope=None if request.rope is None else Rope(request.rope),
        max_length=request.max_length,
        precision=request.precision,
        seed=request.seed,
    )
    return StepsAnswer.of(decoded)


add_figures(
    router,
    post_kv_cache_steps,
    {
        **stages("steps[step].{}[head]", "weights"),
        "mask": heat("steps[step].mask", Sentence("Mask"), bounds="weights"),
        "uncached_weights": heat("uncached_weights[head]", Sentence("Weights without the cache"), bounds="weights"),
        "used_bytes": curves("steps[*].used_bytes", Sentence("Bytes in use"), Sentence("step"), Sentence("bytes")),
    },
)
