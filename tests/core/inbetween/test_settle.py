"""Settling pulls towards similar motion, leaves other motion and kept frames, and reports its share."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.edit import filtering
from action_loom.core.errors import ClipError, OptionError
from action_loom.core.motion import kinematics, quat


def away(one, other):
    return float(np.linalg.norm(kinematics.points(one) - kinematics.points(other), axis=2).mean())


def roughened(clip, rng, degrees=4.0):
    """A clip whose joints waver, a few times a second."""
    frames = np.arange(len(clip))
    waves = sum(
        rng.normal(size=(1, len(clip.skeleton), 3)) * np.sin(frames[:, None, None] / len(clip) * 2 * np.pi * k + k)
        for k in (5, 9, 14)
    )
    turns = quat.mul(clip.rotations, quat.exp(np.radians(degrees) / 3.0 * waves))
    return replace(clip, rotations=turns, name="rough", cyclic=False)


@pytest.mark.parametrize("strength", [0.5, 1.0])
def test_a_rough_walk_comes_nearer_to_the_walk(rng, strength):
    walk = actions.walk()
    rough = roughened(walk, rng)
    made = verbs.apply(verbs.Settle(strength=strength, keep_contacts=False), [rough, walk])
    assert away(made.clip, walk) < (1.0 - 0.8 * strength) * away(rough, walk)
    assert made.report["settle"]["pulled"] > 0.6 * strength


def test_none_of_the_way_is_the_clip_itself_and_it_is_said(rng):
    rough = roughened(actions.walk(), rng)
    made = verbs.apply(verbs.Settle(strength=0.0), [rough, actions.walk()])
    assert filtering.turned_by(made.clip, rough).max() < 1e-7
    assert "strength is 0" in made.report["warnings"][0]


def test_other_motion_leaves_it_and_that_is_said():
    wave = actions.wave()
    made = verbs.apply(verbs.Settle(strength=1.0, keep_contacts=False), [wave, actions.turn_left()])
    assert away(made.clip, wave) < 0.003
    assert any("nothing like it was found" in warning for warning in made.report["warnings"])


def test_kept_frames_stay(rng):
    rough = roughened(actions.walk(), rng)
    kept = (20, 50)
    made = verbs.apply(verbs.Settle(strength=1.0, kept_frames=(kept,), keep_contacts=False), [rough, actions.walk()])
    turned = filtering.turned_by(made.clip, rough)
    assert turned[list(kept)].max() < 1e-7
    assert turned[[35, 65]].max() > 0.01


def test_errors():
    with pytest.raises(ClipError, match="Settle takes 2 or more clips; 1 given"):
        verbs.apply(verbs.Settle(), [actions.walk()])
    with pytest.raises(OptionError, match="has no frame 97"):
        verbs.apply(verbs.Settle(kept_frames=((97,),)), [actions.walk(), actions.walk()])
