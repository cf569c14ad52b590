"""The search's table of edges agrees with the clips' own ways."""

import numpy as np
import pytest
from action_loom.core.graph import edge_table
from numpy.testing import assert_allclose

pytestmark = pytest.mark.both_engines

BENDS = np.radians([0.0, -10.0, 10.0])


def test_edges_along_a_clip_are_its_own_way(gaits):
    """Samples of unbent edges along a clip add up to its smoothed way."""
    steps = edge_table.tabulate(gaits, 0, BENDS)
    tracks = gaits.tracks
    for start in np.flatnonzero(gaits.component == 0)[::40]:
        node = int(np.flatnonzero(steps.nodes == start)[0])
        edge = steps.onward[node]
        if edge < 0:
            continue
        first = tracks.firsts[gaits.clip[start]] + gaits.frame[start]
        last = tracks.firsts[gaits.clip[start]] + gaits.frame[gaits.end[steps.edges[edge]]]
        sample = steps.first_sample[edge + 1] - 1
        moved = np.exp(1j * tracks.facing[first]) * (steps.right[0, sample] + 1j * steps.ahead[0, sample]) * steps.unit
        assert_allclose(moved, tracks.ground[last] - tracks.ground[first], atol=1e-12)
        assert_allclose(steps.turned[0, sample], tracks.facing[last] - tracks.facing[first], atol=1e-12)


def test_edges_are_sampled_the_same_however_many_at_a_time(gaits, monkeypatch):
    whole = edge_table.tabulate(gaits, 0, BENDS)
    monkeypatch.setattr(edge_table, "SOME", 7)
    parts = edge_table.tabulate(gaits, 0, BENDS)
    for name, values in vars(whole).items():
        assert_allclose(getattr(parts, name), values, atol=1e-12)
