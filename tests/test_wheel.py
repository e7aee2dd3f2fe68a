"""The wheel: what is in it, and that it serves pages where no checkout is."""

import email
import os
import re
import signal
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Response, sync_playwright

from prepare import find_chromium

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "attention_observatory_server"
ROOMS = {"attention_core": "attention_core", "server": PACKAGE} | {
    folder: f"{PACKAGE}/{folder}" for folder in ("templates", "static", "locales")
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The application and its client, built from what git has."""
    folder = tmp_path_factory.mktemp("wheels")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    command += ["--wheel-dir", str(folder), ".", "./client"]
    built = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return sorted(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment elsewhere with both. Third-party packages are ours: the image's test installs those anew."""
    folder = tmp_path_factory.mktemp("elsewhere")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    site = next((folder / "venv").glob("lib/python3*/site-packages"))
    (site / "third_party.pth").write_text(sysconfig.get_path("purelib"))
    pip = [folder / "venv" / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, *wheels], check=True)
    return folder


def test_it_holds_everything_and_takes_no_general_name(wheels: list[Path]) -> None:
    application, client = (set(zipfile.ZipFile(wheel).namelist()) for wheel in wheels)
    assert {name.split("/")[0] for name in client if ".dist-info" not in name} == {"attention_observatory"}
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *ROOMS]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    tracked = [name for name in listing.stdout.splitlines() if not name.endswith(".d.ts") and (ROOT / name).is_file()]
    expected = {f"{ROOMS[room]}/{rest}" for room, _, rest in (name.partition("/") for name in tracked)}
    assert {name for name in application if ".dist-info" not in name} == expected
    assert f"{PACKAGE}/templates/base.html" in expected
    assert "attention_core/pretrained/models/shipped/observatory-gpt2-mini/model.safetensors" in expected


def test_its_description_stands_alone(wheels: list[Path], tmp_path: Path) -> None:
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as file:
            name = next(name for name in file.namelist() if name.endswith(".dist-info/METADATA"))
            metadata = email.message_from_bytes(file.read(name))
        links = re.findall(r"\]\(([^)]+)\)", str(metadata.get_payload()))
        assert [link for link in links if not link.startswith("https://")] == []
        assert any(each.startswith("Programming Language :: Python :: 3.13") for each in metadata.get_all("Classifier"))
    subprocess.run([sys.executable, "-m", "venv", tmp_path], check=True)
    pip = [tmp_path / "bin" / "python", "-m", "pip", "install", "--quiet", "twine"]
    if subprocess.run(pip, check=False, capture_output=True).returncode:
        pytest.skip("twine cannot be installed here")
    subprocess.run([tmp_path / "bin" / "twine", "check", "--strict", *wheels], check=True)


def environment(folder: Path) -> dict[str, str]:
    """Nothing of the checkout's: no path, no setting, no cache."""
    kept = {name: os.environ[name] for name in ("PATH", "OMP_NUM_THREADS") if name in os.environ}
    told = {"HF_HUB_OFFLINE": "1", "OBSERVATORY_PREPARE_ATLASES": "false", "PYTHONWARNINGS": "ignore"}
    return kept | told | {"HOME": str(folder)}


def test_doctor_finds_no_problem(installed: Path) -> None:
    command = [installed / "venv" / "bin" / "attention-observatory", "doctor", "--port", "0"]
    said = subprocess.run(
        command, cwd=installed, env=environment(installed), check=False, capture_output=True, text=True
    )
    assert said.stdout.endswith("Problems\n  none\n"), said
    assert f"{installed}/venv/" in said.stdout.splitlines()[0]
    assert str(ROOT / "server") not in said.stdout


def test_its_pages_open_in_a_browser(installed: Path) -> None:
    command = [installed / "venv" / "bin" / "attention-observatory", "serve", "--port", "0"]
    with subprocess.Popen(
        command, cwd=installed, env=environment(installed), stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            look_at(address)
        finally:
            server.send_signal(signal.SIGTERM)


def look_at(address: str) -> None:
    """The Explorer analyses, a concept's page draws, in two languages; nothing fails or is fetched from elsewhere."""
    failed: list[str] = []

    def watch(response: Response) -> None:
        if response.status >= 400 or not response.url.startswith((address, "data:", "blob:")):
            failed.append(f"{response.status} {response.url}")

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.set_default_timeout(120_000)
        page.on("response", watch)
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.on("console", lambda said: failed.append(said.text) if said.type == "error" else None)
        page.goto(address)
        page.locator("#bench[aria-busy=false]").wait_for()
        page.goto(f"{address}/rope?lang=ja")
        page.locator("#concept[aria-busy=false]").wait_for()
        browser.close()
    assert failed == []
