"""What a verb hands back."""

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
    """The new clip, its report, and by `reference` which of the given clips it is like.

    A report holds plain JSON values: what `reporting.common` says of any, what was left out ("dropped", see
    `reporting.left_out`), "quality" with what `quality.measure` says of the clips "before" and of the new one "after",
    "warnings" (sentences), and what the verb has to say besides. Verbs with Plant Feet say in "plant" what the verb
    `plant` does (None where planting was not tried), and in "not_planted" why no foot was planted ("" where one was).
    """

    clip: Clip
    report: dict[str, Any]
    reference: int


@dataclass(frozen=True, eq=False)
class BlendResult(Result):
    """A clip of K frames made of several at once, with what a picture of it needs.

    reference_frames (K,) : of the prepared reference, at each frame of the clip
    weights (N, K) : the share of each prepared clip in each frame
    """

    prepared: PreparedClips
    registration: Registration
    reference_frames: Array
    weights: Array


@dataclass(frozen=True, eq=False)
class LoopResult(Result):
    """A cycle, where it was found, and what else was.

    found : None where start and length were given, and where the whole clip is the cycle; closing : then, how its
    ends met
    """

    found: Repetition | None
    cycle: Cycle
    closing: Closing | None = None


@dataclass(frozen=True, eq=False)
class ConnectResult(Result):
    """Clips one after the other; seams : the first frame after each of them."""

    seams: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class SpliceResult(Result):
    """An action on a locomotion, with what a picture of it needs.

    locomotion, action : both at the F frames of the clip, on its skeleton
    action_frames (F,) : which frames of the action these are, as it was given
    corrections (F, 4) : by what the trunk was turned, in the frame of the pelvis joint
    """

    locomotion: Clip
    action: Clip
    action_frames: Array
    corrections: Array


@dataclass(frozen=True, eq=False)
class EditResult(Result):
    """A clip that was changed by itself; before : the clip as it was."""

    before: Clip


@dataclass(frozen=True, eq=False)
class RootResult(EditResult):
    """A clip whose travel was moved; joint : what carries it now."""

    joint: int


@dataclass(frozen=True, eq=False)
class KeyPosesResult(Result):
    """A clip that goes through K poses.

    poses : as a clip of K frames; arrive, leave (K) : the frames at which each is reached and left
    """

    poses: Clip
    arrive: tuple[int, ...]
    leave: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class ReachResult(EditResult):
    """A clip one of whose limbs reaches a place.

    ends (2, F, 3) : where its end is, before and after; target (F, 3) : where it is to be
    share (F,) : how far it is led there; span : the first and last frame in which it is all the way
    """

    ends: Array
    target: Array
    share: Array
    span: tuple[int, int]


@dataclass(frozen=True, eq=False)
class WarpResult(EditResult):
    """A clip that was bent to go through poses; frames : of these; added : by what it was turned and moved."""

    frames: tuple[int, ...]
    added: Added


@dataclass(frozen=True, eq=False)
class EventsResult(EditResult):
    """A clip whose events come at other frames; curve : which frame is played when."""

    curve: TimeCurve


@dataclass(frozen=True, eq=False)
class TravelResult(EditResult):
    """A clip that was given travel, or whose travel was taken off.

    found : what the feet say, of the one on the spot, None where they are not known
    way : what was given or taken off; gives : which of both
    """

    found: FootTravel | None
    way: RootTrajectory
    gives: bool


@dataclass(frozen=True, eq=False)
class PlantResult(EditResult):
    """A clip whose feet were planted; planted : what was done to it."""

    planted: Planted


@dataclass(frozen=True, eq=False)
class KeysResult(EditResult):
    """A clip as few keys play it; keyed : the keys."""

    keyed: KeyedClip


@dataclass(frozen=True, eq=False)
class FilterResult(EditResult):
    """A clip that was filtered.

    filtered : what was done to it before its feet were planted; bands (2, B) : how much its joints turn in each band
    before and after, degrees, the finest first
    """

    filtered: Filtered
    bands: Array


@dataclass(frozen=True, eq=False)
class RetargetResult(Result):
    """A clip on another body; source : it as it was put there, carried : what was matched how."""

    source: Clip
    carried: Carried
