"""Filter a clip's spikes and noise and change its bands, with a report (methods: Filtering)."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...edit import bands, filtering, low_pass, noise
from ...edit.feet.spans import Span
from ...edit.filtering import Asked, Filtered
from ...edit.spikes import Flags
from ...errors import ClipError
from ...motion import feet as feet_of
from ...motion import kinematics
from ...motion.clip import Clip
from ...motion.quat import Array
from ...progress import SILENT, Progress
from ...quality import contacts
from ...recipes.planting import PlantOptions
from ...sync import joint_weights
from ...weave import planting, reporting
from ...weave.results import FilterResult
from ...weave.seam import close
from . import Filter

STILL = 1e-9  # m; feet that move less count as unmoved
TURNED = 1e-6  # radians; a joint turned by less counts as unchanged


def make_filtered(clips: Sequence[Clip], recipe: Filter, progress: Progress = SILENT) -> FilterResult:
    """Return a clip without spikes and noise, with its bands scaled by their gains; unchanged if nothing was filtered.

    Raises ClipError for more than one clip, OptionError for joints that it does not have, and SkeletonError for
    travelling cycles of bodies whose joints do not all turn with their parents.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> report = verbs.apply(verbs.Filter(band_2=0.0), [actions.walk()]).report["filter"]
        >>> [[round(degrees, 1) for degrees in band["degrees"]] for band in report["bands"][:2]]
        [[1.1, 0.7], [2.4, 1.5]]
    """
    began = time.perf_counter()
    clip, corrected = close.cycle_of(clips[0])
    progress.at(0.0, "Filtering")
    asked = _filter_request(clip, recipe)
    done = filtering.filter_clip(clip, asked, repeats=clip.cyclic)
    progress.at(0.4, "Planting feet")
    options = PlantOptions(plant_feet=recipe.keep_contacts)
    result, feet = planting.of_result(done.after, options, one_source=not _feet_moved(done), found=_contacts(done))
    progress.at(0.8, "Measuring")
    energies = np.stack([filtering.energies(one, asked.joints, len(asked.gains)) for one in (clip, result)])
    figures = {"filter": _figures(done, result, asked, energies), **feet.report}
    result = replace(result, name=recipe.result_name([clip.name]), cyclic=clips[0].cyclic)
    warnings = _warnings(clip, recipe, done)
    report = reporting.compose(recipe.verb, clips, result, began, [clip], figures, warnings, corrected)
    before = clip if corrected else clips[0]
    return FilterResult(result, report, 0, before, done, energies)


def _filter_request(clip: Clip, recipe: Filter) -> Asked:
    joints = joint_weights.factors(clip.skeleton, recipe.joints or "all") > 0.0
    spiky = joints & recipe.spikes
    if not recipe.toes:
        spiky &= ~_toes(clip)
    return Asked(recipe.cutoff, recipe.gains, joints, spiky, recipe.longest_spike)


def _toes(clip: Clip) -> Flags:
    """Return which joints (J,) are toes or below a foot."""
    roles = clip.skeleton.roles
    soles = [joint for role, joint in roles.items() if role.startswith("foot.")]
    below = clip.skeleton.with_below(soles)
    below[soles] = False
    return below | clip.skeleton.with_below([joint for role, joint in roles.items() if role.startswith("toe.")])


def _feet_moved(done: Filtered) -> bool:
    """Return whether feet have moved, so that they need planting."""
    if not done.changed:
        return False
    points = [point for pair in feet_of.balls_and_ankles(done.before.skeleton).values() for point in pair]
    moved = measure_moves(done.before, done.after)[:, points]
    return bool(moved.size and moved.max() > STILL)


def _contacts(done: Filtered) -> list[Span] | None:
    """Return the foot contacts before gains amplify swings, or None if the result itself can be analysed."""
    if done.after is done.smooth or not feet_of.balls_and_ankles(done.before.skeleton):
        return None
    try:
        return planting.find(done.smooth)
    except ClipError:  # an in-place walk of unknown speed, which planting reports
        return None


def measure_moves(before: Clip, after: Clip) -> Array:
    """Return how far (F, P) the points of a body have moved, metres."""
    return np.asarray(np.linalg.norm(kinematics.points(after) - kinematics.points(before), axis=2))


def _figures(done: Filtered, result: Clip, asked: Asked, energies: Array) -> dict[str, Any]:
    """Return the figures of the report as plain JSON values."""
    off = filtering.turned_by(done.mended, done.smooth)[:, asked.joints]
    off = off[:, (off > TURNED).any(axis=0)]
    away = measure_moves(done.before, result)
    return {
        "cycle": done.repeats,
        "spikes": _spikes(done),
        "spiky_frames": int((done.turned | done.moved).any(axis=1).sum()),
        "measured_degrees": round(float(np.median(done.noise[done.noise > 0.0])), 4) if done.noise.any() else 0.0,
        "left_frames": list(done.left),
        "noise_degrees": round(float(np.degrees(np.sqrt((off**2).mean()))), 4) if off.size else 0.0,
        "bands": [
            {"gain": gain, "degrees": [round(float(value), 4) for value in pair]}
            for gain, pair in zip(asked.gains, energies.T, strict=False)
        ],
        "moved_cm": [round(100.0 * float(value), 3) for value in (np.median(away), away.max())],
        "contacts_iou": _same_contacts(done.before, result),
    }


def _spikes(done: Filtered) -> list[dict[str, Any]]:
    """Return the repaired joints for the report, worst first."""
    degrees = np.degrees(done.jumps)
    metres = np.where(done.moved, np.linalg.norm(done.mended.translations - done.before.translations, axis=2), 0.0)
    flags = done.turned | done.moved
    found = [
        {
            "joint": done.before.skeleton.names[joint],
            "frames": np.flatnonzero(flags[:, joint]).tolist(),
            "worst_degrees": round(float(degrees[:, joint].max()), 2),
            "worst_cm": round(100.0 * float(metres[:, joint].max()), 2),
        }
        for joint in np.flatnonzero(flags.any(axis=0))
    ]
    return sorted(found, key=lambda one: -max(one["worst_degrees"], one["worst_cm"]))


def _same_contacts(before: Clip, after: Clip) -> float | None:
    """Return the intersection over union of foot contacts before and after, or None without contacts."""
    old, new = contacts.detect(before), contacts.detect(after)
    both = sum(int((old[foot] & new[foot]).sum()) for foot in old)
    either = sum(int((old[foot] | new[foot]).sum()) for foot in old)
    return round(both / either, 4) if either else None


def _warnings(clip: Clip, recipe: Filter, done: Filtered) -> list[str]:
    notes = []
    if recipe.cutoff > 0.0 and low_pass.passes_all(recipe.cutoff, clip.rate):
        notes.append(
            f"{clip.name}: a cutoff of {recipe.cutoff:g} Hz takes nothing off: {clip.rate:g} frames a second hold"
            f" nothing faster than {0.5 * clip.rate:g} Hz"
        )
    elif recipe.cutoff > 0.0 and not done.repeats and 0.0 < clip.seconds * recipe.cutoff < 1.0:
        notes.append(
            f"{clip.name} is {clip.seconds:.2f} s long, less than one wave of {recipe.cutoff:g} Hz: hardly more than a"
            " straight line is left of it"
        )
    elif recipe.cutoff < 0.0 and len(clip) < noise.FEWEST and not done.repeats:
        notes.append(f"{clip.name}: {len(clip)} frames are too few to measure noise; set a cutoff to remove it")
    if any(done.left):
        first, last = done.left
        notes.append(f"{clip.name} jumps at its ends: its first {first} and last {last} frames stay as they are")
    known = bands.count_bands(len(clip))
    idle = [f"band_{k}" for k, gain in enumerate(recipe.gains, 1) if gain != 1.0 and k > known]
    if idle:
        notes.append(f"{clip.name}: {len(clip)} frames have {known} bands: {', '.join(idle)} did nothing")
    if not done.changed:
        why = "no joint jumps away and back" if recipe.spikes else "nothing was asked for"
        notes.append(f"{clip.name}: {why}, and nothing else was taken off: it is as it was")
    return notes
