"""The bundled walks, for characters with too few strides to learn a style from (methods: Style).

The differences between their people are scaled to a body's proportions and added to its own cycle.
`tools/style_basis.py` learns them from captures, which walks.md lists.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from ..motion import quat
from ..motion.clip import Clip
from ..motion.quat import Array
from . import clip_in_style, storage
from .form import PHASES, Form
from .style import Style

FILE = Path(__file__).with_name("walks.npz")
MANNER = "manner"  # the label column with the manner of walking of a clip


@cache
def walks() -> Style:
    """Return the walks, on the body of their first performer.

    Example:
        >>> from action_loom.core.style import shipped
        >>> walks = shipped.walks()
        >>> len({*walks.material.people}) >= 8, walks.material.gait
        (True, True)
    """
    return storage.load(FILE)


def added_to(style: Style, clip: Clip) -> Style:
    """Return a style with its mean stride replaced by a clip's, on its body; the differences between people are kept.

    The differences are transformed to the frames of the clip's own mean pose, so that a lean of one trunk remains a
    lean of the other. Manners become named strides for `toward`. Raises ClipError for a clip without strides.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.style import clip_in_style, fit, shipped
        >>> walk = actions.walk(cycles=1)
        >>> style = shipped.added_to(fit.on_body(shipped.walks(), walk), walk)
        >>> bool(abs(clip_in_style.of_clip(style, walk).standard).max() < 1e-6), "sneaking" in style.people
        (True, True)
    """
    return added_to_row(style, clip_in_style.of_clip(style, clip).row)


def added_to_row(style: Style, own: Array) -> Style:
    """Return the result of `added_to` for a clip with the mean stride `own` (P C + 1,), a row of the style.

    Example:
        >>> from action_loom.core.style import shipped
        >>> walks = shipped.walks()
        >>> style = shipped.added_to_row(walks, walks.mean)
        >>> bool(abs(style.standard(style.mean)).max() < 1e-9)
        True
    """
    of, before = style.material, style.form
    form, stride = _about(before, own[:-1].reshape(PHASES, -1))
    people, plain = _people(style), _plain(style)
    # People who only walk in a manner do not contribute to the usual differences.
    kept = np.flatnonzero(np.isin(people, people[plain]))
    apart = style.flat - style.flat[kept].T @ (of.weights[kept] / of.weights[kept].sum())
    apart = np.column_stack(
        [_transform_differences(apart[:, :-1].reshape(len(apart), PHASES, -1), before, form), apart[:, -1]]
    )
    here = np.append(stride.ravel(), own[-1])
    material = replace(
        of,
        form=form,
        rows=(here + apart[kept])[:, :-1].reshape(len(kept), PHASES, -1),
        seconds=np.exp(here[-1] + apart[kept, -1]),
        of=of.of[kept],
        frames=of.frames[kept],
        columns={},
    )
    manners = {name: here + change for name, change in _manners(style, apart).items()}
    return replace(style, material=material, manners=manners)


def _about(form: Form, stride: Array) -> tuple[Form, Array]:
    """Return the form about the mean rotations of a stride (P, C), and the stride in it."""
    motion = form.read(stride)
    turns = np.concatenate([motion.turns, motion.hips[:, None]], axis=1)
    about = replace(form, means=quat.mean_of_frames(turns))
    return about, about.to_rows(motion)


def _transform_differences(rows: Array, form: Form, other: Form) -> Array:
    """Return differences (n, P C) of rows (n, P, C) in a form, transformed to another form's mean pose."""
    vectors = rows[..., form.turning].reshape(*rows.shape[:2], -1, 3)
    turned = quat.rotate(quat.mul(quat.inv(other.means), form.means), vectors)
    rest = rows[..., form.height :]
    return np.concatenate([turned.reshape(*rows.shape[:2], -1), rest], axis=2).reshape(len(rows), -1)


def _people(style: Style) -> Array:
    """Return the person (n,) of each stride."""
    return np.array([style.material.people[clip] for clip in style.material.of])


def _plain(style: Style) -> Array:
    """Return flags (n,) of strides without a manner."""
    values = style.material.columns[MANNER]
    return np.array([not values[clip] for clip in style.material.of])


def _manners(style: Style, apart: Array) -> dict[str, Array]:
    """Return the change of a stride by each manner, from differences (n, P C + 1) of strides from the mean.

    It is relative to the performer's plain walks, or to the mean of all without such walks.
    """
    values, people, plain = style.material.columns[MANNER], _people(style), _plain(style)
    found: dict[str, list[Array]] = {}
    for clip, value in enumerate(values):
        if value:
            theirs = plain & (people == style.material.people[clip])
            before = apart[theirs].mean(axis=0) if theirs.any() else 0.0
            found.setdefault(value, []).append(apart[style.material.of == clip].mean(axis=0) - before)
    return {value: np.asarray(np.mean(each, axis=0)) for value, each in found.items()}
