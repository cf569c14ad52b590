"""Blender's own Python has neither tqdm nor matplotlib: the command line works without them, and shows no bar."""

import os

from oracles import processes

CODE = (
    "import sys\nsys.modules['tqdm'] = sys.modules['matplotlib'] = None\n"
    "from action_loom.core.cli.main import main\nsys.exit(main(sys.argv[1:]))\n"
)


def test_no_bar_is_no_reason_to_fail(walk, slow, out):
    done = processes.python("-c", CODE, "blend", walk, slow, "-o", out / "new.bvh", "--engine", "numpy")
    assert (done.returncode, done.stderr) == (0, "")
    assert os.listdir(out) == ["new.bvh"]


def test_jobs_are_done_without_a_bar_too(walk, slow, out, tmp_path):
    path = tmp_path / "jobs.toml"
    path.write_text('folder = "out"\n[[job]]\nverb = "sync"\nclips = ["walk.bvh", "slow.bvh"]\n')
    done = processes.python("-c", CODE, "run", path, "--engine", "numpy")
    assert (done.returncode, done.stderr) == (0, "")
    assert os.listdir(out) == ["slow in time with walk.bvh"]
