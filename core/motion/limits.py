"""How large a clip may grow: a wrong frame rate or a wrong number must not take all memory before it is noticed."""

import math

from ..errors import ClipError

MOST_POSES = 10_000_000  # joints times frames: with so many a walk through a graph takes 2.7 GB, a blend of two 4.7
MOST_TIMES = 32  # times as many frames as before, as from 30 to 960 a second, for clips that are not small
SMALL = 2_000_000  # joints times frames; below it any rate will do
MOST_READ = 10_000_000  # joints times frames, read from Blender at once


def check_size(name: str, frames: int, joints: int) -> None:
    """Raise ClipError for a clip of more than MOST_POSES poses of joints.

    Example:
        >>> from action_loom.core.motion import limits
        >>> limits.check_size("walk", 1_000, 24)
        >>> limits.check_size("walk", 1_000_000, 24)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        action_loom.core.errors.ClipError: walk would have 1,000,000 frames of 24 joints, more than fit in memory; ...
    """
    if frames * joints > MOST_POSES:
        raise ClipError(
            f"{name} would have {frames:,} frames of {joints} joints, more than fit in memory; make it "
            f"{frames * joints / MOST_POSES:.1f} times shorter, or its rate lower"
        )


def check_reading(name: str, first: float, last: float, joints: int) -> None:
    """Raise ClipError for frames of an action that are not numbers, or more than can be read at once.

    Example:
        >>> from action_loom.core.motion import limits
        >>> limits.check_reading("walk", 1.0, 98.0, 24)
        >>> limits.check_reading("walk", 1.0, float("inf"), 24)
        Traceback (most recent call last):
        action_loom.core.errors.ClipError: walk: its frames 1 to inf are none; mend its keys or its frame range
    """
    if not (math.isfinite(first) and math.isfinite(last)):
        raise ClipError(f"{name}: its frames {first:g} to {last:g} are none; mend its keys or its frame range")
    most = MOST_READ // joints
    if last - first >= most:
        raise ClipError(
            f"{name}: its frames {first:,.0f} to {last:,.0f} are more than the {most:,} that can be read at once of "
            f"{joints} joints; correct its frame range, or take a part of it"
        )


def check_rate(name: str, frames: int, joints: int, before: int, rate: float) -> None:
    """Raise ClipError for a clip whose rate (frames per second) would give it far more frames than it has.

    frames : the number it would get; before : the number it has
    """
    if frames > MOST_TIMES * before and frames * joints > SMALL:
        milliseconds = f"; {1000.0 * rate:.4g} frames a second, if that is meant in milliseconds" if rate < 10.0 else ""
        raise ClipError(
            f"{name}: a frame takes {1.0 / rate:g} s in it, so at the rate of the other clips its {before:,} frames "
            f"would be {frames:,}. Correct its frame time{milliseconds}"
        )
    check_size(name, frames, joints)
