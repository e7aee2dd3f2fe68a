"""A small, randomly initialised decoder of our own modules: every stage of every block."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from attention_core.decoder_config import Positions
from attention_core.demos.decoder import DecoderChoice, DecoderExample, Form, decoder_example
from attention_core.feed_forward import FeedForwardKind
from attention_core.multi_head_trace import ShapeStep
from attention_core.precision import Precision
from attention_core.refusal import InvalidValueError, Sentence
from ...answers.answer_paths import Drawn
from ...answers.drawings import HEADS, KEY, POSITION, QUERY, Side, heat, named, stages, vectors
from ...answers.from_core import AnswerOf, FromCore
from ...requests.bodies import BodyRoute
from ...requests.bounded import RequestModel, Seed, Text, check_cells
from ...settings import Settings
from ...web.errors import ApiError
from ...web.matrices import Matrix
from ...web.openapi.schema_rules import at_most_one
from ..dependencies import SettingsDep
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/decoder", tags=["decoder"], route_class=BodyRoute)

MAX_TOKENS = 256
MAX_VOCABULARY = 1_024
MAX_LAYERS = 12
DEFAULT_TOKENS = ("the", "cat", "saw", "the", "dog")

SHARING: tuple[Form, ...] = ("modern", "nanochat_2025", "nanochat_2026")
"""Forms in which query heads share key/value heads unless the request says otherwise."""

Word = Annotated[Text, Field(min_length=1, max_length=64)]
Id = Annotated[int, Field(ge=0, lt=MAX_VOCABULARY)]
Heads = Annotated[int, Field(ge=1, le=32)]


class DecoderRequest(RequestModel):
    """The decoder, and its input: words, numbered by first appearance, or ids."""

    model_config = ConfigDict(json_schema_extra=at_most_one("tokens", "ids"))

    form: Form = Field(
        "modern",
        description="modern: bias-free, GQA, RoPE, QK-norm, KV cache; or llama, gpt2; nanochat_2025, and nanochat_2026 "
        "with value embeddings, windows and sharper scores.",
    )
    tokens: Annotated[list[Word], Field(max_length=MAX_TOKENS, json_schema_extra={"minItems": 1})] | None = None
    ids: Annotated[list[Id], Field(min_length=1, max_length=MAX_TOKENS)] | None = None
    vocab_size: Annotated[int, Field(ge=1, le=MAX_VOCABULARY)] | None = Field(
        None, description="The number of distinct tokens unless given."
    )
    d_model: Annotated[int, Field(ge=1, le=256)] = 16
    num_layers: Annotated[int, Field(ge=1, le=MAX_LAYERS)] = 2
    num_heads: Heads = 4
    num_kv_heads: Heads | None = Field(
        None,
        description="Unless given, num_heads in llama and gpt2; else 2 if that divides num_heads.",
    )
    hidden_dim: Annotated[int, Field(ge=1, le=1_024)] | None = Field(None, description="4 · d_model unless given.")
    positions: Positions | None = Field(None, description="The form's unless given, like the next three.")
    qk_norm: Literal["rms", "l2", "none"] | None = None
    qk_norm_before_rope: bool | None = None
    feed_forward: FeedForwardKind | None = None
    init_std: Annotated[float, Field(ge=1e-4, le=10)] = Field(
        0.2, description="Of the random weights; training starts at 0.02, where attention is almost uniform."
    )
    generate: Annotated[int, Field(ge=0, le=MAX_TOKENS)] = Field(
        3, description="Number of most probable tokens to append."
    )
    precision: Precision = "float32"
    seed: Seed = 0


class DecoderStepAnswer(AnswerOf[ShapeStep]):
    """One intermediate tensor of a block's attention, with the batch axis."""


class DecoderBlockAnswer(FromCore):
    """One block. Stages [token][…], in the order of computation."""

    inputs: Matrix
    attention_normed: Matrix
    value_embedding: list[Matrix] | None = Field(
        description="[key/value head][token]: the token's row of the block's table of values; null if it has none."
    )
    value_gate: Matrix | None = Field(
        description="[key/value head][token]: between 0 and 3, the factor of that row before it is added to the value."
    )
    window: int | None = Field(description="Keys that a query sees, its own included; null: all up to its own.")
    attention: dict[str, Any] = Field(
        description="By name: every step between projection and scores, and every stage of the attention. "
        "Keys and values under `_by_head`, `_turned`, `_normed`, `_sharpened`, `_added` are those of the KV heads."
    )
    attention_steps: list[DecoderStepAnswer] = Field(description="In the order of computation.")
    entropy: list[list[float]] = Field(description="[head][query] of the weights, in nats.")
    attention_output: Matrix
    after_attention: Matrix = Field(description="inputs + attention_output")
    feed_forward_normed: Matrix
    feed_forward_hidden: Matrix
    feed_forward_output: Matrix
    outputs: Matrix = Field(description="after_attention + feed_forward_output")


class ConfigAnswer(FromCore):
    """The decoder's configuration."""

    form: Form
    vocab_size: int
    d_model: int
    num_layers: int
    num_heads: int
    num_kv_heads: int
    hidden_dim: int
    positions: Positions
    norm: str
    feed_forward: str | None
    bias: bool
    qk_norm: str | None
    qk_norm_before_rope: bool
    qk_gain: float
    embedding_norm: bool
    window_pattern: str | None
    logit_cap: float | None
    tied_embeddings: bool


class DecoderAnswer(FromCore):
    """A forward pass through the whole model. Rows are tokens."""

    config: ConfigAnswer
    parameters: dict[str, int]
    vocabulary: list[str] = Field(description="The token of each id.")
    ids: list[int]
    token_embeddings: Matrix
    position_embeddings: Matrix | None = Field(
        description="Learned or sinusoidal positions; null where they enter in the attention."
    )
    embeddings: Matrix
    blocks: list[DecoderBlockAnswer]
    final_normed: Matrix
    logits: Matrix = Field(description="[token][vocabulary]")
    probabilities: Matrix = Field(description="Of the next token, at each position.")
    generated: list[int] = Field(description="The most probable token, repeatedly appended.")
    kv_cache_bytes_per_token: int
    cached_difference: float = Field(
        description="Largest, between the logits and those computed token by token with a KV cache."
    )
    fused_difference: float = Field(description="Largest, between the logits and those computed without a trace.")


@router.post("")
def post_decoder(request: DecoderRequest, settings: SettingsDep) -> DecoderAnswer:
    """Embed; in each block norm, attend, add, norm, feed forward, add; then norm and logits."""
    vocabulary, ids = _read(request)
    count = len(ids)
    _check_work(request, settings, count, len(vocabulary))
    heads_shared = 2 if request.form in SHARING and request.num_heads % 2 == 0 else None
    choice = DecoderChoice(
        num_kv_heads=request.num_kv_heads or heads_shared,
        **{name: getattr(request, name) for name in MODEL_OPTIONS},
    )
    return _answer(
        request, vocabulary, decoder_example(choice, ids, vocab_size=len(vocabulary), generate=request.generate)
    )


def _tokens(drawn: Drawn) -> list[str]:
    return [drawn.answer.vocabulary[number] for number in drawn.answer.ids]


QUERY_WORDS, KEY_WORDS = Side(QUERY, _tokens), Side(KEY, _tokens)
TOKENS, VOCABULARY = Side(POSITION, _tokens), named(Sentence("next token"), "vocabulary")

add_figures(
    router,
    post_decoder,
    {
        **stages(
            "blocks[layer].attention.{}[head]",
            "weights",
            "raw_scores",
            "scaled_scores",
            "masked_scores",
            rows=QUERY_WORDS,
            cols=KEY_WORDS,
        ),
        "entropy": heat("blocks[layer].entropy", Sentence("Entropy of the weights"), HEADS, QUERY_WORDS, "positive"),
        "embeddings": vectors("embeddings", Sentence("Vectors of the tokens"), TOKENS),
        "attention_output": vectors("blocks[layer].attention_output", Sentence("Output of the attention"), TOKENS),
        "feed_forward_output": vectors(
            "blocks[layer].feed_forward_output", Sentence("Output of the feed-forward layer"), TOKENS
        ),
        "outputs": vectors("blocks[layer].outputs", Sentence("Output of the block"), TOKENS),
        "logits": vectors("logits", Sentence("Logits"), TOKENS, VOCABULARY),
        "probabilities": heat("probabilities", Sentence("Probabilities"), TOKENS, VOCABULARY, "weights", square=False),
    },
)


MODEL_OPTIONS = (
    "form",
    "d_model",
    "num_layers",
    "num_heads",
    "hidden_dim",
    "positions",
    "qk_norm",
    "qk_norm_before_rope",
    "feed_forward",
    "init_std",
    "precision",
    "seed",
)
"""Fields of a request that are options of the model too."""


NO_VALUES = {"value_embedding": None, "value_gate": None}
"""Of a block without value embeddings."""


def _read(request: DecoderRequest) -> tuple[list[str], list[int]]:
    """The vocabulary and the ids. Refuses both kinds of input at once, and ids outside a given vocabulary."""
    if request.tokens is not None and request.ids is not None:
        raise InvalidValueError("{name} must be left out where {other} are given", "ids", "tokens")
    if request.ids is not None:
        size = request.vocab_size or max(request.ids) + 1
        if max(request.ids) >= size:
            raise InvalidValueError("{name} must lie between {least} and {most}", "ids", 0, size - 1)
        return [str(number) for number in range(size)], request.ids
    tokens = list(DEFAULT_TOKENS) if request.tokens is None else request.tokens
    if not tokens:
        raise ApiError(422, "text_empty", "There are no words: give at least one.", field="tokens")
    vocabulary = list(dict.fromkeys(tokens))
    size = request.vocab_size or len(vocabulary)
    if size < len(vocabulary):
        raise InvalidValueError(
            "vocab_size must be at least the {count} distinct tokens, not {given}", len(vocabulary), size
        )
    ids = [vocabulary.index(token) for token in tokens]
    return vocabulary + [f"[{number}]" for number in range(len(vocabulary), size)], ids


def _check_work(request: DecoderRequest, settings: Settings, count: int, vocabulary: int) -> None:
    field = "ids" if request.ids is not None else "tokens"
    check_cells(settings, field, 4 * request.num_layers, request.num_heads, count, count)
    hidden = request.hidden_dim or 4 * request.d_model
    check_cells(settings, field, request.num_layers, count, 24 * request.d_model + hidden)
    check_cells(settings, field, 2, count, vocabulary)
    if count + request.generate > MAX_TOKENS:
        raise ApiError(
            422,
            "too_large",
            "generate asks for {count} + {generate} tokens; one request may ask for {limit}.",
            count,
            request.generate,
            field="generate",
            limit=MAX_TOKENS,
        )


def _answer(request: DecoderRequest, vocabulary: list[str], found: DecoderExample) -> DecoderAnswer:
    config = ConfigAnswer.of(
        found.config,
        form=request.form,
        num_kv_heads=found.config.num_kv_heads or found.config.num_heads,
        hidden_dim=found.config.width,
    )
    blocks = [DecoderBlockAnswer.of(NO_VALUES | block.stages, block) for block in found.blocks]
    absent = {"position_embeddings": None}
    return DecoderAnswer.of(absent | found.stages, found, config=config, vocabulary=vocabulary, blocks=blocks)
