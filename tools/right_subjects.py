"""Subjects of the battery: captured clips, actions of the generated figure, and their variations by rules.

A variation is a rule, not a known fault: knees bent a little more, another rest pose, another rate, other names. A
generator seeded with the names of the cell draws every choice, so that one cell can be tried again alone.
"""

import csv
import sys
import zlib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from action_loom.core.demo_character import actions
from action_loom.core.formats import motion_file
from action_loom.core.motion.clip import Clip

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
sys.path.insert(0, str(ROOT / "tests" / "oracles"))
import kept_aside  # a module of the tests

SEED = 20261125
SHARE = 3  # one of three captured clips is tried
LONGEST = 5.0  # s; longer clips are cut, since faults show in this time
LEAST = 1.0
FIGURE = {
    "walk": lambda: actions.walk(cycles=6),
    "slow walk": lambda: actions.walk(cycles=6, speed=0.9, step=0.55),
    "sneak": lambda: actions.sneak(cycles=5),
    "run": lambda: actions.run(cycles=6),
    "carry": lambda: actions.carry(cycles=5),
    "turn left": actions.turn_left,
    "wave": actions.wave,
    "circle": lambda: actions.walk(cycles=6, turn=0.6),
}
GAITS = {"walk", "slow walk", "sneak", "run", "carry", "circle"}


def rng_of(*names: str) -> np.random.Generator:
    """Return the generator of a cell, seeded by its names."""
    return np.random.default_rng([SEED, zlib.crc32("|".join(names).encode())])


@dataclass(frozen=True, eq=False)
class Subject:
    """A clip to try. group : `figure`, `tuned` or `aside`; family : clips with equal joints; gait : it steps."""

    name: str
    group: str
    family: str
    gait: bool
    clip: Clip


# --- captured clips and the figure ----------------------------------------------------------------------------------


@cache
def _kinds() -> dict[str, str]:
    """Return the category or description of each captured file, from the index tables."""
    found = {}
    for table in sorted(DATA.glob("*/INDEX.csv")):
        with table.open(encoding="utf-8", newline="") as rows:
            for row in csv.DictReader(rows):
                found[Path(row["file"]).stem] = (row.get("category") or row.get("description") or "").lower()
    return found


def captured_files() -> list[Path]:
    """Return a seeded third of the captured files of each folder, drawn separately from tuned and held-out files."""
    chosen: list[Path] = []
    for folder, ending in (("cmu", "bvh"), ("strides", "bvh"), ("amc", "amc")):
        for aside in (False, True):
            files = [
                one for one in sorted((DATA / folder).glob(f"*.{ending}")) if kept_aside.is_kept_aside(one) == aside
            ]
            order = rng_of("files", folder, str(aside)).permutation(len(files))
            chosen += [files[k] for k in sorted(order[: -(-len(files) // SHARE)])]
    return chosen


@cache
def captured(path: Path) -> Subject | None:
    """Return a captured clip of 1 to 5 s, without a T-pose at its start; None if it is too short."""
    clip = replace(motion_file.read(path).clip, name=path.stem)
    start = 8 if clip.rate > 60.0 else 2  # skips a T-pose and the ringing after it, which are a variation of their own
    rng = rng_of("cut", path.stem)
    most = round(rng.uniform(2.5, LONGEST) * clip.rate)
    clip = clip.cut(min(start, len(clip) - 1), len(clip))
    if len(clip) > most:
        first = int(rng.integers(0, len(clip) - most))
        clip = clip.cut(first, first + most)
    if clip.seconds < LEAST:
        return None
    words = _kinds().get(path.stem, "")
    gait = any(word in words for word in ("walk", "run", "jog", "sneak")) and "jump" not in words
    parts = path.stem.split("_")
    family = parts[1] if path.suffix == ".bvh" else f"amc {parts[0]}"
    group = "aside" if kept_aside.is_kept_aside(path) else "tuned"
    return Subject(path.stem, group, family, gait, clip)


@cache
def subjects() -> tuple[Subject, ...]:
    """Return all subjects, the figure's first."""
    figure = [
        Subject(name, "figure", "figure", name in GAITS, replace(make(), name=name)) for name, make in FIGURE.items()
    ]
    return tuple(figure + [one for one in map(captured, captured_files()) if one is not None])


def partners(subject: Subject, rng: np.random.Generator) -> list[Subject]:
    """Return up to five other subjects of the same family and group, in a random order, similar ones first."""
    others = [
        one for one in subjects() if (one.family, one.group) == (subject.family, subject.group) and one is not subject
    ]
    others = others or [one for one in subjects() if one.group == subject.group and one is not subject]
    order = rng.permutation(len(others))
    return sorted((others[k] for k in order), key=lambda one: one.gait != subject.gait)[:5]
