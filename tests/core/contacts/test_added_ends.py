"""Contacts that people add between two figures, and of feet and knees, are kept on written files; none is dropped."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.contacts import couple, find, keep
from action_loom.core.demo_character import actions
from action_loom.core.motion import mirror, root_motion
from action_loom.core.motion.clip import FreeHand
from action_loom.core.verbs import Blend, Connect, Follow, Loop, Mirror, MoveEvents, Retarget, Splice
from oracles import falling, hands

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
    still = verbs.apply(Loop(), [add(walk, "world", "knee.L")]).report["warnings"]
    lost = "left knee on a fixed place is not kept, because a cycle has no fixed places"
    assert f"walk (frame 18): {lost}" in still
    tail = add(walk, "on_partner", "L", "tail")
    told = "walk (frame 18): left hand on partner.tail is not kept, because the body has no such joints"
    assert told in verbs.apply_with_partner(Loop(), [tail], [other]).report["warnings"]


# --- feet and knees -------------------------------------------------------------------------------------------------


def stays(clip, role, frames):
    """Return how far (m) a joint is from its mean place in some frames, 95 %, by the judge's own kinematics."""
    places = falling.positions(clip)[frames, clip.skeleton.roles[role]]
    return np.quantile(np.linalg.norm(places - places.mean(axis=0), axis=1), 0.95)


def slides(clip, frames):
    """Return how fast (m/s) the slower foot moves on the ground in some frames."""
    ankles = falling.positions(clip)[frames][:, [clip.skeleton.roles[f"foot.{side}"] for side in "LR"], :2]
    return float(np.linalg.norm(np.diff(ankles, axis=0), axis=2).min(axis=1).mean() * clip.rate)


@pytest.mark.shared
def test_knees_stay_on_the_ground_in_a_blend_on_written_files(tmp_path):
    """Of the only capture with resting knees, which sits; without rows they go along with the walk."""
    walk, sit = hands.at_30("cmu_daz_02_01"), hands.at_30("cmu_daz_14_27", 4.6, 8.3)
    knees = tuple(FreeHand("world", f"knee.{side}", "", 0.6, 3.0, True) for side in "LR")
    made = [verbs.apply(Blend(weights=(0.3, 0.7)), [walk, one]) for one in (sit, replace(sit, free_hands=knees))]
    (row, other) = [one for one in made[1].report["hands"]["contacts"] if one["sides"].startswith("knee.")]
    held = slice(row["first"] + 1, row["last"])
    assert (row["first"], other["let_go"]) == (other["first"], "")
    plain, kept = (hands.written(one.clip, tmp_path) for one in made)
    for side in "LR":
        assert stays(kept, f"shin.{side}", held) < 0.01 < 0.2 < stays(plain, f"shin.{side}", held)
        assert stays(kept, f"shin.{side}", held) < stays(sit, f"shin.{side}", slice(18, 90)) + 0.002
    assert slides(kept, held) < slides(plain, held) + 0.02


def with_ball(clip):
    """Return a clip with a joint of its own, a ball, that a foot rolls along the ground in the held frames."""
    body, place = clip.skeleton, falling.positions(clip)
    foot = place[:, body.roles["foot.L"]] + [0.0, 0.0, -0.02]
    frames = np.clip(np.arange(len(clip)), HELD.start, HELD.stop - 1)
    still = np.zeros((len(clip), 1, 3))
    skeleton = replace(
        body,
        names=(*body.names, "ball"),
        parents=np.append(body.parents, -1),
        offsets=np.concatenate([body.offsets, still[0]]),
        orients=np.concatenate([body.orients, [[1.0, 0.0, 0.0, 0.0]]]),
        tips=np.concatenate([body.tips, still[0]]),
    )
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(clip), 1, 1))
    return replace(
        clip,
        skeleton=skeleton,
        rotations=np.concatenate([clip.rotations, turns], axis=1),
        translations=np.concatenate([clip.translations, foot[frames][:, None]], axis=1),
    )


def off_ball(clip, goal, frames):
    """Return how far (m) the left toe is from its place (3,) at the ball, 95 %."""
    places = falling.positions(clip)
    end = places[:, clip.skeleton.roles.get("toe.L", clip.skeleton.roles["foot.L"])]
    return np.quantile(
        np.linalg.norm((end - places[:, clip.skeleton.names.index("ball")] - goal)[frames], axis=1), 0.95
    )


def test_a_foot_stays_on_a_ball_and_other_feet_stay_planted(tmp_path):
    """A later contact of the foot with the ball moves with it; the right leg is untouched, to the bit."""
    plain = with_ball(actions.walk())
    (kept,) = [add(plain, "on", "foot.L", "ball")]
    assert [one.key for one in find.find_contacts(kept)] == [("on", "foot.L", "ball")]
    places = falling.positions(plain)
    toe = plain.skeleton.roles.get("toe.L", plain.skeleton.roles["foot.L"])
    goal = (places[:, toe] - places[:, plain.skeleton.names.index("ball")])[30]
    sneak = with_ball(actions.sneak())
    recipe = Blend(weights=(0.7, 0.3))
    made = [verbs.apply(recipe, [one, sneak]) for one in (plain, kept)]
    (row,) = [one for one in made[1].report["hands"]["contacts"] if one["sides"] == "foot.L"]
    held = slice(row["first"] + 1, row["last"])
    off = [off_ball(one.clip, goal, held) for one in made]
    assert off[1] < off[0]
    assert row["off_cm"][1] < 0.3 < row["off_cm"][0]
    right = [made[0].clip.skeleton.roles[f"{role}.R"] for role in ("thigh", "shin", "foot")]
    assert (made[0].clip.rotations[:, right] == made[1].clip.rotations[:, right]).all()
    marks = keep.mark_hands(made[1].report, len(made[1].clip))["foot.L"][held]
    assert marks.min() == 1  # red in the first frames, because the foot stands until then
    assert (marks[3:] == 1).all()


def test_a_foot_stays_at_the_partners_hand(couples):
    walk, other = couples["walk"]
    made = verbs.apply_with_partner(Connect(), [add(walk, "hold", "foot.L,R"), couples["sneak"][0]],
                                    [other, couples["sneak"][1]])  # fmt: skip
    (row,) = made.report["partner"]["contacts"]
    assert (row["contact"], row["let_go"]) == ("left foot on partner.hand.R", "")
    assert row["off_cm"][1] < 0.3


def test_walks_have_no_contacts_of_feet_or_knees():
    for name in ("walk", "run", "sneak"):
        assert find.find_contacts(getattr(actions, name)()) == ()
