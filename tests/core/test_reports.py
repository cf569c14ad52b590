"""Reports are plain JSON values, whatever they are on: still clips, bodies without legs, poses, other rates."""

import json
from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import jit, verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import LoomError
from action_loom.core.motion import quat, resample
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.skeleton import Skeleton
from action_loom.core.verbs import (
    BuildGraph,
    Connect,
    Follow,
    InPlace,
    Loop,
    MoveEvents,
    Plant,
    Shortest,
    Splice,
    Travel,
    Walk,
    Warp,
)

pytestmark = pytest.mark.both_engines
PLAIN = (int, float, str, bool, type(None))


def lone_joint():
    """A body of one joint that sways on its way."""
    skeleton = Skeleton(("root",), np.array([-1]), np.zeros((1, 3)), quat.IDENTITY[None], np.zeros((1, 3)))
    time = np.arange(120) / 30.0
    sway = np.sin(6.0 * time)
    turns = quat.exp(np.column_stack([0.2 * sway, 0.0 * time, 0.3 * sway]))[:, None]
    return Clip("joint", skeleton, 30.0, turns, np.column_stack([0.1 * sway, time, 1.0 + 0.0 * time])[:, None])


def clips():
    walk = actions.walk(30.0, 5)
    still = walk.take_frames(np.zeros(len(walk), dtype=int))
    return [
        walk,
        replace(still, name="still"),
        replace(walk.cut(0, 1), name="pose"),
        replace(walk.cut(0, 3), name="three frames"),
        lone_joint(),
        replace(actions.walk(30.0, 1), cyclic=True, name="cycle"),
        replace(resample.to_rate(walk, 23.976), name="歩く"),
    ]


def work(clip):
    """Yield calls of all verbs for a clip, with other clips of its body."""
    other = clip if len(clip.skeleton) == 1 else actions.walk(30.0, 5)
    wave = actions.wave(30.0)
    yield lambda: verbs.apply(Loop(), [clip])
    yield lambda: verbs.apply(Loop(method="auto", length=8, start=1, phase=0.3, repeat=2), [clip])
    yield lambda: verbs.apply(Connect(method="auto"), [clip, other])
    yield lambda: verbs.apply(Connect(anywhere=True), [other, clip, other])
    yield lambda: verbs.apply(Splice(), [clip, wave])
    yield lambda: verbs.apply(Splice(timing="sync", if_shorter="hold"), [other, clip])
    yield lambda: verbs.apply(Travel(), [clip])
    yield lambda: verbs.apply(Travel(speed=1.0, direction="left", turn=20.0), [verbs.apply(InPlace(), [clip]).clip])
    yield lambda: verbs.apply(InPlace(), [clip])
    yield lambda: verbs.apply(Plant(), [clip])
    yield lambda: verbs.apply(Plant(spans=((0, 0, 0, 1), (1, 1, 0, 2))), [clip])
    yield lambda: verbs.apply(Warp(corrections=((0, 1, 0, 20, 0, 0, 0, 0.1),), plant_feet=True), [clip])
    yield lambda: verbs.apply(Warp(poses=((0, 2, 7),), with_root=True), [clip, other])
    yield lambda: verbs.apply(MoveEvents(events=((9, 10.5),)), [clip])
    yield lambda: verbs.apply(BuildGraph(threshold=0.1), [clip])
    yield lambda: verbs.apply(Walk(threshold=0.1, seconds=3.0), [clip, other])
    yield lambda: verbs.apply(Shortest(threshold=0.1, leave="walk (2):0", reach="walk (1):40"), [clip, other])
    yield lambda: verbs.apply(
        Follow(threshold=0.1, path=((0, 0), (0, 3)), stretches=((0.1, 1.0, 3),)), [clip, other, wave]
    )


def is_plain(value):
    if isinstance(value, dict):
        return all(type(key) is str and is_plain(one) for key, one in value.items())
    return all(map(is_plain, value)) if isinstance(value, list) else type(value) in PLAIN


@pytest.mark.parametrize("clip", clips(), ids=lambda clip: clip.name)
def test_reports_are_plain_values(clip):
    made = 0
    for apply in work(clip):
        try:
            report = apply().report
        except LoomError:
            continue
        made += 1
        json.dumps(report, allow_nan=False)
        assert is_plain(report)
    assert made


def standing():
    walk = actions.walk()
    still = [0] * 60
    return replace(walk, name="stand", rotations=walk.rotations[still], translations=walk.translations[still])


@pytest.mark.parametrize("recipe", [Travel(), InPlace(), Plant()], ids=lambda one: one.verb)
@pytest.mark.parametrize("make", [actions.walk, standing])
def test_an_edit_that_left_its_clip_as_it_was_says_so(recipe, make):
    clip = make()
    report = verbs.apply(recipe, [clip]).report
    changes = recipe == InPlace() and clip.name == "walk"
    assert report["changed"] is changes
    said = [one for one in (*report["warnings"], *report["notes"]) if "nothing" in one]
    assert len(said) == (0 if changes else 1)


@pytest.mark.parametrize("engine", ["numpy", "numba"] if jit.compiler() else ["numpy"])
def test_a_report_names_the_engine_that_computed(engine, monkeypatch):
    monkeypatch.setattr(jit, "_wanted", engine)
    assert verbs.apply(Loop(), [actions.walk()]).report["engine"] == engine


def test_a_clip_that_an_edit_moves_has_changed():
    spot = verbs.apply(InPlace(), [actions.walk()]).clip
    assert verbs.apply(Travel(speed=0.5), [spot]).report["changed"] is True
    assert verbs.apply(Loop(), [actions.walk()]).report["changed"] is True
