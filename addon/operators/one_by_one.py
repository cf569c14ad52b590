"""Operators that do the same with each of several actions: what can't be done with one is said, and the others are."""

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy

from ...core.errors import Cancelled, LoomError
from ...core.progress import Progress
from ...core.recipes.base import Recipe
from ...core.recipes.reading import Request, Source
from .. import meant
from ..blender_types import OperatorReturn
from . import base

if TYPE_CHECKING:
    from ...core.weave.results import Result
    from .. import weaving


@dataclass(frozen=True, eq=False)
class Done:
    """What was made of one source, and written."""

    source: Source
    written: "weaving.Written"
    made: Any


class OneByOneOperator(base.SourcesOperator):
    """An operator that makes an action of each source by itself.

    `write_one` writes what was made of one source; `done` says what became of all.
    """

    nothing = "Choose an action first"  # what is said where no source is given

    def ask(self, context: bpy.types.Context) -> "tuple[Request, weaving.Read, Recipe]":
        from .. import weaving

        if self.to_be_found():
            self.from_panel(context)
        if not len(self.sources):
            raise LoomError(self.nothing)
        armature = meant.called(context, self.armature)
        if armature is None:
            raise LoomError(f"There is no armature named {self.armature!r}")
        request, recipe = self._request(), self._recipe()
        taken, found = [], []
        self._refused = []
        for source in request.sources:
            one = dataclasses.replace(request, sources=(source, *self.others()))
            try:
                found.append(weaving.read(context, armature, one, recipe))
                taken.append(source)
            except LoomError as error:
                self._refused.append(str(error))
        if not found:
            raise LoomError("; ".join(self._refused))
        return dataclasses.replace(request, sources=tuple(taken)), weaving.together(found), recipe

    def others(self) -> tuple[Source, ...]:
        """Return what each source is read with."""
        return ()

    def to_be_found(self) -> bool:
        """Say whether the sources are still to be taken from the panel."""
        return not len(self.sources)

    @staticmethod
    def compute(read: "weaving.Read", recipe: Any, progress: Progress) -> "list[Result | LoomError]":
        from .. import weaving

        made: list[Result | LoomError] = []
        count = len(read.sources) // read.each
        for k in range(count):
            try:
                made.append(weaving.weave(read.only(k), recipe, progress.part(k / count, (k + 1) / count)))
            except Cancelled:
                raise
            except LoomError as error:
                made.append(error)
        return made

    def finish(
        self, context: bpy.types.Context, request: Request, read: "weaving.Read", recipe: Any, made: Any
    ) -> OperatorReturn:
        """Write what was made of each; of many actions one can be assigned: the first."""
        refused = [*self._refused, *(str(one) for one in made if isinstance(one, LoomError))]
        each: list[Done] = []
        for k, one in enumerate(made):
            if isinstance(one, LoomError):
                continue
            result = dataclasses.replace(request.result, assign=request.result.assign and not each)
            asked = dataclasses.replace(request, sources=(request.sources[k], *self.others()), result=result)
            written = self.write_one(context, asked, read.only(k), recipe, one)
            each.append(Done(request.sources[k], written, one))
        if not each:
            raise LoomError("; ".join(refused))
        self.done(context, read, recipe, each, refused)
        return {"FINISHED"}

    def write_one(
        self, context: bpy.types.Context, request: Request, read: "weaving.Read", recipe: Any, made: Any
    ) -> "weaving.Written":
        """Write what was made of one source; raises LoomError if that can't be."""
        raise NotImplementedError

    def done(
        self,
        context: bpy.types.Context,
        read: "weaving.Read",
        recipe: Any,
        each: list[Done],
        refused: list[str],
    ) -> None:
        """Say what the user has to know: what was written of what, and why some could not be."""
        raise NotImplementedError
