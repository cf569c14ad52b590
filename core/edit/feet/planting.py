"""Foot planting: feet that stand do not slide, pelvis and legs follow (methods: Planted feet)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import ClipError, SkeletonError, some
from ...motion import cycles, feet, ik, kinematics, leg_chains, quat
from ...motion.clip import Clip
from ...motion.ik import Limb
from ...motion.quat import Array
from ...quality import contacts
from ...quality.contacts import Flags
from .. import cyclic_padding
from ..cyclic_padding import PaddedClip
from . import displacement, figures, legs, sinking, spans, worth
from .displacement import Complex, Pivots
from .spans import Contact, Span
from .worth import Trial

# In body heights.
SLIDES_ON_PURPOSE = 0.12  # a ball that slides further does so on purpose, or was wrongly detected as standing
PARTINGS = 4  # number of times that contacts that slide further are split where their feet move fastest
MOVES, SHORTEST = 0.08, 0.12  # s; duration that a split removes, and least duration of the stances beside it
TRAVELS = 0.02  # body heights; a contact is only split if its foot moves at least this far in the removed frames
# If planting raises the 99.5th percentile of the acceleration of a knee by more than this factor, its foot may tremble
# as in the clip.
JERKS = 1.3
LACKS = 0.05  # a target that a leg misses by more is out of reach
FIRM = 0.2  # of the firmest hold of a contact; frames held less are at its ends, where the foot still moves
STILL = 0.0015  # a foot that moves less in the middle of its contact already stands still, and is not planted again

HEIGHTS = (0.1, 10.0)  # m; bodies of other heights are in an unknown unit
AROUND = 3.0  # s of cyclic padding; more distant frames move a foot by less than a nanometre
HEEL = 0.25  # of the distance from ankle to ball: how far the heel is behind the ankle

Curves = dict[str, tuple[Complex, Array]]  # displacement and hold (F,) of each foot


@dataclass(frozen=True, eq=False)
class Planted:
    """The result of planting a clip.

    before, after : the clip before and after, moving over the ground
    spans : the planted ones; refused : the others, with the reason
    shifts (F,) : displacement of each foot, metres on the ground, as x + iy; pelvis (F, 3) : its displacement, metres
    lifts (F,) : by how much feet were lifted out of the ground, metres; none where that was not asked for or needed
    away (F,) : distance of each foot from its target, metres
    bends (F,) : how much the bone of each leg that turns most turns, radians
    """

    before: Clip
    after: Clip
    spans: tuple[Span, ...]
    refused: tuple[tuple[Span, str], ...]
    shifts: Mapping[str, Complex]
    pelvis: Array
    away: Mapping[str, Array]
    lifts: Mapping[str, Array]
    bends: Mapping[str, Array]

    @cached_property
    def figures(self) -> dict[str, Any]:
        """How far feet slide before and after, and how far the body was moved: plain JSON values, see `figures`."""
        slides = figures.measure(self.before, self.after, self.spans)
        return slides | figures.moved(self.spans, self.shifts, self.pelvis, self.away, self.lifts)

    @property
    def report(self) -> dict[str, Any]:
        """The report: plain JSON values."""
        refused = [
            {"foot": s.foot, "part": s.part, "first": s.first, "end": s.end, "why": why} for s, why in self.refused
        ]
        spans = [list(span.row) for span in self.spans]
        return {"spans": spans, "refused": refused, "bent": self._bent, **self.figures}

    @property
    def _bent(self) -> dict[str, Any] | None:
        """Foot, frame and degrees of the largest bend; None without one."""
        if not self.bends:
            return None
        foot = max(self.bends, key=lambda foot: float(self.bends[foot].max()))
        frame = int(self.bends[foot].argmax())
        return {"foot": foot, "frame": frame, "degrees": round(float(np.degrees(self.bends[foot][frame])), 1)}


def _padded(clip: Clip) -> PaddedClip:
    return cyclic_padding.around(clip, AROUND * clip.rate, repeats=len(clip) > 1 and cycles.closes(clip))


def contact_spans(clip: Clip) -> list[Span]:
    """Return when the feet of a clip stand (see `spans.find`); in a clip that closes, with cyclic padding.

    Example:
        >>> from action_loom.core.edit.feet import planting
        >>> from action_loom.core.demo_character import actions
        >>> [span.row for span in planting.contact_spans(actions.walk(cycles=1))]
        [(0, 1, 0, 2), (0, 0, 2, 20), (0, 1, 31, 33), (1, 0, 0, 4), (1, 1, 15, 18), (1, 0, 18, 33)]
    """
    return _contact_spans(_padded(clip))


def _contact_spans(whole: PaddedClip) -> list[Span]:
    return spans.within(spans.find(whole.clip), whole.own.start, whole.own.stop)


def planted(
    clip: Clip,
    rows: Sequence[Span] | None = None,
    *,
    wanted: bool = True,
    fixed: Collection[int] = (),
    lift: bool = False,
    travel: float = SLIDES_ON_PURPOSE,
) -> tuple[Clip, Planted]:
    """Return a clip whose standing feet do not slide, with details of the result; the clip itself if none slides.

    rows : when feet stand, None: detected; wanted : whether to plant rows of feet that already stand still, too,
    because the user asked for them; fixed : frames that do not change, up to rounding; a foot in contact in such a
    frame is planted at its place there; lift : whether to lift feet that sink into their ground; travel : body
    heights; a contact in which the foot moves further is not planted. A clip that closes stays a cycle. Raises
    ClipError for bodies of an unknown unit, SkeletonError for bodies without known legs. Kovar, Schreiner, Gleicher
    2002.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.edit.feet import planting
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> walk = actions.walk()
        >>> sliding = root_motion.place_clip(walk, 0.0, np.linspace([0.0, 0.0], [0.0, -0.5], len(walk)))
        >>> clip, done = planting.planted(sliding)
        >>> before, after = done.figures["middle_slide_cm_s"]
        >>> len(done.spans), before > 10.0, after < 1.0
        (13, True, True)
    """
    limbs, whole = _limbs(clip), _padded(clip)
    asked = list(rows) if rows is not None else _contact_spans(whole)
    known, refused = _of_legs(asked, limbs)
    if rows is None:
        known = _apart_where_they_travel(known, whole, limbs)
    stances = spans.touching(known, whole.cycles, whole.period)
    pivots = _pivots(whole.clip, limbs, stances)
    still: list[Contact] = []
    if rows is None or not wanted:
        stances, still = _moving_and_still(stances, pivots, whole.clip)
    kept, whys = _kept(stances, pivots, whole.clip, limbs, travel)
    lifts = sinking.lifts(whole.clip, limbs, [*kept, *still], whole.own) if lift else {}
    stay = _in_all_cycles(whole, fixed)

    def curves(contacts: Sequence[Contact], calm: Collection[str]) -> Curves:
        return {
            limb.foot: _solved(contacts, pivots, limb.foot, clip, still, stay, calm=limb.foot in calm) for limb in limbs
        }

    judged = (pivots, rows is not None) if rows is None or not wanted else None
    kept, dear, solution = _solution(whole, limbs, kept, curves, (stay, lifts), judged)
    whys |= dear
    refused += [(span, whys[k]) for k, span in enumerate(known) if k in whys]
    if solution is None:
        return clip, _nothing(clip, refused)
    after, moved, misses, bends, solved = solution
    bends = {foot: bend[whole.own] for foot, bend in bends.items()}
    after = replace(clip, rotations=after.rotations[whole.own], translations=after.translations[whole.own])
    shifts = {foot: shift[whole.own] for foot, (shift, _) in solved.items()}
    away, moved = {foot: miss[whole.own] for foot, miss in misses.items()}, moved[whole.own]
    raised = {foot: lift[whole.own] for foot, lift in lifts.items()}
    planted_rows = frozenset[int]().union(*(contact.rows for contact in kept))
    known = [span for k, span in enumerate(known) if k in planted_rows]
    return after, Planted(clip, after, tuple(known), tuple(refused), shifts, moved, away, raised, bends)


def _solution(
    whole: PaddedClip,
    limbs: Sequence[Limb],
    kept: Sequence[Contact],
    curves: Callable[[Sequence[Contact], Collection[str]], Curves],
    given: tuple[Sequence[int], Mapping[str, Array]],
    judged: tuple[Mapping[str, Pivots], bool] | None,
) -> tuple[list[Contact], dict[int, str], tuple[Clip, Array, dict[str, Array], dict[str, Array], Curves] | None]:
    """Return the contacts worth planting, reasons for the other rows, and the results of `legs.following` with bends.

    curves : returns the displacement and the hold of each foot for contacts, and for the feet to be calmed; the last
        result has them, too; given : fixed frames, and lifts
    judged : the pivots, and whether contacts are a source's; None if all are planted
    The last result is None if nothing is to be done.
    """
    _, posed = legs.posed(whole.clip, limbs)
    points, kept, whys, calm = kinematics.points(whole.clip), list(kept), dict[int, str](), set[str]()
    while kept or given[1]:  # leaving out stances changes how the others bend their legs
        solved = curves(kept, calm)
        made = legs.following(whole.clip, limbs, solved, *given)
        bends, after = _bends(whole.clip, made[0], limbs), kinematics.points(made[0])
        dear: dict[int, str] = {}
        if judged is not None:
            shifts = {foot: shift for foot, (shift, _) in solved.items()}
            trial = Trial(
                whole.clip, whole.own, kept, judged[0], points, after, shifts, bends,
                lambda contacts: legs.pelvis_of(posed, curves(contacts, calm), whole.clip.rate), judged[1],
            )  # fmt: skip
            dear = worth.refused(trial)
        jerking = set() if dear else _find_jerking(points[whole.own], after[whole.own], limbs) - calm
        if not dear and not jerking:
            return kept, whys, (*made, bends, solved)
        calm.update(jerking)
        whys, kept = whys | dear, [contact for contact in kept if not contact.rows & set(dear)]
    return kept, whys, None


def _find_jerking(before: Array, after: Array, limbs: Sequence[Limb]) -> set[str]:
    """Return the feet whose knees are accelerated much more after planting; before, after (F, P, 3) : points."""
    if len(before) < 3:
        return set()
    knees = [limb.lower for limb in limbs]
    usual, harder = (
        np.percentile(np.linalg.norm(np.diff(points[:, knees], 2, axis=0), axis=2), 99.5, axis=0)
        for points in (before, after)
    )
    return {limb.foot for limb, more in zip(limbs, harder > JERKS * usual, strict=True) if more}


def since(before: Clip, after: Clip, planted: Planted) -> Planted:
    """Return the result of planting with its bends measured from an earlier clip.

    Example:
        >>> from action_loom.core.edit.feet import planting
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk(cycles=1)
        >>> planting.since(walk, walk, planting.planted(walk)[1]).report["bent"]["degrees"]
        0.0
    """
    return replace(planted, bends=_bends(before, after, _limbs(before)))


def _bends(before: Clip, after: Clip, limbs: Sequence[Limb]) -> dict[str, Array]:
    """Return by how much (F,) the bone of each leg that turns most turns between two clips, radians."""
    known = [legs.posed(clip, limbs)[1] for clip in (before, after)]
    found = {}
    for foot, leg in known[0].items():
        other = known[1][foot]
        turns = [ik.shortest(*pair) for pair in zip(leg.bones, other.bones, strict=True)]
        found[foot] = np.max(np.linalg.norm(quat.log(np.array(turns)), axis=2), axis=0)
    return found


def told(report: Mapping[str, Any], name: str) -> list[str]:
    """Return a sentence on stances that planting left out, and one on a leg that it visibly bends.

    report : that of `Planted`

    Example:
        >>> from action_loom.core.edit.feet import planting
        >>> from action_loom.core.demo_character import actions
        >>> planting.told(planting.planted(actions.walk())[1].report, "walk")
        []
    """
    refused = [one for one in report["refused"] if one["why"] != worth.NO_GAIN]
    sentences = []
    if refused:
        each = [
            f"{contacts.NAMES[one['foot']]} from frame {one['first']} to {one['end'] - 1}, {one['why']}"
            for one in refused
        ]
        why = some(each, quoted=False)
        sentences.append(f"{name}: not planted: {why}")
    bent = report["bent"]
    if bent and bent["degrees"] >= round(float(np.degrees(worth.BENDS)), 1):
        foot, degrees, frame = contacts.NAMES[bent["foot"]], bent["degrees"], bent["frame"]
        sentences.append(f"{name}: planting its {foot} bends the leg by {degrees:.0f}° at frame {frame}: look there")
    return sentences


def _moving_and_still(
    every: Sequence[Contact], pivots: Mapping[str, Pivots], clip: Clip
) -> tuple[list[Contact], list[Contact]]:
    """Return the contacts whose foot slides, and those in which it already stands still."""
    still = [contact for contact in every if _stands_still(contact, pivots[contact.foot], clip)]
    # Contacts at the ends of the padding may be cut off: all copies of a contact are treated alike.
    stood = frozenset[int]().union(*(contact.rows for contact in still))
    return [one for one in every if not one.rows <= stood], [one for one in every if one.rows <= stood]


def _apart_where_they_travel(known: Sequence[Span], whole: PaddedClip, limbs: Sequence[Limb]) -> list[Span]:
    """Return found spans, those of contacts that travel without the frames in which their foot moves fastest.

    A step in the middle of a stance, or two stances that were taken for one, leave stances on either side.
    """
    parted = list(known)
    for _ in range(PARTINGS):
        stances = spans.touching(parted, whole.cycles, whole.period)
        pivots = _pivots(whole.clip, limbs, stances)
        limit = SLIDES_ON_PURPOSE * whole.clip.skeleton.height
        far = {
            row for contact in stances if displacement.extent(contact, pivots[contact.foot]) > limit
            for row in contact.rows
        }  # fmt: skip
        parts = [_stances(span, pivots, whole) if k in far else [span] for k, span in enumerate(parted)]
        if all(len(part) == 1 and part[0] == span for part, span in zip(parts, parted, strict=True)):
            break
        parted = [span for part in parts for span in part]
    return parted


def _stances(span: Span, pivots: Mapping[str, Pivots], whole: PaddedClip) -> list[Span]:
    """Return the stances before and after the fastest motion of a foot in a span; the span itself if there are none."""
    rate, first = whole.clip.rate, whole.own.start
    on = pivots[span.foot]
    path = (on.ball if span.part == spans.BALL else on.heel)[first + span.first : first + span.end]
    reach = max(1, round(MOVES * rate))
    if len(path) <= reach:
        return [span]
    moves = np.abs(path[reach:] - path[:-reach])
    fastest = int(np.argmax(moves))
    if moves[fastest] < TRAVELS * whole.clip.skeleton.height:
        return [span]
    least = SHORTEST * rate
    parts = (replace(span, end=span.first + fastest), replace(span, first=span.first + fastest + reach))
    return [part for part in parts if part.end - part.first >= least] or [span]


def _in_all_cycles(whole: PaddedClip, fixed: Collection[int]) -> list[int]:
    """Return frames of the clip itself as frames of the clip with its padding, in every cycle."""
    every = {whole.own.start + frame + cycle * whole.period for cycle in whole.cycles for frame in fixed}
    return sorted(frame for frame in every if 0 <= frame < len(whole.clip))


def _nothing(clip: Clip, refused: Sequence[tuple[Span, str]]) -> Planted:
    return Planted(clip, clip, (), tuple(refused), {}, np.zeros((len(clip), 3)), {}, {}, {})


def _limbs(clip: Clip) -> list[Limb]:
    """Return the known legs of a body; raises SkeletonError if there are none, ClipError for an unknown unit."""
    known = feet.balls_and_ankles(clip.skeleton)
    limbs = [leg_chains.with_all_bones(clip, limb) for limb in ik.known_legs(clip.skeleton) if limb.foot in known]
    if not limbs or legs.carrier(clip, limbs) < 0:
        raise SkeletonError(f"{clip.name}: its feet are not known: name them in Body Roles")
    height = clip.skeleton.height
    if not HEIGHTS[0] <= height <= HEIGHTS[1]:
        raise ClipError(
            f"{clip.name}: its body is {height:.3g} m tall, so its unit is not known: give it its unit first"
        )
    return limbs


def _of_legs(asked: Collection[Span], limbs: Sequence[Limb]) -> tuple[list[Span], list[tuple[Span, str]]]:
    """Return the spans of feet on known legs, and the others with the reason."""
    named = {limb.foot for limb in limbs}
    refused = [(span, "its leg is not known") for span in asked if span.foot not in named]
    return [span for span in asked if span.foot in named], refused


def _pivots(clip: Clip, limbs: Sequence[Limb], of: Sequence[Contact]) -> dict[str, Pivots]:
    """Return where ball and heel of each foot are on the ground."""
    points, (turned, places) = feet.balls_and_ankles(clip.skeleton), kinematics.pose_clip(clip)
    flat = spans.flags([span for contact in of for span in contact.standing], len(clip))
    pivots = {}
    for limb in limbs:
        ball, ankle = (places[:, point] for point in points[limb.foot])
        stands = flat.get(limb.foot, np.ones(len(clip), dtype=bool))
        heel = _heel(ball, ankle, turned[:, legs.end_joint(clip.skeleton, limb)], stands)
        pivots[limb.foot] = Pivots(ball[:, 0] + 1j * ball[:, 1], heel[:, 0] + 1j * heel[:, 1])
    return pivots


def _heel(ball: Array, ankle: Array, turned: Array, flat: Flags) -> Array:
    """Return places (F, 3) of a heel: `HEEL` of the distance to the ball behind the ankle, as low as a flat ball."""
    behind = -HEEL * (ball - ankle)
    behind[:, 2] = (ball - ankle)[:, 2]
    in_foot = np.median(quat.rotate(quat.inv(turned), behind)[flat], axis=0)
    return ankle + quat.rotate(turned, in_foot)


def _stands_still(contact: Contact, pivots: Pivots, clip: Clip) -> bool:
    """Return whether a foot hardly moves in the middle of its contact: it is planted already, or keyed so."""
    path, held = pivots.path(contact), displacement.holds([contact], len(clip), clip.rate)
    for middle in (span.middle for span in contact.standing):
        own = held[middle.first : middle.end]
        # In a short contact, or one at an end of the clip, a planted foot also moves where its hold grows or fades.
        firm = own >= FIRM * own.max()
        first = middle.first - contact.first
        places = path[first : first + len(own)][firm]
        if len(places) == 1:  # one place never moves: what is around it tells
            at = first + int(np.argmax(firm))
            places = path[max(0, at - 1) : at + 2]
        if 2.0 * np.abs(places - places.mean()).max() >= STILL * clip.skeleton.height * firm.mean():
            return False
    return True


def _kept(
    of: Sequence[Contact], pivots: Mapping[str, Pivots], clip: Clip, limbs: Sequence[Limb], travel: float
) -> tuple[list[Contact], dict[int, str]]:
    """Return the contacts that can be planted, and the reason for each row that cannot."""
    height, refused = clip.skeleton.height, dict[int, str]()
    for contact in of:
        moves = displacement.extent(contact, pivots[contact.foot])
        if moves > travel * height:
            refused |= dict.fromkeys(contact.rows, f"it goes {100.0 * moves:.0f} cm while it stands")
    kept = [contact for contact in of if not contact.rows & set(refused)]
    _, posed = legs.posed(clip, limbs)
    for foot, leg in posed.items():
        shift, _ = _solved(kept, pivots, foot, clip)
        lack = legs.lacking(leg, shift)
        for contact in (contact for contact in kept if contact.foot == foot):
            most = float(lack[contact.first : contact.end].max())
            if most > LACKS * height:
                refused |= dict.fromkeys(contact.rows, f"its leg is {100.0 * most:.0f} cm too short")
    return [contact for contact in kept if not contact.rows & set(refused)], refused


def _solved(
    of: Sequence[Contact],
    pivots: Mapping[str, Pivots],
    foot: str,
    clip: Clip,
    still: Sequence[Contact] = (),
    fixed: Sequence[int] = (),
    *,
    calm: bool = False,
) -> tuple[Complex, Array]:
    own, stood = ([contact for contact in some if contact.foot == foot] for some in (of, still))
    return displacement.of_foot(own, pivots[foot], clip.rate, clip.skeleton.height, stood, fixed, calm=calm)
