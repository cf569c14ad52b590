"""Add actions of asset libraries as sources."""

from typing import Any

import bpy

from ....core.errors import LoomError
from ...ground import registrar
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...ground.translations.runtime import translate_text
from ...model import properties, target_armature
from ...services.sources import body_roles, source_list
from . import polls, reports

_ALL = "ALL"
_MENU = "ASSETBROWSER_MT_context_menu"


def _libraries(_operator: Any, _context: Any) -> list[tuple[str, str, str]]:
    from ...services.assets import asset_finds

    global _shown
    _shown = [(_ALL, "All", "Every asset library in the Preferences")]
    _shown += [(name, name, str(folder)) for name, folder in asset_finds.libraries() if name != _ALL]
    return _shown


_shown: list[tuple[str, str, str]] = []  # keeps the texts alive: Blender holds no reference to generated enum items


def _suggest_labels(operator: Any, _context: Any, edited: str) -> list[str]:
    """Return the asset labels that match the typed text."""
    from ...services.assets import asset_finds

    among = asset_finds.last().assets
    labels = [one.label for one in among if operator.library in (_ALL, one.library)]
    return [label for label in labels if edited.lower() in label.lower()]


def _list_selected(context: bpy.types.Context) -> list[Any]:
    """Return the actions selected in the calling Asset Browser, none elsewhere."""
    return [one for one in getattr(context, "selected_assets", None) or () if one.id_type == "ACTION"]


class ACTION_LOOM_OT_add_asset_sources(bpy.types.Operator):
    bl_idname = "action_loom.add_asset_sources"
    bl_label = "Add from Asset Library"
    bl_description = (
        "Append an action from an asset library and list it: the chosen one, or those selected in the Asset Browser"
    )
    bl_options = {"REGISTER", "UNDO"}

    library: bpy.props.EnumProperty(name="Library", description="Where to look for actions", items=_libraries)
    action: bpy.props.StringProperty(
        name="Action",
        search=_suggest_labels,
        search_options=set(),
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        from ...services.assets import asset_finds

        return polls.poll_armature(cls, context) and polls.poll_unless(
            cls,
            not asset_finds.libraries() and not _list_selected(context),
            "There is no asset library: add one in the Preferences",
        )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        from ...services.assets import asset_finds

        if self.action or _list_selected(context) or bpy.app.background:
            return self.execute(context)
        listing = asset_finds.look()
        if not listing.assets:
            why = "; ".join(listing.troubles) or "mark some, or save the file in which they are marked"
            self.report({"ERROR"}, f"No action is an asset in the asset libraries: {why}")
            return {"CANCELLED"}
        return present(context.window_manager).invoke_props_dialog(
            self, width=350, title="Add from Asset Library", confirm_text="Add"
        )

    def draw(self, context: bpy.types.Context) -> None:
        from ...services.assets import asset_finds

        layout = present(self.layout)
        layout.use_property_split = True
        layout.prop(self, "library")
        layout.prop(self, "action", icon="ACTION")
        for trouble in asset_finds.last().troubles:
            layout.label(text=translate_text(trouble), icon="ERROR")

    @reports.refuse_errors
    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        armature = present(target_armature.armature(context))
        found, refused = _append_actions(self.action, self.library, context, armature)
        rig = properties.ensure_rig(scene_of(context), armature)
        listed = {line.action for line in rig.sources if not line.armature}
        known = [f"{action.name} is in the list already" for action in found if action in listed]
        lines = [source_list.add(rig, action, use=True) for action in found if action not in listed]
        if not lines:
            self.report({"ERROR"}, "; ".join([*refused, *known]))
            return {"CANCELLED"}
        rig.active = len(rig.sources) - 1
        body_roles.look_up(rig)
        warnings = [*refused, *known, *source_list.note_warnings(context, armature, lines)]
        what = lines[0].action.name if len(lines) == 1 else f"{len(lines)} actions"
        reports.report(self, warnings, f"{what}: listed for {armature.name}")
        return {"FINISHED"}


def _append_actions(
    label: str, library: str, context: bpy.types.Context, armature: bpy.types.Object
) -> tuple[list[bpy.types.Action], list[str]]:
    """Return the requested actions, appended to this file, and the errors of others; raises LoomError for none."""
    from ...services.assets import asset_finds

    selected = [] if label else _list_selected(context)
    if not selected:
        if not label:
            raise LoomError("Choose an action of the asset libraries")
        asset = asset_finds.find_asset(label, "" if library == _ALL else library)
        return [asset_finds.bring(asset.file, asset.name, armature)], []
    found, refused = [], []
    for one in selected:
        try:
            found.append(_of_browser(one, armature))
        except LoomError as error:
            refused.append(str(error))
    if not found:
        raise LoomError("; ".join(refused))
    return list(dict.fromkeys(found)), refused


def _of_browser(asset: Any, armature: bpy.types.Object) -> bpy.types.Action:
    """Return the action of a selected asset: this file's own, or appended from another. Raises LoomError."""
    from ...services.assets import asset_finds

    if asset.local_id is not None:
        return asset_finds.own(asset.local_id.name, armature)
    return asset_finds.bring(asset.full_library_path, asset.name, armature)


def _in_browser(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    if _list_selected(context):
        layout = present(menu.layout)
        layout.separator()
        layout.operator("action_loom.add_asset_sources", text="Add to Sources (Action Loom)", icon="ACTION")


_CLASSES = (ACTION_LOOM_OT_add_asset_sources,)


def register() -> None:
    registrar.add_classes(_CLASSES)
    registrar.append(getattr(bpy.types, _MENU), _in_browser)
