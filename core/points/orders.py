"""Usual orders of points in arrays without names, and orders given as a file (methods: Points)."""

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import files
from ..errors import MotionFileError, OptionError
from ..formats import plain_text
from . import body, labels

AUTO = "auto"
TOLD_APART = 0.5  # an order is recognised if limb lengths vary less than this share of their variation in the other


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


_SMPL = (
    "pelvis,left_hip,right_hip,spine1,left_knee,right_knee,spine2,left_ankle,right_ankle,spine3,left_foot,right_foot,"
    "neck,left_collar,right_collar,head,left_shoulder,right_shoulder,left_elbow,right_elbow,left_wrist,right_wrist"
)
_COCO = (
    "nose,left_eye,right_eye,left_ear,right_ear,left_shoulder,right_shoulder,left_elbow,right_elbow,left_wrist,"
    "right_wrist,left_hip,right_hip,left_knee,right_knee,left_ankle,right_ankle"
)
_BODY_25 = (
    "nose,neck,right_shoulder,right_elbow,right_wrist,left_shoulder,left_elbow,left_wrist,pelvis,right_hip,right_knee,"
    "right_ankle,left_hip,left_knee,left_ankle,right_eye,left_eye,right_ear,left_ear,left_big_toe,left_small_toe,"
    "left_heel,right_big_toe,right_small_toe,right_heel"
)
ORDERS = {
    "mediapipe": _words(
        "nose,left_eye_inner,left_eye,left_eye_outer,right_eye_inner,right_eye,right_eye_outer,left_ear,right_ear,"
        "mouth_left,mouth_right,left_shoulder,right_shoulder,left_elbow,right_elbow,left_wrist,right_wrist,left_pinky,"
        "right_pinky,left_index,right_index,left_thumb,right_thumb,left_hip,right_hip,left_knee,right_knee,left_ankle,"
        "right_ankle,left_heel,right_heel,left_foot_index,right_foot_index"
    ),
    "h36m": _words(
        "pelvis,right_hip,right_knee,right_ankle,left_hip,left_knee,left_ankle,spine,neck,nose,head,left_shoulder,"
        "left_elbow,left_wrist,right_shoulder,right_elbow,right_wrist"
    ),
    "coco": _words(_COCO),
    "body_25": _words(_BODY_25),
    "smpl": _words(_SMPL),
    "smpl_24": _words(f"{_SMPL},left_hand,right_hand"),
    "halpe": _words(
        f"{_COCO},head,neck,pelvis,left_big_toe,right_big_toe,left_small_toe,right_small_toe,left_heel,right_heel"
    ),
}
_BY_COUNT = {33: "mediapipe", 25: "body_25", 22: "smpl", 24: "smpl_24", 26: "halpe"}
# Larger arrays have the points of the hands and the face after the body.
_BY_COUNT |= {75: "mediapipe", 543: "mediapipe", 553: "mediapipe", 67: "body_25", 137: "body_25", 133: "coco"}
_BY_COUNT |= {136: "halpe"}
AMBIGUOUS = {17: ("h36m", "coco")}
CHOICES = (AUTO, *ORDERS)


def by_count(path: object, count: int) -> tuple[str, ...] | None:
    """Return the usual order of a number of points, None if it has several; raises MotionFileError if it has none.

    Example:
        >>> from action_loom.core.points import orders
        >>> orders.by_count("motion.npy", 33)[0], orders.by_count("motion.npy", 17)
        ('nose', None)
        >>> len(orders.by_count("mediapipe_skeleton_3d.npy", 553))  # with hands and face
        553
    """
    if count in AMBIGUOUS:
        return None
    if count not in _BY_COUNT:
        known = ", ".join(map(str, sorted({*_BY_COUNT, *AMBIGUOUS})))
        raise MotionFileError(
            path, None, f"it has {count} points without names, but known orders have {known}: give their names as a "
            "file (option order)"
        )  # fmt: skip
    body_points = ORDERS[_BY_COUNT[count]]
    return (*body_points, *(f"beside_{k}" for k in range(len(body_points), count)))


def names_of(order: str) -> tuple[str, ...]:
    """Return the names of points of an order: none for `auto`, a known order's, or those in a file.

    The file is a JSON list of names, or a text with a name on each line. Raises OptionError.

    Example:
        >>> from action_loom.core.points import orders
        >>> orders.names_of("auto"), orders.names_of("coco")[:2]
        ((), ('nose', 'left_eye'))
    """
    if order in CHOICES:
        return ORDERS.get(order, ())
    known = ", ".join(CHOICES)
    if not os.path.isfile(order):
        raise OptionError(f"order is {order!r}, but must be {known}, or a file with the names of points")
    try:
        content = files.read(order, files.MOST_TEXT)
        text = plain_text.decode_text(content)
        names = files.read_json(content) if text.lstrip().startswith("[") else text.split("\n")
        names = [name.strip() for name in names if name.strip()]
    except (OSError, ValueError, AttributeError, TypeError, json.JSONDecodeError):
        raise OptionError(f"order: {order} can't be read as names of points, one on each line") from None
    if not names:
        raise OptionError(f"order: {order} has no names of points")
    return tuple(names)


def check_count(path: object, names: Sequence[str], count: int) -> None:
    """Raise MotionFileError if an order and the file have different numbers of points.

    Example:
        >>> from action_loom.core.points import orders
        >>> orders.check_count("one.npy", ("hip", "knee"), 2)
    """
    if names and len(names) != count:
        raise MotionFileError(path, None, f"it has {count} points, but the order has {len(names)} (option order)")


def ambiguous(path: object, count: int) -> MotionFileError:
    """Return the error for a number of points that several orders have.

    Example:
        >>> from action_loom.core.points import orders
        >>> print(orders.ambiguous("one.npy", 17))
        one.npy: its 17 points have no names and may be h36m or coco: choose (option order)
    """
    known = " or ".join(AMBIGUOUS.get(count, CHOICES))
    return MotionFileError(path, None, f"its {count} points have no names and may be {known}: choose (option order)")


def tell_apart(path: object, values: Any) -> tuple[str, ...]:
    """Return the order of 17 points in which they form a body; raises MotionFileError if no order is clearly better.

    values (F, P, 3 or 4) : in a wrong order, limbs connect unrelated points

    Example:
        >>> import numpy as np
        >>> from action_loom.core.points import orders
        >>> places = np.zeros((4, 17, 3))
        >>> places[:, :, 2] = np.arange(17.0) // 2  # in COCO's order left and right follow each other
        >>> places[:, :, 0] = np.arange(17) % 2 + 0.1 * np.arange(4)[:, None] * 0
        >>> orders.tell_apart("one.npy", places)[:2]
        ('nose', 'left_eye')
    """
    count = values.shape[1]
    places = np.asarray(values, dtype=np.float64)[..., :3]
    strange = {name: _strangeness(ORDERS[name], places) for name in AMBIGUOUS.get(count, ())}
    ranked = sorted(strange, key=lambda name: strange[name])
    if len(ranked) < 2 or not strange[ranked[0]] < TOLD_APART * strange[ranked[1]]:
        raise ambiguous(path, count)
    return ORDERS[ranked[0]]


def _strangeness(names: Sequence[str], places: Any) -> float:
    """Return how much the limb lengths of points (F, P, 3) in an order vary over time and differ between sides."""
    found = labels.find_points(names)
    lengths = {
        (one, other): np.linalg.norm(places[:, found[one][0]] - places[:, found[other][0]], axis=-1)
        for one, other, _ in body.bones_between(found)
    }
    with np.errstate(all="ignore"):
        usual = {bone: float(np.nanmedian(length)) for bone, length in lengths.items()}
        varied = [float(np.nanstd(length)) / usual[bone] for bone, length in lengths.items()]
        uneven = [
            abs(float(np.log(usual[bone] / usual[body.other_side(bone[0]), body.other_side(bone[1])])))
            for bone in lengths
            if bone[0].endswith(".L") and bone[1].endswith(".L")
        ]
    return float(np.mean(varied) + np.mean(uneven))
