"""Captured walks by person, and the strides of one man's walks and runs: what styles are measured on."""

import csv
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from action_loom.core.formats import motion_file
from action_loom.core.motion import trim
from action_loom.core.motion.clip import Clip
from action_loom.core.recipes.ask import AskOptions
from action_loom.core.recipes.style import StyleOptions, table_of
from action_loom.core.style import clip_in_style, fit
from action_loom.core.style.clip_in_style import ClipInStyle
from action_loom.core.style.style import Style
from action_loom.core.verbs.ask import work as ask
from action_loom.core.verbs.ask.work import Examples
from oracles.kept_aside import AMC_KEPT_ASIDE, PEOPLE_KEPT_ASIDE
from oracles.material import SHARED

NO_WALKS = ("stop", "90", "sit")  # in a description
MAN = "16"  # of data/amc
RUNS = 9  # of what is timed
KINDS = ((False, "tuned on"), (True, "kept aside"))


@dataclass(frozen=True, eq=False)
class Walk:
    clip: Clip
    person: str

    @property
    def aside(self) -> bool:
        return self.person in PEOPLE_KEPT_ASIDE


@cache
def walks() -> tuple[Walk, ...]:
    """The walks of all people, without their bad ends."""
    found = []
    for folder in ("cmu", "strides"):
        for row in _index(folder):
            name, message = row["file"], row["description"]
            if name.startswith("cmu_mb_") and "walk" in message and not any(word in message for word in NO_WALKS):
                found.append(Walk(_read(folder, name), row["subject"]))
    return tuple(found)


def of_some(*, aside: bool) -> list[Walk]:
    """The first walk of each person who is kept aside, or of each who is not."""
    first = {walk.person: walk for walk in reversed(walks()) if walk.aside == aside}
    return [first[person] for person in sorted(first)]


@cache
def style(*, of_all: bool) -> Style:
    """What is learnt from all people, or from those who are not kept aside."""
    chosen = [walk for walk in walks() if of_all or not walk.aside]
    labels = table_of(("clip", "person"), [(walk.clip.name, walk.person) for walk in chosen])
    return fit.fit([walk.clip for walk in chosen], StyleOptions(labels=labels))


@cache
def style_for(person: str) -> Style:
    """What is learnt from those who are not kept aside, on the body of a person."""
    return fit.on_body(style(of_all=False), next(walk.clip for walk in walks() if walk.person == person))


@cache
def put_on(walk: Walk) -> ClipInStyle:
    return clip_in_style.of_clip(style_for(walk.person), walk.clip)


@cache
def examples(kind: str, *, aside: bool | None, mirror: bool) -> tuple[Examples, tuple[Clip, ...]]:
    """The strides of one man's walks, or of these and his runs, kept aside, not, or all of them, and their clips."""
    chosen = []
    for row in _index("amc"):
        message, take = row["description"], row["file"].removesuffix(".amc")
        wanted = row["subject"] == MAN and "stop" not in message and ("walk" in message or kind == "walks and runs")
        if wanted and (aside is None or (take in AMC_KEPT_ASIDE) == aside):
            chosen.append(_read("amc", row["file"]))
    return ask.gather(chosen, AskOptions(mirror=mirror)), tuple(chosen)


def of_strides(of: Style, own: np.ndarray) -> Style:
    """What is learnt from some of the strides (n,) of a style."""
    known = of.material
    return Style(
        replace(known, rows=known.rows[own], seconds=known.seconds[own], of=known.of[own], frames=known.frames[own])
    )


def people_of(of: Style) -> np.ndarray:
    """Who does each stride (n,)."""
    return np.array([of.material.people[clip] for clip in of.material.of])


def _read(folder: str, name: str) -> Clip:
    clip = motion_file.read(SHARED / folder / name).clip
    return replace(trim.ends(clip).clip, name=name.rpartition(".")[0])


def _index(folder: str) -> list[dict[str, str]]:
    with (SHARED / folder / "INDEX.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def timed(work: Callable[[], object], runs: int = RUNS) -> tuple[float, float]:
    """How long some work takes by the clock, ms: the median of some runs, and the fastest."""
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        taken.append(1000.0 * (time.perf_counter() - began))
    return float(np.median(taken)), min(taken)


def median_ms(work: Callable[[], object], runs: int = RUNS) -> float:
    return timed(work, runs)[0]
