"""Find contacts of hands from the motion of a body alone (methods: Contacts of hands).

A hand can also stay in its place on something by chance. The evidence against chance is a comparison with shuffled
frames: the relation must vary far less than it does if the hand has its position in the chest of other frames.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..motion import arrays, quat
from ..motion.clip import Clip, FreeHand
from ..motion.quat import Array
from . import parts, props, still_spans
from .figure import Figure, figure_of
from .still_spans import Stillness

ON, TOUCH, RIGID, LOAD, WORLD, PROP = KINDS = ("on", "touch", "rigid", "load", "world", "prop")
# Kinds of contacts of two figures: palms that come near each other, palms that stay at one distance, a palm of this
# figure on the partner, and a palm of the partner on this figure. The sides of the first two kinds are the side of this
# figure's hand, followed by the side of the partner's hand.
MEET, HOLD, ON_PARTNER, BY_PARTNER = OF_TWO = ("meet", "hold", "on_partner", "by_partner")
RATE = 30.0  # Hz at which contacts are searched
FRAMES = 24  # largest number of frames of a span in the comparison with shuffled frames
# Limits of still spans by kind. They apply to the position of the palm in the frame of a part, to the distance of the
# hands, to the positions of both palms in the frame of the chest, and to the position of the palm in the world.
STILL = {
    ON: still_spans.ON_A_PART,
    RIGID: Stillness(0.03, 0.12, 0.014, 0.7),
    LOAD: Stillness(0.06, 0.15, 0.02, 0.8),
    WORLD: Stillness(0.05, 0.15, 0.016, 0.35),
}
# By kind: the largest variation of a contact's relation, as a share of the variation of the shuffled relation, and the
# least variation (body heights) of the shuffled relation. Below the latter nothing can be concluded.
CHANCE = {ON: (0.35, 0.02), RIGID: (0.25, 0.02), WORLD: (0.25, 0.04)}
# Radians; if the median bend of an elbow is larger, the hand is on a part without further evidence. On a thigh this
# holds only if the thigh is tilted from the vertical by more than SLANTED.
BENT: dict[str, float] = {"trunk": np.radians(65.0), "thigh": np.radians(20.0)}
BENT_ELSEWHERE, SLANTED = float(np.radians(35.0)), np.radians(40.0)
RESTS = 0.3  # s; in shorter spans a bent elbow does not suffice, because arms of runners reverse near the trunk
FAR = 0.5  # body heights; hands whose median distance is larger do not hold one thing
TOUCHING = 0.085  # body heights; palms at a smaller distance may touch each other
TOUCHED = 0.055  # body heights; the distance of touching palms is smaller than this at least once
TAPS = 0.06  # s; palms that are near each other for a shorter time do not touch
LIFTS = np.radians(40.0)  # hands hold one thing only if the median bend of the straighter elbow is larger
STIFF = 0.006  # body heights; the distance of hands that carry a load has a smaller standard deviation
CARRIES = 0.3  # body heights; the shoulders move at least this far while a load is carried
GIVES_WAY = 0.3  # a contact is dropped if contacts of stronger kinds cover at least this share of its frames


@dataclass(frozen=True)
class Contact:
    """A contact of a hand, or of both, from its first frame to the one before `end`.

    kind : one of `KINDS`, or of two figures; sides : "L", "R" or "LR", or other ends, as `split_ends`
    part : the touched part of the body, or a joint, such as a prop's; "" for other kinds
    """

    kind: str
    sides: str
    part: str
    first: int
    end: int

    @property
    def key(self) -> tuple[str, str, str]:
        """The kind, the sides and the part, without the time."""
        return self.kind, self.sides, self.part

    @property
    def ends(self) -> tuple[tuple[int, str], ...]:
        """The ends of limbs, each with the number of its figure."""
        ends = split_ends(self.sides)
        if self.kind in (MEET, HOLD):
            return tuple(enumerate(ends))
        return tuple((int(self.kind == BY_PARTNER), end) for end in ends)


def split_ends(sides: str) -> tuple[str, ...]:
    """Return the ends of limbs in a contact's sides: a letter for each hand, or names with commas.

    Example:
        >>> from action_loom.core.contacts import find
        >>> find.split_ends("LR"), find.split_ends("foot.L,R"), find.split_ends("knee.L")
        (('L', 'R'), ('foot.L', 'R'), ('knee.L',))
    """
    return tuple(sides.split(",") if "." in sides else sides)


_found: WeakKeyDictionary[Clip, tuple[Contact, ...]] = WeakKeyDictionary()


def find_contacts(clip: Clip) -> tuple[Contact, ...]:
    """Return the contacts of the hands of a two-legged body, by time; none for other bodies, and without known arms.

    Those that the clip has as free hands are left out, and added ones are among them. They are cached while the clip is
    in use.

    Example:
        >>> from action_loom.core.contacts import find
        >>> from action_loom.core.demo_character import actions
        >>> find.find_contacts(actions.walk())
        ()
    """
    if clip not in _found:
        found, added = [one for one in _find_contacts(clip) if not is_free(one, clip)], _list_added(clip)
        _found[clip] = tuple(found) if not added else merge_added(found, added)
    return _found[clip]


def merge_added(found: list[Contact], added: list[Contact]) -> tuple[Contact, ...]:
    """Return contacts by time; found ones of the same hands give way to added ones.

    Example:
        >>> from action_loom.core.contacts import find
        >>> found = [find.Contact(find.WORLD, "L", "", 0, 20), find.Contact(find.WORLD, "R", "", 0, 20)]
        >>> [one.part for one in find.merge_added(found, [find.Contact(find.ON, "L", "head", 0, 30)])]
        ['', 'head']
    """
    kept = [one for one in found if not is_covered(one, added)]
    return tuple(sorted([*kept, *added], key=lambda one: (one.first, one.end, one.key)))


def _list_added(clip: Clip) -> list[Contact]:
    """Return contacts that people have added to a clip, if its body can have them."""
    added = [one for one in clip.free_hands if one.added]
    if not added:
        return []
    figure, found = figure_of(clip), list[Contact]()
    things = {figure.skeleton.names[joint] for joint in props.list_props(figure)}
    for one in added:
        on_part = one.sides in figure.palms and one.part in figure.parts and parts.is_other_part(one.part, one.sides)
        on_thing = one.sides.startswith("foot.") and one.part in things
        can_be = {
            ON: one.sides in figure.ends and (on_part or on_thing),
            WORLD: one.sides in figure.ends,
            PROP: one.part in things and all(side in figure.palms for side in one.sides),
            RIGID: one.sides == "LR" and len(figure.palms) == 2,
        }
        if can_be.get(one.kind, False):
            found += read_added(one, clip)
    return found


def read_added(one: FreeHand, clip: Clip) -> list[Contact]:
    """Return an added contact in the frames of its clip, if it has some there."""
    first, end = max(round(one.begin * clip.rate), 0), min(round(one.end * clip.rate), len(clip))
    return [Contact(*one[:3], first, end)] if end - first > 1 else []


def is_free(contact: Contact, clip: Clip) -> bool:
    """Return whether a clip has a contact as one that results do not keep."""
    begin, end = contact.first / clip.rate, contact.end / clip.rate
    return any(one.covers(contact.key, begin, end) for one in clip.free_hands)


def _find_contacts(clip: Clip) -> tuple[Contact, ...]:
    every = max(round(clip.rate / RATE), 1)
    whole = figure_of(clip)
    if not whole.palms or len(clip) < 2 * every:
        return ()
    figure, rate = whole.take_frames(np.arange(0, len(clip), every)), clip.rate / every
    pair = _find_pairs(figure, rate)
    carried = _find_props(figure, rate, pair)
    both = [one for one in carried if one.sides == "LR"]
    pair = [one for one in pair if not is_covered(one, both)]
    held = _prefer_one_part([one for side in figure.palms for one in _find_on_parts(figure, rate, side)], figure, rate)
    held = [one for one in held if one.part.partition(".")[0] not in parts.ARMS or not is_covered(one, pair)]
    fixed = [one for side in figure.palms for one in _find_in_world(figure, rate, side)]
    fixed = [one for one in fixed if not is_covered(one, held)]
    held, fixed = ([one for one in some if not is_covered(one, both)] for some in (held, fixed))
    found = sorted([*carried, *pair, *held, *fixed], key=lambda one: (one.first, one.end, one.key))
    last = len(clip)
    return tuple(
        Contact(one.kind, one.sides, one.part, one.first * every, min((one.end - 1) * every + 1, last)) for one in found
    )


def _find_on_parts(figure: Figure, rate: float, side: str) -> list[Contact]:
    """Return spans in which a palm stays on any other part of the body."""
    height, palm, found = figure.skeleton.height, figure.palms[side], list[Contact]()
    bend = figure.measure_bend(side)
    for name, part in figure.parts.items():
        role = name.partition(".")[0]
        if role == "hand" or not parts.is_other_part(name, side):
            continue
        away = np.linalg.norm(palm - part.at(part.nearest(palm)), axis=1)
        near, far = (height * share for share in parts.NEAR[role])
        if away.min() > far:
            continue
        under = part.under(palm) if role == "trunk" else np.zeros(len(palm))
        for first, end in still_spans.find_still_spans(figure.in_part(name, palm), rate, height, STILL[ON]):
            span = slice(first, end)
            distance = float(np.median(away[span]))
            if distance > far or float(np.median(under[span])) > parts.UNDER * height:
                continue
            is_bent = float(np.median(bend[span])) > BENT.get(role, BENT_ELSEWHERE)
            if role == "thigh" and float(np.median(figure.measure_slant(name)[span])) <= SLANTED:
                continue  # an arm hangs beside the thigh of who stands, and moves with it
            close = distance <= 0.5 * (near + far) and end - first >= RESTS * rate
            if (is_bent and close) or is_evident(ON, height, *_measure_on_part(figure, name, side, span)):
                found.append(Contact(ON, side, name, first, end))
    return found


def _find_in_world(figure: Figure, rate: float, side: str) -> list[Contact]:
    height, palm = figure.skeleton.height, figure.palms[side]
    return [
        Contact(WORLD, side, "", first, end)
        for first, end in still_spans.find_still_spans(palm, rate, height, STILL[WORLD])
        if is_evident(WORLD, height, *_measure_in_world(figure, side, slice(first, end)))
    ]


def _find_pairs(figure: Figure, rate: float) -> list[Contact]:
    """Return spans in which the hands touch each other, carry something or hold one rigid thing, in this order."""
    if len(figure.palms) < 2:
        return []
    height = figure.skeleton.height
    distance = np.linalg.norm(figure.palms["L"] - figure.palms["R"], axis=1)
    bend = np.minimum(figure.measure_bend("L"), figure.measure_bend("R"))  # arms that swing together are straighter
    touch = [
        Contact(TOUCH, "LR", "", first, end)
        for first, end in arrays.find_runs(distance < TOUCHING * height)
        if distance[first:end].min() < TOUCHED * height and end - first >= TAPS * rate
    ]
    load = _find_loads(figure, rate, distance, bend)
    rigid = [
        Contact(RIGID, "LR", "", first, end)
        for first, end in still_spans.find_still_spans(distance, rate, height, STILL[RIGID])
        if np.median(distance[first:end]) <= FAR * height
        and np.median(bend[first:end]) > LIFTS
        and is_evident(RIGID, height, *_measure_distance(figure, slice(first, end)))
    ]
    found = touch
    for weaker in (load, rigid):
        found = [*found, *(one for one in weaker if not is_covered(one, found))]
    return found


def _find_loads(figure: Figure, rate: float, distance: Array, bend: Array) -> list[Contact]:
    height = figure.skeleton.height
    both = np.concatenate([figure.in_chest(figure.palms[side]) for side in "LR"], axis=1) / np.sqrt(2.0)
    roles = figure.skeleton.roles
    shoulders = 0.5 * (figure.points[:, roles["upper_arm.L"]] + figure.points[:, roles["upper_arm.R"]])
    return [
        Contact(LOAD, "LR", "", first, end)
        for first, end in still_spans.find_still_spans(both, rate, height, STILL[LOAD])
        if np.median(bend[first:end]) > LIFTS
        and distance[first:end].std() < STIFF * height
        and np.linalg.norm(np.ptp(shoulders[first:end], axis=0)) >= CARRIES * height
    ]


def _find_props(figure: Figure, rate: float, pair: list[Contact]) -> list[Contact]:
    """Return spans in which hands hold props.

    pair : contacts of both hands with each other or one thing
    """
    paired = np.zeros(len(figure), dtype=bool)
    for one in pair:
        paired[one.first : one.end] = True
    names = figure.skeleton.names
    held = [one for joint in props.list_props(figure) for one in props.find_held(figure, rate, paired, joint)]
    return [Contact(PROP, sides, names[joint], first, end) for joint, sides, first, end in held]


# --- evidence -------------------------------------------------------------------------------------------------------


def is_evident(kind: str, height: float, own: float, shuffled: float) -> bool:
    """Return whether a relation varies (m) far less than the shuffled one."""
    chance, least = CHANCE[kind]
    return shuffled >= least * height and own <= chance * shuffled


def choose_frames(span: slice) -> NDArray[np.int64]:
    count = min(span.stop - span.start, FRAMES)
    return np.unique(np.linspace(span.start, span.stop - 1, count).round().astype(np.int64))


def shuffle(figure: Figure, side: str, frames: NDArray[np.int64]) -> Array:
    """Return places (N, N, 3) of a palm in the world; row t has its places in the chest of all frames, for chest t."""
    chest = figure.chest
    places = figure.in_chest(figure.palms[side])[frames]
    turned = quat.rotate(figure.turned[frames, chest][:, None], places[None])
    return np.asarray(figure.points[frames, chest][:, None] + turned)


def measure_spread(relation: Array) -> float:
    """Return the root mean square distance of relations (..., D) from their mean."""
    flat = relation.reshape(-1, relation.shape[-1])
    return float(np.sqrt(((flat - flat.mean(axis=0)) ** 2).sum(axis=1).mean()))


def _compare(frames: NDArray[np.int64], shuffled: Array, relate: Callable[[Array], Array]) -> tuple[float, float]:
    """Return how far a relation varies, and the same for all shuffled places (N, N, 3)."""
    own = shuffled[np.arange(len(frames)), np.arange(len(frames))]
    return measure_spread(relate(own[:, None])), measure_spread(relate(shuffled))


def _measure_on_part(figure: Figure, name: str, side: str, span: slice) -> tuple[float, float]:
    frames = choose_frames(span)
    back = quat.inv(figure.turned[frames, figure.joint_of(name)])[:, None]
    low = figure.parts[name].low[frames][:, None]
    return _compare(frames, shuffle(figure, side, frames), lambda places: quat.rotate(back, places - low))


def _measure_in_world(figure: Figure, side: str, span: slice) -> tuple[float, float]:
    frames = choose_frames(span)
    return _compare(frames, shuffle(figure, side, frames), lambda places: places)


def _measure_distance(figure: Figure, span: slice) -> tuple[float, float]:
    """Return how far the distance of the hands varies, and the same between positions of different frames."""
    frames = choose_frames(span)
    left, right = (figure.in_chest(figure.palms[side])[frames] for side in "LR")
    apart = np.linalg.norm(left[:, None] - right[None], axis=2)
    return measure_spread(np.diagonal(apart)[:, None]), measure_spread(apart[..., None])


# --- contacts that exclude each other -------------------------------------------------------------------------------


def is_covered(contact: Contact, others: list[Contact]) -> bool:
    """Return whether contacts of the same hand cover much of a contact."""
    held = np.zeros(contact.end - contact.first, dtype=bool)
    for one in others:
        if set(one.ends) & set(contact.ends):
            held[max(one.first - contact.first, 0) : max(one.end - contact.first, 0)] = True
    return bool(held.mean() >= GIVES_WAY)


def _prefer_one_part(found: list[Contact], figure: Figure, rate: float) -> list[Contact]:
    """Return contacts of which each hand has one part at a time: long ones, and near ones."""
    scored = []
    for one in found:
        part, palm = figure.parts[one.part], figure.palms[one.sides]
        away = np.linalg.norm(palm - part.at(part.nearest(palm)), axis=1)[one.first : one.end]
        far = parts.NEAR[one.part.partition(".")[0]][1] * figure.skeleton.height
        scored.append((max(1.3 - float(np.median(away)) / far, 0.05) * (one.end - one.first) / rate, one))
    return choose_one_part(scored, list(figure.palms), len(figure), rate)


def choose_one_part(scored: list[tuple[float, Contact]], sides: list[str], count: int, rate: float) -> list[Contact]:
    """Return the contacts with the highest scores, one part at a time for each hand; count : of frames."""
    taken = {side: np.zeros(count, dtype=bool) for side in sides}
    kept = []
    for _, one in sorted(scored, key=lambda pair: -pair[0]):
        free = ~taken[one.sides][one.first : one.end]
        for first, end in arrays.find_runs(free):
            if end - first >= STILL[ON].seconds * rate:
                kept.append(replace(one, first=one.first + first, end=one.first + end))
                taken[one.sides][one.first + first : one.first + end] = True
    return kept
