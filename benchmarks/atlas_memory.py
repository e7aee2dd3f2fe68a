"""Peak memory of scans of growing corpora: one process for each of N, 4N and 16N tokens.

Run: ``python -m benchmarks.atlas_memory [N]``. The text is the probe grammar's, the model the observatory's small
decoder. What should hold: 16 times the tokens take at most 1.2 times the memory of the first.
"""

import itertools
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from attention_core.atlas.corpus.document import CorpusBounds
from attention_core.atlas.corpus.probe import probe_corpus
from attention_core.atlas.corpus.shards import prepare_documents
from attention_core.atlas.scan import scan
from attention_core.atlas.settings import ScanSettings
from attention_core.pretrained.models.catalog import Catalog
from benchmarks.bounds import broken

MODEL = "observatory-gpt2-mini"
TOKENS, GROWTH = 8_000, (1, 4, 16)
TOKENS_OF_SENTENCE = 20
MOST = 1.2


def scan_here(corpus: Path, out: Path) -> None:
    """Scan, and print the tokens and this process' peak of resident memory, before the scan and after, in MiB."""
    loaded = Catalog(device="cpu").load(MODEL)
    before = peak()
    result = scan(loaded, corpus, out, ScanSettings())
    print(result.tokens, before, peak())


def peak() -> int:
    """MiB; Linux counts KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> int:
    if sys.argv[1:2] == ["--scan"]:
        scan_here(*map(Path, sys.argv[2:]))
        return 0
    first = int(sys.argv[1]) if sys.argv[1:] else TOKENS
    peaks = []
    with tempfile.TemporaryDirectory() as folder:
        for times in GROWTH:
            corpus, out = Path(folder) / f"corpus-{times}", Path(folder) / f"atlas-{times}"
            sentences = first * times // TOKENS_OF_SENTENCE
            documents = itertools.islice(probe_corpus(sentences, seed=times), sentences)
            prepare_documents(documents, corpus, CorpusBounds(), "probe", {})
            command = [sys.executable, "-m", "benchmarks.atlas_memory", "--scan", str(corpus), str(out)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            tokens, before, after = map(int, done.stdout.split()[-3:])
            peaks.append(after)
            print(
                f"{tokens:9,} tokens: peak {after:,} MiB, of them {before:,} with the model alone; "
                f"{after / peaks[0]:.2f} times the first",
                flush=True,
            )
    return broken({f"the largest peak is at most {MOST} times the first": peaks[-1] <= MOST * peaks[0]})


if __name__ == "__main__":
    sys.exit(main())
