"""Models of which only the weights are known: what is shown says so, and what needs more is refused in a sentence."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from odd_models import write_odd_model
from playwright.sync_api import Page, expect
from serving import serving
from settling import until
from sound_models import write_sound_model

REFUSED = {
    "vectors": "Weights only: there are no vectors to show",
    "output": "output cannot be traced to them",
    "flow": "output cannot be traced to them",
    "patching": "nothing in this model can be patched",
    "reach": "this model cannot be run again here",
}
SHOWN = ("matrix", "lines", "token", "rollout", "heads", "compare", "prompts")


@pytest.fixture(scope="module")
def server_url(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    directory = tmp_path_factory.mktemp("weights-only")
    write_odd_model(directory, "lilt")
    write_sound_model(directory, "sew-d")
    with serving(root, tmp_path_factory.mktemp("weights-server") / "log", OBSERVATORY_MODELS_DIR=str(directory)) as url:
        yield url


def test_every_view_shows_weights_or_says_why_not(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/?model=lilt&layer=1&head=2")
    remark = page.locator("#remarks")
    panel = page.locator("main")
    for view in (*SHOWN, *REFUSED):
        page.locator(f"#tab-{view}").click()
        until(page, f"() => location.search.includes('view={view}') || '{view}' === 'matrix'")
        expect(remark).to_contain_text("A text may have up to 64 tokens")
        if view in REFUSED:
            expect(panel).to_contain_text(REFUSED[view])
    # What is refused is not asked for, neither once nor again and again.
    assert [url for url in asked if re.search("/(output|information_flow|vectors)[?]", url)] == []


def test_a_sound_has_no_examples_of_texts(page: Page) -> None:
    page.goto("/?model=sew-d")
    expect(page.locator("#sound")).to_contain_text("A position is")
    expect(page.locator("#examples-menu")).to_be_hidden()
    expect(page.get_by_text("Weights only: the attention")).to_be_visible()
