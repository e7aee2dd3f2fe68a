"""Models in answers."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..web.i18n import Said


class SelfCheck(BaseModel):
    """Our attention compared with the library's own on a few random tokens, before a model is offered."""

    model_config = ConfigDict(from_attributes=True)

    weights: float | None = Field(
        description="Largest difference of any weight; null where the library returns no weights."
    )
    last_hidden_state: float = Field(description="Largest difference, relative to its largest number.")
    bound: float = Field(description="Largest difference that counts as rounding.")
    tokens: int = Field(description="Number of tokens that both processed.")


SupportLevel = Literal["carried", "weights_only", "refused"]


class Model(BaseModel):
    """One entry of the catalog. Null means unknown, because the model is not stored on this server."""

    model_config = ConfigDict(from_attributes=True)

    id: str = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])
    title: str
    architecture: str | None = Field(description="The class of transformers.", examples=["BertModel"])
    kind: Literal["encoder", "decoder", "encoder_decoder"] | None
    layers: int | None
    heads: int | None
    kv_heads: int | None = Field(description="Fewer than heads under grouped-query attention.")
    head_dim: int | None
    max_tokens: int | None = Field(description="Its longest input; null where positions are unbounded.")
    max_target_tokens: int | None = Field(
        None, description="The longest input of its decoder beside an encoder; null for all other models."
    )
    positions: str | None = Field(description="How it encodes positions: learned, rope, alibi, relative …")
    source: str = Field(description="directory, package, training (a network of the training page) or hub")
    available: bool
    reason: Said | None = Field(description="Why it is not available, and what to do.")
    reads: Literal["text", "image", "sound"] = Field("text", description="The input of an analysis.")
    mask_token: str | None = Field(
        None,
        description="Marks a token to be predicted in a text; null if there is none, or before the model is loaded.",
        examples=["[MASK]"],
    )
    parameters: int | None = Field(None, description="Numbers in its weight files.")
    size_bytes: int | None = Field(None, description="Bytes of its weight files.")
    licence: str | None = Field(None, description="As its model card names it.", examples=["apache-2.0"])
    support: SupportLevel | None = Field(
        None,
        description="What can be shown, by its configuration. carried: everything, our attention runs inside. "
        "weights_only: what its own attention returns. refused: nothing.",
    )
    support_reason: Said | None = Field(None, description="Why it is not carried.")
    has_chat_template: bool = Field(False, description="Whether a text may be given as a chat message.")
    takes_pairs: bool = Field(
        True, description="Whether a second text may follow the first; false once the model was tried and fails on it."
    )
    is_here: bool = Field(False, description="Whether its files are on this server.")
    caveats: list[Said] = Field([], description="What is to be said of its weights; empty before it is loaded.")
    base: str | None = Field(None, description="Of a LoRA adapter, the model that it is merged into; else null.")
    text_part_of: str | None = Field(
        None,
        description="The type of the model of images or sounds whose text part alone is shown; else null.",
        examples=["gemma3"],
    )
    self_check: SelfCheck | None = Field(None, description="Done when a model is first loaded; null before.")


class FoundModel(BaseModel):
    """One model that a search of the Hugging Face Hub has found. Null: the hub does not say."""

    model_config = ConfigDict(from_attributes=True)

    id: str
    architecture: str | None
    parameters: int | None
    licence: str | None
    downloads: int | None = Field(description="In the last month.")
    gated: bool = Field(description="Only for people who have accepted its terms; such models are not fetched.")
    support: SupportLevel | None = Field(description="What can be shown, as far as the architecture tells.")
    support_reason: Said | None = Field(description="Why it is not carried.")
