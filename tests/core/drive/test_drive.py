"""A driven body: it follows the requested motion, its feet stay, and equal requests give equal clips."""

import cmath
from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.drive import controller, database, foot_lock, keep, reach, route, search, springs, wishes
from action_loom.core.drive.controller import Manner, Wish
from action_loom.core.edit.feet import spans
from action_loom.core.errors import ClipError, OptionError, SkeletonError
from action_loom.core.motion import feet, ik, kinematics, quat, root_motion
from action_loom.core.motion.skeleton import Skeleton
from action_loom.core.quality import contacts
from oracles import material

WAYS = (*[Wish(1.2j)] * 90, *[Wish(1.2)] * 90, *[Wish()] * 90)


@pytest.fixture(scope="module")
def of_figure():
    """The rows of the figure's walk, run, turns and wave."""
    return database.build([actions.walk(), actions.run(), actions.turn_left(), actions.wave()])


@pytest.fixture(scope="module")
def of_captured():
    """The rows of a captured man: walks, turns, a run and a stop."""
    names = ("16_15", "16_11", "16_17", "16_19", "16_41", "16_08")
    return database.build([material.captured(f"cmu_asf_{name}") for name in names])


def test_a_spring_is_the_same_in_one_step_and_in_many():
    at_once = springs.Ahead(velocity=0.3j, acceleration=1.0).after(0.5, 1.5j, 1.0, 0.27, 0.2)
    step_by_step = springs.Ahead(velocity=0.3j, acceleration=1.0)
    for _ in range(50):
        step_by_step = step_by_step.after(0.01, 1.5j, 1.0, 0.27, 0.2)
    assert step_by_step.place == pytest.approx(at_once.place, abs=1e-9)
    assert step_by_step.velocity == pytest.approx(at_once.velocity, abs=1e-9)
    assert step_by_step.facing == pytest.approx(at_once.facing, abs=1e-9)


def test_boxes_find_what_a_product_finds(rng, monkeypatch):
    features = np.cumsum(rng.normal(size=(5000, 27)), axis=0).astype(np.float32) * np.float32(0.1)
    rows = np.arange(5000) + 7
    price = rng.uniform(0.0, 0.5, 5000).astype(np.float32)
    plain = search.Index(features, rows)
    monkeypatch.setattr(search, "MANY", 100)
    boxed = search.Index(features, rows)
    for _ in range(30):
        query = (features[rng.integers(5000)] + rng.normal(size=27) * 0.3).astype(np.float32)
        for penalty in (None, price):
            assert boxed.nearest(query, penalty)[0] == plain.nearest(query, penalty)[0]


def test_a_body_goes_where_it_is_wished_and_stands(of_figure):
    states = route.drive_route(of_figure, WAYS, Manner())
    assert states[90].place.imag > 1.0
    assert states[180].place.real - states[90].place.real > 0.8
    assert abs(states[-1].place - states[-30].place) < 0.05
    apart = np.array([abs(state.place - state.ahead.place) for state in states])
    assert apart.max() <= controller.WAITS * of_figure.unit + 0.03


def test_no_foot_is_moved_far(of_figure):
    driven = route.of_states(route.drive_route(of_figure, WAYS, Manner()))
    assert driven.moved.max() <= foot_lock.FARTHEST * of_figure.skeleton.height


def test_a_foot_that_stands_does_not_slide(of_figure):
    states = route.drive_route(of_figure, [Wish(1.2j)] * 180, Manner())
    shown = [np.stack([state.shown[k] for state in states]) for k in (0, 1)]
    points = kinematics.points(
        replace(of_figure.poses(np.arange(len(states))), rotations=shown[0], translations=shown[1])
    )
    balls = [points[:, ball, :2] for ball, _ in feet.balls_and_ankles(of_figure.skeleton).values()]
    speed = np.linalg.norm(np.diff(np.stack(balls, axis=1), axis=0), axis=2) * 60.0
    driven = route.of_states(states)
    quiet = of_figure.stands[driven.row] & ~driven.stepping
    assert speed[quiet[1:] & quiet[:-1]].mean() < 0.03


def test_a_heel_rises_where_a_leg_is_too_short():
    stride = actions.walk().cut(0, 33)
    legs = {limb.foot: limb for limb in ik.legs(stride.skeleton)}
    (ball, _), away = feet.balls_and_ankles(stride.skeleton)["L"], np.array([0.0, -0.12, 0.0])
    rises = []
    for frame in (2, 5, 8, 11):
        clip = stride.cut(frame, frame + 1)
        moved = reach.move_balls(clip, {legs["L"]: (ball, away, None)})
        (before, was), (after, now) = (kinematics.pose_clip(one) for one in (clip, moved))
        assert np.abs(now[0, ball] - was[0, ball] - away).max() < 0.01
        toe = np.abs(after[0, ball] - before[0, ball]).max()
        assert toe < 1e-9  # the toes keep their place
        rises.append(now[0, legs["L"].end, 2] - was[0, legs["L"].end, 2])
    assert rises[0] > 0.05
    assert abs(rises[-1]) < 0.005


def test_a_straight_knee_bends_where_its_foot_is_lifted():
    stand = actions.walk().cut(0, 1)
    leg, (ball, _) = ik.legs(stand.skeleton)[0], feet.balls_and_ankles(stand.skeleton)["L"]
    straight = stand.rotations.copy()
    straight[0, [leg.upper, leg.lower, leg.end]] = (1.0, 0.0, 0.0, 0.0)
    stand, away = replace(stand, rotations=straight), np.array([0.0, -0.1, 0.35])
    moved = reach.move_balls(stand, {leg: (ball, away, None)})
    before, after = (kinematics.pose_clip(one)[1][0] for one in (stand, moved))
    assert after[ball] - before[ball] == pytest.approx(away, abs=0.01)
    knee = after[leg.lower] - 0.5 * (after[leg.upper] + after[leg.end])
    assert knee @ (after[ball] - after[leg.end]) > 0.0  # it bends to where the toes are


def test_clips_that_hardly_turn_keep_their_pace_where_they_are_turned(of_figure):
    data = database.build([actions.walk(), actions.run(), actions.wave()])
    states = route.drive_route(data, [*[Wish(1j * data.gaits[0])] * 120, *[Wish(data.gaits[0])] * 60], Manner())
    assert max(abs(state.velocity) for state in states) < 1.3 * data.gaits[0]
    late = [springs.wrap_angle(state.facing - state.ahead.facing) for state in states]
    assert np.degrees(np.abs(late)).max() < 12.0


def test_a_foot_that_travels_in_a_contact_is_parted_where_it_moves_fastest():
    clip, left = actions.walk(), spans.Span("L", spans.BALL, 0, len(actions.walk()))
    points = kinematics.points(clip)[:, clip.skeleton.index("toe.L")]
    parts = keep.split_spans(clip, [left])
    assert len(parts) >= 3  # the steps of the walk part it
    for part in parts:
        path = points[part.first : part.end, :2]
        assert np.linalg.norm(path - path.mean(axis=0), axis=1).max() <= 0.5 * keep.TRAVELS * clip.skeleton.height
    assert keep.split_spans(clip, parts) == parts


def test_a_lock_lets_go_before_it_drags():
    foot, far = foot_lock.Foot(0j), []
    for k in range(240):
        (foot,) = foot_lock.step_feet([foot], [0.6j * k / 60.0], [True], 1.7, 1.0 / 60.0)
        far.append(abs(foot.off))
    assert max(far) <= foot_lock.FARTHEST * 1.7
    assert any(value < 0.05 for value in far[60:])  # the foot steps, and catches up


def test_turned_and_moved_wishes_turn_and_move_the_body(of_figure):
    turn, place = 0.7, 2.0 - 1.0j
    plain = route.drive_route(of_figure, WAYS, Manner())
    turned = [Wish(wish.velocity * cmath.exp(1j * turn)) for wish in WAYS]
    moved = route.drive_route(of_figure, turned, Manner(), place, turn)
    apart = [abs(b.place - (place + a.place * cmath.exp(1j * turn))) for a, b in zip(plain, moved, strict=True)]
    assert max(apart) < 1e-6
    assert [state.row for state in plain] == [state.row for state in moved]


def test_steps_change_no_state(of_figure):
    state = controller.begin_state(of_figure)
    shown = state.shown[0].copy()
    controller.step(of_figure, Manner(), state, Wish(1.2j))
    assert (state.shown[0] == shown).all()
    assert state.steps == 0


def test_wishes_survive_their_rows():
    wished = [wishes.round_wish(Wish(1.23456789j, 0.5))] * 31 + [wishes.round_wish(Wish(0.5))] * 50
    assert wishes.of_rows(wishes.as_rows(wished)) == wished


@pytest.mark.both_engines
def test_the_same_wishes_give_the_same_clip_to_the_bit():
    clips = [actions.walk(), actions.wave(), actions.turn_left()]
    recipe = verbs.Drive(wishes=wishes.as_rows(WAYS))
    one, other = (verbs.apply(verbs.from_json(recipe.to_json()), clips).clip for _ in range(2))
    assert (one.rotations == other.rotations).all()
    assert (one.translations == other.translations).all()


def test_what_is_kept_is_where_it_was_driven(of_figure):
    states = route.drive_route(of_figure, WAYS, Manner())
    driven = route.of_states(states)
    made = keep.weave_route(of_figure, driven, "driven")
    ground = root_motion.ground_frames(made.clip)[0]
    apart = np.abs(ground[:, 0] + 1j * ground[:, 1] - driven.place)
    assert np.median(apart) < 0.05
    assert len(made.clip) == len(states)


def test_a_path_that_trembles_from_frame_to_frame_is_kept_smooth(of_figure):
    states = route.drive_route(of_figure, [Wish(1.3j)] * 120, Manner())
    plain = route.of_states(states)
    trembling = replace(plain, place=plain.place + 0.02 * (-1.0) ** np.arange(len(plain.place)))
    smooth, other = (keep.weave_route(of_figure, one, "driven").clip for one in (plain, trembling))
    apart = np.linalg.norm(kinematics.points(smooth) - kinematics.points(other), axis=-1)[12:-12]
    assert apart.max() < 0.001


def test_a_result_has_its_rate_length_and_start():
    clips = [actions.walk(), actions.wave()]
    result = verbs.apply(verbs.Drive(wishes=((0, 0, 1.2), (2, 0, 0), (3, 0, 0)), start=((1, 2, 0),)), clips)
    assert result.clip.rate == clips[0].rate
    assert result.clip.seconds == pytest.approx(3.0)
    assert root_motion.ground_frames(result.clip)[0][0] == pytest.approx([1.0, 2.0], abs=0.1)
    assert any("no action turns" in note or "one pace only" in note for note in result.report["notes"])


def test_places_at_times_are_reached():
    clips = [actions.walk(), actions.wave()]
    result = verbs.apply(verbs.Drive(places=((0, 0, 0), (0, 4, 4))), clips)
    assert root_motion.ground_frames(result.clip)[0][-1] == pytest.approx([0.0, 4.0], abs=0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "Nothing is wished yet"),
        ({"wishes": ((0, 0, 1),)}, "wishes takes rows of time, vx, vy"),
        ({"wishes": ((0, 0, 1), (0, 0, 0))}, "wishes: each row must have a later time"),
        ({"wishes": ((0, 0, 1), (1, 0, 0)), "places": ((0, 0, 0), (0, 1, 1))}, "give one of them"),
        ({"wishes": ((0, 0, 1), (1, 0, 0)), "start": ((1, 2),)}, "start takes rows of x, y, degrees"),
    ],
)
def test_impossible_wishes_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        verbs.apply(verbs.Drive(**options), [actions.walk(), actions.wave()])


def test_one_action_is_refused():
    with pytest.raises(ClipError, match="Drive takes 2 or more clips; 1 given"):
        verbs.apply(verbs.Drive(wishes=((0, 0, 1), (1, 0, 0))), [actions.walk()])


def test_a_body_without_feet_is_refused(rng):
    clip = material.random_clip(rng, material.random_skeleton(rng), frames=60)
    with pytest.raises(SkeletonError, match="its feet are not known"):
        database.build([clip, clip])


def test_what_a_character_lacks_is_said():
    assert any("no action stands for long" in text for text in database.build([actions.walk(), actions.run()]).lacks)


def test_a_body_stands_on_where_its_clip_stood_and_walks_off():
    stood = actions.walk().take_frames(np.repeat([0, *range(1, 97)], [40, *[1] * 96]))
    data = database.build([actions.walk(), stood], mirror=False)
    assert len(data.still)
    states = route.drive_route(data, [*[Wish(1.2j)] * 90, *[Wish()] * 300], Manner())
    assert abs(states[-1].place - states[-200].place) < 0.05


def test_a_body_without_an_idle_stands_all_the_same():
    data = database.build([actions.walk(), actions.run()])
    states = route.drive_route(data, [*[Wish(1.2j)] * 90, *[Wish()] * 120], Manner())
    assert abs(states[-1].place - states[-60].place) < 0.02


@pytest.mark.shared
def test_a_captured_man_obeys_and_is_planted(of_captured):
    wished = [*[Wish(1.3j)] * 150, *[Wish(1.3)] * 150, *[Wish()] * 120]
    states = route.drive_route(of_captured, wished, Manner())
    driven = route.of_states(states)
    apart = np.abs(driven.place - driven.wished)
    assert np.sqrt((apart**2).mean()) < 0.12
    assert driven.moved.max() < 0.12 * of_captured.skeleton.height
    assert abs(states[-1].velocity) < 0.1
    clips = [material.captured(f"cmu_asf_{name}") for name in ("16_15", "16_11", "16_17", "16_19", "16_41", "16_08")]
    result = verbs.apply(verbs.Drive(wishes=wishes.as_rows(wished)), clips)
    assert result.report["plant"]["middle_slide_cm_s"][1] < 0.5
    assert contacts.detect(result.clip)
    assert np.isfinite(kinematics.points(result.clip)).all()


@pytest.mark.shared
def test_feet_of_runs_faster_than_asked_stand():
    names = ("cmu_asf_127_04", "cmu_asf_16_41")
    result = verbs.apply(verbs.Drive(wishes=((0, 0, 2.8), (4, 0, 2.8))), [material.captured(name) for name in names])
    clip, speeds = result.clip, []
    for ball, _ in feet.balls_and_ankles(clip.skeleton).values():
        path, around = kinematics.points(clip)[:, ball], round(0.3 * clip.rate)
        heights = np.pad(path[:, 2], around, mode="edge")
        lowest = np.lib.stride_tricks.sliding_window_view(heights, 2 * around + 1).min(axis=1)
        low = path[:, 2] < np.minimum(lowest, np.percentile(path[:, 2], 40)) + 0.012 * clip.skeleton.height
        for first, end in contacts.runs(low):
            quarter = (end - first) // 4
            if first > 30 and end < len(clip) - 12 and quarter > 1:
                middle = path[first + quarter : end - quarter, :2]
                speeds.append(np.linalg.norm(middle[-1] - middle[0]) / (len(middle) - 1) * clip.rate)
    assert len(speeds) >= 8
    assert np.mean(speeds) < 0.03 < 2.5 < result.report["drive"]["length"] / clip.seconds


def test_a_foot_that_hangs_on_a_root_is_moved_and_its_leg_goes_there():
    stand = on_a_root(actions.walk().cut(0, 33))
    leg = ik.known_legs(stand.skeleton)[0]
    assert not ik.hangs_together(stand.skeleton, leg)
    (ball, ankle), away = feet.balls_and_ankles(stand.skeleton)["L"], np.array([0.03, 0.04, 0.02])
    clip = stand.cut(10, 11)
    moved = reach.move_balls(clip, {leg: (ball, away, None)})
    (before, was), (after, now) = (kinematics.pose_clip(one) for one in (clip, moved))
    assert now[0, ball] - was[0, ball] == pytest.approx(away, abs=1e-6)
    assert after[0, ankle] == pytest.approx(before[0, ankle], abs=1e-9)
    shin = [np.linalg.norm(one[0, ankle] - one[0, leg.lower]) for one in (was, now)]
    assert shin[1] == pytest.approx(shin[0], abs=2e-3)  # the leg ends where the foot is
    data = database.build([on_a_root(actions.walk()), on_a_root(actions.wave())], mirror=False)
    assert all(limb is not None for limb in data.limbs)
    states = route.drive_route(data, [Wish(1.2j)] * 120, Manner())
    assert any(foot.held for state in states for foot in state.feet)


def on_a_root(clip):
    """Return a clip whose feet have a new root on the floor as parent, instead of their shins."""
    skeleton, (turned, places) = clip.skeleton, kinematics.world(clip)
    rest_turned, rest_places = skeleton.rest
    parents = np.concatenate([[-1], np.where(skeleton.parents < 0, 0, skeleton.parents + 1)])
    one, none = np.array([[1.0, 0.0, 0.0, 0.0]]), np.zeros((1, 3))
    orients = np.concatenate([one, skeleton.orients])
    offsets = np.concatenate([none, skeleton.offsets])
    rotations = np.concatenate([np.tile(one, (len(clip), 1, 1)), clip.rotations], axis=1)
    translations = np.concatenate([np.zeros((len(clip), 1, 3)), clip.translations], axis=1)
    for side in "LR":
        foot = skeleton.index(f"foot.{side}")
        parents[foot + 1], orients[foot + 1], offsets[foot + 1] = 0, rest_turned[foot], rest_places[foot]
        rotations[:, foot + 1] = quat.mul(quat.inv(rest_turned[foot]), turned[:, foot])
        translations[:, foot + 1] = quat.rotate(quat.inv(rest_turned[foot]), places[:, foot] - rest_places[foot])
    roles = {role: joint + 1 for role, joint in skeleton.roles.items()}
    tips = np.concatenate([none, skeleton.tips])
    body = Skeleton(("root", *skeleton.names), parents, offsets, orients, tips, roles)
    made = replace(clip, skeleton=body, rotations=rotations, translations=translations)
    assert np.abs(kinematics.world(made)[1][:, 1:] - places).max() < 1e-9
    return made
