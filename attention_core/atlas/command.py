"""The command ``attention-observatory``: make an atlas, or write the probe corpus, without a server.

``attention-observatory scan MODEL CORPUS --out DIR`` and ``attention-observatory probe --out FILE.conllu``.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from transformers.utils import logging as transformers_logging

from attention_core.atlas.corpus.facts import FILE as CORPUS_FILE
from attention_core.atlas.corpus.probe import SEED, SENTENCES, prepare_probe, write_probe
from attention_core.atlas.corpus.shards import prepare
from attention_core.atlas.model_source import ModelSource
from attention_core.atlas.progress_line import ProgressLine
from attention_core.atlas.scan import Progress, ScanResult, scan
from attention_core.atlas.settings import ScanSettings
from attention_core.refusal import Refusal

PROBE = "probe"
USED_WRONGLY, INTERRUPTED = 2, 130
"""Exit codes: as of argparse, and of a shell after Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code. What cannot be done is said in one line, with exit code 2."""
    given = _parser().parse_args(arguments)
    transformers_logging.disable_progress_bar()
    try:
        return given.run(given)
    except KeyboardInterrupt:
        return _said("interrupted; the same command goes on from here", INTERRUPTED)
    except (Refusal, ValueError, OSError) as error:
        return _said(" ".join(str(error).split()), USED_WRONGLY)


def _parser() -> argparse.ArgumentParser:
    defaults = ScanSettings()
    parser = argparse.ArgumentParser(prog="attention-observatory", description="What attention heads do over a corpus.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    scanning = commands.add_parser(
        "scan",
        help="scan a corpus with a model and write an atlas of its heads",
        description="Scan a corpus with a model and write an atlas of its heads: a folder of Parquet files. A scan "
        "that was interrupted goes on where it was. The last line of the output is JSON.",
    )
    add = scanning.add_argument
    add("model", metavar="MODEL", help="id in the catalog or on the Hugging Face Hub, or a model's folder")
    add("corpus", metavar="CORPUS", help="a .txt, .jsonl, .parquet, .csv or .conllu file; probe or probe:SENTENCES")
    add("--out", metavar="DIR", type=Path, required=True, help="where the atlas is written")
    add("--engine", choices=("local", "ray"), default="local", help="one process, or a Ray cluster")
    add("--address", help="of the Ray cluster; without it, a local one is started")
    add("--workers", type=_at_least_one, help="models at work at once on Ray; as many as it has GPUs, else two")
    add("--threads", type=_at_least_one, metavar="N", default=1, help="of each model; the last bits depend on it")
    add("--max-tokens", type=_at_least_one, metavar="N", help="end after about so many tokens")
    add("--window-tokens", type=int, metavar="N", default=defaults.window_tokens, help="default: %(default)s")
    add("--seed", type=int, default=defaults.seed, help="of the sampled queries")
    add("--column", help="where a JSONL, CSV or Parquet file has its text")
    add("--models-dir", type=Path, help="folder of model folders; default: OBSERVATORY_MODELS_DIR")
    add("--device", help="cpu, mps, cuda or cuda:N")
    add("--dtype", choices=("float32", "float16", "bfloat16"), help="of the model; default: float32")
    scanning.set_defaults(run=_scan)
    probing = commands.add_parser(
        "probe",
        help="write the probe corpus as a CoNLL-U file",
        description="Write the probe corpus, English sentences of a grammar with known relations, as a CoNLL-U file. "
        "The last line of the output is JSON.",
    )
    probing.add_argument("--sentences", type=_at_least_one, metavar="N", default=SENTENCES, help="default: %(default)s")
    probing.add_argument("--seed", type=int, default=SEED, help="of the grammar; default: %(default)s")
    probing.add_argument("--out", metavar="FILE", type=Path, required=True, help="a name that ends in .conllu")
    probing.set_defaults(run=_probe)
    return parser


def _at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _scan(given: argparse.Namespace) -> int:
    settings = ScanSettings(given.window_tokens, given.max_tokens, given.seed)
    source = ModelSource.named(given.model, models_dir=given.models_dir, device=given.device, dtype=given.dtype)
    corpus = _prepared(given)
    started = time.perf_counter()
    with ProgressLine() as progress:
        result = _scanned(given, source, corpus, settings, progress)
    seconds = time.perf_counter() - started
    _forget(given, corpus)
    answer = {
        "documents": result.documents,
        "tokens": result.tokens,
        "seconds": round(seconds, 3),
        "tokens_per_second": round(result.scanned_tokens / seconds, 1),
        "skipped": result.skipped,
    }
    sys.stdout.write(json.dumps(answer) + "\n")
    return 0


def _probe(given: argparse.Namespace) -> int:
    if given.out.suffix.lower() != ".conllu":
        raise ValueError(f"{given.out.name} must end in .conllu, so that it can be read as a corpus")
    write_probe(given.out, given.sentences, given.seed)
    sys.stdout.write(json.dumps({"documents": given.sentences, "seed": given.seed}) + "\n")
    return 0


def _scanned(
    given: argparse.Namespace, source: ModelSource, corpus: Path, settings: ScanSettings, progress: Progress
) -> ScanResult:
    if given.engine == "local":
        return scan(source.load(), corpus, given.out, settings, progress, threads=given.threads)
    try:
        from attention_core.atlas.ray_engine import scan_on_ray  # noqa: PLC0415 - an optional dependency
    except ImportError as error:
        raise ValueError("--engine ray needs Ray: pip install 'attention-observatory[ray]'") from error
    where = {"address": given.address, "workers": given.workers, "threads": given.threads}
    return scan_on_ray(source, corpus, given.out, settings, progress, **where)


def _prepared(given: argparse.Namespace) -> Path:
    """The prepared corpus: as given, or made in the folder of the atlas for as long as the scan takes."""
    path = Path(given.corpus)
    if (path / CORPUS_FILE).is_file():
        return path
    folder = given.out / "corpus"
    folder.parent.mkdir(parents=True, exist_ok=True)
    name, _, sentences = given.corpus.partition(":")
    if name == PROBE and not path.exists():
        if sentences and not sentences.isdecimal():
            raise ValueError(f"probe:{sentences} must have a number of sentences, as in probe:2000")
        folder.mkdir(exist_ok=True)
        prepare_probe(folder, **({"sentences": int(sentences)} if sentences else {}))
    else:
        prepare(path, folder, column=given.column)
    return folder


def _forget(given: argparse.Namespace, corpus: Path) -> None:
    """Remove the prepared corpus, if it was made here."""
    if corpus == given.out / "corpus":
        for path in corpus.iterdir():
            path.unlink()
        corpus.rmdir()


def _said(message: str, code: int) -> int:
    sys.stderr.write(f"attention-observatory: {message}\n")
    return code
