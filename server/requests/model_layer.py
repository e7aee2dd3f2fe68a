"""A layer of a loaded model in place of random or given matrices."""

from collections.abc import Iterable

from pydantic import BaseModel, Field

from ..web.errors import ApiError
from .bounded import Index, LongText, Name, RequestModel

MODULE_NUMBERS = (
    "d_model",
    "num_kv_heads",
    "head_dim",
    "value_dim",
    "weights",
    "vectors",
    "tokens",
    "query_len",
    "context_vectors",
    "context_tokens",
    "key_len",
    "rope",
    "qk_norm",
    "scale",
    "mask",
)
"""Fields of a request for multi-head attention that a model's layer takes the place of."""


class ModelLayer(RequestModel):
    """The vectors that a layer's attention gets for a text, and its own projections."""

    model: Name = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])
    text: LongText = Field(examples=["The cat sat on the mat because it was tired."])
    layer: Index = 0


class ModelHead(ModelLayer):
    """The same of one head."""

    head: Index = 0


def refuse_beside(request: BaseModel, name: str, others: Iterable[str]) -> None:
    """Refuse fields that say otherwise what a model's layer says already."""
    also_given = next((other for other in others if getattr(request, other) is not None), None)
    if also_given is not None:
        raise ApiError(
            422, "invalid_value", "{name} must be left out where {other} is given.", also_given, name, field=also_given
        )
