"""What a long computation leaves behind in memory goes back to the system."""

import asyncio
import re
from pathlib import Path

import pytest

from server.stores.computation_store import ComputationStore
from server.web import free_memory

PIECE, PIECES = 100_000, 1_000
"""Bytes that the C library takes from its own heap, not from the system one by one."""


def _held() -> int:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


@pytest.mark.parametrize(("long_s", "is_given_back"), [(0.0, True), (60.0, False)])
def test_a_long_computation_s_memory_is_given_back(
    monkeypatch: pytest.MonkeyPatch, long_s: float, is_given_back: bool
) -> None:
    """Beside a computation too short for it, whose memory stays: the C library keeps it below what is still in use."""
    monkeypatch.setattr(free_memory, "LONG_S", long_s)
    free_memory.trim()
    before = _held()
    kept, left = asyncio.run(_computed(before))
    assert len(kept) == 1
    assert (left < PIECE * PIECES // 2) is is_given_back


async def _computed(before: int) -> tuple[list[bytes], int]:
    """What a store computes of many pieces, and the bytes that the process then holds more."""
    store = ComputationStore[list[bytes]](
        workers=1, queue_size=1, cache_bytes=2**20, timeout_s=60, size=lambda _: PIECE
    )
    try:
        kept = await store.get_or_compute("pieces", _last_of_many)
        return kept, _held() - before
    finally:
        await store.close()


def _last_of_many(_cancelled: object) -> list[bytes]:
    return [b"a" * PIECE for _ in range(PIECES)][-1:]  # which holds what is below it in the heap
