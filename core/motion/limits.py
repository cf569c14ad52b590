"""What a clip may grow to: a wrong frame rate or a wrong number must not take all memory before it is noticed."""

import math

from ..errors import ClipError

MOST_POSES = 10_000_000  # joints times frames: a walk through a graph takes 2.7 GB at most then, a blend of two 4.7
MOST_TIMES = 32  # frames for each one there was, from 30 to 960 a second, of what is not small anyway
SMALL = 2_000_000  # joints times frames
# What is read from Blender at once, which waits for it: about half a minute, of a light figure.
MOST_READ = 10_000_000  # joints times frames, as keyed
MOST_SEEN = 30_000  # frames, as Blender shows them: half a minute in which its window can hear nothing


def check_size(name: str, frames: int, joints: int) -> None:
    """Raise ClipError for a clip of more poses than can be worked with."""
    if frames * joints > MOST_POSES:
        raise ClipError(
            f"{name} would have {frames:,} frames of {joints} joints, more than fit in memory; make it "
            f"{frames * joints / MOST_POSES:.1f} times shorter, or its rate lower"
        )


def check_reading(name: str, first: float, last: float, joints: int, *, visual: bool) -> None:
    """Raise ClipError for frames of an action that are none, or more than can be read at once."""
    if not (math.isfinite(first) and math.isfinite(last)):
        raise ClipError(f"{name}: its frames {first:g} to {last:g} are none; mend its keys or its frame range")
    most = min(MOST_READ // joints, MOST_SEEN if visual else MOST_READ)
    if last - first >= most:
        raise ClipError(
            f"{name}: its frames {first:,.0f} to {last:,.0f} are more than the {most:,} that can be read at once of "
            f"{joints} joints; correct its frame range, or take a part of it"
        )


def check_rate(name: str, frames: int, joints: int, before: int, rate: float) -> None:
    """Raise ClipError for a clip of a rate (frames per second) that asks for far more frames than it has.

    frames : as many as it would get; before : as many as it has
    """
    if frames > MOST_TIMES * before and frames * joints > SMALL:
        milliseconds = f"; {1000.0 * rate:.4g} frames a second, if that is meant in milliseconds" if rate < 10.0 else ""
        raise ClipError(
            f"{name}: a frame takes {1.0 / rate:g} s in it, so at the rate of the other clips its {before:,} frames "
            f"would be {frames:,}. Correct its frame time{milliseconds}"
        )
    check_size(name, frames, joints)
