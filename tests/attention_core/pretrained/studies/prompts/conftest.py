"""The shipped decoder, loaded once for this room."""

import pytest

from attention_core.pretrained.models.catalog import Catalog
from attention_core.pretrained.models.loading import LoadedModel


@pytest.fixture(scope="package")
def decoder() -> LoadedModel:
    return Catalog(device="cpu").load("observatory-gpt2-mini")
