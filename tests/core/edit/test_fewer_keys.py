"""Reduced keys: the bound holds in every frame for each kind of key; ends, cycles and contact frames get keys."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import jit, verbs
from action_loom.core.demo_character import actions
from action_loom.core.edit import fewer_keys
from action_loom.core.edit.fewer_keys import fewer
from action_loom.core.edit.keyed import Keying, Keys
from action_loom.core.edit.segments import fit
from action_loom.core.errors import ClipError, OptionError
from action_loom.core.motion import cycles, kinematics, quat, resample, rotation_modes
from action_loom.core.motion.clip import Channel
from action_loom.core.motion.inheritance import Inheritance
from action_loom.core.quality import contacts
from action_loom.core.verbs import FewerKeys, Plant
from numpy.testing import assert_allclose, assert_array_equal
from oracles import material
from oracles.material import captured
from scipy.interpolate import BPoly, CubicHermiteSpline

pytestmark = pytest.mark.both_engines
WALK = actions.walk(60.0, 2)
MM = 1e-3


def rough(clip, seed=3, degrees=0.1):
    """A clip with noise, like a captured one."""
    rng = np.random.default_rng(seed)
    noise = quat.exp(np.radians(degrees) * rng.normal(size=(*clip.rotations.shape[:2], 3)))
    moved = clip.translations + (clip.translations != 0.0) * 2e-4 * rng.normal(size=clip.translations.shape)
    return replace(clip, rotations=quat.mul(clip.rotations, noise), translations=moved)


def off(one, other):
    """Return the largest distance between corresponding points of two clips."""
    return np.linalg.norm(kinematics.points(one) - kinematics.points(other), axis=2).max(axis=0)


def holds(clip, within, feet=0.0, **how):
    """Reduce the keys of a clip; assert that the error is within the bounds and that the report's figures are true."""
    found = fewer(clip, within, feet, **how)
    away = off(found.keyed.clip(), clip)
    chain = fewer_keys.feet_chain(clip.skeleton)
    of_feet = np.concatenate([chain, chain[clip.skeleton.tipped]])
    assert away.max() <= within * (1.0 + 1e-6) + 1e-9
    assert away[of_feet].max(initial=0.0) <= (feet or 0.25 * within) * (1.0 + 1e-6) + 1e-9
    assert found.error == pytest.approx(away.max(), abs=1e-12)
    assert found.feet_error == pytest.approx(away[of_feet].max(initial=0.0), abs=1e-12)
    return found.keyed


def share(keyed):
    return keyed.key_count / keyed.full_count


@pytest.mark.parametrize("within", [0.2, 2.0, 20.0])
@pytest.mark.parametrize("clip", [WALK, rough(WALK), rough(actions.wave(60.0)), rough(actions.sneak(30.0, 2))])
def test_the_bound_holds(clip, within):
    keyed = holds(clip, within * MM)
    assert share(keyed) < 1.0
    assert len(keyed) == len(clip)
    for keys in keyed.every:
        assert keys.frames[0] == 0
        assert keys.frames[-1] == len(clip) - 1
        assert (np.diff(keys.frames) > 0).all()


def test_wider_bounds_have_fewer_keys_and_the_bound_is_used():
    clip = rough(WALK)
    shares, errors = [], []
    for within in (0.5, 1.0, 2.0, 5.0):
        found = fewer(clip, within * MM)
        shares.append(share(found.keyed))
        errors.append(found.error / (within * MM))
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < 0.6 * shares[0]
    assert min(errors) > 0.8
    assert share(fewer(clip, 2.0 * MM, 0.2 * MM).keyed) > share(fewer(clip, 2.0 * MM, 2.0 * MM).keyed)


def test_values_at_keys_are_those_of_the_clip():
    """Only joints without tracked joints above them keep their values: others compensate for their parents' error."""
    clip = rough(WALK)
    keyed = holds(clip, 5.0 * MM)
    root = keyed.rotations[0]
    assert_allclose(np.abs((root.values * clip.rotations[root.frames, 0]).sum(axis=1)), 1.0, atol=1e-12)
    assert_allclose(keyed.translations[0].values, clip.translations[keyed.translations[0].frames, 0], atol=1e-12)
    played = keyed.clip()
    # First and last are keyed throughout: there nothing is off.
    ends = [0, len(clip) - 1]
    assert_allclose(kinematics.points(played)[ends], kinematics.points(clip)[ends], atol=1e-9)


def test_between_keys_are_cubics():
    """Against scipy: as Hermite curves of slopes, and as Bézier curves with handles at thirds."""
    keys = holds(rough(WALK), 2.0 * MM).rotations[0]
    at = np.linspace(0.0, keys.frames[-1], 333)
    for first, last, k in zip(keys.frames[:-1], keys.frames[1:], range(len(keys.frames)), strict=False):
        within = at[(at >= first) & (at <= last)]
        ends, slopes = keys.values[k : k + 2], np.stack([keys.slopes[k, 1], keys.slopes[k + 1, 0]])
        assert_allclose(keys.at(within), CubicHermiteSpline([first, last], ends, slopes)(within), atol=1e-12)
        third = (last - first) / 3.0
        handles = np.stack([ends[0], ends[0] + third * slopes[0], ends[1] - third * slopes[1], ends[1]])
        assert_allclose(keys.at(within), BPoly(handles[:, None], [first, last])(within), atol=1e-12)


def test_slopes_are_those_of_least_squares():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(14, 3))
    frames, slopes = fit.vectors(values, 1e9, np.array([0, 13]))
    assert_array_equal(frames, [0, 13])
    steps = np.arange(1, 13)

    def curve(slopes):
        return CubicHermiteSpline([0, 13], values[[0, 13]], slopes)(steps)

    best = np.square(curve(slopes[[0, 1], [1, 0]]) - values[1:13]).sum()
    for _ in range(50):
        other = slopes[[0, 1], [1, 0]] + 0.05 * rng.normal(size=(2, 3))
        assert np.square(curve(other) - values[1:13]).sum() > best


@pytest.mark.parametrize(("mode", "turned"), [(mode, bool(k % 2)) for k, mode in enumerate(rotation_modes.MODES)])
def test_every_rotation_mode(mode, turned):
    clip = rough(WALK)
    joints = len(clip.skeleton)
    stays = quat.exp(np.array([0.4, -0.3, 0.8])) if turned else None
    start = rotation_modes.from_quaternion(quat.exp(np.array([[0.1, 6.5, 0.2]])), mode)[0]
    keyed = holds(clip, 2.0 * MM, keyings=[Keying(mode=mode, turned=stays, start=start)] * joints)
    assert share(keyed) < 0.9
    for keying, keys in zip(keyed.keyings, keyed.rotations, strict=True):
        if keys is not None:
            assert keys.values.shape[1] == (4 if mode in ("QUATERNION", "AXIS_ANGLE") else 3)
            assert keying.mode == mode


def test_modes_of_a_body_may_differ():
    clip = rough(WALK)
    modes = [rotation_modes.MODES[k % 8] for k in range(len(clip.skeleton))]
    holds(clip, 1.0 * MM, keyings=[Keying(mode=mode) for mode in modes])


@pytest.mark.parametrize("mode", ["", "QUATERNION", "XYZ", "AXIS_ANGLE"])
@pytest.mark.parametrize("near", [1e-7, 0.002, 0.03])
def test_both_engines_find_the_same_keys_of_slow_and_of_quick_curves(rng, mode, near):
    """Segments of two frames and of two hundred, and values of either sign."""
    time = np.linspace(0.0, 1.0, 700)[:, None] ** 3
    waves = sum(rng.normal(size=3) * np.sin(2.0 * np.pi * (k * time + rng.random(3))) / k for k in range(1, 12, 3))
    turns = quat.same_side(quat.exp(waves), -quat.IDENTITY)
    values = rotation_modes.from_quaternion(turns, mode) if mode else waves
    kept, found = np.array([0, 350, 699]), []
    for engine in ("auto", "numpy"):
        jit.use(engine)
        found.append(fit.rotations(values, mode, near, kept) if mode else fit.vectors(values, near, kept))
    assert_array_equal(found[0][0], found[1][0])
    assert_allclose(found[0][1], found[1][1], atol=1e-9)
    assert near < 0.01 or np.diff(found[0][0]).max() > 100


def test_what_stands_still_has_keys_at_both_ends_and_what_is_at_rest_has_none():
    still = WALK.take_frames(np.zeros(40, dtype=int))
    keyed = holds(still, 2.0 * MM)
    assert keyed.every
    for keys in keyed.every:
        assert_array_equal(keys.frames, [0, 39])
    rest = replace(still, rotations=0.0 * still.rotations + quat.IDENTITY, translations=0.0 * still.translations)
    none = holds(rest, 2.0 * MM)
    assert none.every == []
    assert none.key_count == none.full_count == 0
    asked = fewer(rest, 2.0 * MM, keyings=[Keying(turns=True, moves=True, scales=True)] * len(rest.skeleton)).keyed
    assert len(asked.every) == 3 * len(rest.skeleton)
    assert_allclose(off(asked.clip(), rest), 0.0, atol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_short_clips(count):
    clip = rough(WALK).take_frames(np.arange(0, 9 * count, 9))
    keyed = holds(clip, 2.0 * MM)
    for keys in keyed.every:
        assert {0, count - 1} <= set(keys.frames.tolist())
    if count < 3:
        assert_allclose(kinematics.points(keyed.clip()), kinematics.points(clip), atol=1e-9)
        assert keyed.key_count == keyed.full_count


@pytest.mark.parametrize("mode", ["QUATERNION", "YZX", "AXIS_ANGLE"])
def test_cycles_stay_cycles(mode):
    cycle = replace(rough(actions.walk(60.0, 1)), cyclic=True)
    closed = cycles.unroll_cycle(cycle, 0, 1).cut(30, 30 + len(cycle))
    closed = replace(closed, cyclic=True)
    assert cycles.gap(closed) < 1e-9
    keyed = holds(closed, 2.0 * MM, keyings=[Keying(mode=mode)] * len(closed.skeleton))
    assert keyed.cyclic
    assert keyed.clip().cyclic
    assert cycles.gap(keyed.clip()) < 1e-9
    for keys in keyed.every:
        meet = keys.slopes[0, 1] - keys.slopes[-1, 0]
        opposite = keys.slopes[0, 1] + keys.slopes[-1, 0]
        assert min(np.abs(meet).max(), np.abs(opposite).max()) < 1e-12
        assert_allclose(keys.slopes[0, 0], keys.slopes[0, 1], atol=1e-12)
        assert_allclose(keys.slopes[-1, 0], keys.slopes[-1, 1], atol=1e-12)


def test_frames_are_kept():
    clip = rough(WALK)
    keyed = holds(clip, 20.0 * MM, keep=(7, 31))
    for keys in keyed.every:
        if np.ptp(keys.values, axis=0).max() > 1e-6:
            assert {0, 7, 31, len(clip) - 1} <= set(keys.frames.tolist())
    body = clip.skeleton
    for side, flags in contacts.detect(clip).items():
        stands = {frame for first, end in contacts.runs(flags) for frame in (first, end - 1)}
        assert stands
        for role in (f"foot.{side}", f"shin.{side}", f"thigh.{side}", "hips"):
            assert stands <= set(keyed.rotations[body.roles[role]].frames.tolist())


def test_feet_have_a_bound_of_their_own():
    clip = rough(WALK)
    holds(clip, 5.0 * MM, 0.2 * MM)
    holds(clip, 2.0 * MM, 2.0 * MM)
    # A second bound wider than the first is limited to the first.
    assert off(fewer(clip, 1.0 * MM, 9.0 * MM).keyed.clip(), clip).max() <= 1.0 * MM
    body = clip.skeleton
    chain = fewer_keys.feet_chain(body)
    assert {name for name, joint in body.roles.items() if chain[joint]} >= {"hips", "thigh.L", "foot.R"}
    assert not chain[[body.roles[role] for role in ("head", "hand.L", "spine")]].any()
    nobody = replace(body, roles={"hips": 0})
    assert not fewer_keys.feet_chain(nobody).any()
    holds(replace(clip, skeleton=nobody), 2.0 * MM)


def test_channels():
    time = np.arange(len(WALK)) / WALK.rate
    switch = np.where((time > 0.5) & (time < 1.0), 3.0, 1.0)
    wave, still = 40.0 * np.sin(3.0 * time), np.full(len(time), 2.5)
    channels = {"wave": Channel(wave), "still": Channel(still), "switch": Channel(switch, discrete=True)}
    keyed = holds(replace(WALK, channels=channels), 2.0 * MM)
    played = keyed.clip().channels
    assert_array_equal(played["switch"].values, switch)
    assert played["switch"].discrete
    assert len(keyed.channels["switch"].frames) == 4
    assert_array_equal(keyed.channels["still"].frames, [0, len(WALK) - 1])
    assert_allclose(played["still"].values, 2.5)
    assert np.abs(played["wave"].values - wave).max() <= 1e-3 * 80.0
    assert len(keyed.channels["wave"].frames) < 0.25 * len(WALK)


def test_steps_hold():
    keys = Keys(np.array([0, 4, 9]), np.array([[1.0], [2.0], [3.0]]), np.zeros((3, 2, 1)), steps=True)
    assert_array_equal(keys.at(np.array([-1.0, 0.0, 3.9, 4.0, 8.99, 9.0, 20.0]))[:, 0], [1, 1, 1, 2, 2, 3, 3])


def loose(clip, scaled):
    """A clip of a body whose head does not turn along, and one hand takes no scale."""
    body = clip.skeleton
    turns, rules = np.ones(len(body), dtype=bool), ["FULL"] * len(body)
    turns[body.roles["head"]] = False
    rules[body.roles["hand.L"]] = "NONE"
    every = np.ones(len(body), dtype=bool)
    body = replace(body, inheritance=Inheritance(turns, tuple(rules), every, quat.IDENTITY))
    if not scaled:
        return replace(clip, skeleton=body)
    scales = np.ones((len(clip), len(body), 3))
    scales[:, body.roles["chest"], 1] += 0.2 * np.sin(np.arange(len(clip)) / 9.0)
    scales[:, body.roles["upper_arm.L"]] *= (1.0 + 0.1 * np.cos(np.arange(len(clip)) / 7.0))[:, None]
    return replace(clip, skeleton=body, scales=scales)


@pytest.mark.parametrize("scaled", [False, True])
def test_scales_and_bone_settings(scaled):
    clip = loose(rough(WALK), scaled)
    keyed = holds(clip, 2.0 * MM)
    assert share(keyed) < 0.8
    assert (keyed.clip().scales is not None) == scaled
    if scaled:
        chest = clip.skeleton.roles["chest"]
        assert_allclose(keyed.clip().scales[:, chest], clip.scales[:, chest], atol=2e-2)


def test_trees_of_any_kind():
    rng = np.random.default_rng(11)
    for roots in (1, 3):
        skeleton = material.random_skeleton(rng, 9, roots)
        at = np.linspace(0.0, 3.0, 50)
        poses = material.random_clip(rng, skeleton, 4)
        clip = replace(resample.sample(poses, at), rate=30.0)
        keyed = holds(clip, 5.0 * MM)
        assert share(keyed) < 0.9


def test_a_body_without_size():
    skeleton = material.figure()
    flat = replace(skeleton, offsets=0.0 * skeleton.offsets, tips=0.0 * skeleton.tips)
    clip = replace(rough(material.walk()), skeleton=flat)
    holds(clip, 2.0 * MM)


def test_the_verb():
    clip = replace(rough(WALK), channels={"x": Channel(np.linspace(0.0, 1.0, len(WALK)))})
    made = verbs.apply(FewerKeys(within=3.0, keep_frames=((4, 9), (20,))), [clip])
    reported = made.report["fewer_keys"]
    before, after = reported["keys"]
    assert before == made.keyed.full_count
    assert after == made.keyed.key_count
    assert reported["share"] == pytest.approx(after / before, abs=1e-4)
    assert reported["error_mm"] == pytest.approx(1e3 * off(made.clip, clip).max(), abs=1e-3)
    assert reported["error_mm"] <= 3.0
    assert reported["feet_error_mm"] <= 0.75
    assert len(reported["stand_slide_cm_s"]) == 2
    assert made.before is clip
    assert list(made.clip.channels) == ["x"]
    assert {4, 9, 20} <= set(made.keyed.rotations[0].frames.tolist())
    assert_array_equal(made.clip.rotations, made.keyed.clip().rotations)
    recipe = FewerKeys(within=3.0, feet=0.1, keep_frames=((4, 9), (20,)))
    assert verbs.from_json(recipe.to_json()) == recipe
    assert recipe.kept == (4, 9, 20)


def test_what_can_not_be_done_is_said():
    with pytest.raises(ClipError, match="takes 1 clip; 2 given"):
        verbs.apply(FewerKeys(), [WALK, WALK])
    with pytest.raises(OptionError, match=r"has no frame 9999: its frames are 0 to \d+"):
        verbs.apply(FewerKeys(keep_frames=((9999,),)), [WALK])
    with pytest.raises(OptionError, match=r"within is 0.0, but must lie between 0.01 and 1000 mm"):
        FewerKeys(within=0.0)


TUNED_ON = ("mb_02_01", "daz_13_35")
ASIDE = ("mb_35_03", "asf_16_19", "daz_martial_04")


def some_of(clip):
    """Return a part of the clip short enough for the current engine."""
    return clip.cut(0, min(len(clip), 160 if jit._wanted == "numpy" else 1200))


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("name", TUNED_ON + ASIDE)
def test_captured_clips(name):
    clip = some_of(captured(f"cmu_{name}"))
    keyed = holds(clip, 2.0 * MM)
    assert share(keyed) <= 0.25
    holds(clip, 1.0 * MM, 0.1 * MM)


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize("name", ["mb_02_01", "mb_08_01"])
def test_planted_feet_stay_where_they_stand(name):
    clip = verbs.apply(Plant(), [some_of(captured(f"cmu_{name}"))]).clip
    for feet, most in ((0.0, 3.0), (0.2, 1.0)):
        before, after = verbs.apply(FewerKeys(feet=feet), [clip]).report["fewer_keys"]["stand_slide_cm_s"]
        assert after <= before + most
