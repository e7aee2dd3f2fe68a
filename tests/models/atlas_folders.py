"""Atlas folders with seeded random numbers, written as a scan writes them."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from attention_core.atlas.measures import MEASURES, PER_QUERY

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
WORDS = ["[CLS]", "the", "cat", "saw", "a", "dog", "and", "it", "ran", "[SEP]"]
TEXT = "the cat saw a dog and it ran"
RELATIONS = ("nsubj", "det")
BINS = 8
REACH = 64


@dataclass(frozen=True)
class FakeAtlas:
    """What to write."""

    id: str = "00000000000000a1"
    model: str = MINILM
    layers: int = 6
    heads: int = 12
    head_dim: int = 32
    windows: int = 12
    sampled: int = 40
    seed: int = 0
    has_relations: bool = True
    corpus: str = "probe"
    corpus_hash: str = "c" * 16
    fingerprint: str = "f" * 16
    changes: dict[str, Any] = field(default_factory=dict)
    """What stands in atlas.json instead."""

    @property
    def places(self) -> list[tuple[str, int, int]]:
        """Part, layer and head of every head."""
        return [("encoder", layer, head) for layer in range(self.layers) for head in range(self.heads)]


def write_atlas(root: Path, atlas: FakeAtlas | None = None) -> Path:
    """Write the folder into ``root`` under the atlas' id; atlas.json last."""
    atlas = atlas or FakeAtlas()
    rng = np.random.default_rng(atlas.seed)
    folder = root / atlas.id
    folder.mkdir(parents=True)
    for name, rows in {
        "heads": _heads(atlas, rng),
        "histograms": _histograms(atlas, rng),
        "offsets": _offsets(atlas, rng),
        "token_pairs": _pairs(atlas, rng),
        "examples": _examples(atlas, rng),
        "windows": _windows(atlas),
        "relations": _relations(atlas, rng),
        "divergences": _divergences(atlas, rng),
        "vectors": _vectors(atlas, rng),
    }.items():
        table = pa.Table.from_pylist(rows, schema=SCHEMAS[name])
        pq.write_table(
            table, folder / f"{name}.parquet", row_group_size=max(1, len(rows) // (atlas.layers * atlas.heads))
        )
    (folder / "atlas.json").write_text(json.dumps({**_about(atlas), **atlas.changes}))
    return folder


def _about(atlas: FakeAtlas) -> dict[str, Any]:
    part = {"name": "encoder", "layers": atlas.layers, "heads": atlas.heads, "kv_heads": atlas.heads}
    return {
        "format": 2,
        "id": atlas.id,
        "model": {
            "id": atlas.model,
            "title": "MiniLM L6",
            "kind": "encoder",
            "revision": None,
            "fingerprint": atlas.fingerprint,
            "max_tokens": 512,
            "dtype": "float32",
            "parts": [{**part, "head_dim": atlas.head_dim, "causal": False}],
        },
        "corpus": {
            "name": atlas.corpus,
            "hash": atlas.corpus_hash,
            "documents": atlas.windows,
            "characters": atlas.windows * len(TEXT),
            "has_relations": atlas.has_relations,
            "has_upos": True,
            "skipped": 0,
        },
        "tokens": atlas.windows * len(WORDS),
        "documents": atlas.windows,
        "windows": atlas.windows,
        "left_out_characters": 0,
        "sampled_queries": atlas.sampled,
        "settings": {"window_tokens": 128, "max_tokens": None, "seed": 0},
        "measures": list(MEASURES),
        "map": {"stress": 0.125},
    }


HEAD = [("part", pa.string()), ("layer", pa.int32()), ("head", pa.int32())]
TOKEN = pa.struct(
    [
        ("text", pa.string()),
        ("token", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("special", pa.bool_()),
        ("word", pa.int32()),
    ]
)
VECTOR = pa.list_(pa.float32())
SCHEMAS: dict[str, pa.Schema] = {
    "heads": pa.schema(
        [
            *HEAD,
            ("tokens", pa.int64()),
            *((name, pa.float64()) for name in MEASURES),
            ("map_x", pa.float64()),
            ("map_y", pa.float64()),
            ("cluster", pa.int32()),
        ]
    ),
    "histograms": pa.schema(
        [
            *HEAD,
            ("measure", pa.string()),
            ("bin", pa.int32()),
            ("low", pa.float64()),
            ("high", pa.float64()),
            ("count", pa.int64()),
        ]
    ),
    "offsets": pa.schema([*HEAD, ("offset", pa.int32()), ("weight", pa.float64()), ("strongest", pa.int64())]),
    "token_pairs": pa.schema(
        [
            *HEAD,
            ("kind", pa.string()),
            ("without_sinks", pa.bool_()),
            ("query", pa.string()),
            ("key", pa.string()),
            ("count", pa.int64()),
            ("weight", pa.float64()),
            ("rank", pa.int32()),
        ]
    ),
    "examples": pa.schema(
        [
            *HEAD,
            ("kind", pa.string()),
            ("decile", pa.int32()),
            ("without_sinks", pa.bool_()),
            ("rank", pa.int32()),
            ("window", pa.int64()),
            ("query", pa.int32()),
            ("key", pa.int32()),
            ("weight", pa.float64()),
        ]
    ),
    "windows": pa.schema(
        [
            ("window", pa.int64()),
            ("document_id", pa.string()),
            ("start", pa.int64()),
            ("end", pa.int64()),
            ("text", pa.string()),
            ("tokens", pa.list_(TOKEN)),
        ]
    ),
    "relations": pa.schema(
        [
            ("relation", pa.string()),
            ("direction", pa.string()),
            *HEAD,
            ("count", pa.int64()),
            ("accuracy", pa.float64()),
            ("baseline_offset", pa.int32()),
            ("baseline_accuracy", pa.float64()),
        ]
    ),
    "divergences": pa.schema(
        [*((f"{name}_{side}", kind) for side in "ab" for name, kind in HEAD), ("divergence", pa.float64())]
    ),
    "vectors": pa.schema(
        [
            *HEAD,
            ("window", pa.int64()),
            ("query", pa.int32()),
            ("key", pa.int32()),
            ("weight", pa.float32()),
            ("q", VECTOR),
            ("k", VECTOR),
            ("output", VECTOR),
        ]
    ),
}


def _row(place: tuple[str, int, int], **values: Any) -> dict[str, Any]:
    return {"part": place[0], "layer": place[1], "head": place[2], **values}


def _heads(atlas: FakeAtlas, rng: np.random.Generator) -> list[dict[str, Any]]:
    rows = []
    for number, place in enumerate(atlas.places):
        values: dict[str, float | None] = dict(zip(MEASURES, rng.random(len(MEASURES)).tolist(), strict=True))
        if number == 1:
            values["duplicate_token"] = None
        at = dict(zip(("map_x", "map_y"), rng.normal(size=2).tolist(), strict=True))
        rows.append(_row(place, tokens=atlas.windows * len(WORDS), **values, **at, cluster=number % 4))
    return rows


def _histograms(atlas: FakeAtlas, rng: np.random.Generator) -> list[dict[str, Any]]:
    return [
        _row(place, measure=measure, bin=each, low=each / BINS, high=(each + 1) / BINS, count=int(rng.integers(1, 50)))
        for place in atlas.places
        for measure in PER_QUERY
        for each in range(BINS)
    ]


def _offsets(atlas: FakeAtlas, rng: np.random.Generator) -> list[dict[str, Any]]:
    return [
        _row(place, offset=offset, weight=float(rng.random()), strongest=int(rng.integers(9)))
        for place in atlas.places
        for offset in range(-REACH, REACH + 1)
    ]


def _pairs(atlas: FakeAtlas, rng: np.random.Generator) -> list[dict[str, Any]]:
    return [
        _row(
            place,
            kind=kind,
            without_sinks=without,
            query=WORDS[rank],
            key=WORDS[-1 - rank],
            count=30 - rank,
            weight=float(rng.random()),
            rank=rank,
        )
        for place in atlas.places
        for kind in ("token", "upos")
        for without in (False, True)
        for rank in range(5)
    ]


def _examples(atlas: FakeAtlas, rng: np.random.Generator) -> list[dict[str, Any]]:
    rows = []
    for place in atlas.places:
        for without in (False, True):
            for decile, rank in [(None, rank) for rank in range(20)] + [
                (each, rank) for each in range(10) for rank in range(10)
            ]:
                cell = {"window": int(rng.integers(atlas.windows)) << 20, "weight": float(rng.random())}
                query, key = rng.integers(len(WORDS), size=2).tolist()
                kind = "strongest" if decile is None else "decile"
                at = {"kind": kind, "decile": decile, "without_sinks": without, "rank": rank}
                rows.append(_row(place, **at, **cell, query=query, key=key))
    return rows


def _windows(atlas: FakeAtlas) -> list[dict[str, Any]]:
    tokens, at = [], 0
    for word in WORDS:
        special = word[0] == "["
        start = at if special else TEXT.index(word, at)
        at = start if special else start + len(word)
        number = None if special else len(tokens) - 1
        tokens.append({"text": word, "token": word, "start": start, "end": at, "special": special, "word": number})
    return [
        {"window": each << 20, "document_id": f"d{each}", "start": 0, "end": len(TEXT), "text": TEXT, "tokens": tokens}
        for each in range(atlas.windows)
    ]


def _relations(atlas: FakeAtlas, rng: np.random.Generator) -> list[dict[str, Any]]:
    if not atlas.has_relations:
        return []
    return [
        {
            "relation": relation,
            "direction": direction,
            **_row(place),
            "count": 40 - 10 * number,
            "accuracy": float(rng.random()),
            "baseline_offset": 1 + number,
            "baseline_accuracy": 0.25,
        }
        for number, relation in enumerate(RELATIONS)
        for direction in ("dependent_to_head", "head_to_dependent")
        for place in atlas.places
    ]


def _divergences(atlas: FakeAtlas, rng: np.random.Generator) -> list[dict[str, Any]]:
    names = ("part", "layer", "head")
    return [
        {
            **{f"{name}_a": value for name, value in zip(names, one, strict=True)},
            **{f"{name}_b": value for name, value in zip(names, other, strict=True)},
            "divergence": float(rng.random()),
        }
        for number, one in enumerate(atlas.places)
        for other in atlas.places[number + 1 :]
    ]


def _vectors(atlas: FakeAtlas, rng: np.random.Generator) -> list[dict[str, Any]]:
    cells = [divmod(each, len(WORDS)) for each in range(atlas.sampled)]
    return [
        _row(
            place,
            window=(window % atlas.windows) << 20,
            query=query,
            key=int(rng.integers(len(WORDS))),
            weight=float(rng.random()),
            **{name: rng.normal(size=atlas.head_dim).astype(np.float32).tolist() for name in ("q", "k", "output")},
        )
        for place in atlas.places
        for window, query in cells
    ]
