"""Planted feet in the view: drawn paths and contacts, and reasons for grey buttons."""

import bpy
import material
import numpy as np
import pytest
from drawing import Drawing, Layout, context_now, draw_all
from planted_feet import planted, tips, why_not

# --- drawing --------------------------------------------------------------------------------------------------------


def test_the_panel_draws_what_there_is(sliding, held_of):
    def operators():
        return [given[0].removeprefix("action_loom.") for name, given, _ in draw_all()["feet"] if name == "operator"]

    assert {"plant", "find_contacts"} == set(operators())
    made = planted(sliding)
    assert "rebuild" in operators()
    assert "plant" not in operators()
    assert {"contacts_to_markers", "contacts_from_markers", "add_contact", "remove_contact"} <= set(operators())
    drawn = []
    lines = Drawing(bpy.types.ACTION_LOOM_UL_contacts, Layout(drawn))
    lines.draw_item(context_now(), lines.layout, held_of(made), held_of(made).rows[0], 0, held_of(made), "active", 0)
    assert [given[1] for name, given, _ in drawn if name == "prop"] == ["first", "last"]
    assert "Left heel" in [options.get("text") for name, _, options in drawn if name == "label"]
    assert {"foot", "part"} <= {given[1] for name, given, _ in draw_all()["feet"] if name == "prop"}
    sliding.animation_data.action = None
    assert "find_contacts" not in operators()


def test_paths_and_contacts_are_seen_where_the_feet_are(sliding, loom, rows_of, held_of):
    overlay, paths = loom("addon.interface.pictures.feet_overlay"), loom("addon.services.preview.foot_paths")
    settings, context = bpy.context.scene.action_loom, bpy.context
    sliding.location, sliding.rotation_euler, sliding.scale = (2.0, -1.0, 0.5), (0.0, 0.0, 0.6), (1.3, 1.3, 1.3)
    bpy.context.view_layer.update()
    assert overlay.lines(context) is None
    made = planted(sliding)
    assert overlay.lines(context) is None
    settings.show_feet = True
    lines = overlay.lines(context)
    ways = [one for one in lines if one.color == paths.PATH]
    assert len(ways) == 2
    there = tips(sliding, "L", range(1, 38))
    assert min(np.abs(one.points[:, :2] - there).max() for one in ways) < 2e-5
    green = [one for one in lines if one.color == paths.STANDS]
    assert len(green) == sum(1 + (one.last > one.first) for one in rows_of(made))
    assert not [one for one in lines if one.color == paths.REFUSED]
    assert overlay.lines(context) is lines  # unchanged contacts give the cached lines
    row = held_of(made).rows[0]
    length = len(green[1].points)
    row.last -= 1
    assert len([one for one in overlay.lines(context) if one.color == paths.STANDS][1].points) == length - 1
    row.why = "it goes 40 cm while it stands"
    assert len([one for one in overlay.lines(context) if one.color == paths.REFUSED]) == 2
    settings.show_feet = False
    assert overlay.lines(context) is None


def test_what_is_seen_follows_the_action_and_goes_when_it_is_undone(sliding, loom):
    overlay, handlers = loom("addon.interface.pictures.feet_overlay"), bpy.app.handlers
    before = [len(one) for one in (handlers.depsgraph_update_post, handlers.undo_post, handlers.redo_post)]
    bpy.context.scene.action_loom.show_feet = True
    first = overlay.lines(bpy.context)
    assert first
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.action_loom.plant("INVOKE_DEFAULT", True)
    assert overlay.lines(bpy.context) is None  # until Blender has the time
    overlay.refresh(bpy.context)
    assert overlay.lines(bpy.context) is not first
    bpy.ops.ed.undo()
    assert overlay.lines(bpy.context) is None
    overlay.refresh(bpy.context)
    assert len(overlay.lines(bpy.context)) == 2
    curve = material.fcurves(bpy.context.object.animation_data.action)[0]
    curve.keyframe_points[1].co.y += 0.4
    curve.update()
    bpy.context.object.animation_data.action.update_tag()
    bpy.context.view_layer.update()
    assert overlay.lines(bpy.context) is None
    overlay.refresh(bpy.context)
    assert overlay.lines(bpy.context)
    bpy.context.scene.action_loom.show_feet = False
    assert [len(one) for one in (handlers.depsgraph_update_post, handlers.undo_post, handlers.redo_post)] == before


def test_another_file_and_the_end_leave_nothing(sliding, loom, extension):
    import addon_utils

    overlay, paths = loom("addon.interface.pictures.feet_overlay"), loom("addon.services.preview.foot_paths")

    def listening():
        names = ("depsgraph_update_post", "undo_post", "redo_post")
        found = [handler for name in names for handler in getattr(bpy.app.handlers, name)]
        return [handler for handler in found if handler.__module__ == paths.__name__]

    bpy.context.scene.action_loom.show_feet = True
    assert len(paths._known) == 1
    assert listening()
    bpy.ops.wm.read_homefile(use_empty=True)
    assert len(paths._known) == 0
    assert not listening()
    addon_utils.disable(extension)
    try:
        assert not hasattr(bpy.types, "ACTION_LOOM_PT_feet")
        assert not bpy.app.timers.is_registered(overlay._look)
        for name in ("depsgraph_update_post", "undo_post", "redo_post", "load_post", "save_pre"):
            modules = [handler.__module__ for handler in getattr(bpy.app.handlers, name)]
            assert not any(module.startswith(f"{extension}.") for module in modules)
    finally:
        addon_utils.enable(extension, default_set=True)


# --- grey buttons ---------------------------------------------------------------------------------------------------


def test_buttons_say_why_they_can_not_be_pressed(sliding):
    assert why_not(sliding, "plant") == ""
    assert why_not(sliding, "find_contacts") == ""
    for role in bpy.context.scene.action_loom.rigs[0].roles:
        if role.name.startswith(("foot", "toe", "shin")):
            role.bone = ""
    assert why_not(sliding, "plant") == "Plant Feet needs feet: name them in Body Roles"
    assert why_not(sliding, "find_contacts") == "Plant Feet needs feet: name them in Body Roles"
    bpy.ops.action_loom.find_roles()
    sliding.animation_data.action = None
    assert why_not(sliding, "find_contacts") == "Biped has no action: play one, or tick actions in the list"
    bpy.context.scene.action_loom.rigs[0].sources[0].use = False
    assert why_not(sliding, "plant") == "The armature has no action: play one, or tick actions in the list"


def test_linked_actions_get_no_markers(sliding, loom, tmp_path):
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {sliding.animation_data.action}, fake_user=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.actions = ["walk"]
    linked = next(action for action in bpy.data.actions if action.library is not None)
    material.show(sliding, linked)
    assert bpy.ops.action_loom.find_contacts() == {"FINISHED"}
    with pytest.raises(RuntimeError, match="make it local first"):
        bpy.ops.action_loom.contacts_to_markers()
    assert not len(linked.pose_markers)


def test_menus_offer_it(extension):
    for menu in ("VIEW3D_MT_object_animation", "VIEW3D_MT_pose", "DOPESHEET_MT_key", "DOPESHEET_MT_marker"):
        entries = [entry for entry in getattr(bpy.types, menu).draw._draw_funcs if extension in entry.__module__]
        assert len(entries) == 1
