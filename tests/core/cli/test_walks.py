"""action-loom follow, walk and shortest: through a graph of clips or of a file, from the command line and in jobs."""

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import motion_file
from action_loom.core.motion import kinematics
from numpy.testing import assert_allclose
from oracles import console, material

pytestmark = pytest.mark.both_engines

LINE = "0 0; 0 4"


@pytest.fixture
def clips(built):
    """The files of the graph's clips."""
    return [built.with_name(f"{name}.bvh") for name in ("walk", "turn left")]


@pytest.fixture
def wave(tmp_path):
    return material.write(actions.wave(30.0), tmp_path / "wave.bvh")


@pytest.fixture
def job(run, built, out):
    """Run a job file beside the graph, with its results in `out`; return its exit code and its messages."""

    def done(text):
        path = built.with_name("jobs.toml")
        path.write_text(f'folder = "out"\n{text}', encoding="utf-8")
        code, _, err = run("run", path, "--report", path.with_name("r.json"), "--force")
        return code, err

    return done


def points(path):
    return kinematics.points(motion_file.read(path).clip)


WALKS = {
    "follow": (("--path", LINE), ("--path", LINE)),
    "walk": (("--seconds", 3, "--seed", 4), ("--seconds", 3, "--seed", 4)),
    "shortest": (("walk:10", "turn left:60"), ("--leave", "walk:10", "--reach", "turn left:60")),
}


@pytest.mark.parametrize("verb", WALKS)
def test_a_walk_through_a_file_is_what_version_0_1_made_of_it(run, built, out, verb):
    earlier, flags = WALKS[verb]
    spelling = "path" if verb == "shortest" else verb
    code, message, err = run("graph", spelling, built, *earlier, "-o", out / "a.bvh", "--report", out / "a.json")
    assert (code, err) == (0, "")
    code, again, err = run(verb, "--graph", built, *flags, "-o", out / "b.bvh", "--report", out / "b.json")
    assert (code, err) == (0, "")
    assert (out / "a.bvh").read_bytes() == (out / "b.bvh").read_bytes()
    assert message.splitlines()[:-1] == again.splitlines()[:-1]
    one, other = (console.read_json(out / f"{name}.json") for name in "ab")
    assert one["verb"] == other["verb"] == verb
    assert one[verb] == other[verb]
    assert one["pieces"] == other["pieces"]


@pytest.mark.parametrize("verb", WALKS)
def test_clips_may_be_named_instead_of_a_graph_of_them(run, built, clips, out, verb):
    flags = WALKS[verb][1]
    images = ("--mirror",) if verb == "walk" else ()  # as in the graph
    code, printed, err = run(verb, *clips, *flags, *images, "-o", out / "a.bvh", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert printed.startswith("walk + turn left ")
    report = console.read_json(out / "r.json")
    assert report["inputs"] == [str(clip) for clip in clips]
    assert report["output"] == str(out / "a.bvh")
    assert run(verb, "--graph", built, *flags, "-o", out / "b.bvh")[0] == 0
    assert_allclose(points(out / "a.bvh"), points(out / "b.bvh"), atol=1e-6)


def test_options_of_the_graph_count_where_it_is_built(run, clips, out):
    flags = ("--seconds", 3, "-o", out / "a.bvh", "--report", out / "r.json", "--force")
    found = []
    for threshold in (0.05, 0.2):
        assert run("walk", *clips, "--threshold", threshold, *flags)[0] == 0
        found.append(console.read_json(out / "r.json")["graph"]["transitions"])
    assert found[0] < found[1]


def test_a_path_is_rows_or_a_file_of_them(run, built, path, out):
    assert run("follow", "--graph", built, "--path", path, "-o", out / "a.bvh")[0] == 0
    assert run("follow", "--graph", built, "--path", "0 0; 0 3; -2 5", "-o", out / "b.bvh")[0] == 0
    assert (out / "a.bvh").read_bytes() == (out / "b.bvh").read_bytes()
    code, _, err = run("follow", "--graph", built, "--path", path.with_name("absent.csv"), "-o", out / "c.bvh")
    assert code == 1
    assert err == f"action-loom: {path.with_name('absent.csv')}: can't be read (No such file or directory)\n"


def test_clips_that_are_walked_and_the_action_that_is_carried(run, clips, wave, out):
    flags = ("--path", "0 0; 0 8", "--action", wave, "--from", 20, "--to", 90)
    code, _, err = run("follow", *clips, *flags, "-o", f"{out}/", "--report", out / "r.json")
    assert (code, err) == (0, "")
    assert (out / "walk + turn left along a path.bvh").exists()
    report = console.read_json(out / "r.json")
    (carried,) = report["follow"]["carries"]
    assert (carried["action"], carried["from"], carried["to"]) == ("wave", 0.2, 0.9)
    assert {piece["clip"].removesuffix(" mirrored") for piece in report["pieces"]} <= {"walk", "turn left"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["walk"], "walk takes clips, or a graph"),
        (["follow", "--path", LINE], "follow takes clips, or a graph"),
        (["walk", "CLIP", "--graph", "GRAPH"], "--graph names a graph of clips, so no clips are named beside it"),
        (["walk", "--graph", "GRAPH", "--mirror"], "mirror: this is settled in the graph that --graph"),
        (["walk", "--graph", "GRAPH", "--label-filter", "fly"], "no walk is among clips of the label 'fly'"),
        (["walk", "--graph", "GRAPH", "--among", "fly"], "no walk is among clips of the label 'fly'"),
        (["follow", "--graph", "GRAPH"], "the path is 0 m long"),
        (["follow", "--graph", "GRAPH", "--path", "0 0; 0"], "path takes rows of x, y"),
        (["follow", "--graph", "GRAPH", "--path", LINE, "--action", "CLIP"], "1 --action, 0 --from and 0 --to"),
        (["shortest", "--graph", "GRAPH", "--leave", "walk:10"], "reach is '', but must be a frame of"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_no_walk_is_wrong_usage_said_in_one_line(run, built, clips, out, arguments, message):
    files = {"CLIP": clips[0], "GRAPH": built}
    code, printed, err = run(*[files.get(one, one) for one in arguments], "-o", out / "a.bvh")
    assert (code, printed) == (2, "")
    console.assert_one_line(err)
    assert message in err
    assert not (out / "a.bvh").exists()


@pytest.mark.parametrize("verb", ["blend", "sync", "loop", "splice", "connect", "info"])
def test_what_is_no_walk_takes_no_graph(run, built, clips, out, verb):
    code, _, err = run(verb, *clips, "--graph", built)
    assert code == 2
    assert err.startswith("usage: action-loom")


def test_a_job_may_build_a_graph(job, out):
    assert job('[[job]]\nverb = "graph"\nclips = ["walk.bvh", "turn left.bvh"]\nthreshold = 0.1\n') == (0, "")
    assert [path.name for path in out.iterdir()] == ["walk + turn left.npz"]


def test_a_job_may_name_a_graph_and_a_path_in_files(job, run, built, path, out):
    assert job(f'[[job]]\nverb = "follow"\ngraph = "g.npz"\npath = "{path.name}"\n') == (0, "")
    assert [path.name for path in out.iterdir()] == ["g along a path.bvh"]
    assert run("graph", "follow", built, "--path", path, "-o", out / "b.bvh")[0] == 0
    assert (out / "g along a path.bvh").read_bytes() == (out / "b.bvh").read_bytes()


def test_with_a_graph_the_clips_of_a_job_are_those_that_stretches_count(job, wave, out):
    text = '[[job]]\nverb = "follow"\ngraph = "g.npz"\nclips = ["wave.bvh"]\npath = [[0, 0], [0, 8]]\n'
    assert job(text + 'stretches = [[0.2, 0.9, 1]]\nreport = "out/r.json"\n') == (0, "")
    assert console.read_json(out / "r.json")["follow"]["carries"][0]["action"] == "wave"


def test_jobs_of_version_0_1_are_done_as_ever(job, out):
    clips = 'clips = ["walk.bvh", "turn left.bvh"]\n'
    text = f'[[job]]\nverb = "path"\n{clips}leave = "walk:10"\nreach = "turn left:60"\noutput = "out/a.bvh"\n'
    text += f'[[job]]\nverb = "shortest"\n{clips}leave = "walk:10"\nreach = "turn left:60"\noutput = "out/b.bvh"\n'
    text += f'[[job]]\nverb = "walk"\n{clips}labels = "a a"\namong = "a"\nseconds = 2\noutput = "out/c.bvh"\n'
    assert job(text) == (0, "")
    assert (out / "a.bvh").read_bytes() == (out / "b.bvh").read_bytes()
    assert len(motion_file.read(out / "c.bvh").clip) == 61


def test_old_names_may_stand_at_the_top_of_a_job_file(job, out):
    clips = 'clips = ["walk.bvh", "turn left.bvh"]\n'
    text = f'among = "b"\n[[job]]\nverb = "walk"\n{clips}labels = "a a"\nseconds = 2\n'
    code, err = job(text)
    assert code == 1
    assert "no walk is among clips of the label 'b'" in err
    assert job(f'{text}label_filter = "a"\noutput = "out/a.bvh"\n') == (0, "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('verb = "blend"\nclips = ["walk.bvh"]\ngraph = "g.npz"\n', "blend uses no graph"),
        (
            'verb = "graph"\nclips = ["walk.bvh"]\noutput = "out/g.bvh"\n',
            "is to be a motion graph, and must end in .npz",
        ),
        (
            'verb = "walk"\ngraph = "g.npz"\noutput = "out/w.npz"\n',
            "does not end like a motion file that can be written",
        ),
        ('verb = "walk"\n', "clips is missing: no file is named"),
        ('verb = "follow"\ngraph = "g.npz"\npath = "absent.csv"\n', "absent.csv: can't be read"),
        ('verb = "follow"\ngraph = "g.npz"\npath = [0, 1]\n', "path is [0, 1], but must be rows of numbers"),
        ('verb = "walk"\ngraph = "absent.npz"\n', "graph: there is no file "),
        ('verb = "walk"\ngraph = ["g.npz"]\n', "graph is ['g.npz'], but must be a text"),
    ],
)
def test_jobs_that_can_not_be_done_are_refused_before_anything_runs(job, out, text, message):
    code, err = job(f"[[job]]\n{text}")
    assert code == 1
    console.assert_one_line(err)
    assert "jobs.toml, job 1: " in err
    assert message in err
    assert list(out.iterdir()) == []


def test_a_graph_that_another_job_writes_is_refused(job, built, out):
    before = built.read_bytes()
    text = '[[job]]\nverb = "graph"\nclips = ["walk.bvh"]\noutput = "g.npz"\nforce = true\n'
    code, err = job(f'{text}[[job]]\nverb = "walk"\ngraph = "g.npz"\n')
    assert code == 1
    assert "job 2: " in err
    assert f"{built} is written by job 1, output" in err
    assert built.read_bytes() == before


def test_a_walk_is_written_in_the_units_of_its_clips(run, tmp_path, out):
    clip = actions.walk(30.0, 4)
    inches = tmp_path / "inches.bvh"
    inches.write_bytes(motion_file.compose(clip, inches, None, motion_file.Convention("inch", 0.0254, "z", False)))
    units = ("--units", "inch", "--up", "z")
    assert run("graph", "build", inches, *units, "-o", out / "g.npz")[0] == 0
    assert run("walk", "--graph", out / "g.npz", "--seconds", 1, "-o", out / "a.bvh")[0] == 0
    assert run("walk", inches, *units, "--seconds", 1, "-o", out / "b.bvh")[0] == 0
    for name in "ab":
        found = motion_file.read(out / f"{name}.bvh", "inch", "z").clip
        assert found.skeleton.height == pytest.approx(clip.skeleton.height, rel=1e-6)
        assert np.abs(kinematics.points(found)[..., 2].max() - kinematics.points(clip)[..., 2].max()) < 0.05
