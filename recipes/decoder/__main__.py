"""Train the shipped decoder, or continue it: ``python -m recipes.decoder TEXTS FOLDER``.

TEXTS is a folder with tinyshakespeare.txt and wikitext-2-valid.txt. FOLDER keeps the checkpoint (checkpoint.pt); the
same command resumes an interrupted training. The finished model and its card are in FOLDER/observatory-gpt2-mini. About
20 minutes on two free CPU cores; a GPU is used if available.

With ``--names START`` the decoder in the folder START, such as the one made without it, learns indirect objects from
sentences of the recipe's own (``names.py``); the model is FOLDER/observatory-gpt2-names.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
import transformers

from recipes.decoder.beginning import carried_over
from recipes.decoder.card import device_name, write_card
from recipes.decoder.measures import HeadMeasures, copied_share, measure_heads, perplexities
from recipes.decoder.memory import keep_freed_memory
from recipes.decoder.name_measures import measure_names
from recipes.decoder.recipe import NAMES_RECIPE, Recipe
from recipes.decoder.saving import save
from recipes.decoder.sentences import with_sentences
from recipes.decoder.texts import Corpus, Split, encode, read_splits, train_tokenizer
from recipes.decoder.training import Progress, Training

NAME = "observatory-gpt2-mini"
WITH_NAMES = "observatory-gpt2-names"


def main(arguments: Sequence[str] | None = None, recipe: Recipe | None = None) -> int:
    """Start or resume training, then evaluate and save; 1 if interrupted or unable to start."""
    options = _options(arguments)
    recipe = recipe or (Recipe() if options.names is None else NAMES_RECIPE)
    transformers.utils.logging.disable_progress_bar()
    keep_freed_memory()
    torch.set_num_threads(1)  # one process per part of a step is faster than threads that wait for each other
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        splits = read_splits(options.texts, recipe)
        tokenizer = train_tokenizer(splits, recipe)
        corpus = encode(splits, tokenizer)
        start = None
        if options.names is not None:
            corpus = with_sentences(corpus, tokenizer.backend_tokenizer, recipe)
            start = carried_over(options.names, tokenizer.backend_tokenizer, recipe)
        together = device.type == "cpu" and not options.one_process
        training = Training(recipe, corpus, options.folder, device, together=together, start=start)
    except (OSError, ValueError) as error:
        print(f"cannot begin: {error}", file=sys.stderr)
        return 1
    _announce(training, corpus, splits)
    folder = options.folder / (NAME if options.names is None else WITH_NAMES)

    def tell(progress: Progress) -> None:
        save(training.model, tokenizer, folder)
        _tell(progress, recipe, measure_heads(folder, splits, sequences=2))

    if not training.run(tell):
        print(f"interrupted after step {training.progress.step}; the same command goes on from there", file=sys.stderr)
        return 1
    save(training.choose_best(), tokenizer, folder)
    _finish(folder, training, corpus, splits)
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m recipes.decoder", description=__doc__)
    parser.add_argument("texts", type=Path, help="folder with the two texts")
    parser.add_argument("folder", type=Path, help="where the training is kept and the model is written")
    parser.add_argument("--names", type=Path, metavar="START", help="continue this decoder with indirect objects")
    parser.add_argument("--one-process", action="store_true", help="leave all but one core to others")
    return parser.parse_args(arguments)


def _announce(training: Training, corpus: Corpus, splits: Sequence[Split]) -> None:
    count = sum(parameter.numel() for parameter in training.model.parameters())
    tokens = {split.name: len(ids) for split, ids in zip(splits, corpus.training, strict=True)}
    print(f"{count:,} parameters on {device_name(training.device)}; tokens to learn from: {tokens}")
    if training.progress.step:
        print(f"going on after step {training.progress.step}")


def _tell(progress: Progress, recipe: Recipe, heads: HeadMeasures) -> None:
    point, left = progress.curve[-1], recipe.steps - progress.step
    print(
        f"step {progress.step:,}/{recipe.steps:,}"
        f"  loss {point['training_loss']:.3f}  choosing {point['choosing_loss']:.3f} (best {progress.best_loss:.3f})"
        f"  previous token {heads.previous_token.max():.2f}  induction {heads.induction.max():.2f}"
        f"  first token {heads.first_token.max():.2f}"
        f"{_told_of_sentences(point)}"
        f"  {progress.seconds / 60:.1f} min, {left * progress.seconds / progress.step / 60:.0f} to go",
        flush=True,
    )


def _told_of_sentences(point: dict[str, float]) -> str:
    return f"  names {point['sentences_loss']:.3f}" if "sentences_loss" in point else ""


def _finish(folder: Path, training: Training, corpus: Corpus, splits: Sequence[Split]) -> None:
    results = perplexities(folder, corpus, training.recipe)
    for result in results:
        print(f"{result.name}: perplexity {result.model:.1f}, bigram {result.bigram:.1f}, unigram {result.unigram:.1f}")
    write_card(
        folder,
        recipe=training.recipe,
        progress=training.progress,
        training_tokens=sum(len(ids) for ids in corpus.training),
        parameters=sum(parameter.numel() for parameter in training.model.parameters()),
        perplexities=results,
        heads=measure_heads(folder, splits),
        copied=copied_share(folder),
        device=device_name(training.device),
        names=measure_names(folder) if corpus.sentences is not None else None,
    )
    print(f"written to {folder}")


if __name__ == "__main__":
    sys.exit(main())
