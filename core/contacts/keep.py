"""Bring the hands of a result back to where its sources have them (methods: Contacts of hands).

Only arms change (see `arms`). If an elbow or a wrist would snap, the contact is let go with a warning.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..motion import arrays, cycles
from ..motion.clip import Clip
from ..motion.quat import Array
from . import arms, carrying, find, kneeling, parts, wanted
from .arms import Approach, Arms, Flags, Hand
from .figure import Figure, figure_of
from .find import BY_PARTNER, HOLD, LOAD, MEET, ON, ON_PARTNER, PROP, RIGID, TOUCH, WORLD, Contact
from .goals import EXACT, carry_palms, measure_lack, slide
from .wanted import Played, Wanted

Lacks = Callable[["Hold", Sequence[Figure]], Mapping[Hand, Array]]
Held = tuple[list[Clip], "Kept"]

FAR = 0.25  # body heights; a contact whose hand is farther away in the result (median) is let go
AROUND = 0.5  # s before and after the eases of a contact; a snap of its arm in this range is attributed to the contact
SLIPS = 0.05  # m; if a hand must be moved along a part by more, this is reported
MISSES = 0.01  # m; a contact with a partner is reported if its error is larger in a twentieth of its frames
REMAINS = 0.02  # m; larger errors of hands are reported
LEFT = 0.005  # m; the same limit for hands on a prop
LATE = 0.005  # m; if the error of a contact is larger in any frame, longer approaches to it are tried
APPROACHES: Sequence[Approach] = ((arms.EASE, 0.0), (arms.EASE, 0.1), (0.45, 0.1), (0.45, 0.2))  # s


@dataclass(eq=False)
class Hold:
    """A wanted contact and how it is approached.

    hands : the hands of the contact; shares : of the missing distance that each of two hands moves; if the arm of one
        would snap, the other moves alone
    approach : seconds over which the hands are eased in and out
    slid : metres along the part, for an arm that is too short for the place; let_go : why the contact is let go
    listed : whether a person added it, so that it is kept even if its limb snaps
    """

    wanted: Wanted
    hands: tuple[Hand, ...] = ()
    shares: tuple[float, float] = (0.5, 0.5)
    approach: Approach = APPROACHES[0]
    slid: float = 0.0
    let_go: str = ""
    listed: bool = False
    snaps: bool = False
    before: Array = field(default_factory=lambda: np.zeros(0))
    after: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def is_lost(self) -> bool:
        """Whether the hand is not on its contact, because it was let go."""
        return bool(self.let_go) and float(np.median(self.before)) > EXACT

    def is_far(self, height: float) -> bool:
        """Let a contact go whose hand is too far from it in the result, and return whether it was let go."""
        if float(np.median(self.before)) > FAR * height:
            self.let_go = "the result is too far from it"
        return bool(self.let_go)

    @property
    def limit(self) -> float:
        """The distance (m) above which an error is reported."""
        return LEFT if self.wanted.contact.kind == PROP else REMAINS


@dataclass(frozen=True, eq=False)
class Kept:
    """How the hands of a result were kept on their contacts.

    holds : the contacts, each with its error (m) in its frames before and after, and the reason if it was let go
    """

    holds: tuple[Hold, ...] = ()

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
                "sides": one.wanted.contact.sides,
                "part": one.wanted.contact.part,
                "hands": _own_hands(one.wanted.contact),
                "first": one.wanted.contact.first,
                "last": one.wanted.contact.end - 1,
                "off_cm": [round(100.0 * float(np.median(part)), 2) for part in (one.before, one.after)],
                "slid_cm": round(100.0 * one.slid, 2),
                "let_go": one.let_go if one.is_lost else "",
                "missed": [
                    [one.wanted.contact.first + at for at in run] for run in arrays.find_runs(one.after > one.limit)
                ],
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
            elif float(np.median(one.after)) > one.limit:
                found.append(f"{what}: the hands stay {100.0 * float(np.median(one.after)):.0f} cm off")
            elif one.snaps:
                found.append(f"{what}: kept as it was added, but an elbow, a wrist or a leg snaps")
            elif contact.kind in _WITH_PARTNER and float(np.quantile(one.after, 0.95)) > MISSES:
                far, count = 100.0 * float(one.after.max()), int((one.after > MISSES).sum())
                found.append(f"{what}: the hands are up to {far:.0f} cm off in {count} frames, or arms would snap")
            elif not one.let_go and abs(one.slid) > SLIPS:
                found.append(f"{what}: the arm is too short, so it slides {100.0 * abs(one.slid):.0f} cm along")
        return found


HANDS = {"L": "left hand", "R": "right hand", "LR": "both hands"}
HANDS |= {"foot.L": "left foot", "foot.R": "right foot", "knee.L": "left knee", "knee.R": "right knee"}

# A hand and the part below it, in contacts of two figures.
_WITH_PARTNER: dict[str, Callable[[Contact], tuple[str, str]]] = {
    MEET: lambda one: (HANDS[one.ends[0][1]], _name_of_partner(one.ends[1][1])),
    HOLD: lambda one: (HANDS[one.ends[0][1]], _name_of_partner(one.ends[1][1])),
    ON_PARTNER: lambda one: (HANDS[one.sides], f"partner.{one.part}"),
    BY_PARTNER: lambda one: (_name_of_partner(one.sides), one.part),
}


def _name_of_partner(end: str) -> str:
    return f"partner.{end}" if "." in end else f"partner.hand.{end}"


def describe(contact: Contact) -> str:
    """Return a phrase on a contact, such as "right hand on head".

    Example:
        >>> from action_loom.core.contacts import find, keep
        >>> keep.describe(find.Contact("on", "R", "thigh.L", 0, 9))
        'right hand on thigh.L'
    """
    if contact.kind in _WITH_PARTNER:
        hands, part = _WITH_PARTNER[contact.kind](contact)
        return f"{hands} on {part}"
    hands = HANDS[contact.sides]
    if contact.kind in (ON, PROP):
        return f"{hands} on {contact.part}"
    return {
        TOUCH: f"{hands} together",
        RIGID: f"{hands} on one thing",
        LOAD: f"{hands} with a load",
        WORLD: f"{hands} on a fixed place",
    }[contact.kind]


def _own_hands(contact: Contact) -> str:
    """Return the sides of the first figure's hands in a contact."""
    if contact.kind in (MEET, HOLD):
        return contact.ends[0][1]
    return "" if contact.kind == BY_PARTNER else contact.sides


def mark_hands(report: Mapping[str, Any], count: int) -> dict[str, NDArray[np.int64]]:
    """Return by end for each frame of a result 1 if the hand is on its contact, 2 if it misses it, 0 without a contact.

    report : of the result; count : its frames. A hand misses a contact if its error is large enough to be reported

    Example:
        >>> from action_loom.core.contacts import keep
        >>> row = {"hands": "L", "first": 1, "last": 3, "missed": [[3, 4]]}
        >>> keep.mark_hands({"hands": {"contacts": [row]}}, 5)["L"].tolist()
        [0, 1, 1, 2, 0]
    """
    marks = {side: np.zeros(count, dtype=np.int64) for side in "LR"}
    for row in [row for kind in ("hands", "partner") for row in (report.get(kind) or {}).get("contacts", ())]:
        for mark in [marks.setdefault(end, np.zeros_like(marks["L"])) for end in find.split_ends(row["hands"])]:
            spans = [(1, row["first"], row["last"] + 1), *((2, *run) for run in row["missed"])]
            for value, first, end in spans:
                mark[first:end] = np.maximum(mark[first:end], value)
    return marks


def keep_contacts(made: Clip, played: Sequence[Played], kinds: Sequence[str] = find.KINDS) -> tuple[Clip, Kept]:
    """Return a result with its hands where its sources have them, and how far they were off.

    played : what the result plays of its sources; kinds : of contacts to keep. A result without contacts, or
        with all hands within 2 mm, is returned as it is.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import keep, wanted
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> made, kept = keep.keep_contacts(walk, [wanted.Played(walk, 0, np.arange(97.0), np.ones(97))])
        >>> made is walk, kept.holds
        (True, ())
    """
    found = {one.clip: _contacts_for(made, one.clip, kinds) for one in played}
    if not any(found.values()):
        return made, Kept()
    if made.cyclic:
        (held,), kept = around_cycle([made], played, lambda clips, again: _keep(clips[0], again, found))
    else:
        (held,), kept = _keep(made, played, found)
    return held, kept


def _contacts_for(made: Clip, source: Clip, kinds: Sequence[str]) -> list[Contact]:
    """Return contacts of a source; on a body without a prop, both hands on it become rigid, and one hand is free."""
    names, found = set(made.skeleton.names), list[Contact]()
    for one in find.find_contacts(source):
        if one.kind == PROP and one.part not in names:
            if one.sides != "LR":
                continue
            one = replace(one, kind=RIGID, part="")
        if one.kind in kinds:
            found.append(one)
    return found


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


def around_cycle(
    made: Sequence[Clip], played: Sequence[Played], restored: Callable[[Sequence[Clip], Sequence[Played]], Held]
) -> Held:
    """Return the outcome for cycles: hands that come to a contact before its first frame do so before its last one.

    restored : does the work for the cycles played three times
    """
    one = len(made[0]) - 1
    three = [replace(cycles.unroll_cycle(clip, 1, 1), cyclic=False) for clip in made]
    again = [
        replace(part, first=part.first + k * one, frames=part.frames[: one - part.first],
                weights=part.weights[: one - part.first], world=False)
        for k in range(3) for part in played
    ]  # fmt: skip
    led, kept = restored(three, again)
    holds = []
    for hold in kept.holds:
        contact = hold.wanted.contact
        if one <= contact.first < 2 * one or (contact.first < one and contact.end >= 2 * one):
            first, end = max(contact.first - one, 0), min(contact.end - one, len(made[0]))
            moved = replace(contact, first=first, end=end)
            part = slice(first + one - contact.first, end + one - contact.first)
            holds.append(
                replace(
                    hold,
                    wanted=replace(hold.wanted, contact=moved),
                    before=hold.before[part],
                    after=hold.after[part],
                )
            )
    results = list(made)
    for k, (clip, thrice, changed) in enumerate(zip(made, three, led, strict=True)):
        if changed is thrice:
            continue
        rotations = clip.rotations.copy()
        translations = clip.translations.copy()
        ends = {end for hold in kept.holds for _, end in hold.wanted.contact.ends if "." in end} | {"L", "R"}
        if any(end.startswith("knee.") for end in ends):
            ends |= {"foot.L", "foot.R"}
            hips, middle = clip.skeleton.roles.get("hips", 0), slice(one, 2 * one + 1)
            translations[:, hips] += (changed.translations - thrice.translations)[middle, hips]
        limbs = [limb for end in ends if (limb := parts.find_limb(clip.skeleton, end)) is not None]
        for joint in [joint for limb in limbs for joint in (limb.upper, limb.lower, limb.end)]:
            rotations[:-1, joint] = changed.rotations[one : 2 * one, joint]
            rotations[-1, joint] = rotations[0, joint]
        props = [hold.wanted.contact.part for hold in kept.holds if hold.wanted.contact.kind == PROP]
        for joint in map(clip.skeleton.index, dict.fromkeys(props)):
            rotations[:, joint] = changed.rotations[one : 2 * one + 1, joint]
            translations[:, joint] = changed.translations[one : 2 * one + 1, joint]
        results[k] = replace(clip, rotations=rotations, translations=translations)
    return results, Kept(tuple(holds))


def _keep(made: Clip, played: Sequence[Played], found: Mapping[Clip, Sequence[Contact]]) -> Held:
    now = figure_of(made, carry_palms(made, played))
    holds = []
    for one in wanted.list_wanted(now, made.rate, played, found):
        placed, slid = slide(one, now)
        holds.append(Hold(placed, one.contact.ends, slid=slid, listed=is_listed(one.contact, played)))
    knees = [one for one in holds if one.wanted.contact.sides.startswith("knee.")]
    if not knees:
        return _keep_ends(made, now, played, holds)
    kneels = _put_knees(made, now, knees)
    if kneels is not made:
        now = figure_of(
            kneels, {side: palm - now.points[:, now.joint_of(f"hand.{side}")] for side, palm in now.palms.items()}
        )
    (held,), _ = _keep_ends(kneels, now, played, [one for one in holds if one not in knees])
    for knee in knees:
        knee.after = knee.before if knee.let_go else _measure_error(_measure_own(knee, [figure_of(held)]))
    return [held], Kept(tuple(holds))


def is_listed(contact: Contact, played: Sequence[Played]) -> bool:
    """Return whether a person has added a contact to a source.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import find, keep, wanted
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> keep.is_listed(find.Contact("world", "L", "", 3, 9), [wanted.Played(walk, 0, np.ones(1), np.ones(1))])
        False
    """
    return any(row.added and row[:3] == contact.key for one in played for row in one.clip.free_hands)


def _put_knees(made: Clip, now: Figure, knees: Sequence[Hold]) -> Clip:
    """Return a clip with its knees on their contacts; store their errors before, and why they were let go."""
    lacks = []
    for one in knees:
        ((end, lack),) = measure_lack(now, one.wanted).items()
        one.before = np.linalg.norm(lack, axis=1)
        if not one.is_far(now.skeleton.height):
            lacks.append(kneeling.Lack(end, one.wanted.span, lack))
    return made if all(float(one.before.max()) <= EXACT or one.let_go for one in knees) else kneeling.kneel(made, lacks)


def _keep_ends(made: Clip, now: Figure, played: Sequence[Played], holds: Sequence[Hold]) -> Held:
    props = [one for one in holds if one.wanted.contact.kind == PROP]
    if not props:
        return restore([_list_arms(made, now, played, holds)], holds, _measure_own)
    return _keep_with_props(made, now, played, holds)


def _list_arms(made: Clip, now: Figure, played: Sequence[Played], holds: Sequence[Hold]) -> Arms:
    return Arms.of(made, now, played, [end for one in holds for _, end in one.hands])


def _keep_with_props(made: Clip, now: Figure, played: Sequence[Played], holds: Sequence[Hold]) -> Held:
    """Return a clip with its hands on their contacts, and with its props in the hands that hold them.

    Both hands are led to a prop as to other contacts. A prop in one hand follows this hand, even if the hand is led to
    another contact.
    """
    props = [one for one in holds if one.wanted.contact.kind == PROP]
    held, before = [one.wanted for one in props], [carrying.measure_off(now, one.wanted) for one in props]
    turned, figure = made, now
    if any(_are_apart(now, one.wanted) for one in props):
        turned, figure = carrying.turn_hands(made, now, held)
    goals = {one: carrying.find_goals(figure, one.wanted) for one in props if len(one.hands) == 2}

    def lacks(one: Hold, figures: Sequence[Figure]) -> Mapping[Hand, Array]:
        if one in goals:
            span = one.wanted.span
            return {(0, side): goal - figures[0].palms[side][span] for side, goal in goals[one]}
        return _measure_own(one, figures)

    arm = _list_arms(turned, figure, played, holds)
    (clip,), _ = restore([arm], [one for one in holds if one in goals or one not in props], lacks)
    after = figure_of(clip, arm.offsets)
    placed = carrying.place_props(clip, after, held)
    after = figure_of(placed, arm.offsets)
    for one, off in zip(props, before, strict=True):
        one.before, one.after = off, carrying.measure_off(after, one.wanted)
    return [placed], Kept(tuple(holds))


def _are_apart(now: Figure, one: Wanted) -> bool:
    """Return whether two hands have to be moved to their places on a prop, because their distance exceeds EXACT."""
    gaps = [np.linalg.norm(goal - now.palms[side][one.span], axis=1) for side, goal in carrying.find_goals(now, one)]
    return float(np.max(gaps)) > EXACT


def restore(
    bodies: Sequence[Arms], holds: Sequence[Hold], lacks: Lacks, approaches: Sequence[Approach] = APPROACHES[:1]
) -> Held:
    """Return the clips of one body or two with the hands on their contacts, and how far they were off.

    holds : the contacts; their errors are stored in them, and the reason if they are let go
    lacks : returns the displacement (K, 3) of each hand of a contact that restores it, in its frames
    approaches : eases of the hands; if hands miss a contact by more than LATE, the longer ones are tried in turn
    """
    made, begin, rate = [one.made for one in bodies], [one.begin for one in bodies], bodies[0].made.rate
    for one in holds:
        one.before = one.after = _measure_error(lacks(one, begin))
        if one.wanted.contact.kind != PROP:
            one.is_far(made[0].skeleton.height)
    if all(one.let_go or float(one.before.max(initial=0.0)) <= EXACT for one in holds):
        return made, Kept(tuple(holds))

    def pull(nows: Sequence[Figure]) -> list[arms.Pull]:
        return [(one.wanted.span, lacks(one, nows), one.approach) for one in holds if not one.let_go]

    results, after, snaps = arms.lead(bodies, pull)
    while cause := _find_cause(holds, snaps, rate):
        if not _leave_to_other(cause, snaps, rate):
            if cause.listed:
                cause.snaps = True
                continue
            cause.let_go = "an elbow or a wrist would snap"
        results, after, snaps = arms.lead(bodies, pull)
    _measure_after(holds, lacks, after)
    for approach in approaches[1:]:
        late = [one for one in holds if not one.let_go and float(one.after.max(initial=0.0)) > LATE]
        if not late:
            break
        known = [(one.approach, one.after) for one in holds]
        for one in late:
            one.approach = approach
        led, after, snaps = arms.lead(bodies, pull)
        _measure_after(holds, lacks, after)
        nearer = sum(float(one.after.sum()) for one in holds) < sum(float(off.sum()) for _, off in known)
        if nearer and not _find_cause(holds, snaps, rate):
            results = led
            continue
        for one, (before, off) in zip(holds, known, strict=True):
            one.approach, one.after = before, off
    return made if all(one.let_go for one in holds) else results, Kept(tuple(holds))


def _measure_after(holds: Sequence[Hold], lacks: Lacks, figures: Sequence[Figure]) -> None:
    """Store how far the hands of contacts are off."""
    for one in holds:
        one.after = one.before if one.let_go else _measure_error(lacks(one, figures))


def measure_again(kept: Kept, lacks: Lacks, figures: Sequence[Figure]) -> Kept:
    """Return the outcome with the errors of figures changed after `restore`."""
    for one in kept.holds:
        one.after = _measure_error(lacks(one, figures))
    return kept


def _find_cause(holds: Sequence[Hold], snaps: Sequence[Mapping[str, Flags]], rate: float) -> Hold | None:
    """Return the farthest contact near frames (F,) in which its arm snaps, None if no arm does."""
    for one in sorted(holds, key=lambda one: -float(np.median(one.before))):
        if one.let_go or one.snaps or one.wanted.contact.kind == PROP or float(one.before.max(initial=0.0)) <= EXACT:
            continue  # a prop stays in its hands
        if any(_find_snapping(one, snaps, rate)):
            return one
    return None


def _find_snapping(one: Hold, snaps: Sequence[Mapping[str, Flags]], rate: float) -> list[bool]:
    """Return whether the arm of each hand snaps near a contact."""
    contact, margin = one.wanted.contact, int((arms.EASE + AROUND) * rate)
    near = slice(max(contact.first - margin, 0), contact.end + margin)
    return [bool(snaps[body][side][near].any()) for body, side in one.hands]


def _leave_to_other(one: Hold, snaps: Sequence[Mapping[str, Flags]], rate: float) -> bool:
    """Let one figure's hand move alone if the other's arm snaps; return False after that, or if both snap."""
    if len({body for body, _ in one.hands}) < 2 or one.shares != (0.5, 0.5):
        return False
    snapping = _find_snapping(one, snaps, rate)
    if all(snapping):
        return False
    one.shares = (0.0, 1.0) if snapping[0] else (1.0, 0.0)
    return True


def _measure_own(one: Hold, figures: Sequence[Figure]) -> dict[Hand, Array]:
    return {(0, side): lack for side, lack in measure_lack(figures[0], one.wanted).items()}


def _measure_error(lacks: Mapping[Hand, Array]) -> Array:
    """Return the distance (K,), metres, of the hands from where a contact has them."""
    return np.asarray(np.sum([np.linalg.norm(lack, axis=1) for lack in lacks.values()], axis=0))
