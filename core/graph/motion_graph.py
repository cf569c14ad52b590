"""A motion graph: frames of clips as nodes, clips and blended transitions as edges (methods: Motion graph).

A match of frame i of clip A with frame j of clip B is an edge from (A, i − h) to (B, j + h), 2h frames long, and one
from (B, j − h) to (A, i + h). The nodes of a clip are chained by stretches of that clip, so that a transition never
starts inside another.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import no_label
from ..motion.clip import Clip
from ..motion.quat import Array
from .ground_tracks import GroundTracks, ground_tracks_of
from .inputs import GraphInputs

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MotionGraph:
    """N nodes and E edges over the frames of clips.

    half : h
    clip, frame (N,) : of the nodes, sorted by clip and frame
    start, end (E,) : nodes of the edges
    distance (E,) : metres, of a point; NaN for stretches of clips
    turn, shift (E,) : the ground motion that aligns the clip of the end with the clip of the start, as in
        `sync.transitions.Transition`; shift as x + iy
    component (N,) : strongly connected component of each node, the largest first
    follows : "hips" or "mass", the point that defines the root path
    """

    name: str
    inputs: GraphInputs
    half: int
    clip: Indices
    frame: Indices
    start: Indices
    end: Indices
    distance: Array
    turn: Array
    shift: NDArray[np.complex128]
    component: Indices
    report: dict[str, Any]
    follows: str = "hips"

    @property
    def clips(self) -> tuple[Clip, ...]:
        return self.inputs.clips

    @property
    def rate(self) -> float:
        return self.clips[0].rate

    @cached_property
    def tracks(self) -> GroundTracks:
        """The ground tracks of the clips."""
        climbed = [self.inputs.ground_of(k) for k in range(len(self.clips))]
        return ground_tracks_of(self.clips, climbed, self.follows)

    @property
    def crosses(self) -> NDArray[np.bool_]:
        """Flags (E,) of the edges that are transitions."""
        return ~np.isnan(self.distance)

    @cached_property
    def leaving(self) -> tuple[Indices, Indices]:
        """The edges sorted by their first nodes (E,), and the place of each node's first edge there (N + 1,)."""
        order = np.argsort(self.start, kind="stable")
        return order, np.searchsorted(self.start[order], np.arange(len(self.clip) + 1))

    @cached_property
    def lengths(self) -> Indices:
        """Duration (E,) of each edge in frames."""
        along = self.frame[self.end] - self.frame[self.start]
        return np.where(self.crosses, 2 * self.half, along)

    def largest(self, label: str = "") -> int:
        """Return the largest component, or the largest of clips with a label; raises OptionError if there is none."""
        return int(self._walkable(label)[0]) if label else 0

    def farthest(self, label: str = "") -> int:
        """Return the component whose clips travel farthest, optionally of clips with a label.

        The largest component often holds clips that stand. Raises OptionError as `largest` does.
        """
        walkable = self._walkable(label)
        inside = ~self.crosses & (self.component[self.start] == self.component[self.end])
        steps = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(self.tracks.ground)))])
        places = self.tracks.firsts[self.clip] + self.frame
        metres = steps[places[self.end[inside]]] - steps[places[self.start[inside]]]
        gone = np.bincount(self.component[self.start[inside]], metres, minlength=int(self.component.max()) + 1)
        return int(walkable[np.argmax(np.round(gone[walkable], 6))])

    def _walkable(self, label: str) -> Indices:
        """Return the components with transitions, optionally of clips with a label, the largest first."""
        inside = self.crosses & (self.component[self.start] == self.component[self.end])
        if label:
            inside &= np.array(self.inputs.labels)[self.clip[self.start]] == label
        walkable = np.unique(self.component[self.start[inside]])
        if len(walkable) == 0:
            raise no_label(label, self.inputs.labels)
        return walkable

    def given_frame(self, clip: int, frame: int) -> int:
        """Return a frame of a prepared clip as a frame of the given clip."""
        return self.inputs.frame_maps[clip].given_frame(frame)


def frames_in(graph: MotionGraph) -> Indices:
    """Return the number of clip frames (C,) in each component."""
    count = int(graph.component.max(initial=-1)) + 1
    inside = ~graph.crosses & (graph.component[graph.start] == graph.component[graph.end])
    return np.bincount(
        graph.component[graph.start[inside]], graph.lengths[inside].astype(float), minlength=count
    ).astype(np.int64)


def distinct(*columns: Indices) -> tuple[Indices, Indices]:
    """Return the index of the first occurrence of each distinct row of columns (N,), sorted, and the inverse (N,).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.graph import motion_graph
        >>> first, number = motion_graph.distinct(np.array([2, 1, 2]), np.array([0, 5, 0]))
        >>> first.tolist(), number.tolist()
        ([1, 0], [1, 0, 1])
    """
    order = np.lexsort(columns[::-1])
    new = np.arange(len(order)) == 0
    for column in columns:
        new[1:] |= np.diff(column[order]) != 0
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return order[new], number
