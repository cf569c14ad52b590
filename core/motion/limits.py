"""What a clip may grow to: a wrong frame rate or a wrong number must not take all memory before it is noticed."""

from ..errors import ClipError

MOST_POSES = 10_000_000  # joints times frames: a walk through a graph takes 2.7 GB at most then, a blend of two 4.7
MOST_TIMES = 32  # frames for each one there was, from 30 to 960 a second, of what is not small anyway
SMALL = 2_000_000  # joints times frames


def check_size(name: str, frames: int, joints: int) -> None:
    """Raise ClipError for a clip of more poses than can be worked with."""
    if frames * joints > MOST_POSES:
        raise ClipError(
            f"{name} would have {frames:,} frames of {joints} joints, more than fit in memory; make it "
            f"{frames * joints / MOST_POSES:.1f} times shorter, or its rate lower"
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
