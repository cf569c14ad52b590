"""Pictures on the command line, for any names of clips and any kind of picture."""

import shutil

import pytest
from oracles import console, material


def test_a_picture_is_drawn(run, walk, slow, tmp_path, out):
    files = [walk, slow, material.write(material.walk(1.5, stride=1.4), tmp_path / "fast.bvh")]
    code, _, err = run("blend", *files, "-o", out / "new.bvh", "--picture", out / "p.png")
    assert (code, err) == (0, "")
    width, height = console.picture_size(out / "p.png")
    assert 800 <= width <= 2400
    assert 400 <= height <= 1200


@pytest.mark.parametrize("name", ["$\\frac$", "歩く", "_50% {x}"])
def test_a_picture_is_drawn_whatever_the_clips_are_called(run, walk, slow, tmp_path, out, name):
    renamed = shutil.copy(slow, tmp_path / f"{name}.bvh")
    code, _, err = run("blend", walk, renamed, "-o", out / "new.bvh", "--picture", out / "p.png")
    assert (code, err) == (0, "")
    console.picture_size(out / "p.png")


def test_the_picture_needs_no_ending(run, walk, slow, out):
    code, _, _ = run("sync", walk, slow, "--picture", out / "picture")
    assert code == 0
    console.picture_size(out / "picture")
