"""Random limits of endless variations: each result keeps them, or is refused."""

import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.motion import root_motion
from action_loom.core.motion.clip import Clip
from damage import Wrong

CLOSE = 1e-6  # of unit quaternions


@cache
def _clips() -> tuple[Clip, ...]:
    walk = actions.walk(30.0, 3)
    return walk, actions.wave(30.0), actions.sneak(30.0), actions.turn_left(30.0), walk.cut(0, 9), walk.cut(3, 4)


def _limits(rng: random.Random, _folder: Path) -> None:
    clips = rng.sample(_clips(), rng.choice((1, 1, 2)))
    seconds = rng.choice((0.0, 0.02, 1.0, rng.uniform(0.5, 12.0)))
    values: dict[str, Any] = {"seconds": seconds, "seed": rng.randrange(9), "variation": rng.choice((0.0, 0.3, 1.0))}
    more = {
        "loop": rng.random() < 0.5,
        "poses": [_row(rng, seconds, clips, 1) for _ in range(rng.randrange(1, 5))],
        "verbatim": [_row(rng, seconds, clips, 2)],
        "way": [[rng.uniform(-9.0, 9.0) for _ in range(3)] for _ in range(rng.choice((1, 2, 5)))],
        "shares": [[rng.choice((0.0, 1.0, 2.0)) for _ in clips]],
        "hold": rng.choice((0.0, 0.1, 3.0, 100.0)),
        "threshold": rng.choice((0.005, 0.05, 1.0)),
        "mirror": True,
        "plant_feet": False,
    }
    values |= {name: value for name, value in more.items() if rng.random() < 0.3}
    recipe = verbs.Walk(**values)
    made = verbs.apply(recipe, clips)
    if not all(np.isfinite(part).all() for part in (made.clip.rotations, made.clip.translations)):
        raise Wrong("the result is not of numbers")
    # A loop may have up to 30 % more or less, so that it ends where a stride does.
    slack = 0.3 * seconds + 1.0 / 15.0 if recipe.loop else 0.5 / 15.0
    if seconds and abs(made.clip.seconds - max(seconds, 1.0 / 30.0)) > slack:
        raise Wrong(f"it takes {made.clip.seconds:g} s, not {seconds:g} s")
    for when, number, frame in recipe.poses:
        _compare(made.clip, round(when * 30.0), clips[int(number) - 1], int(frame), 1)
    for when, number, first, last in recipe.verbatim:
        _compare(made.clip, round(when * 30.0), clips[int(number) - 1], int(first), int(last - first))
    if len(recipe.way) == 1:
        ground, facing = root_motion.ground_frames(made.clip)
        gone = complex(*(ground[-1] - ground[0])) * np.exp(-1j * facing[0])
        if abs(gone - complex(*recipe.way[0][:2])) > 0.01:
            raise Wrong("it ends elsewhere")


def _row(rng: random.Random, seconds: float, clips: list[Clip], frames: int) -> list[float]:
    """Return seconds, a clip and its frames; few rows lie outside."""
    number = rng.randrange(len(clips))
    last = len(clips[number]) - (rng.random() < 0.9)
    some = sorted(float(rng.randrange(last + 1)) for _ in range(frames))
    return [rng.uniform(0.0, max(seconds, 1.0)), number + 1.0, *some]


def _compare(made: Clip, at: int, clip: Clip, first: int, count: int) -> None:
    """Raise Wrong if other joints than the root have other rotations than the clip's frames."""
    own, other = clip.rotations[first : first + count, 1:], made.rotations[at : at + count, 1:]
    if np.abs((own * other).sum(axis=-1)).min(initial=1.0) < 1.0 - CLOSE:
        raise Wrong("a pose is not the keyed one")


KINDS = {"limits": _limits}
