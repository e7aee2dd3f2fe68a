"""Preparing a corpus as a process does it, whose memory is limited."""

import errno
import multiprocessing
import signal
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from attention_core.atlas.corpus.document import CorpusBounds
from attention_core.atlas.corpus.errors import CorpusError, CorpusTooLargeError
from attention_core.atlas.corpus.facts import CorpusFacts
from attention_core.atlas.corpus.worker import Prepared, PrepareOrder, prepare_there
from attention_core.memory_limit import lacks_memory, limited_memory

SENTENCE = "".join(f"{index}\ta\t_\tX\t_\t_\t0\troot\t_\t_\n" for index in range(1, 120_000))
PLENTY = 2**40
"""More than there is."""


def told(order: PrepareOrder) -> Any:
    """What is sent, by this process itself."""
    ours, theirs = Pipe()
    with ours, theirs:
        prepare_there(order, theirs)
        return ours.recv()


def test_what_is_sent_is_what_is_in_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("One paragraph.\n\nAnother one.\n")
    found = told(PrepareOrder(path, tmp_path / "corpus", CorpusBounds(), "news.txt", max_memory_bytes=PLENTY))
    assert found.error is None
    assert found.facts == CorpusFacts.read(tmp_path / "corpus")
    assert (found.facts.name, found.facts.documents) == ("news.txt", 2)


def test_a_refusal_is_sent_with_its_reason(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("One paragraph.\n\nAnother one.\n")
    found = told(PrepareOrder(path, tmp_path / "corpus", CorpusBounds(max_documents=1), max_memory_bytes=PLENTY))
    assert found.facts is None
    assert "max_corpus_documents" in str(found.error)


@pytest.mark.full
def test_without_a_file_it_is_the_probe_corpus(tmp_path: Path) -> None:
    found = told(PrepareOrder(None, tmp_path / "corpus", CorpusBounds(), max_memory_bytes=PLENTY))
    assert (found.facts.name, found.facts.documents, found.facts.has_relations) == ("probe", 2_000, True)


def test_nobody_listens_any_more(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("One paragraph.\n")
    ours, theirs = Pipe()
    ours.close()
    with theirs:
        prepare_there(PrepareOrder(path, tmp_path / "corpus", CorpusBounds(), max_memory_bytes=PLENTY), theirs)
    assert CorpusFacts.read(tmp_path / "corpus").documents == 1


def prepared(path: Path, limit: int) -> Prepared | None:
    """What the process sends; None where it ends before it sends anything, as it may without memory."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    order = PrepareOrder(
        path, path.parent / f"corpus-{limit}", CorpusBounds(), max_memory_bytes=limit, max_document_seconds=5.0
    )
    process = context.Process(target=prepare_there, args=(order, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        found = ours.recv()
    except EOFError:
        return None
    finally:
        process.join(30)
    assert isinstance(found, Prepared)
    return found


@pytest.mark.full
def test_a_file_that_takes_more_memory_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "long.conllu"
    path.write_text(SENTENCE + "\n")
    refused = prepared(path, 2**24)
    if refused is not None:
        assert refused.facts is None
        assert isinstance(refused.error, CorpusTooLargeError)
        assert str(refused.error) == (
            "Reading the corpus takes more than 16777216 bytes of memory (max_corpus_memory_bytes)."
        )
        assert refused.error.limit == 2**24
    allowed = prepared(path, 2**30)
    assert allowed is not None
    assert allowed.facts is not None
    assert allowed.facts.documents == 1


def test_what_fails_while_memory_lacks_is_of_memory_too() -> None:
    failed = OSError(errno.ENOMEM, "Cannot allocate memory")
    refused = CorpusError("It is not a file.")
    refused.__cause__ = failed
    assert lacks_memory(MemoryError())
    assert lacks_memory(SystemError("error return without exception set"))
    assert lacks_memory(refused)
    assert not lacks_memory(CorpusError("It is not a file."))
    assert not lacks_memory(OSError(errno.EIO, "Input/output error"))


def test_the_limit_ends_with_what_it_is_for() -> None:
    with pytest.raises(MemoryError), limited_memory(2**26, 5.0):
        bytes(2**28)
    assert len(bytes(2**28)) == 2**28
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


def send_pool(pipe: Connection) -> None:
    pipe.send(pa.default_memory_pool().backend_name)


@pytest.mark.full
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_arrow_reserves_no_gigabyte_in_a_process_of_ours(method: str) -> None:
    context = multiprocessing.get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(target=send_pool, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    assert ours.recv() == "system"
    process.join(30)
