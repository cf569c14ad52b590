"""The motion graph of each armature's sources as it was built last, for the panel.

What is kept holds nothing of Blender's.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy

from ..core.options import declared
from ..core.recipes import Graphing
from . import analysis, pictures, properties

if TYPE_CHECKING:
    from ..core.graph.graph import Graph
    from . import painting, weaving

MOST = 4  # armatures


@dataclass(frozen=True, eq=False)
class Known:
    """A graph, of what and how it was built, what is said of it, and its picture (0 for none)."""

    sources: tuple[analysis.Reading, ...]
    as_seen: bool
    options: tuple[tuple[str, Any], ...]
    graph: "Graph"
    said: tuple[str, ...]
    colors: "list[painting.Color]"
    icon: int

    @property
    def short(self) -> str:
        """What a panel's header has room for."""
        return f"{100.0 * self.graph.report['graph']['component_share']:.0f} % in one piece"


# By the session id of the armature; the last built is the last.
_known: dict[int, Known] = {}


def of(scene: Any, armature: Any) -> Known | None:
    """Return the graph of what is ticked now, built as the panel asks for, or None; cheap enough for drawing."""
    known = _known.get(armature.session_uid)
    lines = properties.ticked(properties.rig_of(scene, armature))
    if known is None or (known.sources, known.as_seen) != (analysis.listed(lines), scene.action_loom.result.as_seen):
        return None
    group = scene.action_loom.graph
    asked = tuple((name, properties.rounded(getattr(group, name))) for name in declared(Graphing))
    return known if known.options == asked else None


def keep(
    context: Any, request: "weaving.Request", read: "weaving.Read", graphing: Graphing, graph: "Graph"
) -> Known | None:
    """Keep a graph, and paint it; None where its armature is gone."""
    from . import painting_graphs

    armature = properties.of_session(bpy.data.objects, read.armature)
    if armature is None:
        return None
    sources = analysis.requested(request)
    lanes = [clip.name for clip in graph.clips[: graph.material.given]]
    colors = analysis.colors(properties.rig_of(context.scene, armature), lanes)
    options = tuple((name, getattr(graphing, name)) for name in declared(Graphing))
    before = _known.pop(read.armature, None)
    if before is not None and before.graph is graph and before.colors == colors:
        icon = before.icon  # another walk through the same: painting it takes longer than all else here
    else:
        icon = pictures.preview(f"{read.armature} graph", painting_graphs.small(graph, colors))
    known = Known(sources, request.as_seen, options, graph, _said(graph), colors, icon)
    _known[read.armature] = known
    for uid in list(_known)[:-MOST]:
        del _known[uid]
    return known


def forget() -> None:
    _known.clear()


def _said(graph: "Graph") -> tuple[str, ...]:
    told = graph.report["graph"]
    outside = told["outside"]
    lines = [
        f"{told['frames']} frames, {told['transitions']} transitions",
        f"{100.0 * told['component_share']:.0f} % can be walked for ever",
    ]
    if outside:
        names = ", ".join(one["clip"] for one in outside[:3]) + (" …" if len(outside) > 3 else "")
        lines.append(f"without {names}")
    return tuple(lines)


def register() -> None:
    """No graph has been built yet."""


def unregister() -> None:
    forget()
