"""action-loom sync | blend: verbs that make one clip out of several."""

import argparse

from ..recipes import Blend, Recipe, Synchronise
from . import common, job, outputs


def add_verbs(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    sync = _add_verb(verbs, Synchronise, "re-time a clip to another: sync A B gives B in time with A")
    _add_output(sync, required=False)
    blend = _add_verb(verbs, Blend, "weave clips into one that lies between them")
    _add_output(blend, required=True)


def _add_verb(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", recipe: type[Recipe], text: str
) -> argparse.ArgumentParser:
    parser = verbs.add_parser(recipe.verb, help=text, description=text)
    parser.add_argument("clips", nargs="+", metavar="CLIP")
    common.add_options(parser, recipe)
    common.add_common(parser)
    parser.add_argument("--picture", metavar="P.png", help="draw distances, registration curves, weights and steps")
    parser.set_defaults(run=run, recipe=recipe)
    return parser


def _add_output(parser: argparse.ArgumentParser, *, required: bool) -> None:
    text = "the result; in a folder (FOLDER/), the file is named after it"
    parser.add_argument("-o", "--output", metavar="OUT.bvh", required=required, help=text)


def run(arguments: argparse.Namespace) -> None:
    """Read the clips, apply the recipe, write what was asked for."""
    recipe = common.recipe_from(arguments.recipe, arguments)
    flags = ("output", "report", "picture", "units", "up", "force")
    planned = job.plan(recipe, arguments.clips, **{flag: getattr(arguments, flag) for flag in flags})
    outputs.check(planned.outputs, planned.force, planned.folders)
    with common.progress(arguments.quiet) as progress:
        made = job.make(planned, progress)
    outputs.write(made.contents)
    if not arguments.quiet:
        print(made.summary)
