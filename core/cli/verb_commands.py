"""action-loom VERB …: a command for every verb of the registry, with a flag for every option."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import Cancelled, LoomError, OptionError
from ..options import Option, declared_options, readable
from ..recipes.base import Recipe
from ..recipes.graph import GraphWalk
from ..verbs import VERBS, Follow
from . import artefacts, common, cuts, job, outputs, timewarps
from .artefacts import KINDS
from .host import Destination, Host

_STRETCH = (
    ("--action", "actions", str, "what the upper body does on a stretch of the path (several: once for each)"),
    ("--from", "froms", float, "where that stretch begins, in percent of the path (several: once for each)"),
    ("--to", "tos", float, "where it ends (several: once for each)"),
)


def add_arguments(
    parser: argparse.ArgumentParser, host: Host, recipe: type[Recipe], *, artefact_first: bool = False
) -> None:
    """Add a verb's arguments; with `artefact_first`, the artefact's file is the first of them: `graph follow G`."""
    walks, used = issubclass(recipe, GraphWalk), artefacts.used_by(recipe)
    if used is not None and artefact_first:
        parser.add_argument(VERBS[recipe.verb].uses, metavar=used.file)
    if not walks or not artefact_first:
        parser.add_argument("clips", nargs="*" if walks else "+", metavar=host.clip, help=cuts.HELP)
    if recipe.like:
        parser.add_argument("--like", metavar=host.clip, required=True, help=recipe.like)
    if recipe.others:
        parser.add_argument("--from", dest="others", metavar=host.clip, nargs="+", default=[], help=recipe.others)
    if used is not None and not artefact_first:
        text = f"{used.title} from a file, instead of one made of the clips"
        parser.add_argument(f"--{VERBS[recipe.verb].uses}", metavar=used.file, help=text)
    building = _of_making(recipe)
    positional = ("leave", "reach") if artefact_first and "leave" in declared_options(recipe) else ()
    own = {key: about for key, about in readable(recipe).items() if key not in building and key not in positional}
    own.pop("stretches", None)
    common.add_options(parser, own)
    for key in positional:
        parser.add_argument(
            key, metavar={"leave": "FROM", "reach": "TO"}[key], help=declared_options(recipe)[key].description
        )
    if not artefact_first:
        common.add_options(parser, building)
    if recipe is Follow:
        for flag, destination, kind, text in _STRETCH:
            metavar = host.clip if kind is str else "PERCENT"
            parser.add_argument(flag, dest=destination, type=kind, action="append", metavar=metavar, help=text)
    if host.partners and recipe.takes_partner_files():
        text = "the same frames of a second figure, for each clip; its result goes to 'OUT partner', beside OUT"
        parser.add_argument("--partner", metavar=host.clip, nargs="+", default=[], help=text)
        common.add_options(parser, {"adapts": job.ADAPTS})
    common.add_options(parser, host.settings)
    common.add_common(parser)
    common.add_picture(parser, host, "draw what tells how the result was made")
    if timewarps.has(recipe):
        text = "write how the clip was re-timed to its reference: rows of its frames, columns of the reference's"
        parser.add_argument("--timewarp", metavar="W.csv", help=text)
    host.add_output(parser, recipe.verb)
    parser.set_defaults(run=run, recipe=recipe)


def add_kind(
    kinds: "argparse._SubParsersAction[argparse.ArgumentParser]",
    host: Host,
    recipe: type[Recipe],
    name: str,
    *,
    artefact_first: bool = False,
) -> None:
    """Add a verb under another name to a group of commands, such as `graph build`."""
    parser = kinds.add_parser(name, help=recipe.summary, description=recipe.summary)
    add_arguments(parser, host, recipe, artefact_first=artefact_first)


def run(host: Host, arguments: argparse.Namespace) -> None:
    """Read the clips, apply the recipe, and write the requested files; a verb for one clip is applied to each."""
    recipe, clips, artefact = _requested_recipe(arguments)
    destination = host.destination(arguments)
    each, partners = recipe.each(clips), list(getattr(arguments, "partner", ())) if host.partners else []
    with_partners = recipe.each(partners) if len(partners) == len(clips) else [(recipe, partners)] * len(each)
    adapts = common.read_flags({"adapts": job.ADAPTS}, arguments) if partners else {}
    listed = _list_of_reports(arguments) if len(each) > 1 else None
    if len(each) > 1:
        _check_folders({"-o": destination.export, "--picture": arguments.picture}, len(each))
    planned = [
        job.plan(
            host,
            one,
            group,
            common.settings(host.settings, arguments),
            artefact=artefact,
            output=destination.export,
            report=None if listed else arguments.report,
            picture=arguments.picture,
            timewarp=getattr(arguments, "timewarp", None),
            kept_in=host.place(destination),
            force=arguments.force,
            partners=beside,
            **adapts,
        )
        for (one, group), (_, beside) in zip(each, with_partners, strict=True)
    ]
    places = [path for one in planned for path in one.outputs]
    tables = [
        getattr(arguments, name, None) for name, about in declared_options(type(recipe)).items() if about.from_file
    ]
    inputs = [path for one in planned for path in one.inputs] + [path for path in tables if isinstance(path, str)]
    outputs.check([*places, listed, destination.copy], arguments.force, planned[0].folders, inputs)
    if len(planned) == 1:
        with common.progress(arguments.quiet) as progress:
            made = job.make(planned[0], progress, alone=True)
        _keep(host, arguments, destination, [made], {})
    else:
        _do_each(host, arguments, destination, planned, listed)


def _list_of_reports(arguments: argparse.Namespace) -> Path | None:
    """Return the file for the list of all reports; None if not requested, or if each has a file in a folder."""
    report = arguments.report
    return None if report is None or outputs.folder(report) is not None else Path(report)


def _check_folders(named: dict[str, str | None], count: int) -> None:
    """Raise OptionError for files that can't hold several results."""
    for flag, path in named.items():
        if path is not None and outputs.folder(path) is None:
            raise OptionError(f"{flag} is {path!r}, but {count} results need a folder: FOLDER/")


def _do_each(
    host: Host,
    arguments: argparse.Namespace,
    destination: Destination,
    planned: Sequence[job.Job],
    listed: Path | None,
) -> None:
    """Run the job of each clip; if some fail, raises LoomError after the others.

    The files of a clip are written before the next one begins, unless all results are kept in an opened file.
    """
    together = host.place(destination) is not None
    done: list[job.Made] = []
    failed, reports = [], []
    assigned = False
    with common.progress(arguments.quiet) as progress:
        for k, one in enumerate(planned):
            if assigned and "assign" in one.settings:  # only one action can be assigned: the first
                one = replace(one, settings={**one.settings, "assign": False})
            try:
                made = job.make(one, progress.part(k / len(planned), (k + 1) / len(planned)))
            except Cancelled:
                raise
            except LoomError as error:
                title = host.title(one.clips[-1]) if one.clips else str(one.artefact)
                failed.append(str(error) if title in str(error) else f"{title}: {error}")
                reports.append({"inputs": list(one.clips), "message": str(error)})
                continue
            assigned = True
            reports.append(made.report)
            if together:
                done.append(made)
            else:
                _keep(host, arguments, destination, [made], {})
    _keep(host, arguments, destination, done, {} if listed is None else {listed: outputs.as_json(reports)})
    for line in failed:
        print(f"{host.name}: {line}", file=sys.stderr)
    if failed:
        raise LoomError(f"{len(failed)} of {len(planned)} clips can't be worked with")


def _keep(
    host: Host,
    arguments: argparse.Namespace,
    destination: Destination,
    done: Sequence[job.Made],
    others: dict[Path, bytes],
) -> None:
    """Save the opened file, write the files of all results, and print their summaries."""
    if done:
        host.save(destination)
    for contents in (*(made.contents for made in done), others):
        outputs.write(contents, arguments.force)
    if not arguments.quiet:
        for made in done:
            print(made.summary)


def _of_making(recipe: type[Recipe]) -> dict[str, Option]:
    """Return the options of a verb that an existing artefact fixes."""
    row = VERBS[recipe.verb]
    return readable(row.depends) if row.uses and row.depends is not None else {}


def _requested_recipe(arguments: argparse.Namespace) -> tuple[Recipe, list[str], str | None]:
    """Return the recipe described by the flags, its clips, and the file of its artefact; raises OptionError."""
    recipe: type[Recipe] = arguments.recipe
    clips = list(getattr(arguments, "clips", ()))
    kind = VERBS[recipe.verb].uses
    artefact = getattr(arguments, kind, None) if kind else None
    values = common.read_flags(readable(recipe), arguments)
    if artefact is not None:
        _refuse_making(recipe, values)
        if clips and issubclass(recipe, GraphWalk):
            raise OptionError(
                "--graph names a graph of clips, so no clips are named beside it; --action names those of stretches"
            )
        if len(clips) > 1 and not issubclass(recipe, GraphWalk):
            raise OptionError(
                f"--{kind} names {KINDS[kind].title} that is made already, so one clip is named beside it"
            )
    if recipe.like:
        clips = [arguments.like, *clips]
    if recipe.others:
        clips += arguments.others
    actions, rows = _stretches(arguments, len(clips))
    if rows:
        values["stretches"] = rows
    return recipe(**values), [*clips, *actions], artefact


def _refuse_making(recipe: type[Recipe], values: dict[str, Any]) -> None:
    """Raise OptionError for options that an existing artefact fixes."""
    settled = [name for name in values if name in _of_making(recipe)]
    if settled:
        kind = VERBS[recipe.verb].uses
        raise OptionError(f"{', '.join(settled)}: this is settled in the {kind} that --{kind} names; make another one")


def _stretches(arguments: argparse.Namespace, before: int) -> tuple[Sequence[str], list[tuple[float, float, int]]]:
    """Return the actions and stretches of --action, --from and --to; raises OptionError for unequal numbers."""
    given = [getattr(arguments, destination, None) or [] for _, destination, _, _ in _STRETCH]
    if len({len(values) for values in given}) > 1:
        actions, starts, ends = map(len, given)
        raise OptionError(
            f"each --action has one --from and one --to; given were {actions} --action, {starts} --from and {ends} --to"
        )
    rows = zip(given[1], given[2], strict=True)
    return given[0], [(low / 100.0, high / 100.0, before + k) for k, (low, high) in enumerate(rows, 1)]
