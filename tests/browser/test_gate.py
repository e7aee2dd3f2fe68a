"""How many tests in a browser `make test` runs."""

import pytest

from tests import tiers


@pytest.mark.gate
def test_there_are_few(request: pytest.FixtureRequest) -> None:
    items = [item for item in request.session.items if item.path.is_relative_to(tiers.BROWSER)]
    assert len([item for item in items if tiers.is_in_gate(item)]) <= tiers.MOST_IN_CHROMIUM
