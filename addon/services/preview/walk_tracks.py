"""Store the root trajectory of each armature's walk along a curve, for the 3D view's overlay.

No Blender data is kept.
"""

from typing import TYPE_CHECKING, NamedTuple

import bpy

from ....core.cache import Cache
from ...ground import colors, memory

if TYPE_CHECKING:
    from ....core.motion.quat import Array
    from ....core.verbs.follow.result import FollowResult

MOST = 2000  # points of a track
BAD = 0.12  # body heights from the curve at which the track is fully red
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # shares from good to bad whose colours are interpolated


class WalkTrack(NamedTuple):
    """A walk's root trajectory (K, 3), in scene units, and its distance (K,) from the curve, in metres.

    action : session id of the walk's action; the track is hidden while another action is shown
    bad : distance (m) of the fully red colour
    worst (M, 3) : a line with a ring around the curve's place farthest from the walk; None without one
    """

    places: "Array"
    away: "Array"
    action: int
    bad: float = 1.0
    worst: "Array | None" = None

    @property
    def colors(self) -> "Array":
        """Return colours (K, 4): good on the curve, bad far from it."""
        import numpy as np

        share, known = np.clip(self.away / self.bad, 0.0, 1.0), [colors.between(one) for one in SHARES]
        return np.stack([np.interp(share, SHARES, side) for side in zip(*known, strict=True)], axis=1)


# By the session id of the armature.
_tracks: Cache[int, WalkTrack] = memory.cache(8)


def track_of(armature: bpy.types.Object) -> WalkTrack | None:
    """Return the track of the walk that an armature shows, or None."""
    track, data = _tracks.get(armature.session_uid), armature.animation_data
    action = None if data is None else data.action
    return track if track is not None and action is not None and action.session_uid == track.action else None


def keep(armature: int, action: bpy.types.Action, walked: "FollowResult", metres: float) -> None:
    """Keep the track of a walk along a curve; `metres` in a scene unit."""
    import numpy as np

    from . import trails

    away = np.abs(walked.places - walked.path.at(walked.gone))
    some = np.linspace(0, len(away) - 1, min(len(away), MOST)).astype(int)
    ground = walked.places[some] / metres
    places = np.column_stack([ground.real, ground.imag, np.zeros(len(some))])
    bad, worst = BAD * walked.clip.skeleton.height, trails.worst(walked, metres)
    _tracks.keep(armature, WalkTrack(places, away[some], action.session_uid, bad, worst))
