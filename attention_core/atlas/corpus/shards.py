"""Prepare a corpus: its documents as Parquet shards in a folder, in memory that does not grow with the corpus."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from attention_core import foreign_files
from attention_core.atlas.corpus.document import CorpusBounds, Document, Skipped, Word
from attention_core.atlas.corpus.errors import CorpusError, CorpusTooLargeError, too_many_documents
from attention_core.atlas.corpus.facts import FILE, CorpusFacts, read_facts, write_facts
from attention_core.atlas.corpus.formats import check_file, read_corpus
from attention_core.atlas.corpus.seen_ids import SeenIds
from attention_core.atlas.file_lock import locked
from attention_core.disk_room import replacing
from attention_core.foreign_files import ForeignFileError
from attention_core.memory_limit import goes_on

SHARD_CHARACTERS = 65_536
"""A shard ends with the document that reaches this number."""
SHARD_DOCUMENTS = 16_384
"""… or this one."""
FIRST_SKIPPED = 20
"""So many of the skipped places are kept; the others are only counted."""
WORD = pa.struct(
    [
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("head", pa.int32()),
        ("relation", pa.string()),
        ("upos", pa.string()),
        ("antecedent", pa.int32()),
    ]
)
SCHEMA = pa.schema(
    [
        pa.field("document", pa.int64(), nullable=False),
        pa.field("id", pa.string(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("words", pa.list_(WORD)),
    ]
)
READER = 3
"""Changes when the readers read the same file differently, so that it is prepared again."""


def prepare(
    path: Path,
    folder: Path,
    bounds: CorpusBounds | None = None,
    *,
    name: str | None = None,
    column: str | None = None,
) -> CorpusFacts:
    """Read a file and write its documents to a folder: shards and, last of all, ``corpus.json``.

    Does nothing if the folder was made from the same file with the same options. A folder that a killed process left
    half written is made anew. Processes that prepare the same folder wait for each other.

    Args:
        path: the file, see ``read_corpus``.
        folder: where to write; made if it is not there, and what it held of another corpus replaced.
        bounds: limits, ``CorpusBounds()`` unless given.
        name: what the corpus is called; the file's name unless given.
        column: where JSONL, CSV and Parquet have the text.

    Raises:
        CorpusError: the file cannot be read as a corpus, or has no document.
        CorpusTooLargeError: it exceeds a bound; the folder is left without a corpus.
    """
    bounds = bounds or CorpusBounds()
    check_file(path, bounds)
    try:
        source = _source(path, bounds, column)
        return prepare_documents(read_corpus(path, bounds, column), folder, bounds, name or path.name, source)
    except ForeignFileError as error:
        raise CorpusError(error.sentence) from error


def prepare_documents(
    found: Iterable[Document | Skipped],
    folder: Path,
    bounds: CorpusBounds,
    name: str,
    source: dict[str, Any] | None = None,
) -> CorpusFacts:
    """Write documents that come from anywhere as a prepared corpus, see ``prepare``.

    ``source`` is JSON that determines the documents; a folder that was made from the same source is left as it is, and
    none of ``found`` is asked for.
    """
    with locked(folder / ".lock"):
        before = read_facts(folder)
        if source is not None and before is not None and before[1] == source and _is_whole(folder, before[0]):
            facts = replace(before[0], name=name)
            if facts == before[0]:
                return facts
        else:
            facts = _written(found, folder, bounds, name)
        write_facts(folder, facts, source)
        return facts


def _is_whole(folder: Path, facts: CorpusFacts) -> bool:
    return all(shard_path(folder, index).is_file() for index in range(facts.shards))


def _written(found: Iterable[Document | Skipped], folder: Path, bounds: CorpusBounds, name: str) -> CorpusFacts:
    _clear(folder)
    writer = _Writer(folder, bounds)
    try:
        for one in found:
            writer.add(one)
            goes_on()
        return writer.finish(name)
    except BaseException:
        _clear(folder)
        raise


def read_shard(folder: Path, index: int) -> list[Document]:
    """Return the documents of one shard of a prepared corpus, from 0."""
    table = pq.read_table(shard_path(folder, index))
    return [
        Document(row["id"], row["text"], None if row["words"] is None else tuple(Word(**word) for word in row["words"]))
        for row in table.to_pylist()
    ]


def shard_path(folder: Path, index: int) -> Path:
    """Where a shard is."""
    return folder / f"shard-{index:05d}.parquet"


class _Writer:
    """Documents on their way into shards, of which only one is in memory."""

    def __init__(self, folder: Path, bounds: CorpusBounds) -> None:
        self.folder = folder
        self.bounds = bounds
        self.hash = hashlib.sha256()
        self.ids = SeenIds()
        self.shard: list[Document] = []
        self.shard_characters = 0
        self.shards = self.documents = self.characters = self.skipped = 0
        self.first_skipped: list[Skipped] = []
        self.has_relations = self.has_upos = False

    def add(self, found: Document | Skipped) -> None:
        if isinstance(found, Skipped):
            self.skipped += 1
            if self.skipped <= FIRST_SKIPPED:
                self.first_skipped.append(found)
            return
        self.documents += 1
        self.characters += len(found.text)
        if self.documents > self.bounds.max_documents:
            raise too_many_documents(self.bounds.max_documents)
        if self.characters > (limit := self.bounds.max_characters):
            raise CorpusTooLargeError(
                "The corpus has more than {limit} characters (max_corpus_characters).", limit=limit
            )
        self.shard.append(found)
        self.shard_characters += len(found.text)
        if self.shard_characters >= SHARD_CHARACTERS or len(self.shard) >= SHARD_DOCUMENTS:
            self._write()

    def _write(self) -> None:
        first = self.documents - len(self.shard)
        ids = self.ids.unique([document.id for document in self.shard])
        texts = [document.text for document in self.shard]
        words = [
            None if document.words is None else [astuple(word) for word in document.words] for document in self.shard
        ]
        rows = list(zip(ids, texts, words, strict=True))
        self.hash.update(json.dumps(rows, separators=(",", ":")).encode())
        for document in self.shard:
            for word in document.words or ():
                self.has_relations = self.has_relations or (word.head is not None and word.relation is not None)
                self.has_upos = self.has_upos or word.upos is not None
        table = pa.table(
            {
                "document": pa.array(range(first, self.documents), pa.int64()),
                "id": pa.array(ids, pa.string()),
                "text": pa.array(texts, pa.string()),
                "words": pa.array(words, pa.list_(WORD)),
            },
            SCHEMA,
        )
        write_parquet(table, shard_path(self.folder, self.shards))
        self.shards += 1
        self.shard, self.shard_characters = [], 0

    def finish(self, name: str) -> CorpusFacts:
        if self.shard:
            self._write()
        if not self.documents:
            raise _no_document(name, self.first_skipped)
        return CorpusFacts(
            name=name,
            hash=self.hash.hexdigest(),
            documents=self.documents,
            characters=self.characters,
            shards=self.shards,
            has_relations=self.has_relations,
            has_upos=self.has_upos,
            duplicate_ids=self.ids.renamed,
            skipped=self.skipped,
            first_skipped=tuple(self.first_skipped),
        )


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a table, whole or not at all; equal tables give equal bytes."""
    with replacing(path) as partial:
        pq.write_table(table, partial, compression="zstd", row_group_size=max(1, table.num_rows))


def _no_document(name: str, skipped: list[Skipped]) -> CorpusError:
    if not skipped:
        return CorpusError("{name} contains no text.", name)
    first = skipped[0]
    return CorpusError(
        "{name} contains no text that can be read. Line {line}: {reason}", name, first.line, first.reason
    )


def _source(path: Path, bounds: CorpusBounds, column: str | None) -> dict[str, Any]:
    """What the shards of a file depend on."""
    with foreign_files.opened(path) as file:
        contents = hashlib.file_digest(file, "sha256").hexdigest()
    suffixes = "".join(path.suffixes[-2:]).lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    return {
        "sha256": contents,
        "suffix": suffixes,
        "column": column,
        "max_document_characters": bounds.max_document_characters,
        "reader": READER,
    }


def _clear(folder: Path) -> None:
    """Remove what an earlier preparation left, ``corpus.json`` first, so that no half of it looks complete."""
    (folder / FILE).unlink(missing_ok=True)
    for path in [*folder.glob("shard-*.parquet"), *folder.glob(".shard-*"), *folder.glob(f".{FILE}*")]:
        path.unlink(missing_ok=True)
