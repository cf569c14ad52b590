"""The call of a verb, and comparisons of clips."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import right_measures as see
from action_loom.core import verbs
from action_loom.core.motion import kinematics
from action_loom.core.motion.clip import Clip
from right_invariants import Wrong

SAME = 1e-6  # of the height
Check = Callable[[Any], Wrong | None]


@dataclass(frozen=True)
class Call:
    """A recipe on clips, and a check of its result besides the general invariants.

    free : whether the verb moves feet and hands by design; sources : the clips to compare the result with, if not
    `clips`
    """

    options: dict[str, Any]
    clips: Sequence[Clip]
    check: Check = lambda _: None
    free: bool = False
    sources: Sequence[Clip] | None = None


def made(verb: str, clips: Sequence[Clip], **options: Any) -> Any:
    return verbs.apply(verbs.VERBS[verb].recipe(**options), clips)


def unless_closed(result: Any, wrong: Wrong | None) -> Wrong | None:
    """Return the fault, unless a note reports that a cycle got its last key, which adds a frame."""
    return None if any("key" in note or "meet" in note for note in result.report["notes"]) else wrong


def same(name: str, one: Clip, other: Clip, within: float = SAME, unit: str = "mm") -> Wrong | None:
    """Return a fault if two clips differ; within : body heights."""
    off = see.apart(kinematics.world(one)[1], kinematics.world(other)[1]) / other.skeleton.height
    if off <= within:
        return None
    lengths = f" ({len(one)} frames, not {len(other)})" if len(one) != len(other) else ""
    return Wrong(name, off, off / within, f"{1000.0 * off * see.TALL:.3g} {unit} off{lengths}")


def hinge(clip: Clip, role: str) -> int:
    return clip.skeleton.roles.get(role, len(clip.skeleton) - 1)


def middle(clip: Clip, rng: np.random.Generator) -> int:
    return int(len(clip) * rng.uniform(0.35, 0.65))


def seen(clip: Clip) -> see.Seen:
    return see.Seen(kinematics.world(clip)[1], clip.rate, clip.skeleton.roles, clip.skeleton.height)
