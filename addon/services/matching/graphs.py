"""Keep the latest motion graph of each armature's sources, for the panel.

No Blender data is kept.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ....core.cache import Cache
from ....core.options import declared_options
from ....core.recipes.graph import GraphOptions
from ....core.recipes.reading import Source
from ...bitmaps import images
from ...ground import memory, option_properties
from ...ground.blender_types import scene_of
from ...model import lists, properties
from . import analysis

if TYPE_CHECKING:
    from ....core.graph.motion_graph import MotionGraph
    from ...bitmaps import bitmap
    from ..weaving.reading import Inputs


class KnownGraph(NamedTuple):
    """A motion graph: its sources and options, the graph, its main figures, and its icon id (0 for none)."""

    sources: tuple[Source, ...]
    visual: bool
    options: tuple[tuple[str, Any], ...]
    graph: "MotionGraph"
    lines: tuple[str, ...]
    colors: "list[bitmap.Color]"
    icon: int

    @property
    def short(self) -> str:
        """The graph's summary, short enough for a panel's header."""
        return f"{100.0 * self.graph.report['graph']['component_share']:.0f} % connected"


# By the session id of the armature; the latest graph is the last entry.
_known: Cache[int, KnownGraph] = memory.cache(4)


def graph_of(scene: bpy.types.Scene, armature: bpy.types.Object) -> KnownGraph | None:
    """Return the graph of the sources ticked now and the panel's options, or None; cheap enough for drawing."""
    known, settings = _known.get(armature.session_uid), properties.settings_of(scene)
    if known is None or known.visual != settings.result.visual:
        return None
    if not analysis.are_listed(lists.ticked_lines(properties.rig_of(scene, armature)), known.sources):
        return None
    asked = tuple(option_properties.values_of(settings.graph, GraphOptions).items())
    return known if known.options == asked else None


def keep(context: bpy.types.Context, inputs: "Inputs", graph: "MotionGraph") -> KnownGraph | None:
    """Store a graph and paint it; returns None if its armature was deleted."""
    from ...bitmaps import graph_bitmap

    read, recipe = inputs.read, inputs.recipe
    armature = properties.of_session(bpy.data.objects, read.armature)
    if armature is None:
        return None
    sources = tuple(recipe.prepared_of(inputs.request.sources))
    lanes = [clip.name for clip in graph.clips[: graph.inputs.given]]
    colors = analysis.colors(properties.rig_of(scene_of(context), armature), lanes)
    asked = tuple((name, getattr(recipe, name)) for name in declared_options(GraphOptions))
    before = _known.get(read.armature)
    if before is not None and before.graph is graph and before.colors == colors:
        icon = before.icon  # the same graph again: painting is the slowest step here
    else:
        icon = images.preview(f"{read.armature} graph", graph_bitmap.small(graph, colors))
    known = KnownGraph(sources, inputs.request.reading.visual, asked, graph, _lines(graph), colors, icon)
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
        lines[0] += f", without {names}"
    return tuple(lines)
