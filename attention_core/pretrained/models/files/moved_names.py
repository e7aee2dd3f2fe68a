"""Where an adapter's weights are in its base: under the names of the class, or of the library, that it was made with.

Releases of transformers move modules (LLaVA's ``language_model.model.layers`` has become
``model.language_model.layers`` with 4.52) and rename what older files hold when they load it. An adapter has the names
of its own time, too, and is read by the same rules.
"""

from collections.abc import Iterable, Iterator, Mapping

from transformers import PreTrainedModel
from transformers.conversion_mapping import get_model_conversion_mapping
from transformers.core_model_loading import WeightConverter, WeightRenaming, apply_converters, apply_renamings

from attention_core.pretrained.errors import ModelUnavailableError


def places(
    model: PreTrainedModel, parameters: Iterable[str], key_mapping: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The names in this model of an adapter's parameters.

    Names of today stay as they are, since a rule for old ones may match them, too. Where one is not known, all are from
    an older release, in which a name that is known may have been that of another module. ``key_mapping`` renames what a
    checkpoint holds before all else. Raises ModelUnavailableError for a parameter that the model does not have.
    """
    wanted = tuple(parameters)
    known = {name for name, _ in model.named_parameters(remove_duplicate=False)}
    found = {name: next((form for form in _forms(model, name) if form in known), None) for name in wanted}
    if None in found.values():
        older = _OlderNames(model, key_mapping)
        moved = {name: next((new for new in older.now(_forms(model, name)) if new in known), None) for name in wanted}
        found = {name: moved[name] or found[name] for name in wanted}
        for name in wanted:
            older.check_plain(name)
    return {name: _there(name, place) for name, place in found.items()}


def _forms(model: PreTrainedModel, name: str) -> tuple[str, ...]:
    """A model may have been wrapped with or without its head."""
    base = f"{model.base_model_prefix}."
    return name, base + name, name.removeprefix(base)


def _there(name: str, place: str | None) -> str:
    if place is None:
        raise ModelUnavailableError(
            "The adapter changes {module}, which its base does not have.", name.removesuffix(".weight")
        )
    return place


class _OlderNames:
    """The library's rules for checkpoints of older releases."""

    def __init__(self, model: PreTrainedModel, key_mapping: Mapping[str, str] | None) -> None:
        rules = get_model_conversion_mapping(model, None if key_mapping is None else dict(key_mapping))
        self._renamings = [rule for rule in rules if isinstance(rule, WeightRenaming)]
        self._converters = [rule for rule in rules if isinstance(rule, WeightConverter)]

    def now(self, names: Iterable[str]) -> Iterator[str]:
        """What they are called today."""
        return (apply_renamings(name, self._renamings) for name in names)

    def check_plain(self, name: str) -> None:
        """Raise ModelUnavailableError if the weight itself is another today: put together with others, or permuted."""
        _, rule = apply_converters(apply_renamings(name, self._renamings), self._converters)
        if rule is not None:
            raise ModelUnavailableError(
                "The adapter changes {module}, which this version of transformers keeps in another form. Merge it with "
                "PEFT where it was trained (merge_and_unload), save the merged model and put that folder here.",
                name.removesuffix(".weight"),
            )
