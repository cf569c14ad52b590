"""The motion graph of each armature's sources as it was built last, for the panel.

What is kept holds nothing of Blender's.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy

from ....core.cache import Cache
from ....core.options import declared
from ....core.recipes.graph import GraphOptions
from ....core.recipes.reading import Request, Source
from ...bitmaps import images
from ...ground import memory, option_properties
from ...ground.blender_types import scene_of
from ...model import lists, properties
from . import analysis

if TYPE_CHECKING:
    from ....core.graph.motion_graph import MotionGraph
    from ...bitmaps import bitmap
    from ..weaving import reading


@dataclass(frozen=True, eq=False)
class KnownGraph:
    """A graph, of what and how it was built, its main figures, and its picture (0 for none)."""

    sources: tuple[Source, ...]
    visual: bool
    options: tuple[tuple[str, Any], ...]
    graph: "MotionGraph"
    lines: tuple[str, ...]
    colors: "list[bitmap.Color]"
    icon: int

    @property
    def short(self) -> str:
        """What a panel's header has room for."""
        return f"{100.0 * self.graph.report['graph']['component_share']:.0f} % connected"


# By the session id of the armature; the last built is the last.
_known: Cache[int, KnownGraph] = memory.cache(4)


def graph_of(scene: bpy.types.Scene, armature: bpy.types.Object) -> KnownGraph | None:
    """Return the graph of what is ticked now, built as the panel asks for, or None; cheap enough for drawing."""
    known, settings = _known.get(armature.session_uid), properties.settings_of(scene)
    lines = lists.ticked(properties.rig_of(scene, armature))
    if known is None or (known.sources, known.visual) != (analysis.listed(lines), settings.result.visual):
        return None
    asked = tuple(option_properties.values_of(settings.graph, GraphOptions).items())
    return known if known.options == asked else None


def keep(
    context: bpy.types.Context, request: Request, read: "reading.Read", options: GraphOptions, graph: "MotionGraph"
) -> KnownGraph | None:
    """Keep a graph, and paint it; None where its armature is gone."""
    from ...bitmaps import graph_bitmap

    armature = properties.of_session(bpy.data.objects, read.armature)
    if armature is None:
        return None
    sources = request.sources
    lanes = [clip.name for clip in graph.clips[: graph.inputs.given]]
    colors = analysis.colors(properties.rig_of(scene_of(context), armature), lanes)
    asked = tuple((name, getattr(options, name)) for name in declared(GraphOptions))
    before = _known.get(read.armature)
    if before is not None and before.graph is graph and before.colors == colors:
        icon = before.icon  # another walk through the same: painting it takes longer than all else here
    else:
        icon = images.preview(f"{read.armature} graph", graph_bitmap.small(graph, colors))
    known = KnownGraph(sources, request.reading.visual, asked, graph, _lines(graph), colors, icon)
    return _known.keep(read.armature, known)


def _lines(graph: "MotionGraph") -> tuple[str, ...]:
    figures = graph.report["graph"]
    outside = figures["outside"]
    lines = [
        f"{figures['frames']} frames, {figures['transitions']} transitions",
        f"{100.0 * figures['component_share']:.0f} % can be walked for ever",
    ]
    if outside:
        names = ", ".join(one["clip"] for one in outside[:3]) + (" …" if len(outside) > 3 else "")
        lines.append(f"without {names}")
    return tuple(lines)
