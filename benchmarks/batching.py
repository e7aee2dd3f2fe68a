"""What several texts of one length in one pass gain over one after the other.

Run: ``OMP_NUM_THREADS=1 python -m benchmarks.batching [ROUNDS]``. MiniLM on the processor, or on the graphics card if
torch sees one. For texts of 8, 32 and 128 tokens: texts a second of batches of 1, 4 and 8, as ratios of 1. The sizes
take turns in each round, so that other work on the machine slows all of them; the median of the rounds counts. Whole
analyses are timed, with tokenising and the sweep over the weights, which each text has for itself.
"""

import statistics
import sys
import time

import torch

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel
from attention_core.pretrained.running.analysis import AnalysisRequest, prepare
from attention_core.pretrained.running.batch import analyse_together

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
LENGTHS, SIZES = (8, 32, 128), (1, 4, 8)
WORDS = ("the", "cat", "sat", "on", "a", "mat", "and", "it", "was", "warm")


def seconds_a_text(loaded: LoadedModel, tokens: int, size: int) -> float:
    """Of ``max(SIZES)`` texts in batches of this size."""
    count = max(SIZES)
    texts = [" ".join(WORDS[(i * (k + 1) + k) % len(WORDS)] for i in range(tokens - 2)) for k in range(count)]
    start = time.perf_counter()
    for first in range(0, count, size):
        ready = [prepare(loaded, AnalysisRequest(text), max_tokens=512) for text in texts[first : first + size]]
        analyses = analyse_together(ready, [lambda: False] * size)
        if any(isinstance(each, Exception) or len(each.tokens) != tokens for each in analyses):
            raise RuntimeError("a text was not analysed")
    return (time.perf_counter() - start) / count


def main() -> None:
    """Print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    device = "cuda" if torch.cuda.is_available() else "cpu"
    loaded = Catalog(device=device).load(MODEL)
    sys.stdout.write(f"{device}, {torch.get_num_threads()} threads\n| tokens | {' | '.join(map(str, SIZES))} |\n")
    for tokens in LENGTHS:
        taken: dict[int, list[float]] = {size: [] for size in SIZES}
        for number in range(rounds + 1):
            for size in SIZES:
                seconds = seconds_a_text(loaded, tokens, size)
                if number:  # the first round warms up
                    taken[size].append(seconds)
        medians = {size: statistics.median(each) for size, each in taken.items()}
        cells = [f"{medians[1] / medians[size]:.2f} ({1 / medians[size]:.0f} a second)" for size in SIZES]
        sys.stdout.write(f"| {tokens} | {' | '.join(cells)} |\n")


if __name__ == "__main__":
    main()
