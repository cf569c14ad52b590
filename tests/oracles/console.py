"""Output of the command line: its reports, pictures and refusals, read strictly."""

import json
import shutil
import struct
import zlib

import numpy as np

from . import processes

MODULE = "action_loom.core.cli.process"


def read_json(path):
    """Parse strictly: JSON knows neither NaN nor Infinity."""

    def refuse(word):
        raise ValueError(f"{word} is no JSON")

    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


def without_times(report):
    """Return a report without the values that differ from run to run."""
    if isinstance(report, dict):
        return {key: without_times(value) for key, value in report.items() if key != "seconds_taken"}
    return [without_times(one) for one in report] if isinstance(report, list) else report


def contents(folder):
    """Return files by name, without the values that differ from run to run."""
    return {path.name: content(path) for path in folder.iterdir()}


def content(path):
    if path.suffix == ".json":
        return without_times(read_json(path))
    if path.suffix == ".npz":  # a graph records its own making, too
        with np.load(path) as arrays:
            return {name: arrays[name].tobytes() for name in arrays if name != "about"}
    return path.read_bytes()


def command(*arguments):
    """Run the command line in a process of its own."""
    return processes.python("-P", "-m", MODULE, *arguments)


def many_jobs(folder, clip, takes, more=""):
    """A file of several jobs, with a report of all of them and files of every kind; more : keys of the last one."""
    (folder / "takes").mkdir()
    for k in range(takes):
        shutil.copy(clip, folder / "takes" / f"take{k:02d}.bvh")
    path = folder / "jobs.toml"
    path.write_text(
        'folder = "out"\nreport = "r.json"\nengine = "numpy"\n[[job]]\nverb = "blend"\nclips = ["walk.bvh"]\n'
        'each = "takes/*.bvh"\nreport = "out/"\n[[job]]\nverb = "sync"\nclips = ["walk.bvh", "slow.bvh"]\n' + more
    )
    return path


def assert_one_line(err):
    assert err.startswith("action-loom: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1


def picture_size(path):
    """Width and height of a PNG whose every chunk is whole."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    place, chunks = 8, []
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + length]
        assert struct.unpack(">I", data[place + 8 + length : place + 12 + length])[0] == zlib.crc32(kind + body)
        chunks.append((kind, body))
        place += 12 + length
    assert chunks[-1][0] == b"IEND"
    assert zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    return struct.unpack(">II", chunks[0][1][:8])
