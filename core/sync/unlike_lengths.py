"""Reject clips whose lengths alone make matching impossible, before comparing them."""

from ..errors import RegistrationError
from ..motion.clip import Clip
from ..recipes.matching import MOST_SLOPE, Matching
from .distance import thinning
from .dtw import needed_limit
from .register_pair import RAISED_LIMIT


def refuse_lengths(reference: Clip, clip: Clip, matching: Matching, *, cyclic: bool) -> None:
    """Raise RegistrationError if no path can join clips from end to end, or half of each with open ends.

    cyclic : whether they are matched periodically
    """
    limit = matching.slope or RAISED_LIMIT
    shorter, longer = sorted(_count_compared_frames(len(reference), len(clip), cyclic=cyclic))
    if limit < 0 or shorter < 2:  # fewer frames are not compared
        return
    halves, whole = -(-longer // 2), cyclic or matching.ends == "pinned"
    stretch_is_possible = halves <= limit * shorter
    if longer <= limit * shorter or (stretch_is_possible and not whole):
        return
    needed = needed_limit(longer if whole else halves, shorter)
    advice = "open the ends" if stretch_is_possible else "cut the longer one"
    both = f"{reference.name} ({len(reference):,} frames) and {clip.name} ({len(clip):,}) can't be matched"
    if needed > MOST_SLOPE:
        raise RegistrationError(f"{both} with a slope limit of {limit}: {advice}")
    raise RegistrationError(f"{both} with a slope limit of {limit}: {advice}, or set the limit to {needed}")


def _count_compared_frames(one: int, other: int, *, cyclic: bool) -> tuple[int, int]:
    """Return how many frames of each clip are compared: long clips are decimated, a cycle omits its last frame."""
    if cyclic:
        return one - 1, other - 1
    every = thinning(one, other)
    return -(-one // every), -(-other // every)
