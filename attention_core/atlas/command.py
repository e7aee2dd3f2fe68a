"""What the commands ``scan`` and ``probe`` do: make an atlas, or write the probe corpus, without a server.

Their parameters are those of the command line (``attention-observatory scan --help``).
"""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from transformers.utils import logging as transformers_logging

from attention_core.atlas.corpus.facts import FILE as CORPUS_FILE
from attention_core.atlas.corpus.probe import prepare_probe, write_probe
from attention_core.atlas.corpus.shards import prepare
from attention_core.atlas.model_source import ModelSource
from attention_core.atlas.progress_line import ProgressLine
from attention_core.atlas.scan import Progress, ScanResult, scan
from attention_core.atlas.settings import ScanSettings

PROBE = "probe"
Engine = Literal["local", "ray"]


@dataclass(frozen=True)
class Machines:
    """What a scan runs on."""

    engine: Engine = "local"
    address: str | None = None
    """Of the Ray cluster; without it, a local one is started."""
    workers: int | None = None
    threads: int = 1


@dataclass(frozen=True)
class ScanOrder:
    """A scan as it was asked for."""

    source: ModelSource
    corpus: str
    """A file or a prepared folder; ``probe`` or ``probe:SENTENCES``."""
    out: Path
    column: str | None = None
    settings: ScanSettings = field(default_factory=ScanSettings)
    machines: Machines = field(default_factory=Machines)


def run_scan(order: ScanOrder) -> dict[str, Any]:
    """Scan and return what came of it. Raises ValueError, OSError or a Refusal that says what cannot be done."""
    transformers_logging.disable_progress_bar()
    corpus = _prepared(order)
    started = time.perf_counter()
    with ProgressLine() as progress:
        result = _scanned(order, corpus, progress)
    seconds = time.perf_counter() - started
    _forget(order, corpus)
    return {
        "documents": result.documents,
        "tokens": result.tokens,
        "seconds": round(seconds, 3),
        "tokens_per_second": round(result.scanned_tokens / seconds, 1),
        "skipped": result.skipped,
    }


def run_probe(out: Path, sentences: int, seed: int) -> dict[str, Any]:
    """Write the probe corpus and return what it is. Raises ValueError or OSError."""
    if out.suffix.lower() != ".conllu":
        raise ValueError(f"{out.name} must end in .conllu, so that it can be read as a corpus")
    write_probe(out, sentences, seed)
    return {"documents": sentences, "seed": seed}


def _scanned(order: ScanOrder, corpus: Path, progress: Progress) -> ScanResult:
    machines = order.machines
    if machines.engine == "local":
        return scan(order.source.load(), corpus, order.out, order.settings, progress, threads=machines.threads)
    try:
        from attention_core.atlas.ray_engine import scan_on_ray  # noqa: PLC0415 - an optional dependency
    except ImportError as error:
        raise ValueError("--engine ray needs Ray: pip install 'ray[data]'") from error
    return scan_on_ray(
        order.source,
        corpus,
        order.out,
        order.settings,
        progress,
        address=machines.address,
        workers=machines.workers,
        threads=machines.threads,
    )


def _prepared(order: ScanOrder) -> Path:
    """The prepared corpus: as given, or made in the folder of the atlas for as long as the scan takes."""
    path = Path(order.corpus)
    if (path / CORPUS_FILE).is_file():
        return path
    folder = order.out / "corpus"
    folder.parent.mkdir(parents=True, exist_ok=True)
    name, _, sentences = order.corpus.partition(":")
    if name == PROBE and not path.exists():
        if sentences and not sentences.isdecimal():
            raise ValueError(f"probe:{sentences} must have a number of sentences, as in probe:2000")
        folder.mkdir(exist_ok=True)
        prepare_probe(folder, **({"sentences": int(sentences)} if sentences else {}))
    else:
        prepare(path, folder, column=order.column)
    return folder


def _forget(order: ScanOrder, corpus: Path) -> None:
    """Remove the prepared corpus, if it was made here."""
    if corpus == order.out / "corpus":
        for path in corpus.iterdir():
            path.unlink()
        corpus.rmdir()
