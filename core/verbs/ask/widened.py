"""Extend few strides by slower, faster and turning variants, using the bundled walks of many people.

Method: Asking by measures.
"""

from dataclasses import replace

import numpy as np

from ...motion.clip import Clip
from ...motion.quat import Array
from ...style import directions, fit, shipped
from ...style.form import PHASES, Form
from ...style.material import Material
from ...style.style import Style

SPEEDS = (-3.0, -1.5, 1.5, 3.0)  # standard deviations between people
TURN = 90.0  # degrees a second


def widen_strides(of: Material, clip: Clip) -> Material:
    """Return the strides of a few clips with slower and faster variants of each, and left and right turning ones.

    clip : on the body of the strides
    Raises SkeletonError for a body to which the walks can't be retargeted.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.style import StyleOptions
        >>> from action_loom.core.style import material
        >>> from action_loom.core.verbs.ask import widened
        >>> walk = actions.walk(cycles=1)
        >>> one = material.gather([walk], StyleOptions(), least=1, persons=1)
        >>> more = widened.widen_strides(one, walk)
        >>> len(one), len(more), more.measured["speed"].round(1).tolist()[:5]
        (1, 15, [1.5, 0.7, 1.1, 2.0, 2.4])
    """
    walks = fit.on_body(shipped.walks(), clip)
    rows, seconds, like = [of.rows], [of.seconds], [np.arange(len(of))]
    for k in range(len(of)):
        straight = [np.append(of.rows[k].ravel(), np.log(of.seconds[k])), *_vary_pace(walks, of, k)]
        more = [*straight[1:], *(_turning(row, of.form, turn) for row in straight for turn in (-TURN, TURN))]
        rows.append(np.stack([row[:-1].reshape(PHASES, -1) for row in more]))
        seconds.append(np.exp([row[-1] for row in more]))
        like.append(np.full(len(more), k))
    each = np.concatenate(like)
    return replace(
        of,
        rows=np.concatenate(rows),
        seconds=np.concatenate(seconds),
        of=of.of[each],
        frames=of.frames[each],
        images=of.images[each],
    )


def _vary_pace(walks: Style, of: Material, k: int) -> list[Array]:
    """Return slower and faster variants (P C + 1,) of stride k, by the differences found between people."""
    own = walks.form.to_rows(of.form.read(of.rows[k]))
    style = shipped.added_to_row(walks, np.append(own.ravel(), np.log(of.seconds[k])))
    if "speed" not in style.sliders.names:
        return []
    which = np.array([style.sliders.names.index("speed")])
    along, slopes = style.sliders.natural[which], style.slopes["natural"][:, which]
    now, found = style.standard(style.mean), []
    for amount in SPEEDS:
        goal, start = now.copy(), np.array([amount])
        goal[which] += amount
        factors, _ = directions.solve_rows(style.mean, goal, along, slopes, style.standard, start, which, np.ones(1))
        row = style.mean + factors @ along
        moved = of.form.to_rows(style.form.read(row[:-1].reshape(PHASES, -1)))
        found.append(np.append(moved.ravel(), row[-1]))
    return found


def _turning(flat: Array, form: Form, turn: float) -> Array:
    """Return a stride (P C + 1,) that turns by additional `turn` degrees a second."""
    flat = flat.copy()
    rows = flat[:-1].reshape(PHASES, -1)
    rows[:, form.steps.stop - 1] += np.radians(turn) * np.exp(flat[-1]) / PHASES
    return flat
