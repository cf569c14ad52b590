"""The demo figure: its menu entry adds it, it plays as core made it, and Undo removes it."""

import bpy
import material
import numpy as np
import pytest

NAMES = ("Walk", "Run", "Sneak", "Turn Left", "Turn Right", "Wave", "Carry")
CYCLIC = ("Walk", "Run")


@pytest.fixture
def figure(once):
    """The demo's armature, away from the origin."""
    return once(_add_demo_at_cursor)


def _add_demo_at_cursor():
    bpy.context.scene.cursor.location = (1.0, -2.0, 0.5)
    assert bpy.ops.action_loom.add_demo() == {"FINISHED"}


@pytest.fixture
def play(figure, play):
    """Assign one of the figure's actions by its name and return it."""

    def assign(name):
        action = bpy.data.actions[name]
        play(figure, action)
        return action

    return assign


def body_of(armature):
    return next(child for child in armature.children if child.type == "MESH")


def test_it_is_an_armature_with_one_mesh_at_the_cursor(figure):
    assert figure.type == "ARMATURE"
    assert [o.type for o in bpy.data.objects] in (["ARMATURE", "MESH"], ["MESH", "ARMATURE"])
    assert tuple(figure.location) == (1.0, -2.0, 0.5)
    body = body_of(figure)
    assert set(bpy.context.selected_objects) == {figure, body}
    assert body.parent == figure
    assert [m.object for m in body.modifiers if m.type == "ARMATURE"] == [figure]
    assert 1000 < len(body.data.vertices) < 4000
    assert {group.name for group in body.vertex_groups} == {bone.name for bone in figure.data.bones}
    assert min(bone.length for bone in figure.data.bones) > 0.05


def test_weights_are_smooth_and_some_vertices_have_more_than_four(figure):
    groups = [[g.weight for g in v.groups] for v in body_of(figure).data.vertices]
    assert min(sum(weights) for weights in groups) > 0.99
    assert min(min(weights) for weights in groups) > 0.0
    assert max(len(weights) for weights in groups) > 4
    assert sum(len(weights) == 1 for weights in groups) < 0.5 * len(groups)


def test_every_vertex_moves_with_its_bones(figure, play):
    play("Run")
    bpy.context.scene.frame_set(6)
    body = body_of(figure)
    posed = body.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    lengths = [
        np.array([(mesh.vertices[a].co - mesh.vertices[b].co).length for a, b in (e.vertices for e in body.data.edges)])
        for mesh in (body.data, posed)
    ]
    assert np.quantile(lengths[1] / lengths[0], 0.99) < 1.8
    assert lengths[1].max() < 0.15


def test_actions_are_kept_have_a_slot_and_walk_is_assigned(figure):
    assert set(bpy.data.actions.keys()) == set(NAMES)
    assert all(action.use_fake_user for action in bpy.data.actions)
    data = figure.animation_data
    assert data.action.name == "Walk"
    if hasattr(data, "action_slot"):
        assert data.action_slot is not None
        assert all(len(action.slots) == 1 for action in bpy.data.actions)


def test_it_is_posed_before_its_step_of_undo_is_kept(figure):
    """The figure is posed before its undo step is stored, so undoing the next step shows its pose."""
    assert np.abs(np.array(figure.pose.bones["thigh.L"].matrix_basis) - np.eye(4)).max() > 0.1


def test_the_scene_stays_as_it_was():
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = 48, 2.0
    scene.frame_set(7)
    bpy.ops.action_loom.add_demo()
    assert (scene.render.fps, scene.render.fps_base, scene.frame_current) == (48, 2.0, 7)
    assert bpy.data.actions["Wave"].frame_range[1] == 1 + round(3.6 * 24)


def test_actions_take_as_long_at_every_rate():
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 60, 1.001
    bpy.ops.action_loom.add_demo()
    assert bpy.data.actions["Wave"].frame_range[1] == 1 + round(3.6 * 60 / 1.001)
    bpy.context.scene.render.fps = 8
    with pytest.raises(RuntimeError, match="12 to 1000 frames a second"):
        bpy.ops.action_loom.add_demo()
    assert len(bpy.data.objects) == 2


def test_all_roles_are_found(figure, loom):
    assert set(loom("addon.bridge.rig").read(figure).skeleton.roles) == set(
        loom("core.demo_character.actions").skeleton().roles
    )


@pytest.mark.parametrize("name", NAMES)
def test_it_plays_as_core_reads_it_and_as_core_made_it(figure, play, loom, name):
    rig, clips, kinematics = loom("addon.bridge.rig"), loom("addon.bridge.clip"), loom("core.motion.kinematics")
    action = play(name)
    body = rig.read(figure)
    source = clips.read(figure, action, body, material.scene_rate())
    clip = source.clip
    _, ours = kinematics.forward(clip.skeleton, clip.rotations, clip.translations)
    cycles = {"cycles": 1} if name in CYCLIC else {}
    made = getattr(loom("core.demo_character.actions"), name.lower().replace(" ", "_"))(material.scene_rate(), **cycles)
    _, hint = kinematics.forward(made.skeleton, made.rotations, made.translations)
    order = [made.skeleton.index(bone) for bone in clip.skeleton.names]
    assert len(made) == len(clip)
    for frame in range(0, len(clip), 3):
        seen = material.pose_positions(figure, clip.skeleton.names, source.first_frame + frame)
        assert np.abs(seen - ours[frame]).max() < 1e-5 * clip.skeleton.height
        assert np.abs(seen - np.array(figure.location) - hint[frame, order]).max() < 1e-5 * clip.skeleton.height


@pytest.mark.parametrize("name", CYCLIC)
def test_cycles_repeat_without_a_seam_and_travel_on(figure, play, name):
    action = play(name)
    first, last = action.frame_range
    frames = round(last - first)
    assert action.use_cyclic
    assert all([m.type for m in curve.modifiers] == ["CYCLES"] for curve in material.fcurves(action))
    travelling = [c for c in material.fcurves(action) if c.modifiers[0].mode_after == "REPEAT_OFFSET"]
    assert [c.data_path for c in travelling] == ['pose.bones["hips"].location']
    bones = [bone.name for bone in figure.pose.bones]
    at = np.array([material.pose_positions(figure, bones, first + k) for k in range(-frames, 5 * frames + 1)])
    travel = at[frames:] - at[:-frames]
    assert np.abs(travel - travel[0, 0]).max() < 2e-5
    assert travel[0, 0, 1] < -1.2
    assert np.abs(travel[0, 0, [0, 2]]).max() < 1e-5
    # Motion that is smooth within a cycle stays smooth across its end.
    jerks = np.abs(np.diff(at, n=3, axis=0)).max(axis=(1, 2))
    ends = np.arange(frames, len(jerks), frames)[:, None] + np.arange(-3, 1)
    inside = jerks[frames + 1 : 2 * frames - 4].max()
    assert jerks[ends].max() < 1.5 * inside


def test_a_second_one_has_its_own_actions_and_leaves_the_first_alone(figure):
    before = {action.name: material.fingerprint(action) for action in bpy.data.actions}
    bones = ["hips", "hand.L", "foot.R"]
    places = material.pose_positions(figure, bones, 9)
    bpy.context.scene.cursor.location = (0.0, 0.0, 0.0)
    bpy.ops.action_loom.add_demo()
    other = bpy.context.object
    assert other != figure
    assert not figure.select_get()
    assert len(bpy.data.actions) == 2 * len(NAMES)
    assert {name: material.fingerprint(bpy.data.actions[name]) for name in before} == before
    assert figure.animation_data.action.name == "Walk"
    assert other.animation_data.action != figure.animation_data.action
    assert body_of(other).modifiers[0].object == other
    assert np.array_equal(material.pose_positions(figure, bones, 9), places)
    moved = material.pose_positions(other, bones, 9) - places
    assert np.abs(moved + np.array(figure.location)).max() < 1e-6


def test_it_can_be_blended_at_once(figure):
    bpy.ops.action_loom.add_sources()
    assert {s.action.name for s in bpy.context.scene.action_loom.rigs[0].sources} == set(NAMES)
    sources = [{"name": "Walk", "weight": 1.0}, {"name": "Sneak", "weight": 1.0}]
    assert bpy.ops.action_loom.blend(sources=sources, result_name="Prowl") == {"FINISHED"}
    assert figure.animation_data.action.name == "Prowl"
    first, last = figure.animation_data.action.frame_range
    start, end = (material.pose_positions(figure, ["hips"], frame)[0] for frame in (first, last))
    assert start[2] < 0.5 + 0.93
    assert end[1] < start[1] - 0.5


def test_it_asks_for_object_mode(figure):
    bpy.ops.object.mode_set(mode="POSE")
    with pytest.raises(RuntimeError, match="Object Mode"):
        bpy.ops.action_loom.add_demo()


def test_it_goes_into_the_active_collection_unless_that_is_hidden():
    chosen = bpy.data.collections.new("Chosen")
    bpy.context.scene.collection.children.link(chosen)
    layer = bpy.context.view_layer.layer_collection.children["Chosen"]
    bpy.context.view_layer.active_layer_collection = layer
    bpy.ops.action_loom.add_demo()
    assert len(chosen.objects) == 2
    assert not bpy.context.scene.collection.objects
    layer.hide_viewport = True
    bpy.context.view_layer.active_layer_collection = layer  # Blender chose another when it was hidden
    with pytest.raises(RuntimeError, match="hidden"):
        bpy.ops.action_loom.add_demo()


def test_the_menu_offers_it_while_the_extension_is_there(extension):
    import addon_utils

    def offered():
        return [f for f in bpy.types.VIEW3D_MT_armature_add._dyn_ui_initialize() if extension in f.__module__]

    assert len(offered()) == 1
    addon_utils.disable(extension, default_set=True)
    assert not offered()
    addon_utils.enable(extension, default_set=True)
    assert len(offered()) == 1


def test_contacts_are_marked_on_request():
    bpy.ops.action_loom.add_demo()
    sources = [{"name": "Walk", "weight": 1.0}, {"name": "Sneak", "weight": 1.0}]
    bpy.ops.action_loom.blend(sources=sources, mark_contacts=True, interpolation="BEZIER")
    action = bpy.context.object.animation_data.action
    names = [marker.name for marker in action.pose_markers]
    assert {"L down 1", "R down 1", "L up 1", "R up 1"} <= set(names)
    first, last = action.frame_range
    assert all(first <= marker.frame <= last for marker in action.pose_markers)
