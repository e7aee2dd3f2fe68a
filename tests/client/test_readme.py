"""What the client's README shows runs as it is written, on what a plain installation holds."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_observatory import Observatory

ADDRESS = "http://localhost:8000"
ELSEWHERE = {
    "await ": "coroutines: test_asynchronous.py",
    "openai-community": "a model of the Hub, and training: test_client.py",
    "observatory.scan": "minutes: test_atlas.py",
    "assert_reach": "torch and no server: test_reach.py",
    "model(**inputs": "a model of one's own: test_tracing.py",
}
"""What a block has that needs more than a server, and why or where it is tried."""


@pytest.mark.full
def test_every_example_runs(root: Path, server_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (root / "client" / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    run = [block for block in blocks if not any(mark in block for mark in ELSEWHERE)]
    assert len(run) >= 6
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(0)
    other = Observatory(server_url).analyse("The dog sat on the mat because it was tired.")
    known: dict[str, Any] = {name: generator.normal(size=(3, 4)) for name in "qkv"} | {"other": other}
    for block in run:
        exec(block.replace(ADDRESS, server_url), known)  # noqa: S102 - our own code
    assert {path.name for path in tmp_path.iterdir()} == {"head.html", "head.csv"}
