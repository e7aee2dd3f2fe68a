"""Open an atlas: a folder with ``atlas.json`` and Parquet files of fixed names."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from attention_core import foreign_files
from attention_core.atlas.reading import database
from attention_core.foreign_files import ForeignFileError
from attention_core.pretrained.errors import AnalysisError
from attention_core.pretrained.recording.selection import check_index, check_name

FORMATS = (1, 2)
"""Versions of the folder that are read."""
ABOUT = "atlas.json"
ABOUT_BYTES = 2**20
"""Of atlas.json at most; it takes a few kilobytes."""
FILES = tuple(
    f"{name}.parquet"
    for name in (
        "heads",
        "histograms",
        "offsets",
        "token_pairs",
        "examples",
        "windows",
        "relations",
        "divergences",
        "vectors",
    )
)


class AtlasError(AnalysisError):
    """A folder that is no atlas which this version reads; the sentence says why."""

    code = "atlas_damaged"
    default_field = "atlas_id"


@dataclass(frozen=True)
class AtlasPart:
    """The self-attention of an encoder or a decoder."""

    name: str
    layers: int
    heads: int
    kv_heads: int | None
    """None if layers differ; likewise head_dim."""
    head_dim: int | None
    causal: bool


@dataclass(frozen=True)
class AtlasFacts:
    """What was scanned, and how."""

    id: str
    model: str
    model_title: str
    kind: str
    """encoder, decoder or encoder_decoder."""
    revision: str | None
    """Commit of the model on the Hugging Face Hub; null unless its files are in the hub's cache."""
    fingerprint: str
    """Hash of the model's files."""
    corpus: str
    """The corpus' name."""
    corpus_hash: str
    """Hash of the documents' content."""
    documents: int
    """Documents that were scanned."""
    tokens: int
    windows: int
    """Pieces of documents that the model was given."""
    parts: list[AtlasPart]
    has_relations: bool
    """Whether the corpus has dependency relations."""
    has_upos: bool
    """Whether the corpus has parts of speech."""
    window_tokens: int
    """Most tokens of a window."""
    max_tokens: int | None
    """Most tokens that were to be scanned; null: all."""
    seed: int
    """Of the sample of documents and of queries."""
    sampled_queries: int
    """Queries whose vectors are kept."""
    skipped: int
    """Malformed lines of the corpus."""
    left_out_characters: int
    """Characters left out because one alone has more tokens than a window."""
    nbytes: int
    """Size of the folder."""

    def part(self, name: str | None) -> AtlasPart:
        """The part with this name, or the first. Raises SelectionError for an unknown part."""
        names = [part.name for part in self.parts]
        return self.parts[0 if name is None else names.index(check_name("part", name, names))]


@dataclass(frozen=True)
class HeadPlace:
    """One head of an atlas."""

    part: str
    layer: int
    head: int


@dataclass(frozen=True)
class Atlas:
    """An open atlas. Its files are read when they are asked for, from any thread."""

    folder: Path
    facts: AtlasFacts
    measures: tuple[str, ...]
    """The names of the measures that it has."""
    stress: float | None
    """How far distances on the map are from divergences (Kruskal's stress-1); null if unknown."""

    def place(self, part: str | None, layer: int, head: int) -> HeadPlace:
        """A head by its indices. Raises SelectionError for one that the model does not have."""
        chosen = self.facts.part(part)
        return HeadPlace(
            chosen.name, check_index("layer", layer, chosen.layers), check_index("head", head, chosen.heads)
        )

    @property
    def places(self) -> list[HeadPlace]:
        """Every head: by part, layer and head."""
        return [
            HeadPlace(part.name, layer, head)
            for part in self.facts.parts
            for layer in range(part.layers)
            for head in range(part.heads)
        ]

    def rows(self, name: str, columns: Sequence[str], rest: str = "", **values: Any) -> list[tuple[Any, ...]]:
        """See ``database.rows``. Raises AtlasError for a damaged file."""
        try:
            return database.rows(self.folder / f"{name}.parquet", columns, rest, **values)
        except (duckdb.Error, OSError) as error:
            raise _damaged(f"{name}.parquet") from error

    def table(self, name: str, columns: Sequence[str], rest: str = "", **values: Any) -> pa.Table:
        """The same as an Arrow table."""
        try:
            return database.table(self.folder / f"{name}.parquet", columns, rest, **values)
        except (duckdb.Error, OSError) as error:
            raise _damaged(f"{name}.parquet") from error


ONE_HEAD = 'WHERE "part" = $part AND "layer" = $layer AND "head" = $head'
"""The rows of one head; the files are sorted by head, so that other row groups are not read."""


def open_atlas(folder: Path) -> Atlas:
    """The atlas in a folder. Raises AtlasError if it is damaged, incomplete or of another version."""
    try:
        about = json.loads(foreign_files.read(folder / ABOUT, ABOUT_BYTES))
        json.dumps(about, ensure_ascii=False, allow_nan=False).encode()  # else no answer could hold what it says
    except (ForeignFileError, ValueError, RecursionError) as error:
        raise _damaged(ABOUT) from error
    version = about.get("format") if isinstance(about, dict) else None
    if version not in FORMATS:
        if isinstance(version, int):
            raise AtlasError(
                "This atlas has format {version}; this version of the observatory reads format {known}. "
                "Scan the corpus again.",
                version,
                FORMATS[-1],
            )
        raise _damaged(ABOUT)
    sizes = [_size(folder / name) for name in (ABOUT, *FILES)]
    try:
        facts = _facts(about, sum(sizes))
        if not facts.parts:
            raise _damaged(ABOUT)
        stress = (about.get("map") or {}).get("stress")
        return Atlas(folder, facts, tuple(map(str, about["measures"])), None if stress is None else float(stress))
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise _damaged(ABOUT) from error


def _size(path: Path) -> int:
    """Of a file that a query may open."""
    state = foreign_files.state_of(path)
    if state is None:
        raise _damaged(path.name)
    return state[0]


def _facts(about: Mapping[str, Any], nbytes: int) -> AtlasFacts:
    model, corpus, settings = about["model"], about["corpus"], about["settings"]
    return AtlasFacts(
        id=str(about["id"]),
        model=str(model["id"]),
        model_title=str(model["title"]),
        kind=str(model["kind"]),
        revision=None if model.get("revision") is None else str(model["revision"]),
        fingerprint=str(model["fingerprint"]),
        corpus=str(corpus["name"]),
        corpus_hash=str(corpus["hash"]),
        documents=int(about["documents"]),
        tokens=int(about["tokens"]),
        windows=int(about["windows"]),
        parts=[_part(part) for part in model["parts"]],
        has_relations=bool(corpus["has_relations"]),
        has_upos=bool(corpus["has_upos"]),
        window_tokens=int(settings["window_tokens"]),
        max_tokens=None if settings["max_tokens"] is None else int(settings["max_tokens"]),
        seed=int(settings["seed"]),
        sampled_queries=int(about["sampled_queries"]),
        skipped=int(corpus["skipped"]),
        left_out_characters=int(about.get("left_out_characters", 0)),
        nbytes=nbytes,
    )


def _part(part: Mapping[str, Any]) -> AtlasPart:
    layers, heads = int(part["layers"]), int(part["heads"])
    kv_heads, head_dim = (None if part[name] is None else int(part[name]) for name in ("kv_heads", "head_dim"))
    return AtlasPart(str(part["name"]), layers, heads, kv_heads, head_dim, bool(part["causal"]))


def _damaged(name: str) -> AtlasError:
    return AtlasError("This atlas is damaged: {file} cannot be read. Scan the corpus again.", name)
