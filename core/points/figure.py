"""The skeleton of a person, made from points: a T-pose with the measured lengths of bones (methods: Points)."""

import numpy as np

from ..motion import quat
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import body, upright
from .lengths import Lengths
from .track import Track

_TRUNK = 0.5  # quantile of the distance between hips and shoulders over time, used as the length of the trunk
_SPINE, _CHEST = 0.12, 0.56  # heights of these joints above the hips, as shares of the trunk
_CLAVICLE = (0.02, 0.94)  # body heights beside the middle, and share of the trunk above the hips
_NECK, _HEAD = 0.06, 0.11  # lengths in body heights
_HAND, _TOES = 0.06, 0.03  # lengths in body heights; that of a hand is used if no point shows it
_FOOT = (0.09, 0.03)  # body heights from ankle to ball, forwards and down, if no point shows the ball


def make(track: Track, lengths: Lengths) -> Skeleton:
    """Return the skeleton of an upright track, standing on the floor and looking along +Y."""
    height = track.height
    legs = {
        side: (lengths[f"hip.{side}", f"knee.{side}"], lengths[f"knee.{side}", f"ankle.{side}"]) for side in body.SIDES
    }
    apart = 0.5 * lengths["hip.L", "hip.R"]
    wide = 0.5 * float(np.median(np.linalg.norm(track.at("shoulder.L") - track.at("shoulder.R"), axis=1)))
    trunk = trunk_length(track)
    ankle = standing_height(track, "ankle", upright.ANKLE_HEIGHT * height)
    forwards, down = _foot(track, lengths, ankle)
    hips = 0.5 * sum(map(sum, legs.values())) + ankle
    rows: list[tuple[str, str, tuple[float, float, float]]] = [
        ("hips", "", (0.0, 0.0, hips)),
        ("spine", "hips", (0.0, 0.0, hips + _SPINE * trunk)),
        ("chest", "spine", (0.0, 0.0, hips + _CHEST * trunk)),
        ("neck", "chest", (0.0, 0.0, hips + trunk)),
        ("head", "neck", (0.0, 0.0, hips + trunk + _NECK * height)),
    ]
    tips = {"head": (0.0, 0.0, _HEAD * height)}
    for side, out in (("L", -1.0), ("R", 1.0)):
        arm = hips + trunk
        upper = lengths[f"shoulder.{side}", f"elbow.{side}"]
        lower = lengths[f"elbow.{side}", f"wrist.{side}"]
        thigh, shin = legs[side]
        rows += [
            (f"clavicle.{side}", "chest", (out * _CLAVICLE[0] * height, 0.0, hips + _CLAVICLE[1] * trunk)),
            (f"upper_arm.{side}", f"clavicle.{side}", (out * wide, 0.0, arm)),
            (f"forearm.{side}", f"upper_arm.{side}", (out * (wide + upper), 0.0, arm)),
            (f"hand.{side}", f"forearm.{side}", (out * (wide + upper + lower), 0.0, arm)),
            (f"thigh.{side}", "hips", (out * apart, 0.0, hips)),
            (f"shin.{side}", f"thigh.{side}", (out * apart, 0.0, hips - thigh)),
            (f"foot.{side}", f"shin.{side}", (out * apart, 0.0, hips - thigh - shin)),
            (f"toe.{side}", f"foot.{side}", (out * apart, forwards, hips - thigh - shin - down)),
        ]
        hand = [
            lengths[bone]
            for part in ("knuckle", "index", "pinky")
            if (bone := (f"wrist.{side}", f"{part}.{side}")) in lengths
        ]
        tips[f"hand.{side}"] = (out * (float(np.mean(hand)) if hand else _HAND * height), 0.0, 0.0)
        tips[f"toe.{side}"] = (0.0, _TOES * height, 0.0)
    return _skeleton(rows, tips)


def trunk_length(track: Track) -> float:
    """Return the length of the trunk in metres, from the middle of the hips to the middle of the shoulders."""
    return float(np.quantile(np.linalg.norm(track.middle("shoulder") - track.middle("hip"), axis=1), _TRUNK))


def standing_height(track: Track, part: str, usual: float) -> float:
    """Return the height of a part of the feet while it stands, metres; `usual` if it never does."""
    names = [f"{part}.{side}" for side in body.SIDES]
    if not track.has(*names):
        return usual
    heights = np.concatenate([track.at(name)[upright.find_stances(track, name), 2] for name in names])
    return float(np.clip(np.median(heights), 0.2 * usual, 2.5 * usual)) if len(heights) else usual


def _foot(track: Track, lengths: Lengths, ankle: float) -> tuple[float, float]:
    """Return how far the ball of a standing foot is in front of the ankle, and how far below it."""
    length = lengths.get(("ankle.L", "toe.L"))
    if length is None:
        return _FOOT[0] * track.height, min(_FOOT[1] * track.height, 0.9 * ankle)
    down = ankle - standing_height(track, "toe", ankle - _FOOT[1] * track.height)
    down = float(np.clip(down, 0.0, 0.6 * length))
    return float(np.sqrt(length**2 - down**2)), down


def _skeleton(
    rows: list[tuple[str, str, tuple[float, float, float]]], tips: dict[str, tuple[float, float, float]]
) -> Skeleton:
    names = tuple(name for name, _, _ in rows)
    place = {name: np.array(at) for name, _, at in rows}
    parents = np.array([names.index(above) if above else -1 for _, above, _ in rows], dtype=np.int64)
    offsets: Array = np.array([place[name] - (place[above] if above else 0.0) for name, above, _ in rows])
    ends = np.array([tips.get(name, (0.0, 0.0, 0.0)) for name in names])
    joints = {name: k for k, name in enumerate(names)}
    return Skeleton(names, parents, offsets, np.tile(quat.IDENTITY, (len(names), 1)), ends, joints)
