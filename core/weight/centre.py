"""The centre of mass of any body, from the points of its skeleton.

Method: Weight.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from ..errors import ClipError, SkeletonError
from ..motion import feet, kinematics, mass, quat, resample, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.skeleton import Skeleton

HEIGHTS = (0.1, 10.0)  # m; bodies of other heights are in an unknown unit
HEEL = 0.25  # distance of the heel behind the ankle, as a share of the distance from ankle to ball
FLAT = 0.2  # share of the frames, with the lowest ankles, in which the foot counts as flat on the ground

_known: WeakKeyDictionary[Skeleton, Array] = WeakKeyDictionary()


def mass_shares(skeleton: Skeleton) -> Array:
    """Return the centre of mass as weights (P,) of the points returned by `kinematics.points`; their sum is 1.

    People follow the table of `motion.mass`. The mass of each bone of other bodies is proportional to its length.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.weight import centre
        >>> shares = centre.mass_shares(body.skeleton())
        >>> shares.shape, round(float(shares.sum()), 6)
        ((26,), 1.0)
    """
    known = _known.get(skeleton)
    if known is None:
        try:
            known = mass.shares(skeleton)
        except SkeletonError:  # four feet, or unknown parts
            known = skeleton.point_weights
        _known[skeleton] = known
    return known


@dataclass(frozen=True, eq=False)
class BodyTracks:
    """Paths of a body's points, N samples of `rate` a second; metres and seconds.

    centre (N, 3) : centre of mass; hips (N, 3) : the joint that travels; hands (N, K, 3) : none on four feet
    soles : points (N, S, 3) of each foot that may touch the ground: ball, ankle, tips and heel
    height : of the body; toes : whether all feet have toes
    """

    rate: float
    centre: Array
    hips: Array
    hands: Array
    soles: dict[str, Array]
    height: float
    toes: bool

    def __len__(self) -> int:
        return len(self.centre)


def check_body(clip: Clip) -> None:
    """Raise SkeletonError for a body without known feet, ClipError for one of an unknown unit.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weight import centre
        >>> centre.check_body(actions.walk(cycles=1))
    """
    if not feet.balls_and_ankles(clip.skeleton):
        raise SkeletonError(f"{clip.name}: its feet are not known: name them in Body Roles")
    height = clip.skeleton.height
    if not HEIGHTS[0] <= height <= HEIGHTS[1]:
        raise ClipError(
            f"{clip.name}: its body is {height:.3g} m tall, so its unit is not known: give it its unit first"
        )


def track_body(clip: Clip, rate: float) -> BodyTracks:
    """Return the paths of the parts of a body that show its flights, at another rate.

    Raises SkeletonError for a body without known feet, ClipError for one of an unknown unit.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weight import centre
        >>> tracks = centre.track_body(actions.walk(cycles=1), 120.0)
        >>> len(tracks), {foot: path.shape for foot, path in tracks.soles.items()}
        (129, {'L': (129, 4, 3), 'R': (129, 4, 3)})
    """
    check_body(clip)
    skeleton, height = clip.skeleton, clip.skeleton.height
    pairs = feet.balls_and_ankles(skeleton)
    turned, points = kinematics.get_cached_pose(clip)
    hands = [] if skeleton.has_many_legs else [skeleton.roles.get(f"hand.{side}", -1) for side in "LR"]
    columns = [
        np.einsum("p,fpk->fk", mass_shares(skeleton), points)[:, None],
        points[:, [root_motion.travelling_joint(skeleton)]],
        points[:, [hand for hand in hands if hand >= 0]],
        *(
            np.concatenate([points[:, own], *_heel(turned, points, pairs[foot], len(skeleton))], axis=1)
            for foot, own in feet.soles(skeleton).items()
        ),
    ]
    paths = np.concatenate(columns, axis=1)
    count = int(np.floor(clip.seconds * rate + 1e-6)) + 1
    if rate != clip.rate:
        paths = resample.curve(paths, np.arange(count, dtype=np.float64) * clip.rate / rate)
    centre, hips, held, *soles = np.split(paths, np.cumsum([column.shape[1] for column in columns])[:-1], axis=1)
    toes = all(ball != ankle and ball < len(skeleton) for ball, ankle in pairs.values())
    return BodyTracks(rate, centre[:, 0], hips[:, 0], held, dict(zip(pairs, soles, strict=True)), height, toes)


def _heel(turned: Array, points: Array, pair: Sequence[int], joints: int) -> list[Array]:
    """Return the path (F, 1, 3) of a heel behind the ankle, level with the ball of a flat foot; none without a ball."""
    ball, ankle = pair
    if ball == ankle or ankle >= joints:
        return []
    low = points[:, ankle, 2] <= np.quantile(points[:, ankle, 2], FLAT)
    behind = -HEEL * (points[low, ball] - points[low, ankle])
    behind[:, 2] = points[low, ball, 2] - points[low, ankle, 2]
    in_foot = np.median(quat.rotate(quat.inv(turned[low, ankle]), behind), axis=0)
    return [(points[:, ankle] + quat.rotate(turned[:, ankle], in_foot))[:, None]]
