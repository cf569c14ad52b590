"""Which joints are the upper body, how its trunk is turned, and where its mass is."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.errors import OptionError, SkeletonError
from action_loom.core.motion import figure, quat
from action_loom.core.weave import body_mass, trunk, upper_body
from numpy.testing import assert_allclose
from oracles import material

BODY = figure.walk().skeleton
LOWER = {"hips", *(f"{role}.{side}" for role in ("thigh", "shin", "foot", "toe") for side in "LR")}


def names_of(upper, skeleton=BODY):
    return {skeleton.names[joint] for joint in upper.joints}


@pytest.mark.both_engines
def test_the_upper_body_is_what_hangs_below_the_spine():
    upper = upper_body.of(BODY)
    assert names_of(upper) == set(BODY.names) - LOWER
    assert [BODY.names[joint] for joint in upper.begins] == ["spine"]
    assert BODY.names[upper.pelvis] == "spine"
    trunk_points = {BODY.names[joint] for joint in upper.trunk}
    assert trunk_points == {"chest", "neck", "clavicle.L", "clavicle.R", "upper_arm.L", "upper_arm.R"}


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "pelvis", "count"), [("cmu_mb_02_01", "LowerBack", 20), ("cmu_daz_02_01", "abdomen", 34)]
)
def test_captured_bodies_are_split_at_the_pelvis(name, pelvis, count):
    skeleton = material.captured(name).skeleton
    upper = upper_body.of(skeleton)
    assert skeleton.names[upper.pelvis] == pelvis
    assert len(upper.joints) == count


@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("wanted", "expected", "begins"),
    [
        ("upper_arm.L", {"upper_arm.L", "forearm.L", "hand.L"}, ["upper_arm.L"]),
        ("forearm.L, head", {"forearm.L", "hand.L", "head"}, ["head", "forearm.L"]),
        ("upper_arm.L, -hand.L", {"upper_arm.L", "forearm.L"}, ["upper_arm.L"]),
        ("chest, -neck, -clavicle.L, -clavicle.R", {"chest"}, ["chest"]),
        ("chest, -neck, head, -clavicle.L, -clavicle.R", {"chest", "head"}, ["chest", "head"]),
    ],
)
def test_the_upper_body_can_be_named(wanted, expected, begins):
    upper = upper_body.of(BODY, wanted)
    assert names_of(upper) == expected
    assert [BODY.names[joint] for joint in upper.begins] == begins
    assert upper.pelvis is None


@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("chets", "upper names 'chets', which the locomotion lacks; did you mean chest"),
        ("chest,", "upper names '', which the locomotion lacks"),
        ("hips", "hips hangs on nothing"),
        ("thigh.L", "thigh.L is of the lower body"),
        ("chest, -chest", "which leaves no joint"),
    ],
)
def test_what_is_no_upper_body_is_refused(wanted, said):
    with pytest.raises(OptionError, match=said):
        upper_body.of(BODY, wanted)


@pytest.mark.both_engines
def test_a_body_whose_arms_hang_elsewhere_has_to_be_told_where_it_begins():
    parents = BODY.parents.copy()
    parents[BODY.index("clavicle.L")] = 0
    apart = replace(BODY, parents=parents, roles=BODY.roles)
    with pytest.raises(SkeletonError, match="upper_arm.L does not hang below spine"):
        upper_body.of(apart)
    assert names_of(upper_body.of(apart, "spine, clavicle.L")) == set(BODY.names) - LOWER


def test_points_are_carried_onto_others_as_an_oracle_does_it(rng):
    transform = pytest.importorskip("scipy.spatial.transform")
    points, wanted = rng.normal(size=(2, 6, 5, 3))
    ours = quat.to_matrix(trunk.onto(wanted, points))
    for mine, one, other in zip(ours, wanted, points, strict=True):
        assert_allclose(mine, transform.Rotation.align_vectors(one, other)[0].as_matrix(), atol=1e-9)


@pytest.mark.both_engines
def test_corrections_are_smoothed_as_in_the_paper():
    """q_M(t) = Σ w(k) q(t+k) / Σ w(k), w(k) = exp(−k²/50), 60 frames of data at 120 a second (seed 001)."""
    time = np.arange(240) / 120.0
    turns = np.stack([0.4 * np.sin(3.0 * time), 0.2 * np.cos(9.0 * time), 0.6 * np.sin(1.0 + 5.0 * time)], axis=1)
    q = quat.exp(turns)
    k = np.arange(-30, 31)
    w = np.exp(-(k**2) / 50.0)
    paper = np.stack([(w[:, None] * q[t + k]).sum(axis=0) / w.sum() for t in range(30, 210)])
    smoothed = trunk.smoothed(q, 5.0)[30:210]
    assert_allclose(smoothed, quat.normalize(paper), atol=1e-4)


@pytest.mark.both_engines
def test_what_turns_evenly_stays_as_it_is_to_the_very_ends():
    q = quat.exp(np.linspace(0.0, 0.3, 60)[:, None] * np.array([0.0, 0.0, 1.0]))
    assert np.abs(quat.log(quat.mul(quat.inv(q), trunk.smoothed(q, 5.0)))).max() < 1e-3
    flipped = q * np.where(np.arange(60) % 7 == 0, -1.0, 1.0)[:, None]
    assert_allclose(np.abs((trunk.smoothed(flipped, 5.0) * trunk.smoothed(q, 5.0)).sum(axis=1)), 1.0, atol=1e-12)


@pytest.mark.both_engines
def test_the_halves_of_the_trunk_have_together_the_trunks_centre():
    """Ae, Tang & Yokoi 1992: 30.2 + 18.7 = 48.9 % of the body's mass, the whole's centre at 49.3 % from the neck."""
    halves, whole = body_mass.trunk_halves(BODY), body_mass.trunk(BODY)
    assert_allclose(np.concatenate([halves, whole]).sum(axis=1), 1.0)
    places = BODY.rest[1]
    upper, lower = halves @ places
    assert_allclose((0.302 * upper + 0.187 * lower) / 0.489, (whole @ places)[0], atol=5e-3)
    neck = places[BODY.roles["neck"]]
    hips = 0.5 * (places[BODY.roles["thigh.L"]] + places[BODY.roles["thigh.R"]])
    assert neck[2] > upper[2] > lower[2] > hips[2]
    assert_allclose((neck[2] - (whole @ places)[0, 2]) / (neck[2] - hips[2]), 0.493, atol=0.02)
    # The ribs end at 0.63 of the trunk: 0.428 of that, and 0.609 of the rest.
    assert_allclose(body_mass.RIBS, 0.63, atol=0.01)


@pytest.mark.both_engines
def test_a_body_without_a_neck_has_no_trunk_to_weigh():
    headless = replace(BODY, roles={role: j for role, j in BODY.roles.items() if role != "neck"})
    with pytest.raises(SkeletonError, match="no joint plays the part of neck"):
        body_mass.trunk(headless)
