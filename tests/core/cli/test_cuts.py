"""Parts of clips, as CLIP[FIRST:LAST], in commands and job files."""

import re
import shlex
from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.cli import cuts
from action_loom.core.demo_character import actions
from action_loom.core.formats import motion_file
from oracles import console, material, trials

# Every third verb that makes a clip of clips, with its trial's command: all verbs read their clips in one way.
MAKES_CLIPS = [one for one in trials.commands().items() if "out/a.bvh" in one[1] and "--graph " not in one[1]]
COMMANDS = dict(MAKES_CLIPS[::3])


def test_a_part_of_a_clip_is_read_in_every_verb(run, walk, slow, out):
    code, _, _ = run("mirror", f"{walk}[10:40]", "-o", out / "part.bvh")
    assert code == 0
    part = motion_file.read(out / "part.bvh").clip
    run("mirror", walk, "-o", out / "all.bvh")
    whole = motion_file.read(out / "all.bvh").clip
    assert len(part) == 31
    assert part.rate == whole.rate
    for one, other in ((part, whole.cut(10, 41)), (part.cut(0, 1), whole.cut(10, 11))):
        assert np.allclose(np.abs(np.sum(one.rotations * other.rotations, axis=-1)), 1.0, atol=1e-8)
    code, _, _ = run("blend", f"{walk}[:45]", f"{slow}[5:]", "-o", out / "b.bvh", "--report", out / "r.json")
    assert code == 0
    assert console.read_json(out / "r.json")["inputs"] == [f"{walk}[:45]", f"{slow}[5:]"]


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """A folder of clips and, below `cut`, of their parts from frame 2 as files of their own."""
    folder = tmp_path_factory.mktemp("parts")
    for name in ("cut", "out"):
        (folder / name).mkdir()
    walk = actions.walk(30.0, 4)
    spot = verbs.apply(verbs.InPlace(), [walk]).clip
    clips = {"walk": walk, "sneak": actions.sneak(), "turn": actions.turn_left(), "wave": actions.wave(), "spot": spot}
    for name, clip in clips.items():
        material.write(replace(clip, name=name), folder / f"{name}.bvh")
        material.write(motion_file.read(folder / f"{name}.bvh").clip.cut(2, len(clip)), folder / "cut" / f"{name}.bvh")
    (folder / "p.csv").write_text("0,0\n0,3\n-2,5\n")
    return folder


@pytest.mark.parametrize("line", COMMANDS.values(), ids=COMMANDS)
def test_a_verb_makes_of_a_part_what_it_makes_of_a_file_of_it(run, parts, monkeypatch, line):
    monkeypatch.chdir(parts)

    def made(of):
        code, _, err = run(*shlex.split(re.sub(r"(?<!/)\b(\w+)\.bvh", of, line)), "--force")
        assert code == 0, err
        return motion_file.read("out/a.bvh").clip

    one, other = made(r"\1.bvh[2:]"), made(r"cut/\1.bvh")
    assert one.rotations.shape == other.rotations.shape
    assert np.abs(np.sum(one.rotations * other.rotations, axis=-1)).min() > 1.0 - 1e-7
    assert np.abs(one.translations - other.translations).max() < 1e-4


def test_seconds_are_counted_from_the_clip_s_first_frame(run, walk, out):
    run("info", f"{walk}[0.5s:1.5s]", f"{walk}[15:45]", "--report", out / "r.json")
    seconds, frames = console.read_json(out / "r.json")["clips"]
    assert seconds["frames"] == frames["frames"] == 31
    assert seconds["clip"] == f"{walk}[0.5s:1.5s]"


@pytest.mark.parametrize("part", ["[40:10]", "[0:61]", "[7:7]", "[3s:]", "[:0]"])
def test_a_part_that_is_not_there_is_said(run, walk, part):
    code, _, err = run("info", f"{walk}{part}")
    assert code == 2
    assert f"{walk}{part}: walk has frames 0 to 60 (2.00 s); name a first and a later last one" in err


def test_job_files_take_parts_of_the_clips_that_match_a_pattern(run, walk, slow, out):
    text = f'[[job]]\nverb = "mirror"\neach = "{walk.parent}/{walk.stem}.bvh[10:40]"\noutput = "{out}/"\n'
    (out / "jobs.toml").write_text(text)
    code, printed, err = run("run", out / "jobs.toml")
    assert (code, err) == (0, ""), printed
    (made,) = out.glob("*.bvh")
    assert "10-40" in made.stem
    assert len(motion_file.read(made).clip) == 31


def test_a_run_that_goes_on_makes_another_part_again(run, walk, out):
    def asked(part, *flags):
        text = f'[[job]]\nverb = "mirror"\nclips = ["{walk}{part}"]\noutput = "{out}/m.bvh"\n'
        (out / "jobs.toml").write_text(text)
        code, printed, err = run("run", out / "jobs.toml", "--force")
        assert code == 0, (printed, err)
        return len(motion_file.read(out / "m.bvh").clip)

    assert [asked("[0:20]"), asked("[0:30]", "--resume", "--force")] == [21, 31]


def test_names_with_brackets_of_another_kind_are_whole_clips():
    for name in ("walk[ab].bvh", "walk[1].bvh", "walk", "[1:2].bvh"):
        assert cuts.split(name) == (name, "", "")
