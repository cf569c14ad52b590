"""action-loom style fit | info | apply: styles as files."""

import argparse

from .. import verbs
from ..style import groups, storage
from ..verbs import FitStyle, Restyle
from . import common, outputs, summary, verb_commands
from .host import Host


def add_arguments(parser: argparse.ArgumentParser, host: Host) -> None:
    kinds = parser.add_subparsers(title="what is done", dest="kind", required=True, metavar="fit | info | apply")
    verb_commands.add_kind(kinds, host, FitStyle, "fit")
    verb_commands.add_kind(kinds, host, Restyle, "apply", artefact_first=True)
    info = kinds.add_parser("info", help="what is in a style")
    info.add_argument("style", metavar="S.npz")
    common.add_common(info)
    common.add_picture(info, host, "draw the style")
    text = "show strides in groups instead: of a label, or under and over the median of a measure (stride, speed, …)"
    info.add_argument("--by", metavar="LABEL", help=text)
    info.set_defaults(run=_info)


def _info(host: Host, arguments: argparse.Namespace) -> None:
    report, picture = common.check_outputs(host, arguments, [arguments.style])
    style = storage.load(arguments.style)
    grouped = groups.of(style, arguments.by) if arguments.by is not None else None
    contents = {}
    if report is not None:
        contents[report] = outputs.as_json(dict(style.report))
    if picture is not None:
        made = style if grouped is None else (style, grouped)
        contents[picture] = verbs.picture(FitStyle(), made)
    outputs.write(contents, arguments.force)
    if not arguments.quiet:
        print("\n".join(summary.style_lines(style, grouped)))
