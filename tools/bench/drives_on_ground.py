"""Driven bodies on stairs and a slope, and bodies that meet: tables of docs/measured/drive.md, for `drives.py`."""

from collections.abc import Mapping

import numpy as np
from action_loom.core.drive import controller, crowd, database, footing, ground, keep, route
from action_loom.core.drive.controller import Manner, Wish
from action_loom.core.drive.database import RATE, Database
from action_loom.core.drive.ground import Ground
from action_loom.core.motion import feet, kinematics, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.quat import Array
from action_loom.core.recipes.planting import PlantOptions
from action_loom.core.weave import planting

SECONDS, WIDE = 10, 9.0
RISE, RUN, COUNT, SLOPE = 0.17, 0.29, 8, 15.0  # m of a body 1.7 m tall, and degrees
OLD = 8  # frames that a foot has been held for


def tables(sets: Mapping[str, list[Clip]]) -> str:
    """Return what comes of each set on each ground, and of two bodies that meet."""
    rows = [_TITLES, "|" + 9 * "---|"]
    for name, clips in sets.items():
        data = database.build(clips)
        for title, made in (("stairs", _stairs(data.unit)), ("slope", _slope(data.unit))):
            rows.append(
                f"| {name} | {title} | {_figures(data, made)} | {_meeting(data) if title == 'stairs' else ''} |"
            )
    return "\n".join([_ABOUT, *rows, ""])


def _level(first: float, end: float, height: float, other: float | None = None) -> list[tuple[float, ...]]:
    """Return two triangles across the way, from one height to another."""
    other = height if other is None else other
    near = (-WIDE, first, height), (WIDE, first, height)
    far = (WIDE, end, other), (-WIDE, end, other)
    return [(*near[0], *near[1], *far[0]), (*near[0], *far[0], *far[1])]


def _stairs(unit: float) -> Ground:
    """Return stairs up, a landing, stairs down."""
    rise, run, y = RISE * unit, RUN * unit, 2.0 * unit
    heights = [*range(1, COUNT + 1), *5 * [COUNT], *range(COUNT - 1, 0, -1)]
    steps = [_level(y + k * run, y + (k + 1) * run, one * rise) for k, one in enumerate(heights)]
    return ground.of_rows([row for rows in steps for row in rows])


def _slope(unit: float) -> Ground:
    first, long = 2.0 * unit, 4.0 * unit
    top = long * float(np.tan(np.radians(SLOPE)))
    return ground.of_rows(_level(first, first + long, 0.0, top) + _level(first + long, first + 2.0 * long, top, 0.0))


def _figures(data: Database, under: Ground) -> str:
    wished = [Wish(1j * data.gaits[0])] * round(SECONDS * RATE) + [Wish()] * round(RATE)
    states, points = _driven(data, wished, under)
    _, flat = _driven(data, wished, None)  # the same way, on the floor
    off, deep = [], []
    for k, (ball, _) in enumerate(feet.balls_and_ankles(data.skeleton).values()):
        held = np.array([state.feet[k].held for state in states])
        old = np.array([f >= OLD and held[f - OLD : f + 1].all() for f in range(len(held))])
        wanted = np.array([state.footing.spots[k][0] for state in states if state.footing is not None])
        off.append(np.abs(points[:, ball, 2] - flat[:, ball, 2] - wanted)[old])
        floor = float(np.percentile(flat[:, ball, 2], 5.0))
        most = footing.LEADS * data.skeleton.height
        there = [
            under.at(complex(*one[:2]), state.footing.under + most)
            for one, state in zip(points[:, ball], states, strict=True)
            if state.footing is not None
        ]
        deep.append(np.array([0.0 if one is None else one[0] for one in there]) - (points[:, ball, 2] - floor))
    made = keep.woven(data, route.of_states(states), "kept")
    found = keep.parted(made.clip, made.spans)
    clip, _ = planting.of_result(made.clip, PlantOptions(), one_source=False, found=found)
    stood, figures = footing.kept(clip, found, under)
    kept_sunk = _sunk(clip, stood, under)
    apart, sunk = np.concatenate(off) if off else np.zeros(1), max(float(one.max()) for one in deep)
    apart = apart if len(apart) else np.zeros(1)
    climbed = max(state.footing.level for state in states if state.footing is not None)
    cells = (climbed, 100 * apart.mean(), 100 * np.percentile(apart, 95), 100 * sunk, figures["stances"])
    end = f"{100 * figures['off']:.1f}, {100 * figures['off_most']:.1f}"
    return f"{cells[0]:.2f} | {cells[1]:.1f}, {cells[2]:.1f} | {cells[3]:.1f} | {cells[4]} | {end} | {kept_sunk:.1f}"


def _sunk(flat: Clip, clip: Clip, under: Ground) -> float:
    """Return by how many cm a ball is deepest under the ground in what is kept."""
    before, after = kinematics.points(flat), kinematics.points(clip)
    most, deep = footing.LEADS * clip.skeleton.height, 0.0
    roots, level = root_motion.ground_frames(clip)[0] @ np.array([1.0, 1j]), 0.0
    levels = []
    for root in roots.tolist():
        level = under.on(root, level, footing.CLIMBS * clip.skeleton.height)
        levels.append(level)
    for ball, _ in feet.balls_and_ankles(clip.skeleton).values():
        floor = float(np.percentile(before[:, ball, 2], 5.0))
        for (x, y, z), height in zip(after[:, ball].tolist(), levels, strict=True):
            there = under.at(complex(x, y), height + most)
            deep = max(deep, (0.0 if there is None else there[0]) - (z - floor))
    return 100.0 * deep


def _driven(data: Database, wished: list[Wish], under: Ground | None) -> tuple[list[controller.State], Array]:
    """Return the states of a drive, and the points (F, P, 3) that are shown."""
    states = [controller.begun(data, ground=under)]
    for wish in wished:
        states.append(controller.step(data, Manner(), states[-1], wish))
    shown = [np.stack([state.shown[k] for state in states]) for k in (0, 1)]
    return states, kinematics.points(Clip("live", data.skeleton, RATE, *shown))


def _meeting(data: Database) -> str:
    """Return how near two bodies come that walk towards each other, and that cross, in metres of a body 1.7 m tall."""
    speed, far = data.gaits[0], 2.5 * data.unit
    count = round(2.0 * (far + data.unit) / speed * RATE)
    ways = {0j: 1j, 2j * far: -1j}, {-far + 0j: 1 + 0j, -1j * far: 1j}
    out = []
    for starts in ways:
        bodies = [(data, place, float(np.angle(way / 1j))) for place, way in starts.items()]
        states, _ = crowd.driven(bodies, [[Wish(speed * way)] * count for way in starts.values()], Manner(), leads=True)
        places = [np.array([state.place for state in one]) for one in states]
        out.append(float(np.abs(places[0] - places[1]).min()) / data.unit)
    return f"{out[0]:.2f}, {out[1]:.2f}"


_ABOUT = f"""## On a ground, and with others

{SECONDS} s of a walk over {COUNT} stairs of {RISE} m by {RUN} m up and down, and over a slope of {SLOPE:.0f}° (lengths
of a body 1.7 m tall). Constants were chosen on the figure of the tests and on these walks, but for mannequiny's.
*Held feet off*: balls that have been held for {OLD} frames, from where they are on the
floor, lifted as the ground is, mean and 95 %; *deepest*: a ball under the ground, in the air, too, live and in what is
kept. *Kept, off*: means of stances, mean and most. *Meet*: the least between the roots of two bodies that go towards
each other, and that cross, the first one steered straight on.
"""
_TITLES = (
    "| set | ground | climbed, m | held feet off, cm | deepest live, cm | kept, stances | kept, off, cm |"
    " kept, deepest, cm | meet, m |"
)
