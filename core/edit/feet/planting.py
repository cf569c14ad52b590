"""Planting feet: clips whose feet stand still while they stand (methods: Planted feet)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...check.contacts import Flags
from ...errors import ClipError, SkeletonError
from ...motion import cycles, feet, ik, kinematics, quat
from ...motion.clip import Clip
from ...motion.ik import Limb
from ...motion.quat import Array
from .. import cyclic_padding
from ..cyclic_padding import PaddedClip
from . import displacement, figures, legs, spans
from .displacement import Complex, Pivots
from .spans import Contact, Span

# In body heights.
SLIDES_ON_PURPOSE = 0.12  # a ball that goes further while it stands is meant to, or was taken to stand wrongly
LACKS = 0.05  # of a leg's length; what needs more is out of reach
FIRM = 0.2  # of how firmly a contact is held at most; where it is held less it takes hold or lets go
STILL = 0.0015  # a foot that moves less in the middle of its contact stands: it was planted, or keyed so

HEIGHTS = (0.1, 10.0)  # m; bodies of other heights are in a unit that nobody knows
AROUND = 3.0  # s of a cycle before and after it: what is further away moves it by less than a nanometre
HEEL = 0.25  # of the foot's length from ankle to ball: how far the heel is behind and below the ankle


@dataclass(frozen=True, eq=False)
class Planted:
    """What was done to a clip.

    before, after : the clip as it was and as it is, where its feet stand on the ground
    spans : what was planted; refused : what was not, and why
    shifts (F,) : of each foot, metres on the ground, as x + iy; pelvis (F, 3) : by how much it was moved, metres
    away (F,) : of each foot, how far it is from where it was to be, metres
    """

    before: Clip
    after: Clip
    spans: tuple[Span, ...]
    refused: tuple[tuple[Span, str], ...]
    shifts: Mapping[str, Complex]
    pelvis: Array
    away: Mapping[str, Array]

    @cached_property
    def figures(self) -> dict[str, Any]:
        """How far feet slide, before and after, and how far the body was moved: plain JSON values, see `figures`."""
        slides = figures.measure(self.before, self.after, self.spans)
        return slides | figures.moved(self.spans, self.shifts, self.pelvis, self.away)

    @property
    def report(self) -> dict[str, Any]:
        """What there is to say of it: plain JSON values."""
        refused = [
            {"foot": s.foot, "part": s.part, "first": s.first, "end": s.end, "why": why} for s, why in self.refused
        ]
        return {"spans": [list(span.row) for span in self.spans], "refused": refused, **self.figures}


def _laps(clip: Clip) -> PaddedClip:
    return cyclic_padding.around(clip, AROUND * clip.rate, repeats=len(clip) > 1 and cycles.closes(clip))


def found(clip: Clip) -> list[Span]:
    """Return when the feet of a clip stand (see `spans.find`); of one that closes, as a cycle that goes on."""
    return _found(_laps(clip))


def _found(whole: PaddedClip) -> list[Span]:
    return spans.within(spans.find(whole.clip), whole.own.start, whole.own.stop)


def planted(clip: Clip, rows: Sequence[Span] | None = None, *, wanted: bool = True) -> tuple[Clip, Planted]:
    """Return the clip with its feet still where they stand, and what was done; the clip itself where nothing slides.

    rows : when they stand, found where None; wanted : whether those of feet that stand still already are planted, too,
    as somebody asked for them. A clip that closes stays a cycle. Raises ClipError for bodies of an unknown unit,
    SkeletonError for those whose legs are not known or can't be led. Kovar, Schreiner, Gleicher 2002.
    """
    limbs, whole = _limbs(clip), _laps(clip)
    asked = list(rows) if rows is not None else _found(whole)
    known, refused = _of_legs(asked, limbs)
    contacts = spans.touching(known, whole.laps, whole.lap)
    pivots = _pivots(whole.clip, limbs, contacts)
    still: list[Contact] = []
    if rows is None or not wanted:
        still = [one for one in contacts if _stands_still(one, pivots[one.foot], whole.clip)]
        # Of a cycle, some of the outermost laps are cut off; they are as their whole copies.
        stood = frozenset[int]().union(*(one.rows for one in still))
        still = [one for one in contacts if one.rows <= stood]
        contacts = [one for one in contacts if not one.rows <= stood]
    kept, too_far = _kept(contacts, pivots, whole.clip, limbs)
    refused += [(span, too_far[k]) for k, span in enumerate(known) if k in too_far]
    if not kept:
        return clip, _nothing(clip, refused)
    solved = {limb.foot: _solved(kept, pivots, limb.foot, clip.rate, still) for limb in limbs}
    made, moved, misses = legs.led(whole.clip, limbs, solved)
    made = replace(clip, rotations=made.rotations[whole.own], translations=made.translations[whole.own])
    shifts = {foot: shift[whole.own] for foot, (shift, _) in solved.items()}
    away, moved = {foot: miss[whole.own] for foot, miss in misses.items()}, moved[whole.own]
    planted_rows = frozenset().union(*(contact.rows for contact in kept))
    known = [span for k, span in enumerate(known) if k in planted_rows]
    return made, Planted(clip, made, tuple(known), tuple(refused), shifts, moved, away)


def _nothing(clip: Clip, refused: Sequence[tuple[Span, str]]) -> Planted:
    return Planted(clip, clip, (), tuple(refused), {}, np.zeros((len(clip), 3)), {})


def _limbs(clip: Clip) -> list[Limb]:
    """The legs of a body that can be led; raises ClipError and SkeletonError where there are none."""
    known = feet.balls_and_ankles(clip.skeleton)
    limbs = [limb for limb in ik.known_legs(clip.skeleton) if limb.foot in known]
    if not limbs or legs.carrier(clip, limbs) < 0:
        raise SkeletonError(f"{clip.name}: no leg is known: name thighs, shins and feet")
    height = clip.skeleton.height
    if not HEIGHTS[0] <= height <= HEIGHTS[1]:
        raise ClipError(
            f"{clip.name}: its body is {height:.3g} m tall, so its unit is not known: give it its unit first"
        )
    return limbs


def _of_legs(asked: Collection[Span], limbs: Sequence[Limb]) -> tuple[list[Span], list[tuple[Span, str]]]:
    """Spans of feet that hang on legs, and those of others, with why."""
    named = {limb.foot for limb in limbs}
    refused = [(span, "its leg is not known") for span in asked if span.foot not in named]
    return [span for span in asked if span.foot in named], refused


def _pivots(clip: Clip, limbs: Sequence[Limb], of: Sequence[Contact]) -> dict[str, Pivots]:
    """Where ball and heel of each foot are on the ground."""
    points, (turned, places) = feet.balls_and_ankles(clip.skeleton), kinematics.posed(clip)
    flat = spans.flags([span for contact in of for span in contact.standing], len(clip))
    found = {}
    for limb in limbs:
        ball, ankle = (places[:, point] for point in points[limb.foot])
        stands = flat.get(limb.foot, np.ones(len(clip), dtype=bool))
        heel = _heel(ball, ankle, turned[:, legs.end_joint(clip.skeleton, limb)], stands)
        found[limb.foot] = Pivots(ball[:, 0] + 1j * ball[:, 1], heel[:, 0] + 1j * heel[:, 1])
    return found


def _heel(ball: Array, ankle: Array, turned: Array, flat: Flags) -> Array:
    """Places (F, 3) of a heel: behind the ankle by a quarter of its way to the ball, as low as that where it stands."""
    behind = -HEEL * (ball - ankle)
    behind[:, 2] = (ball - ankle)[:, 2]
    in_foot = np.median(quat.rotate(quat.inv(turned), behind)[flat], axis=0)
    return ankle + quat.rotate(turned, in_foot)


def _stands_still(contact: Contact, pivots: Pivots, clip: Clip) -> bool:
    """Whether a foot hardly moves in the middle of its contact: it is planted already, or was never moved."""
    path, held = pivots.path(contact), displacement.holds([contact], len(clip), clip.rate)
    for middle in (span.middle for span in contact.standing):
        own = held[middle.first : middle.end]
        # Where a short contact, or one at an end of the clip, takes hold or lets go, a planted foot moves.
        firm = own >= FIRM * own.max()
        places = path[middle.first - contact.first : middle.end - contact.first][firm]
        if 2.0 * np.abs(places - places.mean()).max() >= STILL * clip.skeleton.height * firm.mean():
            return False
    return True


def _kept(
    of: Sequence[Contact], pivots: Mapping[str, Pivots], clip: Clip, limbs: Sequence[Limb]
) -> tuple[list[Contact], dict[int, str]]:
    """The contacts that can be planted, and by its place why a span can't be."""
    height, refused = clip.skeleton.height, dict[int, str]()
    for contact in of:
        moves = displacement.extent(contact, pivots[contact.foot])
        if moves > SLIDES_ON_PURPOSE * height:
            refused |= dict.fromkeys(contact.rows, f"it goes {100.0 * moves:.0f} cm while it stands")
    kept = [contact for contact in of if not contact.rows & set(refused)]
    _, posed = legs.posed(clip, limbs)
    for foot, leg in posed.items():
        shift, _ = _solved(kept, pivots, foot, clip.rate)
        lack = legs.lacking(leg, shift)
        for contact in (one for one in kept if one.foot == foot):
            most = float(lack[contact.first : contact.end].max())
            if most > LACKS * height:
                refused |= dict.fromkeys(contact.rows, f"its leg is {100.0 * most:.0f} cm too short")
    return [contact for contact in kept if not contact.rows & set(refused)], refused


def _solved(
    of: Sequence[Contact], pivots: Mapping[str, Pivots], foot: str, rate: float, still: Sequence[Contact] = ()
) -> tuple[Complex, Array]:
    its, stood = ([contact for contact in some if contact.foot == foot] for some in (of, still))
    return displacement.of_foot(its, pivots[foot], rate, stood)
