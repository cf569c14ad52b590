"""action-loom info: facts about clips."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .. import verbs
from ..errors import LoomError
from ..motion import roles as body_roles
from ..motion import trim
from ..quality import breaks, contacts, foot_travel, quality
from ..weight import compared
from . import common, cuts, outputs
from .host import Host, Settings, Sources


def add_arguments(parser: argparse.ArgumentParser, host: Host) -> None:
    text = f"{cuts.HELP}; all that there are if none is named" if host.lists else cuts.HELP
    parser.add_argument("clips", nargs="*" if host.lists else "+", metavar=host.clip, help=text)
    common.add_options(parser, host.reading)
    common.add_common(parser)
    parser.set_defaults(run=run)


def run(host: Host, arguments: argparse.Namespace) -> None:
    report = None if arguments.report is None else Path(arguments.report)
    outputs.check([report], arguments.force, inputs=map(host.file_of, arguments.clips))
    settings = common.settings(host.reading, arguments)
    if arguments.clips:
        described = [_describe(host.read([clip], settings)) for clip in arguments.clips]
    else:
        described = [_described_or_not(host, clip, settings) for clip in host.every(settings)]
    if not arguments.quiet:
        for one in described:
            print("\n".join(_lines(one, host)))
    if report is not None:
        outputs.write({report: outputs.as_json({"verb": "info", "clips": described})}, arguments.force)


def _described_or_not(host: Host, clip: str, settings: Settings) -> dict[str, Any]:
    """Return the facts about a clip not named explicitly, or a "problem" entry if it can't be read."""
    try:
        return _describe(host.read([clip], settings))
    except LoomError as error:
        return {"clip": clip, "problem": str(error)}


def _describe(sources: Sources) -> dict[str, Any]:
    clip = sources.clips[0]
    trimmed = trim.ends(clip)
    standing, found = contacts.detect(trimmed.clip), foot_travel.measure(trimmed.clip)
    flights = compared.known_flights(trimmed.clip)
    return sources.facts() | {
        "frames": len(clip),
        "rate": clip.rate,
        "seconds": round(clip.seconds, 4),
        "cyclic": clip.cyclic,
        "joints": len(clip.skeleton),
        "height_m": round(clip.skeleton.height, 3),
        "dropped": {"first": trimmed.first, "last": trimmed.last},
        "roles": {role: clip.skeleton.names[joint] for role, joint in sorted(clip.skeleton.roles.items())},
        "roles_found_by": dict(sorted(clip.skeleton.roles_found_by.items())),
        "what_works": verbs.what_works(clip.skeleton.roles),
        "contacts": {
            side: [[a + trimmed.first, b - 1 + trimmed.first] for a, b in contacts.runs(flags)]
            for side, flags in standing.items()
        },
        "quality": quality.measure(trimmed.clip),
        "flights": None if flights is None else flights.as_json(trimmed.first),
        "in_place": None if found is None else found.in_place,
        "notes": [*sources.notes, *foot_travel.notes(clip.name, found), *_list_interruptions(trimmed)],
    }


def _list_interruptions(trimmed: trim.Trimmed) -> list[str]:
    """Return sentences on interruptions of the recording."""
    first = trimmed.first
    return [
        f"{trimmed.clip.name}: {one.words} in frames {one.first + first} to {one.last + first}"
        for one in breaks.find_breaks(trimmed.clip)
    ]


def _role(one: Mapping[str, Any], role: str) -> str:
    """Return a phrase on the joint with a role, and on how it was found if not by its name."""
    how = one["roles_found_by"][role]
    return f"{role} = {one['roles'][role]}" + ("" if how == body_roles.NAME else f" (by {how})")


def _lines(one: Mapping[str, Any], host: Host) -> list[str]:
    if "problem" in one:
        return [one["clip"], f"  can't be read: {one['problem']}"]
    figures, dropped = one["quality"], one["dropped"]
    lines = [
        one["clip"],
        f"  {one['frames']} frames at {one['rate']:g} a second, {one['seconds']:.2f} s"
        + (", cyclic" if one["cyclic"] else ""),
        f"  {one['joints']} joints, {one['height_m']:.2f} m tall; {host.about_file(one)}",
        f"  roles: {', '.join(_role(one, role) for role in one['roles']) or 'none found'}",
    ]
    if one["what_works"]:
        lines.append(f"  {one['what_works']}")
    if dropped["first"] or dropped["last"]:
        lines.append(f"  calibration pose or jump: first {dropped['first']}, last {dropped['last']} frames")
    for side, stretches in one["contacts"].items():
        shown = ", ".join(f"{a}–{b}" for a, b in stretches) or "never"
        lines.append(f"  {contacts.NAMES[side]} stands: {shown}")
    if one["flights"]:
        falls = (f"{each['first']:.0f}–{each['last']:.0f} at {each['fall']:.1f} m/s²" for each in one["flights"])
        lines.append(f"  flies in frames {', '.join(falls)}")
    slide = figures["slide_cm_s"]
    lines.append(
        f"  travels {figures['path_m']:.2f} m, turns {np.round(figures['turn_degrees']) + 0:.0f}°, "
        + ("feet unknown" if slide is None else f"feet slide {slide:.1f} cm/s")
    )
    return lines + [f"  note: {note}" for note in one["notes"]]
