"""Preview a few frames of a reweighted blend while the user drags a weight (methods: N-way blending)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...motion import cycles, root_motion
from ...motion.clip import Clip
from ...motion.quat import Array
from ...sync.registration_curve import Registration
from ...weave.ground_arc import GroundArc
from ...weave.results import BlendResult
from ...weave.seam import close
from . import Blend, work
from . import weights as blend_weights

AROUND = 2  # frames on each side of the requested one


@dataclass(frozen=True, eq=False)
class Draft:
    """The first frame of a blend and a few consecutive ones, identical to the full blend except for planting.

    result : the blend of these frames (F,) only, with the previous report
    to_plant : whether feet are still to be planted, which needs all frames
    """

    result: BlendResult
    frames: NDArray[np.int64]
    to_plant: bool


def of(result: BlendResult, recipe: Blend, frame: int) -> Draft:
    """Return the first frame of a reweighted blend and the frames around another, equal to those of `work.again`.

    `frame` is clamped to the result. Feet are not planted yet. Raises OptionError for weights that do not fit.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> from action_loom.core.verbs.blend import draft, work
        >>> made = verbs.apply(verbs.Blend(plant_feet=False), [actions.walk(cycles=1), actions.sneak(cycles=1)])
        >>> other = verbs.Blend(weights=(0.2, 0.8), plant_feet=False)
        >>> few, whole = draft.of(made, other, 20), work.again(made, other)
        >>> few.frames.tolist(), len(whole.clip)
        ([0, 18, 19, 20, 21, 22], 60)
        >>> bool(abs(kinematics.points(few.result.clip) - kinematics.points(whole.clip)[few.frames]).max() < 1e-9)
        True
    """
    registration, clips = result.registration, result.prepared.clips
    weights = blend_weights.of_recipe(recipe, len(clips))
    at = work.output_frames(registration, weights, recipe.timing)
    shares, last = weights.at(registration.share_of_way(at)), len(at) - 1
    wanted = min(max(frame, 0), last)
    near = np.union1d([0], np.arange(max(wanted - AROUND, 0), min(wanted + AROUND, last) + 1))
    if registration.cyclic:
        woven = _of_cycle(clips, registration, at, shares, near)
    else:
        woven = work.weave(clips, registration, at, shares, near)[0]
    few = replace(
        result,
        clip=replace(woven, name=result.clip.name),
        reference_frames=at[near],
        weights=shares[:, near],
    )
    return Draft(few, near, recipe.plant_feet and not work.of_one(clips, shares))


def _of_cycle(
    clips: Sequence[Clip], registration: Registration, at: Array, shares: Array, near: NDArray[np.int64]
) -> Clip:
    """Return some frames of a cycle; its heading is straightened if the ends of the whole cycle agree."""
    last = len(at) - 1
    # the support of heading smoothing
    reach = min(int(np.ceil(work.PADDING * clips[registration.reference].rate)), last)
    ends = np.arange(reach + 1), np.arange(last - reach, last + 1)
    some = np.unique(np.concatenate([near, *ends]))
    woven = work.weave(clips, registration, at, shares, some)[0]
    ground, raw = root_motion.ground_frames(woven)
    begins, ended = (
        root_motion.smooth(np.unwrap(raw[np.searchsorted(some, each)]), root_motion.HEADING_SIGMA * woven.rate)
        for each in ends
    )
    turn = float(ended[-1] - begins[0])
    # Intermediate frames would be needed to count whole turns, so the turns are taken from the clips.
    own = [float(np.diff(root_motion.ground_frames(clip)[1][[0, -1]])[0]) for clip in clips]
    turn += 2.0 * np.pi * round((float(shares.mean(axis=1) @ own) - turn) / (2.0 * np.pi))
    places = ground @ np.array([1.0, 1j])
    arc = GroundArc(complex(places[0]), float(begins[0]), complex(places[-1] - places[0]), turn, last)
    chosen = np.searchsorted(some, near)
    return close.straight_on(woven.take_frames(chosen), arc, near.astype(float), cycles.standing_joints(woven))[0]
