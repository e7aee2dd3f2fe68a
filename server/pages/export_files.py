"""Stream an analysis as CSV or NPZ without holding the whole file in memory.

CSV follows RFC 4180: commas, CRLF, quotes doubled. Labels are ``index token``, so that a spreadsheet takes none of them
for a formula, and always quoted.
"""

import codecs
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from attention_core.pretrained.inputs.tokens import Token
from attention_core.pretrained.recording.windows import SCORES
from attention_core.pretrained.running.analysis import Analysis
from attention_core.pretrained.running.analysis_parts import Part
from ..answers.analyses import AnalysisAnswer

ROWS_AT_ONCE = 64
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every file in an archive, so that equal exports are equal bytes."""


@dataclass(frozen=True)
class ExportSelection:
    """What to export of an analysis."""

    analysis: Analysis
    part: Part
    layers: Sequence[int]
    heads: Sequence[int]
    stage: str
    rows: tuple[int, int]
    cols: tuple[int, int]

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Layers, heads, queries, keys."""
        height, width = self.rows[1] - self.rows[0], self.cols[1] - self.cols[0]
        return len(self.layers), len(self.heads), height, width

    @property
    def queries(self) -> list[Token]:
        """The tokens of the rows."""
        return self._tokens(self.part.query_side)[slice(*self.rows)]

    @property
    def keys(self) -> list[Token]:
        """The tokens of the columns."""
        return self._tokens(self.part.key_side)[slice(*self.cols)]

    @property
    def has_two_texts(self) -> bool:
        """Whether rows and columns are different texts."""
        return self.part.query_side != self.part.key_side or self.rows != self.cols

    def _tokens(self, side: str) -> list[Token]:
        targets = self.analysis.target_tokens
        return self.analysis.tokens if side == "source" or targets is None else targets

    @property
    def spans(self) -> Iterator[tuple[int, int]]:
        """The rows in bands."""
        start, stop = self.rows
        for first in range(start, stop, ROWS_AT_ONCE):
            yield first, min(first + ROWS_AT_ONCE, stop)

    def bands(self, layer: int, head: int) -> Iterator[NDArray[np.float32]]:
        """The stage of one head, in bands of rows."""
        for band in self.spans:
            cells = (band[1] - band[0]) * (self.cols[1] - self.cols[0])
            yield self.analysis.window(
                self.part.name, layer, head, self.stage, band, self.cols, max_cells=max(1, cells)
            )

    def allowed(self, layer: int) -> Iterator[NDArray[np.bool_]]:
        """Which of these keys these queries may attend to, in every head of a layer, in bands of rows."""
        for band in self.spans:
            yield self.part.allowed_window(layer, slice(*band), slice(*self.cols)).cpu().numpy()


def csv_lines(chosen: ExportSelection) -> Iterator[bytes]:
    """One head: a line per query, a column per key, −∞ as ``-inf``; weights that the mask forbids are left empty.

    Numbers have the fewest digits that parse to the same float32. A byte order mark comes first: without one, Excel
    takes UTF-8 for the country's own encoding.
    """
    yield codecs.BOM_UTF8
    yield _line(["query \\ key", *map(_label, chosen.keys)], [])
    queries = iter(chosen.queries)
    layer, head = chosen.layers[0], chosen.heads[0]
    for band, allowed in zip(chosen.bands(layer, head), chosen.allowed(layer), strict=True):
        written = band.astype(str)
        if chosen.stage not in SCORES:
            written = np.where(allowed[head], written, "")
        yield b"".join(_line([_label(next(queries))], row) for row in written)


def _label(token: Token) -> str:
    return f"{token.index} {token.text}"


def _line(labels: Iterable[str], numbers: Iterable[str]) -> bytes:
    quoted = ('"' + label.replace('"', '""') + '"' for label in labels)
    return (",".join((*quoted, *numbers)) + "\r\n").encode()


def npz_chunks(chosen: ExportSelection, answer: AnalysisAnswer) -> Iterator[bytes]:
    """The stage of the chosen heads (layers, heads, queries, keys), thumbnails, tokens, and metadata as JSON.

    Weights, tokens and ``mask`` have the names that ``POST /api/tensors`` expects, so the file can be uploaded again.
    """
    metadata = answer.model_dump_json(exclude={"overview": True, "parts": {"__all__": {"overview"}}})
    arrays: dict[str, NDArray[Any]] = {
        "tokens": np.array([token.text for token in chosen.queries]),
        "layers": np.array(chosen.layers),
        "heads": np.array(chosen.heads),
        "rows": np.array(chosen.rows),
        "cols": np.array(chosen.cols),
        "overview": chosen.part.overview,
        "metadata": np.array(metadata),
    }
    if chosen.has_two_texts:
        arrays["key_tokens"] = np.array([token.text for token in chosen.keys])
    sink = Sink()
    with zipfile.ZipFile(cast(IO[bytes], sink), "w") as archive:
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy", EPOCH), "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
            yield sink.take()
        places = [(layer, head) for layer in chosen.layers for head in chosen.heads]
        numbers = (band.astype("<f4") for place in places for band in chosen.bands(*place))
        streamed: list[tuple[str, str, tuple[int, ...], Iterator[NDArray[Any]]]] = []
        if chosen.part.allowed_keys is not None:  # a key is allowed where any of the chosen heads may attend to it
            heads, (layers, _, *window) = list(chosen.heads), chosen.shape
            allowed = (np.asarray(band[heads].any(axis=0)) for layer in chosen.layers for band in chosen.allowed(layer))
            streamed.append(("mask", "|b1", (layers, *window), allowed))
        streamed.append((chosen.stage, "<f4", chosen.shape, numbers))
        for name, kind, shape, bands in streamed:
            with archive.open(zipfile.ZipInfo(f"{name}.npy", EPOCH), "w", force_zip64=True) as member:
                header = {"descr": kind, "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(member, header)
                for band in bands:
                    member.write(np.ascontiguousarray(band).tobytes())
                    yield sink.take()
    yield sink.take()


class Sink:
    """A write-only, non-seekable buffer for the archive, drained after each write."""

    def __init__(self) -> None:
        self._written = io.BytesIO()

    def write(self, data: bytes) -> int:
        """Buffer more bytes."""
        return self._written.write(data)

    def flush(self) -> None:
        """Do nothing: nothing is held back."""

    def take(self) -> bytes:
        """Drain the buffer."""
        written = self._written.getvalue()
        self._written = io.BytesIO()
        return written
