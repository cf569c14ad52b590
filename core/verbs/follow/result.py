"""The result of following a path."""

from dataclasses import dataclass

from ...graph.beam import BestWalk
from ...graph.edge_table import EdgeTable
from ...graph.ground_path import GroundPath
from ...graph.walk_result import GraphResult
from ...motion.clip import Clip
from ...motion.quat import Array
from . import Follow
from .ending import Ended
from .upper_body_overlay import Stretch


@dataclass(frozen=True, eq=False)
class Search:
    """The search for a walk along a path: the table of edges, the path in its units, and the best walk."""

    steps: EdgeTable
    path: GroundPath
    found: BestWalk


@dataclass(frozen=True, eq=False)
class FollowResult(GraphResult):
    """A walk along a path; gone (F,) : metres of the path up to each frame.

    search : None if the recipe gives a route; stretches : of the recipe, with their actions
    plain : the walk with its ending, before actions were overlaid; ended : how it ends, None in mid-step
    """

    path: GroundPath
    gone: Array
    recipe: Follow
    search: Search | None
    stretches: tuple[Stretch, ...]
    plain: Clip
    ended: Ended | None = None

    @property
    def walked_frames(self) -> int:
        """The number of frames that are the walk alone."""
        return len(self.clip) if self.ended is None else self.ended.left
