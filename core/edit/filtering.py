"""Spikes, noise and bands of the joints of a clip, one after the other (methods: Filtering)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..motion import quat, root_motion
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.roles import ancestors
from ..motion.skeleton import Skeleton
from . import bands, cyclic_padding, low_pass, spikes
from .cyclic_padding import PaddedClip
from .spikes import Flags

AROUND = 3.0  # s of a cycle before and after it: what is usual and the way look as far
FORGOTTEN = 12.0  # periods of the cutoff; what is further away moves a frame by less than 1e-12 of it
FEWEST = 5  # frames; of fewer, nobody can say what is a spike or noise


@dataclass(frozen=True, eq=False)
class Asked:
    """What is filtered.

    cutoff : Hz, 0 for none; gains : of the bands, the finest first; joints (J,), and the `spiky` of them, in which
    spikes are looked for, of so many frames at most (0: by the rate)
    """

    cutoff: float
    gains: tuple[float, ...]
    joints: Flags
    spiky: Flags
    longest: int = 0


@dataclass(frozen=True, eq=False)
class Filtered:
    """What was done to a clip before it was planted, F frames of J joints.

    turned, moved (F, J) : rotations and translations that were mended
    mended, smooth, after : the clip without spikes, then without noise, then with its bands changed
    repeats : whether it was taken for a cycle
    """

    before: Clip
    turned: Flags
    moved: Flags
    mended: Clip
    smooth: Clip
    after: Clip
    repeats: bool

    @cached_property
    def jumps(self) -> Array:
        """By how much rotations (F, J) were mended, radians; 0 for those that were not."""
        away = turned_by(self.before, self.mended)
        return np.where(self.turned, away, 0.0)

    @property
    def changed(self) -> bool:
        return self.after is not self.before


def turned_by(before: Clip, after: Clip) -> Array:
    """Return by how much rotations (F, J) differ, radians."""
    apart = quat.same_side(after.rotations, before.rotations) - before.rotations
    return np.asarray(4.0 * np.arcsin(np.clip(0.5 * np.linalg.norm(apart, axis=-1), 0.0, 1.0)))


def filtered(clip: Clip, asked: Asked, *, repeats: bool) -> Filtered:
    """Return a clip after its spikes were mended, its noise taken off and its bands changed, and all in between.

    repeats : whether it is a cycle, which it stays. What nothing was done to is the same to the bit. Raises
    SkeletonError for cycles of bodies that travel and whose joints do not all turn with their parents.
    """
    gains = asked.gains[: bands.known(len(clip))]
    while gains and gains[-1] == 1.0:
        gains = gains[:-1]
    cutoff = 0.0 if low_pass.passes_all(asked.cutoff, clip.rate) else asked.cutoff
    none = np.zeros(clip.rotations.shape[:2], dtype=bool)
    unchanged = Filtered(clip, none, none, clip, clip, clip, repeats)
    if len(clip) < FEWEST or not (cutoff or gains or asked.spiky.any()):
        return unchanged
    reach = AROUND * clip.rate + bands.reach(len(gains)) + (FORGOTTEN * clip.rate / cutoff if cutoff else 0.0)
    whole = cyclic_padding.around(clip, reach, repeats=repeats)
    turned, moved = _spikes(whole, asked.spiky, asked.longest)
    mended = whole.clip
    if turned.any() or moved.any():
        mended = replace(
            mended,
            rotations=spikes.mended_turns(mended.rotations, turned),
            translations=spikes.mended_places(mended.translations, moved),
        )
    smooth = _without_noise(mended, asked.joints, cutoff) if cutoff else mended
    after = _with_gains(smooth, asked.joints, gains) if gains else smooth
    if after is whole.clip:
        return unchanged
    own = {id(whole.clip): clip}  # what a step did nothing to is the same clip
    for made in (mended, smooth, after):
        own.setdefault(id(made), _own(clip, whole, made))
    flags = turned[whole.own], moved[whole.own]
    return Filtered(clip, *flags, own[id(mended)], own[id(smooth)], own[id(after)], repeats)


def _own(clip: Clip, whole: PaddedClip, made: Clip) -> Clip:
    """The frames of a clip out of its laps; what is there as it was, is as the clip has it."""
    kept = made.rotations == whole.clip.rotations, made.translations == whole.clip.translations
    return replace(
        clip,
        rotations=np.where(kept[0].all(-1, keepdims=True)[whole.own], clip.rotations, made.rotations[whole.own]),
        translations=np.where(
            kept[1].all(-1, keepdims=True)[whole.own], clip.translations, made.translations[whole.own]
        ),
    )


def _spikes(whole: PaddedClip, joints: Flags, longest: int) -> tuple[Flags, Flags]:
    """Spikes of rotations and translations (F, J) in all laps of a clip; alike in each."""
    clip, none = whole.clip, np.zeros(whole.clip.rotations.shape[:2], dtype=bool)
    turned, moved = none.copy(), none
    turning, moving = joints & _moving(clip.rotations), joints & _moving(clip.translations)
    turned[:, turning] = spikes.turned(clip.rotations[:, turning], clip.rate, longest)
    places, height = clip.translations[:, moving], clip.skeleton.height
    moved[:, moving] = spikes.moved(places, clip.rate, height, longest)
    return (_alike(turned, whole), _alike(moved, whole)) if whole.lap else (turned, moved)


def _alike(flags: Flags, whole: PaddedClip) -> Flags:
    lap = flags[whole.own.start : whole.own.start + whole.lap]
    return np.concatenate([np.tile(lap, (len(whole.laps), 1)), lap[:1]])


def _without_noise(clip: Clip, joints: Flags, cutoff: float) -> Clip:
    turning, moving = joints & _moving(clip.rotations), joints & _moving(clip.translations)
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:, turning] = low_pass.rotations(rotations[:, turning], cutoff, clip.rate)
    translations[:, moving] = low_pass.translations(translations[:, moving], cutoff, clip.rate)
    return replace(clip, rotations=rotations, translations=translations)


def _with_gains(clip: Clip, joints: Flags, gains: Sequence[float]) -> Clip:
    turning, moving = joints & _moving(clip.rotations), joints & _moving(clip.translations)
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:, turning] = bands.rotations(rotations[:, turning], gains, carriers(clip.skeleton)[turning], clip.rate)
    translations[:, moving] = bands.translations(translations[:, moving], gains, clip.rate)
    return replace(clip, rotations=rotations, translations=translations)


def _moving(values: Array) -> Flags:
    """Which joints (J,) of (F, J, D) do anything at all."""
    return np.asarray((values != values[:1]).any(axis=(0, 2)))


def carriers(skeleton: Skeleton) -> Flags:
    """Return which joints (J,) carry the body where it goes: its roots, and all down to its place."""
    found = skeleton.parents < 0
    place = root_motion.travelling_joint(skeleton)
    found[[place, *ancestors(place, skeleton.parents)]] = True
    return found


def energies(clip: Clip, joints: Flags, count: int) -> Array:
    """Return how much joints turn in each of so many bands (count,), the finest first: degrees, root mean square."""
    turning = joints & _moving(clip.rotations)
    count = min(count, bands.known(len(clip)))
    if not turning.any():
        return np.zeros(count)
    vectors = bands.rotation_vectors(clip.rotations[:, turning], carriers(clip.skeleton)[turning], clip.rate)[1]
    split = bands.split(vectors.reshape(len(clip), -1), count)[:-1]
    each = [np.sqrt(3.0 * (band**2).mean()) for band in split]  # of the angle: three axes together
    return np.degrees(np.array(each))
