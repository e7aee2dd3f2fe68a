"""The widget in a real JupyterLab: it draws, a click is in Python, what Python sets is in the picture.

JupyterLab is no requirement of ours: the one on the PATH is taken, else it is installed into an environment of its own.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import nbformat.v4 as nb
import pytest
from driving import MODEL, SENTENCE, cell
from framing import site
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.full
ENDS_S = 30
SHOWN = "observatory.analyse({!r}, {!r})\nexplorer = analysis.show(layer=5, head=11, query=8, key=2)\nexplorer"


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The command of a JupyterLab that has the widgets' front end."""
    if found := shutil.which("jupyter-lab"):
        return found
    folder = tmp_path_factory.mktemp("jupyter")
    venv.create(folder, with_pip=True)
    pip = [folder / "bin" / "pip", "install", "--quiet", "--retries=1", "jupyterlab", "ipywidgets", "anywidget"]
    if subprocess.run(pip, check=False).returncode:
        pytest.skip("no index has JupyterLab")
    return str(folder / "bin" / "jupyter-lab")


def end(server: subprocess.Popen[str]) -> None:
    """End it with its kernels, whether or not it ends when it is asked to: now and then it does not."""
    server.terminate()
    with suppress(subprocess.TimeoutExpired):
        server.wait(ENDS_S)
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)


@contextmanager
def lab(jupyter: str, folder: Path, root: Path, theme: str) -> Iterator[str]:
    """The address of a JupyterLab on this folder, whose kernel is this Python."""
    kernel = folder / ".jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": argv, "display_name": "Python", "language": "python", "env": {"PYTHONPATH": str(root / "client")}}
    (kernel / "kernel.json").write_text(json.dumps(spec))
    settings = folder / ".settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "themes.jupyterlab-settings").write_text(json.dumps({"theme": theme}))
    with site(folder) as free:  # a port that nobody has
        port = free.rpartition(":")[2]
    command = [jupyter, "--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0"]
    command += ["--IdentityProvider.token=", f"--ServerApp.root_dir={folder}", "--LabApp.news_url=None"]
    environment = os.environ | {
        "JUPYTER_PATH": str(folder / ".jupyter"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / ".settings"),
        "JUPYTER_CONFIG_DIR": str(folder / ".config"),
        "JUPYTER_RUNTIME_DIR": str(folder / ".runtime"),
    }
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as server:
        assert server.stderr
        rest = Thread(target=list, args=(server.stderr,), daemon=True)  # or it would wait for a reader
        try:
            assert any("is running at" in line for line in server.stderr), "it did not start"
            rest.start()
            yield f"http://127.0.0.1:{port}"
        finally:
            end(server)
            if rest.ident:
                rest.join(ENDS_S)


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_clicks_are_in_python_and_python_is_in_the_picture(
    browser: Browser, jupyter: str, server_url: str, root: Path, tmp_path: Path, theme: str
) -> None:
    sources = [
        f"from attention_observatory import Observatory\nobservatory = Observatory({server_url!r})\n"
        f"analysis = {SHOWN.format(SENTENCE, MODEL)}",
        "explorer.query, explorer.key, explorer.layer, explorer.head",
        "explorer.select(layer=0, head=2, query=7, stage='raw_scores')",
    ]
    kernel = {"name": "python3", "display_name": "Python", "language": "python"}
    cells_of = [nb.new_code_cell(source) for source in sources]
    notebook = nb.new_notebook(cells=cells_of, metadata={"kernelspec": kernel})
    (tmp_path / "trial.ipynb").write_text(nb.writes(notebook))
    hosts: set[str] = set()
    with lab(jupyter, tmp_path, root, theme) as address:
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.on("request", lambda request: hosts.add(request.url.partition("//")[2].partition("/")[0]))
        page.goto(f"{address}/lab/tree/trial.ipynb")
        cells = page.locator(".jp-CodeCell")
        run_cell(page, 0)
        frame = page.frame_locator(".jp-OutputArea-output iframe")
        expect(frame.locator("#head-title")).to_have_text("Layer 5, head 11")
        beside = page.locator("img[src*=attention-observatory-]")
        expect(beside).to_have_count(1)
        expect(beside).to_be_hidden()
        inside = next(one for one in page.frames if one.parent_frame)
        ground = inside.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
        assert (sum(map(float, ground.strip("rgb()").split(","))) < 3 * 128) == (theme == "JupyterLab Dark")
        page.mouse.click(*cell(frame, 3, 4, 13))  # type: ignore[arg-type]
        expect(frame.locator(".token[aria-selected=true]")).to_contain_text("sat")
        run_cell(page, 1)
        expect(cells.nth(1).locator(".jp-OutputArea-output")).to_have_text("(3, 4, 5, 11)")
        run_cell(page, 2)
        expect(frame.locator("#head-title")).to_have_text("Layer 0, head 2")
        expect(frame.locator(".token[aria-selected=true]")).to_contain_text("because")
        expect(frame.get_by_role("radio", name="raw", exact=True)).to_be_checked()
        context.close()
    assert {host for host in hosts if host and not address.endswith(host)} == set()


def run_cell(page: Page, number: int) -> None:
    editor = page.locator(".jp-CodeCell .jp-InputArea-editor").nth(number)
    editor.click()
    page.keyboard.press("Control+Enter")
