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
from attention_core.memory_limit import lacks_memory, limited_memory
from attention_core.pretrained.errors import AnalysisError


@dataclass(frozen=True)
class PrepareOrder:
    """A corpus to prepare."""

    path: Path | None
    """The file; None for the probe corpus."""
    folder: Path
    bounds: CorpusBounds
    name: str | None = None
    """What the corpus is called; the file's name unless given."""
    max_memory_bytes: int = 2**30
    """That reading it may take (``max_corpus_memory_bytes``)."""
    max_document_seconds: float = 60.0
    """Time of the processor that reading one document may take."""


@dataclass(frozen=True)
class Prepared:
    """A prepared corpus, or why it cannot be."""

    facts: CorpusFacts | None
    error: AnalysisError | None = None


def prepare_there(order: PrepareOrder, pipe: Connection) -> None:
    """Prepare a corpus. The target of a process."""
    with suppress(BrokenPipeError, ConnectionResetError):  # the other end is closed
        try:
            if order.path is None:
                facts = prepare_probe(order.folder)
            else:
                with limited_memory(order.max_memory_bytes, order.max_document_seconds):
                    facts = prepare(order.path, order.folder, order.bounds, name=order.name)
            pipe.send(Prepared(facts))
        except (AnalysisError, MemoryError, OSError, SystemError) as error:
            refusal = too_much_memory(order.max_memory_bytes) if lacks_memory(error) else error
            if not isinstance(refusal, AnalysisError):
                raise
            pipe.send(Prepared(None, refusal))
