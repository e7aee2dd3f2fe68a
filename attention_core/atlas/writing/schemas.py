"""Columns of the files of an atlas."""

import pyarrow as pa

from attention_core.atlas.measures import MEASURES

HEAD = [("part", pa.string()), ("layer", pa.int32()), ("head", pa.int32())]
TOKEN = pa.struct(
    [
        *((name, pa.string()) for name in ("text", "token")),
        *((name, pa.int32()) for name in ("start", "end")),
        ("special", pa.bool_()),
        ("word", pa.int32()),
    ]
)
VECTOR = pa.list_(pa.float32())
COUNTS = [("count", pa.int64()), ("weight", pa.float64()), ("rank", pa.int32())]
PLACE = [("window", pa.int64()), ("query", pa.int32()), ("key", pa.int32())]

SCHEMAS: dict[str, pa.Schema] = {
    "heads": pa.schema(
        [
            *HEAD,
            ("tokens", pa.int64()),
            *((name, pa.float64()) for name in MEASURES),
            *((name, pa.float64()) for name in ("map_x", "map_y")),
            ("cluster", pa.int32()),
        ]
    ),
    "histograms": pa.schema(
        [
            *HEAD,
            ("measure", pa.string()),
            ("bin", pa.int32()),
            *((name, pa.float64()) for name in ("low", "high")),
            ("count", pa.int64()),
        ]
    ),
    "offsets": pa.schema([*HEAD, ("offset", pa.int32()), ("weight", pa.float64()), ("strongest", pa.int64())]),
    "token_pairs": pa.schema(
        [
            *HEAD,
            ("kind", pa.string()),
            ("without_sinks", pa.bool_()),
            *((name, pa.string()) for name in ("query", "key")),
            *COUNTS,
        ]
    ),
    "examples": pa.schema(
        [
            *HEAD,
            ("kind", pa.string()),
            ("decile", pa.int32()),
            ("without_sinks", pa.bool_()),
            ("rank", pa.int32()),
            *PLACE,
            ("weight", pa.float64()),
        ]
    ),
    "windows": pa.schema(
        [
            ("window", pa.int64()),
            ("document_id", pa.string()),
            *((name, pa.int64()) for name in ("start", "end")),
            ("text", pa.string()),
            ("tokens", pa.list_(TOKEN)),
        ]
    ),
    "relations": pa.schema(
        [
            *((name, pa.string()) for name in ("relation", "direction")),
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
    "vectors": pa.schema([*HEAD, *PLACE, ("weight", pa.float32()), *((name, VECTOR) for name in ("q", "k", "output"))]),
}
"""By file name without ``.parquet``."""
