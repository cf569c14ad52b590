"""action-loom graph build | info: motion graphs as files; also walks through them, under the names of version 0.1."""

import argparse
from pathlib import Path

from .. import verbs
from ..errors import OptionError
from ..graph import storage
from ..verbs import BuildGraph, Follow, Shortest, Walk
from . import common, outputs, summary, verb_commands
from .host import Host


def add_verb(commands: "argparse._SubParsersAction[argparse.ArgumentParser]", host: Host) -> None:
    text = "connect clips to a motion graph, kept as a file"
    kinds = commands.add_parser("graph", help=text, description=text).add_subparsers(
        title="what is done", dest="kind", required=True, metavar="build | info"
    )
    verb_commands.add_verb(kinds, host, BuildGraph, "build")
    info = kinds.add_parser("info", help="what is in a graph")
    info.add_argument("graph", metavar="G.npz")
    common.add_common(info)
    text = "draw the graph" if host.draws else argparse.SUPPRESS
    info.add_argument("--picture", metavar="P.png", help=text)
    info.set_defaults(run=_info)
    for recipe, name in ((Follow, "follow"), (Walk, "walk"), (Shortest, "path")):
        verb_commands.add_verb(kinds, host, recipe, name, artefact_first=True)


def _info(host: Host, arguments: argparse.Namespace) -> None:
    if arguments.picture is not None and not host.draws:
        raise OptionError("pictures are not drawn inside Blender, which has no matplotlib: action-loom draws them")
    report, picture = (None if path is None else Path(path) for path in (arguments.report, arguments.picture))
    outputs.check([report, picture], arguments.force, inputs=[arguments.graph])
    graph = storage.load(arguments.graph)
    contents = {}
    if report is not None:
        contents[report] = outputs.as_json(graph.report)
    if picture is not None:
        contents[picture] = verbs.picture(BuildGraph(), graph)
    outputs.write(contents, arguments.force)
    if not arguments.quiet:
        print("\n".join(summary.graph_lines(graph)))
