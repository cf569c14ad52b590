"""action-loom style fit, info and apply, restyle and ask: from the command line and in jobs."""

import json
import re

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import motion_file
from oracles import console, material

OPTIONS = (
    "one clip is named beside it",
    "settled in the style",
    "but the style knows 'ann'",
    "must end in .npz",
    "'joy'",
)
WAYS = ((0.9, 0.5), (1.2, 0.65), (1.5, 0.72))


@pytest.fixture
def walks(tmp_path):
    """Files of three people, each with a different walk."""
    return [
        material.write(actions.walk(30.0, 4, speed=speed, step=step), tmp_path / f"p{number}.bvh")
        for number, (speed, step) in enumerate(WAYS)
    ]


@pytest.fixture
def learnt(run, walks, tmp_path):
    """A style in a file, fitted with a table of people."""
    (tmp_path / "who.csv").write_text("clip,person,pace\np0,ann,slow\np1.bvh,ben,quick\np2,cleo,quick\n")
    path = tmp_path / "S.npz"
    code, _, err = run("style", "fit", *walks, "--labels", tmp_path / "who.csv", "-o", path)
    assert (code, err) == (0, "")
    return path


def test_a_style_is_learnt_kept_and_told(run, learnt, tmp_path):
    code, printed, _ = run("style", "info", learnt, "--report", tmp_path / "r.json", "--picture", tmp_path / "p.png")
    assert code == 0
    assert "strides of 3 people" in printed
    assert "pace: " in printed
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["style"]["people"] == ["ann", "ben", "cleo"]
    assert len(report["hashes"]) == 3
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.both_engines
def test_a_kept_style_and_the_clips_themselves_give_the_same(run, walks, learnt, tmp_path):
    of_file, of_clips = tmp_path / "one.bvh", tmp_path / "other.bvh"
    assert run("restyle", walks[0], "--style", learnt, "--cadence", "0.5", "-o", of_file)[0] == 0
    assert run("restyle", *walks, "--cadence", "0.5", "-o", of_clips)[0] == 0
    assert run("style", "apply", learnt, walks[0], "--cadence", "0.5", "-o", tmp_path / "third.bvh")[0] == 0
    made = [motion_file.read(path).clip for path in (of_file, of_clips, tmp_path / "third.bvh")]
    assert len(made[0]) == len(made[1]) == len(made[2])
    assert np.abs(made[0].rotations - made[2].rotations).max() < 1e-12
    assert np.abs(made[0].rotations - made[1].rotations).max() < 1e-3  # strides are kept in single precision


def test_what_is_asked_for_is_printed(run, walks, tmp_path):
    code, printed, _ = run("ask", *walks, "--speed", "1.1", "-o", tmp_path / "out.bvh", "--picture", tmp_path / "p.png")
    assert code == 0
    assert "speed: asked" in printed
    assert "% p" in printed


def test_jobs_use_a_kept_style(run, walks, learnt, tmp_path):
    jobs = tmp_path / "jobs.toml"
    jobs.write_text(
        'folder = "out"\n'
        '[[job]]\nverb = "restyle"\nclips = ["p1.bvh"]\nstyle = "S.npz"\nstride = 0.5\n'
        '[[job]]\nverb = "ask"\nclips = ["p0.bvh", "p2.bvh"]\nspeed = 1.2\nname = "asked"\n'
        '[[job]]\nverb = "style"\nclips = ["p*.bvh"]\nlabels = "who.csv"\noutput = "T.npz"\n'
    )
    code, _, err = run("run", jobs)
    assert (code, err) == (0, "")
    assert (tmp_path / "out" / "p1 restyled.bvh").exists()
    assert (tmp_path / "T.npz").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("style", "info", "gone.npz"), "can't be read"),
        (("style", "info", "p0.bvh"), "is not a style"),
        (("restyle", "p0.bvh", "p1.bvh", "--style", "S.npz", "-o", "o.bvh"), "one clip is named beside it"),
        (("restyle", "p0.bvh", "--style", "S.npz", "--turns", "3", "-o", "o.bvh"), "settled in the style"),
        (("restyle", "p0.bvh", "--style", "S.npz", "--toward", "dora", "-o", "o.bvh"), "but the style knows 'ann'"),
        (("restyle", "p0.bvh", "--basis", "clips", "-o", "o.bvh"), "strides are needed"),
        (("style", "fit", "p0.bvh", "p1.bvh", "p2.bvh", "--labels", "gone.csv", "-o", "T.npz"), "gone.csv"),
        (("style", "fit", "p0.bvh", "p1.bvh", "p2.bvh", "-o", "T.bvh"), "must end in .npz"),
        (("ask", "p0.bvh", "p1.bvh", "--also", "joy 3", "-o", "o.bvh"), "'joy'"),
    ],
)
def test_what_can_not_be_done_is_one_line(run, learnt, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(*arguments)
    # Status 1 reports unusable clips and files, status 2 a wrong command line.
    assert code == (2 if message in OPTIONS else 1)
    console.assert_one_line(err)
    assert message in err
    assert not (tmp_path / "o.bvh").exists()
    assert not (tmp_path / "T.npz").exists()


def test_strides_are_shown_in_groups_by_a_label_or_a_measure(run, learnt, tmp_path):
    picture = tmp_path / "by.png"
    code, printed, _ = run("style", "info", learnt, "--by", "pace", "--picture", picture)
    assert code == 0
    assert "strides by pace: slow 4, quick 8; " in printed
    assert picture.read_bytes().startswith(b"\x89PNG")
    whole = run("style", "info", learnt, "--by", "stride")[1]
    assert re.search(
        r"strides by stride: under [\d.]+ \d, over [\d.]+ \d; \w+ \d tells them apart best, \d+% of it", whole
    )


def test_a_group_by_what_the_style_does_not_know_is_refused_with_what_it_does(run, learnt):
    code, _, said = run("style", "info", learnt, "--by", "age")
    assert code != 0
    assert "by is 'age', but must be a label or a measure of this style: person, pace, stride" in said
