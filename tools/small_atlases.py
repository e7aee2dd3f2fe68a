"""Atlases of both carried models over a few probe sentences, for tests, measurements and screenshots."""

import sys
from pathlib import Path

from attention_core.atlas.corpus.probe import prepare_probe
from attention_core.atlas.file_lock import locked
from attention_core.atlas.model_source import ModelSource
from attention_core.atlas.scan import scan
from attention_core.atlas.settings import ScanSettings, atlas_id

MODELS = ("sentence-transformers/all-MiniLM-L6-v2", "observatory-gpt2-mini")
SENTENCES = 40


def scan_small(folder: Path, sentences: int = SENTENCES) -> Path:
    """Scan what is not there yet; processes that want the same folder wait for one another. Returns the folder."""
    settings = ScanSettings()
    with locked(folder / "small.lock"):
        corpus = folder / "probe"
        facts = prepare_probe(corpus, sentences)
        for model in MODELS:
            loaded = ModelSource.named(model, device="cpu").load()
            atlases = folder / "atlases"
            scan(loaded, corpus, atlases / atlas_id(loaded.fingerprint, facts.hash, settings), settings)
    return folder / "atlases"


if __name__ == "__main__":
    sys.stdout.write(f"{scan_small(Path(sys.argv[1]))}\n")
