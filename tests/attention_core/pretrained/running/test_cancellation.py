"""Work stops when cancelled."""

import pytest

from attention_core.pretrained.errors import Cancelled
from attention_core.pretrained.running.cancellation import stopping


def test_it_raises_once_told() -> None:
    answers = iter([False, True])
    check = stopping(lambda: next(answers), "rollout")
    check()
    with pytest.raises(Cancelled, match="the rollout was cancelled"):
        check()


def test_nobody_to_ask() -> None:
    stopping(None, "rollout")()
