"""Note beside a source's line what looks wrong about its rate or range, and whether it walks in place."""

from typing import TYPE_CHECKING, Any

import bpy

from ....core.recipes.reading import Request
from ...ground.blender_types import scene_of
from ...model import properties

if TYPE_CHECKING:
    from ..weaving import reading


def note(context: bpy.types.Context, armature: bpy.types.Object, request: Request, read: "reading.Read") -> None:
    """Put a warning beside each line whose action was read and looks wrong or walks in place."""
    from ....core.check import cadence
    from ....core.weave import add_root_motion

    rig = properties.rig_of(scene_of(context), armature)
    if rig is None:
        return
    lines: dict[tuple[str, str], list[Any]] = {}
    for line in rig.sources:
        if line.action is not None:
            lines.setdefault((line.action.name_full, line.armature), []).append(line)
    for asked, source, retargeted in zip(request.sources, read.sources, read.retargeted, strict=True):
        doubt = cadence.doubt(source.clip)
        warning = f"{asked.name}: {doubt}" if doubt else add_root_motion.note(source.clip)
        for line in lines.get((asked.name, asked.armature), ()):
            line.warning, line.carried = _of_range(line) or warning, retargeted


def _of_range(line: Any) -> str:
    first, last = line.action.curve_frame_range
    if line.use_range and (line.first < first - 0.5 or line.last > last + 0.5):
        asked = f"frames {line.first}–{line.last} are asked for"
        return f"{line.action.name}: {asked}, its keys go from {first:g} to {last:g}"
    return ""
