"""Actions keyed on the controls of four-legged rigs and of a bird move every deform bone correctly."""

import animals
import bpy
import material
import numpy as np
import pytest
from test_control_bodies import of_maker
from test_control_rig import generated

pytestmark = pytest.mark.core_result

NEAR, TURNED = 1.5, 0.5  # mm and degrees: few keys are fitted to 1 mm
WALK = material.SHARED / "cmu" / "cmu_mb_08_01.bvh"


@pytest.fixture(params=["bird", pytest.param("horse", marks=material.needs_shared)])
def walking(request, tmp_path):
    """An animal of Rigify with a walk of its own."""
    if request.param == "horse":
        rig = of_maker("rigify_horse")
    else:
        bpy.ops.wm.open_mainfile(
            filepath=str(generated(tmp_path / "animal.blend", f"armature_{request.param}_metarig_add"))
        )
        rig = bpy.data.objects["Hero"]
        bpy.context.view_layer.objects.active = rig
    bpy.context.scene.render.fps = 24
    return rig, animals.key_walk(rig, animals.ANIMALS[request.param], "Walk")


def test_mirrored_twice_every_bone_is_where_it_was(walking, capfd):
    rig, walk = walking
    before, state = animals.deforming(rig, walk), material.fingerprint(walk)
    for source in ("Walk", "Mirrored"):
        made = material.weave("mirror", source, result_name="Mirrored")
        made.name = "Mirrored" if source == "Walk" else "Again"
    assert material.fingerprint(walk) == state
    replaced = "Walk: keys of 'chest' go onto other controls" in capfd.readouterr().out
    assert replaced == any("chest" in one.data_path for one in material.fcurves(walk))
    walk["action_loom_imported"] = True  # as an import onto controls leaves it: these keys are at rest
    bpy.data.actions.remove(material.weave("mirror", "Walk", result_name="As imported"))
    assert "go onto other controls" not in capfd.readouterr().out
    del walk["action_loom_imported"]
    far, turned = animals.apart(animals.deforming(rig, made), before)
    assert (far < NEAR, turned < TURNED) == (True, True), (far, turned)
    assert np.abs(animals.deforming(rig, bpy.data.actions["Mirrored"]) - before)[..., :3, 3].max() > 0.02


@material.needs_shared
def test_the_robot_of_which_little_is_known_plays_its_own_actions_but_no_captures():
    """Its arms and legs consist of more bones than a person's."""
    rig = of_maker("tps_red_robot")
    walk = bpy.data.actions["Walk-cycle"]
    before = animals.deforming(rig, walk, 20)
    made = material.weave("mirror", material.weave("mirror", "Walk-cycle", result_name="Mirrored").name)
    assert animals.apart(animals.deforming(rig, made, 20), before) < (NEAR, TURNED)
    with pytest.raises(RuntimeError, match=r"4 of 5 parts can't be keyed. Left arm: no bone is known as its forearm.L"):
        material.import_motion(WALK, select=False)


@material.needs_shared
def test_a_bird_walks_as_people_do(tmp_path):
    """A bird without arms takes a captured walk; its mirrored action keys the property that enables its legs' poles."""
    bpy.ops.wm.open_mainfile(filepath=str(generated(tmp_path / "bird.blend", "armature_bird_metarig_add")))
    bpy.context.view_layer.objects.active = bpy.data.objects["Hero"]
    bpy.data.objects["Hero"].select_set(True)
    assert material.import_motion(WALK, onto="ACTIVE", select=False, limbs="IK") == {"FINISHED"}
    mirrored = material.weave("mirror", WALK.stem)
    assert any(curve.data_path.endswith('["pole_vector"]') for curve in material.fcurves(mirrored))
