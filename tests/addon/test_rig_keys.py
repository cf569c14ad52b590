"""Keys for the controls of rigs: the rig must show the wanted poses, and the report must state their errors."""

import bpy
import fresh_rigs
import material
import numpy as np
import pytest
from hand_rigs import (
    ARM,
    LAYERS,
    LEG,
    drive,
    found_parts,
    state,
    with_foot_roll,
    with_layers,
    with_legs_on_ik,
)
from material import needs_shared
from mathutils import Matrix
from test_control_rig import generated

RIGS = material.SHARED / "rigs"


# --- keys for controls ----------------------------------------------------------------------------------------------

ABOVE = {"chest": "spine", "neck": "chest", "head": "neck", "clavicle": "chest", "upper_arm": "clavicle"}
ABOVE |= {"spine": "hips", "forearm": "upper_arm", "hand": "forearm", "thigh": "hips", "shin": "thigh", "foot": "shin"}
ABOVE |= {"toe": "foot"}


@pytest.fixture
def solve(loom):
    return loom("addon.bridge.rig_controls").solve


@pytest.fixture
def moving(loom):
    """Return `of(rig, found)`: names and matrices (F, B, 4, 4) of bones in a made-up walk with a turning trunk."""
    turned = loom("core.motion.quat")

    def of(rig, found, frames=12):
        roles = {role: bone for part in found.parts if not part.note for role, bone in part.bones}
        bpy.context.view_layer.update()
        pose = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        rest = {role: np.array(pose[bone].matrix, dtype=float) for role, bone in roles.items()}
        height = np.ptp([one[:3, 3] for one in rest.values()], axis=0).max()
        time = np.linspace(0.0, 2.0 * np.pi, frames)
        out = {}
        for k, (role, at_rest) in enumerate(rest.items()):
            angles = np.zeros((frames, 3))
            part, _, side = role.partition("+")[0].partition(".")
            late = time + np.pi * (side == "R")
            if part in LEG:
                bend = {"thigh": -0.35, "shin": 0.6, "foot": -0.2, "toe": 0.0}[part]
                angles[:, 0] = bend + 0.4 * np.sin(late + (part == "shin")) * (1.0 - 0.7 * (part in ("foot", "toe")))
            elif part in ARM:
                angles[:, 2] = {"L": 1.0, "R": -1.0}[side] * (0.2 * np.sin(late) - 0.5 * (part == "forearm"))
            elif "+" not in role:
                angles += 0.1 * np.sin(time[:, None] + k + np.arange(3))
            turn = np.broadcast_to(np.eye(4), (frames, 4, 4)).copy()
            turn[:, :3, :3] = turned.to_matrix(turned.exp(angles))
            about = np.eye(4)
            about[:3, 3] = at_rest[:3, 3]
            own = about @ turn @ np.linalg.inv(about)
            above = carrier(role, out)
            if above is None:
                own[:, :3, 3] += height * np.stack([0.03 * np.sin(time), -0.05 * time, -0.07 + 0.02 * np.cos(time)], 1)
            out[role] = own if above is None else out[above] @ own
        return list(roles.values()), np.stack([out[role] @ rest[role] for role in out], axis=1)

    return of


def carrier(role, known):
    """Return the known role whose bone carries the bone of a role, or None."""
    if "+" in role:
        return list(known)[-1]
    part, _, side = role.partition(".")
    while part in ABOVE:
        part = ABOVE[part]
        last = [one for one in known if one.partition("+")[0] in (part, f"{part}.{side}")]
        if last:
            return last[-1]
    return None


def shown(rig, solved, names):
    """Set the solved transforms on the rig in each frame and return the shown matrices of the bones (F, B, 4, 4)."""
    for path, value in solved.settings.items():
        holder, _, key = path.rpartition("[")
        if path.endswith('"]'):
            group = rig.path_resolve(holder) if holder else rig
            group[key[1:-2]] = type(group[key[1:-2]])(value)
        else:
            holder, _, key = path.rpartition(".")
            setattr(rig.path_resolve(holder), key, value)
    rig.update_tag()
    out = []
    for frame in range(len(next(iter(solved.basis.values())))):
        for control, basis in solved.basis.items():
            rig.pose.bones[control].matrix_basis = Matrix(basis[frame].tolist())
        bpy.context.scene.frame_set(bpy.context.scene.frame_current)
        pose = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        out.append([np.array(pose[name].matrix) for name in names])
    return np.array(out)


def check(rig, found, solve, moving, limbs, *, ends=0.5, middles=2.0, degrees=0.3):
    """Solve a motion, compare the shown poses with the wanted ones and with the report, and return the solution."""
    names, wanted = moving(rig, found)
    before = state(rig)
    solved = solve(rig, found, names, wanted, limbs)
    assert state(rig) == before
    roles = {bone: role for part in found.parts for role, bone in part.bones}
    seen = shown(rig, solved, names)
    for k, name in enumerate(names):
        far = np.linalg.norm(seen[:, k, :3, 3] - wanted[:, k, :3, 3], axis=1)
        far *= 1000.0 * rig.matrix_world.to_scale()[0]
        np.testing.assert_allclose(solved.millimetres[name], far, atol=0.1)
        most = middles if roles[name].split(".")[0] in ("shin", "forearm") else ends
        assert far.max() <= most, (roles[name], far.max())
        assert solved.degrees[name].max() <= degrees, (roles[name], solved.degrees[name].max())
    return solved


@pytest.mark.parametrize("limbs", ["fk", "ik", "both"])
@pytest.mark.parametrize("pole", [True, False])
def test_keys_of_legs_on_ik(find_controls, solve, moving, pole, limbs):
    rig = with_legs_on_ik(pole=pole)
    solved = check(rig, find_controls(rig), solve, moving, limbs)
    on_ik = limbs != "fk"
    assert ("goal.L" in solved.basis) == on_ik
    assert ("knee.L" in solved.basis) == (on_ik and pole)
    assert ("thigh.L" in solved.basis) == (limbs != "ik" or not pole)
    assert solved.settings['pose.bones["root"]["legs L"]'] == float(on_ik)
    assert ("goal.L" in solved.located, "upper_arm.L" in solved.located) == (on_ik, False)


@pytest.mark.parametrize("pole", [True, False])
def test_legs_that_solvers_may_not_twist_and_controls_with_a_locked_axis(find_controls, solve, moving, pole):
    rig = with_legs_on_ik(pole=pole)
    for side in "LR":
        rig.pose.bones[f"shin.{side}"].lock_ik_y = rig.pose.bones[f"shin.{side}"].lock_ik_z = True
        rig.pose.bones[f"goal.{side}"].lock_rotation[1] = True
    found = find_controls(rig)
    assert found.notes == ()
    assert {"goal.L", "goal.R"} <= set(check(rig, found, solve, moving, "ik").basis)


def test_a_leg_whose_pole_is_deleted_is_said_and_gets_no_keys(find_controls, solve, moving):
    rig = with_legs_on_ik()
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["knee.L"])
    bpy.ops.object.mode_set(mode="OBJECT")
    found = find_controls(rig)
    gone = "Left leg: the constraint IK on shin.L follows the bone knee.L, which is gone; keyed as it is"
    assert found.notes == (gone,)
    solved = solve(rig, found, *moving(rig, found), "ik")
    assert (solved.notes, {"goal.L", "goal.R", "thigh.L"} & set(solved.basis)) == ((gone,), {"goal.R"})


def test_switches_on_one_bone_where_1_is_ik_for_one_leg_and_0_for_the_other(find_controls, solve, moving):
    rig = with_legs_on_ik()
    rig.pose.bones["head"]["fk right"] = 0
    for name in ("shin.R", "foot.R"):
        (one,) = rig.pose.bones[name].constraints
        one.driver_remove("influence")
        driver = one.driver_add("influence").driver
        driver.expression = "1 - var"
        variable = driver.variables.new()
        variable.name = "var"
        variable.targets[0].id, variable.targets[0].data_path = rig, 'pose.bones["head"]["fk right"]'
    bpy.context.view_layer.update()
    found, parts = found_parts(find_controls(rig))
    assert [(s.path, s.fk, s.ik) for s in parts["Right leg"].switches] == [('pose.bones["head"]["fk right"]', 1.0, 0.0)]
    assert [(s.fk, s.ik) for s in parts["Left leg"].switches] == [(0.0, 1.0)]
    solved = check(rig, found, solve, moving, "ik")
    assert (solved.settings['pose.bones["head"]["fk right"]'], {"goal.L", "goal.R"} <= set(solved.basis)) == (0.0, True)


@pytest.mark.parametrize("limbs", ["fk", "ik"])
def test_a_mirrored_rig_is_solved_as_well(find_controls, solve, moving, limbs):
    rig = with_legs_on_ik()
    rig.scale = (-1.0, 1.0, 1.0)
    names, wanted = moving(rig, find_controls(rig))
    solved = solve(rig, find_controls(rig), names, wanted, limbs)
    # Copy Rotation in world space turns feet differently on a mirrored object; the report states the error of toes.
    off = {bone for bone, far in solved.millimetres.items() if far.max() > 2.0}
    assert off == (set() if limbs == "fk" else {"toe.L", "toe.R"})


def test_a_pose_and_an_action_of_the_rig_are_no_matter(find_controls, solve, moving):
    rig = with_legs_on_ik()
    rig.pose.bones["goal.L"].location = (0.1, 0.2, 0.3)
    rig.pose.bones["goal.L"].keyframe_insert("location", frame=1)
    rig.pose.bones["chest"].rotation_quaternion = (0.9, 0.3, 0.0, 0.3)
    bpy.context.view_layer.update()
    keyed = material.fingerprint(rig.animation_data.action)
    before = state(rig)
    found, parts = found_parts(find_controls(rig))
    assert state(rig) == before
    assert material.fingerprint(rig.animation_data.action) == keyed
    assert (found.notes, parts["Left leg"].ik, parts["Left leg"].pole) == ((), "goal.L", "knee.L")


def test_a_chest_above_a_bendy_belly_is_brought_to_its_end(find_controls, solve, moving):
    rig = fresh_rigs.build("cartoon_cat")
    found = find_controls(rig)
    solved = check(rig, found, solve, moving, "ik")
    assert (found.parts[0].moving, "胸" in solved.located, "首" in solved.located) == (("胸",), True, False)


def test_keys_of_a_foot_that_rolls(find_controls, solve, moving):
    rig = with_foot_roll()
    solved = check(rig, find_controls(rig), solve, moving, "ik")
    assert {"goal.L", "knee.L", "toe.L"} <= set(solved.basis)
    assert not {"heel.L", "tip.L", "ball.L"} & set(solved.basis)


@pytest.mark.parametrize("kinds", LAYERS)
def test_keys_of_layers(find_controls, solve, moving, kinds):
    rig = with_layers(kinds)
    solved = check(rig, find_controls(rig), solve, moving, "fk")
    assert all(name.startswith("c ") for name in solved.basis)
    assert solved.located == {"c hips"}


def test_a_motion_without_the_bodys_bones_is_refused(find_controls, solve, bridge):
    rig = with_legs_on_ik()
    with pytest.raises(bridge.RigError, match="the motion moves no bone of its body"):
        solve(rig, find_controls(rig), ["tail"], np.eye(4)[None, None], "ik")


def test_limbs_each_in_its_own_way(find_controls, solve, moving):
    rig = with_legs_on_ik()
    limbs = {"Left leg": "fk", "Right leg": "both"}
    solved = check(rig, find_controls(rig), solve, moving, limbs)
    assert {"thigh.L", "thigh.R", "goal.R", "knee.R"} <= set(solved.basis)
    assert not {"goal.L", "knee.L"} & set(solved.basis)
    switched = [solved.settings[f'pose.bones["root"]["legs {side}"]'] for side in "LR"]
    assert switched == [0.0, 1.0]
    names, wanted = moving(rig, find_controls(rig))
    solved = solve(rig, find_controls(rig), names, wanted, {"Left leg": "fk"}, default="ik")
    assert ("thigh.L" in solved.basis, "goal.R" in solved.basis, "thigh.R" in solved.basis) == (True, True, False)


def test_the_root_is_keyed_if_it_is_asked_for(find_controls, solve, moving):
    rig = with_legs_on_ik()
    found = find_controls(rig)
    names, wanted = moving(rig, found)
    assert "root" not in solve(rig, found, names, wanted).basis
    time = np.linspace(0.0, 1.0, len(wanted))
    root = np.array([Matrix.Translation((0, -one, 0)) @ Matrix.Rotation(one, 4, "Z") for one in time])
    root = root @ np.array(rig.data.bones["root"].matrix_local)
    solved = solve(rig, found, [*names, "root"], np.concatenate([wanted, root[:, None]], axis=1))
    seen = shown(rig, solved, ["root", *names])
    np.testing.assert_allclose(seen[:, 0], root, atol=1e-5)
    assert max(far.max() for far in solved.millimetres.values()) <= 0.5
    assert "root" in solved.located


def test_properties_count_while_it_is_solved(find_controls, solve, moving):
    """Given values of properties count: keys are right once the property makes the leg's goal follow the trunk."""
    rig = with_legs_on_ik()
    for side in "LR":
        rig.pose.bones["root"][f"follow {side}"] = 0.0
        one = rig.pose.bones[f"goal.{side}"].constraints.new("CHILD_OF")
        one.target, one.subtarget = rig, "chest"
        one.inverse_matrix = rig.data.bones["chest"].matrix_local.inverted()
        drive(one, "influence", rig, f'pose.bones["root"]["follow {side}"]')
    found = find_controls(rig)
    names, wanted = moving(rig, found)
    path = 'pose.bones["root"]["follow L"]'
    solved = solve(rig, found, names, wanted, properties={path: 1.0})
    assert path not in solved.settings
    assert rig.pose.bones["root"]["follow L"] == 0.0
    rig.pose.bones["root"]["follow L"] = 1.0
    seen = shown(rig, solved, names)
    feet = [names.index(f"foot.{side}") for side in "LR"]
    assert np.abs(seen[:, feet, :3, 3] - wanted[:, feet, :3, 3]).max() <= 5e-4


def test_steps_tell_how_far_they_are_and_leave_nothing_when_they_are_closed(find_controls, loom, moving):
    rig = with_legs_on_ik()
    found = find_controls(rig)
    names, wanted = moving(rig, found, frames=200)
    before, handlers = state(rig), list(bpy.app.handlers.frame_change_pre)
    for taken in range(1, 4):
        solving = loom("addon.bridge.rig_controls").solve_in_steps(rig, found, names, wanted)
        told = [next(solving) for _ in range(taken)]
        assert state(rig) == before  # a step leaves no trace, so undo and saving may come between steps
        solving.close()
        assert state(rig) == before
        assert bpy.app.handlers.frame_change_pre[:] == handlers
    fractions = [fraction for fraction, _ in told]
    assert fractions == sorted(set(fractions))
    assert told[-1][1].startswith("Keying controls, ")
    assert told[-1][1].endswith("of 200")


@needs_shared
@pytest.mark.parametrize("limbs", ["fk", "ik"])
def test_keys_of_mixamo_rig(find_controls_in, solve, moving, limbs):
    found, parts = find_controls_in(RIGS / "mixamo_own.blend")
    solved = check(bpy.data.objects[found.armature], found, solve, moving, limbs)
    assert (parts["Left leg"].ik in solved.basis) == (limbs == "ik")


@pytest.mark.parametrize("limbs", ["fk", "ik"])
def test_keys_of_rigifys_human(find_controls_in, solve, moving, tmp_path, limbs):
    path = generated(tmp_path / "rig.blend", "armature_basic_human_metarig_add")
    found, _ = find_controls_in(path)
    solved = check(bpy.data.objects[found.armature], found, solve, moving, limbs)
    assert ("foot_ik.L" in solved.basis, "thigh_fk.L" in solved.basis) == (limbs == "ik", limbs == "fk")


@needs_shared
def test_a_captured_walk_on_rigifys_ik(loom, find_controls_in, solve, tmp_path):
    path = generated(tmp_path / "rig.blend", "armature_basic_human_metarig_add")
    found, parts = find_controls_in(path)
    rig = bpy.data.objects[found.armature]
    body = loom("addon.bridge.control_rig").body_of(rig)
    clip = loom("core.formats.motion_file").read(material.SHARED / "cmu" / "cmu_mb_02_01.bvh").clip
    clip = loom("core.motion.resample").sample(clip, np.arange(0.0, len(clip) - 1.0, 8))
    clip, _ = loom("core.bodies.carry").onto_body(clip, body.skeleton)
    wanted, _ = loom("addon.bridge.poses").of_bones(clip, body)
    solved = solve(rig, found, body.bones, wanted, "ik")
    for part in ("Left leg", "Right leg", "Left arm", "Right arm"):
        _, middle, end = (bone for _, bone in parts[part].bones[:3])
        assert solved.millimetres[end].max() <= 0.5
        assert np.percentile(solved.millimetres[middle], 95) <= 2.0


@needs_shared
@pytest.mark.parametrize("limbs", ["fk", "ik"])
def test_a_leg_that_is_straighter_than_the_knee_can_be_gets_the_best_keys(loom, solve, find_controls_in, limbs):
    """MMD's knee keeps a bend of 9°, so the T-pose in the capture's first frame gets the nearest pose."""
    find_controls_in(RIGS / "mmd_own.blend")
    rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    body = loom("addon.bridge.control_body").body_of(rig)
    clip = loom("core.formats.motion_file").read(material.SHARED / "cmu" / "cmu_mb_02_01.bvh").clip
    clip = loom("core.bodies.carry").onto_body(clip, body.skeleton)[0]
    clip = loom("core.motion.resample").sample(clip, np.arange(0.0, 40.0))
    wanted, _ = loom("addon.bridge.poses").of_bones(clip, body)
    solved = solve(rig, body.controls.found, body.bones, wanted, limbs)
    # Thigh and shin share the bend, which leaves the foot near.
    assert max(turned[0] for turned in solved.degrees.values()) < 5.0
    assert solved.millimetres["足首D.L"][0] < 3.0
    seen = shown(rig, solved, body.bones)
    far = 1000.0 * np.linalg.norm(seen[:, :, :3, 3] - wanted[:, :, :3, 3], axis=2)
    for k, bone in enumerate(body.bones):
        if bone in solved.millimetres:
            np.testing.assert_allclose(solved.millimetres[bone], far[:, k], atol=0.1)
    # A knee that cannot be straight misses by its remaining bend in the first frame; all other frames are right.
    assert far[0].max() < 70.0
    assert far[1:].max() < 2.0
