"""Joint centres from markers on the skin, by tables of marker sets (methods: Points).

The set is recognised by its labels. Unknown sets are refused, because a guess would give a wrong body.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import MotionFileError
from ..motion.quat import Array
from . import body, labels
from .recording import Recording, make

# How far the hip joints are beside, behind and below the middle of the two front spines of the pelvis, as shares of the
# distance of these spines [Bell].
_PELVIS = (0.36, 0.22, 0.30)
_INWARDS = 0.05  # share of the leg length: distance from a marker on the outer side of a knee or an ankle to the joint
_BELOW = 0.12  # share of the shoulder width: distance from a marker on top of a shoulder to the joint
_OF_A_PERSON = 8  # least number of labels with the same prefix that belong to a person


@dataclass(frozen=True)
class MarkerSet:
    """A marker set; {} in the names of markers means L or R.

    pelvis : marker of the front spines of the pelvis, and alternatives for the marker of the back spines
    points : alternatives for each point of the body; each is a group of markers, and the point is their mean
    outer : points whose marker is on the outer side of the limb, if they have only one
    """

    name: str
    pelvis: tuple[str, tuple[str, ...]]
    points: Mapping[str, tuple[tuple[str, ...], ...]]
    outer: tuple[str, ...] = ()


SETS = (
    MarkerSet(
        "Plug-in-Gait",
        ("{}ASI", ("{}PSI", "SACR")),
        {
            "knee": (("{}KNE", "{}KNM"), ("{}KNE", "{}MKNE"), ("{}KNE", "{}KNEMED"), ("{}KNE",)),
            "ankle": (("{}ANK", "{}MED"), ("{}ANK", "{}MANK"), ("{}ANK", "{}ANKMED"), ("{}ANK",)),
            "heel": (("{}HEE",),),
            "toe": (("{}TOE",),),
            "shoulder": (("{}SHO",),),
            "elbow": (("{}ELB", "{}ELBM"), ("{}ELB",)),
            "wrist": (("{}WRA", "{}WRB"), ("{}W1", "{}W2")),
            "knuckle": (("{}FIN",),),
            "head": (("LFHD", "RFHD", "LBHD", "RBHD"),),
            "nose": (("LFHD", "RFHD"),),
        },
        ("knee", "ankle"),
    ),
    MarkerSet(
        "ISB",
        ("{}IAS", ("{}IPS",)),
        {
            "knee": (("{}FLE", "{}FME"),),
            "ankle": (("{}FAL", "{}TAM"),),
            "heel": (("{}FCC",),),
            "toe": (("{}FM1", "{}FM5"), ("{}FM2",)),
            "shoulder": (("{}ACR",), ("{}SAE",), ("{}SAJ",), ("{}SAA",), ("{}CAJ",)),
            "elbow": (("{}HLE", "{}HME"),),
            "wrist": (("{}RSP", "{}USP"), ("{}RSP", "{}UHE")),
            "index": (("{}HM2",),),
            "pinky": (("{}HM5",),),
            "head": (("LHDF", "LHDB", "RHDB", "RHDF"),),
            "nose": (("LHDF", "RHDF"),),
        },
    ),
)


def recordings(
    path: str | os.PathLike[str], names: tuple[str, ...], rows: Any, *, skin: bool = False, **about: Any
) -> list[Recording]:
    """Return the people of marker trajectories (F, M, 3), with joint centres; raises MotionFileError.

    names : labels; a prefix before a colon is the name of a person
    skin : whether files of this kind usually have markers; labels of unknown sets are then refused

    Example:
        >>> import numpy as np
        >>> from action_loom.core.points import markers, orders
        >>> names = orders.ORDERS["mediapipe"]
        >>> (one,) = markers.recordings("one.trc", names, np.ones((9, len(names), 3)), rate=60.0)
        >>> len(one), one.rate, one.markers
        (9, 60.0, False)
    """
    prefixes = [name.rpartition(":")[0] for name in names]
    several = [one for one in dict.fromkeys(prefixes) if prefixes.count(one) >= _OF_A_PERSON and one]
    if len(several) < 2:
        return [_of_person(path, names, rows, "", skin, about)]
    chosen = {one: [k for k, prefix in enumerate(prefixes) if prefix == one] for one in several}
    return [
        _of_person(path, tuple(names[k] for k in columns), np.asarray(rows)[:, columns], one, skin, about)
        for one, columns in chosen.items()
    ]


def _of_person(
    path: str | os.PathLike[str], names: tuple[str, ...], rows: Any, person: str, skin: bool, about: Mapping[str, Any]
) -> Recording:
    raw = make(path, names, np.asarray(rows, dtype=np.float64), person=person, **about)
    if set(body.NEEDED) <= set(labels.find_points(names)):
        return raw
    plain = {name.rpartition(":")[2].upper().replace("_", "").replace(".", ""): k for k, name in enumerate(names)}
    for known in SETS:
        centres = _centres(known, plain, raw.positions)
        if centres is not None:
            note = f"joint centres of {len(names)} markers by the set {known.name}"
            values = np.stack(list(centres.values()), axis=1)
            return make(path, tuple(centres), values, person=person, notes=(note,), markers=True, **about)
    if not skin:
        return raw
    sets = " and ".join(known.name for known in SETS)
    shown = ", ".join(names[:4])
    raise MotionFileError(
        path, None, f"its labels ({shown} …) are of no known marker set ({sets}): export joint centres, or give their "
        "names as a file (option order)"
    )  # fmt: skip


def _centres(known: MarkerSet, columns: Mapping[str, int], places: Array) -> dict[str, Array] | None:
    """Return joint centres (F, 3) by the names of points, None if the labels lack markers that the set needs."""

    def mean_of(group: Sequence[str], side: str) -> Array | None:
        found = [columns.get(name.format(side)) for name in group]
        known = [column for column in found if column is not None]
        return places[:, known].mean(axis=1) if len(known) == len(group) else None

    found: dict[str, Array] = {}
    for point, alternatives in known.points.items():
        for side in body.SIDES if point in body.PAIRED else ("",):
            name = f"{point}.{side}" if side else point
            for group in alternatives:
                centre = mean_of(group, side)
                if centre is not None:
                    found[name] = centre
                    if len(group) == 1 and point in known.outer:
                        found[f"outer:{name}"] = centre
                    break
    front, backs = known.pelvis
    left, right = (mean_of((front,), side) for side in body.SIDES)
    both = [mean_of([name.format(side) for side in body.SIDES], "") for name in backs]
    back = next((one for one in both if one is not None), None)
    if left is None or right is None or back is None:
        return None
    found |= _hips(left, right, back)
    if not set(body.NEEDED) <= set(found):
        return None
    return _move_inside(found)


def _hips(left: Array, right: Array, back: Array) -> dict[str, Array]:
    """Return both hip joints, estimated from the spines of the pelvis (F, 3)."""
    across = right - left
    width = np.linalg.norm(across, axis=1, keepdims=True)
    x = across / width
    middle = 0.5 * (left + right)
    y = middle - back
    y = y - np.sum(y * x, axis=1, keepdims=True) * x
    y = y / np.linalg.norm(y, axis=1, keepdims=True)
    z = np.cross(x, y)
    beside, behind, below = _PELVIS
    centre = middle - width * (behind * y + below * z)
    return {"hip.L": centre - beside * width * x, "hip.R": centre + beside * width * x}


def _move_inside(found: dict[str, Array]) -> dict[str, Array]:
    """Return joint centres; a joint with a single marker on the skin is moved into the limb."""
    x = found["hip.R"] - found["hip.L"]
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    leg = np.nanmedian(np.linalg.norm(found["hip.L"] - found["knee.L"], axis=1)) * 2.0
    for side, towards in (("L", 1.0), ("R", -1.0)):
        for point in ("knee", "ankle"):
            if found.pop(f"outer:{point}.{side}", None) is not None:
                found[f"{point}.{side}"] = found[f"{point}.{side}"] + towards * _INWARDS * leg * x
    apart = np.linalg.norm(found["shoulder.L"] - found["shoulder.R"], axis=1, keepdims=True)
    down = 0.5 * (found["hip.L"] + found["hip.R"] - found["shoulder.L"] - found["shoulder.R"])
    down = down / np.linalg.norm(down, axis=1, keepdims=True)
    for side in body.SIDES:
        found[f"shoulder.{side}"] = found[f"shoulder.{side}"] + _BELOW * apart * down
    return found
