"""Settings of a scan, and the id of the atlas that they lead to."""

import hashlib
import json
from dataclasses import asdict, dataclass

from attention_core.refusal import check_at_least

FORMAT = 2
"""Version of the atlas folder. In the first, what a mask forces could be an example, and tokens had neither
the spelling of the vocabulary nor words."""
MIN_WINDOW_TOKENS = 8


@dataclass(frozen=True)
class ScanSettings:
    """What determines an atlas, besides the model and the corpus."""

    window_tokens: int = 128
    """Tokens a window has at most, special ones included; never more than the model takes."""
    max_tokens: int | None = None
    """Tokens that are scanned at most, special ones included, but one window in any case."""
    seed: int = 0
    """Chooses the sampled queries."""
    sampled_queries: int = 1024
    """Queries whose vectors are kept, at most."""

    def __post_init__(self) -> None:
        check_at_least(MIN_WINDOW_TOKENS, window_tokens=self.window_tokens)
        check_at_least(1, max_tokens=1 if self.max_tokens is None else self.max_tokens)
        check_at_least(0, seed=self.seed)
        check_at_least(1, sampled_queries=self.sampled_queries)


def atlas_id(fingerprint: str, corpus_hash: str, settings: ScanSettings) -> str:
    """16 hexadecimal digits: a hash of the model's files, the corpus' documents, the settings and the format."""
    facts = {"format": FORMAT, "model": fingerprint, "corpus": corpus_hash, "settings": asdict(settings)}
    if settings.max_tokens is not None:  # scans ended with a whole shard once, which made other atlases
        facts["ends"] = "with a window"
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]
