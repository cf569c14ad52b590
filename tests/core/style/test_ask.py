"""Requests for speed, turn and steps: the result has them, or the nearest possible ones with a message."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, OptionError
from action_loom.core.formats import motion_file
from action_loom.core.motion import cycles, root_motion
from action_loom.core.style import measures
from action_loom.core.verbs import Ask
from action_loom.core.verbs.ask import work as ask
from oracles import material

pytestmark = pytest.mark.both_engines
WAYS = ((0.8, 0.5, 0.0), (1.6, 0.8, 0.0), (1.2, 0.65, 0.9), (1.2, 0.65, -0.9), (1.0, 0.7, 0.3))


@pytest.fixture(scope="module")
def clips():
    return [
        replace(actions.walk(30.0, 4, speed=speed, step=step, turn=turn), name=f"w{k}")
        for k, (speed, step, turn) in enumerate(WAYS)
    ]


@pytest.fixture(scope="module")
def examples(clips):
    return ask.gather(clips, Ask())


def asked_of(clips, examples, **options):
    return verbs.apply(Ask(**options), clips, prepared=examples)


@pytest.mark.parametrize(
    "options",
    [{"speed": 1.1}, {"speed": 1.2, "turn": 20.0}, {"speed": 1.25, "turn": -30.0}, {"speed": 1.3, "step": 0.7}],
)
def test_what_is_asked_comes(clips, examples, options):
    made = asked_of(clips, examples, **options)
    for name, wanted in made.asked.items():
        spread = np.ptp(examples.measured[name])
        assert abs(made.got[name] - wanted) < 0.005 * spread, name
    assert not [one for one in made.report["warnings"] if "outside" in one]
    assert made.weights.min() >= 0.0
    assert (made.weights[0] > 1e-9).sum() <= len(made.asked) + 1
    assert sum(made.report["ask"]["weights"]) == pytest.approx(1.0, abs=1e-3)


def test_the_clip_itself_goes_so_fast_and_turns_so_much(clips, examples):
    made = asked_of(clips, examples, speed=1.2, turn=20.0, strides=4, plant_feet=False)
    ground, facing = root_motion.ground_frames(made.clip)
    assert root_motion.path_length(root_motion.smooth(ground, 8.0)) / made.clip.seconds == pytest.approx(1.2, rel=0.03)
    assert np.degrees(facing[-1] - facing[0]) / made.clip.seconds == pytest.approx(20.0, abs=1.0)


def test_a_single_stride_is_a_loop(clips, examples):
    made = asked_of(clips, examples, speed=1.1).clip
    assert made.cyclic
    assert cycles.gap(made) < 1e-3 * made.skeleton.height
    assert not asked_of(clips, examples, speed=1.1, strides=3).clip.cyclic


def test_what_lies_outside_is_brought_near_and_said(clips, examples):
    made = asked_of(clips, examples, speed=9.0)
    assert made.report["ask"]["outside"]
    assert any("outside what these clips do together" in one for one in made.report["warnings"])
    assert made.got["speed"] == pytest.approx(examples.measured["speed"].max(), rel=0.02)


def test_mirror_images_turn_where_no_clip_does(clips):
    left = [clips[0], clips[2]]
    alone, both = (verbs.apply(Ask(speed=1.0, turn=-20.0, mirror=mirror), left) for mirror in (False, True))
    assert alone.report["ask"]["outside"]
    assert not both.report["ask"]["outside"]
    assert both.got["turn"] == pytest.approx(-20.0, abs=0.5)


def test_it_changes_on_the_way_as_rows_say(clips, examples):
    made = asked_of(clips, examples, over_time=((0.0, 0.9, 0.0), (3.0, 1.5, 0.0), (5.0, 1.5, 0.0)), plant_feet=False)
    ground, _ = root_motion.ground_frames(made.clip)
    speed = np.linalg.norm(np.gradient(root_motion.smooth(ground, 12.0), axis=0), axis=1) * made.clip.rate
    count = len(speed)
    assert speed[count // 10] < 1.15 < 1.3 < speed[-count // 6]
    assert 4.5 < made.clip.seconds < 7.5
    assert len(made.weights) >= 4


def test_other_measures_can_be_asked_for(clips, examples):
    wanted = float(np.median(examples.measured["cadence"]))
    made = asked_of(clips, examples, speed=1.2, any_turn=True, also=f"cadence {wanted:.4f}")
    assert made.got["cadence"] == pytest.approx(wanted, rel=0.01)
    assert set(made.asked) == {"speed", "cadence"}


def test_the_result_begins_where_the_first_clip_does_and_has_its_rate(clips, examples):
    moved = [root_motion.place_clip(clips[0], 0.7, np.array([5.0, 1.0])), *clips[1:]]
    made = verbs.apply(Ask(speed=1.1), moved)
    assert made.clip.rate == clips[0].rate
    ground = root_motion.ground_frames(made.clip)[0]
    assert np.linalg.norm(ground[0] - root_motion.ground_frames(moved[0])[0], axis=1).min() < 0.2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"any_turn": True}, "Nothing is asked for"),
        ({"speed": 1.0, "also": "joy 3"}, "'joy': what can be asked for is"),
        ({"speed": 1.0, "also": "lift much"}, "'lift much', but each part is a measure and a number"),
        ({"speed": 1.0, "step": 0.6, "also": "cadence 100"}, "two of them tell the third"),
        ({"over_time": ((0.0, 1.0, 0.0), (0.0, 1.2, 0.0))}, "over_time takes rows of"),
        ({"over_time": ((0.0, 1.0), (1.0, 1.2))}, "over_time takes rows of"),
    ],
)
def test_what_can_not_be_asked_is_refused(clips, examples, options, message):
    with pytest.raises(OptionError, match=message):
        asked_of(clips, examples, **options)


def test_clips_that_are_all_alike_leave_nothing_to_ask(clips):
    same = [clips[0], replace(clips[0], name="again")]
    with pytest.raises(OptionError, match="all strides are alike in that"):
        verbs.apply(Ask(speed=1.0, mirror=False, basis="clips"), same)
    with pytest.raises(ClipError, match="strides are needed"):
        verbs.apply(Ask(speed=1.0), [actions.wave(30.0)])


@pytest.mark.both_engines
@pytest.mark.shared
def test_captured_walks_that_nothing_is_tuned_on_do_what_is_asked():
    takes = [material.captured(f"cmu_{name}") for name in ("mb_08_01", "mb_12_01", "mb_32_01", "mb_35_03", "mb_16_15")]
    examples = ask.gather(takes, Ask())
    unit = measures.unit_of(takes[0].skeleton)
    rng = np.random.default_rng(1)
    off = []
    for weights in rng.dirichlet(np.full(len(examples.material), 0.3), 15):
        speed, turn = (float(weights @ examples.measured[name]) for name in ("speed", "turn"))
        made = verbs.apply(Ask(speed=speed * unit, turn=turn), takes, prepared=examples)
        off.append([abs(made.got[n] - made.asked[n]) / np.ptp(examples.measured[n]) for n in ("speed", "turn")])
    assert np.median(off) < 0.001


@pytest.mark.parametrize(
    ("path", "most"),
    [
        (((0, 0), (0, 8)), 8.0),
        (tuple((3.0 * np.sin(t), 3.0 - 3.0 * np.cos(t)) for t in np.linspace(0.0, np.pi, 40)), 15.0),
        (((5, 5), (5, 9), (1, 9)), 35.0),
    ],
    ids=["straight", "half a circle", "corner"],
)
def test_it_keeps_to_a_path(clips, examples, path, most):
    made = asked_of(clips, examples, speed=1.2, path=path)
    assert made.report["ask"]["off_path_cm"] < most
    ground, facing = root_motion.ground_frames(made.clip)
    assert np.linalg.norm(ground[0] - path[0]) < 0.1
    assert np.linalg.norm(ground[-1] - path[-1]) < 1.2  # whole strides
    way = np.subtract(path[1], path[0])
    assert np.cos(facing[0] - np.arctan2(-way[0], way[1])) > 0.95


def test_speeds_change_along_a_path(clips, examples):
    rows = ((0.0, 0.9, 0.0), (1.0, 1.5, 0.0))
    made = asked_of(clips, examples, path=((0, 0), (0, 12)), over_time=rows, plant_feet=False)
    ground, _ = root_motion.ground_frames(made.clip)
    speed = np.linalg.norm(np.gradient(root_motion.smooth(ground, 12.0), axis=0), axis=1) * made.clip.rate
    assert speed[: len(speed) // 5].mean() + 0.3 < speed[-len(speed) // 5 :].mean()


@pytest.mark.parametrize(
    ("path", "message"), [(((0, 0),), "path takes rows of x, y"), (((0, 0), (0, 0.02)), "nowhere to walk")]
)
def test_what_is_no_path_is_refused(clips, examples, path, message):
    with pytest.raises(OptionError, match=message):
        asked_of(clips, examples, path=path)


@pytest.mark.both_engines
@pytest.mark.shared
def test_runs_that_are_blended_do_not_sink():
    runs = [motion_file.read(material.SHARED / "amc" / f"{name}.amc").clip for name in ("16_41", "16_26", "16_54")]
    made = verbs.apply(Ask(speed=2.5, any_turn=True), runs)
    assert made.report["limits"]["penetration_cm"] < 1.0  # 5.5 before
