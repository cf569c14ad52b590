"""Two figures whose hands meet: they meet at the right places, and again after one of them was changed."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.edit import reaching
from action_loom.core.errors import ClipError
from action_loom.core.motion import root_motion
from action_loom.core.verbs import Retarget
from action_loom.core.weave import meeting
from action_loom.core.weave.meeting import Meeting
from oracles import manual_scripts


@pytest.fixture(scope="module")
def pair():
    """Two that wave with a hand in common, and the second again on a body that is larger."""
    made = manual_scripts.pair()
    return (made["wave"], made["partner"]), (made["wave"], made["larger"])


@pytest.fixture(scope="module")
def met(pair):
    return meeting.meetings(*pair[0])


def wrist(clip, arm="right_arm"):
    return reaching.ends(clip, reaching.limb_of(clip, arm), np.zeros(3))


def test_hands_meet_where_they_are_near_for_a_tenth_of_a_second(pair, met):
    apart = np.linalg.norm(wrist(pair[0][0]) - wrist(pair[0][1]), axis=1)
    inside = np.zeros(len(apart), dtype=bool)
    for one in met:
        assert (one.arm, one.other) == ("right_arm", "right_arm")
        assert one.last - one.first + 1 >= 3  # at 30 frames a second
        inside[one.first : one.last + 1] = True
    assert inside.any()
    assert (apart[inside] < meeting.NEAR).all()
    lone = (apart < meeting.NEAR) & ~inside
    assert not (lone[:-2] & lone[1:-1] & lone[2:]).any()
    assert meeting.meetings(*pair[0], near=0.3) != met
    far = root_motion.place_clip(pair[0][1], 0.0, np.array([3.0, 0.0]))
    assert meeting.meetings(pair[0][0], far) == []


def test_the_second_figure_is_placed_as_near_as_it_comes(pair, met):
    before, now = pair
    changed, found = (now[0], root_motion.place_clip(now[1], 0.3, np.array([0.4, -0.2]))), met
    there = meeting.place_partner(before, changed, found)
    assert there[0] is now[0]
    best = (meeting.off(before, there, found) ** 2).sum()
    assert best < (meeting.off(before, changed, found) ** 2).sum()
    for turn, shift in ((0.01, (0.0, 0.0)), (0.0, (0.01, 0.0)), (0.0, (0.0, -0.01))):
        other = there[0], root_motion.place_clip(there[1], turn, np.array(shift))
        assert (meeting.off(before, other, found) ** 2).sum() > best


def test_hands_meet_again_and_nothing_else_changes(pair, met):
    before, now = pair
    there = meeting.place_partner(before, now, met)
    made = meeting.restore_contacts(before, there, met)
    assert meeting.off(before, there, met).max() > 0.05
    assert meeting.off(before, made, met).max() < 1e-3
    ease = round(meeting.EASE * now[0].rate)
    beyond = np.ones(len(now[0]), dtype=bool)
    for one in met:
        beyond[max(one.first - ease, 0) : one.last + ease + 1] = False
    assert beyond.any()
    for clip, was in zip(made, there, strict=True):
        assert np.array_equal(clip.rotations[beyond], was.rotations[beyond])
        arm = reaching.joints_of(clip.skeleton, reaching.limb_of(clip, "right_arm"))
        others = [joint for joint in range(len(clip.skeleton)) if joint not in arm]
        assert np.array_equal(clip.rotations[:, others], was.rotations[:, others])
        assert np.array_equal(clip.translations, was.translations)


def test_what_one_arm_is_too_short_for_the_other_makes_up(pair, met):
    """Hands are to meet 40 cm farther: more than half of it for one arm, less for the other."""
    before, now = pair
    found = [replace(met[0], last=met[0].first)]
    there = now[0], root_motion.place_clip(meeting.place_partner(before, now, found)[1], 0.0, np.array([0.0, -0.3]))
    made = meeting.restore_contacts(before, there, found)
    moved = [
        np.linalg.norm(wrist(new)[found[0].first] - wrist(old)[found[0].first])
        for old, new in zip(there, made, strict=True)
    ]
    assert meeting.off(before, made, found).max() < 1e-3, (moved, meeting.off(before, there, found))
    assert abs(moved[0] - moved[1]) > 0.02


def test_hands_that_no_arm_reaches_come_as_near_as_they_can(pair, met):
    before, now = pair
    away = now[0], root_motion.place_clip(now[1], 0.0, np.array([2.0, 0.0]))
    made = meeting.restore_contacts(before, away, met[:1])
    left = meeting.off(before, made, met[:1])
    assert 0.1 < left.max() < meeting.off(before, away, met[:1]).max()
    assert np.isfinite(made[1].rotations).all()


def test_an_untouched_pair_stays_the_same_to_the_bit(pair, met):
    before = pair[0]
    assert meeting.restore_contacts(before, before, met) == before
    assert meeting.off(before, before, met).max() == 0.0
    assert len(meeting.off(before, before, [])) == 0
    assert meeting.place_partner(before, before, []) == before


def test_clips_of_other_lengths_are_refused_by_name(pair):
    wave, partner = pair[0]
    with pytest.raises(ClipError, match=r"has \d+ frames at 30 a second and .* two figures meet only where"):
        meeting.meetings(wave, partner.cut(0, 10))
    with pytest.raises(ClipError, match="at 60"):
        meeting.off(pair[0], (wave, replace(partner, rate=60.0)), [Meeting("left_arm", "left_arm", 0, 1)])


def test_on_bodies_of_other_sizes_both_ways():
    walk = actions.walk()
    body = walk.skeleton
    for size in (0.8, 1.3):
        grown = replace(body, offsets=size * body.offsets, tips=size * body.tips)
        other = verbs.apply(Retarget(), [replace(walk, skeleton=grown), walk]).clip
        found = [Meeting("left_arm", "right_arm", 10, 20)]
        moved = meeting.place_partner((walk, walk), (walk, other), found)
        made = meeting.restore_contacts((walk, walk), moved, found)
        assert meeting.off((walk, walk), made, found).max() < meeting.off((walk, walk), moved, found).max()


def turned_to_the_hand(clip, frame):
    """The same figure again, facing the first one, with its chest 15 cm before that one's right hand in a frame."""
    partner = root_motion.place_clip(clip, np.pi, np.zeros(2))
    axes, top = meeting._trunk(partner)
    ahead = axes[frame, :2, 1] / np.linalg.norm(axes[frame, :2, 1])
    return root_motion.place_clip(partner, 0.0, wrist(clip)[frame, :2] - top[frame, :2] - 0.15 * ahead)


def grown(clip, times):
    body = clip.skeleton
    larger = replace(body, offsets=times * body.offsets, tips=times * body.tips)
    return replace(clip, skeleton=larger, translations=times * clip.translations)


@pytest.mark.parametrize("turn", [0.0, 1.3])
def test_a_hand_on_a_trunk_stays_at_its_place_of_a_larger_one(turn):
    one = actions.carry()
    other = turned_to_the_hand(one, 40)
    met = [found for found in meeting.meetings(one, other, trunk=True) if found.other == meeting.TRUNK]
    assert any(found.arm == "right_arm" and found.first <= 40 <= found.last for found in met)
    assert not [found for found in meeting.meetings(one, other) if found.other == meeting.TRUNK]
    met = [found for found in met if found.arm == "right_arm"]
    before, now = (one, other), (one, root_motion.place_clip(grown(other, 1.1), turn, np.array([0.05, 0.0])))
    there = meeting.place_partner(before, now, met)
    made = meeting.restore_contacts(before, there, met)
    assert meeting.off(before, made, met).max() < 1e-3 < meeting.off(before, there, met).max()
    assert made[1] is there[1]  # only the arm that pushes reaches

    def place(hands, trunk):
        axes, top = meeting._trunk(trunk)
        return np.linalg.solve(axes, (hands - top)[:, :, None])[:, :, 0]

    frames = np.concatenate([np.arange(found.first, found.last + 1) for found in met])
    assert place(wrist(made[0]), made[1])[frames] == pytest.approx(place(wrist(one), other)[frames], abs=2e-3)
