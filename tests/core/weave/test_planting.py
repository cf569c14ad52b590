"""The verbs' option Plant Feet: which feet are planted, which frames stay equal to the bit, and on which ground."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.edit.feet import spans
from action_loom.core.edit.feet.planting import planted
from action_loom.core.errors import OptionError
from action_loom.core.motion import cycles, kinematics, quat, root_motion, trim
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.inheritance import Inheritance
from action_loom.core.options import declared_options
from action_loom.core.quality import contacts
from action_loom.core.recipes.planting import PlantOptions
from action_loom.core.verbs import (
    Blend,
    BuildGraph,
    Connect,
    Follow,
    InPlace,
    Loop,
    Plant,
    Retarget,
    Shortest,
    Splice,
    Walk,
)
from action_loom.core.weave import planting
from numpy.testing import assert_allclose, assert_array_equal
from oracles import gait, material, paths
from oracles.material import captured

pytestmark = pytest.mark.both_engines

WALK, SNEAK, WAVE = actions.walk(60.0, 4), actions.sneak(60.0, 4), actions.wave()


def sliding(clip, aside=0.15, ahead=0.0):
    """A clip with a constant sideways and forward drift in metres per second."""
    time = np.arange(len(clip)) / clip.rate
    return root_motion.place_clip(clip, np.zeros(len(clip)), np.stack([aside * time, ahead * time], axis=1))


SLIDING = replace(sliding(WALK), name="sliding")
SLIDING_SNEAK = replace(sliding(SNEAK), name="sliding sneak")


def both(recipe, clips):
    """Return the results of a recipe with Plant Feet on and off."""
    return [verbs.apply(replace(recipe, plant_feet=on), clips) for on in (True, False)]


def bitwise(recipe, clips):
    """Assert that Plant Feet changes nothing, and return the report's reason."""
    on, off = both(recipe, clips)
    assert_array_equal(on.clip.rotations, off.clip.rotations)
    assert_array_equal(on.clip.translations, off.clip.translations)
    assert on.report["plant"] is None
    assert off.report["not_planted"] == planting.OFF
    return on.report["not_planted"]


def middle_slide(clip, rows):
    """Mean speed of balls in the middle halves of spans, cm/s."""
    balls, found = contacts.feet(clip), []
    for span in rows:
        if span.part == spans.BALL and span.end - span.first > 8:
            speed = np.linalg.norm(np.gradient(balls[span.foot][:, :2], axis=0), axis=1) * clip.rate
            found.append(100.0 * speed[span.middle.first : span.middle.end].mean())
    return float(np.mean(found))


def rows_of(result):
    return spans.of_rows(result.report["plant"]["spans"], len(result.clip))


@pytest.mark.one_engine
def test_its_spans_are_those_of_plant_and_are_read_again():
    assert vars(replace(declared_options(Blend)["spans"], only_for=None)) == vars(declared_options(Plant)["spans"])
    assert Blend().plant_feet
    recipe = Connect(plant_feet=False, spans=((0, 0, 3, 9),))
    assert verbs.from_json(recipe.to_json()) == recipe


@pytest.mark.parametrize(
    ("recipe", "clips"),
    [
        (Blend(), [SLIDING, SNEAK]),
        (Connect(), [SLIDING, SNEAK]),
        (Loop(whole="no"), [sliding(actions.walk(60.0, 6))]),
        (Walk(seconds=6.0, seed=3, hold=0.3), [SLIDING, SLIDING_SNEAK]),
        (Follow(path=((0, 0), (0, 3)), spread=1.0), [SLIDING, SNEAK]),
        (Retarget(), [SNEAK, SLIDING]),
    ],
    ids=lambda one: one.verb if isinstance(one, PlantOptions) else "",
)
def test_feet_that_slide_stand(recipe, clips):
    if isinstance(recipe, Retarget):
        body = clips[0].skeleton
        clips = [replace(clips[0], skeleton=replace(body, offsets=1.1 * body.offsets, tips=1.1 * body.tips)), clips[1]]
    on, off = both(recipe, clips)
    rows = rows_of(on)
    assert rows
    assert on.report["not_planted"] == ""
    assert middle_slide(off.clip, rows) > 4.0
    assert middle_slide(on.clip, rows) < 0.5
    assert on.report["quality"]["after"]["slide_cm_s"] < off.report["quality"]["after"]["slide_cm_s"]
    # The recipe with its spans written down makes the same again, but for feet beside them that stood.
    again = verbs.apply(verbs.from_json(replace(recipe, spans=on.report["plant"]["spans"]).to_json()), clips)
    assert_allclose(kinematics.points(again.clip), kinematics.points(on.clip), atol=2e-3)


def test_of_one_source_legs_stay_to_the_bit():
    turned = root_motion.place_clip(SLIDING, 0.7, np.array([2.0, 1.0]))
    for recipe, clips in (
        (Blend(weights=(1.0, 0.0)), [SLIDING, SNEAK]),
        (Blend(ends="pinned"), [SLIDING, turned]),
        (Connect(from_frame=100, to_frame=100, trim=False), [SLIDING, SLIDING]),
        (Splice(), [SLIDING, WAVE]),
        (Loop(trim=False, repeat=3), [a_cycle()]),
        (Shortest(leave="sliding:10", reach="sliding:60", mirror=False), [SLIDING]),
        (Retarget(trim=False), [SLIDING, SLIDING]),
    ):
        assert bitwise(recipe, clips) == planting.ONE_SOURCE, recipe


@pytest.mark.one_engine
def test_spans_that_are_given_are_planted_all_the_same():
    rows = tuple(tuple(map(float, span.row)) for span in spans.find(SLIDING))
    made = verbs.apply(Splice(spans=rows), [SLIDING, WAVE])
    assert middle_slide(made.clip, rows_of(made)) < 0.5
    assert [tuple(row) for row in made.report["plant"]["spans"]] == [tuple(map(int, row)) for row in rows]
    one = verbs.apply(Blend(spans=rows[1:2]), [SLIDING, SNEAK])
    assert len(one.report["plant"]["spans"]) == 1
    with pytest.raises(OptionError, match="spans takes rows of foot"):
        verbs.apply(Blend(spans=((0, 0, 5, 99999),)), [SLIDING, SNEAK])
    off = verbs.apply(Splice(spans=rows, plant_feet=False), [SLIDING, WAVE])
    assert_array_equal(off.clip.rotations, verbs.apply(Splice(), [SLIDING, WAVE]).clip.rotations)


def a_cycle(turn=0.0, frames=60):
    """A cycle whose feet slide; it closes."""
    walk = actions.walk(60.0, 1)
    time = np.arange(len(walk)) / 60.0
    slide = np.stack([0.15 * time, 0.0 * time], axis=1)
    return replace(root_motion.place_clip(walk, turn * time, slide), name="cycle", cyclic=True)


@pytest.mark.parametrize("turn", [0.0, 0.3])
@pytest.mark.parametrize("more", [{}, {"phase": 0.6, "repeat": 2}])
def test_loops_stay_loops(turn, more):
    # Half a frame more than a cycle: its ends are mended, so it is not handed over.
    long = cycles.unroll_cycle(a_cycle(turn), 1, 2)
    recipe = Loop(trim=False, whole="no", straighten="no", **more)
    on, off = both(recipe, [replace(long, cyclic=False)])
    assert on.report["plant"]["spans"]
    one = (len(on.clip) - 1) // recipe.repeat
    first = on.clip.cut(0, one + 1)
    assert cycles.gap(first) < 1e-6
    if recipe.repeat > 1:
        laps = cycles.unroll_cycle(replace(first, cyclic=True), 0, recipe.repeat - 1)
        assert_allclose(kinematics.points(laps), kinematics.points(on.clip), atol=1e-6)
    rows = rows_of(on)
    assert middle_slide(on.clip, rows) < 1.0 < middle_slide(off.clip, rows)
    laps = cycles.unroll_cycle(on.clip, 1, 1)
    seam = len(on.clip) - 1
    sharpest = np.linalg.norm(np.diff(kinematics.points(laps), n=2, axis=0), axis=2).max(axis=1)
    assert sharpest[seam - 2 : seam + 2].max() <= sharpest.max() * (1.0 + 1e-6)


def test_blends_of_cycles_stay_cycles():
    on, off = both(Blend(), [a_cycle(), a_cycle(0.4)])
    assert on.clip.cyclic
    assert cycles.gap(on.clip) < 1e-9
    rows = rows_of(on)
    assert middle_slide(on.clip, rows) < 1.0 < middle_slide(off.clip, rows)


@pytest.mark.parametrize("phase", [0.0, 0.4])
def test_loops_in_place_stand_on_a_ground_that_goes_back(phase):
    clip = replace(cycles.unroll_cycle(a_cycle(), 1, 2), cyclic=False)
    recipe = Loop(trim=False, start=70, length=64, whole="no", straighten="yes", phase=phase)
    going, staying = (verbs.apply(replace(recipe, in_place=still), [clip]) for still in (False, True))
    assert staying.report["plant"]["spans"] == going.report["plant"]["spans"]
    local, spot = (cycles.in_ground_frames(one.clip) for one in (going, staying))
    assert_allclose(spot, local, atol=1e-6)
    ground, _ = root_motion.ground_frames(staying.clip)
    assert np.linalg.norm(ground[-1] - ground[0]) < 1e-6
    feet = contacts.feet(staying.clip)
    speeds = []
    for span in rows_of(staying):
        if span.part == spans.BALL and span.end - span.first > 8:
            at = slice(span.middle.first, span.middle.end)
            speeds.append(np.gradient(feet[span.foot][:, :2], axis=0)[at] * clip.rate)
    back = np.concatenate(speeds)
    assert np.linalg.norm(back.mean(axis=0)) > 0.5  # the ground goes
    assert np.linalg.norm(back - back.mean(axis=0), axis=1).mean() < 0.02  # and the feet with it


def test_clips_that_walk_on_the_spot_are_planted_on_their_way():
    time = np.arange(len(WALK)) / WALK.rate
    sway = np.stack([0.04 * np.sin(5.0 * time), 0.0 * time], axis=1)
    walk = verbs.apply(InPlace(trim=False), [root_motion.place_clip(WALK, np.zeros(len(WALK)), sway)]).clip
    for clip in (walk, replace(walk, channels={})):
        made = verbs.apply(Plant(), [clip])
        reported = made.report["plant"]
        assert reported["spans"]
        assert reported["middle_slide_cm_s"][1] < 0.5
        assert reported["pelvis_cm"] < 8.0
        # It still walks on the spot, and its channels are as they were.
        assert np.abs(root_motion.ground_frames(made.clip)[0] - root_motion.ground_frames(clip)[0]).max() < 0.1
        assert list(made.clip.channels) == list(clip.channels)
    cycle = replace(verbs.apply(InPlace(trim=False), [a_cycle(0.0)]).clip, channels={})
    made = verbs.apply(Plant(), [cycle]).clip
    assert cycles.gap(made) < 1e-6


@pytest.mark.parametrize(
    ("recipe", "clips"),
    [
        (Blend(), [SLIDING, SNEAK]),
        (Connect(), [SLIDING, SNEAK]),
        (Loop(whole="no"), [sliding(actions.walk(60.0, 6))]),
        (Walk(seconds=6.0, seed=3, hold=0.3), [SLIDING, SLIDING_SNEAK]),
    ],
    ids=lambda one: one.verb if isinstance(one, PlantOptions) else "",
)
def test_nothing_is_planted_twice(recipe, clips):
    made = verbs.apply(recipe, clips).clip
    again, done = planted(made)
    assert again is made
    assert done.spans == ()
    assert verbs.apply(Plant(), [made]).clip.rotations is made.rotations


def test_feet_of_sources_that_stand_still_are_left():
    planted_once = verbs.apply(Connect(), [SLIDING, SNEAK]).clip
    on, off = both(Connect(), [planted_once, WALK])
    seam = on.seams[0]
    far = seam - 60
    assert far > 60
    balls = [contacts.feet(one.clip) for one in (on, off)]
    for span in (one.middle for one in spans.find(off.clip) if one.end < far and one.part == spans.BALL):
        assert np.abs(balls[0][span.foot] - balls[1][span.foot])[span.first : span.end].max() < 2e-4
    still = WALK.take_frames(np.zeros(60, dtype=int))
    on, off = both(Connect(from_frame=30, to_frame=20), [still, still])
    assert_array_equal(on.clip.rotations, off.clip.rotations)


def loosened(clip, parts=("head", "upper_arm.L")):
    """A clip on a body whose joints take no scale over from their parents, and some parts no turn."""
    body = clip.skeleton
    every = np.ones(len(body), dtype=bool)
    turns = every.copy()
    turns[[body.roles[role] for role in parts]] = False
    rules = Inheritance(turns, ("NONE",) * len(body), every, quat.IDENTITY)
    return replace(clip, skeleton=replace(body, inheritance=rules), channels={})


def test_bodies_of_loose_joints_are_planted_too():
    on, off = both(Blend(ends="open"), [replace(loosened(clip), cyclic=False) for clip in (SLIDING, SNEAK)])
    rows = rows_of(on)
    assert rows
    assert middle_slide(on.clip, rows) < 0.5 < middle_slide(off.clip, rows)
    cycle = loosened(a_cycle())
    made = verbs.apply(Plant(), [cycle])
    assert cycles.gap(made.clip) < 1e-6
    assert made.report["plant"]["middle_slide_cm_s"][1] < 1.0
    # These feet already follow their path, so they need no turn.
    time = np.arange(len(WALK)) / WALK.rate
    sway = np.stack([0.04 * np.sin(5.0 * time), 0.0 * time], axis=1)
    spot = verbs.apply(InPlace(trim=False), [root_motion.place_clip(WALK, np.zeros(len(WALK)), sway)]).clip
    reported = verbs.apply(Plant(), [loosened(spot)]).report["plant"]
    assert reported["middle_slide_cm_s"][1] < 0.5 < reported["middle_slide_cm_s"][0]
    turning = loosened(a_cycle(0.3), ())
    made, outcome = planting.of_result(turning, Blend(), one_source=False)
    assert outcome.report["plant"]["middle_slide_cm_s"][1] < 1.0
    assert cycles.gap(made) < 1e-6


@pytest.mark.one_engine
def test_bodies_that_cannot_be_planted_do_not_fail():
    body = WALK.skeleton
    legless = [replace(clip, skeleton=replace(body, roles={"hips": 0})) for clip in (WALK, SNEAK)]
    made = verbs.apply(Blend(), legless)
    assert made.report["plant"] is None
    assert "its feet are not known" in made.report["not_planted"]


@pytest.mark.one_engine
def test_four_feet_are_planted_too():
    fox = material.character("Fox")
    assert fox.four_footed
    clip = four_footed(fox, 0.02)
    on, off = both(Blend(ends="pinned"), [clip, four_footed(fox, 0.05)])
    assert {span.foot for span in rows_of(on)} == {"L", "R", "front L", "front R"}
    assert middle_slide(on.clip, rows_of(on)) < 0.3 * middle_slide(off.clip, rows_of(on))


def four_footed(body, far):
    """The fox of an artist, gliding to and fro on four feet."""
    frames = 90
    moved = np.zeros((frames, len(body), 3))
    moved[:, 0, 0] = far * np.sin(np.arange(frames) / 15.0)
    still = np.zeros((frames, len(body), 4))
    still[..., 0] = 1.0
    return Clip("glide", body, 30.0, still, moved)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("recipe", "names"),
    [
        (Blend(), "mb_02_01 mb_16_15"),
        (Blend(), "mb_32_01 mb_35_03"),
        (Connect(), "mb_08_01 mb_12_01"),
        (Loop(repeat=4), "mb_12_01"),
        (Retarget(), "asf_16_15 mb_05_01"),
        (Retarget(), "mb_02_01 mb_35_03"),
    ],
    ids=lambda one: one if isinstance(one, str) else one.verb,
)
def test_captured_feet_stand_where_gait_events_say_that_they_do(recipe, names):
    """All rows but the first use held-out clips."""
    on, off = both(recipe, [captured(f"cmu_{name}") for name in names.split()])
    stances = [spans.Span(side, spans.BALL, strike, end) for side, strike, end in gait.stances(off.clip)]
    assert middle_slide(off.clip, stances) > 4.0
    assert middle_slide(on.clip, stances) < 0.5
    reported = on.report["plant"]
    assert reported["slide_cm_s"][1] < reported["slide_cm_s"][0] / 6.0
    assert reported["knee"] < 1.3
    assert reported["pelvis_cm"] < 3.0
    assert reported["swing_cm"] < 10.0


@pytest.mark.shared
def test_contacts_of_a_retargeted_clip_are_its_sources():
    body, clip = captured("cmu_asf_16_15"), captured("cmu_mb_05_01")
    made = verbs.apply(Retarget(), [body, clip])
    assert rows_of(made) == [span for span in spans.find(trim.ends(clip).clip) if span in rows_of(made)]


@pytest.mark.shared
def test_a_planted_walk_keeps_to_its_path():
    clips = [captured(f"cmu_{name}") for name in ("mb_08_01", "mb_12_01", "mb_32_01", "mb_35_03")]
    graph = verbs.apply(BuildGraph(), clips)
    recipe = Follow(path=paths.s_curve().tolist())
    on, off = (verbs.apply(replace(recipe, plant_feet=plant), [], prepared=graph) for plant in (True, False))
    assert on.report["follow"]["rms"] <= off.report["follow"]["rms"] + 0.005
    assert on.report["follow"]["rms"] <= 0.1
    stances = [spans.Span(side, spans.BALL, strike, end) for side, strike, end in gait.stances(off.clip)]
    assert middle_slide(on.clip, stances) < 0.5 < middle_slide(off.clip, stances)
