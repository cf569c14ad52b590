"""The results of verbs: a clip, its report, and the data for a picture of it."""

from dataclasses import dataclass, field
from typing import Any, Optional

from ..bodies.carried import Carried
from ..edit.feet.planting import Planted
from ..edit.filtering import Filtered
from ..edit.keyed import KeyedClip
from ..edit.pose_warp import Added
from ..edit.time_curve import TimeCurve
from ..motion.clip import Clip
from ..motion.closing import Closing
from ..motion.quat import Array
from ..quality.foot_travel import FootTravel
from ..sync.cycle_search import Cycle, Repetition
from ..sync.registration_curve import Registration
from .preprocess import PreparedClips
from .root_trajectory import RootTrajectory


@dataclass(frozen=True, eq=False)
class Result:
    """The new clip, its report, and in `reference` the number of the given clip whose body it is written to.

    A report holds plain JSON values: the keys of `reporting.common`, omitted frames ("dropped", see
    `reporting.left_out`), "quality" with the measures (`quality.measure`) of the clips "before" and of the new one
    "after", "warnings" (sentences), and keys of the verb. Verbs with Plant Feet add "plant" as in the verb `plant`
    (None if planting was not tried), and "not_planted", the reason why no foot was planted ("" if one was).

    partner : the result of a second figure, if it was woven, too; its own plays the same frames
    """

    clip: Clip
    report: dict[str, Any]
    reference: int
    partner: Optional["Result"] = field(default=None, kw_only=True)

    def restore(self, changed: Clip) -> Clip:
        """Return a later changed clip with the frames restored that the result must keep exactly, such as key poses."""
        return changed


@dataclass(frozen=True, eq=False)
class BlendResult(Result):
    """A clip of K frames blended from several.

    reference_frames (K,) : frame of the prepared reference at each frame of the clip
    weights (N, K) : weight of each prepared clip in each frame
    """

    prepared: PreparedClips
    registration: Registration
    reference_frames: Array
    weights: Array


@dataclass(frozen=True, eq=False)
class LoopResult(Result):
    """A cycle and its position in the source.

    found : all cycles found; None if start and length were given, or if the whole clip is the cycle
    closing : how the ends of the whole clip met, if it is the cycle
    """

    found: Repetition | None
    cycle: Cycle
    closing: Closing | None = None


@dataclass(frozen=True, eq=False)
class ConnectResult(Result):
    """Clips in sequence; seams : the first frame after each seam."""

    seams: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class SpliceResult(Result):
    """An action on a locomotion.

    locomotion, action : both at the F frames of the clip, on its skeleton
    action_frames (F,) : frame of the given action played at each frame
    corrections (F, 4) : rotations of the trunk, in the frame of the pelvis joint
    """

    locomotion: Clip
    action: Clip
    action_frames: Array
    corrections: Array


@dataclass(frozen=True, eq=False)
class CutOutResult(Result):
    """A loop or an action cut from a take; part : the frames of the take used for it.

    first : its first frame in the take; low : first frame of the cycle of a loop
    """

    part: Clip
    first: int
    low: int


@dataclass(frozen=True, eq=False)
class EditResult(Result):
    """One edited clip; before : the original clip."""

    before: Clip


@dataclass(frozen=True, eq=False)
class RootResult(EditResult):
    """A clip with its root motion moved to another joint; joint : the new carrier."""

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
    share (F,) : 0 for unchanged frames, 1 where the end is at the target; span : the first and last frame at it
    """

    ends: Array
    target: Array
    share: Array
    span: tuple[int, int]


@dataclass(frozen=True, eq=False)
class WarpResult(EditResult):
    """A clip warped through poses; frames : of these poses; added : rotations and translations added to it."""

    frames: tuple[int, ...]
    added: Added


@dataclass(frozen=True, eq=False)
class EventsResult(EditResult):
    """A clip with events moved to other frames; curve : map from its frames to source frames."""

    curve: TimeCurve


@dataclass(frozen=True, eq=False)
class TravelResult(EditResult):
    """A clip with root motion added or removed.

    found : travel measured from the feet of the in-place clip, None if they are not known
    trajectory : the root trajectory added or removed; gives : whether it was added
    """

    found: FootTravel | None
    trajectory: RootTrajectory
    gives: bool


@dataclass(frozen=True, eq=False)
class PlantResult(EditResult):
    """A clip with planted feet; planted : the outcome of planting."""

    planted: Planted


@dataclass(frozen=True, eq=False)
class KeysResult(EditResult):
    """A clip as played by a reduced set of keys; keyed : these keys."""

    keyed: KeyedClip


@dataclass(frozen=True, eq=False)
class FilterResult(EditResult):
    """A filtered clip.

    filtered : the outcome of filtering before feet were planted
    bands (2, B) : rotation amplitude of its joints in each band before and after, degrees, the finest first
    """

    filtered: Filtered
    bands: Array


@dataclass(frozen=True, eq=False)
class RetargetResult(Result):
    """A clip on another body; source : the clip on its own body; carried : report of the retargeting."""

    source: Clip
    carried: Carried
