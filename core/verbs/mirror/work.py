"""Mirror a clip, with a report (methods: Mirror, placement, root motion)."""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...errors import ClipError
from ...motion import cycles, joint_matching, mirror, root_motion
from ...motion.clip import Channel, Clip
from ...progress import SILENT, Progress
from ...weave import reporting, root_trajectory
from ...weave.results import EditResult
from ...weave.seam import close
from . import Mirror


def make_mirrored(clips: Sequence[Clip], recipe: Mirror, progress: Progress = SILENT) -> EditResult:
    """Return a clip with left and right exchanged; mirroring twice restores the clip.

    Raises ClipError for more than one clip and for half a cycle of a clip that does not repeat, and SkeletonError for
    bodies that can't be mirrored, or not turned to where the clip began.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> result = verbs.apply(verbs.Mirror(), [actions.walk(cycles=1)])
        >>> result.report["mirror"]["pairs"], result.report["mirror"]["alone"]
        (8, ['hips', 'spine', 'chest', 'neck', 'head'])
    """
    began = time.perf_counter()
    (clip,) = clips
    corrected: list[str] = []
    progress.at(0.0, "Mirroring")
    if recipe.half_cycle:
        clip, corrected = close.cycle_of(clip)
    repeats = clip.cyclic
    if recipe.half_cycle and not repeats:
        raise ClipError(f"{clip.name} does not repeat, so it has no half a cycle: close it with Loop first")
    result = _with_root_reflected(mirror.mirror_clip(clip))
    if recipe.half_cycle:
        later = np.arange(len(result), dtype=np.float64) + 0.5 * (len(result) - 1)
        result = replace(cycles.sample(result, later), cyclic=clips[0].cyclic)
    if recipe.keep_start:
        ground, facing = root_motion.ground_frames(clip)
        facing = root_motion.smooth(facing, root_motion.HEADING_SIGMA * clip.rate)
        result = root_motion.beginning_at(result, ground[0], float(facing[0]))
    progress.at(0.5, "Measuring")
    partner = joint_matching.across(clip.skeleton)
    pairs = int(np.count_nonzero(partner != np.arange(len(partner)))) // 2
    lonely = f"{clip.name}: no joint has a partner on the other side: name them in Body Roles"
    alone = [clip.skeleton.names[k] for k in np.flatnonzero(partner == np.arange(len(partner)))]
    result = replace(result, name=recipe.result_name([clip.name]))
    figures, warnings = {"mirror": {"pairs": pairs, "alone": alone}}, [] if pairs else [lonely]
    report = reporting.compose(recipe.verb, clips, result, began, [clip], figures, warnings, corrected)
    return EditResult(result, report, 0, clip)


def _with_root_reflected(clip: Clip) -> Clip:
    """Return a mirrored clip with its stored root trajectory mirrored, too."""
    across = (root_trajectory.CHANNELS[0], root_trajectory.CHANNELS[2])
    reflected = {name: Channel(-clip.channels[name].values) for name in across if name in clip.channels}
    return replace(clip, channels={**clip.channels, **reflected})
