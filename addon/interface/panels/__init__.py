"""Draw the panels of the sidebar tab "Action Loom"; panels only lay out."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import bpy

from ....core.options import FRAME, JOINTS, PLACE, Option
from ....core.recipes.base import Recipe
from ...ground import jobs
from ...ground.blender_types import DrawContext, HandlesMixin, ListMixin, PanelMixin, interface_scale, present
from ...ground.translations.runtime import translate_text
from ...model import frame_conversion, properties, target_armature

# Icons drawn beside texts, spelt out because the stubs require literals.
Icon = Literal["NONE", "BLANK1", "CHECKMARK", "ERROR", "INFO", "MESH_DATA", "TIME"]


class SidebarPanel(PanelMixin):
    """The place of all our panels."""

    if TYPE_CHECKING:
        layout: bpy.types.UILayout  # in the stubs it may be None

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Action Loom"

    def layout_for(self, armature: bpy.types.Object | None) -> bpy.types.UILayout:
        """Return the layout, with an armature as the target of its buttons."""
        target_armature.mark(self.layout, armature)
        return self.layout


class PopoverPanel(PanelMixin):
    """The place of panels that pop up beside a button."""

    if TYPE_CHECKING:
        layout: bpy.types.UILayout  # in the stubs it may be None

    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"  # prevents drawing in the sidebar


class ViewHandles(HandlesMixin):
    """The place of all our groups of handles; Blender shows their labels nowhere."""

    bl_label = "Action Loom"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"PERSISTENT", "SHOW_MODAL_ALL"}


class ItemList(ListMixin):
    """A list that draws rows with `draw_row`, without unneeded arguments of Blender's method."""

    def draw_item(
        self,
        context: DrawContext,
        layout: bpy.types.UILayout,
        data: Any,
        item: Any,
        icon: int | None,
        active_data: Any,
        active_property: str | None,
        index: int | None,
        flt_flag: int | None = 0,
    ) -> None:
        self.draw_row(context, layout, data, item, index or 0)

    def draw_row(self, context: DrawContext, layout: bpy.types.UILayout, data: Any, item: Any, index: int) -> None:
        """Draw the row of an item."""
        raise NotImplementedError


def options_in(layout: bpy.types.UILayout, *, align: bool = False) -> bpy.types.UILayout:
    """Return a column with option names on the left, and no dots to key them."""
    column = layout.column(align=align)
    column.use_property_split = True
    column.use_property_decorate = False
    return column


def draw_options(
    layout: bpy.types.UILayout, settings: Any, options: Iterable[tuple[str, Option]], rig: Any = None
) -> None:
    """Draw the options that apply from groups of the settings; `rig` is the list that their frames refer to."""
    for name, about in options:
        group = getattr(settings, name)
        if properties.applies(group, about):
            _draw_option(layout, group, name, about, rig)


def draw_partner(layout: bpy.types.UILayout, settings: Any, recipe: type[Recipe]) -> None:
    """Draw the choice of a partner, if a recipe takes one, and of who adapts to it."""
    if recipe.takes_partners:
        layout.prop(settings.result, "partner")
        if settings.result.partner:
            layout.prop(settings.result, "adapts")


def _draw_option(layout: bpy.types.UILayout, group: Any, name: str, about: Option, rig: Any) -> None:
    """Draw an option, an explanation of its value if needed, and its pick button."""
    value = getattr(group, about.name)
    row = layout.row(align=True)
    if about.pick == PLACE and value:
        row = _draw_labelled(layout, about.title, frame_conversion.place_in_scene(rig, value)).row(align=True)
        row.alignment = "RIGHT"
    else:
        row.prop(group, about.name)
    if about.pick == JOINTS:
        chosen = row.operator_menu_enum("action_loom.pick_joints", "what", text="", icon="DOWNARROW_HLT")
        present(chosen).group, present(chosen).option = name, about.name
    elif about.pick in (PLACE, FRAME) and rig is not None:
        taken = present(row.operator("action_loom.pick_frame", text="", icon="TIME"))
        taken.group, taken.option = name, about.name
    hint = about.means(value)
    if about.pick == FRAME and rig is not None and not hint:
        hint = frame_conversion.in_scene(rig, name, about.name, value)
    if hint:
        _draw_labelled(layout, "", hint)


def _draw_labelled(layout: bpy.types.UILayout, title: str, text: str) -> bpy.types.UILayout:
    """Draw a text in the value column with its title in the name column; return the row."""
    row = layout.row(align=True)
    split = row.split(factor=0.4)
    name = split.row()
    name.alignment = "RIGHT"
    name.label(text=title)
    about = split.row()
    about.active = bool(title)
    about.label(text=translate_text(text))
    return row


def letters(context: bpy.types.Context) -> int:
    """Return the number of Latin letters that fit a line of the sidebar."""
    return int(present(context.region).width / (7.0 * interface_scale()))


def wrapped(text: str, context: bpy.types.Context, *, less: int = 0) -> list[str]:
    """Wrap a text into lines that fit the sidebar minus `less` letters."""
    return list(_wrap_text(text, max(letters(context) - less, 16)))


@lru_cache(maxsize=256)  # sentences are drawn repeatedly
def _wrap_text(text: str, most: int) -> tuple[str, ...]:
    """Wrap a text into lines of at most `most` letters, if its words allow."""
    lines = [""]
    for piece in _PIECES.findall(text):
        if width(lines[-1] + piece.rstrip()) > most and lines[-1]:
            lines.append("")
        lines[-1] = lines[-1] + piece if lines[-1] else piece.lstrip()
    return tuple(line.rstrip() for line in lines)


# Unbreakable pieces: a word or a Chinese or Japanese character, with punctuation that may not begin a line.
_WIDE = r"\u3000-\u9fff\uff00-\uffef"
_CLOSING = "、。，：；）」』！？ー"
_PIECES = re.compile(rf"[^\s{_WIDE}]+[{_CLOSING}]*\s*|[{_WIDE}][{_CLOSING}]*\s*|\s+")


def width(text: str) -> int:
    """Return a text's width in Latin letters: Chinese and Japanese characters count as two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def draw_text(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    text: str,
    icon: Icon = "NONE",
    *,
    alert: bool = False,
    less: int = 0,
) -> None:
    """Draw a wrapped text, beside an icon if there is one; less : letters of the line used by something else."""
    column = layout.column(align=True)
    column.alert = alert
    for place, line in enumerate(wrapped(translate_text(text), context, less=less + (0 if icon == "NONE" else 5))):
        column.label(text=line, icon="BLANK1" if place and icon != "NONE" else icon)


def draw_manual(layout: bpy.types.UILayout, page: str) -> None:
    """Draw the button in a panel's header that opens its manual page."""
    present(layout.operator("action_loom.manual", text="", icon="HELP", emboss=False)).page = page


def draw_job(layout: bpy.types.UILayout) -> bool:
    """Draw the progress of a running job, with a button to stop it; return whether there is one."""
    job = jobs.visible_job()
    if job is None:
        return False
    row = layout.row(align=True)
    row.progress(factor=job.fraction, text=f"{translate_text(job.doing)} {job.fraction:.0%}")
    row.operator("action_loom.cancel", text="", icon="X")
    return True


def picture_scale(context: bpy.types.Context) -> float:
    """Return the scale at which a picture fills the panel's width, in button heights."""
    return min(max(present(context.region).width / (20.0 * interface_scale()) - 3.0, 5.0), 20.0)
