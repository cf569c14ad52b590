"""Put the upper body of a driven clip on an action that keeps its legs and path (methods: Drive)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...bodies import alike
from ...errors import ClipError
from ...motion import cycles
from ...motion.clip import Clip
from ...motion.quat import Array
from ...weave.seam import repairs
from ...weave.splice import mask, torso
from ..splice import Splice, whole

FADE = 1.0 / 3.0  # s to fade back to the action's own upper body if the action is longer


def legs(clips: Sequence[Clip], seconds: float) -> Clip:
    """Return the first clip, a cycle repeated to last `seconds`; raises ClipError without other clips.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.drive import over
        >>> one = replace(actions.walk(cycles=1), cyclic=True)  # 1.07 s
        >>> len(over.legs([one, actions.wave()], 3.0)), len(one)
        (97, 33)
    """
    if len(clips) < 2:
        raise ClipError("upper_body_only takes the action whose legs stay, and those that are driven with")
    clip = clips[0]
    if not clip.cyclic:
        return clip
    return cycles.unroll_cycle(clip, 0, max(0, int(np.ceil(seconds / clip.seconds - 1e-9)) - 1))


def splice_upper_body(legs: Clip, driven: Clip, name: str) -> Clip:
    """Return a clip with the upper body of a driven clip until that ends, and then with its own upper body again.

    Raises SkeletonError if the upper body is not known.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.drive import over
        >>> made = over.splice_upper_body(actions.walk(), actions.wave(), "both")
        >>> walk, thigh = actions.walk(), actions.walk().skeleton.index("thigh.L")
        >>> len(made) == len(walk), bool((made.rotations[:, thigh] == walk.rotations[:, thigh]).all())
        (True, True)
    """
    upper = mask.upper_body(legs.skeleton, "")
    brought, _ = alike.like(driven, legs)
    action = brought.take_frames(np.minimum(np.arange(len(legs)), len(brought) - 1))
    faced = torso.facing(legs), torso.facing(action)
    rotations, _ = whole.upper_rotations(legs, action, upper, faced, Splice())
    strength = fade_back(len(legs), min(len(legs), len(brought)), legs.rate)
    return replace(whole.overlay(legs, action, upper, rotations, strength), name=name)


def fade_back(count: int, driven: int, rate: float) -> Array:
    """Return the strength (count,) of an upper body driven only in the first frames.

    Example:
        >>> from action_loom.core.verbs.drive import over
        >>> over.fade_back(8, 6, 9.0).round(2).tolist()
        [1.0, 1.0, 1.0, 0.84, 0.5, 0.16, 0.0, 0.0]
    """
    strength = np.ones(count)
    if driven < count:
        fade = min(max(2, round(FADE * rate)), driven)
        strength[driven:] = 0.0
        strength[driven - fade : driven] = 1.0 - repairs.fade(fade)
    return strength
