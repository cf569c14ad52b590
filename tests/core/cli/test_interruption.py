"""Interruptions: one line, the status that shells know, and no leftovers; and output that cannot be written."""

import io
import os
import signal
import subprocess
import sys
import time

import pytest
from action_loom.core.cli import main
from oracles import console, processes

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are a thing of Unix")


@pytest.mark.parametrize(("engine", "sent", "status"), [("numba", signal.SIGINT, 130), ("numpy", signal.SIGTERM, 143)])
def test_at_any_moment_it_is_one_line_and_leaves_nothing(walk, slow, out, engine, sent, status):
    options = ["--mirror", "--engine", engine, "-o", out / "g.npz", "--report", out / "r.json"]
    statuses = set()
    for moment in (0.15, 0.3, 0.6, 1.0, 1.6):
        process = processes.started("graph", "build", walk, slow, "--force", *options)
        time.sleep(moment)
        process.send_signal(sent)
        _, err = process.communicate(timeout=60)
        statuses.add(process.returncode)
        # Python itself ends before our first line: by the signal, or with its own message.
        if process.returncode == status:
            # Python itself may report first that a library's clean-up swallowed the interruption.
            assert err.endswith(b"action-loom: interrupted\n")
        assert not [name for name in os.listdir(out) if name.endswith(".part")]
    assert status in statuses
    assert statuses <= {0, 1, status, -sent}


def test_output_that_has_no_room_is_one_line(walk):
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "wb") as full:
        process = processes.started("info", walk, stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    console.assert_one_line(err.decode())


def test_closed_output_is_no_reason_to_fail(walk, slow, out):
    program = f'"{sys.executable}" -P -m {console.MODULE}'
    command = f'exec {program} sync "{walk}" "{slow}" --engine numpy -o "{out}/new.bvh" >&- 2>&-'
    assert subprocess.run(["sh", "-c", command], env=processes.clean_environment(), check=False).returncode == 0
    assert os.listdir(out) == ["new.bvh"]


class _Gone(io.TextIOBase):
    """An output stream without a file number, which fails at every write."""

    def write(self, _text):
        raise OSError("nobody reads this")


def test_an_output_of_somebodys_own_that_fails_is_one_line(walk, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdout", _Gone())
    status = main.main(["info", str(walk)])
    monkeypatch.undo()
    assert status == 1
    console.assert_one_line(capsys.readouterr().err)


@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM"])
def test_a_signal_after_the_work_changes_nothing(walk, sent):
    code = (
        f"import os, signal, sys\nfrom {console.MODULE} import main\nstatus = main()\n"
        f"os.kill(os.getpid(), signal.{sent})\nsys.exit(status)"
    )
    for arguments, status in ((["info", walk], 0), (["info", "absent.bvh"], 1)):
        done = processes.python("-P", "-c", code, *arguments)
        assert done.returncode == status
        assert "Traceback" not in done.stderr


RUNS_A_TEXT = "main.main = lambda: exec('os.kill(os.getpid(), signal.SIGTERM)')\n"
SWALLOWS = (
    "class Swallows:\n    def __del__(self):\n        os.kill(os.getpid(), signal.SIGTERM)\n"
    "def work():\n    Swallows()\n    time.sleep(30.0)\n    return 0\n"
    "main.main = work\n"
)


@pytest.mark.parametrize("library", [RUNS_A_TEXT, SWALLOWS], ids=["text", "swallowed"])
def test_a_signal_inside_a_library_ends_as_any_other(walk, library):
    code = "import os, signal, sys, time\nfrom action_loom.core.cli import main, process\n"
    done = processes.python("-P", "-c", code + library + "sys.exit(process.main())", "info", walk)
    assert (done.returncode, done.stderr) == (143, "action-loom: interrupted\n")
