"""Bake: a rig's evaluated motion is keyed on its bones, like an exported skeleton, and back on its controls."""

import json

import bpy
import material
import numpy as np
import pytest
from hand_rigs import person
from test_control_rig import human  # noqa: F401  (a fixture)
from test_hand_keyed import by_hand, keys_of, made_by, rigify, seen  # noqa: F401  (a fixture)

FRAMES = range(1, 50, 3)
FAR, TURNED = 0.1, 0.05  # mm and degrees: tolerance for a bone of a bare skeleton
NEAR = 0.5  # mm: the same for a rig with keyed controls


@pytest.fixture(params=["hand rig", "rigify"])
def keyed(request):
    """A control rig with an action of two steps on IK controls."""
    if request.param == "hand rig":
        return by_hand(pole=True)
    return unstretched(*rigify(request.getfixturevalue("human")))


# Solving the many controls of Rigify's human takes seconds, so it is tried where the rig decides.
on_the_hand_rig = pytest.mark.parametrize("keyed", ["hand rig"], indirect=True)


def unstretched(rig, action):
    for one in (each for bone in rig.pose.bones for each in bone.constraints if each.type == "IK"):
        one.use_stretch = False
    return rig, action


def deforming(rig):
    return [bone.name for bone in rig.data.bones if bone.use_deform]


def stands(rig, action):
    """Return the world matrices of the deforming bones (F, B, 4, 4) while an action plays."""
    material.show(rig, action)
    found = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        found.append([rig.matrix_world @ rig.pose.bones[name].matrix for name in deforming(rig)])
    return np.array(found)


def bare(rig):
    """Copy an armature at rest, without constraints and drivers, like an exported skeleton."""
    copy = rig.copy()
    copy.animation_data_clear()
    bpy.context.scene.collection.objects.link(copy)
    for bone in copy.pose.bones:
        bone.matrix_basis.identity()
        for one in list(bone.constraints):
            bone.constraints.remove(one)
    return copy


def apart(one, other):
    """Return the largest difference of matrices: mm, and degrees between their axes."""
    axes = [each[..., :3, :3] / np.linalg.norm(each[..., :3, :3], axis=-2, keepdims=True) for each in (one, other)]
    chords = np.linalg.norm(axes[0] - axes[1], axis=-2).max()
    return 1000.0 * np.linalg.norm(one[..., :3, 3] - other[..., :3, 3], axis=-1).max(), np.degrees(chords)


def bones_of(action):
    return {curve.data_path.split('"')[1] for curve in material.fcurves(action)}


def travel(action, bone):
    """Return the range of a bone's location along each of its axes."""
    path = f'pose.bones["{bone}"].location'
    curves = [curve for curve in material.fcurves(action) if curve.data_path == path]
    return np.array([np.ptp([point.co.y for point in curve.keyframe_points]) for curve in curves])


@pytest.mark.parametrize(
    ("keyed", "bones"), [("hand rig", "deform"), ("hand rig", "all"), ("rigify", "deform")], indirect=["keyed"]
)
def test_a_bare_skeleton_shows_what_the_rig_shows(keyed, bones):
    rig, action = keyed
    shown, before = stands(rig, action), material.fingerprint(action)
    made = made_by("bake", action, bones=bones)
    assert made.name == "Steps baked"
    assert material.fingerprint(action) == before
    assert rig.animation_data.action == action
    far, turned = apart(stands(bare(rig), made), shown)
    assert far < FAR
    assert turned < TURNED
    assert bones_of(made) == set(deforming(rig) if bones == "deform" else rig.data.bones.keys())
    assert {len(curve.keyframe_points) for curve in material.fcurves(made)} == {49}
    assert made.frame_range[:] == action.frame_range[:]


@pytest.mark.parametrize(
    ("keyed", "limbs"),
    [*(("hand rig", limbs) for limbs in ("SOURCE", "FK", "IK", "BOTH")), ("rigify", "BOTH")],
    indirect=["keyed"],
)
def test_it_goes_back_onto_the_controls(keyed, limbs, seen):  # noqa: F811
    rig, action = keyed
    first, skeleton = seen(rig, action)
    baked = made_by("bake", action)
    before = [material.fingerprint(one) for one in (action, baked)]
    made = made_by("bake", baked, onto="controls", limbs=limbs)
    assert rig.animation_data.action == made
    assert [material.fingerprint(one) for one in (action, baked)] == before
    again = seen(rig, made)[0]
    joints = list(skeleton.roles.values())
    assert 1000.0 * np.linalg.norm(again[:, joints] - first[:, joints], axis=2).max() < NEAR
    moving = {one.data_path.split('"')[1] for one in material.fcurves(made) if len(one.keyframe_points) > 1}
    fk, ik = ("thigh_fk.L", "foot_ik.L") if "foot_ik.L" in rig.data.bones else ("thigh.L", "goal.L")
    assert (fk in moving, ik in moving) == (limbs != "IK", limbs in ("IK", "BOTH"))


@on_the_hand_rig
def test_root_motion_is_on_what_is_wished(keyed):
    rig, action = keyed
    shown, hips = stands(rig, action), "DEF-spine" if "DEF-spine" in rig.data.bones else "hips"
    reference, root, on_hips = (made_by("bake", action, travel=way) for way in ("REFERENCE", "ROOT", "HIPS"))
    assert "root" not in bones_of(reference) | bones_of(on_hips)
    assert travel(root, "root").max() > 0.05 > travel(root, hips).max()
    assert travel(on_hips, hips).max() > 0.05
    for made in (root, on_hips):
        assert bones_of(made) - {"root"} == set(deforming(rig))
        far, turned = apart(stands(bare(rig), made), shown)
        assert far < FAR
        assert turned < TURNED


@on_the_hand_rig
def test_a_root_bone_that_moves_is_baked_though_it_does_not_deform(keyed):
    rig, action = keyed
    for frame, place in ((1, 0.0), (49, 1.0)):
        rig.pose.bones["root"].location = (0.0, place, 0.0)
        rig.pose.bones["root"].keyframe_insert("location", frame=frame)
    shown = stands(rig, action)
    made = made_by("bake", action)
    assert travel(made, "root").max() == pytest.approx(1.0, abs=1e-4)
    assert apart(stands(bare(rig), made), shown)[0] < FAR


def test_the_topmost_bone_that_deforms_carries_root_motion():
    rig, action = by_hand(pole=True)
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    carrier = bones.new("carrier")
    carrier.head, carrier.tail, carrier.parent = (0, 0, 0), (0, 0.2, 0), bones["root"]
    bones["hips"].parent = carrier
    bpy.ops.object.mode_set(mode="OBJECT")
    made = made_by("bake", action, travel="ROOT")
    assert travel(made, "carrier").max() > 0.05
    assert "root" not in bones_of(made)


def test_bones_that_the_rig_stretches_are_where_they_were_along_their_lengths(human):  # noqa: F811
    rig, action = rigify(human)  # its IK shortens legs, here by up to 3 %
    made = made_by("bake", action)
    assert any(curve.data_path.endswith("scale") for curve in material.fcurves(made))
    ends = []
    for one, played in ((rig, action), (bare(rig), made)):
        lengths = np.array([rig.data.bones[name].length for name in deforming(rig)])
        found = stands(one, played)
        ends.append((found[..., :3, 3], found[..., :3, 3] + lengths[:, None] * found[..., :3, 1]))
    assert 1000.0 * np.linalg.norm(np.subtract(*ends), axis=-1).max() < FAR


def test_scales_that_the_rig_shows_are_keyed():
    rig, action = by_hand(pole=True)
    rig.pose.bones["head"].scale = (1.0, 1.5, 1.0)
    rig.pose.bones["head"].keyframe_insert("scale", frame=1)
    made = made_by("bake", action)
    scaled = {c.data_path.split('"')[1] for c in material.fcurves(made) if c.data_path.endswith("scale")}
    assert scaled == {"head"}
    assert apart(stands(bare(rig), made), stands(rig, action))[0] < FAR


def plain():
    """A rig without controls, with an action keyed at both ends."""
    rig = person()
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.animation_data_create().action = bpy.data.actions.new("Steps")
    for frame, place in ((1, 0.0), (49, 0.5)):
        rig.pose.bones["hips"].location = (0.0, place, 0.0)
        rig.pose.bones["hips"].keyframe_insert("location", frame=frame)
    return rig, rig.animation_data.action


def test_a_plain_rig_has_the_result_at_once_for_nothing_hides_it():
    rig, action = plain()
    made = made_by("bake", action)
    assert rig.animation_data.action == made
    assert keys_of(made) >= 49 * 4 * len(deforming(rig))


def refusal(action, **options):
    before = set(bpy.data.actions), material.fingerprint(action)
    with pytest.raises(RuntimeError) as refused:
        bpy.ops.action_loom.bake(sources=[{"name": action.name, "weight": 1.0}], **options)
    assert (set(bpy.data.actions), material.fingerprint(action)) == before
    return str(refused.value).strip().removeprefix("Error: ")


def test_what_can_not_be_baked_is_refused_in_a_sentence():
    _, action = plain()
    assert refusal(action, onto="controls") == "Person has no controls that move its bones"
    made = made_by("bake", action)
    says = "Steps baked is baked already: it has a key on every frame of each bone that it moves"
    assert refusal(made) == says


def test_an_action_without_keys_of_bones_has_nothing_for_controls(human):  # noqa: F811
    _, action = rigify(human)
    assert refusal(action, onto="controls") == "Steps keys no bone of Hero that deforms"


@on_the_hand_rig
def test_baked_bones_do_not_replace_what_the_rig_plays(keyed):
    _, action = keyed
    assert refusal(action, replace=True) == "Baked bones do not show on a rig that poses them: switch Replace off"


@on_the_hand_rig
def test_the_menu_of_an_action_offers_both_and_says_why_one_is_grey(keyed, loom):
    rig, action = keyed
    menu, marks = loom("addon.interface.menus"), loom("addon.model.target_armature")
    assert {"bake_to_bones", "bake_to_controls"} <= set(menu.OF_ACTION)
    baked = made_by("bake_to_bones", action)
    made = [baked, made_by("bake_to_controls", baked, result_name="By a script")]
    with marks.as_from_panel(bpy.context, rig, baked):
        assert bpy.ops.action_loom.bake_to_controls.poll()
        assert bpy.ops.action_loom.bake_to_controls("EXEC_DEFAULT") == {"FINISHED"}
    made.append(rig.animation_data.action)
    assert rig.animation_data.action.name == "Steps baked baked"
    assert [json.loads(one["action_loom"]["recipe"])["onto"] for one in made] == ["bones", "controls", "controls"]
    rig, action = plain()
    with marks.as_from_panel(bpy.context, rig, action):
        assert bpy.ops.action_loom.bake_to_bones.poll()
        assert not bpy.ops.action_loom.bake_to_controls.poll()


@on_the_hand_rig
def test_a_job_does_the_same_without_the_interface(keyed, command, tmp_path):
    rig, action = keyed
    jobs, copy = tmp_path / "jobs.toml", tmp_path / "baked.blend"
    text = '[[job]]\nverb = "bake"\nclips = ["Steps"]\n'
    text += '[[job]]\nverb = "bake"\nclips = ["By hand"]\nonto = "controls"\nresult_name = "Back"\n'
    jobs.write_text(text, encoding="utf-8")
    plain = made_by("bake", action, result_name="By hand")
    code, _, err = command("run", jobs, "-o", copy, "--report", tmp_path / "r.json", "--armature", rig.name)
    assert (code, err) == (0, "")
    assert material.fingerprint(bpy.data.actions["Steps baked"]) == material.fingerprint(plain)
    assert bones_of(bpy.data.actions["Back"]) - set(deforming(rig))
    assert copy.is_file()


def test_what_the_action_played_before_has_set_is_no_matter(human):  # noqa: F811
    """FK keys make head and neck follow the torso; results on IK restore the head's property and keep its place."""
    rig, action = unstretched(*rigify(human))
    rig.pose.bones["torso"].rotation_quaternion = (0.97, 0.1, 0.1, 0.2)
    rig.pose.bones["torso"].keyframe_insert("rotation_quaternion", frame=1)
    baked = made_by("bake", action)
    on_fk = made_by("bake", baked, onto="controls", limbs="FK")
    shown = stands(rig, on_fk)
    assert rig.pose.bones["torso"]["head_follow"] == 1.0
    on_ik = made_by("bake", baked, onto="controls", limbs="IK")
    assert rig.animation_data.action == on_ik
    assert rig.pose.bones["torso"]["head_follow"] == 0.0
    head = deforming(rig).index("DEF-spine.006")
    assert apart(stands(rig, on_ik)[:, head], shown[:, head])[0] < NEAR
