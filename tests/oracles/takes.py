"""Takes with known stretches: joined from captures of one person, cut by hand, or cut and named by others.

tests/data/takes.json lists them, and marks the takes kept out of tuning.
"""

import csv
import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from action_loom.core import verbs
from action_loom.core.formats import motion_file
from action_loom.core.motion import trim
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.clip import join_clips as joined_clips
from oracles.material import SHARED

LIST = json.loads((Path(__file__).resolve().parents[1] / "data" / "takes.json").read_text(encoding="utf-8"))
EXERCISES = ("cmu_13_29", "cmu_14_14", "cmu_daz_13_30")
EXERCISES_ASIDE = ("cmu_daz_13_30",)
FOLDERS = ("amc", "cmu", "strides", "takes")


@dataclass(frozen=True, eq=False)
class Known:
    """A take, the seconds at which its stretches begin, and their labels; `aside` : kept out of tuning."""

    clip: Clip
    begins: tuple[float, ...]
    labels: tuple[str, ...]
    aside: bool

    def rows(self, times):
        """Return the labels at some times, s."""
        places = np.searchsorted(self.begins, times, side="right") - 1
        return [self.labels[place] for place in places]


@cache
def capture(name):
    """Return a capture by its name, without calibration poses."""
    found = [
        path for folder in FOLDERS for path in (SHARED / folder).glob(f"{name}.*") if path.suffix in (".amc", ".bvh")
    ]
    path = found[0]
    # Two takes lack a skeleton of their own; person 16's has the same joints.
    other = (
        {"skeleton": str(SHARED / "amc" / "16.asf")} if path.parent.name == "takes" and path.suffix == ".amc" else {}
    )
    return trim.ends(motion_file.read(str(path), **other).clip).clip


def names(kind, aside):
    """Return the names of takes joined or cut by hand, either tuned on or kept out of tuning."""
    key = "name" if kind == "joined" else "clip"
    return [one[key] for one in LIST[kind] if one["aside"] == aside]


@cache
def joined(name):
    """Return a take of pieces joined one after the other, with borders at the seams, where poses are nearest."""
    about = next(one for one in LIST["joined"] if one["name"] == name)
    result, begun, begins = None, 0, [0.0]
    for piece in about["pieces"]:
        part = _piece(*piece)
        if result is None:
            result = part
            continue
        made = verbs.apply(verbs.Connect(plant_feet=False, trim=False), [result.cut(begun, len(result)), part])
        seam = made.report["connect"]["seam_frame"]
        result = joined_clips([result.cut(0, begun), made.clip]) if begun else made.clip
        begun += seam
        begins.append(begun / part.rate)
    return Known(result, tuple(begins), tuple(piece[2] for piece in about["pieces"]), about["aside"])


def _piece(clip, seconds, _label, held=0.0):
    whole = capture(clip)
    part = whole if seconds is None else whole.cut(*(round(second * whole.rate) for second in seconds))
    if held:
        there = np.arange(len(part))
        to_and_fro = np.concatenate([there, there[-2:0:-1]])
        part = part.take_frames(np.resize(to_and_fro, round(held * part.rate)))
    return replace(part, channels={})


@cache
def by_hand(name):
    """Return a real take with its stretches cut by looking at it."""
    about = next(one for one in LIST["by_hand"] if one["clip"] == name)
    begins, labels = zip(*about["stretches"], strict=True)
    return Known(capture(name), tuple(begins), tuple(labels), about["aside"])


@cache
def exercises(name):
    """Return a take of exercises that others cut and named."""
    with open(SHARED / "takes" / f"{name}.labels.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    begins = tuple(float(row["from_s"]) for row in rows)
    return Known(capture(name), begins, tuple(row["action"] for row in rows), name in EXERCISES_ASIDE)


def from_borders(known, begins):
    """Return the distance, s, of each known border from the nearest found one."""
    inner = [begin for begin in known.begins if begin > 0.0]
    return [min((abs(begin - found) for found in begins), default=np.inf) for begin in inner]


def named(state):
    """Return the name of a stretch in the words of the list."""
    side = "" if state.way == "back" else state.side
    return " ".join(word for word in (state.kind, state.way, side) if word)


def changes(known):
    """Return the take with borders only between different labels."""
    kept = [k for k, label in enumerate(known.labels) if k == 0 or label != known.labels[k - 1]]
    return replace(known, begins=tuple(known.begins[k] for k in kept), labels=tuple(known.labels[k] for k in kept))


@dataclass(frozen=True)
class Score:
    """Shares of frames whose kind is right, and kind and side; seconds of each border from the nearest one found."""

    seconds: float
    kinds: float
    sides: float
    borders: tuple[float, ...]


def score(known, stretches):
    """Compare found stretches with the known ones."""
    rate, frames = known.clip.rate, np.arange(len(known.clip))
    places = np.maximum(np.searchsorted([stretch.first for stretch in stretches], frames, side="right") - 1, 0)
    got = [named(stretches[place].state) for place in places]
    pairs = list(zip(known.rows(frames / rate), got, strict=True))
    borders = from_borders(changes(known), [stretch.first / rate for stretch in stretches[1:]])
    kinds = float(np.mean([a.split()[0] == b.split()[0] for a, b in pairs]))
    return Score(known.clip.seconds, kinds, float(np.mean([a == b for a, b in pairs])), tuple(borders))


def overall(scores):
    """Return the shares over all frames, and the median of all borders."""
    seconds = np.array([one.seconds for one in scores])
    kinds, sides = (
        float(np.average([getattr(one, of) for one in scores], weights=seconds)) for of in ("kinds", "sides")
    )
    return kinds, sides, float(np.median([border for one in scores for border in one.borders]))


def wrong_after_matching(known, numbers):
    """Return the share of samples labelled otherwise after the best one-to-one matching of found numbers and names."""
    from scipy.optimize import linear_sum_assignment

    names_, found = sorted(set(known)), sorted(set(numbers))
    counts = np.zeros((len(names_), len(found)))
    for name, number in zip(known, numbers, strict=True):
        counts[names_.index(name), found.index(number)] += 1
    rows, columns = linear_sum_assignment(-counts)
    return 1.0 - float(counts[rows, columns].sum()) / len(known)
