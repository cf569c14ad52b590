"""Created files: names that every file system accepts, and writes that leave no partial file."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from action_loom.core import files
from action_loom.core.errors import LoomError
from hypothesis import given
from hypothesis import strategies as st
from oracles import processes


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("cmu_mb_07_01 + cmu_mb_16_15 50:50", "cmu_mb_07_01 + cmu_mb_16_15 50-50.bvh"),
        ("a/b\\c", "a-b-c.bvh"),
        ('<>:"|?*', "-------.bvh"),
        ("tab\tline\nend\0", "tab-line-end-.bvh"),
        ("half of a letter \udcff", "half of a letter -.bvh"),
        ("歩く + été", "歩く + été.bvh"),
        (" spaces. . ", "spaces.bvh"),
        ("walk.v2", "walk.v2.bvh"),
        ("", "unnamed.bvh"),
        ("..", "unnamed.bvh"),
        ("con", "-con.bvh"),
        ("LPT1.walk", "-LPT1.walk.bvh"),
        ("console", "console.bvh"),
    ],
)
def test_letters_that_file_systems_refuse_are_replaced(title, name):
    assert files.file_name(title, ".bvh") == name


@pytest.mark.parametrize("letter", ["a", "é", "歩", "🐈"])
def test_a_long_name_ends_between_two_letters(letter):
    name = files.file_name(300 * letter, ".bvh")
    assert name == (196 // len(letter.encode())) * letter + ".bvh"


@given(title=st.text(max_size=300))
def test_any_title_makes_a_name(title):
    name = files.file_name(title, ".json")
    assert name.endswith(".json")
    assert 6 <= len(name.encode("utf-8")) <= 200
    assert not set(name) & {*'<>:"/\\|?*', *map(chr, range(32))}
    stem = name.removesuffix(".json")
    assert stem == stem.strip(" ").rstrip(".")


unix = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are a thing of Unix")


@unix
def test_a_file_is_written_through_a_link(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "there.bvh").write_bytes(b"old")
    (tmp_path / "link.bvh").symlink_to("far/there.bvh")
    files.write(tmp_path / "link.bvh", b"new")
    assert (tmp_path / "link.bvh").is_symlink()
    assert (tmp_path / "far" / "there.bvh").read_bytes() == b"new"
    assert os.listdir(tmp_path / "far") == ["there.bvh"]


@unix
def test_a_device_and_a_pipe_are_written_to(tmp_path):
    files.write("/dev/null", b"gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    os.mkfifo(tmp_path / "pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    files.write(tmp_path / "pipe", b"through")
    reader.join(10.0)
    assert got == [b"through"]
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)


@pytest.mark.parametrize("make", [lambda path: path.write_bytes(b"mine"), lambda path: path.symlink_to("nowhere")])
def test_what_another_process_has_just_made_is_not_overwritten(tmp_path, make):
    make(tmp_path / "a.bvh")
    with pytest.raises(LoomError, match=r"a.bvh exists already; --force overwrites it"):
        files.write(tmp_path / "a.bvh", b"new", replace=False)
    assert os.listdir(tmp_path) == ["a.bvh"]
    files.write(tmp_path / "b.bvh", b"new", replace=False)
    assert (tmp_path / "b.bvh").read_bytes() == b"new"


def test_of_many_that_write_one_name_one_succeeds(tmp_path):
    def attempt(number):
        try:
            files.write(tmp_path / "a.bvh", str(number).encode(), replace=False)
        except LoomError:
            return None
        return number

    with ThreadPoolExecutor(8) as pool:
        done = [one for one in pool.map(attempt, range(64)) if one is not None]
    assert len(done) == 1
    assert (tmp_path / "a.bvh").read_text() == str(done[0])
    assert os.listdir(tmp_path) == ["a.bvh"]


HERE, ELSEWHERE, TOKEN = files._machine(), "00beef", "0123456789abcdef"


@pytest.fixture
def new_process(monkeypatch):
    """Forget the folders that this process has cleared, like a new process."""
    monkeypatch.setattr(files, "_cleared", set())


@pytest.fixture
def dead():
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def part(folder, name, machine, process, age):
    path = folder / f".{name}.{machine}-{process}.{TOKEN}.part"
    path.write_bytes(b"half")
    then = time.time() - age
    os.utime(path, (then, then))
    return path


@unix
def test_what_a_killed_process_left_is_cleared_by_the_next_write(tmp_path, new_process, dead):
    left = part(tmp_path, "a.bvh", HERE, dead, 0.0)
    files.write(tmp_path / "a.bvh", b"whole")
    assert not left.exists()
    assert os.listdir(tmp_path) == ["a.bvh"]


def test_what_may_still_be_written_is_left_alone(tmp_path, new_process, dead):
    living = part(tmp_path, "a.bvh", HERE, os.getppid(), 60.0)
    far = part(tmp_path, "a.bvh", ELSEWHERE, dead, 60.0)
    forgotten = [part(tmp_path, "b.bvh", HERE, os.getppid(), 4000.0), part(tmp_path, "b.bvh", ELSEWHERE, dead, 4000.0)]
    strange = tmp_path / f".a.bvh.{TOKEN}.part"
    strange.write_bytes(b"no name of ours")
    os.utime(strange, (1.0, 1.0))
    files.write(tmp_path / "a.bvh", b"whole")
    assert living.exists()
    assert far.exists()
    assert strange.exists()
    assert not any(path.exists() for path in forgotten)


def test_an_earlier_process_of_the_same_number_is_told_from_this_one(tmp_path, new_process, monkeypatch):
    left = part(tmp_path, "a.bvh", HERE, os.getpid(), 0.0)
    own = tmp_path / left.name.replace(TOKEN, 16 * "f")
    own.write_bytes(b"another thread writes it")
    monkeypatch.setattr(files, "_unfinished", {own})
    files.write(tmp_path / "a.bvh", b"whole")
    assert not left.exists()
    assert own.exists()


def test_a_folder_is_searched_once_however_many_files_are_written(tmp_path, new_process, dead):
    files.write(tmp_path / "a.bvh", b"whole")
    later = part(tmp_path, "a.bvh", HERE, dead, 4000.0)
    files.write(tmp_path / "a.bvh", b"again")
    assert later.exists()


def test_a_name_as_long_as_the_file_system_takes_is_written(tmp_path):
    names = [250 * "n" + ".bvh", 83 * "歩" + ".bvh"]
    for name in names:
        files.write(tmp_path / name, b"whole")
    assert sorted(os.listdir(tmp_path)) == sorted(names)


KILLED = """
import os, signal, sys
from pathlib import Path
from action_loom.core import files
os.link = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
files.write(Path(sys.argv[1]), b"half of it", replace=False)
"""


@unix
def test_kill_9_while_a_file_is_written_leaves_what_the_next_process_clears(tmp_path):
    path = tmp_path / "a.bvh"
    assert processes.python("-P", "-c", KILLED, path).returncode == -signal.SIGKILL
    [left] = os.listdir(tmp_path)
    assert left.endswith(".part")
    writing = "import sys; from action_loom.core import files; files.write(sys.argv[1], b'whole', replace=False)"
    assert processes.python("-P", "-c", writing, path).returncode == 0
    assert os.listdir(tmp_path) == ["a.bvh"]
    assert path.read_bytes() == b"whole"
