"""Corpora by suffix: which files are read, and what every document must satisfy."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from attention_core.atlas.corpus.document import CorpusBounds, Document, Skipped
from attention_core.atlas.corpus.errors import CorpusError, CorpusTooLargeError
from attention_core.atlas.corpus.formats import is_corpus, read_corpus

BOUNDS = CorpusBounds()


def read(path: Path, content: str | bytes, bounds: CorpusBounds = BOUNDS) -> list[Document | Skipped]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read_corpus(path, bounds))


def short(found: list[Document | Skipped]) -> list[tuple[str | int, str]]:
    """``(id, text)`` of a document, ``(line, reason)`` of what was skipped."""
    return [(one.id, one.text) if isinstance(one, Document) else (one.line, str(one.reason)) for one in found]


@pytest.mark.parametrize("name", ["a.pdf", "a", "txt", ".txt", "a.txt.zip", "a.gz", "a.parquet.gz", "jsonl"])
def test_an_unknown_suffix_is_refused_with_the_known_ones(tmp_path: Path, name: str) -> None:
    assert not is_corpus(name)
    with pytest.raises(CorpusError, match=r"has an unknown format; a corpus is a file that ends in \.txt, \.jsonl"):
        read(tmp_path / name, "Text.")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (Path.mkdir, r"^a\.txt is a folder, not a file\."),
        (os.mkfifo, r"^a\.txt is a named pipe, not a file\."),
        (lambda path: None, r"^There is no file a\.txt\.$"),
    ],
)
def test_what_is_no_file_is_refused(tmp_path: Path, make: Callable[[Path], None], reason: str) -> None:
    make(tmp_path / "a.txt")
    with pytest.raises(CorpusError, match=reason):
        list(read_corpus(tmp_path / "a.txt", BOUNDS))


def test_suffixes_are_known_in_any_case(tmp_path: Path) -> None:
    assert short(read(tmp_path / "a.TXT", "Text.")) == [("1", "Text.")]
    assert short(read(tmp_path / "a.JsonL", '{"text": "Text."}')) == [("1", "Text.")]


def test_gzip_is_unpacked_and_bounded(tmp_path: Path) -> None:
    packed = gzip.compress(b"One.\n\nTwo.")
    assert short(read(tmp_path / "a.txt.gz", packed)) == [("1", "One."), ("3", "Two.")]
    with pytest.raises(CorpusTooLargeError, match=r"more than 1000000 bytes \(max_corpus_bytes\)"):
        read(tmp_path / "b.txt.gz", gzip.compress(b"word " * 200_001), CorpusBounds(max_bytes=1_000_000))
    for broken in (packed[:-9], packed[:15], b"One.", packed[:10] + b"\xff\xff" + packed[12:]):
        with pytest.raises(CorpusError, match=r"^c\.jsonl\.gz is not a complete gzip file\.$"):
            read(tmp_path / "c.jsonl.gz", broken)


def test_documents_that_no_model_can_be_given_are_skipped(tmp_path: Path) -> None:
    lines = [
        r'{"text": "\ud83d", "id": "half a character"}',
        r'{"text": "\ud83d\ude42"}',
        r'{"text": "a\u0000b"}',
        '{"text": ""}',
        '{"text": " \\n\\u2003"}',
        '{"text": "12345678901"}',
        '{"text": "1234567890"}',
    ]
    assert short(read(tmp_path / "a.jsonl", "\n".join(lines), CorpusBounds(max_document_characters=10))) == [
        (1, "The text contains an unpaired surrogate."),
        ("2", "🙂"),
        (3, "The text contains a NUL character."),
        (4, "The document is empty."),
        (5, "The document is empty."),
        (6, "The document has more than 10 characters (max_document_characters)."),
        ("7", "1234567890"),
    ]
