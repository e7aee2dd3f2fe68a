"""Two prompts in a request, texts or images, and what is patched between them."""

from typing import Literal

from pydantic import ConfigDict, Field

from attention_core.pretrained.inputs.chat import Chat
from attention_core.pretrained.inputs.images import Picture
from attention_core.pretrained.studies.patching.experiment import Question
from ..settings import Settings
from ..web.errors import ApiError
from ..web.openapi.schema_rules import ABSENT, GIVEN, either, every
from .bounded import AnswerToken, Index, LongText, Name, PartName, RequestModel, check_characters

PROMPTS = either(
    {"clean": GIVEN, "corrupt": GIVEN, "clean_analysis": ABSENT, "corrupt_analysis": ABSENT},
    {"clean": ABSENT, "corrupt": ABSENT, "clean_analysis": GIVEN, "corrupt_analysis": GIVEN},
)
IMAGES = ("clean_analysis", "corrupt_analysis")


class PromptPairRequest(RequestModel):
    """Two prompts: texts as they are typed, or images by their analyses."""

    model_config = ConfigDict(json_schema_extra=PROMPTS)

    model: Name = Field(description="An id of /api/models, of a model that predicts tokens or the class of an image.")
    clean: LongText | None = Field(
        None,
        description="The prompt that leads to the answer.",
        examples=["Pacific Duke Sonic Norfolk Juliet Burma Madonna . Pacific Duke Sonic"],
    )
    corrupt: LongText | None = Field(
        None,
        description="A prompt of equally many tokens that leads elsewhere.",
        examples=["Pacific Duke Burma Norfolk Juliet Sonic Madonna . Pacific Duke Sonic"],
    )
    clean_analysis: Name | None = Field(
        None,
        description="For a model that reads images: the id of the analysis of the image that leads to the answer, from "
        "POST /api/analyses/image. What is changed in that analysis is not.",
    )
    corrupt_analysis: Name | None = Field(None, description="The id of the other image's analysis, by the same model.")
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
        """Raise ApiError for texts over the operator's limit, and unless two texts or two images are given."""
        for field in ("clean", "corrupt", "target_text", "system_text"):
            check_characters(settings, field, getattr(self, field))
        present = {name for name in ("clean", "corrupt", *IMAGES) if getattr(self, name) is not None}
        if present not in ({"clean", "corrupt"}, set(IMAGES)):
            raise ApiError(
                422,
                "invalid_request",
                "{field}: give either clean and corrupt, or clean_analysis and corrupt_analysis.",
                field="corrupt"
                if present == {"clean"}
                else "corrupt_analysis"
                if "clean_analysis" in present
                else "clean",
            )


class _Prompts(PromptPairRequest):
    answer: AnswerToken | None = Field(
        None,
        description="An id, or a text of exactly one token (“ cat”), or a class's name; by default the clean run's "
        "best.",
    )
    against: AnswerToken | None = Field(
        None, description="The token or class whose logit is subtracted; by default the corrupt run's best other one."
    )
    position: Index | None = Field(
        None,
        description="Where the answer is predicted; by default the last token, or the first masked one. A class has no "
        "place.",
    )
    direction: Literal["denoising", "noising"] = Field(
        "denoising", description="Denoising patches clean activations into the corrupt run, noising the reverse."
    )

    def question(self, prompts: tuple[str | Picture, str | Picture]) -> Question:
        """The core's question about two texts or images."""
        clean, corrupt = prompts
        return Question(
            clean=clean,
            corrupt=corrupt,
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
        json_schema_extra=every(
            PROMPTS,
            either(
                {"by": "head", "what": {"enum": ["output", "queries", "keys", "values", "pattern"]}},
                {"by": "position", "patched_position": ABSENT, "part": {"enum": ["encoder", "decoder", None]}},
                {
                    "by": "position",
                    "patched_position": ABSENT,
                    "what": {"enum": ["output", "queries", "keys", "values", "pattern"]},
                },
            ),
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
        json_schema_extra=every(
            PROMPTS,
            either(
                {"fixed": "logits", "layer": ABSENT, "head": ABSENT},
                {"fixed": {"enum": ["sender", "receiver"]}, "layer": GIVEN, "head": GIVEN},
            ),
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
