"""*Mirror* of curves other than the pose: bent bones, custom properties, constraints, names of sides."""

import bpy
import material
import numpy as np
import pytest

BENT = ("curveinx", "curveoutx", "curveinz", "curveoutz", "rollin", "rollout", "easein", "easeout")
MIRROR = np.diag([-1.0, 1.0, 1.0])
OTHER = {"forearm.L": "forearm.R", "forearm.R": "forearm.L", "spine": "spine"}
FRAMES = (1, 7, 13)


@pytest.fixture
def rig():
    """A biped with bendy forearms and spine, and a walk."""
    rig = material.biped()
    for name in ("forearm.L", "forearm.R", "spine"):
        rig.data.bones[name].bbone_segments = 6
    material.key_walk(rig, "walk", frames=12)
    return rig


def edited(rig, change):
    bpy.ops.object.mode_set(mode="EDIT")
    change(rig.data.edit_bones)
    bpy.ops.object.mode_set(mode="OBJECT")


def add_bones(rig, parent, places):
    """Add bones by name at places (x, y, z), 0.1 long."""

    def change(bones):
        for name, place in places.items():
            bone = bones.new(name)
            bone.head, bone.tail, bone.parent = place, np.add(place, (0.0, 0.0, 0.1)), bones[parent]
            bone.align_roll((0.0, -1.0, 0.0))

    edited(rig, change)


def bend(rig, name, seed):
    """Key all properties of a bone's bend at random."""
    bone, rng = rig.pose.bones[name], np.random.default_rng(seed)
    for frame in FRAMES:
        for one in BENT:
            setattr(bone, f"bbone_{one}", rng.uniform(-0.2, 0.2))
            bone.keyframe_insert(f"bbone_{one}", frame=frame)
        for one in ("bbone_scalein", "bbone_scaleout"):
            setattr(bone, one, rng.uniform(0.6, 1.6, size=3))
            bone.keyframe_insert(one, frame=frame)


def key(owner, path, values):
    for frame, value in zip(FRAMES, values, strict=True):
        if path.startswith('["'):
            owner[path[2:-2]] = value
        else:
            setattr(owner, path, value)
        owner.keyframe_insert(path, frame=frame)


def mirrored(rig):
    return material.weave("mirror", rig.animation_data.action.name, keep_start=False)


def evaluated(rig, action, frame):
    material.show(rig, action)
    bpy.context.scene.frame_set(frame)
    return rig.evaluated_get(bpy.context.evaluated_depsgraph_get())


def segments(rig, action, name, frame):
    """Return the positions of an evaluated bone's segments (S, 3), and their thickness as matrices (S, 3, 3)."""
    bone = evaluated(rig, action, frame).pose.bones[name]
    every = [np.array(bone.matrix @ bone.bbone_segment_matrix(k)) for k in range(bone.bone.bbone_segments + 1)]
    across = np.diag([1.0, 0.0, 1.0])
    return np.array([one[:3, 3] for one in every]), np.array([one[:3, :3] @ across @ one[:3, :3].T for one in every])


def bent(rig, action):
    """Return `segments` of the bent bones by (name, frame); unkeyed properties keep their current values."""
    return {(name, frame): segments(rig, action, name, frame) for name in OTHER for frame in (1, 4, 7, 13)}


def are_images(seen, before):
    for (name, frame), (places, sizes) in before.items():
        found, found_sizes = seen[OTHER[name], frame]
        np.testing.assert_allclose(found, places @ MIRROR, atol=2e-5, err_msg=f"{name} {frame}")
        np.testing.assert_allclose(found_sizes, MIRROR @ sizes @ MIRROR, atol=2e-4, err_msg=f"{name} {frame}")


@pytest.mark.parametrize("roll", [0.0, 90.0, 180.0])
def test_bent_bones_bend_as_in_the_mirror(rig, roll):
    """Bent bones are mirrored, also with another roll of the bones on one side."""
    edited(rig, lambda bones: setattr(bones["forearm.R"], "roll", bones["forearm.R"].roll + np.radians(roll)))
    bend(rig, "forearm.L", 1)
    bend(rig, "spine", 2)
    before = bent(rig, rig.animation_data.action)
    assert np.abs(np.diff(before["forearm.R", 7][0], n=2, axis=0)).max() < 1e-5  # unkeyed, so straight
    assert np.abs(np.diff(before["forearm.L", 7][0], n=2, axis=0)).max() > 1e-3
    made = mirrored(rig)
    are_images(bent(rig, made), before)


def test_twice_the_bones_bend_as_they_did(rig):
    bend(rig, "forearm.L", 1)
    bend(rig, "forearm.R", 3)
    bend(rig, "spine", 2)
    before = bent(rig, rig.animation_data.action)
    made = mirrored(rig)
    once = bent(rig, made)
    are_images(once, before)
    again = mirrored(rig)
    are_images(bent(rig, again), once)


SIDES = [
    ("smile_L", "smile_R"),
    ("smile.L.001", "smile.R.001"),
    ("LeftSmile", "RightSmile"),
    ("mouthSmileLeft", "mouthSmileRight"),
    ("smileleft", "smileright"),
    ("SMILE_LEFT", "SMILE_RIGHT"),
    ("Mund links", "Mund rechts"),
    ("Sourire.Gauche", "Sourire.Droit"),
    ("bouche gauche", "bouche droite"),
    ("sonrisa izquierda", "sonrisa derecha"),
    ("Улыбка.Левый", "Улыбка.Правый"),
    ("улыбка_левая", "улыбка_правая"),
    ("笑い左", "笑い右"),
    ("左_微笑", "右_微笑"),
    ("sorriso sx", "sorriso dx"),
]


@pytest.mark.parametrize(("left", "right"), SIDES)
def test_properties_named_after_a_side_change_places(rig, left, right):
    rig[right] = 0.25  # unkeyed
    key(rig, f'["{left}"]', (0.0, 1.0, 0.5))
    key(rig.pose.bones["head"], f'["{left}"]', (0.0, 2.0, 1.0))
    key(rig.pose.bones["head"], f'["{right}"]', (3.0, 4.0, 5.0))
    made = mirrored(rig)
    seen = evaluated(rig, made, 7)
    head = seen.pose.bones["head"]
    assert (seen[left], seen[right], head[left], head[right]) == pytest.approx((0.25, 1.0, 4.0, 2.0))


def test_properties_without_another_side_stay(rig):
    key(rig, '["smile_L"]', (0.0, 1.0, 0.5))
    key(rig, '["frown"]', (0.0, 0.3, 0.5))
    made = mirrored(rig)
    seen = evaluated(rig, made, 7)
    assert (seen["smile_L"], seen["frown"]) == pytest.approx((1.0, 0.3))


def test_properties_and_constraints_of_a_side_go_to_the_other(rig):
    for side in "LR":
        hand = rig.pose.bones[f"hand.{side}"]
        hand["grip"] = 0.5
        for name in ("Damp", f"Hold.{side}", "Lone.L"):
            if name != "Lone.L" or side == "L":
                made = hand.constraints.new("COPY_SCALE")
                made.name, made.target, made.subtarget = name, rig, "chest"
    left, right = (rig.pose.bones[f"hand.{side}"] for side in "LR")
    key(left, '["grip"]', (0.0, 1.0, 0.0))
    for name, values in (("Damp", (0.0, 0.1, 0.0)), ("Hold.L", (0.0, 0.2, 0.0)), ("Lone.L", (0.0, 0.3, 0.0))):
        key(left.constraints[name], "influence", values)
    key(right.constraints["Damp"], "influence", (0.0, 0.4, 0.0))
    right.constraints["Hold.R"].influence = 0.6
    made = mirrored(rig)
    seen = evaluated(rig, made, 7)
    left, right = (seen.pose.bones[f"hand.{side}"] for side in "LR")
    assert (left["grip"], right["grip"]) == pytest.approx((0.5, 1.0))
    influences = {one.name: one.influence for one in (*left.constraints, *right.constraints)}
    assert left.constraints["Damp"].influence == pytest.approx(0.4)
    assert right.constraints["Damp"].influence == pytest.approx(0.1)
    assert (influences["Hold.L"], influences["Hold.R"], influences["Lone.L"]) == pytest.approx((0.6, 0.2, 0.3))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Ohr links", "Ohr rechts"),
        ("oreille.gauche", "oreille.droite"),
        ("Oreja_Izquierda", "Oreja_Derecha"),
        ("Ухо.Левое", "Ухо.Правое"),
        ("耳.左", "耳.右"),
        ("öra.ylös", "öra.alas"),  # words outside our lists: by their position
    ],
)
def test_ears_change_places(rig, left, right):
    add_bones(rig, "head", {left: (0.08, 0.0, 1.7), right: (-0.08, 0.0, 1.7), "crest": (0.0, 0.05, 1.8)})
    for name in (left, right, "crest"):
        rig.pose.bones[name].rotation_mode = "XYZ"
    for frame, turn in zip(FRAMES, (0.0, 0.7, 0.3), strict=True):
        for name, share in ((left, 1.0), ("crest", 0.5)):
            rig.pose.bones[name].rotation_euler = (share * turn, 0.2, share * turn)
            rig.pose.bones[name].keyframe_insert("rotation_euler", frame=frame)
    pairs = ((left, right), (right, left), ("crest", "crest"))
    before = evaluated(rig, rig.animation_data.action, 7)
    tails = [MIRROR @ np.array(before.pose.bones[name].tail) for name, _ in pairs]
    made = mirrored(rig)
    seen = evaluated(rig, made, 7)
    for (_, other), tail in zip(pairs, tails, strict=True):
        np.testing.assert_allclose(seen.pose.bones[other].tail, tail, atol=2e-5, err_msg=other)
