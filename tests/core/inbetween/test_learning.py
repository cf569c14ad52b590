"""Learning departures from interpolation: keys are exact, like clips are predicted, and other motion is not trusted."""

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.inbetween import fill, filling, learning, network, windows
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


def network_of(monkeypatch, library):
    monkeypatch.setattr(learning, "MANY", 100)
    monkeypatch.setattr(network, "STEPS", 120)
    monkeypatch.setattr(network, "WARM", 10)
    monkeypatch.setattr(network, "HIDDEN", (96, 96))
    return learning.learn(library.clips, library.rows, library._poses, ROWS, Around())


def test_many_windows_are_learnt_by_a_network_the_same_each_time(monkeypatch, library):
    many, again = (network_of(monkeypatch, library) for _ in range(2))
    assert many.explained > 0.5
    assert len(many.hits) < many.windows  # only clips that the network had not seen yet tell its error
    assert all(
        (a == b).all()
        for one, other in zip(many.way.layers, again.way.layers, strict=True)
        for a, b in zip(one, other, strict=True)
    )


def test_the_slope_of_the_points_distances_is_that_of_differences(library):
    """Of rotations and of places; where nothing departs, since the slope counts rotation vectors as small."""
    rng, starts, frames = np.random.default_rng(3), np.array([4, 30, 61]), np.array([2, 7, 12])
    body = network.Body(library.clips[0], library._poses, library.moving, ROWS)
    true = windows.measure_departures(library._poses, starts, ROWS)
    sizes = np.full((len(body.points), 3), 0.1)
    exact, _ = body.lose(starts, frames, true, sizes)
    plain, _ = body.lose(starts, frames, 0.0 * true, sizes)
    assert exact < 0.7 * plain
    joints = 3 * len(library.clips[0].skeleton)
    for which in (slice(0, joints), slice(joints, None)):
        way = np.zeros(true.shape)
        way[..., which] = rng.standard_normal(true[..., which].shape)
        _, slope = body.lose(starts, frames, 0.0 * true, sizes)
        ahead, behind = (body.lose(starts, frames, step * way, sizes)[0] for step in (1e-5, -1e-5))
        assert (ahead - behind) / 2e-5 == pytest.approx((slope * way).sum(), rel=1e-4)


def test_the_slopes_of_a_network_are_those_of_differences():
    rng = np.random.default_rng(5)
    shapes = ((7, 9), (9, 9), (9, 4))
    layers = [(rng.standard_normal(shape), rng.standard_normal(shape[1])) for shape in shapes]
    made = network.Network(np.zeros(7), np.ones(7), layers, np.eye(4), np.zeros(4))
    value, pull = rng.standard_normal((5, 7)), rng.standard_normal((5, 4))
    found = made.through(value)
    slopes = made.back(found, pull)
    for numbers, slope in zip([part for layer in layers for part in layer], slopes, strict=True):
        way = rng.standard_normal(numbers.shape)
        numbers += 1e-6 * way
        ahead = (made.through(value)[-1][0] * pull).sum()
        numbers -= 2e-6 * way
        behind = (made.through(value)[-1][0] * pull).sum()
        numbers += 1e-6 * way
        assert (ahead - behind) / 2e-6 == pytest.approx((slope * way).sum(), rel=1e-5)


def test_a_fill_reports_its_prediction():
    from action_loom.core import verbs

    (walk,), sources = paced((1.0,)), paced((0.85, 0.95, 1.05, 1.15))
    result = verbs.apply(verbs.Fill(key_frames=((4, 20),), plant_feet=False), [walk, *sources])
    (gap,) = result.report["fill"]["gaps"]
    assert gap["predicted"]["explained"] > 0.7
    assert gap["text"].endswith("predicted from all clips")
    assert any("1 of 1 gaps are predicted from" in note for note in result.report["notes"])
