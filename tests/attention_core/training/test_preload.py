"""Preloaded modules, in a separate process like the fork server."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys, threading
import attention_core.training.preload
before = set(sys.modules)
assert threading.active_count() == 1
from attention_core.training.run import Training
from attention_core.training.config import TrainingConfig
training = Training(TrainingConfig(d_model=8, num_heads=2))
training.look()
training.step()
print(len({name for name in set(sys.modules) - before if name.startswith(("torch", "attention_core"))}))
"""


@pytest.mark.full
def test_a_run_has_next_to_nothing_left_to_import(root: Path) -> None:
    """Without the preloading it is more than 500."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=root, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 10
