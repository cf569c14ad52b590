"""action-loom key_poses and reach: input files, output files, rows from text and from files, and messages."""

import json

import numpy as np
from action_loom.core.formats import bvh
from action_loom.core.motion import kinematics
from oracles import console


def read(path):
    return bvh.to_clip(bvh.read(path))[0]


def test_poses_are_reached_at_their_times(run, walk, slow, out):
    rows = "1 0 0 0.2; 2 40 1; 1 20 2 0.5"
    code, printed, err = run(
        "key_poses", walk, slow, "--poses", rows, "--between", "squad", "-o", out / "a.bvh", "--report", out / "r.json"
    )
    assert (code, err) == (0, "")
    assert "3 poses, 2 of them held; joints turn by" in printed
    assert console.read_json(out / "r.json")["key_poses"]["poses"][1] == {
        "clip": "slow",
        "frame": 40,
        "first": 30,
        "last": 30,
    }
    made, first, second = (read(path) for path in (out / "a.bvh", walk, slow))
    assert len(made) == 76
    for at, clip, frame in ((0, first, 0), (6, first, 0), (30, second, 40), (60, first, 20), (75, first, 20)):
        assert np.abs(kinematics.points(made)[at] - kinematics.points(clip)[frame]).max() < 1e-5
    (out / "p.csv").write_text("clip,frame,time,hold\n1,0,0,0.2\n2,40,1,0\n1,20,2,0.5\n", encoding="utf-8")
    flags = ("--between", "squad", "-o", out / "b.bvh")
    assert run("key_poses", walk, slow, "--poses", out / "p.csv", *flags)[0] == 0
    assert (out / "a.bvh").read_bytes() == (out / "b.bvh").read_bytes()
    loop = ("--poses", rows, "--repeat", "--in-place", "-o", out / "c.bvh")
    assert run("key_poses", walk, slow, *loop)[0] == 0
    assert len(read(out / "c.bvh")) == 91


def test_a_hand_reaches_and_what_is_out_of_reach_is_said(run, walk, tmp_path, out):
    clip = read(walk)
    hand, arm = (clip.skeleton.roles[f"{part}.R"] for part in ("hand", "upper_arm"))
    near = kinematics.points(clip)[30, arm] + [0.1, 0.2, -0.2]
    text = " ".join(f"{value:.6f}" for value in near)
    flags = ("--target", text, "--from-frame", 30, "--report", out / "r.json")
    code, printed, err = run("reach", walk, *flags, "-o", out / "a.bvh")
    assert (code, err) == (0, "")
    assert "right arm is led at frame 30" in printed
    assert np.abs(kinematics.points(read(out / "a.bvh"))[30, hand] - near).max() < 1e-5
    assert len(json.loads((out / "r.json").read_text(encoding="utf-8"))["reach"]["corrections"]) == 3
    far = ("--target", "0 0 5", "--from-frame", 10, "--to-frame", 12)
    code, printed, _ = run("reach", walk, *far, "-o", out / "b.bvh")
    assert code == 0
    assert "note: walk: right arm falls short of its target by " in printed
    jobs = tmp_path / "jobs.toml"
    jobs.write_text(
        f'[[job]]\nverb = "reach"\nclips = ["walk.bvh"]\ntarget = "{text}"\nfrom_frame = 30\noutput = "job.bvh"\n',
        encoding="utf-8",
    )
    assert run("run", jobs)[0] == 0
    assert (tmp_path / "job.bvh").read_bytes() == (out / "a.bvh").read_bytes()
