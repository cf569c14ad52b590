"""Weave the ticked actions: the mode's settings, the result and its summary."""

from typing import Any

import bpy

from ....core.options import MODE, PANEL, RARE, Option
from ....core.recipes.base import Recipe
from ....core.recipes.graph import GraphWalk
from ....core.recipes.splice import SpliceOptions
from ....core.recipes.style import SLIDERS
from ....core.verbs import OF_ONE_BODY, VERBS, CutOut, Drive, Fill, Loop, Restyle, Walk
from ...ground import jobs, option_properties, registrar
from ...ground.blender_types import present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import intents, lists, preferences, properties, target_armature
from ...services.poses import fill_gaps
from ...services.preview import ghost_follow
from ...services.sources import posed, source_list
from .. import manual, notes, style_sliders, take_set
from . import (
    PopoverPanel,
    SidebarPanel,
    draw_job,
    draw_manual,
    draw_options,
    draw_partner,
    draw_text,
    options_in,
    picture_scale,
)

Shown = list[tuple[str, Option]]  # options with the groups that hold them

# Walks through the graph without their own mode.
WALKS = tuple(row.recipe for row in OF_ONE_BODY.values() if issubclass(row.recipe, GraphWalk) and not row.recipe.mode)
MOST_GAPS = 12  # rows of Fill
ROOM = 15  # letters that fit half a row
_FINDERS = {"connect": "action_loom.find_transitions", "loop": "action_loom.find_cycles"}


def recipe_of(settings: Any) -> type[Recipe]:
    """Return the recipe of the chosen mode."""
    return VERBS[settings.mode].recipe


def _rig(context: bpy.types.Context) -> Any:
    return properties.rig_of(scene_of(context), target_armature.of_tab(context))


# The options shown first in each mode; all others are behind More.
FIRST = {
    "splice": (("splice", "method"), ("splice", "strength")),
    "ask": (("ask", "speed"), ("ask", "turn"), ("ask", "strides")),
    "connect": (("connect", "anywhere"), ("connect", "facing")),
    "key_poses": (("key_poses", "interval"), ("key_poses", "between")),
    "fill": (("fill", "share"), ("fill", "plant_feet"), ("fill", "suggest_timing")),
    "loop": (("loop", "in_place"), ("loop", "straighten"), ("loop", "repeat")),
    "follow": (("follow", "fidelity"), ("follow", "ending")),
    "drive": (("drive", "moves_well"),),
    "walk": (("walk", "seconds"), ("walk", "variation"), ("walk", "seed"), ("walk", "loop")),
}
FIRST_SLIDERS = ("stride", "cadence", "lean")


class ACTION_LOOM_PT_weave(SidebarPanel, bpy.types.Panel):
    bl_label = "Weave"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        armature = target_armature.of_tab(context)
        return armature is not None and not properties.settings_of(scene_of(context)).tool_open

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        mode = properties.settings_of(scene_of(context)).mode
        draw_manual(self.layout, manual.page_of(mode))

    def draw(self, context: bpy.types.Context) -> None:
        layout, settings = self.layout_for(target_armature.of_tab(context)), properties.settings_of(scene_of(context))
        ghost_follow.look_soon()
        layout.row(align=True).prop(settings, "intent", expand=True)
        row = layout.row(align=True)
        row.scale_y = 1.4  # of the button and of a job's progress, so that nothing below moves
        if not draw_job(row):
            self._draw_button(context, row)  # above all changing parts, so that it stays in place
        armature = present(target_armature.of_tab(context))
        known = notes.draw_line(layout, context, armature, self._missing(settings, _rig(context)))
        modes = intents.modes_of(recipe_of(settings).intent)
        if len(modes) > 1:  # above the notes, which come and go
            row = layout.row(align=True)
            for recipe in modes:
                row.prop_enum(settings, "mode", recipe.verb)
        notes.draw_notes(layout, context, known)
        _draw_others(layout, context, armature)
        self._draw_own(context)
        first, rest = _options_of(settings)
        draw_options(options_in(layout), settings, first, _rig(context))
        if settings.mode == "follow" and settings.follow.ending == "action":
            options_in(layout).prop(settings, "ending_action")
        header, body = layout.panel("action_loom_more", default_closed=True)
        header.label(text="More")
        if body is not None:
            self._draw_more(context, body, rest)

    def _draw_own(self, context: bpy.types.Context) -> None:
        """Draw a mode's elements in addition to its options."""
        layout, settings = self.layout, properties.settings_of(scene_of(context))
        if settings.mode == "blend":
            self._draw_pad(context)
        if settings.mode == "splice":
            self._draw_parts(context)
        if settings.mode == "ask":
            layout.prop(settings, "pad", icon="ORIENTATION_CURSOR", toggle=True)
        if settings.mode == "follow":
            self._draw_path(context)
        if settings.mode == Drive.verb:
            options_in(layout).prop(settings, "ground")
            if preferences.library(context):
                options_in(layout).prop(settings, "with_library")
            layout.operator("action_loom.drive", icon="FILE_REFRESH")
        if settings.mode in ("key_poses", Walk.verb):
            row = layout.row(align=True)
            row.operator("action_loom.pick_pose", icon="ADD")
            row.operator("action_loom.clear_poses", text="", icon="X")
        if settings.mode == Fill.verb:
            self._draw_gaps(context)
        if settings.mode in _FINDERS:
            self._draw_candidates(context)
        if settings.mode == CutOut.verb:
            take_set.draw(layout, context, settings, _rig(context))
        if settings.mode == Restyle.verb:
            if not settings.restyle_each:
                self._draw_parts(context)
            style_sliders.draw_named(layout, settings)
            style_sliders.draw(layout, context, settings, FIRST_SLIDERS)
            self._draw_variations(context, "action_loom.variations")
        if settings.mode == Walk.verb:
            self._draw_variations(context, "action_loom.walks")

    def _draw_variations(self, context: bpy.types.Context, operator: str) -> None:
        """Draw the button that makes several results, and that for other selected armatures."""
        layout, settings = self.layout, properties.settings_of(scene_of(context))
        row = layout.row(align=True)
        present(row.operator(operator, icon="DUPLICATE")).count = settings.variations
        count = row.row(align=True)
        count.ui_units_x = 2.5
        count.prop(settings, "variations", text="")
        if source_list.selected_others(context, present(target_armature.of_tab(context))):
            each = layout.operator(operator, text="One for Each Selected", icon="COMMUNITY")
            present(each).to_selected = True

    def _draw_more(self, context: bpy.types.Context, body: bpy.types.UILayout, rest: Shown) -> None:
        """Draw rarely needed options, and options for writing the result."""
        settings, rig = properties.settings_of(scene_of(context)), _rig(context)
        if settings.mode == "blend":
            self._draw_weight_keys(context, body)
        if settings.mode == Restyle.verb:
            style_sliders.draw(body, context, settings, [name for name in SLIDERS if name not in FIRST_SLIDERS])
        options = options_in(body)
        if settings.mode in ("ask", Walk.verb):
            options.prop(settings, "ask_curve")
        if settings.mode == Restyle.verb:
            options.prop(settings, "restyle_each")
            rest = [one for one in rest if one[1].name not in SLIDERS]
        draw_options(options, settings, rest, rig)
        own = {"follow": ("place",), CutOut.verb: ("place", "result_name", "assign", "travel")}.get(settings.mode, ())
        draw_partner(options, settings, recipe_of(settings))
        own += ("partner", "adapts")
        for about in (*properties.shown_options("result", MODE), *properties.shown_options("result", RARE)):
            if about.name not in own:  # the curve determines the start, and a take's rows determine all of these
                draw_options(options, settings, [("result", about)])
        options.prop(settings, "play")
        if settings.mode == "follow":
            options.prop(settings, "show_way")

    def _draw_button(self, context: bpy.types.Context, row: bpy.types.UILayout) -> None:
        settings = properties.settings_of(scene_of(context))
        recipe = recipe_of(settings)
        each = recipe.most == 1 or (recipe is Restyle and settings.restyle_each)
        ticked = len(lists.ticked_lines(_rig(context))) if each else 0
        text = translate_text(recipe.label_of(ticked)) if each and ticked > 1 else "Weave"
        if recipe is CutOut:
            take_set.draw_button(row, _rig(context))
            return
        if recipe is Drive:
            row.operator("action_loom.steer", text="Drive", icon="PLAY")
            selected = context.selected_objects or ()
            leaders = [one for one in selected if one.type != "ARMATURE" and one.find_armature() is None]  # no skins
            if len(leaders) == 1:
                present(row.operator("action_loom.steer", text="Come After")).leader = leaders[0].name
        else:
            row.operator(f"action_loom.{settings.mode}", text=text, icon="ANIM")
        row.prop(settings, "live", text="", icon="GHOST_ENABLED")
        how = row.row(align=True)
        how.ui_units_x = 1.0
        how.popover("ACTION_LOOM_PT_ghost", text="")

    def _draw_pad(self, context: bpy.types.Context) -> None:
        if len(lists.first_ticked(_rig(context), 3)) > 2:
            settings = properties.settings_of(scene_of(context))
            self.layout.prop(settings, "pad", icon="ORIENTATION_CURSOR", toggle=True)

    def _draw_weight_keys(self, context: bpy.types.Context, layout: bpy.types.UILayout) -> None:
        """Draw the keys of all sources' weights."""
        from ...services.weights import weights_over_time

        row = layout.row(align=True)
        row.operator("action_loom.key_weights", icon="KEYFRAME")
        frames = weights_over_time.keyed_frames(scene_of(context), _rig(context))
        if frames:
            row.operator("action_loom.clear_weight_keys", text="", icon="X")
            text = f"Keyed at {', '.join(f'{frame:g}' for frame in frames)}: the weights change on the way"
            draw_text(layout, context, text)

    def _draw_parts(self, context: bpy.types.Context) -> None:
        """Draw the changed action, or the sources of legs and upper body: the reference mark decides."""
        rig, spliced = _rig(context), properties.settings_of(scene_of(context)).mode == "splice"
        ticked = lists.ticked_lines(rig)
        if len(ticked) < (2 if spliced else 1):
            return
        legs = lists.reference_among(rig, ticked)
        short = source_list.shortened([line.action.name for line in rig.sources if line.action], ROOM)
        names = [short.get(line.action.name, line.action.name) for line in ticked]
        others = [name for k, name in enumerate(names) if k != legs]
        upper = others[0] if len(others) == 1 else translate_text(f"{len(others)} actions in turn")
        column = self.layout.column(align=True)
        parts = (("Legs and way", names[legs]), ("Upper Body", upper)) if spliced else (("What changes", names[legs]),)
        for label, name in parts:
            row = column.split(factor=0.5)
            row.alignment = "RIGHT"
            row.label(text=label)
            row.label(text=name, translate=False)

    def _draw_path(self, context: bpy.types.Context) -> None:
        """Draw the curve to walk along, and its stretches."""
        settings = properties.settings_of(scene_of(context))
        layout = options_in(self.layout)
        layout.prop(settings, "curve")
        row = layout.row(align=True)
        row.operator("action_loom.draw_path", text="Draw", icon="GREASEPENCIL")
        if settings.curve is None:
            row.operator("action_loom.new_curve", icon="CURVE_DATA")
            if settings.follow.path:
                layout.label(text="Along the path of the recipe", icon="INFO")
        for index, stretch in enumerate(settings.stretches):
            _draw_stretch(layout.box().column(align=True), stretch, index)
        layout.operator("action_loom.add_stretch", icon="ADD")

    def _draw_gaps(self, context: bpy.types.Context) -> None:
        """Draw a row for each gap: its source, and buttons for the next stretch, a lock, and the full share."""
        settings, armature = properties.settings_of(scene_of(context)), present(target_armature.of_tab(context))
        rows = fill_gaps.rows(settings, armature)
        column = self.layout.column(align=True)
        for one in rows[:MOST_GAPS]:
            row = column.row(align=True)
            row.label(text=translate_text(f"{one.first}: {one.text}"))
            before = present(row.operator("action_loom.next_stretch", text="", icon="TRIA_LEFT"))
            after = present(row.operator("action_loom.next_stretch", text="", icon="TRIA_RIGHT"))
            before.step, after.step = -1, 1
            lock = row.operator("action_loom.lock_stretch", text="", icon="LOCKED", depress=one.locked)
            whole = row.operator("action_loom.whole_stretch", text="", icon="CHECKMARK", depress=one.whole)
            for button in (before, after, present(lock), present(whole)):
                button.gap = one.key
        if len(rows) > MOST_GAPS:
            column.label(text=f" and {len(rows) - MOST_GAPS} more")
        if settings.fill.gaps or settings.fill.locked:
            column.operator("action_loom.clear_gaps", icon="X")
        self._draw_timing(armature)

    def _draw_timing(self, armature: bpy.types.Object) -> None:
        """Draw the current and the proposed frame of each pose, and the button that moves the poses."""
        moves = fill_gaps.timing(armature)
        if moves is None:
            return
        column = self.layout.column(align=True)
        moved = [(frame, to) for frame, to in moves if frame != to]
        for frame, to in moved[:MOST_GAPS]:
            column.label(text=f"{frame} → {to} ({to - frame:+d})", icon="TIME")
        if len(moved) > MOST_GAPS:
            column.label(text=f" and {len(moved) - MOST_GAPS} more")
        column.operator("action_loom.move_poses")

    def _draw_candidates(self, context: bpy.types.Context) -> None:
        from ...services.matching import candidates

        layout, settings = self.layout, properties.settings_of(scene_of(context))
        if not jobs.visible_job():
            layout.operator(_FINDERS[settings.mode], icon="VIEWZOOM")
        if settings.mode == Loop.verb and len(lists.first_ticked(_rig(context), 2)) > 1:
            owner = candidates.source_of_cycle(scene_of(context), target_armature.of_tab(context))
            each = "A cycle is looked for in each action"
            ticked = lists.each_ticked(_rig(context))
            listed = owner is not None and any(source_list.is_read_as(line, owner) for line in ticked)
            text = f"{each}; {owner.name} has the one that is chosen" if owner is not None and listed else each
            draw_text(layout, context, text, "INFO")
            return
        group = getattr(settings, settings.mode)
        found = candidates.candidates_of(scene_of(context), present(target_armature.of_tab(context)))
        by_hand = any(getattr(group, name) != value for name, value in candidates.AUTOMATIC[settings.mode])
        if by_hand and (found is None or not any(candidates.is_chosen(settings, one) for one in found.candidates)):
            options = options_in(layout, align=True)  # the choice would be invisible otherwise
            wanted = [name for name, _ in candidates.AUTOMATIC[settings.mode]]
            about = [
                (settings.mode, one) for one in properties.shown_options(settings.mode, RARE) if one.name in wanted
            ]
            draw_options(options, settings, about, _rig(context))
        if found is None:
            return
        column = layout.column(align=True)
        for index, candidate in enumerate(found.candidates):
            button = column.operator(
                "action_loom.choose_candidate",
                text=translate_text(candidate.text),
                depress=candidates.is_chosen(settings, candidate),
            )
            present(button).index = index
        if found.curves is not None:
            layout.template_icon(found.icon, scale=0.6 * picture_scale(context))
            layout.operator("action_loom.show_scores", icon="IMAGE_DATA")

    def _missing(self, settings: Any, rig: Any) -> str:
        """Return the missing prerequisite as a sentence, "" if everything is there."""
        recipe = recipe_of(settings)
        if recipe is CutOut:
            return ""
        if settings.mode == Fill.verb:
            posing = present(target_armature.of_tab(bpy.context))
            return posed.missing(rig, posing) or source_list.why_no_partner(scene_of(bpy.context), posing, recipe)
        ticked = len(lists.first_ticked(rig, recipe.least))
        if ticked >= recipe.least:
            if settings.mode == "follow" and settings.curve is None and not settings.follow.path:
                return "Choose a curve to walk along"
            armature = target_armature.of_tab(bpy.context)
            return source_list.why_no_partner(scene_of(bpy.context), armature, recipe)
        actions = "an action" if recipe.least == 1 else f"{recipe.least} actions"
        return f"Tick {actions} ({ticked} ticked)"


def _options_of(settings: Any) -> tuple[Shown, Shown]:
    """Return the options that a mode shows at first, and the rest."""
    recipe = recipe_of(settings)
    every = [*properties.shown_in_mode(recipe, rare=False), *properties.shown_in_mode(recipe, rare=True)]
    wanted = FIRST.get(recipe.verb, ())
    first = [one for one in every if (one[0], one[1].name) in wanted]
    return first, [one for one in every if one not in first]


def _draw_stretch(column: bpy.types.UILayout, stretch: Any, index: int) -> None:
    """Draw the action of a stretch of the curve, its place, and its splicing options."""
    row = column.row(align=True)
    row.prop(stretch, "more", text="", icon="DOWNARROW_HLT" if stretch.more else "RIGHTARROW", emboss=False)
    if stretch.label:
        row.prop(stretch, "label", text="", icon="BOOKMARKS")
    else:
        row.prop(stretch, "action", text="")
    present(row.operator("action_loom.remove_stretch", text="", icon="X")).index = index
    row = column.row(align=True)
    row.prop(stretch, "start", text="")
    row.prop(stretch, "end", text="")
    if stretch.more:
        options = options_in(column)
        options.prop(stretch, "label")
        for about in option_properties.options_of(SpliceOptions).values():
            if properties.applies(stretch, about):
                options.prop(stretch, about.name)


def _draw_others(layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Draw the operators for the other selected armatures."""
    others = source_list.selected_others(context, armature)
    if others:
        column = layout.column(align=True)
        text = f"Of {others[0].name}:" if len(others) == 1 else f"Of the {len(others)} others selected:"
        column.label(text=translate_text(text))
        column.operator("action_loom.add_selected_sources", icon="ADD")
        column.operator("action_loom.retarget", icon="ARMATURE_DATA")


class ACTION_LOOM_PT_ghost(PopoverPanel, bpy.types.Panel):
    """How the ghost is shown; it pops up beside its button."""

    bl_label = "Preview"

    def draw(self, context: bpy.types.Context) -> None:
        layout, settings = self.layout, properties.settings_of(scene_of(context))
        target_armature.mark(layout, target_armature.of_tab(context))
        layout.prop(settings, "ghost_mesh")
        layout.prop(settings, "ghost_beside")
        layout.operator("action_loom.clear_preview", icon="X")


class ACTION_LOOM_PT_graph(SidebarPanel, bpy.types.Panel):
    bl_label = "Motion Graph"
    bl_parent_id = "ACTION_LOOM_PT_weave"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        settings = properties.settings_of(scene_of(context))
        return settings.mode == "follow" and settings.experts and not settings.tool_open

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        from ...services.matching import graphs

        known = graphs.graph_of(scene_of(context), present(target_armature.of_tab(context)))
        self.layout.label(text=translate_text("not built" if known is None else known.short))

    def draw(self, context: bpy.types.Context) -> None:
        from ...services.matching import graphs

        layout, settings = self.layout_for(target_armature.of_tab(context)), properties.settings_of(scene_of(context))
        options = options_in(layout)
        draw_options(options, settings, [("graph", about) for about in properties.shown_options("graph", PANEL)])
        if any(line.label for line in lists.each_ticked(_rig(context))):
            options.label(text="Only actions of one label are connected", icon="INFO")
        if not jobs.visible_job():
            layout.operator("action_loom.build_graph", icon="VIEWZOOM")
        known = graphs.graph_of(scene_of(context), present(target_armature.of_tab(context)))
        if known is None:
            return
        column = layout.column(align=True)
        for line in known.lines:
            draw_text(column, context, line)
        layout.template_icon(known.icon, scale=picture_scale(context))
        layout.operator("action_loom.show_graph", icon="IMAGE_DATA")


class ACTION_LOOM_PT_random_walk(SidebarPanel, bpy.types.Panel):
    bl_label = "Other Walks"
    bl_parent_id = "ACTION_LOOM_PT_weave"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        settings = properties.settings_of(scene_of(context))
        return settings.mode == "follow" and settings.experts and not settings.tool_open

    def draw(self, context: bpy.types.Context) -> None:
        layout = options_in(self.layout_for(target_armature.of_tab(context)))
        settings = properties.settings_of(scene_of(context))
        layout.prop(settings.result, "place")
        for recipe in WALKS:
            column = layout.column()
            draw_options(column, settings, properties.shown_in_mode(recipe, rare=False), _rig(context))
            if not jobs.visible_job():
                column.operator(f"action_loom.{recipe.verb}")


register = registrar.registration(
    (ACTION_LOOM_PT_weave, ACTION_LOOM_PT_ghost, ACTION_LOOM_PT_graph, ACTION_LOOM_PT_random_walk)
)
