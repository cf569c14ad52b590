"""Draw the permanent line below Weave, and the details below it: an error, and all notes."""

from typing import Any, Literal, NamedTuple

import bpy

from ..bridge import rates
from ..ground import troubles
from ..ground.blender_types import present, scene_of
from ..ground.translations.runtime import translate_text
from ..model import contact_rows, lists, properties, readiness, take_rows
from ..services.preview import previews
from ..services.results import messages
from . import remedies
from .panels import draw_text, letters, wrapped

Icon = Literal["NONE", "CHECKMARK", "ERROR", "GHOST_ENABLED", "INFO"]


BESIDE = 0.74  # of the width, for the line beside the number of notes
AROUND = 3  # letters of the line used by its icon and the margins


class Line(NamedTuple):
    """The line below Weave: the whole English text, its icon, whether it is red, a summary, or an error."""

    text: str
    icon: Icon = "NONE"
    alert: bool = False
    is_summary: bool = False
    is_error: bool = False


class Known(NamedTuple):
    """What is known about a mode: an error, the words of it that the line shows, and its notes."""

    trouble: troubles.Trouble | None
    begun: str
    notes: list[messages.Message]


def draw_line(
    layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object, missing: str
) -> Known:
    """Draw the line, which is always there; missing : the input that Weave lacks."""
    settings, rig = properties.settings_of(scene_of(context)), properties.rig_of(scene_of(context), armature)
    found = messages.of_tab(scene_of(context), armature, rig, settings.mode)
    trouble = troubles.of(armature.session_uid, settings.mode)
    line = _line_of(armature, rig, settings.mode, trouble, missing)
    return Known(trouble, _draw_line(layout, context, line, armature, found), found)


def draw_notes(layout: bpy.types.UILayout, context: bpy.types.Context, known: Known) -> None:
    """Draw an error that the line cuts, its button, and the notes if they are unfolded."""
    if known.trouble is not None:
        text = translate_text(known.trouble.text)
        is_cut = text != known.begun
        box = (layout.box() if is_cut else layout).column(align=True)  # an empty box would be drawn dark
        if is_cut:
            draw_text(box, context, text, less=3)  # its margins
        remedies.draw(box, known.trouble.text)
    if properties.settings_of(scene_of(context)).every_warning:
        for one in known.notes:
            _draw_note(layout, context, one)


def _line_of(armature: bpy.types.Object, rig: Any, mode: str, trouble: troubles.Trouble | None, missing: str) -> Line:
    """Return the most important message: why nothing can be woven, an error, the preview, or the last result."""
    settings = properties.settings_of(scene_of(bpy.context))
    ghost = previews.of_panel(settings, armature.session_uid, previews.SOLO)
    if why := readiness.why_not(armature):
        return Line(why, "ERROR")
    if trouble is not None:
        return Line(trouble.text, "ERROR", alert=True, is_error=True)
    if missing:
        return Line(missing, "INFO")
    if ghost is not None:
        return Line("Outdated: press Weave" if ghost.outdated else ghost.summary, "GHOST_ENABLED", ghost.outdated)
    playing = contact_rows.action_of(armature)
    is_shown = rig is not None and rig.last_beside == (playing.name_full if playing else "")
    if not is_shown or rig.last_mode not in (mode, ""):
        return Line("")
    is_of_take = rig.take is not None and rig.last_of == rig.take.name and len(rig.take_rows)
    if is_of_take:
        return Line(take_rows.describe(rig.take_rows, mirror=settings.take_mirror), is_summary=True)
    return Line(rig.last.removeprefix(f"{rig.last_of}: "), is_summary=True)


def _draw_line(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    line: Line,
    armature: bpy.types.Object,
    found: list[messages.Message],
) -> str:
    """Draw the line; return the first words of an error, which the box below continues."""
    settings = properties.settings_of(scene_of(context))
    row = layout.split(factor=BESIDE, align=True) if found else layout.row(align=True)
    text = row.row(align=True)
    text.alignment, text.alert = "LEFT", line.alert
    begun = ""
    if line.text:
        if line.is_error:
            short = begun = _rows(context, translate_text(line.text), beside=bool(found))[0]
        else:
            short = messages.figure_of(line.text) if line.is_summary else _fit(context, line.text, beside=bool(found))
        present(text.operator("action_loom.read_message", text=short, icon=line.icon, emboss=False)).text = line.text
    else:
        text.label(text="")
    _draw_remedy_of_state(text, armature)
    rig = properties.rig_of(scene_of(context), armature)
    if line.icon == "INFO" and settings.mode == "blend" and len(lists.first_ticked(rig, 1)):
        text.prop_enum(settings, "intent", "Loop")  # works for one action
    if found:
        count = translate_text(f"{len(found)} note{'s' * (len(found) > 1)}")
        shown = f"{count} {'▾' if settings.every_warning else '▸'}"
        # Without its box a pressed button is white, which a light theme does not show.
        row.prop(settings, "every_warning", text=shown, emboss=settings.every_warning, toggle=True)
    return begun


def _fit(context: bpy.types.Context, text: str, *, beside: bool) -> str:
    """Return the words of a text's short form that fit the line, as Blender would leave out the middle."""
    lines = _rows(context, messages.shortened(translate_text(text)), beside=beside)
    return f"{lines[0]}…" if len(lines) > 1 else lines[0]


def _rows(context: bpy.types.Context, text: str, *, beside: bool) -> list[str]:
    """Return a text wrapped into lines; beside : whether the number of notes is beside it."""
    return wrapped(text, context, less=AROUND + (int((1.0 - BESIDE) * letters(context)) if beside else 0))


def _draw_remedy_of_state(layout: bpy.types.UILayout, armature: bpy.types.Object) -> None:
    """Draw the button that ends the state in which an armature can't be changed."""
    if armature.mode == "EDIT":
        present(layout.operator("object.mode_set", text="", icon="OBJECT_DATAMODE")).mode = "OBJECT"
    elif armature.animation_data is not None and armature.animation_data.use_tweak_mode:
        layout.prop(armature.animation_data, "use_tweak_mode", text="", icon="NLA")
    elif armature.library is not None:
        layout.operator("object.make_override_library", text="", icon="LIBRARY_DATA_OVERRIDE")


def _draw_note(layout: bpy.types.UILayout, context: bpy.types.Context, one: messages.Message) -> None:
    """Draw a note in short, with a button that mends it if there is one; its icon tells the whole text."""
    column = layout.column(align=True)
    row = column.row(align=True)
    icon = row.column()
    present(icon.operator("action_loom.read_message", text="", icon="INFO", emboss=False)).text = one.text
    draw_text(row, context, one.shown, less=5)
    if not one.rate:
        remedies.draw(column, one.text, one.source)
        return
    scene, row, own = scene_of(context), column.row(align=True), one.rate
    for how, text in (("SCENE", f"Scene to {own:g}"), ("ACTION", f"Re-time to {rates.of_scene(scene):g}")):
        button: Any = present(row.operator("action_loom.match_rate", text=translate_text(text)))
        button.how, button.rate = how, own
