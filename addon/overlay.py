"""What is drawn over the 3D view: the way that was walked along a curve, coloured by how far it is from it.

What is kept holds nothing of Blender's.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy

if TYPE_CHECKING:
    from ..core.graph.travelled import Followed
    from ..core.motion.quat import Array

MOST = 2000  # points of a way
WIDTH = 3.0  # pixels
BAD = 0.2  # m from the curve; there the way is red
NEAR, HALF, FAR = (0.1, 0.8, 0.3, 1.0), (0.95, 0.8, 0.1, 1.0), (0.95, 0.2, 0.1, 1.0)


@dataclass(frozen=True, eq=False)
class Way:
    """Where a walk went (K, 3), in units of the scene, and how far (K,) from its curve, metres."""

    places: "Array"
    away: "Array"

    @property
    def colors(self) -> "Array":
        """Colours (K, 4): green on the curve, red far from it."""
        import numpy as np

        share = np.clip(self.away / BAD, 0.0, 1.0)
        return np.stack([np.interp(share, (0.0, 0.5, 1.0), side) for side in zip(NEAR, HALF, FAR, strict=True)], axis=1)


# By the session id of the armature.
_ways: dict[int, Way] = {}
_handler: Any = None
_batch: tuple[Way, Any] | None = None  # of the way that was drawn last


def of(armature: Any) -> Way | None:
    return _ways.get(armature.session_uid)


def keep(armature: int, walked: "Followed", metres: float) -> None:
    """Keep where a walk along a curve went; `metres` in a unit of the scene."""
    import numpy as np

    away = np.abs(walked.places - walked.path.at(walked.gone))
    some = np.linspace(0, len(away) - 1, min(len(away), MOST)).astype(int)
    ground = walked.places[some] / metres
    _ways[armature] = Way(np.column_stack([ground.real, ground.imag, np.zeros(len(some))]), away[some])


def forget() -> None:
    global _batch
    _ways.clear()
    _batch = None


def _draw() -> None:
    context = bpy.context
    active = context.object
    if active is None or not context.scene.action_loom.show_way:
        return
    way = _ways.get(active.session_uid)
    if way is None:
        return
    import gpu

    shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
    batch = _batch_of(way, shader)
    gpu.state.blend_set("ALPHA")
    shader.uniform_float("viewportSize", (context.region.width, context.region.height))
    shader.uniform_float("lineWidth", WIDTH * context.preferences.system.ui_scale)
    batch.draw(shader)
    gpu.state.blend_set("NONE")


def _batch_of(way: Way, shader: Any) -> Any:
    """What the graphics card draws of a way: the view is drawn far more often than walked along."""
    from gpu_extras.batch import batch_for_shader

    global _batch
    if _batch is None or _batch[0] is not way:
        content = {"pos": way.places.astype("float32"), "color": way.colors.astype("float32")}
        _batch = way, batch_for_shader(shader, "LINE_STRIP", content)
    return _batch[1]


def register() -> None:
    global _handler
    if not bpy.app.background:  # where nothing is drawn
        _handler = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    global _handler
    if _handler is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handler, "WINDOW")
        _handler = None
    forget()
