"""The labels of points in files, as points of the body (methods: Points)."""

import re
from collections.abc import Sequence

from . import body

# Words that labels use for each point of the body, without the side; the most reliable word comes first.
_WORDS = {
    "hip": ("hip", "hjc", "upleg", "upperleg", "thigh"),
    "knee": ("knee", "kjc", "kneejoint", "leg", "lowleg", "lowerleg", "shin", "calf"),
    "ankle": ("ankle", "ajc", "anklejoint"),
    "heel": ("heel", "calc", "calcaneus"),
    "toe": ("toe", "bigtoe", "footindex", "toebase", "toes", "toetip"),
    "shoulder": ("shoulder", "sjc", "uparm", "upperarm", "arm"),
    "elbow": ("elbow", "ejc", "forearm", "lowarm", "lowerarm"),
    "wrist": ("wrist", "wjc"),
    "index": ("index", "indexknuckle", "indexfingermcp", "handindex"),
    "pinky": ("pinky", "pinkyknuckle", "pinkymcp", "littlefinger"),
    "knuckle": ("knuckle", "middle", "middleknuckle", "middlefingermcp", "handmiddle"),
    "thumb": ("thumb", "thumbknuckle", "thumbmcp"),
    "ear": ("ear",),
    "eye": ("eye",),
    "neck": ("neck", "neckbase", "necktrunk", "neckcenter"),
    "head": ("head", "headtop", "tophead", "topofhead", "headcenter", "vertex"),
    "nose": ("nose",),
    "spine": ("spine", "spine1", "spine2", "spine3", "torso", "abdomen", "belly", "trunkcenter"),
    "pelvis": ("pelvis", "midhip", "hipscenter", "hipcenter", "hips", "root", "trunkmidhips"),
}
_POINTS = {word: (rank, point) for point, words in _WORDS.items() for rank, word in enumerate(words)}
_BETWEEN = {"smalltoe": "toe", "5thtoe": "toe"}  # labels averaged with this point of the same side
# Labels that can mean two points: the first one, or the second one if the file has the first under its own label.
_EITHER = {"foot": ("ankle", "toe"), "hand": ("wrist", "knuckle")}
_PREFIXES = ("body", "skeleton", "joint")
_SIDE = re.compile(
    r"(?P<word>left|right)(?P<rest>.+)|(?P<rest2>.+?)(?P<word2>left|right)|(?P<letter>[lr])[ _.:-](?P<rest3>.+)"
    r"|(?P<rest4>.+)[ _.:-](?P<letter2>[lr])",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"(?P<letter>[LRlr])(?P<rest>[A-Z][A-Za-z]+.*)")  # LHip and rKnee, but neither Rib nor Lumbar


def split_side(label: str) -> tuple[str, str]:
    """Return the side of a label, "L", "R" or "", and its word in lower case without separators.

    Example:
        >>> from action_loom.core.points import labels
        >>> [labels.split_side(label) for label in ("left_foot_index", "RBigToe", "Rib", "Elbow.R")]
        [('L', 'footindex'), ('R', 'bigtoe'), ('', 'rib'), ('R', 'elbow')]
    """
    text = label.rpartition(":")[2].strip()
    for prefix in _PREFIXES:
        if text.lower().startswith(f"{prefix}_"):
            text = text[len(prefix) + 1 :]
    found = _SIDE.fullmatch(text) or _CAPITAL.fullmatch(text)
    if found is None:
        return "", _plain(text)
    parts = {key.rstrip("234"): value for key, value in found.groupdict().items() if value}
    return (parts.get("word") or parts["letter"])[0].upper(), _plain(parts["rest"])


def _plain(word: str) -> str:
    return re.sub(r"[^a-z0-9]", "", word.lower()).removesuffix("joint") or word.lower()


def find_points(labels: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return for each point of the body the columns of its labels, whose mean it is; unknown labels are left out.

    Example:
        >>> from action_loom.core.points import labels
        >>> labels.find_points(["LHip", "LeftFoot", "LToe", "Head"])
        {'hip.L': (0,), 'toe.L': (2,), 'head': (3,), 'ankle.L': (1,)}
    """
    ranked: dict[str, tuple[int, int]] = {}
    split = [split_side(label) for label in labels]
    beside: dict[str, list[int]] = {}
    for column, (side, word) in enumerate(split):
        if word in _BETWEEN and side:
            beside.setdefault(f"{_BETWEEN[word]}.{side}", []).append(column)
        if word not in _POINTS:
            continue
        rank, point = _POINTS[word]
        if bool(side) == (point in body.PAIRED):
            name = f"{point}.{side}" if side else point
            ranked[name] = min(ranked.get(name, (rank, column)), (rank, column))
    found: dict[str, tuple[int, ...]] = {name: (column,) for name, (_, column) in ranked.items()}
    for column, (side, word) in enumerate(split):
        if word in _EITHER and side:
            first, second = (f"{point}.{side}" for point in _EITHER[word])
            found.setdefault(second if first in found and found[first] != (column,) else first, (column,))
    for name, columns in beside.items():
        found[name] = (*found.get(name, ()), *columns)
    return found
