"""Read a corpus from a file, by its suffix: a stream of documents and of what could not be read."""

from collections.abc import Callable, Iterator
from pathlib import Path

from attention_core import foreign_files
from attention_core.atlas.corpus.conllu import read_conllu
from attention_core.atlas.corpus.csv_table import read_csv
from attention_core.atlas.corpus.document import (
    SURROGATE,
    CorpusBounds,
    Document,
    Found,
    Skipped,
    too_many_characters,
)
from attention_core.atlas.corpus.errors import CorpusError, too_many_bytes
from attention_core.atlas.corpus.json_lines import read_jsonl
from attention_core.atlas.corpus.paragraphs import read_text
from attention_core.atlas.corpus.parquet_table import read_parquet
from attention_core.foreign_files import ForeignFileError
from attention_core.refusal import Sentence

Reader = Callable[[Path, CorpusBounds, str | None], Iterator[Found]]


def read_corpus(path: Path, bounds: CorpusBounds, column: str | None = None) -> Iterator[Document | Skipped]:
    """Yield the documents of a file in their order, and in between what had to be skipped.

    Args:
        path: a file with one of the suffixes of ``READERS``, and perhaps ``.gz`` after it (not for Parquet).
        bounds: limits of the file and of a document; those of all documents together are ``prepare``'s.
        column: where JSONL, CSV and Parquet have the text; ``text`` or the only column of text unless given.

    Raises:
        CorpusError: the file is no corpus: unknown suffix, not the format, no column with text.
    """
    check_file(path, bounds)
    for line, found in READERS[_suffix(path.name)](path, bounds, column):
        reason = found if isinstance(found, Sentence) else _problem(found, bounds)
        if reason is not None:
            yield Skipped(line, reason)
        elif isinstance(found, Document):
            yield found


def is_corpus(name: str) -> bool:
    """Whether a file of this name can be read."""
    return _suffix(name) in READERS


def check_file(path: Path, bounds: CorpusBounds) -> None:
    """Raise ``CorpusError`` if the file is not there, is no corpus by its name, or is too large."""
    if not is_corpus(path.name):
        raise CorpusError(
            "{name} has an unknown format; a corpus is a file that ends in {suffixes}.", path.name, ", ".join(READERS)
        )
    if not foreign_files.is_there(path):
        raise CorpusError("There is no file {name}.", path.name)
    try:
        foreign_files.checked(path)
    except ForeignFileError as error:
        raise CorpusError(error.sentence) from error
    size, _ = foreign_files.state_of(path) or (0, 0)
    if path.suffix.lower() != ".gz" and size > bounds.max_bytes:
        raise too_many_bytes(bounds.max_bytes)


def _suffix(name: str) -> str:
    """What the format is known by: ``.jsonl`` of ``a.jsonl`` and of ``a.JSONL.gz``."""
    inner = name.lower().removesuffix(".gz")
    suffix = Path(inner).suffix
    return "" if suffix == ".parquet" and inner != name.lower() else suffix


def _problem(document: Document, bounds: CorpusBounds) -> Sentence | None:
    """Why no model can be given this document."""
    text = document.text
    if not text or text.isspace():
        return Sentence("The document is empty.")
    if len(text) > (limit := bounds.max_document_characters):
        return too_many_characters(limit)
    if "\0" in text:
        return Sentence("The text contains a NUL character.")
    if SURROGATE.search(text):
        return Sentence("The text contains an unpaired surrogate.")
    return None


READERS: dict[str, Reader] = {
    ".txt": read_text,
    ".jsonl": read_jsonl,
    ".parquet": read_parquet,
    ".csv": read_csv,
    ".conllu": read_conllu,
}
"""By suffix."""
