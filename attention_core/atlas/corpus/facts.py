"""Facts about a prepared corpus, kept in its ``corpus.json``."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attention_core import foreign_files
from attention_core.atlas.corpus.document import Skipped
from attention_core.atlas.corpus.errors import CorpusError
from attention_core.disk_room import replacing
from attention_core.foreign_files import ForeignFileError
from attention_core.refusal import Sentence

FORMAT = 1
FILE = "corpus.json"
FILE_BYTES = 2**20


@dataclass(frozen=True)
class CorpusFacts:
    """What a corpus holds, and what of its file could not be read."""

    name: str
    hash: str
    """SHA-256 (hex) of the documents: ids, texts and words; not of names and encodings of files."""
    documents: int
    characters: int
    shards: int
    has_relations: bool
    has_upos: bool
    duplicate_ids: int
    """Documents whose id another one had before; they got a suffix."""
    skipped: int
    """Places in the file that could not be read."""
    first_skipped: tuple[Skipped, ...]

    @classmethod
    def read(cls, folder: Path) -> "CorpusFacts":
        """Read the facts of a prepared corpus; raises ``CorpusError`` if the folder holds none, or one half written."""
        if (facts := read_facts(folder)) is None:
            raise CorpusError("{name} holds no prepared corpus.", folder.name)
        return facts[0]


def read_facts(folder: Path) -> tuple[CorpusFacts, dict[str, Any] | None] | None:
    """The facts and the source they were made from; None if there is no complete corpus of this format."""
    try:
        kept = json.loads(foreign_files.read(folder / FILE, FILE_BYTES))
        if kept["format"] != FORMAT:
            return None
        skipped = kept["skipped"]
        first = (_read_skipped(**entry) for entry in skipped["first"])
        same = ("name", "hash", "documents", "characters", "shards", "has_relations", "has_upos", "duplicate_ids")
        facts = CorpusFacts(**{name: kept[name] for name in same}, skipped=skipped["count"], first_skipped=tuple(first))
        return facts, kept["source"]
    except (ForeignFileError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _read_skipped(line: int, template: str, values: dict[str, Any]) -> Skipped:
    return Skipped(line, Sentence(template, **values))


def write_facts(folder: Path, facts: CorpusFacts, source: dict[str, Any] | None) -> None:
    """Write ``corpus.json``, whole or not at all."""
    kept = {
        "format": FORMAT,
        "name": facts.name,
        "hash": facts.hash,
        "documents": facts.documents,
        "characters": facts.characters,
        "shards": facts.shards,
        "has_relations": facts.has_relations,
        "has_upos": facts.has_upos,
        "duplicate_ids": facts.duplicate_ids,
        "skipped": {"count": facts.skipped, "first": [_skipped(problem) for problem in facts.first_skipped]},
        "source": source,
    }
    with replacing(folder / FILE) as partial:
        partial.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")


def _skipped(one: Skipped) -> dict[str, object]:
    values = {name: str(value) for name, value in one.reason.values.items()}
    return {"line": one.line, "template": one.reason.template, "values": values}
