"""action-loom sync | blend | loop | connect | splice: verbs that make one clip."""

import argparse

from ..options import declared
from ..recipes import Blend, Connect, Loop, Recipe, Splice, Synchronise
from . import common, job, outputs
from .host import Host


def add_verbs(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", host: Host) -> None:
    _add_verb(verbs, host, Synchronise, "re-time a clip to another: sync A B gives B in time with A")
    _add_verb(verbs, host, Blend, "weave clips into one that lies between them")
    _add_verb(verbs, host, Loop, "make one cycle without a seam out of a clip that repeats itself")
    _add_verb(verbs, host, Connect, "play clips one after the other, without a seam")
    _add_verb(verbs, host, Splice, "put an action on a locomotion: splice WALK BOXING walks with BOXING's upper body")


def _add_verb(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", host: Host, recipe: type[Recipe], text: str
) -> None:
    parser = verbs.add_parser(recipe.verb, help=text, description=text)
    parser.add_argument("clips", nargs="+", metavar=host.clip)
    common.add_options(parser, declared(recipe))
    common.add_options(parser, host.settings)
    common.add_common(parser)
    text = "draw what tells how the result was made" if host.draws else argparse.SUPPRESS
    parser.add_argument("--picture", metavar="P.png", help=text)
    host.add_output(parser, recipe.verb)
    parser.set_defaults(run=run, recipe=recipe)


def run(host: Host, arguments: argparse.Namespace) -> None:
    """Read the clips, apply the recipe, write what was asked for."""
    recipe = common.recipe_from(arguments.recipe, arguments)
    destination = host.destination(arguments)
    planned = job.plan(
        host,
        recipe,
        arguments.clips,
        common.settings(host.settings, arguments),
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
    outputs.write(made.contents)
    if not arguments.quiet:
        print(made.summary)
