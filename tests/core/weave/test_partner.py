"""Two figures woven together: the partner goes beside the leader, and their hands stay in contact on written files."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.contacts import arms, couple, figure, find, keep, parts, placement, wanted
from action_loom.core.contacts.arms import Arms
from action_loom.core.contacts.wanted import Played
from action_loom.core.demo_character import actions
from action_loom.core.errors import OptionError
from action_loom.core.inbetween import filling
from action_loom.core.motion import kinematics, mirror, quat, resample, root_motion
from action_loom.core.motion.clip import join_clips
from action_loom.core.verbs import (
    Ask,
    Blend,
    Connect,
    Drive,
    Fill,
    Follow,
    Loop,
    Mirror,
    MoveEvents,
    Place,
    Reach,
    Restyle,
    Retarget,
    Splice,
    Synchronise,
    partner,
)
from action_loom.core.verbs.ask import partner as ask_partner
from action_loom.core.verbs.source_frames import Shown
from numpy.testing import assert_allclose, assert_array_equal
from oracles import hands

ONE = verbs.apply_with_partner
NEAR = 0.003  # m


def lead(pair, goal):
    """Return two clips with a palm of each led by `goal`, which takes their figures; both arms move half the way."""
    bodies = [Arms.of(clip, figure.figure_of(clip), ()) for clip in pair]
    results, nows = list(pair), [body.begin for body in bodies]
    for _ in range(12):
        lacks = goal(nows)
        for k, body in enumerate(bodies):
            still = np.zeros((len(nows[k]), 3))
            results[k], nows[k] = body.shift(nows[k], {side: lacks.get((k, side), still) for side in body.limbs})
    return tuple(results)


def hand_in_hand(clip, apart=0.55):
    """Return a clip and its image at its left, with the leader's left hand in the partner's right one."""
    image = mirror.mirror_clip(clip)
    ground, facing = root_motion.ground_frames(clip)
    turned = root_motion.place_clip(image, facing - root_motion.ground_frames(image)[1], np.zeros(2))
    left = -np.array([np.cos(facing.mean()), np.sin(facing.mean())])
    beside = root_motion.place_clip(turned, 0.0, ground + apart * left - root_motion.ground_frames(turned)[0])

    def meet(figures):
        away = figures[1].palms["R"] - figures[0].palms["L"]
        return {(0, "L"): 0.5 * away, (1, "R"): -0.5 * away}

    return lead((clip, beside), meet)


@pytest.fixture(scope="module")
def couples():
    """Two walks and a sneak of one body, each hand in hand with a partner."""
    return {name: hand_in_hand(getattr(actions, name)()) for name in ("walk", "run", "sneak")}


def palms(clip, side):
    """Return the palms (F, 3) of a clip by kinematics of its own: joints of the arm from the root down."""
    skeleton = clip.skeleton
    rotations, places = [], []
    for joint, above in enumerate(skeleton.parents):
        shift = skeleton.offsets[joint] + quat.rotate(skeleton.orients[joint], clip.translations[:, joint])
        turn = quat.mul(
            np.broadcast_to(skeleton.orients[joint], clip.rotations[:, joint].shape), clip.rotations[:, joint]
        )
        if above >= 0:
            shift = places[above] + quat.rotate(rotations[above], shift)
            turn = quat.mul(rotations[above], turn)
        rotations.append(turn)
        places.append(shift)
    hand = skeleton.roles[f"hand.{side}"]
    return places[hand] + parts.palm_offset(clip, side, np.stack(rotations, axis=1))


def between(pair, sides="LR"):
    return np.linalg.norm(palms(pair[0], sides[0]) - palms(pair[1], sides[1]), axis=1)


def test_hands_in_hands_are_found_and_those_of_strangers_are_not(couples):
    for pair in couples.values():
        found = couple.find_contacts(*pair)
        assert {(one.kind, one.sides) for one in found} == {("meet", "LR")}
        assert sum(one.end - one.first for one in found) > 0.9 * len(pair[0])
        apart = root_motion.place_clip(pair[1], 0.0, np.array([2.0, 0.0]))
        assert couple.find_contacts(pair[0], apart) == ()


@pytest.mark.parametrize(
    ("recipe", "names"),
    [
        (Loop(), ["walk"]),
        (Blend(), ["walk", "sneak"]),
        (Connect(), ["walk", "sneak"]),
        (Synchronise(), ["walk", "sneak"]),
        (MoveEvents(events=((30.0, 36.0),)), ["walk"]),
        (Place(), ["walk"]),
        (Splice(timing="own"), ["run", "walk"]),
        (Splice(timing="sync"), ["sneak", "walk"]),
        (Follow(path=tuple((0.0, -float(y), 0.0) for y in range(6))), ["walk", "sneak"]),
    ],
    ids=lambda one: getattr(one, "verb", ""),
)
def test_hands_stay_in_hands(couples, recipe, names):
    pairs = [couples[name] for name in names]
    made = ONE(recipe, [one for one, _ in pairs], [other for _, other in pairs])
    assert len(made.partner.clip) == len(made.clip)
    off = between((made.clip, made.partner.clip))
    assert np.quantile(off, 0.95) < NEAR
    assert made.report["partner"]["kept"] >= 1
    assert not any(row["let_go"] for row in made.report["partner"]["contacts"])


def test_a_spliced_partner_has_the_legs_of_its_locomotion_and_the_arms_of_its_action(couples):
    (run, beside), (walk, their_walk) = couples["run"], couples["walk"]
    made = ONE(Splice(timing="own", strength=1.0), [run, walk], [beside, their_walk]).partner.clip
    roles = made.skeleton.roles
    legs = [roles[f"{role}.{side}"] for role in ("thigh", "shin", "foot") for side in "LR"]
    assert_allclose(made.rotations[:, legs], beside.rotations[: len(made), legs], atol=1e-6)
    elbow = roles["forearm.L"]  # of the arm that no hand holds
    away = [np.abs(made.rotations[:, elbow] - one.rotations[: len(made), elbow]).max() for one in (their_walk, beside)]
    assert away[0] < 1e-6 < 0.05 < away[1]


WAY = ((0.0, 0.0, 1.3), (2.0, 0.0, 0.4), (3.0, 0.0, 1.3), (4.0, 0.0, 0.0))


@pytest.mark.parametrize("rate", [24.0, 30.0, 50.0])
def test_hands_of_driven_figures_stay_in_hands_at_any_rate(couples, rate):
    pairs = [[resample.to_rate(clip, rate) for clip in couples[name]] for name in ("walk", "sneak")]
    made = ONE(Drive(wishes=WAY), [one for one, _ in pairs], [other for _, other in pairs])
    assert not made.data.image.any()
    assert made.report["drive"]["jumps"] >= 1
    assert not any(note.startswith("mirror") for note in made.report["notes"])
    off = between((made.clip, made.partner.clip))
    assert len(off) == round(4.0 * rate) + 1
    assert np.quantile(off, 0.95) < NEAR
    assert not any(row["let_go"] for row in made.report["partner"]["contacts"])


def test_the_upper_bodies_of_two_are_driven_over_the_legs_of_two(couples):
    (run, beside), pairs = couples["run"], [couples["walk"], couples["sneak"]]
    recipe = Drive(wishes=((0.0, 0.0, 1.3), (2.0, 0.0, 0.0)), upper_body_only=True)
    made = ONE(recipe, [run, *(one for one, _ in pairs)], [beside, *(other for _, other in pairs)])
    roles = made.clip.skeleton.roles
    legs = [roles[f"{role}.{side}"] for role in ("thigh", "shin", "foot") for side in "LR"]
    for clip, own in ((made.clip, run), (made.partner.clip, beside)):
        assert_allclose(clip.rotations[:, legs], own.rotations[:, legs], atol=1e-6)
    assert np.quantile(between((made.clip, made.partner.clip))[:40], 0.95) < NEAR


KEYS = (0, 14, 40, 62, 90)


def blocked(pair, keys=KEYS):
    """Return two clips with the poses of others at some frames, and interpolations between them."""
    made = []
    for clip in pair:
        parts = [
            filling.interpolate_poses(clip.cut(a, a + 1), clip.cut(b, b + 1), b - a + 1) for a, b in pairwise(keys)
        ]
        made.append(replace(join_clips([parts[0], *(part.cut(1, len(part)) for part in parts[1:])]), name="poses"))
    return made


def test_filled_gaps_of_two_have_the_same_stretches_and_their_hands_stay_together(couples):
    """Sneaking between poses of walking, with arms that interpolation would leave at other places."""
    poses, pairs = blocked(couples["walk"]), [couples["sneak"]]
    recipe = Fill(key_frames=(KEYS,), share=1.0)
    made = ONE(recipe, [poses[0], *(one for one, _ in pairs)], [poses[1], *(other for _, other in pairs)])
    told = [
        [
            [{**row, "clip": ""} for row in gap["candidates"][gap["candidate"]]["stretches"]]
            for gap in one.report["fill"]["gaps"]
        ]
        for one in (made, made.partner)
    ]
    assert told[0] == told[1]
    assert not any(one["mirrored"] for some in told[0] for one in some)
    for one, block in zip((made, made.partner), poses, strict=True):
        assert_array_equal(np.abs(one.clip.rotations[list(KEYS)]), np.abs(block.rotations[list(KEYS)]))
        assert_array_equal(one.clip.translations[list(KEYS)], block.translations[list(KEYS)])
    alone = [verbs.apply(replace(recipe, mirror=False), [block, *(pair[k] for pair in pairs)]).clip
             for k, block in enumerate(poses)]  # fmt: skip
    before, after = between(alone), between((made.clip, made.partner.clip))
    assert before.max() > 0.02
    assert np.quantile(after, 0.95) < NEAR
    assert made.partner.clip.name == "poses filled"


def test_a_contact_that_keyed_poses_do_not_have_goes_over_into_their_relation(couples):
    (walk, beside), poses = couples["walk"], blocked(couples["walk"])
    aside = [poses[0], root_motion.place_clip(poses[1], 0.0, np.array([0.04, 0.0]))]
    made = ONE(Fill(key_frames=(KEYS,), share=1.0), [aside[0], walk], [aside[1], beside])
    off, keyed = between((made.clip, made.partner.clip)), between(aside)
    assert_array_equal(off[list(KEYS)], keyed[list(KEYS)])
    assert np.abs(off - 0.04).max() < 0.01


def test_arms_return_to_keys_sooner_where_they_would_snap(couples):
    """A palm led by 15 cm, with a key every half second."""
    walk = actions.walk()
    body = Arms.of(walk, figure.figure_of(walk), [])
    fixed = np.zeros(len(walk), dtype=bool)
    fixed[::14] = True
    steps = {"L": np.tile([0.15, 0.0, 0.0], (len(walk), 1)), "R": np.zeros((len(walk), 3))}
    led, _ = body.shift(body.begin, steps)
    keys = np.flatnonzero(fixed)
    quick, made = (
        couple._return_to_keys(led, walk, keys, np.full(len(keys), 3.0)),
        couple._leave_fixed(led, body, fixed),
    )
    assert_array_equal(made.rotations[keys], walk.rotations[keys])
    worst = [
        np.linalg.norm(np.diff(kinematics.points(one)[:, walk.skeleton.roles["forearm.L"]], 2, axis=0), axis=1).max()
        for one in (walk, quick, made)
    ]
    assert worst[2] < 0.6 * worst[1] > 2.0 * worst[0]


def test_mirrored_the_other_hands_meet(couples):
    pair = couples["walk"]
    made = ONE(Mirror(), [pair[0]], [pair[1]])
    assert between((made.clip, made.partner.clip), "RL").max() < NEAR
    sides = [np.sign(side_of(one)) for one in (pair, (made.clip, made.partner.clip))]
    assert sides == [-1.0, 1.0]


def side_of(pair):
    """Return how far the second figure is to the right of the first, in the first frame."""
    (ground, facing), (other, _) = (root_motion.ground_frames(one) for one in pair)
    return float((other[0] - ground[0]) @ (np.cos(facing[0]), np.sin(facing[0])))


def test_a_moved_leader_takes_the_partner_along_exactly(couples):
    pair = couples["walk"]
    made = ONE(Place(where="at", x=3.0, y=-2.0, face="way", facing=70.0), [pair[0]], [pair[1]])
    points = [[kinematics.points(clip) for clip in both] for both in (pair, (made.clip, made.partner.clip))]
    apart = [np.linalg.norm(one - other[:, ::-1], axis=2) for one, other in points]
    assert_allclose(apart[1], apart[0], atol=1e-9)
    assert np.abs(points[1][0] - points[0][0]).max() > 1.0


def test_hands_that_come_late_are_told(couples):
    held = find.Contact("meet", "LR", "", 10, 30)
    late = np.where(np.arange(20) < 3, 0.04, 0.0)
    hold = keep.Hold(wanted.Wanted(held, np.zeros((60, 3))), after=late, before=np.full(20, 0.2))
    told = "left hand on partner.hand.R, frames 10 to 29: the hands are up to 4 cm off in 3 frames, or arms would snap"
    assert keep.Kept((hold,)).describe("Dance") == [f"Dance: {told}"]
    hold.after = 0.2 * late
    assert keep.Kept((hold,)).describe("Dance") == []


@pytest.mark.parametrize("approach", keep.APPROACHES)
def test_a_hand_that_glides_begins_earlier_and_has_no_kink_at_its_contact(approach):
    """A palm that has to go forward at 1 m/s, and from 10 cm on."""
    wave = actions.wave()
    body, rate, span = Arms.of(wave, figure.figure_of(wave), []), wave.rate, slice(40, 70)
    way = np.zeros((30, 3))
    way[:, 1] = 0.1 + np.arange(30) / rate
    (made,) = arms._spread([body], [body.begin], [(span, {(0, "L"): way}, approach)])
    at = np.einsum("ij,ij->i", made["L"], np.tile([0.0, 1.0, 0.0], (len(wave), 1)))
    assert_allclose(made["L"][span], way, atol=1e-9)
    bend = abs(at[41] - 2.0 * at[40] + at[39])
    assert bend < (0.012 if approach[1] else 0.05)
    assert (np.abs(made["L"][: 40 - round(approach[0] * rate)]) < 1e-9).all()


def test_only_the_chosen_figure_adapts(couples):
    pairs = [couples["walk"], couples["sneak"]]
    given = [one for one, _ in pairs], [other for _, other in pairs]
    alone = verbs.apply(Blend(keep_hands="off"), given[0]).clip
    made = ONE(Blend(keep_hands="off"), *given, "partner")
    assert_array_equal(made.clip.rotations, alone.rotations)
    led = ONE(Blend(keep_hands="off"), *given, "leader")
    assert np.abs(led.clip.rotations - alone.rotations).max() > 1e-3
    for one in (made, led):
        assert np.quantile(between((one.clip, one.partner.clip)), 0.95) < NEAR


def test_a_loop_of_two_is_a_loop_of_both(couples):
    pair = couples["walk"]
    made = ONE(Loop(), [pair[0]], [pair[1]])
    both = made.clip, made.partner.clip
    assert [clip.cyclic for clip in both] == [True, True]
    assert_allclose(np.abs((both[1].rotations[0] * both[1].rotations[-1]).sum(axis=-1)), 1.0, atol=1e-9)
    steps = [np.diff(root_motion.ground_frames(clip)[0][[0, -1]], axis=0) for clip in both]
    assert_allclose(steps[0], steps[1], atol=1e-6)


def test_walks_leave_out_mirror_images_and_say_so_if_they_were_asked_for(couples):
    path = tuple((0.0, -float(y), 0.0) for y in range(5))
    pair = couples["walk"]
    made = ONE(Follow(path=path), [pair[0]], [pair[1]])
    assert not any(note.startswith("mirror") for note in made.report["notes"])
    assert verbs.for_partners(Restyle(mirror=True)) == (
        Restyle(),
        ["mirror had no effect: the partner would change sides"],
    )
    assert not any(
        one.mirrored for one in verbs._find_frames(made, verbs.for_partners(Follow(path=path))[0], [pair[0]])
    )


def test_hands_stay_in_hands_where_strides_are_blended(couples):
    """At a speed between both, over three strides whose shares change, and the partner at the leader's pace."""
    pairs = [couples["walk"], couples["sneak"]]
    recipe = Ask(over_time=((0.0, 0.7, 0.0), (2.0, 1.3, 0.0)), basis="walks")
    made = ONE(recipe, [one for one, _ in pairs], [other for _, other in pairs])
    assert "basis had no effect: the walks brought along have no partner" in made.report["notes"]
    assert np.quantile(between((made.clip, made.partner.clip)), 0.95) < NEAR
    assert made.report["partner"]["kept"] >= 1
    speeds = [
        np.linalg.norm(np.diff(root_motion.ground_frames(one)[0][[0, -1]], axis=0)) / made.clip.seconds
        for one in (made.clip, made.partner.clip)
    ]
    assert abs(speeds[0] - speeds[1]) < 0.02
    knees = [kinematics.points(one.clip)[:, one.clip.skeleton.roles["shin.L"], 2] for one in (made, made.partner)]
    other = kinematics.points(made.partner.clip)[:, made.partner.clip.skeleton.roles["shin.R"], 2]
    assert np.abs(knees[0] - other).mean() < 0.3 * np.abs(knees[0] - knees[1]).mean()  # its image in the same frames


def test_all_strides_that_are_blended_are_played(couples):
    walk, sneak = (couples[name][0] for name in ("walk", "sneak"))
    made = verbs.apply(Ask(speed=1.0, basis="clips", mirror=False), [walk, sneak])
    strides = ask_partner.list_strides(made)
    assert_allclose(sum(one.weights for one in strides), 1.0)
    assert len(strides) == np.count_nonzero(made.weights)
    for one in strides:
        frames = made.examples.material.frames[made.examples.material.of == one.source]
        assert (np.abs(one.frames[0] - frames[:, 0]) < 1e-9).any()


def test_other_frames_and_verbs_without_a_partner_are_refused(couples):
    one, other = couples["walk"]
    with pytest.raises(OptionError, match="takes no partner"):
        ONE(Reach(), [one], [other])
    with pytest.raises(OptionError, match="96 values, but takes 97"):
        ONE(Mirror(), [one], [other.cut(0, 96)])
    with pytest.raises(OptionError, match="partners has 2 values, but takes 1"):
        ONE(Mirror(), [one], [other, other])


def test_a_hand_on_the_other_ones_back_stays_there():
    walk = actions.walk()
    _, facing = root_motion.ground_frames(walk)
    ahead = 0.45 * np.array([-np.sin(facing.mean()), np.cos(facing.mean())])
    front = root_motion.place_clip(walk, 0.0, ahead)

    def push(figures):
        trunk, turned = figures[1].parts["trunk"], figures[1].turned[:, figures[1].chest]
        place = trunk.low + 0.8 * (trunk.high - trunk.low) - 0.1 * np.append(ahead / np.linalg.norm(ahead), 0.0)
        own = quat.rotate(quat.inv(turned), place - trunk.high).mean(axis=0)
        return {(0, "L"): trunk.high + quat.rotate(turned, own) - figures[0].palms["L"]}

    pair = lead((walk, front), push)
    found = couple.find_contacts(*pair)
    assert ("on_partner", "L", "trunk") in {one.key for one in found}
    made = ONE(Loop(in_place=True), [pair[0]], [pair[1]])
    rows = [row for row in made.report["partner"]["contacts"] if row["contact"] == "left hand on partner.trunk"]
    assert rows
    assert max(row["off_cm"][1] for row in rows) < 0.5


@pytest.mark.parametrize("adapts", couple.ADAPTS)
def test_a_couple_that_stands_farther_apart_in_one_source_still_touches(couples, adapts):
    walk, beside = couples["walk"]
    sneak, far = hand_in_hand(actions.sneak(), apart=4.0)
    assert couple.find_contacts(sneak, far) == ()
    made = ONE(Blend(weights=(0.7, 0.3)), [walk, sneak], [beside, far], adapts)
    assert np.quantile(between((made.clip, made.partner.clip)), 0.95) < NEAR
    assert not any(row["let_go"] for row in made.report["partner"]["contacts"])
    assert made.partner.report["quality"]["after"]["slide_cm_s"] < made.report["quality"]["after"]["slide_cm_s"] + 1.0
    grounds = [root_motion.ground_frames(one)[0][[0, -1]] for one in (made.clip, made.partner.clip)]
    assert_allclose(np.diff(grounds[0], axis=0), np.diff(grounds[1], axis=0), atol=1e-6)  # both are cycles


def test_a_partner_that_is_near_enough_stays_to_the_bit(couples, monkeypatch):
    pairs = [couples["walk"], couples["sneak"]]
    given = Blend(weights=(0.7, 0.3)), [one for one, _ in pairs], [other for _, other in pairs]
    made = ONE(*given)
    monkeypatch.setattr(placement, "bring_near", lambda both, *_: both[1])
    assert_array_equal(made.partner.clip.rotations, ONE(*given).partner.clip.rotations)
    assert_array_equal(made.partner.clip.translations, ONE(*given).partner.clip.translations)


def test_contacts_of_both_hands_turn_a_figure_that_faces_elsewhere():
    stand = actions.wave().cut(0, 60)
    ground, facing = root_motion.ground_frames(stand)
    ahead = np.array([-np.sin(facing[0]), np.cos(facing[0])])
    opposite = root_motion.place_clip(stand, np.pi, ground[0] * 2.0 + 0.6 * ahead)

    def meet(figures):
        found = {}
        for side, other in ("LR", "RL"):
            away = figures[1].palms[other] - figures[0].palms[side]
            found |= {(0, side): 0.5 * away, (1, other): -0.5 * away}
        return found

    pair = lead((stand, opposite), meet)
    played = [Played(pair[0], 0, np.arange(60.0), np.ones(60))]
    sources = couple.find_sources(played, {pair[0]: pair[1]})
    assert placement.bring_near(pair, played, sources, "both") is pair[1]
    middle = root_motion.ground_frames(pair[1])[0][0]
    about = root_motion.place_clip(pair[1], 0.0, -middle)
    away = root_motion.place_clip(about, 1.2, middle + 1.5 * ahead)
    near = placement.bring_near((pair[0], away), played, sources, "both")
    turned = root_motion.ground_frames(near)[1] - root_motion.ground_frames(away)[1]
    assert (np.abs(turned + 1.2) < 0.3).all()  # it is turned back
    _, kept = couple.keep_contacts((pair[0], near), played, sources, "both")
    assert max(one.after.max() for one in kept.holds) < NEAR


def test_frames_without_a_stretch_go_on(couples):
    """A stretch that begins late plays its source backwards from there, so that the partner is never lost."""
    pair = couples["walk"]
    shown = [Shown(0, 5, np.arange(20.0, 40.0), np.ones(20)), Shown(0, 40, np.arange(0.0, 10.0), np.ones(10))]
    layers = partner._lay_out(shown, [pair[0]], 60)
    assert len(layers) == 1
    assert_array_equal(layers[0].frames[:5], np.arange(15.0, 20.0))
    assert_array_equal(layers[0].frames[25:40], np.arange(40.0, 55.0))
    assert partner._find_breaks(layers[0]) == [40]


@pytest.mark.shared
@pytest.mark.parametrize(("size", "arm"), [(1.0, 1.0), (0.9, 1.1)])
def test_two_figures_on_other_bodies_stay_hand_in_hand(couples, size, arm):
    walk, beside = couples["walk"]
    bodies = [hands.standing(hands.other_body()), hands.standing(hands.other_body(arm, size))]
    made = ONE(Retarget(), [bodies[0], walk], [bodies[1], beside])
    assert made.partner.clip.skeleton is bodies[1].skeleton
    assert made.report["partner"]["kept"] == 1
    plain = [verbs.apply(Retarget(), [body, clip]).clip for body, clip in zip(bodies, (walk, beside), strict=True)]
    off = [np.linalg.norm(palms(one, "L") - palms(other, "R"), axis=1) for one, other in
           (plain, (made.clip, made.partner.clip))]  # fmt: skip
    assert np.quantile(off[0], 0.95) > 0.03
    assert np.quantile(off[1], 0.95) < NEAR
