"""Load an inspected folder into memory: tokenizer, weights, and what a trial run finds of them."""

import logging
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from attention_core.pretrained.errors import (
    ModelUnavailableError,
    ReadsSoundsError,
    UnsupportedAttentionError,
    as_unavailable,
)
from attention_core.pretrained.models.configuration import ModelFacts
from attention_core.pretrained.models.entries import ModelEntry
from attention_core.pretrained.models.files.folders import Inspection
from attention_core.pretrained.models.load_progress import LoadProgress
from attention_core.pretrained.models.model_classes import class_names
from attention_core.pretrained.models.preprocessing.image_layout import ImageLayout
from attention_core.pretrained.models.preprocessing.image_rules import ImageRules, NoTokenizer
from attention_core.pretrained.models.preprocessing.sound_layout import SoundLayout
from attention_core.pretrained.models.preprocessing.sound_rules import TAKES_SOUNDS, SoundRules
from attention_core.pretrained.models.text_tower_model import TextPart
from attention_core.pretrained.models.tokenizers.tokenizer_loading import load_tokenizer
from attention_core.pretrained.models.trial.longer_text import longer_text
from attention_core.pretrained.models.trial.reach_check import reach_check
from attention_core.pretrained.models.trial.self_check import SelfCheck, self_check
from attention_core.pretrained.models.trial.trial_run import (
    SOURCE_TOKENS,
    Trial,
    run_trial,
    run_weights_trial,
    trial_inputs,
)
from attention_core.pretrained.models.trial.tried_limits import takes_pairs, tried_limits
from attention_core.pretrained.models.weight_loading import load_weights
from attention_core.pretrained.recording.output_projections import OutputProjection, with_own_memory
from attention_core.pretrained.recording.parity import BOUND
from attention_core.pretrained.recording.parts import PartShape
from attention_core.pretrained.recording.recorder import LayerRecord
from attention_core.pretrained.recording.replaced.own_state import state_of, take_turns, traces
from attention_core.pretrained.recording.returned_weights import most_tokens
from attention_core.refusal import Sentence

logger = logging.getLogger(__name__)

COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A model in memory, in evaluation mode, with its tokenizer."""

    entry: ModelEntry
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase | NoTokenizer
    """For an image model or an audio encoder, a NoTokenizer, which refuses texts."""
    device: torch.device
    dtype: torch.dtype
    nbytes: int
    """Memory of parameters and buffers."""
    fingerprint: str
    """Hash of the content of the files, the same on every machine."""
    revision: str | None = None
    """Commit on the Hugging Face Hub; None unless the files are a snapshot in the hub's cache."""
    projections: Mapping[nn.Module | None, OutputProjection] = field(default_factory=dict)
    """W_O by attention module, as far as found."""
    images: ImageRules | None = None
    """Image preprocessing; None for a text model."""
    class_names: NoTokenizer | None = None
    """Decodes the ids of classes, of an image model and of a classifier of texts; None for all others."""
    layout: ImageLayout = field(default_factory=ImageLayout)
    """Of an image model, the tokens beside the patches."""
    sounds: SoundRules | None = None
    """Sound preprocessing; None for all but audio models."""
    sound_layout: SoundLayout | None = None
    """Of an audio model, its positions in time."""
    weights_only: bool = False
    """Whether its own attention runs, of which only the weights are known."""
    parts: tuple[PartShape, ...] = ()
    """The shape of its attention, recorded in the trial run."""
    tokenizer_caveats: tuple[Sentence, ...] = ()
    """What is to be said of its tokens."""
    tokenizer_lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while tokenising: some tokenizers change their own state (source and target language)."""

    @property
    def identity(self) -> str:
        """Names what numbers depend on: the weights, the device and the precision. For the keys of caches."""
        return f"{self.fingerprint}/{self.device}/{self.dtype}"

    def check_carried(self) -> None:
        """Raise UnsupportedAttentionError if our attention does not run inside this model."""
        if self.weights_only:
            raise UnsupportedAttentionError(
                "{id} shows weights only, those that its own attention returns: for this, queries, keys and values are "
                "needed.",
                self.entry.id,
            )

    @property
    def answers(self) -> PreTrainedTokenizerBase | NoTokenizer:
        """Decodes the ids that have logits: of tokens or of classes."""
        return self.class_names or self.tokenizer

    @property
    def agreement_bound(self) -> float:
        """Bound on rounding differences between the library's attention and ours, found at load time."""
        checked = self.entry.self_check
        return BOUND if checked is None else checked.bound


def load_inspected(
    entry: ModelEntry,
    inspection: Inspection,
    *,
    device: torch.device,
    dtype: torch.dtype,
    progress: LoadProgress | None = None,
    checked: SelfCheck | None = None,
) -> LoadedModel:
    """Load tokenizer and weights; ``checked`` is an earlier self-check, which is then not repeated.

    Raises ModelUnavailableError with the reason if the model is incomplete or unsupported.
    """
    progress = progress or LoadProgress()
    progress.enter("reading", inspection.float32_bytes)
    tokenizer, of_tokens = _load_tokenizer(inspection)
    model, left_out = load_weights(inspection, tokenizer)
    if not isinstance(tokenizer, NoTokenizer):
        _check_vocabulary(tokenizer, model)

    short = trial_inputs(model, tokenizer, inspection.facts, inspection.images, inspection.sounds)
    facts = tried_limits(model, inspection.facts, short)
    pairs = isinstance(tokenizer, NoTokenizer) or takes_pairs(model, tokenizer)
    own = facts.weights_only

    def try_here() -> tuple[Trial, dict[str, Tensor]]:
        inputs = trial_inputs(model, tokenizer, facts, inspection.images, inspection.sounds)
        trial_of = run_weights_trial if own else run_trial
        return trial_of(model, inputs, facts, inspection.images, inspection.sounds), inputs

    def check_here(trial: Trial, inputs: dict[str, Tensor]) -> SelfCheck:
        count = longer_text(model, facts, trial.parts)
        texts = [inputs]
        if count is not None:
            texts.append(trial_inputs(model, tokenizer, facts, None, inspection.sounds, tokens=count))
        check = self_check(model, *texts)
        return replace(check, reach=reach_check(model, inputs, facts, 2 * (SOURCE_TOKENS + (count or 0))))

    if checked is None and not own and dtype.itemsize < torch.float32.itemsize:
        # Checked in float32 first: in half precision, coarse rounding would hide differences.
        progress.enter("trying")
        checked = check_here(*try_here())
    with as_unavailable("It does not fit into the memory of the device {device}.", device):
        model.to(device=device, dtype=dtype)
    progress.enter("trying")
    before = state_of(model)
    trial, inputs = try_here()
    if not own:
        checked = checked or check_here(trial, inputs)
    if left := traces(before, model):
        logger.warning("passes leave something in %s, so one runs at a time", ", ".join(left[:5]))
        take_turns(model)
    return LoadedModel(
        entry=replace(
            _corrected(entry, trial, facts, inspection.images, own=own, architecture=_class_of(model)),
            takes_pairs=pairs,
            mask_token=tokenizer.mask_token,
            self_check=checked,
            caveats=(*inspection.caveats, *left_out, *(() if checked is None else checked.reach)),
        ),
        model=model,
        tokenizer=tokenizer,
        device=device,
        dtype=dtype,
        nbytes=sum(tensor.nbytes for tensor in (*model.parameters(), *model.buffers())),
        fingerprint=inspection.fingerprint,
        revision=None if inspection.adapter else hub_revision(inspection.folder),
        projections=with_own_memory(model, trial.projections),
        images=inspection.images,
        class_names=_class_names(inspection, tokenizer),
        layout=trial.layout,
        sounds=inspection.sounds,
        sound_layout=trial.sound_layout,
        weights_only=own,
        parts=trial.parts,
        tokenizer_caveats=of_tokens,
    )


def hub_revision(folder: Path) -> str | None:
    """The commit of a snapshot folder in the Hugging Face cache, ``models--…/snapshots/<commit>``."""
    is_snapshot = folder.parent.name == "snapshots" and COMMIT.fullmatch(folder.name) is not None
    return folder.name if is_snapshot else None


def _class_of(model: PreTrainedModel) -> str:
    """The library's class that computes the hidden states."""
    return type(model.model if isinstance(model, TextPart) else model).__name__


def _corrected(
    entry: ModelEntry, trial: Trial, facts: ModelFacts, images: ImageRules | None, *, own: bool, architecture: str
) -> ModelEntry:
    """Replace facts inferred from the configuration by recorded ones, and limits by those that were tried."""
    first = trial.parts[0]
    entry = replace(entry, max_tokens=facts.max_tokens, max_target_tokens=facts.max_target_tokens)
    if images is not None:
        beside = len(trial.layout.before) + len(trial.layout.after)
        entry = replace(entry, max_tokens=images.grid[0] * images.grid[1] + beside)
    elif own:
        most = most_tokens(trial.parts)
        target = None if entry.max_target_tokens is None else min(entry.max_target_tokens, most)
        entry = replace(entry, max_tokens=min(entry.max_tokens or most, most), max_target_tokens=target)
    return replace(
        entry,
        architecture=architecture,
        kind=trial.kind,
        layers=first.layers,
        heads=first.heads,
        kv_heads=first.kv_heads,
        head_dim=first.head_dim,
    )


def with_projections(loaded: LoadedModel, layers: Sequence[LayerRecord]) -> list[LayerRecord]:
    """This model's records with W_O, where known."""
    return [replace(layer, projection=loaded.projections.get(layer.module)) for layer in layers]


def _load_tokenizer(
    inspection: Inspection,
) -> tuple[PreTrainedTokenizerBase | NoTokenizer, tuple[Sentence, ...]]:
    if inspection.images is not None:
        return NoTokenizer(inspection.config.id2label or {}), ()
    if inspection.sounds is not None and inspection.facts.kind != "encoder_decoder":
        return NoTokenizer({}, ReadsSoundsError(TAKES_SOUNDS)), ()
    return load_tokenizer(inspection.folder)


def _class_names(inspection: Inspection, tokenizer: PreTrainedTokenizerBase | NoTokenizer) -> NoTokenizer | None:
    if inspection.images is not None and isinstance(tokenizer, NoTokenizer):
        return tokenizer
    names = class_names(inspection.config, inspection.facts.architecture)
    return None if names is None else NoTokenizer(names)


def _check_vocabulary(tokenizer: PreTrainedTokenizerBase, model: PreTrainedModel) -> None:
    with as_unavailable("It does not give the size of its vocabulary."):
        rows = model.get_input_embeddings().num_embeddings
        last = max(tokenizer.get_vocab().values(), default=-1)
    if last >= rows:
        raise ModelUnavailableError(
            "Its tokenizer's ids go up to {last}, but the model has only {rows} embeddings.", last, rows
        )
