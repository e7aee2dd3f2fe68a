"""The measures of a head over a corpus."""

from attention_core.atlas.measures import MEASURES, PER_QUERY
from attention_core.pretrained.recording.metrics import METRICS


def test_what_an_analysis_measures_is_defined_once() -> None:
    assert set(METRICS) < set(MEASURES)
    assert {name for name, info in METRICS.items() if MEASURES[name] is not info} == set()


def test_every_measure_says_what_it_is() -> None:
    assert len(MEASURES) == 12
    for info in MEASURES.values():
        assert info.title
        assert info.definition.endswith(".")
        assert info.source
    assert {info.unit for info in MEASURES.values()} == {"nats", "share", "tokens", "length"}


def test_a_regularity_has_no_value_at_one_query() -> None:
    assert set(MEASURES) - set(PER_QUERY) == {"positional_regularity"}
