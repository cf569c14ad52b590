"""action-loom library --scheduler: a cluster's workers find the same rows and pairs, even if one of them is killed."""

import json

import pytest
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from action_loom.core.library import storage
from oracles import clusters, console

CLIPS = 12


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    for k in range(CLIPS):
        clip = actions.walk(120.0, 8, speed=1.0 + 0.03 * k)  # more than a file's share of a task
        bvh.write(bvh.from_clip(clip), folder / f"walk {k:02d}.bvh")
    return folder


def rows(place):
    library = storage.read(place)
    return library.entries, library.rows.tobytes()


def test_a_cluster_makes_the_same_library_and_finds_the_same(folder, tmp_path):
    alone, shared = tmp_path / "alone.loomlib", tmp_path / "shared.loomlib"
    done = console.command("library", "index", folder, "-o", alone)
    assert (done.returncode, done.stdout) == (0, f"{alone}: {CLIPS} added\n")
    with clusters.Farm(tmp_path) as farm:
        farm.add_worker()
        lost = farm.add_worker()
        # Killed before it has anything: the other one, or nobody, does its tasks, at whatever moment this is.
        lost.kill()
        done = console.command("library", "index", folder, "-o", shared, "--scheduler", farm.address)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{shared}: {CLIPS} added\n", "")
        assert rows(shared) == rows(alone)
        reported = []
        for place, flags in ((alone, ()), (shared, ("--scheduler", farm.address))):
            report = tmp_path / f"{place.stem}.json"
            done = console.command("library", "similar", place, "--report", report, *flags)
            assert done.returncode == 0, done.stderr
            reported.append(json.loads(report.read_text()) | {"library": ""})
    assert reported[0] == reported[1]
    assert reported[0]["pairs"]
