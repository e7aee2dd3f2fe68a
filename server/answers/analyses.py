"""Models and analyses in answers, and how they are made from the core's dataclasses."""

import base64
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from attention_core.pretrained.inputs.images import Picture
from attention_core.pretrained.inputs.sounds import Heard
from attention_core.pretrained.inputs.tokens import Token as CoreToken
from attention_core.pretrained.recording.allowed_keys import AllowedKeys
from attention_core.pretrained.recording.distribution import Distribution
from attention_core.pretrained.recording.metrics import METRICS
from attention_core.pretrained.recording.parity import Parity as CoreParity
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.analysis_parts import Part
from attention_core.pretrained.running.caveats import AnalysisWarning as CoreWarning
from attention_core.pretrained.running.predictions import Candidate as CoreCandidate
from attention_core.pretrained.running.predictions import Prediction as CorePrediction
from attention_core.pretrained.studies.prompts.text_measures import induction_cells
from ..requests.interventions import Intervention, from_core
from ..web.matrices import EncodedArray, Encoding, Matrix, encode, encode_base64, to_json_numbers
from .from_core import AnswerOf, FromCore
from .models import Model


def _is_none(value: object) -> bool:
    return value is None


class Token(AnswerOf[CoreToken]):
    """One token with its position in the text."""

    segment: int | None
    box: tuple[int, int, int, int] | None = Field(None, exclude_if=_is_none)
    seconds: tuple[float, float] | None = Field(None, exclude_if=_is_none)
    word: int | None = Field(None, exclude_if=_is_none)
    word_text: str | None = Field(None, exclude_if=_is_none)


class Candidate(AnswerOf[CoreCandidate]):
    """A candidate token for the predicted position."""

    written: str | None = None


class Prediction(AnswerOf[CorePrediction]):
    """The most probable tokens for one position, best first."""

    candidates: list[Candidate]


class Parity(AnswerOf[CoreParity]):
    """Largest differences between our attention and the library's eager attention."""

    within_bound: bool


class AnalysisWarning(AnswerOf[CoreWarning]):
    """A caveat for users."""


class MetricInfo(FromCore):
    """Description of a metric for users."""

    title: str
    definition: str
    source: str
    unit: str


class PictureAnswer(AnswerOf[Picture]):
    """An image as the model saw it; the boxes of tokens are positions on it."""

    png: str = Field(description="The resized image as a PNG file in base64.")

    @classmethod
    def shown(cls, picture: Picture) -> "PictureAnswer":
        """With its file as text."""
        return cls.of(picture, png=base64.b64encode(picture.png).decode("ascii"))


class SoundAnswer(AnswerOf[Heard]):
    """A sound as the model heard it; the seconds of tokens are places in it."""


class AllowedKeysAnswer(AnswerOf[AllowedKeys]):
    """The different masks of a part, and which of them each head has."""


class PartAnswer(FromCore):
    """The attention of an encoder, of a decoder, or between them. Rows are queries, columns are keys."""

    name: Literal["encoder", "decoder", "cross"]
    layers: int
    heads: int
    kv_heads: int
    causal: bool
    query_side: Literal["source", "target"] = Field(description="The text whose tokens are the rows.")
    key_side: Literal["source", "target"] = Field(description="The text whose tokens are the columns.")
    query_tokens: int
    key_tokens: int
    stages: list[str] = Field(description="The stages that it has: uploaded weights, for example, have no scores.")
    score_cap: float | None = Field(
        None, description="Scaled scores become cap · tanh(score / cap) before bias and mask; null if they do not."
    )
    sink_shares: Matrix | None = Field(
        None,
        description="What a learned sink takes of each head's rows on average, by layer and head: the weights of a row "
        "add up to 1 minus its sink's. Null without sinks.",
    )
    allowed_keys: AllowedKeysAnswer | None = Field(
        None,
        description="Which keys each query may attend to: other weights are 0 by the mask. Null where none are.",
    )
    key_totals: EncodedArray | None = Field(
        None,
        description="Layers, heads, 2, keys: the sum of the weights that a key gets from other tokens, and how many "
        "may attend to it, so that a weight can be compared with the mean of the others. Null for texts longer than a "
        "thumbnail.",
    )
    induction_cells: list[tuple[int, int]] = Field(
        [],
        description="Queries whose token has occurred before, each with the key that followed it last time, unless "
        "that is simply the previous token. Empty for texts longer than a thumbnail.",
    )
    overview: EncodedArray | None = Field(
        None, description="As at the top level, which has that of the first part; null there."
    )
    metrics: dict[str, Matrix] | None = Field(None, description="As at the top level; null in the first part.")


class AnalysisAnswer(FromCore):
    """One text through one model. Where a model has several parts, the top level describes the first."""

    model_config = ConfigDict(protected_namespaces=())

    id: str = Field(description="The same for the same request; all further views are requested by it.")
    model: Model
    tokens: list[Token]
    target_tokens: list[Token] | None
    layers: int
    heads: int
    kv_heads: int
    causal: bool
    parts: list[PartAnswer]
    overview: EncodedArray = Field(description="A thumbnail of each head: layers, heads, rows, columns.")
    metrics: dict[str, Matrix] = Field(description="By name: a row for each layer, a column for each head.")
    metric_info: dict[str, MetricInfo]
    predictions: list[Prediction]
    device: str
    dtype: str
    timings_ms: dict[str, float]
    parity: Parity | None
    image: PictureAnswer | None = Field(None, description="Of a model whose input is an image.")
    sound: SoundAnswer | None = Field(None, description="Of a model whose input is a sound.")
    interventions: list[Intervention] = Field(description="The requested changes; empty for the unchanged model.")
    warnings: list[AnalysisWarning] = Field(description="Caveats for users.")


class WindowAnswer(BaseModel):
    """A window of one stage of one head."""

    matrix: EncodedArray | Matrix
    part: str
    layer: int
    head: int
    stage: str
    rows: tuple[int, int] = Field(description="First query, and one past the last.")
    cols: tuple[int, int] = Field(description="First key, and one past the last.")
    shape: tuple[int, int] = Field(description="Rows and columns.")
    pooled: bool = Field(description="Whether a cell covers several tokens.")
    encoding: Encoding


class DistributionAnswer(AnswerOf[Distribution]):
    """Statistics of the unmasked cells."""


def analysis_answer(analysis_id: str, analysis: Analysis) -> AnalysisAnswer:
    """Everything that the overview needs."""
    first = analysis.parts[0]
    picture = analysis.picture
    return AnalysisAnswer.of(
        analysis,
        id=analysis_id,
        model=Model.model_validate(analysis.model),
        layers=first.layers,
        heads=first.heads,
        kv_heads=first.kv_heads,
        causal=first.causal,
        parts=[_part_answer(part, analysis, first=part is first) for part in analysis.parts],
        overview=encode_base64(first.overview, "u1"),
        metrics=_metrics(first),
        metric_info={name: MetricInfo.of(METRICS[name]) for name in first.metrics},
        image=None if picture is None else PictureAnswer.shown(picture),
        interventions=from_core(analysis.interventions),
    )


def window_answer(
    window: NDArray[np.float32],
    encoding: Encoding,
    *,
    part: str,
    layer: int,
    head: int,
    stage: str,
    rows: tuple[int, int],
    cols: tuple[int, int],
) -> WindowAnswer:
    """A window and its place. Not validated: these numbers are ours, and may be a million."""
    full = (rows[1] - rows[0], cols[1] - cols[0])
    return WindowAnswer.model_construct(
        matrix=encode(window, encoding),
        part=part,
        layer=layer,
        head=head,
        stage=stage,
        rows=rows,
        cols=cols,
        shape=window.shape,
        pooled=window.shape != full,
        encoding=encoding,
    )


def _part_answer(part: Part, analysis: Analysis, *, first: bool) -> PartAnswer:
    totals = part.key_totals
    tokens = analysis.tokens if part.query_side == "source" else analysis.target_tokens or []
    return PartAnswer.of(
        part,
        overview=None if first else encode_base64(part.overview, "u1"),
        metrics=None if first else _metrics(part),
        sink_shares=None if part.sink_shares is None else to_json_numbers(part.sink_shares),
        key_totals=None if totals is None else encode_base64(totals, "f2"),
        induction_cells=[] if totals is None else induction_cells(part.record, tokens),
    )


def _metrics(part: Part) -> dict[str, Matrix]:
    return {name: to_json_numbers(values) for name, values in part.metrics.items()}
