"""Write the windows that an atlas mentions, with their texts and tokens."""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from attention_core.atlas.texts.plan import Plan
from attention_core.atlas.texts.shard_windows import ShardWindows
from attention_core.atlas.texts.tokeniser import Tokeniser
from attention_core.atlas.texts.windows import WINDOWS_BITS, Window
from attention_core.atlas.writing.schemas import SCHEMAS
from attention_core.atlas.writing.tables import write_groups

GROUP = 256
"""Windows of one row group."""
AS_SHOWN = ("text", "token", "special", "word")
"""What of each token is written beside its place."""


def write_windows(folder: Path, texts: ShardWindows, plan: Plan, mentioned: Sequence[int]) -> None:
    """Write the windows with these ids, ascending."""
    rows = _windows(texts, plan, mentioned)
    groups = iter(lambda: list(itertools.islice(rows, GROUP)), [])
    write_groups(folder, "windows", (_table(windows, texts.tokeniser) for windows in groups))


def _windows(texts: ShardWindows, plan: Plan, mentioned: Sequence[int]) -> Iterator[Window]:
    firsts = [shard.first_document for shard in plan.shards]
    documents = np.unique(np.array(mentioned, dtype=np.int64) >> WINDOWS_BITS)
    shards = np.searchsorted(firsts, documents, side="right") - 1
    wanted = set(mentioned)
    for shard_index in np.unique(shards).tolist():
        shard = plan.shards[shard_index]
        for window in texts.windows(shard.index, shard.first_document, documents[shards == shard_index].tolist()):
            if window.id in wanted:
                yield window


def _table(windows: Sequence[Window], tokeniser: Tokeniser) -> pa.Table:
    columns = {
        "window": [window.id for window in windows],
        "document_id": [window.document_id for window in windows],
        "start": [window.start for window in windows],
        "end": [window.end for window in windows],
        "text": [window.text for window in windows],
        "tokens": [_tokens(window.text, tokeniser) for window in windows],
    }
    return pa.Table.from_pydict(columns, schema=SCHEMAS["windows"])


def _tokens(text: str, tokeniser: Tokeniser) -> list[dict[str, Any]]:
    """As an analysis of the text shows them; one that stands for no character is at the end of the one before."""
    tokens_read, before = [], 0
    for token in tokeniser.shown(text):
        start, end = (before, before) if token.start is None or token.end is None else (token.start, token.end)
        tokens_read.append({"start": start, "end": end} | {name: getattr(token, name) for name in AS_SHOWN})
        before = end
    return tokens_read
