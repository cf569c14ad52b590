"""Exporting motion files: reading them back, their places, and refusals."""

from types import SimpleNamespace

import bpy
import material
import numpy as np
import pytest
import random_rigs
from material import armatures, import_motion, places


def transformed(rig, how):
    if how == "scaled and turned":
        rig.scale, rig.rotation_euler, rig.location = (0.01,) * 3, (1.5708, 0.0, 0.3), (1.0, 2.0, 3.0)
        bpy.context.view_layer.update()


@pytest.mark.parametrize(("first_seed", "how"), [(0, "plain"), (10, "scaled and turned")])
def test_export_and_import_onto_the_same_armature_give_the_same_poses(bridge, tmp_path, first_seed, how, play):
    for seed in range(first_seed, first_seed + 10):
        rig = random_rigs.rig(seed, bones=12, plain_settings=seed % 3 == 0)
        transformed(rig, how)
        action = random_rigs.key(rig, seed, scales=False)
        action.name = f"seed {seed}"
        bones = [bone.name for bone in rig.pose.bones]
        play(rig, action)
        bpy.context.view_layer.objects.active = rig
        out = tmp_path / f"{seed}.bvh"
        bpy.ops.action_loom.export_motion(filepath=str(out), units="m")
        import_motion(out, units="m", up="y", trim=False)
        assert armatures() == [rig]
        clip, hint = places(bridge, out, unit="m", up="y")
        metres = bridge.rig.read(rig).world_metres
        height = clip.skeleton.height
        first = action.frame_range[0]
        before = [poses(rig, first + k) for k in range(len(clip))]
        play(rig, bpy.data.actions[f"{seed}"])
        for k, (turned, stood) in enumerate(before):
            order = [clip.skeleton.index(name) for name in bones]
            assert np.abs(hint[k, order] - metres * stood).max() < 1e-4 * height, seed
            again, stands = poses(rig, 1 + k)
            assert metres * np.abs(stands - stood).max() < 1e-4 * height, seed
            assert np.abs(again - turned).max() < 1e-4, seed
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def poses(rig, frame):
    """Return the axes (J, 3, 3) and places (J, 3) of all bones in the world, as Blender shows them."""
    bpy.context.scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1.0))
    world = np.array([rig.matrix_world @ bone.matrix for bone in rig.pose.bones])
    axes = world[:, :3, :3]
    return axes / np.linalg.norm(axes, axis=1, keepdims=True), world[:, :3, 3]


def test_an_object_that_moves_comes_back_moving(tmp_path, play):
    rig = material.biped()
    action = material.key_walk(rig, "walk", frames=24, object_travels=True)
    before = [poses(rig, frame) for frame in range(1, 26)]
    bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "out.bvh"))
    import_motion(tmp_path / "out.bvh", trim=False)
    assert armatures() == [rig]
    new = bpy.data.actions["out"]
    assert new != action
    play(rig, new)
    for frame, (turned, stood) in enumerate(before, start=1):
        again, stands = poses(rig, frame)
        assert np.abs(stands - stood).max() < 1e-5
        assert np.abs(again - turned).max() < 1e-5
    assert rig.location.y < -1.0


def test_as_seen_and_as_keyed_are_what_they_say(bridge, tmp_path, capsys):
    rig = material.armature()
    material.key_by_hand(rig, "by hand", seed=3)
    leader = bpy.data.objects.new("Leader", None)
    bpy.context.scene.collection.objects.link(leader)
    leader.rotation_euler = (0.3, 0.8, -0.4)
    copied = rig.pose.bones["bone1"].constraints.new("COPY_ROTATION")
    copied.target = leader
    bones = [bone.name for bone in rig.pose.bones]
    written = {}
    for visual in (True, False):
        out = tmp_path / f"{visual}.bvh"
        bpy.ops.action_loom.export_motion(filepath=str(out), visual=visual, units="m")
        clip, written[visual] = places(bridge, out, unit="m", up="y")
        order = [clip.skeleton.index(name) for name in bones]
        copied.mute = not visual
        for frame in range(0, len(clip), 4):
            seen = material.pose_positions(rig, bones, 1 + frame)
            assert np.abs(seen - written[visual][frame, order]).max() < 1e-5
        copied.mute = False
    assert np.abs(written[True] - written[False]).max() > 0.1
    assert "left out" not in capsys.readouterr().out


def test_what_a_file_has_no_place_for_is_said(tmp_path, capsys):
    rig = material.armature()
    material.key_by_hand(rig, "by hand", seed=4)
    rig["open"] = 0.5
    rig.keyframe_insert('["open"]', frame=1)
    bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "out.bvh"))
    assert "by hand: motion files have no place for 1 of its curves" in capsys.readouterr().out


@pytest.mark.parametrize(("units", "metres", "up"), [("m", 1.0, "y"), ("inch", 0.0254, "z"), ("0.5", 0.5, "y")])
def test_units_and_axis_are_written_as_asked_for(bridge, walks, tmp_path, units, metres, up):
    import_motion(walks[0])
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    out = tmp_path / "out.bvh"
    bpy.ops.action_loom.export_motion(filepath=str(out), units=units, up=up)
    motion = bridge.bvh.read(out)
    hips = motion.values[0, :3] * metres
    _, hint = places(bridge, walks[0])
    x, y, z = hint[0, 0]
    assert np.abs(hips - ((x, z, -y) if up == "y" else (x, y, z))).max() < 1e-5


def test_the_rate_is_the_actions_own_or_the_scenes(bridge, walks, tmp_path):
    import_motion(walks[0])
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "own.bvh"))
    assert bridge.bvh.read(tmp_path / "own.bvh").rate == 60.0
    bridge.rates.set_rate(bpy.data.actions["walk"], 0.0)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 30, 1.001
    bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "scene.bvh"))
    assert bridge.bvh.read(tmp_path / "scene.bvh").rate == pytest.approx(material.scene_rate(), rel=1e-9)


def test_what_was_exported_is_said_until_another_action_plays(loom, walks, tmp_path):
    import_motion(walks[0])
    rig = bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    last = loom("addon.services.results.exported_last")
    assert last.describe_export(rig) == ""
    bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "own.bvh"))
    assert last.describe_export(rig) == f"{tmp_path.name}/own.bvh written and read back"
    rig.animation_data.action = bpy.data.actions["walk"].copy()
    assert (last.describe_export(rig), last.folder(rig)) == ("", str(tmp_path))
    assert last.folder(bpy.data.objects.new("other", None)) == str(tmp_path)  # of the session


def test_a_file_browser_begins_in_the_folder_of_the_last_import(loom, tmp_path):
    last = loom("addon.ground.last_folders")
    operator, given = loom("addon.interface.operators.background").ImportOperator, SimpleNamespace
    browsed = []
    window = given(fileselect_add=browsed.append)
    asked = given(directory="", filepath="", files=())
    for known, begins in ((str(tmp_path / "gone"), ""), (str(tmp_path), str(tmp_path))):
        last.keep(last.IMPORTED, known)
        asked.directory = ""
        operator.ask(asked, given(window_manager=window), "", (".bvh",))
        assert browsed.pop().directory == begins


def shift_joint(content):
    """Move the root by 1 % of the walk's height in the last frame."""
    *before, last = content.rstrip().split(b"\n")
    first, *rest = last.split()
    return b"\n".join([*before, b" ".join([b"%f" % (float(first) + 1.7), *rest]), b""])


def lose_frames(content):
    """Leave the last frame out, and count one less."""
    head, rows = content.rstrip().split(b"MOTION")
    _, frames, time, *poses = rows.split(b"\n")
    count = b"Frames: %d" % (int(frames.split()[1]) - 1)
    return head + b"\n".join([b"MOTION", count, time, *poses[:-1], b""])


@pytest.mark.parametrize(
    "spoil",
    [
        shift_joint,
        lose_frames,
        lambda content: content[: len(content) // 2],
        lambda content: content.replace(b"Frame Time: 0.01", b"Frame Time: 0.02"),
        lambda content: content.rsplit(b"\n", 2)[0] + b"\n" + b"nan " * len(content.rsplit(b"\n", 2)[1].split()),
    ],
    ids=["moved", "shorter", "cut off", "slower", "without numbers"],
)
def test_a_file_that_reads_back_otherwise_is_refused_and_none_is_kept(loom, walks, tmp_path, monkeypatch, spoil):
    import_motion(*walks)
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    exporting, written = loom("addon.services.files.export_motion"), loom("core.files")
    sound, spoiled = written.write, []

    def write(path, content):
        other = spoil(content) if path.name == "sneak.bvh" else content
        spoiled.append(other != content)
        sound(path, other)

    monkeypatch.setattr(exporting.files, "write", write)
    both = [{"name": "walk"}, {"name": "sneak"}]
    with pytest.raises(RuntimeError, match=r"sneak\.bvh: sneak was not read back: nothing was kept"):
        bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "new"), actions=both)
    assert spoiled == [False, True]
    assert not (tmp_path / "new").exists()


def test_names_that_a_disk_cannot_tell_apart_are_refused(bridge, walks, tmp_path):
    import_motion(*walks)
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    walk, sneak = bpy.data.actions["walk"], bpy.data.actions["sneak"]
    for one, other in (("Walk", "walk"), ("caf\u00e9", "cafe\u0301")):
        walk.name, sneak.name = one, other
        actions = [{"name": one}, {"name": other}]
        with pytest.raises(RuntimeError, match="Two actions would be written to"):
            bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "new"), actions=actions)
        assert not (tmp_path / "new").exists()


def test_several_go_into_a_folder_each_under_its_name(bridge, walks, tmp_path):
    import_motion(*walks)
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    bpy.data.actions["sneak"].name = 'so: "quiet"'
    actions = [{"name": "walk"}, {"name": 'so: "quiet"'}]
    folder = tmp_path / "new"
    assert bpy.ops.action_loom.export_motion(filepath=str(folder), actions=actions) == {"FINISHED"}
    assert sorted(path.name for path in folder.iterdir()) == ["so- -quiet-.bvh", "walk.bvh"]
    for path, written in zip(walks, ("walk.bvh", "so- -quiet-.bvh"), strict=True):
        clip, hint = places(bridge, path)
        again, found = places(bridge, folder / written)
        order = [again.skeleton.index(name) for name in clip.skeleton.names]
        assert np.abs(found[:, order] - hint).max() < 1e-5
    other = tmp_path / "other"
    other.mkdir()
    bpy.ops.action_loom.export_motion(filepath=f"{other}/chosen.bvh", actions=actions)
    assert len(list(other.iterdir())) == 2
    bpy.ops.action_loom.export_motion(filepath=f"{other}/", actions=[{"name": "walk"}], overwrite=True)
    assert len(list(other.iterdir())) == 2


def test_nothing_is_overwritten_unasked_and_nothing_written_by_halves(walks, tmp_path):
    import_motion(*walks)
    bpy.context.view_layer.objects.active = bpy.data.objects["walk"]
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "walk.bvh").write_text("precious")
    both = [{"name": "sneak"}, {"name": "walk"}]
    for arguments in ({"filepath": str(folder / "walk.bvh")}, {"filepath": str(folder), "actions": both}):
        with pytest.raises(RuntimeError, match=r"walk\.bvh exists already"):
            bpy.ops.action_loom.export_motion(**arguments)
    assert (folder / "walk.bvh").read_text() == "precious"
    assert [path.name for path in folder.iterdir()] == ["walk.bvh"]
    bpy.ops.action_loom.export_motion(filepath=str(folder), actions=both, overwrite=True)
    assert (folder / "walk.bvh").read_text().startswith("HIERARCHY")
    assert sorted(path.name for path in folder.iterdir()) == ["sneak.bvh", "walk.bvh"]


def test_what_cannot_be_exported_is_said_and_no_file_appears(walks, tmp_path):
    with pytest.raises(RuntimeError, match="Select an armature"):
        bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "out" / "x.bvh"))
    import_motion(walks[0])
    rig = bpy.data.objects["walk"]
    bpy.context.view_layer.objects.active = rig
    for name in ("walk.bvh", "walk2"):
        bpy.data.actions["walk"].copy().name = name
    for name in ("a:b", "a|b"):
        bpy.data.actions.new(name)
    (tmp_path / "walk.bvh.bvh").mkdir()
    before = sorted(tmp_path.rglob("*"))
    for message, arguments in (
        ("Choose a file", {}),
        ("There is no action named 'run'", {"filepath": str(tmp_path), "actions": [{"name": "run"}]}),
        ("there is no folder", {"filepath": str(tmp_path / "no" / "where" / "x.bvh")}),
        ("is a folder: name a file", {"filepath": str(tmp_path), "actions": [{"name": "walk.bvh"}]}),
        ("Two actions", {"filepath": str(tmp_path), "actions": [{"name": "a:b"}, {"name": "a|b"}]}),
        ("units is 'auto'", {"filepath": str(tmp_path / "x.bvh"), "units": "auto"}),
        ("a:b", {"filepath": str(tmp_path), "actions": [{"name": "walk2"}, {"name": "a:b"}]}),
    ):
        with pytest.raises(RuntimeError, match=message):
            bpy.ops.action_loom.export_motion(**arguments)
        assert sorted(tmp_path.rglob("*")) == before
    rig.animation_data.action = None
    with pytest.raises(RuntimeError, match="walk has no action"):
        bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "x.bvh"))
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Leave Edit Mode"):
        bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "x.bvh"))


def test_each_ticked_action_goes_into_a_file_of_its_own_name(tmp_path, loom):
    material.two_actions()
    settings = material.list_sources(bpy.context.object, "one", "two")
    rig = settings.rigs[0]
    as_from_panel = loom("addon.model.target_armature").as_from_panel
    with as_from_panel(bpy.context, bpy.context.object):
        bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "any.bvh"), kind=".bvh", ticked=True)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["one.bvh", "two.bvh"]
    for line in rig.sources:
        line.use = False
    with as_from_panel(bpy.context, bpy.context.object), pytest.raises(RuntimeError, match="tick actions in the list"):
        bpy.ops.action_loom.export_motion(filepath=str(tmp_path / "any.bvh"), kind=".bvh", ticked=True)
