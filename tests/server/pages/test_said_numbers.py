"""Numbers that a page says in passing, computed here."""

import math
import re

import numpy as np
import pytest

from server.pages.pages import TEMPLATES


def said(stem: str) -> str:
    return (TEMPLATES / "concepts" / f"{stem}.html").read_text()


def test_where_e_to_the_x_overflows() -> None:
    found = re.search(
        r"e⁵⁰ is already (\d) · 10²¹\. In float16 it overflows beyond x = ([\d.]+), in float32 beyond (\d+\.\d)",
        said("softmax"),
    )
    assert found
    assert math.exp(50) == pytest.approx(int(found[1]) * 1e21, rel=0.05)
    for kind, limit in ((np.float16, float(found[2])), (np.float32, float(found[3]))):
        with np.errstate(over="ignore"):
            assert np.isinf(np.exp(kind(limit + 0.1)))
        assert np.isfinite(np.exp(kind(limit - 0.1)))
        assert math.log(np.finfo(kind).max) == pytest.approx(limit, abs=0.05)
