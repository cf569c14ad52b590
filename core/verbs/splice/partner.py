"""Weave the partner of a splice: the partner's upper body in the action, on the partner's legs in the locomotion."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...motion.clip import Clip
from ...motion.quat import Array
from ...weave.results import Result
from ...weave.splice import mask, torso
from .. import partner
from ..source_frames import Shown
from . import Splice, whole


def weave_pair(
    recipe: Splice, clips: Sequence[Clip], partners: Sequence[Clip], made: Result, shown: Sequence[Shown], adapts: str
) -> Result:
    """Return a splice and its partner's; arguments as `partner.weave_partner`."""
    strength = np.full(len(made.clip), recipe.strength)

    def overlay(legs: Clip, arms: Clip) -> Clip:
        return overlay_partner(legs, arms, recipe, strength)

    return partner.weave_partner(recipe, clips, partners, made, shown, adapts, overlay)


def overlay_partner(legs: Clip, arms: Clip, recipe: Any, strength: Array) -> Clip:
    """Return legs with the upper body of another clip of the same body, frame by frame, with a strength (F,).

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs import Splice
        >>> from action_loom.core.verbs.splice import partner
        >>> made = partner.overlay_partner(actions.walk(), actions.walk(), Splice(), np.ones(97))
        >>> bool(np.allclose(made.translations, actions.walk().translations))
        True
    """
    upper = mask.upper_body(legs.skeleton, recipe.upper)
    faced = torso.facing(legs), torso.facing(arms)
    rotations, _ = whole.upper_rotations(legs, arms, upper, faced, recipe)
    return whole.overlay(legs, arms, upper, rotations, strength)
