"""What clients have had of late: what counts, how it is forgotten, and who waits for whom."""

from math import exp

import pytest

from server.requests.usage import CLEARLY_S, HORIZON_S, Usage


def test_calls_count_as_long_as_they_take_and_are_forgotten() -> None:
    usage = Usage()
    assert usage.of("crowd", 5.0) == 0
    usage.begin("crowd", 10.0)
    usage.begin("crowd", 11.0)
    assert usage.of("crowd", 12.0) == pytest.approx(2 + 1), "while they are at work, too"
    usage.end("crowd", 12.0)
    usage.end("crowd", 12.0)
    assert usage.of("crowd", 12.0) == pytest.approx(3)
    assert usage.of("crowd", 12.0 + HORIZON_S) == pytest.approx(3 * exp(-1))
    usage.begin("other", 100.0)
    usage.end("other", 100.5)
    assert set(usage._had) == {"other"}, "who has long been away is forgotten"


def test_who_has_had_clearly_more_waits_while_another_is_at_work() -> None:
    usage = Usage()
    usage.begin("crowd", 0.0)
    assert usage.may_begin("crowd", 1.0), "nobody else is at work"
    assert usage.may_begin("other", 1.0)
    usage.begin("other", 1.0)
    assert not usage.may_begin("crowd", 1.0)
    assert usage.may_begin("other", 1.0)
    assert not usage.may_begin("crowd", 1.05)
    usage.end("other", 1.1)
    assert usage.may_begin("crowd", 1.1)


def test_a_long_call_keeps_nobody_out_for_long() -> None:
    usage = Usage()
    usage.begin("crowd", 0.0)
    usage.end("crowd", 2.0)
    usage.begin("other", 2.0)
    assert not usage.may_begin("crowd", 2.5)
    assert usage.may_begin("crowd", 3.5)


def test_of_two_who_ask_for_as_much_none_waits_and_the_server_s_own_calls_do_not_count() -> None:
    usage = Usage()
    for client in ("one", "another", ""):
        usage.begin(client, 0.0)
    assert usage.may_begin("one", 9.0)
    assert usage.may_begin("another", 9.0)
    usage.end("one", 9.0)
    usage.end("another", 9.0)
    usage.begin("", 9.0)
    assert usage.of("one", 9.0) > CLEARLY_S
    assert usage.may_begin("one", 9.0)


def test_who_has_had_clearly_more_has_half_while_another_comes_and_goes() -> None:
    usage = Usage()
    usage.begin("crowd", 0.0)
    assert usage.share("crowd", 4, 1.0) == 4, "nobody else is here"
    usage.begin("other", 1.0)
    usage.end("other", 1.02)
    assert (usage.share("crowd", 4, 1.1), usage.share("crowd", 1, 1.1)) == (2, 1), "between the other's calls, too"
    assert usage.share("other", 4, 1.1) == 4
    assert usage.share("crowd", 4, 1.1 + 4 * HORIZON_S) == 4, "the other has gone"


def test_of_two_who_have_had_as_much_each_has_all() -> None:
    usage = Usage()
    usage.begin("one", 0.0)
    usage.begin("another", CLEARLY_S / 2)
    assert [usage.share(each, 2, 1.0) for each in ("one", "another")] == [2, 2]
    usage.begin("", 1.0)
    assert usage.share("one", 2, 1.0) == 2, "the server's own calls are nobody's"
