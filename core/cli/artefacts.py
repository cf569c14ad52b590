"""Artefacts: what one verb makes and others use, kept in files beside clips. Motion graphs and styles."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import OptionError
from ..graph import storage as graphs
from ..recipes.base import Recipe
from ..style import storage as styles
from ..verbs import VERBS
from . import summary

SUFFIX = ".npz"


@dataclass(frozen=True)
class Kind:
    """A kind of artefact: how its file is read and composed, and the lines of its summary.

    title : its name in sentences; file : in usage lines
    """

    title: str
    file: str
    load: Callable[[str], Any]
    compose: Callable[[Any], bytes]
    lines: Callable[[Any], Sequence[str]]


KINDS = {
    "graph": Kind("a motion graph", "G.npz", graphs.load, graphs.compose, summary.graph_lines),
    "style": Kind("a style", "S.npz", styles.load, styles.compose, summary.style_lines),
}


def made_by(recipe: type[Recipe] | Recipe) -> Kind | None:
    """Return the kind of artefact that a verb makes, None where it makes clips."""
    return KINDS.get(VERBS[recipe.verb].makes)


def used_by(recipe: type[Recipe] | Recipe) -> Kind | None:
    """Return the kind of artefact that a verb can use, None for none."""
    return KINDS.get(VERBS[recipe.verb].uses)


def named(given: dict[str, str | None], recipe: Recipe) -> str | None:
    """Return the file of the artefact for a recipe, of those given by kind; raises OptionError for other kinds."""
    for kind, path in given.items():
        if path is not None and kind != VERBS[recipe.verb].uses:
            raise OptionError(f"{recipe.verb} uses no {kind}, so there is none to be named for it")
    return given.get(VERBS[recipe.verb].uses)
