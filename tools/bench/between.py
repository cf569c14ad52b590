"""Fill against interpolation on held-out clips, writes docs/measured/between.md (see contributing).

Every clip of a body is filled from all its other clips: keys at even distances, nothing known between them. Bodies in
`ASIDE` were kept aside: neither the constants nor the method were chosen on them.
"""

import argparse
import csv
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from action_loom.core.between import fill, filling, rows
from action_loom.core.check import contacts
from action_loom.core.cli import reading
from action_loom.core.motion import kinematics, quat, resample, trim

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
RATE = 30.0
# Body: files, and whether its clips are alike enough that others of them hold what one lacks.
TUNED = {
    "35": ("strides/cmu_mb_35_*.bvh cmu/cmu_mb_35_*.bvh", "locomotion"),
    "07": ("strides/cmu_mb_07_*.bvh cmu/cmu_mb_07_*.bvh", "locomotion"),
    "16": ("amc/16_*.amc", "locomotion"),
    "02": ("cmu/cmu_mb_02_*.bvh", "unlike"),
    "05": ("cmu/cmu_mb_05_*.bvh", "unlike"),
    "daz": ("cmu/cmu_daz_*.bvh", "unlike"),
}
ASIDE = {
    "08": ("strides/cmu_mb_08_*.bvh cmu/cmu_mb_08_*.bvh", "locomotion"),
    "09": ("amc/09_*.amc", "locomotion"),
    "127": ("amc/127_*.amc", "locomotion"),
    "06": ("cmu/cmu_mb_06_*.bvh", "unlike"),
    "49": ("cmu/cmu_mb_49_*.bvh", "unlike"),
    "take": ("takes/*.amc", "unlike"),
}
# Runs over, under and through things: no other clip of the body does the same in the same place.
OBSTACLES = ("Jump", "Dive", "Duck", "Over")


def read(pattern):
    settings = {about.name: about.default for about in reading.OPTIONS.values()}
    clips = []
    for path in sorted(file for some in pattern.split() for file in SHARED.glob(some)):
        clip = reading.read(str(path), settings["units"], settings["up"], settings).clip
        clip = trim.ends(clip).clip
        clips.append(replace(resample.to_rate(clip, RATE), name=path.stem, channels={}))
    return clips


def kinds():
    """What each AMC file is of, by its name."""
    with (SHARED / "amc" / "INDEX.csv").open(encoding="utf-8") as file:
        return {row["file"].partition(".")[0]: row["description"] for row in csv.DictReader(file)}


class Truth:
    """A clip that was hidden, and how far others are from it between two frames."""

    def __init__(self, clip):
        self.clip = clip
        self.turns, self.places = kinematics.world(clip)

    def errors(self, made, a, b):
        turns, places = kinematics.world(made)
        frames = slice(a + 1, b)
        own = slice(1, -1)
        away = places[own] - self.places[frames]
        q = quat.same_side(turns[own], self.turns[frames]) - self.turns[frames]
        return {
            "cm": 100.0 * float(np.linalg.norm(away, axis=2).mean()),
            "L2P": float(np.linalg.norm(away.reshape(len(away), -1), axis=1).mean()),
            "L2Q": float(np.linalg.norm(q.reshape(len(q), -1), axis=1).mean()),
            "NPSS": npss(turns[own], self.turns[frames]),
        }


def npss(made, truth):
    """Normalized power spectrum similarity of world rotations (F, J, 4): Gopalakrishnan and others 2019."""
    truth = quat.continuous(truth)
    made = quat.same_side(made, truth)
    power = [np.abs(np.fft.fft(some.reshape(len(some), -1), axis=0)) ** 2 for some in (made, truth)]
    total = [some.sum(axis=0) for some in power]
    apart = [np.cumsum(some / np.maximum(sums, 1e-12), axis=0) for some, sums in zip(power, total, strict=True)]
    return float((np.abs(apart[0] - apart[1]).sum(axis=0) * total[1]).sum() / np.maximum(total[1].sum(), 1e-12))


def bezier(clip, keys):
    """What Blender's automatic handles give: cubic curves through all keys, flat at the ends."""
    at = np.arange(keys[0], keys[-1] + 1)
    knots, tangent = keys.astype(float), lambda values: np.concatenate(
        [0.0 * values[:1], (values[2:] - values[:-2]) / (keys[2:] - keys[:-2])[(...,) + (None,) * (values.ndim - 1)], 0.0 * values[:1]]
    )
    k = np.clip(np.searchsorted(keys, at, side="right") - 1, 0, len(keys) - 2)
    gap = (knots[k + 1] - knots[k])
    u = (at - knots[k]) / gap
    wide = lambda v, n: v[(...,) + (None,) * (n - 1)]

    def curve(values):
        n = values.ndim
        m = tangent(values)
        uu, g = wide(u, n), wide(gap, n)
        return (
            (2 * uu**3 - 3 * uu**2 + 1) * values[k]
            + (uu**3 - 2 * uu**2 + uu) * g * m[k]
            + (3 * uu**2 - 2 * uu**3) * values[k + 1]
            + (uu**3 - uu**2) * g * m[k + 1]
        )

    return replace(
        clip.taken(at), rotations=quat.normalize(curve(quat.continuous(clip.rotations[keys]))), translations=curve(clip.translations[keys])
    )


def slide(clip):
    """Speeds (cm/s) of balls in the middle half of when they stand, pooled."""
    from action_loom.core.edit.feet import spans
    from action_loom.core.motion import feet

    try:
        found = spans.find(clip)
    except Exception:
        return []
    points, known = kinematics.points(clip), feet.balls_and_ankles(clip.skeleton)
    speeds = []
    for span in found:
        if span.part != spans.BALL:
            continue
        ball = points[:, known[span.foot][0], :2]
        fast = 100.0 * np.linalg.norm(np.gradient(ball, axis=0), axis=1) * clip.rate
        middle = span.middle
        speeds += fast[middle.first : middle.end].tolist()
    return speeds


def gaps_of(clips, seconds, frames=None, past=0, only=None):
    """Fill every clip from the others; yields a row of figures a gap."""
    step = frames + 1 if frames else round(seconds * RATE)
    for number, clip in enumerate(clips):
        if only is not None and clip.name not in only:
            continue
        if len(clip) <= step + past:
            continue
        keys = np.arange(past, len(clip), step)
        if past:
            keys = np.concatenate([np.arange(0, past), keys])
        library = fill.library([other for k, other in enumerate(clips) if k != number], step / RATE)
        if not len(library.clips):
            continue
        truth = Truth(clip)
        hidden = replace(clip, name="hidden")
        began = time.process_time()
        done = fill.fill(hidden, keys, library, plant=False)
        free = time.process_time() - began
        planted = fill.fill(hidden, keys, library)
        curves = bezier(clip, keys)
        slides = {name: slide(one) for name, one in (("truth", clip), ("fill", done.clip), ("planted", planted.clip))}
        slides["slerp"] = slide(fill.fill(hidden, keys, library, {k: fill.Wish(gain=0.0) for k in range(len(done.gaps))}, plant=False).clip)
        for gap in done.gaps:
            a, b = gap.first, gap.last
            row = {"clip": clip.name, "a": a, "ratio": gap.ratio, "gain": gap.gain}
            row["cost"] = gap.found[gap.chosen].cost if gap.filled else np.inf
            row["pieces"] = len(gap.found[gap.chosen].pieces) if gap.filled else 0
            row["slerp"] = truth.errors(filling.interpolated(clip.cut(a, a + 1), clip.cut(b, b + 1), b - a + 1), a, b)
            row["bezier"] = truth.errors(curves.cut(a - keys[0], b - keys[0] + 1), a, b)
            row["own"] = truth.errors(gap.filled.own, a, b) if gap.filled else row["slerp"]
            row["fill"] = truth.errors(done.clip.cut(a, b + 1), a, b)
            row["planted"] = truth.errors(planted.clip.cut(a, b + 1), a, b)
            row["seconds"] = free / len(done.gaps)
            row["slide"] = slides if gap is done.gaps[0] else {}
            row["gap"] = gap
            yield row


if __name__ == "__main__":
    pass
