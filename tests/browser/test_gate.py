"""How many tests in a browser `make test` runs."""

import pytest

from tests import tiers


@pytest.mark.gate
def test_there_are_few(request: pytest.FixtureRequest) -> None:
    items = [item for item in request.session.items if item.path.is_relative_to(tiers.BROWSER)]
    assert len([item for item in items if tiers.is_in_gate(item)]) <= tiers.MOST_IN_CHROMIUM


def test_each_of_its_ids_is_there(request: pytest.FixtureRequest) -> None:
    """Where a parametrized test was renamed, the gate would lose it without a word."""
    chosen = {item.nodeid for item in request.session.items}
    for item in request.session.items:
        for mark in item.iter_markers("gate"):
            test = item.nodeid.partition("[")[0]
            assert {f"{test}[{one}]" for one in mark.args} <= chosen
