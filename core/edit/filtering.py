"""Filters for the joints of a clip: spikes, then noise, then frequency bands (methods: Filtering)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..motion import kinematics, quat, root_motion, trim
from ..motion.clip import Clip
from ..motion.quat import Array
from ..motion.roles import ancestors
from ..motion.skeleton import Skeleton
from ..quality.contacts import runs
from . import bands, cyclic_padding, low_pass, noise, spikes
from .cyclic_padding import PaddedClip
from .spikes import Flags

AROUND = 3.0  # s of cyclic padding, for running medians and smoothed trajectories
MEASURED = -1.0  # a cutoff value: remove the measured amount of noise
FORGOTTEN = 12.0  # periods of the cutoff; motion further away has an influence below 1e-12
LEVER = 0.03  # body heights; the rotation of a joint is measured as the displacement of a point at this distance
FEWEST = 5  # frames; in shorter clips spikes and noise cannot be distinguished from motion


@dataclass(frozen=True, eq=False)
class Asked:
    """The filters to apply.

    cutoff : Hz, 0 for none, `MEASURED`; gains : of the bands, the finest first; joints (J,) : joints to filter
    spiky (J,) : joints to search for spikes; longest : frames of a spike at most, 0: from the rate
    """

    cutoff: float
    gains: tuple[float, ...]
    joints: Flags
    spiky: Flags
    longest: int = 0


@dataclass(frozen=True, eq=False)
class Filtered:
    """The stages of filtering a clip of F frames and J joints, before its feet are planted.

    turned, moved (F, J) : whether a rotation or translation was repaired as a spike
    mended, smooth, after : the clip without spikes, then without noise, then with its bands changed
    repeats : whether it was filtered as a cycle; noise (J,) : measured noise of rotations, degrees
    left (2,) : unchanged frames at the beginning and end, which a jump separates from the clip
    """

    before: Clip
    turned: Flags
    moved: Flags
    mended: Clip
    smooth: Clip
    after: Clip
    repeats: bool
    noise: Array
    left: tuple[int, int] = (0, 0)

    @cached_property
    def jumps(self) -> Array:
        """Angles of the repairs of rotations (F, J), radians; 0 if not repaired."""
        away = turned_by(self.before, self.mended)
        return np.where(self.turned, away, 0.0)

    @property
    def changed(self) -> bool:
        return self.after is not self.before


def turned_by(before: Clip, after: Clip) -> Array:
    """Return the angle between the rotations (F, J) of two clips, radians.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.edit import filtering
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import quat
        >>> walk = actions.walk()
        >>> turned = replace(walk, rotations=quat.mul(quat.about_axis("Z", 0.1), walk.rotations))
        >>> round(float(filtering.turned_by(walk, turned).max()), 6)
        0.1
    """
    apart = quat.same_side(after.rotations, before.rotations) - before.rotations
    return np.asarray(4.0 * np.arcsin(np.clip(0.5 * np.linalg.norm(apart, axis=-1), 0.0, 1.0)))


def filter_clip(clip: Clip, asked: Asked, *, repeats: bool) -> Filtered:
    """Return a clip with spikes repaired, noise removed and bands changed, with all intermediate stages.

    repeats : whether it is a cycle; it then stays closed. Ends separated by a jump, such as a T-pose, do not change
    (`trim.ends`). Unchanged joints and frames are bit-identical. Raises
    SkeletonError for travelling cycles whose joints do not all turn with their parents.

    Example:
        >>> from dataclasses import replace
        >>> import numpy as np
        >>> from action_loom.core.edit import filtering
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> rotations = walk.rotations.copy()
        >>> rotations[40, walk.skeleton.index("forearm.L")] = [1.0, 0.0, 0.0, 0.0]
        >>> clip = replace(walk, rotations=rotations)
        >>> every = np.ones(len(clip.skeleton), dtype=bool)
        >>> stages = filtering.filter_clip(clip, filtering.Asked(8.0, (1.0, 0.5), every, every), repeats=False)
        >>> [(int(frame), clip.skeleton.names[joint]) for frame, joint in np.argwhere(stages.turned)]
        [(40, 'forearm.L')]
    """
    first, last = (0, 0) if repeats else _ends(clip, asked)
    if first or last:
        return _within(clip, first, _filter_stages(clip.cut(first, len(clip) - last), asked, repeats=False))
    return _filter_stages(clip, asked, repeats=repeats)


def _ends(clip: Clip, asked: Asked) -> tuple[int, int]:
    """Return the number of frames at both ends separated by jumps; jumps there and back are spikes."""
    ends = trim.ends(clip)
    if asked.spiky.any() and len(clip) >= FEWEST and (ends.first or ends.last):
        whole = cyclic_padding.around(clip, 0, repeats=False)
        ends = trim.ends(_mend_spikes(clip, *_spikes(whole, asked.spiky, asked.longest)))
    return ends.first, ends.last


def _within(clip: Clip, first: int, done: Filtered) -> Filtered:
    """Return the stages of filtering a part of a clip as stages of the whole clip."""
    if not done.changed:
        return replace(_leave_unchanged(clip, repeats=False), left=(first, len(clip) - first - len(done.before)))
    own, flags = slice(first, first + len(done.before)), np.zeros((2, *clip.rotations.shape[:2]), dtype=bool)
    flags[:, own] = done.turned, done.moved
    whole = {id(done.before): clip}
    for stage in (done.mended, done.smooth, done.after):
        turns, places = clip.rotations.copy(), clip.translations.copy()
        turns[own], places[own] = stage.rotations, stage.translations
        whole.setdefault(id(stage), replace(clip, rotations=turns, translations=places))
    mended, smooth, after = (whole[id(one)] for one in (done.mended, done.smooth, done.after))
    left = first, len(clip) - own.stop
    return Filtered(clip, flags[0], flags[1], mended, smooth, after, False, done.noise, left)


def _leave_unchanged(clip: Clip, *, repeats: bool) -> Filtered:
    none = np.zeros(clip.rotations.shape[:2], dtype=bool)
    return Filtered(clip, none, none, clip, clip, clip, repeats, np.zeros(len(clip.skeleton)))


def _filter_stages(clip: Clip, asked: Asked, *, repeats: bool) -> Filtered:
    """Return the stages of filtering all frames of a clip."""
    gains = asked.gains[: bands.count_bands(len(clip))]
    while gains and gains[-1] == 1.0:
        gains = gains[:-1]
    cutoff = 0.0 if low_pass.passes_all(asked.cutoff, clip.rate) else asked.cutoff  # < 0: MEASURED
    unchanged = _leave_unchanged(clip, repeats=repeats)
    if len(clip) < FEWEST or not (cutoff or gains or asked.spiky.any()):
        return unchanged
    seconds = FORGOTTEN / cutoff if cutoff > 0.0 else noise.WINDOW
    reach = (AROUND + seconds) * clip.rate + bands.reach(len(gains))
    whole = cyclic_padding.around(clip, reach, repeats=repeats)
    turned, moved = _spikes(whole, asked.spiky, asked.longest)
    mended = _mend_spikes(whole.clip, turned, moved)
    smooth, found = _without_noise(mended, asked.joints, cutoff)
    after = _with_gains(smooth, asked.joints, gains) if gains else smooth
    if after is whole.clip:
        return unchanged
    own = {id(whole.clip): clip}  # a step without changes returned the same object
    for stage in (mended, smooth, after):
        own.setdefault(id(stage), _own(clip, whole, stage))
    flags = turned[whole.own], moved[whole.own]
    return Filtered(clip, *flags, own[id(mended)], own[id(smooth)], own[id(after)], repeats, found)


def _own(clip: Clip, whole: PaddedClip, changed: Clip) -> Clip:
    """Return the clip's own frames without the padding; unchanged values are bit-identical."""
    kept = changed.rotations == whole.clip.rotations, changed.translations == whole.clip.translations
    return replace(
        clip,
        rotations=np.where(kept[0].all(-1, keepdims=True)[whole.own], clip.rotations, changed.rotations[whole.own]),
        translations=np.where(
            kept[1].all(-1, keepdims=True)[whole.own], clip.translations, changed.translations[whole.own]
        ),
    )


def _spikes(whole: PaddedClip, joints: Flags, longest: int) -> tuple[Flags, Flags]:
    """Return the spikes of rotations and translations (F, J) of a padded clip, the same in all its cycles."""
    clip, none = whole.clip, np.zeros(whole.clip.rotations.shape[:2], dtype=bool)
    turned, moved = none.copy(), none
    turning, moving = joints & _moving(clip.rotations), joints & _moving(clip.translations)
    turned[:, turning] = spikes.find_turned(clip.rotations[:, turning], clip.rate, longest)
    places, height = clip.translations[:, moving], clip.skeleton.height
    moved[:, moving] = spikes.find_moved(places, clip.rate, height, longest)
    turned, moved = _that_show(clip, turned, moved)
    return (_fill_flags(turned, whole), _fill_flags(moved, whole)) if whole.period else (turned, moved)


def _mend_spikes(clip: Clip, turned: Flags, moved: Flags) -> Clip:
    """Return the clip without the flagged rotations and translations (F, J)."""
    if not (turned.any() or moved.any()):
        return clip
    return replace(
        clip,
        rotations=spikes.mended_turns(clip.rotations, turned),
        translations=spikes.mended_places(clip.translations, moved),
    )


def _that_show(clip: Clip, turned: Flags, moved: Flags) -> tuple[Flags, Flags]:
    """Return the visible spikes: those whose repair reduces the jumps of the joints below.

    Two joints of a captured chain often jump against each other in the same frame. Such jumps cancel out, but repairing
    only one of them, or both separately, would make them visible.
    """
    if not (turned.any() or moved.any()):
        return turned, moved
    turned, moved, jumps, dropped = turned.copy(), moved.copy(), _jumps(clip), True
    while dropped:
        flags, dropped = turned | moved, False
        left = _jumps(_mend_spikes(clip, turned, moved))
        for joint in np.flatnonzero(flags.any(axis=0)):
            below = clip.skeleton.with_below([int(joint)])
            for start, end in runs(flags[:, joint]):
                near = slice(max(start - 2, 0), end)
                if left[near, below].sum() >= jumps[near, below].sum():
                    turned[start:end, joint] = moved[start:end, joint] = False
                    dropped = True
    return turned, moved


def _jumps(clip: Clip) -> Array:
    """Return jumps of joint axes (F − 2, J): squared second differences of points on them in the world."""
    rotations, places = kinematics.world(clip)
    lever = LEVER * clip.skeleton.height
    axes = np.stack([quat.rotate(rotations, lever * axis) for axis in np.eye(3)], axis=2) + places[:, :, None]
    changes = axes[2:] - 2.0 * axes[1:-1] + axes[:-2]
    return np.asarray((changes**2).sum(axis=(2, 3)))


def _fill_flags(flags: Flags, whole: PaddedClip) -> Flags:
    cycle = flags[whole.own.start : whole.own.start + whole.period]
    return np.concatenate([np.tile(cycle, (len(whole.cycles), 1)), cycle[:1]])


def _without_noise(clip: Clip, joints: Flags, cutoff: float) -> tuple[Clip, Array]:
    """Return a clip without noise, and the measured noise (J,), degrees."""
    found = np.zeros(len(clip.skeleton))
    if not cutoff:
        return clip, found
    turning, moving = joints & _moving(clip.rotations), joints & _moving(clip.translations)
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    if cutoff > 0.0:
        rotations[:, turning] = low_pass.rotations(rotations[:, turning], cutoff, clip.rate)
        translations[:, moving] = low_pass.translations(translations[:, moving], cutoff, clip.rate)
    else:
        rotations[:, turning], measured = noise.rotations(
            rotations[:, turning], clip.rate, _body(clip.skeleton, turning)
        )
        translations[:, moving] = noise.translations(translations[:, moving], clip.rate, clip.skeleton.height)
        found[turning] = np.degrees(measured)
        if np.array_equal(rotations, clip.rotations) and np.array_equal(translations, clip.translations):
            return clip, found
    return replace(clip, rotations=rotations, translations=translations), found


def _body(skeleton: Skeleton, among: Flags) -> Flags:
    """Return which of some joints have a role, since fingers and tips say little about noise; all if none has."""
    roles = np.zeros(len(skeleton), dtype=bool)
    roles[list(skeleton.roles.values())] = True
    return roles[among] if (roles & among).any() else np.ones(int(among.sum()), dtype=bool)


def _with_gains(clip: Clip, joints: Flags, gains: Sequence[float]) -> Clip:
    turning, moving = joints & _moving(clip.rotations), joints & _moving(clip.translations)
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:, turning] = bands.rotations(rotations[:, turning], gains, carriers(clip.skeleton)[turning], clip.rate)
    translations[:, moving] = bands.translations(translations[:, moving], gains, clip.rate)
    return replace(clip, rotations=rotations, translations=translations)


def _moving(values: Array) -> Flags:
    """Return which joints (J,) of values (F, J, D) move at all."""
    return np.asarray((values != values[:1]).any(axis=(0, 2)))


def carriers(skeleton: Skeleton) -> Flags:
    """Return which joints (J,) carry the body: roots, the travelling joint (`root_motion`) and its ancestors."""
    carrying = skeleton.parents < 0
    hips = root_motion.travelling_joint(skeleton)
    carrying[[hips, *ancestors(hips, skeleton.parents)]] = True
    return carrying


def energies(clip: Clip, joints: Flags, count: int) -> Array:
    """Return the root mean square angle of joints in each of the finest bands (count,), degrees, the finest first.

    Example:
        >>> from dataclasses import replace
        >>> import numpy as np
        >>> from action_loom.core.edit import filtering
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> filtering.energies(walk, np.ones(len(walk.skeleton), dtype=bool), 4).round(1).tolist()
        [1.1, 2.4, 3.8, 5.0]
    """
    turning = joints & _moving(clip.rotations)
    count = min(count, bands.count_bands(len(clip)))
    if not turning.any():
        return np.zeros(count)
    vectors = bands.rotation_vectors(clip.rotations[:, turning], carriers(clip.skeleton)[turning], clip.rate)[1]
    split = bands.split(vectors.reshape(len(clip), -1), count)[:-1]
    each = [np.sqrt(3.0 * (band**2).mean()) for band in split]  # of the angle: three axes together
    return np.degrees(np.array(each))
