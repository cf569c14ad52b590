"""Weave the partner of a drive, which may drive the upper body only."""

from collections.abc import Sequence

from ...motion.clip import Clip
from ...weave.results import Result
from .. import partner
from ..source_frames import Shown
from ..splice import Splice
from ..splice.partner import overlay_partner
from . import Drive, over
from .work import DriveResult


def weave_pair(
    recipe: Drive,
    clips: Sequence[Clip],
    partners: Sequence[Clip],
    made: DriveResult,
    shown: Sequence[Shown],
    adapts: str,
) -> Result:
    """Return a drive and its partner's; arguments as `partner.weave_partner`."""
    if not made.over:
        return partner.weave_partner(recipe, clips, partners, made, shown, adapts)
    last = max((one.first + len(one.frames) for one in shown if one.source), default=0)
    strength = over.fade_back(len(made.clip), last, made.clip.rate)

    def overlay(legs: Clip, arms: Clip) -> Clip:
        return overlay_partner(legs, arms, Splice(), strength)

    return partner.weave_partner(recipe, clips, partners, made, shown, adapts, overlay)
