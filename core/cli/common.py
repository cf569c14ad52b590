"""What every verb's command line has in common: flags from options, progress."""

import argparse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..jit import ENGINES
from ..options import Option, declared
from ..progress import SILENT, Progress
from ..recipes import Recipe
from .host import PerClip


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the flags that every verb has."""
    parser.add_argument("--engine", choices=ENGINES, help="what computes the recurrences (default: auto)")
    parser.add_argument("--report", metavar="R.json", help="write the figures as JSON")
    parser.add_argument("--force", action="store_true", help="overwrite files that exist")
    parser.add_argument("--quiet", action="store_true", help="no progress bar, no summary")


def add_options(parser: argparse.ArgumentParser, options: Mapping[str, Option], *, unset: bool = False) -> None:
    """Add a flag for every option; with `unset`, those that are not given are None."""
    for about in options.values():
        flag = "--" + about.name.replace("_", "-")
        text = (about.description + _shown(about)).replace("%", "%%")
        default = None if unset else about.default
        if about.kind is bool:
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, default=default, help=text)
        elif about.table:
            parser.add_argument(flag, default=default, metavar='"ROW; ROW"', help=text)
        elif about.kind is tuple:
            parser.add_argument(flag, nargs="+", type=float, default=default, metavar="W", help=text)
        elif isinstance(about, PerClip):
            parser.add_argument(flag, action="append", metavar=f"CLIP={about.name.upper()}", help=text)
        else:
            choices = about.choices or None
            parser.add_argument(
                flag, type=about.kind, default=default, choices=choices, help=text, metavar=_meta(about)
            )


def _shown(about: Option) -> str:
    if about.table:
        return " (default: none)"
    if about.kind is tuple:
        return " (default: equal)"
    return "" if about.default in ("", {}) else f" (default: {about.default}{about.unit})"


def _meta(about: Option) -> str | None:
    return None if about.choices else about.name.upper()


def recipe_from(recipe: type[Recipe], arguments: argparse.Namespace) -> Recipe:
    """Return the recipe that the flags describe; raises OptionError."""
    return recipe(**{name: getattr(arguments, name) for name in declared(recipe)})


def given(options: Mapping[str, Option], arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the values of those options that have flags with a value; raises OptionError."""
    values = {name: getattr(arguments, name, None) for name in options}
    return {name: options[name].checked(value) for name, value in values.items() if value is not None}


def settings(options: Mapping[str, Option], arguments: argparse.Namespace) -> dict[str, Any]:
    """Return a value for every option: its flag's, or else its default; raises OptionError."""
    return {name: about.default for name, about in options.items()} | given(options, arguments)


@contextmanager
def bar(quiet: bool, **how: Any) -> Iterator[Any]:
    """Show a bar on a terminal; gives None where there is nothing to show it with, as in Blender's own Python."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield None
        return
    with tqdm(disable=True if quiet else None, leave=False, **how) as shown:
        yield shown


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """Show how far a piece of work is, on a terminal."""
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
