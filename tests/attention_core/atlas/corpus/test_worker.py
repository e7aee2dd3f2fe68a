"""Preparing a corpus, as a process does it."""

from multiprocessing import Pipe
from pathlib import Path
from typing import Any

from attention_core.atlas.corpus.document import CorpusBounds
from attention_core.atlas.corpus.facts import CorpusFacts
from attention_core.atlas.corpus.worker import PrepareOrder, prepare_there


def told(order: PrepareOrder) -> Any:
    ours, theirs = Pipe()
    with ours, theirs:
        prepare_there(order, theirs)
        return ours.recv()


def test_what_is_sent_is_what_is_in_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("One paragraph.\n\nAnother one.\n")
    found = told(PrepareOrder(path, tmp_path / "corpus", CorpusBounds(), "news.txt"))
    assert found.error is None
    assert found.facts == CorpusFacts.read(tmp_path / "corpus")
    assert (found.facts.name, found.facts.documents) == ("news.txt", 2)


def test_a_refusal_is_sent_with_its_reason(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("One paragraph.\n\nAnother one.\n")
    found = told(PrepareOrder(path, tmp_path / "corpus", CorpusBounds(max_documents=1)))
    assert found.facts is None
    assert "max_corpus_documents" in str(found.error)


def test_without_a_file_it_is_the_probe_corpus(tmp_path: Path) -> None:
    found = told(PrepareOrder(None, tmp_path / "corpus", CorpusBounds()))
    assert (found.facts.name, found.facts.documents, found.facts.has_relations) == ("probe", 2_000, True)


def test_nobody_listens_any_more(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("One paragraph.\n")
    ours, theirs = Pipe()
    ours.close()
    with theirs:
        prepare_there(PrepareOrder(path, tmp_path / "corpus", CorpusBounds()), theirs)
    assert CorpusFacts.read(tmp_path / "corpus").documents == 1
