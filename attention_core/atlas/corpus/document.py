"""Documents of a corpus: a text and, if a treebank gives them, its words with their relations."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite

from attention_core.refusal import Sentence

ROOT = -1
"""The head of a word that depends on no other."""
ANTECEDENT = "antecedent"
"""The relation between a pronoun and its antecedent, beside the relations of the treebank."""
SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character, which no file and no tokenizer can hold."""
LONGEST_ID = 1_000
"""Characters of a document's id."""
WHOLE = 10**16
"""Beyond this, numbers of table programs have no decimal places to tell whole ones by."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a document: where it stands and what it depends on. Words are in text order and do not overlap."""

    start: int
    """Its first character (code points from 0)."""
    end: int
    """The character after its last."""
    head: int | None = None
    """Index of the word of the document that it depends on, ``ROOT`` if there is none, None if unknown."""
    relation: str | None = None
    """Dependency relation to its head, as the treebank names it (``nsubj``, ``nmod:poss``)."""
    upos: str | None = None
    """Universal part of speech."""
    antecedent: int | None = None
    """Index of the word of the document that this pronoun stands for; the relation is called ``ANTECEDENT``."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text of a corpus, never blank; its words, if the corpus has them."""

    id: str
    text: str
    words: tuple[Word, ...] | None = None


def id_or_line(given: object, line: int) -> str:
    """What a document is called: by the id that a file gives it, else by its line (in a table, its row).

    A whole number that a table program has written as 1.0 is 1; bytes are their text, or hexadecimal digits. An id that
    nothing can be called by (none, nested, broken, too long) costs the document its name and no more.
    """
    name = _written(given)
    is_usable = name.strip() != "" and len(name) <= LONGEST_ID and not SURROGATE.search(name)
    return name if is_usable else str(line)


def _written(given: object) -> str:
    """An id as a text; an empty one where it is none."""
    if isinstance(given, bytes):
        try:
            return given.decode()
        except UnicodeDecodeError:
            return given.hex()
    if isinstance(given, float | Decimal):
        if not isfinite(given):
            return ""
        return str(int(given)) if -WHOLE < given < WHOLE and given == int(given) else str(given)
    return str(given) if isinstance(given, str | int) and not isinstance(given, bool) else ""


Found = tuple[int, Document | Sentence]
"""What a reader yields: a line, and the document that begins there, or why none does."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of a file that could not be read, and why."""

    line: int
    """Its line in the file, from 1; in a Parquet file, its row."""
    reason: Sentence


@dataclass(frozen=True, slots=True)
class CorpusBounds:
    """How large a corpus may be. What is larger is refused with the name of the setting."""

    max_bytes: int = 2**34
    """Bytes of the file, unpacked if it is compressed (``max_corpus_bytes``)."""
    max_documents: int = 10_000_000
    """Documents (``max_corpus_documents``)."""
    max_characters: int = 2**34
    """Characters of all documents together (``max_corpus_characters``)."""
    max_document_characters: int = 1_000_000
    """Characters of one document: a longer paragraph of a text file is cut, a longer document of any other format
    skipped (``max_document_characters``)."""


def too_many_characters(limit: int) -> Sentence:
    """Why a document is skipped that is longer than ``CorpusBounds.max_document_characters``."""
    return Sentence("The document has more than {limit} characters (max_document_characters).", limit=limit)


def arcs(words: Sequence[Word]) -> Iterator[tuple[int, int, str]]:
    """Of each relation, and of each pronoun with an antecedent: dependent, head and relation without its subtype.

    Dependents are indices in ``words``, heads in the document; a root has no head.
    """
    for index, word in enumerate(words):
        if word.relation is not None and word.head is not None and word.head != ROOT:
            yield index, word.head, word.relation.partition(":")[0]
        if word.antecedent is not None:
            yield index, word.antecedent, ANTECEDENT
