"""The solver of points: known answers, invariances, figures on degraded captures, refusals."""

import re
from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions, body
from action_loom.core.errors import ClipError, SkeletonError
from action_loom.core.formats import bvh, motion_file
from action_loom.core.motion import kinematics, quat
from action_loom.core.points import (
    figure,
    gaps,
    noise,
    posing,
    sides,
    smoothing,
    solve,
    strength,
    track,
    travel,
    triads,
    upright,
)
from action_loom.core.points.recording import make
from action_loom.core.recipes.points import FromPoints
from action_loom.core.weight import flights
from oracles import degraded, material
from oracles.kept_aside import AMC_KEPT_ASIDE, KEPT_ASIDE

CLIP = "mb_02_01"
KEPT = "mb_08_01"


def recording(true, values=None, rate=degraded.RATE, name="one"):
    labels, places = degraded.stack(true)
    return make(name, tuple(labels), places if values is None else values, rate=rate)


@pytest.fixture(scope="module")
def walk():
    """The points of the demo's walk, which needs no captured clips."""
    return degraded.clean(actions.walk(cycles=3))


def solved(true, values=None, **options):
    return solve.solve(recording(true, values), FromPoints(**options), "one")


def test_clean_points_of_a_body_are_met(walk):
    made = solved(walk, plant_feet=False)
    figures = degraded.judge(walk, degraded.points_of(made.clip))
    assert figures["hip mm"] < 2.5
    assert figures["swing"] < 1.0
    assert made.report["up"] == "z"
    assert made.report["exchanged"] == []
    assert made.report["travel_m"] is None
    joints = kinematics.world(made.clip)[1]
    for part, role in (("hip", "thigh"), ("ankle", "foot"), ("wrist", "hand")):
        for side in "LR":
            off = joints[:, made.skeleton.roles[f"{role}.{side}"]] - made.track.at(f"{part}.{side}")
            assert np.linalg.norm(off, axis=1).mean() < 0.006  # at the height of the points, too


def test_bones_are_as_long_in_every_frame(walk):
    labels, places = degraded.stack(walk)
    given, _ = degraded.degrade(labels, places, 3, white=0.015)
    made = solved(walk, given)
    _, joints = kinematics.world(made.clip)
    for joint, parent in enumerate(made.skeleton.parents):
        if parent >= 0:
            length = np.linalg.norm(joints[:, joint] - joints[:, parent], axis=1)
            assert np.ptp(length) < 1e-9


def test_noise_gaps_and_exchanged_sides_are_mended(walk):
    labels, places = degraded.stack(walk)
    given, spans = degraded.degrade(labels, places, 5, white=0.010, missing=0.1, swaps=True)
    made = solved(walk, given, plant_feet=False)
    before = degraded.judge(walk, dict(zip(walk, np.moveaxis(degraded.filled(given), 1, 0), strict=True)))
    after = degraded.judge(walk, degraded.points_of(made.clip))
    assert after["hip mm"] < 14.0 < before["hip mm"]
    assert after["jerk"] < 1.2
    assert spans
    assert {tuple(span) for span in made.report["exchanged"]} <= {tuple(span) for span in spans}


@pytest.mark.shared
@pytest.mark.parametrize("name", [CLIP, KEPT])
def test_figures_of_a_degraded_capture(name):
    assert (name in KEPT_ASIDE) == (name == KEPT)
    true = degraded.clean(motion_file.read(material.SHARED / "cmu" / f"cmu_{name}.bvh").clip, 5.0)
    labels, places = degraded.stack(true)
    given, _ = degraded.degrade(labels, places, 1, white=0.015)
    loose, planted = (
        degraded.judge(true, degraded.points_of(solved(true, given, plant_feet=p).clip)) for p in (False, True)
    )
    assert loose["hip mm"] < 13.0
    assert loose["swing"] < 3.0
    assert 0.3 < loose["jerk"] < 1.2
    assert planted["slide"] < 5.5


def test_travel_is_measured_from_standing_feet(walk):
    labels, places = degraded.stack(walk)
    given, _ = degraded.degrade(labels, places, 1, centred=True)
    made = solved(walk, given, plant_feet=False)
    figures = degraded.judge(walk, degraded.points_of(made.clip))
    assert figures["true path"] > 1.5
    assert abs(figures["path"] - 1.0) < 0.1
    assert "the file has no travel" in " ".join(made.sentences)
    assert solved(walk, given, travel="off").report["travel_m"] is None


@pytest.mark.shared
@pytest.mark.parametrize("name", ["cmu/cmu_mb_02_04.bvh", "amc/127_27.amc"])
def test_a_jump_without_travel_is_as_high_as_its_time_in_the_air(name):
    """Hips of both clips, of which only the first was used for tuning, rise by 0.4 m."""
    assert (name[4:-4] in AMC_KEPT_ASIDE) == name.startswith("amc")
    true = degraded.clean(motion_file.read(material.SHARED / name).clip)
    labels, places = degraded.stack(true)
    given, _ = degraded.degrade(labels, places, 1, white=0.015, centred=True)
    made = solved(true, given)
    found = degraded.points_of(made.clip)
    hips, ours = (0.5 * (points["hip.L"] + points["hip.R"])[:, 2] for points in (true, found))
    lowest = np.min([true[f"{part}.{side}"][:, 2] for part in ("toe", "heel") for side in "LR"], axis=0)
    flies = lowest > lowest.min() + 0.2
    off = ours - hips
    off -= np.median(off[lowest < lowest.min() + 0.04])
    assert made.report["jumps"] == 1
    assert flies.sum() > 8
    assert np.abs(off[flies]).mean() < 0.12  # without the jump 0.3 m
    fall = max(flights.find_flights(made.clip).flights, key=lambda flight: flight.seconds)
    assert fall.fall == pytest.approx(-9.81, abs=2.0)
    assert "jumps by their time: 1" in " ".join(made.sentences)


@pytest.mark.parametrize("gait", [actions.walk, actions.run])
def test_gaits_have_no_jumps(gait):
    true = degraded.clean(gait(cycles=3))
    labels, places = degraded.stack(true)
    given, _ = degraded.degrade(labels, places, 1, white=0.010, centred=True)
    assert solved(true, given).report["jumps"] == 0


@pytest.mark.parametrize("lean", [-8.0, 0.0, 8.0])
def test_passing_feet_tell_how_a_centred_runner_leans(lean):
    """A run whose up leans forwards or backwards is turned back, and an upright one hardly moved."""
    run = degraded.clean(actions.run(cycles=4))
    upright_one, _, _ = track.begin(recording(run), 30.0)
    centred = upright_one.places - upright_one.middle("hip")[:, None]
    turn = quat.about_axis("X", np.radians(lean))
    leaning = replace(upright_one.of(quat.rotate(turn, centred)), centred=True)
    back = quat.rotate(travel.level_turn(leaning), quat.rotate(turn, np.array([0.0, 0.0, 1.0])))
    assert np.degrees(np.arccos(min(back[2], 1.0))) < max(0.6 * abs(lean), 0.5)


@pytest.mark.parametrize("turn", ["X", "Y", "Z"])
def test_the_axes_of_the_file_do_not_matter(walk, turn):
    """Turned by a right angle, in millimetres, and moved, the same points give the same motion."""
    quarter = quat.about_axis(turn, np.radians(90.0))
    labels, places = degraded.stack(walk)
    other = make("one", tuple(labels), 1000.0 * (quat.rotate(quarter, places) + np.arange(3.0)), rate=degraded.RATE)
    one = solved(walk, plant_feet=False)
    two = solve.solve(other, FromPoints(plant_feet=False), "one")
    figures = degraded.judge(degraded.points_of(one.clip), degraded.points_of(two.clip))
    assert figures["hip mm"] < 0.5


@pytest.mark.parametrize(
    ("tilt", "sentence"), [(42.0, "tilted by 4[0-4]° and was made level"), (25.0, "off the axis z")]
)
def test_a_tilted_floor_is_told(walk, tilt, sentence):
    labels, places = degraded.stack(walk)
    tilted = quat.rotate(quat.about_axis("X", np.radians(tilt)), places)
    made = solve.solve(make("one", tuple(labels), tilted, rate=30.0), FromPoints(plant_feet=False), "one")
    assert re.search(sentence, " ".join(made.sentences))
    assert degraded.judge(walk, degraded.points_of(made.clip))["up"] < (5.0 if tilt > 30.0 else 1.05 * tilt)


def test_a_mirrored_file_is_set_right(walk):
    labels, places = degraded.stack(walk)
    made = solve.solve(make("one", tuple(labels), places * [1, 1, -1], rate=30.0), FromPoints(plant_feet=False), "one")
    assert "mirrored" in " ".join(made.sentences)
    assert degraded.judge(walk, degraded.points_of(made.clip))["hip mm"] < 5.0


def test_the_result_is_the_same_every_time(walk):
    one, two = (solved(walk).clip for _ in range(2))
    assert np.array_equal(one.rotations, two.rotations)
    assert np.array_equal(one.translations, two.translations)


def test_side_repair_makes_no_point_worse(walk):
    labels, places = degraded.stack(walk)
    for seed in range(6):
        given, _ = degraded.degrade(labels, places, seed, white=0.015, swaps=seed % 2 == 0)
        before, _, _ = track.begin(recording(walk, given), 30.0)
        after, _ = sides.repair(before)
        true = np.stack([walk[name] for name in before.names], axis=1)
        worse = np.linalg.norm(after.places - true, axis=-1) > np.linalg.norm(before.places - true, axis=-1) + 0.1
        assert not worse.any()


def test_a_point_thrown_aside_is_left_out(walk):
    labels, places = degraded.stack(walk)
    given = places.copy()
    given[30, labels.index("left_wrist")] += 0.5
    before, _, _ = track.begin(recording(walk, given), 30.0)
    after, share = gaps.drop_outliers(before)
    column = before.names.index("wrist.L")
    assert not after.measured[30, column]
    assert share == pytest.approx(1.0 / before.measured.size, rel=0.01)
    filled = gaps.fill(after)
    assert np.linalg.norm(filled.places[30, column] - walk["wrist.L"][30]) < 0.03


def test_the_banded_solver_is_that_of_the_whole_matrix():
    random = np.random.default_rng(0)
    weights, strengths = random.uniform(0.1, 1.0, (40, 5)), random.uniform(0.1, 50.0, (37, 5))
    right = random.normal(size=(40, 5))
    found = smoothing.solve_banded(smoothing._diagonals(weights, strengths), right)
    third = np.diff(np.eye(40), 3, axis=0)
    for k in range(5):
        whole = np.diag(weights[:, k]) + third.T @ np.diag(strengths[:, k]) @ third
        np.testing.assert_allclose(found[:, k], np.linalg.solve(whole, right[:, k]), atol=1e-9)


@pytest.mark.parametrize("together", [False, True])
def test_a_parabola_is_its_own_smooth_curve(together):
    values = np.linspace(0, 1, 50)[:, None, None] ** 2 * np.ones((1, 2, 3))
    one = track.Track(("hip.L", "hip.R"), values, np.ones((50, 2), bool), np.ones((50, 2)), 30.0, 1.7)
    found = noise.Noise(np.eye(3), np.full((2, 3), 1e-6), np.ones(3), False)
    bones = strength.noise_of_bones(one, found)
    smooth = smoothing.smooth(one, one if together else None, found, bones, 1.0)
    np.testing.assert_allclose(smooth.places, values, atol=1e-6)
    assert smoothing.smooth(one, None, found, bones, 0.0) is one


def test_slow_noise_is_smoothed_more_than_its_third_differences_tell(walk):
    """Lengths of bones tell slow noise from motion; where bones are rigid, motion tells it."""
    labels, places = degraded.stack(walk)

    def amount(**noises):
        given, _ = degraded.degrade(labels, places, 3, **noises)
        ready, _, _ = track.begin(recording(walk, given), 30.0)
        bones = strength.noise_of_bones(ready, noise.measure(ready))
        found = strength.find(ready.places.reshape(len(ready), -1), bones)
        assert found.shape == (3 * len(ready.names),)
        return float(np.median(found)), bones.rigid

    (slow, _), (fast, _), (little, rigid), (clean, is_rigid) = (
        amount(**noises) for noises in ({"correlated": 0.015}, {"white": 0.015}, {"white": 0.002}, {})
    )
    assert slow > 3.0 * fast > 9.0 * little > 27.0 * clean
    assert is_rigid
    assert not rigid


def test_frames_of_a_rest_pose_are_the_axes_of_the_body():
    """A T-pose that looks along +Y has every part's frame in the world's axes."""
    skeleton = body.skeleton()
    rest = triads.frames_of(posing._rest_points(skeleton), 30.0)
    front = np.diag([-1.0, -1.0, 1.0])  # the demo's figure looks along −Y
    for role in ("hips", "chest", "thigh.L", "shin.R"):
        assert np.degrees(np.arccos(np.clip((np.trace(rest[role][0] @ front.T) - 1.0) / 2.0, -1, 1))) < 12.0


@pytest.mark.parametrize("scale", [1.0, 0.6])
def test_points_go_onto_another_body_with_its_own_rest_pose(walk, scale):
    skeleton = material.figure(scale) if scale != 1.0 else body.skeleton()
    made = solve.solve(recording(walk), FromPoints(plant_feet=False), "one", skeleton)
    assert made.clip.skeleton is skeleton
    theirs = degraded.points_of(made.clip)
    figures = degraded.judge(walk, theirs)
    assert figures["swing"] < 3.0
    if scale == 1.0:
        assert figures["hip mm"] < 20.0


def test_the_written_file_is_the_clip(tmp_path, walk):
    made = solved(walk)
    path = tmp_path / "one.bvh"
    path.write_bytes(bvh.compose(made.clip))
    again = motion_file.read(path).clip
    order = [again.skeleton.index(name) for name in made.clip.skeleton.names]
    np.testing.assert_allclose(kinematics.world(again)[1][:, order], kinematics.world(made.clip)[1], atol=1e-4)


def test_a_person_who_leaves_is_told(walk):
    _, places = degraded.stack(walk)
    given = places.copy()
    given[60:] = np.nan
    made = solved(walk, given)
    assert len(made.clip) == 60
    assert "frames at its ends have no body" in " ".join(made.sentences)


def test_a_file_without_a_rate_says_so(walk):
    made = solve.solve(recording(walk, rate=0.0), FromPoints(), "one")
    assert made.clip.rate == 30.0
    assert "the file states no rate" in " ".join(made.sentences)
    assert solve.solve(recording(walk, rate=0.0), FromPoints(rate=25.0), "one").clip.rate == 25.0


def test_points_of_the_body_that_are_missing_are_named(walk):
    fewer = {name: values for name, values in walk.items() if not name.startswith("knee")}
    with pytest.raises(ClipError, match=r"no points knee\.L, knee\.R"):
        solved(fewer)
    with pytest.raises(ClipError, match="8 are needed"):
        solved({name: values[:5] for name, values in walk.items()})
    labels, places = degraded.stack(walk)
    gone = places.copy()
    gone[:, labels.index("left_knee")] = np.nan
    with pytest.raises(ClipError, match=r"knee\.L is missing"):
        solved(walk, gone)
    with pytest.raises(ClipError, match="no length"):
        solved({name: values * 0.0 + 1.0 for name, values in walk.items()})


def test_a_body_without_arms_names_the_missing_role(walk):
    legs = material.figure()
    without = {role: joint for role, joint in legs.roles.items() if not role.startswith("hand")}
    with pytest.raises(SkeletonError, match="hand"):
        solve.solve(recording(walk), FromPoints(), "one", replace(legs, roles=without))


def test_hips_with_the_names_of_knees_are_told(walk):
    swapped = dict(walk)
    for side in "LR":
        swapped[f"hip.{side}"], swapped[f"knee.{side}"] = walk[f"knee.{side}"], walk[f"hip.{side}"]
    made = solved(swapped, plant_feet=False)
    assert "exchanged" in " ".join(made.sentences)
    assert degraded.judge(walk, degraded.points_of(made.clip))["hip mm"] < 5.0


def test_the_floor_is_at_zero_and_the_skeleton_stands_on_it(walk):
    made = solved(walk)
    assert abs(made.track.places[..., 2].min()) < 0.05
    rest = made.skeleton.rest[1]
    assert 0.0 <= rest[:, 2].min() < 0.08
    assert figure.standing_height(made.track, "ankle", 0.08) == pytest.approx(
        rest[made.skeleton.roles["foot.L"], 2], abs=0.02
    )
    assert upright.foot_parts(made.track) == ("toe", "heel")
