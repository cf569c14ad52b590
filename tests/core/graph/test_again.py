"""An edited path: the walk before the change stays, and the rest is walked again; repeated walks along routes."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import OptionError
from action_loom.core.graph import ground_path
from action_loom.core.motion import kinematics
from action_loom.core.verbs import Follow
from action_loom.core.verbs.follow import routes
from action_loom.core.verbs.follow import work as follow
from numpy.testing import assert_allclose, assert_array_equal
from oracles import paths

pytestmark = pytest.mark.both_engines

S = paths.s_curve(2.4)[:110]  # 10 m of it


def edited(rows, after, by):
    """Return a path whose points after a share of its length are shifted sideways, smoothly, by some metres."""
    share = np.clip((np.linspace(0.0, 1.0, len(rows)) - after) / (1.0 - after), 0.0, 1.0)
    return (rows + by * (share**2 * (3.0 - 2.0 * share))[:, None] * np.array([1.0, 0.4])).tolist()


def walked(graph, rows, clips=(), **asked):
    return verbs.apply(Follow(path=rows, **asked), list(clips), prepared=graph)


@pytest.fixture(scope="module")
def along_s(gaits):
    """A walk along the S, which tests change in several ways."""
    return walked(gaits, S.tolist())


@pytest.fixture(scope="module")
def captured_along_s(captured):
    return walked(captured, S.tolist())


def off(made):
    return made.report["follow"]["rms_before_spread"]


@pytest.mark.shared
@pytest.mark.parametrize("after", [0.4, 0.7])
def test_frames_before_a_change_are_the_same_and_the_rest_keeps_to_the_path(captured, captured_along_s, after):
    plain = captured_along_s
    changed = edited(S, after, 1.5)
    made = follow.again(plain, [], Follow(path=changed))
    kept = made.report["follow"]["kept_frames"]
    change = ground_path.through(S.tolist(), closed=False).first_change(ground_path.through(changed, closed=False))
    assert 0.5 <= change - plain.gone[kept] <= 2.5  # half a metre before the change, and the rest of an edge
    for name in ("rotations", "translations"):
        assert_array_equal(getattr(made.clip, name)[:kept], getattr(plain.clip, name)[:kept])
    fresh = walked(captured, changed)
    assert off(made) < 1.5 * off(fresh) + 0.05
    assert made.report["follow"]["searched"] < fresh.report["follow"]["searched"]
    # Nothing jumps where the new walk begins.
    steps = np.linalg.norm(np.diff(kinematics.points(made.clip), axis=0), axis=2).max(axis=1)
    assert steps[kept - 2 : kept + 40].max() < 1.3 * np.quantile(steps, 0.99)
    # A second change keeps the start of the changed walk.
    more = follow.again(made, [], Follow(path=edited(np.array(changed), 0.85, -0.5)))
    kept = more.report["follow"]["kept_frames"]
    assert kept > made.report["follow"]["kept_frames"]
    assert_array_equal(more.clip.rotations[:kept], made.clip.rotations[:kept])


def test_a_path_that_is_as_it_was_is_walked_as_it_was(along_s):
    plain = along_s
    made = follow.again(plain, [], Follow(path=S.tolist()))
    assert made.search is plain.search
    assert_array_equal(made.clip.rotations, plain.clip.rotations)
    longer = follow.again(plain, [], Follow(path=[*S.tolist(), (S[-1] + (S[-1] - S[-2]) * 20).tolist()]))
    kept = longer.report["follow"]["kept_frames"]
    assert kept > 0.8 * len(plain.clip)
    assert_array_equal(longer.clip.rotations[:kept], plain.clip.rotations[:kept])


def test_where_more_is_changed_or_the_start_it_is_a_walk_of_its_own(gaits, along_s):
    for recipe in (
        Follow(path=S.tolist(), bend=0.0),
        Follow(path=(S + np.array([0.5, 0.0])).tolist()),
        Follow(path=edited(S, 0.01, 1.0)),
    ):
        made, fresh = follow.again(along_s, [], recipe), verbs.apply(recipe, [], prepared=gaits)
        assert made.report["follow"]["kept_frames"] == 0
        assert_array_equal(made.clip.rotations, fresh.clip.rotations)


def test_a_stretch_that_is_dragged_leaves_the_legs_alone(gaits):
    plain = walked(gaits, S.tolist(), [actions.wave(30.0)], stretches=((0.2, 0.5, 1),))
    recipe = Follow(path=S.tolist(), stretches=((0.4, 0.8, 1),))
    made = follow.again(plain, [actions.wave(30.0)], recipe)
    fresh = walked(gaits, S.tolist(), [actions.wave(30.0)], stretches=recipe.stretches)
    assert_array_equal(made.clip.rotations, fresh.clip.rotations)
    assert made.stretches[0].actions is plain.stretches[0].actions
    assert made.report["follow"]["carries"] == fresh.report["follow"]["carries"]


def test_a_route_is_walked_again_as_it_was(gaits):
    plain = walked(gaits, S.tolist(), bend=10.0)
    rows = plain.report["follow"]["route"]
    made = walked(gaits, S.tolist(), bend=10.0, route=rows)
    assert made.report["follow"]["route"] == rows
    assert made.report["follow"]["searched"] == 0
    assert_allclose(made.clip.rotations, plain.clip.rotations, atol=1e-9)
    assert_allclose(made.clip.translations, plain.clip.translations, atol=1e-7)
    assert made.search is None
    # Without a search there is nothing to go on from.
    longer = follow.again(made, [], replace(made.recipe, path=edited(S, 0.7, 1.0), route=()))
    assert longer.report["follow"]["kept_frames"] == 0


def test_a_route_that_is_gone_is_said_and_one_that_is_none_refused(gaits, along_s):
    rows = along_s.report["follow"]["route"]
    for wrong in (
        [[9, *rows[0][1:]], *rows[1:]],
        [[rows[0][0], 0, 100000, *rows[0][3:]], *rows[1:]],
        [rows[0], *rows[2:]],
        [[-9, *rows[0][1:]], *rows[1:]],
    ):
        made = walked(gaits, S.tolist(), route=wrong)
        assert routes.GONE in made.report["warnings"]
        assert made.report["follow"]["searched"] > 0
    with pytest.raises(OptionError, match="route takes rows of"):
        walked(gaits, S.tolist(), route=((1, 2, 3),))
