"""An operator for every verb that makes an action of several; those that need more than a recipe add it here."""

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar

import bpy

from ....core.errors import LoomError
from ....core.progress import Progress
from ....core.recipes.base import Recipe
from ....core.recipes.graph import GraphWalk
from ....core.recipes.reading import Request
from ....core.verbs import OF_ONE_BODY, Ask, Follow, Loop, Restyle, Shortest, Synchronise
from ...ground.blender_types import OperatorReturn, by_full_name, present, scene_of
from ...model import lists, properties, target_armature
from ...services.matching import candidates, graphs
from ...services.paths import path_stretches
from ...services.preview import previews
from ...services.styles import ask_field, styles
from . import base
from .one_by_one import EachOperator, made_of_each
from .style_base import StyleSources

if TYPE_CHECKING:
    from ....core.weave.results import Result
    from ...services.weaving import reading


class GraphWalkOperator(base.ResultOperator):
    """An operator that walks through the graph of its sources."""

    def woven(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: "Result"
    ) -> None:
        from ....core.graph.walk_result import WalkResult

        assert isinstance(made, WalkResult)
        walked = dataclasses.replace(request, sources=tuple(recipe.prepared_of(request.sources)))
        graphs.keep(context, walked, read, recipe, made.graph)


def _points(name: str, read: "reading.Read") -> tuple[tuple[tuple[float, ...], ...], bool]:
    """Return the points of a curve object, metres, and whether it is closed; raises LoomError."""
    from ...bridge import curve_path

    curve = by_full_name(bpy.data.objects, name)
    if curve is None:
        raise LoomError(f"There is no curve named {name!r}: choose another")
    points, closed = curve_path.path(curve, read.body.world_metres)
    return tuple(tuple(point) for point in points.tolist()), closed


class FollowOperator(GraphWalkOperator):
    """Takes its path from a curve object, and the actions of stretches from the panel."""

    recipe: ClassVar[type[Recipe]] = Follow

    curve: bpy.props.StringProperty(
        name="Curve", description="Name of the curve object to walk along; the points of Path if empty"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        settings = properties.settings_of(scene_of(context))
        if target_armature.by_button(context) and settings.curve is None and not settings.follow.path:
            cls.poll_message_set("Choose a curve to walk along")
            return False
        rig = properties.rig_of(scene_of(context), target_armature.armature(context))
        why = path_stretches.why_not(rig, settings.stretches) if target_armature.by_button(context) else ""
        if why:
            cls.poll_message_set(why)
        return not why

    def from_panel(self, context: bpy.types.Context) -> None:
        given = {name for name in ("curve", "path", "stretches", "place") if self.properties.is_property_set(name)}
        super().from_panel(context)
        settings = properties.settings_of(scene_of(context))
        if settings.curve is not None and given.isdisjoint(("curve", "path")):
            self.curve = settings.curve.name_full  # an edited recipe left its path in the panel for want of a curve
        if "place" not in given:
            self.place = "REFERENCE"  # it begins where its curve does
        if "stretches" in given:
            return
        rig = properties.rig_of(scene_of(context), target_armature.called(context, self.armature))
        path_stretches.give(self, rig, settings.stretches)

    def ask(self, context: bpy.types.Context) -> "tuple[Request, reading.Read, Recipe]":
        request, read, recipe = super().ask(context)
        if not self.curve:
            return request, read, recipe
        assert isinstance(recipe, Follow)
        points, closed = _points(self.curve, read)
        request = dataclasses.replace(request, curve=self.curve)
        recipe = dataclasses.replace(recipe, path=points, closed=closed)
        return request, read, recipe if self.preview else _as_previewed(recipe, read.armature)


def _as_previewed(recipe: Follow, armature: int) -> Follow:
    """The recipe with the route of the ghost, if that is of the same recipe: what was seen is what is made."""
    ghost = previews.of(armature)
    if ghost is None or not isinstance(ghost.recipe, Follow):
        return recipe
    seen = dataclasses.replace(recipe, route=ghost.recipe.route)
    return seen if seen == ghost.recipe else recipe


class LoopOperator(EachOperator):
    """Looks for a cycle in each of several actions; one that was chosen in the panel is that of its own action."""

    recipe: ClassVar[type[Recipe]] = Loop

    cycle_of: bpy.props.IntProperty(  # the place of the source that has the cycle; that of all where a script says one
        default=-1, options={"HIDDEN", "SKIP_SAVE"}
    )

    def from_panel(self, context: bpy.types.Context) -> None:
        given = any(self.properties.is_property_set(name) for name, _ in candidates.AUTOMATIC[Loop.verb])
        super().from_panel(context)
        if given or len(self.sources) < 2:
            return
        scene, armature = scene_of(context), target_armature.called(context, self.armature)
        owner = candidates.source_of_cycle(scene, armature)
        sources = self._request().sources
        if owner in sources:
            self.cycle_of = sources.index(owner)
            return
        for name, automatic in candidates.AUTOMATIC[Loop.verb]:
            setattr(self, name, automatic)

    def recipe_of(self, which: int) -> Recipe:
        recipe = super().recipe_of(which)
        automatic = dict(candidates.AUTOMATIC[Loop.verb])
        return recipe if self.cycle_of in (-1, which) else dataclasses.replace(recipe, **automatic)


class RestyleOperator(StyleSources, EachOperator):
    """Restyles the reference, or each source as one; keeps what its sliders came to, for the panel."""

    recipe: ClassVar[type[Recipe]] = Restyle

    each: bpy.props.BoolProperty(
        name="Each", description="Restyle each ticked action, not only the reference", default=False
    )

    def draw(self, context: bpy.types.Context) -> None:
        present(self.layout).prop(self, "each")
        super().draw(context)

    def from_panel(self, context: bpy.types.Context) -> None:
        if not self.properties.is_property_set("each"):
            self.each = properties.settings_of(scene_of(context)).restyle_each
        super().from_panel(context)

    def read_each(
        self, context: bpy.types.Context, armature: bpy.types.Object, request: Request
    ) -> "tuple[list[Request], list[reading.Read], list[Recipe]]":
        """Return what `OneByOneOperator` says; the others come after each, since a style is learnt from all."""
        self._refused = []
        recipe = self._recipe()
        read = self.read_one(context, armature, request, recipe)
        every = range(len(request.sources))
        count = len(every) if self.each and not self.preview else 1
        orders = [(k, *(other for other in every if other != k)) for k in range(count)]
        requests = [dataclasses.replace(request, sources=tuple(request.sources[k] for k in order)) for order in orders]
        return requests, [read.in_order(order) for order in orders], [recipe] * count

    @staticmethod
    def compute(read: "reading.Read", recipe: Any, progress: Progress) -> "list[Result | LoomError]":
        from ....core import verbs
        from ...services.weaving import prepared

        # It is learnt once: of the same clips in whatever order it is the same.
        style = prepared.prepared(recipe[0], read.only(0).clips, progress.part(0.0, 0.5))

        def restyled(one: "reading.Read", recipe: Recipe, part: Progress) -> Any:
            return verbs.apply(recipe, one.clips, part, style)

        return made_of_each(read, recipe, progress.part(0.5, 1.0), restyled)

    def woven(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: "Result"
    ) -> None:
        styles.keep_sliders(read.armature, made.report)


class AskOperator(base.ResultOperator):
    """Walks along a curve where there is one; gives the lines of the list the shares that it found, as weights."""

    recipe: ClassVar[type[Recipe]] = Ask

    curve: bpy.props.StringProperty(
        name="Curve", description="Name of a curve object to walk along; the points of Path if empty"
    )

    def from_panel(self, context: bpy.types.Context) -> None:
        given = self.properties.is_property_set("curve") or self.properties.is_property_set("path")
        super().from_panel(context)
        chosen = properties.settings_of(scene_of(context)).ask_curve
        if chosen is not None and not given:
            self.curve = chosen.name_full

    def ask(self, context: bpy.types.Context) -> "tuple[Request, reading.Read, Recipe]":
        request, read, recipe = super().ask(context)
        if not self.curve:
            return request, read, recipe
        assert isinstance(recipe, Ask)
        points, closed = _points(self.curve, read)
        rows = tuple(point[:2] for point in ((*points, points[0]) if closed else points))
        return dataclasses.replace(request, curve=self.curve), read, dataclasses.replace(recipe, path=rows)

    def finish(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: "Result"
    ) -> OperatorReturn:
        from ....core.verbs.ask.work import AskResult

        if isinstance(made, AskResult):
            ask_field.keep(read.armature, made)
        return super().finish(context, request, read, recipe, made)

    def woven(
        self, context: bpy.types.Context, request: Request, read: "reading.Read", recipe: Any, made: "Result"
    ) -> None:
        rig = properties.rig_of(scene_of(context), properties.of_session(bpy.data.objects, read.armature))
        if rig is None or recipe.over_time:
            return
        shares = dict(zip(made.report["names"], made.report["ask"]["weights"], strict=True))
        for line in lists.ticked(rig):
            if line.action.name in shares:
                line.weight = shares[line.action.name]


class RetimeOperator(base.ResultOperator):
    """Re-times one of two ticked actions to the other."""

    recipe: ClassVar[type[Recipe]] = Synchronise

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        ticked = len(lists.ticked(properties.rig_of(scene_of(context), target_armature.armature(context))))
        if ticked > 2 and target_armature.by_button(context):
            cls.poll_message_set(f"Tick the reference and one other source; {ticked} are")
            return False
        return True


class ShortestOperator(GraphWalkOperator):
    """Goes from one frame to another, which the panel has."""

    recipe: ClassVar[type[Recipe]] = Shortest

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        chosen = properties.settings_of(scene_of(context)).shortest
        if target_armature.by_button(context) and not (chosen.leave and chosen.reach):
            cls.poll_message_set("Choose a frame to leave and one to reach: show it and press the clock beside it")
            return False
        return True


# What is not called as its verb is, and what needs more than its recipe.
_NAMES = {"sync": "retime"}
_BASES: dict[type[Recipe], type[base.SourcesOperator]] = {
    Follow: FollowOperator,
    Loop: LoopOperator,
    Shortest: ShortestOperator,
    Synchronise: RetimeOperator,
    Restyle: RestyleOperator,
    Ask: AskOperator,
}


def _operators() -> list[type]:
    made = []
    for row in OF_ONE_BODY.values():
        if row.makes != "clip" or row.recipe.of_action:  # those that change one action: `edits`
            continue
        usual = EachOperator if row.recipe.most == 1 else base.ResultOperator
        usual = GraphWalkOperator if issubclass(row.recipe, GraphWalk) else usual
        with_recipe = _BASES.get(row.recipe) or type(f"{row.recipe.__name__}Base", (usual,), {"recipe": row.recipe})
        names = (_NAMES.get(row.recipe.verb, row.recipe.verb), *row.recipe.earlier_verbs)
        made += [base.operator(with_recipe, idname=name) for name in names]
    return made


register, unregister = bpy.utils.register_classes_factory(_operators())
