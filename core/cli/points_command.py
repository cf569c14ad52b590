"""action-loom points: make motion files of 3D points, as from video or markers."""

import argparse

from ..options import declared_options
from ..points import registry
from ..recipes.points import FromPoints
from . import common, outputs, point_jobs
from .host import Host

OPTIONS = declared_options(FromPoints)


def add_arguments(parser: argparse.ArgumentParser, _host: Host) -> None:
    parser.add_argument("points", metavar="POINTS", help=", ".join(registry.POINT_FORMATS))
    common.add_options(parser, OPTIONS)
    common.add_common(parser)
    text = "the motion file; of several people, a file each; in a folder (FOLDER/), it is named after the points"
    parser.add_argument("-o", "--output", metavar="OUT.bvh", required=True, help=text)
    parser.set_defaults(run=run)


def run(host: Host, arguments: argparse.Namespace) -> None:
    """Read points, and write the motion file of each person, or none."""
    recipe = FromPoints(**common.read_flags(OPTIONS, arguments))
    job = point_jobs.plan_job(
        host,
        recipe,
        [arguments.points],
        {"skeleton": ""},
        output=arguments.output,
        report=arguments.report,
        force=arguments.force,
    )
    outputs.check(job.outputs, job.force, job.folders, [arguments.points])
    with common.progress(arguments.quiet) as progress:
        made = point_jobs.finish_job(job, progress)
    outputs.write(made.contents, job.force)
    if not arguments.quiet:
        print(made.summary)
