"""What is drawn over the 3D view: the root path of a walk along a curve, coloured by how far it is from it.

What is kept holds nothing of Blender's.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy

from ...core.cache import Cache
from .. import meant, properties
from ..blender_types import present, scene_of
from ..session import memory

if TYPE_CHECKING:
    import gpu

    from ...core.graph.walk_result import FollowResult
    from ...core.motion.quat import Array

MOST = 2000  # points of a track
WIDTH = 3.0  # pixels
BAD = 0.2  # m from the curve; there the track is red
NEAR, HALF, FAR = (0.1, 0.8, 0.3, 1.0), (0.95, 0.8, 0.1, 1.0), (0.95, 0.2, 0.1, 1.0)


@dataclass(frozen=True, eq=False)
class WalkTrack:
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
_tracks: Cache[int, WalkTrack] = memory.cache(8)
_handler: Any = None
_batch: "tuple[WalkTrack, gpu.types.GPUBatch] | None" = None  # of the track that was drawn last


def track_of(armature: bpy.types.Object) -> WalkTrack | None:
    """Return where the last walk of an armature went, or None."""
    return _tracks.get(armature.session_uid)


def keep(armature: int, walked: "FollowResult", metres: float) -> None:
    """Keep where a walk along a curve went; `metres` in a unit of the scene."""
    import numpy as np

    away = np.abs(walked.places - walked.path.at(walked.gone))
    some = np.linspace(0, len(away) - 1, min(len(away), MOST)).astype(int)
    ground = walked.places[some] / metres
    places = np.column_stack([ground.real, ground.imag, np.zeros(len(some))])
    _tracks.keep(armature, WalkTrack(places, away[some]))


def _forget_batch() -> None:
    global _batch
    _batch = None


def _draw() -> None:
    context = bpy.context
    active = meant.of_tab(context)
    if active is None or not properties.settings_of(scene_of(context)).show_way:
        return
    track = track_of(active)
    if track is None:
        return
    import gpu

    shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
    batch = _batch_of(track, shader)
    gpu.state.blend_set("ALPHA")
    region = present(context.region)
    shader.uniform_float("viewportSize", (region.width, region.height))
    shader.uniform_float("lineWidth", WIDTH * present(context.preferences).system.ui_scale)
    batch.draw(shader)
    gpu.state.blend_set("NONE")


def _batch_of(track: WalkTrack, shader: "gpu.types.GPUShader") -> "gpu.types.GPUBatch":
    """What the graphics card draws of a track: the view is drawn far more often than walked along."""
    from gpu_extras.batch import batch_for_shader

    global _batch
    if _batch is None or _batch[0] is not track:
        content: dict[str, Any] = {"pos": track.places.astype("float32"), "color": track.colors.astype("float32")}
        _batch = track, batch_for_shader(shader, "LINE_STRIP", content)
    return _batch[1]


def register() -> None:
    global _handler
    memory.when_forgotten.append(_forget_batch)
    if not bpy.app.background:  # where nothing is drawn
        _handler = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    global _handler
    memory.when_forgotten.remove(_forget_batch)
    if _handler is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handler, "WINDOW")
        _handler = None
    _forget_batch()
