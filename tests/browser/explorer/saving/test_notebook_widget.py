"""The widget in a cell's output: drawn at notebook width, in step with Python, answered by Python alone."""

from collections.abc import Iterator

import pytest
from cell_output import Cell
from driving import MODEL, SENTENCE, cell
from playwright.sync_api import Browser, Page, expect
from profiles import Problems, Watch
from settling import until

from attention_observatory import Analysis, Observatory
from attention_observatory.widget import Explorer

GROUND = "() => getComputedStyle(document.documentElement).backgroundColor"


@pytest.fixture
def blank(browser: Browser) -> Iterator[Page]:
    """A page that may ask no host at all."""
    problems = Problems()
    context = browser.new_context(viewport={"width": 800, "height": 900}, reduced_motion="reduce")
    Watch(context, "", problems)
    yield context.new_page()
    context.close()
    assert problems.verdict() == []


@pytest.fixture(scope="module")
def analysis(server_url: str) -> Analysis:
    return Observatory(server_url).analyse(SENTENCE, MODEL)


def written(value: float) -> str:
    return f"{value:.4f}".replace("-", "−")


def test_a_widget_is_drawn_and_in_step_with_python(blank: Page, analysis: Analysis) -> None:
    explorer = analysis.show(layer=5, head=11, query=8, key=2)
    assert isinstance(explorer, Explorer)
    shown = Cell(blank, explorer, is_light=False)
    frame = shown.frame
    expect(frame.locator("#head-title")).to_have_text("Layer 5, head 11")
    inside = blank.frames[1]

    for width in (700, 800, 1000, 1200):  # the matrix is in sight, whole and not small
        blank.set_viewport_size({"width": width, "height": 900})
        box = frame.locator(".matrix-hatch").bounding_box()
        assert box, width
        assert min(box["width"], box["height"]) > 240, (width, box)
        assert box["y"] + box["height"] < explorer.height, (width, box)
        heads = frame.locator("#grid").bounding_box()
        assert heads, width
        assert heads["y"] + heads["height"] < explorer.height, (width, heads)
        assert inside.evaluate("() => document.documentElement.scrollWidth") <= width
    blank.set_viewport_size({"width": 800, "height": 900})

    dark = inside.evaluate(GROUND)
    blank.evaluate("() => (document.body.dataset.jpThemeLight = 'true')")
    until(inside, f"(dark) => ({GROUND})() !== dark", arg=dark)

    frame.locator(".matrix-frame").scroll_into_view_if_needed()
    blank.mouse.click(*cell(frame, 3, 4, 13))
    expect(frame.locator(".token[aria-selected=true]")).to_contain_text("sat")
    assert (explorer.query, explorer.key) == (3, 4)

    explorer.select(layer=0, head=2, query=7, key=6)
    shown.hear()
    expect(frame.locator("#head-title")).to_have_text("Layer 0, head 2")
    expect(frame.locator(".token[aria-selected=true]")).to_contain_text("because")
    blank.mouse.move(*cell(frame, 7, 6, 13))
    weight = float(analysis.weights(0, 2)[7, 6])
    expect(frame.locator(".matrix-tip .cell-value")).to_have_text(written(weight))

    explorer.stage = "raw_scores"  # of a head of which the page has none: Python is asked
    shown.hear()
    expect(frame.get_by_role("radio", name="raw", exact=True)).to_be_checked()
    blank.mouse.move(*cell(frame, 7, 6, 13))
    score = float(analysis.weights(0, 2, stage="raw_scores")[7, 6])
    expect(frame.locator(".matrix-tip .cell-value")).to_have_text(written(score))

    frame.get_by_role("tab", name="Vectors").click()
    expect(frame.locator("#panel-vectors")).to_contain_text("because")
    assert explorer.view == "vectors"
    explorer.view = "output"
    shown.hear()
    expect(frame.locator("#panel-output .output-chooser")).to_contain_text("‖e‖")
    expect(frame.locator("#panel-output .failure:not(:empty)")).to_have_count(0)
    blank.evaluate("() => window.end()")
    expect(blank.locator("iframe")).to_have_count(0)
