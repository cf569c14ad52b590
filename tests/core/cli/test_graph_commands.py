"""action-loom graph: build a graph, describe it, and walk through it, from files to files."""

import json


def test_a_graph_is_built_and_told_of(run, built, out):
    report = json.loads(built.with_suffix(".json").read_text(encoding="utf-8"))
    assert report["verb"] == "graph"
    assert {"frames", "nodes", "edges", "transitions", "component_share"} <= set(report["graph"])
    assert len(report["inputs"]) == 2
    code, printed, _ = run("graph", "info", built, "--report", out / "r.json")
    assert code == 0
    assert printed.startswith("g: ")
    assert json.loads((out / "r.json").read_text(encoding="utf-8"))["graph"] == report["graph"]


def test_nothing_is_overwritten_and_nothing_is_left_half_done(run, built, path, out):
    assert run("graph", "build", *built.parent.glob("*.bvh"), "-o", built)[0] == 1
    broken = out / "broken.npz"
    broken.write_bytes(built.read_bytes()[:500])
    code, _, err = run("graph", "follow", broken, "--path", path, "-o", out / "f.bvh")
    assert (code, err.count("\n")) == (1, 1)
    assert "this is not a motion graph" in err
    assert not (out / "f.bvh").exists()


def test_graphs_and_walks_are_not_written_under_another_kinds_name(run, built, out):
    path = out / "x.blend"
    for command, message in (
        (("walk", built), f"{path} does not end like a motion file that can be written: .bvh"),
        (("build", built.with_name("walk.bvh")), f"{path} is to be a motion graph, and must end in .npz"),
    ):
        assert run("graph", *command, "-o", path) == (2, "", f"action-loom: {message}\n")
        assert not path.exists()
