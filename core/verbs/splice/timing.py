"""Map each frame of a locomotion to a frame of an action (methods: Splicing upper body onto locomotion).

The action is registered to the locomotion if their legs move alike. Otherwise it plays at its own speed, and is
repeated or held if it is too short.
"""

from dataclasses import dataclass, replace

import numpy as np

from ...errors import ClipError, LoomError, OptionError, RegistrationError
from ...motion import cycles, root_motion
from ...motion.clip import Clip
from ...motion.quat import Array
from ...progress import SILENT, Progress
from ...quality import contacts
from ...recipes.matching import Matching
from ...sync import cycle_search, registration
from ...sync.registration_curve import RegistrationCurve
from ..loop import Loop
from ..loop import work as loop
from . import Splice

IN_STEP = 0.5  # least leg similarity to play in step; walks of any style have 0.6 and more, other gaits at most 0.44
NEAR = 0.09 / 1.7  # body heights; legs with a smaller mean distance are in step, too
LEGS = Matching(joints="lower", ends="auto")
STEPS = 0.15  # body heights a second; a stepping foot is faster
SMOOTHED = 0.05  # s; sigma, against noise
# share of frames with steps at most; standing boxers have up to 0.02, dances and dribbles in place 0.19 or more
STANDING = 0.08
STRETCH = 1.5  # times the locomotion's length; longer actions are cut to it for the comparison
HELD = 0.1  # s an action may be held at its ends before it is repeated instead
THROUGHOUT = 0.75  # share of frames covered by cycles; captured actions have over 0.8 or under 0.6


@dataclass(frozen=True, eq=False)
class Timing:
    """The action as played, and its frame (F,) at each frame of the locomotion.

    kind : "sync" or "own"; why : the reason in words
    curve : the registration curve if one was computed, used or not, or None
    repeated : period in frames after which the action repeats, 0 for never; frame 0 is then the given action's `first`
    closes : whether locomotion and action are cycles, so that the result is one
    """

    action: Clip
    frames: Array
    kind: str
    why: str
    curve: RegistrationCurve | None
    repeated: int = 0
    first: int = 0
    closes: bool = False

    @property
    def given(self) -> Array:
        """The frame (F,) of the action as given."""
        if not self.repeated:
            return np.clip(self.frames, 0.0, len(self.action) - 1.0)
        return np.asarray(self.first + self.frames % self.repeated)


def choose_timing(locomotion: Clip, action: Clip, start: int, recipe: Splice, progress: Progress = SILENT) -> Timing:
    """Return the timing of an action of the same skeleton and rate, played from its frame `start`.

    Raises LoomError kinds if the requested timing is impossible.
    """
    if len(action) - start == 1:
        return Timing(action, np.full(len(locomotion), float(start)), "own", "it is a single pose", None)
    if recipe.timing == "own":
        return _own(locomotion, action, start, recipe, "it was asked for", None)
    if recipe.timing == "auto" and _stands(locomotion):
        return _own(locomotion, action, start, recipe, f"{locomotion.name} takes no step to be in step with", None)
    progress.at(0.0, "Searching the clips")
    try:
        found = _in_step(locomotion, action, start, recipe, LEGS)
        assert found.curve is not None
        alike = f"the legs' likeness is {found.curve.likeness:.2f}"
        if recipe.timing == "sync":
            return replace(found, why="it was asked for: " + alike)
        if found.curve.likeness >= IN_STEP:
            return replace(found, why=f"{alike}, {IN_STEP:g} or more")
        # Someone who turns or dawdles moves differently, but the leg positions may still be those of a walk.
        near = _in_step(locomotion, action, start, recipe, replace(LEGS, metric="points"))
    except (OptionError, RegistrationError) as error:
        if recipe.timing == "sync":
            raise RegistrationError(f"{action.name} can't be played in step with {locomotion.name}: {error}") from None
        return _own(locomotion, action, start, recipe, f"the legs can't be compared ({error})", None)
    assert near.curve is not None
    apart = f"{alike}, and they are {100.0 * near.curve.cost:.0f} cm apart"
    if _corresponds(near.curve, locomotion):
        return replace(near, why=f"{apart}, no more than {100.0 * NEAR * locomotion.skeleton.height:.0f}")
    return _own(locomotion, action, start, recipe, f"{alike}, less than {IN_STEP:g}", found.curve)


def _stands(clip: Clip) -> bool:
    """Return whether a body stands still, so that its legs give no timing."""
    if len(clip) < 2:
        return False
    step = STEPS * clip.skeleton.height / clip.rate
    paths = [root_motion.smooth(ball, SMOOTHED * clip.rate) for ball in contacts.feet(clip).values()]
    return bool(paths) and all(
        (np.linalg.norm(np.diff(path, axis=0), axis=1) > step).mean() <= STANDING for path in paths
    )


def _corresponds(curve: RegistrationCurve, locomotion: Clip) -> bool:
    """Return whether legs are in step: they move alike, or are near enough."""
    near = curve.metric == "points" and curve.cost <= NEAR * locomotion.skeleton.height
    return curve.likeness >= IN_STEP or near


def _in_step(locomotion: Clip, action: Clip, start: int, recipe: Splice, legs: Matching) -> Timing:
    """Return the action registered to the locomotion; an action that is too short is repeated first if allowed."""
    if all(clip.cyclic and cycles.closes(clip) for clip in (locomotion, action)):
        one = cycles.first_of(action)
        curve = registration.register_pair(cycles.first_of(locomotion), one, legs, cyclic=True)
        laid = _laid_out(one, 0, curve.at(np.arange(len(locomotion), dtype=float)), curve)
        return replace(laid, closes=True)
    if recipe.if_shorter == "hold" or STRETCH * (len(action) - start) >= len(locomotion):
        curve, frames = _register_action(locomotion, action, start, legs)
        overhang = max(-frames.min(), frames.max() - (len(action) - 1))
        unlike = recipe.timing == "auto" and not _corresponds(curve, locomotion)
        if recipe.if_shorter == "hold" or overhang <= HELD * action.rate or unlike:
            return Timing(action, frames, "sync", "", curve)
    cycle, first = _repeating(action, start)
    period = len(cycle) - 1
    before = 1 + int(0.5 * len(locomotion) / period)  # with open ends, the curve may start this many cycles earlier
    lasting = cycles.unroll_cycle(cycle, before, 2 + int(2.0 * STRETCH * len(locomotion) / period))
    curve, frames = _register_action(locomotion, lasting, before * period + (start - first) % period, legs)
    return Timing(lasting, frames, "sync", "", curve, period, first)


def _register_action(locomotion: Clip, action: Clip, start: int, legs: Matching) -> tuple[RegistrationCurve, Array]:
    """Return the curve from the action's frame `start`, and action frames (F,), extended at the action's own speed."""
    stretch = action.cut(start, min(len(action), start + round(STRETCH * len(locomotion))))
    curve = registration.register_pair(locomotion, stretch, legs)
    at = np.arange(len(locomotion), dtype=float)
    inside = np.clip(at, curve.first, curve.last)
    return curve, start + curve.at(inside) + (at - inside)


def _own(
    locomotion: Clip, action: Clip, start: int, recipe: Splice, why: str, curve: RegistrationCurve | None
) -> Timing:
    frames = start + np.arange(len(locomotion), dtype=float)
    if frames[-1] <= len(action) - 1 or recipe.if_shorter == "hold":
        return Timing(action, frames, "own", why, curve)
    cycle, first = _repeating(action, start)
    begun = (start - first) % (len(cycle) - 1)
    laid = _laid_out(cycle, first, begun + np.arange(len(locomotion), dtype=float), curve)
    return replace(laid, kind="own", why=why)


def _laid_out(cycle: Clip, first: int, frames: Array, curve: RegistrationCurve | None) -> Timing:
    """Return the timing of a cycle at frames of any repetition, unrolled with a spare cycle on each side."""
    one = len(cycle) - 1
    before = int(np.ceil(max(-frames.min(), 0.0) / one)) + 1
    after = int(np.ceil(max(frames.max(), 0.0) / one)) + 1
    return Timing(cycles.unroll_cycle(cycle, before, after), frames + before * one, "sync", "", curve, one, first)


def _repeating(action: Clip, start: int) -> tuple[Clip, int]:
    """Return the action as a cycle, and the frame of the action where the cycle starts.

    The cycle holds all whole repetitions of a periodic action. Other actions are looped as a whole from `start`.
    """
    if action.cyclic and cycles.closes(action):
        return action, 0
    first, length = _whole_cycles(action) or (start, len(action) - 1 - start)
    if length < cycle_search.SHORTEST * action.rate:
        raise ClipError(
            f"{action.name} has {length / action.rate:.2f} s to play, and repeating takes {cycle_search.SHORTEST:g}: "
            "hold it, or play it from an earlier frame"
        )
    try:
        closed = loop.loop(
            [action], Loop(start=first, length=length, straighten="no", trim=False, plant_feet=False)
        ).clip
    except LoomError as error:
        raise ClipError(f"{action.name} is shorter than the locomotion; hold it, since to repeat it: {error}") from None
    return closed, first


def _whole_cycles(action: Clip) -> tuple[int, int] | None:
    """Return first frame and length of all cycles of an action, or None if it is not periodic throughout.

    Someone who raises an arm, waves and lowers it only repeats the wave; the rest would be lost.
    """
    try:
        found = cycle_search.find(action)
    except LoomError:
        return None
    best, scores = found.best, found.start_scores
    if best.score < cycle_search.PERIODIC or (scores >= cycle_search.WEAK).mean() < THROUGHOUT:
        return None
    first = int(found.starts[np.argmax(scores >= best.score - cycle_search.NEAR_BEST)])
    return first, (len(action) - 1 - first) // best.length * best.length
