"""Actions on stretches of a path: the legs walk on unchanged, and the arms play the action."""

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import ClipError, OptionError, SkeletonError
from action_loom.core.progress import Progress
from action_loom.core.verbs import BuildGraph, Follow
from action_loom.core.verbs.follow import work as follow
from action_loom.core.weave.splice import mask
from numpy.testing import assert_allclose
from oracles import material, paths
from oracles.material import random_clip, random_skeleton

pytestmark = pytest.mark.both_engines

LINE = ((0.0, 0.0), (0.0, 8.0))


def walked(graph, *, stretches=(), clips=(), path=LINE):
    return verbs.apply(Follow(path=path, stretches=stretches), list(clips), prepared=graph)


def test_only_the_upper_body_changes_and_only_on_the_stretch(gaits):
    plain = walked(gaits)
    carrying = walked(gaits, stretches=((0.3, 0.7, 1),), clips=[actions.wave(30.0)])
    (reported,) = carrying.report["follow"]["carries"]
    first, last = reported["frames"]
    shares = plain.gone / plain.path.length
    assert shares[first - 1] < 0.3 <= shares[first]
    assert shares[last] <= 0.7 < shares[last + 1]
    outside = np.r_[:first, last + 1 : len(plain.clip)]
    assert np.array_equal(carrying.clip.rotations[outside], plain.clip.rotations[outside])
    assert np.array_equal(carrying.clip.translations, plain.clip.translations)
    upper = mask.upper_body(plain.clip.skeleton).joints
    lower = np.setdiff1d(np.arange(len(plain.clip.skeleton)), upper)
    assert np.array_equal(carrying.clip.rotations[:, lower], plain.clip.rotations[:, lower])
    middle = slice(first + 12, last - 12)
    apart = np.abs(carrying.clip.rotations[middle] - plain.clip.rotations[middle])[:, upper].max(axis=(1, 2))
    assert apart.min() > 0.05
    # The action begins and ends without a jump.
    steps = np.abs(np.diff(carrying.clip.rotations, axis=0)).max(axis=(1, 2))
    assert steps[[first - 1, last]].max() < 1.5 * np.median(steps)


def test_several_stretches_and_the_clips_that_are_walked():
    clips = [actions.walk(30.0, 5), actions.wave(30.0), actions.turn_left(30.0), actions.carry(30.0)]
    recipe = Follow(path=LINE, stretches=((0.1, 0.4, 2), (0.5, 0.9, 4)))
    made = verbs.apply(recipe, clips)
    assert [one["action"] for one in made.report["follow"]["carries"]] == ["wave", "carry"]
    assert made.report["inputs"] == ["walk", "turn left"]
    assert made.clip.name == "walk + turn left along a path"
    assert recipe.prepared_of("abcd") == ["a", "c"]
    same = verbs.apply(
        Follow(path=LINE, stretches=recipe.stretches), clips, prepared=verbs.apply(BuildGraph(), [clips[0], clips[2]])
    )
    assert_allclose(same.clip.rotations, made.clip.rotations)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((0.7, 0.3, 1), "stretches takes rows of start, end"),
        ((0.3, 1.2, 1), "stretches takes rows of start, end"),
        ((0.3, 0.7, 2), r"clip \(1-1\)"),
        ((0.3, 0.7), "stretches takes rows of start, end"),
        ((0.5, 0.51, 1), "takes 0.1 s, too short for wave"),
    ],
)
def test_what_is_no_stretch_is_refused(gaits, row, message):
    with pytest.raises(OptionError, match=message):
        walked(gaits, stretches=(row,), clips=[actions.wave(30.0)])


@pytest.mark.shared
def test_captured_boxing_on_an_s():
    names = ("daz_02_01", "daz_07_01", "daz_09_12")
    graph = verbs.apply(BuildGraph(), [material.as_captured(f"cmu_{name}") for name in names])
    boxing = material.as_captured("cmu_daz_13_18")
    plain = walked(graph, path=paths.SHAPES["S"].tolist())
    made = walked(graph, path=paths.SHAPES["S"].tolist(), stretches=((0.4, 0.7, 1),), clips=[boxing])
    skeleton = made.clip.skeleton
    legs = [skeleton.roles[f"{part}.{side}"] for part in ("thigh", "shin", "foot") for side in "LR"]
    assert np.array_equal(made.clip.rotations[:, legs], plain.clip.rotations[:, legs])
    first, last = made.report["follow"]["carries"][0]["frames"]
    # A boxer's guard: forearms bent far more than a walker's.
    bent = [2.0 * np.arccos(np.abs(clip.rotations[first + 60 : last - 60, skeleton.roles["forearm.L"], 0]))
            for clip in (made.clip, plain.clip)]  # fmt: skip
    assert np.median(bent[0]) > np.median(bent[1]) + np.radians(40.0)


@pytest.mark.shared
def test_an_action_of_another_body_is_put_on_this_one_and_it_is_said(captured):
    boxing = material.as_captured("cmu_daz_13_18")
    made = walked(captured, stretches=((0.3, 0.7, 1),), clips=[boxing])
    (carries,) = made.report["follow"]["carries"]
    assert carries["carried"]["clip"] == "cmu_daz_13_18"
    assert any(one.startswith("cmu_daz_13_18 was put on the reference's body") for one in made.report["warnings"])


def test_an_action_of_no_person_is_refused_by_its_joints(gaits):
    still = material.random_clip(np.random.default_rng(0), material.character("Fox"), frames=30)
    with pytest.raises(SkeletonError, match="its joints differ"):
        walked(gaits, stretches=((0.3, 0.7, 1),), clips=[still])


def test_a_stretch_up_to_the_end_of_the_path_is_carried_up_to_the_last_frame(gaits):
    plain = walked(gaits)
    carrying = walked(gaits, stretches=((0.5, 1.0, 1),), clips=[actions.wave(30.0)])
    assert carrying.report["follow"]["carries"][0]["frames"][1] == len(plain.clip) - 1
    apart = np.abs(carrying.clip.rotations - plain.clip.rotations).max(axis=(1, 2))
    assert apart[-12:].min() > 0.05
    whole = walked(gaits, stretches=((0.0, 1.0, 1),), clips=[actions.wave(30.0)])
    assert whole.report["follow"]["carries"][0]["frames"] == [0, len(plain.clip) - 1]


def test_what_cannot_be_carried_is_refused_before_the_path_is_searched(gaits, rng):
    def forbidden(share, what):
        raise AssertionError(what)

    recipe = Follow(path=LINE, stretches=((0.2, 0.8, 1),))
    for clips, error, message in (
        ([], OptionError, "stretches takes rows of"),
        ([actions.wave(30.0).cut(0, 1)], ClipError, "^wave is a single pose"),
        ([random_clip(rng, random_skeleton(rng))], SkeletonError, "its joints differ"),
    ):
        with pytest.raises(error, match=message):
            follow.follow(clips, recipe, Progress(forbidden), gaits)
