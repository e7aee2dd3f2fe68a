"""Clients that common generators make from the OpenAPI document compile, and get answers from the real server."""

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from attention_observatory import Observatory

PROGRAMS = Path(__file__).parent / "generated"
TOOLS = "tools/openapi_typescript"
PYTHON_SETTINGS = """
content_type_overrides:
  application/zip: application/octet-stream
  audio/wav: application/octet-stream
  image/gif: application/octet-stream
  application/vnd.openxmlformats-officedocument.presentationml.presentation: application/octet-stream
"""
"""Zip files, sounds, films and slides are bytes, media types that the generator does not know by itself."""
STRICT = ["--strict", "--target", "es2022", "--lib", "es2022,dom", "--module", "nodenext"]
OPTIONAL = "--default-non-nullable=false"
"""A field with a default may be left out of a request; openapi-typescript takes it for one that is always there."""
LARGER = math.e / (1 + math.e)  # softmax of the scores 1 and 0


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def document(server_url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The document as the server hands it out."""
    with urlopen(f"{server_url}/api/openapi.json") as answer:  # noqa: S310 - our own server
        path = tmp_path_factory.mktemp("document") / "openapi.json"
        path.write_bytes(answer.read())
    return path


@pytest.mark.full
def test_openapi_python_client(server_url: str, document: Path, tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text(PYTHON_SETTINGS)
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none", "--fail-on-warning"]
    files = ["--path", document, "--config", "settings.yaml", "--output-path", "generated_client"]
    programs = str(Path(sys.executable).parent)
    run(*command, *files, cwd=tmp_path, PATH=f"{programs}:{os.environ['PATH']}")
    run(sys.executable, "-W", "error", "-m", "compileall", "-q", "generated_client", cwd=tmp_path)
    shutil.copy(PROGRAMS / "client.py", tmp_path)
    run(sys.executable, "-m", "mypy", "--follow-imports=silent", "--strict", "client.py", cwd=tmp_path)
    answer = json.loads(run(sys.executable, "client.py", server_url, cwd=tmp_path, PYTHONPATH="."))
    assert answer["weights"][0] == pytest.approx([LARGER, 1 - LARGER])
    analysis = Observatory(server_url).analyse("The cat sat.", "observatory-gpt2-mini")
    assert answer["window"] == [pytest.approx(row, abs=1e-7) for row in analysis.weights(1, 2).tolist()]
    assert (answer["status"], answer["code"]) == (404, "analysis_expired")


@pytest.mark.full
def test_openapi_typescript(server_url: str, document: Path, root: Path, tmp_path: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(root / TOOLS / name, tmp_path)
    run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline", cwd=tmp_path)
    package = json.loads((tmp_path / "package.json").read_text())
    (tmp_path / "package.json").write_text(json.dumps({**package, "type": "module"}))
    shutil.copy(PROGRAMS / "client.ts", tmp_path)
    run("node_modules/.bin/openapi-typescript", document, OPTIONAL, "--output", "schema.d.ts", cwd=tmp_path)
    run("node_modules/.bin/tsc", *STRICT, "client.ts", cwd=tmp_path)
    answer = json.loads(run("node", "client.js", server_url, cwd=tmp_path))
    assert answer["weights"][0] == pytest.approx([LARGER, 1 - LARGER])
    assert (answer["status"], answer["code"]) == (404, "analysis_expired")
