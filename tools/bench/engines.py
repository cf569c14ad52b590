"""Benchmarks of whole engines: weight, variations, points, contacts of hands and gaps, each on 1000 frames."""

import sys
from collections.abc import Callable
from dataclasses import replace

from action_loom.core import verbs
from action_loom.core.contacts import find
from action_loom.core.motion.clip import Clip
from action_loom.core.points import solve
from action_loom.core.points.recording import make
from action_loom.core.recipes.points import FromPoints
from action_loom.core.verbs import Fill, Walk, Weight
from material import Material
from table import ROOT, Case, Target

sys.path.append(str(ROOT / "tests"))

from oracles import degraded

SECONDS = 60.0  # of an endless variation
KEYED, GAP = 230, (100, 130)  # frames; all but those in the gap are keyed
NOISE = 0.005  # m


def weigh(material: Material) -> Case:
    return Case(lambda: verbs.apply(Weight(), [material.clips[0]]))


def vary(material: Material) -> Case:
    return Case(lambda: verbs.apply(Walk(seconds=SECONDS), list(material.clips)))


def solve_points(material: Material) -> Case:
    labels, places = degraded.stack(degraded.points_of(material.clips[0]))
    given, _ = degraded.degrade(labels, places, 0, white=NOISE)
    recording = make("points", tuple(labels), given, rate=material.clips[0].rate)
    return Case(lambda: solve.solve(recording, FromPoints(), "points"))


def find_contacts(material: Material) -> Case:
    def work() -> tuple[find.Contact, ...]:
        return find.find_contacts(copy(material.clips[0]))  # contacts are cached for each clip

    return Case(work)


def fill_gap(material: Material) -> Case:
    keys = tuple((float(frame),) for frame in range(KEYED) if not GAP[0] < frame < GAP[1])
    blocked = material.clips[0].cut(0, KEYED)
    return Case(lambda: verbs.apply(Fill(key_frames=keys), [copy(blocked), copy(material.clips[1])]))


def copy(clip: Clip) -> Clip:
    return replace(clip, rotations=clip.rotations.copy())


LINES: dict[str, tuple[str, Target, Callable[[Material], Case]]] = {
    "weight": ("*Weight* of 1000 frames", Target(), weigh),
    "endless": (f"an endless variation of {SECONDS:.0f} s from two clips", Target(), vary),
    "points": ("1000 frames of 23 noisy points to a skeleton and its motion", Target(), solve_points),
    "hands": ("contacts of hands in 1000 frames", Target(), find_contacts),
    "fill": ("*Fill* of a gap of 30 frames, one clip to fill from", Target(), fill_gap),
}
