"""Up axis, sides, rate, unit and number of bodies of a file, as detected from its motion."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.errors import MotionFileError, SeveralBodiesError
from action_loom.core.formats import bvh, motion_file, plain_text
from action_loom.core.formats.conventions import folder, pace, settling
from action_loom.core.motion import kinematics, quat, roles
from action_loom.core.quality import contacts
from numpy.testing import assert_allclose
from oracles import material

CONVENTION = motion_file.Convention("cm", 0.01, "y", False)


def written(path, clip, convention=CONVENTION):
    path.write_bytes(motion_file.compose(clip, path, None, convention))
    return path


def turned(clip, axis, degrees):
    """Return the clip with its body turned as a whole, on the floor, away from the origin, with the same rest pose."""
    turn = quat.about_axis(axis, np.radians(degrees))
    places = clip.skeleton.offsets[0] + quat.rotate(clip.skeleton.orients[0], clip.translations[:, 0])
    places = quat.rotate(turn, places)
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[:, 0] = quat.mul(turn, clip.rotations[:, 0])
    translations[:, 0] = places - clip.skeleton.offsets[0]
    made = replace(clip, rotations=rotations, translations=translations)
    low = kinematics.world(made)[1][..., 2].min(axis=1)
    return replace(made, translations=translations + np.eye(len(clip.skeleton), 1)[:, :1] * [0.8, 0.7, -np.median(low)])


def found(motion):
    return {one.part: (one.value, one.by) for one in motion.findings}


@pytest.mark.both_engines
@pytest.mark.parametrize("up", ["y", "z", "x", "-y", "-z", "-x"])
def test_any_axis_may_point_up(tmp_path, up):
    walk = actions.walk()
    motion = motion_file.read(written(tmp_path / "walk.bvh", walk, replace(CONVENTION, up=up)))
    assert (motion.convention.up, motion.doubts) == (up, ())
    order = [motion.clip.skeleton.names.index(name) for name in walk.skeleton.names]
    assert_allclose(kinematics.world(motion.clip)[1][:, order], kinematics.world(walk)[1], atol=1e-6)
    assert motion_file.compose(motion.clip, tmp_path / "again.bvh", motion) == (tmp_path / "walk.bvh").read_bytes()


@pytest.mark.both_engines
@pytest.mark.parametrize(("axis", "degrees"), [("X", 90.0), ("X", -90.0), ("Y", 90.0), ("X", 180.0)])
def test_a_body_that_lies_or_stands_on_its_hands_is_not_turned_upright(tmp_path, axis, degrees):
    motion = motion_file.read(written(tmp_path / "still.bvh", turned(actions.wave(), axis, degrees)))
    assert motion.convention.up == "y"
    (doubt,) = motion.doubts
    assert doubt.startswith("still: its body stands along")
    assert doubt.endswith("it may lie (option up)")
    asked = motion_file.read(tmp_path / "still.bvh", up="y")
    assert asked.doubts == ()


def test_the_files_of_a_skeleton_settle_what_one_leaves_open(tmp_path):
    lying = written(tmp_path / "lying.bvh", turned(actions.wave(), "X", 90.0))
    walking = written(tmp_path / "walking.bvh", actions.walk())
    asked = []

    def read_again(number, up):
        asked.append((number, up))
        return motion_file.read(lying, up=up)

    files = [motion_file.read(lying), motion_file.read(walking)]
    settled = folder.settle_together(files, read_again)
    assert [file.convention.up for file in settled] == ["y", "y"]
    assert [file.doubts for file in settled] == [(), ()]
    assert asked == []  # its own axis was right
    doubted = (motion_file.Finding("up", "z", motion_file.MEASURED, "it may lie"),)
    wrong = replace(motion_file.read(lying, up="z"), findings=doubted)
    again = folder.settle_together([wrong, files[1]], read_again)[0]
    assert asked == [(0, "y")]
    assert (again.convention.up, again.doubts) == ("y", ())
    assert_allclose(kinematics.points(again.clip), kinematics.points(files[0].clip))
    # Another skeleton settles nothing.
    other = motion_file.read(written(tmp_path / "other.bvh", material.walk(1.0)))
    assert folder.settle_together([files[0], other], read_again)[0].doubts == files[0].doubts


def test_names_that_exchange_left_and_right_are_corrected_and_reported(tmp_path):
    path = written(tmp_path / "walk.bvh", material.walk(2.0))
    text = path.read_text()
    path.write_text(text.replace("Left", "Middle").replace("Right", "Left").replace("Middle", "Right"))
    motion = motion_file.read(path)
    names = motion.clip.skeleton.names
    assert names[motion.clip.skeleton.roles["thigh.L"]] == "RightUpLeg"
    assert found(motion)["sides"] == ("exchanged", "measured")
    (doubt,) = motion.doubts
    assert "names exchange left and right" in doubt
    named = motion_file.read(path, sides="names")
    assert names[named.clip.skeleton.roles["thigh.L"]] == "LeftUpLeg"
    assert named.doubts == ()
    again = motion_file.read(path, sides="exchanged")
    assert again.clip.skeleton.roles == motion.clip.skeleton.roles


@pytest.mark.shared
@pytest.mark.parametrize(("rate", "doubted"), [(120.0, False), (60.0, False), (24.0, True), (1200.0, True)])
def test_a_rate_at_which_nobody_walks_is_doubted(tmp_path, rate, doubted):
    walk = bvh.read(material.captured_file("cmu_mb_07_01"))
    bvh.write(replace(walk, frame_time=repr(1.0 / rate)), tmp_path / "walk.bvh")
    motion = motion_file.read(tmp_path / "walk.bvh")
    assert motion.clip.rate == pytest.approx(rate)  # the stated rate is kept
    assert [("120 would fit" in doubt) for doubt in motion.doubts] == [True] * doubted
    assert motion_file.read(tmp_path / "walk.bvh", rate=120.0).doubts == ()


@pytest.mark.parametrize("stated", ["60", "23.976", "120.0"])
def test_a_frame_time_that_is_a_rate_is_read_as_one(tmp_path, stated):
    motion = bvh.from_clip(actions.walk())
    bvh.write(replace(motion, frame_time=stated), tmp_path / "walk.bvh")
    read = motion_file.read(tmp_path / "walk.bvh")
    assert read.clip.rate == pytest.approx(float(stated), rel=2e-3)
    assert f"its frame time is {stated} s" in read.doubts[0]


def test_one_of_several_bodies_is_asked_for_by_its_root(tmp_path):
    body = motion_file.compose(material.walk(0.5), tmp_path / "walk.bvh").decode()
    head, rows = body.split("MOTION\n")
    roots, numbers = head.removeprefix("HIERARCHY\n"), rows.splitlines()
    two = [f"{row} {row}" for row in numbers[2:]]
    text = "\n".join(["HIERARCHY", roots + roots.replace("Hips", "Other"), "MOTION", *numbers[:2], *two, ""])
    (tmp_path / "two.bvh").write_text(text)
    with pytest.raises(SeveralBodiesError, match=r"name one of its bodies, 'Hips', 'Other' \(option body\)") as refused:
        motion_file.read(tmp_path / "two.bvh")
    assert refused.value.bodies == ("Hips", "Other")
    for name in refused.value.bodies:
        motion = motion_file.read(tmp_path / "two.bvh", body=name)
        assert motion.clip.skeleton.names[0] == name
        assert len(motion.clip.skeleton) == len(material.figure())
        assert motion_file.read(written(tmp_path / "one.bvh", motion.clip)).clip.skeleton.roles["hips"] == 0
    with pytest.raises(SeveralBodiesError):
        motion_file.read(tmp_path / "two.bvh", body="Nobody")


def test_frames_may_be_one_less_than_the_rows(tmp_path):
    path = written(tmp_path / "walk.bvh", actions.walk())
    path.write_text(path.read_text().replace("Frames: 97", "Frames: 96"))
    motion = motion_file.read(path)
    assert len(motion.clip) == 97
    assert motion.doubts == ("walk: its Frames: line says 96, but 97 rows follow: all of them were read",)


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_chinese_names_are_decoded_and_play_all_roles(encoding):
    words = {
        "Hips": "臀部",
        "UpLeg": "大腿",
        "ToeBase": "脚趾",
        "Foot": "脚",
        "ForeArm": "前臂",
        "Shoulder": "肩",
        "Leg": "小腿",
    }
    words |= {"Arm": "上臂", "Hand": "手", "Spine1": "脊柱1", "Spine": "脊柱", "Neck": "颈部", "Head": "头部"}
    figure = material.figure()
    names = []
    for name in figure.names:
        side = "左" if name.startswith("Left") else "右" if name.startswith("Right") else ""
        names.append(side + words[name.removeprefix("Left").removeprefix("Right")])
    assert [plain_text.decode_text(name.encode(encoding)) for name in ["\n".join(names)]] == ["\n".join(names)]
    assert roles.find(names, figure.parents) == figure.roles
    assert len(figure.roles) == 21


@pytest.mark.parametrize("ending", [".fbx", ".glb", ".gltf"])
def test_files_that_blender_reads_are_refused_with_the_command(ending):
    with pytest.raises(MotionFileError, match="Blender reads .* --command action_loom"):
        motion_file.read(f"walk{ending}")


def test_a_clip_of_another_program_is_doubted_where_it_lies():
    assert settling.find_doubts(actions.walk()) == ()
    (doubt,) = settling.find_doubts(turned(actions.wave(), "X", 90.0))
    assert "its body stands along" in doubt


def test_a_foot_that_is_dragged_far_and_fast_does_not_stand():
    """A toe at 0.5 body heights a second over 0.15 of them, 2 cm over the floor, between two stances."""
    frames, rate, body = 60, 60.0, 1.76
    path = np.zeros((frames, 3))
    path[20:38, 0] = np.arange(18) * 0.5 * body / rate
    path[38:, 0] = path[37, 0]
    path[20:38, 2] = 0.02
    standing = contacts._standing(path, np.ones(frames), rate, body, contacts.RUNNING_SPEED)
    assert standing[:15].all()
    still = replace_drag(path)
    assert contacts._standing(still, np.ones(frames), rate, body, contacts.RUNNING_SPEED).all()


def replace_drag(path):
    """The same foot where it stays instead."""
    still = path.copy()
    still[:, 0] = 0.0
    return still


def test_a_jump_shows_the_rate_at_which_it_was_recorded():
    """A free fall recorded at 120 frames a second, in a file of 30: four times too slow."""
    stand = actions.walk(120.0, 1).take_frames(np.zeros(140, dtype=np.int64))
    seconds = np.clip(np.arange(140) / 120.0 - 0.4, 0.0, 0.4)
    raised = stand.translations.copy()
    raised[:, 0, 2] += 0.5 * pace.GRAVITY * seconds * (0.4 - seconds)
    jump = replace(stand, rate=30.0, translations=raised)
    found = pace.find_wrong_pace(jump, jump.skeleton.roles, np.array([0.0, 0.0, 1.0]), 1.0)
    assert found.slowness == pytest.approx(4.0, rel=0.01)
    assert found.fitting_rate == 120.0
    assert pace.find_wrong_pace(replace(jump, rate=120.0), jump.skeleton.roles, np.array([0.0, 0.0, 1.0]), 1.0) is None
