"""Where walks along a curve went, of each armature: what the overlay of the 3D view draws.

What is kept holds nothing of Blender's.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy

from ....core.cache import Cache
from ...ground import colors, memory

if TYPE_CHECKING:
    from ....core.motion.quat import Array
    from ....core.verbs.follow.result import FollowResult

MOST = 2000  # points of a track
BAD = 0.2  # m from the curve; there the track is red
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the way from good to bad, of whose colours those between are made


@dataclass(frozen=True, eq=False)
class WalkTrack:
    """Where a walk went (K, 3), in units of the scene, and how far (K,) from its curve, metres.

    action : session id of the walk's action: while another is shown, the track would tell of nothing that is seen
    worst (M, 3) : a line round the place of the curve that it is farthest from; none of a ring
    """

    places: "Array"
    away: "Array"
    action: int
    worst: "Array | None" = None

    @property
    def colors(self) -> "Array":
        """Colours (K, 4): good on the curve, bad far from it."""
        import numpy as np

        share, known = np.clip(self.away / BAD, 0.0, 1.0), [colors.between(one) for one in SHARES]
        return np.stack([np.interp(share, SHARES, side) for side in zip(*known, strict=True)], axis=1)


# By the session id of the armature.
_tracks: Cache[int, WalkTrack] = memory.cache(8)


def track_of(armature: bpy.types.Object) -> WalkTrack | None:
    """Return where the walk went that an armature shows, or None."""
    track, data = _tracks.get(armature.session_uid), armature.animation_data
    action = None if data is None else data.action
    return track if track is not None and action is not None and action.session_uid == track.action else None


def keep(armature: int, action: bpy.types.Action, walked: "FollowResult", metres: float) -> None:
    """Keep where a walk along a curve went; `metres` in a unit of the scene."""
    import numpy as np

    from . import trails

    away = np.abs(walked.places - walked.path.at(walked.gone))
    some = np.linspace(0, len(away) - 1, min(len(away), MOST)).astype(int)
    ground = walked.places[some] / metres
    places = np.column_stack([ground.real, ground.imag, np.zeros(len(some))])
    _tracks.keep(armature, WalkTrack(places, away[some], action.session_uid, trails.worst(walked, metres)))
