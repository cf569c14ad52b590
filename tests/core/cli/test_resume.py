"""action-loom run --resume: it skips finished jobs, runs the others, and replaces no file of another origin."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from oracles import console, processes

TAKES = 8


@pytest.fixture
def jobs(tmp_path, walk, slow, out):
    return console.many_jobs(tmp_path, slow, TAKES)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def times(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


def already(printed):
    """Return the number of skipped jobs and the number of all jobs."""
    words = printed.splitlines()[0].split()
    assert words[3:] == ["jobs", "were", "done", "already"]
    return int(words[0]), int(words[2])


@pytest.mark.skipif(sys.platform == "win32", reason="signals are a thing of Unix")
def test_a_run_that_was_killed_goes_on_where_it_was(run, jobs, out):
    command = [sys.executable, "-P", "-m", console.MODULE, "run", str(jobs), "--jobs", "2"]
    with subprocess.Popen(command, env=processes.clean_environment(), stdout=subprocess.PIPE) as process:
        end = time.monotonic() + 60.0
        while len(os.listdir(out)) < 5 and time.monotonic() < end:
            time.sleep(0.002)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    before = times(out)
    assert 5 <= len(before) < 2 * TAKES
    code, printed, err = run("run", jobs, "--resume")
    assert (code, err) == (0, "")
    left_out, of_all = already(printed)
    assert of_all == TAKES + 1
    # The interrupted job may run again; no earlier job may.
    assert left_out >= len(before) // 2 - 2
    assert sum(times(out)[name] == stamp for name, stamp in before.items() if name in times(out)) >= 2 * left_out
    resumed, report = contents(out), console.read_json(jobs.with_name("r.json"))
    assert [one["status"] for one in report["jobs"]] == ["done"] * (TAKES + 1)

    # The result equals that of an uninterrupted run.
    assert run("run", jobs, "--force")[0] == 0
    whole = contents(out)
    assert set(resumed) == set(whole)
    assert all(resumed[name] == whole[name] for name in whole if name.endswith(".bvh"))
    assert console.without_times(report) == console.without_times(console.read_json(jobs.with_name("r.json")))


def test_what_is_done_is_left_out_and_what_has_changed_is_not(run, jobs, out, slow, tmp_path):
    assert run("run", jobs)[0] == 0
    first = times(out)
    assert already(run("run", jobs, "--resume")[1]) == (TAKES + 1, TAKES + 1)
    assert times(out) == first
    # Another source, another option or a missing file affects only its own jobs.
    shutil.copy(tmp_path / "walk.bvh", tmp_path / "takes" / "take03.bvh")
    (out / "walk + take05 50-50.json").unlink()
    jobs.write_text(jobs.read_text().replace('verb = "sync"', 'verb = "sync"\nends = "open"'))
    code, printed, err = run("run", jobs, "--resume", "--jobs", "2")
    assert (code, err) == (0, "")
    assert already(printed) == (TAKES - 2, TAKES + 1)
    changed = {name for name, stamp in times(out).items() if first.get(name) != stamp}
    assert changed == {
        *(f"walk + take{k}50-50.{ending}" for k in ("03 ", "05 ") for ending in ("bvh", "json")),
        "slow in time with walk.bvh",
    }
    (tmp_path / "takes" / "take99.bvh").write_bytes(slow.read_bytes())
    assert already(run("run", jobs, "--resume")[1]) == (TAKES + 1, TAKES + 2)


def test_a_file_that_no_run_has_left_like_this_is_not_replaced(run, jobs, out):
    theirs = out / "slow in time with walk.bvh"
    assert run("run", jobs)[0] == 0
    theirs.write_bytes(b"edited by hand")
    code, printed, err = run("run", jobs, "--resume")
    assert (code, printed) == (1, "")
    assert err.endswith(f"{theirs} exists already; --force overwrites it\n")
    console.assert_one_line(err)
    assert theirs.read_bytes() == b"edited by hand"
    code, printed, _ = run("run", jobs, "--resume", "--force")
    assert already(printed) == (TAKES, TAKES + 1)
    assert theirs.read_bytes() != b"edited by hand"


def test_a_job_that_failed_is_done_again(run, jobs, out, tmp_path):
    (tmp_path / "takes" / "take04.bvh").write_bytes(b"HIERARCHY")
    assert run("run", jobs)[0] == 1
    shutil.copy(tmp_path / "slow.bvh", tmp_path / "takes" / "take04.bvh")
    code, printed, err = run("run", jobs, "--resume")
    assert (code, err) == (0, "")
    assert already(printed) == (TAKES, TAKES + 1)
    assert len(os.listdir(out)) == 2 * TAKES + 1


def test_what_a_kill_cut_off_in_the_journal_says_nothing(run, jobs, out):
    assert run("run", jobs)[0] == 0
    journal = jobs.with_name("jobs.toml.journal")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3]) + lines[3][:40])
    for path in out.glob("*take*"):
        if not any(f"take0{k}" in path.name for k in range(3)):
            path.unlink()
    (out / "slow in time with walk.bvh").unlink()
    jobs.with_name("r.json").unlink()
    assert already(run("run", jobs, "--resume")[1]) == (3, TAKES + 1)
    assert already(run("run", jobs, "--resume")[1]) == (TAKES + 1, TAKES + 1)


def test_a_journal_of_anything_is_no_error(run, jobs, out):
    journal = jobs.with_name("jobs.toml.journal")
    for noise in (b"\xff\x00", b'[]\n1\nnull\n{"asked": [], "name": 1, "files": {"a": []}, "report": 2}\n{}'):
        journal.write_bytes(noise)
        assert already(run("run", jobs, "--resume", "--force")[1])[0] == 0
    assert len(os.listdir(out)) == 2 * TAKES + 1


def test_without_a_place_for_a_journal_a_run_does_its_work(run, jobs, out, caplog):
    jobs.with_name("jobs.toml.journal").mkdir()
    assert run("run", jobs)[0] == 0
    assert "this run can't be resumed" in caplog.text
    assert len(os.listdir(out)) == 2 * TAKES + 1


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are a thing of Unix")
def test_jobs_from_a_pipe_are_refused_and_leave_no_journal(run, jobs, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    code, _, err = run("run", tmp_path / "pipe", "--resume")
    assert code == 1
    assert err.endswith("pipe: can't be read (it is no regular file)\n")
    assert not (tmp_path / "pipe.journal").exists()
