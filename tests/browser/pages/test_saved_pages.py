"""Every concept page saved as a file: small enough to send, and without a server the same page for every preset.

Beside the presets it answers what its note promises, and refuses the rest in a sentence.
"""

import re
from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path

import pytest
from driving import unfold
from playwright.sync_api import Page, expect
from settling import until

from server.pages.site import ATLAS, PAGES

STEMS = [page.stem for page in PAGES if page.has_frame and page.stem not in {ATLAS, "training"}]
"""The atlas holds no answers of its own; a saved training run has a test of its own."""
DRAWN = """() => document.querySelector("#concept")?.getAttribute("aria-busy") === "false" """
SHOWN = """() => {
  const others = document.querySelectorAll(".plot, a[href*='/atlas']");  // plain SVG in a file; needs a server
  for (const other of others) other.style.display = "none";
  const text = document.querySelector(".concept-bench").innerText + document.querySelector("#notice").innerText;
  for (const other of others) other.style.display = "";
  return text; }"""
MOST_BYTES = 500_000
LONG = 240_000


def each_preset(page: Page) -> list[list[str]]:
    """The lines that the page shows for every preset."""
    found = []
    for index in range(page.locator("#presets a").count()):
        page.locator("#presets a").nth(index).click()
        until(page, DRAWN, timeout=LONG)
        found.append(lines_of(page))
    return found


ANSWERED = {
    "why": "words=one+two+one+three&reader=2&asks=3&wanted=1&inserted=3&gain=1.4&dim=16&seed=5",
    "linear": "x=1_2&w=1_2__3_4&b=1_1",
    "projections": "inputs=1_2_3_5__0_1_0_1",
    "embedding": "neighbours=16",
    "circle": "q=123&n=5&t=0.7",
    "scoring": "temperature=0.37",
    "softmax": "scores=1_2_3.5&temperature=0.3",
    "scaling": "view=saturation&scores=1_2_9",
    "qk_norm": "stretch=1.7&kind=rms",
    "kernel": "gamma=3.3&degree=5",
    "masks": "kind=sliding_window&window=2&scores=1_2_3__4_5_6__7_8_9.5",
    "reach": "kind=documents&tokens=7&drawn=5_1&only=1&mixing=causal_convolution",
    "multi_head": "view=heads&heads=8&kvHeads=2&causal=1",
    "claims": "claim=5",
    "head_roles": "role=next_token",
    "kv_cache": "layers=77&batch=3",
    "order": "words=one+two+one+three&order=3_1_0_2&way=rope&seed=5",
    "sinusoidal": "dim=16&length=21&base=333",
    "rope": "theta=1.234&x=0.3",
    "alibi": "heads=5&tokens=6",
    "block": "text=one+more+text&token=1&form=gpt2&width=64&seed=5",
    "decoder": "words=one+more+one&heads=8&kvHeads=4&seed=77",
    "parity": "layer=5&head=3",
    "context": "layer=2&head=3&first=1&second=3",
}
"""Addresses of settings that are no presets, and that a saved page answers."""
REFUSED = {
    "linear": "numbers=random&seed=77",
    "projections": "view=model&layer=2&head=3",
    "embedding": "text=nobody+recorded+this",
    "circle": "mechanism=additive&seed=123",
    "scoring": "precision=float16&temperature=0.37",
    "softmax": "precision=float16&temperature=0.3",
    "scaling": "seed=77",
    "qk_norm": "view=lengths&seed=77",
    "multi_head": "view=heads&dModel=32&seed=77",
    "claims": "model=nobody%2Fsuch",
    "head_roles": "model=nobody%2Fsuch",
    "kv_cache": "view=steps&prefill=7&chunks=3_5",
    "order": "precision=float32&seed=77",
    "sinusoidal": "view=learned&length=13",
    "block": "width=512&seed=77",
    "parity": "text=nobody+recorded+this",
    "context": "word=cat&texts=The+cat+sat.%0AA+cat+ran.",
}
"""And those that it refuses; a page that is not here computes every setting."""
IN_FLOAT64 = frozenset({"block", "decoder"})
"""Their files show differences of rounding as 0, and other last digits."""
REFUSALS = re.compile("This file works without a server|This file computes most of the page by itself, but not this")


RESIDUE = re.compile(r"(?:(?<= )|^)(\d\.\d × 10⁻(¹[⁵⁶⁷]|⁷)|0)$|^\d\.\d\n×\n10\n−1[567]$", re.MULTILINE)
"""What rounding leaves of a difference of zero: a server and a page take their sums in another order."""


def lines_of(page: Page) -> list[str]:
    """What the page shows, line by line."""
    lines = (re.sub(r"\s+", " ", line).strip() for line in page.evaluate(SHOWN).splitlines())
    return [line for line in lines if line]


def rounded(lines: list[str]) -> list[str]:
    """With the same word for every residue; in formulas each sign is a line."""
    return RESIDUE.sub("only rounding", "\n".join(lines)).split("\n")


def own(lines: list[str]) -> list[str]:
    """Without what a page says of its address, which a file has not."""
    return [re.sub("Your own settings.*", "", line) for line in lines]


@pytest.fixture(scope="module")
def saved_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the saved pages lie, each saved once."""
    return tmp_path_factory.mktemp("saved")


@pytest.fixture
def saved(page: Page, saved_files: Path) -> Callable[[str], Path]:
    """Save a page as a file."""

    def save(stem: str) -> Path:
        file = saved_files / f"{stem}.html"
        if not file.exists():
            page.goto(f"/{stem}")
            until(page, DRAWN, timeout=LONG)
            unfold(page)
            with page.expect_download(timeout=LONG) as download:
                page.locator("#save-html").click()
            download.value.save_as(file)
        return file

    return save


@pytest.mark.full
@pytest.mark.parametrize("stem", STEMS)
def test_a_saved_page_is_small_and_shows_every_preset(
    page: Page, unplugged: tuple[Page, list[str]], saved: Callable[[str], Path], stem: str
) -> None:
    file = saved(stem)
    assert file.stat().st_size < MOST_BYTES, f"{file.stat().st_size // 1000} kB"
    page.goto(f"/{stem}")
    until(page, DRAWN, timeout=LONG)
    live = each_preset(page)
    copy, wrong = unplugged
    copy.goto(file.as_uri())
    until(copy, DRAWN)
    if stem == "parity":
        return  # shows differences of nine digits, which a record of eight does not hold
    differences = [
        line
        for one, other in zip(live, each_preset(copy), strict=True)
        for line in unified_diff(rounded(one), rounded(other), "live", "saved", n=0, lineterm="")
    ]
    assert "\n".join(differences) == ""
    assert wrong == []


@pytest.mark.full
@pytest.mark.parametrize("stem", ["scaling", "rope", "kv_cache", "softmax"])
def test_a_saved_page_shows_every_picture_that_its_text_speaks_of(
    unplugged: tuple[Page, list[str]], saved: Callable[[str], Path], stem: str
) -> None:
    copy, wrong = unplugged
    copy.goto(saved(stem).as_uri())
    until(copy, DRAWN)
    links = copy.locator(".why a[data-state]")
    assert links.count() > 0
    for link in links.all():
        link.click()
        until(copy, DRAWN)
        expect(link).to_have_attribute("aria-current", "true")
        expect(copy.locator("#problem")).to_be_empty()
    assert wrong == []


@pytest.mark.full
@pytest.mark.parametrize("stem", STEMS)
def test_a_saved_page_answers_and_refuses_as_its_note_says(
    page: Page, unplugged: tuple[Page, list[str]], saved: Callable[[str], Path], stem: str
) -> None:
    copy, wrong = unplugged
    file = saved(stem).as_uri()
    copy.goto(f"{file}?{ANSWERED[stem]}")
    until(copy, DRAWN)
    expect(copy.locator("#problem")).to_be_empty()
    if stem not in IN_FLOAT64 | {"parity"}:
        page.goto(f"/{stem}?{ANSWERED[stem]}")
        until(page, DRAWN, timeout=LONG)
        assert rounded(own(lines_of(copy))) == rounded(own(lines_of(page)))
    if stem in REFUSED:
        copy.goto(f"{file}?{REFUSED[stem]}")
        until(copy, DRAWN)
        expect(copy.locator("#problem")).to_contain_text(REFUSALS)
    assert wrong == []
