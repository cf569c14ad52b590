"""Show the list of actions to weave, and the body roles of their armature."""

import fnmatch
from typing import Any, NamedTuple

import bpy

from ....core import verbs
from ...ground import rates
from ...ground.blender_types import DrawContext, armature_data, present, scene_of
from ...ground.translations.runtime import translated
from ...model import lists, properties, target_armature
from ...services.sources import source_list
from . import ItemList, SidebarPanel, draw_text, options_in


class ACTION_LOOM_UL_sources(ItemList, bpy.types.UIList):
    """Lines of the list: tick, colour, action, weight and its percentage where weights count, reference mark."""

    order: bpy.props.EnumProperty(
        name="Order",
        description="In which order the list is shown; sources are woven in the order of the list itself",
        items=[
            ("LIST", "As Listed", "In the order in which sources are woven", "SORTBYEXT", 0),
            ("NAME", "By Name", "In alphabetical order", "SORTALPHA", 1),
            ("LENGTH", "By Length", "The shortest first", "SORTTIME", 2),
        ],
    )
    only_loops: bpy.props.BoolProperty(
        name="Only Loops", description="Show only actions that repeat: cyclic ones, or with a Cycles modifier"
    )

    def draw_filter(self, context: DrawContext, layout: bpy.types.UILayout) -> None:
        row = layout.row(align=True)
        row.prop(self, "filter_name", text="")
        row.prop(self, "use_filter_invert", text="", icon="ARROW_LEFTRIGHT")
        row.prop(self, "order", text="", icon_only=True)
        row.prop(self, "only_loops", text="", icon="FILE_REFRESH")

    def filter_items(self, context: DrawContext, data: Any, lines_name: str) -> Any:
        lines = getattr(data, lines_name)
        shown = [self.bitflag_filter_item] * len(lines)
        if not (self.filter_name or self.only_loops) and self.order == "LIST":  # as mostly: nothing to look at
            return shown, []
        names = [line.action.name if line.action else "" for line in lines]
        pattern = f"*{self.filter_name.lower()}*"
        shown = [
            flag
            if fnmatch.fnmatchcase(name.lower(), pattern)
            and not (self.only_loops and line.action and not source_list.repeats(line.action))
            else 0
            for flag, name, line in zip(shown, names, lines, strict=True)
        ]
        if self.order == "NAME":
            keys: list[Any] = [name.lower() for name in names]
        elif self.order == "LENGTH":
            keys = [0.0 if line.action is None else _length(line.action) for line in lines]
        else:
            return shown, []
        numbered: list[Any] = list(enumerate(keys))
        return shown, bpy.types.UI_UL_list.sort_items_helper(numbered, key=lambda one: one[1])

    def draw_row(self, context: DrawContext, layout: bpy.types.UILayout, data: Any, item: Any, index: int) -> None:
        shown = _drawn or shown_in(present(context), data)
        target_armature.mark(layout, shown.armature)
        row = layout.row(align=True)
        row.prop(item, "use", text="")
        if item.action is None:
            row.label(text="Deleted", icon="ERROR")
            return
        color = row.row()
        color.ui_units_x = 0.5
        color.prop(item, "color", text="")
        name = row.row()
        name.active = item.use
        name.alert = bool(item.use and item.warning)
        if item.player.name:
            there = lists.player_of(item) is not None
            row.label(text="", icon="ARMATURE_DATA" if there else "ERROR")
        hidden = shown.beginnings.get(item.action.name, "")
        if hidden:
            name.label(text="…" + item.action.name[len(hidden) :])
        else:
            name.prop(item.action, "name", text="", emboss=False)
        if shown.weights:
            weight = row.row()
            weight.active = item.use
            weight.ui_units_x = 2.6
            weight.prop(item, "weight", text="", slider=True)
            share = row.row()
            share.ui_units_x = 1.9
            share.label(text=percentage(item, shown.total))
        marked = index == shown.reference
        mark = row.operator(
            "action_loom.set_reference", text="", icon="RADIOBUT_ON" if marked else "RADIOBUT_OFF", emboss=False
        )
        present(mark).index = index


ROOM, ROOM_BESIDE_WEIGHTS = 16, 7  # letters that fit a line at the sidebar's usual width


class ListShown(NamedTuple):
    """Display data shared by all lines of a list, computed once per drawing.

    beginnings : shared name prefixes to hide, where lines have no room for them
    weights : whether weights are shown, and their total
    reference : place of the marked line, or of the first ticked one where the marked one is not ticked; −1 for none
    warnings : of the ticked lines
    """

    armature: bpy.types.Object | None
    beginnings: dict[str, str]
    weights: bool
    total: float
    reference: int
    warnings: tuple[str, ...]


# The display data while a panel draws its list, as Blender passes nothing but the line to `draw_row`.
_drawn: ListShown | None = None


def shown_in(context: bpy.types.Context, rig: Any) -> ListShown:
    """Return the display data of a list."""
    names: list[str] = []
    ticked: dict[int, Any] = {}
    warnings: list[str] = []
    for place, line in enumerate(rig.sources):  # once: there may be hundreds
        action, use = line.action, line.use
        if use and (warning := line.warning):
            warnings.append(warning)
        if action is not None:
            names.append(action.name)
            if use:
                ticked[place] = line
    # In a blend of three or more; two sources share one slider.
    weights = properties.settings_of(scene_of(context)).mode == "blend" and len(ticked) > 2
    return ListShown(
        target_armature.of_tab(context),
        source_list.shared_beginnings(names, ROOM_BESIDE_WEIGHTS if weights else ROOM),
        weights,
        sum(line.weight for line in ticked.values()) if weights else 0.0,
        rig.reference if rig.reference in ticked else next(iter(ticked), -1),
        tuple(warnings),
    )


def percentage(item: Any, total: float) -> str:
    """Return a ticked line's share in percent; "" for one that is not ticked."""
    return f"{100.0 * item.weight / total:.0f}%" if item.use and total > 0.0 else ""


def _length(action: bpy.types.Action) -> float:
    first, last = action.frame_range[:]
    return float(last - first)


class ACTION_LOOM_MT_sources(bpy.types.Menu):
    bl_label = "Sources"

    def draw(self, context: DrawContext) -> None:
        layout = present(self.layout)
        target_armature.mark(layout, target_armature.of_tab(present(context)))
        layout.operator("action_loom.add_sources", icon="ADD")
        layout.operator("action_loom.add_active_source")
        layout.operator("action_loom.add_selected_sources")
        layout.operator("action_loom.add_asset_sources", icon="ASSET_MANAGER")
        layout.operator("action_loom.retarget", icon="ARMATURE_DATA")
        layout.separator()
        layout.operator("action_loom.import_motion", icon="IMPORT")
        layout.operator("action_loom.export_motion", icon="EXPORT")
        layout.separator()
        present(layout.operator("action_loom.manual", icon="HELP")).page = "sources"


class ACTION_LOOM_MT_armatures(bpy.types.Menu):
    bl_label = "Armature"

    def draw(self, context: DrawContext) -> None:
        layout, scene = present(self.layout), scene_of(present(context))
        pinned = properties.pinned(scene)
        for one in scene.objects:
            if one.type == "ARMATURE":
                text = translated(f"{one.name} (pinned)") if one == pinned else one.name
                button = layout.operator("action_loom.pin_armature", text=text, icon="ARMATURE_DATA")
                present(button).armature = one.name
        layout.separator()
        unpin = layout.operator("action_loom.pin_armature", text="Whichever Is Active", icon="UNPINNED")
        present(unpin).armature = ""


class ACTION_LOOM_PT_sources(SidebarPanel, bpy.types.Panel):
    bl_label = "Sources"

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        armature = target_armature.of_tab(context)
        if armature is not None:
            pinned = properties.pinned(scene_of(context)) is not None
            self.layout.menu("ACTION_LOOM_MT_armatures", text=armature.name, icon="PINNED" if pinned else "UNPINNED")

    def draw(self, context: bpy.types.Context) -> None:
        armature = target_armature.of_tab(context)
        layout = self.layout_for(armature)
        if armature is None:
            self._draw_beginning("Select an armature to weave its actions, or begin with one of these:", context)
            return
        rig = properties.rig_of(scene_of(context), armature)
        if rig is None or not len(rig.sources):
            if not len(bpy.data.actions):
                self._draw_beginning(f"{armature.name} has no actions yet. Import some, or key some:", context)
                layout.operator("action_loom.add_asset_sources", icon="ASSET_MANAGER")
                return
            self._draw_others(context, armature)
            layout.operator("action_loom.add_sources", icon="ADD")
            layout.operator("action_loom.add_active_source", icon="ACTION")
            layout.operator("action_loom.import_motion", icon="IMPORT")
            layout.operator("action_loom.add_asset_sources", icon="ASSET_MANAGER")
            return
        global _drawn
        _drawn = shown = shown_in(context, rig)
        row = layout.row()
        rows = min(max(len(rig.sources), 3), 5)  # the user can drag the list longer
        try:
            row.template_list("ACTION_LOOM_UL_sources", "", rig, "sources", rig, "active", rows=rows)
        finally:
            _drawn = None
        buttons = row.column(align=True)
        buttons.operator("action_loom.add_active_source", text="", icon="ADD")
        buttons.operator("action_loom.remove_source", text="", icon="REMOVE")
        buttons.menu("ACTION_LOOM_MT_sources", text="", icon="DOWNARROW_HLT")
        present(buttons.operator("action_loom.move_source", text="", icon="TRIA_UP")).down = False
        present(buttons.operator("action_loom.move_source", text="", icon="TRIA_DOWN")).down = True
        buttons.prop(properties.settings_of(scene_of(context)), "solo", text="", icon="SOLO_ON")
        active = _active(context)
        if active is not None and active.action.name in shown.beginnings:
            layout.prop(active.action, "name", text="")
        self._draw_others(context, armature)
        for warning in shown.warnings:
            draw_text(layout, context, warning, alert=True)

    def _draw_others(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Draw the operators for the other selected armatures."""
        others = source_list.selected_others(context, armature)
        if others:
            column = self.layout.column(align=True)
            text = f"Of {others[0].name}:" if len(others) == 1 else f"Of {len(others)} selected armatures:"
            column.label(text=translated(text))
            column.operator("action_loom.add_selected_sources", text="List Their Actions", icon="ADD")
            column.operator("action_loom.retarget", icon="ARMATURE_DATA")

    def _draw_beginning(self, text: str, context: bpy.types.Context) -> None:
        """Draw the first steps for an empty list."""
        layout = self.layout
        draw_text(layout, context, text)
        layout.operator("action_loom.import_motion", text="Import Motion…", icon="IMPORT")
        layout.operator("action_loom.add_demo", text="Add Demo", icon="OUTLINER_OB_ARMATURE")
        present(layout.operator("action_loom.manual", icon="HELP")).page = "start"


class ACTION_LOOM_PT_source(SidebarPanel, bpy.types.Panel):
    bl_label = "Active Source"
    bl_parent_id = "ACTION_LOOM_PT_sources"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return _active(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout, source = options_in(self.layout), _active(context)
        if source.apart:
            layout.label(text=translated(f"Listed apart: {source.apart}"), icon="INFO")
        if source.player.name:
            layout.prop(source, "armature", icon="ARMATURE_DATA")
            draw_text(
                layout, context, source.carried or "It is carried onto this armature's body when it is read", "INFO"
            )
        layout.prop(source, "rate")
        if not source.rate:
            own = rates.rate_of(source.action)
            text = f"Made at {own:g}" if own else f"As the scene: {rates.of_scene(scene_of(context)):g}"
            layout.label(text=translated(text))
        first, last = source.action.frame_range
        layout.prop(source, "label")
        layout.prop(
            source, "use_range", text=translated(f"Range (all: {first:g}–{last:g})" if source.use_range else "Range")
        )
        if source.use_range:
            span = layout.column(align=True)
            span.prop(source, "first")
            span.prop(source, "last")
        if len(getattr(source.action, "slots", ())) > 1:
            layout.prop_search(source, "slot", source.action, "slots")


class _OfTheArmature(SidebarPanel):
    """A table about the armature of the list, below it."""

    bl_parent_id = "ACTION_LOOM_PT_sources"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        armature = target_armature.of_tab(context)
        return armature is not None and properties.rig_of(scene_of(context), armature) is not None


class ACTION_LOOM_PT_roles(_OfTheArmature, bpy.types.Panel):
    bl_label = "Body Roles"

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        rig = properties.rig_of(scene_of(context), target_armature.of_tab(context))
        if len(rig.roles):
            self.layout.label(text=f"{sum(bool(role.bone) for role in rig.roles)}/{len(rig.roles)}")

    def draw(self, context: bpy.types.Context) -> None:
        armature = present(target_armature.of_tab(context))
        layout, rig = self.layout_for(armature), properties.rig_of(scene_of(context), armature)
        row = layout.row(align=True)
        row.operator("action_loom.find_roles", icon="VIEWZOOM")
        row.prop(properties.settings_of(scene_of(context)), "show_roles", text="", icon="HIDE_OFF")
        if any(role.found_by == "SHAPE" for role in rig.roles):
            draw_text(layout, context, "Some roles were guessed from the body's shape: look at them on the body")
            layout.operator("action_loom.accept_roles", icon="CHECKMARK")
        column = options_in(layout, align=True)
        for role in rig.roles:
            row = column.row(align=True)
            words = role.name.replace("_", " ")
            row.prop_search(role, "bone", armature_data(armature), "bones", text=words[0].upper() + words[1:])
            how = row.row()
            how.enabled = False  # read-only
            how.prop(role, "found_by", text="", icon_only=True, emboss=False)
        missing = verbs.what_works({role.name for role in rig.roles if role.bone}) if len(rig.roles) else ""
        if missing:
            draw_text(layout, context, missing)


class ACTION_LOOM_PT_controls(_OfTheArmature, bpy.types.Panel):
    bl_label = "Controls"

    def draw(self, context: bpy.types.Context) -> None:
        armature = present(target_armature.of_tab(context))
        layout, rig = self.layout_for(armature), properties.rig_of(scene_of(context), armature)
        layout.operator("action_loom.find_controls", icon="VIEWZOOM")
        column, part = options_in(layout, align=True), ""
        for line in rig.controls:
            of, _, kind = line.name.rpartition(", ")
            if of != part:
                column.label(text=of)
            part = of
            kind = kind.removesuffix(".L").removesuffix(".R").replace("_", " ")
            column.prop_search(line, "bone", armature_data(armature), "bones", text=kind[0].upper() + kind[1:])
        for note in filter(None, rig.control_notes.split("\n")):
            draw_text(layout, context, note)


def _active(context: bpy.types.Context) -> Any:
    return lists.active_line(properties.rig_of(scene_of(context), target_armature.of_tab(context)))


register, unregister = bpy.utils.register_classes_factory(
    (
        ACTION_LOOM_UL_sources,
        ACTION_LOOM_MT_sources,
        ACTION_LOOM_MT_armatures,
        ACTION_LOOM_PT_sources,
        ACTION_LOOM_PT_source,
        ACTION_LOOM_PT_roles,
        ACTION_LOOM_PT_controls,
    )
)
