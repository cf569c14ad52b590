"""Clips that walk on the spot, given travel where they are woven with others that go somewhere.

Method: Travel from the feet.
"""

from collections.abc import Sequence
from dataclasses import replace

from ..check import foot_travel
from ..motion.clip import Clip
from ..recipes.travel import TravelOptions
from . import root_trajectory

TRAVELS = 0.3  # body heights a second; a clip that goes faster on the mean travels


def travelling(clips: Sequence[Clip], options: TravelOptions, *, needed: bool = False) -> tuple[list[Clip], list[str]]:
    """Return clips of which those that walk on the spot travel as their feet say, and a sentence about each of these.

    Only where another clip travels, or where travel is `needed`. A way that was taken off is given back as it was. What
    walks nowhere, or whose feet are not known, stays as it is. Raises SkeletonError for bodies that can't be placed.
    """
    going = [travels(clip) for clip in clips]
    sentences: list[str] = []
    if options.add_root_motion == "auto" and (needed or any(going)):
        clips = [clip if goes else _given(clip, sentences) for clip, goes in zip(clips, going, strict=True)]
    if not all(root_trajectory.stored(clip) for clip in clips):
        # A way that only some keep would be taken for that of all.
        clips = [root_trajectory.without_stored(clip) for clip in clips]
    return list(clips), sentences


def travels(clip: Clip) -> bool:
    """Say whether a clip goes somewhere by itself."""
    return foot_travel.body_speed(clip) >= TRAVELS * clip.skeleton.height


def walks_on_the_spot(clip: Clip) -> bool:
    """Say whether a clip does not travel though its feet say so."""
    found = None if travels(clip) else foot_travel.measure(clip)
    return found is not None and found.in_place


def note(clip: Clip) -> str:
    """Return what is to be said beside a clip that walks on the spot, in one line; "" for any other."""
    found = None if travels(clip) else foot_travel.measure(clip)
    return "; ".join(foot_travel.notes(clip.name, found))


def _given(clip: Clip, sentences: list[str]) -> Clip:
    way, found = root_trajectory.stored(clip), foot_travel.measure(clip)
    if way is None and (found is None or not found.in_place):
        return clip
    if way is not None:
        sentences.append(f"{clip.name} was given back the travel that was taken off it")
        return root_trajectory.added(clip, way)
    assert found is not None
    asked, label = root_trajectory.from_feet(found, clip)
    sentences.append(f"{clip.name} walks on the spot: it was given {found.speed:.2f} m/s by its feet ({label})")
    sentences += found.doubts(clip.name)
    return replace(root_trajectory.added_smoothly(clip, found, asked), cyclic=clip.cyclic)
