"""What sliders give, one by one and all at once, and what they do to feet and knees."""

import itertools
import textwrap
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from action_loom.core.check import contacts, quality
from action_loom.core.motion.clip import Clip
from action_loom.core.recipes.style import SLIDERS
from action_loom.core.style import clip_in_style, directions, knees
from action_loom.core.verbs import Restyle
from action_loom.core.verbs.restyle import change
from action_loom.core.verbs.restyle import work as restyle
from action_loom.core.weave import planting
from quality_tables import grid
from style_material import KINDS, Walk, of_some, put_on, style, walks

MODES = ("natural", "only")
ALL_AT_ONCE = tuple(name for name in SLIDERS if name != "speed")  # which is stride times cadence
DRAWS = 100
STEPS = (0, 1, 2, 3, directions.STEPS)
OWN, OFF = 0.65, 0.05  # sd; wanted of one, and of all at once
MORE, STANDING = 4.0, 1.0  # cm/s; wanted of feet before planting and after
SLIDERS_WORDS = (
    "What one sd of a slider adds to every measure, in sd, uncorrected: mean of a clip of each person, measured on its"
    " mean stride. Wanted of the own measure: 0.65; of *only*, nothing else."
)
FEET_WORDS = "Every slider up and down on a clip of each person, corrected as on release; slides in cm/s."
FEET_COLUMNS = (
    ("slide, source; before planting", "slide of feet where they are found to stand, median, worst", ""),
    ("more", "before planting over the source, clip by clip", f"{MORE:g} in the median at 2 sd"),
    ("spans", "slide in whole planted spans, coming and going among them, before planting and after", f"{STANDING:g}"),
    ("middle, after", "slide in the middle half of each span, where a foot stands", f"{STANDING:g}"),
    ("contact; planted", "share of frames in which a ball stands, of the source and planted", ""),
    ("knee", "the least that any knee of any clip is bent, °", ""),
    ("below", "knees straighter by 0.05° than straight and than the source's least, before and after planting", "0"),
    ("sunk", "how far the lowest place of any ball is below the source's, planted", ""),
)


def sliders(misses: list[str]) -> list[str]:
    lines: list[str] = []
    own: dict[str, list[str]] = {name: [] for name in SLIDERS}
    for mode in MODES:
        for aside, who in KINDS:
            effects = _effects(mode, aside=aside)
            for k, name in enumerate(SLIDERS):
                own[name].append(f"{effects[k, k]:.2f}")
                if effects[k, k] < OWN and mode == "only":
                    misses.append(f"Own effect of {name}, {mode}, {who} | {effects[k, k]:.2f} sd | {OWN:g} sd")
            if not aside:
                reported = [[name, *(f"{v:+.2f}" for v in effects[k])] for k, name in enumerate(SLIDERS)]
                lines += [f"{mode.capitalize()}, tuned on:", "", *grid(("asked", *SLIDERS), reported), ""]
    heads = ("own effect", *(f"{mode}, {who}" for mode in MODES for _, who in KINDS))
    return [*lines, *grid(heads, [[name, *values] for name, values in own.items()]), "", *_at_once(misses)]


def _effects(mode: str, *, aside: bool) -> np.ndarray:
    """What one sd more of each slider gives of each measure (9, 9), mean over people's clips, uncorrected."""
    found = []
    for walk in of_some(aside=aside):
        in_style = put_on(walk)
        for name in SLIDERS:
            # Away from where it would be held.
            sign = -1.0 if in_style.standard[in_style.style.sliders.names.index(name)] > 2.0 else 1.0
            changed = change.asked(in_style, Restyle(goes_along=mode, exact=False, **{name: sign}))
            assert changed is not None
            found.append(sign * (in_style.style.standard(changed.row) - in_style.standard))
    return np.mean(np.array(found).reshape(-1, len(SLIDERS), len(SLIDERS)), axis=0)


def _at_once(misses: list[str]) -> list[str]:
    rows: dict[int, list[str]] = {steps: [] for steps in STEPS}
    again, worst = [], []
    for aside, who in KINDS:
        errors, whole, measured = _all_eight([walk for walk in walks() if walk.aside == aside])
        for steps, of_steps in zip(STEPS, errors, strict=True):
            median, most = np.median(of_steps), np.quantile(of_steps, 0.9)
            rows[steps] += [f"{median:.3f}", f"{most:.3f}"]
        if np.median(errors[-1]) > OFF:
            misses.append(f"All eight at once, {who} | {np.median(errors[-1]):.3f} sd off in the median | {OFF:g} sd")
        again += [f"{np.median(whole):.3f}", f"{np.quantile(whole, 0.9):.3f}"]
        of_each = np.quantile(errors[-1], 0.9, axis=0)
        reported = sorted(zip(of_each, ALL_AT_ONCE, strict=True), reverse=True)[:3]
        worst.append((who, ", ".join(f"{name} {value:.2f}" for value, name in reported), str(len(measured))))
    heads = ("corrections", *(f"{who}{more}" for _, who in KINDS for more in (", median, sd", ", p90")))
    words = (
        f"All eight at once, *only*, each one sd up or down and held at 3 sd from the examples' mean, {DRAWS} draws of"
        f" signs and clips: errors on the mean stride, wanted {OFF:g} in the median. Corrections were chosen with"
        " people kept aside in view: no independent proof."
    )
    best = {0: "0: the best of the linear answer, a half and a quarter of it"}
    last = "the clip after all, measured again: knees held, touchdowns found again, feet not planted"
    table = grid(heads, [*([best.get(steps, str(steps)), *cells] for steps, cells in rows.items()), [last, *again]])
    largest = grid(("clips", "largest errors, p90 after all", "of"), worst)
    return [*textwrap.wrap(words, 118), "", *table, "", *largest]


def _all_eight(chosen: Sequence[Walk]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Errors (steps, n, 8) of all sliders at once, those (m, 8) of clips measured anew, and the names of these."""
    draw = np.random.default_rng(10)
    errors: list[list[np.ndarray]] = [[] for _ in STEPS]
    anew, names = [], []
    able = [walk for walk in chosen if walk.clip.name not in _without_strides()]
    for _ in range(DRAWS):
        walk = able[draw.integers(len(able))]
        signs = draw.choice((-1.0, 1.0), len(ALL_AT_ONCE))
        in_style = put_on(walk)
        known = in_style.style.sliders
        which = np.array([known.names.index(name) for name in ALL_AT_ONCE])
        now = in_style.standard
        goal = now.copy()
        goal[which] = np.clip(now[which] + signs, np.minimum(-3.0, now[which]), np.maximum(3.0, now[which]))
        counts = np.where(goal[which] == now[which], 1.0, change.ASKED)
        slopes, start = in_style.style.slopes["only"][:, which], (goal - now)[which]
        for steps, found in zip(STEPS, errors, strict=True):
            vectors, measure = known.only[which], in_style.style.standard
            _, reached = directions.solved(in_style.row, goal, vectors, slopes, measure, start, which, counts, steps)
            found.append(np.abs(reached - goal)[which])
        asked = Restyle(goes_along="only", **dict(zip(ALL_AT_ONCE, signs.tolist(), strict=True)))
        changed = change.asked(in_style, asked)
        assert changed is not None
        made = clip_in_style.of_clip(in_style.style, replace(restyle.restyled(in_style, changed), name=walk.clip.name))
        anew.append(np.abs(made.standard - goal)[which])
        names.append(walk.clip.name)
    return np.array(errors), np.array(anew), sorted(set(names))


def _without_strides() -> set[str]:
    return {sentence.split()[0] for sentence in style(of_all=True).material.left_out}


# --- feet and knees


def feet_and_knees(misses: list[str]) -> list[str]:
    table, of_each, held = [], [], 0.0
    for (aside, who), mode in itertools.product(KINDS, MODES):
        found = {amount: _feet(mode, amount, aside=aside) for amount in (1.0, 2.0, 3.0)}
        for amount, v in found.items():
            label = f"{mode}, ±{amount:.0f} sd, {who}"
            table.append([label, str(len(v)), *_feet_cells(v)])
            held += v[:, HELD].sum()
            _judge_feet(label, v, amount, misses)
        of_each.append(_more_by_slider(found[2.0]))
    heads = ("asked", "of", "slide, source", "before planting", "worst", "more, median", "worst")
    heads += ("spans, before", "after", "middle, after", "worst", "contact", "planted")
    heads += ("knee, source", "restyled", "planted", "below", "planted")
    heads += ("sunk, cm", "worst")
    each = ("more slide at ±2 sd", *(f"{mode}, {who}, median, worst" for _, who in KINDS for mode in MODES))
    rows = [[name, *(column[k] for column in of_each)] for k, name in enumerate(SLIDERS)]
    note = (
        "of",
        f"clips; {held:.0f} of all were held at 3 sd from the examples' mean and went less far than asked",
        "",
    )
    columns = grid(("column", "what it is", "wanted"), (*FEET_COLUMNS, note))
    return [*columns, "", *grid(heads, table), "", *grid(each, rows)]


# Columns of `_feet`.
SOURCE, BARE, SPANS, SPANS_AFTER, MIDDLE, MIDDLE_AFTER, CONTACT, CONTACT_AFTER = range(8)
KNEE, KNEE_BARE, KNEE_AFTER, SUNK, HELD = range(8, 13)


def _feet(mode: str, amount: float, *, aside: bool) -> np.ndarray:
    """Figures of a clip of each person with every slider at an amount and its negative (n, 13), slider by slider."""
    found = []
    for name, walk, sign in itertools.product(SLIDERS, of_some(aside=aside), (-1.0, 1.0)):
        in_style, recipe = put_on(walk), Restyle(goes_along=mode, **{name: sign * amount})
        changed = change.asked(in_style, recipe)
        assert changed is not None
        bare = restyle.restyled(in_style, changed)
        made, outcome = planting.of_result(bare, recipe, one_source=False)
        reported = outcome.report["plant"] or {}
        before, after, planted = (quality.measure(clip) for clip in (in_style.clip, bare, made))
        spans, middle = (reported.get(key) or (np.nan, np.nan) for key in ("slide_cm_s", "middle_slide_cm_s"))
        least = [knees.least(clip) for clip in (in_style.clip, bare, made)]
        sunk = 100.0 * (_lowest(in_style.clip) - _lowest(made))
        held = any("held at" in sentence for sentence in changed.held)
        contact = before["contact_share"], planted["contact_share"]
        found.append((before["slide_cm_s"], after["slide_cm_s"], *spans, *middle, *contact, *least, sunk, held))
    return np.array(found, dtype=float)


def _lowest(clip: Clip) -> float:
    """How high the lowest ball of a foot is, at the least, metres."""
    return min(float(ball[:, 2].min()) for ball in contacts.feet(clip).values())


def _feet_cells(v: np.ndarray) -> list[str]:
    more = v[:, BARE] - v[:, SOURCE]
    slides = (np.median(v[:, SOURCE]), np.median(v[:, BARE]), v[:, BARE].max(), np.median(more), more.max())
    spans = (np.nanmedian(v[:, SPANS]), np.nanmedian(v[:, SPANS_AFTER]))
    fine = (np.nanmedian(v[:, MIDDLE_AFTER]), np.nanmax(v[:, MIDDLE_AFTER]))
    fine += (np.median(v[:, CONTACT]), np.median(v[:, CONTACT_AFTER]))
    least = (v[:, KNEE].min(), v[:, KNEE_BARE].min(), v[:, KNEE_AFTER].min())
    below = [str(int(_below(v, column).sum())) for column in (KNEE_BARE, KNEE_AFTER)]
    sunk = [f"{x:.1f}" for x in (np.median(v[:, SUNK]), v[:, SUNK].max())]
    return [*(f"{x:.1f}" for x in (*slides, *spans)), *(f"{x:.2f}" for x in (*fine, *least)), *below, *sunk]


def _below(v: np.ndarray, column: int) -> np.ndarray:
    return np.asarray(v[:, column] < np.minimum(0.0, v[:, KNEE]) - 0.05)


def _judge_feet(label: str, v: np.ndarray, amount: float, misses: list[str]) -> None:
    more, middle, worst = (
        np.median(v[:, BARE] - v[:, SOURCE]),
        *(f(v[:, MIDDLE_AFTER]) for f in (np.nanmedian, np.nanmax)),
    )
    if amount <= 2.0 and more > MORE:
        misses.append(f"Slide before planting, {label} | {more:.1f} cm/s more than the source | {MORE:g} cm/s")
    if middle > STANDING or (amount <= 2.0 and worst > STANDING):
        misses.append(
            f"Slide in the middle of planted spans, {label} | {middle:.2f} cm/s, worst {worst:.2f} | {STANDING:g} cm/s"
        )
    if np.nanmedian(v[:, SPANS_AFTER]) > STANDING:
        misses.append(
            f"Slide in whole planted spans, {label} | {np.nanmedian(v[:, SPANS_AFTER]):.1f} cm/s | {STANDING:g} cm/s"
        )
    for reported, column in (("before planting", KNEE_BARE), ("planted", KNEE_AFTER)):
        below = _below(v, column)
        if below.any():
            misses.append(
                f"Knees {reported}, {label} | {below.sum()} of {len(v)} below, worst {v[below, column].min():.1f}° | 0"
            )


def _more_by_slider(v: np.ndarray) -> list[str]:
    more = (v[:, BARE] - v[:, SOURCE]).reshape(len(SLIDERS), -1)
    return [f"{np.median(one):+.1f}, {one.max():+.1f}" for one in more]
