"""Files of strangers are read within bounds: regular files, no more than is declared, tables that compute nothing."""

import io
import json
import os
import sqlite3
import sys
import tracemalloc
import zipfile
from contextlib import closing, contextmanager

import numpy as np
import pytest
from action_loom.core import files
from action_loom.core.cli import main
from action_loom.core.demo_character import actions
from action_loom.core.errors import LoomError
from action_loom.core.formats import bvh, motion_file
from action_loom.core.graph import storage as graphs
from action_loom.core.library import index
from action_loom.core.library import storage as libraries
from action_loom.core.style import storage as styles

GIGABYTE = 1 << 30
unix = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are a thing of Unix")


@contextmanager
def memory_below(megabytes):
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes * 1e6
    finally:
        tracemalloc.stop()


@pytest.fixture
def walk(tmp_path):
    path = tmp_path / "walk.bvh"
    bvh.write(bvh.from_clip(actions.walk(30.0)), path)
    return path


COMMANDS = {
    "motion": "info {}.bvh",
    "skeleton": "info walk.amc --skeleton {}.asf",
    "job file": "run {}.toml",
    "graph": "graph info {}.npz",
    "style": "restyle walk.bvh --style {}.npz -o out.bvh",
    "path": "follow walk.bvh --path {}.csv -o out.bvh",
    "mesh": "skin walk.bvh {}.obj weights.txt -o out.npz",
    "labels": "library index walk.bvh -o all.loomlib --labels {}.csv",
}


@unix
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_pipe_is_refused_and_nobody_waits_for_its_other_end(command, walk, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    walk.with_suffix(".amc").write_text(":DEGREES\n1\nroot 0 0 0 0 0 0\n")
    words = command.format("pipe").split()
    os.mkfifo(next(word for word in words if word.startswith("pipe")))
    try:
        status = main.main(words)
    except SystemExit as stopped:
        status = stopped.code
    assert status in (1, 2)
    assert "it is no regular file" in capsys.readouterr().err


def test_a_huge_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "walk.bvh"
    with open(path, "wb") as stream:
        stream.write(b"HIERARCHY\n")
        stream.truncate(5 * GIGABYTE)
    with memory_below(1), pytest.raises(LoomError, match="larger than 1024 MB"):
        motion_file.read(path)


def test_the_first_bytes_are_read_first(tmp_path):
    path = tmp_path / "walk.bvh"
    with open(path, "wb") as stream:
        stream.truncate(GIGABYTE)
    with memory_below(1), pytest.raises(LoomError, match="this is a binary file"):
        motion_file.read(path)


def zipped(declared=None, size=1000, how=zipfile.ZIP_DEFLATED):
    """A file of arrays with one of `size` zeros, whose directory declares another size."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", how) as archive:
        for name, array in (("text", b"{}"), ("about", b"{}"), ("rotations", bytes(size))):
            member = io.BytesIO()
            np.save(member, np.frombuffer(array, np.uint8))
            archive.writestr(f"{name}.npy", member.getvalue())
        if declared is not None:
            archive.infolist()[-1].file_size = declared
    return content.getvalue()


@pytest.mark.parametrize(
    "content",
    [zipped(declared=6 * GIGABYTE), zipped(how=zipfile.ZIP_BZIP2), zipped(how=zipfile.ZIP_LZMA)],
    ids=["bomb", "bzip2", "lzma"],
)
def test_arrays_that_would_inflate_without_a_bound_are_refused(content, tmp_path):
    with pytest.raises(ValueError, match="too many bytes|another compression"):
        files.open_archive(content)
    path = tmp_path / "stranger.npz"
    path.write_bytes(content)
    for load in (graphs.load, styles.load):
        with memory_below(20), pytest.raises(LoomError, match="that Action Loom has made"):
            load(path)


def test_no_more_is_inflated_than_declared():
    content = zipped(declared=500, size=100_000_000)
    with memory_below(20), np.load(files.open_archive(content)) as arrays, pytest.raises(zipfile.BadZipFile):
        arrays["rotations"]


def test_values_that_would_take_many_times_the_memory_of_their_text_are_refused():
    with pytest.raises(ValueError, match="64 MB"):
        files.read_json(b"[" + b"{}," * (files.MOST_TEXT // 3) + b"0]")
    with pytest.raises(ValueError, match="brackets"):
        files.read_json(b"[" * 100_000)
    assert files.read_json(b'{"a": [1]}') == {"a": [1]}


def test_a_graph_of_few_bytes_does_not_ask_for_much_memory(tmp_path):
    """An array without columns has any number of rows, and no bytes."""
    content = io.BytesIO()
    skeleton = actions.walk().skeleton
    clip = {"name": "walk", "frames": 10**10, "scaled": False, "channels": []}
    about = {"version": graphs.VERSION, "names": skeleton.names, "roles": skeleton.roles, "clips": [clip], "rate": 30.0}
    arrays = {name: getattr(skeleton, name) for name in ("parents", "offsets", "orients", "tips")}
    arrays |= {"rotations": np.empty((10**10, 0, 4)), "translations": np.empty((10**10, 0, 3)), "moved": np.arange(0)}
    np.savez(content, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)
    path = tmp_path / "stranger.npz"
    path.write_bytes(content.getvalue())
    with memory_below(20), pytest.raises(LoomError, match="this is not a motion graph"):
        graphs.load(path)


@unix
def test_a_library_is_no_way_to_overwrite_another_file(walk, tmp_path):
    library = tmp_path / "all.loomlib"
    index.update(str(library), [str(walk)])
    with closing(sqlite3.connect(library / libraries.TABLE)) as table:
        table.executescript("DELETE FROM clips; UPDATE about SET rows = 0")
    precious = tmp_path / "precious"
    precious.write_text("precious")
    (library / "rows-1.f16").unlink()
    (library / "rows-1.f16").symlink_to(precious)
    with pytest.raises(LoomError, match=r"rows-1.f16 is no regular file"):
        index.update(str(library), [str(walk)])
    assert precious.read_text() == "precious"
