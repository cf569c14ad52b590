"""Mirror the channels of a clip, in addition to its pose (methods: Mirror, placement, root motion).

Channels are named like F-curves in Blender: the data path of a property and its index.
"""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

import numpy as np

from . import joint_matching, named_sides, quat
from .clip import Channel, Clip
from .quat import Array
from .skeleton import Skeleton

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_OF_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\](.*)', re.DOTALL)
_BEND = re.compile(r"\.bbone_curve(in|out)([xz])\[0\]")
_ROLL = re.compile(r"\.bbone_roll(in|out)\[0\]")
_SCALE = re.compile(r"\.(bbone_scale(?:in|out)|scale)\[([0-2])\]")
_TURN = re.compile(r"\.rotation_(quaternion|euler|axis_angle)\[([0-3])\]")
_MOVE = re.compile(r"\.location\[([0-2])\]")
_SYMMETRIC = np.diag([-1.0, 1.0, 1.0])  # mirror relation between the axes of Blender's symmetrized bones
_ALONG = np.cos(np.radians(5.0))  # mirrored axes of partners within this angle count as equal
_LEAST = 1e-6  # smaller contributions of a neighbouring component are ignored


def exchange_channels(clip: Clip) -> dict[str, Channel]:
    """Return the mirrored channels of a clip: a channel with a counterpart on the other side takes its values.

    The curves of bendy bones change signs as a reflection requires: lateral bend and roll.

    Example:
        >>> from dataclasses import replace
        >>> import numpy as np
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import mirrored_channels
        >>> from action_loom.core.motion.clip import Channel
        >>> wave = actions.wave()
        >>> smiles = {f'["smile_{side}"][0]': Channel(np.full(len(wave), size)) for side, size in (("L", 1), ("R", 0))}
        >>> image = mirrored_channels.exchange_channels(replace(wave, channels=smiles))
        >>> {name: channel.values[0].item() for name, channel in image.items()}
        {'["smile_L"][0]': 0, '["smile_R"][0]': 1}
    """
    names = clip.channels.keys()
    return {name: _sum_channels(clip.channels, origins(name, clip.skeleton, names), name) for name in names}


def origins(name: str, skeleton: Skeleton, names: AbstractSet[str]) -> dict[str, float]:
    """Return the channels, with factors, whose sum gives a mirrored channel.

    names : the existing channels; a channel without a counterpart among them keeps its side
    """
    other = _counterpart(name, skeleton, names)
    return {one: factor for one, factor in sources(name, other, skeleton).items() if one in names}


def counterparts(name: str, skeleton: Skeleton) -> list[str]:
    """Return candidate names of a channel's counterpart on the other side, the likeliest first, without its own name.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import mirrored_channels
        >>> mirrored_channels.counterparts('pose.bones["hand.L"]["grip_L"][0]', body.skeleton())
        ['pose.bones["hand.R"]["grip_R"][0]', 'pose.bones["hand.R"]["grip_L"][0]']
    """
    bone, rest = _bone_and_rest(name)
    partners = [""] if bone is None else _partners(bone, skeleton)
    pairs = joint_matching.side_words(skeleton)
    rests = [*_list_renamed_paths(rest, pairs), rest]
    head = "" if bone is None else 'pose.bones["{}"]'
    every = [head.replace("{}", partner) + one for partner in partners for one in rests]
    return [one for one in dict.fromkeys(every) if one != name]


def _bone_and_rest(name: str) -> tuple[str | None, str]:
    """Return the quoted bone in a channel's name (None without one), and the rest of the name."""
    match = _OF_BONE.fullmatch(name)
    return (match.group(1), match.group(2)) if match else (None, name)


def _partners(bone: str, skeleton: Skeleton) -> list[str]:
    """Return candidate names of a bone's partner, quoted as in paths; the bone itself if it is in the middle."""
    plain = _unescape_name(bone)
    if plain in skeleton.names:
        partner = joint_matching.across(skeleton)[skeleton.index(plain)]
        return [_escape_name(skeleton.names[partner])]
    return [*named_sides.other_sides(bone, joint_matching.side_words(skeleton)), bone]


def _list_renamed_paths(text: str, pairs: tuple[named_sides.Pair, ...]) -> list[str]:
    """Return candidates for a path with the sides exchanged in all its quoted names, or for a plain name."""
    if '"' not in text:
        return named_sides.other_sides(text, pairs) if "." not in text else []
    quoted = _QUOTED.findall(text)
    others = [named_sides.other_sides(one, pairs) for one in quoted]
    found = []
    for k in range(max(map(len, others))):
        parts = [other[min(k, len(other) - 1)] if other else one for one, other in zip(quoted, others, strict=True)]
        between = _QUOTED.split(text)[::2]
        found.append("".join(f'{before}"{part}"' for before, part in zip(between, parts, strict=False)) + between[-1])
    return found


def sources(name: str, other: str, skeleton: Skeleton) -> dict[str, float]:
    """Return the channels, with factors, whose sum gives a mirrored channel with the counterpart `other`.

    Example:
        >>> from action_loom.core.demo_character import body
        >>> from action_loom.core.motion import mirrored_channels
        >>> left, right = (f'pose.bones["hand.{side}"].bbone_rollin[0]' for side in "LR")
        >>> mirrored_channels.sources(left, right, body.skeleton())
        {'pose.bones["hand.R"].bbone_rollin[0]': -1.0}
    """
    bone, (partner, there) = _bone_and_rest(name)[0], _bone_and_rest(other)
    if bone is None or partner is None or (name == other and _partners(bone, skeleton)[0] != bone):
        return {other: 1.0}
    axes = _axes(_unescape_name(bone), _unescape_name(partner), skeleton)
    return {f'pose.bones["{partner}"]{path}': factor for path, factor in _components(there, axes).items()}


def _counterpart(name: str, skeleton: Skeleton, names: AbstractSet[str]) -> str:
    """Return the channel exchanged with a channel, or itself without a counterpart."""

    def first(one: str) -> str:
        every = counterparts(one, skeleton)
        return next((other for other in every if not names.isdisjoint(sources(one, other, skeleton))), one)

    other = first(name)
    return other if other not in names or first(other) == name else name


def _components(rest: str, axes: Array) -> dict[str, float]:
    """Return the properties of a bone, with factors, whose sum gives its partner's property; axes : see `_axes`."""
    if bend := _BEND.fullmatch(rest):
        # Bones oriented differently from their partners bend about the nearest available line.
        left, _, right = np.linalg.svd(axes[::2, ::2])
        row = (left @ right)["xz".index(bend.group(2))]
        parts = {f".bbone_curve{bend.group(1)}{axis}[0]": float(row[k]) for k, axis in enumerate("xz")}
        return {path: factor for path, factor in parts.items() if abs(factor) > _LEAST}
    if _ROLL.fullmatch(rest):
        return {rest: -float(np.sign(axes[1, 1]))}
    if size := _SCALE.fullmatch(rest):
        return {f".{size.group(1)}[{int(np.argmax(np.abs(axes[int(size.group(2))])))}]": 1.0}
    if not np.array_equal(np.abs(axes), np.eye(3)):
        return {rest: 1.0}
    if move := _MOVE.fullmatch(rest):
        return {rest: float(np.diag(axes)[int(move.group(1))])}
    if turn := _TURN.fullmatch(rest):
        of_vector = int(turn.group(2)) - (turn.group(1) != "euler")
        return {rest: 1.0 if of_vector < 0 else -float(np.diag(axes)[of_vector])}
    return {rest: 1.0}


def _axes(bone: str, partner: str, skeleton: Skeleton) -> Array:
    """Return the reflected rest axes of a bone's partner, as columns (3, 3) in the bone's own axes."""
    if bone not in skeleton.names or partner not in skeleton.names:
        return _SYMMETRIC
    normal = joint_matching.sagittal(skeleton, joint_matching.across(skeleton))
    mirror = np.eye(3) - 2.0 * np.outer(normal, normal)
    own, other = (quat.to_matrix(skeleton.rest[0][skeleton.index(one)]) for one in (bone, partner))
    axes: Array = own.T @ mirror @ other
    near = np.round(axes)
    return near if bool((np.abs(axes[near != 0.0]) > _ALONG).all()) and np.abs(near).sum() == 3.0 else axes


def _sum_channels(channels: Mapping[str, Channel], parts: Mapping[str, float], name: str) -> Channel:
    """Return the sum of channels times their factors; without factors, the channel of that name."""
    if not parts:
        return channels[name]
    every = [channels[one] for one in parts]
    if len(every) == 1 and set(parts.values()) == {1.0}:
        return every[0]
    values = sum(factor * one.values for factor, one in zip(parts.values(), every, strict=True))
    return Channel(np.asarray(values, dtype=np.float64), all(one.discrete for one in every))


def _unescape_name(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name)


def _escape_name(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')
