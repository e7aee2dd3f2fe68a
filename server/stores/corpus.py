"""A corpus that can be scanned, or why it cannot; and what it is made from."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from attention_core.atlas.corpus.facts import CorpusFacts
from attention_core.refusal import Sentence

State = Literal["preparing", "ready", "failed"]


@dataclass(frozen=True)
class Corpus:
    """A corpus that can be scanned, or why it cannot."""

    id: str
    name: str
    state: State
    folder: Path
    """Where it is prepared."""
    uploaded: bool = False
    facts: CorpusFacts | None = None
    """None before it is prepared."""
    reason: Sentence | None = None
    """Why it cannot be scanned."""
    owners: Collection[str] = ()
    """The marks of who has uploaded it; none: nobody's."""


@dataclass(frozen=True)
class CorpusSource:
    """A corpus of this server, prepared or not."""

    id: str
    name: str
    path: Path | None
    """The file; None for the probe corpus."""
    folder: Path
    """Where it is to be prepared."""
