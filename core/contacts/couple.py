"""Contacts between the hands of two figures: found from their motion, and kept on results (methods: Partners)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..motion import arrays, quat, root_motion
from ..motion.clip import Clip, FreeHand
from ..motion.quat import Array
from . import find, keep, parts, still_spans, wanted
from .arms import Arms, Flags, Hand
from .figure import Figure, figure_of
from .find import BY_PARTNER, HOLD, MEET, ON, ON_PARTNER, RIGID, Contact
from .keep import Hold, Kept
from .still_spans import Stillness
from .wanted import Key, Played, Wanted

FAR = 0.2  # body heights; palms whose median distance is larger do not hold each other
HELD = Stillness(0.03, 0.12, 0.014, 0.6)  # limits of the distance between two palms that hold each other
PASSES = 0.35  # body heights a second; palms that never move more slowly relative to each other only pass
BOTH, LEADER, PARTNER = ADAPTS = ("both", "leader", "partner")
LEAVES = 0.1  # s; led arms return to a fixed frame over this time, or over twice this time where they would snap
SHARES = {BOTH: (0.5, 0.5), LEADER: (1.0, 0.0), PARTNER: (0.0, 1.0)}

_OTHER_SIDE = str.maketrans("LR", "RL")
NONE: Mapping[Clip, Clip] = {}
ALONE = "no partner is chosen"  # the end of a warning

Two = tuple[Clip, Clip]


def find_contacts(one: Clip, other: Clip) -> tuple[Contact, ...]:
    """Return contacts of the hands of two figures with each other, by time; their clips have the same frames.

    Those that either clip has as free hands are left out, and added ones are among them.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import couple, figure
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> wave = actions.wave()
        >>> palm = figure.figure_of(wave).palms["L"][50, :2]
        >>> partner = root_motion.place_clip(wave, np.pi, 2.0 * palm)  # turned about the palm
        >>> couple.find_contacts(wave, partner)[0].kind
        'meet'
    """
    swapped = replace(other, free_hands=tuple(_exchange_figures(row) for row in other.free_hands))
    found = [row for row in _find_contacts(one, other) if not (find.is_free(row, one) or find.is_free(row, swapped))]
    figures, own = (figure_of(one), figure_of(other)), (*one.free_hands, *swapped.free_hands)
    added = [row for row in own if row.added and _has_parts(row[:3], figures)]
    return find.merge_added(found, [contact for row in dict.fromkeys(added) for contact in find.read_added(row, one)])


def _exchange_figures(row: FreeHand) -> FreeHand:
    """Return a contact of two figures from the point of view of the other figure."""
    if row.kind in (MEET, HOLD):
        ends = find.split_ends(row.sides)[::-1]
        return row._replace(sides=(",".join if "." in row.sides else "".join)(ends))
    return row._replace(kind={ON_PARTNER: BY_PARTNER, BY_PARTNER: ON_PARTNER}.get(row.kind, ""))


def _find_contacts(one: Clip, other: Clip) -> tuple[Contact, ...]:
    every = max(round(one.rate / find.RATE), 1)
    frames, rate = np.arange(0, min(len(one), len(other)), every), one.rate / every
    if len(frames) < 2:
        return ()
    pair = tuple(figure_of(clip).take_frames(frames) for clip in (one, other))
    height = 0.5 * (one.skeleton.height + other.skeleton.height)
    met = [
        contact
        for first in pair[0].palms
        for second in pair[1].palms
        for contact in _find_between(pair, rate, height, first + second)
    ]
    on = [*_find_on(pair, rate, ON_PARTNER), *_find_on(pair[::-1], rate, BY_PARTNER)]
    on = [one for one in on if not (one.part.partition(".")[0] in parts.ARMS and find.is_covered(one, met))]
    found = sorted([*met, *on], key=lambda one: (one.first, one.end, one.key))
    last = min(len(one), len(other))
    return tuple(replace(one, first=one.first * every, end=min((one.end - 1) * every + 1, last)) for one in found)


def _find_between(pair: Sequence[Figure], rate: float, height: float, sides: str) -> list[Contact]:
    """Return spans in which a palm of one figure meets or holds a palm of the other."""
    apart = pair[0].palms[sides[0]] - pair[1].palms[sides[1]]
    distance = np.linalg.norm(apart, axis=1)
    steps = np.gradient(root_motion.smooth(apart, still_spans.SIGMA * rate), axis=0)
    slow = np.linalg.norm(steps, axis=1) * rate < PASSES * height
    met = [
        Contact(MEET, sides, "", first, end)
        for first, end in arrays.find_runs(distance < find.TOUCHING * height)
        if distance[first:end].min() < find.TOUCHED * height
        and end - first >= find.TAPS * rate
        and slow[first:end].any()
    ]
    held = [
        Contact(HOLD, sides, "", first, end)
        for first, end in still_spans.find_still_spans(distance, rate, height, HELD)
        if np.median(distance[first:end]) <= FAR * height and _is_held(pair, sides, height, slice(first, end))
    ]
    return [*met, *(one for one in held if not find.is_covered(one, met))]


def _is_held(pair: Sequence[Figure], sides: str, height: float, span: slice) -> bool:
    """Return whether the distance of two palms varies far less than between positions of different frames."""
    frames = find.choose_frames(span)
    one, other = (find.shuffle(figure, side, frames) for figure, side in zip(pair, sides, strict=True))
    shuffled = np.linalg.norm(one[:, :, None] - other[:, None], axis=3)
    own = np.array([shuffled[k, k, k] for k in range(len(frames))])
    return find.is_evident(RIGID, height, find.measure_spread(own[:, None]), find.measure_spread(shuffled[..., None]))


def _find_on(pair: Sequence[Figure], rate: float, kind: str) -> list[Contact]:
    """Return spans in which a palm of the first figure stays on a part of the second, one part at a time."""
    one, other = pair
    height, found = other.skeleton.height, list[tuple[float, Contact]]()
    for side, palm in one.palms.items():
        for name, part in other.parts.items():
            role = name.partition(".")[0]
            if role == "hand":
                continue
            away = np.linalg.norm(palm - part.at(part.nearest(palm)), axis=1)
            under = part.under(palm) if role == "trunk" else np.zeros(len(palm))
            near, far = (height * share for share in parts.NEAR[role])
            for first, end in still_spans.find_still_spans(other.in_part(name, palm), rate, height, find.STILL[ON]):
                span = slice(first, end)
                distance = float(np.median(away[span]))
                if distance > far or float(np.median(under[span])) > parts.UNDER * height:
                    continue
                if distance <= 0.5 * (near + far) or _is_resting(pair, side, name, span):
                    score = max(1.3 - distance / far, 0.05) * (end - first) / rate
                    found.append((score, Contact(kind, side, name, first, end)))
    return find.choose_one_part(found, list(one.palms), len(one), rate)


def _is_resting(pair: Sequence[Figure], side: str, name: str, span: slice) -> bool:
    """Return whether a palm moves far less on a part of the other figure than between positions of different frames."""
    one, other = pair
    frames = find.choose_frames(span)
    back = quat.inv(other.turned[frames, other.joint_of(name)])[:, None]
    places = quat.rotate(back, find.shuffle(one, side, frames) - other.parts[name].low[frames][:, None])
    own = places[np.arange(len(frames)), np.arange(len(frames))]
    spread = find.measure_spread(own[:, None]), find.measure_spread(places)
    return find.is_evident(ON, other.skeleton.height, *spread)


def find_sources(
    played: Sequence[Played], partners: Mapping[Clip, Clip], originals: Mapping[Clip, Clip] = NONE
) -> Mapping[Clip, "Source"]:
    """Return the sources of two results by the leader's clips.

    played : the frames that both play, of the leader's sources; partners : the partner's source for each of these
    originals : the original clip of each mirror image, of either figure

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import couple, wanted
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> played = wanted.Played(walk, 0, np.arange(97.0), np.ones(97))
        >>> couple.find_sources([played], {walk: actions.walk()})[walk].mirrored
        False
    """
    return {one.clip: Source.of(one.clip, partners[one.clip], originals) for one in played}


def keep_contacts(
    made: Two,
    played: Sequence[Played],
    sources: Mapping[Clip, "Source"],
    adapts: str,
    fixed: Flags | None = None,
) -> tuple[Two, Kept]:
    """Return two results with their hands where their sources have them, and how far they were off.

    played, sources : as `find_sources`; adapts : whose arms move, one of `ADAPTS`
    fixed (F,) : frames that do not change at all, such as keyed poses; contacts have the result's own relation there

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import couple, figure, wanted
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> wave = actions.wave()
        >>> palm = figure.figure_of(wave).palms["L"][50, :2]
        >>> partner = root_motion.place_clip(wave, np.pi, 2.0 * palm)
        >>> aside = root_motion.place_clip(partner, 0.0, np.array([0.05, 0.0]))
        >>> played = wanted.Played(wave, 0, np.arange(float(len(wave))), np.ones(len(wave)))
        >>> sources = couple.find_sources([played], {wave: partner})
        >>> _, kept = couple.keep_contacts((wave, aside), [played], sources, "both")
        >>> float(kept.holds[0].before.max().round(2)), bool(kept.holds[0].after.max() < 0.003)
        (0.05, True)
    """
    if not any(source.contacts for source in sources.values()):
        return made, Kept()

    def restore_in_cycle(clips: Sequence[Clip], again: Sequence[Played]) -> keep.Held:
        return _keep(clips, again, sources, adapts, fixed)

    held, kept = keep.around_cycle(made, played, restore_in_cycle) if made[0].cyclic else restore_in_cycle(made, played)
    return (held[0], held[1]), kept


@dataclass(frozen=True, eq=False)
class Source:
    """A source of two figures.

    clips : the clips of both as they are played; captured : the captured ones, of which these may be mirror images
    mirrored : whether they are; contacts : of `clips`
    """

    clips: Two
    captured: Two
    mirrored: bool
    contacts: tuple[Contact, ...]

    @classmethod
    def of(cls, one: Clip, other: Clip, originals: Mapping[Clip, Clip]) -> "Source":
        captured = originals.get(one, one), originals.get(other, other)
        mirrored = captured[0] is not one
        found = find_contacts(*captured)
        return cls((one, other), captured, mirrored, tuple(map(_mirror_contact, found)) if mirrored else found)

    def relate(self, key: Key, frames: Array) -> Array:
        """Return the relation (K, D) of a contact at frames (K,): places on a part, or vectors between palms.

        Vectors are in the frame of the leader's heading. Relations of mirror images are the reflected ones of the
        captured clips, because the sides of a captured body differ by centimetres.
        """
        kind, sides, name = _mirror_key(key) if self.mirrored else key
        pair = [figure_of(clip) for clip in self.captured]
        if kind in (MEET, HOLD):
            apart = _measure_apart(pair, sides)
            return wanted.sample(self._turn(apart, 0)[0], frames)
        by, on = (0, 1) if kind == ON_PARTNER else (1, 0)
        part, palm = pair[on].part(name), pair[by].ends[sides]
        along = part.nearest(palm)
        off, heading = self._turn(palm - part.at(along), on)
        body = figure_of(self.clips[on])
        turned = quat.mul(quat.inv(body.turned[:, body.joint_of(key[2])]), quat.about_axis("Z", heading))
        return wanted.sample(np.concatenate([along[:, None], quat.rotate(turned, off)], axis=1), frames)

    def measure_stretch(self, key: Key, frames: Array, shares: tuple[float, float]) -> Array:
        """Return how far (K, 1) the arms that keep a contact are stretched, as a share of their lengths."""
        key = _mirror_key(key) if self.mirrored else key
        pair = [figure_of(clip) for clip in self.captured]
        arms = [(k, *measure_arm(pair[k], side)) for k, side in hands_of(key, shares)]
        away = np.asarray(sum(line if k else -line for k, line, _ in arms))
        length = np.linalg.norm(away, axis=1) / np.asarray(sum(size for *_, size in arms))
        return wanted.sample(length[:, None], frames)

    def _turn(self, vectors: Array, which: int) -> tuple[Array, Array]:
        """Return vectors (F, 3) in the frame of a captured figure's heading, reflected for images, and its own (F,)."""
        headings = [root_motion.ground_frames(pair[which])[1] for pair in (self.captured, self.clips)]
        turned = quat.rotate(quat.about_axis("Z", -headings[0]), vectors)
        return turned * (-1.0, 1.0, 1.0) if self.mirrored else turned, headings[1]


def _mirror_key(key: Key) -> Key:
    kind, sides, part = key
    return kind, sides.translate(_OTHER_SIDE), part[:-1] + part[-1:].translate(_OTHER_SIDE)


def _mirror_contact(contact: Contact) -> Contact:
    return Contact(*_mirror_key(contact.key), contact.first, contact.end)


def list_wanted(
    made: Sequence[Clip],
    nows: Sequence[Figure],
    played: Sequence[Played],
    sources: Mapping[Clip, Source],
    relate: Callable[[Source, Key, Array], Array] = Source.relate,
) -> list[Wanted]:
    """Return the contacts that two results should have, with their relations in frames that these play.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import couple, figure, wanted
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> played = [wanted.Played(walk, 0, np.arange(97.0), np.ones(97))]
        >>> sources = couple.find_sources(played, {walk: actions.walk()})
        >>> len(couple.list_wanted((walk, walk), [figure.figure_of(walk)] * 2, played, sources)) > 0  # at one place
        True
    """

    def relate_played(key: Key, one: Played) -> Array | None:
        return relate(sources[one.clip], key, one.frames) if _has_parts(key, nows) else None

    found = {clip: source.contacts for clip, source in sources.items()}
    return wanted.merge_relations((len(made[0]), made[0].rate), played, found, relate_played)


def _keep(
    made: Sequence[Clip],
    played: Sequence[Played],
    sources: Mapping[Clip, "Source"],
    adapts: str,
    fixed: Flags | None,
) -> keep.Held:
    nows = [figure_of(clip) for clip in made]
    facing = root_motion.ground_frames(made[0])[1]
    shares, relations = SHARES[adapts], list_wanted(made, nows, played, sources)
    if fixed is not None:
        own = Source((made[0], made[1]), (made[0], made[1]), mirrored=False, contacts=())
        relations = [_meet_fixed(one, own, fixed) for one in relations]
    theirs = [replace(one, clip=sources[one.clip].clips[1]) for one in played]
    holds = [
        Hold(one, hands_of(one.contact.key, shares), shares, listed=_is_listed(one.contact, played, theirs))
        for one in relations
    ]
    ends = [[end for one in holds for k, end in one.hands if k == which] for which in (0, 1)]
    bodies = [Arms.of(*given) for given in zip(made, nows, (played, theirs), ends, strict=True)]

    def lacks(one: Hold, figures: Sequence[Figure]) -> dict[Hand, Array]:
        return measure_lack(one.wanted, figures, facing, one.shares)

    clips, kept = keep.restore(bodies, holds, lacks, keep.APPROACHES if fixed is None else keep.APPROACHES[:1])
    if fixed is None:
        return clips, kept
    clips = [_leave_fixed(clip, body, fixed) for clip, body in zip(clips, bodies, strict=True)]
    return clips, keep.measure_again(kept, lacks, [figure_of(clip) for clip in clips])


def _is_listed(contact: Contact, played: Sequence[Played], theirs: Sequence[Played]) -> bool:
    other = _exchange_figures(FreeHand(*contact.key, 0.0, 0.0))
    return keep.is_listed(contact, played) or keep.is_listed(Contact(*other[:3], 0, 1), theirs)


def describe_left_out(clip: Clip, partner: Clip | None = None, *, cyclic: bool = False) -> list[str]:
    """Return sentences on contacts that people have added to a clip and that no result can keep.

    cyclic : whether the result is a cycle, which has no places in the world

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.contacts import couple
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion.clip import FreeHand
        >>> held = replace(actions.walk(), free_hands=(FreeHand("hold", "LR", "", 0.5, 1.0, True),))
        >>> couple.describe_left_out(held)
        ['walk (frame 15): left hand on partner.hand.R is not kept, because no partner is chosen']
        >>> couple.describe_left_out(held, actions.walk())
        []
    """
    known = [one.key for one in find.find_contacts(clip) if not (cyclic and one.kind == find.WORLD)]
    known += [] if partner is None else [one.key for one in find_contacts(clip, partner)]
    found = list[str]()
    for row in clip.free_hands:
        for one in find.read_added(row, clip) if row.added and row[:3] not in known else ():
            if one.kind not in (*find.KINDS, *find.OF_TWO) or not {end for _, end in one.ends} <= keep.HANDS.keys():
                continue  # not ours
            alone = one.kind in find.OF_TWO and partner is None
            lacking = "a cycle has no fixed places" if one.kind == find.WORLD else "the body has no such joints"
            why = ALONE if alone else lacking
            found.append(f"{clip.name} (frame {one.first}): {keep.describe(one)} is not kept, because {why}")
    return found


def _meet_fixed(one: Wanted, own: "Source", fixed: Flags) -> Wanted:
    """Return a contact with the result's relation in fixed frames; between these, the difference is interpolated."""
    keys, at = np.flatnonzero(fixed), np.arange(len(fixed))
    inside = (keys >= one.contact.first) & (keys < one.contact.end)
    off = np.where(inside[:, None], own.relate(one.contact.key, keys.astype(float)) - one.relation[keys], 0.0)
    before = np.clip(np.searchsorted(keys, at, side="right") - 1, 0, len(keys) - 2)
    share = np.clip((at - keys[before]) / (keys[before + 1] - keys[before]), 0.0, 1.0)
    share = (share * share * (3.0 - 2.0 * share))[:, None]  # as errors at the ends of a stretch are spread
    return replace(one, relation=one.relation + (1.0 - share) * off[before] + share * off[before + 1])


def _leave_fixed(clip: Clip, body: Arms, fixed: Flags) -> Clip:
    """Return a clip whose arms go back to earlier rotations near fixed frames, more slowly where they would snap."""
    keys = np.flatnonzero(fixed)
    leaves = np.full(len(keys), LEAVES * clip.rate)
    led = _return_to_keys(clip, body.made, keys, leaves)
    snaps = np.flatnonzero(np.any(list(body.find_snaps(figure_of(led)).values()), axis=0))
    if not len(snaps):
        return led
    near = np.abs(keys[:, None] - snaps).min(axis=1) <= 2.0 * leaves
    return _return_to_keys(clip, body.made, keys, np.where(near, 2.0 * leaves, leaves))


def _return_to_keys(clip: Clip, before: Clip, keys: NDArray[np.int64], leaves: Array) -> Clip:
    """Return a clip that blends into an earlier one around keys (K,), and equals it at the keys.

    leaves (K,) : frames over which it blends at each key
    """
    away = np.abs(np.arange(len(clip))[:, None] - keys) / leaves
    share = arrays.ease(np.clip(away.min(axis=1), 0.0, 1.0))[:, None, None]
    change = quat.log(quat.mul(quat.inv(before.rotations), quat.same_side(clip.rotations, before.rotations)))
    turned = quat.mul(before.rotations, quat.exp(share * change))
    return replace(
        clip, rotations=np.where((share > 0.0) & change.any(axis=2, keepdims=True), turned, before.rotations)
    )


def _measure_apart(figures: Sequence[Figure], sides: str) -> Array:
    """Return the vectors (F, 3) from an end of the second figure to one of the first."""
    one, other = find.split_ends(sides)
    return figures[0].ends[one] - figures[1].ends[other]


def measure_arm(figure: Figure, side: str) -> tuple[Array, Array]:
    """Return the vectors (F, 3) from shoulder to wrist, and the lengths (F,) of an arm, or of a leg by its end.

    Example:
        >>> from action_loom.core.contacts import couple, figure
        >>> from action_loom.core.demo_character import actions
        >>> line, length = couple.measure_arm(figure.figure_of(actions.walk()), "L")
        >>> line.shape, round(float(length[0]), 2)
        ((97, 3), 0.53)
    """
    shoulder, elbow, wrist = (figure.points[:, figure.skeleton.roles[role]] for role in parts.list_roles(side))
    return wrist - shoulder, np.linalg.norm(elbow - shoulder, axis=1) + np.linalg.norm(wrist - elbow, axis=1)


def _has_parts(key: Key, nows: Sequence[Figure]) -> bool:
    kind, sides, part = key
    if kind in (MEET, HOLD):
        ends = find.split_ends(sides)
        return len(ends) == 2 and all(end in now.ends for end, now in zip(ends, nows, strict=True))
    by, on = (0, 1) if kind == ON_PARTNER else (1, 0)
    return kind in (ON_PARTNER, BY_PARTNER) and sides in nows[by].ends and nows[on].has_part(part)


def hands_of(key: Key, shares: tuple[float, float]) -> tuple[Hand, ...]:
    """Return the hands that move to keep a contact.

    Example:
        >>> from action_loom.core.contacts import couple
        >>> couple.hands_of(("meet", "LR", ""), couple.SHARES["partner"])
        ((1, 'R'),)
    """
    kind, sides, _ = key
    if kind in (MEET, HOLD):
        return tuple((k, end) for k, end in enumerate(find.split_ends(sides)) if shares[k])
    return ((0 if kind == ON_PARTNER else 1, sides),)


def measure_lack(
    one: Wanted, figures: Sequence[Figure], facing: Array, shares: tuple[float, float]
) -> dict[Hand, Array]:
    """Return the displacement (K, 3) of each hand of a contact that restores it, in its frames.

    facing (F,) : the leader's

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import couple, figure, find, wanted
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> apart = wanted.Wanted(find.Contact("meet", "LL", "", 10, 40), np.tile([0.0, 0.0, 0.1], (97, 1)))
        >>> lacks = couple.measure_lack(apart, [figure.figure_of(walk)] * 2, np.zeros(97), (0.5, 0.5))
        >>> {hand: lack[0].round(2).tolist() for hand, lack in lacks.items()}
        {(0, 'L'): [0.0, 0.0, 0.05], (1, 'L'): [-0.0, -0.0, -0.05]}
    """
    (kind, sides, name), span = one.contact.key, one.span
    if kind in (MEET, HOLD):
        apart, ends = _measure_apart(figures, sides)[span], find.split_ends(sides)
        lack = quat.rotate(quat.about_axis("Z", facing[span]), one.relation[span]) - apart
        return {(k, ends[k]): way * lack for k, way in ((0, shares[0]), (1, -shares[1])) if way}
    by, on = (0, 1) if kind == ON_PARTNER else (1, 0)
    body, part = figures[on], figures[on].part(name)
    turned = body.turned[span, body.joint_of(name)]
    goal = part.at(one.relation[:, 0])[span] + quat.rotate(turned, one.relation[span, 1:])
    return {(by, sides): goal - figures[by].ends[sides][span]}
