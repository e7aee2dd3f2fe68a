"""The command line: what it writes, what it says, and how it ends."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from small_corpora import TEXTS

from attention_core.atlas.corpus.document import CorpusBounds
from attention_core.atlas.corpus.formats import read_corpus
from attention_core.atlas.corpus.probe import probe_corpus
from attention_core.atlas.progress_line import progress_text
from server.command import main

MODEL = "observatory-gpt2-mini"


def run(arguments: list[str]) -> int:
    """The exit code of the command."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return int(ended.value.code or 0)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("\n\n".join(TEXTS), "utf-8")
    return path


@pytest.mark.full
def test_scan_from_end_to_end(text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "atlas"
    assert run(["scan", MODEL, str(text), "--out", str(out), "--window-tokens", "32", "--seed", "4"]) == 0
    said = capsys.readouterr()
    answer = json.loads(said.out.splitlines()[-1])
    assert list(answer) == ["documents", "tokens", "seconds", "tokens_per_second", "skipped"]
    about = json.loads((out / "atlas.json").read_text("utf-8"))
    assert (answer["documents"], answer["tokens"]) == (about["documents"], about["tokens"]) == (6, answer["tokens"])
    assert about["settings"] == {"window_tokens": 32, "max_tokens": None, "seed": 4, "sampled_queries": 1024}
    assert about["corpus"]["name"] == "texts.txt"
    assert "1 of 1 shards" in said.err
    assert all(path.suffix in {".json", ".parquet"} for path in out.iterdir())
    assert run(["scan", MODEL, str(text), "--out", str(out), "--window-tokens", "32", "--seed", "4"]) == 0
    assert json.loads(capsys.readouterr().out)["tokens_per_second"] == 0  # it was there already


@pytest.mark.full
def test_the_probe_corpus_and_the_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["scan", MODEL, "probe:40", "--out", str(tmp_path / "atlas"), "--max-tokens", "100"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert 0 < said["documents"] < 40
    assert 60 < said["tokens"] <= 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no/such-model", "TEXT"], "no/such-model"),
        ([MODEL, "nowhere.txt"], "nowhere.txt"),
        ([MODEL, "TEXT", "--window-tokens", "2"], "window_tokens must be at least 8, not 2"),
        ([MODEL, "TEXT", "--device", "abacus"], "device must be cpu, mps, cuda or cuda:N"),
        ([MODEL, "probe:many"], "probe:many must have a number of sentences"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    arguments: list[str], message: str, text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(text) if each == "TEXT" else each for each in arguments]
    assert run(["scan", *given, "--out", str(tmp_path / "atlas")]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_wrong_arguments_end_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = (["scan"], ["scan", MODEL, "x.txt", "--out", "y", "--max-tokens", "0"], ["serve", "--port", "65536"])
    for arguments in wrong:
        assert run(arguments) == 2
        assert capsys.readouterr().err.startswith(f"Usage: attention-observatory {arguments[0]} [OPTIONS]")


@pytest.mark.full
def test_ctrl_c_leaves_a_folder_that_can_be_resumed(tmp_path: Path, root: Path, request: pytest.FixtureRequest) -> None:
    # Started as a script's `command &` is: with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    text, out = tmp_path / "long.txt", tmp_path / "atlas"
    text.write_text("\n\n".join(" ".join(TEXTS) + str(number) for number in range(700)), "utf-8")
    command = [sys.executable, "-m", "server", "scan", MODEL, str(text), "--out", str(out)]
    with subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("0 of ")
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
        assert process.wait() == 130
    assert said == "attention-observatory: interrupted; the same command goes on from here\n"
    assert (out / "parts" / "plan.json").is_file()
    assert not (out / "atlas.json").exists()


def test_progress_says_how_long_it_may_take() -> None:
    assert progress_text(0, 8, 0, 120_000, 0.0, 0) == "0 of 8 shards, 0 of 120,000 tokens"
    assert (
        progress_text(3, 8, 45_000, 120_000, 60.0, 30_000)
        == "3 of 8 shards, 45,000 of 120,000 tokens, 500 tokens/s, 2:30 left"
    )


@pytest.mark.full
def test_the_probe_corpus_is_written_as_a_file_that_can_be_scanned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "probe.conllu"
    assert run(["probe", "--sentences", "30", "--seed", "8", "--out", str(out)]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == {"documents": 30, "seed": 8}
    assert list(read_corpus(out, CorpusBounds())) == list(probe_corpus(30, 8))
    assert run(["probe", "--out", str(out)]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == {"documents": 2_000, "seed": 0}
    assert out.read_text("utf-8").count("# sent_id = ") == 2_000


@pytest.mark.parametrize(
    ("out", "message"),
    [("probe.txt", "probe.txt must end in .conllu"), ("nowhere/probe.conllu", "nowhere/probe.conllu")],
)
def test_a_probe_corpus_that_cannot_be_written_is_refused(
    out: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["probe", "--sentences", "3", "--out", str(tmp_path / out)]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
