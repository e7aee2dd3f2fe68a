"""Who holds most gives way; who holds less than others loses nothing, however much another asks for."""

import random
from collections import Counter

import pytest

from server.stores.counted_cache import CountedCache
from server.stores.fair_eviction import Holdings


def test_the_oldest_of_who_holds_most_leaves() -> None:
    held: Holdings[str] = Holdings()
    for key, client, size in (("a1", "a", 5), ("b1", "b", 1), ("b2", "b", 1), ("b3", "b", 1), ("c1", "c", 4)):
        held.add(key, client, size)
    assert held.leaving(12) == []
    assert held.leaving(11) == ["a1"]  # by what they take, not by their number
    assert held.leaving(6) == ["c1"]
    held.use("b1")
    assert held.leaving(2) == ["b2"]
    assert held.leaving(0, {"b1"}) == ["b3"]
    assert held.leaving(0) == ["b1"]
    assert held.leaving(0) == []


def test_of_two_with_as_much_the_one_that_came_last_gives_way() -> None:
    held: Holdings[str] = Holdings()
    for key in ("a1", "a2", "b1", "b2"):
        held.add(key, key[0])
    assert held.leaving(3) == ["b1"]
    held.add("a2", "b")  # whose it is now
    held.remove("nothing")
    assert held.leaving(2) == ["b2"]
    assert held.leaving(1, {"a2", "a1"}) == []


@pytest.mark.parametrize("seed", range(20))
def test_no_flood_takes_from_who_holds_less(seed: int) -> None:
    """Against a naive rule: whoever never holds more than an equal share of the room loses nothing."""
    chance = random.Random(seed)  # noqa: S311
    clients, most = "abc", 12
    held: Holdings[int] = Holdings()
    kept: dict[int, str] = {}
    for key in range(300):
        client = "c" if chance.random() < 0.9 else chance.choice(clients)
        before = Counter(kept.values())
        held.add(key, client)
        kept[key] = client
        for leaving in held.leaving(most, {key}):
            loser = kept.pop(leaving)
            holds = Counter(kept.values())
            assert loser == client or before[loser] > before[client]
            assert holds[loser] + 1 >= max(holds.values())
            assert leaving == min(one for one, of in [*kept.items(), (leaving, loser)] if of == loser)
        assert len(kept) <= most


def test_a_cache_keeps_within_its_bytes_and_counts() -> None:
    cache: CountedCache[str] = CountedCache(10)
    cache.keep("mine", "m", "a", 4)
    for number in range(50):
        cache.keep(f"flood {number}", "f", "b", 2)
        assert cache.currsize <= 10
    assert cache.find("mine") == "m"
    assert (len(cache), cache.currsize, cache.evictions, cache.hits, cache.misses) == (4, 10, 47, 1, 0)
    assert [key for key in (f"flood {number}" for number in range(50)) if key in cache] == [
        "flood 47", "flood 48", "flood 49",
    ]  # fmt: skip
    cache.keep("mine", "n", "a", 11)  # larger than all of it: the old one would be wrong
    assert cache.get("mine") is None
    cache.keep("flood 49", "other", "b", 9)
    assert (len(cache), cache.currsize, cache.find("flood 49")) == (1, 9, "other")
    cache.clear()
    assert (len(cache), cache.currsize, cache.get("flood 49")) == (0, 0, None)
