"""Make a clip through poses of other clips, with a report (methods: Key poses and reaching)."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...bodies import alike
from ...edit import key_poses as poses_between
from ...errors import ClipError, OptionError, no_clip, no_frame, wrong_rows
from ...motion import quat, root_motion
from ...motion.clip import Channel, Clip, join_clips
from ...progress import SILENT, Progress
from ...weave import reporting
from ...weave.results import KeyPosesResult
from . import KeyPoses

FAR = 150.0  # degrees between two poses; beyond it the opposite direction is almost equally short


@dataclass(frozen=True)
class Key:
    """A frame of a clip (both counted from 0), the time of the pose in the result, and its hold, in seconds."""

    clip: int
    frame: int
    time: float
    hold: float = 0.0


def key_poses(clips: Sequence[Clip], recipe: KeyPoses, progress: Progress = SILENT) -> KeyPosesResult:
    """Return a clip through poses of the given clips, on the body of the first.

    Raises OptionError for rows that name no pose or overlap in time, ClipError for fewer than two poses, and
    SkeletonError for clips that can't be retargeted to that body (see `bodies.alike`).

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> recipe = verbs.KeyPoses(poses=((1, 0, 0.0), (2, 10, 0.5, 0.2)))
        >>> result = verbs.apply(recipe, [actions.walk(cycles=1), actions.sneak(cycles=1)])
        >>> [(pose["clip"], pose["first"], pose["last"]) for pose in result.report["key_poses"]["poses"]]
        [('walk', 0, 0), ('sneak', 15, 21)]
    """
    began = time.perf_counter()
    progress.at(0.0, "Preparing the clips")
    keys = _keys(clips, recipe)
    used = {key.clip for key in keys}
    brought = {k: alike.like(clips[k], clips[0]) for k in sorted(used)}
    rate = clips[0].rate
    arrive, leave = _frames(keys, rate)
    poses = _poses([brought[key.clip][0].cut(key.frame, key.frame + 1) for key in keys], recipe)
    poses = replace(poses, name=recipe.result_name([clip.name for clip in clips]), rate=rate)
    progress.at(0.3, "Making the result")
    again = max(1, round(recipe.interval * rate)) if recipe.repeat else 0
    result = poses_between.interpolate_poses(poses, arrive, leave, recipe.between, again)
    progress.at(0.7, "Measuring")
    turns, sentences = _turns(poses, recipe)
    carried = [one for _, one in brought.values() if one is not None]
    figures = {
        "carried": [one.as_report() for one in carried],
        "key_poses": {
            "between": recipe.between,
            "poses": [
                {"clip": clips[key.clip].name, "frame": key.frame, "first": int(first), "last": int(last)}
                for key, first, last in zip(keys, arrive, leave, strict=True)
            ],
            "back_after": again or None,
            "turns_degrees": turns,
        },
    }
    warnings = [sentence for one in carried for sentence in one.sentences] + sentences
    before = [clips[k] for k in sorted(used)]
    report = reporting.compose(recipe.verb, clips, result, began, before, figures, warnings)
    return KeyPosesResult(result, report, 0, poses, tuple(map(int, arrive)), tuple(map(int, leave)))


def _keys(clips: Sequence[Clip], recipe: KeyPoses) -> list[Key]:
    """Return the poses named by the rows, or, without rows, poses of all clips at the interval.

    Raises OptionError for invalid rows, and ClipError for fewer than two poses.
    """
    if not recipe.poses:
        frames = [
            (k, int(frame))
            for k, clip in enumerate(clips)
            for frame in np.round(np.arange(0.0, len(clip) - 0.5, max(1.0, recipe.interval * clip.rate)))
        ]
        keys = [Key(clip, frame, place * recipe.interval) for place, (clip, frame) in enumerate(frames)]
    else:
        keys = [_key(number, row, clips) for number, row in enumerate(recipe.poses, 1)]
    if len(keys) < 2:
        raise ClipError(
            f"{clips[0].name}: two poses or more make a clip, and here is {len(keys)}: give more, or a shorter interval"
        )
    return keys


def _key(number: int, row: Sequence[float], clips: Sequence[Clip]) -> Key:
    if len(row) not in (3, 4) or any(value != int(value) for value in row[:2]):
        raise wrong_rows("poses", "clip", "frame", "time", "[hold]")
    clip, frame = int(row[0]), int(row[1])
    if not 1 <= clip <= len(clips):
        raise no_clip(f"poses, row {number}", clip, len(clips))
    if frame >= len(clips[clip - 1]):
        raise no_frame(clips[clip - 1].name, frame, 0, len(clips[clip - 1]) - 1)
    return Key(clip - 1, frame, row[2], row[3] if len(row) == 4 else 0.0)


def _frames(keys: Sequence[Key], rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the frames (K,) at which poses are reached and left; raises OptionError if they overlap."""
    start = keys[0].time
    arrive = [round((key.time - start) * rate) for key in keys]
    leave = [round((key.time - start + key.hold) * rate) for key in keys]
    for k in range(1, len(keys)):
        if arrive[k] <= leave[k - 1]:
            raise OptionError(
                f"poses, row {k + 1}: this pose is reached at {keys[k].time:g} s, and the one before is left at"
                f" {keys[k - 1].time + keys[k - 1].hold:g} s: it must be a frame later or more ({1.0 / rate:.3g} s)"
            )
    return np.array(arrive), np.array(leave)


def _poses(single: list[Clip], recipe: KeyPoses) -> Clip:
    """Return one-frame poses as one clip, with every scale and channel that any pose has."""
    if recipe.in_place:
        ground, facing = root_motion.ground_frames(single[0])
        single = [root_motion.beginning_at(one, ground[0], float(facing[0])) for one in single]
    if any(one.scales is not None for one in single):
        single = [replace(one, scales=np.ones_like(one.translations)) if one.scales is None else one for one in single]
    channels = {name: _channel(single, name) for name in {name: None for one in single for name in one.channels}}
    return replace(join_clips([replace(one, channels={}) for one in single]), channels=channels)


def _channel(single: Sequence[Clip], name: str) -> Channel:
    """Return a channel of poses; poses that lack it hold the previous value, and the channel becomes stepped."""
    having = [k for k, one in enumerate(single) if name in one.channels]
    at = [max((k for k in having if k <= place), default=having[0]) for place in range(len(single))]
    found = [single[k].channels[name] for k in at]
    steps = len(having) < len(single) or any(one.discrete for one in found)
    return Channel(np.concatenate([one.values for one in found]), steps)


def _turns(poses: Clip, recipe: KeyPoses) -> tuple[list[float], list[str]]:
    """Return the largest joint rotation (degrees) between consecutive poses, and notes on large ones."""
    keys = np.concatenate([poses.rotations, poses.rotations[:1]]) if recipe.repeat else poses.rotations
    sizes = np.degrees(np.linalg.norm(quat.log(quat.mul(quat.inv(keys[:-1]), keys[1:])), axis=-1))
    sentences = [
        f"{poses.skeleton.names[int(sizes[k].argmax())]!r} turns by {sizes[k].max():.0f}° from pose {k + 1} to pose"
        f" {(k + 1) % len(poses) + 1}, the shortest way: put a pose between if the other way is meant"
        for k in range(len(sizes))
        if sizes[k].max() > FAR
    ]
    return [round(float(one), 2) for one in sizes.max(axis=1)], sentences
