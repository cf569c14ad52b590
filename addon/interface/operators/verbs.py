"""Make an operator for every verb that makes an action of several; some need hooks."""

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LoomError, some
from ....core.options import declared_options
from ....core.progress import Progress
from ....core.recipes.base import Recipe
from ....core.recipes.graph import GraphOptions
from ....core.recipes.reading import SourceOptions, request_from_json
from ....core.verbs import (
    OF_ONE_BODY,
    Ask,
    CutOut,
    Drive,
    Fill,
    Follow,
    Loop,
    Restyle,
    Shortest,
    Synchronise,
    Walk,
    for_partners,
    from_json,
)
from ...bridge import rates
from ...ground import steps
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import lists, preferences, properties, target_armature
from ...services.poses import fill_gaps
from ...services.preview import previews
from ...services.sources import posed, source_list
from . import polls, reports
from .reports import EachResult
from .result_hooks import CurveHooks, ResultHooks, list_results, points_of_curve, with_result
from .take_hooks import CutOutHooks
from .verb_operator import AddedOperators, VerbOperator, operator, registration

if TYPE_CHECKING:
    from ...services.weaving.reading import Inputs


class WalkHooks(ResultHooks):
    """Walk through the motion graph of the sources, and keep the graph for the panel."""

    def keep(self, context: bpy.types.Context, inputs: "Inputs", made: Any) -> None:
        from ...services.matching import graphs

        graphs.keep(context, inputs, made.graph)


class FollowHooks(CurveHooks, WalkHooks):
    """Take the path from a curve object, and the actions of path stretches from the panel."""

    def poll(self, cls: type[VerbOperator], context: bpy.types.Context) -> bool:
        from ...services.paths import path_stretches

        if not super().poll(cls, context):
            return False
        settings = properties.settings_of(scene_of(context))
        if not target_armature.invoked_from_panel(context):
            return True
        why = "" if settings.curve is not None or settings.follow.path else "Choose a curve to walk along"
        rig = properties.rig_of(scene_of(context), target_armature.armature(context))
        why = why or path_stretches.why_not(rig, settings)
        return polls.poll_unless(cls, why, why)

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        from ...services.paths import path_stretches

        settings = properties.settings_of(scene_of(context))
        if settings.curve is not None and given.isdisjoint(("curve", "path")):
            op.curve = settings.curve.name_full  # an edited recipe without a curve left its path in the panel
        if "place" not in given:
            op.place = "REFERENCE"  # the curve decides the start
        if "stretches" not in given:
            path_stretches.give(op, properties.rig_of(scene_of(context), op.about(context)), settings)

    def completed(self, op: Any, inputs: "Inputs") -> "Inputs":
        if not op.curve:
            return inputs
        points, closed = points_of_curve(op.curve, inputs.read)
        recipe = dataclasses.replace(inputs.recipe, path=points, closed=closed)
        request = dataclasses.replace(inputs.request, curve=op.curve)
        recipe = recipe if op.preview else _as_previewed(recipe, inputs.read.armature)
        return dataclasses.replace(inputs, request=request, recipe=recipe)


def _as_previewed(recipe: Follow, armature: int) -> Follow:
    """Return the recipe with the preview's route, if the recipes are equal, so that the result matches it."""
    ghost = previews.of(armature)
    if ghost is None or not isinstance(ghost.recipe, Follow):
        return recipe
    seen = dataclasses.replace(recipe, route=ghost.recipe.route)
    return seen if seen == ghost.recipe else recipe


class DriveHooks(ResultHooks):
    """Repeat the wishes of the last drive from its start, including companions."""

    # other armatures driven along, with their recipes, as Drive gives them
    others: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def poll(self, cls: type[VerbOperator], context: bpy.types.Context) -> bool:
        if not super().poll(cls, context):
            return False
        settings = properties.settings_of(scene_of(context)).drive
        if target_armature.invoked_from_panel(context) and not (settings.wishes or settings.places):
            cls.poll_message_set("Drive first: what you steer is kept as wishes")
            return False
        return True

    def fill_sources(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        if op.upper_body_only:
            from ...services.driving import driven

            known = driven.plays(scene_of(context), present(op.about(context)))
            op.add_source(known.name, reading={name: getattr(known, name) for name in declared_options(SourceOptions)})
        super().fill_sources(op, context, given)

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        if "place" not in given:
            op.place = "REFERENCE"
        if properties.settings_of(scene_of(context)).with_library and "library" not in given:
            op.library = preferences.library(context)

    def inputs(
        self, op: Any, context: bpy.types.Context, armature: bpy.types.Object
    ) -> "steps.Steps[tuple[Inputs, ...]]":
        made = list((yield from super().inputs(op, context, armature)))
        for row in json.loads(op.others) if op.others and not op.preview else ():
            other = target_armature.by_name(context, row["armature"])
            if other is None:
                op.refused.append(f"{row['armature']} is gone: it gets no action")
                continue
            result = dataclasses.replace(made[0].request.result, partner="")  # it is the steered one's
            request = dataclasses.replace(request_from_json(row["request"]), result=result)
            try:
                made.append((yield from op.read(context, other, request, from_json(row["recipe"]), warn=False)))
            except LoomError as error:
                op.refused.append(f"{other.name}: {error}")
        return tuple(made)

    def write(self, op: Any, context: bpy.types.Context, inputs: "Inputs", made: Any) -> Any:
        return super().write(op, context, with_result(inputs, assign=op.assign), made)  # they have their own armatures

    def done(self, op: Any, context: bpy.types.Context, each: list[EachResult], refused: list[str]) -> None:
        super().done(op, context, each[:1], refused)
        more = each[1:]
        for one in more:
            list_results(context, properties.of_session(bpy.data.objects, one.inputs.read.armature), [one])
        if more:
            notes = [note for one in more for note in (*one.inputs.read.notes, *one.written.notes)]
            reports.report(op, notes, f"{len(more)} more: {some([one.written.action.name for one in more])}")


class LoopHooks(ResultHooks):
    """Use the panel's chosen cycle for its own action; search a cycle in the others."""

    cycle_of: bpy.props.IntProperty(  # the source of the cycle; a script's cycle applies to all
        default=-1, options={"HIDDEN", "SKIP_SAVE"}
    )

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        from ...services.matching import candidates

        if len(op.sources) < 2 or any(name in given for name, _ in candidates.AUTOMATIC[Loop.verb]):
            return
        owner = candidates.source_of_cycle(scene_of(context), op.about(context))
        sources = op.request().sources
        if owner in sources:
            op.cycle_of = sources.index(owner)
            return
        for name, automatic in candidates.AUTOMATIC[Loop.verb]:
            setattr(op, name, automatic)

    def recipe_of(self, op: Any, which: int) -> Recipe:
        from ...services.matching import candidates

        recipe = super().recipe_of(op, which)
        automatic = dict(candidates.AUTOMATIC[Loop.verb])
        return recipe if op.cycle_of in (-1, which) else dataclasses.replace(recipe, **automatic)


class RestyleHooks(ResultHooks):
    """Weave the reference in another style, or each source separately; the panel shows the achieved styles."""

    each: bpy.props.BoolProperty(
        name="Each", description="Restyle each ticked action, not only the reference", default=False
    )

    def draw(self, op: Any, layout: bpy.types.UILayout) -> None:
        layout.prop(op, "each")

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        from ...services.styles import style_labels

        if "each" not in given:
            op.each = properties.settings_of(scene_of(context)).restyle_each
        style_labels.fill(op, context, given)

    def read(
        self, op: Any, context: bpy.types.Context, armature: bpy.types.Object
    ) -> "steps.Steps[tuple[Inputs, ...]]":
        """Read all sources once: each is the first of its own inputs, and all of them provide the style."""
        inputs: Inputs = yield from op.read(context, armature, op.request(), op.recipe_now())
        every = range(len(inputs.request.sources))
        count = len(every) if op.each and not op.preview else 1
        orders = [(k, *(other for other in every if other != k)) for k in range(count)]
        return tuple(map(inputs.in_order, orders))

    def compute(self, inputs: tuple["Inputs", ...], progress: Progress) -> list[Any]:
        from ...services.weaving import computing, prepared

        # Learnt once: the order of the clips does not matter.
        style = prepared.read_prepared(inputs[0].recipe, inputs[0].read.clips, progress.part(0.0, 0.5))

        def restyled(one: "Inputs", part: Progress) -> Any:
            return computing.apply_recipe(one, one.read.clips, part, style)

        return computing.compute_each(inputs, progress.part(0.5, 1.0), restyled)

    def keep(self, context: bpy.types.Context, inputs: "Inputs", made: Any) -> None:
        from ...services.styles import styles

        styles.keep_sliders(inputs.read.armature, made.report)


class AskHooks(CurveHooks):
    """Weave the requested motion, along a curve if one is chosen; the list's lines get its shares as weights."""

    def finish(
        self, op: Any, context: bpy.types.Context, inputs: tuple["Inputs", ...], made: list[Any]
    ) -> OperatorReturn:
        from ....core.verbs.ask.work import AskResult
        from ...services.styles import ask_field

        if isinstance(made[0], AskResult):
            ask_field.keep(inputs[0].read.armature, made[0])
        return super().finish(op, context, inputs, made)

    def keep(self, context: bpy.types.Context, inputs: "Inputs", made: Any) -> None:
        rig = properties.rig_of(scene_of(context), properties.of_session(bpy.data.objects, inputs.read.armature))
        if rig is None or inputs.recipe.over_time:
            return
        shares = dict(zip(made.report["names"], made.report["ask"]["weights"], strict=True))
        for line in lists.ticked_lines(rig):
            if line.action.name in shares:
                line.weight = shares[line.action.name]


class RetimeHooks(ResultHooks):
    """Retime one of two ticked actions to the other."""

    def poll(self, cls: type[VerbOperator], context: bpy.types.Context) -> bool:
        if not super().poll(cls, context):
            return False
        rig = properties.rig_of(scene_of(context), target_armature.armature(context))
        if target_armature.invoked_from_panel(context) and len(lists.first_ticked(rig, 3)) > 2:
            cls.poll_message_set(f"Tick the reference and one other source ({len(lists.ticked_lines(rig))} ticked)")
            return False
        return True


class EndlessHooks(CurveHooks):
    """Go on with the sources as often as the recipe says, along a curve if one is chosen."""

    def read(
        self, op: Any, context: bpy.types.Context, armature: bpy.types.Object
    ) -> "steps.Steps[tuple[Inputs, ...]]":
        (one,) = yield from super().read(op, context, armature)
        return tuple(dataclasses.replace(one, recipe=recipe) for recipe, _ in one.recipe.each(()))


class ShortestHooks(WalkHooks):
    """Walk from one frame to another, as given in the panel."""

    def poll(self, cls: type[VerbOperator], context: bpy.types.Context) -> bool:
        if not super().poll(cls, context):
            return False
        chosen = properties.settings_of(scene_of(context)).shortest
        if target_armature.invoked_from_panel(context) and not (chosen.leave and chosen.reach):
            cls.poll_message_set("Choose a frame to leave and one to reach: show it and press the clock beside it")
            return False
        return True


class FillHooks(ResultHooks):
    """Fill between the keyed poses of the armature's action; the ticked actions give the motion."""

    def poll(self, cls: type[VerbOperator], context: bpy.types.Context) -> bool:
        if not target_armature.invoked_from_panel(context):
            return super().poll(cls, context)
        if not polls.poll_action(cls, context):
            return False
        scene, armature = scene_of(context), present(target_armature.armature(context))
        if not posed.sources(properties.rig_of(scene, armature), armature):
            cls.poll_message_set("Tick the actions to fill from; the armature's own has the poses")
            return False
        return polls.poll_partner(cls, context, cls.recipe)

    def fill_sources(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        scene, armature = scene_of(context), present(op.about(context))
        action = posed.action_of(armature)
        if action is None:
            raise LoomError(f"{armature.name} has no action: play one, or tick actions in the list")
        known = source_list.source_of_action(scene, armature, action)
        op.add_source(known.name, reading={name: getattr(known, name) for name in declared_options(SourceOptions)})
        for line in posed.sources(properties.rig_of(scene, armature), armature):
            op.add_line(line)

    def fill(self, op: Any, context: bpy.types.Context, given: frozenset[str]) -> None:
        if "place" not in given:
            op.place = "REFERENCE"  # the poses stay in their place
        if "key_frames" not in given:
            reading = op.readings[0] if len(op.readings) else None
            span = None if reading is None or reading.last <= reading.first else (reading.first, reading.last)
            op.key_frames = posed.keys(present(op.about(context)), span)
            if not {"gaps", "locked"} & given:
                op.gaps, op.locked = fill_gaps.standing(op.gaps, op.locked, op.key_frames)

    def inputs(
        self, op: Any, context: bpy.types.Context, armature: bpy.types.Object
    ) -> "steps.Steps[tuple[Inputs, ...]]":
        fill_gaps.check(
            op.sources[0].name, op.key_frames, rates.of_scene(scene_of(context))
        )  # an hour of motion takes a minute to read
        request = op.request()
        if request.result.partner:
            fill_gaps.check_partner(armature, request.result.partner, request.sources, op.key_frames)
        return (yield from super().inputs(op, context, armature))

    def completed(self, op: Any, inputs: "Inputs") -> "Inputs":
        # A preview shows the leader alone, but as it is filled with its partner.
        return dataclasses.replace(inputs, recipe=for_partners(inputs.recipe)[0]) if op.partner else inputs


# Operators whose name is not their verb, and verbs that need hooks.
_NAMES = {"sync": "retime"}
_HOOKS: dict[type[Recipe], ResultHooks] = {
    Drive: DriveHooks(),
    Follow: FollowHooks(),
    Loop: LoopHooks(),
    Shortest: ShortestHooks(),
    Walk: EndlessHooks("way", decides_start=True),
    Synchronise: RetimeHooks(),
    Restyle: RestyleHooks(),
    Ask: AskHooks(),
    CutOut: CutOutHooks(),
    Fill: FillHooks(),
}


def _operators() -> list[type]:
    made = []
    for row in OF_ONE_BODY.values():
        recipe = row.recipe
        if row.makes != "clip" or recipe.of_action:  # verbs that edit one action are in `edits`
            continue
        hooks = _HOOKS.get(recipe) or (WalkHooks() if issubclass(recipe, GraphOptions) else ResultHooks())
        names = (_NAMES.get(recipe.verb, recipe.verb), *recipe.earlier_verbs)
        made += [operator(recipe, hooks, idname=name) for name in names]
    return made


register = registration(_operators(), AddedOperators(ResultHooks(), of_action=False))
