"""Plain text files: paragraphs, and paragraphs that are too long."""

from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from attention_core.atlas.corpus.document import CorpusBounds, Document, Skipped
from attention_core.atlas.corpus.formats import read_corpus


def read(folder: Path, content: str | bytes, longest: int = 1_000) -> list[Document | Skipped]:
    path = folder / "a.txt"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read_corpus(path, CorpusBounds(max_document_characters=longest)))


def short(found: list[Document | Skipped]) -> list[tuple[str | int, str]]:
    return [(one.id, one.text) if isinstance(one, Document) else (one.line, str(one.reason)) for one in found]


def test_blank_lines_part_paragraphs(tmp_path: Path) -> None:
    content = "\n = Title = \n\t\n One line \n  and another\n\n\u3000\n\nLast"
    expected = [("2", "= Title ="), ("4", "One line \n  and another"), ("9", "Last")]
    assert short(read(tmp_path, content)) == expected
    assert short(read(tmp_path, content.replace("\n", "\r\n"))) == expected
    assert short(read(tmp_path, (content + "\n\n\n").encode("utf-16"))) == expected


def test_a_broken_line_ends_its_paragraph(tmp_path: Path) -> None:
    assert short(read(tmp_path, b"One\ntwo\n\xff\nthree\n\nfour\n")) == [
        ("1", "One\ntwo"),
        (3, "The line is not valid UTF-8."),
        ("4", "three"),
        ("6", "four"),
    ]


def test_a_long_paragraph_is_cut_at_white_space(tmp_path: Path) -> None:
    assert short(read(tmp_path, "aaa bbb\nccc ddd eee\n\nfff", 11)) == [
        ("1", "aaa bbb\nccc"),
        ("1:2", "ddd eee"),
        ("4", "fff"),
    ]
    assert short(read(tmp_path, "x" * 25, 10)) == [("1", "x" * 10), ("1:2", "x" * 10), ("1:3", "x" * 5)]
    assert short(read(tmp_path, "a " + "x" * 12, 10)) == [("1", "a " + "x" * 8), ("1:2", "xxxx")]
    spaces = "one" + " " * 500 + "\n" + " " * 90 + "two"
    assert short(read(tmp_path, spaces, 20)) == [("1", "one"), ("1:2", "two")]


@given(text=st.text(st.sampled_from("ab é日🙂\n\t"), max_size=300), longest=st.integers(1, 50))
@example(text=" " * 40 + "a\n" + " " * 40 + "\n" + "b" * 40, longest=16)
@example(text="a" * 20 + " \nb\n\nc", longest=16)
@settings(deadline=None, suppress_health_check=[*HealthCheck])
def test_nothing_but_white_space_is_lost(tmp_path: Path, text: str, longest: int) -> None:
    found = read(tmp_path, text, longest)
    documents = [one for one in found if isinstance(one, Document)]
    assert len(documents) == len(found)
    assert all(0 < len(one.text) <= longest and one.text == one.text.strip() for one in documents)
    assert len({one.id for one in documents}) == len(documents)
    assert "".join("".join(one.text.split()) for one in documents) == "".join(text.split())
    lines = [int(one.id.partition(":")[0]) for one in documents]
    starts = [
        number
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip() and (number == 1 or not text.split("\n")[number - 2].strip())
    ]
    assert sorted(set(lines)) == starts
