"""Scan speed relative to the bare forward pass: tokens a second of an atlas scan, and of the model alone.

Run: ``python -m benchmarks.atlas_scan [TEXT [tokens]]``, with any text file; unless one is given, with sentences of the
probe grammar. The bare pass is the body of the same model
with the library's fused attention, on the same batches, without gradients; the scan is everything from the prepared
corpus to the atlas: the tokenizer, the model, all measures, and writing the tables. Batches take turns,
so that other load on the machine affects both. The end of a scan (tables, mentioned windows) takes some seconds
for any corpus. What should hold: the fold alone, which grows with the corpus, goes at 0.45 times the bare pass or more.
"""

import itertools
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from attention_core.atlas import scan as scanning
from attention_core.atlas.corpus.probe import probe_corpus
from attention_core.atlas.corpus.shards import prepare
from attention_core.atlas.folding.fold import Fold
from attention_core.atlas.folding.scanned_model import ScannedModel
from attention_core.atlas.settings import ScanSettings
from attention_core.atlas.texts.batches import Batch
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.recording.model_run import body
from attention_core.pretrained.recording.shared_copy import copy_sharing_weights
from benchmarks.bounds import broken

MODELS = ("sentence-transformers/all-MiniLM-L6-v2", "observatory-gpt2-mini")
TOKENS = 60_000
TOKENS_OF_SENTENCE = 5
"""Of the probe grammar, at least."""
SENTENCES_OF_DOCUMENT = 60
WINDOWS = (128, 256)
LEAST = 0.45


class Clock:
    """Wall-clock and processor seconds by name."""

    def __init__(self) -> None:
        self.wall: defaultdict[str, float] = defaultdict(float)
        self.cpu: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall[name] += time.perf_counter() - wall
        self.cpu[name] += time.process_time() - cpu


def fused(loaded: LoadedModel) -> ScannedModel:
    """The same model with the library's fused attention."""
    model = ScannedModel(loaded)
    copied: Any = copy_sharing_weights(loaded.model)
    copied.set_attn_implementation("sdpa")
    model.body = body(copied)
    return model


def measure(name: str, text: Path, tokens: int, window_tokens: int) -> float:
    """Measure and print; the fold's ratio by the processor's time."""
    loaded = Catalog(device="cpu").load(name)
    bare = fused(loaded)
    clock = Clock()
    add: Callable[[Fold, Batch], None] = Fold.add

    def both(fold: Fold, batch: Batch) -> None:
        with clock("bare"), torch.inference_mode():
            bare.run(batch)
        with clock("fold"):
            add(fold, batch)

    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        prepare(text, corpus)
        settings = ScanSettings(window_tokens=window_tokens, max_tokens=tokens)
        setattr(Fold, "add", both)  # noqa: B010 - takes turns with the bare pass
        try:
            with clock("all"):
                result = scanning.scan(loaded, corpus, Path(folder) / "atlas", settings)
        finally:
            setattr(Fold, "add", add)  # noqa: B010
    for kind, seconds in (("wall", clock.wall), ("processor", clock.cpu)):
        scan = seconds["all"] - seconds["bare"]
        print(
            f"{name:42}{window_tokens:5}{result.tokens:9,} {kind:10}"
            f"bare {result.tokens / seconds['bare']:8,.0f}/s  scan {result.tokens / scan:8,.0f}/s  "
            f"ratio {seconds['bare'] / scan:.2f}  (fold alone {seconds['bare'] / seconds['fold']:.2f})",
            flush=True,
        )
    return clock.cpu["bare"] / clock.cpu["fold"]


def main() -> int:
    """Measure and print; 1 if a scan was too slow."""
    bounds = {}
    tokens = int(sys.argv[2]) if len(sys.argv) > 2 else TOKENS
    print(f"{torch.get_num_threads()} threads")
    with tempfile.TemporaryDirectory() as folder:
        text = Path(sys.argv[1]) if sys.argv[1:] and sys.argv[1] else probe_text(Path(folder, "probe.txt"), tokens)
        for name in MODELS:
            for window_tokens in WINDOWS:
                ratio = measure(name, text, tokens, window_tokens)
                bounds[f"{name}, {window_tokens}: at least {LEAST} times the bare pass"] = ratio >= LEAST
    return broken(bounds)


def probe_text(path: Path, tokens: int) -> Path:
    """A file of at least so many tokens, in documents of some windows each."""
    sentences = iter(each.text for each in itertools.islice(probe_corpus(tokens, seed=0), tokens // TOKENS_OF_SENTENCE))
    documents = iter(lambda: " ".join(itertools.islice(sentences, SENTENCES_OF_DOCUMENT)), "")
    path.write_text("\n\n".join(documents), encoding="utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
