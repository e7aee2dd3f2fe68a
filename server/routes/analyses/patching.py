"""Activation and path patching between a clean and a corrupt prompt."""

from typing import Literal

from fastapi import APIRouter
from pydantic import ConfigDict, Field

from attention_core.pretrained.studies.patching.contrast import PromptRun, VocabularyToken
from attention_core.pretrained.studies.patching.experiment import Question
from attention_core.pretrained.studies.patching.patching import PatchedCell, Patching, patching
from attention_core.pretrained.studies.patching.paths import PathPatching, path_patching
from attention_core.refusal import Sentence
from server.answers.analyses import Candidate, Token
from server.answers.answer_paths import Drawn
from server.answers.drawings import HEAD, HEADS, LAYERS, POSITION, Side, heat
from server.answers.figures import Axis
from server.answers.from_core import AnswerOf
from server.requests.bodies import BodyRoute
from server.requests.bounded import Index, LongText, Name, PartName, RequestModel, check_characters
from server.routes.dependencies import ObservatoryDep, SettingsDep
from server.routes.figure_routes import add_figures
from server.settings import Settings
from server.web.i18n import say
from server.web.schema_rules import ABSENT, GIVEN, either

router = APIRouter(prefix="/api/patching", tags=["patching"], route_class=BodyRoute)

AnswerToken = Index | Name
"""An id, or a text of exactly one token."""


class _Prompts(RequestModel):
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
        for field in ("clean", "corrupt", "target_text"):
            check_characters(settings, field, getattr(self, field))
        return Question(
            clean=self.clean,
            corrupt=self.corrupt,
            target_text=self.target_text,
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


class VocabularyTokenAnswer(AnswerOf[VocabularyToken]):
    """A token of the vocabulary."""


class PromptRunAnswer(AnswerOf[PromptRun]):
    """The unpatched run of one prompt."""

    tokens: list[Token]
    candidates: list[Candidate]


class PatchedCellAnswer(AnswerOf[PatchedCell]):
    """One patch and what it did."""


class PatchingAnswer(AnswerOf[Patching]):
    """The effect of every patch: (patched − base) / (source − base), in logit differences."""

    model: str
    answer: VocabularyTokenAnswer
    against: VocabularyTokenAnswer
    clean: PromptRunAnswer
    corrupt: PromptRunAnswer
    strongest: list[PatchedCellAnswer]
    caveats: list[str]


class PathPatchingAnswer(AnswerOf[PathPatching]):
    """The effect of every path: (patched − base) / (source − base), in logit differences."""

    model: str
    answer: VocabularyTokenAnswer
    against: VocabularyTokenAnswer
    clean: PromptRunAnswer
    corrupt: PromptRunAnswer
    strongest: list[PatchedCellAnswer]
    caveats: list[str]


@router.post("")
async def post_patching(request: PatchingRequest, settings: SettingsDep, observatory: ObservatoryDep) -> PatchingAnswer:
    """Activation patching: how far one activation of the other run moves the answer's logit difference."""
    question = request.question(settings)
    loaded = await observatory.loading.get(request.model)
    found: Patching = await observatory.study(
        f"patching/{loaded.identity}/{settings.max_tokens}/{request.model_dump_json()}",
        lambda cancelled: patching(
            loaded,
            question,
            what=request.what,
            by=request.by,
            patched_position=request.patched_position,
            part=request.part,
            max_tokens=settings.max_tokens,
            cancelled=cancelled,
        ),
    )
    return PatchingAnswer.of(found, model=request.model, caveats=[say(each) for each in found.caveats])


class _Columns(Side):
    """Heads, or positions with their tokens."""

    def axis(self, drawn: Drawn) -> Axis:
        """See Side."""
        answer = drawn.answer
        if answer.by == "head":
            return super().axis(drawn)
        is_token = len(answer.effects[0]) == len(answer.clean.tokens)
        names = [token.text for token in answer.clean.tokens] if is_token else []
        return Side(POSITION, lambda _: names).axis(drawn)


def _title(drawn: Drawn) -> Sentence:
    return Sentence(
        "Effect of patching on {answer} against {against}",
        answer=f"“{drawn.answer.answer.text}”",
        against=f"“{drawn.answer.against.text}”",
    )


add_figures(
    router,
    post_patching,
    {"effects": heat("effects", _title, LAYERS, _Columns(HEAD), square=False)},
)


@router.post("/paths")
async def post_path_patching(
    request: PathPatchingRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> PathPatchingAnswer:
    """Path patching (Wang et al. 2022): how far one head acts on another, or on the logits, along direct paths."""
    question = request.question(settings)
    loaded = await observatory.loading.get(request.model)
    found: PathPatching = await observatory.study(
        f"path_patching/{loaded.identity}/{settings.max_tokens}/{request.model_dump_json()}",
        lambda cancelled: path_patching(
            loaded,
            question,
            fixed=request.fixed,
            layer=request.layer,
            head=request.head,
            via=request.via,
            max_tokens=settings.max_tokens,
            cancelled=cancelled,
        ),
    )
    return PathPatchingAnswer.of(found, model=request.model, caveats=[say(each) for each in found.caveats])


def _path_title(drawn: Drawn) -> Sentence:
    answer = drawn.answer
    head = f"{answer.layer}.{answer.head}"
    match answer.fixed:
        case "sender":
            return Sentence("Effect of the paths from head {head} to other heads", head=head)
        case "receiver":
            return Sentence("Effect of the paths from other heads to head {head}", head=head)
    return Sentence("Effect of the paths from each head to the logits")


add_figures(router, post_path_patching, {"effects": heat("effects", _path_title, LAYERS, HEADS)})
