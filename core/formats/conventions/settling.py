"""Convert a clip from a file's conventions to metres and Z up, as requested or as inferred from the motion.

Conventions stated in the file are trusted. Others are inferred from the motion, or else assumed (methods: Conventions
of files).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ...errors import not_one_of
from ...motion import quat, role_names, roles
from ...motion.clip import Clip
from ...motion.quat import Array
from ...motion.skeleton import Skeleton
from .. import units
from ..motion_file import (
    ASKED,
    ASSUMED,
    AUTO,
    EXCHANGED,
    MEASURED,
    NAMED,
    SIDES,
    STATED,
    UPS,
    Convention,
    Finding,
    Reading,
)
from . import pace, posed_roles, sides
from .sample import PoseSample, sample_poses
from .up_axis import UpAxis, find_up_axis

USUAL_UP = "y"
# The rotation of each axis to +Z; the body's facing is the same for Y and −Y, and for Z and −Z.
TURNS = {
    "x": quat.about_axis("Y", np.array(-0.5 * np.pi)),
    "y": quat.about_axis("X", np.array(0.5 * np.pi)),
    "z": quat.IDENTITY,
    "-x": quat.about_axis("Y", np.array(0.5 * np.pi)),
    "-y": quat.about_axis("X", np.array(-0.5 * np.pi)),
    "-z": quat.about_axis("X", np.array(np.pi)),
}
UPWARDS = np.array([0.0, 0.0, 1.0])
_UNSETTLED = "its motion does not settle which axis points up"
SHAPE_SHOWS = 0.25  # evidence from the motion required to determine the sides of a body without named ones


@dataclass(frozen=True, eq=False)
class Settled:
    """A clip in metres, Z up, the convention of its file, and how each part of that was found."""

    clip: Clip
    convention: Convention
    findings: tuple[Finding, ...]


def settle(clip: Clip, reading: Reading, *, rate: Finding, stated_metres: float = 0.0) -> Settled:
    """Return a clip in metres, Z up, with the sides of its body.

    clip : in a file's own unit and axes; its joint frames are these axes at rest
    reading : the requested options; stated_metres : size of the file's unit according to the file, 0 if not stated
    rate : how the clip's rate was found
    Raises OptionError for an unknown unit, axis or choice of sides.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.formats.conventions import settling
        >>> from action_loom.core.formats.motion_file import STATED, Finding, Reading
        >>> settled = settling.settle(actions.walk(), Reading(), rate=Finding("rate", "30", STATED))
        >>> [(one.part, one.value, one.by) for one in settled.findings]
        [('up', 'z', 'measured'), ('unit', 'm', 'assumed'), ('rate', '30', 'stated'), ('sides', 'names', 'measured')]
    """
    _check(reading)
    body = clip.skeleton
    known = posed_roles.find_roles(clip)
    sample = sample_poses(clip, known)
    up = find_up_axis(sample, USUAL_UP) if sample is not None else None
    axis = _up_finding(body, up, reading.up)
    known, side = _settle_sides(body, known, sample, reading.sides)
    legs = 4 if up is not None and up.four_footed and axis.value == up.axis else 0
    found_by = {} if known == body.roles else _found_by(body, known, side)
    shown = replace(body, roles=known, roles_by=found_by, leg_count=legs)
    unit, metres = _unit_finding(shown, reading.unit, stated_metres)
    turn = TURNS[axis.value]
    offsets, tips = (metres * quat.rotate(turn, values) for values in (body.offsets, body.tips))
    made = replace(
        clip,
        skeleton=replace(shown, offsets=offsets, tips=tips),
        rotations=quat.mul(quat.mul(turn, clip.rotations), quat.inv(turn)),
        translations=metres * quat.rotate(turn, clip.translations),
    )
    convention = Convention(unit.value, metres, axis.value, AUTO in (reading.unit, reading.up))
    rate = _check_rate(clip, known, quat.rotate(quat.inv(turn), UPWARDS), metres, rate)
    return Settled(made, convention, (axis, unit, rate, side))


def find_doubts(clip: Clip) -> tuple[str, ...]:
    """Return sentences on doubtful conventions of a clip in metres, Z up, that another program has read.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.formats.conventions import settling
        >>> settling.find_doubts(actions.walk())
        ()
    """
    known = clip.skeleton.roles
    sample = sample_poses(clip, known)
    up = find_up_axis(sample, "z") if sample is not None else None
    doubts = []
    if up is not None and up.standing not in ("", "z"):
        doubts.append(_lies(up.standing, "z"))
    doubts.append(_check_rate(clip, known, UPWARDS, 1.0, Finding("rate", f"{clip.rate:g}", STATED)).doubt)
    return tuple(f"{clip.name}: {doubt}" for doubt in doubts if doubt)


def _check(reading: Reading) -> None:
    for name, value, known in (("up", reading.up, UPS), ("sides", reading.sides, SIDES)):
        if value not in known:
            raise not_one_of(name, value, known)


def _up_finding(body: Skeleton, up: UpAxis | None, asked: str) -> Finding:
    """Return the up axis, with a sentence if it is doubtful or contradicts the rest pose."""
    if asked != AUTO:
        return Finding("up", asked, ASKED)
    if up is None:
        return Finding("up", _tall_axis(body), ASSUMED, _UNSETTLED)
    how = MEASURED if up.measured else ASSUMED
    if up.doubtful and up.standing not in ("", up.axis):
        doubt = _lies(up.standing, up.axis)
    elif up.doubtful:
        doubt = _UNSETTLED
    elif up.rest not in ("", up.axis):
        doubt = f"its rest pose stands along {up.rest}, but its motion along {up.axis}, which was taken as up"
    else:
        doubt = ""
    return Finding("up", up.axis, how, doubt)


def _lies(standing: str, up: str) -> str:
    return f"its body stands along {standing}, but {up} was taken as up: it may lie"


def _tall_axis(body: Skeleton) -> str:
    """Return the longer of the two usual axes of a rest pose; X is excluded because arms extend along it."""
    extent = np.ptp(body.rest[1], axis=0)
    return "z" if extent[2] > 1.5 * extent[1] else "y"


def _settle_sides(
    body: Skeleton, known: dict[str, int], sample: PoseSample | None, asked: str
) -> tuple[dict[str, int], Finding]:
    """Return the roles with their sides, and how these were found."""
    named = _named_sides(body, known)
    if asked != AUTO:
        wanted = asked == EXCHANGED
        return (roles.exchange_sides(known) if (named < 0) != wanted else known), Finding("sides", asked, ASKED)
    evidence = sides.measure_handedness(sample) if sample is not None else 0.0
    if named and evidence * named > -sides.CONTRADICTS:  # names win unless the motion contradicts them
        right = known if named > 0 else roles.exchange_sides(known)
        return right, Finding("sides", NAMED, MEASURED if evidence * named > SHAPE_SHOWS else STATED)
    if abs(evidence) < SHAPE_SHOWS:
        return known, Finding("sides", "shape", ASSUMED)
    known = known if evidence > 0.0 else roles.exchange_sides(known)
    if not named:
        return known, Finding("sides", "motion", MEASURED)
    doubt = "its toes, knees and travel show that its names exchange left and right, so these were exchanged"
    return known, Finding("sides", EXCHANGED, MEASURED, doubt)


def _named_sides(body: Skeleton, known: Mapping[str, int]) -> int:
    """Return 1 if the sides in the joints' names agree with the roles, −1 if they are opposite, 0 without sides."""
    parts = role_names.split(body.names)
    agreeing = 0
    for role, joint in known.items():
        side, named = role.partition(".")[2], parts[joint][0]
        if side and named:
            agreeing += 1 if side == named else -1
    return int(np.sign(agreeing))


def _found_by(body: Skeleton, known: Mapping[str, int], side: Finding) -> dict[str, str]:
    """Return how each role was found; by shape if its side was changed or determined by the motion."""
    found, how = body.roles, body.roles_found_by
    settled = {role: how[role] if found.get(role) == joint else roles.SHAPE for role, joint in known.items()}
    if side.value == NAMED and settled != how:
        plain, by_name = roles.find(body.names, body.parents), roles.found_by(body.names, body.parents)
        settled |= {role: by_name[role] for role, joint in known.items() if plain.get(role) == joint}
    return settled


def _unit_finding(body: Skeleton, asked: str, stated: float) -> tuple[Finding, float]:
    if asked != AUTO:
        return Finding("unit", asked, ASKED), units.metres(asked)
    name, metres = units.of_body(body, stated)
    if stated > 0.0:
        return Finding("unit", name, STATED), metres
    return Finding("unit", name, ASSUMED, units.doubt(body, name, metres)), metres


def _check_rate(clip: Clip, known: Mapping[str, int], up: Array, metres: float, rate: Finding) -> Finding:
    """Return how the rate was found, with a sentence if the body could not move that way."""
    if rate.by == ASKED or rate.doubt:
        return rate
    wrong = pace.find_wrong_pace(clip, known, up, metres)
    if wrong is None:
        return rate
    slow, factor = wrong.slowness > 1.0, max(wrong.slowness, 1.0 / wrong.slowness)
    moves = f"at {clip.rate:g} frames per second it moves {factor:.1f} times too {'slow' if slow else 'fast'}"
    return replace(rate, doubt=f"{moves}; {wrong.fitting_rate:g} would fit")
