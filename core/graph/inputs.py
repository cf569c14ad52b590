"""Clips made ready for a motion graph: good ends, one body, rate and floor, and their mirror images.

Method: Motion graph.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from ..bodies import alike
from ..check import contacts
from ..errors import ClipError, OptionError, SkeletonError, some
from ..motion import cycles, joint_matching, kinematics, mirror, quat, resample, trim
from ..motion.clip import Clip
from ..motion.frame_map import FrameMap, LeftOut
from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..recipes.travel import TravelOptions
from ..weave import add_root_motion
from ..weave.seam import close
from . import climbs

LAPS, SECONDS = 2, 1.0  # how often a cycle is taken at least, and for how long
LONGEST = 10.0  # s; what closes after longer has its ways back in itself
FLOOR = 5.0  # percentile of the height of the balls of the feet


@dataclass(frozen=True, eq=False)
class GraphInputs:
    """The clips of a graph, those as given before their mirror images.

    frame_maps (N,) : which frames of the clips as given theirs are
    labels (N,) : only clips of the same label are connected
    given : how many are not mirror images; image n of clip k is clip given + k
    sentences : what is to be said of how they were made ready
    grounds : how high (F,) the ground was that was taken off each clip as given, () where none was
    """

    clips: tuple[Clip, ...]
    frame_maps: tuple[FrameMap, ...]
    labels: tuple[str, ...]
    given: int
    left_out: tuple[LeftOut, ...]
    sentences: tuple[str, ...] = ()
    grounds: tuple[Array, ...] = ()

    def ground_of(self, clip: int) -> Array:
        """Return how far (F,) the ground of a clip, or of the one that it is the image of, was higher than here."""
        return self.grounds[clip % self.given] if self.grounds else np.zeros(len(self.clips[clip]))

    @property
    def mirrored(self) -> bool:
        return len(self.clips) > self.given

    def with_images(self) -> "GraphInputs":
        """Return the inputs with the mirror image of each clip."""
        images = tuple(mirror.mirrored(clip) for clip in self.clips)
        return replace(
            self,
            clips=self.clips + images,
            frame_maps=2 * self.frame_maps[: self.given],
            labels=2 * self.labels[: self.given],
        )

    def without(self, left_out: Mapping[int, str]) -> "GraphInputs":
        """Return the inputs without some of the clips as given and their images; left_out says why."""
        kept = self.remaining(left_out)
        whole = tuple(LeftOut(self.clips[k].name, 0, len(self.clips[k]), why) for k, why in left_out.items())
        return GraphInputs(
            tuple(self.clips[k] for k in kept),
            tuple(self.frame_maps[k] for k in kept),
            tuple(self.labels[k] for k in kept),
            self.given - len(left_out),
            self.left_out + whole,
            self.sentences,
            tuple(one for k, one in enumerate(self.grounds) if k not in left_out),
        )

    def remaining(self, left_out: Collection[int]) -> list[int]:
        """Return the numbers of the clips that are left without some of those given and their images."""
        return [k for k in range(len(self.clips)) if k % self.given not in left_out]


def gather(
    clips: Sequence[Clip],
    *,
    images: bool,
    labels: Sequence[str] = (),
    give: TravelOptions | None = None,
    climbing: bool = False,
    progress: Progress = SILENT,
) -> GraphInputs:
    """Bring clips onto the body, rate and floor of the first one, without bad ends; with `images`, mirrored too.

    Those that walk on the spot travel as `give` says; None leaves them there. With `climbing` the ground is taken off
    that they tread. Bodies may name their joints otherwise
    (see `joint_matching.renamed`), and have others (see `bodies.alike`). Raises ClipError for no clips, OptionError for
    labels that do not fit the clips and SkeletonError for bodies that differ or whose joints do not inherit all.
    """
    if not clips:
        raise ClipError("A motion graph takes one clip or more; none given")
    if labels and len(labels) != len(clips):
        raise OptionError(f"{len(labels)} labels were given for {len(clips)} clips")
    if len({clip.name for clip in clips}) < len(clips):
        clips = _told_apart(clips)
    trimmed = [trim.ends(clip) for clip in clips]
    _refuse_loose(trimmed[0].clip)
    going = [one.clip for one in trimmed]
    sentences: list[str] = []
    if give is not None:
        going, sentences = add_root_motion.travelling(going, give, needed=True)
    first = going[0]
    floor = 0.0 if climbing else _floor(first)
    ready, laps, grounds = [], [], []
    for k, clip in enumerate(going):
        progress.at(k / len(trimmed), f"Fitting {clip.name} to the body of {first.name}")
        fitted, carried = alike.like(joint_matching.renamed(clip, first.skeleton), first)
        sentences += [] if carried is None else carried.sentences
        fitted, cycle = _unrolled(resample.to_rate(replace(fitted, cyclic=False), first.rate))
        if climbing:
            grounds.append(climbs.ground(fitted))
            fitted = climbs.lifted(fitted, -grounds[-1])
        ready.append(_lifted(fitted, floor - _floor(fitted)))
        laps.append(cycle)
    found = GraphInputs(
        tuple(ready),
        tuple(FrameMap(t.first, t.clip.rate / first.rate, lap) for t, lap in zip(trimmed, laps, strict=True)),
        tuple(labels) or len(clips) * ("",),
        len(clips),
        tuple(entry for one in trimmed for entry in one.left_out),
        tuple(sentences),
        tuple(grounds),
    )
    return found.with_images() if images else found


def _refuse_loose(clip: Clip) -> None:
    """Raise SkeletonError for a body that can't be turned and moved as a whole, before anything is compared."""
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


def _unrolled(clip: Clip) -> tuple[Clip, int]:
    """A clip that is one cycle several times in a row, and the frames of one; any other as it is, and 0.

    Alone it has no second pass to go over into, and no frames before and after its ends.
    """
    cycle = close.as_cycle(clip) if clip.seconds <= LONGEST else clip
    if not cycle.cyclic or cycles.repeats(cycle) >= LAPS:
        return clip, 0
    length = len(cycle) - 1
    laps = max(LAPS, int(np.ceil(SECONDS * clip.rate / length)))
    return replace(cycles.unrolled(cycle, 0, laps - 1), cyclic=False), length


def _told_apart(clips: Sequence[Clip]) -> list[Clip]:
    """The clips under names that differ: what they have in common gets a number, one that no other clip has."""
    names = [clip.name for clip in clips]
    taken, apart = {name for name in names if names.count(name) == 1}, []
    for clip in clips:
        numbered = (f"{clip.name} ({number})" for number in count(1))
        name = clip.name if names.count(clip.name) == 1 else next(n for n in numbered if n not in taken)
        taken.add(name)
        apart.append(replace(clip, name=name))
    return apart


def _floor(clip: Clip) -> float:
    """Height of the ground that a clip's feet tread; 0 for a body whose feet are not known."""
    balls = contacts.feet(clip).values()
    return float(np.percentile(np.concatenate([ball[:, 2] for ball in balls]), FLOOR)) if balls else 0.0


def _lifted(clip: Clip, height: float) -> Clip:
    skeleton, translations = clip.skeleton, clip.translations.copy()
    roots = skeleton.parents < 0
    translations[:, roots] += quat.rotate(quat.inv(skeleton.orients[roots]), np.array([0.0, 0.0, height]))
    return replace(clip, translations=translations)


def points(clip: Clip) -> Array:
    """Return the weighted points (F, P, 3) of a clip: those that count, times the root of their weight."""
    weights = clip.skeleton.point_weights
    counting = weights > 0.0
    return kinematics.points(clip)[:, counting] * np.sqrt(weights[counting])[:, None]
