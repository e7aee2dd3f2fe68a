"""Find the base of each LoRA adapter among the models that are on this machine."""

from collections.abc import Sequence
from dataclasses import replace

from attention_core.pretrained.models.files.adapters import base_name, is_adapter
from attention_core.pretrained.models.sources import ModelFolder
from attention_core.refusal import Sentence

UNNAMED = Sentence("It is an adapter that does not say which model it changes (base_model_name_or_path).")
NESTED = Sentence("It is an adapter of an adapter; only adapters of whole models are merged here.")


def with_bases(places: Sequence[ModelFolder]) -> list[ModelFolder]:
    """The same places; each adapter has its base, or the reason why it has none."""
    adapters = {place.id for place in places if is_adapter(place.folder)}
    by_id = {place.id: place for place in places}
    return [_with_base(place, by_id, adapters) if place.id in adapters else place for place in places]


def _with_base(place: ModelFolder, by_id: dict[str, ModelFolder], adapters: set[str]) -> ModelFolder:
    named = base_name(place.folder)
    if named is None:
        return replace(place, lacks=UNNAMED)
    base = next((each for each in named.candidates() if each in by_id and each != place.id), None)
    if base is None:
        wanted = named.candidates()[0]
        lacks = Sentence(
            "It is an adapter of {base}, which is not on this machine. Put that model into the models directory under "
            "this name, or into the Hugging Face cache.",
            wanted if len(wanted) <= 120 else f"{wanted[:120]}…",
        )
        return replace(place, lacks=lacks)
    return replace(place, lacks=NESTED) if base in adapters else replace(place, base=by_id[base])
