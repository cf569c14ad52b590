"""From a clip that repeats itself to one cycle without a seam (methods 6; seed 004; Holden 2022)."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..check import angles, posed, quality, seams
from ..check.posed import Posed
from ..errors import ClipError, RegistrationError
from ..motion import cycles, trim
from ..motion.clip import Clip
from ..motion.quat import Array
from ..progress import SILENT, Progress
from ..recipes import Loop
from ..sync import repetition
from ..sync.repetition import Cycle, Repetition
from . import channels, reporting, seam, seam_place, way
from .way import Way
from .woven import Looped

METHODS = ("ease", "offset", "lagrange", "spline")
EASE_SHARE = 0.25  # of the cycle that is faded
SETTLE, SETTLE_SHARE = 0.17, 1.0 / 6.0  # s, and of the cycle: how long a change of velocity is felt
ALIKE, MOST = 0.04, 6  # lengths that differ by less are one cycle; and how many are offered
POLYNOMIAL = 0.1  # s each side that is led anew
STRAIGHT = np.radians(8.0)  # what turns less in a cycle was meant to go straight on


def loop(clips: Sequence[Clip], wanted: Loop, progress: Progress = SILENT) -> Looped:
    """Return one cycle of a clip (or several in a row) whose end goes over into its start.

    Raises ClipError for more than one clip and RegistrationError for one that does not repeat itself, with the best
    score that was found.
    """
    began = time.perf_counter()
    trimmed, given = _only(clips, wanted), clips[0]
    progress.at(0.0, "Looking for the cycle")
    found, cycle = _cycle(trimmed.clip, wanted, trimmed.first)
    progress.at(0.3, "Closing the seam")
    travelled = way.between(trimmed.clip, cycle.start, cycle.length)
    led = _led(travelled, wanted)
    methods = METHODS if wanted.method == "auto" else (wanted.method,)
    tried = [_closed(trimmed.clip, cycle, travelled, led, method) for method in methods]
    source = quality.measure(trimmed.clip.cut(cycle.start, cycle.start + cycle.length + 1))
    judged = [_judged(name, made, source) for name, made in tried]
    figures = [told for told, _ in judged]
    best = min(range(len(tried)), key=lambda k: seams.ranked(figures[k]["K"]))
    name, made = tried[best]
    shown = _arranged(made, wanted.phase, wanted.repeat)
    shown = replace(shown, name=wanted.result_name([given.name]), cyclic=True)
    progress.at(0.9, "Measuring")
    plain = seams.of(_in_a_row(_cut_out(trimmed.clip, cycle, travelled, led, "none")), cycle.length)
    after = {key: figures[best][key] for key in plain}
    told = {
        "dropped": reporting.dropped([trimmed]),
        "loop": {
            "start": cycle.start + trimmed.first,
            "length": cycle.length,
            "score": None if np.isnan(cycle.score) else round(cycle.score, 4),
            "candidates": _candidates(found, trimmed.first),
            "method": name,
            "methods": figures,
            "turn_degrees": round(float(np.degrees(led.turn)), 3),
            "straightened": led.turn != travelled.turn,
            "travel_m": round(abs(led.step), 4),
        },
        "quality": {
            "before": [source | {"seam": plain}],
            "after": quality.of(judged[best][1]) | {"seam": after},
        },
        "warnings": _warnings(given, cycle),
    }
    return Looped(shown, told | reporting.common("loop", clips, shown, began), 0, found, cycle)


def find(clips: Sequence[Clip], wanted: Loop, progress: Progress = SILENT) -> tuple[Repetition, list[Cycle]]:
    """Return how a clip repeats itself, and its possible cycles, best first, each with its seam where that is best.

    All in frames of the clip as given. The first is what `loop` takes; those that hardly repeat are left out. Raises
    ClipError and RegistrationError as `loop` does.
    """
    trimmed = _only(clips, wanted)
    progress.at(0.0, "Looking for cycles")
    found = _repetition(trimmed.clip, wanted, trimmed.first)
    possible = []
    lengths = _different([cycle for cycle in found.cycles if cycle.score >= repetition.WEAK])
    for k, length in enumerate(lengths):
        progress.at((k + 1.0) / (len(lengths) + 1.0), "Looking for their seams")
        of_this = found if length == found.best.length else repetition.of_length(trimmed.clip, length)
        possible.append(seam_place.refine(trimmed.clip, of_this))
    moved = [replace(cycle, start=cycle.start + trimmed.first) for cycle in possible]
    return replace(found, starts=found.starts + trimmed.first), moved


def _different(found: Sequence[Cycle]) -> list[int]:
    """The lengths of the best cycles that differ by more than is refined anyway."""
    lengths: list[int] = []
    for cycle in found:
        if all(abs(cycle.length - other) > ALIKE * other for other in lengths):
            lengths.append(cycle.length)
    return lengths[:MOST]


def _only(clips: Sequence[Clip], wanted: Loop) -> trim.Trimmed:
    if len(clips) != 1:
        raise ClipError(f"A loop is made of one clip; {len(clips)} given")
    return trim.ends(clips[0]) if wanted.trim else trim.Trimmed(clips[0], 0, 0)


def _cycle(clip: Clip, wanted: Loop, first: int) -> tuple[Repetition | None, Cycle]:
    """The cycle asked for by hand, or the one that is found; frames of the trimmed clip."""
    if wanted.length:
        start = wanted.start - first
        if start < 0 or start + wanted.length > len(clip) - 1:
            raise RegistrationError(
                f"{clip.name}: a cycle from frame {wanted.start} over {wanted.length} frames is not in the clip, "
                f"whose good frames are {first} to {first + len(clip) - 1}"
            )
        return None, Cycle(start, wanted.length, float("nan"))
    found = _repetition(clip, wanted, first)
    return found, seam_place.refine(clip, found)


def _repetition(clip: Clip, wanted: Loop, first: int) -> Repetition:
    """How a clip repeats itself; raises RegistrationError if it does not."""
    finder = repetition.find if wanted.finder == "cycle" else repetition.find_by_autocorrelation
    found = finder(clip)
    best = found.best
    if best.score < repetition.WEAK:
        raise RegistrationError(
            f"{clip.name} does not repeat itself: the best it has is a cycle of {best.length} frames from "
            f"{best.start + first}, with a score of {best.score:.2f} (a cycle has {repetition.PERIODIC} or more); "
            "set start and length by hand, if it is to be looped all the same"
        )
    return found


def _warnings(clip: Clip, cycle: Cycle) -> list[str]:
    if cycle.score < repetition.PERIODIC:
        return [f"{clip.name} hardly repeats itself (score {cycle.score:.2f}, a cycle has {repetition.PERIODIC}): look"]
    return []


def _candidates(found: Repetition | None, first: int) -> list[dict[str, Any]]:
    cycles_found = () if found is None else found.cycles[:6]
    return [{"start": c.start + first, "length": c.length, "score": round(c.score, 4)} for c in cycles_found]


def _led(travelled: Way, wanted: Loop) -> Way:
    """The way that the loop is to take: on the spot, straight, or as it was."""
    if wanted.in_place:
        return travelled.standing()
    straighten = wanted.straighten == "yes" or (wanted.straighten == "auto" and abs(travelled.turn) <= STRAIGHT)
    return travelled.straight() if straighten else travelled


def _closed(clip: Clip, cycle: Cycle, travelled: Way, led: Way, method: str) -> tuple[str, Clip]:
    """The closed cycle by one method, and the name of the one that was used in the end."""
    count = max(2, round(EASE_SHARE * cycle.length))
    if method == "ease":
        if cycle.start >= count:
            method = "ease"
        elif cycle.start + cycle.length + count <= len(clip):
            method = "ease after"
        else:
            method = "offset"  # no frames on either side to fade into
    return method, _cut_out(clip, cycle, travelled, led, method)


def _cut_out(clip: Clip, cycle: Cycle, travelled: Way, led: Way, method: str) -> Clip:
    """One cycle of L + 1 frames, the last its first again; freed of its travel, mended, and led on its new way."""
    start, length = cycle.start, cycle.length
    count = max(2, round(EASE_SHARE * length))
    low, high = max(start - count - 1, 0), min(start + length + count + 2, len(clip))
    around = clip.cut(low, high)
    at: Array = np.arange(low, high, dtype=float) - start
    stayed = way.taken_off(around, travelled, at)
    spread = channels.of(stayed)
    rows = _mended(spread.values, start - low, length, method, clip.rate)
    frames = np.append(np.arange(start - low, start - low + length), start - low)
    closed = spread.clip(np.concatenate([rows, rows[:1]]), frames)
    return replace(way.put_on(closed, led, np.arange(length + 1, dtype=float)), cyclic=True)


def _mended(rows: Array, start: int, length: int, method: str, rate: float) -> Array:
    count = max(2, round(EASE_SHARE * length))
    if method == "ease":
        return seam.ease_before(rows, start, length, count)
    if method == "ease after":
        return seam.ease_after(rows, start, length, count)
    if method == "offset":
        return seam.offset(rows, start, length, min(SETTLE * rate, SETTLE_SHARE * length))
    cycle = rows[start : start + length].copy()
    if method == "none":
        return cycle
    half = max(1, min(round(POLYNOMIAL * rate), length // 4))
    spacing = max(1, round(rate / seam.SEED_RATE))
    led = seam.bridge(cycle[: length - half], cycle[half:], half, spacing, method)
    cycle[length - half :], cycle[:half] = led[:half], led[half:]
    return cycle


def _in_a_row(made: Clip) -> Posed:
    """Three of a cycle; the seam to be looked at is at the start of the second."""
    return posed.of(cycles.unrolled(made, 1, 1))


def _judged(name: str, made: Clip, source: dict[str, Any]) -> tuple[dict[str, Any], Posed]:
    """The figures of a closed cycle by one method: C and D of the corrected frames, the seam's, and the composite."""
    several, seam_frame = _in_a_row(made), len(made) - 1
    reach = max(2, round(POLYNOMIAL * made.rate))
    found = seams.of(several, seam_frame)
    corrected = several.clip.cut(max(seam_frame - reach, 0), seam_frame + reach + 1)
    told = {
        "name": name,
        "C": angles.periodicity(several),
        "D": angles.smoothness(posed.of(corrected)),
        "K": seams.composite(found, source["slide_cm_s"]),
        **found,
    }
    return told, several


def _arranged(made: Clip, phase: float, repeat: int) -> Clip:
    """The cycle begun elsewhere in itself, so many times in a row."""
    length = len(made) - 1
    if phase:
        shifted = cycles.sample(made, round(phase * length) + np.arange(length + 1, dtype=float))
        made = replace(shifted, cyclic=True)
    return made if repeat == 1 else cycles.unrolled(made, 0, repeat - 1)
