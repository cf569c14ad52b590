"""One stretch of a take by its recipe: loops, actions between loops, and sentences about impossible cuts."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, LoomError, OptionError
from action_loom.core.motion import root_motion
from action_loom.core.verbs.take import cut_out, meeting
from numpy.testing import assert_allclose

WALK = actions.walk(cycles=8)


def made(clip=WALK, **options):
    return verbs.apply(verbs.CutOut(**options), [clip]).clip


def test_an_action_begins_over_the_origin_as_the_body_rests():
    away = root_motion.place_clip(WALK, 0.7, np.array([3.0, -2.0]))
    clip = made(away, first=40, last=80)
    ground, facing = root_motion.ground_frames(clip)
    assert_allclose(ground[0], 0.0, atol=1e-9)
    assert_allclose(np.exp(1j * facing[0]), np.exp(1j * root_motion.rest_heading(clip.skeleton)), atol=1e-9)
    assert len(clip) == 41


def test_ends_are_poses_of_the_loop_that_is_named():
    loop = made(first=10, last=100, kind="walk", loop=True)
    row = cut_out.row(10, 100, "walk", cut_out.NEAREST)
    clip = made(first=120, last=170, begins=(row,), ends=(row,))
    for frame in (0, 50):
        end = clip.cut(frame, frame + 1)
        nearest = min(meeting.gap(end, loop.cut(k, k + 1)) for k in range(len(loop)))
        assert nearest == pytest.approx((0.0, 0.0), abs=1e-5)


def test_mirrored_twice_it_is_the_action_again():
    turn = actions.turn_left()
    one = made(turn, first=5, last=60)
    image = made(turn, first=5, last=60, mirrored=True)
    turns = [np.ptp(np.unwrap(root_motion.heading(clip))) for clip in (one, image)]
    assert turns[0] == pytest.approx(turns[1], abs=1e-6)
    both = root_motion.ground_frames(one)[1][-1] + root_motion.ground_frames(image)[1][-1]
    assert np.angle(np.exp(1j * both)) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("options", "kind", "says"),
    [
        ({"first": 10, "last": 9000}, OptionError, "frames 10 to 9000 can't be cut out: it has 0 to 256"),
        ({"first": 20, "last": 21}, OptionError, "three are the least"),
        ({"first": 20, "last": 40, "kind": "walk", "loop": True}, ClipError, "frames 20 to 40 make no loop"),
        ({"first": 20, "last": 60, "begins": ((1.0, 2.0),)}, OptionError, "begins takes rows of first, last"),
        ({"first": 20, "last": 60, "ends": ((10, 100, 1, 999, 0),)}, OptionError, "has no frame 999"),
    ],
)
def test_what_can_not_be_cut_out_is_said(options, kind, says):
    with pytest.raises(kind, match=says):
        made(**options)


def test_a_take_of_one_frame_is_refused_in_a_sentence():
    with pytest.raises(LoomError, match="1 frame"):
        made(replace(WALK.cut(0, 1), cyclic=False), first=0, last=-1)


def test_a_stretch_across_an_interruption_says_so():
    walk = actions.walk(cycles=6)
    places = walk.translations.copy()
    places[60:, 0, 0] += 1.0
    broken = replace(walk, translations=places)
    made = verbs.apply(verbs.CutOut(first=20, last=100), [broken])
    assert [
        warning for warning in made.report["warnings"] if "39 frames after the first, the body jumps 100 cm" in warning
    ]
    whole = verbs.apply(verbs.CutOut(first=60, last=100), [broken])
    assert not [warning for warning in whole.report["warnings"] if "jumps" in warning]
