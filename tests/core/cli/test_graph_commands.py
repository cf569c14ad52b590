"""action-loom graph: build a graph, describe it, and walk through it, from files to files."""

import json

import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from oracles import console, material


@pytest.mark.both_engines
def test_a_graph_is_built_and_told_of(run, built, out):
    report = json.loads(built.with_suffix(".json").read_text(encoding="utf-8"))
    assert report["verb"] == "graph"
    assert {"frames", "nodes", "edges", "transitions", "component_share"} <= set(report["graph"])
    assert len(report["inputs"]) == 2
    code, printed, _ = run("graph", "info", built, "--report", out / "r.json")
    assert code == 0
    assert printed.startswith("g: ")
    assert json.loads((out / "r.json").read_text(encoding="utf-8"))["graph"] == report["graph"]


@pytest.mark.both_engines
def test_a_path_is_followed_into_a_file(run, built, path, out):
    code, printed, err = run("graph", "follow", built, "--path", path, "-o", out / "", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert "cm off the path" in printed
    report = json.loads((out / "r.json").read_text(encoding="utf-8"))
    wanted = {"rms", "max", "rms_before_spread", "slide", "length", "transitions", "searched"}
    assert wanted <= set(report["follow"])
    clip, convention = bvh.to_clip(bvh.read(out / "g along a path.bvh"))
    assert len(clip) == report["frames"]
    assert convention.unit == json.loads(built.with_suffix(".json").read_text(encoding="utf-8"))["units"][0]["unit"]


@pytest.mark.both_engines
def test_a_random_walk_is_the_same_for_the_same_seed(run, built, out):
    for name in ("one", "two"):
        code, printed, _ = run("graph", "walk", built, "--seconds", 4, "--seed", 5, "-o", out / f"{name}.bvh")
        assert code == 0
        assert "transitions" in printed
    assert (out / "one.bvh").read_bytes() == (out / "two.bvh").read_bytes()


@pytest.mark.both_engines
def test_the_shortest_way_between_frames(run, built, out):
    code, _, _ = run("graph", "path", built, "walk:10", "turn left:60", "-o", out / "p.bvh", "--quiet")
    assert code == 0
    assert (out / "p.bvh").exists()
    code, _, err = run("graph", "path", built, "walk:10", "turn left:600", "-o", out / "q.bvh")
    assert (code, err.count("\n")) == (2, 1)
    assert "turn left has no frame 600: its frames are 0 to" in err


def test_pictures_are_drawn(run, built, path, out):
    assert run("graph", "info", built, "--picture", out / "g.png")[0] == 0
    console.picture_size(out / "g.png")
    assert run("graph", "follow", built, "--path", path, "-o", out / "f.bvh", "--picture", out / "f.png")[0] == 0
    console.picture_size(out / "f.png")
    assert run("graph", "walk", built, "--seconds", 3, "-o", out / "w.bvh", "--picture", out / "w.png")[0] == 0
    console.picture_size(out / "w.png")


@pytest.mark.both_engines
def test_nothing_is_overwritten_and_nothing_is_left_half_done(run, built, path, out):
    assert run("graph", "build", *built.parent.glob("*.bvh"), "-o", built)[0] == 1
    broken = out / "broken.npz"
    broken.write_bytes(built.read_bytes()[:500])
    code, _, err = run("graph", "follow", broken, "--path", path, "-o", out / "f.bvh")
    assert (code, err.count("\n")) == (1, 1)
    assert "this is not a motion graph" in err
    assert not (out / "f.bvh").exists()


@pytest.mark.both_engines
def test_a_job_file_can_follow_a_path(run, built, out):
    clips = '["../walk.bvh", "../turn left.bvh"]'
    text = f'[[job]]\nverb = "follow"\nclips = {clips}\npath = [[0, 0], [0, 4]]\noutput = "f.bvh"\n'
    (out / "jobs.toml").write_text(text, encoding="utf-8")
    code, _, err = run("run", out / "jobs.toml")
    assert (code, err) == (0, "")
    assert (out / "f.bvh").exists()


@pytest.mark.both_engines
def test_the_path_carries_an_action(run, built, path, out):
    action = material.write(actions.wave(30.0), out / "wave.bvh")
    follow = ("graph", "follow", built, "--path", path, "-o", out / "f.bvh")
    code, _, err = run(*follow, "--action", action, "--from", 30, "--to", 80, "--report", out / "r.json")
    assert (code, err) == (0, "")
    (carried,) = json.loads((out / "r.json").read_text(encoding="utf-8"))["follow"]["carries"]
    assert (carried["action"], carried["from"], carried["to"]) == ("wave", 0.3, 0.8)
    code, _, err = run(*follow, "--force", "--action", action, "--from", 30)
    assert (code, err.count("\n")) == (2, 1)
    assert "given were 1 --action, 1 --from and 0 --to" in err


@pytest.mark.both_engines
def test_graphs_and_walks_are_not_written_under_another_kinds_name(run, built, out):
    path = out / "x.blend"
    for command, message in (
        (("walk", built), f"{path} does not end like a motion file that can be written: .bvh"),
        (("build", built.with_name("walk.bvh")), f"{path} is to be a motion graph, and must end in .npz"),
    ):
        assert run("graph", *command, "-o", path) == (2, "", f"action-loom: {message}\n")
        assert not path.exists()
