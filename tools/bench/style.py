"""Styles and sliders on captured walks, people tuned on and people kept aside apart, and asking; writes docs/style.md.

With the extension's zip and a Blender's Python, the actions of a character that others made are tried there, too.
"""

import itertools
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests")]

import style_asking  # noqa: E402
import style_bodies  # noqa: E402
import style_sheets  # noqa: E402
from action_loom.core import jit  # noqa: E402
from action_loom.core.check import quality  # noqa: E402
from action_loom.core.motion import quat  # noqa: E402
from action_loom.core.recipes.style import SLIDERS, Restyle  # noqa: E402
from action_loom.core.style import change, components, directions, knees, restyle, worn  # noqa: E402
from action_loom.core.style import form as forms  # noqa: E402
from action_loom.core.style.form import PHASES  # noqa: E402
from action_loom.core.style.style import Style  # noqa: E402
from action_loom.core.style.worn import Worn  # noqa: E402
from action_loom.core.weave import planting  # noqa: E402
from oracles.material import captured_files  # noqa: E402
from style_material import Walk, of_some, of_strides, people_of, put_on, style, style_for, walks  # noqa: E402

PAGE = ROOT / "docs" / "style.md"
MODES = ("natural", "only")
KINDS = ((False, "tuned on"), (True, "kept aside"))
ALL_AT_ONCE = tuple(name for name in SLIDERS if name != "speed")  # which is stride times cadence
DRAWS = 100
SHUFFLES = 20
Lines = list[str]


def main() -> None:
    if not captured_files("strides")[0].exists():
        sys.exit("style: the captured clips of ../shared/data are needed")
    for package in jit.PACKAGES:
        jit.kernels(f"action_loom.core.{package}")
    misses: Lines = []
    lines = ["# Style and asking on captured walks", "", *paragraph(introduction())]
    for title, words, section in SECTIONS:
        began = time.perf_counter()
        lines += ["", f"## {title}", "", *paragraph(words), "", *section(misses)]
        print(title, f"{time.perf_counter() - began:.0f} s", flush=True)
    lines += ["", "## What was missed", "", *(f"- {miss}" for miss in misses or ["Nothing."])]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def paragraph(words: str) -> Lines:
    return textwrap.wrap(words, 118)


def introduction() -> str:
    every, tuned = (style(of_all=one).material for one in (True, False))
    of = [len({one.people[clip] for clip in one.of}) for one in (every, tuned)]
    return (
        f"Walks of {of[0]} people (cmu_mb_* of data/cmu and data/strides, without stops and turns of 90°), who weigh"
        f" alike: {len(every)} strides. {of[0] - of[1]} of them (PEOPLE_KEPT_ASIDE in tests/oracles/kept_aside.py) are"
        f" kept aside: the figures of tuned on and kept aside are of the style of the other {of[1]} ({len(tuned)}"
        " strides), on clips of those and on clips of people whom it does not know, whose strides it was carried"
        f" onto. Left out: {'; '.join(every.left_out) or 'nothing'}. Sd: standard deviations of a measure over the"
        " strides, people weighing alike. `python tools/bench/style.py ZIP PYTHON` writes this page, with the"
        " extension's zip and a Blender's Python."
    )


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Lines:
    return [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *(f"| {' | '.join(row)} |" for row in rows)]


# --- what people differ in


def shares(misses: Lines) -> Lines:
    lines, rows = [], []
    for of_all, who in ((True, "all"), (False, "tuned on")):
        known = style(of_all=of_all)
        turning = _turning(known, with_hips=False)
        short = np.stack([forms.at_phases(np.arange(35) / 35) @ row for row in turning])
        as_printed = _shares(short, known, about=0.0)
        rows.append((f"about the rest pose, 35 phases, {who}", as_printed))
        rows.append((f"about the rest pose, {PHASES} phases, {who}", known.learnt("source").parts.shares))
        together = _turning(known, with_hips=True)
        posture, dynamics = components.in_two_parts(together)
        rows.append((f"about the mean, {who}", known.learnt("together").parts.shares))
        rows.append((f"posture alone, {who}", _shares(posture, known)))
        rows.append((f"dynamics alone, {who}", _shares(dynamics, known)))
        weights = known.material.weights
        part, whole = (_variance(one, weights) for one in (posture, together))
        lines.append(f"Of what differs among {who}, {100 * part / whole:.0f} % is posture.")
        for name, share in (("35", as_printed[0]), (str(PHASES), known.learnt("source").parts.shares[0])):
            if not 0.93 <= share <= 0.96:
                misses.append(f"Component 1 about the rest pose at {name} phases, {who}: {100 * share:.2f} %")
    heads = ("rows", *(str(k) for k in range(1, 7)), "first 3", "first 5", "first 10")
    told = [[label, *_cells(100 * found)] for label, found in rows]
    count = len(style(of_all=True).learnt("source").turning) // 3
    first = rows[0][1]
    lines.append(
        f"The source: {count} joints here and 16 there, 35 frames, 3 axes each: {3 * 35 * count} numbers here, 1680"
        " there. It prints one share, 95.95 % of the first (30 people of three ages, one rotation order of Euler"
        f" angles), here {100 * first[0]:.2f} %; it says that shares fall much from the third to the fourth: here"
        f" {100 * first[2]:.2f} to {100 * first[3]:.2f} %, less of a fall. That its second tells sex and its third age"
        " can't be seen here: nobody knows either of these people."
    )
    return [*grid(heads, told), "", *paragraph(" ".join(lines)), "", *_meanings(style(of_all=True))]


def _turning(known: Style, *, with_hips: bool) -> np.ndarray:
    learnt = known.learnt("together" if with_hips else "source")
    return known.rows_in(learnt.form)[:, :, learnt.turning]


def _shares(rows: np.ndarray, known: Style, about: float | None = None) -> np.ndarray:
    flat = rows.reshape(len(rows), -1)
    centre = None if about is None else np.full(flat.shape[1], about)
    return components.of_rows(flat, known.material.weights, centre).shares


def _variance(rows: np.ndarray, weights: np.ndarray) -> float:
    flat = rows.reshape(len(rows), -1)
    return float(weights @ ((flat - weights @ flat) ** 2).sum(axis=1))


def _cells(shares: np.ndarray) -> list[str]:
    return [*(f"{share:.1f}" for share in shares[:6]), *(f"{shares[:k].sum():.1f}" for k in (3, 5, 10))]


def _meanings(known: Style) -> Lines:
    """What the first components have to do with measures, and which joints carry them."""
    rows, weights, names = [], known.material.weights, known.sliders.names
    measured = np.stack([known.material.measured[name] for name in names], axis=1)
    for way in ("together", "apart", "source"):
        learnt = known.learnt(way)
        scores = learnt.scores(known.rows_in(learnt.form))
        for k in range(4):
            told = [f"{_correlation(scores[:, k], measured[:, m], weights):+.2f}" for m in range(len(names))]
            name = f"{learnt.names[k]}, about rest" if way == "source" else learnt.names[k]
            rows.append([name, *told, _carriers(learnt, known, k)])
    words = (
        "Correlations of scores with what is measured, over all strides, people weighing alike; and the joints that"
        " carry a component, with the share of its squared length."
    )
    return [*paragraph(words), "", *grid(("component", *names, "carried by"), rows)]


def _correlation(one: np.ndarray, other: np.ndarray, weights: np.ndarray) -> float:
    a, b = one - weights @ one, other - weights @ other
    return float(weights @ (a * b) / np.sqrt((weights @ a**2) * (weights @ b**2)))


def _carriers(learnt, known: Style, which: int) -> str:
    size = (learnt.parts.directions[which].reshape(PHASES, -1, 3) ** 2).sum(axis=(0, 2))
    joints = [known.form.skeleton.names[joint] for joint in known.form.joints] + ["hips"]
    of = [joints[column // 3] for column in learnt.turning[::3]]
    best = np.argsort(-size, kind="stable")[:4]
    return ", ".join(f"{of[k]} {100 * size[k]:.0f}" for k in best)


# --- there and back


def there_and_back(misses: Lines) -> Lines:
    rows = []
    for (aside, who), way in itertools.product(KINDS, ("apart", "together", "source")):
        found = np.array([_back_and_mean(put_on(walk), way) for walk in of_some(aside=aside)])
        back, mean, most = found[:, 0].max(), found[:, 1].mean(), found[:, 2].max()
        rows.append([f"{way}, {who}", str(len(found)), f"{back:.1e}", f"{mean:.2f}", f"{most:.1f}"])
        if back > 0.1:
            misses.append(f"Factor 1 gives {way}, {who} back to {back:.2g}° only")
        if mean > 0.1:
            misses.append(f"Factor 0, {way}, {who}: {mean:.1f}° from the mean walk")
    return grid(
        ("components, clips", "of", "factor 1, off at most, °", "factor 0, off the mean walk, °", "at most"), rows
    )


def _back_and_mean(clothed: Worn, way: str) -> tuple[float, float, float]:
    """By how many degrees a clip is not given back at most, and how far it is then from the mean walk."""
    form, none = clothed.style.form, {f"factor_{k}": 0.0 for k in range(1, 7)}
    if way == "source":
        none["factor_1"] = 1.0  # which is the mean walk itself
    same = change.asked(clothed, Restyle(components=way, own_speed=1.0 + 1e-12, exact=False))
    empty = change.asked(clothed, Restyle(components=way, own_speed=0.0, individuality=0.0, **none))
    assert change.asked(clothed, Restyle(components=way)) is None
    assert same is not None and empty is not None
    back = restyle.dressed(clothed, same)
    away = _degrees(back.rotations, clothed.clip.rotations)
    mean = form.read(clothed.at @ clothed.style.mean[:-1].reshape(PHASES, -1))
    off = _degrees(form.read(empty.rows).turns, mean.turns)
    return float(away.max()), float(off.mean()), float(off.max())


def _degrees(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.degrees(np.linalg.norm(quat.log(quat.mul(quat.inv(one), other)), axis=-1))


# --- sliders


def sliders(misses: Lines) -> Lines:
    lines: Lines = []
    own: dict[str, list[str]] = {name: [] for name in SLIDERS}
    for mode in MODES:
        for aside, who in KINDS:
            effects = _effects(mode, aside=aside)
            for k, name in enumerate(SLIDERS):
                own[name].append(f"{effects[k, k]:.2f}")
                if effects[k, k] < 0.65 and not (mode == "natural"):
                    misses.append(f"Own effect of {name}, {mode}, {who}: {effects[k, k]:.2f} sd")
            if not aside:
                told = [[name, *(f"{v:+.2f}" for v in effects[k])] for k, name in enumerate(SLIDERS)]
                lines += [f"{mode.capitalize()}, tuned on:", "", *grid(("asked", *SLIDERS), told), ""]
    heads = ("own effect", *(f"{mode}, {who}" for mode in MODES for _, who in KINDS))
    return [*lines, *grid(heads, [[name, *values] for name, values in own.items()]), "", *_at_once(misses)]


def _effects(mode: str, *, aside: bool) -> np.ndarray:
    """What one sd more of each slider gives of each measure (9, 9), mean over people's clips, uncorrected."""
    found = []
    for walk in of_some(aside=aside):
        clothed = put_on(walk)
        for name in SLIDERS:
            # Away from where it would be held.
            sign = -1.0 if clothed.standard[clothed.style.sliders.names.index(name)] > 2.0 else 1.0
            changed = change.asked(clothed, Restyle(goes_along=mode, exact=False, **{name: sign}))
            assert changed is not None
            found.append(sign * (clothed.style.standard(changed.row) - clothed.standard))
    return np.mean(np.array(found).reshape(-1, len(SLIDERS), len(SLIDERS)), axis=0)


def _at_once(misses: Lines) -> Lines:
    rows: dict[int, list[str]] = {steps: [] for steps in range(directions.STEPS + 1)}
    again, worst = [], []
    for aside, who in KINDS:
        errors, whole, measured = _all_eight([walk for walk in walks() if walk.aside == aside])
        for steps in rows:
            median, most = np.median(errors[steps]), np.quantile(errors[steps], 0.9)
            rows[steps] += [f"{median:.3f}", f"{most:.3f}"]
        if np.median(errors[directions.STEPS]) > 0.05:
            misses.append(f"All eight at once, {who}: {np.median(errors[directions.STEPS]):.3f} sd off in the median")
        again += [f"{np.median(whole):.3f}", f"{np.quantile(whole, 0.9):.3f}"]
        of_each = np.quantile(errors[directions.STEPS], 0.9, axis=0)
        told = sorted(zip(of_each, ALL_AT_ONCE, strict=True), reverse=True)[:3]
        worst.append(f"{who}: {', '.join(f'{name} {value:.2f}' for value, name in told)}; of {len(measured)} clips")
    heads = ("corrections", *(f"{who}{more}" for _, who in KINDS for more in (", median, sd", ", p90")))
    words = (
        f"All eight at once, each one sd up or down, *only*, {DRAWS} draws of signs and of clips; each is held at 3 sd"
        " from the examples' mean, as always. Errors on the clip's mean stride, over all draws and measures. The last"
        " row measures anew the clip that came of three corrections, its knees held, its touchdowns found again and"
        " before feet are planted."
    )
    table = grid(heads, [*([str(steps), *cells] for steps, cells in rows.items()), ["the clip, measured anew", *again]])
    return [*paragraph(words), "", *table, "", *paragraph(f"What errs most, p90 after three: {'. '.join(worst)}.")]


def _all_eight(chosen: Sequence[Walk]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Errors (steps, n, 8) of all sliders at once, those (m, 8) of clips measured anew, and the names of these."""
    draw = np.random.default_rng(10)
    errors: list[list[np.ndarray]] = [[] for _ in range(directions.STEPS + 1)]
    anew, names = [], []
    able = [walk for walk in chosen if walk.clip.name not in _without_strides()]
    for _ in range(DRAWS):
        walk = able[draw.integers(len(able))]
        signs = draw.choice((-1.0, 1.0), len(ALL_AT_ONCE))
        clothed = put_on(walk)
        known = clothed.style.sliders
        which = np.array([known.names.index(name) for name in ALL_AT_ONCE])
        now = clothed.standard
        goal = now.copy()
        goal[which] = np.clip(now[which] + signs, np.minimum(-3.0, now[which]), np.maximum(3.0, now[which]))
        slopes, start = clothed.style.slopes["only"][:, which], (goal - now)[which]
        for steps, found in enumerate(errors):
            vectors, measure = known.only[which], clothed.style.standard
            _, came = directions.solved(clothed.row, goal, vectors, slopes, measure, start, which, steps)
            found.append(np.abs(came - goal)[which])
        asked = Restyle(goes_along="only", **dict(zip(ALL_AT_ONCE, signs.tolist(), strict=True)))
        changed = change.asked(clothed, asked)
        assert changed is not None
        made = worn.put_on(clothed.style, replace(restyle.dressed(clothed, changed), name=walk.clip.name))
        anew.append(np.abs(made.standard - goal)[which])
        names.append(walk.clip.name)
    return np.array(errors), np.array(anew), sorted(set(names))


def _without_strides() -> set[str]:
    return {sentence.split()[0] for sentence in style(of_all=True).material.left_out}


# --- feet and knees


def feet_and_knees(misses: Lines) -> Lines:
    table, of_each, held = [], [], 0
    for (aside, who), mode in itertools.product(KINDS, MODES):
        found = {amount: _feet(mode, amount, aside=aside) for amount in (1.0, 2.0, 3.0)}
        for amount, v in found.items():
            label = f"{mode}, ±{amount:.0f} sd, {who}"
            table.append([label, str(len(v)), *_feet_cells(v)])
            held += int(v[:, 10].sum())
            _judge_feet(label, v, amount, misses)
        of_each.append(_more_by_slider(found[2.0]))
    heads = ("asked", "of", "slide, source", "before planting", "worst", "more, median", "worst")
    heads += ("spans, before", "after", "middle, after", "worst", "least knee, °", "own", "contact", "after")
    each = ("more slide at ±2 sd", *(f"{mode}, {who}" for _, who in KINDS for mode in MODES))
    rows = [[name, *(column[k] for column in of_each)] for k, name in enumerate(SLIDERS)]
    note = f"{held} of them were held at 3 sd from the examples' mean, and so went less far than asked."
    return [*grid(heads, table), "", *paragraph(note), "", *grid(each, rows)]


def _feet(mode: str, amount: float, *, aside: bool) -> np.ndarray:
    """Figures of a clip of each person with every slider at an amount and its negative (n, 11), slider by slider."""
    found = []
    for name, walk, sign in itertools.product(SLIDERS, of_some(aside=aside), (-1.0, 1.0)):
        clothed, recipe = put_on(walk), Restyle(goes_along=mode, **{name: sign * amount})
        changed = change.asked(clothed, recipe)
        assert changed is not None
        bare = restyle.dressed(clothed, changed)
        made, outcome = planting.of_result(bare, recipe, one_source=False)
        told = outcome.report["plant"] or {}
        before, after, planted = (quality.measure(clip) for clip in (clothed.clip, bare, made))
        spans, middle = (told.get(key) or (np.nan, np.nan) for key in ("slide_cm_s", "middle_slide_cm_s"))
        least = knees.least(clothed.clip), min(knees.least(bare), knees.least(made))
        held = any("held at" in sentence for sentence in changed.held)
        slides = before["slide_cm_s"], after["slide_cm_s"]
        contact = before["contact_share"], planted["contact_share"]
        found.append((*slides, *spans, *middle, *least, *contact, held))
    return np.array(found, dtype=float)


def _feet_cells(v: np.ndarray) -> list[str]:
    more = v[:, 1] - v[:, 0]
    knee, own = v[:, 7].min(), v[v[:, 7].argmin(), 6]
    values = (np.median(v[:, 0]), np.median(v[:, 1]), v[:, 1].max(), np.median(more), more.max())
    after = (np.nanmedian(v[:, 2]), np.nanmedian(v[:, 3]), np.nanmedian(v[:, 5]), np.nanmax(v[:, 5]), knee, own)
    cells = [f"{one:.1f}" for one in (*values, *after[:2])] + [f"{one:.2f}" for one in after[2:4]]
    return [*cells, *(f"{one:.1f}" for one in after[4:]), *(f"{np.median(v[:, k]):.2f}" for k in (8, 9))]


def _judge_feet(label: str, v: np.ndarray, amount: float, misses: Lines) -> None:
    more, middle, spans = np.median(v[:, 1] - v[:, 0]), np.nanmedian(v[:, 5]), np.nanmedian(v[:, 3])
    if amount <= 2.0 and more > 4.0:
        misses.append(f"Slide before planting, {label}: {more:.1f} cm/s more than the source")
    for what, value in (("middles of spans", middle), ("whole spans", spans)):
        if value > 1.0:
            misses.append(f"Slide after planting in {what}, {label}: {value:.2f} cm/s")
    over = v[:, 7] < np.minimum(0.0, v[:, 6]) - 0.05
    if over.any():
        misses.append(f"Knees, {label}: {over.sum()} of {len(v)} straighter than straight and than they were, worst"
                      f" {v[over, 7].min():.1f}°")  # fmt: skip


def _more_by_slider(v: np.ndarray) -> list[str]:
    more = (v[:, 1] - v[:, 0]).reshape(len(SLIDERS), -1)
    return [f"{np.median(one):+.1f}, {one.max():+.1f}" for one in more]


# --- labels


def labels(misses: Lines) -> Lines:
    rows = []
    for of_all, who in ((True, "all"), (False, "tuned on")):
        known = style(of_all=of_all)
        of, own = known.material, people_of(known)
        speeds = {person: of.measured["speed"][own == person].mean() for person in dict.fromkeys(own)}
        middle = np.median(list(speeds.values()))
        fast = {person: "fast" if speed > middle else "slow" for person, speed in speeds.items()}
        draw, dealt = np.random.default_rng(5), {"pace": [fast[person] for person in of.people]}
        for k in range(SHUFFLES):
            mixed = dict(zip(fast, draw.permutation(list(fast.values())).tolist(), strict=True))
            dealt[f"dealt {k}"] = [mixed[person] for person in of.people]
        columns = {name: tuple(values) for name, values in dealt.items()}
        effects = Style(replace(of, columns=columns)).effects("apart")
        pace, chances = effects.pop("pace"), np.array([one.chance for one in effects.values()])
        name = known.learnt("apart").names[pace.component]
        told = [f"{np.quantile(chances, q):.2f}" for q in (0.0, 0.25, 0.5, 0.75, 1.0)]
        found = f"{int((chances <= 0.05).sum())} of {SHUFFLES}"
        rows.append([f"{who}, {len(fast)} people", name, f"{pace.size:+.2f}", f"{pace.chance:.3f}", *told, found])
        if pace.chance > 0.05:
            misses.append(f"The label fast, {who}: chance {pace.chance:.3f}")
        if (chances <= 0.05).mean() > 0.15:
            misses.append(f"Dealt labels, {who}: {found} have a chance of 0.05 or less")
    heads = ("style of", "component", "effect size", "chance", "dealt anew: least", "25 %", "median", "75 %", "most")
    return grid((*heads, "0.05 or less"), rows)


# --- one person left out


def left_out(_: Lines) -> Lines:
    known, counts = style(of_all=True), (0, 2, 5, 10)
    own, rows = people_of(known), []
    found = {}
    for person in dict.fromkeys(own):
        rest = of_strides(known, own != person)
        learnt = rest.learnt("together")
        theirs = known.material.rows[own == person][:, :, learnt.turning]
        scores = learnt.scores(known.material.rows[own == person])
        errors = []
        for count in counts:
            made = learnt.parts.centre + scores[:, :count] @ learnt.parts.directions[:count]
            apart = _degrees(_exp(made.reshape(theirs.shape)), _exp(theirs))
            errors.append(float(apart.mean()))
        found[person] = errors
    values = np.array(list(found.values()))
    rows = [[f"{person} left out", *(f"{v:.1f}" for v in errors)] for person, errors in found.items()]
    rows.append(["mean of people", *(f"{v:.1f}" for v in values.mean(axis=0))])
    return grid(("person", *(f"{count} components, °" for count in counts)), rows)


def _exp(vectors: np.ndarray) -> np.ndarray:
    return quat.exp(vectors.reshape(*vectors.shape[:2], -1, 3))


# --- times


def times(misses: Lines) -> Lines:
    walk = next(walk for walk in walks() if 340 <= len(walk.clip) <= 360)
    rows = [_times(f"{walk.clip.name}, {len(walk.clip)} frames", style_for(walk.person), walk.clip, misses)]
    cycle = style_bodies.cycle()
    rows.append(_times(f"{cycle.name}, {len(cycle)} frames", style_bodies.walks_on_figure(), cycle, misses))
    took = [_ms(lambda: style.__wrapped__(of_all=True), 1), _ms(lambda: style_bodies.walks_on_figure.__wrapped__(), 1)]
    asking, weights = style_asking.times()
    if asking[0] > 20.0:
        misses.append(f"Asking takes {asking[0]:.0f} ms")
    words = (
        f"Learning from {len(walks())} clips takes {took[0] / 1000:.1f} s; carrying what was learnt onto another body"
        f" {took[1] / 1000:.2f} s, once for each. Asking of {asking[2]:.0f} strides: {weights:.1f} ms for the weights"
        f" with two corrections, {asking[0]:.0f} ms with the clip of a stride made and measured (wanted: 20),"
        f" {asking[1]:.0f} ms with its feet planted."
    )
    heads = (
        "clip",
        "put on",
        "linear",
        "dressed",
        "drag",
        "corrected",
        "planted",
        "release",
        "drag, all",
        "release, all",
    )
    return [*grid(heads, rows), "", *paragraph(words)]


def _times(label: str, known: Style, clip, misses: Lines) -> list[str]:
    usual = dict(stride=1.0, swing=-1.0)
    every = {name: 0.5 * sign for name, sign in zip(SLIDERS, itertools.cycle((1.0, -1.0)), strict=False)}
    clothed = worn.put_on(known, clip)
    on = _ms(lambda: worn.put_on(known, clip))
    cells, told = [f"{on:.1f}"], []
    for sliders_, goes in ((usual, "natural"), (every, "only")):
        quick, exact = (Restyle(goes_along=goes, exact=is_exact, **sliders_) for is_exact in (False, True))
        linear, corrected = (change.asked(clothed, one) for one in (quick, exact))
        assert linear is not None and corrected is not None
        bare = restyle.dressed(clothed, corrected)
        parts = [_ms(lambda one=one: change.asked(clothed, one)) for one in (quick, exact)]
        dressed = _ms(lambda one=linear: restyle.dressed(clothed, one))
        planted = _ms(lambda one=bare, recipe=exact: planting.of_result(one, recipe, one_source=False))
        told.append((parts[0], dressed, parts[0] + dressed, parts[1], planted, on + parts[1] + dressed + planted))
    cells += [f"{v:.1f}" for v in (*told[0], told[1][2], told[1][5])]
    for what, place, bound in (("drag", 2, 20.0), ("release", 5, 150.0)):
        worst = max(one[place] for one in told)
        if worst > bound:
            misses.append(f"{what.capitalize()} of {label}: {worst:.0f} ms")
    return [label, *cells]


def _ms(work: Callable[[], object], runs: int = 7) -> float:
    taken = []
    for _ in range(runs):
        began = time.process_time()
        work()
        taken.append(1000.0 * (time.process_time() - began))
    return float(np.median(taken))


SECTIONS: tuple[tuple[str, str, Callable[[Lines], Lines]], ...] = (
    (
        "What people differ in",
        "Shares of variance, %, of principal components of how the main joints turn, people weighing alike. Wanted of"
        " the first about the rest pose, uncentred as in the source: 93 to 96 %.",
        shares,
    ),
    (
        "There and back",
        "A clip of each person with all factors at 1, by way of the whole computation (asked for nothing, a clip is"
        " handed back as it is), the most that any joint is turned off; wanted 0.1°. And with all factors at 0, about"
        " the rest pose all but the first, its own speed and its individuality too: how far joints are from those of"
        " the mean walk.",
        there_and_back,
    ),
    (
        "Sliders",
        "What a slider at one sd gives of every measure, in sd, before corrections: the mean of a clip of each person,"
        " measured on its mean stride. Wanted of its own: 0.65, with nothing going along.",
        sliders,
    ),
    (
        "Feet and knees",
        "Every slider up and down, on a clip of each person, corrected as on release. Slide, cm/s: of feet where they"
        " are found to stand, of the source and of what came before planting, medians and worst, and how much more"
        " that is clip by clip; wanted 4 more in the median at 2 sd. After planting, where feet were planted: in whole"
        " spans, coming and going among them, and in the middle half of each, where a foot stands; wanted 1 there."
        " Knee: the least that any knee of any clip is bent, and that of the same clip's source; wanted 0, or the"
        " clip's own. Contact: share of frames in which a ball stands, of the source and planted.",
        feet_and_knees,
    ),
    (
        "Labels",
        "A label made from what is measured: the faster half of people is fast, the others slow. It has to be found,"
        " with the component that tells most of it, and labels dealt anew among people, 20 times, have not: their"
        " chances should lie evenly between 0 and 1.",
        labels,
    ),
    (
        "A person left out",
        "How far joints of a person's strides are from the nearest that the components of the others can make, mean of"
        " the main joints and the hips. That is why what no component tells is always carried along.",
        left_out,
    ),
    ("Asking", style_asking.WORDS, style_asking.asking),
    ("Other bodies and actions", style_bodies.WORDS, style_bodies.tried),
    (
        "Times",
        "Milliseconds of processor, median of 7. Drag: the linear answer and the clip of it, wanted 20. Release: put"
        " on, corrected, dressed and planted, wanted 150. Two sliders, natural; the last two columns all nine, *only*.",
        times,
    ),
    ("Contact sheets", style_sheets.WORDS, style_sheets.draw),
)

if __name__ == "__main__":
    main()
