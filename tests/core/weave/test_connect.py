"""Connections: unchanged frames, natural seams, and errors."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, OptionError, RegistrationError
from action_loom.core.motion import kinematics, quat, resample, retarget, root_motion
from action_loom.core.motion.clip import Channel
from action_loom.core.quality import seams, world_pose
from action_loom.core.sync import alignment
from action_loom.core.verbs import Connect, Loop
from action_loom.core.verbs.connect import work as connect
from numpy.testing import assert_allclose
from oracles import stances
from oracles.material import captured

pytestmark = pytest.mark.both_engines

# Twelve pairs of captured clips: walks, runs, turns, a dance, a jump, punches and lifts.
PAIRS = [
    ("mb_02_01", "mb_35_17"),
    ("mb_16_15", "mb_08_04"),
    ("mb_35_03", "mb_35_17"),
    ("mb_35_01", "mb_12_01"),
    ("asf_16_17", "asf_16_19"),
    ("asf_16_15", "asf_16_08"),
    ("asf_16_11", "asf_16_03"),
    ("mb_07_04", "mb_07_12"),
    ("mb_02_05", "mb_02_06"),
    ("mb_10_04", "mb_26_01"),
    ("mb_07_01", "mb_02_03"),
    ("mb_05_01", "mb_05_11"),
]
METHODS = ["ease", "inertial", "lagrange", "spline", "registered"]


@pytest.fixture(scope="module")
def connected():
    """Every pair by every method, made once: the report on its seam."""
    clips = [[captured(f"cmu_{name}") for name in pair] for pair in PAIRS]
    return [verbs.apply(Connect(method="auto"), pair).report["connect"] for pair in clips]


@pytest.mark.shared
def test_feet_that_stand_stay_through_the_seam(monkeypatch):
    """Worst move of a stance near the seam, with feet that count and with the body alone."""
    near = [
        ("mb_07_01", "mb_10_04"),
        ("mb_26_01", "mb_02_01"),
        ("mb_16_15", "mb_08_04"),
        ("mb_16_15", "mb_35_01"),
        ("mb_05_01", "mb_06_01"),
    ]
    found = []
    for weight in (alignment.STANDING, 0.0):
        monkeypatch.setattr(alignment, "STANDING", weight)
        clips = [[captured(f"cmu_{name}") for name in pair] for pair in near]
        places = [stances.near_seam(verbs.apply(Connect(plant_feet=False), pair), *pair)[2] for pair in clips]
        assert all(places)
        found.append([max(move for move, _ in one) for one in places])
    assert max(found[0]) < 4.0
    assert np.mean(found[0]) < 0.8 * np.mean(found[1])
    planted = [stances.near_seam(verbs.apply(Connect(), pair), *pair)[2] for pair in clips]
    assert max(move for one in planted for move, _ in one) < 0.1


@pytest.mark.shared
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("pair", PAIRS[:2])
def test_outside_the_mended_frames_clips_are_only_moved_on_the_ground(pair, method):
    a, b = (captured(f"cmu_{name}") for name in pair)
    b_on_a = verbs.apply(Connect(method=method, plant_feet=False), [a, b])
    reported, clip = b_on_a.report["connect"], b_on_a.clip
    first, last = reported["corrected"]
    assert_allclose(clip.rotations[:first], a.rotations[:first], atol=1e-12)
    assert_allclose(clip.translations[:first], a.translations[:first], atol=1e-12)
    theirs = retarget.onto(b, a.skeleton)
    overlapped = (last - first + 1) // 2
    rest = (
        len(b) - reported["to_frame"] - overlapped - 1 if reported["method"] == "registered" else len(clip) - last - 1
    )
    assert rest > 5
    mine = clip.rotations[-rest:, 1:]
    assert_allclose(quat.same_side(mine, theirs.rotations[-rest:, 1:]), theirs.rotations[-rest:, 1:], atol=1e-12)
    here, there = (kinematics.points(one)[-rest:] for one in (clip, theirs))
    assert_allclose(here[..., 2], there[..., 2], atol=1e-9)
    # Turned and moved as a whole: every distance on the ground is as it was.
    far, near = (np.linalg.norm(one[:, :, None, :2] - one[:1, :1, None, :2], axis=3) for one in (there, here))
    assert_allclose(near, far, atol=1e-9)


@pytest.mark.shared
def test_the_best_transition_is_smoother_than_joining_the_ends(connected):
    ours, ends = [], []
    for pair, reported in zip(PAIRS, connected, strict=True):
        a, b = (captured(f"cmu_{name}") for name in pair)
        reach = round(0.17 * a.rate) + 1
        forced = verbs.apply(Connect(method="ease", from_frame=len(a) - reach, to_frame=reach), [a, b])
        ours.append(next(one for one in reported["methods"] if one["name"] == "ease"))
        ends.append(forced.report["connect"]["methods"][0])
    sharp, sharper = (np.median([one["acceleration"] for one in made]) for made in (ours, ends))
    assert sharp <= 0.7 * sharper
    # Feet that stand stay at either; in some pairs none stands near one of the seams.
    slides = [
        [one["slide_cm_s"] for one in pair]
        for pair in zip(ours, ends, strict=True)
        if None not in (pair[0]["slide_cm_s"], pair[1]["slide_cm_s"])
    ]
    assert len(slides) >= 8
    mine, theirs = np.median(slides, axis=0)
    assert mine < theirs


@pytest.mark.shared
def test_auto_takes_what_measures_best(connected):
    for reported in connected:
        costs = [one["K"] for one in reported["methods"]]
        assert min(costs) == next(one["K"] for one in reported["methods"] if one["name"] == reported["method"])


@pytest.mark.shared
def test_candidates_are_ranked_and_can_be_chosen():
    a, b = captured("cmu_mb_16_15"), captured("cmu_mb_08_04")
    reported = verbs.apply(Connect(), [a, b]).report["connect"]
    distances = [one["distance"] for one in reported["candidates"]]
    assert distances[1:] == sorted(distances[1:])  # the first is the best seam's
    assert len(distances) > 3
    other = verbs.apply(Connect(candidate=2), [a, b]).report["connect"]
    assert (other["from_frame"], other["to_frame"]) == tuple(
        reported["candidates"][2][key] for key in ("from_frame", "to_frame")
    )
    assert reported["from_frame"] >= 0.6 * len(a)
    assert reported["to_frame"] <= 0.4 * len(b)
    alike = verbs.apply(Connect(), [captured("cmu_mb_35_01"), captured("cmu_mb_35_03")])
    assert alike.report["warnings"] == []


@pytest.mark.one_engine
def test_of_frames_nearly_as_near_those_with_the_best_seam_are_taken_and_the_latest_are_named():
    clips = [actions.sneak(30.0), actions.walk(30.0)]
    best = verbs.apply(Connect(trim=False, plant_feet=False), clips).report["connect"]
    nearest = min(best["candidates"], key=lambda one: one["distance"])
    assert (nearest["from_frame"], nearest["to_frame"]) != (best["from_frame"], best["to_frame"])
    assert best["distance"] <= 1.3 * nearest["distance"]
    frames = {key: nearest[key] for key in ("from_frame", "to_frame")}
    other = verbs.apply(Connect(trim=False, plant_feet=False, **frames), clips).report["connect"]
    assert best["methods"][0]["K"] < other["methods"][0]["K"] - 0.1
    latest = max(best["candidates"], key=lambda one: one["from_frame"] - one["to_frame"])
    gained = latest["from_frame"] - latest["to_frame"] - best["from_frame"] + best["to_frame"]
    assert best.get("latest") == ({**latest, "seconds": round(gained / 30.0, 2)} if gained >= 6 else None)
    said = Connect().figures({"connect": best | {"latest": {**latest, "seconds": 0.5}}})[1]
    frames = f"{latest['from_frame']} to {latest['to_frame']}"
    assert said == f"  a seam from {frames}, {100.0 * latest['distance']:.1f} cm apart, leaves out 0.5 s less"


@pytest.mark.parametrize(
    ("method", "off"), [("ease", 1e-6), ("registered", 2e-3), ("inertial", 5e-3), ("lagrange", 0.05), ("spline", 0.05)]
)
def test_a_clip_cut_in_two_is_whole_again(method, off):
    walk = actions.walk(60.0, 4)
    first = walk.cut(0, 180)
    second = root_motion.place_clip(walk.cut(120, len(walk)), 1.3, np.array([5.0, -2.0]))
    woven = verbs.apply(Connect(method=method, from_frame=150, to_frame=30), [first, second])
    assert len(woven.clip) == len(walk)
    assert_allclose(kinematics.points(woven.clip), kinematics.points(walk), atol=off)
    assert seams.measure_pose(world_pose.pose(woven.clip), 151)["acceleration"] < 1.5


def test_of_seams_that_are_as_near_the_one_that_leaves_out_least_is_taken():
    walk = actions.walk(cycles=4)  # frames at a distance of one cycle are equal
    best = verbs.apply(Connect(anywhere=True), [walk, walk]).report["connect"]["candidates"]
    alike = [each for each in best if each["distance"] == 0.0]
    assert len(alike) > 3
    left_out = [each["to_frame"] - each["from_frame"] for each in alike]
    assert left_out == sorted(left_out)


@pytest.mark.one_engine
@pytest.mark.parametrize("method", ["ease", "registered", "inertial"])
def test_each_seam_of_three_clips_may_be_asked_for_in_the_frames_of_its_clips(method):
    clips = [actions.walk(60.0, 4), resample.to_rate(actions.sneak(60.0), 120.0), actions.run(60.0, 4)]
    found = verbs.apply(Connect(method=method), clips).report["connect"]["joints"]
    rows = tuple((one["from_frame"], one["to_frame"]) for one in found)
    assert rows[1][0] > len(clips[1]) / 2.0  # a frame of the second clip, which has 120 a second
    again = verbs.apply(Connect(method=method, seams=rows), clips).report["connect"]["joints"]
    assert [one["seam_frame"] for one in again] == [one["seam_frame"] for one in found]
    moved = (rows[0], (rows[1][0] - 20.0, -1.0))
    later = verbs.apply(Connect(method=method, seams=moved), clips).report["connect"]["joints"]
    assert later[0]["seam_frame"] == found[0]["seam_frame"]
    assert later[1]["from_frame"] == rows[1][0] - 20
    assert later[1]["seam_frame"] == found[1]["seam_frame"] - 10


@pytest.mark.one_engine
@pytest.mark.parametrize("rows", [((1.0, 2.0),), ((1.0, 2.0), (1.0,)), ((1.0, 2.0),) * 3])
def test_seams_are_rows_of_two_frames_one_for_each(rows):
    with pytest.raises(OptionError, match="seams "):
        verbs.apply(Connect(seams=rows), [actions.walk()] * 3)


def test_the_correlation_rule_keeps_to_its_range():
    clips = [actions.walk(60.0, 4), actions.sneak(60.0)]
    reported = verbs.apply(Connect(method="spline", by_correlation=True), clips).report["connect"]
    first, last = reported["corrected"]
    assert 3 <= (last - first) / 2 <= 0.15 * 60.0
    seam = {"from_frame": reported["from_frame"], "to_frame": reported["to_frame"]}
    longer = verbs.apply(Connect(method="spline", by_correlation=True, length=0.5, **seam), clips).report["connect"]
    assert 0.15 * 60.0 < np.ptp(longer["corrected"]) / 2 <= 0.5 * 60.0  # `length` is the most then


def test_channels_go_on_and_steps_change_at_the_seam():
    from dataclasses import replace

    a, b = actions.walk(cycles=4), actions.walk(cycles=4)
    a = replace(a, channels={"smile": Channel(np.full(len(a), 0.2)), "prop": Channel(np.zeros(len(a)), discrete=True)})
    b = replace(b, channels={"smile": Channel(np.full(len(b), 0.8)), "prop": Channel(np.ones(len(b)), discrete=True)})
    woven = verbs.apply(Connect(), [a, b])
    smile, prop = woven.clip.channels["smile"].values, woven.clip.channels["prop"].values
    assert (smile[0], smile[-1]) == (0.2, 0.8)
    assert np.diff(smile).min() >= -1e-9
    assert np.flatnonzero(np.diff(prop)).tolist() == [woven.seams[0] - 1]


def test_what_cannot_be_joined_is_refused():
    walk = actions.walk()
    with pytest.raises(ClipError, match="2 or more clips; 1 given"):
        verbs.apply(Connect(), [walk])
    with pytest.raises(RegistrationError, match="walk has no frame 500 for a seam; it can be one from 1 to 96"):
        verbs.apply(Connect(from_frame=500, to_frame=3), [walk, walk])
    with pytest.raises(OptionError, match="Frames to leave and enter are those of two clips; 3 given"):
        verbs.apply(Connect(from_frame=50), [walk, walk, walk])


def test_one_frame_may_be_set_and_the_other_found():
    clips = [actions.walk(cycles=4), actions.sneak()]
    reported = verbs.apply(Connect(from_frame=100), clips).report["connect"]
    assert reported["from_frame"] == 100
    best = min(reported["candidates"], key=lambda one: one["distance"])
    assert reported["to_frame"] == best["to_frame"]
    assert {one["from_frame"] for one in reported["candidates"]} == {100}
    assert verbs.apply(Connect(to_frame=20), clips).report["connect"]["to_frame"] == 20


@pytest.mark.parametrize("rate", [24.0, 60.0])
def test_frames_are_counted_in_the_clips_as_they_were_given(rate):
    clips = [actions.walk(cycles=4), actions.sneak(rate=rate)]
    reported = verbs.apply(Connect(), clips).report["connect"]
    offered = connect.find(clips, Connect())
    assert [(t.from_frame, t.to_frame) for t in offered] == [
        (one["from_frame"], one["to_frame"]) for one in reported["candidates"]
    ]
    assert all(0 <= t.to_frame <= 0.4 * len(clips[1]) + 2 for t in offered)
    best = offered[0]
    by_hand = verbs.apply(Connect(from_frame=best.from_frame, to_frame=best.to_frame), clips).report["connect"]
    assert (by_hand["from_frame"], by_hand["to_frame"]) == (best.from_frame, best.to_frame)
    with pytest.raises(ClipError, match="Find Transitions takes 2 clips; 3 given"):
        connect.find([*clips, clips[0]], Connect())


@pytest.mark.parametrize("count", [2, 3, 12])
def test_short_clips_connect_by_what_their_frames_allow(count):
    walk, short = actions.walk(30.0, 4), actions.walk(30.0, 2).cut(0, count)
    pairs = [(short, walk)] if count == 2 else [(short, walk), (walk, short)]
    for clips in pairs:
        for method in (*METHODS, "auto"):
            woven = verbs.apply(Connect(method=method, by_correlation=True, anywhere=True), clips)
            assert np.isfinite(woven.clip.rotations).all()
            first, last = woven.report["connect"]["corrected"]
            assert 0 <= first <= last < len(woven.clip)


def test_seams_at_the_very_ends_of_clips_can_be_asked_for():
    walk, run = actions.walk(30.0, 4), actions.run(30.0)
    for leave, enter in ((1, 0), (len(walk) - 1, len(run) - 3), (1, len(run) - 3), (2, 1)):
        reported = verbs.apply(Connect(method="auto", from_frame=leave, to_frame=enter), [walk, run]).report["connect"]
        assert (reported["from_frame"], reported["to_frame"]) == (leave, enter)


@pytest.mark.parametrize(
    ("first", "second", "frames", "message"),
    [
        (1, 40, {}, "walk has 1 frame, but a clip that is left takes 2 or more"),
        (40, 2, {}, "run has 2 frames, but a clip that is entered takes 3 or more"),
        (40, 40, {"from_frame": 0}, "walk has no frame 0 for a seam; it can be one from 1 to 39"),
        (40, 40, {"to_frame": 38}, "run has no frame 38 for a seam; it can be one from 0 to 37"),
    ],
)
def test_seams_without_two_frames_each_side_are_refused(first, second, frames, message):
    clips = [actions.walk(30.0, 4).cut(0, first), actions.run(30.0, 4).cut(0, second)]
    with pytest.raises(RegistrationError, match=message):
        verbs.apply(Connect(**frames), clips)


@pytest.mark.one_engine
def test_of_several_clips_the_one_that_is_too_short_is_named():
    clips = [actions.walk(30.0, 4), actions.run(30.0).cut(0, 5), actions.sneak(30.0)]
    with pytest.raises(RegistrationError, match="^run is too short to be entered and left again"):
        verbs.apply(Connect(), clips)


@pytest.mark.one_engine
def test_a_cycle_too_short_to_be_entered_and_left_again_is_played_twice():
    walk, run = actions.walk(30.0, 4), actions.run(30.0, 1)
    with pytest.raises(RegistrationError, match="^run is too short to be entered and left again"):
        verbs.apply(Connect(), [walk, run.cut(0, len(run) - 6), actions.sneak(30.0)])
    made = verbs.apply(Connect(), [walk, run, actions.sneak(30.0)])
    first, second = made.seams
    assert second - first > len(run)
    slides = [one["slide_cm_s"] for one in made.report["quality"]["before"]]
    assert made.report["quality"]["after"]["slide_cm_s"] < max(slides) + 2.0


def askew(clip, degrees):
    """A stance: the hips and legs turned about the vertical, everything above turned back; on the spot."""
    skeleton = clip.skeleton
    still = clip.take_frames(np.zeros(60, dtype=np.int64))
    breathing = 0.01 * np.sin(np.linspace(0.0, 4.0 * np.pi, 60))
    rotations, translations = still.rotations.copy(), still.translations.copy()
    turn = quat.about_axis("Z", np.array(np.radians(degrees)))
    for role, way in (("hips", turn), ("spine", quat.inv(turn))):
        joint = skeleton.roles[role]
        world = kinematics.world(clip)[0][0, int(skeleton.parents[joint])] if skeleton.parents[joint] >= 0 else None
        frame = skeleton.orients[joint] if world is None else quat.mul(world, skeleton.orients[joint])
        local = quat.mul(quat.mul(quat.inv(frame), way), frame)
        rotations[:, joint] = quat.mul(local, rotations[:, joint])
    translations[:, skeleton.roles["hips"], :2] = 0.0
    translations[:, skeleton.roles["hips"], 2] += breathing
    return replace(still, name="stance", rotations=rotations, translations=translations, cyclic=False)


def on_the_spot(clip):
    return replace(verbs.apply(Loop(in_place=True), [clip]).clip, name=clip.name, cyclic=False)


@pytest.mark.parametrize("degrees", [0.0, 20.0, -38.0])
def test_an_idle_with_askew_hips_does_not_turn_the_walk(degrees):
    walk = on_the_spot(actions.walk(30.0, 2))
    stance = askew(walk, degrees)
    woven = verbs.apply(Connect(), [stance, walk])
    assert woven.report["connect"]["turn_degrees"] == 0.0
    turned = root_motion.heading(woven.clip)[-1] - root_motion.heading(walk)[-1]
    assert abs(np.degrees(np.angle(np.exp(1j * turned)))) < 3.0
    if abs(degrees) > 30.0:
        assert abs(verbs.apply(Connect(facing="matched"), [stance, walk]).report["connect"]["turn_degrees"]) > 5.0


@pytest.mark.one_engine
def test_who_walks_away_is_followed_there():
    walk = replace(actions.walk(30.0, 2), cyclic=False)
    stance = askew(walk, 10.0)
    for first, second in ((walk, stance), (stance, walk)):
        woven = verbs.apply(Connect(), [first, second])
        assert woven.report["connect"]["turn_degrees"] == 0.0
        steps = np.linalg.norm(np.diff(root_motion.ground_frames(woven.clip)[0], axis=0), axis=1)
        assert steps.max() < 1.5 * np.linalg.norm(np.diff(root_motion.ground_frames(walk)[0], axis=0), axis=1).max()


@pytest.mark.shared
def test_captures_are_matched_wherever_they_were_made(connected):
    for names, reported in zip(PAIRS[:4], connected, strict=False):
        pair = [captured(f"cmu_{name}") for name in names]
        matched = verbs.apply(Connect(facing="matched"), pair).report["connect"]
        assert matched["turn_degrees"] == reported["turn_degrees"]


ARMS = {f"{part}.{side}" for part in ("clavicle", "upper_arm", "forearm", "hand") for side in "LR"}
WITHOUT_THIGHS = [{"hips", "spine", "chest", "neck", "head", *ARMS}, {"hips", "spine", "chest"}, {"hips"}, {"head"}]


def knowing(clip, known):
    """A clip on a body of which only some roles are known: its legs have names that say nothing."""
    roles = {role: joint for role, joint in clip.skeleton.roles.items() if role in known}
    return replace(clip, skeleton=replace(clip.skeleton, roles=roles))


@pytest.mark.one_engine
@pytest.mark.parametrize("known", WITHOUT_THIGHS, ids=len)
@pytest.mark.parametrize("pair", [(actions.sneak, actions.wave), (actions.wave, actions.run)], ids=["in", "out"])
def test_a_body_without_known_thighs_is_not_turned_either(pair, known):
    clips = [knowing(make(), known) for make in pair]
    assert verbs.apply(Connect(), clips).report["connect"]["turn_degrees"] == 0.0


@pytest.mark.shared
@pytest.mark.parametrize(
    ("known", "pair"), list(zip(WITHOUT_THIGHS, (PAIRS[0], PAIRS[2], ("asf_16_11", "asf_16_03")), strict=False))
)
def test_captures_without_known_thighs_are_matched_all_the_same(known, pair):
    clips = [knowing(captured(f"cmu_{name}"), known) for name in pair]
    auto, matched = (verbs.apply(Connect(facing=how), clips).report["connect"] for how in ("auto", "matched"))
    assert auto["turn_degrees"] == matched["turn_degrees"]


@pytest.mark.one_engine
def test_clips_are_joined_as_made_where_that_is_asked_for():
    walk = replace(actions.walk(30.0, 2), cyclic=False)
    turned = root_motion.place_clip(walk, 1.0, np.zeros(2))
    report = verbs.apply(Connect(facing="as_made"), [walk, turned]).report["connect"]
    assert report["turn_degrees"] == 0.0
    assert report["distance"] > verbs.apply(Connect(), [walk, turned]).report["connect"]["distance"]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "other", "slides"), [("asf_16_15", "asf_16_08", True), ("mb_35_01", "mb_12_01", False)]
)
def test_the_warning_names_the_seam_and_how_feet_slide_there_in_the_result(name, other, slides):
    """A clip left a few frames before its end can't fade out; planting mends most of the foot slide."""
    walk, following = captured(f"cmu_{name}"), captured(f"cmu_{other}")
    entered = verbs.apply(Connect(), [walk, following]).report["connect"]["to_frame"]
    made = verbs.apply(Connect(from_frame=len(walk) - 3, to_frame=entered, trim=False), [walk, following])
    seam = made.report["connect"]
    message = made.report["warnings"][0]
    assert message.startswith(f"Poses are {100.0 * seam['distance']:.0f} cm apart at the seam")
    assert f": {walk.name} (frame {len(walk) - 3}) and {following.name} (frame {entered})" in message
    slide = seams.measure_pose(world_pose.pose(made.clip), seam["seam_frame"])["slide_cm_s"]
    sources = max(one["slide_cm_s"] for one in made.report["quality"]["before"])
    assert (slide > sources + 4.0) is slides
    assert (f"feet slide there at {slide:.0f} cm/s, {sources:.0f} in the sources" in message) is slides


def test_where_clips_would_be_nearer_is_where_anywhere_finds_them():
    walk, sneak = actions.walk(30.0), actions.sneak(30.0)
    asked = verbs.apply(Connect(from_frame=len(walk) - 5, to_frame=0, trim=False), [walk, sneak])
    free = verbs.apply(Connect(anywhere=True, trim=False), [walk, sneak]).report["connect"]
    message = asked.report["warnings"][0]
    there = f"walk (frame {free['from_frame']}) and sneak (frame {free['to_frame']})"
    assert f"{there} are {100.0 * free['distance']:.0f} cm apart (Anywhere finds them)" in message
