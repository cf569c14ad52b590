"""action-loom graph build | info | follow | walk | path: motion graphs, and walks through them."""

import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import LoomError, OptionError
from ..graph import storage
from ..graph.graph import Graph
from ..graph.travelled import Followed, Travelled
from ..motion import bvh, bvh_text
from ..motion.clip import Clip
from ..options import Option, declared
from ..recipes import Follow, Graphing, Recipe, ShortestPath, Walk
from ..recipes import Graph as Build
from . import common, outputs
from .host import Host


def add_verb(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", host: Host) -> None:
    text = "connect clips to a motion graph, and walk through it"
    kinds = verbs.add_parser("graph", help=text, description=text).add_subparsers(
        title="what is done", dest="kind", required=True, metavar="build | info | follow | walk | path"
    )
    _add_build(kinds, host)
    info = kinds.add_parser("info", help="what is in a graph")
    info.add_argument("graph", metavar="G.npz")
    _add_common(info, host)
    info.set_defaults(run=_info)
    follow = _add_walk(kinds, host, "follow", Follow, "walk along a path")
    text = "the path: rows of x and y in metres, seen from above"
    follow.add_argument("--path", metavar="P.csv", required=True, help=text)
    text = "{} (several stretches: once for each)"
    about = (
        ("--action", str, host.clip, "what the upper body does on a stretch of the path"),
        ("--from", float, "PERCENT", "where the stretch begins, in percent of the path"),
        ("--to", float, "PERCENT", "where it ends"),
    )
    for flag, kind, metavar, what in about:
        parser_help = text.format(what)
        follow.add_argument(flag, dest=flag[2:] + "s", type=kind, action="append", metavar=metavar, help=parser_help)
    common.add_options(follow, host.reading)
    _add_walk(kinds, host, "walk", Walk, "wander at random")
    shortest = _add_walk(kinds, host, "path", ShortestPath, "go from frame to frame in the least time")
    shortest.add_argument("leave", metavar="FROM", help="clip and frame to begin at, CLIP:FRAME")
    shortest.add_argument("reach", metavar="TO", help="clip and frame to end at, CLIP:FRAME")


def _add_build(kinds: "argparse._SubParsersAction[argparse.ArgumentParser]", host: Host) -> None:
    text = "connect clips where they are alike"
    parser = kinds.add_parser("build", help=text, description=text)
    parser.add_argument("clips", nargs="+", metavar=host.clip)
    common.add_options(parser, declared(Build))
    common.add_options(parser, host.reading)
    _add_common(parser, host)
    parser.add_argument("-o", "--output", metavar="G.npz", required=True, help="the graph, with its clips")
    parser.set_defaults(run=_build)


def _add_walk(
    kinds: "argparse._SubParsersAction[argparse.ArgumentParser]", host: Host, kind: str, recipe: type[Recipe], text: str
) -> argparse.ArgumentParser:
    parser = kinds.add_parser(kind, help=text, description=text)
    parser.add_argument("graph", metavar="G.npz")
    common.add_options(parser, _flags(recipe))
    _add_common(parser, host)
    text = "the result; in a folder (FOLDER/), the file is named after it"
    parser.add_argument("-o", "--output", metavar="OUT.bvh", required=True, help=text)
    parser.set_defaults(run=_walk, recipe=recipe)
    return parser


def _flags(recipe: type[Recipe]) -> dict[str, Option]:
    """The options of a walk but for how its graph is built, and for what has a place of its own."""
    apart = {*declared(Graphing), "path", "stretches", "leave", "reach"}
    return {name: about for name, about in declared(recipe).items() if name not in apart}


def _add_common(parser: argparse.ArgumentParser, host: Host) -> None:
    common.add_common(parser)
    text = "draw the graph, or the walk" if host.draws else argparse.SUPPRESS
    parser.add_argument("--picture", metavar="P.png", help=text)


def _build(host: Host, arguments: argparse.Namespace) -> None:
    recipe = Build(**{name: getattr(arguments, name) for name in declared(Build)})
    title = recipe.result_name([host.title(clip) for clip in arguments.clips])
    places = _places(host, arguments, title, ".npz")
    sources = host.read(arguments.clips, common.settings(host.reading, arguments))
    with common.progress(arguments.quiet) as progress:
        graph = recipe.apply(sources.clips, progress)
    output = places[0]
    assert output is not None
    told = graph.report | sources.report() | {"output": str(output)}
    told["warnings"] = [*sources.notes, *graph.report["warnings"]]
    graph = dataclasses.replace(graph, name=output.stem, report=told)
    _write(places, storage.compose(graph), told, lambda: _drawn(graph))
    if not arguments.quiet:
        print("\n".join(_graph_lines(graph)))


def _info(host: Host, arguments: argparse.Namespace) -> None:
    places = _places(host, arguments, "", "")
    graph = storage.load(arguments.graph)
    _write(places, None, graph.report, lambda: _drawn(graph))
    if not arguments.quiet:
        print("\n".join(_graph_lines(graph)))


def _walk(host: Host, arguments: argparse.Namespace) -> None:
    graph = storage.load(arguments.graph)
    wanted = {name: getattr(arguments, name) for name in _flags(arguments.recipe)}
    wanted |= {name: getattr(arguments, name) for name in ("leave", "reach") if hasattr(arguments, name)}
    if hasattr(arguments, "path"):
        wanted["path"] = read_path(arguments.path)
    clips: Sequence[Clip] = ()
    if getattr(arguments, "actions", None) or getattr(arguments, "froms", None) or getattr(arguments, "tos", None):
        wanted["stretches"] = _stretches(arguments)
        clips = host.read(arguments.actions, common.settings(host.reading, arguments)).clips
    recipe = arguments.recipe(**wanted)
    places = _places(host, arguments, recipe.result_name([graph.name]), ".bvh")
    with common.progress(arguments.quiet) as progress:
        woven = recipe.apply(clips, progress, graph=graph)
    motion = bvh.from_clip(woven.clip, convention=_convention(graph))
    told = woven.report | {"output": str(places[0])}
    _write(places, bvh_text.compose(motion).encode("utf-8"), told, lambda: _drawn(woven))
    if not arguments.quiet:
        print("\n".join(_walk_lines(woven)))


def _stretches(arguments: argparse.Namespace) -> list[tuple[float, float, int]]:
    """The stretches that --action, --from and --to give; raises OptionError where these do not go together."""
    given = [getattr(arguments, name) or [] for name in ("actions", "froms", "tos")]
    if len({len(values) for values in given}) > 1:
        actions, starts, ends = map(len, given)
        raise OptionError(
            f"each --action has one --from and one --to; given were {actions} --action, {starts} --from and {ends} --to"
        )
    return [(low / 100.0, high / 100.0, k) for k, (_, low, high) in enumerate(zip(*given, strict=True), 1)]


def _convention(graph: Graph) -> bvh.Convention | None:
    """The units and axes of the first of the files that a graph is of, if it is of files."""
    units = graph.report.get("units")
    return bvh.Convention(**units[0]) if units else None


def _places(host: Host, arguments: argparse.Namespace, title: str, ending: str) -> list[Path | None]:
    """Return the files for result, report and picture; raises LoomError for those that can't be written."""
    if arguments.picture is not None and not host.draws:
        raise OptionError("pictures are not drawn inside Blender, which has no matplotlib: action-loom draws them")
    wanted = getattr(arguments, "output", None)
    if wanted is not None and Path(wanted).suffix.lower() == ".blend":
        raise OptionError(f"-o is {wanted!r}, but graphs are kept as .npz and walks through them as .bvh")
    given = [(wanted, ending), (arguments.report, ".json"), (arguments.picture, ".png")]
    places = [None if path is None else outputs.place(path, title, end) for path, end in given]
    folders = [f for path, _ in given if path is not None and (f := outputs.folder(path)) is not None]
    outputs.check(places, arguments.force, folders)
    return places


def _write(places: list[Path | None], content: bytes | None, report: Mapping[str, Any], draw: Any) -> None:
    contents = {}
    if places[0] is not None and content is not None:
        contents[places[0]] = content
    if places[1] is not None:
        contents[places[1]] = outputs.as_json(report)
    if places[2] is not None:
        contents[places[2]] = draw()
    outputs.write(contents)


def _drawn(what: Graph | Travelled) -> bytes:
    from . import graph_plots, plots

    return plots.as_png(graph_plots.graph(what) if isinstance(what, Graph) else graph_plots.walk(what))


def read_path(file: str) -> list[list[float]]:
    """Return the rows of a file of numbers apart by commas, semicolons or spaces; raises LoomError with file and line.

    A first row of words and what follows a # are left out.
    """
    try:
        lines = Path(file).read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise LoomError(f"{file}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise LoomError(f"{file}: this is not UTF-8 text") from None
    rows: list[list[float]] = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].replace(",", " ").replace(";", " ").split()
        try:
            row = [float(word) for word in words]
        except ValueError:
            if not rows and not any(_is_number(word) for word in words):
                continue
            raise LoomError(f"{file}, line {number}: expected numbers, found {line.strip()[:40]!r}") from None
        if len(row) == 1 or not np.isfinite(row).all():
            raise LoomError(f"{file}, line {number}: expected x and y, found {line.strip()[:40]!r}")
        if row:
            rows.append(row)
    return rows


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _graph_lines(graph: Graph) -> list[str]:
    told = graph.report["graph"]
    clips = f"{graph.material.given} clips{' and their mirror images' if graph.material.mirrored else ''}"
    lines = [
        f"{graph.name}: {told['frames']} frames of {clips}",
        f"  {told['transitions']} transitions, half of them nearer than {100.0 * told['distance_median']:.1f} cm",
    ]
    for number, one in enumerate(told["components"][:5], 1):
        lines.append(
            f"  component {number}: {one['share']:.0%} of the frames, {len(one['clips'])} of {len(graph.clips)} clips "
            f"and images, {one['transitions']} transitions"
        )
    lines += [f"  {one['clip']} is outside the first: {one['why']}" for one in told["outside"]]
    lines += [
        f"  {one['clip']}: left out first {one['first']}, last {one['last']} frames ({one['why']})"
        for one in graph.report["dropped"]
    ]
    lines += [f"  note: {warning}" for warning in graph.report["warnings"]]
    return [*lines, f"  {graph.report['seconds_taken']:.2f} s"]


def _walk_lines(woven: Travelled) -> list[str]:
    told = woven.report
    lines = [f"{woven.clip.name}: {told['frames']} frames at {told['rate']:g} a second"]
    if isinstance(woven, Followed):
        one = told["follow"]
        lines.append(
            f"  {one['length']:.1f} m, {100.0 * one['rms']:.1f} cm off the path (RMS), {100.0 * one['max']:.1f} at most"
            f" ({100.0 * one['rms_before_spread']:.1f} before the rest was spread)"
        )
        bent = f", {one['bent_share']:.0%} of the way bent" if one["bent_share"] else ""
        lines.append(f"  {one['transitions']} transitions{bent}, {one['searched']} states tried")
    else:
        one = told[told["verb"]]
        lines.append(f"  {one['length']:.1f} m, {one['transitions']} transitions")
    slides = [s for figures in told["quality"]["before"] if (s := figures["slide_cm_s"]) is not None]
    after = told["quality"]["after"]["slide_cm_s"]
    if slides and after is not None:
        lines.append(f"  feet slide {np.mean(slides):.1f} (mean of the clips used) → {after:.1f} cm/s")
    lines += [f"  note: {warning}" for warning in told["warnings"]]
    return [*lines, f"  {told['seconds_taken']:.2f} s"]
