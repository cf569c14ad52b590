"""action-loom info: what is in motion files."""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from ..check import contacts, quality
from ..motion import trim
from . import common, outputs


def add_verb(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = verbs.add_parser("info", help="frames, rate, joints, height, roles, contacts of clips")
    parser.add_argument("clips", nargs="+", metavar="CLIP")
    common.add_common(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    report = None if arguments.report is None else Path(arguments.report)
    outputs.check([report], arguments.force)
    described = [_describe(s) for s in common.read(arguments.clips, arguments.units, arguments.up)]
    if not arguments.quiet:
        for one in described:
            print("\n".join(_lines(one)))
    if report is not None:
        outputs.write({report: outputs.as_json({"verb": "info", "clips": described})})


def _describe(source: common.Source) -> dict[str, Any]:
    clip, convention = source.clip, source.convention
    trimmed = trim.ends(clip)
    standing = contacts.detect(trimmed.clip)
    return {
        "clip": source.motion.path,
        "frames": len(clip),
        "rate": clip.rate,
        "seconds": round(clip.seconds, 4),
        "joints": len(clip.skeleton),
        "height_m": round(clip.skeleton.height, 3),
        "unit": convention.unit,
        "metres_per_unit": convention.metres,
        "up": convention.up,
        "guessed": convention.guessed,
        "dropped": {"first": trimmed.first, "last": trimmed.last},
        "roles": {role: clip.skeleton.names[joint] for role, joint in sorted(clip.skeleton.roles.items())},
        "contacts": {
            side: [[a + trimmed.first, b - 1 + trimmed.first] for a, b in contacts.runs(flags)]
            for side, flags in standing.items()
        },
        "quality": quality.measure(trimmed.clip),
    }


def _lines(one: dict[str, Any]) -> list[str]:
    figures, dropped = one["quality"], one["dropped"]
    guess = "guessed" if one["guessed"] else "as asked"
    unit = "no unit makes this body a person's size, read as metres" if one["unit"] == "unknown" else one["unit"]
    lines = [
        one["clip"],
        f"  {one['frames']} frames at {one['rate']:g} a second, {one['seconds']:.2f} s",
        f"  {one['joints']} joints, {one['height_m']:.2f} m tall; units: {unit}, {one['up']} up ({guess})",
        f"  roles: {', '.join(f'{r} = {n}' for r, n in one['roles'].items()) or 'none found'}",
    ]
    if dropped["first"] or dropped["last"]:
        lines.append(f"  calibration pose or jump: first {dropped['first']}, last {dropped['last']} frames")
    for side, stretches in one["contacts"].items():
        shown = ", ".join(f"{a}–{b}" for a, b in stretches) or "never"
        lines.append(f"  {'left' if side == 'L' else 'right'} foot stands: {shown}")
    slide = figures["slide_cm_s"]
    lines.append(
        f"  travels {figures['path_m']:.2f} m, turns {np.round(figures['turn_degrees'])+0:.0f}°, "
        + ("feet unknown" if slide is None else f"feet slide {slide:.1f} cm/s")
    )
    return lines
