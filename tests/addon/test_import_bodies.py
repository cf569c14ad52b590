"""Files of other bodies become actions of a character, and leave nothing else in the file."""

import bpy
import characters
import material
import numpy as np
import pytest
from characters import CHARACTERS, RUN, WALK, captured, character, file_of, inventory, select, worst_limb

FRAMES = np.array([1, 60, 150, 250])
EXACT = 0.05  # degrees: Blender's poses are single floats
AS_THEY_COME = {"trim": False, "plant_feet": False}  # planting would turn the legs


@pytest.fixture
def rates(loom):
    return loom("addon.bridge.rates")


@pytest.mark.parametrize("name", ["mannequiny", "RobotExpressive", "godot_player", "boxman"])
def test_captured_files_become_actions_of_a_character(loom, rates, name):
    rig = character(name)
    before = inventory()
    assert material.import_motion(file_of(WALK), file_of(RUN), select=False, **AS_THEY_COME) == {"FINISHED"}
    assert inventory() - before == {("Action", WALK), ("Action", RUN)}
    made = bpy.data.actions[WALK]
    assert rates.rate_of(made) == pytest.approx(120.0, rel=1e-4)
    listed = bpy.context.scene.action_loom.rigs[0].sources
    assert [line.action.name for line in listed] == [WALK, RUN]
    source = captured()
    assert worst_limb(loom, (rig, made, FRAMES), (source, source.animation_data.action, FRAMES)) < EXACT


def test_amc_files_with_their_skeleton_beside_do_so_too(loom, rates):
    rig = character("mannequiny")
    before = inventory()
    folder = material.SHARED / "amc"
    assert material.import_motion(folder / "09_01.amc", folder / "09_02.amc", select=False, **AS_THEY_COME) == {
        "FINISHED"
    }
    assert inventory() - before == {("Action", "09_01"), ("Action", "09_02")}
    made = bpy.data.actions["09_01"]
    assert rates.rate_of(made) == 120.0
    material.import_motion(folder / "09_01.amc", onto="NEW", trim=False)
    source = bpy.context.view_layer.objects.active
    assert source != rig
    frames = [1, 50, 100]
    ours, theirs = (rig, made, frames), (source, source.animation_data.action, frames)
    arms = ("upper_arm", "forearm", "hand")  # this run's hands pass near the trunk, and avoid this wider one
    assert worst_limb(loom, ours, theirs, without=arms) < EXACT
    assert worst_limb(loom, ours, theirs) < 20.0


def test_bones_that_inherit_what_they_like_take_them_as_well(loom):
    rig = character("mannequiny")
    rng = np.random.default_rng(3)
    for bone in rig.data.bones:
        bone.use_inherit_rotation = bool(rng.random() < 0.7)
        bone.inherit_scale = str(rng.choice(["FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"]))
        bone.use_local_location = bool(rng.random() < 0.7)
    material.import_motion(file_of(WALK), select=False, **AS_THEY_COME)
    source = captured()
    ours = (rig, bpy.data.actions[WALK], FRAMES)
    assert worst_limb(loom, ours, (source, source.animation_data.action, FRAMES)) < EXACT


def test_feet_stay_where_they_stood_in_the_file(loom):
    """A walk imported onto a body of another size keeps the balls of its feet in place while the file's feet stand."""
    rig = character("mannequiny")
    made = []
    for planted in (True, False):
        assert material.import_motion(file_of(WALK), select=False, plant_feet=planted) == {"FINISHED"}
        action = max(bpy.data.actions, key=lambda one: one.session_uid)
        clips, curves = loom("addon.bridge.clip"), loom("addon.bridge.curves")
        body = loom("addon.bridge.rig").read(rig)
        made.append(clips.read(rig, action, body, 120.0, curves.choose_slot(action, rig)).clip)
    clip = loom("core.formats.motion_file").read(file_of(WALK)).clip
    spans, contacts = loom("core.edit.feet.spans"), loom("core.quality.contacts")
    middles = [span.middle for span in spans.find(clip) if span.part == "ball" and span.end - span.first > 20]
    slides = []
    for one in made:
        balls = contacts.feet(one)
        ways = [balls[span.foot][span.first : span.end, :2] for span in middles]
        slides.append(np.median([np.linalg.norm(way - way.mean(axis=0), axis=1).max() for way in ways]))
    assert len(middles) >= 2
    assert slides[0] < 0.001 < slides[1]


def test_files_of_the_same_bones_at_rest_in_another_pose_are_carried_too(loom, tmp_path):
    """A walk of the same bones whose file rests with raised arms gives limbs that point as in the file."""
    formats, carry, bodies = (loom(f"core.{name}") for name in ("formats.motion_file", "bodies.carry", "motion.quat"))
    rig = material.biped()
    body = loom("addon.bridge.rig").read(rig).skeleton
    held_out = body.orients.copy()
    for side, sign in (("L", 1.0), ("R", -1.0)):
        joint = body.roles[f"upper_arm.{side}"]
        turn = bodies.about_axis("Y", np.radians(sign * 50.0))
        above = body.rest[0][body.parents[joint]]
        held_out[joint] = bodies.mul(bodies.mul(bodies.inv(above), bodies.mul(turn, above)), body.orients[joint])
    other = type(body)(body.names, body.parents, body.offsets, held_out, body.tips, dict(body.roles))
    walk = carry.onto_body(formats.read(file_of(WALK)).clip, other)[0]
    path = tmp_path / "other rest.bvh"
    path.write_bytes(formats.compose(walk, path))
    assert material.import_motion(path, select=False, **AS_THEY_COME) == {"FINISHED"}
    made = bpy.data.actions["other rest"]
    material.import_motion(path, onto="NEW", trim=False)
    source = bpy.context.view_layer.objects.active
    assert source != rig
    assert worst_limb(loom, (rig, made, FRAMES), (source, source.animation_data.action, FRAMES)) < EXACT


def export(rig, action, path):
    """Write an action of an armature, and no other, as Blender's exporters do."""
    material.show(rig, action)
    select(rig)
    if path.suffix == ".fbx":
        bpy.ops.export_scene.fbx(
            filepath=str(path),
            object_types={"ARMATURE"},
            add_leaf_bones=False,
            bake_anim_use_all_actions=False,
            bake_anim_use_nla_strips=False,
            bake_anim_simplify_factor=0.0,
        )
    else:
        bpy.ops.export_scene.gltf(
            filepath=str(path),
            export_format="GLB" if path.suffix == ".glb" else "GLTF_SEPARATE",
            use_selection=True,
            export_animation_mode="ACTIVE_ACTIONS",
            export_optimize_animation_size=False,
        )


def test_six_files_of_mixamo_dropped_onto_a_character_become_its_six_actions(loom, rates, tmp_path):
    source = captured()
    characters.called_as_mixamo(loom, source)
    action, scene = source.animation_data.action, bpy.context.scene
    scene.render.fps, scene.render.fps_base = 30, 1.0
    scene.frame_start = 1
    wanted = {}
    for k in range(6):
        scene.frame_end = 16 + k  # each file has its own length
        ending = (".fbx", ".glb", ".gltf")[k % 3]
        action.use_frame_range, action.frame_start, action.frame_end = True, 1, scene.frame_end
        path = tmp_path / f"Walking {k:02}{ending}"
        export(source, action, path)
        wanted[path] = scene.frame_end
    limbs = characters.directions(loom, source, action, [1, 8, 16])
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    rig = character("mannequiny")
    before = inventory()
    assert material.import_motion(*wanted, select=False, **AS_THEY_COME) == {"FINISHED"}
    assert inventory() - before == {("Action", path.stem) for path in wanted}
    for path in wanted:
        made = bpy.data.actions[path.stem]
        assert rates.rate_of(made) == 30.0
        assert made.frame_range[0] == 1.0
        for role, there in characters.directions(loom, rig, made, [1, 8, 16]).items():
            if role in limbs:
                assert np.degrees(np.linalg.norm(there - limbs[role], axis=1)).max() < 0.2, (path, role)


def test_files_that_can_not_be_carried_are_named_and_the_others_come_in(small, capfd):
    rig = character("mannequiny")
    before = inventory()
    capfd.readouterr()
    fox = CHARACTERS / "Fox.glb"
    assert material.import_motion(file_of(WALK), small, fox, select=False) == {"FINISHED"}
    message = capfd.readouterr().out
    assert inventory() - before == {("Action", WALK)}
    assert f"small can't be carried onto {rig.name}: small has no legs that are known" in message
    assert "choose the bone that plays" in message
    assert f"Run can't be carried onto {rig.name}: Run has 4 legs" in message
    assert "1 of 5 clips were imported; 4 do not fit this body" in message


def test_where_none_can_be_carried_nothing_is_changed(small):
    character("mannequiny")
    before = inventory()
    with pytest.raises(RuntimeError, match=r"small can't be carried onto .*choose the bone that plays"):
        material.import_motion(small)
    assert inventory() == before


def test_a_character_whose_roles_are_missing_is_told_which_bone_to_choose(loom):
    rig = character("mannequiny")
    loom("addon.bridge.rig").set_roles(rig, {"thigh.L": ""})
    with pytest.raises(RuntimeError, match=r"no joint plays thigh\.L: choose the bone that plays thigh\.L in Body R"):
        material.import_motion(file_of(WALK))


def test_an_armature_that_moves_no_mesh_is_no_character_unless_it_is_said_so(walks):
    other = captured(RUN)
    select(other)
    material.import_motion(walks[0])
    assert len(material.armatures()) == 2
    select(other)
    material.import_motion(walks[1], onto="ACTIVE")
    assert len(material.armatures()) == 2
    assert [line.action.name for line in bpy.context.scene.action_loom.rigs[1].sources] == ["sneak"]


def test_a_character_can_be_left_alone():
    character("mannequiny")
    material.import_motion(file_of(WALK), onto="NEW")
    assert len(material.armatures()) == 2
    material.import_motion(file_of(WALK), new_armature=True)  # as scripts have it
    assert len(material.armatures()) == 3


def test_what_has_no_partner_rests_and_goes_along(loom):
    rig = character("mannequiny")
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    above = bones["pelvis"]
    for k in range(3):
        tail = bones.new(f"tail_{k}")
        tail.parent, tail.head = above, above.head if k == 0 else above.tail
        tail.tail = tail.head[0], tail.head[1] + 0.1, tail.head[2]
        above = tail
    twist = bones.new("upperarm_twist.l")
    arm = bones["upperarm.l"]
    twist.parent, twist.head, twist.tail = arm, arm.head, 0.5 * (arm.head + arm.tail)
    bpy.ops.object.mode_set(mode="OBJECT")
    helpers = ["tail_0", "tail_1", "tail_2", "upperarm_twist.l"]
    material.import_motion(file_of(WALK), select=False)
    material.show(rig, bpy.data.actions[WALK])
    for frame in (1, 150):
        bpy.context.scene.frame_set(frame)
        for name in helpers:
            assert np.abs(np.array(rig.pose.bones[name].matrix_basis) - np.eye(4)).max() < 1e-6
    held = [np.array(rig.pose.bones["pelvis"].matrix.inverted() @ rig.pose.bones["tail_0"].matrix)]
    bpy.context.scene.frame_set(1)
    held.append(np.array(rig.pose.bones["pelvis"].matrix.inverted() @ rig.pose.bones["tail_0"].matrix))
    assert np.abs(held[0] - held[1]).max() < 1e-5


def test_an_import_does_not_depend_on_the_pose_of_an_action_that_was_deleted(loom):
    """A bone between shin and foot that only the character's actions turn is at rest in an import."""
    rig = material.biped()
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    shin, foot = bones["shin.L"], bones["foot.L"]
    middle = bones.new("between")
    middle.head, middle.tail, middle.parent = shin.head.lerp(shin.tail, 0.5), shin.tail, shin
    foot.parent = middle
    bpy.ops.object.mode_set(mode="OBJECT")
    loom("addon.services.sources.listing").complete(bpy.context.scene, rig)
    pose = rig.pose.bones["between"]
    pose.rotation_mode = "XYZ"
    actions = []
    for name, turn in (("kept", 0.2), ("deleted", 0.9)):
        rig.animation_data_clear()
        pose.rotation_euler = (turn, 0.0, 0.0)
        pose.keyframe_insert("rotation_euler", frame=1)
        actions.append(rig.animation_data.action)
        actions[-1].name, actions[-1].use_fake_user = name, True
    bpy.data.actions.remove(actions[1])
    assert abs(pose.rotation_euler.x - 0.9) < 1e-6
    assert material.import_motion(file_of(WALK), onto="ACTIVE", select=False, **AS_THEY_COME) == {"FINISHED"}
    source = captured()
    ours, theirs = (rig, bpy.data.actions[WALK], FRAMES), (source, source.animation_data.action, FRAMES)
    assert worst_limb(loom, ours, theirs, without=("upper_arm", "forearm")) < EXACT


def test_limbs_point_as_captured_where_a_bone_is_posed_elsewhere(loom):
    rig = material.biped()
    rig.pose.bones["foot.L"].location = (0.05, 0.1, 0.0)  # keyed by no action
    bpy.context.view_layer.update()
    assert material.import_motion(file_of(WALK), onto="ACTIVE", select=False, **AS_THEY_COME) == {"FINISHED"}
    assert tuple(rig.pose.bones["foot.L"].location) == pytest.approx((0.05, 0.1, 0.0))
    source = captured()
    ours, theirs = (rig, bpy.data.actions[WALK], FRAMES), (source, source.animation_data.action, FRAMES)
    assert worst_limb(loom, ours, theirs, without=("upper_arm", "forearm")) < EXACT
