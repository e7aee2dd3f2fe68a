"""Mathematics in texts, with the cases that scripts read too."""

import json
import re
from pathlib import Path

import pytest
from markupsafe import Markup

from server.pages.maths_text import maths, plain_maths

CASES = json.loads((Path(__file__).resolve().parents[2] / "maths_text.json").read_text(encoding="utf-8"))

DK = '<math aria-label="dₖ"><msub><mi>d</mi><mi>k</mi></msub></math>'


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"])
def test_a_text_becomes_mathml_or_plain_unicode(case: dict[str, str]) -> None:
    assert re.sub(r" aria-label=\"[^\"]*\"", "", maths(case["text"])) == case["mathml"]
    assert plain_maths(case["text"]) == case["plain"]


def test_a_text_is_escaped_and_markup_stays() -> None:
    assert maths("<b> d_k") == f"&lt;b&gt; {DK}"
    kept = maths(Markup('<a href="/x?d_k">d_k &amp; q</a>'))
    assert kept == f'<a href="/x?d_k">{DK} &amp; q</a>'
