"""Clips brought onto one body before they are woven: joint for joint where they have the same, else part for part."""

from ..motion import retarget
from ..motion.clip import Clip
from . import carried, carry, rest_check
from .carried import Carried


def like(clip: Clip, reference: Clip) -> tuple[Clip, Carried | None]:
    """Return a clip on the body of another, and how it came there; None where both have the same joints.

    Bodies of the same joints keep the turns that these have in the world since rest (see `motion.retarget.onto`), all
    others the places of their parts (see `carry.onto_body`). Raises SkeletonError naming the joints that only one of
    the two has where either is not known to be a person's.
    """
    body = reference.skeleton
    same = set(clip.skeleton.names) == set(body.names)
    if same or not all(map(carried.is_a_persons, (clip.skeleton, body))):
        return retarget.onto(clip, body), None
    return carry.onto_body(clip, body, body_rest=rest_check.choose(reference))
