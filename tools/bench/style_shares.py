"""What people differ in: shares of components, what these have to do with measures, and which joints carry them."""

import textwrap

import numpy as np
from action_loom.core.style import components
from action_loom.core.style import form as forms
from action_loom.core.style.form import PHASES
from action_loom.core.style.style import Learnt, Style
from quality_tables import grid
from style_material import style

SHORT = 35  # phases, of the source
LEAST, MOST = 0.93, 0.96  # wanted of the first component about the rest pose
WORDS = (
    "Shares of variance, %, of principal components of the main joints' rotations, people weighing alike. Wanted of the"
    " first about the rest pose, uncentred as in the source: 93 to 96 %."
)


def shares(misses: list[str]) -> list[str]:
    posture_shares: list[str] = []
    rows: list[tuple[str, np.ndarray]] = []
    for of_all, who in ((True, "all"), (False, "tuned on")):
        known = style(of_all=of_all)
        turning = _turning(known, with_hips=False)
        short = np.stack([forms.at_phases(np.arange(SHORT) / SHORT) @ row for row in turning])
        as_printed = _shares(short, known, about=0.0)
        rows.append((f"about the rest pose, {SHORT} phases, {who}", as_printed))
        rows.append((f"about the rest pose, {PHASES} phases, {who}", known.learnt("source").parts.shares))
        together = _turning(known, with_hips=True)
        posture, dynamics = components.in_two_parts(together)
        rows.append((f"about the mean, {who}", known.learnt("together").parts.shares))
        rows.append((f"posture alone, {who}", _shares(posture, known)))
        rows.append((f"dynamics alone, {who}", _shares(dynamics, known)))
        weights = known.material.weights
        part, whole = (_variance(one, weights) for one in (posture, together))
        posture_shares.append(f"{100 * part / whole:.0f} % ({who})")
        for name, share in ((str(SHORT), as_printed[0]), (str(PHASES), known.learnt("source").parts.shares[0])):
            if not LEAST <= share <= MOST:
                misses.append(
                    f"Component 1 about the rest pose at {name} phases, {who} | {100 * share:.2f} % | 93 to 96 %"
                )
    heads = ("rows", *(str(k) for k in range(1, 7)), "first 3", "first 5", "first 10")
    reported = [[label, *_cells(100 * found)] for label, found in rows]
    count = len(style(of_all=True).learnt("source").turning) // 3
    first = rows[0][1]
    beside = (
        ("posture's share of the variance", "–", ", ".join(posture_shares)),
        ("numbers of a row: joints × frames × axes", "1680", f"{count} × {SHORT} × 3 = {3 * SHORT * count}"),
        ("share of component 1", "95.95 % (30 people of three ages, angles of BVH files)", f"{100 * first[0]:.2f} %"),
        ("components 3 and 4", "shares fall much", f"{100 * first[2]:.2f} and {100 * first[3]:.2f} %, less of a fall"),
        ("component 2 shows sex, 3 age", "yes", "missed: both are unknown of these people"),
    )
    tables = (*grid(heads, reported), "", *grid(("beside the source", "source", "ours"), beside), "")
    return [*tables, *_meanings(style(of_all=True))]


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


def _meanings(known: Style) -> list[str]:
    """What the first components have to do with measures, and which joints carry them."""
    rows, weights, names = [], known.material.weights, known.sliders.names
    measured = np.stack([known.material.measured[name] for name in names], axis=1)
    for way in ("together", "apart", "source"):
        learnt = known.learnt(way)
        scores = learnt.scores(known.rows_in(learnt.form))
        for k in range(4):
            reported = [f"{_correlation(scores[:, k], measured[:, m], weights):+.2f}" for m in range(len(names))]
            name = f"{learnt.names[k]}, about rest" if way == "source" else learnt.names[k]
            rows.append([name, *reported, _carriers(learnt, known, k)])
    words = (
        "Correlations of scores with the measures over all strides, and the joints that carry a component, % of its"
        " squared length."
    )
    return [*textwrap.wrap(words, 118), "", *grid(("component", *names, "carried by"), rows)]


def _correlation(one: np.ndarray, other: np.ndarray, weights: np.ndarray) -> float:
    a, b = one - weights @ one, other - weights @ other
    return float(weights @ (a * b) / np.sqrt((weights @ a**2) * (weights @ b**2)))


def _carriers(learnt: Learnt, known: Style, which: int) -> str:
    size = (learnt.parts.directions[which].reshape(PHASES, -1, 3) ** 2).sum(axis=(0, 2))
    joints = [known.form.skeleton.names[joint] for joint in known.form.joints] + ["hips"]
    of = [joints[column // 3] for column in learnt.turning[::3]]
    best = np.argsort(-size, kind="stable")[:4]
    return ", ".join(f"{of[k]} {100 * size[k]:.0f}" for k in best)
