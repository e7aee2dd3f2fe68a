"""The command as a module."""

import subprocess
import sys
from pathlib import Path


def test_the_module_is_the_command(root: Path) -> None:
    command = [sys.executable, "-m", "attention_core.atlas", "scan"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "usage: attention-observatory scan" in done.stderr
