"""The shapes of requests and answers.

Made by `make api-types` from the OpenAPI document; not edited by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing import NotRequired


class AdditiveAnswer(TypedDict):
    """The hidden layer that was used."""

    query_weight: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[hidden][query_size]"""
    key_weight: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[hidden][key_size]"""
    combine: list[float]
    """[hidden]"""
    bias: list[float] | None
    """[hidden]"""
    hidden_layer: list[list[list[float]]] | None
    """[queries][keys][hidden] After tanh; null if it is too large."""


class AdditiveOptions(TypedDict):
    """The hidden layer of additive attention: random from a seed, or given."""

    hidden: NotRequired[int | None]
    """Its size; 8 unless given."""
    seed: NotRequired[int | None]
    """0 unless given."""
    weights: NotRequired[AdditiveWeightsIn | None]
    """Instead of hidden and seed."""


class AdditiveWeightsIn(TypedDict):
    """`score = combine · tanh(query_weight q + key_weight k + bias)`."""

    query_weight: list[list[float]]
    """(hidden, size of a query)"""
    key_weight: list[list[float]]
    """(hidden, size of a key)"""
    combine: list[float]
    """(hidden)"""
    bias: NotRequired[list[float] | None]
    """(hidden); none unless given."""


class AlibiRequest(TypedDict):
    """How many heads and tokens; and, to see the bias at work, one head's queries and keys."""

    heads: int
    """Number of query heads in each layer."""
    seq_len: int
    """Number of tokens."""
    symmetric: NotRequired[bool]
    """−slope·|query − key|, as in encoders."""
    rows: NotRequired[list[int] | None]
    """First query, and one past the last: a window of the bias."""
    cols: NotRequired[list[int] | None]
    """First key, and one past the last."""
    queries: NotRequired[list[list[float]] | None]
    """seq_len rows: shows their attention under each encoding."""
    keys: NotRequired[list[list[float]] | None]
    """The queries unless given."""
    values: NotRequired[list[list[float]] | None]
    """The keys unless given."""
    causal: NotRequired[bool]
    """Whether the attention shown is causal; the bias itself is not masked."""
    pairing: NotRequired[Literal["interleaved", "half_split"]]
    """Of RoPE, for comparison."""
    base: NotRequired[float]
    """Of RoPE, for comparison."""


class AlibiResponse(TypedDict):
    """What ALiBi adds to the scaled scores. Rows are queries, columns are keys."""

    slopes: list[float]
    """[heads]"""
    bias: list[list[list[float]]]
    """[heads][queries][keys] −slope·(query − key), above the diagonal too, where a causal mask hides it."""
    compared: ComparedOut | None
    """Null unless queries are given."""


class AlignedPositionAnswer(TypedDict):
    """A position that several prompts have."""

    offset: int
    """Counted from 0 at the start; by the rule `end`, from −1 backwards."""
    slot: str | None
    """The slot whose tokens are merged here; null for a single token."""
    texts: list[str]
    """What stands there, the most frequent first, at most five."""
    variants: int
    """How many different texts stand there."""
    count: int
    """Prompts that have the position."""
    special: bool
    """Whether a special token stands there in each of them."""


class AllowedKeysAnswer(TypedDict):
    """The different masks of a part, and which of them each head has."""

    masks: list[list[list[int]]]
    """[masks][queries] Runs of keys that a query may attend to, as [first, end, first, end …]."""
    of_heads: list[list[int | None]]
    """[layers][heads] The index of the head's mask; null where every query may attend to every key."""


class AnalysisAnswer(TypedDict):
    """One text through one model. Where a model has several parts, the top level describes the first."""

    id: str
    """The same for the same request; all further views are requested by it."""
    model: Model
    """The model that was run."""
    tokens: list[Token]
    """The tokens, in their order."""
    target_tokens: list[Token] | None
    """Tokens of the decoder's text; null if there is only one text."""
    layers: int
    """Number of layers."""
    heads: int
    """Number of query heads in each layer."""
    kv_heads: int
    """Number of heads of keys and values; fewer than query heads where those share them."""
    causal: bool
    """Whether no query attends to later tokens."""
    parts: list[PartAnswer]
    """Each attention of the model, with what belongs to it."""
    overview: EncodedArray
    """A thumbnail of each head: layers, heads, rows, columns."""
    metrics: dict[str, Any]
    """By name: a row for each layer, a column for each head."""
    metric_info: dict[str, Any]
    """By metric, its title, definition, source and unit."""
    predictions: list[Prediction]
    """What the model predicts, one for each predicted position."""
    device: str
    """Where the model runs: cpu, cuda or mps."""
    dtype: str
    """Number format in which the model runs."""
    timings_ms: dict[str, Any]
    """By step, how long it took, in milliseconds."""
    parity: Parity | None
    """Our attention compared with the library's in this model; null where nothing could be compared."""
    image: NotRequired[PictureAnswer | None]
    """Of a model whose input is an image."""
    sound: NotRequired[SoundAnswer | None]
    """Of a model whose input is a sound."""
    interventions: list[HeadOff | CutEdges | ReplaceRow | Temperature | SetPattern]
    """The requested changes; empty for the unchanged model."""
    warnings: list[AnalysisWarning]
    """Caveats for users."""


class AnalysisWarning(TypedDict):
    """A caveat for users."""

    code: str
    """A stable identifier in snake_case."""
    message: str
    """A sentence for people, in the language of the request."""


class AnswerInPrompt(TypedDict):
    """How the model rates the expected token after one prompt."""

    id: int
    """What requests name it by."""
    text: str
    """As it is written."""
    probability: float
    """By the softmax of the logits."""
    rank: int
    """1 for the most probable token of the vocabulary."""


class ArrowAdditive(TypedDict):
    """The hidden layer of additive attention on arrows: random from a seed, or given."""

    hidden: NotRequired[int | None]
    """Its size; 8 unless given."""
    seed: NotRequired[int | None]
    """0 unless given."""
    weights: NotRequired[ArrowWeights | None]
    """Instead of hidden and seed."""


class ArrowWeights(TypedDict):
    """For arrows, which have two coordinates."""

    query_weight: list[list[float]]
    """(hidden, 2)"""
    key_weight: list[list[float]]
    """(hidden, 2)"""
    combine: list[float]
    """(hidden)"""
    bias: NotRequired[list[float] | None]
    """(hidden); none unless given."""


class AsymmetryAnswer(TypedDict):
    """吾輩は猫である。名前はまだない。with one matrix for queries and keys, and with two."""

    tokens: list[str]
    """The tokens, in their order."""
    features: list[str]
    """Their names."""
    vectors: list[list[float]]
    """[tokens][features]"""
    shared: Side
    """W_q = W_k, the mean of the two."""
    own: Side
    """W_q and W_k on the way from the mean (difference 0) to what each is by itself (1)."""


class AsymmetryRequest(TypedDict):
    """How far W_q and W_k are apart."""

    difference: NotRequired[float]
    """0: both are the mean of the two; 1: each is itself."""


class AtlasFactsAnswer(TypedDict):
    """What was scanned, and how."""

    id: str
    """What requests name it by."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""
    model_title: str
    """Name of the model, for people."""
    kind: str
    """encoder, decoder or encoder_decoder."""
    revision: str | None
    """Commit of the model on the Hugging Face Hub; null unless its files are in the hub's cache."""
    fingerprint: str
    """Hash of the model's files."""
    corpus: str
    """The corpus' name."""
    corpus_hash: str
    """Hash of the documents' content."""
    documents: int
    """Documents that were scanned."""
    tokens: int
    """Number of tokens scanned."""
    windows: int
    """Pieces of documents that the model was given."""
    parts: list[AtlasPart]
    """Each attention of the model, with what belongs to it."""
    has_relations: bool
    """Whether the corpus has dependency relations."""
    has_upos: bool
    """Whether the corpus has parts of speech."""
    window_tokens: int
    """Most tokens of a window."""
    max_tokens: int | None
    """Most tokens that were to be scanned; null: all."""
    seed: int
    """Of the sample of documents and of queries."""
    sampled_queries: int
    """Queries whose vectors are kept."""
    skipped: int
    """Malformed lines of the corpus."""
    left_out_characters: int
    """Characters left out because one alone has more tokens than a window."""
    nbytes: int
    """Size of the folder."""


class AtlasList(TypedDict):
    """Every atlas, and what another could be made of."""

    atlases: list[AtlasFactsAnswer]
    """Those that can be read."""
    damaged: list[DamagedAtlasAnswer]
    """Folders that cannot be read, with the reason."""
    scans: list[ScanAnswer]
    """The newest first; ended ones are kept for a while, stopped ones until they go on or are deleted."""
    corpora: list[CorpusAnswer]
    """Those that can be scanned."""
    models: list[ScannableModel]
    """Those that can scan."""
    limits: ScanLimits
    """The largest settings that this server accepts."""


class AtlasPart(TypedDict):
    """The self-attention of an encoder or a decoder."""

    name: str
    """Which attention of the model: `encoder` or `decoder`."""
    layers: int
    """Number of layers."""
    heads: int
    """Number of query heads in each layer."""
    kv_heads: int | None
    """None if layers differ; likewise head_dim."""
    head_dim: int | None
    """Size of one head's queries and keys."""
    causal: bool
    """Whether no query attends to later tokens."""


class AtlasState(TypedDict):
    """An atlas, its scan, or both."""

    facts: AtlasFactsAnswer | None
    """Null while it is being computed."""
    scan: ScanAnswer | None
    """Null if this server has not scanned it since it was started."""
    yours: bool
    """Whether you have had it made: then nobody else can delete it."""


class AttendedOut(TypedDict):
    """One head's stages."""

    scaled_scores: list[list[float]]
    """[queries][keys] `q · k/√D`, of rotated vectors under RoPE."""
    masked_scores: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[queries][keys] With the bias, −∞ where the causal mask forbids."""
    weights: list[list[float]]
    """[queries][keys]"""
    output: list[list[float]]
    """[queries][value_size]"""


class AttentionAnswer(TypedDict):
    """Every stage of learned attention on the same points."""

    queries: list[list[float | Literal["-Infinity", "Infinity"]]]
    """As scored: rotated under RoPE."""
    keys: list[list[float | Literal["-Infinity", "Infinity"]]]
    """As scored: rotated under RoPE."""
    values: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[point][value] The same values."""
    raw_scores: list[list[float | Literal["-Infinity", "Infinity"]]]
    """Of the scoring function, before anything else."""
    scaled_scores: list[list[float | Literal["-Infinity", "Infinity"]]]
    """raw_scores · scale"""
    masked_scores: list[list[float | Literal["-Infinity", "Infinity"]]]
    """scaled_scores + bias, −∞ where the mask forbids."""
    weights: list[list[float | Literal["-Infinity", "Infinity"]]]
    """softmax(masked_scores): each row sums to 1, or is 0 if every key is masked."""
    head_outputs: list[list[float | Literal["-Infinity", "Infinity"]]]
    """weights · values"""
    output: list[list[float | Literal["-Infinity", "Infinity"]]]
    """The same: there is one head and no output projection."""


class AttributionAnswer(TypedDict):
    """Weight × gradient of one output. Rows of ``matrix`` are queries, columns are keys."""

    target: Literal["logit", "embedding", "component"]
    """What is explained."""
    position: int | None
    """Index of the token, from 0."""
    token_id: int | None
    """Number of the token in the vocabulary."""
    against_id: int | None
    """The token whose logit is subtracted."""
    component: int | None
    """Index of the component of the embedding that is explained; null for other targets."""
    output: float
    """The number whose gradient was taken."""
    parts: list[PartAttributionAnswer]
    """Each attention of the model, with what belongs to it."""
    token_text: str | None
    """Text of the token."""
    against_text: str | None
    """Text of the token that is subtracted; null if none is."""
    matrix: EncodedArray | list[list[float | Literal["-Infinity", "Infinity"]]] | None
    """Of one head, if layer and head are given."""
    part: str | None
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    layer: int | None
    """Index of the layer, from 0."""
    head: int | None
    """Index of the head, from 0."""
    shape: list[int] | None
    """Its sizes, axis by axis; null where the numbers are nested lists."""
    encoding: Literal["base64", "json"]
    """How the numbers are written: nested lists (`json`), or their bytes (`base64`)."""


class BestHead(TypedDict):
    """The head that most often has its strongest word at the right one."""

    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    layer: int
    """Index of the layer, from 0."""
    head: int
    """Index of the head, from 0."""
    accuracy: float
    """Share of the pairs in which the head's strongest word is the right one, 0 to 1; null without pairs."""


class BiasAnswer(TypedDict):
    """``with_bias = without_bias + query_offset + key_offset + constant``; axes (batch, queries, keys)."""

    with_bias: list[list[list[float]]]
    """[batch][queries][keys]"""
    without_bias: list[list[list[float]]]
    """[batch][queries][keys] `(X W_qᵀ)(X W_kᵀ)ᵀ`."""
    query_offset: list[list[list[float]]]
    """[batch][queries][1] `(X W_qᵀ) b_k`: the same for every key, so softmax cancels it."""
    key_offset: list[list[list[float]]]
    """[batch][1][keys] `(X W_kᵀ) b_q`: the same for every query, so some keys get more weight from all of
    them.
    """
    constant: float
    """`b_q · b_k`: softmax cancels it too."""
    with_bias_summary: SummaryAnswer
    """The scores with biases."""
    without_bias_summary: SummaryAnswer
    """The scores without."""
    weights_change_without_biases: float
    """Largest change of a weight when both biases are left out."""
    weights_change_without_key_bias: float
    """Largest change of a weight when only b_k is left out: only rounding."""
    weights_change_without_key_bias_under_rope: float | None
    """The same where RoPE rotates queries and keys by their positions 0, 1, …: then `q · R b_k` depends on
    the key's position, and softmax does not cancel it. None for an odd d_k, which has no pairs to
    rotate.
    """
    parameters: BiasParameters
    """Numbers of learned parameters."""


class BiasParameters(TypedDict):
    """The number of parameters of the requested projections."""

    with_bias: int
    """With biases."""
    without_bias: int
    """Without."""
    saved: int
    """How many parameters fewer."""
    saved_percent: float
    """The same in per cent."""
    large_biases: int
    """layers · projections · d_model of the large model."""


class BiasRequest(TypedDict):
    """Query and key projections of one random input."""

    d_model: NotRequired[int]
    """Size of the residual stream."""
    d_k: NotRequired[int]
    """Size of a query and of a key."""
    projections: NotRequired[int]
    """How many are counted."""
    batch: NotRequired[int]
    """Number of sequences in the batch."""
    seq_len: NotRequired[int]
    """Number of vectors in the input."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""
    bins: NotRequired[int]
    """Number of bins of the histogram."""
    large: NotRequired[LargeModel]
    """A model of usual size, for comparison."""


class BlockAnswer(TypedDict):
    """The trace of one token through one block."""

    order: Literal["pre", "post", "parallel"]
    """Where the norms are."""
    layer: int
    """Index of the layer, from 0."""
    token: int
    """Index of the token, from 0."""
    embedding: list[StationAnswer]
    """The input of the first block, and the terms that it is the sum of."""
    stations: list[StationAnswer]
    """In the order of computation."""
    norms: list[BlockNormAnswer]
    """One for each norm."""
    checks: list[CheckAnswer]
    """Equations that hold if the trace is right."""
    weights: list[list[float]]
    """[heads][keys] Of this token as a query."""
    stream_norms: list[float]
    """[states] Length of the token's vector before each block, and after the last."""
    attention_norms: list[float]
    """[layers] Length of what each block's attention adds."""
    feed_forward_norms: list[float]
    """[layers] Length of what each block's feed-forward layer adds; 0 where there is none."""
    guesses: list[GuessAnswer]
    """A decoder's predictions of the next token, most probable first; empty for encoders."""
    model: str | None
    """Null for our own decoder."""
    layers: int
    """Number of blocks."""
    tokens: list[Token]
    """The tokens, in their order."""


class BlockNormAnswer(TypedDict):
    """layer: (x − mean) / √(spread + ε) · scale + shift; rms: x / √(spread + ε) · scale."""

    name: str
    """The station that it computes."""
    source: str
    """Its input station."""
    kind: Literal["layer", "rms", "none"]
    """LayerNorm, RMS norm, or none."""
    mean: float
    """Arithmetic mean."""
    spread: float
    """The variance, or the mean square."""
    epsilon: float
    """The small number under the root."""
    scale: list[float] | None
    """[d]"""
    shift: list[float] | None
    """[d]"""


class BlockRequest(TypedDict):
    """A text, and the token and the block that it is followed through."""

    model: NotRequired[str | None]
    """An id of /api/models; our own decoder unless given."""
    text: str
    """As it is written."""
    layer: NotRequired[int]
    """Index of the layer, from 0."""
    token: NotRequired[int]
    """Its index, special tokens included."""
    own: NotRequired[OwnDecoder]
    """Where no model is given; its tokens are the words between spaces."""


class CacheStepAnswer(TypedDict):
    """One step. Rows are the new tokens, columns all tokens so far."""

    phase: Literal["prefill", "single_token", "chunk"]
    """What this step is: the prompt, one token, or a chunk."""
    stored: int
    """Tokens in the cache before the step."""
    new: int
    """Number of tokens that are new in this step."""
    mask: list[list[bool]]
    """[new][keys] True where attending is allowed."""
    needs_mask: bool
    """False for a single token, which may attend to every key."""
    weights: list[list[list[float]]]
    """[heads][new][keys]"""
    output: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[new][d_model]"""
    used_bytes: int
    """Of the cache, after the step."""
    largest_difference: float
    """Between the output and the same rows computed without a cache."""


class Candidate(TypedDict):
    """A candidate token for the predicted position."""

    id: int
    """What requests name it by."""
    text: str
    """As it is written."""
    probability: float
    """Its probability, 0 to 1."""
    logit: float
    """The model's output for it, before softmax."""
    written: NotRequired[str | None]
    """What to append to the text, or to put in place of the mask, to get this token; null where no text
    gives it.
    """


class CandidateChange(TypedDict):
    """One token's probability in both analyses; null where it is not known or the model has no such token."""

    id: int | None
    """In the vocabulary of the first; null where that has no such token, or between two models that are
    not loaded.
    """
    text: str
    """As it is written."""
    before: float | None
    """Its probability in this analysis."""
    after: float | None
    """Its probability in the other analysis."""


class CheckAnswer(TypedDict):
    """An equation, and the difference between its sides."""

    name: str
    """The station on the left."""
    equation: str
    """The equation, in names of stations."""
    difference: float
    """Largest absolute difference of the two sides."""
    bound: float
    """The largest difference that rounding explains."""
    holds: bool
    """Whether the difference is within the bound."""


class CircleAnswer(TypedDict):
    """Rows are queries, columns are keys."""

    keys: list[list[float]]
    """(n, 2), as scored: rotated if they have positions."""
    queries: list[list[float]]
    """One vector for each query."""
    values: list[list[float]]
    """(n, 2): the keys, never rotated."""
    scores: list[list[float]]
    """(queries, n), before scale and temperature."""
    scaled_scores: list[list[float]]
    """scores · scale"""
    weights: list[list[float]]
    """How much each query attends to each key; a row adds up to 1."""
    outputs: list[list[float]]
    """(queries, 2)"""
    entropy: list[float]
    """Of each query's weights, in nats."""
    scale: float
    """The mechanism's scale divided by the temperature."""
    additive_weights: HiddenLayer | None
    """Of the additive mechanism only."""


class CircleRequest(TypedDict):
    """Arrows around the origin. Angles in degrees, counter-clockwise from the x-axis."""

    n: NotRequired[int]
    """Keys."""
    query_angles_deg: list[float]
    """Direction of each query, in degrees counter-clockwise from the x-axis."""
    lengths: NotRequired[list[float] | None]
    """One for each key; 1 unless given."""
    key_angles_deg: NotRequired[list[float] | None]
    """One for each key; 0, 360/n, 2·360/n, … unless given."""
    query_lengths: NotRequired[list[float] | None]
    """One for each query; 1 unless given."""
    mechanism: NotRequired[Literal["dot", "scaled_dot", "cosine", "additive"]]
    """How a query and a key make a score."""
    temperature: NotRequired[float]
    """What scores are divided by before softmax; below 1 sharper, above 1 flatter."""
    additive: NotRequired[ArrowAdditive | None]
    """For the additive mechanism only."""
    turn: NotRequired[TurnOptions | None]
    """Positions of the arrows, and their rotation by RoPE."""


class CircuitPairAnswer(TypedDict):
    """Two tokens, and their number in a circuit."""

    id: int
    """The token that attends (QK), or that is attended to (OV): the row."""
    text: str
    """Text of the first token."""
    other_id: int
    """The token that it attends to (QK), or that is raised (OV): the column."""
    other_text: str
    """Text of the other token."""
    score: float
    """The number by which these are sorted."""


class CircuitRowAnswer(TypedDict):
    """One token's row of a circuit."""

    highest: list[CircuitTokenAnswer]
    """Highest first."""
    lowest: list[CircuitTokenAnswer]
    """Lowest first."""
    own: float
    """The number of the token itself."""
    own_rank: int
    """How many tokens have a higher one."""


class CircuitTokenAnswer(TypedDict):
    """A token of the vocabulary and its number in a row of a circuit."""

    id: int
    """What requests name it by."""
    text: str
    """As it is written."""
    score: float
    """The number by which these are sorted."""


class CircuitsAnswer(TypedDict):
    """The circuits of one head."""

    layer: int
    """Index of the layer, from 0."""
    head: int
    """Index of the head, from 0."""
    key_head: int
    """The key/value head that it uses."""
    vocabulary: int
    """How many tokens the tokenizer knows; all of them are rows and columns."""
    pair_tokens: int
    """Pairs are searched among this many tokens, those with the lowest ids."""
    token_id: int | None
    """The token whose rows these are; null if none was asked for."""
    token_text: str | None
    """Text of the token."""
    attends_to: CircuitRowAnswer | None
    """Its row of the QK circuit, in units of scaled scores."""
    writes: CircuitRowAnswer | None
    """Its row of the OV circuit, in logits before the scale of the last norm."""
    attention_pairs: list[CircuitPairAnswer]
    """The largest numbers of the QK circuit."""
    writing_pairs: list[CircuitPairAnswer]
    """The largest numbers of the OV circuit."""
    copying_score: float
    """Sum of the OV circuit's eigenvalues over the sum of their magnitudes: 1 copies, −1 suppresses; 0 if
    all are 0.
    """
    eigenvalues: list[list[float]]
    """[eigenvalues][2] Real and imaginary parts, largest magnitude first; all others of the OV circuit are
    0.
    """
    norm: Literal["layer_norm", "rms_norm"]
    """LayerNorm removes means, RMSNorm does not."""
    rotary: bool
    """Whether the model has RoPE; then scores are those at a distance of 0."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""
    treatment: list[str]
    """How norms, positions and biases are treated, and what the numbers do not show."""


class ClaimAnswer(TypedDict):
    """A value with its origin, and what was measured if the claim is about the requested model."""

    id: str
    """What requests name it by."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""
    model_title: str
    """Name of the model, for people."""
    available: bool
    """Whether this server has the model."""
    reason: str | None
    """Why not, and what to do."""
    kind: Literal["token_weight", "head_score", "separator_share", "relation"]
    """What the claim is about."""
    text: str | None
    """The text it was measured on; null where it is measured on none."""
    text_pair: str | None
    """A second text behind the separator."""
    layer: int
    """Index of the layer, from 0."""
    last_layer: int | None
    """Where layers are averaged, from layer to last_layer."""
    head: int | None
    """Index of the head, from 0."""
    reader: str | None
    """The query: the word that attends."""
    read: str | None
    """The key: the word that it attends to."""
    score: str | None
    """As in /api/head_scores."""
    relation: Literal["direct_object", "pronoun"] | None
    """Which word should find which."""
    sentences: list[PairAnswer] | None
    """Those that the relation is measured on."""
    reference: float
    """The value that a measurement is compared with."""
    tolerance: float | None
    """Null: the claim holds from the reference up."""
    origin: Literal["published", "limit_set_here", "measured_here"]
    """Whose number the reference is."""
    label: str
    """Whose number the reference is, in words."""
    measured: float | None
    """What this server measured; null if the claim is about another model."""
    others: float | None
    """Of a token_weight: what the other queries give the same key on average, so how specific it is."""
    holds: bool | None
    """Whether the measured number fits the claim; null if it was not measured."""
    convention: str
    """What the source counts, so that both numbers mean the same."""
    source: str
    """Where it comes from."""


class ClaimsAnswer(TypedDict):
    """All claims; those about one model are measured."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""
    claims: list[ClaimAnswer]
    """In the order of their sources."""


class ClaimsRequest(TypedDict):
    """Which model to measure on."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""


class ComparedOut(TypedDict):
    """The same queries, keys and values with no positions, with RoPE, and with each head's ALiBi."""

    none: AttendedOut
    """Without positions."""
    rope: AttendedOut | None
    """Null where vectors have an odd size, which RoPE cannot pair."""
    alibi: list[AttendedOut]
    """One for each head."""


class ComparisonAnswer(TypedDict):
    """All heads, those that moved most first."""

    heads: list[HeadChange]
    """Each head with its numbers in both atlases."""
    measures: list[MeasureAnswer]
    """Those that both atlases have."""


class ComposedPairAnswer(TypedDict):
    """A head that writes, and a head of a later layer that reads it."""

    by: Literal["query", "key", "value"]
    """Whether it enters the queries, the keys or the values."""
    layer: int
    """Index of the layer, from 0."""
    head: int
    """The head that writes."""
    reading_layer: int
    """Index of its layer."""
    reading_head: int
    """Index of the head that reads."""
    score: float
    """The number by which these are sorted."""


class CompositionAnswer(TypedDict):
    """Composition scores of all pairs of heads of different layers."""

    layers: int
    """Number of layers."""
    heads: int
    """Number of query heads in each layer."""
    query: list[list[float | Literal["-Infinity", "Infinity"]]] | EncodedArray
    """[writing][reading] Q-composition; 0 where the head that reads is not in a later layer, likewise
    below.
    """
    key: list[list[float | Literal["-Infinity", "Infinity"]]] | EncodedArray
    """[writing][reading]"""
    value: list[list[float | Literal["-Infinity", "Infinity"]]] | EncodedArray
    """[writing][reading]"""
    random_mean: float
    """Mean score of random matrices of the same shapes (independent normal numbers): compare each score
    with it.
    """
    random_deviation: float
    """Their standard deviation."""
    strongest: list[ComposedPairAnswer]
    """The largest scores of each kind."""
    copying: list[list[float]]
    """[layers][heads] The copying score of each head."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""


class CompositionOut(TypedDict):
    """R_mᵀR_n and R_{n−m}."""

    product: list[list[float]]
    """[rotary_dim][rotary_dim]"""
    difference_rotation: list[list[float]]
    """[rotary_dim][rotary_dim]"""
    largest_difference: float
    """Largest absolute difference; 0 up to rounding."""


class ConcentrationAnswer(TypedDict):
    """One point for each size."""

    points: list[ConcentrationPoint]
    """One for each size."""


class ConcentrationPoint(TypedDict):
    """Lengths and angles at one size."""

    d: int
    """Size of the vectors."""
    raw: LengthsAnswer
    """Of x from N(0, 1)."""
    expected_mean: float
    """`√2 Γ((d+1)/2) / Γ(d/2)`, about √(d − ½)."""
    expected_relative_spread: float
    """About `1/√(2d)`."""
    layer_norm: LengthsAnswer
    """Of LayerNorm(x): √d, apart from ε."""
    layer_norm_gain: LengthsAnswer
    """With a gain for each dimension from N(1, gain²), as after training."""
    projected: LengthsAnswer
    """Of W_q LayerNorm(x), a fresh layer without bias: what attention actually compares."""
    cosine_standard_deviation: float
    """Of the angle between two independent x."""
    expected_cosine_standard_deviation: float
    """`1/√d`"""


class ConcentrationRequest(TypedDict):
    """The sizes to compare."""

    dims: NotRequired[list[int]]
    """Sizes of the vectors, each compared with the others."""
    samples: NotRequired[int]
    """How many random vectors or pairs are drawn."""
    gain: NotRequired[float]
    """Standard deviation of a learned gain around 1."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""


class ConfigAnswer(TypedDict):
    """The decoder's configuration."""

    form: Literal["modern", "llama", "gpt2", "nanochat_2025", "nanochat_2026"]
    """Which family the decoder is built like."""
    vocab_size: int
    """Number of tokens in the vocabulary."""
    d_model: int
    """Size of the residual stream."""
    num_layers: int
    """Number of layers."""
    num_heads: int
    """Number of query heads."""
    num_kv_heads: int
    """Number of heads of keys and values."""
    hidden_dim: int
    """Size of the feed-forward layer."""
    positions: Literal["learned", "sinusoidal", "rope", "alibi", "none"]
    """How the model knows where a token is."""
    norm: str
    """Kind of norm."""
    feed_forward: str | None
    """Activation of the feed-forward layer."""
    bias: bool
    """Whether projections have biases."""
    qk_norm: str | None
    """Norm of queries and keys before they are multiplied; null for the form's own."""
    qk_norm_before_rope: bool
    """Whether that norm is applied before the rotation."""
    qk_gain: float
    """Factor of queries and keys each before they are multiplied: scores grow by its square."""
    embedding_norm: bool
    """Whether the embeddings are normalised before the first block."""
    window_pattern: str | None
    """S (short) or L (all) for each block, repeated over the blocks, the last always L; null: all."""
    logit_cap: float | None
    """Logits are cap · tanh(logits / cap); null: as they are."""
    tied_embeddings: bool
    """Whether the output projection is the embedding table."""


class ContextAnswer(TypedDict):
    """The words compared."""

    states: list[str]
    """`table` (the rows of the token table), `embeddings` (with position, the input of the first layer),
    and `layer_0` …; the last is the model's output, after its last norm if it has one.
    """
    cosines: list[list[list[float]]]
    """[states][texts][texts] Of the words' vectors."""
    baseline: list[float] | None
    """[states] Mean cosine of two different tokens of two different texts, without the words and special
    tokens; null where there are none.
    """
    same_tokens: list[list[bool]]
    """[texts][texts] Whether the word consists of the same tokens in both."""
    words: list[WordAnswer]
    """The words, in their order."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""


class ContextRequest(TypedDict):
    """Two to six texts for one model."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""
    texts: list[WordIn]
    """The texts, each with the word in it."""
    encoding: NotRequired[Literal["base64", "json"]]
    """Of `reads`."""


class CorpusAnswer(TypedDict):
    """A corpus that can be scanned, or why it cannot."""

    id: str
    """What requests name it by."""
    name: str
    """Its short name."""
    state: Literal["preparing", "ready", "failed"]
    """preparing: it is being read."""
    reason: str | None
    """Why it cannot be scanned."""
    documents: int | None
    """Null before it has been read."""
    characters: int | None
    """Null before it has been read."""
    has_relations: bool
    """Whether it has dependency relations."""
    has_upos: bool
    """Whether it has parts of speech."""
    uploaded: bool
    """Whether it was uploaded."""
    yours: bool
    """Whether you have uploaded it: then only you can delete it."""
    deletable: bool
    """Whether you can delete it."""
    skipped: SkippedLinesAnswer
    """Lines that could not be read."""


class CorpusList(TypedDict):
    """Every corpus."""

    corpora: list[CorpusAnswer]
    """Those that can be scanned."""


class CorpusWindowAnswer(TypedDict):
    """A piece of a document that the model was given."""

    document: str
    """The document's id."""
    text: str
    """As it is written."""
    tokens: list[WindowTokenAnswer]
    """Of each: text, start and end (characters of the window's text), special (the tokenizer added it),
    and, but in atlases of the first format, token (as the vocabulary spells it) and word (a number;
    null for special tokens). Mappings rather than objects: there may be tens of thousands in one
    answer.
    """


class CutEdges(TypedDict):
    """Weights from a query to a key become 0; null stands for every query, or for every key."""

    part: NotRequired[Literal["encoder", "decoder", "cross"] | None]
    """By default the model's first."""
    layer: int | Literal["all"]
    """Counted from 0."""
    heads: list[int] | Literal["all"]
    """Query heads, counted from 0."""
    kind: Literal["cut_edges"]
    """Which of the alternatives it is."""
    edges: list[list[int | None]]
    """Pairs of a query and a key; null for all."""
    renormalise: NotRequired[bool]
    """Whether the rest of the row grows to sum to 1 again."""


class DamagedAtlasAnswer(TypedDict):
    """A folder that cannot be read as an atlas."""

    id: str
    """What requests name it by."""
    reason: str
    """Why it is left out or cannot be used; null if it can."""
    deletable: bool
    """Whether you can delete it."""


class DecoderAnswer(TypedDict):
    """A forward pass through the whole model. Rows are tokens."""

    config: ConfigAnswer
    """The settings, with those that were left out."""
    parameters: dict[str, Any]
    """Numbers of learned parameters."""
    vocabulary: list[str]
    """The token of each id."""
    ids: list[int]
    """Numbers of tokens in the vocabulary."""
    token_embeddings: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[token][d_model] Rows of the embedding table."""
    position_embeddings: list[list[float | Literal["-Infinity", "Infinity"]]] | None
    """Learned or sinusoidal positions; null where they enter in the attention."""
    embeddings: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[token][d_model] What the first block gets: token embeddings, and positions where they are added."""
    blocks: list[DecoderBlockAnswer]
    """From the first block to the last."""
    final_normed: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[token][d_model] After the last norm, before the output projection."""
    logits: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[token][vocabulary]"""
    probabilities: list[list[float | Literal["-Infinity", "Infinity"]]]
    """Of the next token, at each position."""
    generated: list[int]
    """The most probable token, repeatedly appended."""
    kv_cache_bytes_per_token: int
    """Bytes that a generated token adds to the cache of keys and values."""
    cached_difference: float
    """Largest, between the logits and those computed token by token with a KV cache."""
    fused_difference: float
    """Largest, between the logits and those computed without a trace."""


class DecoderBlockAnswer(TypedDict):
    """One block. Stages [token][…], in the order of computation."""

    inputs: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[token][d_model] The vectors that go in."""
    attention_normed: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[token][d_model] The block's input after its first norm."""
    value_embedding: list[list[list[float | Literal["-Infinity", "Infinity"]]]] | None
    """[key/value head][token]: the token's row of the block's table of values; null if it has none."""
    value_gate: list[list[float | Literal["-Infinity", "Infinity"]]] | None
    """[key/value head][token]: between 0 and 3, the factor of that row before it is added to the value."""
    window: int | None
    """Keys that a query sees, its own included; null: all up to its own."""
    attention: dict[str, Any]
    """By name: every step between projection and scores, and every stage of the attention. Keys and values
    under `_by_head`, `_turned`, `_normed`, `_sharpened`, `_added` are those of the KV heads.
    """
    attention_steps: list[DecoderStepAnswer]
    """In the order of computation."""
    entropy: list[list[float]]
    """[head][query] of the weights, in nats."""
    attention_output: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[token][d_model] What attention adds to the residual stream."""
    after_attention: list[list[float | Literal["-Infinity", "Infinity"]]]
    """inputs + attention_output"""
    feed_forward_normed: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[token][d_model] What the feed-forward layer gets."""
    feed_forward_hidden: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[token][hidden_dim] After the activation."""
    feed_forward_output: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[token][d_model] What the feed-forward layer adds to the stream."""
    outputs: list[list[float | Literal["-Infinity", "Infinity"]]]
    """after_attention + feed_forward_output"""


class DecoderRequest(TypedDict):
    """The decoder, and its input: words, numbered by first appearance, or ids."""

    form: NotRequired[Literal["modern", "llama", "gpt2", "nanochat_2025", "nanochat_2026"]]
    """modern: bias-free, GQA, RoPE, QK-norm, KV cache; or llama, gpt2; nanochat_2025, and nanochat_2026
    with value embeddings, windows and sharper scores.
    """
    tokens: NotRequired[list[str] | None]
    """The tokens, in their order."""
    ids: NotRequired[list[int] | None]
    """Numbers of tokens in the vocabulary."""
    vocab_size: NotRequired[int | None]
    """The number of distinct tokens unless given."""
    d_model: NotRequired[int]
    """Size of the residual stream."""
    num_layers: NotRequired[int]
    """Number of layers."""
    num_heads: NotRequired[int]
    """Number of query heads."""
    num_kv_heads: NotRequired[int | None]
    """Unless given, num_heads in llama and gpt2; else 2 if that divides num_heads."""
    hidden_dim: NotRequired[int | None]
    """4 · d_model unless given."""
    positions: NotRequired[Literal["learned", "sinusoidal", "rope", "alibi", "none"] | None]
    """The form's unless given, like the next three."""
    qk_norm: NotRequired[Literal["rms", "l2", "none"] | None]
    """Norm of queries and keys before they are multiplied; null for the form's own."""
    qk_norm_before_rope: NotRequired[bool | None]
    """Whether that norm is applied before the rotation."""
    feed_forward: NotRequired[Literal["gelu", "swiglu", "relu_squared"] | None]
    """Activation of the feed-forward layer."""
    init_std: NotRequired[float]
    """Of the random weights; training starts at 0.02, where attention is almost uniform."""
    generate: NotRequired[int]
    """Number of most probable tokens to append."""
    precision: NotRequired[Literal["float64", "float32", "float16", "bfloat16"]]
    """Number format of the computation."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""


class DecoderStepAnswer(TypedDict):
    """One intermediate tensor of a block's attention, with the batch axis."""

    name: str
    """Its short name."""
    operation: str
    """How it is computed from those before it."""
    axes: list[str]
    """Name of each axis."""
    shape: list[int]
    """Its sizes, axis by axis; null where the numbers are nested lists."""


class DifferenceAnswer(TypedDict):
    """other − this: a window of one head, and a summary of the whole part."""

    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    largest: list[list[float]]
    """[layers][heads] The largest |change| of any weight."""
    predictions: list[PredictionChange]
    """At the positions that both predict."""
    other: str
    """What it is compared with."""
    layer: int
    """Index of the layer, from 0."""
    head: int
    """Index of the head, from 0."""
    other_layer: int
    """Of the head that is subtracted from."""
    other_head: int
    """Index of the head it is compared with."""
    stage: str
    """Which stage of the computation: raw, scaled or masked scores, weights, or weights times values."""
    rows: list[int]
    """Queries from, and up to without."""
    cols: list[int]
    """Keys from, and up to without."""
    shape: list[int]
    """Its sizes, axis by axis; null where the numbers are nested lists."""
    pooled: bool
    """Whether a cell covers several tokens."""
    encoding: Literal["base64", "json"]
    """How the numbers are written: nested lists (`json`), or their bytes (`base64`)."""
    matrix: EncodedArray | list[list[float | Literal["-Infinity", "Infinity"]]]
    """"-Infinity" where either is masked."""


class DirectEffectAnswer(TypedDict):
    """The contributions to one logit, or to the difference of two; together they are ``total``."""

    position: int
    """Index of the token, from 0."""
    token_id: int
    """Number of the token in the vocabulary."""
    token_text: str
    """Text of the token."""
    against_id: int | None
    """The token whose logit is subtracted."""
    against_text: str | None
    """Text of the token that is subtracted; null if none is."""
    heads: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[layers][heads]"""
    attention_bias: list[float]
    """[layers] Of the output projections' biases, which belong to no head."""
    feed_forward: list[float]
    """[layers]"""
    embedding: float
    """What the token's own embedding contributes."""
    constant: float
    """Share of the biases of the last norm and the output matrix."""
    total: float
    """The sum of all shares."""
    logit: float
    """The model's own, before its cap; `total` apart from rounding."""
    cap: float | None
    """The model's logits are `cap · tanh(logit / cap)`, and come no further from 0; null for most models."""
    norms_written: bool
    """Whether what heads and feed-forward layers write is normed before it is added: that scale is held
    fixed, too.
    """


class DistributionAnswer(TypedDict):
    """Statistics of the unmasked cells."""

    edges: list[float]
    """[edges] Of the bins, equally spaced from minimum to maximum."""
    counts: list[int]
    """[bins]"""
    mean: float
    """Arithmetic mean."""
    standard_deviation: float
    """Standard deviation."""
    minimum: float
    """The smallest number."""
    maximum: float
    """The largest number."""
    masked: int
    """Cells that the mask hides, in any stage."""
    row_entropy: list[float]
    """[queries] Of each query's weights, in nats."""


class DrawnReachAnswer(TypedDict):
    """What the masks allow and what is measured after each layer. Rows are queries, columns are keys."""

    masks: list[list[list[bool]]]
    """[layers][queries][keys] True where the layer's attention may read."""
    weights: list[list[list[float]]]
    """[layers][queries][keys] Of the layer's attention, for the unchanged tokens; a row in which
    everything is masked is 0.
    """
    allowed: list[list[list[bool]]]
    """[layers][queries][keys] What the masks of the layers so far let through: the boolean product of
    (mask + I).
    """
    intended: list[list[list[bool]]]
    """[layers][queries][keys] The same of the mask that was intended."""
    mixed: list[list[bool]]
    """[queries][keys] What one layer lets through beside attention; the identity where there is only
    attention.
    """
    change: list[list[list[float]]]
    """[layers][queries][keys] The largest change of a number of the query's state after the layer, once
    the key's token is another.
    """
    reached: list[list[list[bool]]]
    """[layers][queries][keys] Where the state is not bit for bit the same."""
    leaks: list[list[list[bool]]]
    """[layers][queries][keys] Reached, and not intended."""
    mixing: Literal["none", "causal_convolution", "convolution", "norm_over_time"]
    """What passed between positions after the attention of every layer."""


class Effort(TypedDict):
    """What a text of n words takes (compare Vaswani et al. 2017, table 1)."""

    recurrent_steps: int
    """Steps that wait for one another: one a word. An average and attention have one for the whole text."""
    recurrent_path: int
    """Steps between the wanted word and the asking one; in attention, and in an average, 1 at any
    distance.
    """
    compared_pairs: int
    """Scores that attention computes: n²."""


class EmbeddingAnswer(TypedDict):
    """Each token's row, and the rows closest to it."""

    tokens: list[Token]
    """The tokens, in their order."""
    ids_shape: list[int]
    """[1, n]: the input."""
    vectors_shape: list[int]
    """[1, n, d]: the output."""
    table_shape: list[int]
    """[vocabulary, d]"""
    vectors: list[list[float | Literal["-Infinity", "Infinity"]]] | EncodedArray
    """[tokens][d]"""
    norms: list[float]
    """[tokens]"""
    distinct: list[int]
    """[tokens] Number of different values in each vector."""
    similarity: list[list[float | Literal["-Infinity", "Infinity"]]] | EncodedArray
    """[tokens][tokens] Cosines between the tokens' vectors."""
    neighbours: list[list[NeighbourAnswer]]
    """For each token the rows of highest cosine except its own, nearest first."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""


class EmbeddingChange(TypedDict):
    """The embedding of the input, the mean of its last hidden states, in both analyses."""

    length: float
    """‖e‖ in the first."""
    other_length: float
    """‖e‖ in the other."""
    cosine: float
    """Between the two: 1 where only the length changes, or nothing."""


class EmbeddingRequest(TypedDict):
    """A text, or ids, for the table of a loaded model."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""
    text: NotRequired[str | None]
    """As it is written."""
    ids: NotRequired[list[int] | None]
    """Instead of a text."""
    neighbours: NotRequired[int]
    """Number of neighbours of each token."""
    encoding: NotRequired[Literal["base64", "json"]]
    """Of vectors and similarity."""


class EncodedArray(TypedDict):
    """An array as raw bytes, in the typed-array form that plotly.js reads."""

    dtype: Literal["f4", "f2", "u1"]
    """f4, f2: little-endian floats; u1: 0…255 stand for 0…1."""
    shape: str
    """Sizes separated by commas, the last axis fastest."""
    bdata: str
    """The bytes in base64."""


class ErrorDetail(TypedDict):
    """What went wrong."""

    code: str
    """For programs: stable, in snake_case."""
    message: str
    """For people."""
    field: NotRequired[str | None]
    """Dotted path of the wrong part of the request."""
    limit: NotRequired[int | float | None]
    """The bound that was broken."""


class ErrorResponse(TypedDict):
    """The body of every answer that is not a success."""

    error: ErrorDetail
    """What went wrong."""


class ExpectedTokenAnswer(TypedDict):
    """A token of the vocabulary that is expected next."""

    id: int
    """What requests name it by."""
    text: str
    """With its spaces."""


class Figure(TypedDict):
    """A figure for ``plotly.graph_objects.Figure(data, layout)`` or ``Plotly.newPlot(place, figure)``.

    Arrays are in Plotly's typed form, ``{dtype, bdata, shape}``, or lists of numbers.
    """

    data: list[dict[str, Any]]
    """Traces."""
    layout: dict[str, Any]
    """The layout of a Plotly figure: axes, margins, colours."""


class Film(TypedDict):
    """The pictures of a film in their order; all are made as wide as the widest and as high as the
    highest.
    """

    title: NotRequired[str]
    """A comment in the file, which no player shows."""
    shots: list[Shot]
    """In the order of the film."""
    seconds: NotRequired[float]
    """How long each is shown."""


class FlowAnswer(TypedDict):
    """From one token after ``layer`` to each input token of the first layer."""

    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    layer: int
    """Index of the layer, from 0."""
    query: int
    """Index of the query, from 0."""
    flows: list[float]
    """[tokens] Each from 0 to 1."""


class FlowEdge(TypedDict):
    """One part of a node's sum."""

    kind: Literal["residual", "head", "feed_forward"]
    """The stream itself, an attention head, or the feed-forward layer."""
    layer: int
    """Index of the layer, from 0."""
    head: int | None
    """Index of the head, from 0."""
    source: int
    """Index of the node it comes from, one station below."""
    target: int
    """Index of the node it is a part of."""
    importance: float
    """Its share of the target: the importances of all its parts, biases included, add up to 1."""
    strength: float
    """The largest threshold at which the graph has this edge."""


class FlowNodeAnswer(TypedDict):
    """The residual stream at one token."""

    layer: int
    """The layer after which, or in the middle of which; −1 is the embedding, before the first."""
    station: Literal["embedding", "after_attention", "after_feed_forward", "after_block"]
    """Before attention, after it, or after the feed-forward layer."""
    position: int
    """Index of the token, from 0."""
    strength: float
    """The largest threshold at which the graph has this node."""
    bias: float
    """Importance of the biases, which come from no node."""
    candidates: list[Candidate]
    """What a decoder, or a classifier of images, would predict from here, most probable first (logit
    lens); empty for other models.
    """


class FoundAnswer(TypedDict):
    """A query of the corpus, and its strongest key."""

    similarity: float
    """Cosine of the angle between both vectors; for all three, the mean."""
    window: int
    """Index of the window: a piece of a document."""
    query: int
    """Index of the query, from 0."""
    key: int
    """Index of the key, from 0."""
    weight: float
    """How much the query attends to the key, 0 to 1."""


class FoundModel(TypedDict):
    """One model that a search of the Hugging Face Hub has found. Null: the hub does not say."""

    id: str
    """What requests name it by."""
    architecture: str | None
    """Name of the architecture in the library transformers; null if unknown."""
    parameters: int | None
    """Number of its parameters; null if the hub does not say."""
    licence: str | None
    """As its authors declare it; null if they do not."""
    downloads: int | None
    """In the last month."""
    gated: bool
    """Only for people who have accepted its terms; such models are not fetched."""
    support: Literal["carried", "weights_only", "refused"] | None
    """What can be shown, as far as the architecture tells."""
    support_reason: str | None
    """Why it is not carried."""


class GrowthAnswer(TypedDict):
    """One point for each d_k."""

    points: list[GrowthPoint]
    """One for each size."""


class GrowthPoint(TypedDict):
    """Means at one d_k, without and with ÷√d_k."""

    d_k: int
    """Size of a query and of a key."""
    entropy: float
    """Entropy of the weights of a row, in nats; the mean of many rows."""
    scaled_entropy: float
    """Mean entropy with ÷√d_k, in nats."""
    gradient_norm: float
    """Mean norm of softmax's Jacobian: how much of a gradient passes."""
    scaled_gradient_norm: float
    """Mean norm of softmax's Jacobian with ÷√d_k."""
    largest_weight: float
    """Mean of the largest weight of a row."""
    scaled_largest_weight: float
    """Mean of the largest weight with ÷√d_k."""


class GrowthRequest(TypedDict):
    """The sizes, and how many random rows of scores are averaged at each."""

    d_k: NotRequired[list[int]]
    """Sizes of queries and keys."""
    num_keys: NotRequired[int]
    """Number of keys."""
    trials: NotRequired[int]
    """How many random rows are averaged."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""


class GuessAnswer(TypedDict):
    """A candidate for the next token."""

    id: int
    """What requests name it by."""
    probability: float
    """Its probability, 0 to 1."""
    text: str
    """As it is written."""


class HeadChange(TypedDict):
    """One head in both atlases."""

    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    layer: int
    """Index of the layer, from 0."""
    head: int
    """Index of the head, from 0."""
    moved: float
    """Root mean square over the measures of (b − a) / σ, with σ over all heads of both."""
    changes: dict[str, Any]
    """By measure: its value in the first atlas and in the other."""


class HeadCountAnswer(TypedDict):
    """One number of heads. Rows are queries, columns are keys."""

    num_heads: int
    """Number of query heads."""
    head_dim: int
    """Size of one head's queries and keys."""
    parameters: int
    """Of W_Q, W_K, W_V, W_O without biases: the same for every number of heads."""
    raw_scores: list[list[list[float]]]
    """[heads][queries][keys] Their sum over the heads is the same for every number of heads."""
    scaled_scores: list[list[list[float]]]
    """[heads][queries][keys]"""
    weights: list[list[list[float]]]
    """[heads][queries][keys]"""
    entropy: list[list[float]]
    """[heads][queries] In nats."""
    most_read: list[list[int]]
    """[heads][queries] The key with the largest weight, the first of equals."""


class HeadCountsAnswer(TypedDict):
    """One entry for each number of heads, in the order asked for."""

    counts: list[HeadCountAnswer]
    """One count for each bin."""
    x: list[list[float]]
    """[tokens][d_model]"""
    query_weight: list[list[float]]
    """[d_model][d_model]"""
    key_weight: list[list[float]]
    """[d_model][d_model]"""
    asker: int | None
    """The token of the example that asks."""
    answerers: list[int] | None
    """The token that answers each question."""
    largest_difference: float
    """Between the sums of raw scores over the heads: only rounding."""


class HeadCountsRequest(TypedDict):
    """The same W_Q and W_K split into each number of heads.

    Unless vectors or d_model are given, the example is a token that asks several questions, each
    answered by another.
    """

    head_counts: NotRequired[list[int]]
    """Numbers of heads that the same projections are split into."""
    num_questions: NotRequired[int]
    """Number of questions that the heads are asked."""
    head_dim: NotRequired[int]
    """Numbers for each question."""
    sharpness: NotRequired[float]
    """Query sharpness: how far the answer scores above other keys."""
    fillers: NotRequired[int]
    """Tokens that answer no question."""
    vectors: NotRequired[list[list[float]] | None]
    """With random W_Q and W_K, instead of the example."""
    d_model: NotRequired[int | None]
    """With random vectors too."""
    seq_len: NotRequired[int]
    """Number of random vectors."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""


class HeadExample(TypedDict):
    """One query and its strongest key."""

    kind: str
    """strongest, or decile: a random one of those whose weight lies in this tenth."""
    decile: int | None
    """0: the tenth of the queries whose strongest weight is lowest."""
    without_sinks: bool
    """Whether first tokens and separators were left out as keys."""
    rank: int
    """Its place among the strongest, from 0."""
    window: int
    """Index of the window: a piece of a document."""
    query: int
    """Index of the query, from 0."""
    key: int
    """Index of the key, from 0."""
    weight: float
    """How much the query attends to the key, 0 to 1."""


class HeadMap(TypedDict):
    """A plane in which heads that attend to the same tokens lie near each other (Clark et al. 2019, figure
    6).
    """

    x: list[float | None]
    """The horizontal place of each head; null where there is too little of it."""
    y: list[float | None]
    """The vertical place of each head; null where there is too little of it."""
    cluster: list[int | None]
    """Heads of one cluster have the same number."""
    stress: float | None
    """How far distances in the plane are from divergences (Kruskal's stress-1): 0 if none is distorted."""


class HeadOff(TypedDict):
    """The heads' output becomes 0, or its mean over all queries of the text. Their weights stay as they
    were.
    """

    part: NotRequired[Literal["encoder", "decoder", "cross"] | None]
    """By default the model's first."""
    layer: int | Literal["all"]
    """Counted from 0."""
    heads: list[int] | Literal["all"]
    """Query heads, counted from 0."""
    kind: Literal["head_off"]
    """Which of the alternatives it is."""
    mode: NotRequired[Literal["zero", "mean"]]
    """What takes the place of the output."""


class HeadRelation(TypedDict):
    """How often the head's strongest word is the right one in a dependency relation."""

    relation: str
    """Name of the relation in Universal Dependencies."""
    direction: str
    """dependent_to_head or head_to_dependent."""
    count: int
    """How many there are."""
    accuracy: float | None
    """Share of the pairs in which the head's strongest word is the right one, 0 to 1; null without pairs."""
    baseline_offset: int | None
    """The fixed offset in words that is right most often."""
    baseline_accuracy: float | None
    """The same of the best fixed distance between the two words."""


class HeadRolesAnswer(TypedDict):
    """The roles of all heads of a model."""

    sentences: int
    """Number of sentences it was measured on."""
    tokens: int
    """The tokens, in their order."""
    layers: int
    """Number of layers."""
    heads: int
    """Number of query heads in each layer."""
    causal: bool
    """Whether tokens attend only to earlier ones: then relations whose right word comes later cannot be
    found.
    """
    values: dict[str, Any]
    """By role, the mean weight of each head."""
    standing_out: dict[str, Any]
    """By role, the heads that give it over half of their attention, the strongest first."""
    relations: list[RelationRoleAnswer]
    """Those first whose best head is furthest above the best fixed offset."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""
    stands_out: float
    """A head stands out in a role above this weight."""
    margin: float
    """A head stands out in a relation from so much above the best fixed offset."""


class HeadRolesRequest(TypedDict):
    """Which model to measure, and on how many sentences."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""
    sentences: NotRequired[int]
    """Of the probe corpus; one half chooses, the other measures."""


class HeadScoresAnswer(TypedDict):
    """The scores of one model, for any text."""

    period: int
    """Different random tokens before they are repeated."""
    sequences: int
    """Number of random sequences it was measured on."""
    seed: int
    """Number that determines everything random: the same number, the same answer."""
    parts: list[PartScoresAnswer]
    """Each attention of the model, with what belongs to it."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""
    score_info: dict[str, Any]
    """By score, its title, definition, source and unit."""


class HeadsAnswer(TypedDict):
    """All heads. Every list has one number a head, in the order of `part`, `layer` and `head`."""

    part: list[str]
    """By head, which attention of the model it is in."""
    layer: list[int]
    """By head, the index of its layer."""
    head: list[int]
    """By head, its index in its layer."""
    values: dict[str, Any]
    """By measure; null where it is undefined."""
    map: HeadMap
    """A place for each head, similar heads near each other."""
    relations: list[RelationByHead]
    """Those that the corpus has enough pairs of."""
    facts: AtlasFactsAnswer
    """What was scanned, and how."""
    measures: list[MeasureAnswer]
    """What can be measured, by what it is called."""


class Health(TypedDict):
    """Alive."""

    status: NotRequired[Literal["ok"]]
    """That it answers."""


class HiddenLayer(TypedDict):
    """The weights of additive attention: `score = combine · tanh(query_weight q + key_weight k + bias)`."""

    query_weight: list[list[float]]
    """[hidden][d_k] Weights of the queries."""
    key_weight: list[list[float]]
    """[hidden][d_k] Weights of the keys."""
    combine: list[float]
    """[hidden] What the hidden layer's numbers are weighted with."""
    bias: NotRequired[list[float] | None]
    """Numbers added after the product; null if none are."""


class InformationFlowAnswer(TypedDict):
    """The graph of what made the residual stream after the last block at one token."""

    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    position: int
    """Index of the token, from 0."""
    floor: float
    """From this threshold upwards the graph is complete."""
    nodes: list[FlowNodeAnswer]
    """The output first, then downwards, strongest first within a station."""
    edges: list[FlowEdge]
    """Strongest first: those of a higher threshold are the beginning of the list."""
    largest_error: float
    """`‖y − Σ parts‖₁ / ‖y‖₁` of the node at which the parts add up least exactly."""
    max_edges: int
    """The most edges in an answer; of more, the strongest are there."""
    max_tokens: int
    """The most tokens that may reach the output."""


class InitialisationAnswer(TypedDict):
    """One entry for each size, in the order asked for."""

    layers: list[InitialisationLayer]
    """Number of layers."""


class InitialisationLayer(TypedDict):
    """One layer's weights and biases compared with their distribution."""

    in_features: int
    """Size of an input vector."""
    bound: float
    """`1/√in = √(6/((1 + a²)·in))` with a = √5; the weights are uniform in ±bound."""
    expected_standard_deviation: float
    """`bound/√3`"""
    weights: SummaryAnswer
    """Its histogram spans ±bound."""
    biases: SummaryAnswer
    """Of as many numbers as there are outputs, initialised in the same range."""


class InitialisationRequest(TypedDict):
    """Fresh layers of several input sizes."""

    sizes: NotRequired[list[int]]
    """in_features."""
    out_features: NotRequired[int]
    """Size of an output vector."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""
    bins: NotRequired[int]
    """Number of bins of the histogram."""


class KVCacheAnswer(TypedDict):
    """As configured, and with a key/value head for each query head (MHA) or one for all (MQA)."""

    kv_heads: int
    """Number of heads of keys and values; fewer than query heads where those share them."""
    bytes_per_token: int
    """Of one token of one sequence, all layers."""
    bytes_per_layer: int
    """Of all tokens of the batch in one layer."""
    bytes_total: int
    """Bytes of the whole cache."""
    times_smaller_than_mha: float
    """Bytes with a head of keys and values for each query head, divided by these."""
    preset: str | None
    """Name of a published configuration; null if none was named."""
    title: str | None
    """Its name, for people."""
    source: str | None
    """Of the preset's sizes."""
    layers: int
    """Number of layers."""
    heads: int
    """Number of query heads in each layer."""
    head_dim: int
    """Size of one head's queries and keys."""
    batch: int
    """Number of sequences in the batch."""
    seq_len: int
    """Number of tokens."""
    bytes_per_value: int
    """Bytes of one number: 2 for half precision."""
    numbers_per_token_and_layer: int
    """2 · kv_heads · head_dim: keys and values."""
    mha: SizeAnswer
    """With a head of keys and values for each query head."""
    mqa: SizeAnswer
    """With one head of keys and values for all query heads."""
    kv_head_of_query_head: list[int]
    """[heads]"""


class KVCacheRequest(TypedDict):
    """A configuration, or the name of a published model."""

    preset: NotRequired[Literal["gpt2", "llama-2-7b", "llama-2-70b", "llama-3-8b", "mistral-7b", "gemma-2b"] | None]
    """One of GET /api/kv_cache/presets."""
    layers: NotRequired[int | None]
    """Must be left out with a preset, like the next three."""
    kv_heads: NotRequired[int | None]
    """Key/value heads."""
    head_dim: NotRequired[int | None]
    """Size of one head's queries and keys."""
    heads: NotRequired[int | None]
    """Query heads, for the comparison with MHA; kv_heads unless given."""
    batch: NotRequired[int]
    """Number of sequences in the batch."""
    seq_len: NotRequired[int]
    """Number of tokens."""
    bytes_per_value: NotRequired[int]
    """4: float32; 2: float16, bfloat16; 1: 8-bit."""


class KernelAnswer(TypedDict):
    """The same values weighted in three ways."""

    squared_distances: list[list[float]]
    """[queries][keys]"""
    rbf: ReadingAnswer
    """Weights of the RBF kernel."""
    polynomial: ReadingAnswer
    """Weights of the polynomial kernel."""
    attention: AttentionAnswer
    """Every stage by its name."""
    points: list[list[float]]
    """[point][2] Where the kernels are asked."""
    keys: list[list[float]]
    """[key][2] Where the keys are."""
    values: list[list[float]]
    """One vector for each key, averaged with the weights."""
    gamma: float
    """Width of the RBF kernel: exp(−γ‖x − y‖²)."""


class KernelRequest(TypedDict):
    """Queries, keys and values as points, and the three ways of weighting them."""

    points: NotRequired[list[list[float]] | None]
    """Queries × size. Random, from N(0, 1), unless given."""
    keys: NotRequired[list[list[float]] | None]
    """Keys × size. The points unless given."""
    values: NotRequired[list[list[float]] | None]
    """Keys × any size. The keys unless given."""
    num_points: NotRequired[int]
    """Number of random points."""
    size: NotRequired[int]
    """Dimension of random points."""
    query_weight: NotRequired[list[list[float]] | None]
    """Any number of rows × size; the identity unless given."""
    key_weight: NotRequired[list[list[float]] | None]
    """As many rows as query_weight; the identity unless given."""
    gamma: NotRequired[float | None]
    """RBF: exp(−γ‖x − y‖²). 0.5 unless a bandwidth is given."""
    bandwidth: NotRequired[float | None]
    """RBF: γ = 1/(2h²)."""
    degree: NotRequired[int]
    """Polynomial: (x·y + c)^p."""
    constant: NotRequired[float]
    """Polynomial: c."""
    scale: NotRequired[float | None]
    """Attention: 1/√d unless given."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""


class KnownModel(TypedDict):
    """Whether the projections of one architecture's attention have a bias, in its default configuration."""

    architecture: str
    """Name of the architecture in the library transformers; null if unknown."""
    library_class: str
    """The class in the library transformers that was looked at."""
    query: bool
    """Whether the queries' projection has a bias."""
    key: bool
    """Whether the keys' projection has a bias."""
    value: bool
    """Whether the values' projection has a bias."""
    output: bool
    """Whether the output projection has a bias."""
    fused: bool
    """One matrix makes query, key and value."""
    source: str
    """The class that was inspected, and the library's version."""


class KnownModels(TypedDict):
    """As found in the library's own classes."""

    models: list[KnownModel]
    """In the order in which they are offered."""


class LargeModel(TypedDict):
    """A large model, of which only the biases are counted."""

    d_model: NotRequired[int]
    """Size of the residual stream."""
    layers: NotRequired[int]
    """Number of layers."""
    projections: NotRequired[int]
    """Query, key, value, output."""


class LeakAnswer(TypedDict):
    """The weight that leaks through one fill value in one precision."""

    precision: Literal["float64", "float32", "float16", "bfloat16"]
    """Number format of the computation."""
    fill: float | Literal["-Infinity", "Infinity"]
    """What masked scores are set to."""
    stored: float | Literal["-Infinity", "Infinity"]
    """The number as this precision holds it: −1e5 exceeds float16 and becomes −∞."""
    weights: list[Any]
    """[queries][keys]"""
    leaked: list[Any]
    """[queries] For each row: the share of its weight on masked keys; 0 if nothing leaks."""
    largest: float
    """Of `leaked`."""


class LengthsAnswer(TypedDict):
    """Of many random vectors."""

    mean: float
    """Arithmetic mean."""
    standard_deviation: float
    """Standard deviation."""
    relative_spread: float
    """Standard deviation / mean."""
    mean_by_root_d: float
    """Mean / √d."""


class LensStateAnswer(TypedDict):
    """What would be predicted if no layer followed."""

    layer: int
    """The layer after which the prediction is made; −1 is the embedding, before the first."""
    candidates: list[Candidate]
    """Most probable first."""
    entropy: float
    """Entropy of all probabilities, in nats."""
    probability: float
    """Probability of the token that is followed."""
    rank: int
    """Number of tokens that are more probable."""


class LinearAnswer(TypedDict):
    """``y = x Wᵀ + b``, twice."""

    inputs: list[Any]
    """[in]"""
    weight: list[list[float]]
    """[out][in]"""
    bias: list[float] | None
    """[out]"""
    terms: list[list[float]]
    """[out][in] `x_i W_oi` of the first input vector; each row adds up, with the bias, to one output."""
    by_hand: list[Any]
    """[out]"""
    outputs: list[Any]
    """[out] Of `torch.nn.Linear` with the same numbers."""
    largest_difference: float
    """Between `by_hand` and `outputs`."""
    parameters: Parameters
    """Numbers of learned parameters."""
    matches: bool
    """numpy.allclose of by_hand and outputs."""
    input_shape: list[int]
    """Shape of the inputs."""
    output_shape: list[int]
    """Shape of the outputs."""
    bound: float
    """1/√in: the numbers of a fresh layer are uniform in ±bound."""
    expected_standard_deviation: float
    """bound/√3"""


class LinearRequest(TypedDict):
    """One layer and its inputs, random or given."""

    in_features: NotRequired[int]
    """Size of an input vector."""
    out_features: NotRequired[int]
    """Size of an output vector."""
    bias: NotRequired[bool]
    """Whether a random layer has a bias."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""
    inputs: NotRequired[
        list[float] | list[list[float]] | list[list[list[float]]] | list[list[list[list[float]]]] | None
    ]
    """1 to 4 axes, the last of size in_features."""
    leading: NotRequired[list[int] | None]
    """Leading axes of random inputs, from N(0, 1), such as batch, heads, tokens."""
    weight: NotRequired[list[list[float]] | None]
    """(out, in). Its sizes replace in_features and out_features."""
    bias_values: NotRequired[list[float] | None]
    """The bias of a given weight."""


class ListedModel(TypedDict):
    """One line of the catalog, and whether the model is in memory."""

    id: str
    """What requests name it by."""
    title: str
    """Its name, for people."""
    architecture: str | None
    """The class of transformers."""
    kind: Literal["encoder", "decoder", "encoder_decoder"] | None
    """Which of the alternatives it is."""
    layers: int | None
    """Number of layers."""
    heads: int | None
    """Number of query heads in each layer."""
    kv_heads: int | None
    """Fewer than heads under grouped-query attention."""
    head_dim: int | None
    """Size of one head's queries and keys."""
    max_tokens: int | None
    """Its longest input; null where positions are unbounded."""
    max_target_tokens: NotRequired[int | None]
    """The longest input of its decoder beside an encoder; null for all other models."""
    positions: str | None
    """How it encodes positions: learned, rope, alibi, relative …"""
    source: str
    """directory, package, training (a network of the training page) or hub"""
    available: bool
    """Whether it can be used now; `reason` says why not."""
    reason: str | None
    """Why it is not available, and what to do."""
    reads: NotRequired[Literal["text", "image", "sound"]]
    """The input of an analysis."""
    mask_token: NotRequired[str | None]
    """Marks a token to be predicted in a text; null if there is none, or before the model is loaded."""
    parameters: NotRequired[int | None]
    """Numbers in its weight files."""
    size_bytes: NotRequired[int | None]
    """Bytes of its weight files."""
    licence: NotRequired[str | None]
    """As its model card names it."""
    support: NotRequired[Literal["carried", "weights_only", "refused"] | None]
    """What can be shown, by its configuration. carried: everything, our attention runs inside.
    weights_only: what its own attention returns. refused: nothing.
    """
    support_reason: NotRequired[str | None]
    """Why it is not carried."""
    has_chat_template: NotRequired[bool]
    """Whether a text may be given as a chat message."""
    takes_pairs: NotRequired[bool]
    """Whether a second text may follow the first; false once the model was tried and fails on it."""
    is_here: NotRequired[bool]
    """Whether its files are on this server."""
    caveats: NotRequired[list[str]]
    """What is to be said of its weights; empty before it is loaded."""
    base: NotRequired[str | None]
    """Of a LoRA adapter, the model that it is merged into; else null."""
    text_part_of: NotRequired[str | None]
    """The type of the model of images or sounds whose text part alone is shown; else null."""
    self_check: NotRequired[SelfCheck | None]
    """Done when a model is first loaded; null before."""
    purpose: NotRequired[str | None]
    """What a built-in model is good for, in one sentence; null for all other models."""
    loaded: NotRequired[bool]
    """In memory, so that an analysis starts at once."""
    loading: NotRequired[Literal["waiting", "fetching", "checking", "reading", "trying"] | None]
    """The stage of its loading; null if it is not being loaded."""


class LoadRequest(TypedDict):
    """Which model to load."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""


class Loading(TypedDict):
    """How far the loading of a model has come."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""
    state: Literal["waiting", "fetching", "checking", "reading", "trying", "idle", "ready", "failed"]
    """idle: not in memory and not asked for. waiting: for its turn. fetching: from the hub. checking:
    files. reading: weights into memory. trying: one token through the model. ready: in memory. failed:
    see message.
    """
    done_bytes: int
    """Fetched so far."""
    total_bytes: int
    """0 if unknown; grows while files are found on the hub."""
    message: NotRequired[str | None]
    """Why it failed."""


class LogitLensAnswer(TypedDict):
    """One position's prediction after each layer."""

    position: int
    """Index of the token, from 0."""
    token_id: int
    """The token that is followed through the layers."""
    token_text: str
    """Text of the token."""
    states: list[LensStateAnswer]
    """From the embedding to the last layer."""


class MaskOptions(TypedDict):
    """A mask by its kind and what that kind needs. Queries fewer than keys are the last positions of the
    keys.
    """

    kind: Literal["none", "causal", "padding", "sliding_window", "prefix", "custom"]
    """Which mask."""
    window: NotRequired[int | None]
    """sliding_window: keys less than this far away are visible."""
    causal_only: NotRequired[bool | None]
    """sliding_window: past keys only; true unless given."""
    prefix: NotRequired[int | None]
    """prefix: the number of first positions that every query may attend to."""
    lengths: NotRequired[int | list[int] | None]
    """padding: real tokens of the sequence, or of each of a batch."""
    is_token: NotRequired[list[bool] | list[list[bool]] | None]
    """padding: true at real tokens, for one sequence or each."""
    allowed: NotRequired[list[list[bool]] | None]
    """custom: true where attending is allowed; rows are queries."""
    additive: NotRequired[list[list[float | Literal["-Infinity"]]] | None]
    """custom: added to the scores; "-Infinity" where attending is not allowed."""
    causal: NotRequired[bool | None]
    """padding and custom: causal on top."""


class MasksAnswer(TypedDict):
    """Rows are queries, columns are keys; a batch of sequences puts one more axis in front of everything."""

    allowed: list[Any]
    """[queries][keys] True where attending is allowed."""
    additive: list[Any]
    """[queries][keys] 0 where attending is allowed and −∞ where not, or what a custom additive mask adds."""
    scores: list[Any]
    """[queries][keys] Before the mask."""
    masked_scores: list[Any]
    """[queries][keys]"""
    weights: list[Any]
    """[queries][keys] Rows sum to 1, or are 0 where every key is masked."""
    entropy: list[Any]
    """[queries] Of each row, in nats."""
    fully_masked: list[Any]
    """[queries] Rows in which every key is masked."""
    kind: Literal["none", "causal", "padding", "sliding_window", "prefix", "custom"]
    """Which mask."""
    num_queries: int
    """Number of queries."""
    num_keys: int
    """Number of keys."""
    precision: Literal["float64", "float32", "float16", "bfloat16"]
    """Number format of the computation."""
    leaks: list[LeakAnswer]
    """Every fill in every precision. A finite number leaks where scores are as large as it, and in fully
    masked rows.
    """


class MasksRequest(TypedDict):
    """A mask, and the scores that it is applied to."""

    kind: Literal["none", "causal", "padding", "sliding_window", "prefix", "custom"]
    """Which mask."""
    window: NotRequired[int | None]
    """sliding_window: keys less than this far away are visible."""
    causal_only: NotRequired[bool | None]
    """sliding_window: past keys only; true unless given."""
    prefix: NotRequired[int | None]
    """prefix: the number of first positions that every query may attend to."""
    lengths: NotRequired[int | list[int] | None]
    """padding: real tokens of the sequence, or of each of a batch."""
    is_token: NotRequired[list[bool] | list[list[bool]] | None]
    """padding: true at real tokens, for one sequence or each."""
    allowed: NotRequired[list[list[bool]] | None]
    """custom: true where attending is allowed; rows are queries."""
    additive: NotRequired[list[list[float | Literal["-Infinity"]]] | None]
    """custom: added to the scores; "-Infinity" where attending is not allowed."""
    causal: NotRequired[bool | None]
    """padding and custom: causal on top."""
    num_queries: NotRequired[int | None]
    """Unless given, as the scores or the mask have it, or else num_keys."""
    num_keys: NotRequired[int | None]
    """Unless given, as the scores or the mask have it, or else num_queries."""
    scores: NotRequired[list[list[float]] | list[list[list[float]]] | None]
    """A matrix or one for each sequence; example scores unless given."""
    seed: NotRequired[int]
    """Of the example scores."""
    precision: NotRequired[Literal["float64", "float32", "float16", "bfloat16"]]
    """Number format of the computation."""
    fills: NotRequired[list[float | Literal["-Infinity"]]]
    """Numbers added where attending is not allowed, such as -1e4, -1e9, "-Infinity": see `leaks`."""
    precisions: NotRequired[list[Literal["float64", "float32", "float16", "bfloat16"]]]
    """Those that the fills are tried in."""


class MeasureAnswer(TypedDict):
    """A measure of a head over a corpus."""

    name: str
    """Its short name."""
    title: str
    """Its name, for people."""
    definition: str
    """How it is computed, in one sentence."""
    source: str
    """Where it comes from."""
    unit: str
    """In what it is measured."""


class MeasureHistogram(TypedDict):
    """The values of one measure at each query of the corpus."""

    edges: list[float]
    """Borders of the bins, one more than there are bins."""
    counts: list[int]
    """One count for each bin."""
    mean: float | None
    """Arithmetic mean."""


class MeasureSummaryAnswer(TypedDict):
    """One measure of every head over the prompts."""

    mean: list[list[float]]
    """[layers][heads] Each prompt counts once, whatever its length."""
    deviation: list[list[float]]
    """[layers][heads] The standard deviation over the prompts, √(Σ (x − mean)² / n)."""
    least: list[list[float]]
    """[layers][heads] The smallest value."""
    most: list[list[float]]
    """[layers][heads] The largest value."""
    count: int
    """Prompts in which the measure is defined."""


class MetricInfo(TypedDict):
    """Description of a metric for users."""

    title: str
    """Its name, for people."""
    definition: str
    """How it is computed, in one sentence."""
    source: str
    """Where it comes from."""
    unit: str
    """In what it is measured."""


class MixedPairingsOut(TypedDict):
    """The mistake: scores of queries and keys that are paired differently."""

    mixed_scores: list[list[float]]
    """[positions][positions] Queries rotated by the chosen pairing, keys by the other: no longer a
    function of the distance.
    """
    wrong_layout_scores: list[list[float]]
    """[positions][positions] Both rotated by the other pairing: still relative, but not what was trained."""
    permuted_scores: list[list[float]]
    """[positions][positions] Both reordered first, then rotated by the other pairing: the right scores
    again.
    """
    largest_change_on_slide: float
    """Of `mixed_scores` when both positions move by 1; 0, apart from rounding, for a relative score."""


class Model(TypedDict):
    """One entry of the catalog. Null means unknown, because the model is not stored on this server."""

    id: str
    """What requests name it by."""
    title: str
    """Its name, for people."""
    architecture: str | None
    """The class of transformers."""
    kind: Literal["encoder", "decoder", "encoder_decoder"] | None
    """Which of the alternatives it is."""
    layers: int | None
    """Number of layers."""
    heads: int | None
    """Number of query heads in each layer."""
    kv_heads: int | None
    """Fewer than heads under grouped-query attention."""
    head_dim: int | None
    """Size of one head's queries and keys."""
    max_tokens: int | None
    """Its longest input; null where positions are unbounded."""
    max_target_tokens: NotRequired[int | None]
    """The longest input of its decoder beside an encoder; null for all other models."""
    positions: str | None
    """How it encodes positions: learned, rope, alibi, relative …"""
    source: str
    """directory, package, training (a network of the training page) or hub"""
    available: bool
    """Whether it can be used now; `reason` says why not."""
    reason: str | None
    """Why it is not available, and what to do."""
    reads: NotRequired[Literal["text", "image", "sound"]]
    """The input of an analysis."""
    mask_token: NotRequired[str | None]
    """Marks a token to be predicted in a text; null if there is none, or before the model is loaded."""
    parameters: NotRequired[int | None]
    """Numbers in its weight files."""
    size_bytes: NotRequired[int | None]
    """Bytes of its weight files."""
    licence: NotRequired[str | None]
    """As its model card names it."""
    support: NotRequired[Literal["carried", "weights_only", "refused"] | None]
    """What can be shown, by its configuration. carried: everything, our attention runs inside.
    weights_only: what its own attention returns. refused: nothing.
    """
    support_reason: NotRequired[str | None]
    """Why it is not carried."""
    has_chat_template: NotRequired[bool]
    """Whether a text may be given as a chat message."""
    takes_pairs: NotRequired[bool]
    """Whether a second text may follow the first; false once the model was tried and fails on it."""
    is_here: NotRequired[bool]
    """Whether its files are on this server."""
    caveats: NotRequired[list[str]]
    """What is to be said of its weights; empty before it is loaded."""
    base: NotRequired[str | None]
    """Of a LoRA adapter, the model that it is merged into; else null."""
    text_part_of: NotRequired[str | None]
    """The type of the model of images or sounds whose text part alone is shown; else null."""
    self_check: NotRequired[SelfCheck | None]
    """Done when a model is first loaded; null before."""


class ModelAnswer(TypedDict):
    """Where to find the network."""

    model: str
    """Its id in /api/models."""
    text: str
    """The example, for an analysis."""


class ModelHead(TypedDict):
    """The same of one head."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""
    text: str
    """As it is written."""
    layer: NotRequired[int]
    """Index of the layer, from 0."""
    head: NotRequired[int]
    """Index of the head, from 0."""


class ModelLayer(TypedDict):
    """The vectors that a layer's attention gets for a text, and its own projections."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""
    text: str
    """As it is written."""
    layer: NotRequired[int]
    """Index of the layer, from 0."""


class ModelList(TypedDict):
    """The catalog."""

    models: list[ListedModel]
    """In the order in which they are offered."""
    default: str | None
    """The model a page opens with: a built-in one, else the first; null if none is available."""
    memory: ModelMemory
    """What models in memory take."""
    any_hub_id: bool
    """Whether unlisted models of the Hugging Face Hub may be requested and searched for."""


class ModelMemory(TypedDict):
    """What models in memory take; those used least make room for others."""

    used_bytes: int
    """What models in memory take."""
    limit_bytes: int
    """The most that models may take."""


class MultiHeadAnswer(TypedDict):
    """Every stage of one sequence of the batch, [head][query][…]; rows are queries, columns are keys."""

    tokens: list[str] | None
    """Of a model's text, special tokens included."""
    sizes: dict[str, Any]
    """By name, the sizes that shapes are made of."""
    scale: float
    """What raw scores are multiplied by."""
    shapes: list[ShapeAnswer]
    """Of every intermediate tensor, in order of computation, with the batch axis."""
    kv_head_of_query_head: list[int]
    """By query head, the head of keys and values that it shares."""
    x: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[token][d_model] The input."""
    context: list[list[float | Literal["-Infinity", "Infinity"]]] | None
    """[key][d_model] The vectors that keys and values are made from; null if they are the input's."""
    queries: list[list[list[float | Literal["-Infinity", "Infinity"]]]]
    """As scored: after RoPE and QK-norm."""
    keys: list[list[list[float | Literal["-Infinity", "Infinity"]]]]
    """As each query head uses them: shared heads are repeated."""
    values: list[list[list[float | Literal["-Infinity", "Infinity"]]]]
    """One vector for each key, averaged with the weights."""
    raw_scores: list[list[list[float | Literal["-Infinity", "Infinity"]]]]
    """q · k of every query and key."""
    scaled_scores: list[list[list[float | Literal["-Infinity", "Infinity"]]]]
    """Raw scores times the scale."""
    bias: list[list[list[float | Literal["-Infinity", "Infinity"]]]] | None
    """ALiBi's."""
    mask: list[list[bool]] | list[list[float | Literal["-Infinity", "Infinity"]]] | None
    """True where attending is allowed; numbers if given as numbers."""
    masked_scores: list[list[list[float | Literal["-Infinity", "Infinity"]]]]
    """Scaled scores, −∞ where attending is not allowed."""
    weights: list[list[list[float | Literal["-Infinity", "Infinity"]]]]
    """How much each query attends to each key; a row adds up to 1."""
    head_outputs: list[list[list[float | Literal["-Infinity", "Infinity"]]]]
    """[head][query][head_dim] Weights times values, before the output projection."""
    concatenated: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[query][head · value_dim]: the heads' outputs concatenated."""
    output: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[query][d_model]"""
    entropy: list[list[float]]
    """[head][query] of the weights, in nats."""
    fully_masked: list[bool]
    """[query] True where every key is masked, so that weights are set to 0."""
    projections: dict[str, Any] | None
    """The weights of queries, keys, values and output, (out, in)."""
    biases: dict[str, Any] | None
    """By projection, its bias; null without biases."""
    parameters: ParametersAnswer
    """Numbers of learned parameters."""
    loop_difference: float
    """Largest, between the output and that of separate heads in a loop: only rounding."""
    own_kv_heads_difference: float
    """Largest, to that of full attention with keys and values repeated."""
    fused_difference: float
    """Largest, to that of torch's fused kernel."""


class MultiHeadRequest(TypedDict):
    """The module, and its input: vectors, tokens with random vectors, only random vectors, or a model's
    layer.
    """

    layer_of: NotRequired[ModelLayer | None]
    """A layer of a loaded model, with all its numbers."""
    d_model: NotRequired[int | None]
    """The size of the vectors; 16 unless vectors are given."""
    num_heads: NotRequired[int]
    """Number of query heads."""
    num_kv_heads: NotRequired[int | None]
    """Fewer than num_heads: GQA; 1: MQA; num_heads unless given."""
    head_dim: NotRequired[int | None]
    """d_model / num_heads unless given."""
    value_dim: NotRequired[int | None]
    """head_dim unless given."""
    bias: NotRequired[bool]
    """Whether the projections have biases."""
    rope: NotRequired[Literal["interleaved", "half_split"] | None]
    """Rotate queries and keys by their positions, in this pairing."""
    rope_base: NotRequired[float]
    """Base of RoPE's frequencies."""
    alibi: NotRequired[bool]
    """Add −slope·(query − key), with a different slope for each head."""
    alibi_symmetric: NotRequired[bool]
    """−slope·|query − key|, as in encoders."""
    qk_norm: NotRequired[Literal["rms", "l2"] | None]
    """Normalise each head's queries and keys: rms or l2."""
    qk_norm_before_rope: NotRequired[bool]
    """As Qwen3 does; nanochat normalises after RoPE."""
    scale: NotRequired[float | None]
    """1/√head_dim, or √head_dim with l2, unless given."""
    weights: NotRequired[WeightsIn | None]
    """Weights in place of random ones."""
    vectors: NotRequired[list[list[float]] | None]
    """One row a token."""
    tokens: NotRequired[list[str] | None]
    """Equal tokens get equal random vectors."""
    batch: NotRequired[int]
    """Random sequences where neither vectors nor tokens are given."""
    query_len: NotRequired[int | None]
    """Tokens of each random sequence; 4 unless given."""
    context_vectors: NotRequired[list[list[float]] | None]
    """Cross-attention: keys and values are made from these."""
    context_tokens: NotRequired[list[str] | None]
    """Words that keys and values are made from, in place of the input's own (cross-attention)."""
    key_len: NotRequired[int | None]
    """Cross-attention with this many random vectors."""
    mask: NotRequired[MaskOptions | None]
    """Where attending is allowed."""
    is_causal: NotRequired[bool]
    """Whether a causal mask is applied, in addition to `mask`."""
    item: NotRequired[int]
    """The sequence of the batch whose stages are in the answer."""
    with_projections: NotRequired[bool | None]
    """Whether the answer has the weights; by default if each has at most 65536 numbers."""
    precision: NotRequired[Literal["float64", "float32", "float16", "bfloat16"]]
    """Number format of the computation."""
    seed: NotRequired[int]
    """Of weights and random vectors."""


class NearAnswer(TypedDict):
    """A token of one of the texts."""

    text: int
    """Index of the text."""
    token: int
    """Index of the token, from 0."""
    cosine: float
    """Cosine similarity, −1 to 1."""


class Neighbour(TypedDict):
    """A head that attends to similar tokens."""

    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    layer: int
    """Index of the layer, from 0."""
    head: int
    """Index of the head, from 0."""
    divergence: float
    """Mean Jensen–Shannon divergence in nats between both heads' weights, over the sampled queries."""


class NeighbourAnswer(TypedDict):
    """Another row of the table."""

    id: int
    """What requests name it by."""
    token: str
    """As the vocabulary spells it."""
    text: str
    """As it is written."""
    cosine: float
    """Cosine similarity, −1 to 1."""


class NormedAnswer(TypedDict):
    """The same queries and keys under one norm. Rows are queries, columns are keys."""

    kind: Literal["none", "layer", "rms", "l2"]
    """Which of the alternatives it is."""
    queries: list[list[float]]
    """[queries][dim]"""
    keys: list[list[float]]
    """[keys][dim]"""
    query_norms: list[float]
    """[queries]"""
    key_norms: list[float]
    """[keys]"""
    dot_products: list[list[float]]
    """[queries][keys]"""
    lowest: float
    """The smallest score."""
    highest: float
    """The largest score."""
    bound: float | None
    """|q · k| cannot exceed it, whatever the input. Null: no bound."""
    score_scale: float
    """`1/√D`; for l2 `√D` (nGPT)."""
    scores: list[list[float]]
    """[queries][keys] `dot_products · score_scale`"""
    weights: list[list[float]]
    """[queries][keys]"""


class OEmbed(TypedDict):
    """What oEmbed calls a rich resource, or a link where framing is not allowed."""

    type: Literal["rich", "link"]
    """Kind of resource."""
    version: NotRequired[Literal["1.0"]]
    """Version of the format."""
    title: str
    """Its name, for people."""
    provider_name: NotRequired[str]
    """Name of this application."""
    provider_url: str
    """Address of this application."""
    cache_age: NotRequired[int]
    """Seconds for which the answer may be kept."""
    html: NotRequired[str | None]
    """The frame, for documents."""
    width: NotRequired[int | None]
    """Of the frame, in pixels."""
    height: NotRequired[int | None]
    """Of the frame, in pixels."""


class OffsetWeight(TypedDict):
    """How much a head attends to keys at one distance."""

    offset: int
    """Key position − query position; the first and the last hold everything beyond, too."""
    weight: float | None
    """Mean weight of a query on keys at this offset."""
    strongest: int
    """Queries whose strongest key is there."""


class OrderRequest(TypedDict):
    """Words, or vectors instead of them, and their new order."""

    words: NotRequired[list[str] | None]
    """Equal words get equal vectors. A short sentence unless given."""
    vectors: NotRequired[list[list[float]] | None]
    """[words][dim] instead of random vectors; dim must be even."""
    dim: NotRequired[int]
    """Size of the vectors."""
    permutation: NotRequired[list[int] | None]
    """New order: position i gets word permutation[i]. Random unless given."""
    seed: NotRequired[int]
    """Of vectors, projections and permutation."""
    precision: NotRequired[Literal["float64", "float32", "float16", "bfloat16"]]
    """Number format of the computation."""
    symmetric: NotRequired[bool]
    """ALiBi's: −slope·|query − key|, as in encoders."""


class OrderResponse(TypedDict):
    """The same words in two orders."""

    vectors: list[list[float]]
    """[words][dim]"""
    permutation: list[int]
    """The new order: at each place, the old index."""
    outcomes: list[OutcomeOut]
    """No positions, causal mask only, sinusoidal, RoPE, ALiBi."""
    words: list[str] | None
    """The words, in their order."""
    permuted_words: list[str] | None
    """The words in their new order; null if vectors were given."""


class OutcomeOut(TypedDict):
    """One position encoding. Rows of weights are queries, columns keys."""

    way: Literal["none", "causal", "sinusoidal", "rope", "alibi"]
    """How positions are told."""
    outputs: list[list[float]]
    """[words][dim] In the given order."""
    permuted_outputs: list[list[float]]
    """[words][dim] Of the permuted words."""
    moved_outputs: list[list[float]]
    """[words][dim] `outputs`, permuted with their words: the same as `permuted_outputs` if attention
    ignores order.
    """
    weights: list[list[float]] | None
    """[words][words] Null where all weights together exceed OBSERVATORY_MAX_CONCEPT_CELLS."""
    permuted_weights: list[list[float]] | None
    """[words][words]"""
    largest_difference: float
    """Between `permuted_outputs` and `moved_outputs`; 0 if attention ignores order."""


class OutputAnswer(TypedDict):
    """An output that can be explained: the logits at one position, an image's classes, or a text's
    embedding.
    """

    kind: Literal["next_token", "masked_token", "class", "embedding"]
    """Which of the alternatives it is."""
    position: int | None
    """The token that it is the output at; null where it belongs to all tokens together."""
    vocabulary: int
    """Number of tokens or classes with a logit."""
    candidates: list[Candidate]
    """Most probable first; none of an embedding."""
    looks: list[Literal["logit_lens", "direct_effect", "attribution"]]
    """The calls that this analysis supports, by name."""
    weights: int
    """Of all heads together: attribution holds their gradients."""
    max_weights: int
    """The most that attribution supports."""
    max_information_flow_tokens: int
    """The most tokens that may reach a position whose information flow is asked for; 0 if this model has
    none.
    """


class OwnDecoder(TypedDict):
    """Our own decoder, randomly initialised."""

    form: NotRequired[Literal["modern", "llama", "gpt2", "nanochat_2025", "nanochat_2026"]]
    """Which family the decoder is built like."""
    d_model: NotRequired[int]
    """Size of the residual stream."""
    num_layers: NotRequired[int]
    """Number of layers."""
    num_heads: NotRequired[int]
    """Number of query heads."""
    num_kv_heads: NotRequired[int | None]
    """num_heads unless given."""
    hidden_dim: NotRequired[int | None]
    """4 · d_model unless given."""
    init_std: NotRequired[float]
    """Standard deviation of the random weights."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""


class OwnDecoderAnswer(TypedDict):
    """Our own decoder with the model's weights, compared with the library's model."""

    logits: float
    """Largest absolute difference."""
    largest_logit: float
    """By absolute value, for comparison with the difference."""


class PairAnswer(TypedDict):
    """A sentence of a relation: the word that attends, and the one that it should attend to most."""

    text: str
    """As it is written."""
    reader: str
    """The word that attends."""
    read: str
    """The word that should get most of the weight."""


class PanelAnswer(TypedDict):
    """One scatter plot: dot products on the x-axis, weights on the y-axis."""

    dim: int
    """Size of the vectors."""
    is_scaled: bool
    """Whether scores are divided by √d_k."""
    dot_products: list[float]
    """[keys]"""
    weights: list[float]
    """[keys]"""
    entropy: float
    """Entropy of the weights of a row, in nats; the mean of many rows."""
    gradient_norm: float
    """Mean norm of softmax's Jacobian: how much of a gradient passes."""


class PanelsAnswer(TypedDict):
    """For each size the panel without scaling, then the one with."""

    panels: list[PanelAnswer]
    """For each size, without and with scaling."""


class PanelsRequest(TypedDict):
    """One query and its keys from N(0, 1), at each size."""

    dims: NotRequired[list[int]]
    """Sizes of the vectors, each compared with the others."""
    num_keys: NotRequired[int]
    """Number of keys."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""


class Parameters(TypedDict):
    """The number of learned parameters."""

    weight: int
    """Of the matrix."""
    bias: int
    """Of the bias."""
    total: int
    """Of both."""


class ParametersAnswer(TypedDict):
    """Numbers of learned parameters."""

    queries: int
    """Of the queries' projection."""
    keys: int
    """Of the keys' projection."""
    values: int
    """Of the values' projection."""
    output: int
    """Of the output projection."""
    qk_norm: int
    """Of the norm's learned scales; 0 without a norm."""
    total: int
    """The sum of the five."""
    own_kv_heads: int
    """The total if every query head had its own keys and values."""


class Parity(TypedDict):
    """Largest differences between our attention and the library's eager attention."""

    weights: float
    """Largest absolute difference of a weight."""
    last_hidden_state: float
    """Absolute difference; large where the hidden states themselves are large."""
    relative_hidden_state: float
    """The same relative to the largest number in it."""
    bound: float
    """What rounding explains in this model, or on this input where that is more."""
    within_bound: bool
    """Whether `weights` and `relative_hidden_state` are within it."""


class ParityAnswer(TypedDict):
    """Largest absolute differences, and one head's weights from both sides."""

    tokens: list[Token]
    """The tokens, in their order."""
    target_tokens: list[Token] | None
    """Tokens of the decoder's text; null if there is only one text."""
    parts: list[PartParityAnswer]
    """Each attention of the model, with what belongs to it."""
    hidden_states: dict[str, Any]
    """By `encoder` and `decoder`: largest difference after the embedding and after each layer."""
    part: Literal["encoder", "decoder", "cross"]
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    layer: int
    """Index of the layer, from 0."""
    head: int
    """Index of the head, from 0."""
    ours: list[list[float]]
    """[queries][keys] Our weights of the head."""
    theirs: list[list[float]]
    """[queries][keys] The library's."""
    own_decoder: OwnDecoderAnswer | None
    """For GPT-2, Llama and Qwen3 up to 1 GiB: the same weights in modules of our own."""
    dtype: str
    """Number format in which the model runs."""
    relative_hidden_state: float
    """The largest difference of a part's last hidden state, relative to the largest number in it."""
    bound: float
    """What rounding explains in this model, or on this input where that is more."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""
    within_bound: bool
    """Whether every weight and `relative_hidden_state` are within it."""


class ParityRequest(TypedDict):
    """A text for a model, and the head whose weights are shown."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""
    text: str
    """As it is written."""
    part: NotRequired[Literal["encoder", "decoder", "cross"] | None]
    """The first unless given."""
    layer: NotRequired[int]
    """Index of the layer, from 0."""
    head: NotRequired[int]
    """Index of the head, from 0."""


class PartAnswer(TypedDict):
    """The attention of an encoder, of a decoder, or between them. Rows are queries, columns are keys."""

    name: Literal["encoder", "decoder", "cross"]
    """Its short name."""
    layers: int
    """Number of layers."""
    heads: int
    """Number of query heads in each layer."""
    kv_heads: int
    """Number of heads of keys and values; fewer than query heads where those share them."""
    causal: bool
    """Whether no query attends to later tokens."""
    query_side: Literal["source", "target"]
    """The text whose tokens are the rows."""
    key_side: Literal["source", "target"]
    """The text whose tokens are the columns."""
    query_tokens: int
    """Number of queries: tokens that attend."""
    key_tokens: int
    """Number of keys: tokens that are read."""
    stages: list[str]
    """The stages that it has: uploaded weights, for example, have no scores."""
    score_cap: NotRequired[float | None]
    """Scaled scores become cap · tanh(score / cap) before bias and mask; null if they do not."""
    sink_shares: NotRequired[list[list[float | Literal["-Infinity", "Infinity"]]] | None]
    """What a learned sink takes of each head's rows on average, by layer and head: the weights of a row
    add up to 1 minus its sink's. Null without sinks.
    """
    allowed_keys: NotRequired[AllowedKeysAnswer | None]
    """Which keys each query may attend to: other weights are 0 by the mask. Null where none are."""
    key_totals: NotRequired[EncodedArray | None]
    """Layers, heads, 2, keys: the sum of the weights that a key gets from other tokens, and how many may
    attend to it, so that a weight can be compared with the mean of the others. Null for texts longer
    than a thumbnail.
    """
    induction_cells: NotRequired[list[list[int]]]
    """Queries whose token has occurred before, each with the key that followed it last time, unless that
    is simply the previous token. Empty for texts longer than a thumbnail.
    """
    overview: NotRequired[EncodedArray | None]
    """As at the top level, which has that of the first part; null there."""
    metrics: NotRequired[dict[str, Any] | None]
    """As at the top level; null in the first part."""


class PartAttributionAnswer(TypedDict):
    """One part of the model."""

    name: str
    """Its short name."""
    heads: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[layers][heads] The sum over all weights of a head."""


class PartParityAnswer(TypedDict):
    """One part of the model."""

    name: Literal["encoder", "decoder", "cross"]
    """Its short name."""
    weights: list[list[float]]
    """[layers][heads] Largest absolute difference of any weight."""


class PartReadsAnswer(TypedDict):
    """One part of the model; null where the token does not occur on that side."""

    name: str
    """Its short name."""
    reads: TopTokensAnswer | None
    """The keys that this token attends to."""
    read_by: TopTokensAnswer | None
    """The queries that attend to this token."""


class PartScoresAnswer(TypedDict):
    """The scores of one part's self-attention."""

    name: str
    """Its short name."""
    scores: dict[str, Any]
    """By name: a row for each layer, a column for each head."""


class PatchedCellAnswer(TypedDict):
    """One patch and what it did."""

    layer: int
    """Index of the layer, from 0."""
    head: int | None
    """A query head, or a KV head of keys and values; null for all heads of the layer."""
    position: int | None
    """The patched position; null for all of them."""
    effect: float
    """Share of the difference between both prompts that the patch restores; 0 none, 1 all."""
    difference: float
    """Logit of the answer minus that of the token it is compared with, after the patch."""


class PatchingAnswer(TypedDict):
    """The effect of every patch: (patched − base) / (source − base), in logit differences."""

    what: Literal["output", "queries", "keys", "values", "pattern", "residual"]
    """What is patched."""
    by: Literal["head", "position"]
    """What the comparison is by."""
    direction: Literal["denoising", "noising"]
    """Which way the comparison goes."""
    part: Literal["encoder", "decoder", "cross"]
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    position: int | None
    """The token at which the answer is predicted; null for a class, which belongs to all tokens together."""
    patched_position: int | None
    """The only position that is patched; null for all of them."""
    answer: VocabularyTokenAnswer
    """The token that would be right."""
    against: VocabularyTokenAnswer
    """The token or class whose logit is subtracted."""
    clean: PromptRunAnswer
    """The run of the clean prompt."""
    corrupt: PromptRunAnswer
    """The run of the corrupted prompt."""
    differing: list[int]
    """The positions at which the prompts' tokens, or the pixels of their patches, differ."""
    gap: float
    """Clean minus corrupt logit difference, in logits: what an effect of 1 stands for."""
    weak: bool
    """Whether that is so small that effects say little."""
    query_heads_per_column: int
    """With keys and values one column is a KV head, which so many query heads share; else 1."""
    effects: list[list[float]]
    """[layers][columns] 0: as the run that is patched; 1: as the run that the activation is from. Columns
    are heads or positions.
    """
    differences: list[list[float]]
    """[layers][columns] Logit differences of the patched runs."""
    strongest: list[PatchedCellAnswer]
    """The largest effects of either sign, at most 20."""
    runs: int
    """Patched forward passes."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""
    caveats: list[str]
    """How the effect is defined, and what it does not show."""


class PatchingProgress(TypedDict):
    """How far a grid of patches has come, whoever asked for it."""

    done: int
    """Patched runs that have ended."""
    total: int | None
    """Of so many; null while the grid has not begun."""


class PatchingRequest(TypedDict):
    """Patch every head, or every position, of every layer."""

    model: str
    """An id of /api/models, of a model that predicts tokens or the class of an image."""
    clean: NotRequired[str | None]
    """The prompt that leads to the answer."""
    corrupt: NotRequired[str | None]
    """A prompt of equally many tokens that leads elsewhere."""
    clean_analysis: NotRequired[str | None]
    """For a model that reads images: the id of the analysis of the image that leads to the answer, from
    POST /api/analyses/image. What is changed in that analysis is not.
    """
    corrupt_analysis: NotRequired[str | None]
    """The id of the other image's analysis, by the same model."""
    target_text: NotRequired[str | None]
    """What the decoder of an encoder–decoder model is given, in both runs."""
    chat: NotRequired[bool]
    """Whether both prompts are chat messages, which the model's chat template puts into its frame."""
    system_text: NotRequired[str | None]
    """The system message before both chat messages."""
    answer: NotRequired[int | str | None]
    """An id, or a text of exactly one token (“ cat”), or a class's name; by default the clean run's best."""
    against: NotRequired[int | str | None]
    """The token or class whose logit is subtracted; by default the corrupt run's best other one."""
    position: NotRequired[int | None]
    """Where the answer is predicted; by default the last token, or the first masked one. A class has no
    place.
    """
    direction: NotRequired[Literal["denoising", "noising"]]
    """Denoising patches clean activations into the corrupt run, noising the reverse."""
    what: NotRequired[Literal["output", "queries", "keys", "values", "pattern", "residual"]]
    """Output: of a head, before W_O. Queries and keys: after RoPE. Pattern: a head's weights, on the
    values of the run that is patched. Residual: the stream before a layer, by position only.
    """
    by: NotRequired[Literal["head", "position"]]
    """Head: one head a run. Position: all heads of a layer at one position a run."""
    patched_position: NotRequired[int | None]
    """Patch heads at this position only: a key's for keys and values, else a query's."""
    part: NotRequired[Literal["encoder", "decoder", "cross"] | None]
    """By default the model's first."""


class PathPatchingAnswer(TypedDict):
    """The effect of every path: (patched − base) / (source − base), in logit differences."""

    fixed: Literal["sender", "receiver", "logits"]
    """The end that all paths share; columns of the effects are heads at the other end, senders for logits."""
    layer: int | None
    """Index of the layer, from 0."""
    head: int | None
    """The head at the shared end; null for logits."""
    via: Literal["queries", "keys", "values"] | None
    """What of the receiver is patched; null for logits."""
    feed_forward: Literal["recomputed", "held"]
    """Whether paths may lead through feed-forward layers: computed anew, or held at the run that is
    patched.
    """
    direction: Literal["denoising", "noising"]
    """Which way the comparison goes."""
    position: int | None
    """The token at which the answer is predicted; null for a class, which belongs to all tokens together."""
    answer: VocabularyTokenAnswer
    """The token that would be right."""
    against: VocabularyTokenAnswer
    """The token that the answer is compared with."""
    clean: PromptRunAnswer
    """The run of the clean prompt."""
    corrupt: PromptRunAnswer
    """The run of the corrupted prompt."""
    gap: float
    """Clean minus corrupt logit difference, in logits: what an effect of 1 stands for."""
    weak: bool
    """Whether the two prompts differ too little for effects to mean much."""
    first_layer: int
    """The first layer with heads that may be at the other end; before it, and behind the last, effects are
    0.
    """
    last_layer: int
    """The last layer on a path."""
    query_heads_per_column: int
    """Where columns are KV heads that receive keys or values, so many query heads share one; else 1."""
    effects: list[list[float]]
    """[layers][heads]"""
    differences: list[list[float]]
    """[layers][heads] Logit differences; those of the unpatched run where there is no path."""
    to_logits: float | None
    """The effect of the path from the sender straight to the logits; null where no sender is fixed."""
    strongest: list[PatchedCellAnswer]
    """Those with the largest effect, largest first."""
    runs: int
    """Patched forward passes."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""
    caveats: list[str]
    """How the effect is defined, and what it does not show."""


class PathPatchingRequest(TypedDict):
    """Paths from one sender, to one receiver, or from every head to the logits."""

    model: str
    """An id of /api/models, of a model that predicts tokens or the class of an image."""
    clean: NotRequired[str | None]
    """The prompt that leads to the answer."""
    corrupt: NotRequired[str | None]
    """A prompt of equally many tokens that leads elsewhere."""
    clean_analysis: NotRequired[str | None]
    """For a model that reads images: the id of the analysis of the image that leads to the answer, from
    POST /api/analyses/image. What is changed in that analysis is not.
    """
    corrupt_analysis: NotRequired[str | None]
    """The id of the other image's analysis, by the same model."""
    target_text: NotRequired[str | None]
    """What the decoder of an encoder–decoder model is given, in both runs."""
    chat: NotRequired[bool]
    """Whether both prompts are chat messages, which the model's chat template puts into its frame."""
    system_text: NotRequired[str | None]
    """The system message before both chat messages."""
    answer: NotRequired[int | str | None]
    """An id, or a text of exactly one token (“ cat”), or a class's name; by default the clean run's best."""
    against: NotRequired[int | str | None]
    """The token or class whose logit is subtracted; by default the corrupt run's best other one."""
    position: NotRequired[int | None]
    """Where the answer is predicted; by default the last token, or the first masked one. A class has no
    place.
    """
    direction: NotRequired[Literal["denoising", "noising"]]
    """Denoising patches clean activations into the corrupt run, noising the reverse."""
    fixed: NotRequired[Literal["sender", "receiver", "logits"]]
    """The end that all paths share; the grid's heads are at the other."""
    layer: NotRequired[int | None]
    """Of the head at that end."""
    head: NotRequired[int | None]
    """A KV head if it receives keys or values."""
    via: NotRequired[Literal["queries", "keys", "values"]]
    """What of the receiver is patched."""
    feed_forward: NotRequired[Literal["recomputed", "held"]]
    """Recomputed: paths may lead through feed-forward layers (Wang et al. 2022). Held: along the residual
    stream alone.
    """


class PictureAnswer(TypedDict):
    """An image as the model saw it; the boxes of tokens are positions on it."""

    width: int
    """In pixels."""
    height: int
    """In pixels."""
    patch: list[int]
    """Height and width of one patch, in pixels."""
    grid: list[int]
    """Patches down and across."""
    original_size: list[int]
    """Width and height of the uploaded image."""
    png: str
    """The resized image as a PNG file in base64."""


class PlanePointsAnswer(TypedDict):
    """The points of one side, and their partners on the other."""

    indices: list[int]
    """[tokens] Ascending; all tokens, or of a long text a sample."""
    coordinates: list[list[float]]
    """[tokens][2] Relative to the centre of all points."""
    partner_indices: list[list[int]]
    """[tokens][partners] Of a query the keys with its largest weights, of a key the queries with the
    largest weights on it; largest first.
    """
    partner_weights: list[list[float]]
    """[tokens][partners] 0 where there are no more to list."""


class PortraitAnswer(TypedDict):
    """What one head does over the corpus."""

    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    layer: int
    """Index of the layer, from 0."""
    head: int
    """Index of the head, from 0."""
    values: dict[str, Any]
    """By measure; null where it is undefined."""
    histograms: dict[str, Any]
    """By measure."""
    offsets: list[OffsetWeight]
    """How much weight goes how far."""
    pairs: list[TokenPair]
    """The most frequent first, for each kind."""
    examples: list[HeadExample]
    """Queries of the corpus with their strongest keys, strongest first."""
    windows: dict[str, Any]
    """Those of the examples, by id."""
    relations: list[HeadRelation]
    """Those with most pairs first."""
    neighbours: list[Neighbour]
    """The nearest first."""
    sampled: int
    """Queries whose vectors are kept, for searching."""


class PositionOptions(TypedDict):
    """How attention knows positions: by rotating queries and keys, or by a penalty on distance."""

    kind: Literal["rope", "alibi"]
    """Which of the alternatives it is."""
    pairing: NotRequired[Literal["interleaved", "half_split"] | None]
    """rope: which two numbers form a pair; interleaved unless given."""
    base: NotRequired[float | None]
    """rope: 10000 unless given."""
    query_positions: NotRequired[list[float] | None]
    """rope: the last positions of the keys unless given."""
    key_positions: NotRequired[list[float] | None]
    """rope: 0, 1, 2, … unless given."""
    num_heads: NotRequired[int | None]
    """alibi: 8 unless given."""
    head: NotRequired[int | None]
    """alibi: whose slope; 0, the steepest, unless given."""
    slope: NotRequired[float | None]
    """alibi: instead of the head's."""
    symmetric: NotRequired[bool | None]
    """alibi: also penalise keys after the query; false unless given."""


class PostAnalysis(TypedDict):
    """What to analyse."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""
    text: str
    """As it is written."""
    text_pair: NotRequired[str | None]
    """A second text, separated from the first by the model's tokenizer."""
    target_text: NotRequired[str | None]
    """The output of an encoder–decoder model so far."""
    chat: NotRequired[bool]
    """Whether the text is a chat message, which the model's chat template puts into its frame."""
    system_text: NotRequired[str | None]
    """The system message before a chat message."""
    parity: NotRequired[bool]
    """Also compare with the library's own eager attention."""
    interventions: NotRequired[list[HeadOff | CutEdges | ReplaceRow | Temperature | SetPattern]]
    """Changes to the model's attention before it runs."""


class PostImage(TypedDict):
    """Which image to analyse; its size is bounded by that of the whole request."""

    model: str
    """One whose `reads` is image."""
    parity: NotRequired[bool]
    """Also compare with the library's own eager attention."""
    interventions: NotRequired[list[HeadOff | CutEdges | ReplaceRow | Temperature | SetPattern]]
    """Changes to the model's attention before it runs."""
    image: str
    """A PNG, JPEG or WebP file in base64."""


class PostPrompts(TypedDict):
    """Texts, or a template and what fills its slots in each prompt."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""
    prompts: NotRequired[list[str] | None]
    """The texts."""
    template: NotRequired[str | None]
    """A text with slots such as `{A}`."""
    fillings: NotRequired[list[dict[str, Any]] | None]
    """For each prompt a word for each slot, by its name."""
    answers: NotRequired[list[int | str] | None]
    """The token expected after each prompt, or one for all: an id, or a text of exactly one token, in
    which the template's slots are filled. A word is taken with the space before it, if that is one
    token.
    """
    target_texts: NotRequired[list[str] | None]
    """What the decoder of an encoder–decoder model is given with each prompt, or with all, so that its
    attention can be averaged, too; the template's slots are filled.
    """
    chat: NotRequired[bool]
    """Whether each prompt is a chat message, which the model's chat template puts into its frame."""
    system_text: NotRequired[str | None]
    """The system message before each chat message."""


class PostSound(TypedDict):
    """Which sound to analyse; its size is bounded by that of the whole request, its length by a setting."""

    model: str
    """One whose `reads` is sound."""
    parity: NotRequired[bool]
    """Also compare with the library's own eager attention."""
    interventions: NotRequired[list[HeadOff | CutEdges | ReplaceRow | Temperature | SetPattern]]
    """Changes to the model's attention before it runs."""
    sound: str
    """An uncompressed WAV file in base64."""
    target_text: NotRequired[str | None]
    """The decoder's text so far, for encoder–decoder models."""
    transcribe: NotRequired[bool]
    """Have the model write the target text itself; then give none."""


class Prediction(TypedDict):
    """The most probable tokens for one position, best first."""

    kind: Literal["next_token", "masked_token", "class"]
    """Which of the alternatives it is."""
    index: int
    """The token that the prediction is made at: the last one, or the masked one."""
    candidates: list[Candidate]
    """The tokens it is about."""
    read_from: list[int]
    """Of a class, the learned tokens that it is read from; empty if the classifier reads patches."""


class PredictionChange(TypedDict):
    """One predicted position, its candidates sorted by change."""

    kind: str
    """next_token, masked_token or class."""
    index: int
    """Its position, from 0."""
    other_index: int
    """The token in the other analysis that the prediction is made at."""
    candidates: list[CandidateChange]
    """The tokens it is about."""
    divergence: float | None
    """`Σ p ln(p / q)`, p before and q after, over the whole vocabulary, in nats; null between two
    vocabularies.
    """
    total_variation: float | None
    """`½ Σ |p − q|`: the probability that has moved, from 0 to 1; null between two vocabularies."""


class PredictionDifferenceAnswer(TypedDict):
    """What both predict: each prediction of this with that of the other of the same kind and order."""

    predictions: list[PredictionChange]
    """What the model predicts, one for each predicted position."""
    embedding: EmbeddingChange | None
    """In place of predictions, where a model makes none; null for others, and between two models."""


class PresetAnswer(TypedDict):
    """A published model."""

    title: str
    """Its name, for people."""
    layers: int
    """Number of layers."""
    heads: int
    """Number of query heads in each layer."""
    kv_heads: int
    """Number of heads of keys and values; fewer than query heads where those share them."""
    head_dim: int
    """Size of one head's queries and keys."""
    max_tokens: int
    """The longest text, in tokens."""
    source: str
    """Where it comes from."""
    preset: str
    """Name of a published configuration; null if none was named."""
    bytes_per_token: int
    """In half precision (2 bytes)."""


class PresetsAnswer(TypedDict):
    """All published models."""

    presets: list[PresetAnswer]
    """Configurations of published models."""


class ProjectionAnswer(TypedDict):
    """As it was used."""

    weight: list[list[float]] | None
    """[out][in]"""
    bias: list[float] | None
    """[out]"""


class ProjectionStepAnswer(TypedDict):
    """One operation: its inputs and result, and the roles that it gives."""

    stage: str
    """The stage of the trace that it computes."""
    operation: str
    """As a formula."""
    reads: list[str]
    """The stages that it is computed from."""
    roles: dict[str, Any]
    """asks, is_asked_for or is_read, for those of the three tensors that it uses."""
    result: list[list[float | Literal["-Infinity", "Infinity"]]]
    """What the operation gives."""
    row_sums: list[float]
    """What each row of the result adds up to."""
    swapped_result: list[list[float | Literal["-Infinity", "Infinity"]]]
    """What it gives with the two matrices swapped."""
    largest_change: float
    """Largest absolute change of a number of the result."""


class ProjectionsAnswer(TypedDict):
    """The input, its projections, and every stage."""

    queries: list[list[float | Literal["-Infinity", "Infinity"]]]
    """As scored: rotated under RoPE."""
    keys: list[list[float | Literal["-Infinity", "Infinity"]]]
    """As scored: rotated under RoPE."""
    values: list[list[float | Literal["-Infinity", "Infinity"]]]
    """One vector for each key, averaged with the weights."""
    raw_scores: list[list[float | Literal["-Infinity", "Infinity"]]]
    """Of the scoring function, before anything else."""
    scaled_scores: list[list[float | Literal["-Infinity", "Infinity"]]]
    """raw_scores · scale"""
    masked_scores: list[list[float | Literal["-Infinity", "Infinity"]]]
    """scaled_scores + bias, −∞ where the mask forbids."""
    weights: list[list[float | Literal["-Infinity", "Infinity"]]]
    """softmax(masked_scores): each row sums to 1, or is 0 if every key is masked."""
    head_outputs: list[list[float | Literal["-Infinity", "Infinity"]]]
    """weights · values"""
    output: list[list[float | Literal["-Infinity", "Infinity"]]]
    """The same: there is one head and no output projection."""
    tokens: list[str] | None
    """Of a model's text, special tokens included."""
    inputs: list[list[float]]
    """[token][d_model] The vectors that go in."""
    query: ProjectionAnswer
    """The queries' projection."""
    key: ProjectionAnswer
    """The keys' projection."""
    value: ProjectionAnswer
    """The values' projection."""
    shapes: dict[str, Any]
    """By name, the shape of each matrix."""


class ProjectionsRequest(TypedDict):
    """One input and three weights (out, in): given, those of a model's head, or random."""

    head_of: NotRequired[ModelHead | None]
    """A head of a loaded model, with all its numbers."""
    inputs: NotRequired[list[list[float]] | None]
    """Tokens × d_model."""
    num_tokens: NotRequired[int]
    """Of random inputs."""
    d_model: NotRequired[int]
    """Of random inputs."""
    query_weight: NotRequired[list[list[float]] | None]
    """d_k × d_model"""
    key_weight: NotRequired[list[list[float]] | None]
    """d_k × d_model"""
    value_weight: NotRequired[list[list[float]] | None]
    """d_v × d_model"""
    query_bias: NotRequired[list[float] | None]
    """[d_k] Bias of the queries' projection; null for none."""
    key_bias: NotRequired[list[float] | None]
    """[d_k] Bias of the keys' projection; null for none."""
    value_bias: NotRequired[list[float] | None]
    """[d_v] Bias of the values' projection; null for none."""
    d_k: NotRequired[int | None]
    """Of random query and key weights; d_model unless given."""
    d_v: NotRequired[int | None]
    """Of a random value weight; d_model unless given."""
    bias: NotRequired[bool]
    """Whether random projections have a bias."""
    scale: NotRequired[float | None]
    """1/√d_k unless given."""
    with_weights: NotRequired[bool]
    """Whether the answer has weights and biases of the projections."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""


class PromptAnswersAnswer(TypedDict):
    """How the model rates the expected tokens."""

    answers: list[AnswerInPrompt]
    """In the order of the prompts."""
    probability: Spread
    """Of the expected tokens."""
    rank: Spread
    """Of the expected tokens."""
    best: int
    """Prompts whose expected token is the most probable one."""


class PromptCellAnswer(TypedDict):
    """The weight from one aligned query to one aligned key in every head."""

    mean: list[list[float]]
    """[layers][heads] Each prompt counts once, whatever its length."""
    deviation: list[list[float]]
    """[layers][heads] The standard deviation over the prompts, √(Σ (x − mean)² / n)."""
    least: list[list[float]]
    """[layers][heads] The smallest value."""
    most: list[list[float]]
    """[layers][heads] The largest value."""
    count: int
    """Prompts in which the measure is defined."""
    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    align: Literal["start", "end", "slots"]
    """How positions of different prompts are matched: from the start, from the end, or by slots."""
    query: int
    """The aligned position of the query."""
    key: int
    """The aligned position of the key."""
    above: MeasureSummaryAnswer
    """That weight minus the mean of what the other queries give the same key: near 0 where a head attends
    to the key whatever the query.
    """
    values: list[float | None] | None
    """Of the head that was asked for, in the order of the prompts; null where one lacks a position."""


class PromptLine(TypedDict):
    """One prompt of a set."""

    text: str
    """As it is written."""
    tokens: list[str]
    """The texts of its tokens, special ones included."""
    target_text: str | None
    """What the decoder of an encoder–decoder model is given."""
    target_tokens: list[str] | None
    """The texts of the decoder's tokens, special ones included."""
    answer: ExpectedTokenAnswer | None
    """The token that is expected next; null where none is."""
    analysis: str
    """The id that `POST /api/analyses` with this text gives it."""


class PromptMeasuresAnswer(TypedDict):
    """The measures of every head of one part of the model, averaged over the prompts, each counted once."""

    id: str
    """What requests name it by."""
    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    measures: dict[str, Any]
    """By name, those that some prompt has."""
    metric_info: dict[str, Any]
    """By name, also of those that no prompt has."""
    undefined: dict[str, Any]
    """By name, those that no prompt has: why."""


class PromptPairAnswer(TypedDict):
    """Both prompts token by token, before anything is patched."""

    clean: list[Token]
    """The run of the clean prompt."""
    corrupt: list[Token]
    """The run of the corrupted prompt."""
    extra_clean: list[int]
    """Indices of the tokens that clean has too many: without them the most tokens of both are the same."""
    extra_corrupt: list[int]
    """The same for corrupt; at least one of both lists is empty."""
    differing: list[int]
    """Indices, in clean, of the tokens that stand beside another one in corrupt."""
    images: NotRequired[list[PictureAnswer] | None]
    """The clean and the corrupt image as the model sees them; null for texts."""


class PromptPairRequest(TypedDict):
    """Two prompts: texts as they are typed, or images by their analyses."""

    model: str
    """An id of /api/models, of a model that predicts tokens or the class of an image."""
    clean: NotRequired[str | None]
    """The prompt that leads to the answer."""
    corrupt: NotRequired[str | None]
    """A prompt of equally many tokens that leads elsewhere."""
    clean_analysis: NotRequired[str | None]
    """For a model that reads images: the id of the analysis of the image that leads to the answer, from
    POST /api/analyses/image. What is changed in that analysis is not.
    """
    corrupt_analysis: NotRequired[str | None]
    """The id of the other image's analysis, by the same model."""
    target_text: NotRequired[str | None]
    """What the decoder of an encoder–decoder model is given, in both runs."""
    chat: NotRequired[bool]
    """Whether both prompts are chat messages, which the model's chat template puts into its frame."""
    system_text: NotRequired[str | None]
    """The system message before both chat messages."""


class PromptRunAnswer(TypedDict):
    """The unpatched run of one prompt."""

    tokens: list[Token]
    """The tokens, in their order."""
    candidates: list[Candidate]
    """The most probable tokens at the answer's position, or the most probable classes, best first."""
    answer_logit: float
    """Logit of the right token."""
    against_logit: float
    """Logit of the token that the answer is compared with."""
    difference: float
    """`answer_logit − against_logit`."""


class PromptValuesAnswer(TypedDict):
    """The measures of one head in each prompt."""

    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    layer: int
    """Index of the layer, from 0."""
    head: int
    """Index of the head, from 0."""
    values: dict[str, Any]
    """By name, in the order of the prompts; null: undefined."""


class PromptWeightsAnswer(TypedDict):
    """One head's weights, averaged over the prompts that have both positions."""

    mean: EncodedArray | list[list[float | Literal["-Infinity", "Infinity"]]]
    """[queries][keys] Over the prompts that have both positions; 0 where none has."""
    deviation: EncodedArray | list[list[float | Literal["-Infinity", "Infinity"]]]
    """[queries][keys] The standard deviation over the same prompts."""
    counts: EncodedArray | list[list[float | Literal["-Infinity", "Infinity"]]]
    """[queries][keys] How many have both positions."""
    allowed: EncodedArray | list[list[float | Literal["-Infinity", "Infinity"]]]
    """[queries][keys] In how many of them the mask lets the query attend to the key: with none, the mean
    is 0 by the mask.
    """
    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    align: Literal["start", "end", "slots"]
    """How positions of different prompts are matched: from the start, from the end, or by slots."""
    layer: int
    """Index of the layer, from 0."""
    head: int
    """Index of the head, from 0."""
    positions: list[AlignedPositionAnswer]
    """Of the queries: rows."""
    key_positions: list[AlignedPositionAnswer]
    """Of the keys: columns; the same but in cross-attention."""
    prompts: int
    """Prompts of the set."""
    shape: list[int]
    """Its sizes, axis by axis; null where the numbers are nested lists."""
    encoding: Literal["base64", "json"]
    """How the numbers are written: nested lists (`json`), or their bytes (`base64`)."""


class PromptsAnswer(TypedDict):
    """A set of prompts, tokenised; all further views are requested by its id."""

    id: str
    """The same for the same request; post it again once it has expired."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""
    prompts: list[PromptLine]
    """In the order given."""
    parts: list[str]
    """What can be averaged of the model; the decoder and its cross-attention need target texts."""
    aligns: list[Literal["start", "end", "slots"]]
    """How positions can be aligned. start: counted from the start; end: from the end; slots: each slot of
    the template and each token of its fixed text is one position.
    """
    longest: int
    """Tokens of the longest prompt."""
    shortest: int
    """Tokens of the shortest prompt."""


class PromptsProgress(TypedDict):
    """How far the analyses of a set have come, whoever asked for them."""

    done: int
    """Prompts whose analyses are at hand."""
    total: int
    """How many there are in all."""


class QKNormAnswer(TypedDict):
    """No norm, LayerNorm, RMS norm and L2 norm, in this order."""

    cosines: list[list[float]]
    """[queries][keys] Of the rotated queries and keys, before any norm."""
    norms: list[NormedAnswer]
    """One for each norm."""
    order_difference: dict[str, Any] | None
    """Largest change of a dot product when norm and RoPE are swapped, for rms and l2. Null without RoPE."""


class QKNormRequest(TypedDict):
    """Queries and keys of one head; row i has position i."""

    queries: NotRequired[list[list[float]] | None]
    """Random, from N(0, 1), unless given."""
    keys: NotRequired[list[list[float]] | None]
    """num_keys random ones unless given."""
    num_queries: NotRequired[int]
    """Number of queries."""
    num_keys: NotRequired[int]
    """Number of keys."""
    size: NotRequired[int]
    """Of random queries and keys."""
    learned_scale: NotRequired[list[float] | None]
    """One number for each dimension, for rms and l2."""
    rope: NotRequired[Literal["none", "interleaved", "half_split"]]
    """Whether RoPE is applied, and how its pairs are chosen."""
    base: NotRequired[float]
    """Base of RoPE's frequencies, base^(−2i/d)."""
    order: NotRequired[Literal["after_rope", "before_rope"]]
    """nanochat normalises after RoPE, Qwen3 before."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""


class QueryKeyPlaneAnswer(TypedDict):
    """Queries times c (``factor``), keys divided by c and moved by t: neither changes any weight."""

    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    layer: int
    """Index of the layer, from 0."""
    head: int
    """Index of the head, from 0."""
    kv_head: int
    """The key head that this query head uses."""
    queries: PlanePointsAnswer
    """The queries as points."""
    keys: PlanePointsAnswer
    """The keys as points."""
    explained: list[float]
    """For each axis, its share of the variance of all queries and keys, 0…1."""
    factor: float
    """c: queries are multiplied and keys divided by it, which makes both equally wide."""
    shift: list[float]
    """t along each axis; it moves the keys' mean to that of the queries."""
    shift_length: float
    """‖t‖, in all dimensions."""
    origin: list[float]
    """The zero vector: scores are dot products from there, not from the centre."""
    beside: list[Literal["bias", "mask", "change", "cap"]]
    """What else affects the weights and is in no vector: a bias by position, a mask, a change made to this
    head.
    """


class ReachAnswer(TypedDict):
    """[layers][queries][keys] What may reach, what is looked at, and what reaches."""

    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    change: EncodedArray | list[list[list[float | Literal["-Infinity", "Infinity"]]]]
    """[layers][queries][keys] The largest change of a number of the query's state after each layer once
    the key's token is another; 0 where the state is the same bit for bit, or changes no more than
    rounding does.
    """
    weights: EncodedArray | list[list[list[float | Literal["-Infinity", "Infinity"]]]]
    """[layers][queries][keys] The largest weight of any head of each layer."""
    may: EncodedArray | list[list[list[bool]]]
    """[layers][queries][keys] Whether the declared masks of this layer and those before it let the key's
    token reach the query.
    """
    exact: bool
    """Whether "not reached" means bit for bit the same."""
    leaks: list[ReachLeakAnswer]
    """Pairs that are reached and must not be, by the layer at which they appear."""
    unused: list[list[int]]
    """(query, key) that may be reached and never are."""
    unknown: list[int]
    """Keys of which nothing is known: they stand for no patch, or their replacement changed nothing."""
    attention: Literal["library", "ours"]
    """Whose attention ran: ours where the analysis changes it."""
    case: Literal["plain", "packed", "padded", "cached"]
    """How the text ran."""
    start: int | None
    """First token of the second of two packed documents, or behind the padding."""
    deviation: StateDeviationAnswer | None
    """Where cached steps or a packed document give another state than one pass, or the document alone."""
    shape: list[int]
    """Its sizes, axis by axis; null where the numbers are nested lists."""
    encoding: Literal["base64", "json"]
    """How the numbers are written: nested lists (`json`), or their bytes (`base64`)."""


class ReachLeakAnswer(TypedDict):
    """A pair that is reached and must not be."""

    query: int
    """Index of the query, from 0."""
    key: int
    """Index of the key, from 0."""
    state: int
    """The first state of `Reach.names` at which it appears."""
    name: str
    """Of that state."""
    layer: int
    """The first after which it is reached, from 0."""
    way: Literal["attention", "not through attention", "unknown"]
    """By what it came there."""


class ReachProgress(TypedDict):
    """How far a measurement has come, whoever asked for it."""

    done: int
    """Copies of the text that have run, each with one token replaced."""
    total: int | None
    """Of so many; null unless it is under way."""


class ReachRequest(TypedDict):
    """Masks of the layers of a small model of random weights, and what mixes positions beside attention."""

    masks: list[list[list[bool]]]
    """Square, true where attending is allowed; rows are queries. One for all layers, or one for each."""
    layers: NotRequired[int | None]
    """As many as there are masks unless given."""
    intended: NotRequired[list[list[bool]] | None]
    """What one layer was meant to let through; its own mask unless given. See `leaks`."""
    mixing: NotRequired[Literal["none", "causal_convolution", "convolution", "norm_over_time"]]
    """What passes between positions after the attention of every layer."""
    seed: NotRequired[int]
    """Of the weights and the tokens' vectors."""


class Readiness(TypedDict):
    """Ready to analyse."""

    status: NotRequired[Literal["ready"]]
    """That it answers."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""
    device: str
    """Where the model runs: cpu, cuda or mps."""


class Reading(TypedDict):
    """What is left of each word in the state after the reader, for one gain."""

    gain: float
    """W is an orthogonal matrix times this number, its spectral norm."""
    influences: list[float]
    """[words] ‖∂h_reader/∂x_t‖, the largest singular value; 0 for words after the reader, which are not
    read yet.
    """
    shares: list[float]
    """[words] Influences divided by their sum."""
    bounds: list[float]
    """[words] What the influences cannot exceed: gain^(reader − t) ‖U‖; 0 for words after the reader."""


class ReadingAnswer(TypedDict):
    """One fixed kernel. Rows are queries, columns are keys."""

    kernel: list[list[float]] | None
    """[queries][keys] Before normalisation; null where float64 overflows."""
    weights: list[list[float]]
    """[queries][keys] Each row adds up to 1."""
    output: list[list[float]]
    """[queries][value_size]"""
    has_negative_weights: bool
    """Whether a weight is below 0, so that they are no average."""


class RelationByHead(TypedDict):
    """One relation in one direction, and every head's accuracy at it."""

    relation: str
    """The name of the dependency, such as nsubj."""
    direction: str
    """dependent_to_head or head_to_dependent."""
    count: int
    """Pairs of words in this relation."""
    baseline_offset: int | None
    """The fixed offset in words that is right most often."""
    baseline_accuracy: float | None
    """How often this offset is right."""
    best: BestHead | None
    """The head with the highest accuracy; null if there is no pair."""
    accuracy: list[float | None]
    """How often each head's strongest word is the right one, in the order of the heads."""


class RelationByHeadAnswer(TypedDict):
    """One relation in one direction, and every head's accuracy at it."""

    relation: str
    """The name of the dependency, such as nsubj."""
    direction: str
    """dependent_to_head or head_to_dependent."""
    count: int
    """Pairs of words in this relation."""
    baseline_offset: int | None
    """The fixed offset in words that is right most often."""
    baseline_accuracy: float | None
    """How often this offset is right."""
    best: BestHead | None
    """The head with the highest accuracy; null if there is no pair."""
    accuracy: list[float | None]
    """How often each head's strongest word is the right one, in the order of the heads."""


class RelationRoleAnswer(TypedDict):
    """A relation in one direction, beside the best fixed offset."""

    relation: str
    """As treebanks name it; `antecedent` is that of a pronoun."""
    direction: str
    """Which word attends: dependent_to_head or head_to_dependent."""
    count: int
    """Pairs of words that were measured."""
    found: list[list[float]]
    """[layers][heads] Share of them in which the right word gets most of the head's attention."""
    best: RoleHeadAnswer
    """The head that found most pairs of the other half, and its share in this one."""
    offset: int
    """The distance in words that was right most often in the other half, from the word that attends."""
    baseline: float
    """Share of the measured pairs that are at this distance."""


class RelationsAnswer(TypedDict):
    """Every relation, those with most pairs first."""

    relations: list[RelationByHeadAnswer]
    """Those that the corpus has enough pairs of."""


class ReplaceRow(TypedDict):
    """Weights for one query, one for each key, in place of those that the heads compute."""

    part: NotRequired[Literal["encoder", "decoder", "cross"] | None]
    """By default the model's first."""
    layer: int | Literal["all"]
    """Counted from 0."""
    heads: list[int] | Literal["all"]
    """Query heads, counted from 0."""
    kind: Literal["replace_row"]
    """Which of the alternatives it is."""
    query: int
    """Index of the query, from 0."""
    weights: list[float]
    """One weight for each key."""
    normalise: NotRequired[bool]
    """Divide by their sum; otherwise they must sum to 1."""


class RoleExampleAnswer(TypedDict):
    """A sentence and one head's weights in it."""

    layer: int
    """Index of the layer, from 0."""
    head: int
    """Index of the head, from 0."""
    number: int
    """Which of the sentences that show this role."""
    count: int
    """How many there are."""
    text: str
    """As it is written."""
    tokens: list[Token]
    """The tokens, in their order."""
    words: list[str]
    """The words, in their order."""
    word_of_token: list[int]
    """For each token its word; −1 for special tokens."""
    followed: list[int]
    """For each token the key that shows induction: what followed its last occurrence; −1 without one."""
    weights: list[list[float]]
    """[queries][keys] Between tokens."""
    word_weights: list[list[float]]
    """[reading][read] Between words: summed over the tokens of the key, averaged over those of the query."""
    pairs: list[RolePairAnswer]
    """Where the relation holds; empty for the other roles."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""


class RoleExampleRequest(TypedDict):
    """Which role of which head to look at, in which sentence."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""
    sentences: NotRequired[int]
    """Of the probe corpus; one half chooses, the other measures."""
    role: Literal["previous_token", "next_token", "sink", "induction", "relation"]
    """What the head is looked at for."""
    relation: NotRequired[str | None]
    """For the role `relation`: one of the answer's."""
    direction: NotRequired[Literal["dependent_to_head", "head_to_dependent"]]
    """Which way the comparison goes."""
    layer: NotRequired[int | None]
    """By default that of the head that stands out most."""
    head: NotRequired[int | None]
    """Index of the head, from 0."""
    number: NotRequired[int]
    """Which of the sentences that show this role."""


class RoleHeadAnswer(TypedDict):
    """A head and its number in a role."""

    layer: int
    """Index of the layer, from 0."""
    head: int
    """Index of the head, from 0."""
    value: float
    """The number."""


class RolePairAnswer(TypedDict):
    """Two words between which a relation holds in the sentence."""

    reader: int
    """Index of the word that attends."""
    right: int
    """The one that it should attend to."""
    strongest: int | None
    """The one that it does attend to most, itself left out; null if it attends to no other."""


class RolesAnswer(TypedDict):
    """The steps in order, and all stages before and after the swap."""

    stages: Stages
    """Every matrix by its name, in the order of computation."""
    swapped: Stages
    """The same with the two matrices swapped."""
    largest_change: dict[str, Any]
    """Of each stage, by the swap."""
    swap: str
    """Which two of the matrices change places."""
    steps: list[ProjectionStepAnswer]
    """In their order."""


class RolesRequest(TypedDict):
    """Three matrices of one shape, given or random, and which two are swapped."""

    queries: NotRequired[list[list[float]] | None]
    """One vector for each query."""
    keys: NotRequired[list[list[float]] | None]
    """One vector for each key."""
    values: NotRequired[list[list[float]] | None]
    """One vector for each key, averaged with the weights."""
    num_tokens: NotRequired[int]
    """Of random matrices."""
    size: NotRequired[int]
    """Of random queries, keys and values."""
    swap: NotRequired[Literal["none", "keys_values", "queries_keys", "queries_values"]]
    """Which two of the matrices change places."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""


class RolloutAnswer(TypedDict):
    """Rows: tokens after ``layer``; columns: the input tokens of the first layer."""

    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    layer: int
    """The last layer of the product."""
    query: int | None
    """The token whose row it is; null for all tokens."""
    matrix: EncodedArray | list[list[float | Literal["-Infinity", "Infinity"]]]
    """[rows][tokens] Columns are the input tokens of the first layer."""
    shape: list[int]
    """Its sizes, axis by axis; null where the numbers are nested lists."""
    encoding: Literal["base64", "json"]
    """How the numbers are written: nested lists (`json`), or their bytes (`base64`)."""


class RolloutLayersAnswer(TypedDict):
    """Rows: layers; columns: the input tokens of the first layer."""

    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    query: int
    """Index of the query, from 0."""
    rollout: EncodedArray | list[list[float | Literal["-Infinity", "Infinity"]]]
    """[layers][tokens] Row `query` of `A_l ⋯ A_1`: what its token is a mixture of after each layer."""
    mean_weights: EncodedArray | list[list[float | Literal["-Infinity", "Infinity"]]]
    """[layers][tokens] Row `query` of each layer's weights, averaged over heads."""
    shape: list[int]
    """Its sizes, axis by axis; null where the numbers are nested lists."""
    encoding: Literal["base64", "json"]
    """How the numbers are written: nested lists (`json`), or their bytes (`base64`)."""
    max_whole_tokens: int
    """Longest text whose whole rollout is computed."""
    max_flow_tokens: int
    """Longest text whose attention flow is computed."""


class RopeRequest(TypedDict):
    """One query, one key, and the positions that they are rotated to."""

    dim: int
    """Numbers in a vector; even."""
    pairing: Literal["interleaved", "half_split"]
    """interleaved: numbers 2i and 2i+1; half_split: i and i+dim/2."""
    positions: list[float]
    """Any numbers, negative and fractional too."""
    base: NotRequired[float | None]
    """10000 unless given."""
    frequencies: NotRequired[list[float] | None]
    """Radians per position of each pair, instead of the base's."""
    scaling: NotRequired[ScalingIn | None]
    """How RoPE is stretched to longer texts; null for not at all."""
    sequence_length: NotRequired[float | None]
    """For dynamic scaling; the largest position + 1 unless given."""
    rotary_dim: NotRequired[int | None]
    """How many of the first numbers are rotated; all unless given."""
    vector: NotRequired[list[float] | None]
    """The query; (1, 0) in every pair unless given."""
    key: NotRequired[list[float] | None]
    """The key; the query unless given."""
    distances: NotRequired[list[float] | None]
    """For `decay`; the positions unless given."""
    precision: NotRequired[Literal["float64", "float32", "float16", "bfloat16"]]
    """Of vectors and scores; angles are always float64."""
    slide: NotRequired[float | None]
    """Also give the scores with this added to the positions."""
    mix_pairings: NotRequired[bool]
    """Also give the scores of mixed pairings, a common mistake."""
    compose: NotRequired[list[float] | None]
    """m, n: also give R_mᵀR_n and R_{n−m}."""


class RopeResponse(TypedDict):
    """All RoPE results for the two vectors. Rows of scores are queries, columns keys."""

    frequencies: list[float]
    """[pairs] Radians per position."""
    wavelengths: list[float | Literal["-Infinity", "Infinity"]]
    """[pairs] Positions per full turn."""
    attention_factor: float
    """Multiplies cos and sin; 1 except under YaRN."""
    angles: list[list[float]]
    """[positions][pairs] Radians."""
    cos: list[list[float]]
    """[positions][pairs]"""
    sin: list[list[float]]
    """[positions][pairs]"""
    vector: list[float]
    """[dim] The query."""
    key: list[float]
    """[dim]"""
    rotated: list[list[float]]
    """[positions][dim] The query at each position."""
    rotated_keys: list[list[float]]
    """[positions][dim]"""
    norms: list[float]
    """[positions] Of the rotated query: the same at every position."""
    relative_scores: list[list[float]] | None
    """[positions][positions] q·k after rotating each to its position, unscaled. Null where positions²
    exceeds OBSERVATORY_MAX_CONCEPT_CELLS.
    """
    decay_distances: list[float]
    """[distances]"""
    decay: list[float]
    """[distances] Mean |S_j| at each of decay_distances (RoFormer, §3.4.3)."""
    permutation: list[int]
    """[rotary_dim] half_split[i] = interleaved[permutation[i]]."""
    slide: SlideOut | None
    """The scores with all positions shifted; null unless asked for."""
    mixed_pairings: MixedPairingsOut | None
    """What happens if queries and keys are paired differently; null unless asked for."""
    composition: CompositionOut | None
    """RoPE's rotations composed; null unless asked for."""


class RunAnswer(TypedDict):
    """A run."""

    parameters: int
    """Number of learned parameters."""
    vocabulary: list[str]
    """Texts of all tokens, by number."""
    example: list[str]
    """The words of the sequence whose maps are shown; the same for every run of a task."""
    scored: list[bool]
    """Of each of its positions: whether the next word is predictable."""
    chance_loss: float
    """Of uniform guessing, in nats: ln of the number of words that can be the answer."""
    chance_scores: dict[str, Any]
    """By role, of a head with uniform weights."""
    updates_every: int
    """Steps between two updates."""
    state: Literal["starting", "running", "paused", "finished", "stopped", "failed"]
    """How far it is."""
    reason: Literal["diverged", "crashed", "time", "unwatched", "asked"] | None
    """Why it has stopped or failed."""
    message: str | None
    """The reason as a sentence."""
    step: int
    """Number of the step, from 0."""
    id: str
    """What requests name it by."""
    config: TrainingRequest
    """The settings, with those that were left out."""
    batch: int
    """Fresh sequences of each step."""
    formed: float
    """A head has a role when its score is above this."""
    not_exportable: str | None
    """Why transformers cannot represent this network; null if it can."""
    yours: bool
    """Whether you have started it: only then can you pause, stop, publish or delete it."""


class RunState(TypedDict):
    """The state of a run."""

    state: Literal["starting", "running", "paused", "finished", "stopped", "failed"]
    """How far it is."""
    reason: Literal["diverged", "crashed", "time", "unwatched", "asked"] | None
    """Why it has stopped or failed."""
    message: str | None
    """The reason as a sentence."""
    step: int
    """Number of the step, from 0."""


class SaturationAnswer(TypedDict):
    """The same row twice."""

    divisor: float
    """What scores are divided by."""
    unscaled: SaturationSide
    """Without scaling."""
    scaled: SaturationSide
    """The row divided by the divisor."""


class SaturationRequest(TypedDict):
    """One row of scores, and its divisor: ``divisor``, or √d_k."""

    scores: NotRequired[list[float]]
    """One score for each key."""
    divisor: NotRequired[float | None]
    """What scores are divided by."""
    d_k: NotRequired[int | None]
    """Divide by its square root; 64 unless one of the two is given."""


class SaturationSide(TypedDict):
    """Softmax of one row, and its gradient."""

    scores: list[float]
    """[keys]"""
    exponentials: list[float | None]
    """`exp(score)`; null where float64 overflows."""
    ratio: float | None
    """Largest / smallest exponential, `exp(max − min)`; null where float64 overflows."""
    weights: list[float]
    """[keys]"""
    entropy: float
    """`−Σ w ln w` in nats: ln n for uniform weights, 0 if one has all the weight."""
    jacobian: list[list[float]]
    """[keys][keys] `∂w_i/∂s_j = w_i (δ_ij − w_j)`"""
    gradient_norm: float
    """Frobenius norm of the Jacobian: near 0 nothing is learned through these weights."""


class ScalingAnswer(TypedDict):
    """One entry for each d_k, in the order asked for."""

    distributions: list[ScoreDistributionAnswer]
    """One for each size, in the order asked for."""


class ScalingIn(TypedDict):
    """Which scaling, with the settings that its kind has (see ``attention_core.rope_scaling``)."""

    kind: Literal["default", "linear", "ntk", "dynamic", "yarn", "llama3"]
    """Also accepted as `type` or `rope_type`; default is plain RoPE."""
    rope_theta: NotRequired[float | None]
    """The base, where a configuration has it here."""
    factor: NotRequired[float | None]
    """How many times longer than trained."""
    trained_length: NotRequired[float | None]
    """Also accepted as `original_max_position_embeddings`."""
    beta_fast: NotRequired[float | None]
    """YaRN: pairs that turn more often than this within the trained length are kept."""
    beta_slow: NotRequired[float | None]
    """YaRN: pairs that turn less often than this are stretched in full."""
    attention_factor: NotRequired[float | None]
    """What cosines and sines are multiplied by, √ of the temperature that YaRN lowers scores by."""
    mscale: NotRequired[float | None]
    """YaRN: strength of the attention factor."""
    mscale_all_dim: NotRequired[float | None]
    """YaRN: strength of the attention factor that it is divided by."""
    truncate: NotRequired[bool | None]
    """YaRN: whether the borders of its ramp are rounded to whole pairs."""
    low_freq_factor: NotRequired[float | None]
    """Llama 3: longer wavelengths than trained length / this are stretched in full."""
    high_freq_factor: NotRequired[float | None]
    """Llama 3: wavelengths shorter than the trained length divided by this are kept."""


class ScalingRequest(TypedDict):
    """Random queries and keys from N(0, 1), or the outputs of fresh linear layers for inputs from N(0, 1)."""

    d_k: NotRequired[list[int]]
    """Sizes of queries and keys."""
    source: NotRequired[Literal["normal", "linear"]]
    """What queries and keys are: random numbers, or outputs of fresh linear layers."""
    samples: NotRequired[int]
    """How many random vectors or pairs are drawn."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""
    bins: NotRequired[int]
    """Number of bins of the histogram."""
    bias: NotRequired[bool]
    """linear: whether the layers have a bias."""
    d_model: NotRequired[int | None]
    """linear: size of the inputs; d_k unless given."""
    seq_len: NotRequired[int]
    """linear: 1 scores independent pairs; more scores all pairs of a sequence, itself included."""
    layers: NotRequired[int | None]
    """linear: pairs of fresh layers among which the samples are divided; up to 64 unless given."""


class ScalingsRequest(TypedDict):
    """The positions, and the trained model."""

    dim: NotRequired[int]
    """Numbers in a vector; even."""
    base: NotRequired[float]
    """Base of RoPE's frequencies, base^(−2i/d)."""
    trained_length: NotRequired[float]
    """Number of tokens of the texts that the model was trained on."""
    factor: NotRequired[float]
    """How many times longer than trained."""
    positions: list[float]
    """Also the distances of the scores."""


class ScalingsResponse(TypedDict):
    """Plain RoPE first, then every scaling."""

    scalings: list[StretchOut]
    """Plain RoPE first."""


class ScanAnswer(TypedDict):
    """A scan of a corpus by a model, and how far it has come."""

    id: str
    """The id that its atlas has or will have."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""
    corpus: str
    """The corpus' id."""
    max_tokens: int | None
    """Most tokens to scan; null: all of the corpus."""
    window_tokens: int
    """The longest piece of a document that the model is given at once, in tokens."""
    seed: int
    """Number that determines everything random: the same number, the same answer."""
    state: Literal["waiting", "running", "finished", "cancelled", "failed"]
    """How far it is."""
    message: str | None
    """Why it failed, or what it waits for."""
    shards: int
    """Pieces of the corpus; 0 before they are known."""
    shards_done: int
    """Shards of the corpus that are done."""
    tokens: int
    """Tokens scanned so far."""
    tokens_per_second: float | None
    """How fast it goes; null before the first shard is done."""
    seconds: float
    """Since it began to run."""
    seconds_left: float | None
    """As it looks now; null if unknown."""
    yours: bool
    """Whether you have asked for it: only then can you stop it."""


class ScanLimits(TypedDict):
    """The operator's limits."""

    scans: int
    """Concurrent scans; 0: this server scans nothing."""
    scan_time_s: float
    """Seconds of a scan."""
    max_scan_tokens: int
    """Tokens of a scan."""
    max_corpus_bytes: int
    """Bytes of a corpus."""
    max_corpus_documents: int
    """Documents of a corpus."""
    allow_deletion: bool
    """Whether uploaded corpora and their atlases may be deleted at all."""


class ScanRequest(TypedDict):
    """Which corpus to scan with which model."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""
    corpus: str
    """The corpus' id."""
    max_tokens: NotRequired[int | None]
    """Of a larger corpus, a random sample of documents is scanned; as many as allowed unless given."""
    window_tokens: NotRequired[int | None]
    """Longer documents are cut into windows of so many tokens, between words."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""


class ScannableModel(TypedDict):
    """A model that can scan a corpus."""

    id: str
    """What requests name it by."""
    title: str
    """Its name, for people."""


class ScoreDistributionAnswer(TypedDict):
    """Raw and scaled scores at one d_k."""

    d_k: int
    """Size of a query and of a key."""
    raw: SummaryAnswer
    """Scores before scaling."""
    scaled: SummaryAnswer
    """Scores with ÷√d_k."""
    theory: TheoryAnswer
    """What follows from the variances, without sampling."""
    ratio: float | None
    """Variance of raw / variance of scaled scores: d_k. Null if that is 0 / 0."""


class ScoringAnswer(TypedDict):
    """Every stage by its name, in the order of computation. Rows are queries, columns are keys."""

    queries: list[list[float | Literal["-Infinity", "Infinity"]]]
    """As scored: rotated under RoPE."""
    keys: list[list[float | Literal["-Infinity", "Infinity"]]]
    """As scored: rotated under RoPE."""
    values: list[list[float | Literal["-Infinity", "Infinity"]]]
    """One vector for each key, averaged with the weights."""
    raw_scores: list[list[float | Literal["-Infinity", "Infinity"]]]
    """Of the scoring function, before anything else."""
    scaled_scores: list[list[float | Literal["-Infinity", "Infinity"]]]
    """raw_scores · scale"""
    masked_scores: list[list[float | Literal["-Infinity", "Infinity"]]]
    """scaled_scores + bias, −∞ where the mask forbids."""
    weights: list[list[float | Literal["-Infinity", "Infinity"]]]
    """softmax(masked_scores): each row sums to 1, or is 0 if every key is masked."""
    head_outputs: list[list[float | Literal["-Infinity", "Infinity"]]]
    """weights · values"""
    output: list[list[float | Literal["-Infinity", "Infinity"]]]
    """The same: there is one head and no output projection."""
    bias: list[list[float | Literal["-Infinity", "Infinity"]]] | None
    """Added to the scaled scores: the bias given, and ALiBi's."""
    mask: list[list[bool]] | list[list[float | Literal["-Infinity", "Infinity"]]] | None
    """True where attending is allowed; numbers if given as numbers."""
    entropy: list[float]
    """Of each query's weights, in nats."""
    fully_masked: list[bool]
    """[query] True where every key is masked: the weights are set to 0."""
    scale: float
    """What raw scores are multiplied by; includes the temperature."""
    temperature: float
    """What scores are divided by before softmax; below 1 sharper, above 1 flatter."""
    mechanism: Literal["dot", "scaled_dot", "cosine", "additive"]
    """How a query and a key make a score."""
    precision: Literal["float64", "float32", "float16", "bfloat16"]
    """Number format of the computation."""
    query_norms: list[float]
    """Lengths of the queries."""
    key_norms: list[float]
    """Lengths of the keys."""
    additive: AdditiveAnswer | None
    """The hidden layer of additive attention; null for other mechanisms."""


class ScoringRequest(TypedDict):
    """Rows are vectors: one query, key or value each."""

    queries: list[list[float]]
    """One vector for each query."""
    keys: list[list[float]]
    """One vector for each key."""
    values: list[list[float]]
    """As many as keys."""
    mechanism: NotRequired[Literal["dot", "scaled_dot", "cosine", "additive"]]
    """How a query and a key make a score."""
    scale: NotRequired[float | None]
    """What scores are multiplied by; 1/√d for scaled_dot and 1 for others unless given."""
    temperature: NotRequired[float]
    """What scores are divided by."""
    bias: NotRequired[list[list[float]] | None]
    """(queries, keys), added to the scaled scores."""
    mask: NotRequired[MaskOptions | None]
    """Where attending is allowed."""
    position: NotRequired[PositionOptions | None]
    """How positions are told, RoPE or ALiBi; null for not at all."""
    additive: NotRequired[AdditiveOptions | None]
    """For the additive mechanism only."""
    precision: NotRequired[Literal["float64", "float32", "float16", "bfloat16"]]
    """Number format of the whole computation."""


class SearchAnswer(TypedDict):
    """The cells of the corpus that are most like one."""

    of: SearchedCell
    """What was searched for."""
    searched: int
    """Cells that were compared: a sample of the corpus."""
    found: list[FoundAnswer]
    """The most similar first."""
    windows: dict[str, Any]
    """Those of the cells found, by id."""


class SearchResults(TypedDict):
    """What a search of the Hugging Face Hub has found, the most downloaded first."""

    models: list[FoundModel]
    """In the order in which they are offered."""


class SearchedCell(TypedDict):
    """The cell that others are like."""

    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    layer: int
    """Index of the layer, from 0."""
    head: int
    """Index of the head, from 0."""
    by: Literal["query", "key", "output", "all"]
    """What the comparison is by."""
    window: int | None
    """Index of the window: a piece of a document."""
    analysis: str | None
    """Id of the analysis in which it is; null in the corpus."""
    query: int
    """Index of the query, from 0."""
    key: int | None
    """Index of the key, from 0."""


class SelfCheck(TypedDict):
    """Our attention compared with the library's own on a few random tokens, before a model is offered."""

    weights: float | None
    """Largest difference of any weight; null where the library returns no weights."""
    last_hidden_state: float
    """Largest difference, relative to its largest number."""
    bound: float
    """Largest difference that counts as rounding."""
    tokens: int
    """Number of tokens that both processed."""


class SetPattern(TypedDict):
    """Where the heads read: equally everywhere, at the position before alone, or nowhere after the query."""

    part: NotRequired[Literal["encoder", "decoder", "cross"] | None]
    """By default the model's first."""
    layer: int | Literal["all"]
    """Counted from 0."""
    heads: list[int] | Literal["all"]
    """Query heads, counted from 0."""
    kind: Literal["pattern"]
    """Which of the alternatives it is."""
    pattern: Literal["uniform", "previous_token", "causal"]
    """Equally everywhere, at the position before alone, or nowhere after the query."""


class ShapeAnswer(TypedDict):
    """One intermediate tensor of the module."""

    name: str
    """Its short name."""
    operation: str
    """How it is computed from those before it."""
    axes: list[str]
    """Name of each axis."""
    shape: list[int]
    """Its sizes, axis by axis; null where the numbers are nested lists."""


class Shot(TypedDict):
    """One picture of a film."""

    picture: str
    """A PNG file in base64."""


class Side(TypedDict):
    """The scores of one pair of matrices. Rows are queries, columns are keys."""

    query_weight: list[list[float]]
    """[d_k][features]"""
    key_weight: list[list[float]]
    """[d_k][features]"""
    scores: list[list[float]]
    """[tokens][tokens] `(W_q x_i) · (W_k x_j) / √d_k`."""
    weights: list[list[float]]
    """[tokens][tokens]"""
    asymmetry: float
    """`‖S − Sᵀ‖ / ‖S‖` of the scores S, in the Frobenius norm: 0 if they are symmetric, at most 2."""


class SinusoidalRequest(TypedDict):
    """The positions, and the size of their vectors."""

    dim: NotRequired[int]
    """Size of the vectors."""
    seq_len: NotRequired[int | None]
    """Positions 0 … seq_len−1; 64 unless given."""
    positions: NotRequired[list[float] | None]
    """Any numbers, instead of seq_len."""
    base: NotRequired[float]
    """ω_i = base^(−2i/dim)."""
    layout: NotRequired[Literal["interleaved", "half_split"]]
    """sin, cos, sin, cos …; or half_split: all sines, then cosines."""
    step: NotRequired[float | None]
    """k: show M_k with PE(pos + k) = M_k PE(pos)."""
    model: NotRequired[str | None]
    """A model whose position table is shown at the same positions."""


class SinusoidalResponse(TypedDict):
    """Vectors of positions, and how similar they are."""

    frequencies: list[float]
    """[pairs] Radians per position."""
    wavelengths: list[float]
    """[pairs] Positions per full turn."""
    encoding: list[list[float]]
    """[positions][dim]"""
    similarity: list[list[float]] | None
    """[positions][positions] Dot products: Σ cos((p − q) ω_i). Null where positions² exceeds
    OBSERVATORY_MAX_CONCEPT_CELLS.
    """
    cosine_similarity: list[list[float]] | None
    """[positions][positions]"""
    step: StepOut | None
    """The shift by one position; null unless asked for."""
    positions: list[float]
    """The positions of the vectors."""
    table: TableOut | None
    """Null unless a model is named."""


class SizeAnswer(TypedDict):
    """Bytes, exact."""

    kv_heads: int
    """Number of heads of keys and values; fewer than query heads where those share them."""
    bytes_per_token: int
    """Of one token of one sequence, all layers."""
    bytes_per_layer: int
    """Of all tokens of the batch in one layer."""
    bytes_total: int
    """Bytes of the whole cache."""
    times_smaller_than_mha: float
    """Bytes with a head of keys and values for each query head, divided by these."""


class SkippedLineAnswer(TypedDict):
    """A malformed line of a corpus."""

    line: int
    """From 1."""
    reason: str
    """Why it is left out or cannot be used; null if it can."""


class SkippedLinesAnswer(TypedDict):
    """The malformed lines of a corpus, which were left out."""

    count: int
    """How many there are."""
    first: list[SkippedLineAnswer]
    """The first of them."""


class Slide(TypedDict):
    """One picture of a talk, and what belongs to it."""

    title: str
    """Its name, for people."""
    picture: str
    """A PNG file in base64."""
    described: NotRequired[str]
    """The picture in words, for who does not see it."""
    notes: NotRequired[str]
    """For the speaker."""
    source: NotRequired[str]
    """What the slide's foot says."""
    link: NotRequired[str]
    """Where the foot leads: the live page."""


class SlideOut(TypedDict):
    """The scores with positions shifted."""

    both: list[list[float]]
    """[positions][positions] Query and key shifted together: the same scores as before."""
    query_only: list[list[float]]
    """[positions][positions] Only the query shifted: other scores."""
    largest_change_both: float
    """Largest change of a score when both positions are shifted: 0 up to rounding."""
    largest_change_query_only: float
    """Largest change of a score when only the queries' positions are shifted."""


class SoftmaxAnswer(TypedDict):
    """Both computations, and the exact result."""

    scores: list[float]
    """[keys] Divided by the temperature, rounded to the precision."""
    stable: Stable
    """With the largest score subtracted first."""
    unstable: Unstable
    """Without the largest score subtracted."""
    exact: list[float]
    """[keys] In float64."""
    shifted_weights: list[float]
    """[keys] `softmax(x + shift)` in float64, equal to exact apart from rounding."""
    entropy: float
    """Of the stable weights, in nats."""
    largest_exponent: float
    """The score above which `exp` overflows in this precision."""
    precision: Literal["float64", "float32", "float16", "bfloat16"]
    """Number format of the computation."""
    largest_shift_difference: float
    """Between exact and shifted_weights: only rounding."""


class SoftmaxRequest(TypedDict):
    """Scores, and the arithmetic that softmax is computed in."""

    scores: list[float]
    """One score for each key."""
    precision: NotRequired[Literal["float64", "float32", "float16", "bfloat16"]]
    """Number format of the steps."""
    temperature: NotRequired[float]
    """The scores are divided by it first."""
    shift: NotRequired[float]
    """Added to every score in `shifted_weights`: nothing changes."""


class SoundAnswer(TypedDict):
    """A sound as the model heard it; the seconds of tokens are places in it."""

    seconds: float
    """How long it is, in seconds."""
    sampling_rate: int
    """Samples per second."""
    hop: float
    """Seconds from one position to the next."""
    heard_seconds: float
    """The length that all positions cover: more than the sound's where the model fills it up with silence."""
    first: int
    """The first token that is a position: tokens before it are learned."""
    bands: int
    """Bands of frequency, each with a position for every stretch of time."""
    outline: list[float]
    """[columns] The largest amplitude in equal stretches of the sound."""
    target_text: str | None
    """The decoder's text so far, given or transcribed."""


class Spread(TypedDict):
    """One number over the prompts."""

    mean: float
    """Each prompt counts once."""
    deviation: float
    """The standard deviation over the prompts, √(Σ (x − mean)² / n)."""
    least: float
    """The smallest value."""
    most: float
    """The largest value."""


class Stable(TypedDict):
    """`x → x − max x → exp → ÷ Σ`. Half precision is computed in float32 and rounded once, at the end."""

    maximum: float
    """The largest score, which is subtracted."""
    shifted: list[float]
    """[keys]"""
    exponentials: list[float]
    """[keys]"""
    total: float
    """What the exponentials add up to."""
    weights: list[float]
    """[keys]"""


class Stages(TypedDict):
    """Every stage of one head by its name, in the order of computation. Rows are queries, columns are
    keys.
    """

    queries: list[list[float | Literal["-Infinity", "Infinity"]]]
    """As scored: rotated under RoPE."""
    keys: list[list[float | Literal["-Infinity", "Infinity"]]]
    """As scored: rotated under RoPE."""
    values: list[list[float | Literal["-Infinity", "Infinity"]]]
    """One vector for each key, averaged with the weights."""
    raw_scores: list[list[float | Literal["-Infinity", "Infinity"]]]
    """Of the scoring function, before anything else."""
    scaled_scores: list[list[float | Literal["-Infinity", "Infinity"]]]
    """raw_scores · scale"""
    masked_scores: list[list[float | Literal["-Infinity", "Infinity"]]]
    """scaled_scores + bias, −∞ where the mask forbids."""
    weights: list[list[float | Literal["-Infinity", "Infinity"]]]
    """softmax(masked_scores): each row sums to 1, or is 0 if every key is masked."""
    head_outputs: list[list[float | Literal["-Infinity", "Infinity"]]]
    """weights · values"""
    output: list[list[float | Literal["-Infinity", "Infinity"]]]
    """The same: there is one head and no output projection."""


class StateDeviationAnswer(TypedDict):
    """The first state that is another than in one pass, or than the document has alone."""

    layer: int | None
    """After which, from 0; null for what enters the first."""
    position: int
    """Index of the token, from 0."""
    difference: float
    """Relative to the largest number of the states after this layer."""


class StationAnswer(TypedDict):
    """One vector on the way."""

    name: str
    """Its short name."""
    vector: list[float]
    """[size] Of `head_outputs` all heads concatenated, of `feed_forward_hidden` the wider layer."""
    made_by: Literal["norm", "project", "add"] | None
    """How; null for the input, and for what attention and feed-forward layer compute inside."""
    made_of: list[str]
    """Of which stations."""
    norm: float
    """Euclidean norm."""
    mean: float
    """Mean of the components."""
    standard_deviation: float
    """Standard deviation of the components (÷ d, as in LayerNorm)."""


class StepOut(TypedDict):
    """The same shift from every position."""

    matrix: list[list[float]]
    """[dim][dim] `M_k`."""
    shifted: list[list[float]]
    """[positions][dim] `PE(pos + k)`, computed directly."""
    by_matrix: list[list[float]]
    """[positions][dim] `M_k PE(pos)`."""
    largest_difference: float
    """Largest absolute difference; 0 up to rounding."""


class StepsAnswer(TypedDict):
    """All steps, and the full pass without a cache."""

    steps: list[CacheStepAnswer]
    """In their order."""
    uncached_weights: list[list[list[float]]]
    """[heads][tokens][tokens]"""
    uncached_output: list[list[float | Literal["-Infinity", "Infinity"]]]
    """[tokens][d_model]"""
    largest_difference: float
    """Largest absolute difference; 0 up to rounding."""
    cache_bytes: int
    """Allocated for the cache."""
    projected_with_cache: int
    """Tokens whose keys and values are computed, over all steps: each once."""
    projected_without_cache: int
    """The same if every step computed those of all tokens so far."""


class StepsRequest(TypedDict):
    """Random tokens, processed in steps by a random attention module."""

    prefill: NotRequired[int]
    """Tokens of the first step; 0: no such step."""
    chunks: NotRequired[list[int]]
    """Tokens of each further step."""
    d_model: NotRequired[int]
    """Size of the residual stream."""
    num_heads: NotRequired[int]
    """Number of query heads."""
    num_kv_heads: NotRequired[int | None]
    """num_heads unless given."""
    rope: NotRequired[Literal["interleaved", "half_split"] | None]
    """Rotate queries and keys by their positions, in this pairing."""
    max_length: NotRequired[int | None]
    """Tokens that the cache has room for; as many as there are unless given."""
    precision: NotRequired[Literal["float64", "float32", "float16", "bfloat16"]]
    """Number format of the computation."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""


class StretchOut(TypedDict):
    """One method of context extension."""

    kind: Literal["none", "linear", "ntk", "dynamic", "yarn", "llama3"]
    """Which of the alternatives it is."""
    attention_factor: float
    """What cosines and sines are multiplied by, √ of the temperature that YaRN lowers scores by."""
    frequencies: list[float]
    """[pairs]"""
    wavelengths: list[float]
    """[pairs]"""
    angles: list[list[float]]
    """[positions][pairs] Radians."""
    unseen_pairs: list[int]
    """[positions] Pairs at an angle never met in training, whose longest text was less than one full turn
    of theirs.
    """
    scores: list[float]
    """[positions] Score of two equal vectors, (1, 0) in every pair, at that distance, divided by the
    number of pairs.
    """


class SummaryAnswer(TypedDict):
    """Statistics and a histogram of many numbers."""

    count: int
    """How many there are."""
    mean: float
    """Arithmetic mean."""
    variance: float
    """Of a sample: ÷ (count − 1); 0 for a single number."""
    standard_deviation: float
    """Standard deviation."""
    minimum: float
    """The smallest number."""
    maximum: float
    """The largest number."""
    edges: list[float]
    """[edges] Of the histogram's bins, one more than there are bins; the last bin includes its right edge."""
    counts: list[int]
    """[bins] Of each bin."""


class TableOut(TypedDict):
    """The position table of a pretrained model."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""
    learned: bool
    """False for a fixed, sinusoidal table."""
    table_size: list[int]
    """Positions and numbers of the whole table."""
    positions: list[int]
    """Those of the request that the table has."""
    encoding: list[list[float]]
    """[positions][d_model]"""
    cosine_similarity: list[list[float]] | None
    """[position][position] Cosine of the angle between the vectors; null where there are too many."""


class Talk(TypedDict):
    """The slides of a talk in their order; their size is bounded by that of the whole request."""

    title: NotRequired[str]
    """Its name, for people."""
    slides: list[Slide]
    """In the order of the talk."""


class TaskAnswer(TypedDict):
    """One task."""

    name: Literal["repeat", "copy", "reverse", "sort", "brackets"]
    """Its short name."""
    vocabulary: list[str]
    """The word of each id."""


class Temperature(TypedDict):
    """softmax(q · k · scale / temperature + bias)"""

    part: NotRequired[Literal["encoder", "decoder", "cross"] | None]
    """By default the model's first."""
    layer: int | Literal["all"]
    """Counted from 0."""
    heads: list[int] | Literal["all"]
    """Query heads, counted from 0."""
    kind: Literal["temperature"]
    """Which of the alternatives it is."""
    temperature: float
    """What scores are divided by before softmax; below 1 sharper, above 1 flatter."""


class TheoryAnswer(TypedDict):
    """The predicted variance of the scores, without sampling."""

    component_variance: float
    """v: of each component of q and k."""
    variance: float
    """`d_k v²`"""
    standard_deviation: float
    """Standard deviation."""
    scaled_variance: float
    """`v²`"""
    scaled_standard_deviation: float
    """Standard deviation of the scores with ÷√d_k."""


class Token(TypedDict):
    """One token with its position in the text."""

    index: int
    """Its position, from 0."""
    id: int
    """What requests name it by."""
    text: str
    """What it says, with the blank in front of a word; of a piece that is only part of a character, that
    character.
    """
    token: str
    """As the vocabulary spells it."""
    start: int | None
    """First character in its text; null for a token that stands for no character."""
    end: int | None
    """One past the last character: `text[start:end]` is what the token was made from."""
    special: bool
    """A token with a role ([CLS], </s>, [MASK]) rather than a piece of text."""
    segment: int | None
    """0 for text, 1 for text_pair; a special token belongs to the text before it."""
    box: NotRequired[list[int] | None]
    """Of an image patch: left, top, width and height in pixels of the model's input. Left out for texts."""
    seconds: NotRequired[list[float] | None]
    """Of a position in a sound: its beginning and its end. Left out for texts."""
    word: NotRequired[int | None]
    """Which word of the input it belongs to, by Unicode's word boundaries, counted from 0; null for
    special tokens.
    """
    word_text: NotRequired[str | None]
    """Of the first of several tokens of a word, the word as it stands in the text; null for all other
    tokens.
    """


class TokenPair(TypedDict):
    """Which token attends to which."""

    kind: str
    """token, or upos: universal parts of speech."""
    without_sinks: bool
    """Whether first tokens and separators were left out as keys."""
    query: str
    """Text of the token that attends."""
    key: str
    """… stands for any other."""
    count: int
    """Queries of this kind whose strongest key is of that kind."""
    weight: float | None
    """Mean of those weights."""


class TokenReadsAnswer(TypedDict):
    """Everything that one token attends to and is attended to by, in every layer and head."""

    side: str
    """source or target: the text whose tokens `index` counts."""
    index: int
    """Its position, from 0."""
    parts: list[PartReadsAnswer]
    """Each attention of the model, with what belongs to it."""


class TokenVectorsAnswer(TypedDict):
    """One token's vectors in one head; null for roles that it does not have (between two texts)."""

    index: int
    """Its position, from 0."""
    query: list[float] | None
    """[size]"""
    key: list[float] | None
    """[size] Of the KV head that this query head uses."""
    value: list[float] | None
    """[value_size]"""


class TopTokensAnswer(TypedDict):
    """The largest weights of each head, largest first."""

    indices: list[list[list[int]]]
    """[layers][heads][count] −1 where there are no more to list."""
    weights: list[list[list[float]]]
    """[layers][heads][count] 0 where there are no more to list."""
    totals: list[list[float]]
    """[layers][heads] The sum over all tokens: of a row 1 (0 if every key is masked), of a column the
    attention that it receives.
    """


class TrainingOptions(TypedDict):
    """The options of a run, and their limits."""

    tasks: list[TaskAnswer]
    """Those that can be learnt."""
    positions: list[Literal["none", "sinusoidal", "rope", "alibi"]]
    """Ways to tell positions that can be trained."""
    mechanisms: list[Literal["scaled", "cosine", "qk_norm"]]
    """Those that can be trained."""
    defaults: TrainingRequest
    """What a run is made with unless its request says otherwise."""
    limits: dict[str, Any]
    """The largest value of each field; `runs`: how many at the same time."""
    active: int
    """Runs under way."""


class TrainingRequest(TypedDict):
    """A network and its task. The defaults form an induction head within seconds."""

    task: NotRequired[Literal["repeat", "copy", "reverse", "sort", "brackets"]]
    """What the network learns."""
    num_layers: NotRequired[int]
    """Number of layers."""
    num_heads: NotRequired[int]
    """Number of query heads."""
    num_kv_heads: NotRequired[int | None]
    """num_heads unless given; fewer: grouped-query attention."""
    d_model: NotRequired[int]
    """Width: size of a token's vector."""
    positions: NotRequired[Literal["none", "sinusoidal", "rope", "alibi"]]
    """How the model knows where a token is."""
    mechanism: NotRequired[Literal["scaled", "cosine", "qk_norm"]]
    """How a query and a key make a score."""
    feed_forward: NotRequired[bool]
    """Without it: attention only."""
    learning_rate: NotRequired[float]
    """Of AdamW."""
    steps: NotRequired[int]
    """How many batches the network learns from."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""


class TranslationAnswer(TypedDict):
    """吾輩は猫である on its way to “I am a cat”. Rows are the words that are written, columns those that are
    read.
    """

    source: list[str]
    """Words that are read."""
    target: list[str]
    """Words that are written."""
    meanings: list[str]
    """Names of the features."""
    source_features: list[list[float]]
    """[source][features] The keys."""
    target_features: list[list[float]]
    """[target][features] The queries, before they are multiplied by the sharpness."""
    sharpness: float
    """What scores are multiplied by."""
    through_one_vector: list[list[float]]
    """[target][source] What is left of each source word in the encoder's last state, as shares: the same
    row for every target word.
    """
    scores: list[list[float]]
    """[target][source] Of cross-attention: `q · k / √4`."""
    weights: list[list[float]]
    """[target][source] Softmax of the scores: where each target word looks."""


class TranslationRequest(TypedDict):
    """The encoder of the translator that has a single vector."""

    gain: NotRequired[float]
    """Its W is a random orthogonal matrix times this number."""
    dim: NotRequired[int]
    """Size of the vectors."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""


class TruncationAnswer(TypedDict):
    """The longest beginnings of these texts that `POST /api/analyses` accepts, cut between two tokens."""

    text: str
    """As it is written."""
    text_pair: str | None
    """The second of two texts; null if there is only one."""
    target_text: str | None
    """The text of the decoder, for encoder–decoder models; null if there is none."""
    tokens: int
    """Of text and text_pair together, special tokens included."""
    target_tokens: int | None
    """Of the target, the decoder's start token included; null without a target."""
    limit: int | None
    """Most tokens that are accepted; null without a limit."""
    model: str
    """Id of a model, as `GET /api/models` lists them."""
    cut: list[str]
    """Which of the texts were shortened."""


class TruncationRequest(TypedDict):
    """Texts, as in `POST /api/analyses`, but as long as a request may be."""

    model: str
    """Id of a model, as `GET /api/models` lists them."""
    text: str
    """As it is written."""
    text_pair: NotRequired[str | None]
    """A second text; the longer one is cut first."""
    target_text: NotRequired[str | None]
    """The output of an encoder–decoder model so far."""
    chat: NotRequired[bool]
    """Whether the text is a chat message; what surrounds it is not cut."""
    system_text: NotRequired[str | None]
    """The system message before a chat message, which is not cut."""


class TurnOptions(TypedDict):
    """RoPE in two dimensions: arrows are rotated by position · theta radians before they are scored."""

    query_positions: list[float]
    """The position of each query."""
    key_positions: list[float]
    """The position of each key."""
    theta: NotRequired[float]
    """Angle for each position, in radians."""


class Unstable(TypedDict):
    """`x → exp → ÷ Σ`, each step in the precision. "Infinity" is an overflow; null is not a number: ∞/∞,
    0/0.
    """

    exponentials: list[float | Literal["-Infinity", "Infinity"]]
    """[keys]"""
    total: float | Literal["-Infinity", "Infinity"]
    """What the exponentials add up to."""
    weights: list[float | None]
    """[keys]"""
    overflowed: bool
    """Some `exp`, or their sum, exceeds the largest number."""
    vanished: bool
    """Every `exp` is 0, so there is nothing to divide by."""


class VectorsAnswer(TypedDict):
    """How two tokens' vectors result in one weight."""

    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    layer: int
    """Index of the layer, from 0."""
    head: int
    """Index of the head, from 0."""
    kv_head: int
    """The KV head that this query head uses."""
    query_token: TokenVectorsAnswer
    """The token that attends, with its vectors."""
    key_token: TokenVectorsAnswer
    """The token that is read, with its vectors."""
    products: list[float]
    """[size] `q_d k_d`: they add up to `raw_score`."""
    raw_score: float
    """q · k."""
    scale: float
    """What the raw score is multiplied by; includes the temperature of a changed head."""
    scaled_score: float
    """q · k · scale."""
    cap: float | None
    """The scaled score becomes `cap · tanh(score / cap)`; None if scores are not capped."""
    bias: float
    """What is added to the scaled score."""
    masked_score: float | Literal["-Infinity", "Infinity"]
    """−∞ where the key is masked."""
    weight: float
    """How much the query attends to the key, 0 to 1."""
    sink_weight: float | None
    """What the head's learned sink takes of this row, so that its weights add up to less than 1; None
    without one.
    """


class VocabularyTokenAnswer(TypedDict):
    """A token of the vocabulary, or a class."""

    id: int
    """What requests name it by."""
    text: str
    """As it is written."""


class WeightsIn(TypedDict):
    """Matrices (out, in) instead of random ones; rows are the heads one after another."""

    queries: NotRequired[list[list[float]] | None]
    """Of the queries' projection; null for random ones."""
    keys: NotRequired[list[list[float]] | None]
    """Of the keys' projection; null for random ones."""
    values: NotRequired[list[list[float]] | None]
    """Of the values' projection; null for random ones."""
    output: NotRequired[list[list[float]] | None]
    """Of the output projection; null for random ones."""


class WhyAnswer(TypedDict):
    """How much of each word reaches the reader, in three ways."""

    average: list[float]
    """[words] 1/n, for every reader."""
    recurrent: list[Reading]
    """For each gain."""
    scores: list[list[float]]
    """[words][words] `q · k / √d`; rows are readers."""
    weights: list[list[float]]
    """[words][words] Softmax of the scores: what each reader takes from each word."""
    effort: Effort
    """What each way costs."""
    words: list[str]
    """The words, in their order."""
    reader: int
    """The word that attends."""
    asks: int
    """Index of the word that asks."""
    wanted: int
    """Index of the word that should be found."""


class WhyRequest(TypedDict):
    """A sentence, who reads it, and the recurrent networks that it is read with."""

    words: NotRequired[list[str]]
    """Equal words have equal vectors."""
    numbers: NotRequired[list[int] | None]
    """Of the words' vectors: in the order of their first appearance, from 0, unless given."""
    reader: NotRequired[int | None]
    """The word that takes in the others: the last unless given."""
    asks: NotRequired[int | None]
    """The word whose query is set by hand: the reader unless given."""
    wanted: NotRequired[int]
    """The word that it asks for."""
    gains: NotRequired[list[float]]
    """W of each recurrent network is a random orthogonal matrix times its gain."""
    dim: NotRequired[int]
    """Numbers of a word's vector and of the network's state."""
    seed: NotRequired[int]
    """Number that determines everything random: the same number, the same answer."""


class WindowAnswer(TypedDict):
    """A window of one stage of one head."""

    matrix: EncodedArray | list[list[float | Literal["-Infinity", "Infinity"]]]
    """The numbers: nested lists, or their bytes."""
    part: str
    """Which attention of the model: `encoder`, `decoder` or `cross`; the first if a request leaves it out."""
    layer: int
    """Index of the layer, from 0."""
    head: int
    """Index of the head, from 0."""
    stage: str
    """Which stage of the computation: raw, scaled or masked scores, weights, or weights times values."""
    rows: list[int]
    """First query, and one past the last."""
    cols: list[int]
    """First key, and one past the last."""
    shape: list[int]
    """Rows and columns."""
    pooled: bool
    """Whether a cell covers several tokens."""
    encoding: Literal["base64", "json"]
    """How the numbers are written: nested lists (`json`), or their bytes (`base64`)."""


class WindowTokenAnswer(TypedDict):
    """One token of a window."""

    text: str
    """As it is written."""
    start: int
    """Its first character in the window's text."""
    end: int
    """One past its last character."""
    special: bool
    """Whether the tokenizer added it."""
    token: NotRequired[str]
    """As the vocabulary spells it; empty in atlases of format 1."""
    word: NotRequired[int | None]
    """Which word of the text it belongs to; null for special tokens, and in atlases of format 1."""


class WordAnswer(TypedDict):
    """The word in one of the texts."""

    tokens: list[Token]
    """The tokens, in their order."""
    word_tokens: list[int]
    """Indices of the word's tokens."""
    norms: list[float]
    """[states] Lengths of the word's vectors."""
    reads: list[list[list[float | Literal["-Infinity", "Infinity"]]]] | EncodedArray
    """[layers][heads][keys] Weights of the word as a query: the mean over its tokens."""
    nearest: list[list[NearAnswer]]
    """For each state the nearest other tokens of all texts, without special tokens, nearest first."""


class WordIn(TypedDict):
    """A text and the word in it."""

    text: str
    """The text."""
    word: NotRequired[str | None]
    """Case is ignored."""
    occurrence: NotRequired[int]
    """Which of its occurrences, counted from 0."""
    token: NotRequired[int | None]
    """A token's index, instead of a word."""
