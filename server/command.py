"""The command ``attention-observatory``: serve, scan, probe, reach, doctor. Without a command it serves.

What a command needs is imported when it runs, so that ``--help`` and ``doctor`` answer where torch does not.
"""

import json
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from attention_core.atlas.corpus.probe import SEED, SENTENCES
from attention_core.atlas.settings import ScanSettings
from attention_core.refusal import Refusal
from . import __version__

NAME = "attention-observatory"
USED_WRONGLY, INTERRUPTED = 2, 130
"""Exit codes: as of wrong arguments, and of a shell after Ctrl-C."""
DEFAULTS = ScanSettings()

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Host = Annotated[str, typer.Option(envvar="HOST", help="Address to listen on; 0.0.0.0 for every one.")]
Port = Annotated[int, typer.Option(envvar="PORT", min=0, max=65_535, help="0: any that is free.")]
Model = Annotated[str, typer.Argument(help="Id in the catalog or on the Hugging Face Hub, or a model's folder.")]
Corpus = Annotated[
    str, typer.Argument(help="A .txt, .jsonl, .parquet, .csv or .conllu file; probe or probe:SENTENCES.")
]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command, and exit with its code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    app(words or ["serve"], prog_name=NAME)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"{NAME} {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Look at attention: our own modules, and pretrained models seen through them. Without a command: serve."""


@app.command()
def serve(host: Host = "127.0.0.1", port: Port = 8000) -> None:
    """Serve the application and print its address. Its settings are environment variables, OBSERVATORY_…"""
    from .settings import Settings, wrong_settings  # noqa: PLC0415

    try:
        settings = Settings()
    except ValueError as error:  # said before torch is imported, which takes seconds
        typer.echo(f"Attention Observatory: {wrong_settings(error)}", err=True)
        raise typer.Exit(1) from None
    from .serving import serve as run  # noqa: PLC0415

    raise typer.Exit(run(settings, host, port))


@app.command()
def scan(
    model: Model,
    corpus: Corpus,
    out: Annotated[Path, typer.Option(help="Where the atlas is written.")],
    engine: Annotated[Literal["local", "ray"], typer.Option(help="One process, or a Ray cluster.")] = "local",
    address: Annotated[str | None, typer.Option(help="Of the Ray cluster; without it, a local one is started.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Models at work at once on Ray; as many as it has GPUs, else two.")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Of each model; the last bits depend on it.")] = 1,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="End after about so many tokens.")] = None,
    window_tokens: Annotated[int, typer.Option(help="Tokens of a window.")] = DEFAULTS.window_tokens,
    seed: Annotated[int, typer.Option(help="Of the sampled queries.")] = DEFAULTS.seed,
    column: Annotated[str | None, typer.Option(help="Where a JSONL, CSV or Parquet file has its text.")] = None,
    models_dir: Annotated[Path | None, typer.Option(envvar="OBSERVATORY_MODELS_DIR", help="Of model folders.")] = None,
    device: Annotated[str | None, typer.Option(help="cpu, mps, cuda or cuda:N.")] = None,
    dtype: Annotated[
        Literal["float32", "float16", "bfloat16"] | None, typer.Option(help="Of the model; float32 unless given.")
    ] = None,
) -> None:
    """Scan a corpus with a model and write an atlas of its heads: a folder of Parquet files.

    A scan that was interrupted goes on where it was. The last line of the output is JSON.
    """

    def run() -> dict[str, Any]:
        from attention_core.atlas.command import Machines, ScanOrder, run_scan  # noqa: PLC0415
        from attention_core.atlas.model_source import ModelSource  # noqa: PLC0415

        source = ModelSource.named(model, models_dir=models_dir, device=device, dtype=dtype)
        settings = ScanSettings(window_tokens, max_tokens, seed)
        machines = Machines(engine, address, workers, threads)
        return run_scan(ScanOrder(source, corpus, out, column, settings, machines))

    _answer(run)


@app.command()
def probe(
    out: Annotated[Path, typer.Option(help="A name that ends in .conllu.")],
    sentences: Annotated[int, typer.Option(min=1)] = SENTENCES,
    seed: Annotated[int, typer.Option(help="Of the grammar.")] = SEED,
) -> None:
    """Write the probe corpus, English sentences of a grammar with known relations, as a CoNLL-U file.

    The last line of the output is JSON.
    """

    def run() -> dict[str, Any]:
        from attention_core.atlas.command import run_probe  # noqa: PLC0415

        return run_probe(out, sentences, seed)

    _answer(run)


@app.command()
def reach(
    model: Model,
    packed: Annotated[bool, typer.Option("--packed", help="Two documents, told apart by position ids.")] = False,
    padded: Annotated[bool, typer.Option("--padded", help="Padding on the left.")] = False,
    cached: Annotated[bool, typer.Option("--cached", help="Token by token with a KV cache.")] = False,
    tokens: Annotated[int, typer.Option(help="Of the text, ids from all over the vocabulary.")] = 24,
    sees: Annotated[
        Literal["causal", "all"] | None, typer.Option(help="What a position may see; unless given, by the model.")
    ] = None,
) -> None:
    """Measure which position reaches which in a model: plain, then in each case asked for.

    Exit code 0: as allowed; 1: something leaks or is shut; 2: it cannot be measured.
    """
    from attention_core.pretrained.studies.reach import Case, ReachOrder, run_reach  # noqa: PLC0415

    cases: dict[Case, bool] = {"packed": packed, "padded": padded, "cached": cached}
    order = ReachOrder(model, [case for case, wanted in cases.items() if wanted], tokens, sees)
    as_allowed = True

    def run() -> str:
        nonlocal as_allowed
        lines, as_allowed = run_reach(order)
        return "\n".join(lines)

    _answer(run)
    raise typer.Exit(0 if as_allowed else 1)


@app.command()
def doctor(host: Host = "127.0.0.1", port: Port = 8000) -> None:
    """Say what is here: Python, torch, device, models, folders, address, settings; and what is wrong with it."""
    from .doctor import examine  # noqa: PLC0415

    report = examine(host, port)
    typer.echo(report.text())
    raise typer.Exit(1 if report.problems else 0)


def _answer(run: Callable[[], dict[str, Any] | str]) -> None:
    """Print what a command returns, numbers as JSON; what cannot be done is said in one line, with exit code 2."""
    try:
        with _interruptible():
            result = run()
            typer.echo(result if isinstance(result, str) else json.dumps(result))
    except KeyboardInterrupt:
        _end("interrupted; the same command goes on from here", INTERRUPTED)
    except (Refusal, ValueError, OSError) as error:
        _end(" ".join(str(error).split()), USED_WRONGLY)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let SIGINT interrupt the command however it was started: a script's `command &` begins with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end(message: str, code: int) -> None:
    typer.echo(f"{NAME}: {message}", err=True)
    raise typer.Exit(code)
