"""action-loom sync | blend: verbs that make one clip out of several."""

import argparse
import dataclasses
from pathlib import Path
from typing import Any

from ..motion import bvh
from ..recipes import Blend, Recipe, Synchronise
from ..weave.woven import Woven
from . import common


def add_verbs(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    sync = _add_verb(verbs, Synchronise, "re-time a clip to another: sync A B gives B in time with A")
    sync.add_argument("-o", "--output", type=Path, metavar="OUT.bvh")
    blend = _add_verb(verbs, Blend, "weave clips into one that lies between them")
    blend.add_argument("-o", "--output", type=Path, metavar="OUT.bvh", required=True)


def _add_verb(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", recipe: type[Recipe], text: str
) -> argparse.ArgumentParser:
    parser = verbs.add_parser(recipe.verb, help=text, description=text)
    parser.add_argument("clips", nargs="+", metavar="CLIP")
    common.add_options(parser, recipe)
    common.add_common(parser)
    parser.add_argument(
        "--picture", type=Path, metavar="P.png", help="draw the distance matrix and the registration curve"
    )
    parser.set_defaults(run=run, recipe=recipe)
    return parser


def run(arguments: argparse.Namespace) -> None:
    """Read the clips, apply the recipe, write what was asked for."""
    outputs = [arguments.output, arguments.report, arguments.picture]
    common.check_outputs(outputs, arguments.force)
    recipe = common.recipe_from(arguments.recipe, arguments)
    with common.progress(arguments.quiet) as progress:
        sources = common.read(arguments.clips, arguments.units, arguments.up)
        woven = recipe.apply([source.clip for source in sources], progress)
    reference = sources[woven.registration.reference]
    if arguments.output is not None:
        bvh.write(bvh.from_clip(woven.clip, reference.motion, reference.convention), arguments.output)
    if arguments.picture is not None:
        from . import plots

        plots.registration(woven, arguments.picture)
    common.write_report(_report(woven, sources, arguments.output), arguments.report)
    if not arguments.quiet:
        print(summary(woven))


def _report(woven: Woven, sources: list[common.Source], output: Path | None) -> dict[str, Any]:
    return woven.report | {
        "inputs": [source.motion.path for source in sources],
        "output": None if output is None else str(output),
        "units": [dataclasses.asdict(source.convention) for source in sources],
    }


def summary(woven: Woven) -> str:
    """Return the main figures of a result in a few lines."""
    report, after = woven.report, woven.report["quality"]["after"]
    lines = [f"{woven.clip.name}: {report['frames']} frames at {report['rate']:g} a second"]
    lines += [_registration_line(one) for one in report["registration"]]
    lines += [
        f"  {one['clip']}: left out first {one['first']}, last {one['last']} frames ({one['why']})"
        for one in report["dropped"]
    ]
    slides = [figures["slide_cm_s"] for figures in report["quality"]["before"]]
    if after["slide_cm_s"] is not None and None not in slides:
        before = ", ".join(f"{s:.1f}" for s in slides)
        lines.append(f"  feet slide {before} → {after['slide_cm_s']:.1f} cm/s")
    lines.append(f"  {report['seconds_taken']:.2f} s")
    return "\n".join(lines)


def _registration_line(one: dict[str, Any]) -> str:
    at_limit = f", {one['at_limit']:.0%} of the path at the limit" if one["at_limit"] >= 0.01 else ""
    return (
        f"  {one['clip']}: {one['metric']}, {one['ends']} ends, "
        f"kept {one['kept'][0]:.0%} of the reference and {one['kept'][1]:.0%} of it, "
        f"slopes {one['slope_min']:.2f}–{one['slope_max']:.2f}{at_limit}"
    )
