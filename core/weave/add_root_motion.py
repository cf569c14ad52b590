"""Add root motion to in-place clips that are woven with travelling clips.

Method: Travel from the feet.
"""

from collections.abc import Sequence
from dataclasses import replace

from ..motion.clip import Clip
from ..quality import foot_travel
from ..recipes.travel import TravelOptions
from . import root_trajectory

TRAVELS = 0.3  # body heights a second, mean; a faster clip travels


def travelling(clips: Sequence[Clip], options: TravelOptions, *, needed: bool = False) -> tuple[list[Clip], list[str]]:
    """Return the clips with root motion added to in-place clips, and a sentence about each of these.

    It is added only if another clip travels, or if root motion is `needed`. A stored root trajectory is restored, and
    otherwise estimated from the feet. A clip that does not walk, or with unknown feet, is returned unchanged. Raises
    SkeletonError for bodies that can't be placed.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.travel import TravelOptions
        >>> from action_loom.core.weave import add_root_motion, root_trajectory
        >>> still, _ = root_trajectory.remove_trajectory(actions.walk())
        >>> clips, sentences = add_root_motion.travelling([actions.run(), still], TravelOptions())
        >>> [add_root_motion.travels(clip) for clip in (still, *clips)], len(sentences)
        ([False, True, True], 1)
    """
    going = [travels(clip) for clip in clips]
    sentences: list[str] = []
    if options.add_root_motion == "auto" and (needed or any(going)):
        clips = [clip if goes else _read_given(clip, sentences) for clip, goes in zip(clips, going, strict=True)]
    if not all(root_trajectory.read_stored_trajectory(clip) for clip in clips):
        # A trajectory stored by only some of the clips would be mistaken for the trajectory of all.
        clips = [root_trajectory.without_stored(clip) for clip in clips]
    return list(clips), sentences


def travels(clip: Clip) -> bool:
    """Return whether a clip itself travels.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import add_root_motion
        >>> add_root_motion.travels(actions.walk()), add_root_motion.travels(actions.wave())
        (True, False)
    """
    return foot_travel.body_speed(clip) >= TRAVELS * clip.skeleton.height


def note(clip: Clip, *, doubtful: bool = False) -> str:
    """Return a one-line note on a clip that walks in place, or "".

    doubtful : whether to report only doubts about its speed, for a clip that gets root motion anyway

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weave import add_root_motion, root_trajectory
        >>> add_root_motion.note(root_trajectory.remove_trajectory(actions.walk())[0])
        'walk walks on the spot, by its feet at 1.30 m/s (0.8 H/s): use Add Root Motion to move it'
        >>> add_root_motion.note(actions.walk())
        ''
    """
    feet = None if travels(clip) else foot_travel.on_the_spot(clip)
    notes = foot_travel.notes(clip.name, feet)
    return "; ".join(notes[1:] if doubtful else notes)


def _read_given(clip: Clip, sentences: list[str]) -> Clip:
    trajectory, feet = root_trajectory.read_stored_trajectory(clip), foot_travel.measure(clip)
    if trajectory is None and (feet is None or not feet.in_place):
        return clip
    if trajectory is not None:
        sentences.append(f"{clip.name} got back the travel that was removed")
        return root_trajectory.add_trajectory(clip, trajectory)
    assert feet is not None
    measured, label = root_trajectory.from_feet(feet, clip)
    sentences.append(f"{clip.name} was given {feet.speed:.2f} m/s by its feet, as it walks on the spot ({label})")
    sentences += feet.doubts(clip.name)
    return replace(root_trajectory.added_smoothly(clip, feet, measured), cyclic=clip.cyclic)
