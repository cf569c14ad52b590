"""Bring the hands of a result back to where its sources have them (methods: Contacts of hands).

Only arms change: hands keep their world rotations. The change of an arm is softened in frames in which its elbow or
wrist would snap. If they still do, the contact is let go with a warning.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..edit.feet import legs
from ..motion import cycles, kinematics, quat, retarget, root_motion
from ..motion.clip import Clip
from ..motion.ik import Limb
from ..motion.quat import Array
from . import find, parts, wanted
from .figure import ELBOWS, Figure, figure_of
from .find import LOAD, ON, RIGID, TOUCH, WORLD, Contact
from .wanted import Played, Wanted

Flags = NDArray[np.bool_]

EXACT = 0.002  # m; if all hands are this near, the result is not changed
FAR = 0.25  # body heights from which on a contact of the source makes no sense in the result
EASE = 0.25  # s in which hands come and go
SOFT, SOFTENED, SOFTER = 0.1, 0.05, 60  # s, sigma of softening, and of its mask; rounds
SNAPS = 1.2  # times the largest acceleration of the source or of the result before
EVEN, SINGLE = 1.01, 1.5  # factors on this limit, for quantiles and for single frames
TOUCHED = 0.15  # share of a missing distance that an arm moves which the other hand touches
ROUNDS, NEAR = 16, 1e-4  # iterations, as a contact of both hands moves both; metres of remaining error to accept
AROUND = 0.5  # s beyond the ease in which a contact can be the cause of a snap
HELD = 0.995  # quantile of the source's accelerations
SLIPS = 0.05  # m along a part; larger ones are reported
REMAINS = 0.02  # m; larger errors are reported
REACHES = 0.96  # of an arm's length; hands beyond it slide along these parts
SLIDES = ("thigh", "trunk")
FARTHEST = 0.07  # body heights that they may slide


@dataclass(eq=False)
class _Hold:
    """A wanted contact and how it is approached.

    slid : metres along the part, for an arm that is too short for the place; let_go : why the contact is let go
    """

    wanted: Wanted
    slid: float = 0.0
    let_go: str = ""
    before: Array = field(default_factory=lambda: np.zeros(0))
    after: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def is_lost(self) -> bool:
        """Whether the hand is not on its contact, because it was let go."""
        return bool(self.let_go) and float(np.median(self.before)) > EXACT


@dataclass(frozen=True, eq=False)
class Kept:
    """How the hands of a result were kept on their contacts.

    holds : the contacts, each with its error (m) in its frames before and after, and the reason if it was let go
    """

    holds: tuple[_Hold, ...] = ()

    @property
    def errors(self) -> tuple[float, float]:
        """The errors (m) of the kept contacts before and after, 95th percentile."""
        kept = [one for one in self.holds if not one.is_lost]
        if not kept:
            return 0.0, 0.0
        before, after = (np.concatenate([getattr(one, name) for one in kept]) for name in ("before", "after"))
        return float(np.quantile(before, 0.95)), float(np.quantile(after, 0.95))

    def as_report(self) -> dict[str, Any]:
        """Return the outcome as plain JSON values for a report."""
        before, after = self.errors
        rows = [
            {
                "contact": describe(one.wanted.contact),
                "kind": one.wanted.contact.kind,
                "first": one.wanted.contact.first,
                "last": one.wanted.contact.end - 1,
                "off_cm": [round(100.0 * float(np.median(part)), 2) for part in (one.before, one.after)],
                "slid_cm": round(100.0 * one.slid, 2),
                "let_go": one.let_go if one.is_lost else "",
            }
            for one in self.holds
        ]
        off = [round(100.0 * before, 2), round(100.0 * after, 2)]
        return {"kept": sum(not one.is_lost for one in self.holds), "off_cm": off, "contacts": rows}

    def describe(self, name: str) -> list[str]:
        """Return sentences on lost contacts and on remaining errors; name : of the result."""
        found = []
        for one in self.holds:
            contact = one.wanted.contact
            what = f"{name}: {describe(contact)}, frames {contact.first} to {contact.end - 1}"
            if one.is_lost:
                off = 100.0 * float(np.median(one.before))
                found.append(f"{what}: let go {off:.0f} cm off, because {one.let_go}")
            elif float(np.median(one.after)) > REMAINS:
                found.append(f"{what}: the hands stay {100.0 * float(np.median(one.after)):.0f} cm off")
            elif not one.let_go and abs(one.slid) > SLIPS:
                found.append(f"{what}: the arm is too short, so it slides {100.0 * abs(one.slid):.0f} cm along")
        return found


_HANDS = {"L": "left hand", "R": "right hand", "LR": "both hands"}


def describe(contact: Contact) -> str:
    """Return a phrase on a contact, such as "right hand on head".

    Example:
        >>> from action_loom.core.contacts import find, keep
        >>> keep.describe(find.Contact("on", "R", "thigh.L", 0, 9))
        'right hand on thigh.L'
    """
    hands = _HANDS[contact.sides]
    if contact.kind == ON:
        return f"{hands} on {contact.part}"
    return {
        TOUCH: f"{hands} together",
        RIGID: f"{hands} on one thing",
        LOAD: f"{hands} with a load",
        WORLD: f"{hands} on something that stands still",
    }[contact.kind]


def keep_contacts(made: Clip, played: Sequence[Played]) -> tuple[Clip, Kept]:
    """Return a result with its hands where its sources have them, and how far they were off.

    played : what the result plays of its sources. A result without contacts, or with all hands within 2 mm, is
        returned as it is.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import keep, wanted
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> made, kept = keep.keep_contacts(walk, [wanted.Played(walk, 0, np.arange(97.0), np.ones(97))])
        >>> made is walk, kept.holds
        (True, ())
    """
    found = {one.clip: find.find_contacts(one.clip) for one in played}
    if not any(found.values()):
        return made, Kept()
    return _keep_in_cycle(made, played, found) if made.cyclic else _keep(made, played, found)


def keep_carried(clip: Clip, made: Clip) -> tuple[Clip, list[str]]:
    """Return a clip carried to another body, with its hands on their contacts, and sentences on lost ones.

    Example:
        >>> from action_loom.core.contacts import keep
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> keep.keep_carried(walk, walk)[0] is walk
        True
    """
    held, kept = keep_contacts(made, [Played(clip, 0, np.arange(float(len(clip))), np.ones(len(clip)))])
    return held, kept.describe(clip.name)


def _keep_in_cycle(made: Clip, played: Sequence[Played], found: Mapping[Clip, Sequence[Contact]]) -> tuple[Clip, Kept]:
    """Return the outcome for a cycle: hands that come to a contact before its first frame do so before its last one."""
    one = len(made) - 1
    three = replace(cycles.unroll_cycle(made, 1, 1), cyclic=False)
    again = [
        replace(part, first=part.first + k * one, frames=part.frames[: one - part.first],
                weights=part.weights[: one - part.first], world=False)
        for k in range(3) for part in played
    ]  # fmt: skip
    led, kept = _keep(three, again, found)
    holds = []
    for hold in kept.holds:
        contact = hold.wanted.contact
        if one <= contact.first < 2 * one or (contact.first < one and contact.end >= 2 * one):
            first, end = max(contact.first - one, 0), min(contact.end - one, len(made))
            moved = replace(contact, first=first, end=end)
            holds.append(replace(hold, wanted=replace(hold.wanted, contact=moved)))
    if led is three:
        return made, Kept(tuple(holds))
    rotations = made.rotations.copy()
    for side in "LR":
        arm = parts.find_arm(made.skeleton, side)
        for joint in () if arm is None else (arm.upper, arm.lower, arm.end):
            rotations[:-1, joint] = led.rotations[one : 2 * one, joint]
            rotations[-1, joint] = rotations[0, joint]
    return replace(made, rotations=rotations), Kept(tuple(holds))


def _keep(made: Clip, played: Sequence[Played], found: Mapping[Clip, Sequence[Contact]]) -> tuple[Clip, Kept]:
    palms = _carry_palms(made, played)
    now = figure_of(made, palms)
    holds = [_Hold(*_slide(one, now)) for one in wanted.list_wanted(now, made.rate, played, found)]
    for one in holds:
        one.before = one.after = _measure_error(now, one.wanted)
        if float(np.median(one.before)) > FAR * made.skeleton.height:
            one.let_go = "the result is too far from it"
    if all(one.let_go or float(one.before.max(initial=0.0)) <= EXACT for one in holds):
        return made, Kept(tuple(holds))
    limits = _limit(_accelerations(now, made.rate), _measure_usual(made, played))
    solver = _Solver.of(made, now, limits)
    result, after, snaps = solver.solve(holds)
    while cause := _find_cause(holds, snaps, made.rate):
        cause.let_go = "an elbow or a wrist would snap"
        result, after, snaps = solver.solve(holds)
    for one in holds:
        one.after = one.before if one.let_go else _measure_error(after, one.wanted)
    if all(one.let_go for one in holds):
        return made, Kept(tuple(holds))
    return result, Kept(tuple(holds))


def _carry_palms(made: Clip, played: Sequence[Played]) -> dict[str, Array] | None:
    """Return the vectors (F, 3) from the wrists to the palms of a body that plays one clip of another body.

    Hands point as the source's do, even if the bones do not show where fingers begin. None for a result of bodies with
    its own rest pose.
    """
    if (
        len(played) != 1
        or wanted.same_rest(played[0].clip.skeleton, made.skeleton)
        or len(played[0].frames) != len(made)
    ):
        return None
    clip, turned = played[0].clip, kinematics.get_cached_pose(played[0].clip)[0]
    found = {}
    for side in "LR":
        if any(parts.find_arm(one.skeleton, side) is None for one in (clip, made)):
            continue
        grown = parts.measure_limb(made.skeleton, "forearm", side) / parts.measure_limb(clip.skeleton, "forearm", side)
        found[side] = grown * wanted.sample(parts.palm_offset(clip, side, turned), played[0].frames)
    return found


# --- goals ----------------------------------------------------------------------------------------------------------


def _measure_lack(now: Figure, one: Wanted) -> dict[str, Array]:
    """Return the displacement (K, 3) of each hand of a contact that restores it, in its frames."""
    kind, sides, name = one.contact.key
    span, relation = one.span, one.relation[one.span]
    if kind == ON:
        part, turned = now.parts[name], now.turned[span, now.joint_of(name)]
        goal = part.at(one.relation[:, 0])[span] + quat.rotate(turned, relation[:, 1:])
        lack = goal - now.palms[sides][span]
        if name.partition(".")[0] not in parts.ARMS:
            return {sides: lack}
        # Crossed arms would follow each other if the other arm stayed, and block each other if both went half.
        return {sides: (1.0 - TOUCHED) * lack, name[-1]: -TOUCHED * lack}
    if kind == WORLD:
        return {sides: relation - now.palms[sides][span]}
    apart = (now.palms["L"] - now.palms["R"])[span]
    if kind == TOUCH:
        lack = quat.rotate(now.turned[span, now.chest], relation) - apart
    else:
        length = np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-9)
        lack = apart * (relation / length - 1.0)
    return {"L": 0.5 * lack, "R": -0.5 * lack}


def _measure_error(now: Figure, one: Wanted) -> Array:
    """Return the distance (K,), metres, of the hands from where a contact has them."""
    return np.asarray(np.sum([np.linalg.norm(lack, axis=1) for lack in _measure_lack(now, one).values()], axis=0))


def _slide(one: Wanted, now: Figure) -> tuple[Wanted, float]:
    """Return a contact with a thigh or the trunk that the arm reaches, and the shift along the part (m) for that.

    The shift is the least that suffices, and the same in all its frames, so that the hand rests.
    """
    kind, side, name = one.contact.key
    if kind != ON or name.partition(".")[0] not in SLIDES:
        return one, 0.0
    span, part, roles = one.span, now.parts[name], now.skeleton.roles
    shoulder, elbow, wrist = (now.points[span, roles[f"{role}.{side}"]] for role in ELBOWS)
    reach = REACHES * (np.linalg.norm(elbow - shoulder, axis=1) + np.linalg.norm(wrist - elbow, axis=1))
    goal = now.palms[side][span] + _measure_lack(now, one)[side]
    away = goal - (now.palms[side][span] - wrist) - shoulder
    line = part.high[span] - part.low[span]
    # Shares u along the part with |away + u line| = reach, or the nearest to it.
    square, half = (line * line).sum(axis=1), (away * line).sum(axis=1)
    root = np.sqrt(np.maximum(half**2 - square * ((away * away).sum(axis=1) - reach**2), 0.0))
    ends = np.stack([-half - root, -half + root]) / square
    shares = np.where(
        np.linalg.norm(away, axis=1) <= reach, 0.0, ends[np.abs(ends).argmin(axis=0), np.arange(len(goal))]
    )
    share = float(shares[np.abs(shares).argmax()])
    along = one.relation[:, 0]
    most = FARTHEST * now.skeleton.height / float(np.sqrt(np.median(square)))
    share = float(np.clip(share, max(-along[span].min(), -most), min(1.0 - along[span].max(), most))) if share else 0.0
    relation = np.concatenate([(along + share)[:, None], one.relation[:, 1:]], axis=1)
    return replace(one, relation=relation), share * float(np.sqrt(np.median(square)))


# --- arms -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Solver:
    """A result whose arms are led.

    begin : its figure before; out (F, 3) : by side, from the wrist to the palm
    limits (F, 2) : by side, m/s², the largest accelerations of elbow and wrist
    """

    made: Clip
    arms: Mapping[str, Limb]
    out: Mapping[str, Array]
    begin: Figure
    limits: Mapping[str, Array]

    @classmethod
    def of(cls, made: Clip, now: Figure, limits: Mapping[str, Array]) -> "_Solver":
        arms = {side: arm for side in now.palms if (arm := parts.find_arm(made.skeleton, side)) is not None}
        out = {side: now.palms[side] - now.points[:, arm.end] for side, arm in arms.items()}
        return cls(made, arms, out, now, limits)

    def solve(self, holds: Sequence[_Hold]) -> tuple[Clip, Figure, dict[str, Flags]]:
        """Return the clip with its hands on all remaining contacts, its figure, and where its arms snap."""
        now, result = self.begin, self.made
        live = [one for one in holds if not one.let_go]
        eases = {id(one): _ease(one, self.made) for one in live}
        for _ in range(ROUNDS):
            steps = self._step(now, live, eases)
            if max(float(np.abs(step).max()) for step in steps.values()) < NEAR:
                break
            shifts = {
                arm.foot: now.palms[side] - self.begin.palms[side] + steps[side] for side, arm in self.arms.items()
            }
            result = legs.shifted(self.made, list(self.arms.values()), shifts)
            now = self._figure(result)
        snaps = self._find_snaps(now)
        for _ in range(SOFTER):
            if not any(found.any() for found in snaps.values()):
                break
            result = self._soften(result, snaps)
            now = self._figure(result)
            snaps = self._find_snaps(now)
        return result, now, snaps

    def _find_snaps(self, now: Figure) -> dict[str, Flags]:
        """Return the frames (F,) by side in which an elbow or a wrist exceeds its limits far, or often does."""
        sizes, found = _accelerations(now, self.made.rate), {}
        for side in self.arms:
            often = np.quantile(sizes[side], HELD, axis=0) > EVEN * self.limits[side].min(axis=0)
            found[side] = np.any(sizes[side] > np.where(often, EVEN, SINGLE) * self.limits[side], axis=1)
        return found

    def _soften(self, result: Clip, snaps: Mapping[str, Flags]) -> Clip:
        """Return a result whose arms change more smoothly near frames in which they snap."""
        rate, rotations = self.made.rate, result.rotations.copy()
        for side, arm in self.arms.items():
            if not snaps[side].any():
                continue
            wide = round(SOFTENED * rate)
            near = np.convolve(snaps[side], np.ones(2 * wide + 1), mode="same") > 0.5
            mask = np.clip(root_motion.smooth(near.astype(float), SOFTENED * rate), 0.0, 1.0)[:, None]
            for joint in (arm.upper, arm.lower):
                before = self.made.rotations[:, joint]
                change = quat.log(quat.mul(quat.inv(before), rotations[:, joint]))
                soft = (1.0 - mask) * change + mask * root_motion.smooth(change, SOFT * rate)
                rotations[:, joint] = np.where(
                    mask > 0.0, quat.normalize(quat.mul(before, quat.exp(soft))), rotations[:, joint]
                )
        soft_clip = replace(result, rotations=rotations)
        # Hands keep their rotations in the world.
        ends = [arm.end for arm in self.arms.values()]
        now = kinematics.world_of(soft_clip, ends)[0]
        for end in ends:
            back = quat.mul(quat.inv(now[:, end]), self.begin.turned[:, end])
            held = quat.normalize(quat.mul(rotations[:, end], back))
            rotations[:, end] = quat.same_side(held, self.made.rotations[:, end])
        return replace(result, rotations=rotations)

    def _step(self, now: Figure, live: Sequence[_Hold], eases: Mapping[int, tuple[slice, Array]]) -> dict[str, Array]:
        count = len(now)
        total = {side: np.zeros((count, 3)) for side in self.arms}
        weight = {side: np.zeros(count) for side in self.arms}
        free = {side: np.ones(count) for side in self.arms}
        chest = now.turned[:, now.chest]
        for one in live:
            window, share = eases[id(one)]
            span = one.wanted.span
            nearest = np.clip(np.arange(window.start, window.stop), span.start, span.stop - 1) - span.start
            for side, lack in _measure_lack(now, one.wanted).items():
                # Beyond the contact its lack is held in the frame of the chest, with which the arm moves.
                own = quat.rotate(quat.inv(chest[span]), lack)[nearest]
                total[side][window] += share[:, None] * quat.rotate(chest[window], own)
                weight[side][window] += share
                free[side][window] *= 1.0 - share
        return {side: total[side] / (weight[side] + free[side])[:, None] for side in self.arms}

    def _figure(self, result: Clip) -> Figure:
        """Return the figure of a result whose arms have moved."""
        begin, joints = self.begin, [joint for arm in self.arms.values() for joint in (arm.upper, arm.lower, arm.end)]
        turned, places = kinematics.world_of(result, joints)
        all_turned, points = begin.turned.copy(), begin.points.copy()
        all_turned[:, joints], points[:, joints] = turned[:, joints], places[:, joints]
        palms = {side: points[:, arm.end] + self.out[side] for side, arm in self.arms.items()}
        return Figure(begin.skeleton, all_turned, points, palms, parts.find_parts(result.skeleton, points, palms))


def _ease(one: _Hold, made: Clip) -> tuple[slice, Array]:
    """Return the frames in which a contact moves an arm, and its share (K,) in them."""
    span, ease = one.wanted.span, EASE * made.rate
    first, end = max(span.start - int(ease), 0), min(span.stop + int(ease), len(made))
    at = np.arange(first, end)
    away = np.maximum(np.maximum(span.start - at, at - span.stop + 1), 0)
    near = np.clip(1.0 - away / ease, 0.0, 1.0)
    return slice(first, end), near**3 * (near * (6.0 * near - 15.0) + 10.0)


# --- the guard ------------------------------------------------------------------------------------------------------


def _accelerations(figure: Figure, rate: float) -> dict[str, Array]:
    """Return the accelerations (F, 2), m/s², of the elbow and of the wrist of each side.

    They are measured over 1/30 s, whatever the rate.
    """
    step = max(round(rate / find.RATE), 1)
    found, roles = {}, figure.skeleton.roles
    for side in figure.palms:
        places = figure.points[:, [roles[f"forearm.{side}"], roles[f"hand.{side}"]]]
        sizes = np.zeros((len(places), 2))
        if len(places) > 2 * step:
            bend = places[2 * step :] - 2.0 * places[step:-step] + places[: -2 * step]
            sizes[step:-step] = np.linalg.norm(bend, axis=2) * (rate / step) ** 2
        found[side] = sizes
    return found


def _measure_usual(made: Clip, played: Sequence[Played]) -> dict[str, Array]:
    """Return the accelerations (2,), m/s², that elbow and wrist of each side rarely exceed in the sources, scaled."""
    usual = {side: np.zeros(2) for side in "LR"}
    for clip in dict.fromkeys(one.clip for one in played):
        frames = np.concatenate([one.frames for one in played if one.clip is clip])
        shown = slice(max(int(frames.min()), 0), max(int(frames.max()), 0) + 1)
        scale = retarget.leg_ratio(clip.skeleton, made.skeleton)
        for side, sizes in _accelerations(figure_of(clip), clip.rate).items():
            if len(sizes[shown]):
                usual[side] = np.maximum(usual[side], scale * np.quantile(sizes[shown], HELD, axis=0))
    return usual


def _limit(before: Mapping[str, Array], usual: Mapping[str, Array]) -> dict[str, Array]:
    """Return the largest accelerations (F, 2) by side, from those before and the usual ones (2,) of the sources."""
    return {
        side: np.maximum(SNAPS * np.maximum(usual[side], np.quantile(sizes, HELD, axis=0)), sizes)
        for side, sizes in before.items()
    }


def _find_cause(holds: Sequence[_Hold], snaps: Mapping[str, Flags], rate: float) -> _Hold | None:
    """Return the farthest contact near frames (F,) in which its arm snaps, None if no arm does."""
    for one in sorted(holds, key=lambda one: -float(np.median(one.before))):
        if one.let_go or float(one.before.max(initial=0.0)) <= EXACT:
            continue
        near = _widen(one.wanted.contact, int((EASE + AROUND) * rate))
        if any(snaps[side][near].any() for side in one.wanted.contact.sides):
            return one
    return None


def _widen(contact: Contact, margin: int) -> slice:
    return slice(max(contact.first - margin, 0), contact.end + margin)
