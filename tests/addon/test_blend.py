"""The blend operator as a script calls it, and the panel's list of sources."""

import bpy
import material
import numpy as np
import pytest
from material import needs_shared
from numpy.testing import assert_allclose


@pytest.fixture
def walks():
    """An armature with two captured walks of different people as its actions, named walk and stride."""
    rig, other = material.import_bvh("cmu_mb_07_01"), material.import_bvh("cmu_mb_16_15")
    first, second = rig.animation_data.action, other.animation_data.action
    first.name, second.name = "walk", "stride"
    first.use_fake_user = second.use_fake_user = True
    bpy.data.objects.remove(other)
    bpy.context.view_layer.objects.active = rig
    return rig


SOURCES = [{"name": "walk", "weight": 0.5}, {"name": "stride", "weight": 0.5}]


@needs_shared
def test_two_walks_become_a_new_action_and_stay_as_they_were(walks):
    before = {name: material.fingerprint(bpy.data.actions[name]) for name in ("walk", "stride")}
    frame, rate = bpy.context.scene.frame_current, material.scene_rate()
    assert bpy.ops.action_loom.blend(sources=SOURCES) == {"FINISHED"}
    result = walks.animation_data.action
    assert result.name == "walk + stride 50:50"
    assert result.use_fake_user
    assert bpy.data.actions["walk"].use_fake_user  # the action that the result replaced
    assert {name: material.fingerprint(bpy.data.actions[name]) for name in before} == before
    assert (bpy.context.scene.frame_current, material.scene_rate()) == (frame, rate)
    first, last = result.frame_range
    assert first == 1.0  # the reference begins there
    assert 300 < last - first < 360
    # The action plays: the hips of its armature travel.
    start, end = (material.pose_positions(walks, ["Hips"], f)[0] for f in (first, last))
    assert np.linalg.norm(end - start) * 0.0564 > 2.5


@needs_shared
def test_the_result_is_what_core_makes_of_the_same_clips(walks, loom):
    rig, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    body, rate = rig.read(walks), material.scene_rate()
    sources = [clips.read(walks, bpy.data.actions[n], body, rate) for n in ("walk", "stride")]
    bpy.ops.action_loom.blend(sources=[{"name": "walk", "weight": 1.0}, {"name": "stride", "weight": 3.0}])
    woven = loom("core.verbs").apply(loom("core.verbs").Blend(weights=(1.0, 3.0)), [s.clip for s in sources]).clip
    again = clips.read(walks, walks.animation_data.action, body, rate).clip
    kinematics = loom("core.motion.kinematics")
    difference = np.abs(kinematics.points(again) - kinematics.points(woven)).max()
    assert difference < 1e-5 * body.skeleton.height


@needs_shared
def test_options_of_the_recipe_are_arguments_of_the_operator(walks):
    bpy.ops.action_loom.blend(
        sources=SOURCES, ends="pinned", timing="reference", metric="points", result_name="In time", assign=False
    )
    assert walks.animation_data.action.name == "walk"
    assert tuple(bpy.data.actions["In time"].frame_range) == (1.0, 316.0)  # without one frame of T-pose


@needs_shared
def test_the_list_holds_the_armatures_actions_and_nobody_elses(loom, walks):
    stranger = material.armature(name="Stranger")
    material.key_by_hand(stranger, "stranger", seed=1)
    bpy.context.view_layer.objects.active = walks
    bpy.ops.action_loom.add_sources()
    rig = bpy.context.scene.action_loom.rigs[0]
    assert loom("addon.model.properties").armature_of(rig) == walks
    assert {source.action.name for source in rig.sources if source.use} == {"walk"}  # long captures are not tried
    bpy.ops.action_loom.add_sources()
    assert len(rig.sources) == 2
    bpy.data.actions.remove(bpy.data.actions["stride"])
    bpy.ops.action_loom.add_sources()
    assert [source.action.name for source in rig.sources] == ["walk"]


def test_errors_reach_the_user_as_a_sentence():
    rig = material.armature()
    material.key_by_hand(rig, "one", seed=1)
    with pytest.raises(RuntimeError, match="takes 2 or more clips; 1 given"):
        bpy.ops.action_loom.blend(sources=[{"name": "one", "weight": 1.0}])
    with pytest.raises(RuntimeError, match="There is no action named 'gone'"):
        bpy.ops.action_loom.blend(sources=[{"name": "one", "weight": 1.0}, {"name": "gone", "weight": 1.0}])
    assert set(bpy.data.actions.keys()) == {"one"}


def test_hand_keyed_actions_of_any_mode_blend(loom):
    rig = material.armature(modes=("XYZ", "QUATERNION", "AXIS_ANGLE", "ZXY"))
    material.key_by_hand(rig, "one", seed=1)
    material.key_by_hand(rig, "two", seed=2, frames=(1, 12, 26, 41))
    bpy.ops.action_loom.blend(sources=[{"name": "one", "weight": 1.0}, {"name": "two", "weight": 0.0}], ends="pinned")
    result = rig.animation_data.action
    rigs, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    body = rigs.read(rig)
    one, woven = (clips.read(rig, action, body, 24.0).clip for action in (bpy.data.actions["one"], result))
    points = loom("core.motion.kinematics").points
    assert_allclose(points(woven), points(one), rtol=0.0, atol=1e-5)


def test_every_declared_property_exists_on_what_it_was_declared_on(loom):
    classes = [cls for cls in bpy.types.Operator.__subclasses__() if cls.__name__.startswith("ACTION_LOOM_OT_")]
    assert len(classes) > 25
    for cls in classes:
        declared = {
            name for base in cls.__mro__ for name in vars(base).get("__annotations__", {}) if is_property(base, name)
        }
        existing = set(getattr(bpy.ops.action_loom, cls.bl_idname.partition(".")[2]).get_rna_type().properties.keys())
        assert declared <= existing, declared - existing
    options = set(loom("core.options").declared_options(loom("core.verbs").Blend))
    groups = [loom("addon.model.properties").GROUPS[name] for name in ("matching", "blend")]
    assert options - {"weights"} <= {p.identifier for g in groups for p in g.bl_rna.properties}


def is_property(cls, name):
    """Return whether an annotation of a class declares a property of Blender."""
    return type(vars(cls)["__annotations__"][name]).__name__ == "_PropertyDeferred"


def test_nothing_else_changes():
    rig = material.two_actions()
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    other.select_set(True)
    track = rig.animation_data.nla_tracks.new()
    track.strips.new("strip", 3, bpy.data.actions["one"])
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 25, 3, 77
    scene.frame_set(11, subframe=0.5)
    bpy.ops.object.mode_set(mode="POSE")

    def state():
        return (
            (scene.frame_current, scene.frame_subframe, scene.frame_start, scene.frame_end, scene.render.fps),
            (bpy.context.mode, bpy.context.view_layer.objects.active, {o.name for o in bpy.context.selected_objects}),
            [(t.name, t.mute, [(s.name, s.frame_start) for s in t.strips]) for t in rig.animation_data.nla_tracks],
            [material.fingerprint(bpy.data.actions[name]) for name in ("one", "two")],
        )

    before = state()
    for visual in (False, True):
        bpy.ops.action_loom.blend(sources=material.BOTH, ends="pinned", visual=visual)
        assert state() == before


def test_an_action_shared_by_two_armatures_is_reassigned_on_one():
    rig, other = material.two_actions(), material.armature(name="Other")
    data = other.animation_data_create()
    data.action = bpy.data.actions["two"]
    if hasattr(data, "action_slot"):
        data.action_slot = data.action.slots[0]
    rig.animation_data.action = bpy.data.actions["two"]
    bpy.context.view_layer.objects.active = rig
    bpy.ops.action_loom.blend(sources=material.BOTH, ends="pinned")
    assert rig.animation_data.action.name == "one + two 50:50"
    assert other.animation_data.action.name == "two"


def test_the_result_plays_on_an_armature_whose_name_no_slot_has():
    rig = material.two_actions()
    rig.name = "Renamed"
    bpy.ops.action_loom.blend(sources=material.BOTH, ends="pinned")
    data = rig.animation_data
    if hasattr(data, "action_slot"):
        assert data.action_slot is not None
    poses = [material.pose_positions(rig, ["bone3"], frame) for frame in (1, 15)]
    assert np.abs(poses[1] - poses[0]).max() > 1e-3


@pytest.fixture
def library(tmp_path):
    """A file with an armature and its two actions."""
    material.two_actions()
    path = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


def test_a_linked_action_is_not_taken_for_a_local_one_of_its_name(library):
    rig = material.two_actions()
    with bpy.data.libraries.load(str(library), link=True) as (_, here):
        here.actions = ["one"]
    material.list_sources(rig, "one", "two").rigs[0].sources[0].action = here.actions[0]
    bpy.context.scene.action_loom.matching.ends = "pinned"
    bpy.ops.action_loom.blend()
    sources = rig.animation_data.action["action_loom"]["sources"]
    assert [source["library"] for source in sources] == [here.actions[0].library.filepath, ""]
    # A script may use either name.
    for name, local in (("one", True), ("one [library.blend]", False)):
        weights = [{"name": name, "weight": 1.0}, {"name": "two", "weight": 1.0}]
        bpy.ops.action_loom.blend(sources=weights, ends="pinned")
        source = rig.animation_data.action["action_loom"]["sources"][0]
        assert (source["library"] == "") == local


def test_the_rate_of_a_source_sets_its_speed():
    material.two_actions()
    bpy.context.scene.render.fps = 24
    lengths = {}
    for rate in (0.0, 48.0):
        readings = [{"name": "two", "rate": rate, "slot": "", "first": 0, "last": 0}]
        weights = [{"name": "one", "weight": 0.0}, {"name": "two", "weight": 1.0}]
        options = {"ends": "pinned", "slope": 6, "trim": False, "result_name": f"at {rate}"}
        bpy.ops.action_loom.blend(sources=weights, readings=readings, **options)
        first, last = bpy.data.actions[f"at {rate}"].frame_range
        lengths[rate] = last - first
    assert lengths[0.0] == 48
    assert lengths[48.0] == 24


def reading(slot):
    return [{"name": "one", "rate": 0.0, "slot": slot, "first": 0, "last": 0}]


def test_a_chosen_slot_is_the_one_that_is_read():
    material.two_actions()
    if "slots" not in bpy.types.Action.bl_rna.properties:
        # Blender before 4.4 lacks slots and ignores a slot named by a newer file.
        bpy.ops.action_loom.blend(sources=material.BOTH, readings=reading("OBany"))
        return
    action = bpy.data.actions["one"]
    with pytest.raises(RuntimeError, match="Action 'one' has no slot 'OBnobody'"):
        bpy.ops.action_loom.blend(sources=material.BOTH, readings=reading("OBnobody"))
    identifier = action.slots[0].identifier
    bpy.ops.action_loom.blend(sources=material.BOTH, readings=reading(identifier), ends="pinned")


def test_weights_that_change_on_the_way_are_given_as_text_and_kept_as_rows(loom):
    rig = material.two_actions()
    rigs, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    options = {"weight_keys": "0 1 0; 1 0 1", "ends": "pinned", "trim": False}
    assert bpy.ops.action_loom.blend(sources=material.BOTH, **options) == {"FINISHED"}
    result = rig.animation_data.action
    recipe = loom("addon.model.storage").recipe_of(result)
    assert recipe.weight_keys == ((0.0, 1.0, 0.0), (1.0, 0.0, 1.0))
    body = rigs.read(rig)
    actions = bpy.data.actions["one"], bpy.data.actions["two"], result
    one, two, woven = (clips.read(rig, action, body, 24.0).clip.rotations[:, 1:] for action in actions)
    for ours, theirs, other in ((woven[0], one[0], two[0]), (woven[-1], two[-1], one[-1])):
        assert_allclose(np.abs((ours * theirs).sum(axis=1)), 1.0, rtol=0.0, atol=1e-6)
        assert np.abs((ours * other).sum(axis=1)).min() < 0.99


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("0 1 0; 1 zero 1", "weight_keys is 'zero', but must be a number"),
        ("0 1 -1; 1 0 1", "weight_keys is -1, but must lie between 0 and 1e"),
        ("0 1; 1 0", "weight_keys has 1 values, but takes 2"),
    ],
)
def test_weights_that_can_not_be_read_are_refused_in_a_sentence(text, sentence):
    material.two_actions()
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.action_loom.blend(sources=material.BOTH, weight_keys=text, ends="pinned")
    assert set(bpy.data.actions.keys()) == {"one", "two"}
