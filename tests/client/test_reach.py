"""The helper for other people's models: its examples run as they are written, with torch and nothing of ours."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TITLE = "## Does my model see what it must not?"


def section(root: Path) -> str:
    text = (root / "client" / "README.md").read_text(encoding="utf-8")
    return text.partition(TITLE)[2].partition("\n## ")[0]


def blocks(root: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", section(root), re.DOTALL)


def test_the_examples_run_and_the_failing_one_says_what_is_written(root: Path) -> None:
    in_pytest, in_training = blocks(root)
    known: dict[str, object] = {"__name__": "example"}
    exec(in_pytest, known)  # noqa: S102 - our own code
    known["test_no_position_sees_the_future"]()  # type: ignore[operator]
    with pytest.raises(AssertionError) as raised:
        known["test_no_document_sees_another"]()  # type: ignore[operator]
    said = re.search(r"```text\nAssertionError: (.*)\n", section(root))
    assert said is not None
    assert str(raised.value) == said[1]
    exec(in_training, known)  # noqa: S102


@pytest.mark.full
def test_the_wheel_needs_torch_alone(root: Path, tmp_path: Path) -> None:
    """Built in a repository that has the core beside the client; run where neither is on the path."""
    source = tmp_path / "repository"
    ignore = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
    shutil.copytree(root / "client", source / "client", ignore=ignore)
    shutil.copytree(root / "attention_core" / "reach", source / "attention_core" / "reach", ignore=ignore)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    target = tmp_path / "target"
    subprocess.run([*pip, "--target", target, source / "client"], check=True, cwd=tmp_path)
    in_pytest, in_training = blocks(root)
    program = "\n".join(
        [
            "import sys",
            f"sys.path.insert(0, {str(target)!r})",
            "for name in ('numpy', 'transformers', 'jaxtyping', 'attention_core'): sys.modules[name] = None",
            in_pytest,
            "test_no_position_sees_the_future()",
            in_training,
            "print(assert_reach.__module__, sys.modules['attention_observatory.reach_core.measure'].__file__)",
        ]
    )
    said = subprocess.run(
        [sys.executable, "-I", "-c", program], check=True, capture_output=True, text=True, cwd=tmp_path
    )
    assert said.stdout.split() == [
        "attention_observatory.reach",
        str(target / "attention_observatory" / "reach_core" / "measure.py"),
    ]


@pytest.mark.full
def test_without_the_measuring_modules_it_says_where_they_are(root: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); sys.modules['attention_core'] = None\n"
        "from attention_observatory.reach import assert_reach\n"
        "try: assert_reach(len, [1, 2])\n"
        "except ImportError as error: print(error)"
    )
    command = [sys.executable, "-I", "-c", program, str(root / "client")]
    said = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "in the client's wheel made in the repository" in said.stdout
