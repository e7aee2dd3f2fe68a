"""Installing the client from the repository in a clean environment."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

PROGRAM = """
import json, sys
{prelude}
sys.path.insert(0, sys.argv[1])
import attention_observatory
from attention_observatory import Observatory
assert attention_observatory.__file__.startswith(sys.argv[1])
sent = Observatory(sys.argv[2]).send(weights=[[1.0, 0.0], [0.25, 0.75]], tokens=["a", "b"])
masked = Observatory(sys.argv[2]).send(queries=[[1.0], [2.0]], keys=[[3.0], [4.0]], mask="causal")
print(json.dumps({{
    "kind": type(sent.weights(0, 0)).__name__,
    "weights": [[float(value) for value in row] for row in sent.weights(0, 0)],
    "scores": [[str(float(value)) for value in row] for row in masked.weights(0, 0, stage="masked_scores")],
    "tokens": sent.tokens,
    "numpy": "numpy" in sys.modules and sys.modules["numpy"] is not None,
}}))
"""


@pytest.fixture(scope="module")
def installed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has put the client, from a copy of its folder alone."""
    source = tmp_path_factory.mktemp("source") / "client"
    shutil.copytree(root / "client", source, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    target = tmp_path_factory.mktemp("target")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--disable-pip-version-check", "--target", target, source], check=True, cwd=target)
    return target


def test_what_is_installed(installed: Path) -> None:
    modules = {path.name for path in (installed / "attention_observatory").glob("*") if path.is_file()}
    expected = {"__init__.py", "analysis.py", "arrays.py", "connection.py", "observatory.py", "packing.py", "widget.js"}
    assert expected <= modules
    metadata = next(installed.glob("attention_observatory_client-*.dist-info")) / "METADATA"
    needed = [line for line in metadata.read_text().splitlines() if line.startswith("Requires-Dist:")]
    assert [line for line in needed if "extra ==" not in line] == []


@pytest.mark.parametrize("has_numpy", [True, False])
def test_it_works_with_numpy_and_without(installed: Path, server_url: str, has_numpy: bool) -> None:
    program = PROGRAM.format(prelude="" if has_numpy else "sys.modules['numpy'] = None")
    command = [sys.executable, "-I", "-c", program, str(installed), server_url]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert told == {
        "kind": "ndarray" if has_numpy else "list",
        "weights": [[1.0, 0.0], [0.25, 0.75]],
        "scores": [["3.0", "-inf"], ["6.0", "8.0"]],
        "tokens": ["a", "b"],
        "numpy": has_numpy,
    }
