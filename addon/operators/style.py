"""Style: learning it from the sources to see what it is, and variations by chance."""

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar

import bpy

from ...core.progress import Progress
from ...core.recipes.base import Recipe
from ...core.recipes.reading import Request
from ...core.recipes.style import FitStyle, Restyle
from .. import properties
from ..blender_types import OperatorReturn, scene_of
from ..session import panel_state, styles
from . import base
from .style_base import StyleSources

if TYPE_CHECKING:
    from ...core.style.style import Style
    from ...core.weave.results import Result
    from .. import weaving


class _Learn(StyleSources):
    recipe: ClassVar[type[Recipe]] = FitStyle

    def finish(
        self, context: bpy.types.Context, request: Request, read: "weaving.Read", recipe: Any, made: "Style"
    ) -> OperatorReturn:
        rig = properties.rig_of(scene_of(context), self.about(context))
        known = styles.keep(read.armature, panel_state.asked(scene_of(context), rig, FitStyle.verb), made)
        base.report(self, (*read.notes, *made.report["warnings"]), *read.came, known.lines[0])
        return {"FINISHED"}


class _Variations(StyleSources):
    """Makes several actions of the reference, each another variation; what sliders say holds for all."""

    recipe: ClassVar[type[Recipe]] = Restyle
    asks = base.ResultOperator.asks

    count: bpy.props.IntProperty(
        name="Variations", description="How many actions are made", default=4, min=1, max=1000, soft_max=20
    )

    def ask(self, context: bpy.types.Context) -> "tuple[Request, weaving.Read, Any]":
        request, read, recipe = super().ask(context)
        assert isinstance(recipe, Restyle)
        first = max(recipe.variation, 1)
        numbers = range(first, first + self.count)
        return request, read, tuple(dataclasses.replace(recipe, variation=number) for number in numbers)

    @staticmethod
    def compute(read: "weaving.Read", recipe: Any, progress: Progress) -> "list[Result]":
        from .. import weaving

        return [
            weaving.weave(read, one, progress.part(k / len(recipe), (k + 1) / len(recipe)))
            for k, one in enumerate(recipe)
        ]

    def finish(
        self, context: bpy.types.Context, request: Request, read: "weaving.Read", recipe: Any, made: Any
    ) -> OperatorReturn:
        from .. import weaving

        written: list[weaving.Written] = []
        for one, woven in zip(recipe, made, strict=True):
            # Of many actions one can be assigned: the first.
            result = dataclasses.replace(request.result, assign=request.result.assign and not written)
            written.append(weaving.write(context, dataclasses.replace(request, result=result), read, one, woven))
        notes = dict.fromkeys(note for one in written for note in one.notes)
        warnings = dict.fromkeys(note for one in made for note in one.report["warnings"])
        names = ", ".join(one.action.name for one in written[:3]) + (" …" if len(written) > 3 else "")
        base.report(self, (*read.notes, *notes, *warnings), *read.came, f"{len(written)} variations: {names}")
        return {"FINISHED"}


_learn = base.operator(_Learn, idname="learn_style", undo=False)
_variations = base.operator(
    _Variations, idname="variations", label="Variations", tooltip="Make several actions of the reference, each another"
)

register, unregister = bpy.utils.register_classes_factory((_learn, _variations))
