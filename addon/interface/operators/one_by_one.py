"""Operators that do the same with each of several actions: what can't be done with one is said, and the others are."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import Cancelled, LoomError
from ....core.progress import Progress
from ....core.recipes.base import Recipe
from ....core.recipes.reading import Request, Source
from ...ground.blender_types import OperatorReturn, scene_of
from ...model import contact_rows, lists, properties, target_armature
from ...services.preview import previews
from ...services.sources import source_warnings
from . import base

if TYPE_CHECKING:
    from ....core.weave.results import Result
    from ...services.weaving import reading, writing


@dataclass(frozen=True, eq=False)
class EachResult:
    """What was made of one source, of what that was read and as what was asked for, and written."""

    request: Request
    read: "reading.Read"
    recipe: Recipe
    made: Any
    written: "writing.Written"

    @property
    def source(self) -> Source:
        return self.request.sources[0]


class OneByOneOperator(base.SourcesOperator):
    """An operator that makes an action of each source by itself; each has a request and a recipe of its own.

    `write_one` writes what was made of one source; `done` says what became of all.
    """

    nothing = "Choose an action first"  # what is said where no source is given
    _refused: list[str]

    def ask(self, context: bpy.types.Context) -> "tuple[tuple[Request, ...], reading.Read, tuple[Recipe, ...]]":
        from ...services.weaving import reading

        if self.to_be_found():
            self.from_panel(context)
        if not len(self.sources):
            raise LoomError(self.nothing)
        armature = target_armature.called(context, self.armature)
        if armature is None:
            raise LoomError(f"There is no armature named {self.armature!r}")
        requests, found, recipes = self.read_each(context, armature, self._request())
        return tuple(requests), reading.merged(found), tuple(recipes)

    def read_each(
        self, context: bpy.types.Context, armature: bpy.types.Object, request: Request
    ) -> "tuple[list[Request], list[reading.Read], list[Recipe]]":
        """Return what is asked, what was read and the recipe for each source; raises LoomError where none is left."""
        requests, found, recipes, errors = [], [], [], []
        self._refused = []
        for which in self.wanted(context, request.sources):
            source, recipe = request.sources[which], self.recipe_of(which)
            one = dataclasses.replace(request, sources=(source, *self.others()))
            try:
                found.append(self.read_one(context, armature, one, recipe))
            except LoomError as error:
                errors.append(error)
                self._refused.append(_named(source, error))
                continue
            requests.append(one)
            recipes.append(recipe)
        if not found:
            raise _merged_error(errors, self._refused)
        return requests, found, recipes

    def wanted(self, context: bpy.types.Context, sources: Sequence[Source]) -> Sequence[int]:
        """Return which of the sources it is done with now: all."""
        return range(len(sources))

    def recipe_of(self, which: int) -> Recipe:
        """Return the recipe of one of the sources."""
        return self._recipe()

    def read_one(
        self, context: bpy.types.Context, armature: bpy.types.Object, request: Request, recipe: Recipe
    ) -> "reading.Read":
        """Read one source, and what belongs to it; raises LoomError kinds."""
        from ...services.weaving import reading

        return reading.read(context, armature, request, recipe)

    def others(self) -> tuple[Source, ...]:
        """Return what each source is read with."""
        return ()

    def to_be_found(self) -> bool:
        """Say whether the sources are still to be taken from the panel."""
        return not len(self.sources)

    @staticmethod
    def compute(read: "reading.Read", recipe: Any, progress: Progress) -> "list[Result | LoomError]":
        from ...services.weaving import computing

        return made_of_each(read, recipe, progress, computing.compute)

    def finish(
        self, context: bpy.types.Context, request: Any, read: "reading.Read", recipe: Any, made: Any
    ) -> OperatorReturn:
        """Write what was made of each; of many actions one can be assigned: the first."""
        refused, errors = list(self._refused), []
        each: list[EachResult] = []
        for k, one in enumerate(made):
            result = dataclasses.replace(request[k].result, assign=request[k].result.assign and not each)
            asked = dataclasses.replace(request[k], result=result)
            about = asked, read.only(k), recipe[k], one
            try:
                if isinstance(one, LoomError):
                    raise one
                each.append(EachResult(*about, self.write_one(context, *about)))
            except LoomError as error:
                errors.append(error)
                refused.append(_named(asked.sources[0], error))
        if not each:
            raise _merged_error(errors, refused)
        self.done(context, read, each, refused)
        return {"FINISHED"}

    def write_one(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: Any
    ) -> "writing.Written":
        """Write what was made of one source; raises LoomError if that can't be."""
        raise NotImplementedError

    def done(
        self, context: bpy.types.Context, read: "reading.Read", each: list[EachResult], refused: list[str]
    ) -> None:
        """Say what the user has to know: what was written of what, and why some could not be."""
        raise NotImplementedError


class EachOperator(base.ResultOperator, OneByOneOperator):
    """An operator of a recipe for one action, which it does with each of several; with one it is like any other."""

    @classmethod
    def most(cls) -> None:
        return None

    def wanted(self, context: bpy.types.Context, sources: Sequence[Source]) -> Sequence[int]:
        """Return which of the sources it is done with now: all, but one is previewed, that of the active line."""
        every = range(len(sources))
        if not self.preview:
            return every
        rig = properties.rig_of(scene_of(context), self.about(context))
        active = lists.active_line(rig)
        named = None if active is None else (active.action.name_full, active.armature)
        return [k for k in every if (sources[k].name, sources[k].armature) == named][:1] or every[:1]

    def read_one(
        self, context: bpy.types.Context, armature: bpy.types.Object, request: Request, recipe: Recipe
    ) -> "reading.Read":
        read = super().read_one(context, armature, request, recipe)
        source_warnings.note(context, armature, request, read)
        return read

    def is_quick(self, read: "reading.Read", recipe: Any) -> bool:
        return all(super(EachOperator, self).is_quick(read.only(k), one) for k, one in enumerate(recipe))

    def finish(
        self, context: bpy.types.Context, request: Any, read: "reading.Read", recipe: Any, made: Any
    ) -> OperatorReturn:
        if len(made) > 1 or self._refused:
            previews.keep(read.armature, None)
            return OneByOneOperator.finish(self, context, request, read, recipe, made)
        if isinstance(made[0], LoomError):
            raise made[0]
        return super().finish(context, request[0], read.only(0), recipe[0], made[0])

    def done(
        self, context: bpy.types.Context, read: "reading.Read", each: list[EachResult], refused: list[str]
    ) -> None:
        first = each[0]
        self.remember(context, first.request, first.read, first.recipe, first.made, first.written.action)
        notes = [*refused, *read.notes]
        for one in each:
            action = one.written.action
            contact_rows.keep_planted(scene_of(context), action, one.recipe, one.made.report)
            notes += [
                *one.written.notes,
                *contact_rows.warnings_of(scene_of(context), action, one.made.report["warnings"]),
            ]
        summary = f"{first.recipe.label}: {len(each)} of {len(each) + len(refused)} actions"
        rig = properties.rig_of(scene_of(context), self.about(context))
        if rig is not None:
            rig.last, rig.last_of = summary, first.written.action.name
        base.report(self, dict.fromkeys(notes), *read.retarget_notes, summary)


def made_of_each(
    read: "reading.Read",
    recipes: Sequence[Recipe],
    progress: Progress,
    make: "Callable[[reading.Read, Recipe, Progress], Result]",
) -> "list[Result | LoomError]":
    """Return what is made of each part of what was read, or why it can't be; raises Cancelled."""
    made: list[Result | LoomError] = []
    for k, recipe in enumerate(recipes):
        try:
            made.append(make(read.only(k), recipe, progress.part(k / len(recipes), (k + 1) / len(recipes))))
        except Cancelled:
            raise
        except LoomError as error:
            made.append(error)
    return made


def _named(source: Source, error: LoomError) -> str:
    """Why something can't be done with a source, with its name."""
    return str(error) if source.name in str(error) else f"{source.name}: {error}"


def _merged_error(errors: list[LoomError], refused: list[str]) -> LoomError:
    """The one error where there is but one, else one of all."""
    return errors[0] if len(refused) == 1 else LoomError("; ".join(refused))
