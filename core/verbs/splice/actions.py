"""Actions to splice onto a locomotion: a single one unchanged, or several connected by a motion graph.

Method: Splicing upper body onto locomotion.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...bodies import alike
from ...bodies.carried import Carried
from ...errors import ClipError
from ...graph import build
from ...graph.action_walk import PlayedGraph
from ...graph.motion_graph import Indices, MotionGraph
from ...motion import joint_matching, resample, trim
from ...motion.clip import Clip
from ...motion.frame_map import FrameMap
from ...motion.quat import Array
from ...progress import SILENT, Progress
from ...weave.splice import points
from ...weave.splice.played import Played, PlayedClip
from ...weave.splice.points import SplicePlan
from ..build_graph import BuildGraph
from . import Splice, along
from .along import Spliced


@dataclass(frozen=True, eq=False)
class Actions:
    """One or more actions on the skeleton and at the rate of a locomotion, and how they are spliced.

    frame_maps : from their frames to the frames of the clips as given; graph : of all actions, None for a single one
    carried : reports on actions retargeted to the skeleton
    """

    clips: tuple[Clip, ...]
    frame_maps: tuple[FrameMap, ...]
    graph: MotionGraph | None
    carried: tuple[Carried, ...]
    recipe: Splice

    @property
    def name(self) -> str:
        return self.clips[0].name if self.graph is None else self.graph.name

    def new_player(self) -> Played:
        """Return the actions as a new player, without playing history."""
        if self.graph is not None:
            return PlayedGraph(self.graph)
        start = self.frame_maps[0].prepared_frame(self.recipe.start)
        return PlayedClip(self.clips[0], max(start, 0))

    def name_of(self, clip: int) -> str:
        """Return the name of a played clip by its number; mirror images are numbered after the given clips."""
        return self.clips[0].name if self.graph is None else self.graph.clips[clip].name

    def given_frames(self, places: Indices) -> Array:
        """Return the frames (K,) of the clips as given, for places (2, K): a clip and a frame of it."""
        found = np.empty(places.shape[1])
        for clip in np.unique(places[0]):
            own = places[0] == clip
            frames = places[1, own].astype(float)
            if self.graph is not None:
                frames = self.graph.inputs.frame_maps[clip].given(frames)
            found[own] = self.frame_maps[clip % len(self.clips)].given(frames)
        return found


def gather(actions: Sequence[Clip], like: Clip, recipe: Splice, progress: Progress = SILENT) -> Actions:
    """Return actions on the skeleton and at the rate of a clip, connected to a graph if `recipe` needs one.

    Several actions always need one, and one action with `action_graph`. Raises ClipError for single poses,
    SkeletonError for bodies that can't be retargeted (see `bodies.alike`) and GraphError for actions that do not
    connect.
    """
    fitted, maps, carried = [], [], []
    for action in actions:
        good = trim.if_wanted(action, recipe.trim)
        clip, how = alike.like(joint_matching.rename_joints(good.clip, like.skeleton), like)
        clip = resample.to_rate(clip, like.rate)
        if len(clip) < 2:
            raise ClipError(f"{action.name} is a single pose; what is spliced along a way has two frames or more")
        fitted.append(clip)
        maps.append(FrameMap(good.first, good.clip.rate / like.rate))
        carried += [how] if how is not None else []
    graph = None
    if len(fitted) > 1 or recipe.action_graph:
        options = BuildGraph(threshold=recipe.action_threshold, mirror=False, add_root_motion="no")
        graph = build.build(fitted, options, progress)
    return Actions(tuple(fitted), tuple(maps), graph, tuple(carried), recipe)


def overlay(
    locomotion: Clip, actions: Actions, first: int = 0, end: int | None = None
) -> tuple[Spliced, dict[str, Any]]:
    """Return a locomotion with actions spliced onto its frames `first` … `end` − 1, and the report on them."""
    recipe, played = actions.recipe, actions.new_player()
    planned = points.plan(
        locomotion, played, first=first, end=end, interval=recipe.splice_interval, threshold=recipe.splice_threshold
    )
    spliced = along.splice_along(locomotion, played, planned, recipe)
    return spliced, _report(actions, planned, spliced)


def _report(actions: Actions, planned: SplicePlan, spliced: Spliced) -> dict[str, Any]:
    entered = [piece for piece in planned.pieces if piece.level is not None]
    rows = []
    given = actions.given_frames(spliced.places)
    for piece, apart in zip(planned.pieces, spliced.apart, strict=True):
        rows.append(
            {
                "at": piece.first,
                "action": actions.name_of(piece.run.clip),
                "action_frame": round(float(given[piece.first - planned.first])),
                "level": piece.level,
                "distance": round(piece.distance, 4) if np.isfinite(piece.distance) else None,
                "legs_apart_in_time": None if apart is None else round(apart, 4),
            }
        )
    graph = actions.graph
    return {
        "splice_points": rows,
        "played": _list_played(actions, planned.first, spliced.places),
        "in_step": round(sum(p.end - p.first for p in entered) / (planned.end - planned.first), 4),
        "threshold": actions.recipe.splice_threshold,
        "least_distance": round(planned.least, 4) if np.isfinite(planned.least) else None,
        "graph": None if graph is None else {k: graph.report["graph"][k] for k in _OF_GRAPH},
        "warnings": _warnings(actions, planned, bool(entered)),
    }


def _list_played(actions: Actions, first: int, places: Indices) -> list[dict[str, Any]]:
    """Return each action's played frames, and from which result frame on; places (2, K) : a clip and its frame."""
    given, count, rows = actions.given_frames(places), len(actions.clips), []
    for part in np.split(np.arange(len(given)), np.flatnonzero(np.diff(places[0])) + 1):
        clip = int(places[0, part[0]])
        about = {"at": first + int(part[0]), "number": clip % count, "mirrored": clip >= count}
        rows.append(about | {"frames": given[part].round(3).tolist()})
    return rows


_OF_GRAPH = ("frames", "transitions", "component_share")


def _warnings(actions: Actions, planned: SplicePlan, entered: bool) -> list[str]:
    notes = [] if actions.graph is None else list(actions.graph.inputs.sentences)
    notes += [sentence for carried in actions.carried for sentence in carried.sentences]
    if not entered and np.isfinite(planned.least):
        notes.append(
            f"No frame of {actions.name} is near enough to be a splice point: the nearest is {planned.least:.3f} m off,"
            f" {actions.recipe.splice_threshold:g} m are allowed; it is played at its own speed"
        )
    return notes
