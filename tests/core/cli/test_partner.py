"""Two figures on the command line and in job files: two results, side by side."""

import json

import numpy as np
import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh, motion_file
from action_loom.core.motion import root_motion


@pytest.fixture
def couple(tmp_path):
    """Files of a walk, of a figure that walks 0.8 m beside it, and of that without its last frame."""
    walk = actions.walk()
    beside = root_motion.place_clip(walk, 0.0, np.array([0.8, 0.0]))
    for name, clip in (("ann", walk), ("bob", beside), ("short", beside.cut(0, len(beside) - 1))):
        (tmp_path / f"{name}.bvh").write_bytes(bvh.compose(clip))
    return tmp_path


def ground(path):
    return root_motion.ground_frames(motion_file.read(path).clip)[0]


def test_a_command_writes_both_results(run, couple):
    files = couple / "ann.bvh", "--partner", couple / "bob.bvh"
    code, out, err = run("loop", *files, "-o", couple / "out.bvh", "--report", couple / "r.json")
    assert (code, err) == (0, "")
    one, other = ground(couple / "out.bvh"), ground(couple / "out partner.bvh")
    assert np.abs(np.linalg.norm(other - one, axis=1) - 0.8).max() < 0.01
    assert "bob loop: hands kept on 0 contacts of both figures" in out
    assert json.loads((couple / "r.json").read_text())["partner"]["name"] == "bob loop"


def test_a_command_blends_strides_of_both(run, couple):
    sneak = actions.sneak()
    for name, clip in (("cat", sneak), ("dan", root_motion.place_clip(sneak, 0.0, np.array([0.8, 0.0])))):
        (couple / f"{name}.bvh").write_bytes(bvh.compose(clip))
    files = couple / "ann.bvh", couple / "cat.bvh", "--partner", couple / "bob.bvh", couple / "dan.bvh"
    code, _, err = run("ask", *files, "--speed", "1", "-o", couple / "out.bvh")
    assert (code, err) == (0, "")
    apart = ground(couple / "out partner.bvh") - ground(couple / "out.bvh")
    assert np.abs(np.linalg.norm(apart, axis=1) - 0.8).max() < 0.02


def test_a_job_file_does_so_and_refuses_what_does_not_fit(run, couple):
    job = 'verb = "mirror"\nclips = ["ann.bvh"]\npartners = ["{}.bvh"]\noutput = "out.bvh"\nadapts = "partner"\n'
    (couple / "job.toml").write_text("[[job]]\n" + job.format("bob"))
    assert run("run", couple / "job.toml")[0] == 0
    assert (couple / "out partner.bvh").exists()
    (couple / "job.toml").write_text("[[job]]\n" + job.format("nobody"))
    assert "partners: there is no file" in run("run", couple / "job.toml")[2]


@pytest.mark.parametrize(
    ("partners", "message"),
    [
        (["short.bvh"], "ann has 97 frames at 30 a second and its partner short 96 at 30: cut or re-time one of them"),
        (["bob.bvh", "bob.bvh"], "mirror takes a partner for each clip: 1 clips, 2 partners"),
    ],
)
def test_other_frames_and_numbers_are_refused(run, couple, partners, message):
    code, _, err = run("mirror", couple / "ann.bvh", "--partner", *(couple / one for one in partners))
    assert code
    assert message in err


def test_the_partners_file_is_protected_like_the_other(run, couple):
    (couple / "out partner.bvh").write_text("mine")
    code, _, err = run("mirror", couple / "ann.bvh", "--partner", couple / "bob.bvh", "-o", couple / "out.bvh")
    assert code == 1
    assert "out partner.bvh exists already" in err
    assert not (couple / "out.bvh").exists()


def test_both_are_put_on_other_bodies(run, couple):
    clips, partners = ("ann.bvh", "ann.bvh"), ("short.bvh", "bob.bvh")  # of each figure the body, then its clip
    like, clip = (couple / one for one in clips)
    code, out, err = run(
        "retarget", clip, "--like", like, "--partner", *(couple / one for one in partners), "-o", couple / "out.bvh"
    )
    assert (code, err) == (0, ""), out
    one, other = ground(couple / "out.bvh"), ground(couple / "out partner.bvh")
    assert np.abs(np.linalg.norm(other - one, axis=1) - 0.8).max() < 0.01


@pytest.mark.parametrize("as_job", [False, True])
def test_a_listed_contact_of_both_is_kept(run, couple, as_job):
    files, row = (couple / "ann.bvh", "--partner", couple / "bob.bvh"), "1 hold LR 12-40"
    if as_job:
        job = f'verb = "loop"\nclips = ["ann.bvh"]\npartners = ["bob.bvh"]\noutput = "out.bvh"\ncontacts = "{row}"\n'
        (couple / "job.toml").write_text(f"[[job]]\n{job}report = 'r.json'\n")
        code, out, err = run("run", couple / "job.toml")
    else:
        code, out, err = run(
            "loop", *files, "-o", couple / "out.bvh", "--report", couple / "r.json", "--contacts", row, "--whole", "yes"
        )
    assert (code, err) == (0, ""), out
    report = json.loads((couple / "r.json").read_text())
    assert {one["contact"] for one in report["partner"]["contacts"]} == {"left hand on partner.hand.R"}
    alone = run("loop", couple / "ann.bvh", "-o", couple / "alone.bvh", "--contacts", row)
    assert "left hand on partner.hand.R is not kept, because no partner is chosen" in "".join(map(str, alone))


@pytest.mark.parametrize(
    "row", ["hold LR 12-40", "1 hug LR 12-40", "1 hold LR 40-12", "0 hold LR 1-2", "3 hold LR 1-2"]
)
def test_contacts_that_can_not_be_are_refused(run, couple, row):
    code, _, err = run("loop", couple / "ann.bvh", "-o", couple / "out.bvh", "--contacts", row)
    assert code
    assert "contacts: " in err
