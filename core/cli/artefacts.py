"""Artefacts are results of one verb used by others, kept in files: motion graphs and styles."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import OptionError
from ..recipes.base import Recipe
from ..verbs import VERBS
from . import summary

SUFFIX = ".npz"


@dataclass(frozen=True)
class Kind:
    """A kind of artefact, and the lines of its summary.

    title : its name in sentences; file : in usage lines; storage() : the module that reads and composes its file
    """

    title: str
    file: str
    storage: Callable[[], Any]
    lines: Callable[[Any], Sequence[str]]

    def load(self, path: str) -> Any:
        return self.storage().load(path)

    def compose(self, made: Any) -> bytes:
        contents: bytes = self.storage().compose(made)
        return contents


def _graphs() -> Any:
    from ..graph import storage  # loaded on use

    return storage


def _styles() -> Any:
    from ..style import storage  # loaded on use

    return storage


KINDS = {
    "graph": Kind("a motion graph", "G.npz", _graphs, summary.graph_lines),
    "style": Kind("a style", "S.npz", _styles, summary.style_lines),
}


def made_by(recipe: type[Recipe] | Recipe) -> Kind | None:
    """Return the kind of artefact that a verb makes, or None if it makes clips."""
    return KINDS.get(VERBS[recipe.verb].makes)


def used_by(recipe: type[Recipe] | Recipe) -> Kind | None:
    """Return the kind of artefact that a verb can use, None for none."""
    return KINDS.get(VERBS[recipe.verb].uses)


def artefact_file(given: dict[str, str | None], recipe: Recipe) -> str | None:
    """Return the artefact file for a recipe out of `given` by kind; raises OptionError for other kinds."""
    for kind, path in given.items():
        if path is not None and kind != VERBS[recipe.verb].uses:
            raise OptionError(f"{recipe.verb} uses no {kind}, so there is none to be named for it")
    return given.get(VERBS[recipe.verb].uses)
