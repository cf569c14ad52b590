"""Register clips: for every frame of a reference, find the corresponding frame of each (methods: Time registration)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import RegistrationError
from ..motion.clip import Clip
from ..progress import SILENT, Progress
from ..recipes.matching import Matching
from ..recipes.metrics import row_of
from . import register_cycles, ties
from . import register_pair as open_clips
from .posed_clip import PosedClip
from .registration_curve import Registration, RegistrationCurve
from .unlike_lengths import refuse_lengths


def register(clips: Sequence[Clip], reference: int, matching: Matching, progress: Progress = SILENT) -> Registration:
    """Return the registration of clips of one skeleton and rate against the reference, given by its index.

    Raises RegistrationError if they can't be matched under the limits of `matching`, or have no stretch in common.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.matching import Matching
        >>> from action_loom.core.sync import registration
        >>> slow, fast = actions.walk(cycles=1, speed=1.0), actions.walk(cycles=1, speed=1.3)
        >>> found = registration.register([slow, fast], 0, Matching())
        >>> found.frames(np.array([0.0, 24.0, 41.0])).round().astype(int).tolist()  # of 42 and 33 frames
        [[0, 24, 41], [0, 19, 32]]
    """
    round_the_circle = _all_cycles(clips, matching)
    for clip in clips:
        refuse_lengths(clips[reference], clip, matching, cyclic=round_the_circle)
    body = PosedClip(clips[reference])
    curves = []
    for k, clip in enumerate(clips):
        part = progress.part(k / len(clips), (k + 1) / len(clips))
        part.at(0.0, f"Synchronising {clip.name}")
        if k == reference:
            curves.append(register_cycles.identity(clip) if round_the_circle else identity(clip))
        else:
            curves.append(register_pair(body, clip, matching, part, cyclic=round_the_circle))
    registration = Registration(reference, tuple(curves))
    if registration.last - registration.first < 1:
        raise RegistrationError("The clips have no stretch in common; leave one out, or choose pinned ends")
    return registration


def _all_cycles(clips: Sequence[Clip], matching: Matching) -> bool:
    """Return whether to register as cycles: if requested, or with ends "auto" if all clips are cycles.

    Raises RegistrationError if requested for a clip that is not a cycle.
    """
    if matching.ends == "cyclic":
        for clip in clips:
            register_cycles.refuse_unclosed(clip)
        return True
    return matching.ends == "auto" and all(clip.cyclic for clip in clips)


def identity(clip: Clip) -> RegistrationCurve:
    """Return the curve of a clip against itself."""
    frames = np.arange(len(clip))
    return RegistrationCurve(
        0, frames.astype(float), "none", "pinned", 0.0, 1, 0.0, np.stack([frames, frames], axis=1), None
    )


def choose_reference(clips: Sequence[Clip], matching: Matching, progress: Progress = SILENT) -> int:
    """Return the index of the reference named by `matching`: a number from 1, the longest clip, or the medoid.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.matching import Matching
        >>> from action_loom.core.sync import registration
        >>> clips = [actions.run(), actions.walk(), actions.sneak()]
        >>> [registration.choose_reference(clips, Matching(reference=name)) for name in ("2", "longest")]
        [1, 2]
    """
    index = matching.reference_index(len(clips))
    if index is not None:
        return index
    if matching.reference == "longest":
        return int(np.argmax([clip.seconds for clip in clips]))
    return _medoid(clips, matching, progress)


def _medoid(clips: Sequence[Clip], matching: Matching, progress: Progress) -> int:
    """Return the index of the clip with the least total cost to all others."""
    # Costs of different metrics can't be added, so "auto" is resolved to one metric for all pairs.
    matching = replace(matching, metric=row_of(matching.metric).name)
    cost = np.zeros(len(clips))
    pairs = [(i, j) for i in range(len(clips)) for j in range(i)]
    for i, j in pairs:
        refuse_lengths(clips[i], clips[j], matching, cyclic=_all_cycles([clips[i], clips[j]], matching))
    bodies = [PosedClip(clip) for clip in clips]
    for k, (i, j) in enumerate(pairs):
        part = progress.part(k / len(pairs), (k + 1) / len(pairs))
        part.at(0.0, f"Comparing {clips[i].name} and {clips[j].name}")
        both = _all_cycles([clips[i], clips[j]], matching)
        cost[[i, j]] += register_pair(bodies[i], bodies[j], matching, part, cyclic=both).cost
    return ties.first_least(cost)


def register_pair(
    reference: Clip | PosedClip,
    clip: Clip | PosedClip,
    matching: Matching,
    progress: Progress = SILENT,
    *,
    cyclic: bool = False,
) -> RegistrationCurve:
    """Return the registration curve of a clip against a reference of the same skeleton and rate.

    cyclic : whether both are cycles, to be matched periodically. Raises RegistrationError for clips that are too
    short or can't be matched under the limits of `matching`.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.matching import Matching
        >>> from action_loom.core.sync import registration
        >>> walk, sneak = actions.walk(cycles=1), actions.sneak(cycles=1)
        >>> curve = registration.register_pair(walk, sneak, Matching(), cyclic=True)
        >>> len(curve.frames), round(curve.frames[-1] - curve.frames[0])  # a cycle of each
        (33, 66)
    """
    bodies = PosedClip.of(reference), PosedClip.of(clip)
    shortest = 4 if cyclic else 2
    for body in bodies:
        if len(body) < shortest:
            has = f"{len(body)} frame{'s' * (len(body) > 1)}"
            raise RegistrationError(f"{body.clip.name} has {has}; synchronising takes {shortest} or more")
    refuse_lengths(bodies[0].clip, bodies[1].clip, matching, cyclic=cyclic)
    if cyclic:
        return register_cycles.pair(bodies[0].clip, bodies[1].clip, matching)
    return open_clips.pair(*bodies, matching, progress)
