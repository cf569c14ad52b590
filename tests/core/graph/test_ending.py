"""The end of a walk along a path: in mid-step, at rest, standing, or in another action."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, RegistrationError
from action_loom.core.motion import feet, kinematics, quat, root_motion
from action_loom.core.verbs import Follow, source_frames
from action_loom.core.verbs.follow import ending
from action_loom.core.verbs.follow import work as follow
from numpy.testing import assert_allclose

LINE, BOW = ((0, 0), (0, 4)), ((0, 0), (0.5, 2), (2, 4))
BODIES = {
    "walk": [actions.walk(cycles=2)],
    "walk and a gesture": [actions.walk(cycles=2), actions.wave()],
    "sneak and turns": [actions.sneak(cycles=2), actions.turn_left(), actions.turn_right()],
    "run": [actions.run(cycles=2)],
}


def ended(clips, ending, path=LINE, **options):
    return verbs.apply(Follow(path=path, ending=ending, **options), clips)


def pace(clip):
    """Return the speed (F - 1,) of the hips on the ground, metres a second."""
    ground, _ = root_motion.ground_frames(clip)
    return np.linalg.norm(np.diff(ground, axis=0), axis=1) * clip.rate


@pytest.mark.parametrize("path", [LINE, BOW], ids=["line", "bow"])
@pytest.mark.parametrize("body", BODIES)
def test_a_walk_stops_where_its_path_ends(body, path):
    made = ended(BODIES[body], "stop", path)
    ground, _ = root_motion.ground_frames(made.clip)
    assert np.linalg.norm(ground[-1] - path[-1]) < 0.16
    assert made.report["follow"]["ending"]["off_end"] < 0.1
    assert pace(made.clip)[-4:].max() < 0.12
    assert pace(made.clip)[: len(made.clip) // 2].min() > 0.2  # it walks before
    balls, ankles = zip(*feet.balls_and_ankles(made.clip.skeleton).values(), strict=True)
    points, height = kinematics.points(made.clip), made.clip.skeleton.height
    is_raised = bool((points[-1, balls, 2] - points[:, balls, 2].min(axis=0) > 0.04 * height).any())
    is_stride = np.hypot(*(points[-1, ankles[0]] - points[-1, ankles[1]])[:2]) > 0.3 * height
    assert (is_raised or is_stride) == any("stops in mid-step" in one for one in made.report["warnings"])


def test_the_walk_before_its_end_is_the_walk_in_mid_step():
    given = BODIES["walk and a gesture"]
    on, stopped = (ended(given, how, plant_feet=False).clip for how in ("walk", "stop"))
    left = ended(given, "stop", plant_feet=False).walked_frames
    assert 20 < left < len(on)
    assert_allclose(stopped.rotations[:left], on.rotations[:left], atol=1e-12)
    assert_allclose(stopped.translations[:left], on.translations[:left], atol=1e-12)


def test_who_stands_stands_two_seconds_longer():
    given = BODIES["walk and a gesture"]
    stopped, standing = (ended(given, how) for how in ("stop", "stand"))
    assert len(standing.clip) - len(stopped.clip) == round(2.0 * stopped.clip.rate)
    assert pace(standing.clip)[-round(1.5 * stopped.clip.rate) :].max() < 0.12


def test_an_action_that_begins_by_standing_follows_a_stop():
    wave = actions.wave()
    made = ended([*BODIES["walk"], wave], "action")
    report = made.report["follow"]["ending"]
    assert report["action"] == "wave"
    assert np.linalg.norm(root_motion.ground_frames(made.clip)[0][-1] - LINE[-1]) < 0.3
    # The action plays to its end, on the body as it is there.
    arm = made.clip.skeleton.roles["forearm.R"]
    apart = quat.mul(quat.inv(made.clip.rotations[-40:, arm]), wave.rotations[-40:, arm])
    assert np.degrees(2.0 * np.arccos(np.minimum(np.abs(apart[:, 0]), 1.0))).max() < 1.0
    assert "wave" not in [piece["clip"] for piece in made.report["pieces"]]
    shown = source_frames.of(made, made.recipe, [*BODIES["walk"], wave])
    last = shown[-1]
    assert (last.source, last.first, last.frames[-1]) == (1, report["frame"], len(wave) - 1)


def test_an_action_that_moves_is_entered_in_the_last_second_of_the_path():
    made = ended([actions.walk(cycles=2), actions.run(cycles=2)], "action")
    on = ended([actions.walk(cycles=2)], "walk")
    assert len(on.clip) - 1.1 * on.clip.rate < made.report["follow"]["ending"]["frame"] <= len(on.clip)
    assert pace(made.clip)[-20:].mean() > 2.5


def test_a_turned_path_turns_the_end_too():
    made, turned = (ended(BODIES["walk"], "stop", path) for path in (LINE, ((0, 0), (4, 0))))
    one, other = (root_motion.ground_frames(each.clip)[0] for each in (made, turned))
    assert len(one) == len(other)
    assert_allclose(other, one[:, ::-1] * [1, -1], atol=2e-3)


def test_an_edited_path_is_stopped_at_its_new_end():
    given = BODIES["walk and a gesture"]
    before = ended(given, "stop")
    longer = replace(before.recipe, path=((0, 0), (0, 6)))
    after = follow.again(before, given, longer)
    assert after.ended.stops is before.ended.stops  # not driven anew
    assert after.report["follow"]["kept_frames"] > 20
    assert np.linalg.norm(root_motion.ground_frames(after.clip)[0][-1] - (0, 6)) < 0.16
    shorter = follow.again(after, given, replace(longer, path=((0, 0), (0, 3))))
    assert np.linalg.norm(root_motion.ground_frames(shorter.clip)[0][-1] - (0, 3)) < 0.16


def test_a_stretch_at_the_end_of_the_path_does_not_go_on_in_the_stop():
    given = [actions.walk(cycles=2), actions.wave()]
    stretches = ((0.3, 1.0, 2.0),)
    made = ended(given, "stop", stretches=stretches)
    assert made.report["follow"]["carries"][0]["frames"][1] < made.ended.left


def test_an_end_that_is_impossible_is_refused_by_name():
    with pytest.raises(ClipError, match="walk: give the action that comes at the end after the clips"):
        ended(BODIES["walk"], "action")
    with pytest.raises(RegistrationError, match="wave has 3 frames, but a clip that is entered takes 4 or more"):
        ended([*BODIES["walk"], actions.wave().cut(0, 3)], "action")


def test_a_path_that_is_too_short_to_stop_on_is_told():
    made = ended(BODIES["run"], "stop", ((0, 0), (0, 0.5)))
    off = made.report["follow"]["ending"]["off_end"]
    assert off < 0.5 or any("off the path at" in one for one in made.report["warnings"])


def test_a_body_that_stands_wide_by_itself_is_not_in_mid_step(monkeypatch):
    """A robot with a wide stance got the note that it stops in mid-step, in its idle."""
    walk, wave = actions.walk(), actions.wave()
    still = wave.rotations[:1].repeat(30, axis=0), wave.translations[:1].repeat(30, axis=0)
    idle = replace(wave, rotations=still[0], translations=still[1])
    monkeypatch.setattr(ending, "STEP", 0.01)
    assert ending.is_mid_step(idle, len(idle) - 1)
    assert not ending.is_mid_step(idle, len(idle) - 1, [walk, idle])
    stride = int(np.argmax(ending._ankles_apart(walk)))
    assert ending.is_mid_step(walk, stride, [walk, idle])
