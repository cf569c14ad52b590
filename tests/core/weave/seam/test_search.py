"""Ranked cycles do not depend on frames before them that do not repeat."""

import numpy as np
from action_loom.core.demo_character import actions
from action_loom.core.sync import cycle_search
from action_loom.core.weave.seam import search


def test_frames_in_front_that_do_not_repeat_only_move_the_cycles():
    walk = actions.walk(30.0, 8)
    delayed = walk.take_frames(np.concatenate([np.zeros(37, dtype=int), np.arange(len(walk))]))
    for clip, first in ((walk, 0), (delayed, 37)):
        places = search.rank_cycles(clip, cycle_search.find(clip))
        assert len(places) > 3
        assert {place.length for place in places} == {32}
        assert all(first <= place.start <= len(clip) - 33 for place in places)
        starts = sorted(place.start for place in places)
        assert min(np.diff(starts)) >= search.APART * clip.rate
