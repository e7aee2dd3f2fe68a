"""CoNLL-U: sentences, multiword tokens, malformed lines, any bytes at all."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from attention_core.atlas.corpus.conllu import write_conllu
from attention_core.atlas.corpus.document import ROOT, CorpusBounds, Document, Skipped, Word
from attention_core.atlas.corpus.errors import CorpusError
from attention_core.atlas.corpus.formats import read_corpus
from attention_core.atlas.corpus.shards import prepare

BOUNDS = CorpusBounds()
PLAIN = """\
# newdoc id = somewhere
# sent_id = s-1
# text = Anna (33) saw her.
1\tAnna\tAnna\tPROPN\tNNP\tNumber=Sing\t5\tnsubj\t5:nsubj\t_
2\t(\t(\tPUNCT\t_\t_\t3\tpunct\t_\tSpaceAfter=No
3\t33\t33\tNUM\t_\t_\t1\tappos\t_\tSpaceAfter=No
4\t)\t)\tPUNCT\t_\t_\t3\tpunct\t_\t_
5\tsaw\tsee\tVERB\tVBD\t_\t0\troot\t_\t_
6\ther\tshe\tPRON\tPRP\t_\t5\tobj:really\t_\tAntecedent=1|SpaceAfter=No
7\t.\t.\t_\t_\t_\t_\t_\t_\t_

"""
PLAIN_WORDS = (
    Word(0, 4, 4, "nsubj", "PROPN"),
    Word(5, 6, 2, "punct", "PUNCT"),
    Word(6, 8, 0, "appos", "NUM"),
    Word(8, 9, 2, "punct", "PUNCT"),
    Word(10, 13, ROOT, "root", "VERB"),
    Word(14, 17, 4, "obj:really", "PRON", 0),
    Word(17, 18),
)


def read(folder: Path, content: str | bytes, bounds: CorpusBounds = BOUNDS) -> list[Document | Skipped]:
    path = folder / "a.conllu"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read_corpus(path, bounds))


def rows(*rows: str) -> str:
    """A sentence of rows such as ``"1 do 2 aux"``: ID, FORM, HEAD, DEPREL and perhaps MISC."""
    lines = []
    for row in rows:
        index, form, head, relation, misc = [*row.split(" "), "_"][:5]
        lines.append("\t".join([index, form, "_", "_", "_", "_", head, relation, "_", misc]))
    return "\n".join(lines) + "\n\n"


def one(folder: Path, content: str) -> Document:
    (found,) = read(folder, content)
    assert isinstance(found, Document)
    return found


def spelled(document: Document) -> list[str]:
    assert document.words is not None
    return [document.text[word.start : word.end] for word in document.words]


def test_a_sentence_with_all_its_columns(tmp_path: Path) -> None:
    assert read(tmp_path, PLAIN) == [Document("s-1", "Anna (33) saw her.", PLAIN_WORDS)]


@pytest.mark.parametrize(
    "text", ["", "# text = \n", "# text = Anna (33) saw him.\n", "# text = Anna (33) saw her. No\n"]
)
def test_a_text_that_is_missing_or_not_that_of_the_words_is_built_from_them(tmp_path: Path, text: str) -> None:
    changed = PLAIN.replace("# text = Anna (33) saw her.\n", text)
    assert read(tmp_path, changed) == [Document("s-1", "Anna (33) saw her.", PLAIN_WORDS)]


def test_words_are_located_in_a_text_with_other_spaces(tmp_path: Path) -> None:
    found = one(tmp_path, "# text = Ah,\u00a0 10 000 \u3000that !\n" + rows("1 Ah 0 root", "2 , 1 punct").strip()
                + "\n3\t10 000\t_\t_\t_\t_\t1\tdep\t_\t_\n" + rows("4 that 1 dep", "5 ! 1 punct"))  # fmt: skip
    assert found.text == "Ah,\u00a0 10 000 \u3000that !"
    assert spelled(found) == ["Ah", ",", "10 000", "that", "!"]


def test_words_of_a_multiword_token_keep_the_characters_that_they_spell(tmp_path: Path) -> None:
    found = one(
        tmp_path,
        "# text = I don't!\n"
        + rows("1 I 2 nsubj", "2-3 don't _ _ SpaceAfter=No", "2 do 0 root", "3 n't 2 advmod", "4 ! 2 punct"),
    )
    assert spelled(found) == ["I", "do", "n't", "!"]
    assert [word.head for word in found.words or ()] == [1, ROOT, 1, 1]


def test_words_that_do_not_spell_their_token_are_one_word(tmp_path: Path) -> None:
    """“au chat du port”: à + le, de + le; chat is the root."""
    found = one(
        tmp_path,
        rows("1-2 au _ _", "1 à 3 case", "2 le 3 det Antecedent=5", "3 chat 0 root", "4-5 du _ _",
             "4 de 5 case", "5 le 6 det", "6 port 3 nmod", "7 . 2 punct Antecedent=4"),
    )  # fmt: skip
    assert found.text == "au chat du port ."
    assert found.words == (
        Word(0, 2, 1, "case", None, 2),
        Word(3, 7, ROOT, "root"),
        Word(8, 10, 3, "det"),  # “de” depends on “le”, which depends on a word outside
        Word(11, 15, 1, "nmod"),
        Word(16, 17, 0, "punct", None, 2),
    )


def test_empty_nodes_are_left_out(tmp_path: Path) -> None:
    found = one(tmp_path, rows("0.1 He _ _", "1 Sue 2 nsubj", "2 likes 0 root", "2.1 likes _ _", "3 tea 2 obj"))
    assert spelled(found) == ["Sue", "likes", "tea"]


def test_sentences_are_called_by_their_line_where_they_have_no_id(tmp_path: Path) -> None:
    content = "\n\n" + rows("1 One 0 root") + "# a remark\n" + rows("1 Two 0 root") + " \n" + "# sent_id = \n"
    found = read(tmp_path, content + rows("1 Three 0 root").rstrip("\n"))
    assert [(one.id, one.text) for one in found if isinstance(one, Document)] == [
        ("3", "One"),
        ("6", "Two"),
        ("10", "Three"),
    ]
    assert read(tmp_path, content.replace("\n", "\r\n") + TWICE)[:2] == found[:2]


NUL = "The line contains a NUL character; UTF-16 is read only with a byte order mark."
TWICE = "1\tA\t_\t_\t_\t_\t0\troot\t_\t_"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("2 B _ _ _ _ 1 dep _ _", "The line has 1 columns between tabs, not 10."),
        ("2\tB\t_\t_\t_\t_\t1\tdep\t_\t_\t_", "The line has 11 columns between tabs, not 10."),
        ("2\t\t_\t_\t_\t_\t1\tdep\t_\t_", "The word has no form."),
        ("x\tB\t_\t_\t_\t_\t1\tdep\t_\t_", "“x” is not the index of a word."),
        ("٢\tB\t_\t_\t_\t_\t1\tdep\t_\t_", "“٢” is not the index of a word."),
        ("9" * 5_000 + "\tB\t_\t_\t_\t_\t1\tdep\t_\t_", f"“{'9' * 5_000}” is not the index of a word."),
        ("1\tB\t_\t_\t_\t_\t2\tdep\t_\t_", "The word’s index is 1, not 2."),
        ("3\tB\t_\t_\t_\t_\t1\tdep\t_\t_", "The word’s index is 3, not 2."),
        ("3-4\tB\t_\t_\t_\t_\t_\t_\t_\t_", "The word’s index is 3-4, not 2."),
        ("2-1\tB\t_\t_\t_\t_\t_\t_\t_\t_", "“2-1” is not a range of words after the last one."),
        ("2-3\tBC\t_\t_\t_\t_\t_\t_\t_\t_", "The range of words ends after the sentence’s last word."),
        ("2\tB\t_\t_\t_\t_\tone\tdep\t_\t_", "“one” is not the head of word 2."),
        ("2\tB\t_\t_\t_\t_\t-1\tdep\t_\t_", "“-1” is not the head of word 2."),
        ("2\tB\t_\t_\t_\t_\t2\tdep\t_\t_", "“2” is not the head of word 2."),
        ("2\tB\t_\t_\t_\t_\t3\tdep\t_\t_", "The head 3 is not a word of the sentence."),
        (b"2\t\xff\t_\t_\t_\t_\t1\tdep\t_\t_", "The line is not valid UTF-8."),
        ("2\tB\0\t_\t_\t_\t_\t1\tdep\t_\t_", NUL),
    ],
)  # fmt: skip
def test_a_malformed_line_is_reported_and_the_other_sentences_are_read(
    tmp_path: Path, line: str | bytes, reason: str
) -> None:
    line = line.encode() if isinstance(line, str) else line
    content = PLAIN.encode() + TWICE.encode() + b"\n" + line + b"\n\n" + PLAIN.encode()
    before, skipped, after = read(tmp_path, content)
    assert isinstance(skipped, Skipped)
    assert (skipped.line, str(skipped.reason)) == (13, reason)
    assert before == after == Document("s-1", "Anna (33) saw her.", PLAIN_WORDS)


def test_a_treebank_whose_forms_are_withheld_is_refused_with_the_reason(tmp_path: Path) -> None:
    """As treebanks are published whose texts may not be; an underscore among words is one."""
    withheld = "# text = _ _\n" + rows("1 _ 2 det", "2 _ 0 root") + rows("1 _ 0 root")
    found = read(tmp_path, withheld)
    assert [type(each) for each in found] == [Skipped, Skipped]
    with pytest.raises(CorpusError, match=r"no text that can be read\. Line 2: .*withheld: every form is “_”"):
        prepare(tmp_path / "a.conllu", tmp_path / "corpus")
    assert spelled(one(tmp_path, rows("1 _ 2 det", "2 name 0 root"))) == ["_", "name"]


def test_every_malformed_line_of_a_sentence_is_reported(tmp_path: Path) -> None:
    found = read(tmp_path, f"{TWICE}\nx\ny\n{TWICE}\n\n{TWICE}\n")
    assert [one.line if isinstance(one, Skipped) else one.text for one in found] == [2, 3, "A"]


def test_an_antecedent_that_is_no_word_is_no_concern(tmp_path: Path) -> None:
    content = rows("1 A 0 root Antecedent=0", "2 B 1 dep Antecedent=3", "3 C 1 dep Antecedent=me|X=1")
    assert [word.antecedent for word in one(tmp_path, content).words or ()] == [None, 2, None]
    assert [word.antecedent for word in one(tmp_path, rows("1 A 0 root Antecedent=2")).words or ()] == [None]


def test_a_sentence_without_end_is_cut_off_with_the_limit_named(tmp_path: Path) -> None:
    long = "\n".join(f"{index}\tw\t_\t_\t_\t_\t_\t_\t_\t_" for index in range(1, 1_000)) + "\n\n"
    found = read(tmp_path, long + TWICE + "\n", CorpusBounds(max_document_characters=100))
    assert [one.line if isinstance(one, Skipped) else one.text for one in found] == [51, "A"]
    assert isinstance(found[0], Skipped)
    assert str(found[0].reason) == "The sentence has more than 100 characters (max_document_characters)."


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    documents = [
        Document("a", 'She said "no".', (Word(0, 3, 1, "nsubj", "PRON", 3), Word(4, 8, ROOT, "root", "VERB"),
                                         Word(9, 10), Word(10, 12, 1, "obj", "X"), Word(12, 13), Word(13, 14))),
        Document("b", "日本語 だ", (Word(0, 2, None, "compound"), Word(2, 3, 0), Word(4, 5, ROOT, "root", "AUX", 1))),
    ]  # fmt: skip
    write_conllu(documents, tmp_path / "b.conllu")
    assert list(read_corpus(tmp_path / "b.conllu", BOUNDS)) == documents


@pytest.mark.parametrize(
    "document",
    [
        Document("none", "A b."),
        Document("empty", "A b.", ()),
        Document("gap", "A, b", (Word(0, 1), Word(3, 4))),
        Document("spaces", "A  b", (Word(0, 1), Word(3, 4))),
        Document("end", "A b.", (Word(0, 1), Word(2, 3))),
        Document("start", " b", (Word(1, 2),)),
    ],
    ids=lambda document: document.id,
)
def test_a_document_that_the_format_cannot_hold_is_refused(tmp_path: Path, document: Document) -> None:
    with pytest.raises(ValueError, match=f"document {document.id} is not a sequence of words"):
        write_conllu([document], tmp_path / "b.conllu")


FIELD = st.sampled_from([*"0123456789_-.", "1-2", "2.1", "a", "", " ", "SpaceAfter=No", "Antecedent=1", "\ud83d\ude42"])
LINE = st.one_of(
    st.lists(FIELD, min_size=8, max_size=11).map("\t".join),
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from(["a", "do", "n't"])).map(
        lambda row: f"{row[0]}\t{row[2]}\t_\t_\t_\t_\t{row[1]}\tdep\t_\t_"
    ),
    st.sampled_from(["", "# text = a do", "# sent_id = 1", "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_"]),
)
FILES = st.one_of(
    st.binary(), st.lists(LINE, max_size=12).map(lambda lines: "\n".join(lines).encode("utf-8", "replace"))
)


@pytest.mark.full
@given(content=FILES)
@example(content=b"\xff\xfe")
@example(content="\ufeff".encode("utf-16-le") + b"\xd8")
@settings(deadline=None, suppress_health_check=[*HealthCheck])
def test_any_bytes_are_read_or_reported(tmp_path: Path, content: bytes) -> None:
    for found in read(tmp_path, content):
        if isinstance(found, Skipped):
            assert 1 <= found.line <= content.count(b"\n") + content.count(b"\r") + 1
            assert str(found.reason)
            continue
        assert found.words
        ends = [0, *(word.end for word in found.words)]
        for word, end in zip(found.words, ends, strict=False):
            assert end <= word.start < word.end <= len(found.text)
            assert found.text[word.start : word.end].strip()
            assert word.head is None or ROOT <= word.head < len(found.words)
            assert word.antecedent is None or 0 <= word.antecedent < len(found.words)
