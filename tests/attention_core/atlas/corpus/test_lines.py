"""Lines of text files: encodings, broken bytes, lines of any length."""

import codecs
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from attention_core.atlas.corpus.errors import CorpusTooLargeError
from attention_core.atlas.corpus.lines import BLOCK, read_lines, read_pieces
from attention_core.refusal import Sentence

LARGE = 2**20
BROKEN = "The line is not valid UTF-8."


def lines(folder: Path, content: bytes, longest: int = LARGE) -> list[tuple[int, str]]:
    path = folder / "a.txt"
    path.write_bytes(content)
    return [(number, str(text)) for number, text in read_lines(path, 100 * LARGE, longest)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "utf-32-be"])
def test_every_marked_encoding_is_read_in_blocks_of_any_length(tmp_path: Path, encoding: str) -> None:
    mark = "\ufeff" if encoding.endswith("-be") else ""
    texts = ["Wörter", "日本 🙂" * 20_000, "", "last\u2028line\u0085here"]
    for end in ("\n", "\r\n", "\r"):
        for last in ("", end):
            assert lines(tmp_path, (mark + end.join(texts) + last).encode(encoding)) == list(enumerate(texts, 1))


def test_without_a_mark_only_utf8_is_read(tmp_path: Path) -> None:
    assert lines(tmp_path, "é\nè".encode("latin-1")) == [(1, BROKEN), (2, BROKEN)]
    assert [text for _, text in lines(tmp_path, "ab\ncd".encode("utf-16-le"))] == [
        "The line contains a NUL character; UTF-16 is read only with a byte order mark."
    ] * 2


def test_the_rest_of_a_broken_file_is_read(tmp_path: Path) -> None:
    assert lines(tmp_path, b"a\n\xc3\x28\nb\n\xf4\x90\x80\x80\nc\xe2\x82") == [
        (1, "a"), (2, BROKEN), (3, "b"), (4, BROKEN), (5, BROKEN),
    ]  # fmt: skip
    broken = "a\n\ud800b\nc\n".encode("utf-16", "surrogatepass")
    assert lines(tmp_path, broken) == [(1, "a"), (2, BROKEN), (3, "c")]
    assert lines(tmp_path, broken + b"\0") == [(1, "a"), (2, BROKEN), (3, "c"), (4, BROKEN)]
    assert lines(tmp_path, codecs.BOM_UTF32_LE + b"a\0\0\0\n\0\0\0\0\0\x11\0") == [(1, "a"), (2, BROKEN)]
    assert lines(tmp_path, b"") == []
    assert lines(tmp_path, codecs.BOM_UTF8) == []
    assert lines(tmp_path, codecs.BOM_UTF16_LE) == []


def test_a_line_that_is_too_long_is_passed_over(tmp_path: Path) -> None:
    longer = "The line is longer than 10 bytes."
    content = b"123456789\n1234567890\n12345678901\n" + b"x" * 3 * BLOCK + b"\nend"
    assert lines(tmp_path, content, 10) == [(1, "123456789"), (2, longer), (3, longer), (4, longer), (5, "end")]


def test_a_file_with_more_bytes_than_it_may_have_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"12345\n")
    assert list(read_lines(path, 6, LARGE)) == [(1, "12345")]
    with pytest.raises(CorpusTooLargeError, match="more than 5 bytes"):
        list(read_lines(path, 5, LARGE))


@given(text=st.text(st.sampled_from("aé日🙂\n"), max_size=200), longest=st.integers(16, 40))
@example(text="🙂" * 100, longest=17)
@settings(deadline=None, suppress_health_check=[*HealthCheck])
def test_pieces_are_the_lines(tmp_path: Path, text: str, longest: int) -> None:
    """Cut between characters, never within one."""
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode())
    joined = [""]
    for number, piece, line_ends in read_pieces(path, LARGE, longest):
        assert isinstance(piece, str)
        assert len(piece.encode()) <= longest + 3
        assert number == len(joined)
        joined[-1] += piece
        if line_ends:
            joined.append("")
    assert "\n".join(joined).rstrip("\n") == text.rstrip("\n")


def test_a_piece_that_is_broken_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a" * 16 + b"\xff" + b"b" * 15 + b"c" * 15 + b"\xf0\n\xf0\x9f")
    found = [(number, str(piece), ends) for number, piece, ends in read_pieces(path, LARGE, 16)]
    assert found[0] == (1, "a" * 16, False)
    assert found[1] == (1, BROKEN, False)
    assert found[-1] == (2, BROKEN, True)
    assert all(isinstance(piece, str | Sentence) for _, piece, _ in read_pieces(path, LARGE, 16))
