"""Two prompts in a request, and what is patched between them."""

from typing import Literal

from pydantic import ConfigDict, Field

from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.studies.patching.experiment import Question
from ..settings import Settings
from ..web.schema_rules import ABSENT, GIVEN, either
from .bounded import AnswerToken, Index, LongText, Name, PartName, RequestModel, check_characters


class PromptPairRequest(RequestModel):
    """Two prompts, as they are typed."""

    model: Name = Field(description="An id of /api/models, of a model that predicts tokens.")
    clean: LongText = Field(
        description="The prompt that leads to the answer.",
        examples=["Pacific Duke Sonic Norfolk Juliet Burma Madonna . Pacific Duke Sonic"],
    )
    corrupt: LongText = Field(
        description="A prompt of equally many tokens that leads elsewhere.",
        examples=["Pacific Duke Burma Norfolk Juliet Sonic Madonna . Pacific Duke Sonic"],
    )
    target_text: LongText | None = Field(
        None, description="What the decoder of an encoder–decoder model is given, in both runs."
    )
    chat: bool = Field(
        False,
        description="Whether both prompts are chat messages, which the model's chat template puts into its frame.",
    )
    system_text: LongText | None = Field(None, description="The system message before both chat messages.")

    @property
    def as_chat(self) -> Chat | None:
        """What the chat messages come with; None for plain texts."""
        return Chat(self.system_text) if self.chat else None

    def check(self, settings: Settings) -> None:
        """Raise ApiError for texts over the operator's limit."""
        for field in ("clean", "corrupt", "target_text", "system_text"):
            check_characters(settings, field, getattr(self, field))


class _Prompts(PromptPairRequest):
    answer: AnswerToken | None = Field(
        None, description="An id, or a text of exactly one token (“ cat”); by default the clean run's best."
    )
    against: AnswerToken | None = Field(
        None, description="The token whose logit is subtracted; by default the corrupt run's best other one."
    )
    position: Index | None = Field(
        None, description="Where the answer is predicted; by default the last token, or the first masked one."
    )
    direction: Literal["denoising", "noising"] = Field(
        "denoising", description="Denoising patches clean activations into the corrupt run, noising the reverse."
    )

    def question(self, settings: Settings) -> Question:
        """The core's question. Raises ApiError for texts over the operator's limit."""
        self.check(settings)
        return Question(
            clean=self.clean,
            corrupt=self.corrupt,
            target_text=self.target_text,
            chat=self.as_chat,
            answer=self.answer,
            against=self.against,
            position=self.position,
            direction=self.direction,
        )


class PatchingRequest(_Prompts):
    """Patch every head, or every position, of every layer."""

    model_config = ConfigDict(
        json_schema_extra=either(
            {"by": "head", "what": {"enum": ["output", "queries", "keys", "values", "pattern"]}},
            {"by": "position", "patched_position": ABSENT, "part": {"enum": ["encoder", "decoder", None]}},
            {
                "by": "position",
                "patched_position": ABSENT,
                "what": {"enum": ["output", "queries", "keys", "values", "pattern"]},
            },
        )
    )

    what: Literal["output", "queries", "keys", "values", "pattern", "residual"] = Field(
        "output",
        description="Output: of a head, before W_O. Queries and keys: after RoPE. Pattern: a head's weights, on the "
        "values of the run that is patched. Residual: the stream before a layer, by position only.",
    )
    by: Literal["head", "position"] = Field(
        "head", description="Head: one head a run. Position: all heads of a layer at one position a run."
    )
    patched_position: Index | None = Field(
        None, description="Patch heads at this position only: a key's for keys and values, else a query's."
    )
    part: PartName | None = Field(None, description="By default the model's first.")


class PathPatchingRequest(_Prompts):
    """Paths from one sender, to one receiver, or from every head to the logits."""

    model_config = ConfigDict(
        json_schema_extra=either(
            {"fixed": "logits", "layer": ABSENT, "head": ABSENT},
            {"fixed": {"enum": ["sender", "receiver"]}, "layer": GIVEN, "head": GIVEN},
        )
    )

    fixed: Literal["sender", "receiver", "logits"] = Field(
        "logits", description="The end that all paths share; the grid's heads are at the other."
    )
    layer: Index | None = Field(None, description="Of the head at that end.")
    head: Index | None = Field(None, description="A KV head if it receives keys or values.")
    via: Literal["queries", "keys", "values"] = Field("queries", description="What of the receiver is patched.")
    feed_forward: Literal["recomputed", "held"] = Field(
        "recomputed",
        description="Recomputed: paths may lead through feed-forward layers (Wang et al. 2022). Held: along the "
        "residual stream alone.",
    )
