"""Find legs that names do not show from poses of the body's own actions (methods: Body roles and retargeting)."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from ..motion import leg_chains, leg_count, leg_roles
from ..motion.clip import Clip
from ..motion.roles import SHAPE, ancestors
from ..motion.skeleton import Skeleton
from . import attachments

LEGS = tuple(f"{part}.{side}" for side in "LR" for part in ("thigh", "shin", "foot"))


def are_known(skeleton: Skeleton) -> bool:
    """Return whether the roles of both legs are known.

    Example:
        >>> from action_loom.core.bodies import own_legs
        >>> from action_loom.core.demo_character import body
        >>> own_legs.are_known(body.skeleton())
        True
    """
    return set(LEGS) <= set(skeleton.roles)


def find_legs(own: Clip) -> dict[str, int]:
    """Return the joints of two legs and the hips, found in a body's own poses (see `leg_roles.find`).

    Feet that hang on another joint are taken as hung on the shins that lead them.

    Example:
        >>> from action_loom.core.bodies import own_legs
        >>> from action_loom.core.demo_character import actions
        >>> sorted(own_legs.find_legs(actions.walk()))
        ['foot.L', 'foot.R', 'shin.L', 'shin.R', 'thigh.L', 'thigh.R']
    """
    (hung,) = attachments.find([own], rest_counts=True).hang([own])
    names = hung.skeleton.names
    return {role: own.skeleton.index(names[joint]) for role, joint in leg_roles.find(hung).items()}


def many(own: Clip) -> dict[str, tuple[int, ...]]:
    """Return the joints of four or more legs, found in a body's own poses (see `leg_chains.find`).

    Feet that hang on another joint are taken as hung on the shins that lead them.

    Example:
        >>> from action_loom.core.bodies import own_legs
        >>> from action_loom.core.demo_character import actions
        >>> own_legs.many(actions.walk())
        {}
    """
    if leg_count.stands_on_two(own.skeleton):
        return {}
    (hung,) = attachments.find([own], rest_counts=True).hang([own])
    places = [own.skeleton.index(name) for name in hung.skeleton.names]
    return {foot: tuple(places[joint] for joint in leg) for foot, leg in leg_chains.find(hung).items()}


def with_legs(clip: Clip) -> Clip:
    """Return a clip whose skeleton has its legs, if they are more than two and names do not show them.

    Example:
        >>> from action_loom.core.bodies import own_legs
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> own_legs.with_legs(walk) is walk
        True
    """
    legs = {} if clip.skeleton.legs else leg_chains.find(clip)
    return replace(clip, skeleton=replace(clip.skeleton, legs=legs)) if legs else clip


def with_hind_legs(clip: Clip) -> Clip:
    """Return a clip as `with_legs` does, with the roles of two legs for the hind legs, and the hips above them.

    Example:
        >>> from action_loom.core.bodies import own_legs
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> own_legs.with_hind_legs(walk) is walk
        True
    """
    clip, roles = with_legs(clip), dict[str, int]()
    for side in "LR":
        leg = clip.skeleton.legs.get(side, ())
        if len(leg) > 2:
            roles |= {f"thigh.{side}": leg[0], f"shin.{side}": leg[1], f"foot.{side}": leg[-2]}
    if len(roles) == len(LEGS) and "hips" not in clip.skeleton.roles:
        above = [ancestors(roles[f"thigh.{side}"], clip.skeleton.parents) for side in "LR"]
        common = [joint for joint in above[0] if joint in above[1]]
        roles |= {"hips": common[0]} if common else {}
    return replace(clip, skeleton=replace(clip.skeleton, roles=clip.skeleton.roles | roles)) if roles else clip


def add_roles(skeleton: Skeleton, legs: Mapping[str, int], *, without: Collection[str] = ()) -> Skeleton:
    """Return a body with roles that its own poses show (see `find_legs`) where it has none.

    without : roles that the user chose, which do not change. Nothing is added if the poses contradict known roles.

    Example:
        >>> from dataclasses import replace
        >>> from action_loom.core.bodies import own_legs
        >>> from action_loom.core.demo_character import actions
        >>> walk = actions.walk()
        >>> unknown = replace(walk.skeleton, roles={"head": walk.skeleton.roles["head"]})
        >>> sorted(own_legs.add_roles(unknown, own_legs.find_legs(walk)).roles)[:4]
        ['foot.L', 'foot.R', 'head', 'shin.L']
    """
    known = skeleton.roles
    played = {joint for role, joint in known.items() if role not in legs}
    if any(known.get(role, joint) != joint or joint in played for role, joint in legs.items()):
        return skeleton
    added = {role: joint for role, joint in legs.items() if role not in known and role not in without}
    by = skeleton.roles_found_by | dict.fromkeys(added, SHAPE)
    return replace(skeleton, roles=known | added, roles_by=by) if added else skeleton
