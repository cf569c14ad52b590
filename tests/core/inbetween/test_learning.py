"""Learning departures from interpolation: keys are exact, like clips are predicted, and other motion is not trusted."""

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.inbetween import fill, filling, learning, windows
from action_loom.core.inbetween.windows import Around
from action_loom.core.motion import kinematics, quat, resample, root_motion

ROWS = 16


def paced(factors):
    """A walk at several paces, each as a clip of its own."""
    walk = actions.walk()
    return [resample.sample(walk, np.arange(0.0, len(walk) - 1.0, factor)) for factor in factors]


@pytest.fixture(scope="module")
def library():
    return fill.library(paced((0.85, 0.95, 1.05, 1.15)), 0.5)


def far(one, other):
    return float(np.linalg.norm(kinematics.points(one) - kinematics.points(other), axis=2).mean())


def predict(library, clip, first):
    model = library.model(ROWS, Around())
    even = filling.interpolate_poses(clip.cut(first, first + 1), clip.cut(first + ROWS, first + ROWS + 1), ROWS + 1)
    poses = windows.pose_of(clip.take_frames(np.array([first, first + ROWS])), library.moving)
    learnt = model.predict(poses, 0, 1, [], [])
    return learnt, even, windows.depart(even, library.moving, poses, ROWS, learnt.departure)


def test_a_measured_departure_gives_the_motion_back():
    """Nothing is lost with a wave for each frame between, wherever the character stands and faces."""
    clip = root_motion.place_clip(actions.turn_left(), 2.0, np.array([3.0, -1.0])).cut(10, 17)
    moving = windows.list_moving_joints([clip])
    poses = windows.pose_of(clip, moving)
    (departure,) = windows.measure_departures(poses, np.array([0]), 6)
    even = filling.interpolate_poses(clip.cut(0, 1), clip.cut(6, 7), 7)
    assert far(even, clip) > 1e-3
    assert far(windows.depart(even, moving, poses, 6, departure.astype(float)), clip) < 1e-5


def test_a_pace_between_those_of_the_clips_is_predicted_and_ends_are_exact(library):
    (walk,) = paced((1.0,))
    learnt, even, made = predict(library, walk, 20)
    true = walk.cut(20, 20 + ROWS + 1)
    assert far(made, true) < 0.4 * far(even, true)
    assert learnt.share > 0.8
    assert learnt.error < 0.3
    ends = np.array([0, ROWS])
    assert np.abs(quat.same_side(made.rotations, even.rotations) - even.rotations)[ends].max() < 1e-12
    assert np.abs(made.translations - even.translations)[ends].max() == 0.0


def test_other_motion_is_not_trusted(library):
    learnt, _, _ = predict(library, actions.wave(), 40)
    assert learnt.share < 0.1
    assert learnt.error > 0.9


def test_two_clips_teach_nothing_and_neither_do_too_short_ones():
    walk = actions.walk()
    assert fill.library([walk.cut(0, 60), walk.cut(10, 70)], 0.5).model(ROWS, Around()) is None
    assert (
        fill.library([walk.cut(0, ROWS), *[walk.cut(k, k + ROWS) for k in (3, 9)]], 0.1).model(ROWS, Around()) is None
    )


def test_many_windows_are_learnt_by_a_linear_regression_first(monkeypatch, library):
    monkeypatch.setattr(learning, "MANY", 100)
    many = learning.learn(library.clips, library.rows, library._poses, ROWS, Around())
    assert many.linear is not None
    assert many.explained > 0.8


def test_a_fill_reports_its_prediction():
    from action_loom.core import verbs

    (walk,), sources = paced((1.0,)), paced((0.85, 0.95, 1.05, 1.15))
    result = verbs.apply(verbs.Fill(key_frames=((4, 20),), plant_feet=False), [walk, *sources])
    (gap,) = result.report["fill"]["gaps"]
    assert gap["predicted"]["explained"] > 0.7
    assert gap["text"].endswith("predicted from all clips")
    assert any("1 of 1 gaps are predicted from" in note for note in result.report["notes"])
