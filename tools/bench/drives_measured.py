"""What a driven body does in one seeded script of wishes, for `drives.py`: figures, and how long its steps take."""

import cmath
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from action_loom.core import verbs
from action_loom.core.drive import controller, database, keep, route, search, wishes
from action_loom.core.drive.controller import Manner, Wish
from action_loom.core.drive.database import RATE, Database
from action_loom.core.edit.feet import spans
from action_loom.core.edit.feet.spans import Span
from action_loom.core.motion import feet, kinematics, root_motion
from action_loom.core.motion.clip import Clip
from action_loom.core.recipes.planting import PlantOptions
from action_loom.core.weave import planting

SECONDS = 30
POP = 1.5  # times the sources' 99.9 % acceleration of a point
TEMPOS = (0.8, 0.9, 1.0, 1.1, 1.2)  # of the clips, for many rows
BONES = 80

Figures = dict[str, float]


@dataclass(frozen=True, eq=False)
class Tried:
    """What one script came to: figures, seconds of each change's answer, speeds a second after a stop."""

    figures: Figures
    answers: list[float]
    stops: list[float]
    milliseconds: list[float]


def script(number: int, gaits: tuple[float, float]) -> list[Wish]:
    """Return 30 s of wishes: stands, walks and runs of 1.5 to 4 s, and turns by 0 to 180°."""
    random, out, way = np.random.default_rng(number), list[Wish](), 0.0
    while len(out) < SECONDS * RATE:
        held = int(random.uniform(1.5, 4.0) * RATE)
        speed = (0.0, *gaits)[int(random.choice(3, p=[0.25, 0.5, 0.25]))]
        way += random.choice([-1, 1]) * np.radians(random.choice([0, 45, 90, 135, 180]))
        out += [wishes.rounded(Wish(speed * 1j * cmath.exp(1j * way)))] * held
    return out[: int(SECONDS * RATE)]


def tried(data: Database, number: int) -> Tried:
    wished, height = script(number, data.gaits), data.skeleton.height
    states, milliseconds = timed(data, wished, Manner())
    driven = route.of_states(states)
    clock = route.of_states(route.driven(data, wished, Manner(waits=False)))
    limit, sources, played = _pops_of_sources(data, driven)
    live, stands = _live(data, states), data.stands[driven.row]
    speeds, quiet = _speeds(live), stands & ~driven.stepping
    both = quiet[1:] & quiet[:-1]
    made = keep.woven(data, driven, "kept")
    found = keep.parted(made.clip, made.spans)
    kept, planted = planting.of_result(made.clip, PlantOptions(), one_source=False, found=found)
    done = planted.done
    moved = 0.0 if done is None else max([float(np.abs(one).max()) for one in done.shifts.values()], default=0.0)
    answers, stops = _answers(states, wished)
    figures = {
        "rms": _rms(driven.place - driven.wished) / data.unit,
        "clock": _rms(clock.place - clock.wished) / data.unit,
        "facing": float(np.degrees(np.percentile(np.abs(driven.facing - driven.wished_facing), 95.0))),
        "jumps": float(driven.jumped.mean()) * RATE,
        "moved": float(driven.moved.max()) / height,
        "slide": float(_between(live)[both].mean()) if both.any() else 0.0,
        "central": float(speeds[quiet].mean()) if quiet.any() else 0.0,
        "firm": _firm(driven, speeds, stands),
        "steps": 100.0 * float((stands & driven.stepping).sum() / max(stands.sum(), 1)),
        "pops": 100.0 * _pops(live, limit),
        "kept pops": 100.0 * _pops(kept, limit),
        "all pops": 100.0 * sources,
        "played pops": 100.0 * played,
        "seen": _middle(kept, [span for span in spans.find(kept) if span.part == spans.BALL]),
        "held": 100.0 * sum(span.end - span.first for span in found) / max(int(stands.sum()), 1),
        "planted": 0.0 if done is None or not done.spans else float(done.figures["middle_slide_cm_s"][1]),
        "kept moved": moved / height,
        "refused": 0.0 if done is None else float(len(done.refused)),
    }
    return Tried(figures, answers, stops, milliseconds)


def timed(data: Database, wished: list[Wish], manner: Manner) -> tuple[list[controller.State], list[float]]:
    states, took = [controller.begun(data)], []
    for wish in wished:
        began = time.process_time()
        states.append(controller.step(data, manner, states[-1], wish))
        took.append(1000.0 * (time.process_time() - began))
    return states, took


def _live(data: Database, states: list[controller.State]) -> Clip:
    shown = [np.stack([state.shown[k] for state in states]) for k in (0, 1)]
    return Clip("live", data.skeleton, RATE, shown[0], shown[1])


def _speeds(clip: Clip) -> Any:
    """Return the speed (F, S) of the balls over the ground, cm/s."""
    points = kinematics.points(clip)
    balls = np.stack([points[:, ball] for ball, _ in feet.balls_and_ankles(clip.skeleton).values()], axis=1)
    return 100.0 * RATE * np.linalg.norm(np.gradient(balls[..., :2], axis=0), axis=2)


def _between(clip: Clip) -> Any:
    """Return the speed (F − 1, S) of the balls over the ground from frame to frame, cm/s."""
    points = kinematics.points(clip)
    balls = np.stack([points[:, ball] for ball, _ in feet.balls_and_ankles(clip.skeleton).values()], axis=1)
    return 100.0 * RATE * np.linalg.norm(np.diff(balls[..., :2], axis=0), axis=2)


def _firm(driven: route.Route, speeds: Any, stands: Any) -> float:
    """Return the mean speed of feet that have been held for a tenth of a second and will be for another sixtieth."""
    held = driven.held & stands
    age = np.zeros(held.shape, dtype=int)
    for k in range(1, len(held)):
        age[k] = np.where(held[k], age[k - 1] + 1, 0)
    firm = (age > 6) & np.concatenate([held[1:], held[-1:]])
    return float(speeds[firm].mean()) if firm.any() else 0.0


def _accelerations(clip: Clip) -> Any:
    body = clip.skeleton.point_weights > 0.0
    points = kinematics.points(clip)[:, body] / clip.skeleton.height
    return np.linalg.norm(np.diff(points, n=2, axis=0), axis=2) * RATE**2


def _pops_of_sources(data: Database, driven: route.Route) -> tuple[Any, float, float]:
    """Return the acceleration (P,) beyond which a point pops, and the share of rows that do in sources: all, played.

    Sources are played on into what follows their last row: seams of cycles are their own.
    """
    runs = [_onwards(data, np.flatnonzero(data.clip == k)) for k in range(len(data.clips))]
    each = [_accelerations(_walked(data, rows)) for rows in runs]
    limit = np.percentile(np.concatenate(each), 99.9, axis=0)
    pops = np.zeros(len(data), dtype=bool)
    for rows, one in zip(runs, each, strict=True):
        pops[rows[1:-1]] |= (one > POP * limit).any(axis=1)
    return limit, float(pops.mean()), float(pops[driven.row].mean())


def _onwards(data: Database, rows: Any) -> Any:
    after = [int(data.onward[rows[-1]])]
    if after[0] >= 0:
        after.append(int(data.onward[after[0]]))
    return np.concatenate([rows, [row for row in after if row >= 0]]).astype(np.int64)


def _walked(data: Database, rows: Any) -> Clip:
    """Return rows as they are played, along their own way."""
    facing = np.concatenate([[0.0], np.cumsum(data.turn[rows])[:-1]])
    place = np.concatenate([[0.0], np.cumsum(data.step[rows] * np.exp(1j * facing))[:-1]])
    return root_motion.placed(data.poses(rows), facing, np.column_stack([place.real, place.imag]))


def _pops(clip: Clip, limit: Any) -> float:
    return float((_accelerations(clip) > POP * limit).any(axis=1).mean())


def _middle(clip: Clip, found: list[Span]) -> float:
    """Return the mean speed of the balls in the middle halves of all contacts, planted or not, cm/s."""
    speeds, names = _speeds(clip), list(feet.balls_and_ankles(clip.skeleton))
    each = [speeds[one.middle.first : one.middle.end, names.index(one.foot)] for one in found]
    return float(np.concatenate(each).mean()) if each else 0.0


def _answers(states: list[controller.State], wished: list[Wish]) -> tuple[list[float], list[float]]:
    """Return the seconds in which three quarters of each change were made, and the speeds a second after stops."""
    speed = np.convolve([state.velocity for state in states], np.full(12, 1.0 / 12.0), "same")
    changes = [k for k in range(1, len(wished)) if wished[k] != wished[k - 1]]
    answers, stops = [], []
    for first, end in zip(changes, [*changes[1:], len(wished)], strict=True):
        goal = states[first + 1].goal.velocity
        if abs(goal - speed[first]) < 0.5:
            continue
        near = np.flatnonzero(np.abs(speed[first:end] - goal) < 0.25 * abs(goal - speed[first]))
        answers.append(near[0] / RATE if len(near) else np.inf)
        if goal == 0j and end - first > 1.1 * RATE:
            stops.append(float(abs(speed[first + int(RATE)])))
    return answers, stops


def _rms(apart: Any) -> float:
    return float(np.sqrt((np.abs(apart) ** 2).mean()))


def rebuilt(data: Database, number: int) -> bool:
    """Return whether wishes that were written as rows drive and keep the same again, to the bit."""
    wished = script(number, data.gaits)
    made = []
    for some in (wished, wishes.of_rows(wishes.as_rows(wished))):
        states = route.driven(data, some, Manner())
        clip = keep.woven(data, route.of_states(states), "kept").clip
        made.append((*states[-1].shown, clip.rotations, clip.translations))
    return all(bool((one == other).all()) for one, other in zip(*made, strict=True))


def of_many(clips: list[Clip]) -> tuple[int, int, Any]:
    """Return how many rows and bones a set has at several tempos and with fingers, and its steps' 50 and 99 %, ms."""
    fingered = _fingered(clips)
    data = database.build([replace(one, rate=one.rate * tempo) for tempo in TEMPOS for one in fingered])
    _, milliseconds = timed(data, script(0, data.gaits), Manner())
    return len(data), len(data.skeleton), np.percentile(milliseconds, [50, 99])


def _fingered(clips: list[Clip]) -> list[Clip]:
    """Return clips with chains of three joints on their last bone, until there are enough bones."""
    before = clips[0].skeleton
    more = BONES - len(before)
    last = len(before) - 1
    parents = np.array([last if k % 3 == 0 else len(before) + k - 1 for k in range(more)])
    still = np.zeros((more, 3))
    one = np.tile([1.0, 0.0, 0.0, 0.0], (more, 1))
    skeleton = replace(
        before,
        names=(*before.names, *(f"finger {k}" for k in range(more))),
        parents=np.concatenate([before.parents, parents]),
        offsets=np.concatenate([before.offsets, still + 0.02]),
        orients=np.concatenate([before.orients, one]),
        tips=np.concatenate([before.tips, still]),
    )
    return [
        replace(
            clip,
            skeleton=skeleton,
            rotations=np.concatenate([clip.rotations, np.tile(one, (len(clip), 1, 1))], axis=1),
            translations=np.concatenate([clip.translations, np.zeros((len(clip), more, 3))], axis=1),
        )
        for clip in clips
    ]


def searched() -> dict[int, tuple[float, float]]:
    """Return for numbers of rows what a plain product takes and the search as it is, ms.

    The rows go on as features of clips do.
    """
    random, found = np.random.default_rng(1), {}
    for count in (10_000, 50_000, 1_000_000):
        walk = np.cumsum(random.normal(size=(count, 27)), axis=0, dtype=np.float32)
        features = np.sin(0.05 * walk).astype(np.float32)
        index = search.Index(features, np.arange(count))
        squares = np.einsum("ij,ij->i", features, features)
        took: dict[str, list[float]] = {"product": [], "own": []}
        for _ in range(15):
            query = (features[random.integers(count)] + random.normal(size=27) * 0.15).astype(np.float32)
            began = time.process_time()
            best = int(np.argmin(squares - 2.0 * (features @ query)))
            took["product"].append(1000.0 * (time.process_time() - began))
            began = time.process_time()
            row, _ = index.nearest(query)
            took["own"].append(1000.0 * (time.process_time() - began))
            off, least = (float(((features[one] - query) ** 2).sum()) for one in (row, best))
            assert off <= 1.001 * least
        found[count] = float(np.median(took["product"])), float(np.median(took["own"]))
    return found


SETTLED = 15  # s


def settled(clips: list[Clip], number: int) -> tuple[str, ...]:
    """Return a row of a table: how far a drive is from the way of its wish before and after it is settled along it."""
    wished = wishes.as_rows(script(number, database.build(clips).gaits)[: SETTLED * int(RATE)])
    made = verbs.apply(verbs.Drive(wishes=wished, along_line=True), clips)
    own = made.report["drive"]
    if "along" not in own:
        return str(number), f"{own['rms']:.3f}", "not settled", ""
    slide = made.report["quality"]["after"]["slide_cm_s"]
    return str(number), f"{own['rms']:.3f}", f"{own['along']['rms']:.3f}", f"{slide:.1f}"
