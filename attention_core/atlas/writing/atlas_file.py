"""Write ``atlas.json``: what was scanned, and how."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from attention_core import foreign_files
from attention_core.atlas.corpus.facts import CorpusFacts
from attention_core.atlas.measures import MEASURES, PER_QUERY
from attention_core.atlas.settings import FORMAT, ScanSettings
from attention_core.atlas.summaries.summary import Summary
from attention_core.atlas.texts.plan import Plan
from attention_core.disk_room import replacing
from attention_core.foreign_files import ForeignFileError
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.parts import PartShape

FILE = "atlas.json"
MAX_BYTES = 2**20


def read_atlas_file(folder: Path) -> dict[str, Any] | None:
    """What is in the file; None if there is no such file."""
    try:
        facts = json.loads(foreign_files.read(folder / FILE, MAX_BYTES))
    except (ForeignFileError, ValueError, RecursionError):
        return None
    return facts if isinstance(facts, dict) else None


def write_atlas_file(
    folder: Path,
    atlas_id: str,
    loaded: LoadedModel,
    part: PartShape,
    corpus: CorpusFacts,
    settings: ScanSettings,
    summary: Summary,
    plan: Plan,
    stress: float | None,
) -> None:
    """Write it, whole or not at all; a folder with this file is a complete atlas."""
    documents, windows, tokens = summary.totals.tolist()
    about = {
        "format": FORMAT,
        "id": atlas_id,
        "model": _model(loaded, part),
        "corpus": {
            "name": corpus.name,
            "hash": corpus.hash,
            "documents": corpus.documents,
            "characters": corpus.characters,
            "has_relations": corpus.has_relations,
            "has_upos": corpus.has_upos,
            "skipped": corpus.skipped,
        },
        "tokens": tokens,
        "documents": documents,
        "windows": windows,
        "left_out_characters": sum(shard.left_out for shard in plan.shards),
        "sampled_queries": len(summary.sampled.windows),
        "settings": asdict(settings),
        "measures": [name for name in MEASURES if name not in PER_QUERY or summary.queries[PER_QUERY.index(name)] > 0],
        "map": {"stress": stress},
    }
    with replacing(folder / FILE) as partial:
        partial.write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _model(loaded: LoadedModel, part: PartShape) -> dict[str, Any]:
    shape = {"name": part.name, "layers": part.layers, "heads": part.heads, "kv_heads": part.kv_heads}
    return {
        "id": loaded.entry.id,
        "title": loaded.entry.title,
        "kind": loaded.entry.kind,
        "revision": loaded.revision,
        "fingerprint": loaded.fingerprint,
        "max_tokens": loaded.entry.max_tokens,
        "dtype": str(loaded.dtype).removeprefix("torch."),
        "parts": [shape | {"head_dim": part.head_dim, "causal": bool(part.causal)}],
    }
