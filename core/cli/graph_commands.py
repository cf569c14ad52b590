"""action-loom graph build | info: motion graphs as files; also walks through them, under the names of version 0.1."""

import argparse

from .. import verbs
from ..graph import storage
from ..verbs import BuildGraph, Follow, Shortest, Walk
from . import common, outputs, summary, verb_commands
from .host import Host


def add_arguments(parser: argparse.ArgumentParser, host: Host) -> None:
    kinds = parser.add_subparsers(title="what is done", dest="kind", required=True, metavar="build | info")
    verb_commands.add_kind(kinds, host, BuildGraph, "build")
    info = kinds.add_parser("info", help="what is in a graph")
    info.add_argument("graph", metavar="G.npz")
    common.add_common(info)
    common.add_picture(info, host, "draw the graph")
    info.set_defaults(run=_info)
    for recipe, name in ((Follow, "follow"), (Walk, "walk"), (Shortest, "path")):
        verb_commands.add_kind(kinds, host, recipe, name, artefact_first=True)


def _info(host: Host, arguments: argparse.Namespace) -> None:
    report, picture = common.check_outputs(host, arguments, [arguments.graph])
    graph = storage.load(arguments.graph)
    contents = {}
    if report is not None:
        contents[report] = outputs.as_json(graph.report)
    if picture is not None:
        contents[picture] = verbs.picture(BuildGraph(), graph)
    outputs.write(contents, arguments.force)
    if not arguments.quiet:
        print("\n".join(summary.graph_lines(graph)))
