"""Weave the partner of blended strides: it plays the frames of each stride with its weight."""

from collections.abc import Sequence

import numpy as np

from ...motion.clip import Clip
from ...weave.results import Result
from .. import partner
from ..source_frames import Shown
from . import Ask
from .work import AskResult


def weave_pair(
    recipe: Ask, clips: Sequence[Clip], partners: Sequence[Clip], made: AskResult, shown: Sequence[Shown], adapts: str
) -> Result:
    """Return blended strides and the partner's; arguments as `partner.weave_partner`.

    shown : only checked, because it has one stride of each clip at a time; the partner plays all blended strides
    """
    partner.check_partners(recipe, clips, partners, shown)
    return partner.weave_partner(recipe, clips, partners, made, list_strides(made), adapts)


def list_strides(made: AskResult) -> list[Shown]:
    """Return the stretches in which each blended stride has a weight, with the frames of its clip.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs.ask import partner
        >>> recipe = verbs.Ask(speed=1.0, basis="clips", mirror=False)
        >>> made = verbs.apply(recipe, [actions.walk(cycles=1), actions.sneak(cycles=1)])
        >>> [(one.source, round(float(one.weights[0]), 2)) for one in partner.list_strides(made)]
        [(0, 0.69), (1, 0.31)]
    """
    of, phases, weights, found = made.examples.material, made.phases, made.weights, list[Shown]()
    if len(weights) == 1:
        weights = np.repeat(weights, round(phases[-1]) + 1, axis=0)
    stride = np.minimum(phases.astype(int), len(weights) - 2)
    gone = phases - stride
    for example in np.flatnonzero(weights.any(axis=0)).tolist():
        own = weights[:, example]
        share = (1.0 - gone) * own[stride] + gone * own[stride + 1]
        source, (first, end) = int(of.of[example]), of.frames[example]
        frames = first + gone * (end - first)
        if of.frame_maps[source].cycle:
            frames = frames % of.frame_maps[source].cycle
        rows = np.flatnonzero(share > 0.0)
        played = slice(int(rows[0]), int(rows[-1]) + 1)
        frames = of.frame_maps[source].first + frames[played]
        found.append(Shown(source, played.start, frames, share[played], bool(of.images[example])))
    return found
