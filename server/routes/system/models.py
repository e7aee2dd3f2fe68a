"""Which models there are, and having one loaded before it is needed."""

import logging
from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from attention_core.pretrained.errors import AnalysisError
from attention_core.pretrained.models.entries import ModelEntry
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.models.sources import PACKAGED_MODELS
from attention_core.refusal import Sentence
from ...answers.models import FoundModel, Model
from ...requests.bodies import BodyRoute
from ...requests.bounded import MAX_NAME, Name, RequestModel
from ...requests.turns import aside, for_others, in_turn
from ...web.errors import ApiError
from ...web.i18n import Said, say
from ..dependencies import Observatory, ObservatoryDep

router = APIRouter(prefix="/api/models", tags=["models"], route_class=BodyRoute)

logger = logging.getLogger(__name__)

MAX_FOUND = 50
LoadingStage = Literal["waiting", "fetching", "checking", "reading", "trying"]
ModelName = Annotated[str, Query(min_length=1, max_length=MAX_NAME, description="The model's id.")]


class ListedModel(Model):
    """One line of the catalog, and whether the model is in memory."""

    purpose: Said | None = Field(
        None, description="What a built-in model is good for, in one sentence; null for all other models."
    )
    loaded: bool = Field(False, description="In memory, so that an analysis starts at once.")
    loading: LoadingStage | None = Field(None, description="The stage of its loading; null if it is not being loaded.")


class ModelMemory(BaseModel):
    """What models in memory take; those used least make room for others."""

    used_bytes: int
    limit_bytes: int


class ModelList(BaseModel):
    """The catalog."""

    models: list[ListedModel]
    default: str | None = Field(
        description="The model a page opens with: a built-in one, else the first; null if none is available."
    )
    memory: ModelMemory
    any_hub_id: bool = Field(
        description="Whether unlisted models of the Hugging Face Hub may be requested and searched for."
    )


class SearchResults(BaseModel):
    """What a search of the Hugging Face Hub has found, the most downloaded first."""

    models: list[FoundModel]


class LoadRequest(RequestModel):
    """Which model to load."""

    model: Name = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])


class Loading(BaseModel):
    """How far the loading of a model has come."""

    model_config = ConfigDict(protected_namespaces=())

    model: str
    state: Literal[LoadingStage, "idle", "ready", "failed"] = Field(
        description="idle: not in memory and not asked for. waiting: for its turn. fetching: from the hub. checking: "
        "files. reading: weights into memory. trying: one token through the model. ready: in memory. failed: see "
        "message."
    )
    done_bytes: int = Field(description="Fetched so far.")
    total_bytes: int = Field(description="0 if unknown; grows while files are found on the hub.")
    message: str | None = Field(None, description="Why it failed.")


def default_model(entries: Sequence[ModelEntry]) -> str | None:
    """The first that is available and reads texts, of the built-in ones if there is any.

    The page's opening example, lessons and embeds were made with a built-in model; the operator's folders stand before
    it in the list and must not take its place.
    """
    usable = [entry.id for entry in entries if entry.available and entry.reads == "text"]
    built_in = [packaged.id for packaged in PACKAGED_MODELS if packaged.id in usable]
    return next(iter(built_in + usable), None)


async def load_default(observatory: Observatory, *, ask_hub: bool = True) -> LoadedModel:
    """The default model, or the next in its order that can be loaded: one that cannot be is passed over.

    Raises ApiError 503 with the last reason if there is none.
    """
    tried: set[str] = set()
    reason = Sentence("No model is available.")
    while True:
        entries = await aside(observatory.catalog.entries, ask_hub=ask_hub)
        model_id = default_model([entry for entry in entries if entry.id not in tried])
        if model_id is None:
            raise ApiError(503, "not_ready", reason)
        try:
            return await observatory.loading.get(model_id)
        except AnalysisError as error:
            logger.warning("%s could not be loaded: %s", model_id, error)
            tried.add(model_id)
            reason = error.sentence


@router.get("")
async def list_models(observatory: ObservatoryDep) -> ModelList:
    """Every model that may be asked for, those that cannot be had right now with the reason."""
    entries = await in_turn(observatory.catalog.entries)
    loaded = observatory.catalog.loaded_ids()
    used, limit = observatory.catalog.memory()
    return ModelList(
        models=[_listed(entry, loaded, observatory) for entry in entries],
        default=default_model(entries),
        memory=ModelMemory(used_bytes=used, limit_bytes=limit),
        any_hub_id=observatory.catalog.takes_any_hub_id,
    )


@router.get("/search")
async def search_models(
    observatory: ObservatoryDep,
    query: Annotated[str, Query(min_length=1, max_length=MAX_NAME, description="Part of the model's id.")],
    limit: Annotated[int, Query(ge=1, le=MAX_FOUND)] = 20,
) -> SearchResults:
    """Models of the Hugging Face Hub with safetensors weights, where the operator allows any of them."""
    models = await for_others(observatory.catalog.search, query, limit)
    return SearchResults(models=[FoundModel.model_validate(each, from_attributes=True) for each in models])


@router.get("/preview")
async def preview_model(model: ModelName, observatory: ObservatoryDep) -> Model:
    """What is known of a model before it is loaded: shape, size, licence, and whether its attention can be shown.

    Of one that is not on this server, its small files are read from the hub.
    """
    entry = await for_others(observatory.catalog.preview, model)
    return Model.model_validate(entry, from_attributes=True)


@router.post("/load", status_code=202)
async def post_model_load(wanted: LoadRequest, observatory: ObservatoryDep) -> Loading:
    """Have a model loaded, without waiting for it; ask ``/api/models/loading`` how far it has come."""
    await in_turn(observatory.catalog.check_known, wanted.model)
    observatory.loading.begin(wanted.model)
    return _loading(wanted.model, observatory)


@router.get("/loading")
async def get_model_loading(model: ModelName, observatory: ObservatoryDep) -> Loading:
    """How far the loading of a model has come, whoever asked for it."""
    await in_turn(observatory.catalog.check_known, model)
    return _loading(model, observatory)


@router.delete("/loading")
async def delete_model_loading(model: ModelName, observatory: ObservatoryDep) -> Loading:
    """Take back what ``POST /api/models/load`` asked for. Loading stops unless an analysis waits for the model.

    No error where nothing is loading: whoever asks cannot know whether loading has just ended.
    """
    await in_turn(observatory.catalog.check_known, model)
    await observatory.loading.withdraw(model)
    return _loading(model, observatory)


def _listed(entry: ModelEntry, loaded: frozenset[str], observatory: Observatory) -> ListedModel:
    listed = ListedModel.model_validate(entry, from_attributes=True)
    state = observatory.loading.state(entry.id)
    loading = None if state is None else state.stage
    return listed.model_copy(update={"loaded": entry.id in loaded, "loading": loading})


def _loading(model_id: str, observatory: Observatory) -> Loading:
    state = observatory.loading.state(model_id)
    if state is not None:
        return Loading(model=model_id, state=state.stage, done_bytes=state.done_bytes, total_bytes=state.total_bytes)
    failure = observatory.loading.failure(model_id)
    is_loaded = model_id in observatory.catalog.loaded_ids()
    name: Literal["ready", "failed", "idle"] = "ready" if is_loaded else "failed" if failure is not None else "idle"
    message = None if failure is None or name != "failed" else say(failure.sentence)
    return Loading(model=model_id, state=name, done_bytes=0, total_bytes=0, message=message)
