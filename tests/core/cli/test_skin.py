"""action-loom skin: known answers, another way to the same numbers, whole files after a stop, and refusals."""

import os
import signal
import sys
import time

import numpy as np
import pytest
from action_loom.core.cli import skin_files
from action_loom.core.formats import bvh
from oracles import console, meshes, processes

# An arm along x, and a hand at its end. At rest, the arm turned up, the hand turned up and all moved.
ARM = """HIERARCHY
ROOT Arm
{
  OFFSET 0 5 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Hand
  {
    OFFSET 10 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 4 0 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.04
0 5 0 0 0 0 0 0 0
0 5 0 90 0 0 0 0 0
1 5 2 0 0 0 90 0 0
"""
MESH = "v 2 5 0\nv 12 5 0\nv 10 6 0\nvt 0 0\nvn 0 0 2\nvn 1 0 0\nusemtl skin\nf 1/1/1 2/1/1 3/1/2\n"
WEIGHTS = "1 Arm 1\n2 1 1\n3 Arm 0.5\n3 Hand 0.5\n"
POSES = [
    [(2, 5, 0), (12, 5, 0), (10, 6, 0)],
    [(0, 7, 0), (0, 17, 0), (-1, 15, 0)],
    [(3, 5, 2), (11, 7, 2), (10.5, 5.5, 2)],
]


@pytest.fixture
def arm(tmp_path):
    """Return a clip, a mesh and weights in files, and a function that replaces the text of one file."""

    class Files(list):
        def change(self, which, text):
            self[which].write_text(text)

    found = Files(tmp_path / name for name in ("swing.bvh", "arm.obj", "weights.txt"))
    for which, text in enumerate((ARM, MESH, WEIGHTS)):
        found.change(which, text)
    return found


@pytest.fixture
def arrays(run, out):
    """Run the command and return the arrays of its .npz file."""

    def made(*arguments):
        code, _, err = run("skin", *arguments, "-o", out / "made.npz", "--force")
        assert (code, err) == (0, "")
        with np.load(out / "made.npz", allow_pickle=False) as found:
            return dict(found)

    return made


# --- where vertices are -------------------------------------------------------------------------------------------


def test_vertices_are_where_the_formula_says(arrays, arm):
    made = arrays(*arm)
    assert np.allclose(made["vertices"], POSES, atol=1e-5)
    assert made["vertices"].dtype == made["normals"].dtype == np.float32
    assert np.allclose(made["normals"][:, 0], [(0, 0, 1)] * 3, atol=1e-6)
    assert (made["corners"].tolist(), made["faces"].tolist()) == ([0, 1, 2], [0, 3])
    assert (made["joints"].tolist(), made["frames"].tolist(), float(made["rate"])) == (["Arm", "Hand"], [0, 1, 2], 25.0)


def test_obj_files_are_the_mesh_with_other_places_and_normals(run, arm, out):
    code, printed, err = run("skin", *arm, "-o", f"{out}/new/")
    assert (code, err) == (0, "")
    assert printed.startswith("arm_swing: 3 frames of 3 vertices at 25 a second\n  linear, at most 2 joints a vertex\n")
    assert sorted(os.listdir(out / "new")) == [f"arm_swing_000{k}.obj" for k in range(3)]
    for k, pose in enumerate(POSES):
        assert np.allclose(meshes.vertices_of(out / "new" / f"arm_swing_000{k}.obj"), pose, atol=1e-5)
    turned = (out / "new" / "arm_swing_0001.obj").read_text().splitlines()
    assert [turned[3], turned[4], turned[8]] == ["vt 0 0", "usemtl skin", "f 1/1/1 2/1/2 3/1/3"]
    normals = [line.removeprefix("vn ").split() for line in turned[5:8]]
    assert np.allclose(np.array(normals, float), [(0, 0, 1), (0, 0, 1), (0, 1, 0)], atol=1e-6)


def test_the_bind_pose_gives_the_mesh_again(run, arm, out):
    assert run("skin", *arm, "--frames", 0, "-o", out / "same.obj", "--quiet") == (0, "", "")
    lines = (out / "same.obj").read_text().splitlines()
    assert [line for line in lines if line[:2] == "v "] == MESH.splitlines()[:3]


def random_arm(seed):
    rng = np.random.default_rng(seed)
    head, _ = ARM.split("Frames: 3")
    rows = rng.uniform(-170.0, 170.0, size=(6, 9))
    return f"{head}Frames: 6\nFrame Time: 0.04\n" + "\n".join(" ".join(f"{x:.6f}" for x in row) for row in rows) + "\n"


@pytest.mark.parametrize("flags", [[], ["--bind-frame", "3"]])
def test_another_way_gives_the_same(arrays, arm, flags):
    arm.change(0, random_arm(1))
    rng, motion = np.random.default_rng(2), bvh.read(arm[0])
    places, shares = rng.normal(scale=8.0, size=(40, 3)), rng.uniform(0.1, 1.0, size=(40, 2))
    arm.change(1, meshes.obj_text(places, [(0, 1, 2)]))
    arm.change(2, meshes.weights_text(shares, motion.names))
    bind = meshes.joint_matrices(motion, int(flags[1]) if flags else None)
    shares /= shares.sum(axis=1, keepdims=True)
    made = arrays(*arm, *flags)["vertices"]
    for frame in range(6):
        expected = meshes.skinned(places, shares, bind, meshes.joint_matrices(motion, frame))
        assert np.abs(made[frame] - expected).max() < 2e-4  # of some hundred units, in single precision


# --- poses, units and normals -------------------------------------------------------------------------------------


def test_frames_can_be_chosen(arrays, arm):
    made = arrays(*arm, "--frames", "0:2:2")
    assert (made["frames"].tolist(), float(made["rate"])) == ([0, 2], 12.5)
    assert np.allclose(made["vertices"], [POSES[0], POSES[2]], atol=1e-5)
    assert np.allclose(arrays(*arm, "--frames", "1:2")["vertices"], POSES[1:], atol=1e-5)
    assert np.allclose(arrays(*arm, "--frames", "1")["vertices"], POSES[1:2], atol=1e-5)


def test_a_part_of_a_clip_moves_the_mesh(arrays, arm):
    part = arrays(f"{arm[0]}[1:2]", *arm[1:])
    np.testing.assert_allclose(part["vertices"], POSES[1:], atol=1e-5)
    assert part["frames"].tolist() == [0, 1]
    again = arrays(f"{arm[0]}[0.04s:]", *arm[1:], "--bind", f"{arm[0]}[1:]", "--bind-frame", 0)
    np.testing.assert_allclose(again["vertices"][0], POSES[0], atol=1e-5)  # as made: bound in that very pose


def test_the_bind_pose_may_be_a_frame_of_the_clip_or_of_another(arrays, arm, tmp_path):
    arm.change(1, "".join(f"v {x} {y} {z}\n" for x, y, z in POSES[1]))
    assert np.allclose(arrays(*arm, "--bind-frame", "1")["vertices"], POSES, atol=1e-5)
    # The same joints in another order, with one more; joint numbers refer to the bind pose.
    other = tmp_path / "bind.bvh"
    end = "End Site\n    {\n      OFFSET 4 0 0\n    }\n"
    other.write_text(ARM.replace("ROOT Arm", "ROOT Below\n{\nOFFSET 0 0 0\nJOINT Arm").replace("MOTION", "}\nMOTION"))
    assert end in ARM
    arm.change(2, WEIGHTS.replace("2 1 1", "2 2 1"))
    made = arrays(*arm, "--bind", other, "--bind-frame", "1")
    assert np.allclose(made["vertices"], POSES, atol=1e-5)


def test_the_mesh_keeps_its_unit(run, arrays, arm, out):
    arm.change(1, MESH.replace("v 2 5 0\nv 12 5 0\nv 10 6 0", "v .02 .05 0\nv .12 .05 0\nv .10 .06 0"))
    assert np.allclose(arrays(*arm, "--scale", "100")["vertices"], np.array(POSES) / 100.0, atol=1e-7)
    code, printed, _ = run("skin", *arm, "-o", out / "wrong.npz")
    assert code == 0
    assert (
        "note: most joints lie far outside the mesh: give the pose in which it was made (--bind, --bind-fr" in printed
    )


def test_axes_are_those_of_the_files(arrays, arm):
    """A body that stands along z, which is read as Z up elsewhere, is not turned."""
    upright = ARM.replace("OFFSET 0 5 0", "OFFSET 0 0 5").replace("OFFSET 10 0 0", "OFFSET 0 0 10")
    arm.change(0, upright.replace("OFFSET 4 0 0", "OFFSET 0 0 4").replace("\n0 5 0 ", "\n0 0 5 "))
    arm.change(1, "v 0 1 7\n")
    arm.change(2, "1 Arm 1\n")
    assert np.allclose(arrays(*arm)["vertices"][:2, 0], [(0, 1, 7), (-1, 0, 7)], atol=1e-6)


def test_normals_may_be_those_of_the_faces(run, arrays, arm, out):
    made = arrays(*arm, "--normals", "faces")
    a, b, c = made["vertices"][2]
    across = np.cross(b - a, c - a)
    assert np.allclose(made["normals"][2], across / np.linalg.norm(across), atol=1e-5)
    run("skin", *arm, "--normals", "faces", "--frames", 2, "-o", out / "f.obj")
    assert (out / "f.obj").read_text().splitlines()[-1] == "f 1/1/1 2/1/2 3/1/3"


def test_a_mesh_without_normals_is_given_some(run, arm, out):
    arm.change(1, "v 2 5 0\nv 12 5 0\nv 10 6 0\nvt 0 0\nf 1 2/1 3\n")
    run("skin", *arm, "--frames", 1, "-o", out / "n.obj")
    assert (out / "n.obj").read_text().splitlines()[3:] == ["vt 0 0", *["vn 0 0 1"] * 3, "f 1//1 2/1/2 3//3"]


def test_what_is_strange_is_noted(run, arm, out, tmp_path):
    arm.change(1, "mtllib arm.mtl\n" + MESH)
    arm.change(2, "1 Arm 1\n2 Hand 3\n")
    other = tmp_path / "bind.bvh"
    other.write_text(ARM.replace("OFFSET 10 0 0", "OFFSET 8 0 0"))
    report = out / "r.json"
    code, printed, _ = run("skin", *arm, "--bind", other, "--frames", 0, "-o", out / "a.obj", "--report", report)
    assert code == 0
    for note in (
        "1 of 3 vertices have no weights and stay where they are",
        "the weights of 1 vertices add up to between 3 and 3; they were scaled to add up to 1",
        "'Hand': the rest pose of the clip is not that of --bind, and the mesh takes its bones' lengths",
        f"materials are looked for beside the new files: copy 'arm.mtl' to {out}",
    ):
        assert f"  note: {note}\n" in printed
    found = console.read_json(report)
    assert len(found["warnings"]) == 4
    assert (found["verb"], found["vertices"], found["faces"], found["frames"]) == ("skin", 3, 1, [0])


# --- files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--frames", "x"], 2, "frames is 'x', but must be like 0:100, 0:100:2 or 12"),
        (["--frames", "0:2:0"], 2, "frames is '0:2:0', but must be like"),
        (["--frames", "2:1"], 2, "frames is '2:1', but must not end before it begins"),
        (["--frames", "0:3"], 1, "CLIP: there is no frame 3; it has 3, from 0 to 2"),
        (["--bind-frame", "3"], 1, "CLIP: there is no frame 3; it has 3, from 0 to 2"),
        (["--bind-frame", "-2"], 2, "bind_frame is -2, but must lie between -1 and inf"),
        (["--scale", "0"], 2, "scale is 0.0, but must lie between 1e-05 and 100000"),
        (["--bind", "absent.bvh"], 1, "absent.bvh: can't be read (No such file or directory)"),
        (["--matrix"], 1, "WEIGHTS, line 1: there are 3 values, but 2 are needed"),
        (["-o", "OUT/new"], 2, "OUT/new must end in .npz, or be a folder for OBJ files (FOLDER/)"),
        (["-o", "OUT/new.obj"], 2, "OUT/new.obj is one file, but there are 3 frames; name a folder (FOLDER/)"),
        (["-o", "OUT/a/b/"], 1, "OUT/a/b/arm_swing_0000.obj: there is no folder OUT/a/b"),
    ],
)
def test_what_can_not_be_done_is_one_line(run, arm, out, arguments, status, words):
    arguments = [argument.replace("OUT", str(out)) for argument in arguments]
    code, printed, err = run("skin", *arm, *([] if "-o" in arguments else ["-o", out / "new.npz"]), *arguments)
    console.assert_one_line(err)
    expected = words.replace("OUT", str(out)).replace("CLIP", str(arm[0])).replace("WEIGHTS", str(arm[2]))
    assert expected in err
    assert (code, printed) == (status, "")
    assert os.listdir(out) == []


@pytest.mark.parametrize(
    ("which", "text", "words"),
    [
        (0, "no motion", "swing.bvh, line 1: expected HIERARCHY"),
        (1, "v 1 2 x\n", "arm.obj, line 1: expected v X Y Z"),
        (1, "v 0 0 0\nf 1 2 3\n", "arm.obj, line 2: a face names vertex 2, but the file has 1"),
        (2, "1 Leg 1\n", "weights.txt, line 1: there is no joint 'Leg'; there are 'Arm', 'Hand'"),
        (2, "1 Arm 1\n4 Arm 1\n", "weights.txt, line 2: vertex is '4', but must lie between 1 and 3"),
        (2, "1 Arm 0\n", "weights.txt: no vertex has a weight"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(run, arm, out, which, text, words):
    arm.change(which, text)
    code, printed, err = run("skin", *arm, "-o", out / "new.npz")
    assert (code, printed) == (1, "")
    console.assert_one_line(err)
    assert words in err
    assert os.listdir(out) == []


def test_a_clip_of_other_joints_is_refused(run, arm, out, tmp_path):
    other = tmp_path / "bind.bvh"
    other.write_text(ARM.replace("JOINT Hand", "JOINT Paw"))
    arm.change(2, "1 Paw 1\n")
    code, _, err = run("skin", *arm, "--bind", other, "-o", out / "new.npz")
    assert (code, os.listdir(out)) == (1, [])
    assert err == (
        f"action-loom: {arm[0]}: it has no joint 'Paw', which the mesh hangs on; take a clip of the same skeleton\n"
    )


def test_nothing_is_overwritten_unless_it_is_forced(run, arm, out):
    (out / "arm_swing_0002.obj").write_text("precious")
    code, _, err = run("skin", *arm, "-o", out)
    assert (code, os.listdir(out)) == (1, ["arm_swing_0002.obj"])
    assert err == f"action-loom: {out / 'arm_swing_0002.obj'} exists already; --force overwrites it\n"
    assert run("skin", *arm, "-o", out, "--force")[0] == 0
    assert len(os.listdir(out)) == 3


def test_more_than_fits_in_memory_is_refused(run, arm, out, monkeypatch):
    monkeypatch.setattr(skin_files, "MOST_PLACES", 5)
    code, _, err = run("skin", *arm, "-o", out / "new.npz")
    assert (code, os.listdir(out)) == (1, [])
    assert err == (
        f"action-loom: {out / 'new.npz'} would have 3 frames of 3 vertices, more than fit in memory; take every 2th "
        "(--frames FIRST:LAST:STEP), or OBJ files in a folder (FOLDER/)\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals are a thing of Unix")
@pytest.mark.parametrize("output", ["new.npz", "new/"])
def test_a_run_that_is_stopped_leaves_whole_files_only(arm, out, output):
    folder = output == "new/"
    arm.change(0, ARM[: ARM.index("Frames")] + "Frames: 3000\nFrame Time: 0.04\n" + 3000 * "0 5 0 90 0 0 0 0 0\n")
    arm.change(1, "".join(f"v {k} 5 0\n" for k in range(2000)))
    arm.change(2, "".join(f"{k + 1} Arm 1\n" for k in range(2000)))
    process = processes.started("skin", *arm, "--engine", "numpy", "-o", f"{out}/{output}")
    deadline = time.monotonic() + 60.0
    while folder and len(os.listdir(out)) == 0 and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.3 if folder else 0.9)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    if process.returncode != -signal.SIGINT:  # Python itself ends before our first line
        assert (process.returncode, err) == (130, b"action-loom: interrupted\n")
    made = sorted((out / "new").iterdir()) if folder else []
    assert all(path.suffix == ".obj" and len(meshes.vertices_of(path)) == 2000 for path in made)
    assert len(made) < 3000
    assert os.listdir(out) == (["new"] if folder else [])
