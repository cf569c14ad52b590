"""Asking for speed, turn and steps: how near blends of one man's strides come, beside weights of the nearest."""

import itertools
from dataclasses import dataclass, replace

import numpy as np
from action_loom.core import verbs
from action_loom.core.check import quality
from action_loom.core.style import barycentric, measures
from action_loom.core.verbs import Ask
from action_loom.core.verbs.ask.work import AskResult, Examples
from quality_tables import grid
from style_material import KINDS, examples, median_ms

POINTS = 60
NEAREST = 6  # of the peer
CORRECTIONS = 2
OUTSIDE = 20  # points
SETS = (
    ("walks", ("speed", "turn")),
    ("walks and runs", ("speed", "turn")),
    ("walks", ("speed", "turn", "stride")),
)
TAKES = (*KINDS, (None, "all takes"))
WORDS = (
    f"{POINTS} points drawn evenly in the hull of the measures of one man's strides (data/amc, subject 16, with mirror"
    " images), asked for by *Ask*. Walks and runs: evenly over speeds, so among runs more than clips lie; strides of"
    " 0.3 to 0.4 s are doubtful. That shares are of the time was chosen with takes kept aside in view."
)
COLUMNS = (
    ("without", "error by barycentric weights as shares of the time, % of the strides' range, worst measure", "1 %"),
    ("with", "the same after two corrections, what the verb does", "0.1 %"),
    ("nearest", f"by the {NEAREST} nearest, weighted 1/d - 1/d{NEAREST} (Kovar and Gleicher 2004, without their"
     " samples), without and with two corrections", ""),
    ("slide", "cm/s before planting: of the median clip, a blend's clips by their shares, three strides of it", ""),
    ("beyond median clip", "blends over the median clip", "1 cm/s"),
    ("beyond shares", "blends over their clips; added after *beyond median clip* had missed", ""),
)  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """Errors (n, 4), % of the range: without corrections, with, of the nearest without, with.

    slides (n, 2) : cm/s, of the clips that a blend is of, by their shares, and its own; NaN where none is known
    """

    strides: int
    errors: np.ndarray
    slides: np.ndarray
    of_clips: float

    @property
    def medians(self) -> np.ndarray:
        return np.median(self.errors, axis=0)

    @property
    def beyond(self) -> float:
        """How much more blends slide than the median clip does, which is what was asked for."""
        return float(np.nanmedian(self.slides[:, 1])) - self.of_clips

    @property
    def more(self) -> float:
        return float(np.nanmedian(self.slides[:, 1] - self.slides[:, 0]))


def asking(misses: list[str]) -> list[str]:
    heads = (
        "without",
        "p90",
        "with",
        "p90",
        "nearest, without",
        "p90",
        "with",
        "p90",
        "slide, median clip",
        "by shares",
        "of blends",
        "beyond median clip",
        "beyond shares",
    )
    columns = grid(("column", "what it is: medians of points, p90 beside errors", "wanted"), COLUMNS)
    lines = [*columns, "", f"| strides of | asked | of | {' | '.join(heads)} |", "|" + "---|" * (len(heads) + 3)]
    for kind, names in SETS:
        for aside, reported in TAKES:
            one = _asked(kind, names, aside)
            cells = [
                f"{v:.3f}" for pair in zip(one.medians, np.quantile(one.errors, 0.9, axis=0), strict=True) for v in pair
            ]
            cells += [f"{one.of_clips:.1f}", *(f"{v:.1f}" for v in np.nanmedian(one.slides, axis=0))]
            cells += [f"{one.beyond:+.1f}", f"{one.more:+.1f}"]
            label = f"{kind}, {reported}"
            lines.append(f"| {label} | {', '.join(names)} | {one.strides} | {' | '.join(cells)} |")
            for bound, value, what in ((1.0, one.medians[0], "without"), (0.1, one.medians[1], "with")):
                if value > bound:
                    misses.append(
                        f"Asking {', '.join(names)} of {label} | {value:.2f} % {what} corrections | {bound:g} %"
                    )
            if one.beyond > 1.0:
                misses.append(
                    f"Asking {', '.join(names)} of {label} | blends slide {one.beyond:.1f} cm/s more"
                    f" than the median clip, {one.more:+.1f} by shares | 1 cm/s"
                )
    return [*lines, "", *_outside()]


def _asked(kind: str, names: tuple[str, ...], aside: bool | None) -> Asked:
    strides, clips = examples(kind, aside=aside, mirror=True)
    points = np.stack([strides.measured[name] for name in names], axis=1)
    spread, width = points.std(axis=0), np.ptp(points, axis=0)
    of_clips = np.array([quality.measure(clip)["slide_cm_s"] or np.nan for clip in clips])
    errors, slides = [], []
    for goal in _inside(points, spread):
        made = verbs.apply(_recipe(strides, names, goal), clips[:1], prepared=strides)
        assert isinstance(made, AskResult)
        assert not made.report["ask"]["outside"]
        weights = barycentric.place(points / spread, goal / spread).weights / strides.material.seconds
        plain = _measured(strides, names, weights / weights.sum())
        nearest = [_of_nearest(strides, names, points / spread, goal / spread, k) for k in (0, CORRECTIONS)]
        got = (plain, [made.got[name] for name in names], *nearest)
        errors.append([100.0 * np.abs((np.array(one) - goal) / width).max() for one in got])
        slide = quality.measure(made.clip)["slide_cm_s"]
        own = float(made.weights[0] @ of_clips[strides.material.of])
        slides.append((own, np.nan if slide is None else float(slide)))
    return Asked(len(strides.material), np.array(errors), np.array(slides), float(np.nanmedian(of_clips)))


def _recipe(strides: Examples, names: tuple[str, ...], goal: np.ndarray) -> Ask:
    unit, wanted = measures.unit_of(strides.material.form.skeleton), dict(zip(names, goal.tolist(), strict=True))
    step = 0.5 * unit * wanted.get("stride", 0.0)
    return Ask(speed=unit * wanted["speed"], turn=wanted["turn"], step=step, strides=3, plant_feet=False)


def _inside(points: np.ndarray, spread: np.ndarray) -> list[np.ndarray]:
    """Points drawn evenly in the hull of points (n, d)."""
    draw, found = np.random.default_rng(21), []
    while len(found) < POINTS:
        one = points.min(axis=0) + draw.random(points.shape[1]) * np.ptp(points, axis=0)
        if barycentric.place(points / spread, one / spread).away == 0.0:
            found.append(one)
    return found


def _measured(strides: Examples, names: tuple[str, ...], weights: np.ndarray) -> np.ndarray:
    measured = strides.measure(weights @ strides.flat, names)
    return np.array([measured[name] for name in names])


def _of_nearest(
    strides: Examples, names: tuple[str, ...], points: np.ndarray, goal: np.ndarray, corrections: int
) -> np.ndarray:
    """What a blend of the nearest strides comes to, the best of as many tries; points and goal in deviations."""
    spread = np.stack([strides.measured[name] for name in names], axis=1).std(axis=0)
    wanted, tries = goal.copy(), []
    for _ in range(corrections + 1):
        away = np.linalg.norm(points - wanted, axis=1)
        near = np.argsort(away, kind="stable")[:NEAREST]
        shares = 1.0 / np.maximum(away[near], 1e-9) - 1.0 / max(away[near[-1]], 1e-9)
        weights = np.zeros(len(points))
        weights[near] = shares / shares.sum()
        got = _measured(strides, names, weights)
        tries.append(got)
        wanted = wanted + goal - got / spread
    return min(tries, key=lambda one: float(np.linalg.norm(one / spread - goal)))


def _outside() -> list[str]:
    """Points outside the hull: whether that is reported, and how far what came is from the nearest point."""
    strides, clips = examples("walks", aside=None, mirror=True)
    points = np.stack([strides.measured[name] for name in ("speed", "turn")], axis=1)
    spread, middle = points.std(axis=0), points.mean(axis=0)
    angles = np.linspace(0.0, 2.0 * np.pi, OUTSIDE, endpoint=False)
    outside, off = 0, []
    for angle in angles:
        goal = middle + 4.0 * spread * np.array([np.cos(angle), np.sin(angle)])
        goal[0] = max(goal[0], 0.1)
        made = verbs.apply(_recipe(strides, ("speed", "turn"), goal), clips[:1], prepared=strides)
        assert isinstance(made, AskResult)
        nearest = barycentric.nearest_in_hull(points / spread, goal / spread) @ points
        off.append(100.0 * np.abs((np.array(list(made.got.values())) - nearest) / np.ptp(points, axis=0)).max())
        outside += bool(made.report["ask"]["outside"] and made.report["warnings"])
    heads = (
        "points four sd from the middle, outside the hull",
        "reported as outside",
        "off the hull's nearest point, % of the range, median",
        "worst",
    )
    return grid(heads, [(str(OUTSIDE), str(outside), f"{np.median(off):.2f}", f"{max(off):.2f}")])


def times() -> tuple[tuple[float, float, float], float]:
    """Milliseconds of a clip of a stride that is asked for, and planted, of how many strides; and of its weights."""
    strides, clips = examples("walks", aside=None, mirror=True)
    points = np.stack([strides.measured[name] for name in ("speed", "turn")], axis=1)
    spread, goals = points.std(axis=0), _inside(points, points.std(axis=0))[:20]
    taken: dict[bool, list[float]] = {False: [], True: []}
    for goal, plant in itertools.product(goals, taken):
        recipe = replace(_recipe(strides, ("speed", "turn"), goal), strides=1, plant_feet=plant)
        taken[plant].append(median_ms(lambda recipe=recipe: verbs.apply(recipe, clips[:1], prepared=strides)))
    weights = [median_ms(lambda goal=goal: _weighed(strides, points, spread, goal)) for goal in goals]
    whole = float(np.median(taken[False])), float(np.median(taken[True])), float(len(strides.material))
    return whole, float(np.median(weights))


def _weighed(strides: Examples, points: np.ndarray, spread: np.ndarray, goal: np.ndarray) -> None:
    wanted = goal
    for _ in range(CORRECTIONS + 1):
        found = barycentric.place(points / spread, wanted / spread).weights
        wanted = wanted + goal - _measured(strides, ("speed", "turn"), found)
