"""Atlases of heads over whole corpora: which there are, and having one computed."""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel, Field

from attention_core.atlas.reading.atlas import Atlas
from ...answers.atlases import AtlasFactsAnswer, facts_of
from ...answers.from_core import FromCore
from ...requests.bodies import BodyRoute
from ...requests.bounded import Name, RequestModel, Seed
from ...requests.turns import in_turn
from ...settings import Settings
from ...stores.atlas_library import DamagedAtlas
from ...stores.corpora import PROBE
from ...stores.scan import Scan
from ...stores.stopped_scans import StoppedScan
from ...web import owners
from ...web.errors import ApiError
from ...web.i18n import Said, say
from ...web.openapi.schema_rules import UpTo
from ..dependencies import ATLAS_ID, Observatory, ObservatoryDep, SettingsDep
from .corpora import CorpusAnswer, corpus_answer

router = APIRouter(prefix="/api/atlases", tags=["atlases"], route_class=BodyRoute)

NO_EVENTS: dict[str, Any] = {
    "description": "Refused, in the one shape of errors.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorResponse"}}},
}
RECONNECT_MS = 1_000
MIN_WINDOW, MAX_WINDOW = 8, 4_096

AtlasId = Annotated[str, Path(pattern=ATLAS_ID, description="The atlas' id.")]


async def _scan(atlas_id: AtlasId, observatory: ObservatoryDep) -> Scan:
    """The scan, before the stream begins, so that an unknown one is refused as anywhere."""
    if (scan := observatory.scans.get(atlas_id)) is None:
        raise ApiError(404, "unknown_scan", "This server is not scanning that atlas.", field="atlas_id")
    return scan


ScanDep = Annotated[Scan, Depends(_scan)]


class ScanAnswer(FromCore):
    """A scan of a corpus by a model, and how far it has come."""

    id: str = Field(description="The id that its atlas has or will have.")
    model: str
    corpus: str = Field(description="The corpus' id.")
    max_tokens: int | None = Field(description="Most tokens to scan; null: all of the corpus.")
    window_tokens: int
    seed: int
    state: Literal["waiting", "running", "finished", "cancelled", "failed"]
    message: Said | None = Field(description="Why it failed, or what it waits for.")
    shards: int = Field(description="Pieces of the corpus; 0 before they are known.")
    shards_done: int
    tokens: int = Field(description="Tokens scanned so far.")
    tokens_per_second: float | None
    seconds: float = Field(description="Since it began to run.")
    seconds_left: float | None = Field(description="As it looks now; null if unknown.")
    yours: bool = Field(description="Whether you have asked for it: only then can you stop it.")


class ScanRequest(RequestModel):
    """Which corpus to scan with which model."""

    model: Name = Field(examples=["sentence-transformers/all-MiniLM-L6-v2"])
    corpus: Name = Field(examples=["probe"], description="The corpus' id.")
    max_tokens: Annotated[int, Field(ge=1), UpTo("max_scan_tokens")] | None = Field(
        None,
        description="Of a larger corpus, a random sample of documents is scanned; as many as allowed unless given.",
    )
    window_tokens: Annotated[int, Field(ge=MIN_WINDOW, le=MAX_WINDOW)] | None = Field(
        None, description="Longer documents are cut into windows of so many tokens, between words."
    )
    seed: Seed = 0


class DamagedAtlasAnswer(FromCore):
    """A folder that cannot be read as an atlas."""

    id: str
    reason: Said
    deletable: bool = Field(description="Whether you can delete it.")


class ScannableModel(BaseModel):
    """A model that can scan a corpus."""

    id: str
    title: str


class ScanLimits(BaseModel):
    """The operator's limits."""

    scans: int = Field(description="Concurrent scans; 0: this server scans nothing.")
    scan_time_s: float = Field(description="Seconds of a scan.")
    max_scan_tokens: int = Field(description="Tokens of a scan.")
    max_corpus_bytes: int = Field(description="Bytes of a corpus.")
    max_corpus_documents: int = Field(description="Documents of a corpus.")
    allow_deletion: bool = Field(description="Whether uploaded corpora and their atlases may be deleted at all.")


class AtlasList(BaseModel):
    """Every atlas, and what another could be made of."""

    atlases: list[AtlasFactsAnswer]
    damaged: list[DamagedAtlasAnswer] = Field(description="Folders that cannot be read, with the reason.")
    scans: list[ScanAnswer] = Field(
        description="The newest first; ended ones are kept for a while, stopped ones until they go on or are deleted."
    )
    corpora: list[CorpusAnswer]
    models: list[ScannableModel]
    limits: ScanLimits


class AtlasState(BaseModel):
    """An atlas, its scan, or both."""

    facts: AtlasFactsAnswer | None = Field(description="Null while it is being computed.")
    scan: ScanAnswer | None = Field(description="Null if this server has not scanned it since it was started.")
    yours: bool = Field(description="Whether you have had it made: then nobody else can delete it.")


def _in_order(atlas: Atlas) -> tuple[bool, bool, str, str, str]:
    facts = atlas.facts
    return facts.corpus != PROBE, facts.kind != "encoder", facts.model, facts.corpus, facts.id


@router.get("")
async def list_atlases(observatory: ObservatoryDep, settings: SettingsDep) -> AtlasList:
    """Every atlas, those of the probe corpus first, scans under way, and what another could be made of."""
    whole, damaged = await in_turn(observatory.atlases.all)
    corpora = await observatory.corpora.all()
    return AtlasList(
        atlases=[facts_of(atlas) for atlas in sorted(whole, key=_in_order)],
        damaged=await in_turn(_damaged, damaged, observatory, settings),
        scans=[*map(scan_answer, observatory.scans.all()), *map(scan_answer, await observatory.scans.stopped())],
        corpora=[corpus_answer(corpus, settings) for corpus in corpora],
        models=await in_turn(_models, observatory),
        limits=_limits(settings),
    )


@router.post("", status_code=201)
async def post_atlas(wanted: ScanRequest, observatory: ObservatoryDep, settings: SettingsDep) -> ScanAnswer:
    """Have an atlas computed. The same request again goes on where it was stopped, or answers with what is there."""
    if wanted.max_tokens is not None and wanted.max_tokens > settings.max_scan_tokens:
        raise ApiError(
            422,
            "too_large",
            "max_tokens: a scan has at most {limit} tokens here (OBSERVATORY_MAX_SCAN_TOKENS).",
            field="max_tokens",
            limit=settings.max_scan_tokens,
        )
    return scan_answer(await observatory.scans.begin(**wanted.model_dump()))


@router.get("/{atlas_id}")
async def get_atlas(atlas_id: AtlasId, observatory: ObservatoryDep) -> AtlasState:
    """What was scanned and how, or how far the scan has come."""
    scan: Scan | StoppedScan | None = observatory.scans.get(atlas_id)
    if scan is None:
        scan = next((each for each in await observatory.scans.stopped() if each.id == atlas_id), None)
    facts = None
    if scan is None or await in_turn(observatory.atlases.has, atlas_id):
        facts = facts_of(await in_turn(observatory.atlases.get, atlas_id))
    whose = await in_turn(observatory.atlases.owners.of, atlas_id)
    return AtlasState(facts=facts, scan=None if scan is None else scan_answer(scan), yours=owners.is_mine(whose))


@router.get("/{atlas_id}/events", response_class=EventSourceResponse, responses={422: NO_EVENTS, "default": NO_EVENTS})
async def get_atlas_events(scan: ScanDep) -> AsyncIterator[ServerSentEvent]:
    """Every state of a scan as an event `state`; the stream ends with the state in which the scan is over."""
    async for state in scan.follow():
        yield ServerSentEvent(event="state", data=scan_answer(state), retry=RECONNECT_MS)


@router.delete("/{atlas_id}", status_code=204)
async def delete_atlas(atlas_id: AtlasId, observatory: ObservatoryDep) -> None:
    """Stop a scan, which can be resumed; or delete a finished atlas of an uploaded corpus.

    Only who has asked for it can (403 `not_yours`); where others have too, it goes on and stays theirs.
    """
    await observatory.scans.remove(atlas_id)


def scan_answer(scan: Scan | StoppedScan) -> ScanAnswer:
    """The state of a scan."""
    message = None if scan.message is None else say(scan.message)
    return ScanAnswer.of(scan, scan.report, message=message, yours=owners.is_mine(scan.owners))


def _damaged(found: Sequence[DamagedAtlas], observatory: Observatory, settings: Settings) -> list[DamagedAtlasAnswer]:
    def answer(each: DamagedAtlas) -> DamagedAtlasAnswer:
        deletable = owners.may_end(observatory.atlases.owners.of(each.id), settings)
        return DamagedAtlasAnswer.of(each, reason=say(each.reason), deletable=deletable)

    return [answer(each) for each in found]


def _models(observatory: Observatory) -> list[ScannableModel]:
    entries = observatory.catalog.entries(ask_hub=False)
    return [ScannableModel(id=each.id, title=each.title) for each in entries if each.available and each.reads == "text"]


def _limits(settings: Settings) -> ScanLimits:
    return ScanLimits(**{name: getattr(settings, name) for name in ScanLimits.model_fields})
