"""Position tables against the embeddings a model uses while running."""

import numpy as np
import pytest
import torch

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.position_table import position_table

TEXT = "The cat sat on the mat because it was tired."


@pytest.mark.parametrize(
    ("model", "rows"),
    [("tiny-gpt2", 70), ("tiny-bert", 48), ("tiny-roberta", 64), ("tiny-distilbert", 48), ("tiny-bart", 48)],
)
def test_rows_are_what_the_first_tokens_get(catalog: Catalog, model: str, rows: int):
    loaded = catalog.load(model)
    table = position_table(loaded)
    assert table is not None
    assert table.vectors.shape == (rows, 32)
    assert table.learned
    read: list[torch.Tensor] = []
    hook = loaded.model.get_submodule(table.name).register_forward_hook(lambda _module, _inputs, out: read.append(out))
    inputs = loaded.tokenizer(TEXT, return_tensors="pt")
    with torch.no_grad():
        loaded.model(**inputs)
    hook.remove()
    length = inputs["input_ids"].shape[1]
    np.testing.assert_array_equal(read[0].reshape(-1, 32)[:length].double(), table.vectors[:length])


@pytest.mark.parametrize("model", ["tiny-llama", "tiny-gpt-neox", "tiny-t5", "tiny-modernbert"])
def test_models_that_know_positions_otherwise_have_none(catalog: Catalog, model: str):
    assert position_table(catalog.load(model)) is None
