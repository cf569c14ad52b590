"""Stances that cost more than they gain stay as they are: limits of bends and of the pelvis's motion."""

from dataclasses import replace

import numpy as np
from action_loom.core.demo_character import actions
from action_loom.core.edit.feet import planting, worth
from action_loom.core.edit.feet.planting import planted
from action_loom.core.motion import kinematics, quat, root_motion
from action_loom.core.motion.clip import Clip


def test_a_stance_that_would_bend_a_leg_by_too_much_is_left_as_it_is(monkeypatch):
    walk = actions.walk()
    sliding = root_motion.place_clip(walk, 0.0, np.linspace([0.0, 0.0], [0.0, -0.5], len(walk)))
    done = planting.planted(sliding)[1]
    most = np.radians(done.report["bent"]["degrees"])
    assert 0.0 < most < worth.BENDS
    assert not planting.told(done.report, "walk")
    monkeypatch.setattr(worth, "BENDS", 0.3 * most)
    monkeypatch.setattr(worth, "WORTH", 0.0)
    same, left = planting.planted(sliding)
    assert same is sliding
    assert not left.spans
    (sentence,) = planting.told(left.report, "walk")
    assert "not planted" in sentence
    assert "it would bend its leg by" in sentence
    # Spans that the user gives are planted, with a warning.
    asked = planting.planted(sliding, planting.contact_spans(sliding))[1]
    assert any("bends the leg by" in one for one in planting.told(asked.report, "walk"))


def test_a_stance_that_slides_no_less_stays_and_is_not_told(monkeypatch):
    walk = actions.walk()
    sliding = root_motion.place_clip(walk, 0.0, np.linspace([0.0, 0.0], [0.0, -0.5], len(walk)))
    monkeypatch.setattr(planting.legs, "following", lambda clip, *_: (clip, np.zeros((len(clip), 3)), {}))
    same, done = planted(sliding)
    assert same is sliding
    assert {why for _, why in done.refused} == {worth.NO_GAIN}
    assert planting.told(done.report, "walk") == []


def straddling(sways=4.0, frames=90):
    """Return the demo body with straight, widely spread legs that open and close by some degrees, so its feet slide."""
    body = actions.walk().skeleton
    turned = np.tile(quat.IDENTITY, (frames, len(body), 1))
    angle = np.radians(70.0 + sways * np.sin(np.arange(frames) / 8.0))
    for side, sign in (("L", -1.0), ("R", 1.0)):
        outwards = quat.exp(sign * angle[:, None] * np.array([0.0, 1.0, 0.0]))
        thigh = body.roles[f"thigh.{side}"]
        rest = body.rest[0][thigh]
        turned[:, thigh] = quat.mul(quat.inv(rest), quat.mul(outwards, rest))
    places = np.zeros((frames, len(body), 3))
    places[:, 0, 2] = -kinematics.points(Clip("straddle", body, 30.0, turned, places))[:, :, 2].min(axis=1)
    return Clip("straddle", body, 30.0, turned, places)


def test_a_stance_that_moves_the_pelvis_far_is_left_as_it_is():
    # Each leg is straight, 70° from upright: for 2 cm more the pelvis would sink by 6.
    clip = straddling()
    same, done = planted(clip)
    assert same is clip
    assert {span.foot for span, _ in done.refused} == {"L", "R"}
    assert all(why == "it would move the pelvis by 6 cm for 5 cm/s of slide" for _, why in done.refused)
    asked = planted(clip, planting.contact_spans(clip))[1]
    assert asked.report["pelvis_cm"] > 5.0


def test_a_stance_beside_which_the_leg_of_a_foot_in_the_air_bends_too_far_is_left_as_it_is(monkeypatch):
    trials, refused = [], worth.refused
    monkeypatch.setattr(worth, "refused", lambda trial: trials.append(trial) or {})
    walk = actions.walk()
    planted(root_motion.place_clip(walk, 0.0, np.linspace([0.0, 0.0], [0.0, -0.5], len(walk))))
    trial = trials[-1]
    bends = {foot: np.zeros(len(trial.clip)) for foot in "LR"}
    alone = replace(trial, kept=[one for one in trial.kept if one.foot == "L"], bends=bends)
    assert refused(alone) == {}
    contact = worth._inside(alone)[1]
    bends["R"][contact.first + 1] = np.radians(40.0)
    assert refused(alone) == dict.fromkeys(contact.rows, "it would bend the leg of the right foot by 40°")
    judged = refused(replace(alone, kept=trial.kept))  # by the stances of that foot
    assert judged
    assert all(why.startswith("it would bend its leg by 40°") for why in judged.values())
