"""Reaching: inverse kinematics of a limb to a target (methods: Key poses and reaching)."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...options import FRAME, RARE, Choice, declaration, declared_options, option
from ...recipes.base import Recipe


@declaration
class Reach(Recipe):
    """Let a hand, a foot or the end of any chain reach a target, at a frame or over a span."""

    verb = "reach"
    label = "Reach"
    tooltip = "Move a hand or foot to a target, such as a handle or a step"
    least = most = 1
    of_action = True
    summary = "let a hand, a foot or the end of a chain reach a place at some frames"

    limb: str = option(
        "right_arm",
        "What reaches",
        choices=(
            Choice("left_arm"),
            Choice("right_arm"),
            Choice("left_leg"),
            Choice("right_leg"),
            Choice("head"),
            Choice("chain", "", "Any joints above each other"),
        ),
    )
    chain: str = option(
        "",
        "The first joint to turn and the joint to lead, such as shoulder > hand",
        only_for=("limb", ("chain",)),
    )
    target: tuple[tuple[float, ...], ...] = option(
        (),
        "The place in metres: x y z, or rows of a frame (from 0) and x y z if it moves",
        bounds=(-1e6, 1e6),
        table=True,
        from_file=True,
    )
    from_frame: int = option(0, "First frame at the target, from 0", minimum=0, pick=FRAME)
    to_frame: int = option(-1, "Last frame at the target", minimum=-1, pick=FRAME, zero="the first one alone")
    ease: float = option(
        0.3,
        "Time to get there and back",
        bounds=(0.0, 60.0),
        usual=(0.0, 2.0),
        unit=" s",
    )
    keep_turn: bool = option(True, "Keep the rotation of hand, foot or head")
    turn: tuple[tuple[float, ...], ...] = option(
        (),
        "How hand, foot or head turns there: degrees about x, y and z of the world, in that order",
        bounds=(-360.0, 360.0),
        table=True,
        only_for=("keep_turn", (True,)),
        shown=RARE,
    )
    between: str = option(
        "monotone",
        "How a moving target goes from row to row",
        choices=(
            Choice("linear", "", "At an even speed"),
            Choice("monotone", "", "Smoothly, never beyond its rows"),
        ),
        shown=RARE,
    )
    tip: tuple[tuple[float, ...], ...] = option(
        (),
        "The point to be there, x y z in metres along the axes of hand, foot or last joint; the joint itself if empty",
        bounds=(-1e3, 1e3),
        table=True,
        shown=RARE,
    )
    limits: tuple[tuple[float, ...], ...] = option(
        (),
        "How far joints turn: rows of joint (from 1) and its least and largest angles about x, y and z"
        " (degrees, matrix product in that order)",
        bounds=(-1e4, 1e4),
        table=True,
        from_file=True,
        shown=RARE,
    )

    def result_name(self, names: Sequence[str]) -> str:
        return f"{' + '.join(names)} reaching"

    def without_effect(self, report: Mapping[str, Any]) -> list[str]:
        """Return a sentence for each option without effect, from a result's report."""
        still = self.between != declared_options(type(self))["between"].default and len(self.target) < 2
        lost = ["between had no effect: the target does not move"] if still else []
        return [*super().without_effect(report), *lost]

    def figures(self, report: Mapping[str, Any]) -> list[str]:
        """Return the main figures of a result in a few lines, from its report."""
        own = report["reach"]
        first, last = own["span"]
        when = f"at frame {first}" if first == last else f"from frame {first} to {last}"
        turned = f", turned by {own['turned_degrees']:.0f}°" if self.turn else ""
        by = f"{own['moved_cm']:.1f} cm from where it was, at most; {own['changed_frames']} frames are changed"
        limb, off = own["limb"].replace("_", " "), own["off_mm"]
        return [f"  {limb} is led {when}{turned}, {by}; {off:.2g} mm off its target at most"]
