"""Activation and path patching between a clean and a corrupt prompt."""

from fastapi import APIRouter, Request

from attention_core.pretrained.errors import EmptyTextError, NotComparableError
from attention_core.pretrained.inputs.images import Picture
from attention_core.pretrained.inputs.text_checks import text_named
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.studies.patching.patching import Patching, patching
from attention_core.pretrained.studies.patching.paths import PathPatching, path_patching
from attention_core.pretrained.studies.patching.prompts import prompt_pair
from attention_core.refusal import Sentence
from ...answers.analyses import PictureAnswer
from ...answers.answer_paths import Drawn
from ...answers.drawings import HEAD, HEADS, LAYERS, POSITION, Side, heat
from ...answers.figures import Axis
from ...answers.patching import PatchingAnswer, PatchingProgress, PathPatchingAnswer, PromptPairAnswer
from ...requests.bodies import BodyRoute
from ...requests.patching import IMAGES, PatchingRequest, PathPatchingRequest, PromptPairRequest
from ...requests.turns import in_turn
from ...settings import Settings
from ...web.disconnects import unless_disconnected
from ...web.errors import ApiError
from ...web.i18n import say
from ..dependencies import Observatory, ObservatoryDep, SettingsDep, not_kept
from ..figure_routes import add_figures

router = APIRouter(prefix="/api/patching", tags=["patching"], route_class=BodyRoute)


@router.post("")
async def post_patching(
    request: Request, wanted: PatchingRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> PatchingAnswer:
    """Activation patching: how far one activation of the other run moves the answer's logit difference."""
    patching = await unless_disconnected(request, _patched(wanted, settings, observatory))
    return await in_turn(
        PatchingAnswer.of, patching, model=wanted.model, caveats=[say(each) for each in patching.caveats]
    )


async def _patched(wanted: PatchingRequest, settings: Settings, observatory: Observatory) -> Patching:
    prompts = await _prompts(wanted, settings, observatory)
    loaded = await observatory.loading.get(wanted.model)
    return await observatory.reported_study(
        _key(wanted, loaded, settings),
        lambda cancelled, report: patching(
            loaded,
            wanted.question(prompts),
            what=wanted.what,
            by=wanted.by,
            patched_position=wanted.patched_position,
            part=wanted.part,
            max_tokens=settings.max_tokens,
            cancelled=cancelled,
            report=report,
        ),
    )


@router.post("/prompts")
async def post_prompt_pair(
    wanted: PromptPairRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> PromptPairAnswer:
    """The tokens of both prompts, and those that one has too many; nothing is run."""
    clean, corrupt = await _prompts(wanted, settings, observatory)
    loaded = await observatory.loading.get(wanted.model)
    asked = (clean, corrupt, wanted.target_text, wanted.as_chat)
    pair = await in_turn(prompt_pair, loaded, *asked, max_tokens=settings.max_tokens)
    images = (clean, corrupt) if isinstance(clean, Picture) and isinstance(corrupt, Picture) else None
    return await in_turn(
        lambda: PromptPairAnswer.of(pair, images=images and tuple(PictureAnswer.shown(each) for each in images))
    )


async def _prompts(
    wanted: PromptPairRequest, settings: Settings, observatory: Observatory
) -> tuple[str | Picture, str | Picture]:
    """Both texts, or the images of both analyses.

    Raises ApiError for texts over the operator's limit, for half a pair, and for an analysis that is not kept or not of
    an image by this model.
    """
    wanted.check(settings)
    if wanted.clean is not None and wanted.corrupt is not None:
        return wanted.clean, wanted.corrupt
    clean, corrupt = [await _image(wanted, field, observatory) for field in IMAGES]
    return clean, corrupt


async def _image(wanted: PromptPairRequest, field: str, observatory: Observatory) -> Picture:
    analysis = await observatory.analysis(getattr(wanted, field))
    if analysis is None:
        raise not_kept(getattr(wanted, field), field)
    if analysis.picture is None:
        raise ApiError(422, "out_of_range", "{field} must be the id of an image's analysis.", field=field)
    if analysis.model.id != wanted.model:
        raise NotComparableError(
            "This image was analysed by {other}, which prepares images in a way of its own: post it to {model}.",
            analysis.model.id,
            wanted.model,
            field=field,
        )
    return analysis.picture


@router.post("/progress")
async def post_patching_progress(
    wanted: PatchingRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> PatchingProgress:
    """How far the answer to the same request of `POST /api/patching` has come; nothing is computed for this."""
    return _progress(wanted, settings, observatory)


@router.post("/paths/progress")
async def post_path_patching_progress(
    wanted: PathPatchingRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> PatchingProgress:
    """How far the answer to the same request of `POST /api/patching/paths` has come; nothing is computed for this."""
    return _progress(wanted, settings, observatory)


def _progress(
    wanted: PatchingRequest | PathPatchingRequest, settings: Settings, observatory: Observatory
) -> PatchingProgress:
    wanted.check(settings)
    for field in ("clean", "corrupt"):
        if getattr(wanted, field) == "":
            raise EmptyTextError("The {what} is empty.", text_named(field), field=field)
    observatory.catalog.check_known(wanted.model)
    loaded = observatory.catalog.at_hand(wanted.model)
    key = None if loaded is None else _key(wanted, loaded, settings)
    kept = None if key is None else observatory.studies.get(key)
    if isinstance(kept, Patching | PathPatching):
        return PatchingProgress(done=kept.effects.size, total=kept.effects.size)
    steps = None if key is None else observatory.progress.of(key)
    return PatchingProgress(done=steps.done if steps else 0, total=steps.total if steps else None)


def _key(wanted: PatchingRequest | PathPatchingRequest, loaded: LoadedModel, settings: Settings) -> str:
    name = "patching" if isinstance(wanted, PatchingRequest) else "path_patching"
    return f"{name}/{loaded.identity}/{settings.max_tokens}/{wanted.model_dump_json()}"


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
        "Effect of patching on “{answer}” against “{against}”",
        answer=drawn.answer.answer.text,
        against=drawn.answer.against.text,
    )


add_figures(
    router,
    post_patching,
    {"effects": heat("effects", _title, LAYERS, _Columns(HEAD), square=False)},
)


@router.post("/paths")
async def post_path_patching(
    request: Request, wanted: PathPatchingRequest, settings: SettingsDep, observatory: ObservatoryDep
) -> PathPatchingAnswer:
    """Path patching (Wang et al. 2022): how far one head acts on another, or on the logits, along direct paths."""
    paths = await unless_disconnected(request, _path_patched(wanted, settings, observatory))
    return await in_turn(
        PathPatchingAnswer.of, paths, model=wanted.model, caveats=[say(each) for each in paths.caveats]
    )


async def _path_patched(wanted: PathPatchingRequest, settings: Settings, observatory: Observatory) -> PathPatching:
    prompts = await _prompts(wanted, settings, observatory)
    loaded = await observatory.loading.get(wanted.model)
    return await observatory.reported_study(
        _key(wanted, loaded, settings),
        lambda cancelled, report: path_patching(
            loaded,
            wanted.question(prompts),
            fixed=wanted.fixed,
            layer=wanted.layer,
            head=wanted.head,
            via=wanted.via,
            feed_forward=wanted.feed_forward,
            max_tokens=settings.max_tokens,
            cancelled=cancelled,
            report=report,
        ),
    )


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
