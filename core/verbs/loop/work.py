"""Make one seamless cycle from a clip that repeats itself (methods: Loops)."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import RegistrationError, SkeletonError
from ...motion import closing, cycles, trim
from ...motion.clip import Clip
from ...motion.closing import Closing
from ...progress import SILENT, Progress
from ...sync import cycle_search
from ...sync.cycle_search import Cycle, Repetition
from ...weave import ground_arc, planting, reporting
from ...weave.planting import Outcome
from ...weave.results import LoopResult
from ...weave.seam import close, search
from ...weave.seam.close import ClosedCycle
from . import Loop, mirrored_half

HALF = 0.5  # share of a clip; a warning is given if less of it repeats
SHORTEST = 8  # frames of a cycle
ALIKE = 0.04  # relative difference up to which two lengths count as one cycle
MOST = 6  # largest number of cycles offered


def loop(clips: Sequence[Clip], recipe: Loop, progress: Progress = SILENT) -> LoopResult:
    """Return one cycle of a clip (or several repetitions) with a seamless transition from end to start.

    Raises ClipError for more than one clip, and RegistrationError for one that does not repeat itself, with its best
    score.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk(cycles=4).cut(10, 100)
        >>> result = verbs.apply(verbs.Loop(), [walk])
        >>> result.report["loop"]["length"], result.clip.cyclic
        (32, True)
    """
    began = time.perf_counter()
    given, found = _only(clips, recipe), None
    progress.at(0.0, "Searching the clips")
    trimmed, whole, ending = _whole(given, recipe)
    if ending is not None and (not recipe.length or _is_all(recipe, trimmed.first, whole, ending)):
        closed = close.close_whole(whole, ending, recipe)
    elif recipe.length:
        ending, closed = None, close.close_cycle(trimmed.clip, _by_hand(trimmed.clip, recipe, trimmed.first), recipe)
    else:
        found = _repetition(trimmed.clip, recipe, trimmed.first)
        closed = _best(trimmed.clip, found, recipe, progress.part(0.3, 1.0))
    shown = _arrange_cycle(closed.clip, recipe.phase, recipe.repeat)
    shown = replace(shown, name=recipe.result_name([given.name]), cyclic=True)
    cycle, length = closed.cycle, len(closed.clip) - 1
    begun = round(recipe.phase * length)
    handed_over = not recipe.half and planting.same(closed.clip, whole)
    shown, planted = _plant_cycle(shown, closed, begun, recipe, one_source=handed_over)
    after = closed.after
    if not planted.why:
        after = close.measure_cycle(shown.cut(0, length + 1), (length - begun) % length)
    report = {
        **planted.report,
        "dropped": reporting.left_out([trimmed]),
        "loop": {
            "start": cycle.start + trimmed.first,
            "length": cycle.length,
            "score": None if np.isnan(cycle.score) else round(cycle.score, 4),
            "candidates": _candidates(found, trimmed.first),
            "method": closed.method,
            "methods": closed.figures,
            "turn_degrees": round(float(np.degrees(closed.turn)), 3),
            "straightened": closed.straightened,
            "closing": None if ending is None else {"kind": ending.kind, "gap_m": round(ending.gap, 5)},
            "travel_m": round(closed.travel, 4),
        },
        "quality": {"before": [closed.before], "after": after},
        "warnings": [*_warnings(given, cycle, ending), *_only_part(trimmed, found, recipe)],
    }
    return LoopResult(shown, report | reporting.common("loop", clips, shown, began), 0, found, cycle, ending)


def find(clips: Sequence[Clip], recipe: Loop, progress: Progress = SILENT) -> tuple[Repetition, list[Cycle]]:
    """Return how a clip repeats itself, and its candidate cycles, best first, each with the seam at its best place.

    Frames count in the clip as given. `loop` takes the first cycle; weak repetitions are omitted. Raises ClipError and
    RegistrationError as `loop` does.
    """
    progress.at(0.0, "Searching the clips")
    trimmed, whole, ending = _whole(_only(clips, recipe), recipe)
    possible = []
    if ending is not None:
        possible.append(Cycle(0, len(whole) - 1 + ending.missing, 1.0))
        try:
            found = _repetition(trimmed.clip, recipe, trimmed.first)
        except RegistrationError:
            found = _single_repetition(possible[0], trimmed.clip.rate)
    else:
        found = _repetition(trimmed.clip, recipe, trimmed.first)
    usable = [cycle for cycle in found.cycles if cycle.score >= cycle_search.WEAK and cycle.length >= SHORTEST]
    lengths = _different(usable)
    for k, length in enumerate(lengths):
        of_this = found if length == found.best.length else cycle_search.of_length(trimmed.clip, length)
        part = progress.part((k + 1.0) / (len(lengths) + 1.0), (k + 2.0) / (len(lengths) + 1.0))
        possible.append(_best(trimmed.clip, of_this, recipe, part).cycle)
    moved = [replace(cycle, start=cycle.start + trimmed.first) for cycle in possible]
    return replace(found, starts=found.starts + trimmed.first), moved


def _whole(given: Clip, recipe: Loop) -> tuple[trim.Trimmed, Clip, Closing | None]:
    """Return the trimmed clip, the first of its equal cycles, and how its ends meet if it is one cycle."""
    trimmed = trim.if_wanted(given, recipe.trim)
    if recipe.whole == "no":
        return trimmed, trimmed.clip, None
    for part in (trim.Trimmed(given), trimmed):  # meeting ends are not trimmed, even if they are fast
        ending = closing.of(part.clip)
        if ending.kind or part.clip.cyclic:
            exact = ending.kind == closing.EXACT and cycles.closes(part.clip)
            return part, cycles.first_of(part.clip) if exact else part.clip, ending
    return trimmed, trimmed.clip, ending if recipe.whole == "yes" and len(trimmed.clip) > 2 else None


def _is_all(recipe: Loop, first: int, whole: Clip, ending: Closing) -> bool:
    """Return whether the requested start and length cover the whole of a clip that is a cycle."""
    return recipe.start == first and recipe.length == len(whole) - 1 + ending.missing


def _single_repetition(cycle: Cycle, rate: float) -> Repetition:
    """Return the repetition of a clip that is one cycle and does not repeat it."""
    score = np.array([cycle.score])
    return Repetition((cycle,), np.array([cycle.length / rate]), score, np.array([cycle.start]), score)


def _best(clip: Clip, found: Repetition, recipe: Loop, progress: Progress) -> ClosedCycle:
    """Return the first candidate cycle closed with a sound seam, or the closed cycle of least cost."""
    places = search.rank_cycles(clip, found)
    tried: list[ClosedCycle] = []
    for k, cycle in enumerate(places):
        progress.at(k / len(places), "Making the result")
        tried.append(close.close_cycle(clip, cycle, recipe))
        if tried[-1].sound:
            return tried[-1]
    return min(tried, key=lambda closed: closed.cost)


def _different(found: Sequence[Cycle]) -> list[int]:
    """Return the lengths of the best cycles, skipping lengths nearly equal to a better one."""
    lengths: list[int] = []
    for cycle in found:
        if all(abs(cycle.length - other) > ALIKE * other for other in lengths):
            lengths.append(cycle.length)
    return lengths[:MOST]


def _only(clips: Sequence[Clip], recipe: Loop) -> Clip:
    recipe.check_count(len(clips))
    return mirrored_half.complete_with_mirror(clips[0]) if recipe.half and len(clips[0]) > 1 else clips[0]


def _by_hand(clip: Clip, recipe: Loop, first: int) -> Cycle:
    """Return the cycle set by hand, in frames of the trimmed clip; raises RegistrationError for an impossible one."""
    start = recipe.start - first
    if recipe.length < SHORTEST:
        raise RegistrationError(f"{clip.name}: a cycle of {recipe.length} frames is none; it takes {SHORTEST} or more")
    if start < 0 or start + recipe.length > len(clip) - 1:
        raise RegistrationError(
            f"{clip.name}: a cycle from frame {recipe.start} over {recipe.length} frames is not in the clip, "
            f"whose good frames are {first} to {first + len(clip) - 1}"
        )
    return Cycle(start, recipe.length, float("nan"))


def _repetition(clip: Clip, recipe: Loop, first: int) -> Repetition:
    """Return how a clip repeats itself; raises RegistrationError if it does not."""
    finder = cycle_search.find if recipe.finder == "cycle" else cycle_search.find_by_autocorrelation
    found = finder(clip)
    best = found.best
    if best.score < cycle_search.WEAK:
        raise RegistrationError(
            f"{clip.name} does not repeat itself: its best cycle, {best.length} frames from {best.start + first},"
            f" scores {best.score:.2f}, not {cycle_search.PERIODIC}; {_hint(clip)}take the whole clip, or"
            " set start and length by hand"
        )
    if best.length < SHORTEST:
        raise RegistrationError(
            f"{clip.name}: its cycle has {best.length} frames, and takes {SHORTEST} or more: sample it at a higher rate"
        )
    return found


def _hint(clip: Clip) -> str:
    """Return a hint if the clip may be half a cycle, or ""."""
    try:
        near = mirrored_half.is_near(clip)
    except SkeletonError:  # a body without left and right
        return ""
    return "its last pose is its first in a mirror: take it for half a cycle (half), or " if near else ""


def _warnings(clip: Clip, cycle: Cycle, ending: Closing | None) -> list[str]:
    if ending is not None and ending.kind and not clip.cyclic and closing.is_gesture(clip):
        return [f"{clip.name} is one gesture, from a pose and back to it: check the loop"]
    if ending is not None and not ending.kind:
        return [
            f"{clip.name}: its ends were {100.0 * ending.gap:.1f} cm apart, which is spread over the cycle: check"
            " the loop"
        ]
    if cycle.score < cycle_search.PERIODIC:
        return [
            f"{clip.name} hardly repeats itself (score {cycle.score:.2f}, not {cycle_search.PERIODIC}): check the loop"
        ]
    return []


def _only_part(trimmed: trim.Trimmed, found: Repetition | None, recipe: Loop) -> list[str]:
    """Return a warning if less than half of a clip repeats, since two similar moves also look like a cycle."""
    if found is None or recipe.finder != "cycle":
        return []
    best, last = found.best, len(trimmed.clip) - 1
    good = found.start_scores >= min(best.score, cycle_search.PERIODIC)
    at = int(np.searchsorted(found.starts, best.start))
    before, after = np.flatnonzero(~good[:at]), np.flatnonzero(~good[at:])
    low = int(found.starts[before[-1] + 1 if len(before) else 0])
    high = int(found.starts[at + after[0] - 1 if len(after) else len(good) - 1]) + 2 * best.length
    if min(high, last) - low >= HALF * last:
        return []
    first, end = low + trimmed.first, min(high, last) + trimmed.first
    times = max(2, round((high - low) / best.length))
    return [f"{trimmed.clip.name} repeats itself only from frame {first} to {end}, about {times} times: check the loop"]


def _candidates(found: Repetition | None, first: int) -> list[dict[str, Any]]:
    cycles_found = () if found is None else found.cycles[:6]
    return [{"start": c.start + first, "length": c.length, "score": round(c.score, 4)} for c in cycles_found]


def _plant_cycle(
    shown: Clip, closed: ClosedCycle, begun: int, recipe: Loop, *, one_source: bool
) -> tuple[Clip, Outcome]:
    """Return a planted cycle, kept on its ground arc if it was made in place, and the outcome of planting.

    begun : frames between the start of the closed cycle and the start of this one; see `planting.of_result`
    """
    if not recipe.in_place or one_source or not recipe.plant_feet:
        return planting.of_result(shown, recipe, one_source=one_source)
    at = begun + np.arange(len(shown), dtype=float)
    going = ground_arc.add_arc(ground_arc.remove_arc(shown, closed.arc, at), closed.feet_arc, at)
    planted, outcome = planting.of_result(going, recipe, one_source=False)
    if planted is going:
        return shown, outcome
    return ground_arc.add_arc(ground_arc.remove_arc(planted, closed.feet_arc, at), closed.arc, at), outcome


def _arrange_cycle(cycle: Clip, phase: float, repeat: int) -> Clip:
    """Return the cycle shifted to another phase and repeated."""
    length = len(cycle) - 1
    if phase:
        shifted = cycles.sample(cycle, round(phase * length) + np.arange(length + 1, dtype=float))
        cycle = replace(shifted, cyclic=True)
    return cycle if repeat == 1 else cycles.unroll_cycle(cycle, 0, repeat - 1)
