"""Fingers, tails, ears and jaws of control rigs: they are detected, and results move their bones as seen."""

import re

import bpy
import fresh_rigs
import material
import numpy as np
import pytest
from hand_rigs import LAYERS, state, with_layers
from test_control_bodies import of_maker

pytestmark = pytest.mark.core_result

FAR, TURNED = 1e-3, 0.02  # tolerance of results with few keys: metres, and the same at a fingertip as a turn
CHAINS = {f"{name}.{side}" for name in ("index1", "ring1", "ear") for side in "LR"} | {"tail1", "jaw"}


@pytest.fixture
def layers(request):
    rig = with_layers(request.param, more=True)
    rig.select_set(True)
    bpy.context.view_layer.update()
    return rig


every_layer = pytest.mark.parametrize("layers", LAYERS, indirect=True, ids=lambda kinds: kinds[0])


@every_layer
def test_chains_are_found_with_a_control_for_each_bone(loom, layers):
    before = state(layers)
    found = loom("addon.bridge.rig_controls").find(layers)
    assert state(layers) == before
    assert {chain.bones[0][1] for chain in found.chains} == {f"D_{name}" for name in CHAINS}
    for chain in found.chains:
        assert dict(chain.fk) == {role: bone.replace("D_", "c ") for role, bone in chain.bones}
        assert set(chain.moving) == set(dict(chain.fk).values())
    lengths = {chain.bones[0][1]: len(chain.bones) for chain in found.chains}
    assert (lengths["D_tail1"], lengths["D_index1.L"], lengths["D_jaw"]) == (3, 2, 1)


def keyed_by_chance(rig, names, seed=0):
    """Key controls at random at four frames, with the location of ears, jaw, first tail and hips; return the action."""
    chance = np.random.default_rng(seed)
    for name in names:
        bone = rig.pose.bones[name]
        bone.rotation_mode = "QUATERNION"
        for frame in (1, 9, 17, 25):
            bone.rotation_quaternion = [1.0, *chance.uniform(-0.2, 0.2, 3)]
            bone.keyframe_insert("rotation_quaternion", frame=frame)
            if name.removeprefix("c ").partition(".")[0] in ("ear", "jaw", "tail1", "hips"):
                bone.location = chance.uniform(-0.03, 0.03, 3)
                bone.keyframe_insert("location", frame=frame)
    return rig.animation_data.action


def deforming(rig, action, frames):
    """Return the evaluated matrices (F, B, 4, 4) of deforming bones, by name."""
    material.show(rig, action)
    out = {bone.name: [] for bone in rig.data.bones if bone.use_deform}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for name, poses in out.items():
            poses.append(np.array(shown.pose.bones[name].matrix))
    return {name: np.array(poses) for name, poses in out.items()}


def in_the_mirror(poses, rest, partner=bpy.utils.flip_name):
    """Return bone matrices in the mirror: each bone turns about its rest like its partner."""
    flip = np.diag([-1.0, 1.0, 1.0, 1.0])
    out = {}
    for name in poses:
        other = partner(name)
        out[name] = flip @ poses[other] @ np.linalg.inv(rest[other]) @ flip @ rest[name]
    return out


def is_near(one, other, scale=1.0):
    far = {name: scale * np.linalg.norm(one[name][:, :3, 3] - other[name][:, :3, 3], axis=1).max() for name in one}
    turned = {name: np.linalg.norm(one[name][:, :3, 1] - other[name][:, :3, 1], axis=1).max() for name in one}
    assert {name: value for name, value in far.items() if value > FAR} == {}
    assert {name: value for name, value in turned.items() if value > TURNED} == {}


@every_layer
def test_a_mirrored_action_shows_the_mirror_image_of_every_bone(layers):
    controls = [bone.name for bone in layers.pose.bones if bone.name.startswith("c ")]
    source = keyed_by_chance(layers, controls)
    rest = {bone.name: np.array(bone.matrix_local) for bone in layers.data.bones if bone.use_deform}
    wanted = in_the_mirror(deforming(layers, source, range(1, 26)), rest)
    for name, of in (("Mirrored", source.name), ("Again", "Mirrored")):
        sources = [{"name": of, "weight": 1.0}]
        assert bpy.ops.action_loom.mirror(sources=sources, result_name=name, keep_start=False) == {"FINISHED"}
    is_near(deforming(layers, bpy.data.actions["Mirrored"], range(1, 26)), wanted)
    is_near(deforming(layers, bpy.data.actions["Again"], range(1, 26)), deforming(layers, source, range(1, 26)))


def test_fingers_of_the_game_biped_are_found(loom):
    found = loom("addon.bridge.rig_controls").find(fresh_rigs.build("game_biped"))
    chains = {chain.bones[0][1]: [control for _, control in chain.fk] for chain in found.chains}
    assert chains == {f"def_index_1_{side}": [f"ctrl_index_{k}_{side}" for k in (1, 2)] for side in "lr"}


@material.needs_shared
def test_fingers_of_the_mixamo_rig_are_mirrored():
    rig = of_maker("mixamo_own")
    fingers = [
        bone.name for bone in rig.pose.bones if re.fullmatch(r"Ctrl_(Thumb|Index|Middle|Ring|Pinky)\d_.*", bone.name)
    ]
    assert len(fingers) == 30
    source = keyed_by_chance(rig, [*fingers, "Ctrl_Spine", "Ctrl_Head"])
    rest = {bone.name: np.array(bone.matrix_local) for bone in rig.data.bones if bone.use_deform}
    partner = {
        name: re.sub("Left|Right", lambda side: {"Left": "Right", "Right": "Left"}[side[0]], name) for name in rest
    }
    wanted = in_the_mirror(deforming(rig, source, range(1, 26)), rest, partner.get)
    sources = [{"name": source.name, "weight": 1.0}]
    assert bpy.ops.action_loom.mirror(sources=sources, result_name="Mirrored", keep_start=False) == {"FINISHED"}
    result = bpy.data.actions["Mirrored"]
    is_near(deforming(rig, result, range(1, 26)), wanted, rig.matrix_world.to_scale()[0])
    keys = {curve.data_path.split('"')[1] for curve in material.fcurves(result) if len(curve.keyframe_points) > 1}
    assert set(fingers) <= keys


def test_keys_of_a_tail_on_a_curve_are_carried_as_they_are_which_is_said(loom):
    rig = fresh_rigs.build("cartoon_cat")
    source = keyed_by_chance(rig, ["頭", "しっぽ中"])
    bodies, reading = loom("addon.bridge.control_body"), loom("addon.bridge.clip_on_controls")
    body = bodies.body_of(rig)
    assert not any("しっぽ" in bone for bone in body.bones)
    read = reading.read(bpy.context.scene, rig, source, body, 24.0)
    assert [note for note in read.notes if "'しっぽ中' are carried as they are" in note]
    assert any("しっぽ中" in channel for channel in read.clip.channels)
