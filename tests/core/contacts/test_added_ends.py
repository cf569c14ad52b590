"""Contacts that people add between two figures, and of feet and knees, are kept on written files; none is dropped."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.contacts import couple, find
from action_loom.core.demo_character import actions
from action_loom.core.motion import mirror, root_motion
from action_loom.core.motion.clip import FreeHand
from action_loom.core.verbs import Blend, Connect, Follow, Loop, Mirror, MoveEvents, Retarget, Splice
from oracles import hands

NEAR = 0.003  # m
HELD = slice(18, 42)  # frames in which the hands are in contact


def beside(clip, apart=0.75):
    """Return an image of a clip at its left, farther than hands are found to meet."""
    image = mirror.mirror_clip(clip)
    ground, facing = root_motion.ground_frames(clip)
    turned = root_motion.place_clip(image, facing - root_motion.ground_frames(image)[1], np.zeros(2))
    left = -np.array([np.cos(facing.mean()), np.sin(facing.mean())])
    return root_motion.place_clip(turned, 0.0, ground + apart * left - root_motion.ground_frames(turned)[0])


def add(clip, kind, sides, part="", frames=HELD):
    row = FreeHand(kind, sides, part, frames.start / clip.rate, frames.stop / clip.rate, True)
    return replace(clip, free_hands=(row,))


@pytest.fixture(scope="module")
def couples():
    return {name: (getattr(actions, name)(), beside(getattr(actions, name)())) for name in ("walk", "run", "sneak")}


def test_strangers_have_no_contact_until_one_is_added(couples):
    walk, other = couples["walk"]
    assert couple.find_contacts(walk, other) == ()
    held = find.Contact("hold", "LR", "", HELD.start, HELD.stop)
    assert couple.find_contacts(add(walk, "hold", "LR"), other) == (held,)
    assert couple.find_contacts(walk, add(other, "hold", "RL")) == (held,)
    on = find.Contact("by_partner", "R", "upper_arm.L", HELD.start, HELD.stop)
    assert couple.find_contacts(walk, add(other, "on_partner", "R", "upper_arm.L")) == (on,)


def test_a_found_contact_of_two_can_be_free(couples):
    wave = actions.wave()
    palm = couple.figure_of(wave).palms["L"][50, :2]
    other = root_motion.place_clip(wave, np.pi, 2.0 * palm)
    (found, *_) = couple.find_contacts(wave, other)
    row = FreeHand(*found.key, found.first / wave.rate, found.end / wave.rate)
    assert found not in couple.find_contacts(replace(wave, free_hands=(row,)), other)


@pytest.mark.parametrize(
    ("recipe", "names"),
    [
        (Loop(whole="yes"), ["walk"]),
        (Blend(weights=(0.6, 0.4)), ["walk", "sneak"]),
        (Connect(), ["walk", "sneak"]),
        (MoveEvents(events=((30.0, 36.0),)), ["walk"]),
        (Splice(timing="own"), ["run", "walk"]),
        (Follow(path=tuple((0.0, -float(y), 0.0) for y in range(6))), ["walk"]),
    ],
    ids=lambda one: getattr(one, "verb", ""),
)
@pytest.mark.parametrize("row", [("hold", "LR", ""), ("on_partner", "L", "forearm.R")], ids=str)
def test_a_hand_stays_at_the_partner(couples, recipe, names, row):
    pairs = [couples[name] for name in names]
    clips = [add(one, *row) if name == "walk" else one for name, (one, _) in zip(names, pairs, strict=True)]
    made = verbs.apply_with_partner(recipe, clips, [other for _, other in pairs])
    told = [one for one in made.report["partner"]["contacts"] if one["kind"] == row[0]]
    assert told
    assert all(not one["let_go"] and one["off_cm"][1] < 0.3 for one in told)


@pytest.mark.shared
def test_held_hands_are_as_far_apart_on_other_bodies_on_written_files(tmp_path):
    """Palms of a dancer and its image, by the judge's own kinematics, on two bodies with other arms."""
    dance = hands.at_30("cmu_daz_salsa_10", last=4.0)
    other, on = beside(dance), [hands.standing(hands.other_body(arm=arm)) for arm in (0.9, 1.2)]
    goal = np.linalg.norm(hands.palms(dance)[0] - hands.palms(other)[1], axis=1)[HELD]
    off = []
    for clip in (dance, add(dance, "hold", "LR")):
        made = verbs.apply_with_partner(Retarget(), [on[0], clip], [on[1], other])
        one, two = (hands.palms(hands.written(result, tmp_path)) for result in (made.clip, made.partner.clip))
        off.append(np.quantile(np.abs(np.linalg.norm(one[0] - two[1], axis=1)[HELD] - goal), 0.95))
    assert off[1] < NEAR < 0.02 < off[0]


def test_a_mirrored_contact_of_two_changes_sides(couples):
    walk, other = couples["walk"]
    for row, image in [
        (("hold", "LR", ""), ("hold", "RL", "")),
        (("hold", "foot.L,R", ""), ("hold", "foot.R,L", "")),
        (("on_partner", "L", "forearm.R"), ("on_partner", "R", "forearm.L")),
        (("world", "knee.L", ""), ("world", "knee.R", "")),
        (("rigid", "LR", ""), ("rigid", "LR", "")),
    ]:
        assert mirror.mirror_clip(add(walk, *row)).free_hands[0][:3] == image
    made = verbs.apply_with_partner(Mirror(), [add(walk, "hold", "LR")], [other])
    assert [one["contact"] for one in made.report["partner"]["contacts"]] == ["right hand on partner.hand.L"]


def test_what_is_not_kept_is_told(couples):
    walk, other = couples["walk"]
    clip, why = add(walk, "hold", "LR"), "left hand on partner.hand.R is not kept, because no partner is chosen"
    assert f"walk (frame 18): {why}" in verbs.apply(Loop(), [clip]).report["warnings"]
    assert not any(why in one for one in verbs.apply_with_partner(Loop(), [clip], [other]).report["warnings"])
    assert not any(why in one for one in verbs.apply(Loop(keep_hands="off"), [clip]).report["warnings"])
    tail = add(walk, "on_partner", "L", "tail")
    told = "walk (frame 18): left hand on partner.tail is not kept, because the body has no such joints"
    assert told in verbs.apply_with_partner(Loop(), [tail], [other]).report["warnings"]
