"""The results of verbs: a clip, its report, and what a picture of it needs."""

from dataclasses import dataclass
from typing import Any

from ..bodies.carried import Carried
from ..check.foot_travel import FootTravel
from ..edit.feet.planting import Planted
from ..edit.filtering import Filtered
from ..edit.keyed import KeyedClip
from ..edit.pose_warp import Added
from ..edit.time_curve import TimeCurve
from ..motion.clip import Clip
from ..motion.closing import Closing
from ..motion.quat import Array
from ..sync.cycle_search import Cycle, Repetition
from ..sync.registration_curve import Registration
from .preprocess import PreparedClips
from .root_trajectory import RootTrajectory


@dataclass(frozen=True, eq=False)
class Result:
    """The new clip, its report, and by `reference` the number of the given clip as which it is written.

    A report holds plain JSON values: the keys of `reporting.common`, frames left out ("dropped", see
    `reporting.left_out`), "quality" with the measures (`quality.measure`) of the clips "before" and of the new one
    "after", "warnings" (sentences), and the verb's own. Verbs with Plant Feet add "plant" as the verb `plant` has it
    (None where planting was not tried), and "not_planted": why no foot was planted ("" where one was).
    """

    clip: Clip
    report: dict[str, Any]
    reference: int


@dataclass(frozen=True, eq=False)
class BlendResult(Result):
    """A clip of K frames blended from several.

    reference_frames (K,) : of the prepared reference, at each frame of the clip
    weights (N, K) : the share of each prepared clip in each frame
    """

    prepared: PreparedClips
    registration: Registration
    reference_frames: Array
    weights: Array


@dataclass(frozen=True, eq=False)
class LoopResult(Result):
    """A cycle and where it was found.

    found : all cycles found; None where start and length were given, and where the whole clip is the cycle
    closing : how the ends of the whole clip met, where that is the cycle
    """

    found: Repetition | None
    cycle: Cycle
    closing: Closing | None = None


@dataclass(frozen=True, eq=False)
class ConnectResult(Result):
    """Clips one after the other; seams : the first frame after each seam."""

    seams: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class SpliceResult(Result):
    """An action on a locomotion.

    locomotion, action : both at the F frames of the clip, on its skeleton
    action_frames (F,) : the frames of the given action that are played
    corrections (F, 4) : the rotations of the trunk, in the frame of the pelvis joint
    """

    locomotion: Clip
    action: Clip
    action_frames: Array
    corrections: Array


@dataclass(frozen=True, eq=False)
class CutOutResult(Result):
    """A loop or an action out of a take; part : the frames of the take that it was made of.

    first : frame of the take that it begins with; low : first frame of the cycle of a loop
    """

    part: Clip
    first: int
    low: int


@dataclass(frozen=True, eq=False)
class EditResult(Result):
    """One clip, changed; before : the clip as it was."""

    before: Clip


@dataclass(frozen=True, eq=False)
class RootResult(EditResult):
    """A clip whose root motion is on another joint; joint : the one that carries it now."""

    joint: int


@dataclass(frozen=True, eq=False)
class KeyPosesResult(Result):
    """A clip through K key poses.

    poses : as a clip of K frames; arrive, leave (K,) : the frames at which each is reached and left
    """

    poses: Clip
    arrive: tuple[int, ...]
    leave: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class ReachResult(EditResult):
    """A clip with a limb that reaches a target.

    ends (2, F, 3) : the limb's end before and after; target (F, 3) : its target
    share (F,) : 0 where the clip is as it was, 1 where the end is at the target; span : the first and last frame at it
    """

    ends: Array
    target: Array
    share: Array
    span: tuple[int, int]


@dataclass(frozen=True, eq=False)
class WarpResult(EditResult):
    """A clip warped through poses; frames : of these poses; added : the turns and moves added to it."""

    frames: tuple[int, ...]
    added: Added


@dataclass(frozen=True, eq=False)
class EventsResult(EditResult):
    """A clip whose events are at other frames; curve : which frame is played when."""

    curve: TimeCurve


@dataclass(frozen=True, eq=False)
class TravelResult(EditResult):
    """A clip to which root motion was added, or from which it was removed.

    found : the travel that the feet of the clip on the spot show, None where they are not known
    trajectory : the root trajectory added or removed; gives : whether it was added
    """

    found: FootTravel | None
    trajectory: RootTrajectory
    gives: bool


@dataclass(frozen=True, eq=False)
class PlantResult(EditResult):
    """A clip whose feet were planted; planted : what was done."""

    planted: Planted


@dataclass(frozen=True, eq=False)
class KeysResult(EditResult):
    """A clip as it is played by few keys; keyed : these keys."""

    keyed: KeyedClip


@dataclass(frozen=True, eq=False)
class FilterResult(EditResult):
    """A clip that was filtered.

    filtered : what was done before its feet were planted
    bands (2, B) : how much its joints turn in each band before and after, degrees, the finest first
    """

    filtered: Filtered
    bands: Array


@dataclass(frozen=True, eq=False)
class RetargetResult(Result):
    """A clip on another body; source : the clip on its own body; carried : what was matched how."""

    source: Clip
    carried: Carried
