"""action-loom library: clips in a library, and searches among them as a user types them."""

import json

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh, motion_file
from numpy.testing import assert_allclose


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clips").mkdir()
    for clip in (actions.walk(60.0, 4), actions.run(60.0, 4), actions.sneak(30.0), actions.turn_left(60.0)):
        bvh.write(bvh.from_clip(clip), tmp_path / "clips" / f"{clip.name}.bvh")
    (tmp_path / "labels.csv").write_text("file,label\nwalk,straight on\nturn left,straight on then round\n")
    return tmp_path


@pytest.fixture
def library(run, folder):
    code, out, err = run("library", "index", "clips", "-o", "all.loomlib", "--labels", "labels.csv", "--quiet")
    assert (code, out, err) == (0, "", "")
    return folder


def test_index_says_what_has_changed(run, folder):
    code, out, _ = run("library", "index", "clips", "-o", "all.loomlib", "--report", "r.json")
    assert (code, out) == (0, "all.loomlib: 4 added\n")
    assert len(json.loads((folder / "r.json").read_text())["added"]) == 4
    (folder / "clips" / "broken.bvh").write_text("HIERARCHY\n")
    code, out, _ = run("library", "index", "clips", "-o", "all.loomlib", "--jobs", "2")
    assert code == 0
    assert out.startswith("all.loomlib: 1 added, 4 unchanged\n  not read: ")
    assert "broken.bvh, line" in out


def test_info_and_list(run, library):
    code, out, _ = run("library", "info", "all.loomlib", "--report", "r.json")
    assert code == 0
    assert out.startswith("4 clips, ")
    assert json.loads((library / "r.json").read_text())["clips"] == 4
    code, out, _ = run("library", "list", "all.loomlib", "--like", "straight -walk")
    assert code == 0
    assert out.startswith("turn left  ")
    assert out.count("\n") == 1


def test_search_finds_the_stretch_itself_and_others(run, library):
    code, out, _ = run(
        *("library", "search", "all.loomlib", "clips/walk.bvh[30:100]", "--report", "r.json"),
        *("--most", "5", "--mirror", "--extract", "out"),
    )
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("0.000  walk[30:")
    assert any("in a mirror" in line for line in lines)  # a walk is like its mirror image half a cycle later
    found = json.loads((library / "r.json").read_text())["found"]
    assert len(found) == len(lines) == 5
    assert [one["distance"] for one in found] == sorted(one["distance"] for one in found)
    written = sorted((library / "out").iterdir())
    assert len(written) == 5
    first = motion_file.read(written[0]).clip
    walk = motion_file.read(library / "clips" / "walk.bvh").clip
    cut = walk.cut(found[0]["first"], found[0]["last"] + 1)
    assert len(first) == len(cut)
    assert_allclose(np.abs((first.rotations * cut.rotations).sum(axis=-1)), 1.0, atol=1e-9)
    assert_allclose(first.translations, cut.translations, atol=1e-6)


def test_search_can_leave_the_clip_itself_out(run, library):
    for words in ((), ("--like", "run")):
        code, out, _ = run("library", "search", "all.loomlib", "clips/walk.bvh[30:100]", "--others", *words)
        assert code == 0
        assert "walk[" not in out
        assert out
    assert "turn left[" not in out


def test_graph_of_what_is_found(run, library):
    code, out, _ = run("library", "graph", "all.loomlib", "--like", "walk", "-o", "g.npz")
    assert code == 0
    assert out.startswith("g: ")
    code, out, _ = run(
        "library", "graph", "all.loomlib", "clips/walk.bvh[20:90]", "-o", "h.npz", "--others", "--most", "3"
    )
    assert code == 0
    assert (library / "h.npz").exists()
    code, out, err = run("library", "graph", "all.loomlib", "--like", "swimming", "-o", "i.npz")
    assert (code, out) == (1, "")
    assert "has nothing of the kind" in err


def test_files_of_one_take_are_one_result(run, library):
    bvh.write(bvh.from_clip(actions.run(60.0, 4)), library / "clips" / "run again.bvh")
    run("library", "index", "clips", "-o", "all.loomlib", "--quiet")
    code, out, _ = run("library", "search", "all.loomlib", "clips/run.bvh[0:60]", "--most", "3", "--report", "s.json")
    assert code == 0
    assert "and 1 copy" in out.splitlines()[0]
    (first, *_) = json.loads((library / "s.json").read_text())["found"]
    assert len(first["copies"]) == 1
    code, out, _ = run("library", "search", "all.loomlib", "clips/run.bvh[0:60]", "--others")
    assert (code, "run" in out.split()) == (0, False)
    code, out, _ = run("library", "similar", "all.loomlib", "--report", "r.json")
    assert (code, out.splitlines()[0]) == (0, "1 file left out: others hold the same take")
    assert json.loads((library / "r.json").read_text())["copies"] == 1


def test_similar_says_where_no_clip_has_the_words(run, library):
    code, out, err = run("library", "similar", "all.loomlib", "--like", "swimming")
    assert (code, out) == (1, "")
    assert err == "action-loom: None of the library's 4 clips is asked for: use other words\n"


def test_similar_tells_pairs_and_clusters(run, library):
    code, out, _ = run("library", "similar", "all.loomlib", "--least", "2", "--report", "r.json", "--jobs", "2")
    assert code == 0
    report = json.loads((library / "r.json").read_text())
    lines = out.splitlines()
    assert lines[0] == f"{len(report['pairs'])} pairs of stretches that are alike"
    assert lines[1].startswith(f"{len(report['clusters'])} clusters with ")
    assert report["pairs"]
    assert [pair["distance"] for pair in report["pairs"]] == sorted(pair["distance"] for pair in report["pairs"])
    # A repeated cycle is similar to itself.
    names = [(pair["one"]["clip"], pair["other"]["clip"]) for pair in report["pairs"]]
    assert any(one == other and one.endswith("walk.bvh") for one, other in names)
    code, again, _ = run("library", "similar", "all.loomlib", "--least", "2")
    assert again == out


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("index", "clips", "-o", "all"), 2, "ends in .loomlib"),
        (("index", "nowhere", "-o", "all.loomlib"), 1, "nowhere: can't be read"),
        (("info", "nowhere.loomlib"), 1, "is no library of clips"),
        (("list", "all.loomlib", "--like", "-"), 1, "There is no word"),
        (("search", "all.loomlib", "clips/walk.bvh[90:30]"), 2, "name a first and a later last"),
        (("search", "all.loomlib", "clips/walk.bvh[30:99999]"), 2, "name a first and a later last"),
        (("search", "all.loomlib", "clips/walk.bvh[30:33]"), 1, "search for one of"),
        (("search", "all.loomlib", "clips/nobody.bvh"), 1, "nobody.bvh"),
        (("search", "all.loomlib", "clips/walk.bvh", "--most", "0"), 2, "--most is 0"),
        (("search", "all.loomlib", "clips/walk.bvh", "--report", "nowhere/r.json"), 1, "there is no folder"),
        (("graph", "all.loomlib", "-o", "g.npz"), 2, "name a stretch"),
        (("graph", "all.loomlib", "--like", "walk", "-o", "g.bvh"), 2, "graphs are kept as .npz"),
    ],
)
def test_what_can_not_be_done_is_one_line(run, library, arguments, code, says):
    found, out, err = run("library", *arguments)
    assert (found, out) == (code, "")
    assert says in err
    assert err.count("\n") == 1


def test_what_exists_is_not_written_over(run, library):
    (library / "r.json").write_text("mine")
    code, _, err = run("library", "info", "all.loomlib", "--report", "r.json")
    assert code == 1
    assert "--force overwrites it" in err
    assert (library / "r.json").read_text() == "mine"
