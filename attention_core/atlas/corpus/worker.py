"""Prepare a corpus in a separate process, which sends one ``Prepared`` through a pipe and ends.

It may be killed at any moment: what it has left half written is made anew. Its memory is limited while it reads.
"""

from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from attention_core.atlas.corpus.document import CorpusBounds
from attention_core.atlas.corpus.errors import too_much_memory
from attention_core.atlas.corpus.facts import CorpusFacts
from attention_core.atlas.corpus.probe import prepare_probe
from attention_core.atlas.corpus.shards import prepare
from attention_core.disk_room import room_in
from attention_core.memory_limit import lacks_memory, limited_memory
from attention_core.refusal import Refusal, Sentence


@dataclass(frozen=True)
class PrepareOrder:
    """A corpus to prepare."""

    path: Path | None
    """The file; None for the probe corpus."""
    folder: Path
    bounds: CorpusBounds
    name: str | None = None
    """What the corpus is called; the file's name unless given."""
    column: str | None = None
    """Where JSONL, CSV and Parquet have the text."""
    max_memory_bytes: int = 2**30
    """That reading it may take (``max_corpus_memory_bytes``)."""
    max_document_seconds: float = 60.0
    """Time of the processor that reading one document may take."""
    place: Sentence | None = None
    """What the folder is called where it has no room."""


@dataclass(frozen=True)
class Prepared:
    """A prepared corpus, or why it cannot be."""

    facts: CorpusFacts | None
    error: Refusal | None = None


def prepare_there(order: PrepareOrder, pipe: Connection) -> None:
    """Prepare a corpus. The target of a process."""
    with suppress(BrokenPipeError, ConnectionResetError):  # the other end is closed
        try:
            with room_in(order.place or order.folder):
                pipe.send(Prepared(_facts(order)))
        except (Refusal, MemoryError, OSError, SystemError) as error:
            refusal = too_much_memory(order.max_memory_bytes) if lacks_memory(error) else error
            if not isinstance(refusal, Refusal):
                raise
            pipe.send(Prepared(None, refusal))


def _facts(order: PrepareOrder) -> CorpusFacts:
    if order.path is None:
        return prepare_probe(order.folder)
    with limited_memory(order.max_memory_bytes, order.max_document_seconds):
        return prepare(order.path, order.folder, order.bounds, name=order.name, column=order.column)
