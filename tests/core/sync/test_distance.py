"""Pose distances against numerical minimisation, and their invariances."""

import dataclasses

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import OptionError
from action_loom.core.motion import kinematics, quat, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.recipes.metrics import METRICS
from action_loom.core.sync import joint_weights, metrics
from action_loom.core.verbs import Synchronise
from numpy.testing import assert_allclose
from oracles.material import random_clip, random_skeleton

pytestmark = pytest.mark.both_engines

ROUNDED = 2e-7  # of a squared distance of about 1 m²: points are rounded to 23 bits of the largest


def of(metric, clip, **options):
    return metrics.prepare(clip, Synchronise(metric=metric, **options))


def noisy(clip, seed, degrees=20.0, metres=0.3):
    rng = np.random.default_rng(seed)
    turns = quat.exp(np.radians(degrees) * rng.normal(size=(*clip.rotations.shape[:2], 3)))
    shifts = np.zeros_like(clip.translations)
    shifts[:, 0] = metres * rng.normal(size=(len(clip), 3))
    return Clip("noisy", clip.skeleton, clip.rate, quat.mul(clip.rotations, turns), clip.translations + shifts)


@pytest.fixture(scope="module")
def walk():
    return actions.walk().cut(0, 40)


def by_minimisation(cloud, other, weights, lift):
    """Σ w ‖p − T p'‖² over all turns and shifts on the ground, and lifts if wanted, by scipy."""
    optimize = pytest.importorskip("scipy.optimize")

    def cost(x):
        c, s = np.cos(x[0]), np.sin(x[0])
        moved = other[:, :2] @ np.array([[c, s], [-s, c]]) + x[1:3]
        height = other[:, 2] + (x[3] if lift else 0.0)
        return (weights * (((cloud[:, :2] - moved) ** 2).sum(axis=1) + (cloud[:, 2] - height) ** 2)).sum()

    return min(
        optimize.minimize(cost, [a, 0.0, 0.0, 0.0], method="BFGS", options={"gtol": 1e-12}).fun
        for a in (-2.0, 0.0, 2.0)
    )


@pytest.mark.one_engine
@pytest.mark.parametrize("lift", [False, True], ids=["", "any height"])
@pytest.mark.parametrize("window", [0, 1, 3])
def test_points_is_the_minimum_over_all_turns_and_shifts(walk, window, lift):
    a, b = noisy(walk, 1), noisy(walk, 2)
    matrix = of("points", a, align_height=lift).matrix(of("points", b, align_height=lift), window)
    places_a, places_b = kinematics.points(a), kinematics.points(b)
    weights = np.tile(walk.skeleton.point_weights, 2 * window + 1) / (2 * window + 1)
    for i, j in ((0, 39), (5, 5), (20, 3), (39, 0)):
        around = np.arange(-window, window + 1)
        cloud = places_a[np.clip(i + around, 0, 39)].reshape(-1, 3)
        other = places_b[np.clip(j + around, 0, 39)].reshape(-1, 3)
        assert matrix[i, j] ** 2 == pytest.approx(by_minimisation(cloud, other, weights, lift), abs=ROUNDED)


@pytest.mark.one_engine
def test_equal_point_weights_count_bones_without_length(walk):
    body, hand = walk.skeleton, walk.skeleton.index("hand.L")
    there = np.arange(len(body))[:, None] != hand
    short = dataclasses.replace(body, offsets=body.offsets * there, tips=body.tips * there)
    assert short.point_weights[hand] == 0.0
    assert_allclose(joint_weights.point_weights(short, "all", equal=True), 1.0 / len(short.point_weights))


@pytest.mark.one_engine
def test_equal_point_weights_count_every_point_of_the_body_alike(walk):
    a, b = noisy(walk, 1), noisy(walk, 2)
    (one, other), own = (kinematics.points(clip) for clip in (a, b)), walk.skeleton.point_weights > 0.0
    alike = own / own.sum()
    matrix = of("points", a, point_weights="equal").matrix(of("points", b, point_weights="equal"), 0)
    for i, j in ((0, 39), (20, 3)):
        assert matrix[i, j] ** 2 == pytest.approx(by_minimisation(one[i], other[j], alike, False), abs=ROUNDED)
    assert abs(matrix[20, 3] - of("points", a).matrix(of("points", b), 0)[20, 3]) > 1e-4


@pytest.mark.parametrize("window", [0, 4])
def test_points_does_not_see_where_a_clip_stands_and_faces(walk, window):
    moved = root_motion.place_clip(walk, 2.5, np.array([300.0, -40.0]))
    here, there = of("points", walk), of("points", moved)
    matrix = here.matrix(there, window)
    assert (np.diagonal(matrix) ** 2).max() <= 1e-12
    assert_allclose(matrix, here.matrix(here, window), atol=1e-6)


def test_motion_does_not_see_place_facing_or_size(walk):
    moved = root_motion.place_clip(walk, -1.2, np.array([5.0, 9.0]))
    here = of("motion", walk)
    assert np.diagonal(here.matrix(of("motion", moved), 3)).max() <= 1e-6
    large = Clip(
        "large",
        type(walk.skeleton)(
            walk.skeleton.names,
            walk.skeleton.parents,
            2.0 * walk.skeleton.offsets,
            walk.skeleton.orients,
            2.0 * walk.skeleton.tips,
        ),
        walk.rate,
        walk.rotations,
        2.0 * walk.translations,
    )
    assert_allclose(here.matrix(of("motion", large), 3), here.matrix(here, 3), atol=1e-6)


@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_is_symmetric(walk, metric):
    a, b = noisy(walk, 3, 5.0, 0.02), noisy(walk, 4, 5.0, 0.02)
    one, other = of(metric, a), of(metric, b)
    assert_allclose(one.matrix(other, 2), other.matrix(one, 2).T, atol=1e-9)


def lengths_below(skeleton):
    """How much bone each joint moves: its own tip, and the bones and tips of all joints below it."""
    moved = np.linalg.norm(skeleton.tips, axis=1)
    for joint in range(len(skeleton)):
        above = skeleton.parents[joint]
        while above >= 0:
            moved[above] += np.linalg.norm(skeleton.offsets[joint]) + np.linalg.norm(skeleton.tips[joint])
            above = skeleton.parents[above]
    return moved / moved.sum()


def rotation_distance(a, b, i, j, window, between):
    """Seed 003's sums as they are written: poses by joint angles, windows filled with their centre frames."""
    transform = pytest.importorskip("scipy.spatial.transform")
    weights = lengths_below(a.skeleton)
    hann = np.array([1.0 + np.cos(np.pi * k / (window + 1)) for k in range(-window, window + 1)])
    total = 0.0
    for k, share in zip(range(-window, window + 1), hann / hann.sum(), strict=True):
        frame_a = i + k if 0 <= i + k < len(a) else i
        frame_b = j + k if 0 <= j + k < len(b) else j
        for joint, weight in enumerate(weights):
            pair = []
            for clip, frame in ((a, frame_a), (b, frame_b)):
                rotation = transform.Rotation.from_quat(np.roll(clip.rotations[frame, joint], -1))
                if joint == root_motion.travelling_joint(clip.skeleton):
                    world, _ = kinematics.world(clip)
                    rotation = transform.Rotation.from_quat(np.roll(world[frame, joint], -1))
                    facing = root_motion.pelvis_heading(clip, root_motion.HEADING_SIGMA)[frame]
                    rotation = transform.Rotation.from_euler("z", -facing) * rotation
                pair.append(rotation)
            total += share * weight * between((pair[0].inv() * pair[1]).magnitude())
    return total


@pytest.mark.one_engine
@pytest.mark.parametrize("window", [0, 2])
@pytest.mark.parametrize(
    ("metric", "options", "between"),
    [("angles", {}, lambda angle: angle**2), ("chordal", {}, lambda angle: np.sin(0.5 * angle) ** 2)],
)
def test_rotation_distances_are_the_sums_of_their_sources(walk, metric, options, between, window):
    a, b = noisy(walk, 5).cut(0, 12), noisy(walk, 6).cut(3, 12)
    matrix = of(metric, a, **options).matrix(of(metric, b, **options), window)
    assert matrix.shape == (12, 9)
    for i, j in ((0, 8), (5, 4), (11, 0), (1, 1)):
        assert matrix[i, j] == pytest.approx(rotation_distance(a, b, i, j, window, between), rel=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_neither_place_nor_facing_nor_signs_of_quaternions_change_a_distance(walk, metric):
    moved = root_motion.place_clip(walk, 2.5, np.array([30.0, -40.0]))
    flips = np.where(np.random.default_rng(1).random(walk.rotations.shape[:2]) < 0.5, -1.0, 1.0)[..., None]
    moved = Clip("moved", walk.skeleton, walk.rate, moved.rotations * flips, moved.translations)
    here, there = of(metric, walk), of(metric, moved)
    assert_allclose(here.matrix(there, 3), here.matrix(here, 3), atol=1e-6)


@pytest.mark.parametrize("metric", METRICS)
def test_only_the_chosen_joints_count(walk, metric):
    legs = [n for n in walk.skeleton.names if walk.skeleton.index(n) in lower_joints(walk.skeleton)]
    waving = noisy(walk, 8, metres=0.0)
    turned = waving.rotations.copy()
    turned[:, sorted(lower_joints(walk.skeleton))] = walk.rotations[:, sorted(lower_joints(walk.skeleton))]
    waving = Clip("arms and trunk only", walk.skeleton, walk.rate, turned, walk.translations)
    for choice in ("lower", ", ".join(legs)):
        one, other = of(metric, walk, joints=choice), of(metric, waving, joints=choice)
        assert np.diagonal(one.matrix(other, 2)).max() <= 1e-6
    one, other = of(metric, walk, joints="upper"), of(metric, waving, joints="upper")
    assert np.diagonal(one.matrix(other, 2)).min() > 1e-3


def lower_joints(skeleton):
    found = {skeleton.roles["hips"], skeleton.roles["thigh.L"], skeleton.roles["thigh.R"]}
    for joint, parent in enumerate(skeleton.parents):
        if parent in found and parent != skeleton.roles["hips"]:
            found.add(joint)
    return found


def test_a_factor_makes_a_joint_count_more(walk):
    a, b = noisy(walk, 1), noisy(walk, 2)
    foot, hips = walk.skeleton.names[walk.skeleton.roles["foot.L"]], walk.skeleton.names[0]

    def distance(joints):
        return of("chordal", a, joints=joints).matrix(of("chordal", b, joints=joints), 0)

    shares = lengths_below(walk.skeleton)[[walk.skeleton.roles["foot.L"], 0]]
    mixed = (3.0 * shares[0] * distance(foot) + shares[1] * distance(hips)) / (3.0 * shares[0] + shares[1])
    assert_allclose(distance(f"{foot}=3, {hips}"), mixed, atol=1e-12)


@pytest.mark.parametrize(
    ("joints", "message"),
    [
        ("Hip", "joints names 'Hip', which the body lacks; did you mean hips"),
        ("xyzzy", "joints names 'xyzzy', which the body lacks: all, lower, upper"),
        ("hips=much", "hips the factor 'much', which is not a number"),
        ("hips=-1", "factors must be numbers from 0 to 1e"),
        ("hips=inf", "factors must be numbers from 0 to 1e"),
        ("hips=nan", "factors must be numbers from 0 to 1e"),
        ("hips=1e308, chest=1e308", "factors must be numbers from 0 to 1e"),
        ("hips=0", "have no extent"),
        ("", "joints names ''"),
    ],
)
def test_joints_that_do_not_exist_are_refused_by_name(walk, joints, message):
    with pytest.raises(OptionError, match=message):
        of("points", walk, joints=joints)


def test_a_body_without_known_legs_has_no_lower_half():
    body = random_skeleton(np.random.default_rng(3))
    with pytest.raises(OptionError, match="the legs of this body are not known"):
        of("points", random_clip(np.random.default_rng(3), body), joints="lower")


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("window", [0, 1])
def test_every_third_frame_is_compared_as_it_would_be_alone(metric, window):
    clips = [noisy(actions.walk(cycles=1), seed, 5.0, 0.05) for seed in (0, 1)]
    whole = [of(metric, clip) for clip in clips]
    found = whole[0].take_frames(slice(None, None, 3)).matrix(whole[1].take_frames(slice(None, None, 3)), window)
    if window == 0:
        assert_allclose(found, whole[0].matrix(whole[1], 0)[::3, ::3], rtol=1e-9, atol=1e-12)
    assert found.shape == (len(range(0, len(clips[0]), 3)),) * 2
    assert np.isfinite(found).all()
