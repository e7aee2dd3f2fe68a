"""What a model looks like as JSON."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from server.web.i18n import Said


class SelfCheck(BaseModel):
    """Our attention against the library's own on a few random tokens, before a model is offered."""

    model_config = ConfigDict(from_attributes=True)

    weights: float | None = Field(
        description="Largest difference of any weight; null where the library hands out none to compare with."
    )
    last_hidden_state: float = Field(description="Largest difference, as a share of its largest number.")
    bound: float = Field(description="How much is rounding.")
    tokens: int = Field(description="How many tokens both read.")


class Model(BaseModel):
    """One line of the catalog. What is null is not known, because the model is not at hand."""

    model_config = ConfigDict(from_attributes=True)

    id: str = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])
    title: str
    architecture: str | None = Field(description="The class of transformers.", examples=["BertModel"])
    kind: Literal["encoder", "decoder", "encoder_decoder"] | None
    layers: int | None
    heads: int | None
    kv_heads: int | None = Field(description="Fewer than heads under grouped-query attention.")
    head_dim: int | None
    max_tokens: int | None = Field(description="The longest input it takes; null where its positions have no end.")
    positions: str | None = Field(description="How it knows positions: learned, rope, alibi, relative …")
    source: str = Field(description="directory, package, training (a network of the training page) or hub")
    available: bool
    reason: Said | None = Field(description="Why it is not available, and what to do.")
    reads: Literal["text", "image"] = Field("text", description="What an analysis starts from.")
    mask_token: str | None = Field(
        None,
        description="What stands in a text for a token to be guessed; null if there is none, or before it is loaded.",
        examples=["[MASK]"],
    )
    self_check: SelfCheck | None = Field(None, description="Done when a model is first loaded; null before.")
