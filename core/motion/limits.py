"""Limit the size of clips, so that a wrong frame rate or number does not exhaust memory before it is noticed."""

import math

from ..errors import ClipError

MOST_POSES = 10_000_000  # joints times frames; at this size a graph walk takes 2.7 GB, a blend of two 4.7
MOST_TIMES = 32  # frame count ratio, such as from 30 to 960 a second, for clips that are not small
SMALL = 2_000_000  # joints times frames; below it any rate is accepted
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
    """Raise ClipError for frame numbers that are not finite, or for more frames than can be read at once.

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
    """Raise ClipError for a resampling that would give a clip far more frames.

    frames : number after resampling; before : current number; rate : current frames per second
    """
    if frames > MOST_TIMES * before and frames * joints > SMALL:
        milliseconds = f"; {1000.0 * rate:.4g} frames a second, if that is meant in milliseconds" if rate < 10.0 else ""
        raise ClipError(
            f"{name}: a frame takes {1.0 / rate:g} s in it, so at the rate of the other clips its {before:,} frames "
            f"would be {frames:,}. Correct its frame time{milliseconds}"
        )
    check_size(name, frames, joints)
