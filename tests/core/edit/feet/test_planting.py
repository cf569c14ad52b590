"""Planted feet: invariances on generated and captured clips, and comparisons with independent oracles."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.bodies import carry
from action_loom.core.demo_character import actions
from action_loom.core.edit.feet import figures, legs, spans
from action_loom.core.edit.feet.planting import planted
from action_loom.core.edit.feet.spans import Span
from action_loom.core.errors import ClipError, OptionError, SkeletonError
from action_loom.core.motion import cycles, ik, kinematics, mirror, quat, resample, root_motion
from action_loom.core.motion.inheritance import Inheritance
from action_loom.core.quality import contacts
from action_loom.core.verbs import Plant
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material
from oracles.feet import middle_slide, moved_by
from oracles.material import captured

pytestmark = pytest.mark.both_engines


def sliding(rate=60.0, cycles_=4, speed=0.15):
    """The generated walk, whose feet stand, with a constant sideways drift in metres per second."""
    walk = actions.walk(rate, cycles_)
    time = np.arange(len(walk)) / rate
    return root_motion.place_clip(walk, np.zeros(len(walk)), np.stack([speed * time, 0.0 * time], axis=1))


def test_feet_that_slide_stand():
    clip = sliding()
    made, done = planted(clip)
    rows = done.spans
    assert len(rows) >= 8
    assert not done.refused
    assert middle_slide(clip, rows) > 14.0
    assert middle_slide(made, rows) < 0.1
    assert done.figures["middle_slide_cm_s"] == pytest.approx(
        [middle_slide(one, rows) for one in (clip, made)], abs=0.1
    )
    assert done.figures["knee"] < 1.3
    assert done.figures["away_cm"] < 0.5


def test_feet_keep_their_heights_and_turns_and_all_above_the_hips_moves_as_one():
    clip = sliding()
    made, _ = planted(clip)
    (turned, places), (now_turned, now) = kinematics.world(clip), kinematics.world(made)
    roles = clip.skeleton.roles
    for side in "LR":
        assert_allclose(now_turned[:, roles[f"foot.{side}"]], turned[:, roles[f"foot.{side}"]], atol=1e-9)
        assert_allclose(now[:, roles[f"foot.{side}"], 2], places[:, roles[f"foot.{side}"], 2], atol=2e-3)
    above = [roles[role] for role in ("hips", "chest", "head", "hand.L")]
    moves = now[:, above] - places[:, above]
    assert_allclose(moves, moves[:, :1] * np.ones((1, 4, 1)), atol=1e-9)


def test_feet_that_stand_are_left_bitwise_as_they_are():
    walk = actions.walk(60.0, 3)
    made, done = planted(walk)
    assert made is walk
    assert done.spans == ()
    still = walk.take_frames(np.zeros(40, dtype=int))
    assert planted(still)[0] is still
    short = walk.cut(0, 2)
    assert planted(short)[0] is short


def test_a_short_contact_that_slides_is_planted_though_one_frame_alone_is_held_firmly():
    clip = sliding(30.0, 2, 1.4)
    rolls = [Span("L", spans.HEEL, 8, 12), Span("L", spans.BALL, 12, 15)]  # of the ball, the first frame alone is firm
    made, done = planted(clip, rolls, wanted=False)
    assert list(done.spans) == rolls
    assert middle_slide(clip, rolls[1:]) > 100.0
    assert middle_slide(made, rolls[1:]) < 0.6 * middle_slide(clip, rolls[1:])


@pytest.mark.one_engine
def test_feet_that_stand_stay_where_others_are_planted():
    clip = actions.walk(60.0, 6)
    slips = [span for span in spans.find(clip) if span.foot == "L" and span.part == spans.BALL][3]
    share = np.clip((np.arange(len(clip)) - slips.first) / (slips.end - slips.first), 0.0, 1.0)
    slid = root_motion.place_clip(clip, np.zeros(len(clip)), np.stack([0.08 * share, 0.0 * share], axis=1))
    made, done = planted(slid)
    assert 1 <= len(done.spans) <= 6
    before, after = contacts.feet(slid), contacts.feet(made)
    stood = [span for span in spans.find(slid) if span not in done.spans and span.part == spans.BALL]
    assert len(stood) >= 4
    for span in (one.middle for one in stood):
        at = slice(span.first, span.end)
        assert np.abs(before[span.foot][at] - after[span.foot][at]).max() < 2e-4


def test_it_turns_and_moves_with_its_clip():
    clip = sliding()
    made, done = planted(clip)
    elsewhere, other = planted(root_motion.place_clip(clip, 1.1, np.array([3.0, -7.0])))
    assert other.spans == done.spans
    assert moved_by(elsewhere, root_motion.place_clip(made, 1.1, np.array([3.0, -7.0]))) < 1e-9


def test_of_a_mirrored_clip_it_is_the_mirrored_one():
    clip = replace(sliding(), cyclic=False)
    made, done = planted(clip)
    other, mirrored = planted(mirror.mirror_clip(clip))
    assert {(s.foot, s.first, s.end) for s in mirrored.spans} == {
        ("R" if s.foot == "L" else "L", s.first, s.end) for s in done.spans
    }
    assert moved_by(other, mirror.mirror_clip(made)) < 1e-6


def test_at_twice_the_rate_it_is_the_same_motion():
    clip = sliding(60.0)
    rows = spans.find(clip)
    made, _ = planted(clip, rows)
    fine = resample.to_rate(clip, 120.0)
    twice = [replace(s, first=2 * s.first, end=min(2 * s.end, len(fine))) for s in rows]
    finely, _ = planted(fine, twice)
    assert moved_by(finely.decimate(2), made) < 0.012
    assert middle_slide(finely, twice) < 0.2


def a_cycle(turn=0.0):
    """A cycle whose feet slide; it closes."""
    walk = actions.walk(60.0, 1)
    time = np.arange(len(walk)) / 60.0
    slide = np.stack([0.15 * time, 0.0 * time], axis=1)
    return replace(root_motion.place_clip(walk, turn * time, slide), cyclic=True)


@pytest.mark.parametrize("turn", [0.0, 0.2])
def test_loops_stay_loops(turn):
    clip = a_cycle(turn)
    made, done = planted(clip)
    assert made.cyclic
    assert done.spans
    assert cycles.gap(clip) < 1e-9
    assert cycles.gap(made) < 1e-6
    # Velocities match too: the seam is not sharper than the rest.
    laps = cycles.unroll_cycle(made, 1, 1)
    seam = len(made) - 1
    sharpest = np.linalg.norm(np.diff(kinematics.points(laps), n=2, axis=0), axis=2).max(axis=1)
    assert sharpest[seam - 2 : seam + 2].max() <= sharpest.max() * (1.0 + 1e-6)
    assert middle_slide(made, done.spans) < 1.0


def test_spans_by_hand_are_planted_and_no_others():
    clip = sliding()
    left = [span for span in spans.find(clip) if span.foot == "L"][2:4]
    made, done = planted(clip, left)
    assert list(done.spans) == left
    assert middle_slide(made, left) < 0.3
    away = np.abs(kinematics.points(made) - kinematics.points(clip)).max(axis=(1, 2))
    far = slice(min(left[-1].end + 150, len(clip) - 1), len(clip))
    assert away[far].max() < 0.02


@pytest.mark.one_engine
def test_rows_say_the_same_as_spans():
    rows = spans.find(sliding())
    assert spans.of_rows([span.row for span in rows], 10**6) == rows
    assert {span.part for span in rows} == {"ball", "heel"}
    for wrong in ([[0, 0, 5]], [[8, 0, 1, 9]], [[0, 2, 1, 9]], [[0, 0, 9, 9]], [[0, 0, 1, 99]], [[0, 0, 1.5, 9]]):
        with pytest.raises(OptionError, match="spans takes rows of foot"):
            spans.of_rows(wrong, 50)
    with pytest.raises(OptionError, match="left foot overlap at frame 8"):
        spans.of_rows([[0, 0, 1, 9], [0, 1, 8, 12]], 50)


@pytest.mark.one_engine
def test_what_goes_far_or_needs_more_than_the_leg_is_refused():
    clip = sliding()
    rows = [Span("L", "ball", 0, len(clip)), *(span for span in spans.find(clip) if span.foot == "R")]
    made, done = planted(clip, rows)
    ((span, why),) = done.refused
    assert span == rows[0]
    assert "cm while it stands" in why
    assert middle_slide(made, rows[1:]) < 0.3


@pytest.mark.one_engine
def test_a_leg_that_is_too_short_is_told():
    clip = actions.walk(60.0, 3)
    rows = spans.find(clip)
    late = next(span for span in rows if span.foot == "L" and span.first > 40)
    # The heel still swings towards its landing, too early to stand.
    why = planted(clip, [Span("L", "heel", late.first - 9, late.end)])[1].refused
    assert why


@pytest.mark.one_engine
def test_bodies_that_cannot_be_planted_are_refused():
    clip = sliding()
    body = clip.skeleton
    giant = replace(body, offsets=body.offsets * 26.0, tips=body.tips * 26.0)
    with pytest.raises(ClipError, match="its unit is not known"):
        planted(replace(clip, skeleton=giant, translations=clip.translations * 26.0))
    with pytest.raises(SkeletonError, match="its feet are not known"):
        planted(replace(clip, skeleton=replace(body, roles={"hips": 0})))
    with pytest.raises(ClipError, match="takes 1 clip;"):
        verbs.apply(Plant(), [clip, clip])


def on_rules(clip, rotation, scale, scales=None):
    """A clip as it is, on a body whose joints inherit otherwise."""
    body = clip.skeleton
    every = np.ones(len(body), dtype=bool)
    rules = Inheritance(np.asarray(rotation), tuple(scale), every, quat.IDENTITY)
    ruled = replace(body, inheritance=rules)
    linear, places = kinematics.matrices(clip)
    rotations, translations, _ = kinematics.local(ruled, linear, places)
    return replace(clip, skeleton=ruled, rotations=rotations, translations=translations, scales=scales)


def test_joints_that_do_not_inherit_all_are_led_likewise():
    clip = sliding()
    clip = clip.cut(0, len(clip) - 20)
    body = clip.skeleton
    made, done = planted(clip)
    full, every = ("FULL",) * len(body), np.ones(len(body), dtype=bool)
    loose = every.copy()
    loose[[body.roles[role] for role in ("head", "thigh.L", "foot.R", "upper_arm.R")]] = False
    ones = np.ones((len(clip), len(body), 3))
    for other in (
        on_rules(clip, every, full),
        on_rules(clip, loose, full),
        on_rules(clip, loose, ("NONE",) * len(body)),
        on_rules(clip, loose, ("NONE", "FULL", "ALIGNED", "AVERAGE", "FIX_SHEAR") * 4 + full[20:], ones),
        replace(clip, scales=ones),
    ):
        assert np.abs(kinematics.points(other) - kinematics.points(clip)).max() < 1e-9
        led, reported = planted(other)
        assert reported.spans == done.spans
        assert moved_by(led, made) < 1e-8
        arm = body.roles["hand.L"]
        assert_array_equal(led.rotations[:, arm], other.rotations[:, arm])
    turning = a_cycle(0.2)
    led, reported = planted(on_rules(turning, loose, full))
    made, done = planted(turning)
    assert reported.spans == done.spans
    assert moved_by(led, made) < 1e-6


def test_bodies_that_are_scaled_are_led_too():
    clip = sliding()
    scales = np.ones((len(clip), len(clip.skeleton), 3))
    scales[:, 0] = 1.2
    big = replace(clip, scales=scales)
    made, done = planted(big, spans.find(clip))
    assert middle_slide(big, done.spans) > 10.0
    assert middle_slide(made, done.spans) < 0.3
    assert_array_equal(made.scales, scales)


def test_the_verb_tells_what_it_did_and_does_it_again_by_its_rows():
    clip = sliding()
    made = verbs.apply(Plant(), [clip])
    reported = made.report["plant"]
    assert made.clip.name == "walk planted"
    assert reported["slide_cm_s"][1] < 0.3 * reported["slide_cm_s"][0]
    assert made.report["quality"]["after"]["slide_cm_s"] < made.report["quality"]["before"][0]["slide_cm_s"]
    again = verbs.apply(verbs.from_json(Plant(spans=reported["spans"]).to_json()), [clip])
    assert_array_equal(again.clip.rotations, made.clip.rotations)
    nothing = verbs.apply(Plant(), [actions.walk(60.0, 3)])
    assert nothing.report["warnings"] == ["walk: its feet slide too little to plant: nothing was changed"]
    assert nothing.report["plant"]["spans"] == []


@pytest.mark.one_engine
def test_knees_that_are_bent_backwards_stay_so():
    clip = sliding()
    shin = clip.skeleton.roles["shin.L"]
    turned = clip.rotations.copy()
    turned[:, shin] = quat.inv(turned[:, shin])
    backwards = replace(clip, rotations=turned)
    made, _ = planted(backwards, spans.find(clip))
    angle = [quat.log(one.rotations[:, shin]) for one in (backwards, made)]
    assert ((angle[0] * angle[1]).sum(axis=1)[np.linalg.norm(angle[0], axis=1) > 0.3] > 0.0).all()


def straightened(clip, degrees):
    """A clip with each knee's bend reduced by some degrees in all frames; thighs and feet turn as before."""
    limbs, rotations = ik.known_legs(clip.skeleton), clip.rotations.copy()
    turned, posed = legs.posed(clip, limbs)
    for limb in limbs:
        bend = quat.mul(quat.exp(np.radians(-degrees) * posed[limb.foot].axis), turned[:, limb.lower])
        rotations[:, limb.lower] = ik.local_rotation(clip, limb.lower, turned, bend, None)
    return replace(clip, rotations=rotations)


def knees(clip):
    return [leg.flexion for leg in legs.posed(clip, ik.known_legs(clip.skeleton))[1].values()]


@pytest.mark.shared
@pytest.mark.parametrize("degrees", [4, 12, 20])
@pytest.mark.parametrize("name", ["mb_02_01", "mb_05_01", "mb_35_03", "mb_07_12"])
def test_knees_that_come_near_straight_or_beyond_neither_jump_nor_bend_further_back(name, degrees):
    clip = straightened(resample.to_rate(captured(f"cmu_{name}"), 60.0), degrees)
    made, done = planted(clip)
    before, after = knees(clip), knees(made)
    sharpest = [max(np.abs(np.diff(knee, n=2)).max() for knee in one) for one in (before, after)]
    # Near straight a millimetre of length is 5° of flexion.
    assert sharpest[1] < 1.8 * sharpest[0]
    assert np.degrees(min(map(np.min, after))) > min(np.degrees(min(map(np.min, before))), 0.0) - 0.5
    slides = done.figures["middle_slide_cm_s"]
    assert slides[1] < 0.05 * slides[0]
    assert done.figures["away_cm"] < 1.0


@pytest.mark.shared
@pytest.mark.parametrize("name", ["mb_05_03", "mb_10_04", "asf_17_03"])  # the first is kept aside
def test_toes_that_tremble_in_a_noisy_capture_do_not_shake_the_knees(name):
    clip = captured(f"cmu_{name}")
    clip = clip.cut(0, min(len(clip), round(12.0 * clip.rate)))
    made, done = planted(clip)
    joints = [limb.lower for limb in ik.known_legs(clip.skeleton)]
    before, after = (np.diff(kinematics.pose_clip(one)[1][:, joints], n=2, axis=0) for one in (clip, made))
    hardest = [np.percentile(np.linalg.norm(steps, axis=2), 99.5, axis=0) for steps in (before, after)]
    assert (hardest[1] <= 1.3 * hardest[0]).all()
    slides = done.figures["middle_slide_cm_s"]
    assert slides[1] < 2.0 < slides[0] / 3.0


@pytest.mark.shared
def test_on_stairs_feet_stand_on_their_steps():
    clip = captured("cmu_daz_13_35")
    _, done = planted(clip)
    heights = [contacts.feet(clip)[s.foot][s.middle.first, 2] for s in done.spans if s.part == spans.BALL]
    assert np.ptp(heights) > 0.4
    assert done.figures["slide_cm_s"][1] < done.figures["slide_cm_s"][0] / 4.0


def test_legs_that_end_with_their_shins_stand_on_these():
    clip = material.without_feet(sliding())
    rows = [Span("L", spans.BALL, 20, 30), Span("R", spans.BALL, 50, 60), Span("L", spans.BALL, 84, 96)]
    made, done = planted(clip, rows)
    assert not done.refused
    assert middle_slide(made, rows) < 0.2 < 5.0 < middle_slide(clip, rows)
    lengths = [np.linalg.norm(kinematics.points(one)[:, feet_] - places, axis=1) for one, feet_, places in shins(made)]
    before = [np.linalg.norm(kinematics.points(one)[:, feet_] - places, axis=1) for one, feet_, places in shins(clip)]
    assert_allclose(lengths, before, atol=1e-9)


def shins(clip):
    """Yield for each side the clip, the index of the point at its shin's end, and the places of the shin."""
    body, places = clip.skeleton, kinematics.world(clip)[1]
    for side in "LR":
        shin = body.roles[f"shin.{side}"]
        yield clip, len(body) + int(np.searchsorted(body.tipped, shin)), places[:, shin]


@pytest.mark.shared
@pytest.mark.both_engines
def test_feet_that_hang_on_a_root_are_planted_and_legs_go_there():
    """A character whose feet are moved by themselves: its ankles stay where its shins end."""
    walk = material.captured("cmu_mb_02_01")
    clip = carry.onto_body(walk, material.character("RobotExpressive"))[0]
    body = clip.skeleton
    assert not ik.legs(body)
    made, done = planted(clip, spans.find(walk))
    assert not done.refused
    assert 20.0 * middle_slide(made, done.spans) < middle_slide(clip, done.spans)
    for side in "LR":
        ends = [body.roles[f"shin.{side}"], body.roles[f"foot.{side}"]]
        places = [kinematics.world(one)[1][:, ends] for one in (clip, made)]
        apart = [np.linalg.norm(np.diff(one, axis=1), axis=2) for one in places]
        assert_allclose(apart[1], apart[0], atol=1e-9)
    moved = np.abs(kinematics.world(made)[0] - kinematics.world(clip)[0]).max(axis=(0, 2))
    legs = [body.roles[f"{part}.{side}"] for part in ("thigh", "shin") for side in "LR"]
    assert np.delete(moved, legs).max() < 1e-6


@pytest.mark.shared
@pytest.mark.parametrize("name", ["daz_13_18", "mb_06_10", "daz_14_27", "daz_martial_04"])  # the last two are held out
def test_contacts_that_travel_are_parted_where_the_foot_moves(name):
    clip = material.captured(f"cmu_{name}").cut(20, 1800)
    done = planted(clip)[1]
    stood, left = (sum(span.end - span.first for span in some) for some in (done.spans, [s for s, _ in done.refused]))
    assert left <= 0.02 * stood
    before, after = done.figures["middle_slide_cm_s"]
    assert after <= min(2.0, 0.1 * before)


@pytest.mark.shared
@pytest.mark.parametrize(("name", "limit"), [("cmu_mb_02_01", 0.4), ("cmu_mb_16_15", 0.4), ("cmu_mb_35_17", 1.0)])
def test_each_stance_stands_short_ones_at_the_ends_and_of_runs_too(name, limit):
    made, done = planted(captured(name))
    each = [middle_slide(made, [span]) for span in done.spans if span.part == spans.BALL]
    assert max(each) < limit  # were 1.7 and 2.1 cm/s, in the first stance; now 0.2 at most


def test_a_short_stance_is_measured_without_the_frames_beside_it():
    """The report on a run with a stance of three frames was "14.7 → 14.7 cm/s"."""
    rate, foot = 24.0, "L"
    swing, stand = np.linspace(0.0, 1.0, 5), np.array([1.0, 1.01, 1.02])
    before = np.concatenate([swing[:-1], stand, 1.02 + swing[1:]]) + 0.0j
    after = before.copy()
    after[4:7] = 1.01
    span = Span(foot, spans.BALL, 4, 7)
    slides = [figures._slide({foot: path}, rate, [span]) for path in (before, after)]
    assert slides == [pytest.approx(24.0), 0.0]
