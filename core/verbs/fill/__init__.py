"""Fill gaps between keyed poses with stretches of other clips (methods: Fill)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import HIDDEN, RARE, declaration, option
from ...recipes.base import Recipe
from ...recipes.fill import FillOptions


@declaration
class Fill(Recipe, FillOptions):
    """Keep the keyed poses of the first clip, and fill what lies between them with stretches of the others."""

    verb = "fill"
    label = "Fill"
    tooltip = "Fill between the keyed poses of the armature's action with motion of the ticked ones"
    mode = "Fill"
    intent = "Chain"
    others = "the clips that gaps are filled from"
    takes_partners = True
    summary = "fill between keyed poses with motion of others: fill BLOCKING --key-frames '0 24 61' --from TAKES"

    key_frames: tuple[tuple[float, ...], ...] = option(
        (),
        "Frames of the keyed poses, from 0",
        bounds=(0.0, 1e9),
        table=True,
        shown=HIDDEN,  # the action provides them
    )
    gaps: tuple[tuple[float, ...], ...] = option(
        (),
        "What is set for single gaps: rows of the keyed frame before it, which stretch fills it (from 0, -1: the best"
        " for all gaps together), and its share (0 to 1, -1: by likeness)",
        bounds=(-1.0, 1e9),
        table=True,
        shown=HIDDEN,  # the interface lists them in rows
    )
    locked: str = option(
        "",
        "Stretches that are set for single gaps: the keyed frame before it, then clip, first and last frame, 1 if"
        " mirrored, and share of the gap, of each stretch; gaps apart by ;",
        shown=HIDDEN,
    )
    share: float = option(
        -1.0,
        "How much of the found motion is mixed with interpolation: 0 is none, 1 all",
        bounds=(-1.0, 1.0),
        below="by likeness",
        zero="interpolated",
    )
    suggest_timing: bool = option(
        False, "Say to which frames the poses would move for the found stretches to play at their own pace"
    )
    complete_poses: bool = option(
        False, "Find the rest of each keyed pose, too: only hips and the places of hands and feet count", shown=RARE
    )
    plant_feet: bool = option(True, "Keep standing feet in place")

    def prepared_of(self, clips: Sequence[Any]) -> list[Any]:
        """Return the clips that gaps are filled from, without the first one, which has the keyed poses."""
        return list(clips[1:])

    def result_name(self, names: Sequence[str]) -> str:
        return f"{names[0]} filled" if names else "filled"

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a report as lines: one per gap, and the timing."""
        own = report["fill"]
        lines = [f"  {gap['first']} to {gap['last']}: {gap['text']}" for gap in own["gaps"]]
        return [*lines, *([f"  timing: {timing_said(own['keys'], own['timing'])}"] if own["timing"] else [])]


def timing_said(keys: Sequence[int], timing: Sequence[int]) -> str:
    """Return a sentence on where keyed poses would move.

    Example:
        >>> from action_loom.core.verbs import fill
        >>> fill.timing_said([0, 24, 61], [0, 20, 61]), fill.timing_said([0, 24], [0, 24])
        ('24 → 20 (-4)', 'no pose would move')
    """
    moved = [f"{key} → {to} ({to - key:+d})" for key, to in zip(keys, timing, strict=True) if key != to]
    return ", ".join(moved) or "no pose would move"
