"""Clips on the spot among others: which of them are given travel, and the report about it."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import GraphError
from action_loom.core.motion import root_motion
from action_loom.core.recipes.travel import TravelOptions
from action_loom.core.verbs import Blend, BuildGraph, Connect, Follow, InPlace, Walk
from action_loom.core.weave import add_root_motion, root_trajectory
from numpy.testing import assert_allclose

pytestmark = pytest.mark.both_engines

WALK, SNEAK, WAVE = actions.walk(30.0, 3), actions.sneak(30.0, 2), actions.wave(30.0)
AUTO, NO = TravelOptions(), TravelOptions(add_root_motion="no")
PATH = ((0, 0), (0, 4), (1, 6))


def kept(clip):
    """The clip without its travel, which it keeps."""
    return replace(verbs.apply(InPlace(), [clip]).clip, name=clip.name)


def on_the_spot(clip):
    return root_trajectory.without_stored(kept(clip))


def gone(clip):
    return root_motion.path_length(root_motion.ground_frames(clip)[0])


def test_clips_on_the_spot_go_on_among_clips_that_travel():
    (walk, sneak, wave), message = add_root_motion.travelling([WALK, on_the_spot(SNEAK), WAVE], AUTO)
    assert walk is WALK
    assert wave is WAVE
    assert gone(sneak) == pytest.approx(gone(SNEAK), rel=0.02)
    assert message == ["sneak was given 0.55 m/s by its feet, as it walks on the spot (ahead)"]
    assert sneak.cyclic == on_the_spot(SNEAK).cyclic


def test_where_nothing_travels_nothing_is_given_unless_it_is_needed():
    still = [on_the_spot(WALK), on_the_spot(SNEAK)]
    for options, needed in ((AUTO, False), (NO, True), (NO, False)):
        same, message = add_root_motion.travelling(still, options, needed=needed)
        assert all(one is other for one, other in zip(same, still, strict=True))
        assert message == []
    given, message = add_root_motion.travelling(still, AUTO, needed=True)
    assert len(message) == 2
    assert min(map(add_root_motion.travels, given)) is True


def test_a_way_that_is_kept_comes_back_and_is_not_left_with_some():
    (_, sneak), message = add_root_motion.travelling([WALK, kept(SNEAK)], AUTO)
    assert_allclose(sneak.translations, SNEAK.translations, atol=1e-12)
    assert message == ["sneak got back the travel that was removed"]
    apart, _ = add_root_motion.travelling([WALK, kept(SNEAK)], NO)
    assert not apart[1].channels
    together, _ = add_root_motion.travelling([kept(WALK), kept(SNEAK)], NO)
    assert all(clip.channels for clip in together)


def test_blending_and_connecting_give_travel_where_one_of_the_clips_has_some():
    # By hand: cycles have transitions that are as near a cycle later.
    for recipe in (Blend(), Connect(from_frame=80, to_frame=20)):
        made = verbs.apply(recipe, [WALK, on_the_spot(SNEAK)])
        plain = verbs.apply(recipe, [WALK, SNEAK])
        assert gone(made.clip) == pytest.approx(gone(plain.clip), rel=0.03)
        assert made.report["warnings"][0].startswith("sneak was given")
        assert not any("on the spot" in line for line in plain.report["warnings"])
        left = verbs.apply(replace(recipe, add_root_motion="no"), [WALK, on_the_spot(SNEAK)])
        assert gone(left.clip) < 0.8 * gone(plain.clip)
        assert not any("on the spot" in line for line in left.report["warnings"])


def test_graphs_give_travel_and_say_it():
    for recipe in (BuildGraph(), Walk(seconds=3.0), Follow(path=PATH)):
        made = verbs.apply(recipe, [on_the_spot(WALK)])
        assert made.report["warnings"][0].startswith("walk was given 1.30 m/s by its feet")
    follow = verbs.apply(Follow(path=PATH), [on_the_spot(WALK)]).report
    plain = verbs.apply(Follow(path=PATH), [WALK]).report
    assert follow["follow"]["rms"] == pytest.approx(plain["follow"]["rms"], abs=0.005)
    assert follow["quality"]["after"]["slide_cm_s"] < plain["quality"]["after"]["slide_cm_s"] + 1.0


def test_a_path_can_not_be_followed_on_the_spot():
    recipe = Follow(path=PATH, add_root_motion="no")
    with pytest.raises(GraphError, match=r"no clip travels \('walk'\)"):
        verbs.apply(recipe, [on_the_spot(WALK)])
    assert np.isfinite(verbs.apply(recipe, [WALK]).report["follow"]["rms"])
