"""Corpora that can be scanned, and uploading one."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, Field

from ...answers.from_core import FromCore
from ...requests.bodies import BodyRoute, body_chunks
from ...requests.bounded import MAX_NAME
from ...settings import Settings
from ...stores.corpus import Corpus
from ...web import owners
from ...web.i18n import Said, say
from ..dependencies import ObservatoryDep, SettingsDep, UploadsDep

router = APIRouter(prefix="/api/corpora", tags=["atlases"], route_class=BodyRoute)


SUFFIXES = ("txt", "jsonl", "csv", "parquet", "conllu")
FileName = Annotated[
    str,
    Query(
        pattern=rf"^[^/\\\\\x00-\x1f\x7f]{{1,180}}\.({'|'.join(SUFFIXES)})(\.gz)?$",
        description="The file's name, with its extension.",
        examples=["news.txt"],
    ),
]
ColumnName = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=MAX_NAME,
        description="Where `.jsonl`, `.csv` and `.parquet` have the texts.",
        examples=["content"],
    ),
]
BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The file as it is.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


class SkippedLineAnswer(FromCore):
    """A malformed line of a corpus."""

    line: int = Field(description="From 1.")
    reason: Said


class SkippedLinesAnswer(FromCore):
    """The malformed lines of a corpus, which were left out."""

    count: int
    first: list[SkippedLineAnswer]


class CorpusAnswer(FromCore):
    """A corpus that can be scanned, or why it cannot."""

    id: str
    name: str
    state: Literal["preparing", "ready", "failed"] = Field(description="preparing: it is being read.")
    reason: Said | None = Field(description="Why it cannot be scanned.")
    documents: int | None = Field(description="Null before it has been read.")
    characters: int | None = Field(description="Null before it has been read.")
    has_relations: bool = Field(description="Whether it has dependency relations.")
    has_upos: bool = Field(description="Whether it has parts of speech.")
    uploaded: bool = Field(description="Whether it was uploaded.")
    yours: bool = Field(description="Whether you have uploaded it: then only you can delete it.")
    deletable: bool = Field(description="Whether you can delete it.")
    skipped: SkippedLinesAnswer


class CorpusList(BaseModel):
    """Every corpus."""

    corpora: list[CorpusAnswer]


@router.get("")
async def list_corpora(observatory: ObservatoryDep, settings: SettingsDep) -> CorpusList:
    """The built-in probe corpus, the operator's files and uploads."""
    return CorpusList(corpora=[corpus_answer(corpus, settings) for corpus in await observatory.corpora.all()])


@router.post("", status_code=201, openapi_extra=BODY)
async def post_corpus(
    request: Request,
    name: FileName,
    settings: SettingsDep,
    observatory: ObservatoryDep,
    uploads: UploadsDep,
    column: ColumnName = None,
) -> CorpusAnswer:
    """Upload a corpus: the body is the file. Its name's extension says what it is.

    `.txt`: a document a paragraph or line; `.jsonl`, `.csv` and `.parquet`: a document a row, with its text in
    `column`, else in `text`, else in the only column of texts; `.conllu`: sentences with parts of speech and dependency
    relations (Universal Dependencies).
    """
    with uploads.room():
        chunks = body_chunks(request, settings.max_corpus_bytes)
        return corpus_answer(await observatory.corpora.upload(name, chunks, column), settings)


@router.delete("/{corpus_id}", status_code=204)
async def delete_corpus(
    corpus_id: Annotated[str, Path(max_length=MAX_NAME, description="The corpus' id.")], observatory: ObservatoryDep
) -> None:
    """Delete an uploaded corpus. Atlases of it stay, what stopped scans of it have left goes.

    Only who has uploaded it can (403 `not_yours`); where others have uploaded the same, it stays theirs.
    """
    await observatory.corpora.remove(corpus_id)
    await observatory.scans.sweep()


def corpus_answer(corpus: Corpus, settings: Settings) -> CorpusAnswer:
    """A corpus, as it is to who asks."""
    facts = corpus.facts
    return CorpusAnswer(
        id=corpus.id,
        name=corpus.name,
        state=corpus.state,
        reason=None if corpus.reason is None else say(corpus.reason),
        documents=None if facts is None else facts.documents,
        characters=None if facts is None else facts.characters,
        has_relations=facts is not None and facts.has_relations,
        has_upos=facts is not None and facts.has_upos,
        uploaded=corpus.uploaded,
        yours=owners.is_mine(corpus.owners),
        deletable=corpus.uploaded and owners.may_end(corpus.owners, settings),
        skipped=SkippedLinesAnswer(
            count=0 if facts is None else facts.skipped,
            first=[
                SkippedLineAnswer(line=each.line, reason=say(each.reason))
                for each in (() if facts is None else facts.first_skipped)
            ],
        ),
    )
