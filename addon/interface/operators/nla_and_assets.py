"""Push finished actions down to the NLA, or mark them as assets."""

from contextlib import suppress

import bpy

from ....core.errors import LoomError
from ....core.recipes.reading import Source
from ...ground import registrar
from ...ground.blender_types import OperatorMixin, OperatorReturn, present, scene_of
from ...model import lists, properties, target_armature
from ...services.sources import source_list
from . import polls, reports

_SKIP = {"SKIP_SAVE"}  # a button ignores the previous choice


class OnOwnActions(OperatorMixin):
    """An operator on the armature's current action, or on each ticked in its list."""

    bl_options = {"REGISTER", "UNDO"}

    which: bpy.props.EnumProperty(name="Actions", items=lists.OWN, options=_SKIP)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not polls.poll_armature(cls, context):
            return False
        armature = present(target_armature.armature(context))
        data = armature.animation_data
        has_action = data is not None and data.action is not None
        if not has_action and not lists.first_ticked(properties.rig_of(scene_of(context), armature), 1):
            cls.poll_message_set(f"{armature.name} has no action: play one, or tick actions in the list")
            return False
        return True

    def sources(self, context: bpy.types.Context, armature: bpy.types.Object) -> list[Source]:
        """Return the chosen actions with reading options; raises LoomError if there is none."""
        data = armature.animation_data
        if self.which == lists.PLAYED and (data is None or data.action is None):
            raise LoomError(f"{armature.name} has no action: play one, or tick actions in the list")
        found = source_list.own_sources(scene_of(context), armature, self.which)
        if not found:
            raise LoomError(f"No action of {armature.name} is ticked")
        return found


class ACTION_LOOM_OT_push_down(OnOwnActions, bpy.types.Operator):
    bl_idname = "action_loom.push_down"
    bl_label = "Push Down to NLA"
    bl_description = "Move the action that plays to a strip on a new NLA track; it looks the same"

    start: bpy.props.EnumProperty(
        name="Start",
        description="Where the strip begins",
        items=[
            ("KEYED", "As Keyed", "At the action's own first frame"),
            ("CURRENT", "Current Frame", "At the scene's current frame"),
        ],
        options=_SKIP,
    )
    repeat: bpy.props.IntProperty(
        name="Repeat",
        description="How often the strip plays; loops go on with their travel",
        default=1,
        min=1,
        soft_max=20,
        max=1000,
        options=_SKIP,
    )

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...services.results import nla_strips  # numpy is loaded at first use, not when Blender starts

        armature = present(target_armature.armature(context))
        start = scene_of(context).frame_current if self.start == "CURRENT" else None
        pushed = nla_strips.push_down(armature, self.sources(context, armature), start=start, repeat=self.repeat)
        first, last = pushed.strips[0].frame_start, pushed.strips[-1].frame_end
        count = len(pushed.strips)
        what = pushed.strips[0].name if count == 1 else f"{count} actions"
        reports.report(self, pushed.notes, f"{what}: in the NLA of {armature.name} from frame {first:g} to {last:g}")
        return {"FINISHED"}


class ACTION_LOOM_OT_mark_asset(OnOwnActions, bpy.types.Operator):
    bl_idname = "action_loom.mark_asset"
    bl_label = "Mark as Asset"
    bl_description = "Mark the action that plays as an asset, with a preview, tags and a catalog"

    catalog: bpy.props.StringProperty(
        name="Catalog",
        description="The asset's catalog (A/B for one within another); unchanged if empty",
        default="Action Loom",
    )

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...services.assets import asset_marks  # numpy is loaded at first use, not when Blender starts

        armature = present(target_armature.armature(context))
        actions, notes = [], []
        for source in self.sources(context, armature):
            try:
                action, note = asset_marks.mark(context, armature, source)
            except LoomError as error:
                notes.append(str(error))
                continue
            actions.append(action)
            notes += [note] if note else []
        if not actions:
            raise LoomError("; ".join(notes))
        try:
            note = asset_marks.put_in_catalog(actions, self.catalog)
        except LoomError as error:
            note = str(error)
        what = actions[0].name if len(actions) == 1 else f"{len(actions)} actions"
        reports.report(self, filter(None, (*notes, note)), f"{what}: marked as asset{'s' * (len(actions) > 1)}")
        _refresh_catalogs(context)
        return {"FINISHED"}


def _refresh_catalogs(context: bpy.types.Context) -> None:
    """Let open Asset Browsers read catalogs again; nothing else notifies them of new ones."""
    window = context.window
    if bpy.app.background or window is None:
        return
    for area in window.screen.areas:
        if area.type == "FILE_BROWSER" and area.ui_type == "ASSETS":
            asking = context.temp_override(window=window, area=area, region=area.regions[-1])
            with asking, suppress(RuntimeError):  # it may still be read
                bpy.ops.asset.library_refresh()


register = registrar.registration((ACTION_LOOM_OT_push_down, ACTION_LOOM_OT_mark_asset))
