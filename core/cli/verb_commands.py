"""action-loom VERB …: a command for every verb of the registry, with a flag for every option."""

import argparse
from collections.abc import Sequence
from typing import Any

from ..errors import OptionError
from ..options import Option, declared
from ..recipes.base import Recipe
from ..recipes.graph import Follow, GraphOptions, GraphWalk
from . import common, job, outputs
from .host import Host

_STRETCH = (
    ("--action", "actions", str, "what the upper body does on a stretch of the path (several: once for each)"),
    ("--from", "froms", float, "where that stretch begins, in percent of the path (several: once for each)"),
    ("--to", "tos", float, "where it ends (several: once for each)"),
)


def add_verbs(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", host: Host) -> None:
    """Add the commands of all verbs but `graph`, which has commands of its own below it."""
    for row in host.verbs.values():
        if row.makes != "graph":
            add_verb(verbs, host, row.recipe, row.recipe.verb)


def add_verb(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]",
    host: Host,
    recipe: type[Recipe],
    name: str,
    *,
    graph_first: bool = False,
) -> None:
    """Add a command; with `graph_first` it takes the file of a graph, as walks through graphs did in version 0.1."""
    parser = verbs.add_parser(name, help=recipe.summary, description=recipe.summary)
    walks = issubclass(recipe, GraphWalk)
    if graph_first:
        parser.add_argument("graph", metavar="G.npz")
    else:
        parser.add_argument("clips", nargs="*" if walks else "+", metavar=host.clip)
    if recipe.like:
        parser.add_argument("--like", metavar=host.clip, required=True, help=recipe.like)
    if walks and not graph_first:
        text = "a motion graph from a file, to be walked through instead of one of the clips"
        parser.add_argument("--graph", metavar="G.npz", help=text)
    building = declared(GraphOptions) if walks else {}
    positional = ("leave", "reach") if graph_first and "leave" in declared(recipe) else ()
    own = {key: about for key, about in declared(recipe).items() if key not in building and key not in positional}
    own.pop("stretches", None)
    common.add_options(parser, own)
    for key in positional:
        parser.add_argument(key, metavar={"leave": "FROM", "reach": "TO"}[key], help=declared(recipe)[key].description)
    if not graph_first:
        common.add_options(parser, building)
    if recipe is Follow:
        for flag, destination, kind, text in _STRETCH:
            metavar = host.clip if kind is str else "PERCENT"
            parser.add_argument(flag, dest=destination, type=kind, action="append", metavar=metavar, help=text)
    common.add_options(parser, host.settings)
    common.add_common(parser)
    text = "draw what tells how the result was made" if host.draws else argparse.SUPPRESS
    parser.add_argument("--picture", metavar="P.png", help=text)
    host.add_output(parser, recipe.verb)
    parser.set_defaults(run=run, recipe=recipe)


def run(host: Host, arguments: argparse.Namespace) -> None:
    """Read the clips, do what the recipe says, write what was asked for."""
    recipe, clips, graph = _asked(arguments)
    destination = host.destination(arguments)
    planned = job.plan(
        host,
        recipe,
        clips,
        common.settings(host.settings, arguments),
        graph=graph,
        output=destination.export,
        report=arguments.report,
        picture=arguments.picture,
        kept_in=host.place(destination),
        force=arguments.force,
    )
    outputs.check([*planned.outputs, destination.copy], planned.force, planned.folders)
    with common.progress(arguments.quiet) as progress:
        made = job.make(planned, progress)
    host.save(destination)
    outputs.write(made.contents, planned.force)
    if not arguments.quiet:
        print(made.summary)


def _asked(arguments: argparse.Namespace) -> tuple[Recipe, list[str], str | None]:
    """The recipe that the flags describe, the clips it is done with, and the file of its graph; raises OptionError."""
    recipe: type[Recipe] = arguments.recipe
    clips, graph = list(getattr(arguments, "clips", ())), getattr(arguments, "graph", None)
    values = common.given(declared(recipe), arguments)
    if graph is not None:
        _refuse_building(values)
        if clips:
            raise OptionError(
                "--graph names a graph of clips, so no clips are named beside it; --action names those of stretches"
            )
    if recipe.like:
        clips = [arguments.like, *clips]
    actions, rows = _stretches(arguments, len(clips))
    if rows:
        values["stretches"] = rows
    return recipe(**values), [*clips, *actions], graph


def _refuse_building(values: dict[str, Any]) -> None:
    """Raise OptionError for options of building a graph where it is built already."""
    building: dict[str, Option] = declared(GraphOptions)
    meant = [name for name in values if name in building]
    if meant:
        raise OptionError(f"{', '.join(meant)}: this is settled in the graph that --graph names; build another one")


def _stretches(arguments: argparse.Namespace, before: int) -> tuple[Sequence[str], list[tuple[float, float, int]]]:
    """The actions and the stretches of --action, --from and --to; raises OptionError where these do not go together."""
    given = [getattr(arguments, destination, None) or [] for _, destination, _, _ in _STRETCH]
    if len({len(values) for values in given}) > 1:
        actions, starts, ends = map(len, given)
        raise OptionError(
            f"each --action has one --from and one --to; given were {actions} --action, {starts} --from and {ends} --to"
        )
    rows = zip(given[1], given[2], strict=True)
    return given[0], [(low / 100.0, high / 100.0, before + k) for k, (low, high) in enumerate(rows, 1)]
