"""Importing 3D points: onto new armatures and onto characters, several people, refusals, and undo."""

import json

import bpy
import material
import numpy as np
import pytest
from test_control_rig import generated

ROLES = {
    "hip": "thigh",
    "knee": "shin",
    "ankle": "foot",
    "foot_index": "toe",
    "shoulder": "upper_arm",
    "elbow": "forearm",
    "wrist": "hand",
}
LIMBS = (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand"))
SIDES = {"L": "left", "R": "right"}


@pytest.fixture
def person(loom):
    """Labels and places (F, P, 3) of the demo's walk, and its clip."""
    clip = loom("core.demo_character.actions").walk(cycles=2)
    _, places = loom("core.motion.kinematics").world(clip)
    roles = clip.skeleton.roles
    joints = {f"{SIDES[side]}_{point}": roles[f"{role}.{side}"] for point, role in ROLES.items() for side in "LR"}
    return list(joints), places[:, list(joints.values())], clip


def write(path, labels, *people):
    """Write people's places (F, P, 3) as EasyMocap does, or a single person's as named keypoints; None is unseen."""
    frames = []
    for frame in range(len(people[0])):
        rows = [dict(zip(labels, one[frame].round(5).tolist(), strict=True)) for one in people]
        frames.append(rows[0] if len(people) == 1 else [{"id": k, "keypoints3d": row} for k, row in enumerate(rows)])
    path.write_text(json.dumps({"fps": 30, "frames": frames}))
    return path


def import_points(*paths, **options):
    return bpy.ops.action_loom.import_points(files=[{"name": str(path)} for path in paths], **options)


def directions(rig, bones, frame):
    bpy.context.scene.frame_set(frame)
    turn = rig.matrix_world.to_3x3()
    found = [turn @ (rig.pose.bones[b].head - rig.pose.bones[a].head) for a, b in bones]
    return np.array([np.array(one) / one.length for one in found])


def expected(labels, places, frame):
    names = {role: label for label, role in ROLES.items()}
    pairs = [(f"{SIDES[s]}_{names[a]}", f"{SIDES[s]}_{names[b]}") for a, b in LIMBS for s in "LR"]
    found = np.array([places[frame, labels.index(b)] - places[frame, labels.index(a)] for a, b in pairs])
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def swing(one, other):
    return np.degrees(np.arccos(np.clip(np.sum(one * other, axis=1), -1, 1)))


def test_points_become_an_armature_that_moves_as_they_do(tmp_path, person):
    labels, places, _ = person
    bpy.context.scene.render.fps = 30
    assert import_points(write(tmp_path / "walk.json", labels, places), plant_feet=False) == {"FINISHED"}
    (rig,) = material.armatures()
    assert rig.animation_data.action.name == "walk"
    bones = [(f"{a}.{side}", f"{b}.{side}") for a, b in LIMBS for side in "LR"]
    off = [swing(directions(rig, bones, 1 + frame), expected(labels, places, frame)) for frame in (5, 20, 40)]
    assert np.max(off) < 3.0


def test_several_people_become_several_armatures(tmp_path, person):
    labels, places, _ = person
    path = write(tmp_path / "two.json", labels, places, places + np.array([1.5, 0.0, 0.0]))
    assert import_points(path) == {"FINISHED"}
    assert sorted(rig.name for rig in material.armatures()) == ["two 0", "two 1"]


def test_points_go_onto_a_rigify_character(tmp_path, tmp_path_factory, person, loom):
    path = generated(tmp_path_factory.mktemp("rigify") / "human.blend", "armature_human_metarig_add")
    bpy.ops.wm.open_mainfile(filepath=str(path))
    hero = bpy.data.objects["Hero"]
    bpy.context.view_layer.objects.active = hero
    bpy.context.scene.render.fps = 30
    labels, places, _ = person
    points, before = write(tmp_path / "walk.json", labels, places), material.armatures()
    assert import_points(points) == {"FINISHED"}
    assert material.armatures() == before
    assert hero.animation_data.action.name == "walk"
    roles = loom("addon.bridge.rig").found_roles(hero)
    bones = [(roles[f"{a}.{side}"], roles[f"{b}.{side}"]) for a, b in LIMBS for side in "LR"]
    off = [swing(directions(hero, bones, 1 + frame), expected(labels, places, frame)) for frame in (5, 20, 40)]
    assert np.mean(off) < 5.0


def test_measured_points_lie_beside_the_body_in_colours_of_their_distance(tmp_path, person, loom):
    labels, places, _ = person
    given = places.copy()
    thrown = labels.index("left_wrist")
    given[20, thrown] += [0.0, 0.0, 0.4]
    given[30, thrown] = np.nan
    bpy.context.scene.render.fps = 30
    assert import_points(write(tmp_path / "walk.json", labels, given), plant_feet=False) == {"FINISHED"}
    (rig,) = material.armatures()
    rig.location.x, rig.scale = 3.0, (2.0, 2.0, 2.0)
    measured, colors = loom("addon.services.preview.measured_points"), loom("addon.ground.colors")

    def at(frame):
        bpy.context.scene.frame_set(1 + frame)
        return measured.dots(bpy.context)

    dots = at(10)
    assert len(dots) == len(labels)
    assert {color for _, color in dots} == {colors.GOOD}
    hand = np.array(rig.matrix_world @ rig.pose.bones["hand.L"].head)
    assert min(np.linalg.norm(place - hand) for place, _ in dots) < 0.05
    assert sorted(color for _, color in at(20)) == sorted([colors.GOOD] * (len(labels) - 1))  # outliers get no dot
    assert len(at(30)) == len(labels) - 1
    assert at(500) == []
    rig.animation_data.action = None
    assert at(10) == []


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "this is no JSON text"),
        ("[]", "it has no 3D keypoints"),
        (json.dumps([{"left_hip": [0, 0, 1]}] * 20), "it has no points"),
    ],
)
def test_a_bad_file_is_one_sentence_and_changes_nothing(tmp_path, content, sentence):
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(RuntimeError, match=sentence):
        import_points(path)
    assert material.armatures() == []
    assert not bpy.data.actions
