"""What every verb's command line has in common: flags from options, reading clips, progress."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tqdm import tqdm

from ..jit import ENGINES
from ..motion import bvh
from ..motion.clip import Clip
from ..motion.units import UNITS
from ..options import Option, declared
from ..progress import Progress
from ..recipes import Recipe


@dataclass(frozen=True, eq=False)
class Source:
    """A clip, the file it came from, and the convention it was read by."""

    clip: Clip
    motion: bvh.Motion
    convention: bvh.Convention


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the flags that every verb has."""
    parser.add_argument("--units", default="auto", help=f"of the files: {', '.join(UNITS)} or metres a unit")
    parser.add_argument("--up", default="auto", choices=bvh.UPS, help="the files' upward axis")
    parser.add_argument("--engine", choices=ENGINES, help="what computes the recurrences (default: auto)")
    parser.add_argument("--report", metavar="R.json", help="write the figures as JSON")
    parser.add_argument("--force", action="store_true", help="overwrite files that exist")
    parser.add_argument("--quiet", action="store_true", help="no progress bar, no summary")


def add_options(parser: argparse.ArgumentParser, recipe: type[Recipe]) -> None:
    """Add a flag for every option of a recipe."""
    for about in declared(recipe).values():
        flag = "--" + about.name.replace("_", "-")
        text = f"{about.description} (default: {_shown(about)})".replace("%", "%%")
        if about.kind is bool:
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, default=about.default, help=text)
        elif about.table:
            parser.add_argument(flag, default=about.default, metavar='"ROW; ROW"', help=text)
        elif about.kind is tuple:
            parser.add_argument(flag, nargs="+", type=float, default=about.default, metavar="W", help=text)
        else:
            choices = about.choices or None
            parser.add_argument(
                flag, type=about.kind, default=about.default, choices=choices, help=text, metavar=_meta(about)
            )


def _shown(about: Option) -> str:
    if about.table:
        return "none"
    return "equal" if about.kind is tuple else f"{about.default}{about.unit}"


def _meta(about: Option) -> str | None:
    return None if about.choices else about.name.upper()


def recipe_from(recipe: type[Recipe], arguments: argparse.Namespace) -> Recipe:
    """Return the recipe that the flags describe; raises OptionError."""
    return recipe(**{name: getattr(arguments, name) for name in declared(recipe)})


def read(paths: Sequence[str], units: str, up: str) -> list[Source]:
    """Read motion files; raises LoomError kinds that name the file."""
    sources = []
    for path in paths:
        motion = bvh.read(path)
        clip, convention = bvh.to_clip(motion, unit=units, up=up)
        sources.append(Source(clip, motion, convention))
    return sources


@contextmanager
def progress(quiet: bool) -> Iterator[Progress]:
    """Show a bar on a terminal, nothing elsewhere."""
    with tqdm(total=100, disable=True if quiet else None, leave=False, bar_format="{l_bar}{bar}| {elapsed}") as bar:

        def show(fraction: float, doing: str) -> bool:
            bar.set_description(doing, refresh=False)
            bar.update(round(100 * fraction) - bar.n)
            bar.refresh()
            return True

        yield Progress(show)
