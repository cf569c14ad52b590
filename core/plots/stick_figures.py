"""Draw bodies as stick figures or as capsules, side by side."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from numpy.typing import NDArray

from ..motion import kinematics, root_motion
from ..motion.clip import Clip
from ..motion.skeleton import Skeleton

# `aside` for a view from the right and slightly from the front, in which limbs do not cover each other
ASLANT = np.radians(35.0)
ABOVE = np.radians(12.0)  # elevation of the view of capsules, which keeps their shadow from being a line
# radius of a capsule relative to its bone, and limits relative to body height
THICK, THINNEST, THICKEST = 0.14, 0.012, 0.045
ROUND = np.exp(1j * np.linspace(-0.5 * np.pi, 0.5 * np.pi, 7))  # the end of a capsule along the real axis


def draw(
    axis: Axes, poses: Clip, at: NDArray[np.floating[Any]], colour: str, *, width: float = 1.5, aside: float = 0.0
) -> None:
    """Draw each pose of a clip at a position (F,) along the axis, seen from its right.

    aside : radians by which the view is turned from the right towards the front

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.plots import stick_figures
        >>> from matplotlib.figure import Figure
        >>> axis = Figure().subplots()
        >>> poses = actions.walk(cycles=1).take_frames(np.array([0, 16]))
        >>> stick_figures.draw(axis, poses, np.array([0.0, 1.0]), "black")
        >>> len(axis.collections)
        1
    """
    places, bones = kinematics.points(poses), _bones(poses.skeleton)
    ground, facing = root_motion.ground_frames(poses)
    lines = []
    for pose, middle, heading, place in zip(places, ground, facing, at, strict=True):
        flat = np.stack([_project_pose(pose, middle, aside - heading).imag + place, pose[:, 2]], axis=1)
        lines += [flat[list(bone)] for bone in bones]
    axis.add_collection(LineCollection(lines, colors=colour, linewidths=width, capstyle="round"))
    axis.axhline(0.0, color="black", lw=0.6)
    axis.set_aspect("equal")
    axis.autoscale_view()


def draw_dots(
    axis: Axes, poses: Clip, at: NDArray[np.floating[Any]], dots: NDArray[np.floating[Any]], colours: list[str]
) -> None:
    """Draw a dot (F, 3) beside each pose as `draw` places them; "none" is no colour.

    Example:
        >>> import matplotlib.figure
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.plots import stick_figures
        >>> run, axis = actions.run().take_frames(np.array([3])), matplotlib.figure.Figure().subplots()
        >>> stick_figures.draw_dots(axis, run, np.array([0.5]), run.translations[:, 0], ["red"])
        >>> round(float(axis.collections[0].get_offsets()[0, 0]), 1)  # over its place
        0.5
    """
    ground, facing = root_motion.ground_frames(poses)
    across = [_project_pose(dot[None], *one)[0].imag for dot, *one in zip(dots, ground, -facing, strict=True)]
    axis.scatter(np.array(across) + at, dots[:, 2], s=14.0, c=colours, zorder=3.0)


def _project_pose(pose: NDArray[Any], middle: NDArray[Any], turn: float) -> NDArray[Any]:
    """Return points (P, 3) of a pose relative to a ground position, rotated: depth plus i × lateral coordinate."""
    return np.asarray(((pose[:, 0] - middle[0]) + 1j * (pose[:, 1] - middle[1])) * np.exp(1j * turn))


def solid(axis: Axes, poses: Clip, at: NDArray[np.floating[Any]], colour: str, *, beside: Clip | None = None) -> None:
    """Draw each pose of a clip as capsules around its bones with their shadow, from the right, front and above.

    at : positions (F,) along the axis
    beside : a clip whose poses stand at these positions; the poses drawn keep their offset from it

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.plots import stick_figures
        >>> from matplotlib.figure import Figure
        >>> axis = Figure().subplots()
        >>> poses = actions.walk(cycles=1).take_frames(np.array([0, 16]))
        >>> stick_figures.solid(axis, poses, np.array([0.0, 1.0]), "black")
        >>> len(axis.collections)  # shadows, and bodies
        2
    """
    places, bones, tall = kinematics.points(poses), np.array(_bones(poses.skeleton)), poses.skeleton.height
    ground, facing = root_motion.ground_frames(poses if beside is None else beside)
    bodies, shadows = [], []
    for pose, middle, heading, place in zip(places, ground, facing, at, strict=True):
        flat = _project_pose(pose, middle, ASLANT - heading)
        nearer, across, height = flat.real, flat.imag + place, pose[:, 2]
        lengths = np.linalg.norm(np.diff(pose[bones], axis=1)[:, 0], axis=1)
        radii = np.clip(THICK * lengths, THINNEST * tall, THICKEST * tall)
        order = np.argsort((nearer * np.cos(ABOVE) + height * np.sin(ABOVE))[bones].mean(axis=1))  # back to front
        seen = _capsules((across + 1j * (height * np.cos(ABOVE) - nearer * np.sin(ABOVE)))[bones], radii)[order]
        below = _capsules((across - 1j * nearer)[bones], radii)
        bodies += list(np.stack([seen.real, seen.imag], axis=2))
        shadows += list(np.stack([below.real, below.imag * np.sin(ABOVE)], axis=2))
    axis.add_collection(PolyCollection(shadows, facecolors="0.85", zorder=0.5))
    axis.add_collection(PolyCollection(bodies, facecolors=colour, edgecolors="white", linewidths=0.3))
    axis.set_aspect("equal")
    axis.autoscale_view()


def _capsules(ends: NDArray[np.complexfloating[Any, Any]], radii: NDArray[np.floating[Any]]) -> Any:
    """Return outlines (B, 14) of capsules between ends (B, 2) in a plane."""
    along = np.exp(1j * np.angle(ends[:, 1] - ends[:, 0])) * radii
    return np.concatenate([ends[:, 1:] + along[:, None] * ROUND, ends[:, :1] - along[:, None] * ROUND], axis=1)


def _bones(skeleton: Skeleton) -> list[tuple[int, int]]:
    """Return the points at both ends of each bone drawn."""
    bones = [(int(above), joint) for joint, above in enumerate(skeleton.bearers) if above >= 0]
    tips = enumerate(skeleton.tipped)
    return bones + [(int(joint), len(skeleton) + k) for k, joint in tips if skeleton.body[joint]]
