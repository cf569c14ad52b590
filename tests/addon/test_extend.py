"""Another add-on adds a verb, a metric and a format, and takes them away; the example of tests/data is installed."""

import shutil
from pathlib import Path

import addon_utils
import bpy
import material
import numpy as np
import pytest

EXAMPLE = Path(__file__).resolve().parents[1] / "data" / "loom_markers"
TRC = (
    "PathFileType\t4\t(X/Y/Z)\tm.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n24\t24\t3\t2\tmm\n"
    "Frame#\tTime\thips\t\t\ttoe\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
    "1\t0\t0\t1000\t0\t200\t0\t-100\n2\t0.04\t0\t1100\t-500\t200\t0\t-600\n3\t0.08\t0\t1000\t-1000\t200\t0\t-1000\n"
)


@pytest.fixture
def enabled(resources):
    """The example as an enabled add-on of a user's folder."""
    shutil.copytree(EXAMPLE, resources / "scripts" / "addons" / "loom_markers", dirs_exist_ok=True)
    bpy.utils.refresh_script_paths()
    addon_utils.modules_refresh()
    assert addon_utils.enable("loom_markers", default_set=True, handle_error=let_it_fail) is not None
    yield
    addon_utils.disable("loom_markers", default_set=True, handle_error=let_it_fail)


def let_it_fail(error):
    raise error


def walker():
    rig = material.biped()
    return rig, material.key_walk(rig, "walk", frames=24)


def endings():
    return bpy.types.ACTION_LOOM_FH_motion.bl_file_extensions


def test_an_added_verb_is_an_operator_with_its_options_report_and_recipe(enabled, loom):
    rig, walk = walker()
    with bpy.context.temp_override(action_loom_armature=rig):
        assert bpy.ops.action_loom.hold_end("INVOKE_DEFAULT", seconds=1.0) == {"FINISHED"}
    made = rig.animation_data.action
    assert made.name == "walk held"
    assert made.frame_range[1] - walk.frame_range[1] == 24
    recipe = loom("addon.model.storage").recipe_of(made)
    assert (recipe.verb, recipe.seconds) == ("hold_end", 1.0)


def test_an_added_verb_can_be_used_again_from_its_result(enabled, loom):
    rig, walk = walker()
    with bpy.context.temp_override(action_loom_armature=rig):
        bpy.ops.action_loom.hold_end("INVOKE_DEFAULT", seconds=1.0)
        before = len(bpy.data.actions)
        assert bpy.ops.action_loom.rebuild("INVOKE_DEFAULT") == {"FINISHED"}
    assert len(bpy.data.actions) == before
    assert rig.animation_data.action.frame_range[1] - walk.frame_range[1] == 24


def test_an_added_metric_is_a_choice(enabled, loom):
    matching = bpy.context.scene.action_loom.matching
    assert matching.metric == "auto"
    matching.metric = "heights"
    rig, _ = walker()
    material.key_walk(rig, "run", frames=30, stride=1.8)
    material.list_all()
    with bpy.context.temp_override(action_loom_armature=rig):
        assert bpy.ops.action_loom.blend("INVOKE_DEFAULT") == {"FINISHED"}
    made = rig.animation_data.action
    assert loom("addon.model.storage").recipe_of(made).metric == "heights"


def test_an_added_format_is_imported_and_accepted_when_dropped(enabled, tmp_path):
    path = tmp_path / "m.trc"
    path.write_text(TRC)
    assert ".trc" in endings().split(";")
    assert bpy.ops.action_loom.import_motion(filepath=str(path)) == {"FINISHED"}
    rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    bpy.context.scene.frame_set(2)
    places = {bone.name: np.array(rig.matrix_world @ bone.matrix.translation) for bone in rig.pose.bones}
    np.testing.assert_allclose(places["hips"], (0.0, 0.5, 1.1), atol=1e-5)
    np.testing.assert_allclose(places["toe"], (0.2, 0.6, 0.0), atol=1e-5)


def test_what_an_add_on_has_added_goes_with_it(enabled, loom):
    menus = loom("addon.interface.menus")
    assert "hold_end" in menus._added_to("repair")
    bpy.context.scene.action_loom.matching.metric = "heights"
    addon_utils.disable("loom_markers", default_set=True, handle_error=let_it_fail)
    try:
        assert not hasattr(bpy.types, "ACTION_LOOM_OT_hold_end")
        assert "hold_end" not in menus._added_to("repair")
        assert ".trc" not in endings().split(";")
        assert "heights" not in loom("core.recipes.metrics").METRICS
    finally:
        addon_utils.enable("loom_markers", default_set=True, handle_error=let_it_fail)


def test_the_extension_can_be_enabled_after_it(enabled, extension):
    addon_utils.disable(extension, default_set=True, handle_error=let_it_fail)
    addon_utils.enable(extension, default_set=True, handle_error=let_it_fail)
    assert hasattr(bpy.types, "ACTION_LOOM_OT_hold_end")
    assert ".trc" in endings().split(";")
    assert "hold_end" not in bpy.context.scene.action_loom.bl_rna.properties["edit"].enum_items
