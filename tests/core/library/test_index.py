"""Folders in a library: it follows its folders, stays whole after any interruption, and is equal for any readers."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from action_loom.core import processes
from action_loom.core.demo_character import actions
from action_loom.core.errors import Cancelled, LibraryError
from action_loom.core.library import index, search, storage, stretches
from action_loom.core.progress import Progress
from numpy.testing import assert_array_equal
from oracles.material import SHARED
from oracles.processes import clean_environment

from .conftest import MOTIONS, write


def state(place):
    """Return the content of a library, whatever its files are called: each clip with its rows."""
    library = storage.read(place)
    return {entry.path: (entry, library.rows_of(entry).tobytes()) for entry in library.entries}


def without_places(held):
    return {path: (entry.digest, entry.trouble, rows) for path, (entry, rows) in held.items()}


def test_what_is_in_it(folder, place):
    changes = index.update(place, [str(folder)])
    library = storage.read(place)
    assert [Path(path).stem for path in changes.added] == sorted(MOTIONS)
    assert [clip.name for clip in library.clips] == sorted(MOTIONS)
    for clip in library.clips:
        made = MOTIONS[clip.name]()
        assert (clip.frames, clip.rate) == (len(made), made.rate)
        assert clip.rows == int(made.seconds * 30.0 + 1e-6) + 1
        assert 0.7 < clip.kept <= 1.0
        assert clip.frame_of(0) == 0
        assert clip.frame_of(clip.rows - 1) <= clip.frames - 1
    size = sum(file.stat().st_size for file in Path(place).iterdir())
    assert sum(clip.rows for clip in library.clips) * 48 < size
    assert index.update(place, [str(folder)]).unchanged == changes.added


def test_it_follows_its_folders(folder, place):
    index.update(place, [str(folder)])
    before = state(place)
    write(folder / "new" / "sneak again.bvh", actions.sneak(60.0, 2))
    write(folder / "walk.bvh", actions.walk(120.0, 2))
    (folder / "run.bvh").rename(folder / "new" / "ran.bvh")
    (folder / "wave.bvh").unlink()
    os.utime(folder / "turn.bvh")
    changes = index.update(place, [str(folder)])
    names = {
        how: [Path(path).name for path in getattr(changes, how)] for how in ("added", "changed", "moved", "removed")
    }
    assert names == {
        "added": ["sneak again.bvh"],
        "changed": ["walk.bvh"],
        "moved": ["ran.bvh"],
        "removed": ["wave.bvh"],
    }
    assert {Path(path).name for path in changes.unchanged} == {"slow walk.bvh", "sneak.bvh", "turn.bvh"}
    after = state(place)
    assert after[str(folder / "new" / "ran.bvh")][1] == before[str(folder / "run.bvh")][1]
    fresh = f"{place[:-8]}2.loomlib"
    index.update(fresh, [str(folder)])
    assert state(fresh) == after


def test_copies_of_what_has_moved_are_clips_of_their_own(folder, place):
    index.update(place, [str(folder)])
    shutil.copy(folder / "run.bvh", folder / "copy 1.bvh")
    (folder / "run.bvh").rename(folder / "copy 2.bvh")
    changes = index.update(place, [str(folder)])
    assert len(changes.moved) == len(changes.added) == 1
    held = state(place)
    assert held[str(folder / "copy 1.bvh")][1] == held[str(folder / "copy 2.bvh")][1]
    assert str(folder / "run.bvh") not in held


def test_other_folders_are_left_alone(folder, place, tmp_path):
    index.update(place, [str(folder)])
    write(tmp_path / "more" / "walk.bvh", actions.walk(30.0))
    shutil.rmtree(folder)
    assert index.update(place, [str(tmp_path / "more")]).removed == []
    assert len(storage.read(place).clips) == len(MOTIONS) + 1
    with pytest.raises(LibraryError, match="can't be read"):
        index.update(place, [str(folder)])


def test_bad_files_are_listed_and_in_nobodys_way(folder, place):
    (folder / "empty.bvh").touch()
    (folder / "no skeleton.amc").write_text(":FULLY-SPECIFIED\n")
    text = (folder / "walk.bvh").read_text()
    (folder / "cut.bvh").write_text(text[: len(text) // 2])
    changes = index.update(place, [str(folder)])
    assert {Path(path).name for path in changes.troubles} == {"empty.bvh", "no skeleton.amc", "cut.bvh"}
    assert "cut.bvh, line" in changes.troubles[str(folder / "cut.bvh")]
    assert len(storage.read(place).clips) == len(MOTIONS)
    again = index.update(place, [str(folder)])
    assert (again.added, again.changed, len(again.troubles)) == ([], [], 3)
    (folder / "cut.bvh").write_text(text)
    assert [Path(path).name for path in index.update(place, [str(folder)]).changed] == ["cut.bvh"]
    assert len(storage.read(place).clips) == len(MOTIONS) + 1


def test_many_processes_make_the_same(folder, place, monkeypatch):
    index.update(place, [str(folder)])
    monkeypatch.setattr(index, "BYTES_AT_A_TIME", 100_000)
    other = f"{place[:-8]}2.loomlib"
    index.update(other, [str(folder)], attempts=partial(processes.attempts, at_a_time=2))
    assert state(other) == state(place)


def test_tasks_may_end_in_any_order(folder, place, monkeypatch):
    monkeypatch.setattr(index, "BYTES_AT_A_TIME", 100_000)
    index.update(place, [str(folder)])

    def backwards(function, tasks):
        for k in reversed(range(len(tasks))):
            yield k, processes.attempt(function, tasks[k])

    other = f"{place[:-8]}2.loomlib"
    index.update(other, [str(folder)], attempts=backwards)
    assert state(other) == state(place)


def test_stopped_it_keeps_what_was_there(folder, place):
    index.update(place, [str(folder)])
    before = state(place)
    write(folder / "new.bvh", actions.walk(30.0))
    with pytest.raises(Cancelled):
        index.update(place, [str(folder)], progress=Progress(lambda *_: False))
    assert state(place) == before
    index.update(place, [str(folder)])
    assert len(state(place)) == len(before) + 1


KILLED = """
import sys
from action_loom.core.library import index
index.BYTES_AT_A_TIME, index.SECONDS_KEPT = 1, 0.0
index.update(sys.argv[1], [sys.argv[2]])
"""


@contextmanager
def another_process(place, folder):
    """Start a process that puts a folder into a library, and writes the library after every file."""
    command = [sys.executable, "-P", "-c", KILLED, place, str(folder)]
    with subprocess.Popen(command, env=clean_environment(PYTHONPATH=os.pathsep.join(sys.path))) as process:
        yield process


def many(tmp_path, place, rate, strides):
    """A folder of walks, and a library that has them all."""
    folder = tmp_path / "many"
    for k in range(18):
        write(folder / f"walk {k:02d}.bvh", actions.walk(rate, strides, speed=1.0 + 0.02 * k))
    complete = f"{place[:-8]}2.loomlib"
    index.update(complete, [str(folder)])
    return folder, complete


def test_killed_in_the_middle_it_is_whole_and_goes_on(place, tmp_path):
    """A process killed at any moment of its work leaves correct clips; the next update reads the rest."""
    folder, complete = many(tmp_path, place, 60.0, 2)
    expected, seen = state(complete), set()
    for _ in range(5):
        with another_process(place, folder) as process:
            before = _held(place)
            deadline = time.monotonic() + 60.0
            while process.poll() is None and len(_held(place)) < len(before) + 3 and time.monotonic() < deadline:
                time.sleep(0.02)
            process.kill()
        held = _held(place)
        seen.add(len(held))
        assert held.items() <= without_places(expected).items()
    assert len(seen & set(range(1, 18))) >= 2  # it was really stopped between files
    index.update(place, [str(folder)])
    assert state(place) == expected
    assert [file.suffix for file in sorted(Path(place).iterdir())] == [".sqlite", ".f16"]


def test_who_reads_while_it_grows_sees_one_moment(place, tmp_path):
    folder, complete = many(tmp_path, place, 30.0, 1)
    expected, seen = without_places(state(complete)), []
    with another_process(place, folder) as process:
        while process.poll() is None:
            held = _held(place)
            assert held.items() <= expected.items()
            seen.append(len(held))
        assert process.wait() == 0
    assert seen == sorted(seen)
    assert len(set(seen)) > 3
    assert _held(place) == expected


def _held(place):
    return without_places(state(place)) if (Path(place) / storage.TABLE).exists() and _is_begun(place) else {}


def _is_begun(place):
    with closing(sqlite3.connect(Path(place) / storage.TABLE)) as table:
        return bool(table.execute("SELECT count(*) FROM sqlite_master WHERE name = 'about'").fetchone()[0])


def test_two_writers(folder, place):
    """The second writer is refused, the first is undisturbed, and readers continue."""
    index.update(place, [str(folder)])
    with storage.writing(place) as writer:
        with pytest.raises(LibraryError, match="is being changed by another process"):
            index.update(place, [str(folder)])
        assert len(storage.read(place).clips) == len(MOTIONS)
        writer.remove(str(folder / "walk.bvh"))
    assert len(storage.read(place).clips) == len(MOTIONS) - 1


def test_who_has_it_open_reads_on(folder, place):
    index.update(place, [str(folder)])
    library = storage.read(place)
    clip = library.clips[-1]
    before = library.rows_of(clip).copy()
    (folder / "run.bvh").unlink()
    index.update(place, [str(folder)])
    assert_array_equal(library.rows_of(clip), before)


def break_rows(place):
    rows = next(Path(place).glob("rows-*.f16"))
    rows.write_bytes(rows.read_bytes()[:500])


def lose_rows(place):
    next(Path(place).glob("rows-*.f16")).unlink()


def break_table(place):
    table = Path(place) / storage.TABLE
    table.write_bytes(b"no database" * 300)


def empty_table(place):
    (Path(place) / storage.TABLE).write_bytes(b"")


def change(place, command):
    with closing(sqlite3.connect(Path(place) / storage.TABLE)) as table:
        table.execute(command)
        table.commit()


def change_kinds(place):
    change(place, "UPDATE clips SET rows = 'many'")


def of_another_version(place):
    change(place, "UPDATE about SET feature = 99")


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (break_rows, "is damaged"),
        (lose_rows, "is damaged"),
        (break_table, "is damaged"),
        (empty_table, "is damaged"),
        (change_kinds, "is damaged"),
        (of_another_version, "another version"),
    ],
)
def test_damage_is_told_in_a_sentence(folder, place, damage, says):
    index.update(place, [str(folder)])
    damage(place)
    with pytest.raises(LibraryError, match=says) as reported:
        storage.read(place)
    assert "library index" in str(reported.value)
    if damage in (break_table, change_kinds, of_another_version):
        with pytest.raises(LibraryError, match=says):
            index.update(place, [str(folder)])


def test_what_is_no_library_is_not_written_into(tmp_path, folder):
    for path in (str(folder), str(folder / "walk.bvh")):
        with pytest.raises(LibraryError, match="is no library"):
            storage.read(path)
        with pytest.raises(LibraryError):
            index.update(path, [str(folder)])
    assert len(list(folder.iterdir())) == len(MOTIONS)


def test_moved_and_changed_files_are_told_when_they_are_wanted(folder, place):
    index.update(place, [str(folder)])
    library = storage.read(place)
    query = library.rows_of(library.clips[0])[5:40]
    found = search.search(search.Searched(library, library.clips), query, most=1)
    assert stretches.clips(found)[0].name.startswith(f"{found[0].entry.name} ")
    path = Path(found[0].entry.path)
    text = path.read_text()
    write(path, actions.walk(30.0, 1))
    with pytest.raises(LibraryError, match="has changed since it was indexed"):
        stretches.clips(found)
    path.unlink()
    with pytest.raises(LibraryError, match="is not there any more"):
        stretches.clips(found)
    path.write_text(text)
    assert stretches.clips(found)


def test_stretches_that_meet_become_one(library):
    clip = next(clip for clip in library.clips if clip.rows > 90)
    found = [search.Found(clip, *rows) for rows in ((10, 20, 0.2), (50, 60, 0.1), (40, 45, 0.3))]
    joined = stretches.join_stretches(found, 0.2)
    assert [(one.first, one.last, one.distance) for one in joined] == [(4, 26, 0.2), (34, 66, 0.1)]
    assert len(stretches.join_stretches(found, 1.0)) == 1


def test_labels(folder, place, tmp_path):
    table = tmp_path / "labels.csv"
    table.write_text("file,description,licence\nwalk.bvh,a brisk walk,free\nRUN,fast,free\n", encoding="utf-8")
    index.update(place, [str(folder)], labels=index.read_labels(str(table)))
    labels = {clip.name: clip.label for clip in storage.read(place).clips}
    assert labels == dict.fromkeys(MOTIONS, "") | {"walk": "a brisk walk", "run": "fast"}
    index.update(place, [str(folder)])
    assert {clip.name: clip.label for clip in storage.read(place).clips} == labels
    for bad in ("", "one column\nwalk\n"):
        table.write_text(bad)
        with pytest.raises(LibraryError, match="whose first row names"):
            index.read_labels(str(table))
    table.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LibraryError, match="can't be read"):
        index.read_labels(str(table))


@pytest.mark.shared
def test_captured_folders_with_odd_files(place):
    changes = index.update(place, [str(SHARED / "odd")])
    assert all("can't be compared with others" in why or "line" in why for why in changes.troubles.values())
    library = storage.read(place)
    assert len(library.clips) >= 5
    for clip in library.clips:
        assert np.isfinite(library.rows_of(clip)).all(), clip.path
