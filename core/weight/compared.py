"""Compare how the flights of a result fall with the flights of its sources.

Method: Weight.
"""

from collections.abc import Iterable

import numpy as np

from ..errors import LoomError
from ..motion.clip import Clip
from ..quality import contacts
from .flights import GRAVITY, OFF, PUSHED, SHORT, SHORTEST, FlightReport, find_flights

WORSE = 1.0  # m/s² by which a flight may fall worse than every flight of the sources


def compare_flights(made: Clip, sources: Iterable[Clip]) -> tuple[FlightReport | None, list[str]]:
    """Return the flights of a result, and a sentence on the worst flight if it is worse than all of its sources.

    See `known_flights`.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weight import compared
        >>> compared.compare_flights(actions.walk(), [actions.walk()])
        (FlightReport(name='walk', rate=30.0, flights=(), scale=1.0), [])
    """
    report = known_flights(made)
    wrong = [one for one in report.flights if one.verdict in (OFF, PUSHED)] if report else []
    if report is None or not wrong:
        return report, []
    known = [found for clip in sources if (found := known_flights(clip)) is not None]
    if report.doubt:
        return report, [] if any(found.doubt for found in known) else [report.doubt]
    falls = [-GRAVITY, *(one.fall for found in known for one in found.flights if one.verdict != SHORT)]
    worse = [one for one in wrong if not min(falls) - WORSE <= one.fall <= max(falls) + WORSE]
    if not worse:
        return report, []
    worst = max(worse, key=lambda one: abs(one.fall + GRAVITY))
    what = report.describe(worst)
    if worst.verdict == PUSHED:  # the verb Weight does not change such flights
        return report, [f"{what}, real ones at -9.8: look there"]
    return report, [f"{what}, real ones at -9.8: try Weight"]


def known_flights(clip: Clip) -> FlightReport | None:
    """Return the flights of a clip, None for a body without known feet or of an unknown unit.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.weight import compared
        >>> compared.known_flights(actions.walk())
        FlightReport(name='walk', rate=30.0, flights=(), scale=1.0)
    """
    if _always_stands(clip):
        return FlightReport(clip.name, clip.rate, ())
    try:
        return find_flights(clip)
    except LoomError:  # the feet or the unit of the body are unknown
        return None


def _always_stands(clip: Clip) -> bool:
    """Return whether no foot is off the ground for long enough to be a flight, which is known without cost."""
    stands = list(contacts.detect(clip).values())
    if not stands:
        return False
    off = ~np.any(stands, axis=0)
    return all(end - first < SHORTEST * clip.rate for first, end in contacts.runs(off))
