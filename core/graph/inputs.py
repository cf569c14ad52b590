"""Prepare clips for a motion graph: trim, body, rate, floor and mirror images (methods: Motion graph)."""

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..bodies import alike
from ..errors import SkeletonError, some, wrong_count
from ..motion import cycles, joint_matching, kinematics, mirror, quat, resample, trim
from ..motion.clip import Clip
from ..motion.frame_map import FrameMap, LeftOut
from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..quality import contacts
from ..recipes import base
from ..recipes.travel import TravelOptions
from ..weave import add_root_motion
from ..weave.seam import close
from . import climbs

CYCLES, SECONDS = 2, 1.0  # a clip that is one cycle is repeated at least this often, and to at least this duration
LONGEST = 10.0  # s; a longer cycle has transitions back within it
FLOOR = 5.0  # percentile of the height of the balls of the feet


@dataclass(frozen=True, eq=False)
class GraphInputs:
    """The prepared clips of a graph: the given ones, then their mirror images.

    frame_maps (N,) : from their frames to the frames of the clips as given
    labels (N,) : only clips of the same label are connected
    given : number of clips that are not mirror images; the image of clip k is clip given + k
    left_out : omitted frames, and the reasons
    sentences : notes on the preparation, for reports
    grounds : the height (F,) of the ground removed from each given clip, () if none was
    """

    clips: tuple[Clip, ...]
    frame_maps: tuple[FrameMap, ...]
    labels: tuple[str, ...]
    given: int
    left_out: tuple[LeftOut, ...]
    sentences: tuple[str, ...] = ()
    grounds: tuple[Array, ...] = ()

    def ground_of(self, clip: int) -> Array:
        """Return the height (F,) of the ground removed from a clip, or from the clip it is the image of."""
        return self.grounds[clip % self.given] if self.grounds else np.zeros(len(self.clips[clip]))

    @property
    def mirrored(self) -> bool:
        return len(self.clips) > self.given

    def with_images(self) -> "GraphInputs":
        """Return the inputs with the mirror image of each clip."""
        images = tuple(mirror.mirror_clip(clip) for clip in self.clips)
        return replace(
            self,
            clips=self.clips + images,
            frame_maps=2 * self.frame_maps[: self.given],
            labels=2 * self.labels[: self.given],
        )

    def without(self, left_out: Mapping[int, str]) -> "GraphInputs":
        """Return the inputs without some given clips and their images; left_out : the reason for each."""
        kept = self.remaining(left_out)
        whole = tuple(LeftOut(self.clips[k].name, 0, len(self.clips[k]), why) for k, why in left_out.items())
        return GraphInputs(
            tuple(self.clips[k] for k in kept),
            tuple(self.frame_maps[k] for k in kept),
            tuple(self.labels[k] for k in kept),
            self.given - len(left_out),
            self.left_out + whole,
            self.sentences,
            tuple(ground for k, ground in enumerate(self.grounds) if k not in left_out),
        )

    def remaining(self, left_out: Collection[int]) -> list[int]:
        """Return the indices of all clips except some given ones and their images."""
        return [k for k in range(len(self.clips)) if k % self.given not in left_out]


def gather(
    clips: Sequence[Clip],
    *,
    images: bool,
    labels: Sequence[str] = (),
    travel: TravelOptions | None = None,
    climbing: bool = False,
    progress: Progress = SILENT,
) -> GraphInputs:
    """Return trimmed clips on the body, rate and floor of the first one.

    images : whether to add their mirror images
    travel : how in-place clips get root motion; None leaves them in place
    climbing : whether to remove the ground that they climb

    Bodies may have other joint names (see `joint_matching.rename_joints`), and other joints (see `bodies.alike`).
    Raises ClipError for no clips, OptionError for labels that do not fit the clips, and SkeletonError for incompatible
    bodies or joints without full inheritance.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs
        >>> [clip.name for clip in inputs.gather([actions.walk()], images=True).clips]
        ['walk', 'walk mirrored']
    """
    base.check_count("Build Graph", len(clips), 1, None)
    if labels and len(labels) != len(clips):
        raise wrong_count("labels", len(labels), len(clips))
    if len({clip.name for clip in clips}) < len(clips):
        clips = _with_distinct_names(clips)
    trimmed = [trim.ends(clip) for clip in clips]
    _refuse_loose(trimmed[0].clip)
    sources = [result.clip for result in trimmed]
    sentences: list[str] = []
    if travel is not None:
        sources, sentences = add_root_motion.travelling(sources, travel, needed=True)
    first = sources[0]
    floor = 0.0 if climbing else _floor(first)
    ready, lengths, grounds = [], [], []
    for k, clip in enumerate(sources):
        progress.at(k / len(trimmed), "Preparing the clips")
        fitted, carried = alike.like(joint_matching.rename_joints(clip, first.skeleton), first)
        sentences += [] if carried is None else carried.sentences
        fitted, cycle = _repeat_cycle(resample.to_rate(replace(fitted, cyclic=False), first.rate))
        if climbing:
            grounds.append(climbs.ground(fitted))
            fitted = climbs.lift_frames(fitted, -grounds[-1])
        ready.append(_lift(fitted, floor - _floor(fitted)))
        lengths.append(cycle)
    inputs = GraphInputs(
        tuple(ready),
        tuple(FrameMap(t.first, t.clip.rate / first.rate, cycle) for t, cycle in zip(trimmed, lengths, strict=True)),
        tuple(labels) or len(clips) * ("",),
        len(clips),
        tuple(entry for result in trimmed for entry in result.left_out),
        tuple(sentences),
        tuple(grounds),
    )
    return inputs.with_images() if images else inputs


def _refuse_loose(clip: Clip) -> None:
    """Raise SkeletonError for a body that can't be turned and moved as a whole."""
    settings = clip.skeleton.inheritance
    if settings is None:
        return
    names = [
        name
        for name, rotation, scale, location in zip(
            clip.skeleton.names, settings.rotation, settings.scale, settings.location, strict=True
        )
        if not (rotation and location and scale == "FULL")
    ]
    raise SkeletonError(
        f"{clip.name}: joints that do not inherit all of their parents ({some(names)}) can't walk through a graph yet; "
        "let them inherit rotation, location and scale, or bake the action on a rig that does"
    )


def _repeat_cycle(clip: Clip) -> tuple[Clip, int]:
    """Return a clip that is one cycle repeated several times, and the cycle's frames; other clips unchanged, and 0.

    A single cycle would have no second repetition to lead into, and no frames beyond its ends.
    """
    cycle = close.as_cycle(clip) if clip.seconds <= LONGEST else clip
    if not cycle.cyclic or cycles.repeats(cycle) >= CYCLES:
        return clip, 0
    length = len(cycle) - 1
    count = max(CYCLES, int(np.ceil(SECONDS * clip.rate / length)))
    return replace(cycles.unroll_cycle(cycle, 0, count - 1), cyclic=False), length


def _with_distinct_names(clips: Sequence[Clip]) -> list[Clip]:
    """Return the clips with numbers appended to duplicate names."""
    names = [clip.name for clip in clips]
    taken, renamed = {name for name in names if names.count(name) == 1}, []
    for clip in clips:
        numbered = (f"{clip.name} ({number})" for number in itertools.count(1))
        name = clip.name if names.count(clip.name) == 1 else next(n for n in numbered if n not in taken)
        taken.add(name)
        renamed.append(replace(clip, name=name))
    return renamed


def _floor(clip: Clip) -> float:
    """Return the height of the ground under a clip's feet; 0 for a body whose feet are not known."""
    balls = contacts.feet(clip).values()
    return float(np.percentile(np.concatenate([ball[:, 2] for ball in balls]), FLOOR)) if balls else 0.0


def _lift(clip: Clip, height: float) -> Clip:
    """Return the clip with its roots lifted by a height, metres."""
    skeleton, translations = clip.skeleton, clip.translations.copy()
    roots = skeleton.parents < 0
    translations[:, roots] += quat.rotate(quat.inv(skeleton.orients[roots]), np.array([0.0, 0.0, height]))
    return replace(clip, translations=translations)


def points(clip: Clip) -> Array:
    """Return the points (F, P, 3) of a clip with nonzero weight, times the square roots of their weights.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.graph import inputs
        >>> inputs.points(actions.walk()).shape[0]
        97
    """
    weights = clip.skeleton.point_weights
    counting = weights > 0.0
    return kinematics.points(clip)[:, counting] * np.sqrt(weights[counting])[:, None]
