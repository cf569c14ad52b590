"""Sort the verbs for the tab: modes of six intents, and tools for one action."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ...core.recipes.base import Recipe
from ...core.verbs import OF_ONE_BODY, VERBS

RECIPES = tuple(row.recipe for row in OF_ONE_BODY.values())
MODES = tuple(recipe for recipe in RECIPES if recipe.mode)
EDITS = tuple(recipe for recipe in RECIPES if recipe.of_action)

Choices = list[tuple[str, str, str, str, int]]


class Intent(NamedTuple):
    """A purpose for the ticked actions; `modes_of` returns its modes."""

    label: str
    tooltip: str


INTENTS = (
    Intent(label="Mix", tooltip="Make one action out of several that play at once"),
    Intent(label="Chain", tooltip="Play actions or poses one after the other, in the order of the list"),
    Intent(label="Loop", tooltip="Make cycles that repeat"),
    Intent(label="Path", tooltip="Let the character walk along a curve"),
    Intent(label="Vary", tooltip="Do the same action in another way"),
    Intent(label="Take", tooltip="Cut a long recording into a set of loops, starts, stops and turns"),
)
# The tools for one action with their icons, in groups; planting has a panel of its own.
TOOL_GROUPS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("Clean", {"filter": "SMOOTHCURVE", "fewer_keys": "KEYFRAME", "bake": "REC"}),
    (
        "Edit",
        {
            "mirror": "MOD_MIRROR",
            "warp": "POSE_HLT",
            "move_events": "TIME",
            "reach": "CON_KINEMATIC",
            "weight": "FORCE_FORCE",
        },
    ),
    (
        "Travel",
        {"place": "OBJECT_ORIGIN", "root": "BONE_DATA", "travel": "FORWARD", "in_place": "CENTER_ONLY"},
    ),
)
ICONS = {verb: icon for _, tools in TOOL_GROUPS for verb, icon in tools.items()}
# Files store the number of a choice; these numbers were used by earlier versions.
_MODE_NUMBERS = ["blend", "connect", "loop", "splice", "follow", "travel", "in_place", "restyle", "ask", "key_poses"]
_EDIT_NUMBERS = ["mirror", "warp", "fewer_keys", "move_events", "reach", "filter", "place", "root", "bake", "plant"]


def added_verbs(*, of_action: bool) -> tuple[str, ...]:
    """Return the verbs that other add-ons have added: the tools for one action, or all others."""
    added = (row for verb, row in VERBS.items() if verb not in VERBS.built_in and not row.several_bodies)
    return tuple(row.recipe.verb for row in added if row.recipe.of_action == of_action)


def modes_of(intent: str) -> tuple[type[Recipe], ...]:
    """Return the recipes of an intent's modes; the first one is chosen with it, and works for one short cycle."""
    known = [*_MODE_NUMBERS, *(recipe.verb for recipe in MODES)]
    return tuple(sorted((one for one in MODES if one.intent == intent), key=lambda one: known.index(one.verb)))


def number_of(recipe: type[Recipe]) -> int:
    """Return the index of a mode's intent."""
    return next((k for k, one in enumerate(INTENTS) if one.label == recipe.intent), 0)


def mode_choices() -> Choices:
    """Return the modes as choices of an enum."""
    return _number_choices(((recipe.verb, recipe.mode, recipe.tooltip) for recipe in MODES), _MODE_NUMBERS)


def edit_choices() -> Choices:
    """Return the verbs that change one action as choices of an enum."""
    return _number_choices(((recipe.verb, recipe.label, recipe.tooltip) for recipe in EDITS), _EDIT_NUMBERS)


def _number_choices(rows: Iterable[tuple[str, str, str]], numbers: list[str]) -> Choices:
    """Return choices with the numbers stored in files; new choices get the next numbers."""
    listed = list(rows)
    known = numbers + [name for name, *_ in listed if name not in numbers]
    return [(name, label, tooltip, ICONS.get(name, "NONE"), known.index(name)) for name, label, tooltip in listed]
