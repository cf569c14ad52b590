"""Every test recorded as slow, and left out of the short run, exists in the whole run."""

from oracles import durations


def test_every_slow_test_that_is_recorded_exists(request):
    """Rename or remove it in tests/durations.json, too, or write the file: `make test ALL=1 RECORD=1`."""
    assert durations.gone(request.config, "core") == []
