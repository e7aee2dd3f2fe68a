"""Write the windows that an atlas mentions, with their texts and tokens."""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from attention_core.atlas.texts.plan import Plan
from attention_core.atlas.texts.shard_windows import ShardWindows
from attention_core.atlas.texts.tokeniser import Tokeniser
from attention_core.atlas.texts.windows import WINDOWS_BITS, Window
from attention_core.atlas.writing.schemas import SCHEMAS, TOKEN
from attention_core.atlas.writing.tables import write_groups

GROUP = 256
"""Windows of one row group."""


def write_windows(folder: Path, texts: ShardWindows, plan: Plan, mentioned: Sequence[int]) -> None:
    """Write the windows with these ids, ascending."""
    found = _windows(texts, plan, mentioned)
    groups = iter(lambda: list(itertools.islice(found, GROUP)), [])
    write_groups(folder, "windows", (_table(windows, texts.tokeniser) for windows in groups))


def _windows(texts: ShardWindows, plan: Plan, mentioned: Sequence[int]) -> Iterator[Window]:
    firsts = [shard.first_document for shard in plan.shards]
    documents = np.unique(np.array(mentioned, dtype=np.int64) >> WINDOWS_BITS)
    shards = np.searchsorted(firsts, documents, side="right") - 1
    wanted = set(mentioned)
    for at in np.unique(shards).tolist():
        shard = plan.shards[at]
        for window in texts.windows(shard.index, shard.first_document, documents[shards == at].tolist()):
            if window.id in wanted:
                yield window


def _table(windows: Sequence[Window], tokeniser: Tokeniser) -> pa.Table:
    columns = {
        "window": [window.id for window in windows],
        "document_id": [window.document_id for window in windows],
        "start": [window.start for window in windows],
        "end": [window.end for window in windows],
        "text": [window.text for window in windows],
        "tokens": _tokens(windows, tokeniser),
    }
    return pa.table(columns, schema=SCHEMAS["windows"])


def _tokens(windows: Sequence[Window], tokeniser: Tokeniser) -> pa.ListArray:
    """The tokens of each window; one that stands for no character is at the end of the one before."""
    spans = [_spans(window) for window in windows]
    starts, ends = (np.concatenate(side).astype(np.int32) for side in zip(*spans, strict=True))
    fields = {
        "text": _texts(windows, tokeniser),
        "start": starts,
        "end": ends,
        "special": np.concatenate([window.tokens.special for window in windows]),
    }
    tokens = pa.StructArray.from_arrays([pa.array(fields[each.name], each.type) for each in TOKEN], fields=list(TOKEN))
    offsets = np.cumsum([0, *(len(window.tokens) for window in windows)], dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), tokens)


def _spans(window: Window) -> tuple[np.ndarray, np.ndarray]:
    starts, ends = window.tokens.starts, window.tokens.ends
    last = np.maximum.accumulate(np.where(starts >= 0, np.arange(len(starts)), -1))
    before = np.where(last >= 0, ends[last], 0)
    return np.where(starts >= 0, starts, before), np.where(starts >= 0, ends, before)


def _texts(windows: Sequence[Window], tokeniser: Tokeniser) -> list[str]:
    """Each token decoded by itself; a part of a character is shown as that character."""
    each, places = np.unique(np.concatenate([window.tokens.ids for window in windows]), return_inverse=True)
    decoded = [tokeniser.text(token) for token in each.tolist()]
    texts = [decoded[place] for place in places.tolist()]
    is_part = np.array(["\N{REPLACEMENT CHARACTER}" in text for text in decoded])
    first = 0
    for window in windows:
        inside = slice(first, first + len(window.tokens))
        for at in np.flatnonzero(is_part[places[inside]] & (window.tokens.starts >= 0)).tolist():
            texts[first + at] = window.text[window.tokens.starts[at] : window.tokens.ends[at]]
        first = inside.stop
    return texts
