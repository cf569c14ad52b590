"""Shared parts of commands: flags from options, and progress bars."""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..jit import ENGINES
from ..options import RETIRED, Option
from ..progress import SILENT, Progress
from . import outputs, tables
from .host import Host, PerClip


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the flags that every verb has."""
    parser.add_argument("--engine", choices=ENGINES, help="what computes the recurrences (default: auto)")
    parser.add_argument("--report", metavar="R.json", help="write the figures as JSON")
    parser.add_argument("--force", action="store_true", help="overwrite files that exist")
    parser.add_argument("--quiet", action="store_true", help="no progress bar, no summary")


def add_picture(parser: argparse.ArgumentParser, host: Host, text: str) -> None:
    """Add the flag for a picture, hidden in hosts that draw none."""
    parser.add_argument("--picture", metavar="P.png", help=text if host.draws else argparse.SUPPRESS)


def check_outputs(host: Host, arguments: argparse.Namespace, inputs: Iterable[str]) -> tuple[Path | None, Path | None]:
    """Return the files for report and picture after checking that they can be written; raises LoomError."""
    host.check_picture(arguments.picture)
    report, picture = (None if path is None else Path(path) for path in (arguments.report, arguments.picture))
    outputs.check([report, picture], arguments.force, inputs=inputs)
    return report, picture


def add_options(parser: argparse.ArgumentParser, options: Mapping[str, Option]) -> None:
    """Add a flag for every option, and hidden ones for its earlier names; without a flag the value is None."""
    for about in options.values():
        only = f", {about.only}" if about.only else ""
        text = (about.description + only + _default_text(about)).replace("%", "%%")
        _add_flag(parser, about, about.name, argparse.SUPPRESS if about.shown == RETIRED else text)
        for alias in (alias for alias in about.aliases if alias not in options):
            _add_flag(parser, about, alias, argparse.SUPPRESS)


def _add_flag(parser: argparse.ArgumentParser, about: Option, name: str, text: str) -> None:
    how: dict[str, Any] = {"dest": about.name, "default": None, "help": text}
    if about.kind is bool:
        how |= {"action": argparse.BooleanOptionalAction}
    elif about.table:
        how |= {"metavar": 'FILE.csv | "ROW; ROW"' if about.from_file else '"ROW; ROW"'}
    elif about.kind is tuple:
        how |= {"nargs": "+", "type": float, "metavar": "W"}
    elif isinstance(about, PerClip):
        how |= {"action": "append", "metavar": f"CLIP={about.name.upper()}"}
    elif about.choices:
        how |= {"type": about.kind, "choices": about.names}
    elif about.from_file:
        how |= {"metavar": "FILE.csv"}
    else:
        how |= {"type": about.kind, "metavar": about.name.upper()}
    parser.add_argument("--" + name.replace("_", "-"), **how)


def _default_text(about: Option) -> str:
    if about.table:
        return " (default: none)"
    if about.kind is tuple:
        return " (default: equal)"
    return "" if about.default in ("", {}) else f" (default: {about.default}{about.unit})"


def read_flags(options: Mapping[str, Option], arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the values of options set by flags; raises OptionError."""
    values = {name: getattr(arguments, name, None) for name in options}
    return {name: read_value(options[name], value) for name, value in values.items() if value is not None}


def read_value(about: Option, value: Any, folder: str = "") -> Any:
    """Return a value in the option's own type; rows or a text may come in a file with a path relative to `folder`."""
    if about.from_file and about.kind is str and value and "\n" not in value:
        value = tables.read_text(os.path.join(folder, os.path.expanduser(value)))
    elif about.from_file and isinstance(value, str) and not tables.is_table(value):
        value = tables.read_rows(os.path.join(folder, os.path.expanduser(value)), about.name)
    return about.checked(value)


def settings(options: Mapping[str, Option], arguments: argparse.Namespace) -> dict[str, Any]:
    """Return a value for every option, from its flag or by default; raises OptionError."""
    return {name: about.default for name, about in options.items()} | read_flags(options, arguments)


@contextmanager
def bar(quiet: bool, **how: Any) -> Iterator[Any]:
    """Show a progress bar on a terminal; yields None where this is impossible, as in Blender's own Python."""
    if quiet or sys.stderr is None:
        yield None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield None
        return
    with tqdm(disable=None, leave=False, **how) as shown:
        yield shown


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """Show the progress of a piece of work on a terminal."""
    with bar(quiet, total=100, bar_format="{l_bar}{bar}| {elapsed}") as shown:
        if shown is None:
            yield SILENT
            return

        def show(fraction: float, doing: str) -> bool:
            shown.set_description(doing, refresh=False)
            shown.update(round(100 * fraction) - shown.n)
            shown.refresh()
            return True

        yield Progress(show)
