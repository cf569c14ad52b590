"""What following a path hands back."""

from dataclasses import dataclass

from ...graph.beam import BestWalk
from ...graph.edge_table import EdgeTable
from ...graph.ground_path import GroundPath
from ...graph.walk_result import WalkResult
from ...motion.clip import Clip
from ...motion.quat import Array
from . import Follow
from .upper_body_overlay import Stretch


@dataclass(frozen=True, eq=False)
class Search:
    """What was searched for a walk along a path, and found; path : in units of the table of steps."""

    steps: EdgeTable
    path: GroundPath
    found: BestWalk


@dataclass(frozen=True, eq=False)
class FollowResult(WalkResult):
    """A walk along a path; gone (F,) : metres of the path up to each frame.

    recipe : what was asked for; search : None for a route that was given; stretches : what was read of them
    plain : the walk before actions were put on it
    """

    path: GroundPath
    gone: Array
    recipe: Follow
    search: Search | None
    stretches: tuple[Stretch, ...]
    plain: Clip
