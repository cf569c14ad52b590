"""Importing AMC files: armature, actions, rate, names, and where their skeleton is looked for."""

import bpy
import material
import numpy as np
import pytest
from material import armatures, import_motion

ASF = """:units
 length 0.45
 angle deg
:root
 order TX TY TZ RX RY RZ
:bonedata
 begin
  name upper
  direction 0 1 0
  length 10
  axis 0 0 90 XYZ
  dof rx ry rz
 end
 begin
  name lower
  direction 0.6 0.8 0
  length 5
  axis 0 0 0 XYZ
  dof rz
 end
:hierarchy
 begin
  root upper
  upper lower
 end
"""
FRAMES = (("1 2 3 0 0 0", "0 0 0", "0"), ("1 2 3 0 0 0", "90 0 0", "90"), ("1 2.5 3 0 90 0", "0 0 90", "0"))
AMC = ":FULLY-SPECIFIED\n:DEGREES\n" + "".join(
    f"{k}\nroot {root}\nupper {upper}\nlower {lower}\n" for k, (root, upper, lower) in enumerate(FRAMES, 1)
)
UNIT = 0.0254 / 0.45


@pytest.fixture
def take(tmp_path):
    (tmp_path / "09.asf").write_text(ASF)
    (tmp_path / "09_01.amc").write_text(AMC)
    return tmp_path / "09_01.amc"


def test_a_take_becomes_an_armature_with_an_action(bridge, take, capsys):
    import_motion(take)
    (rig,) = armatures()
    assert rig.name == "09_01"
    assert [bone.name for bone in rig.data.bones] == ["root", "upper", "lower"]
    action = bpy.data.actions["09_01"]
    assert tuple(action.frame_range) == (1.0, 3.0)
    assert bridge.rates.rate_of(action) == 120.0
    assert "AMC files have no frame rate: 120 was taken" in capsys.readouterr().out
    # Worked out by hand, in the file's unit and axes: the lower joint from the root in each frame.
    found = [material.pose_positions(rig, ["root", "lower"], frame) for frame in (1, 2, 3)]
    expected = UNIT * np.array([[0.0, 0.0, 10.0], [0.0, 0.0, 10.0], [0.0, -10.0, 0.0]])
    assert np.abs([lower - root for root, lower in found] - expected).max() < 1e-5
    assert np.abs(found[2][0] - UNIT * np.array([1.0, -3.0, 2.5])).max() < 1e-5


def test_skeleton_and_rate_are_as_asked_for(bridge, take, tmp_path):
    elsewhere = tmp_path / "bodies"
    elsewhere.mkdir()
    (tmp_path / "09.asf").rename(elsewhere / "someone.asf")
    with pytest.raises(RuntimeError, match=r"there is no \.asf file beside it: put its skeleton there, or name it"):
        import_motion(take)
    assert not armatures()
    import_motion(take, skeleton=str(elsewhere / "someone.asf"), amc_rate=60.0)
    assert bridge.rates.rate_of(bpy.data.actions["09_01"]) == 60.0
    with pytest.raises(RuntimeError, match="this is a skeleton without motion: name the .amc file instead"):
        import_motion(elsewhere / "someone.asf")


def test_takes_of_one_skeleton_share_an_armature(take):
    other = take.with_name("09_02.amc")
    other.write_text(AMC)
    import_motion(take, other)
    assert len(armatures()) == 1
    assert {"09_01", "09_02"} <= set(bpy.data.actions.keys())
    (listed,) = bpy.context.scene.action_loom.rigs
    assert [line.action.name for line in listed.sources] == ["09_01", "09_02"]


@material.needs_shared
def test_captured_takes_are_where_their_conversions_are_and_are_woven(bridge):
    folder = material.SHARED / "amc"
    import_motion(folder / "16_15.amc", folder / "16_41.amc", trim=False)
    (rig,) = armatures()
    clip, _ = bridge.bvh.to_clip(bridge.bvh.read(material.SHARED / "cmu" / "cmu_asf_16_15.bvh"))
    places = bridge.kinematics.world(clip)[1]
    rig.animation_data.action = bpy.data.actions["16_15"]
    for frame in (0, 200, 470):
        seen = material.pose_positions(rig, clip.skeleton.names, 1 + frame)
        assert np.abs(seen - places[frame]).max() < 1e-4 * clip.skeleton.height
    assert bpy.ops.action_loom.blend(result_name="both") == {"FINISHED"}
