"""The widget without a browser: its selection, the page's requests that it answers, and what stands in its place."""

import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

import ipywidgets
import numpy as np
import pytest
import traitlets
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from attention_observatory import Analysis, Observatory, Saved
from attention_observatory.picture import LARGEST, picture
from attention_observatory.widget import SELECTION, VIEWS, Explorer

MINI = "observatory-gpt2-mini"
WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module", autouse=True)
def _shell() -> Iterator[None]:
    """Shows what a cell does."""
    InteractiveShell.instance()
    yield
    InteractiveShell.clear_instance()


@pytest.fixture(scope="module")
def observatory(server_url: str) -> Observatory:
    return Observatory(server_url)


@pytest.fixture(scope="module")
def analysis(observatory: Observatory) -> Analysis:
    return observatory.analyse("The cat sat on the mat.", MINI)


@pytest.fixture
def explorer(analysis: Analysis) -> Explorer:
    shown = analysis.show(layer=1, head=2, query=3, stage="raw_scores", view="lines", height=500)
    assert isinstance(shown, Explorer)
    return shown


@pytest.fixture
def ask(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[dict[str, Any], bytes]]:
    """Asks as the page in the frame does; the message that comes back, and its bytes."""

    def ask_one(kind: str, **content: Any) -> tuple[dict[str, Any], bytes]:
        came = threading.Event()
        told: list[Any] = []
        monkeypatch.setattr(explorer, "send", lambda *message: (told.extend(message), came.set()))
        explorer._handle_custom_msg({"kind": kind, "view": "a", **content}, [])
        assert came.wait(20)
        message, (content_bytes,) = told
        return message, content_bytes

    return ask_one


def test_what_is_chosen_can_be_read_set_and_observed(explorer: Explorer, analysis: Analysis) -> None:
    count = len(analysis.tokens)
    chosen = {"part": "decoder", "layer": 1, "head": 2, "stage": "raw_scores", "view": "lines", "query": 3, "key": None}
    assert explorer.selection == {**chosen, "rows": (0, count), "cols": (0, count)}
    assert (tuple(explorer.selection), explorer.height) == (SELECTION, 500)
    seen: list[Any] = []
    explorer.observe(lambda change: seen.append((change.name, change.new)), ["layer", "head"])
    explorer.select(layer=0, head=1, rows=(1, 4))
    assert (seen, explorer.rows) == ([("layer", 0), ("head", 1)], (1, 4))
    assert "layer=0, head=1" in repr(explorer)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("layer", 99, "layer is from 0 to"),
        ("query", 7, "query is from 0 to 6, not 7"),
        ("key", -1, "less than 0"),
        ("part", "cross", "part is one of decoder, not 'cross'"),
        ("stage", "softmax", "raw_scores"),
        ("view", "patching", "matrix"),
    ],
)
def test_what_the_analysis_does_not_have_is_refused(explorer: Explorer, name: str, value: Any, said: str) -> None:
    before = explorer.selection
    with pytest.raises(traitlets.TraitError, match=said):
        setattr(explorer, name, value)
    assert explorer.selection == before
    with pytest.raises(TypeError, match="row: a selection has part, layer"):
        explorer.select(row=2)


def test_the_page_s_requests_are_answered_as_the_server_answers_them(
    explorer: Explorer, analysis: Analysis, ask: Callable[..., tuple[dict[str, Any], bytes]]
) -> None:
    message, page = ask("page")
    assert (message["kind"], message["view"]) == ("page", "a")
    assert page.decode() == analysis.saved(layer=1, head=2, query=3, stage="raw_scores").page

    def answered(path: str, method: str = "GET", body: str | None = None) -> tuple[int, Any]:
        message, content = ask("request", id=7, method=method, path=path, body=body, language="ja")
        assert (message["kind"], message["view"], message["id"]) == ("response", "a", 7)
        return message["status"], json.loads(content) if content else None

    path = f"/api/analyses/{analysis.id}/weights?layer=0&head=3&stage=scaled_scores"
    status, answer = answered(f"{path}&encoding=json")
    assert status == 200
    scores = np.array(answer["matrix"], dtype=float)
    np.testing.assert_allclose(scores, analysis.weights(0, 3, stage="scaled_scores"), atol=1e-6)
    status, refused = answered(path.replace("head=3", "head=99"))
    assert (status, refused["error"]["field"]) == (422, "head")
    assert "ヘッド" in refused["error"]["message"] or not refused["error"]["message"].isascii()
    assert answered("/api/softmax", "POST", '{"scores": [0, 0]}')[1]["stable"]["weights"] == [0.5, 0.5]
    assert answered("/healthz") == (200, {"status": "ok"})
    assert answered("/metrics") == (404, None), "the page asks for nothing else"


def test_a_server_that_is_gone_is_no_answer(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch, ask: Callable[..., tuple[dict[str, Any], bytes]]
) -> None:
    gone = Observatory("http://127.0.0.1:9").api.connection
    monkeypatch.setattr(explorer, "_connection", gone)
    message, content = ask("request", id=1, method="GET", path="/api/models", body=None, language=None)
    assert (message["status"], content) == (0, b"")


def test_where_widgets_are_not_shown_the_file_is(explorer: Explorer, analysis: Analysis) -> None:
    with capture_output() as captured:
        explorer._ipython_display_()
        analysis._ipython_display_()
    widget, picture, *of_analysis = (each.data for each in captured.outputs)
    assert widget[WIDGET]["model_id"] == explorer.model_id
    saved = Saved(explorer._page, explorer.height)
    assert widget["text/html"] == saved._repr_html_()
    assert f'id="{explorer.picture}"' in picture["image/svg+xml"]
    assert ["text/html" in each for each in of_analysis] == [True, False]
    assert set(VIEWS) == set(Explorer.class_traits()["view"].values)


def test_without_the_package_it_is_the_saved_view(analysis: Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "attention_observatory.widget")
    monkeypatch.setitem(sys.modules, "anywidget", None)
    saved = analysis.show(layer=1, head=2, height=400)
    assert isinstance(saved, Saved)
    assert saved.page == analysis.saved(layer=1, head=2).page
    assert 'height="400"' in saved._repr_html_()
    with capture_output() as captured:
        analysis._ipython_display_()
    assert ["<iframe" in each.data["text/html"] for each in captured.outputs] == [True]
    with pytest.raises(TypeError, match="leyer"):
        analysis.show(leyer=1)


def cells(drawing: str) -> list[tuple[int, int, str]]:
    """Place and colour of each cell, without the sheet behind them."""
    found = re.findall(r'<rect x="(\d+)" y="(\d+)" width="\d+" height="\d+" fill="(#\w+)"/>', drawing)
    return [(int(x), int(y), colour) for x, y, colour in found]


def test_the_picture_beside_it_is_what_is_chosen(explorer: Explorer, analysis: Analysis) -> None:
    explorer.select(layer=1, head=2, stage="weights", rows=(2, 5), cols=(0, 6))
    drawing = explorer._draw(explorer.selection, "drawn")
    assert ElementTree.fromstring(drawing).get("id") == "drawn"  # noqa: S314 - our own
    drawn = cells(drawing)
    weights = analysis.weights(1, 2, rows=(2, 5), cols=(0, 6))
    assert len(drawn) == weights.size
    assert [x for x, y, _ in drawn[:6]] == sorted({x for x, _, _ in drawn})
    lightness = np.array([sum(int(colour[at : at + 2], 16) for at in (1, 3, 5)) for _, _, colour in drawn])
    order = np.argsort(weights.ravel(), kind="stable")
    assert (np.diff(lightness[order]) <= 0).all(), "the larger the weight, the darker the cell"
    assert all(f">{label}</text>" in drawing for label in ("2  sat", "0 The", "5  mat"))
    scores = explorer._draw({**explorer.selection, "stage": "masked_scores"}, "drawn")
    assert [colour for _, _, colour in cells(scores)][3:6] == ["#e9e6dc"] * 3, "what lies ahead is masked"


def test_the_picture_of_a_long_text_is_pooled(observatory: Observatory) -> None:
    long = observatory.analyse("one two three four five " * 20, MINI)
    drawn = cells(picture(long, {"layer": 0, "head": 0}, "drawn"))
    assert len(drawn) <= LARGEST**2 < len(long.tokens) ** 2


def test_it_is_closed_with_its_threads(explorer: Explorer) -> None:
    assert explorer.model_id in ipywidgets.widgets.widget._instances
    explorer.close()
    assert explorer._asking._shutdown
