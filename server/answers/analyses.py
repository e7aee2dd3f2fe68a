"""What models and analyses look like as JSON, and how they are made from what the core hands out."""

import base64
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from attention_core.pretrained.inputs.tokens import Token as CoreToken
from attention_core.pretrained.recording.metrics import METRICS
from attention_core.pretrained.running.analysis import Analysis, Part
from server.answers.from_core import AnswerOf, FromCore
from server.answers.models import Model
from server.requests.interventions import Intervention, from_core
from server.web.matrices import EncodedArray, Encoding, Matrix, encode, encode_base64, to_json_numbers


def _is_none(value: object) -> bool:
    return value is None


class Token(AnswerOf[CoreToken]):
    """One token with its position in the text."""

    segment: int | None
    box: tuple[int, int, int, int] | None = Field(None, exclude_if=_is_none)


class Candidate(FromCore):
    """A token that may stand at the predicted place."""

    id: int
    text: str
    probability: float
    logit: float
    written: str | None = Field(
        None,
        description="What to write behind the text, or for the mask, to have it there; null where no text gives it.",
    )


class Prediction(FromCore):
    """The most probable tokens for one place, best first."""

    kind: Literal["next_token", "masked_token", "class"]
    index: int = Field(description="The token from which the prediction is read.")
    candidates: list[Candidate]


class Parity(FromCore):
    """Largest differences between our attention and the library's eager attention."""

    weights: float
    last_hidden_state: float = Field(description="Absolute.")
    relative_hidden_state: float = Field(description="The same as a share of the largest number in it.")
    bound: float = Field(description="Expected of float32 in this model, from its check when it was loaded.")
    within_bound: bool = Field(description="Whether `weights` and `relative_hidden_state` are within it.")


class AnalysisWarning(FromCore):
    """Something that whoever looks should know."""

    code: str
    message: str


class MetricInfo(FromCore):
    """What a metric means."""

    title: str
    definition: str
    source: str
    unit: str


class PictureAnswer(FromCore):
    """An image as the model saw it; the boxes of tokens are places on it."""

    width: int
    height: int
    patch: tuple[int, int] = Field(description="Height and width of one patch, in pixels.")
    grid: tuple[int, int] = Field(description="Patches down and across.")
    original_size: tuple[int, int] = Field(description="Width and height of what was sent.")
    png: str = Field(description="The picture as a PNG file in base64.")


class PartAnswer(FromCore):
    """The attention of an encoder, of a decoder, or between them. Rows are queries, columns are keys."""

    name: Literal["encoder", "decoder", "cross"]
    layers: int
    heads: int
    kv_heads: int
    causal: bool
    query_side: Literal["source", "target"] = Field(description="Whose tokens the rows are.")
    key_side: Literal["source", "target"] = Field(description="Whose tokens the columns are.")
    query_tokens: int
    key_tokens: int
    stages: list[str] = Field(description="What can be looked at: uploaded weights, say, have no scores.")
    overview: EncodedArray | None = Field(None, description="As at the top; null in the first part, whose it is.")
    metrics: dict[str, Matrix] | None = Field(None, description="As at the top; null in the first part.")


class AnalysisAnswer(FromCore):
    """One text through one model. Where a model has several parts, the top level describes the first."""

    model_config = ConfigDict(protected_namespaces=())

    id: str = Field(description="The same for the same request; closer looks are asked for under it.")
    model: Model
    tokens: list[Token]
    target_tokens: list[Token] | None
    layers: int
    heads: int
    kv_heads: int
    causal: bool
    parts: list[PartAnswer]
    overview: EncodedArray = Field(description="A small picture of each head: layers, heads, cells down, cells across.")
    metrics: dict[str, Matrix] = Field(description="By name: a row for each layer, a column for each head.")
    metric_info: dict[str, MetricInfo]
    predictions: list[Prediction]
    device: str
    dtype: str
    timings_ms: dict[str, float]
    parity: Parity | None
    image: PictureAnswer | None = Field(None, description="Of a model that reads images.")
    interventions: list[Intervention] = Field(description="What was changed, as asked; empty for the model as it is.")
    warnings: list[AnalysisWarning] = Field(description="What whoever looks should know.")


class WindowAnswer(BaseModel):
    """A window of one stage of one head."""

    matrix: EncodedArray | Matrix
    part: str
    layer: int
    head: int
    stage: str
    rows: tuple[int, int] = Field(description="First query, and one past the last.")
    cols: tuple[int, int] = Field(description="First key, and one past the last.")
    shape: tuple[int, int] = Field(description="Cells down and across.")
    pooled: bool = Field(description="Whether a cell stands for several tokens.")
    encoding: Encoding


class DistributionAnswer(FromCore):
    """Of all cells that the mask lets through."""

    edges: list[float]
    counts: list[int]
    mean: float
    standard_deviation: float
    minimum: float
    maximum: float
    masked: int = Field(description="Cells that the mask hides.")
    row_entropy: list[float] = Field(description="Of each query's weights, in nats.")


def analysis_answer(analysis_id: str, analysis: Analysis) -> AnalysisAnswer:
    """Everything the first picture needs."""
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
        parts=[_part_answer(part, first=part is first) for part in analysis.parts],
        overview=encode_base64(first.overview, "u1"),
        metrics=_metrics(first),
        metric_info={name: MetricInfo.of(METRICS[name]) for name in first.metrics},
        image=None if picture is None else PictureAnswer.of(picture, png=base64.b64encode(picture.png).decode("ascii")),
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
    """A window with what it shows. Made without validating what may be a million numbers of our own."""
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


def _part_answer(part: Part, *, first: bool) -> PartAnswer:
    if first:
        return PartAnswer.of(part, overview=None, metrics=None)
    return PartAnswer.of(part, overview=encode_base64(part.overview, "u1"), metrics=_metrics(part))


def _metrics(part: Part) -> dict[str, Matrix]:
    return {name: to_json_numbers(values) for name, values in part.metrics.items()}
