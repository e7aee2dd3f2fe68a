"""Lines of a text file of any size, in bounded memory: decoded, numbered, and never silently repaired.

UTF-8 with or without a byte order mark; UTF-16 and UTF-32 with one. Gzip is unpacked. Lines end in LF or CR LF; in a
file whose beginning has none of these, in CR, as old Macintoshes and some exports have it.
"""

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attention_core import foreign_files
from attention_core.atlas.corpus.errors import CorpusError, too_many_bytes
from attention_core.refusal import Sentence

BLOCK = 2**16
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
NOT_UTF8 = 0xFF
"""A byte that no UTF-8 text contains."""

Line = tuple[int, str | Sentence]
"""Its number from 1 and its text without the line break, or why it cannot be read."""


def read_lines(path: Path, max_bytes: int, longest: int) -> Iterator[Line]:
    """Yield every line of a file; a line of more than ``longest`` bytes is reported and passed over."""
    with _opened(path, max_bytes) as utf8, _line_feeds(utf8) as file:
        number, continued = 0, False
        while piece := file.readline(longest):
            whole = piece.endswith(b"\n") or len(piece) < longest
            number += not continued
            if continued or not whole:
                if not continued:
                    yield number, Sentence("The line is longer than {limit} bytes.", limit=longest)
                continued = not whole
                continue
            yield number, _decoded(piece)


def read_pieces(path: Path, max_bytes: int, longest: int) -> Iterator[tuple[int, str | Sentence, bool]]:
    """Yield lines as ``read_lines`` does, but a long one in pieces; the flag says whether the line ends here."""
    with _opened(path, max_bytes) as utf8, _line_feeds(utf8) as file:
        number, continued, rest = 0, False, b""
        while piece := file.readline(longest):
            whole = piece.endswith(b"\n") or len(piece) < longest
            number += not continued
            continued = not whole
            piece, rest = _up_to_a_character(rest + piece) if continued else (rest + piece, b"")
            yield number, _decoded(piece), whole
        if rest:
            yield number, _decoded(rest), True


def _decoded(line: bytes) -> str | Sentence:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return Sentence("The line is not valid UTF-8.")
    if "\0" in text:
        return Sentence("The line contains a NUL character; UTF-16 is read only with a byte order mark.")
    return text.rstrip("\r\n")


def _up_to_a_character(piece: bytes) -> tuple[bytes, bytes]:
    """Split off the beginning of a UTF-8 character whose end is not there yet."""
    for back in range(1, min(4, len(piece) + 1)):
        byte = piece[-back]
        if byte >= 0xC0:  # the first byte of a character says how long it is
            length = 2 + (byte >= 0xE0) + (byte >= 0xF0)
            return (piece[:-back], piece[-back:]) if length > back else (piece, b"")
        if byte < 0x80:
            break
    return piece, b""


@contextmanager
def _opened(path: Path, max_bytes: int) -> Iterator[io.BufferedReader]:
    """The bytes of a file as UTF-8, without a byte order mark."""
    with foreign_files.opened(path) as plain, _unpacked(path, plain) as unpacked:
        bounded: io.BufferedReader = io.BufferedReader(_Bounded(unpacked, max_bytes), BLOCK)
        start = bounded.peek(4)
        for mark, encoding in MARKS:
            if start.startswith(mark):
                if encoding != "utf-8":
                    yield io.BufferedReader(_Transcoded(bounded, encoding), BLOCK)
                    return
                bounded.read(len(mark))
                break
        yield bounded


@contextmanager
def _unpacked(path: Path, plain: io.BufferedIOBase) -> Iterator[io.BufferedIOBase]:
    if path.suffix.lower() != ".gz":
        yield plain
        return
    try:
        with gzip.GzipFile(fileobj=plain) as unpacked:
            yield unpacked
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise CorpusError("{name} is not a complete gzip file.", path.name) from error


@contextmanager
def _line_feeds(file: io.BufferedReader) -> Iterator[io.BufferedReader]:
    """The same with CR as LF, where nothing but CR ends the first lines."""
    start = file.peek(BLOCK)
    yield io.BufferedReader(_Returns(file), BLOCK) if b"\r" in start and b"\n" not in start else file


class _Returns(io.RawIOBase):
    """A file with LF for every CR."""

    def __init__(self, file: io.BufferedReader) -> None:
        self.file = file

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer with what comes next."""
        block = self.file.read(len(buffer)).replace(b"\r", b"\n")
        buffer[: len(block)] = block
        return len(block)


class _Bounded(io.RawIOBase):
    """A file that refuses to be read beyond a number of bytes: a small compressed file may be endless."""

    def __init__(self, file: io.BufferedIOBase, max_bytes: int) -> None:
        self.file = file
        self.left = max_bytes
        self.limit = max_bytes

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer with what comes next."""
        block = self.file.read(len(buffer))
        self.left -= len(block)
        if self.left < 0:
            raise too_many_bytes(self.limit)
        buffer[: len(block)] = block
        return len(block)


class _Transcoded(io.RawIOBase):
    """Another encoding as UTF-8; what is broken becomes bytes that are not UTF-8, so that its line is reported."""

    def __init__(self, file: io.BufferedIOBase, encoding: str) -> None:
        self.file = file
        self.decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
        self.ready = b""
        self.ended = False

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer with what comes next."""
        while not self.ready and not self.ended:
            block = self.file.read(BLOCK)
            self.ended = not block
            self.ready = self._decoded(block)
        count = min(len(buffer), len(self.ready))
        buffer[:count], self.ready = self.ready[:count], self.ready[count:]
        return count

    def _decoded(self, block: bytes) -> bytes:
        try:
            return self.decoder.decode(block, self.ended).encode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:  # cut off, or none of Unicode's: nothing after it can be aligned
            self.ended = True
            before = error.object[: error.start].decode(error.encoding, "surrogatepass")
            return before.removeprefix("\ufeff").encode("utf-8", "surrogatepass") + bytes([NOT_UTF8])
