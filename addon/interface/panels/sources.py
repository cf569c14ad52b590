"""Show the list of actions to weave, and the body roles of their armature."""

import fnmatch
from typing import Any, NamedTuple

import bpy

from ....core import verbs
from ...bridge import rates, result_mark
from ...ground import registrar
from ...ground.blender_types import DrawContext, armature_data, present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import contact_rows, intents, lists, properties, target_armature
from ...services.results import changed_sources
from ...services.sources import listing, source_list, thumbnails
from . import ItemList, PopoverPanel, SidebarPanel, draw_text, letters, options_in


class ACTION_LOOM_UL_sources(ItemList, bpy.types.UIList):
    """Lines of the list: tick, pose, whether it plays, action, reference mark, share or seconds."""

    order: bpy.props.EnumProperty(
        name="Order",
        description="How the list is sorted on screen; weaving uses the list's own order",
        items=[
            ("LIST", "As Listed", "", "SORTBYEXT", 0),
            ("NAME", "By Name", "", "SORTALPHA", 1),
            ("LENGTH", "By Length", "", "SORTTIME", 2),
        ],
    )
    only_loops: bpy.props.BoolProperty(name="Only Loops")

    def draw_filter(self, context: DrawContext, layout: bpy.types.UILayout) -> None:
        row = layout.row(align=True)
        row.prop(self, "filter_name", text="")
        row.prop(self, "use_filter_invert", text="", icon="ARROW_LEFTRIGHT")
        row.prop(self, "order", text="", icon_only=True)
        row.prop(self, "only_loops", text="", icon="FILE_REFRESH")

    def filter_items(self, context: DrawContext, data: Any, lines_name: str) -> Any:
        lines = getattr(data, lines_name)
        shown = [self.bitflag_filter_item] * len(lines)
        if not (self.filter_name or self.only_loops) and self.order == "LIST":  # as mostly
            return shown, _as_needed(lines, data.last_made, _drawn and _drawn.playing)
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
        has_share = bool(item.action and shown.weights and item.use)
        parts = layout.split(factor=shown.before_share, align=True) if has_share else layout
        row = parts.row(align=True)
        row.prop(item, "use", text="")
        if item.action is None:
            row.label(text="Deleted", icon="ERROR")
            return
        playing, marked = item.action == shown.playing, index == shown.reference and shown.ticked > 1
        picture = thumbnails.icon_of(shown.armature, item)
        if playing or marked:
            row.label(text="", icon="PLAY" if playing else "SOLO_ON")
        elif picture:
            row.label(text="", icon_value=picture)
        else:
            color = row.row()
            color.ui_units_x = 1.0
            color.prop(item, "color", text="")
        if item.player.name:
            there = lists.player_of(item) is not None
            row.label(text="", icon="ARMATURE_DATA" if there else "ERROR")
        name = row.row()
        name.active = item.use or playing
        name.alert = is_red = bool(item.use and item.warning.startswith(item.action.name))  # not about the body
        if is_red:
            why: Any = row.operator("action_loom.read_message", text="", icon="ERROR", emboss=False)
            why.text = item.warning
        repeats = bool(shown.wide and item.action.use_cyclic)
        less = has_share * (SHARED - BESIDE) + MARK * (repeats + (marked and playing) + is_red)
        number = f"{shown.chained[index]}. " if index in shown.chained else ""
        text = number + shown.shorten(item.action.name, BESIDE + less + len(number))
        name.label(text=text, translate=False)
        if marked and playing:
            row.label(text="", icon="SOLO_ON")
        if has_share:
            parts.prop(item, "share", text="", slider=True)
        else:
            self._draw_length(row, item, repeats=repeats)

    def _draw_length(self, row: bpy.types.UILayout, item: Any, *, repeats: bool) -> None:
        """Draw how long an action plays, and whether it repeats."""
        length = row.row(align=True)
        length.active = False
        length.alignment = "RIGHT"
        if repeats:
            length.label(text="", icon="FILE_REFRESH")
        length.label(text=f"{_seconds(item):.1f} s", translate=False)


def _as_needed(lines: Any, made: str, playing: bpy.types.Action | None) -> Any:
    """Return the places of a list's lines: ticked ones first, then recent results, and the played action.

    Ticked ones keep the order of the list, in which they are woven.
    """
    first = [*made.split("\n"), None if playing is None else playing.name]
    names = [None if line.action is None else line.action.name for line in lines]
    numbered: list[Any] = [
        (place, -1 if line.use else first.index(name) if name and name in first else len(first))
        for place, (line, name) in enumerate(zip(lines, names, strict=True))
    ]
    return bpy.types.UI_UL_list.sort_items_helper(numbered, key=lambda one: one[1])


ROWS = 7  # of the list, independent of its length, to keep the layout below in place
BESIDE, SHARED, MARK = 27, 32, 4  # letters that do not fit a line because of its length, its share, and a mark
PLAYED = 18  # letters that do not fit the row of the played action because of its buttons
UPDATE = 7  # letters that do not fit it, in addition, because of the button Update
AROUND = 15  # letters of the sidebar beside a line
WIDE = 38  # letters of a line of the sidebar from which on its list has room for all marks
SHARE, NUMBER = 0.28, 7  # of a line's width for a share, and letters within which its number is readable


class ListShown(NamedTuple):
    """Display data shared by all lines of a list, computed once per drawing.

    playing : the armature's action
    weights : whether shares are shown
    reference : place of the marked line, or of the first ticked one if the marked one is not ticked; −1 for none
    ticked : number of ticked lines
    chained : the number of each ticked line in Connect, which plays them in this order, by place
    wide : whether there is room for all marks
    before_share : part of a line before its share
    letters : that fit the sidebar
    names : of all actions
    """

    armature: bpy.types.Object | None
    playing: bpy.types.Action | None
    weights: bool
    reference: int
    ticked: int
    chained: dict[int, int]
    wide: bool
    before_share: float
    letters: int
    names: tuple[str, ...]

    def shorten(self, name: str, less: int) -> str:
        """Return the form of a name for a line with `less` letters than the sidebar."""
        return source_list.shortened(self.names, self.letters - less).get(name, name)


# The display data while a panel draws its list, because Blender passes only the line to `draw_row`.
_drawn: ListShown | None = None


def shown_in(context: bpy.types.Context, rig: Any) -> ListShown:
    """Return the display data of a list."""
    ticked: list[int] = []
    names: list[str] = []
    for place, line in enumerate(rig.sources):  # once: there may be hundreds
        action, use = line.action, line.use
        if action is not None:
            names.append(action.name)
        if action is not None and use:
            ticked.append(place)
    mode = properties.settings_of(scene_of(context)).mode
    weights = mode == "blend" and len(ticked) > 1
    armature = target_armature.of_tab(context)
    return ListShown(
        armature,
        contact_rows.action_of(armature),
        weights,
        rig.reference if rig.reference in ticked else next(iter(ticked), -1),
        len(ticked),
        {place: number for number, place in enumerate(ticked, start=1)} if mode == "connect" else {},
        letters(context) >= WIDE,
        1.0 - max(SHARE, NUMBER / max(letters(context) - AROUND, 2 * NUMBER)),
        letters(context),
        tuple(names),
    )


def _seconds(line: Any) -> float:
    """Return the duration of a line's action at its own rate."""
    first, last = (line.first, line.last) if line.use_range else line.action.frame_range[:]
    return float(last - first) / (line.rate or rates.rate_of(line.action) or rates.of_scene(line.id_data))


def _length(action: bpy.types.Action) -> float:
    first, last = action.frame_range[:]
    return float(last - first)


class ACTION_LOOM_MT_sources(bpy.types.Menu):
    bl_label = "Add Actions"

    def draw(self, context: DrawContext) -> None:
        layout = present(self.layout)
        target_armature.mark(layout, target_armature.of_tab(present(context)))
        layout.operator("action_loom.import_motion", text="Import Motion…", icon="IMPORT")
        layout.operator("action_loom.add_asset_sources", icon="ASSET_MANAGER")
        layout.operator("action_loom.add_selected_sources", icon="ARMATURE_DATA")
        layout.operator("action_loom.retarget")
        layout.separator()
        layout.operator("action_loom.add_sources", icon="FILE_REFRESH")
        layout.operator("action_loom.add_active_source")


class ACTION_LOOM_MT_clip(bpy.types.Menu):
    """Commands for the active line, and below for the played action."""

    bl_label = "Action"

    def draw(self, context: DrawContext) -> None:
        layout, shown = present(self.layout), present(context)
        armature, scene = target_armature.of_tab(shown), scene_of(shown)
        rig = properties.rig_of(scene, armature)
        line = lists.active_line(rig)
        target_armature.mark(layout, armature)
        if line is not None:
            layout.label(text=line.action.name, translate=False)
            play = present(layout.operator("action_loom.play_action", icon="PLAY"))
            play.action = line.action.name
            present(layout.operator("action_loom.set_reference", icon="SOLO_ON")).index = rig.active
            present(layout.operator("wm.call_panel", text="Name, Color, Range…")).name = "ACTION_LOOM_PT_source"
            layout.prop(properties.settings_of(scene), "solo", text="Show Alone")
            present(layout.operator("action_loom.move_source", icon="TRIA_UP")).down = False
            present(layout.operator("action_loom.move_source", text="Move Down", icon="TRIA_DOWN")).down = True
            layout.operator("action_loom.remove_source", icon="REMOVE")
            layout.separator()
        own = "" if line is None or not lists.is_own(line) else line.action.name
        labels = {recipe.verb: recipe.label for recipe in intents.EDITS}
        for group, tools in intents.TOOL_GROUPS:
            layout.label(text=group)
            for verb, icon in tools.items():
                text = f"{translate_text(labels[verb])}…"
                tool = present(layout.operator("action_loom.open_tool", text=text, icon=icon))
                tool.tool, tool.action = verb, own
        for verb in intents.added_verbs(of_action=True):
            layout.operator(f"action_loom.{verb}")
        playing = contact_rows.action_of(armature)
        if playing is not None:
            layout.separator()
            layout.label(text=playing.name, icon="PLAY", translate=False)
            layout.operator("action_loom.push_down", icon="NLA_PUSHDOWN")
            layout.operator("action_loom.mark_asset", icon="ASSET_MANAGER")
            layout.operator("action_loom.clean_up")


class ACTION_LOOM_MT_armatures(bpy.types.Menu):
    bl_label = "Armature"

    def draw(self, context: DrawContext) -> None:
        layout, scene = present(self.layout), scene_of(present(context))
        pinned = properties.pinned_armature(scene)
        for one in scene.objects:
            if one.type == "ARMATURE":
                text = translate_text(f"{one.name} (pinned)") if one == pinned else one.name
                button = present(
                    layout.operator("action_loom.pin_armature", text=text, icon="ARMATURE_DATA", translate=False)
                )
                button.armature = one.name
        layout.separator()
        unpin = layout.operator("action_loom.pin_armature", text="Whichever Is Active", icon="UNPINNED")
        present(unpin).armature = ""
        layout.prop(properties.settings_of(scene), "experts")


class ACTION_LOOM_PT_sources(SidebarPanel, bpy.types.Panel):
    bl_label = "Actions"

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        armature = target_armature.of_tab(context)
        if armature is not None:
            pinned = properties.pinned_armature(scene_of(context)) is not None
            self.layout.menu("ACTION_LOOM_MT_armatures", text=armature.name, icon="PINNED" if pinned else "UNPINNED")

    def draw(self, context: bpy.types.Context) -> None:
        armature = target_armature.of_tab(context)
        layout = self.layout_for(armature)
        if armature is None:
            self._draw_beginning("Select an armature to weave its actions, or begin with one of these:", context)
            return
        listing.want(scene_of(context), armature)
        rig = properties.rig_of(scene_of(context), armature)
        if rig is None or not len(rig.sources):
            self._draw_beginning(f"{armature.name} has no actions yet. Import some, or key some:", context)
            layout.operator("action_loom.add_asset_sources", icon="ASSET_MANAGER")
            return
        self._draw_playing(context, self._draw_list(context, rig))

    def _draw_list(self, context: bpy.types.Context, rig: Any) -> ListShown:
        global _drawn
        _drawn = shown = shown_in(context, rig)
        row = self.layout.row()
        try:  # the user can drag the list longer
            row.template_list(
                "ACTION_LOOM_UL_sources", "", rig, "sources", rig, "active", rows=ROWS, item_dyntip_propname="called"
            )
        finally:
            _drawn = None
        buttons = row.column(align=True)
        buttons.menu("ACTION_LOOM_MT_sources", text="", icon="ADD")
        buttons.menu("ACTION_LOOM_MT_clip", text="", icon="DOWNARROW_HLT")
        return shown

    def _draw_playing(self, context: bpy.types.Context, shown: ListShown) -> None:
        """Draw the played action and its buttons, in a row that is always there: Weave stays below it."""
        action, row = shown.playing, self.layout.row(align=True)
        if action is None:
            row.label(text="")
            return
        made = result_mark.is_result(action)
        edited = made and changed_sources.is_edited(action)
        loaded = properties.rig_of(scene_of(context), shown.armature).edited == action
        name = shown.shorten(action.name, PLAYED + loaded * UPDATE)
        name = translate_text("Edited: {name}").format(name=name) if edited else name
        row.label(text=name, icon="PLAY", translate=False)
        if made:
            row.operator("action_loom.edit_recipe", text="", icon="PREFERENCES")
        if made and loaded:
            mode = properties.settings_of(scene_of(context)).mode
            narrow = row.row(align=True)
            narrow.ui_units_x = 5.0
            present(narrow.operator(f"action_loom.{mode}", text="Update")).into = action.name_full
        elif made:
            again = row.row(align=True)
            again.alert = bool(changed_sources.names(action))
            again.operator("action_loom.rebuild", text="", icon="FILE_REFRESH")
        row.operator("action_loom.export_motion", text="", icon="EXPORT")

    def _draw_beginning(self, text: str, context: bpy.types.Context) -> None:
        """Draw the first steps for an empty list."""
        layout = self.layout
        draw_text(layout, context, text)
        layout.operator("action_loom.import_motion", text="Import Motion…", icon="IMPORT")
        layout.operator("action_loom.add_demo", text="Add Demo", icon="OUTLINER_OB_ARMATURE")
        present(layout.operator("action_loom.manual", icon="HELP")).page = "start"


class ACTION_LOOM_PT_source(PopoverPanel, bpy.types.Panel):
    """How the active line's action is read; it pops up beside the list."""

    bl_label = "Active Source"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return _active(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout, source = options_in(self.layout), _active(context)
        layout.prop(source.action, "name")
        layout.prop(source, "color")
        layout.prop(source, "weight")
        if source.apart:
            layout.label(text=translate_text(f"Listed apart: {source.apart}"), icon="INFO")
        if source.player.name:
            layout.prop(source, "armature", icon="ARMATURE_DATA")
            draw_text(layout, context, source.carried or "It is put on this body when it is woven", "INFO")
        layout.prop(source, "rate")
        if not source.rate:
            own = rates.rate_of(source.action)
            text = f"Made at {own:g}" if own else f"As the scene: {rates.of_scene(scene_of(context)):g}"
            layout.label(text=translate_text(text))
        first, last = source.action.frame_range
        layout.prop(source, "label")
        layout.prop(
            source,
            "use_range",
            text=translate_text(f"Range (all: {first:g}–{last:g})" if source.use_range else "Range"),
        )
        if source.use_range:
            span = layout.column(align=True)
            span.prop(source, "first")
            span.prop(source, "last")
        if len(getattr(source.action, "slots", ())) > 1:
            layout.prop_search(source, "slot", source.action, "slots")
        if properties.settings_of(scene_of(context)).result.partner:
            layout.prop_search(source, "partner", bpy.data, "actions")


class _OfTheArmature(SidebarPanel):
    """A table of the list's armature, for experts, or if something is uncertain."""

    bl_options = {"DEFAULT_CLOSED"}
    bl_order = 20

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        armature, settings = target_armature.of_tab(context), properties.settings_of(scene_of(context))
        rig = None if armature is None else properties.rig_of(scene_of(context), armature)
        return rig is not None and (settings.experts or cls.is_unsure(rig))

    @classmethod
    def is_unsure(cls, rig: Any) -> bool:
        """Return whether the artist should look at the table unasked."""
        return False


class ACTION_LOOM_PT_roles(_OfTheArmature, bpy.types.Panel):
    bl_label = "Body Roles"

    @classmethod
    def is_unsure(cls, rig: Any) -> bool:
        return any(role.found_by == "SHAPE" for role in rig.roles)

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
            draw_text(layout, context, "Some roles were guessed from the body's shape: check them on the body")
            layout.operator("action_loom.accept_roles", icon="CHECKMARK")
        column = options_in(layout, align=True)
        for role in rig.roles:
            row = column.row(align=True)
            part, dot, side = role.name.replace("_", " ").partition(".")
            text = f"{translate_text(part[0].upper() + part[1:])}{dot}{side}"
            row.prop_search(role, "bone", armature_data(armature), "bones", text=text, translate=False)
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


register = registrar.registration(
    (
        ACTION_LOOM_UL_sources,
        ACTION_LOOM_MT_sources,
        ACTION_LOOM_MT_clip,
        ACTION_LOOM_MT_armatures,
        ACTION_LOOM_PT_sources,
        ACTION_LOOM_PT_source,
        ACTION_LOOM_PT_roles,
        ACTION_LOOM_PT_controls,
    )
)
