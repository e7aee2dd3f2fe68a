"""The model card: README.md beside the weights, and its loss chart."""

import math
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from recipes.decoder import names as grammars
from recipes.decoder.measures import HeadMeasures, Perplexities
from recipes.decoder.name_measures import SENTENCES, Told, Undecided
from recipes.decoder.names import Grammar
from recipes.decoder.recipe import Recipe
from recipes.decoder.training import Progress

LICENCES = {
    "tinyshakespeare.txt": ("1.1 MB of Shakespeare's plays, as collected in karpathy/char-rnn", "public domain"),
    "wikitext-2-valid.txt": (
        "1.1 MB of English Wikipedia: the validation split of WikiText-2 (Merity et al. 2016)",
        "CC BY-SA",
    ),
}

LOSSES = ("training_loss", "choosing_loss", "sentences_loss")
"""Columns of the table of losses, where they were measured."""

TEMPLATE = Path(__file__).with_name("card.md")
"""Template of the card; fields in braces are filled in."""

NAMES_TEMPLATE = Path(__file__).with_name("names_card.md")
"""Of the model that learnt indirect objects."""


def write_card(
    folder: Path,
    *,
    recipe: Recipe,
    progress: Progress,
    training_tokens: int,
    parameters: int,
    perplexities: Sequence[Perplexities],
    heads: HeadMeasures,
    copied: float,
    device: str,
    names: tuple[Mapping[str, Told], Undecided] | None = None,
) -> None:
    """Write README.md and loss.svg into the model's folder; ``names`` are the measures of indirect objects."""
    template = TEMPLATE if names is None else NAMES_TEMPLATE
    card = template.read_text(encoding="utf-8").format(
        **({} if names is None else _of_names(*names)),
        **vars(recipe),
        name=folder.name,
        millions=parameters / 1e6,
        head_dim=recipe.width // recipe.heads,
        megabytes=(folder / "model.safetensors").stat().st_size / 1e6,
        data=_data([corpus.name for corpus in perplexities if corpus.name in LICENCES]),
        training_tokens=training_tokens,
        epochs=progress.step * recipe.rows * recipe.context / training_tokens,
        minutes=progress.seconds / 60,
        device=device,
        best_step=progress.best_step,
        curve=_curve(progress),
        perplexities=_perplexities(perplexities),
        previous=_strongest(heads.previous_token),
        previous_count=int((heads.previous_token > 0.5).sum()),
        induction=_strongest(heads.induction),
        induction_count=int((heads.induction > 0.5).sum()),
        sink=_strongest(heads.first_token),
        sink_count=int((heads.first_token > 0.5).sum()),
        copied=copied,
        sink_remark=_sink_remark(heads.first_token),
    )
    (folder / "README.md").write_text(card, encoding="utf-8")
    (folder / "loss.svg").write_text(loss_chart(progress), encoding="utf-8")


def _of_names(told: Mapping[str, Told], undecided: Undecided) -> dict[str, object]:
    """What only the card of the model with indirect objects says."""
    grammar = Grammar()
    counts = {
        "openings": grammars.OPENINGS,
        "acts": grammars.ACTS,
        "names": grammars.NAMES,
        "places": grammars.PLACES,
        "objects": grammars.OBJECTS,
        "held_out_openings": grammars.HELD_OUT_OPENINGS,
        "held_out_acts": grammars.HELD_OUT_ACTS,
        "held_out_names": grammars.HELD_OUT_NAMES,
    }
    return {
        **{name: len(listed) for name, listed in counts.items()},
        "third": grammar.third,
        "other_share": grammar.other_share,
        "least": grammar.third * math.log(2),
        "measured": SENTENCES,
        "told": "\n".join(
            f"| {kind} | {measures.right:.1%} | {measures.difference:.2f} | {measures.likeliest:.1%} |"
            for kind, measures in told.items()
        ),
        "first": undecided.first,
        "first_difference": undecided.difference,
        "giver_last": undecided.giver_last,
    }


def _data(names: Sequence[str]) -> str:
    return "\n".join(f"- `{name}`: {LICENCES[name][0]}; {LICENCES[name][1]}." for name in names)


def _curve(progress: Progress, rows: int = 15) -> str:
    """Evenly spaced evaluations, including the last and the best."""
    places = {round(index * (len(progress.curve) - 1) / (rows - 1)) for index in range(rows)}
    shown = [
        point
        for index, point in enumerate(progress.curve)
        if index in places or int(point["step"]) == progress.best_step
    ]
    columns = [name for name in LOSSES if name in shown[0]]
    return "\n".join(
        " | ".join([f"| {int(point['step']):,}", *(f"{point[name]:.3f}" for name in columns)]) + " |" for point in shown
    )


def _perplexities(found: Sequence[Perplexities]) -> str:
    return "\n".join(
        f"| {row.name} | {row.tokens:,} | **{row.model:.1f}** | {row.bigram:.1f} | {row.unigram:.1f} |" for row in found
    )


def _strongest(scores: Float[np.ndarray, "L H"], count: int = 3) -> str:
    """The heads with the highest scores, as layer.head (score)."""
    order = np.argsort(-scores, axis=None, kind="stable")[:count]
    places = [np.unravel_index(index, scores.shape) for index in order]
    return ", ".join(f"{layer}.{head} ({scores[layer, head]:.2f})" for layer, head in places)


def _sink_remark(first_token: Float[np.ndarray, "L H"]) -> str:
    highest = float(first_token.max())
    if highest > 0.5:
        return f"So there is a first-token sink: one head gives it {highest:.0%} of its weight."
    return (
        f"So there is no pronounced first-token sink: no head gives the first token more than {highest:.0%} of its "
        "weight. Larger models, trained for longer, have one."
    )


def loss_chart(progress: Progress) -> str:
    """The two losses over the steps as a standalone SVG, legible on light and dark backgrounds."""
    left, right, top, bottom = 48, 620, 16, 260
    steps = [point["step"] for point in progress.curve]
    values = [point[name] for point in progress.curve for name in ("training_loss", "choosing_loss")]
    low, high = float(np.floor(min(values))), float(np.ceil(max(values)))

    def x(step: float) -> float:
        return left + (right - left) * step / max(steps)

    def y(loss: float) -> float:
        return bottom - (bottom - top) * (loss - low) / max(high - low, 1)

    def line(name: str, colour: str, dashes: str) -> str:
        points = " ".join(f"{x(point['step']):.1f},{y(point[name]):.1f}" for point in progress.curve)
        return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>'

    ticks = [
        f'<line x1="{left}" x2="{right}" y1="{y(loss):.1f}" y2="{y(loss):.1f}" stroke="#8886" stroke-width="1"/>'
        f'<text x="{left - 8}" y="{y(loss) + 4:.1f}" text-anchor="end">{loss:.0f}</text>'
        for loss in np.arange(low, high + 1).tolist()
    ]
    marks = [
        f'<text x="{x(step):.1f}" y="{bottom + 18}" text-anchor="middle">{step:.0f}</text>'
        for step in (0.0, max(steps) / 2, max(steps))
    ]
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 300" font-family="sans-serif" font-size="12"'
            ' fill="#777">',
            "<title>Loss by step</title>",
            *ticks,
            *marks,
            line("training_loss", "#2a7ab9", ' stroke-dasharray="5 4"'),
            line("choosing_loss", "#c2541b", ""),
            f'<text x="{right}" y="{top + 14}" text-anchor="end" fill="#c2541b">choosing part (solid)</text>',
            f'<text x="{right}" y="{top + 30}" text-anchor="end" fill="#2a7ab9">training, with repetitions (dashed)'
            "</text>",
            f'<text x="{(left + right) / 2}" y="{bottom + 36}" text-anchor="middle">step</text>',
            "</svg>",
            "",
        ]
    )


def device_name(device: torch.device) -> str:
    """Such as "2 CPU cores (x86_64), 1 thread"."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    threads = torch.get_num_threads()
    return f"a CPU ({platform.machine()}), {threads} {'thread' if threads == 1 else 'threads'}"
