"""CoNLL-U: sentences of a treebank with the words' heads and relations, read and written.

The format of Universal Dependencies (universaldependencies.org/format.html): a word a line in ten columns between tabs,
comments before them, a blank line after each sentence. Each sentence is a document. Of the columns, ID, FORM, UPOS,
HEAD, DEPREL and MISC are used; ``Antecedent=3`` in MISC names the word that a pronoun stands for.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from attention_core.atlas.corpus.document import ROOT, CorpusBounds, Document, Found, Word, id_or_line
from attention_core.atlas.corpus.errors import CorpusError
from attention_core.atlas.corpus.lines import read_lines
from attention_core.refusal import InvalidValueError, Sentence

COLUMNS = 10
INDEX = re.compile(r"(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9})|\.(?P<empty>[0-9]{1,9}))?")
HEAD = re.compile(r"[0-9]{1,9}")
COMMENT = re.compile(r"#\s*(text|sent_id)\s*=\s*(.*)")
OTHER_BYTES = 2**16
"""Bytes of a line beside a word's form."""


def read_conllu(path: Path, bounds: CorpusBounds, _column: str | None = None) -> Iterator[Found]:
    """Yield the sentences of a treebank. A sentence with a malformed line is left out, and the line reported.

    So is a sentence whose forms are withheld ("_" everywhere), as in treebanks whose texts may not be given on.

    Words are located in the ``# text``; if that is missing or differs from them, the text is built from the words. The
    words of a multiword token keep their own characters where they spell it (do + n't); where they do not (French
    ``du`` = de + le), they are one word, with the head and relation of the one that depends on a word outside.
    """
    sentence = _Sentence()
    for number, line in read_lines(path, bounds.max_bytes, 4 * bounds.max_document_characters + OTHER_BYTES):
        if isinstance(line, str) and (not line or line.isspace()):
            yield from sentence.found()
            sentence = _Sentence()
            continue
        problem = line if isinstance(line, Sentence) else sentence.add(number, line)
        if sentence.size > (limit := bounds.max_document_characters) and not sentence.broken:
            problem = Sentence("The sentence has more than {limit} characters (max_document_characters).", limit=limit)
            sentence.drop()
        if problem is not None:
            sentence.broken = True
            yield number, problem
    yield from sentence.found()


@dataclass(slots=True)
class _Row:
    """A syntactic word as its line has it, indices from 0."""

    line: int
    form: str
    upos: str | None
    head: int | None
    relation: str | None
    space_after: bool
    antecedent: int | None


@dataclass(slots=True)
class _Token:
    """A surface token, of one word or several."""

    line: int
    form: str
    first: int
    last: int
    space_after: bool


@dataclass(slots=True)
class _Sentence:
    """The lines of a sentence as they are read."""

    rows: list[_Row] = field(default_factory=list)
    tokens: list[_Token] = field(default_factory=list)
    comments: dict[str, str] = field(default_factory=dict)
    broken: bool = False
    size: int = 0

    def add(self, number: int, line: str) -> Sentence | None:
        """Add a line; returns what is wrong with it."""
        if line.startswith("#"):
            if comment := COMMENT.match(line):
                self.comments.setdefault(comment[1], comment[2].strip())
                self.size = max(self.size, len(comment[2]))
            return None
        columns = line.split("\t")
        if len(columns) != COLUMNS:
            return Sentence("The line has {count} columns between tabs, not 10.", len(columns))
        try:
            if not self.broken:
                self._add_columns(number, columns)
        except CorpusError as error:
            return error.sentence
        return None

    def _add_columns(self, number: int, columns: list[str]) -> None:
        form, misc, index = columns[1].strip(), columns[9].split("|"), INDEX.fullmatch(columns[0])
        if index is None:
            raise CorpusError("“{index}” is not the index of a word.", columns[0])
        if index["empty"]:
            return  # a word that the text does not have
        if not form:
            raise CorpusError("The word has no form.")
        self.size += len(form) + 1
        first, here = int(index["first"]) - 1, len(self.rows)
        if first != here:
            raise CorpusError("The word’s index is {index}, not {expected}.", columns[0], here + 1)
        space_after = "SpaceAfter=No" not in misc
        inside = bool(self.tokens) and self.tokens[-1].last >= here
        if index["last"]:
            last = int(index["last"]) - 1
            if inside or last < first:
                raise CorpusError("“{index}” is not a range of words after the last one.", columns[0])
            self.tokens.append(_Token(number, form, first, last, space_after))
            return
        head, relation, upos = (None if value == "_" else value for value in (columns[6], columns[7], columns[3]))
        if head is not None and (not HEAD.fullmatch(head) or int(head) == first + 1):
            raise CorpusError("“{head}” is not the head of word {index}.", head, columns[0])
        if not inside:
            self.tokens.append(_Token(number, form, first, first, space_after))
        head_index = None if head is None else int(head) - 1  # 0, the root, becomes ROOT
        self.rows.append(_Row(number, form, upos, head_index, relation, space_after, _antecedent(misc)))

    def drop(self) -> None:
        """Forget the words of a sentence that is left out."""
        self.rows, self.tokens, self.size = [], [], 0

    def found(self) -> Iterator[Found]:
        """The sentence as a document, or why it is none."""
        if self.broken or not self.tokens:
            return
        count, last = len(self.rows), self.tokens[-1]
        if last.last >= count:
            yield last.line, Sentence("The range of words ends after the sentence’s last word.")
            return
        if all(token.form == "_" for token in self.tokens):
            yield (
                self.tokens[0].line,
                Sentence(
                    "The words of the sentence are withheld: every form is “_”. "
                    "Such treebanks come without their texts, which have to be put in first."
                ),
            )
            return
        for row in self.rows:
            if row.head is not None and row.head >= count:
                yield row.line, Sentence("The head {head} is not a word of the sentence.", row.head + 1)
                return
            if row.antecedent is not None and row.antecedent >= count:
                row.antecedent = None
        text, starts = self._located()
        line = self.tokens[0].line
        yield line, Document(id_or_line(self.comments.get("sent_id"), line), text, self._words(starts))

    def _located(self) -> tuple[str, list[int]]:
        """The text, and where each token begins in it."""
        text, starts, position = self.comments.get("text", ""), [], 0
        for token in self.tokens:
            while position < len(text) and text[position].isspace():
                position += 1
            if not text.startswith(token.form, position):
                break
            starts.append(position)
            position += len(token.form)
        if len(starts) == len(self.tokens) and not text[position:].strip():
            return text, starts
        text, starts = "", []
        for token in self.tokens:
            starts.append(len(text))
            text += token.form + " " * token.space_after
        return text.rstrip(), starts

    def _words(self, starts: list[int]) -> tuple[Word, ...]:
        groups: list[tuple[int, int, range]] = []  # start, end, the rows that are one word
        for token, start in zip(self.tokens, starts, strict=True):
            rows = range(token.first, token.last + 1)
            forms = [self.rows[row].form for row in rows]
            if "".join(forms) == token.form:
                for row, form in zip(rows, forms, strict=True):
                    groups.append((start, start + len(form), range(row, row + 1)))
                    start += len(form)  # noqa: PLW2901
            else:
                groups.append((start, start + len(token.form), rows))
        place = {row: index for index, (_, _, rows) in enumerate(groups) for row in rows} | {ROOT: ROOT}
        return tuple(self._word(start, end, rows, place) for start, end, rows in groups)

    def _word(self, start: int, end: int, rows: range, place: dict[int, int]) -> Word:
        members = [self.rows[row] for row in rows]
        outer = next((member for member in members if member.head is not None and member.head not in rows), None)
        taken = outer or members[0]
        head = None if outer is None or outer.head is None else place[outer.head]
        antecedents = (member.antecedent for member in members)
        antecedent = next((place[number] for number in antecedents if number is not None and number not in rows), None)
        return Word(start, end, head, taken.relation, taken.upos, antecedent)


def _antecedent(misc: list[str]) -> int | None:
    """The word that ``Antecedent=`` names, from 0; other uses of that name are no concern of ours."""
    value = next((entry.removeprefix("Antecedent=") for entry in misc if entry.startswith("Antecedent=")), "")
    return int(value) - 1 if HEAD.fullmatch(value) and int(value) > 0 else None


def write_conllu(documents: Iterable[Document], path: Path) -> None:
    """Write documents as CoNLL-U; ``read_conllu`` gives them back.

    Raises ValueError for a document without words, or whose words leave out characters of its text.
    """
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for document in documents:
            file.write("\n".join([f"# sent_id = {document.id}", f"# text = {document.text}", *_lines(document), "\n"]))


def _lines(document: Document) -> Iterator[str]:
    words = document.words or ()
    ends = [0, *(word.end for word in words)]
    starts = [*(word.start for word in words), len(document.text)]
    gaps = [document.text[end:start] for end, start in zip(ends, starts, strict=True)]
    if not words or any(gap not in {"", " "} for gap in gaps) or gaps[0] or gaps[-1]:
        raise InvalidValueError("document {id} is not a sequence of words with single spaces between", document.id)
    for number, (word, gap) in enumerate(zip(words, gaps[1:], strict=True), 1):
        misc = [] if gap or number == len(words) else ["SpaceAfter=No"]
        misc += [] if word.antecedent is None else [f"Antecedent={word.antecedent + 1}"]
        form, head = document.text[word.start : word.end], "_" if word.head is None else str(word.head + 1)
        columns = [str(number), form, "_", word.upos or "_", "_", "_", head, word.relation or "_", "_"]
        yield "\t".join([*columns, "|".join(misc) or "_"])
