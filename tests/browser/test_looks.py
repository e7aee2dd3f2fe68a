"""Every page is accessible by axe and no wider than its window: at a desk, light, in English; on a phone, dark, in
Japanese; and in the full tier in each other width, theme and language.

A page's first view is looked at in both, each of its others in one of the two, in turn; the full tier looks at all.

The Explorer's states are in `explorer/test_looks.py`.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from driving import expect_fits, visit_concept
from playwright.sync_api import Page, expect

TEN = "__".join(["0.309017_-0.951057"] * 10)
VIEWS = {
    "alibi": ("/alibi?heads=12", "/embed/alibi?view=compare", "/alibi?view=reach"),
    "atlas": ("/atlas", "/embed/atlas?view=corpus"),  # with an atlas: concepts/test_atlas.py
    "block": (
        "/block",
        "/embed/block?model=sentence-transformers%2Fall-MiniLM-L6-v2&layer=3&token=2&step=3",
    ),
    "circle": (
        "/circle",
        "/circle?q=45,0,90,200&n=24&mechanism=additive&t=0.3&trail=1&step=3",
        "/circle?theta=0.5",
        "/circle?present=1",
        "/embed/circle",
        "/embed/circle?present=1",
    ),
    "claims": ("/claims", "/embed/claims?claim=4"),
    "context": ("/context", "/embed/context?layer=0&head=10"),
    "decoder": ("/decoder?step=8", "/embed/decoder?form=gpt2&step=2"),
    "embedding": ("/embedding", "/embed/embedding?text=good+bad&token=1"),
    "head_roles": (
        "/head_roles",
        "/head_roles?role=sink&query=3",
        "/head_roles?relation=flat.dependent_to_head&step=5",
        "/embed/head_roles?role=induction&model=observatory-gpt2-mini&step=2",
    ),
    "kernel": ("/kernel", "/kernel?degree=3&constant=0&reading=polynomial&turn=90&query=3"),
    "kv_cache": ("/kv_cache", "/kv_cache?view=steps", "/kv_cache?preset=llama-2-70b"),
    "linear": ("/linear?rank=4", "/linear?view=start", "/linear?view=bias", "/embed/linear"),
    "masks": ("/masks", "/masks?kind=padding", "/masks?kind=custom"),
    "multi_head": ("/multi_head?view=heads", "/multi_head?view=shapes", "/multi_head?view=counts"),
    "order": ("/order", "/embed/order?way=causal&step=2"),
    "parity": ("/parity", "/embed/parity?layer=0&head=2&key=7&step=3"),
    "projections": ("/projections?story=library", "/projections?view=roles", "/embed/projections"),
    "qk_norm": ("/qk_norm?rope=interleaved", "/qk_norm?view=lengths", "/embed/qk_norm?stage=weights"),
    "reach": ("/reach?kind=causal&drawn=1_4", "/reach?kind=causal&mixing=convolution", "/embed/reach"),
    "rope": tuple(f"/rope?view={view}" for view in ("pair", "sky", "clocks", "scores", "decay", "pairing", "scaling")),
    "scaling": tuple(f"/scaling?view={view}" for view in ("distributions", "saturation", "panels", "growth")),
    "scoring": (
        "/scoring",
        "/scoring?beside=cosine&mask=custom&biased=1&story=sky&position=alibi&step=3",
        f"/scoring?keys={TEN}&values={TEN}&mechanism=additive",
    ),
    "sinusoidal": ("/sinusoidal", "/embed/sinusoidal?view=step&position=5", "/sinusoidal?view=learned"),
    "softmax": (
        "/softmax",
        "/softmax?scores=90_88_1&precision=float32",
        "/softmax?scores=1_2_3_4_5_6_7_8_9_10_11_12&temperature=3",
    ),
    "why": (
        "/why",
        "/why?inserted=40&step=4",
        "/why?view=distance&inserted=40",
        "/why?view=translation&step=4",
        "/embed/why?view=asymmetry",
    ),
}


@pytest.fixture(scope="module")
def server_url(models_server_url: str) -> str:
    return models_server_url


def test_every_concept_is_looked_at(root: Path) -> None:
    pages = {path.stem for path in (root / "templates" / "concepts").glob("*.html")} - {"frame"}
    assert set(VIEWS) == pages - {"training"}  # which is looked at when a run has ended: concepts/test_training.py


@pytest.mark.parametrize("stem", VIEWS)
def test_a_concept(request: pytest.FixtureRequest, each_look: Page, axe: Callable[[Page], None], stem: str) -> None:
    first, *others = VIEWS[stem]
    if request.node.get_closest_marker("full") is None:
        assert each_look.viewport_size
        others = others[0 if each_look.viewport_size["width"] > 1_000 else 1 :: 2]
    for address in (first, *others):
        visit_concept(each_look, address)
        expect(each_look.locator("header")).to_have_count(0 if address.startswith("/embed/") else 1)
        expect_fits(each_look, axe)


def test_the_course(each_look: Page, axe: Callable[[Page], None]) -> None:
    each_look.goto("/lessons")
    expect(each_look.locator("#progress")).not_to_be_empty()
    expect(each_look.locator("#masks .exercise").first).to_be_visible()
    expect_fits(each_look, axe)
