"""Real MiniLM, and tiny random models with real trained tokenizers, in folders as transformers writes them."""

import pytest

from attention_core.pretrained.catalog import Catalog
from attention_core.pretrained.loading import LoadedModel

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="session")
def minilm() -> LoadedModel:
    return Catalog(device="cpu").load(MINILM)
