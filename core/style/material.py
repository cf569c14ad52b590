"""The examples of a style: strides of many clips, one row each (methods: Style)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..bodies import alike
from ..bodies.carried import Carried
from ..errors import ClipError, LoomError
from ..motion import mirror, quat
from ..motion.clip import Clip
from ..motion.frame_map import FrameMap
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from ..progress import SILENT, Progress
from ..recipes.style import StyleOptions
from ..recipes.travel import TravelOptions
from ..weave import add_root_motion, root_blend
from ..weave.seam import close
from . import form as forms
from . import gait_phase, labels, measures, steps
from .form import PHASES, Form, Motion
from .gait_phase import Phases
from .labels import Labels

LEAST = 8  # strides required to learn a style


class TooFewError(ClipError):
    """Too few strides, or persons, to learn from."""


@dataclass(frozen=True, eq=False)
class Material:
    """n strides on one body, in one form.

    rows (n, P, C)
    seconds (n,) : of each stride
    of (n,) : the clip of each stride
    clips, people : names of the clips, and of their persons
    columns : other labels of the clips
    frames (n, 2) : start and end of each stride
    left_out : clips without strides, and the reasons
    gait : whether strides are cut at foot strikes
    carried : reports of the retargeting to the body
    given : notes on root motion added to in-place clips; corrected : notes on closed ends of cycles
    images (n,) : whether each stride is of a mirror image; frame_maps : of each clip, from `frames` to the given frames
    """

    form: Form
    rows: Array
    seconds: Array
    of: NDArray[np.int64]
    clips: tuple[str, ...]
    people: tuple[str, ...]
    columns: dict[str, tuple[str, ...]]
    frames: Array
    left_out: tuple[str, ...]
    gait: bool
    carried: tuple[Carried, ...] = ()
    given: tuple[str, ...] = ()
    corrected: tuple[str, ...] = ()
    images: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    frame_maps: tuple[FrameMap, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def weights(self) -> Array:
        """The weight (n,) of each stride, sum 1: equal for all people, and for all strides of a person."""
        person = np.array([self.people[clip] for clip in self.of])
        counts = {name: int((person == name).sum()) for name in set(person.tolist())}
        return np.array([1.0 / (counts[name] * len(counts)) for name in person.tolist()])

    @cached_property
    def measured(self) -> dict[str, Array]:
        """The measures (n,) common to all strides, by name."""
        strides = [measures.measure(self.form, row, float(s)) for row, s in zip(self.rows, self.seconds, strict=True)]
        return {name: np.array([measured[name] for measured in strides]) for name in measures.common(strides)}


def gather(
    clips: Sequence[Clip], options: StyleOptions, progress: Progress = SILENT, *, least: int = LEAST, persons: int = 2
) -> Material:
    """Return the strides of clips on the body of the first.

    least, persons : required numbers of strides and persons

    Clips without strides are omitted and reported. Raises ClipError for too few strides or persons, OptionError for
    labels that do not fit, and SkeletonError for clips that can't be retargeted to the first one's body.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.style import StyleOptions
        >>> from action_loom.core.style import material
        >>> strides = material.gather([actions.walk(cycles=5), actions.sneak(cycles=5)], StyleOptions(mirror=False))
        >>> len(strides), strides.rows.shape[1], strides.people
        (10, 64, ('walk', 'sneak'))
    """
    known = labels.of_clips(options.labels, [clip.name for clip in clips])
    good = [close.trim_clip(clip, wanted=True) for clip in clips]
    ready = [steps.ready(part.clip) for part in good]
    sources, carried = _on_one_body([clip for clip, _ in ready])
    # Strides are found from foot contacts, which in-place clips do not have.
    sources, given = add_root_motion.travelling(sources, TravelOptions(), needed=True)
    numbered = [(number, clip, False) for number, clip in enumerate(sources)]
    if options.mirror:
        numbered += [(number, mirror.mirror_clip(clip), True) for number, clip, _ in numbered]
    cut, left_out, gait = _cut(numbered, options, progress)
    rows, left = _rows(cut, options, gait)
    _refuse_few(rows, known, (*left_out, *left), least, persons)
    material = _material(sources[0], rows, known, [clip.name for clip in clips], (*left_out, *left), gait)
    corrected = tuple(sentence for _, sentences in ready for sentence in sentences)
    maps = tuple(
        replace(part.frame_map, cycle=len(clip) - 1 if clip.cyclic else 0)
        for part, clip in zip(good, sources, strict=True)
    )
    return replace(material, carried=carried, given=tuple(given), corrected=corrected, frame_maps=maps)


def of_strides(like: Material, strides: Sequence[Clip]) -> Material:
    """Return the strides of `like` on another body.

    strides : on that body, clips of P + 1 frames that end with the first frame of the next stride
    """
    motions = [forms.motion_of_part(root_blend.part(clip)) for clip in strides]
    form = _form(strides[0].skeleton, motions)
    rows = np.stack([forms.close_stride(form.to_rows(motion)) for motion in motions])
    return replace(like, form=form, rows=rows)


def _form(skeleton: Skeleton, motions: Sequence[Motion]) -> Form:
    """Return the form of strides, relative to their mean rotations."""
    turns = np.concatenate([np.concatenate([each.turns, each.hips[:, None]], axis=1)[:-1] for each in motions])
    return Form(skeleton, forms.joints_of(skeleton), quat.mean_of_frames(turns))


def _on_one_body(clips: Sequence[Clip]) -> tuple[list[Clip], tuple[Carried, ...]]:
    """Return clips on the body of the first, and reports on the retargeted ones."""
    results = [alike.like(clip, clips[0]) for clip in clips]
    return [clip for clip, _ in results], tuple(how for _, how in results if how is not None)


def _cut(
    clips: Sequence[tuple[int, Clip, bool]], options: StyleOptions, progress: Progress
) -> tuple[list[tuple[int, Phases, bool]], list[str], bool]:
    """Return the strides of numbered clips, messages on clips without any, and whether they are cut at foot strikes."""
    cutters: dict[bool, Callable[[Clip], Phases]] = {True: gait_phase.of_steps, False: gait_phase.by_cycles}
    wanted = {"auto": (True, False), "strides": (True,), "repeats": (False,)}[options.cycles]
    for gait in wanted:
        cut, left_out = [], []
        for done, (number, clip, image) in enumerate(clips):
            progress.at(0.6 * done / len(clips), "Preparing the clips")
            try:
                cut.append((number, cutters[gait](clip), image))
            except LoomError as error:
                left_out.append(str(error))
        if gait is wanted[-1] or 2 * len(cut) >= len(clips):
            return cut, left_out, gait
    raise AssertionError


@dataclass(frozen=True, eq=False)
class _Cut:
    """A stride cut from a clip: the clip's number, the motion, its frames, and whether it is a mirror image."""

    number: int
    motion: Motion
    seconds: float
    frames: tuple[float, float]
    image: bool


def _rows(cut: Sequence[tuple[int, Phases, bool]], options: StyleOptions, gait: bool) -> tuple[list[_Cut], list[str]]:
    """Return the strides that do not turn too much, and messages on clips without any."""
    rows, left_out = [], []
    for number, phases, image in cut:
        own = []
        for stride in phases.of_own:
            motion = forms.motion_of_stride(phases, stride)
            if gait and abs(np.degrees(motion.steps[:-1, 2].sum())) > options.turns:
                continue
            seconds = (stride.end - stride.first) / phases.clip.rate
            first = stride.first - phases.own.start
            own.append(_Cut(number, motion, seconds, (first, first + stride.end - stride.first), image))
        rows += own
        if not own:
            left_out.append(f"{phases.clip.name} turns more than {options.turns:g}° in each of its strides")
    return rows, left_out


def _material(
    like: Clip, cut: Sequence[_Cut], known: Labels, names: Sequence[str], left_out: tuple[str, ...], gait: bool
) -> Material:
    """Return cut strides as rows on the body of a clip, with the labels of the clips."""
    form = _form(like.skeleton, [c.motion for c in cut])
    rows = np.stack([forms.close_stride(form.to_rows(c.motion)) for c in cut])
    if not gait:
        rows = _in_step(rows, form)
    return Material(
        form,
        rows,
        np.array([c.seconds for c in cut]),
        np.array([c.number for c in cut]),
        tuple(names),
        known.people,
        known.columns,
        np.array([c.frames for c in cut]),
        left_out,
        gait,
        images=np.array([c.image for c in cut]),
    )


def _refuse_few(cut: Sequence[_Cut], known: Labels, left_out: Sequence[str], least: int, persons: int) -> None:
    """Raise TooFewError for too few strides or persons."""
    beside = f": {'; '.join(left_out[:3])}" if left_out else ""
    if len(cut) < least:
        raise TooFewError(
            f"At least {least} strides are needed, and these clips have {len(cut)}: leave out clips that do not walk,"
            " add clips of the same action, or turn on Mirror"
        )
    people = {known.people[c.number] for c in cut}
    if len(people) < persons:
        raise TooFewError(
            f"All strides are of one person, {next(iter(people))}: add clips of others, or name people in the"
            f" labels' column person{beside}"
        )


def _in_step(rows: Array, form: Form) -> Array:
    """Return rows (n, P, C) rolled for the best agreement, since repetitions have arbitrary starts."""
    spectra = np.fft.rfft(rows[:, :, form.turning], axis=1)
    shifts = np.zeros(len(rows), dtype=np.int64)
    for _ in range(3):
        turned = spectra * np.exp(2j * np.pi * np.outer(shifts, np.arange(spectra.shape[1])) / PHASES)[:, :, None]
        mean = turned.mean(axis=0) if shifts.any() else spectra[0]
        likeness = np.fft.irfft((np.conj(spectra) * mean).sum(axis=2), n=PHASES, axis=1)
        shifts = -np.argmax(likeness, axis=1)
    return np.stack([np.roll(row, -shift, axis=0) for row, shift in zip(rows, shifts, strict=True)])
