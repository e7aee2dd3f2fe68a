"""Write docs/models.md: what can be shown of every architecture of the installed transformers, tried on tiny models.

    python tools/model_table.py [TYPE …]

Each architecture is built with random weights and small sizes, once with our attention inside and once with the
library's own, and every weight and the last hidden state are compared, as when a model is loaded. With types as
arguments only their rows are printed.
"""

import logging
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import transformers  # noqa: E402
from transformers import AutoConfig, PreTrainedConfig  # noqa: E402
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES  # noqa: E402

from attention_core.pretrained.errors import ModelUnavailableError, as_unavailable  # noqa: E402
from attention_core.pretrained.models.image_rules import NoTokenizer, image_rules, vision_tower  # noqa: E402
from attention_core.pretrained.models.self_check import self_check  # noqa: E402
from attention_core.pretrained.models.support import Level, support_from  # noqa: E402
from attention_core.pretrained.models.trial_run import run_trial, run_weights_trial, trial_inputs  # noqa: E402
from attention_core.pretrained.recording.recorder import IMPLEMENTATION  # noqa: E402
from tiny_architectures import tiny_configs, tiny_model, tiny_tokenizer  # noqa: E402

TABLE = ROOT / "docs" / "models.md"
UNTRIED = "not tried"
SECONDS = 90
"""For each architecture."""
TITLES: dict[Level, str] = {"carried": "Carried", "weights_only": "Weights only", "refused": "Refused"}
ABOUT = """# Models

What can be shown of every architecture that transformers {version} knows, by its `model_type`. Written by
`python tools/model_table.py`; do not edit it.

- **Carried** ({carried}): our attention runs inside the model, so everything is there: stages, vectors, changes,
  attribution. The difference is the largest of any weight of any head from the library's own eager attention, and of
  the last hidden state relative to its largest number, on a tiny random model, both in float32. When a real model is
  loaded, the same is measured on it, and it is refused if the two differ by more than rounding explains.
- **Weights only** ({weights_only}): the attention is code of its own, which cannot be replaced. The weights that the
  library returns are shown, with all that follows from weights alone. They come whole, so the text is bounded.
- **Refused** ({refused}): with the reason.

Of {untried} of the first two kinds no tiny model could be made (“not tried”): what is said of them follows from the
library's code alone, until one is loaded.

Checkpoints of two towers (CLIP, SigLIP) are loaded as their tower of images. Audio is not read yet: of Whisper and its
kin nothing is shown.
"""


@dataclass(frozen=True)
class Row:
    """One architecture."""

    model_type: str
    level: Level
    note: str
    """The class that was tried, or why nothing is shown."""
    weights: float | None = None
    state: float | None = None


def row_of(model_type: str) -> Row:
    """Try one architecture, with its default configuration and with tiny ones."""
    try:
        with as_unavailable("The library cannot make its default configuration."):
            config = vision_tower(AutoConfig.for_model(model_type))
        support = support_from(config)
        support.shown()
    except ModelUnavailableError as error:
        return Row(model_type, "refused", str(error))
    found = Row(model_type, support.level, "")
    if support.level == "refused":
        return Row(model_type, "refused", str(support.reason))
    for tiny in tiny_configs(config.model_type):
        if support_from(tiny).facts is None:
            continue
        try:
            return _tried(found, tiny)
        except ModelUnavailableError as error:
            if "does not run" not in str(error):
                return replace(found, level="refused", note=str(error))
        except Exception:  # noqa: BLE001, S112 - sizes that this architecture does not accept
            continue
    return replace(found, note=UNTRIED)


def _tried(found: Row, config: PreTrainedConfig) -> Row:
    facts = support_from(config).shown()
    own = facts.weights_only
    model = tiny_model(config, facts, "eager" if own else IMPLEMENTATION)
    images = image_rules(config, {}) if facts.reads == "image" else None
    inputs = trial_inputs(model, tiny_tokenizer() if images is None else NoTokenizer({}), facts, images)
    if own:
        run_weights_trial(model, inputs, facts, images)
        return replace(found, note=facts.architecture)
    run_trial(model, inputs, facts, images)
    checked = self_check(model, inputs)
    return replace(found, note=facts.architecture, weights=checked.weights, state=checked.last_hidden_state)


def limited(work: Callable[[], Row], model_type: str) -> Row:
    """The row, or that it took too long."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        return work()
    except TimeoutError:
        return Row(model_type, "refused", "Its tiny model took too long to try.")
    finally:
        signal.alarm(0)


def table_of(rows: list[Row]) -> str:
    """The document."""
    counts = Counter(row.level for row in rows)
    text = ABOUT.format(
        version=transformers.__version__,
        untried=sum(UNTRIED in row.note for row in rows),
        **{level: counts[level] for level in TITLES},
    )
    for level, title in TITLES.items():
        is_measured = level == "carried"
        head = ["model_type", "tried", "weights", "last state"] if is_measured else ["model_type", "tried"]
        if level == "refused":
            head = ["model_type", "reason"]
        lines = [head, ["---"] * len(head)]
        for row in (row for row in rows if row.level == level):
            measured = [_number(row.weights), _number(row.state)] if is_measured else []
            lines.append([f"`{row.model_type}`", row.note.replace("|", "\\|"), *measured])
        text += f"\n## {title}\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
    return text


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.0e}"


def main() -> None:
    """Write the table, or print the rows of the types that are given."""
    warnings.simplefilter("ignore")
    logging.disable(logging.ERROR)
    asked = sys.argv[1:] or sorted(CONFIG_MAPPING_NAMES)
    rows = []
    for model_type in asked:
        rows.append(limited(lambda name=model_type: row_of(name), model_type))  # type: ignore[misc]
        sys.stderr.write(f"{rows[-1]}\n")
    if len(sys.argv) == 1:
        TABLE.write_text(table_of(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
