"""Graphs from damaged files: loading refuses them, so that no walk fails later."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.errors import LoomError
from action_loom.core.graph import integrity, storage
from action_loom.core.verbs import Walk

pytestmark = pytest.mark.both_engines
ARRAYS = ("clip", "frame", "start", "end", "distance", "turn", "shift", "component")
DAMAGE = {
    "negated": lambda values, _: -values - 1,
    "shorter": lambda values, _: values[:-1],
    "of rows": lambda values, _: np.stack([values, values]),
    "turned round": lambda values, _: values[::-1].copy(),
    "far away": lambda values, _: values + 10**6,
    "as text": lambda values, _: values.astype(str),
    "not numbers": lambda values, _: np.full(len(values), np.nan),
    "shuffled": lambda values, rng: rng.permutation(values),
    "other bytes": lambda values, rng: np.frombuffer(rng.bytes(values.nbytes), dtype=values.dtype),
}


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("name", ARRAYS)
def test_a_damaged_graph_is_refused_or_can_be_walked(gaits, tmp_path, name, how):
    values = DAMAGE[how](getattr(gaits, name), np.random.default_rng(3))
    storage.save(replace(gaits, **{name: values}), tmp_path / "g.npz")
    try:
        graph = storage.load(tmp_path / "g.npz")
        made = verbs.apply(Walk(seconds=3.0), [], prepared=graph)
    except LoomError:
        return
    assert np.isfinite(made.clip.rotations).all()


@pytest.mark.parametrize(
    ("key", "value"),
    [*((key, None) for key in ("names", "dropped", "warnings", "graph", "seconds_taken")), ("warnings", [1])],
)
def test_a_report_must_hold_what_is_shown_of_it(gaits, key, value):
    with pytest.raises(LoomError, match=f"its report has no {key}"):
        integrity.check(replace(gaits, report={**gaits.report, key: value}))


def test_lengths_whose_squares_overflow_are_refused(gaits, tmp_path):
    skeleton = replace(gaits.clips[0].skeleton, offsets=1e300 * gaits.clips[0].skeleton.offsets)
    clips = tuple(replace(clip, skeleton=skeleton) for clip in gaits.clips)
    storage.save(replace(gaits, inputs=replace(gaits.inputs, clips=clips)), tmp_path / "g.npz")
    with pytest.raises(LoomError, match="not a motion graph"):
        storage.load(tmp_path / "g.npz")


def test_what_was_built_is_in_order(gaits):
    integrity.check(gaits)


@pytest.mark.parametrize("half", [True, 0, -1, 1.0, None])
def test_half_a_transition_is_a_whole_number_of_frames(gaits, half):
    with pytest.raises(LoomError, match="no transitions between them"):
        integrity.check(replace(gaits, half=half))


def test_the_joints_of_roles_are_whole_numbers(gaits):
    skeleton = replace(gaits.clips[0].skeleton, roles={"hips": True})
    clips = tuple(replace(clip, skeleton=skeleton) for clip in gaits.clips)
    with pytest.raises(LoomError, match="a role of the body is played by no joint"):
        integrity.check(replace(gaits, inputs=replace(gaits.inputs, clips=clips)))


@pytest.mark.parametrize("wrong", [{"first": "1"}, {"first": 0.5}, {"step": 0.0}, {"step": None}, {"cycle": -1}])
def test_frames_are_those_of_a_clip(gaits, wrong):
    maps = tuple(replace(one, **wrong) for one in gaits.inputs.frame_maps)
    with pytest.raises(LoomError, match="its frames are those of no clip"):
        integrity.check(replace(gaits, inputs=replace(gaits.inputs, frame_maps=maps)))
