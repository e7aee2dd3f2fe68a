"""The notebook of the documentation runs in a real kernel, and shows what it says."""

import base64
import copy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

WIDGET = "application/vnd.jupyter.widget-view+json"
WIDGETS = ("from attention_observatory import Observatory", "explorer = ", "traced.show(")
"""How the cells begin that show one."""
ADDRESS = "http://localhost:8000"


@pytest.fixture(scope="module")
def written(root: Path) -> Any:
    return nbformat.read(root / "docs" / "notebook.ipynb", as_version=4)


@pytest.fixture(scope="module")
def run(written: Any, server_url: str, root: Path) -> Any:
    """The same, with its results, beside the test's server."""
    notebook = copy.deepcopy(written)
    for cell in notebook.cells:
        cell.source = cell.source.replace(ADDRESS, server_url)
    client = NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(root / "client")}})
    return client.execute(env={"PYTHONPATH": f"{root}:{root / 'client'}"})


def test_it_is_kept_without_results(written: Any) -> None:
    nbformat.validate(written)
    assert [cell.id for cell in written.cells if cell.get("outputs") or cell.get("execution_count")] == []


def outputs_of(run: Any, source: str) -> list[dict[str, Any]]:
    """All that the cell that begins so shows."""
    (cell,) = (each for each in run.cells if each.cell_type == "code" and each.source.startswith(source))
    return [output.data for output in cell.outputs if "data" in output]


def data_of(run: Any, source: str) -> dict[str, Any]:
    """What it shows last; the Explorer, where it shows that."""
    outputs = outputs_of(run, source)
    return next((each for each in outputs if "<iframe" in each.get("text/html", "")), outputs[-1])


@pytest.mark.full
def test_every_cell_shows_what_is_said_of_it(run: Any) -> None:
    widgets = run.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    for source in WIDGETS:
        shown = data_of(run, source)
        assert "<iframe srcdoc=" in shown["text/html"]
        state = widgets[shown[WIDGET]["model_id"]]["state"]
        assert "observatory:request" in state["_esm"], "the script comes along"
    state = widgets[data_of(run, "explorer = ")[WIDGET]["model_id"]]["state"]
    assert [state[name] for name in ("layer", "head", "query", "key")] == [0, 2, 7, 2]
    assert data_of(run, "seen = ")["text/plain"] == "[('layer', 0), ('head', 2)]"
    assert data_of(run, "weights = analysis")["text/plain"] == "'it → cat: 0.71'"
    assert data_of(run, "everything = ")["text/plain"].startswith("((6, 12, 13, 13), ")
    assert "previous_token" in data_of(run, "analysis.frame()")["text/html"]
    for source in ("analysis.figure(", "decoder.figure("):
        assert data_of(run, source)["application/vnd.plotly.v1+json"]["data"]
    assert data_of(run, "softened = ")["text/plain"] == "array([0.506, 0.307, 0.186])"
    assert "weights do not sum to 1, but to 0.8" in data_of(run, "import warnings")["text/plain"]
    assert data_of(run, "from importlib")["text/plain"] == "(6, 6)"
    assert data_of(run, "analysis.saved(")["text/html"].startswith("<iframe srcdoc=")
    assert data_of(run, "import asyncio")["text/plain"] == "True"


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:Your element with mimetype")  # Plotly's, which has a page of its own
def test_a_page_made_of_it_has_a_picture_where_a_widget_was(run: Any) -> None:
    page, _ = HTMLExporter().from_notebook_node(run)
    for source in WIDGETS:
        widget, beside = outputs_of(run, source)
        assert WIDGET in widget
        assert page.count(base64.b64encode(beside["image/svg+xml"].encode()).decode()) == 1
        drawing = ElementTree.fromstring(beside["image/svg+xml"])  # noqa: S314 - our own
        assert drawing.findtext("{*}title", "").endswith(", weights")
