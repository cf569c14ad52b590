"""The command line as a process: shells, pipes and terminals, and its help."""

import os
import select
import shutil
import subprocess
import sys
from importlib import import_module

import pytest
from oracles import console, processes


def test_it_runs_as_a_process(walk, slow, out):
    done = processes.python("-m", console.MODULE, "blend", walk, slow, "-o", out / "new.bvh")
    assert (done.returncode, done.stderr) == (0, "")
    assert "walk + slow 50:50" in done.stdout
    assert os.listdir(out) == ["new.bvh"]


def test_the_exit_code_reaches_the_shell(walk, tmp_path):
    assert processes.python("-m", console.MODULE, "info", tmp_path / "absent.bvh").returncode == 1
    assert processes.python("-m", console.MODULE, "info").returncode == 2


@pytest.mark.parametrize(("asked", "threads"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")])
def test_products_take_one_thread_unless_the_environment_asks_for_more(asked, threads):
    code = (
        "import atexit, os, sys\n"
        f"from {console.MODULE} import main\n"
        "before = 'numpy' in sys.modules\n"
        "atexit.register(lambda: print(before, os.environ['OPENBLAS_NUM_THREADS'], flush=True))\n"
        "sys.argv[1:] = ['--version']\n"
        "main()"
    )
    environment = {name: value for name, value in processes.clean_environment().items() if "_NUM_THREADS" not in name}
    done = subprocess.run([sys.executable, "-c", code], env=environment | asked, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == f"False {threads}"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes close otherwise there")
def test_a_reader_that_goes_away_is_no_error_to_complain_about(walk):
    command = [sys.executable, "-m", console.MODULE, "info", *[str(walk)] * 20]
    environment = processes.clean_environment()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        process.stdout.close()
        err = process.stderr.read()
    assert err == b""
    assert process.returncode in (0, 1)


def test_a_terminal_that_lacks_letters_is_no_reason_to_fail(walk, slow, tmp_path):
    renamed = shutil.copy(slow, tmp_path / "歩く.bvh")
    for arguments, code in ((["sync", walk, renamed, "--engine", "numpy"], 0), (["info", tmp_path / "歩.bvh"], 1)):
        done = processes.python("-m", console.MODULE, *arguments, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
        assert "Traceback" not in done.stderr
        assert done.returncode == code


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals are a thing of Unix")
def test_a_terminal_sees_a_bar_that_is_gone_in_the_end(walk, slow, out):
    termios = import_module("termios")
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, 80))  # a bar does not fit into a terminal without a size
    termios.tcsetwinsize(ours, (24, 80))
    command = [sys.executable, "-m", console.MODULE, "blend", walk, slow, "-o", out / "new.bvh", "--engine", "numpy"]
    environment = processes.clean_environment()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, env=environment, timeout=120, check=True)
    assert select.select([ours], [], [], 5.0)[0]
    seen = os.read(ours, 100_000).decode()
    os.close(theirs)
    os.close(ours)
    assert "Synchronising" in seen
    assert "walk + slow 50:50" in done.stdout.decode()
    # The last output clears the bar.
    assert seen.endswith("\r")
    assert seen.split("\r")[-2].strip() == ""


@pytest.mark.parametrize("verb", [[], ["info"], ["sync"], ["blend"]])
def test_help_is_given_and_names_the_defaults(run, verb):
    code, out, err = run(*verb, "--help")
    assert (code, err) == (0, "")
    assert out.startswith("usage: action-loom")
    if verb and verb[0] != "info":
        assert "--no-trim" in out
        assert "(default: 0.042 s)" in out
