"""Let objects beside a body follow the hands that hold them (methods: Props)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..motion import quat, root_motion
from ..motion.clip import Clip
from ..motion.inheritance import Inheritance
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from . import carrying, find, keep, wanted
from .figure import figure_of
from .wanted import Played

JOINT = "held_object"  # a root joint for the object


def add_object(clip: Clip, turned: Array, places: Array) -> Clip:
    """Return a clip on a body with another root joint, which moves as an object does.

    turned (F, 4), places (F, 3) : in the world, metres; of one frame for an object that stays

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import objects
        >>> from action_loom.core.demo_character import actions
        >>> made = objects.add_object(actions.walk(), np.array([[1.0, 0.0, 0.0, 0.0]]), np.array([[1.0, 0.0, 0.0]]))
        >>> made.skeleton.names[-1], made.translations[5, -1].tolist()
        ('held_object', [1.0, 0.0, 0.0])
    """
    body, still = clip.skeleton, np.zeros((1, 3))
    rules = body.inheritance
    skeleton = replace(
        body,
        names=(*body.names, JOINT),
        parents=np.append(body.parents, -1),
        offsets=np.concatenate([body.offsets, still]),
        orients=np.concatenate([body.orients, quat.IDENTITY[None]]),
        tips=np.concatenate([body.tips, still]),
        inheritance=None if rules is None else _with_all(rules),
    )
    return _extend(clip, skeleton, turned, places)


def _with_all(rules: Inheritance) -> Inheritance:
    return replace(
        rules,
        rotation=np.append(rules.rotation, True),
        scale=(*rules.scale, "FULL"),
        location=np.append(rules.location, True),
    )


def _extend(clip: Clip, skeleton: Skeleton, turned: Array, places: Array) -> Clip:
    count = len(clip)
    own = [np.broadcast_to(part[:, None], (count, 1, part.shape[1])) for part in (turned, places)]
    scales = None if clip.scales is None else np.concatenate([clip.scales, np.ones((count, 1, 3))], axis=1)
    return replace(
        clip,
        skeleton=skeleton,
        rotations=np.concatenate([clip.rotations, quat.continuous(own[0].copy())], axis=1),
        translations=np.concatenate([clip.translations, own[1]], axis=1),
        scales=scales,
        channels={},
    )


def carry(made: Clip, played: Sequence[Played]) -> tuple[tuple[Array, Array], str] | None:
    """Return the rotations (F, 4) and places (F, 3) of an object in a result, and which hands hold it.

    made : the result without the object; played : clips with it, as `add_object`. None if no hand holds it.

    Example:
        >>> import numpy as np
        >>> from action_loom.core.contacts import objects, wanted
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import kinematics
        >>> walk = actions.walk()
        >>> turned, places = (part[:, walk.skeleton.roles["hand.R"]] for part in kinematics.world(walk))
        >>> source = objects.add_object(walk, turned, places)
        >>> played = wanted.Played(source, 0, np.arange(97.0), np.ones(97))
        >>> objects.carry(walk, [played])[1]
        'right hand'
    """
    found = {
        one.clip: [held for held in find.find_contacts(one.clip) if held.kind == find.PROP and held.part == JOINT]
        for one in played
    }
    start = _lay_out(made, played, found)
    if start is None:
        return None
    clip = add_object(made, *start)
    now = figure_of(clip)
    held = wanted.list_wanted(now, made.rate, played, found)
    if not held:
        return None
    clip = carrying.place_props(clip, now, held)
    hands = [keep.HANDS[sides] for sides in dict.fromkeys(one.contact.sides for one in held)]
    return (clip.rotations[:, -1], clip.translations[:, -1]), ", then ".join(hands)


def _lay_out(made: Clip, played: Sequence[Played], found: dict[Clip, list[find.Contact]]) -> tuple[Array, Array] | None:
    """Return where the object is before hands carry it: beside the body as in its source while hands hold it there.

    The turn and the shift from the source to the result are interpolated between these frames, or held.
    """
    count = len(made)
    frames, source, held = np.zeros(count), np.full(count, -1), np.zeros(count, dtype=bool)
    clips = list(found)
    for one in played:
        at = one.first + np.flatnonzero(one.weights > wanted.LIVES)
        frames[at], source[at] = one.frames[at - one.first], clips.index(one.clip)
        for contact in found[one.clip]:
            held[at] |= (frames[at] >= contact.first) & (frames[at] < contact.end)
    inside = np.flatnonzero(held)
    if not len(inside):
        return None
    every = np.arange(count)
    shown = np.flatnonzero(source >= 0)
    nearest = shown[np.abs(shown[None] - every[:, None]).argmin(axis=1)]
    frames, source = frames[nearest], source[nearest]
    places, turned, ground, facing = np.zeros((count, 3)), np.zeros((count, 4)), np.zeros((count, 2)), np.zeros(count)
    for k, clip in enumerate(clips):
        at = source == k
        near = np.clip(np.round(frames[at]).astype(int), 0, len(clip) - 1)
        places[at], turned[at] = wanted.sample(clip.translations[:, -1], frames[at]), clip.rotations[near, -1]
        body, heading = root_motion.ground_frames(clip)
        ground[at], facing[at] = wanted.sample(body, frames[at]), wanted.sample(heading[:, None], frames[at])[:, 0]
    there, heads = root_motion.ground_frames(made)
    turns = np.unwrap((heads - facing)[inside])
    turn = np.interp(every, inside, turns)
    about = quat.about_axis("Z", turn)
    ahead = quat.rotate(quat.about_axis("Z", turns), np.pad(ground[inside], ((0, 0), (0, 1))))[:, :2]
    shift = there[inside] - ahead  # of the ground about its origin
    moved = np.stack([np.interp(every, inside, shift[:, axis]) for axis in range(2)], axis=1)
    placed = quat.rotate(about, places) + np.pad(moved, ((0, 0), (0, 1)))
    return quat.mul(about, turned), placed
