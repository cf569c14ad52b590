"""Panels of the sidebar tab "Action Loom": they lay out, and nothing else."""

import re
import unicodedata
from typing import TYPE_CHECKING, Any, Literal

import bpy

from ....core.options import FRAME, JOINTS, PLACE, Option
from ...ground import jobs
from ...ground.blender_types import PanelMixin, interface_scale, present
from ...ground.translations.runtime import translated
from ...model import frame_conversion, properties, target_armature

# What we draw beside texts: the stubs want each icon spelt out.
Icon = Literal["NONE", "BLANK1", "CHECKMARK", "ERROR", "INFO", "MESH_DATA"]


class SidebarPanel(PanelMixin):
    """Where all our panels are."""

    if TYPE_CHECKING:
        layout: bpy.types.UILayout  # in the stubs it may be None

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Action Loom"

    def layout_for(self, armature: bpy.types.Object | None) -> bpy.types.UILayout:
        """Return the layout, whose buttons are about an armature."""
        target_armature.mark(self.layout, armature)
        return self.layout


def options_in(layout: bpy.types.UILayout, *, align: bool = False) -> bpy.types.UILayout:
    """Return a column in which options have their names on the left, and no dots to key them."""
    column = layout.column(align=align)
    column.use_property_split = True
    column.use_property_decorate = False
    return column


def draw_options(layout: bpy.types.UILayout, settings: Any, options: list[tuple[str, Option]], rig: Any = None) -> None:
    """Draw options from groups of the settings, those that apply; `rig` is the list that their frames are of."""
    for name, about in options:
        group = getattr(settings, name)
        if properties.applies(group, about):
            _draw_option(layout, group, name, about, rig)


def _draw_option(layout: bpy.types.UILayout, group: Any, name: str, about: Option, rig: Any) -> None:
    """Draw an option, what its value means where a number does not say, and what it can be picked from."""
    value = getattr(group, about.name)
    row = layout.row(align=True)
    if about.pick == PLACE and value:
        row = _told(layout, about.title, frame_conversion.place_in_scene(rig, value)).row(align=True)
        row.alignment = "RIGHT"
    else:
        row.prop(group, about.name)
    if about.pick == JOINTS:
        chosen = row.operator_menu_enum("action_loom.pick_joints", "what", text="", icon="DOWNARROW_HLT")
        present(chosen).group, present(chosen).option = name, about.name
    elif about.pick in (PLACE, FRAME) and rig is not None:
        taken = present(row.operator("action_loom.pick_frame", text="", icon="TIME"))
        taken.group, taken.option = name, about.name
    hint = about.zero if about.zero and value <= 0 else ""
    if about.pick == FRAME and rig is not None and not hint:
        hint = frame_conversion.in_scene(rig, name, about.name, value)
    if hint:
        _told(layout, "", hint)


def _told(layout: bpy.types.UILayout, title: str, text: str) -> bpy.types.UILayout:
    """Draw a text where values stand, with its title where names do; return the row."""
    row = layout.row(align=True)
    split = row.split(factor=0.4)
    name = split.row()
    name.alignment = "RIGHT"
    name.label(text=title)
    about = split.row()
    about.active = bool(title)
    about.label(text=translated(text))
    return row


def wrapped(text: str, context: bpy.types.Context, *, less: int = 0) -> list[str]:
    """Return a text in lines that the sidebar has room for, without so many letters that something else takes."""
    most = max(int(present(context.region).width / (7.0 * interface_scale())) - less, 16)
    lines = [""]
    for piece in _PIECES.findall(text):
        if width(lines[-1] + piece.rstrip()) > most and lines[-1]:
            lines.append("")
        lines[-1] = lines[-1] + piece if lines[-1] else piece.lstrip()
    return [line.rstrip() for line in lines]


# What stays in one line: a word, or one Chinese or Japanese character, each with the signs that may not begin a line.
_WIDE = r"\u3000-\u9fff\uff00-\uffef"
_CLOSING = "、。，：；）」』！？ー"
_PIECES = re.compile(rf"[^\s{_WIDE}]+[{_CLOSING}]*\s*|[{_WIDE}][{_CLOSING}]*\s*|\s+")


def width(text: str) -> int:
    """Return how much room a text takes, in Latin letters: Chinese and Japanese characters take two each."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def draw_text(
    layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: Icon = "NONE", *, alert: bool = False
) -> None:
    """Draw a text in as many lines as it takes, beside an icon if there is one."""
    column = layout.column(align=True)
    column.alert = alert
    for place, line in enumerate(wrapped(translated(text), context, less=0 if icon == "NONE" else 5)):
        column.label(text=line, icon="BLANK1" if place and icon != "NONE" else icon)


def draw_manual(layout: bpy.types.UILayout, page: str) -> None:
    """Draw the button in a panel's header that opens its page of the manual."""
    present(layout.operator("action_loom.manual", text="", icon="HELP", emboss=False)).page = page


def draw_job(layout: bpy.types.UILayout) -> bool:
    """Draw how far the work is that goes on, with a button that stops it; says whether there is some."""
    job = jobs.running()
    if job is None:
        return False
    row = layout.row(align=True)
    row.progress(factor=job.fraction, text=f"{translated(job.doing)} {job.fraction:.0%}")
    row.operator("action_loom.cancel", text="", icon="X")
    return True


def picture_scale(context: bpy.types.Context) -> float:
    """Return how large a picture fills the panel's width, in units of a button's height."""
    return min(max(present(context.region).width / (20.0 * interface_scale()) - 3.0, 5.0), 20.0)
